//! Putting the values of a column together, after all have joined and before anybody approves: for a hierarchy that depends on all of them.

use crate::agreement::{Agreement, ColumnEntry};
use crate::aside;
use crate::setup::{own_study, save};
use crate::{JointError, part};
use paravent_federation::transport::Observer;
use paravent_federation::{
    LONGEST_VALUE, Outcome, Party, PartyId, PartyTable, Plan, ProtocolError, Split, United, Watch,
};
use paravent_job::{Problem, Role};
use paravent_prepare::study::value_type;
use paravent_tables::watch::Watch as Reading;
use std::collections::BTreeMap;
use std::path::Path;

pub use crate::aside::Options;

/// Which values, and where they go.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The column.
    pub column: &'a str,
    /// Values of fewer rows here stay here.
    pub least_rows: u64,
    /// The file to write.
    pub output: &'a Path,
}

/// A party that is ready to put its values together with those of the others.
pub struct Uniting {
    /// What is agreed on so far.
    pub agreement: Agreement,
    /// Position of this party.
    pub me: usize,
    /// Position of the column.
    column: usize,
    options: Options,
    output: std::path::PathBuf,
    /// As they leave this party, each with its rows here.
    values: BTreeMap<String, u64>,
    /// Values that stay here.
    pub kept_back: u64,
}

/// The values of all parties.
#[derive(Debug, Clone)]
pub struct Together {
    /// How many.
    pub values: usize,
    /// The smallest and the largest, where they have an order of their own.
    pub ends: Option<(String, String)>,
}

impl Uniting {
    /// Reads the agreement and the party's own values; refuses whatever can be told without the others.
    pub fn load(options: Options, wanted: &Wanted<'_>, watch: &dyn Reading) -> Result<Uniting, JointError> {
        let helper = "the helper holds no values: it takes no part in putting them together";
        let (agreement, me) = aside::joined(&options, helper)?;
        if wanted.output.exists() {
            return Err(JointError::Exists(wanted.output.to_owned()));
        }
        let column = position(&agreement, wanted.column)?;
        let table = match own_study(&agreement, me, options.job.as_deref(), watch)? {
            Some(study) => {
                part::fits(&agreement, &study, &options.me)?;
                part::table(&agreement, &study, &options.me, watch)?
            }
            None => PartyTable::default(),
        };
        let id = PartyId(me as u16);
        let all = table.values_of(&agreement.plan()?, id, column as u16);
        let mut values = all.map_err(|error| Problem::new(agreement.source.file(), error.to_string()))?;
        let found = values.len();
        values.retain(|_, rows| *rows >= wanted.least_rows);
        let kept_back = (found - values.len()) as u64;
        let too_long = values.keys().filter(|value| value.len() > LONGEST_VALUE).count();
        if too_long > 0 {
            let message = format!(
                "{:?} has values of more than {LONGEST_VALUE} bytes here, {too_long} in all",
                wanted.column
            );
            let problem = Problem::new(options.job.as_deref().unwrap_or(&options.federation), message);
            let advice = "Numbers, dates and codes can be put together; a hierarchy of longer texts is agreed on as a file";
            return Err(problem.advise(advice).into());
        }
        let output = wanted.output.to_owned();
        Ok(Uniting { agreement, me, column, options, output, values, kept_back })
    }

    /// The column, as it was agreed on.
    pub fn column(&self) -> &ColumnEntry {
        &self.agreement.columns[self.column]
    }

    /// Different values that leave this party, and how many of them only one row has.
    pub fn values(&self) -> (u64, u64) {
        (self.values.len() as u64, self.values.values().filter(|&&rows| rows == 1).count() as u64)
    }

    /// Names of the parties, by position.
    pub fn names(&self) -> Vec<String> {
        self.agreement.parties.iter().map(|party| party.name.clone()).collect()
    }

    /// Puts the values together with those of the others, and writes them, one on a line.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Together, JointError> {
        let me = PartyId(self.me as u16);
        let mut values = Some(std::mem::take(&mut self.values).into_keys().collect::<Vec<String>>());
        let mut begin =
            |plan: &Plan, rng: aside::Random, watch: &mut dyn Watch| -> Result<_, ProtocolError> {
                Party::uniting(plan, me, values.take().unwrap_or_default(), rng, watch)
            };
        let purpose = format!("paravent party union {}", self.column().name);
        let who = (&self.agreement, self.me);
        match aside::together(who, &self.options, &purpose, &mut begin, observer)? {
            Outcome::United(united) => self.keep(united),
            _ => Err(JointError::Stopped),
        }
    }

    fn keep(&self, united: United) -> Result<Together, JointError> {
        let kind = value_type(self.column().data_type);
        let mut values: Vec<&str> = united.0.iter().map(String::as_str).collect();
        kind.sort(&mut values);
        let lines: String = std::iter::once(self.column().name.as_str())
            .chain(values.iter().copied())
            .map(|value| quoted(value) + "\n")
            .collect();
        if self.output.exists() {
            return Err(JointError::Exists(self.output.clone()));
        }
        save(&self.output, &lines)?;
        let is_text = self.column().data_type == paravent_job::DataType::String;
        let ends = values.first().zip(values.last()).filter(|_| !is_text);
        let ends = ends.map(|(first, last)| ((*first).to_owned(), (*last).to_owned()));
        Ok(Together { values: values.len(), ends })
    }
}

/// The column in the agreement, if parties have values of it to put together.
fn position(agreement: &Agreement, name: &str) -> Result<usize, JointError> {
    let found = agreement.columns.iter().position(|column| column.name == name);
    let refused = |message: String, advice: &str| -> JointError {
        agreement.source.problem("columns", message).advise(advice).into()
    };
    let Some(position) = found else {
        let names: Vec<&str> = agreement.columns.iter().map(|column| column.name.as_str()).collect();
        let advice = format!("The columns are {}", names.join(", "));
        return Err(refused(format!("nobody agreed on a column {name:?}"), &advice));
    };
    let column = &agreement.columns[position];
    if column.role == Role::Insensitive {
        let advice = "Quasi-identifiers and sensitive columns have hierarchies";
        return Err(refused(format!("{name:?} is released as it is: no hierarchy needs its values"), advice));
    }
    if agreement.split == Split::Vertical && column.holders().count() < 2 {
        let advice = "It makes the hierarchy from its own table: paravent hierarchy build";
        return Err(refused(format!("one party has all values of {name:?}"), advice));
    }
    Ok(position)
}

/// A cell of a CSV file.
fn quoted(cell: &str) -> String {
    match cell.is_empty() || cell.contains([',', ';', '\t', '"', '\n', '\r', ' ']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
