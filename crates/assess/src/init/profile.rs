//! One pass over the table: what each column holds.

use super::dictionary::Dictionary;
use super::missing_words::{MissingWords, WordCounts};
use super::sample::{MISSING, Sample};
use super::types::Candidates;
use super::{Distinct, InitError, InitOptions};
use paravent_job::DataType;
use paravent_tables::read::{Batch, Cells, Dialect, Input, reads_like_a_cell};
use paravent_tables::watch::{Phase, Watch};

/// What the pass found.
#[derive(Debug)]
pub(super) struct Profile {
    pub(super) dialect: Dialect,
    pub(super) rows: u64,
    pub(super) columns: Vec<Column>,
    pub(super) sample: Sample,
    /// Texts that turned out to mean: no value.
    pub(super) missing_words: MissingWords,
}

/// What a column holds.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) data_type: DataType,
    /// Cells without a value.
    pub(super) missing: u64,
    /// Different values, missing ones aside.
    pub(super) distinct: Distinct,
    values: Option<Dictionary>,
    missing_words: MissingWords,
}

impl Column {
    /// The different values with their counts, missing ones aside; `None` if there were too many to keep.
    pub(super) fn values(&self) -> Option<impl Iterator<Item = (&str, u64)>> {
        let words = self.missing_words;
        Some(self.values.as_ref()?.iter().filter(move |(value, _)| !words.contains(value)))
    }

    /// Codes of values that mean: no value.
    pub(super) fn missing_codes(&self) -> Vec<u32> {
        let dictionary = self.values.as_ref();
        self.missing_words.iter().filter_map(|word| dictionary?.code(word)).collect()
    }

    /// How many different contents a cell has, a missing value being one.
    pub(super) fn contents(&self) -> u64 {
        self.distinct.at_least() + u64::from(self.missing > 0)
    }
}

impl Profile {
    /// Whether the first row is a row like the others, so that the names are somebody's cells: one of them is a value of its own column, or most
    /// columns of numbers and dates have a number or a date for a name. Formats with a schema have names.
    pub(super) fn first_row_is_data(&self) -> bool {
        if self.dialect.format.cells() != Cells::Text {
            return false;
        }
        let again = |column: &Column| {
            column.values.as_ref().is_some_and(|values| values.code(&column.name).is_some())
        };
        let typed = self.columns.iter().filter(|column| column.data_type != DataType::String);
        let typed: Vec<bool> = typed.map(|column| reads_like_a_cell(&column.name)).collect();
        let cells = typed.iter().filter(|cell| **cell).count();
        self.columns.iter().any(again) || (cells > 0 && 2 * cells >= typed.len())
    }
}

/// Whether texts for a missing value are to be found, or known already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    LookedFor,
    Said,
}

/// Reads the table once. Memory is bounded by the options, whatever the table's size.
pub(super) fn profile(
    input: &Input,
    options: &InitOptions,
    words: Words,
    watch: &dyn Watch,
) -> Result<Profile, InitError> {
    watch.begin(Phase::Reading);
    let mut source = input.open()?;
    let names = source.columns().to_vec();
    let mut scans: Vec<Scan> = names.iter().map(|_| Scan::new(options, names.len())).collect();
    let mut sample = Sample::new(names.len(), options.sample_rows);
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        super::error::go_on(watch, source.rows_read())?;
        let sampled: Vec<bool> =
            (0..batch.rows as u64).map(|row| sample.takes(batch.first_row + row)).collect();
        for (column, (scan, cells)) in scans.iter_mut().zip(&batch.columns).enumerate() {
            for (cell, &sampled) in cells.iter().zip(&sampled) {
                let code = scan.see(cell);
                if sampled {
                    sample.push(column, code);
                }
            }
        }
        for row in (0..batch.rows).filter(|row| sampled[*row]) {
            sample.end_row(batch.first_row + row as u64);
        }
        sample.thin_out();
    }
    let dialect = source.dialect().clone();
    let missing_words = if words == Words::LookedFor && may_have_words(&dialect) {
        MissingWords::settle(scans.iter().map(|scan| (&scan.words, scan.candidates.settle())))
    } else {
        MissingWords::default()
    };
    let rows = source.rows_read();
    let columns = names.into_iter().zip(scans).map(|(name, scan)| scan.finish(name, missing_words)).collect();
    Ok(Profile { dialect, rows, columns, sample, missing_words })
}

