//! Whose row each row is: the people behind the counted tuples.

mod elsewhere;
mod numbers;

pub use elsewhere::PeopleElsewhere;
pub(super) use elsewhere::ReadingTokens;

use super::StudyError;
use super::count::{SubsetFlags, budget_of, scan_population};
use numbers::PersonNumbers;
use paravent_core::table::{People, PeopleError, PersonRows};
use paravent_core::values::ValueType;
use paravent_job::{self as job, Job, Population, Problem, Problems};
use paravent_tables::alike;
use paravent_tables::encode::{
    CodedColumn, CodedLines, Combinations, Counted, Frequencies, HeldTuples, Origin, ScanError,
    SensitiveView, scan_lines,
};
use paravent_tables::missing_words::reads_like_missing;
use paravent_tables::read::{Batch, Source};
use paravent_tables::spill::Budget;
use paravent_tables::tuples::Tuples;
use paravent_tables::watch::Watch;
use std::borrow::Cow;
use std::collections::HashMap;
use std::iter::repeat_n;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The people of a table.
#[derive(Debug)]
pub struct TablePeople {
    /// For the search.
    pub people: Arc<People>,
    /// By row of the input: a number that stands for the person.
    pub person_of_row: Vec<u32>,
    /// By row of the input: the number of its counted tuple.
    pub tuple_of_row: Vec<u32>,
    /// Keys that are written in more than one way.
    pub spellings: KeySpellings,
    /// Where the table lives elsewhere: the people as they are known there. Rows have no order then.
    pub elsewhere: Option<PeopleElsewhere>,
}

/// Keys that may not say whose row it is: written in more than one way, or a word for a missing value. Blanks around a key do not make another person;
/// capital letters do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeySpellings {
    /// People whose key occurs with and without blanks around it.
    pub padded: u64,
    /// Keys that look like one before them, and are written in another way.
    pub alike: u64,
    /// Keys that read like a missing value.
    pub unknown: u64,
}

impl KeySpellings {
    /// What the user should know.
    pub(super) fn warnings(self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.padded > 0 {
            warnings.push(format!(
                "the key of {} people is written with and without blanks around it; they are counted once each",
                self.padded
            ));
        }
        if self.alike > 0 {
            warnings.push(format!(
                "{} keys of privacy.person look like another one (but for capital letters, zeros in front, or signs that cannot be told apart), and \
                 count as other people; if they are the same people, write them alike",
                self.alike
            ));
        }
        if self.unknown > 0 {
            warnings.push(format!(
                "{} keys of privacy.person read like a missing value (NA, unknown), and each counts as one person; if nobody knows whose rows \
                 these are, list such texts under null in [input] and take the rows out of the table",
                self.unknown
            ));
        }
        warnings
    }
}

/// Rows on their way to [`People`]: read in the pass that counts the tuples.
pub(super) struct RowsOfPeople<'a> {
    job: &'a Job,
    key: KeyReader,
    tuples: Tuples,
    person_of_row: Vec<u32>,
    tuple_of_row: Vec<u32>,
    /// Person and tuple of every row of a population table.
    others: (Vec<u32>, Vec<u32>),
    budget: Budget,
    input: PathBuf,
}

