//! Whose row each row is: the people behind the counted tuples.

use super::StudyError;
use super::count::CountedTable;
use paravent_core::table::{FrequencyTable, People};
use paravent_core::values::ValueType;
use paravent_job::{Job, MissingCells, Model, Problem, Problems};
use paravent_tables::encode::{CodedColumn, Counted, Frequencies, Origin, SensitiveView};
use paravent_tables::read::{Batch, ReadAhead};
use paravent_tables::watch::{Phase, Watch};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// The people of a table.
#[derive(Debug)]
pub struct TablePeople {
    /// For the search.
    pub people: Arc<People>,
    /// By row of the input: a number that stands for the person.
    pub person_of_row: Vec<u32>,
}

impl TablePeople {
    /// Reads the table once more for the columns that say whose row it is; `None` where the job names none.
    pub(super) fn read(
        job: &Job,
        read: &CountedTable,
        watch: &dyn Watch,
    ) -> Result<Option<TablePeople>, StudyError> {
        if job.privacy.person.is_empty() {
            return Ok(None);
        }
        can_count_people(job)?;
        let Frequencies::Held(table) = &read.table else {
            let message = "people are counted in memory, and the table is larger than search.memory allows";
            return Err(job
                .problem("privacy.person", message)
                .advise("Raise memory in [search], or leave it out")
                .into());
        };
        watch.begin(Phase::CountingPeople);
        let mut rows = RowsOfPeople::new(job, read);
        let mut source = read.input.open()?;
        source.select(&rows.wanted)?;
        let mut ahead = ReadAhead::start(source)?;
        let mut batch = Batch::default();
        while ahead.next_batch(&mut batch)? {
            rows.add(&batch)?;
            watch.advance(rows.person_of_row.len() as u64, Some(table.row_count()));
            if watch.stop() {
                return Err(paravent_tables::encode::ScanError::Stopped.into());
            }
        }
        read.input.unchanged_since(&read.fingerprint)?;
        rows.finish(table).map(Some)
    }
}

/// What the job promises must be defined for people.
fn can_count_people(job: &Job) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for (index, model) in job.privacy.models.iter().enumerate() {
        let why = match model {
            Model::DeltaPresence { .. } | Model::KMap { .. } => {
                "counts rows of a population, and nobody says whose they are"
            }
            Model::MultiAttributeLDiversity { .. } => "is not defined for people with several rows",
            Model::KAnonymity { .. }
            | Model::DistinctLDiversity { .. }
            | Model::EntropyLDiversity { .. }
            | Model::RecursiveLDiversity { .. }
            | Model::PdRecursiveLDiversity { .. }
            | Model::NpdRecursiveLDiversity { .. }
            | Model::TCloseness { .. } => continue,
        };
        let key = format!("privacy.models[{index}].model");
        let message = format!("{} {why}, so it does not go with person", model.name().name());
        problems.push(
            job.problem(&key, message)
                .advise("Leave out the model, or person where every person has one row"),
        );
    }
    problems.into_result(())
}

/// Rows on their way to [`People`].
struct RowsOfPeople<'a> {
    job: &'a Job,
    read: &'a CountedTable,
    /// Input positions: the counted columns, then those of the key.
    wanted: Vec<usize>,
    key: Vec<KeyColumn>,
    numbers: PersonNumbers,
    person_of_row: Vec<u32>,
    tuples: Vec<u32>,
    /// By view of the sensitive columns.
    values: Vec<Vec<u32>>,
}

struct KeyColumn {
    name: String,
    spelling: ValueType,
}

