//! Other languages: a few wording files each.
//!
//! Pages are written in English, from typed documents. The wording files of a language have a sentence for every English one, with `{}` where
//! something is filled in: one file for points to note, and one for the pages of each kind of release. [`translated`] takes a finished page
//! apart into sentences, finds each in the files, and puts the page together again. Text from the data stands in `<bdi>` and is never looked
//! up, except that points to note are, as a whole. A sentence that no file has stays English; a test says which are missing.

mod number;
mod page;
mod pattern;

use pattern::Pattern;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

pub use paravent_job::Lang;

/// A page in another language.
pub fn translated(html: &str, lang: Lang) -> String {
    match Wording::of(lang) {
        None => html.to_owned(),
        Some(wording) => page::translate(html, wording, &mut |_| {}),
    }
}

/// Sentences and points to note of an English page that the wording files lack: what would stay English.
pub fn missing(html: &str, lang: Lang) -> Vec<String> {
    let mut missing = Vec::new();
    if let Some(wording) = Wording::of(lang) {
        page::translate(html, wording, &mut |text| missing.push(text.to_owned()));
    }
    missing
}

/// Points to note first, then the pages: releases, those of other kinds, joint ones.
const GERMAN_TEXTS: [&str; 4] = [
    include_str!("de.notes.txt"),
    include_str!("de.txt"),
    include_str!("de.kinds.txt"),
    include_str!("de.joint.txt"),
];

/// The sentences of one language.
pub(crate) struct Wording {
    /// The code of the language, as HTML has it.
    pub(crate) code: &'static str,
    whole: HashMap<&'static str, &'static str>,
    patterns: Vec<Pattern>,
    /// Points to note, which quote names of columns: a wording of their own, so that no name is taken for a word.
    notes: Option<Box<Wording>>,
}