impl<'a> RowsOfPeople<'a> {
    /// Nothing read yet; `None` where the job does not say whose row it is.
    pub(super) fn of_job(job: &'a Job, elsewhere: Option<ReadingTokens>) -> Option<RowsOfPeople<'a>> {
        let rows = RowsOfPeople {
            job,
            key: KeyReader::new(job, elsewhere),
            tuples: Tuples::default(),
            person_of_row: Vec::new(),
            tuple_of_row: Vec::new(),
            others: Default::default(),
            budget: budget_of(job),
            input: PathBuf::new(),
        };
        Some(rows).filter(|_| !job.privacy.person.is_empty())
    }

    /// Whether no row was read.
    pub(super) fn is_empty(&self) -> bool {
        self.person_of_row.is_empty()
    }

    /// Reads a source that delivers the coded columns, then the subset flag where there is one, then the columns of the key that are not
    /// among them.
    pub(super) fn count(
        &mut self,
        source: Source,
        path: &Path,
        coded: &mut Vec<CodedColumn>,
        subset_name: Option<&str>,
        watch: &dyn Watch,
    ) -> Result<SubsetFlags, StudyError> {
        self.input = path.to_owned();
        let mut tuple = vec![Origin::Table as u32; coded.len() + 1];
        self.tuples = Tuples::new(tuple.len());
        coded.extend(subset_name.map(|name| CodedColumn::new(name, ValueType::Boolean)));
        let (key, tuples, numbers, budget) =
            (&mut self.key, &mut self.tuples, &mut self.tuple_of_row, self.budget);
        let persons = &mut self.person_of_row;
        let places = key.places_in_table(&source.selected_columns());
        let too_large = AtomicBool::new(false);
        let on_batch = |batch: &Batch| key.read_table(batch, &places, persons);
        // Where there is a flag, its code is the last of the tuple.
        let on_lines = |lines: CodedLines<'_>| {
            for line in 0..lines.len {
                tuple.iter_mut().zip(lines.codes).for_each(|(code, column)| *code = column[line]);
                let rows = lines.counts.map_or(1, |counts| counts[line]);
                numbers.extend(repeat_n(tuples.add(&tuple, rows), rows as usize));
            }
            too_large.fetch_or(!budget.holds(tuples.bytes() + numbers.len() * 8), Ordering::Relaxed);
            Ok(())
        };
        let progress = |rows| {
            watch.advance(rows, None);
            !watch.stop() && !too_large.load(Ordering::Relaxed)
        };
        let scanned = scan_lines(source, path.to_owned(), coded, on_batch, on_lines, progress);
        if too_large.load(Ordering::Relaxed) {
            let message = "people are counted in memory, and the table is larger than search.memory allows";
            let problem = self.job.problem("privacy.person", message);
            return Err(problem.advise("Raise memory in [search], or leave it out").into());
        }
        self.key.somebody(path)?;
        scanned?;
        let mut subset = SubsetFlags::default();
        if subset_name.is_some() {
            subset.read(coded.pop());
            self.tell_apart(&subset);
        }
        Ok(subset)
    }

    /// Replaces the flag by what it says.
    fn tell_apart(&mut self, subset: &SubsetFlags) {
        let flagged = std::mem::take(&mut self.tuples);
        let mut new = Vec::with_capacity(flagged.len());
        let mut tuple = Vec::new();
        for number in 0..flagged.len() as u32 {
            tuple.clear();
            tuple.extend_from_slice(flagged.tuple(number));
            if let Some(last) = tuple.last_mut() {
                *last = if subset.in_table(*last) { Origin::Table } else { Origin::Population } as u32;
            }
            if self.tuples.is_empty() {
                self.tuples = Tuples::new(tuple.len());
            }
            new.push(self.tuples.add(&tuple, flagged.count(number)));
        }
        self.tuple_of_row.iter_mut().for_each(|number| *number = new[*number as usize]);
    }

    /// Reads the population where it is a table of its own; its number of rows.
    pub(super) fn count_population(
        &mut self,
        coded: &mut [CodedColumn],
        quasi: usize,
        watch: &dyn Watch,
    ) -> Result<Option<u64>, StudyError> {
        let path = match self.job.privacy.population() {
            Some(Population::Table(path)) => self.job.resolve(path),
            Some(Population::Subset(_)) => return Ok(Some(self.person_of_row.len() as u64)),
            None => return Ok(None),
        };
        let mut tuple = vec![0u32; coded.len() + 1];
        tuple[coded.len()] = Origin::Population as u32;
        let (key, tuples, others) = (&mut self.key, &mut self.tuples, &mut self.others);
        let (persons, numbers) = (&mut others.0, &mut others.1);
        let columns = &self.job.privacy.person;
        let names: Vec<String> = coded[..quasi].iter().map(|column| column.name.clone()).collect();
        let beside: Vec<String> = columns.iter().filter(|name| !names.contains(name)).cloned().collect();
        let places = key.places(&[names, beside.clone()].concat());
        let on_batch = |batch: &Batch| key.read(batch, &places, persons);
        let on_row = |codes: &[u32]| {
            tuple[..codes.len()].copy_from_slice(codes);
            numbers.push(tuples.add(&tuple, 1));
            Ok(())
        };
        let scanned = scan_population(self.job, &path, &mut coded[..quasi], &beside, on_batch, on_row, watch);
        self.key.somebody(&path)?;
        scanned.map(Some)
    }

    /// The counted tuples. Rows are known by the new numbers of theirs from now on.
    pub(super) fn counted(&mut self, coded: Vec<CodedColumn>, quasi: usize) -> Counted {
        let (counted, new) = Counted::of_numbered(coded, quasi, &self.tuples);
        self.tuples = Tuples::default();
        for numbers in [&mut self.tuple_of_row, &mut self.others.1] {
            numbers.iter_mut().for_each(|number| *number = new[*number as usize]);
        }
        counted
    }

