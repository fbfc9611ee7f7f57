//! Texts that stand for a missing value.

use paravent_job::DataType;

/// What people and programs write where there is no value.
const WORDS: [&str; 15] =
    ["NA", "N/A", "n/a", "na", "NULL", "null", "NaN", "nan", "None", "#N/A", "?", "-", "--", ".", "k.A."];

/// Whether a text may mean: no value.
pub(super) fn is_word(value: &str) -> bool {
    value.len() <= 4 && WORDS.contains(&value)
}

/// How often each word occurs in a column.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordCounts([u64; WORDS.len()]);

impl WordCounts {
    /// Counts the value if it is one of the words, and says whether it is.
    pub(super) fn count(&mut self, value: &str) -> bool {
        if value.len() > 4 {
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MissingWords([bool; WORDS.len()]);

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
        value.len() <= 4 && self.iter().any(|word| word == value)
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
