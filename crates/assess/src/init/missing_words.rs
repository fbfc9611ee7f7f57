//! Texts that stand for a missing value.

use paravent_job::DataType;

/// Longest word in bytes.
const LONGEST: usize = 16;

/// What people and programs write where there is no value, in the languages of Europe.
const WORDS: [&str; 67] = [
    "NA",
    "N/A",
    "n/a",
    "na",
    "NULL",
    "null",
    "NaN",
    "nan",
    "None",
    "#N/A",
    "?",
    "-",
    "--",
    ".",
    "k.A.",
    "---",
    "\u{2013}",
    "\u{2014}",
    "#NV",
    "#N/V",
    "#NULL!",
    "#VALUE!",
    "#WERT!",
    "#NAME?",
    "#REF!",
    "#BEZUG!",
    "#DIV/0!",
    "n.a.",
    "N.A.",
    "n.b.",
    "n. b.",
    "k. A.",
    "k.A",
    "kA",
    "keine Angabe",
    "Keine Angabe",
    "unbekannt",
    "Unbekannt",
    "UNBEKANNT",
    "nicht bekannt",
    "fehlt",
    "unknown",
    "Unknown",
    "UNKNOWN",
    "unk",
    "missing",
    "Missing",
    "tbd",
    "TBD",
    "refused",
    "Refused",
    "manquant",
    "Manquant",
    "inconnu",
    "Inconnu",
    "sin datos",
    "Sin datos",
    "desconocido",
    "Desconocido",
    "sconosciuto",
    "onbekend",
    "ukendt",
    "brak danych",
    "brak",
    "nd",
    "N.D.",
    "n.d.",
];

/// Most cells need no look at the list.
fn may_be_word(value: &str) -> bool {
    value.len() <= LONGEST && !value.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a text may mean: no value.
pub(super) fn is_word(value: &str) -> bool {
    may_be_word(value) && WORDS.contains(&value)
}

/// How often each word occurs in a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordCounts([u64; WORDS.len()]);

impl Default for WordCounts {
    fn default() -> Self {
        Self([0; WORDS.len()])
    }
}

impl WordCounts {
    /// Counts the value if it is one of the words, and says whether it is.
    pub(super) fn count(&mut self, value: &str) -> bool {
        if !may_be_word(value) {
            return false;
        }
        match WORDS.iter().position(|word| *word == value) {
            Some(word) => {
                self.0[word] += 1;
                true
            }
            None => false,
        }
    }

    /// How many of these words occur, and in how many cells.
    pub(super) fn of(&self, words: MissingWords) -> (u64, u64) {
        let counts = self.0.iter().zip(words.0).filter(|(count, chosen)| *chosen && **count > 0);
        counts.fold((0, 0), |(words, cells), (count, _)| (words + 1, cells + count))
    }

    /// How many cells hold a word that is not one of these.
    pub(super) fn others(&self, words: MissingWords) -> u64 {
        self.0.iter().zip(words.0).filter(|(_, chosen)| !chosen).map(|(count, _)| count).sum()
    }
}

/// Some of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MissingWords([bool; WORDS.len()]);

impl Default for MissingWords {
    fn default() -> Self {
        Self([false; WORDS.len()])
    }
}

impl MissingWords {
    /// The words that stand in a column which otherwise holds numbers, dates or truth values. A column of texts proves
    /// nothing: there NA may be Namibia. For each column: its words, and the type of its other values.
    pub(super) fn settle<'a>(columns: impl Iterator<Item = (&'a WordCounts, DataType)>) -> Self {
        let mut settled = Self::default();
        for (counts, _) in columns.filter(|(_, data_type)| *data_type != DataType::String) {
            for (chosen, count) in settled.0.iter_mut().zip(counts.0) {
                *chosen |= count > 0;
            }
        }
        settled
    }

    pub(super) fn contains(&self, value: &str) -> bool {
        may_be_word(value) && self.iter().any(|word| word == value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        WORDS.into_iter().zip(self.0).filter(|(_, chosen)| *chosen).map(|(word, _)| word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(values: &[&str]) -> WordCounts {
        let mut counts = WordCounts::default();
        values.iter().for_each(|value| {
            counts.count(value);
        });
        counts
    }

    #[test]
    fn only_columns_with_a_type_decide() {
        let (numbers, texts) = (counts(&["NA", "NA", "7"]), counts(&["?", "NA", "Anna"]));
        let words =
            MissingWords::settle([(&numbers, DataType::Integer), (&texts, DataType::String)].into_iter());
        assert_eq!(words.iter().collect::<Vec<_>>(), ["NA"]);
        assert_eq!((numbers.of(words), texts.of(words)), ((1, 2), (1, 1)));
        assert_eq!((numbers.others(words), texts.others(words)), (0, 1));
        assert!(words.contains("NA") && !words.contains("?"));
    }

    #[test]
    fn every_word_is_short_enough_to_be_looked_for() {
        assert!(WORDS.iter().all(|word| counts(&[*word]).0.iter().sum::<u64>() == 1));
    }
}