    /// The people, once the frequency table is known.
    pub(super) fn people(
        self,
        counted: &Counted,
        table: &Frequencies,
        (views, combinations): (&[SensitiveView], &[Combinations]),
    ) -> Result<TablePeople, StudyError> {
        let (Frequencies::Held(table), Some(held)) = (table, counted.held()) else {
            return Err(self.changed());
        };
        let in_table: Vec<bool> =
            (0..held.tuples.len() as u32).map(|number| held.is_in_table(number)).collect();
        let frequency =
            |numbers: &[u32]| numbers.iter().map(|&number| held.frequency_tuple[number as usize]).collect();
        let all = self.person_of_row.iter().zip(&self.tuple_of_row);
        let (persons, numbers): (Vec<u32>, Vec<u32>) =
            all.filter(|&(_, &number)| in_table[number as usize]).unzip();
        let tuples: Vec<u32> = frequency(&numbers);
        let mut values = Vec::new();
        let mut cardinalities = Vec::new();
        for (view, combinations) in views.iter().zip(combinations) {
            let (codes, cardinality) = view_codes(counted, held, view, combinations);
            values.push(numbers.iter().map(|&number| codes[number as usize]).collect());
            cardinalities.push(cardinality);
        }
        let people = People::new(table, &persons, &tuples, &values, &cardinalities);
        let people = match self.job.privacy.population() {
            None => people,
            Some(Population::Table(_)) => {
                people.and_then(|people| people.with_population(&self.others.0, &frequency(&self.others.1)))
            }
            Some(Population::Subset(_)) => people.and_then(|people| {
                people.with_population(&self.person_of_row, &frequency(&self.tuple_of_row))
            }),
        };
        let people = people.map_err(|error| match error {
            PeopleError::NotInPopulation { .. } => {
                let message = "the population does not contain the table: somebody has a row whose quasi-identifiers are not \
                               his in the population";
                self.job.problem("privacy.models", message).into()
            }
            _ => self.changed(),
        })?;
        let people = Arc::new(people.with_person_rows(person_rows(self.job.privacy.person_rows)));
        Ok(TablePeople {
            people,
            person_of_row: self.person_of_row,
            tuple_of_row: self.tuple_of_row,
            spellings: self.key.spellings(),
            elsewhere: self.key.elsewhere.map(ReadingTokens::finish),
        })
    }

    fn changed(&self) -> StudyError {
        Problem::new(&self.input, "the table has changed while it was read").into()
    }
}

/// By counted tuple: the code of a view, and how many there are.
fn view_codes(
    counted: &Counted,
    held: &HeldTuples,
    view: &SensitiveView,
    combinations: &Combinations,
) -> (Vec<u32>, usize) {
    let numbers = 0..held.tuples.len() as u32;
    let first = counted.quasi_identifiers;
    match view {
        SensitiveView::Single(column) => {
            let codes = numbers.map(|number| held.tuples.code(number, first + column)).collect();
            (codes, counted.columns[first + column].dictionary.len())
        }
        SensitiveView::Joint(columns) => {
            let known: HashMap<&[u32], u32> = combinations.iter().map(|codes| &**codes).zip(0..).collect();
            let code = |number: u32| {
                let shown: Vec<u32> =
                    columns.iter().map(|column| held.tuples.code(number, first + column)).collect();
                // Combinations that only the population shows have no code, and nobody asks for it.
                known.get(&shown[..]).copied().unwrap_or_default()
            };
            (numbers.map(code).collect(), combinations.len())
        }
    }
}

fn person_rows(rule: job::PersonRows) -> PersonRows {
    match rule {
        job::PersonRows::Apart => PersonRows::Apart,
        job::PersonRows::Together => PersonRows::Together,
        job::PersonRows::Set => PersonRows::Set,
    }
}

/// Reads the columns that say whose row it is.
struct KeyReader {
    columns: Vec<KeyColumn>,
    numbers: PersonNumbers,
    /// The same people by what their keys look like, and how many of them were known already.
    by_looks: PersonNumbers,
    alike: u64,
    /// Keys that read like a missing value.
    unknown: u64,
    /// By person: whether the key was seen without blanks around it, and with them.
    padded: Vec<(bool, bool)>,
    /// A cell that is empty: its column, and its line where there are lines.
    empty: Option<(usize, Option<u64>)>,
    /// Where the table lives elsewhere: the tokens that stand for its people.
    elsewhere: Option<ReadingTokens>,
}

struct KeyColumn {
    name: String,
    spelling: ValueType,
}

/// The type that a job declares for a column; without one its cells are texts.
fn declared_type(job: &Job, name: &str) -> ValueType {
    let declared = job.attribute(name).and_then(|(_, attribute)| attribute.data_type);
    declared.map_or(ValueType::String, super::value_type)
}