/// Delimited text lacks a way to say that there is no value, and in workbooks people write words all the same.
fn may_have_words(dialect: &Dialect) -> bool {
    matches!(dialect.format.cells(), Cells::Text | Cells::Sheet)
}

/// A column while it is read.
struct Scan {
    /// `None` after there were too many values.
    values: Option<Dictionary>,
    /// Values kept before there were too many.
    kept: u64,
    most_values: usize,
    most_bytes: usize,
    missing: u64,
    /// Of all values but the words.
    candidates: Candidates,
    words: WordCounts,
}

impl Scan {
    fn new(options: &InitOptions, columns: usize) -> Self {
        Self {
            values: Some(Dictionary::default()),
            kept: 0,
            most_values: options.distinct_limit,
            most_bytes: options.memory / columns.max(1),
            missing: 0,
            candidates: Candidates::default(),
            words: WordCounts::default(),
        }
    }

    /// Takes a cell into account and gives its code, which is of use as long as the values are kept.
    fn see(&mut self, cell: Option<&str>) -> u32 {
        let Some(value) = cell else {
            self.missing += 1;
            return MISSING;
        };
        let is_word = self.words.count(value);
        let Some(dictionary) = &mut self.values else {
            if !is_word {
                self.candidates.see(value);
            }
            return 0;
        };
        let code = dictionary.count(value);
        if dictionary.len() as u64 > self.kept {
            if !is_word {
                self.candidates.see(value);
            }
            if dictionary.len() > self.most_values || dictionary.bytes() > self.most_bytes {
                self.values = None;
            } else {
                self.kept += 1;
            }
        }
        code
    }

    fn finish(self, name: String, missing_words: MissingWords) -> Column {
        let (words, cells) = self.words.of(missing_words);
        let distinct = match &self.values {
            Some(_) => Distinct::Exactly(self.kept - words),
            None => Distinct::MoreThan(self.kept.saturating_sub(words)),
        };
        // A word that stays a value is text.
        let data_type = match self.words.others(missing_words) {
            0 => self.candidates.settle(),
            _ => DataType::String,
        };
        Column {
            name,
            data_type,
            missing: self.missing + cells,
            distinct,
            values: self.values,
            missing_words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_tables::read::ReadOptions;

    fn profiled(text: &str, options: &InitOptions) -> Profile {
        let input = Input::from_bytes(text.as_bytes().to_vec(), ReadOptions::new("table.csv"));
        profile(&input, options, Words::LookedFor, &paravent_tables::watch::Unwatched).unwrap()
    }

    #[test]
    fn counts_values_and_missing_cells() {
        let profile = profiled("a,b\n1,x\n1,\n2,y\n", &InitOptions::default());
        assert_eq!(profile.rows, 3);
        let [a, b] = &profile.columns[..] else { panic!() };
        assert_eq!((a.distinct, a.missing, a.data_type), (Distinct::Exactly(2), 0, DataType::Integer));
        assert_eq!((b.distinct, b.missing, b.data_type), (Distinct::Exactly(2), 1, DataType::String));
        assert_eq!(profile.sample.codes(1), [0, MISSING, 1]);
    }

    #[test]
    fn words_for_no_value_are_no_values_in_columns_of_numbers() {
        let profile = profiled("age,land\n34,NA\nNA,DE\n45,?\n", &InitOptions::default());
        let [age, land] = &profile.columns[..] else { panic!() };
        assert_eq!((age.distinct, age.missing, age.data_type), (Distinct::Exactly(2), 1, DataType::Integer));
        assert_eq!(age.missing_codes(), [1]);
        // One list for the whole table: NA is no value anywhere, but ? still is one.
        assert_eq!(
            (land.distinct, land.missing, land.data_type),
            (Distinct::Exactly(2), 1, DataType::String)
        );
        assert_eq!(land.values().unwrap().map(|(value, _)| value).collect::<Vec<_>>(), ["DE", "?"]);
    }

    #[test]
    fn a_column_with_too_many_values_keeps_none() {
        let text: String =
            std::iter::once("id\n".to_owned()).chain((0..50).map(|n| format!("{n}\n"))).collect();
        let profile = profiled(&text, &InitOptions { distinct_limit: 10, ..InitOptions::default() });
        let id = &profile.columns[0];
        assert_eq!((id.distinct, id.data_type), (Distinct::MoreThan(10), DataType::Integer));
        assert!(id.values().is_none());
    }
}
