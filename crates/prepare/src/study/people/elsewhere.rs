//! People of a table that lives elsewhere: tokens stand for them, which are made there.

use super::super::StudyError;
use super::super::columns::ColumnPlan;
use super::numbers::{PersonHash, PersonNumbers};
use super::{KeySpellings, declared_type};
use paravent_job::{Job, Population, Problems};
use paravent_tables::encode::ScanError;
use paravent_tables::engine::{Address, EngineError, PersonTokens};
use paravent_tables::read::{Batch, EngineTable, Input, PeopleTable, ReadError, Source};

/// The people of a table that lives elsewhere, as they are known there.
#[derive(Debug, Clone)]
pub struct PeopleElsewhere {
    /// The table, with a column of tokens.
    pub table: PeopleTable,
    /// By number of the person: the token.
    pub tokens: Vec<u128>,
}

/// The same while rows are read.
pub(in super::super) struct ReadingTokens {
    table: PeopleTable,
    secret: PersonTokens,
    known: Vec<u128>,
}

impl ReadingTokens {
    /// Where a table lives elsewhere and its job counts people: the table with tokens. Nothing is read of it but counts.
    pub(in super::super) fn of(
        job: &Job,
        input: &Input,
        columns: &ColumnPlan,
    ) -> Result<Option<ReadingTokens>, StudyError> {
        let Some(table) = input.engine().filter(|_| !job.privacy.person.is_empty()) else { return Ok(None) };
        refuse_population(job, table)?;
        let failed = |error| ReadError::Engine { path: input.options().shown_path(), error };
        let secret = PersonTokens::drawn().ok_or_else(|| failed(EngineError::NoRandomness))?;
        let key: Vec<_> =
            job.privacy.person.iter().map(|name| (name.clone(), declared_type(job, name))).collect();
        let subset = columns.subset.map(|at| columns.columns[at].name.clone());
        let wanted: Vec<String> =
            columns.released().map(|(_, column)| column.name.clone()).chain(subset).collect();
        let table = table.with_people(&key, &wanted, &secret, input.options())?;
        Ok(Some(ReadingTokens { table, secret, known: Vec::new() }))
    }

    /// The rows, with the columns in these places of the plan and the token after them.
    pub(in super::super) fn open(
        &self,
        input: &Input,
        columns: &ColumnPlan,
        places: &[usize],
    ) -> Result<Source, StudyError> {
        let mut source = self.table.table.source(input.options());
        let names = places.iter().map(|&place| &columns.columns[place].name).chain([&self.table.token]);
        let wanted: Vec<usize> =
            names.filter_map(|name| source.columns().iter().position(|known| known == name)).collect();
        source.select_grouped(&wanted)?;
        Ok(source)
    }

    /// The column of the tokens.
    pub(super) fn column(&self) -> &str {
        &self.table.token
    }

    /// The number of the person behind a line.
    pub(super) fn person(
        &mut self,
        batch: &Batch,
        (place, row): (usize, usize),
        numbers: &mut PersonNumbers,
    ) -> Result<u32, ScanError> {
        let digits = batch.columns[place].get(row).unwrap_or_default().replace('-', "");
        let token = u128::from_str_radix(&digits, 16).map_err(|_| {
            let error = EngineError::Garbled("(no token of a person)");
            ScanError::Read(ReadError::Engine { path: self.table.table.name().to_string().into(), error })
        })?;
        let person = numbers.number(halves(token));
        if person as usize == self.known.len() {
            self.known.push(token);
        }
        Ok(person)
    }

    /// What stands for a key that is read here, from the population's file.
    pub(super) fn hash<'a>(&self, parts: impl Iterator<Item = &'a str>) -> PersonHash {
        halves(self.secret.of(parts))
    }

    /// Keys that are written in more than one way, counted there.
    pub(super) fn spellings(&self) -> KeySpellings {
        let there = &self.table.there;
        let alike = there.people.saturating_sub(there.in_small_letters);
        KeySpellings { padded: there.padded, alike, unknown: 0 }
    }

    pub(super) fn finish(self) -> PeopleElsewhere {
        PeopleElsewhere { table: self.table, tokens: self.known }
    }
}

fn halves(token: u128) -> PersonHash {
    [(token >> 64) as u64, token as u64]
}

/// People of a population's file are compared by the text of their keys, so these must be written alike here and there.
fn refuse_population(job: &Job, table: &EngineTable) -> Result<(), Problems> {
    let Some(Population::Table(path)) = job.privacy.population() else { return Ok(()) };
    let mut problems = Problems::default();
    if Address::is_one(path) {
        let problem = job.problem("privacy.population", "people of two tables in databases are not compared");
        problems.push(problem.advise("Export the population to a file"));
    }
    for name in &job.privacy.person {
        if !table.is_text_or_whole(name) {
            let message = format!("column {name:?} has a type that files may write in several ways");
            let problem = job.problem("privacy.person", message);
            problems
                .push(problem.advise("Make a view that casts it to text as the population's file writes it"));
        }
    }
    problems.into_result(())
}
