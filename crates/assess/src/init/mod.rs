//! From a table to a first job file: what the columns are, how they can be generalized, what to promise.
//!
//! ```
//! use paravent_assess::init::{InitOptions, propose};
//! use paravent_job::{Job, Role};
//! use paravent_tables::read::{Input, ReadOptions};
//!
//! let table = "name;sex;age;diagnosis\nAnna;f;34;flu\nBert;m;45;flu\nCarl;m;61;gout\nDora;f;29;flu\nEmil;m;61;gout\n";
//! let input = Input::from_bytes(table.as_bytes().to_vec(), ReadOptions::new("patients.csv"));
//! let proposal = propose(&input, &InitOptions::default())?;
//! let roles: Vec<Role> = proposal.columns.iter().map(|column| column.role).collect();
//! assert_eq!(roles, [Role::Identifying, Role::QuasiIdentifier, Role::QuasiIdentifier, Role::Sensitive]);
//! assert_eq!(Job::parse(&proposal.job.to_toml(), "paravent.toml".as_ref()).unwrap(), proposal.job);
//! # Ok::<(), paravent_assess::init::InitError>(())
//! ```
//!
//! One pass over the table collects the different values of each column, bounded in number, and a sample of the rows.
//! Names of columns (English and German) tell most roles; a search for combinations of columns under which rows stand alone
//! tells others; and what nothing tells is taken for a quasi-identifier, which is the safe side: it costs data, not people.
//!
//! The job file is made to run as it is: every hierarchy covers all values and ends in a single top, and the lattice stays
//! small enough to be searched. It shows no cell: bounds of intervals are round numbers outside the data, and grouping by
//! order goes without a list of values.

mod combinations;
mod dictionary;
mod error;
mod hierarchies;
mod missing_words;
mod models;
mod notes;
mod profile;
mod roles;
mod sample;
mod shape;
mod shaping;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod unchanged;
mod words;

use std::fmt;
use std::path::PathBuf;

pub use error::InitError;

use paravent_job::{Attribute, DataType, Job, Output, Role, Search, Source, Version};
use paravent_tables::read::Input;

/// How to look at a table, and what to promise.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// Where the job file will be: paths in it start at its folder.
    pub job_file: PathBuf,
    /// Smallest class to ask for, at least 2. Tables with fewer rows get less.
    pub k: u32,
    /// Most different values kept for a column. A column with more is almost unique.
    pub distinct_limit: usize,
    /// Most bytes of values kept for all columns together, more or less.
    pub memory: usize,
    /// Most rows among which combinations of columns are searched.
    pub sample_rows: usize,
    /// Share of unique rows, above 0 and up to 1, from which on a combination of columns is quasi-identifying.
    pub unique_share: f64,
    /// Most columns of a combination.
    pub combination_size: usize,
    /// Most combinations × rows looked at.
    pub effort: u64,
    /// Most nodes of the lattice; levels in between are left out to stay below.
    pub lattice_limit: u64,
}

impl Default for InitOptions {
    fn default() -> Self {
        Self {
            job_file: PathBuf::from("paravent.toml"),
            k: 5,
            distinct_limit: 2_000_000,
            memory: 1 << 30,
            sample_rows: 100_000,
            unique_share: 0.05,
            combination_size: 3,
            effort: 200_000_000,
            lattice_limit: 1_000_000,
        }
    }
}

/// A first job for a table, and why it looks like that.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The job, ready to be written with [`Job::to_toml`].
    pub job: Job,
    /// A line for each column, in table order.
    pub columns: Vec<ColumnProposal>,
    /// What the user should know, in whole sentences.
    pub notes: Vec<String>,
}

/// What is proposed for a column. No text in it shows a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnProposal {
    /// Name of the column.
    pub name: String,
    /// What the column can give away.
    pub role: Role,
    /// Why that is thought, in plain language.
    pub reason: String,
    /// What the cells are.
    pub data_type: DataType,
    /// How a quasi-identifier is generalized, in plain language.
    pub hierarchy: Option<String>,
    /// Different values, missing ones aside.
    pub distinct: Distinct,
    /// Cells without a value.
    pub missing: u64,
}

/// How many different values a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// So many.
    Exactly(u64),
    /// More than could be kept.
    MoreThan(u64),
}

impl Distinct {
    /// The number, or the least it can be.
    pub fn at_least(self) -> u64 {
        match self {
            Self::Exactly(count) => count,
            Self::MoreThan(count) => count + 1,
        }
    }
}

/// `13,294`, `more than 2,000,000`
impl fmt::Display for Distinct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exactly(count) => f.write_str(&words::number(count)),
            Self::MoreThan(count) => write!(f, "more than {}", words::number(count)),
        }
    }
}

/// Reads the table once and proposes a job that can be run as it is.
///
/// # Errors
/// If the table cannot be read, has no rows, or has no column that could be generalized.
pub fn propose(input: &Input, options: &InitOptions) -> Result<Proposal, InitError> {
    let profile = profile::profile(input, options)?;
    if profile.rows == 0 {
        return Err(InitError::NoRows { path: input.options().path.clone() });
    }
    if profile.first_row_is_data() {
        return Err(InitError::NoHeader { path: input.options().path.clone() });
    }
    let (roles, search) = roles::assign(&profile, options);
    if !roles.iter().any(|column| column.role == Role::QuasiIdentifier) {
        return Err(InitError::NothingToGeneralize { path: input.options().path.clone() });
    }
    let hierarchies = hierarchies::propose(&profile, &roles, options);
    let (mut privacy, mut notes) = models::propose(&profile, &roles, options);
    privacy.person.extend(notes::person(&profile, &roles));
    notes.splice(0..0, notes::on(&profile, &roles, &search, &hierarchies));

    let mut attributes = Vec::new();
    let mut columns = Vec::new();
    for ((column, assigned), shape) in profile.columns.iter().zip(roles).zip(hierarchies.shapes) {
        let mut attribute = Attribute::new(&column.name, assigned.role);
        // A column that is dropped need not be what it seems to be.
        attribute.data_type = (assigned.role != Role::Identifying).then_some(column.data_type);
        attribute.hierarchy = shape.as_ref().and_then(shape::Shape::spec);
        attribute.min_level = shape.as_ref().and_then(shape::Shape::min_level);
        attributes.push(attribute);
        columns.push(ColumnProposal {
            name: column.name.clone(),
            role: assigned.role,
            reason: assigned.reason,
            data_type: column.data_type,
            hierarchy: shape.as_ref().map(shape::Shape::describe),
            distinct: column.distinct,
            missing: column.missing,
        });
    }
    let job = Job {
        version: Version::V1,
        input: table::input(input, &profile, &options.job_file),
        attributes,
        privacy,
        search: Search::default(),
        output: Output::default(),
        source: Source::of_file(&options.job_file),
    };
    Ok(Proposal { job, columns, notes })
}
