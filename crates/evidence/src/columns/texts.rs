//! Whether texts name somebody on the way: `called Anna Schmidt back`, `seen by Dr. Weber`.

use super::personal_names::Known;

/// Share of the different texts in which somebody is named.
const NAMING: f64 = 0.1;
/// Fewest texts that do.
const FEWEST: usize = 5;
/// Fewest words of a text; less is a name or none, which is asked elsewhere.
const WORDS: usize = 3;
/// What stands before a name.
const TITLES: [&str; 13] = [
    "mr", "mrs", "ms", "miss", "dr", "herr", "herrn", "frau", "madame", "monsieur", "señor", "señora",
    "signora",
];

/// Whether one in ten of these different texts, and five at least, names somebody.
pub(super) fn name_people<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let known = Known::new();
    let (mut all, mut naming) = (0usize, 0usize);
    for cell in cells {
        all += 1;
        naming += usize::from(names_somebody(&known, cell));
    }
    naming >= FEWEST && naming as f64 >= NAMING * all as f64
}

/// Two frequent names beside each other, or a title before a word with a capital letter. A frequent name alone may be a street, a disease or a month.
fn names_somebody(known: &Known, cell: &str) -> bool {
    let words: Vec<&str> = cell.split_whitespace().collect();
    if words.len() < WORDS {
        return false;
    }
    words.windows(2).any(|pair| {
        let (first, second) = (letters(pair[0]), letters(pair[1]));
        // `MS` is an illness.
        let is_title = is_written_as_name(first) && TITLES.contains(&first.to_lowercase().as_str());
        // A sentence ends behind the first of them.
        let ends = pair[0].ends_with([';', ':', '!', '?']) || (pair[0].ends_with('.') && !is_title);
        let both = || is_written_as_name(first) && known.contains(first) && known.contains(second);
        !ends && is_written_as_name(second) && (is_title || both())
    })
}

/// A word without the signs around it.
fn letters(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// One capital letter, then small ones.
fn is_written_as_name(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.clone().next().is_some()
        && letters.all(|c| c.is_lowercase() || matches!(c, '-' | '\'' | '\u{2019}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(cells: &[&str]) -> usize {
        let known = Known::new();
        cells.iter().filter(|cell| names_somebody(&known, cell)).count()
    }

    #[test]
    fn names_in_texts_are_seen() {
        let texts = [
            "called Anna Schmidt back",
            "patient Peter Becker came at 3 h",
            "seen by Dr. Quirk today",
            "Frau Zorn wants a copy",
            "with her sister (Maria Rossi), fever",
        ];
        assert_eq!(naming(&texts), texts.len());
    }

    #[test]
    fn other_texts_name_nobody() {
        let texts = [
            "Anna Schmidt",
            "pain in the left arm",
            "Schmerzen im Bauch seit Mai",
            "St. Anna Hospital Wien",
            "Martin Luther Street 5",
            "no allergies. Martin",
            "Morbus Bechterew mit Fieber",
            "Long QT Syndrome type 2",
            "Klein Levin syndrome, mild",
            "Young adults with asthma",
            "MS Schub seit Mai",
            "DR Thorax ohne Befund",
        ];
        assert_eq!(
            naming(&texts),
            0,
            "{:?}",
            texts.iter().filter(|text| naming(&[text]) > 0).collect::<Vec<_>>()
        );
    }

    #[test]
    fn one_text_in_ten_is_enough_and_a_few_are_not() {
        let text = |n: usize, every: usize| match n % every {
            0 => format!("called Anna Schmidt back at {n}"),
            _ => format!("fever of day {n} and a cough"),
        };
        let of = |count: usize, every: usize| -> Vec<String> { (0..count).map(|n| text(n, every)).collect() };
        let asked = |texts: Vec<String>| name_people(texts.iter().map(String::as_str));
        assert!(asked(of(60, 10)));
        assert!(!asked(of(60, 12)));
        assert!(!asked(of(40, 10)), "four texts");
    }
}