impl Wording {
    /// `None` for English, which pages are written in.
    pub(crate) fn of(lang: Lang) -> Option<&'static Wording> {
        static GERMAN: OnceLock<Wording> = OnceLock::new();
        match lang {
            Lang::En => None,
            Lang::De => Some(GERMAN.get_or_init(|| {
                let [notes, pages @ ..] = GERMAN_TEXTS;
                let notes = Wording::read("de", &[notes]);
                Wording { notes: Some(Box::new(notes)), ..Wording::read("de", &pages) }
            })),
        }
    }

    /// Pairs of lines, the English one first; blank lines and those that begin with `#` stand between pairs.
    fn read(code: &'static str, texts: &[&'static str]) -> Wording {
        let lines = texts.iter().flat_map(|text| text.lines());
        let mut lines = lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let (mut whole, mut patterns) = (HashMap::new(), Vec::new());
        while let (Some(english), Some(other)) = (lines.next(), lines.next()) {
            match english.contains("{}") {
                true => patterns.push(Pattern::new(english, other)),
                // What a file has before is said in more places.
                false => drop(whole.entry(english).or_insert(other)),
            }
        }
        // Long literals are tried first: they say most.
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.literal_length()));
        Wording { code, whole, patterns, notes: None }
    }

    /// A point to note in this language. What is filled in is a part of a note that the file has, whole sentences of the page, or stays as it is.
    /// `missing` hears of sentences that stay.
    pub(crate) fn note(&self, english: &str, missing: &RefCell<&mut dyn FnMut(&str)>) -> Option<String> {
        let notes = self.notes.as_ref()?;
        if let Some(other) = notes.whole.get(english) {
            return Some((*other).to_owned());
        }
        let part = |part: &str| match self.note(part, missing) {
            Some(known) => known,
            None if part.ends_with('.') => self.quoted(part, missing),
            None => part.to_owned(),
        };
        notes.patterns.iter().find_map(|pattern| pattern.apply(english, &part))
    }

    /// Sentences inside a note: those of notes, or of the page. Names in them are never looked up.
    fn quoted(&self, sentences: &str, missing: &RefCell<&mut dyn FnMut(&str)>) -> String {
        let parts = page::split(sentences);
        let told = parts.iter().map(|&sentence| {
            let on_page = || {
                let whole = self.whole.get(sentence).map(|other| (*other).to_owned());
                let patterns = || self.patterns.iter().find_map(|it| it.apply(sentence, &number::localized));
                whole.or_else(patterns)
            };
            // A single one is no note: that was asked before.
            let known = match parts.len() {
                1 => on_page(),
                _ => self.note(sentence, missing).or_else(on_page),
            };
            known.unwrap_or_else(|| {
                missing.borrow_mut()(sentence);
                sentence.to_owned()
            })
        });
        told.collect::<Vec<String>>().join(" ")
    }

    /// The sentence in this language.
    pub(crate) fn find(&self, english: &str) -> Option<String> {
        self.find_several(english, 1)
    }

    /// So many sentences that are one entry. A gap never takes up a sentence: it would stay as it is.
    pub(crate) fn find_several(&self, english: &str, sentences: usize) -> Option<String> {
        if let Some(other) = self.whole.get(english) {
            return Some((*other).to_owned());
        }
        let fitting = self.patterns.iter().filter(|pattern| pattern.sentences >= sentences);
        fitting.into_iter().find_map(|pattern| pattern.apply(english, &|part| self.part(part)))
    }

    /// Something that was filled in: a word or a sentence that the file has, a number, or text of the data.
    fn part(&self, part: &str) -> String {
        match self.find(part) {
            Some(known) => known,
            None => number::localized(&self.joined(part)),
        }
    }

    /// `age, sex and zip`
    fn joined(&self, part: &str) -> String {
        let and = self.whole.get(" and ").copied().unwrap_or(" and ");
        let part = part.replace("</span> and <span", &format!("</span>{and}<span"));
        match (part.strip_suffix(" more"), self.whole.get(" more")) {
            (Some(rest), Some(more)) => rest.replace("</span> and ", &format!("</span>{and}")) + more,
            _ => part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_has_as_many_gaps_in_both_languages() {
        let lines = GERMAN_TEXTS.iter().flat_map(|text| text.lines());
        let lines: Vec<&str> =
            lines.filter(|line| !line.trim().is_empty() && !line.starts_with('#')).collect();
        assert!(lines.len().is_multiple_of(2));
        for pair in lines.chunks(2) {
            let gaps = |text: &str| {
                text.matches("{}").count() + (0..9).filter(|i| text.contains(&format!("{{{i}}}"))).count()
            };
            assert_eq!(gaps(pair[0]), gaps(pair[1]), "{}", pair[0]);
        }
    }

    #[test]
    fn a_gap_takes_up_no_sentence() {
        let html = "<p>Every released row agrees with at least 4 others in <span class=\"name\"><bdi>age</bdi></span>. Whoever knows these facts about a person finds no fewer than 5 rows that fit, and picks the right one with a chance of at most 20%.</p>";
        let german = translated(html, Lang::De);
        assert!(!german.contains("Whoever") && german.contains("<bdi>age</bdi>"), "{german}");
        assert_eq!(
            translated("<p>Made by Paravent <bdi>0.1.0</bdi>.</p>", Lang::De).matches("0.1.0").count(),
            1
        );
    }

    #[test]
    fn notes_are_translated_and_names_in_them_are_not() {
        let german = |note: &str| translated(&format!("<li><bdi class=\"note\">{note}</bdi></li>"), Lang::De);
        let told = german(
            "this table was released before, as release 3 of the register; both together tell MORE THAN WAS PROMISED: In 2 pairs of classes fewer than 5 people can be in both releases.",
        );
        assert!(
            told.contains(
                "als Freigabe 3 des Registers; beide zusammen sagen MEHR ALS ZUGESAGT: In 2 Paaren"
            ),
            "{told}"
        );
        // A column may be called like a word of the page.
        let told =
            german("t-closeness of Rows promises nothing on this table: a class of one person keeps it");
        assert!(
            told.contains(">t-closeness von Rows sagt über diese Tabelle nichts zu: eine Klasse mit"),
            "{told}"
        );
        assert!(german("Rows").contains(">Rows<") && german("something else").contains("something else"));
    }

    #[test]
    fn text_of_the_data_is_never_translated() {
        let german = |html: &str| translated(html, Lang::De);
        assert_eq!(german("<p>Rows</p>"), "<p>Zeilen</p>");
        assert_eq!(german("<p><bdi>Rows</bdi></p>"), "<p><bdi>Rows</bdi></p>");
        assert_eq!(german("<td>12.5%</td>"), "<td>12,5\u{a0}%</td>");
        assert_eq!(german("<td><bdi>12.5%</bdi></td>"), "<td><bdi>12.5%</bdi></td>");
        assert_eq!(german("<p>No such sentence.</p>"), "<p>No such sentence.</p>");
    }
}
