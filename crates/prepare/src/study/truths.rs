//! Columns of truth values leave in the words they came in.

use std::collections::BTreeSet;

use paravent_core::values::{Spelling, TruthSpelling, ValueType};
use paravent_job::{DataType, Job, Role};
use paravent_tables::read::{Batch, Cells, Input, ReadError};

/// Sets the spelling of every column that is declared as `boolean` and has two words of its own, such as `ja` and `nein`. A column with more
/// words than two, or one that has the engine's own, gets none and leaves as `true` and `false`. The order of rows decides nothing.
pub(super) fn settle(job: &mut Job, input: &Input) -> Result<(), ReadError> {
    let declared = |attribute: &paravent_job::Attribute| {
        attribute.data_type == Some(DataType::Boolean)
            && attribute.spelling.is_none()
            && attribute.role != Role::Identifying
    };
    let wanted: Vec<usize> =
        (0..job.attributes.len()).filter(|&index| declared(&job.attributes[index])).collect();
    // A table that is no text has truth values of its own.
    if wanted.is_empty() || input.engine().is_some() || input.table().is_some() {
        return Ok(());
    }
    let mut source = input.open()?;
    if source.dialect().format.cells() == Cells::Typed {
        return Ok(());
    }
    let place = |index: &usize| {
        let name = &job.attributes[*index].name;
        source.columns().iter().position(|column| column == name).map(|column| (*index, column))
    };
    // A column that is not there is told elsewhere.
    let (mut columns, mut words): (Vec<(usize, usize)>, Vec<Words>) =
        (wanted.iter().filter_map(place).collect(), Vec::new());
    words.resize_with(columns.len(), Words::default);
    source.select(&columns.iter().map(|(_, column)| *column).collect::<Vec<_>>())?;
    let mut batch = Batch::default();
    while words.iter().any(|words| !words.plain) && source.next_batch(&mut batch)? {
        for (words, cells) in words.iter_mut().zip(&batch.columns) {
            cells.iter().flatten().for_each(|cell| words.see(cell));
        }
    }
    for ((index, _), words) in columns.drain(..).zip(words) {
        job.attributes[index].spelling = words.settled().map(Spelling::Truth);
    }
    Ok(())
}

/// The words of a column.
#[derive(Default)]
struct Words {
    yes: BTreeSet<String>,
    no: BTreeSet<String>,
    /// Nothing can make them a pair any more.
    plain: bool,
}

impl Words {
    fn see(&mut self, cell: &str) {
        if self.plain || self.yes.contains(cell) || self.no.contains(cell) {
            return;
        }
        match ValueType::Boolean.canonical(cell).as_ref() {
            "true" => self.yes.insert(cell.to_owned()),
            "false" => self.no.insert(cell.to_owned()),
            // A cell that is no truth value is told when it is counted.
            _ => return,
        };
        self.plain = matches!(cell, "true" | "false") || self.yes.len() > 1 || self.no.len() > 1;
    }

    fn settled(self) -> Option<TruthSpelling> {
        let word =
            |words: BTreeSet<String>, plain: &str| words.into_iter().next().unwrap_or(plain.to_owned());
        let found = !(self.plain || self.yes.is_empty() && self.no.is_empty());
        let spelling = TruthSpelling::new(&word(self.yes, "true"), &word(self.no, "false")).ok();
        spelling.filter(|_| found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(cells: &[&str]) -> Option<(String, String)> {
        let mut words = Words::default();
        cells.iter().for_each(|cell| words.see(cell));
        words.settled().map(|spelling| (spelling.yes().to_owned(), spelling.no().to_owned()))
    }

    #[test]
    fn two_words_are_a_spelling_whatever_the_order() {
        let pair = |yes: &str, no: &str| Some((yes.to_owned(), no.to_owned()));
        assert_eq!(settled(&["ja", "nein", "ja"]), pair("ja", "nein"));
        assert_eq!(settled(&["0", "1"]), pair("1", "0"));
        assert_eq!(settled(&["Ja"]), pair("Ja", "false"));
        for mixed in [&["ja", "nein", "JA"][..], &["JA", "ja"], &["true", "nein"], &["nein", "true"], &[]] {
            assert_eq!(settled(mixed), None, "{mixed:?}");
        }
    }
}