impl<'a> RowsOfPeople<'a> {
    fn new(job: &'a Job, read: &'a CountedTable) -> RowsOfPeople<'a> {
        let position = |name: &str| read.columns.columns.iter().position(|column| column.name == name);
        let counted = read.counted.columns.iter().map(|column| column.name.as_str());
        let person = job.privacy.person.iter().map(String::as_str);
        let key = |name: &String| {
            let declared = job.attribute(name).and_then(|(_, attribute)| attribute.data_type);
            KeyColumn { name: name.clone(), spelling: declared.map_or(ValueType::String, super::value_type) }
        };
        RowsOfPeople {
            job,
            read,
            wanted: counted.chain(person).filter_map(position).collect(),
            key: job.privacy.person.iter().map(key).collect(),
            numbers: PersonNumbers::default(),
            person_of_row: Vec::new(),
            tuples: Vec::new(),
            values: vec![Vec::new(); read.constrained.views.len()],
        }
    }

    fn add(&mut self, batch: &Batch) -> Result<(), StudyError> {
        let counted: &Counted = &self.read.counted;
        let width = counted.columns.len();
        let mut codes = vec![0u32; width + 1];
        codes[width] = Origin::Table as u32;
        for row in 0..batch.rows {
            for (position, column) in counted.columns.iter().enumerate() {
                codes[position] =
                    code_of(column, batch.columns[position].get(row)).ok_or_else(|| self.changed())?;
            }
            let person = self.person(batch, row, width)?;
            let held = counted.held().ok_or_else(|| self.changed())?;
            let number = held.tuples.find(&codes).ok_or_else(|| self.changed())?;
            self.person_of_row.push(person);
            self.tuples.push(held.frequency_tuple[number as usize]);
            for (view, values) in self.read.constrained.views.iter().zip(&mut self.values) {
                if let SensitiveView::Single(column) = view {
                    values.push(codes[counted.quasi_identifiers + column]);
                }
            }
        }
        Ok(())
    }

    /// The number of the person whose row it is.
    fn person(&mut self, batch: &Batch, row: usize, first: usize) -> Result<u32, StudyError> {
        let mut key = self.numbers.start();
        for (position, column) in self.key.iter().enumerate() {
            let Some(cell) = batch.columns[first + position].get(row) else {
                let message = format!("column {:?} is empty, so nobody knows whose row it is", column.name);
                let advice = "Fill it in, or take the row out of the table";
                let problem = Problem::new(&self.read.path, message).advise(advice);
                let problem = match batch.line(row) {
                    Some(line) => problem.at_line(usize::try_from(line).unwrap_or(usize::MAX)),
                    None => problem,
                };
                return Err(problem.into());
            };
            key.add(&column.spelling.canonical(cell));
        }
        Ok(self.numbers.number(key))
    }

    /// The code of empty cells, where they are no value.
    fn no_value(&self, column: usize) -> Option<u32> {
        let column = &self.read.counted.columns[self.read.counted.quasi_identifiers + column];
        let said = self.job.attribute(&column.name).and_then(|(_, attribute)| attribute.missing);
        column.dictionary.code(None).filter(|_| said != Some(MissingCells::Value))
    }

    fn changed(&self) -> StudyError {
        Problem::new(&self.read.path, "the table has changed while it was read").into()
    }

    fn finish(self, table: &FrequencyTable) -> Result<TablePeople, StudyError> {
        let cardinality = |view: &SensitiveView| match view {
            SensitiveView::Single(column) => {
                self.read.counted.columns[self.read.counted.quasi_identifiers + column].dictionary.len()
            }
            // Refused before.
            SensitiveView::Joint(_) => 0,
        };
        let cardinalities: Vec<usize> = self.read.constrained.views.iter().map(cardinality).collect();
        let mut people = People::new(table, &self.person_of_row, &self.tuples, &self.values, &cardinalities)
            .map_err(|_| self.changed())?;
        for (view, columns) in self.read.constrained.views.iter().enumerate() {
            if let SensitiveView::Single(column) = columns
                && let Some(code) = self.no_value(*column)
            {
                people = people.with_missing(view, code);
            }
        }
        Ok(TablePeople { people: Arc::new(people), person_of_row: self.person_of_row })
    }
}

/// The code that a cell got when the table was counted.
fn code_of(column: &CodedColumn, cell: Option<&str>) -> Option<u32> {
    match (column.spelling, cell) {
        (ValueType::String, cell) => column.dictionary.code(cell),
        (_, None) => column.dictionary.code(None),
        (spelling, Some(cell)) => column.dictionary.code(Some(&spelling.canonical(cell))),
    }
}

/// People by the keyed hash of their identifiers: no identifier is held in memory, and none can be found from the outside.
#[derive(Default)]
struct PersonNumbers {
    keys: (RandomState, RandomState),
    numbers: HashMap<(u64, u64), u32>,
}

struct PersonKey(std::hash::DefaultHasher, std::hash::DefaultHasher);

impl PersonKey {
    /// One more part; its length keeps ("ab", "c") and ("a", "bc") apart.
    fn add(&mut self, cell: &str) {
        for hasher in [&mut self.0, &mut self.1] {
            hasher.write_usize(cell.len());
            hasher.write(cell.as_bytes());
        }
    }
}

impl PersonNumbers {
    fn start(&self) -> PersonKey {
        PersonKey(self.keys.0.build_hasher(), self.keys.1.build_hasher())
    }

    fn number(&mut self, key: PersonKey) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry((key.0.finish(), key.1.finish())).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(numbers: &mut PersonNumbers, cells: &[&str]) -> u32 {
        let mut key = numbers.start();
        cells.iter().for_each(|cell| key.add(cell));
        numbers.number(key)
    }

    #[test]
    fn a_composite_key_is_more_than_its_text() {
        let mut numbers = PersonNumbers::default();
        let first = number(&mut numbers, &["ab", "c"]);
        assert_ne!(first, number(&mut numbers, &["a", "bc"]));
        assert_eq!(first, number(&mut numbers, &["ab", "c"]));
    }
}