impl KeyReader {
    fn new(job: &Job, elsewhere: Option<ReadingTokens>) -> KeyReader {
        let column = |name: &String| KeyColumn { name: name.clone(), spelling: declared_type(job, name) };
        KeyReader {
            columns: job.privacy.person.iter().map(column).collect(),
            numbers: PersonNumbers::default(),
            by_looks: PersonNumbers::default(),
            alike: 0,
            unknown: 0,
            padded: Vec::new(),
            empty: None,
            elsewhere,
        }
    }

    /// Where the columns of the key are among those that a source delivers.
    fn places(&self, delivered: &[String]) -> Vec<usize> {
        self.columns
            .iter()
            .filter_map(|column| delivered.iter().position(|name| *name == column.name))
            .collect()
    }

    /// Where the table's own source has the key, or the tokens that stand for it.
    fn places_in_table(&self, delivered: &[String]) -> Vec<usize> {
        match &self.elsewhere {
            None => self.places(delivered),
            Some(elsewhere) => {
                delivered.iter().position(|name| name == elsewhere.column()).into_iter().collect()
            }
        }
    }

    /// Adds the person of every row of a batch of the table.
    fn read_table(
        &mut self,
        batch: &Batch,
        places: &[usize],
        persons: &mut Vec<u32>,
    ) -> Result<(), ScanError> {
        let (Some(elsewhere), [place]) = (&mut self.elsewhere, places) else {
            return self.read(batch, places, persons);
        };
        for row in 0..batch.rows {
            let person = elsewhere.person(batch, (*place, row), &mut self.numbers)?;
            let rows = batch.counts().map_or(1, |counts| counts[row]);
            persons.extend(repeat_n(person, rows as usize));
        }
        Ok(())
    }

    /// Adds the person of every row of a batch, whose columns have the key at these places.
    fn read(&mut self, batch: &Batch, places: &[usize], persons: &mut Vec<u32>) -> Result<(), ScanError> {
        let mut parts: Vec<Cow<'_, str>> = Vec::new();
        for row in 0..batch.rows {
            let mut is_padded = false;
            parts.clear();
            for (position, (column, &place)) in self.columns.iter().zip(places).enumerate() {
                let cell = batch.columns[place].get(row);
                let Some(trimmed) = cell.map(str::trim).filter(|cell| !cell.is_empty()) else {
                    self.empty = Some((position, batch.line(row)));
                    return Err(ScanError::Stopped);
                };
                is_padded |= cell.is_some_and(|cell| cell.len() > trimmed.len());
                parts.push(match column.spelling {
                    ValueType::String => trimmed.into(),
                    spelling => spelling.canonical(trimmed),
                });
            }
            if let Some(elsewhere) = &self.elsewhere {
                let hash = elsewhere.hash(parts.iter().map(|part| &**part));
                persons.push(self.numbers.number(hash));
                continue;
            }
            let mut key = self.numbers.start();
            parts.iter().for_each(|part| key.add(part));
            let hash = key.hash();
            let person = self.numbers.number(hash);
            if person as usize == self.padded.len() {
                self.padded.push((false, false));
                self.look_at_key(batch, places, row);
            }
            let seen = &mut self.padded[person as usize];
            if is_padded {
                seen.1 = true
            } else {
                seen.0 = true
            }
            persons.push(person);
        }
        Ok(())
    }

    /// Of a person who is seen for the first time: whether the key looks like another one's, or like none.
    fn look_at_key(&mut self, batch: &Batch, places: &[usize], row: usize) {
        let mut is_unknown = false;
        let mut key = self.by_looks.start();
        for (column, &place) in self.columns.iter().zip(places) {
            let cell = batch.columns[place].get(row).unwrap_or_default().trim();
            is_unknown |= reads_like_missing(cell);
            key.add(&alike::looks(&column.spelling.canonical(cell)));
        }
        let hash = key.hash();
        let known = self.by_looks.len();
        self.alike += u64::from((self.by_looks.number(hash) as usize) < known);
        self.unknown += u64::from(is_unknown);
    }

    /// Keys that are written in more than one way.
    fn spellings(&self) -> KeySpellings {
        if let Some(elsewhere) = &self.elsewhere {
            return elsewhere.spellings();
        }
        let padded = self.padded.iter().filter(|&&seen| seen == (true, true)).count() as u64;
        KeySpellings { padded, alike: self.alike, unknown: self.unknown }
    }

    /// Fails if a row was nobody's.
    fn somebody(&self, path: &Path) -> Result<(), Problems> {
        let Some((position, line)) = self.empty else { return Ok(()) };
        let name = &self.columns[position].name;
        let message = format!("column {name:?} is empty, so nobody knows whose row it is");
        let problem = Problem::new(path, message).advise("Fill it in, or take the row out of the table");
        Err(match line {
            Some(line) => problem.at_line(usize::try_from(line).unwrap_or(usize::MAX)),
            None => problem,
        }
        .into())
    }
}
