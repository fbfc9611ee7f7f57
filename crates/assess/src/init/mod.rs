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
//! small enough to be searched. It shows no cell but what stands in place of a date and counts as missing: bounds of intervals are
//! round numbers outside the data, and grouping by order goes without a list of values.

mod around;
mod beside;
mod births;
mod column;
mod combinations;
mod dictionary;
mod error;
#[cfg(test)]
mod exports_tests;
mod forms;
mod hierarchies;
mod meaning;
mod missing_words;
mod models;
mod notes;
mod odd_cells;
mod preset;
mod profile;
mod roles;
mod sample;
mod shape;
mod shaping;
mod spellings;
#[cfg(test)]
mod spellings_tests;
mod table;
#[cfg(test)]
mod tests;
mod trial;
mod types;
mod unchanged;
mod words;

use std::fmt;
use std::path::PathBuf;

pub use column::{ColumnHierarchy, propose_hierarchy};
pub use error::InitError;
pub use preset::Preset;

use paravent_job::{
    Attribute, CodesSpec, DataType, HierarchySpec, Input as JobInput, Job, Metric, Recoding, Role, Search,
    Source, Version,
};
use paravent_tables::read::Input;
use paravent_tables::watch::{Unwatched, Watch};
use profile::Words;
use serde_json::{Value, json};

/// How to look at a table, and what to promise.
#[derive(Clone, Debug)]
pub struct InitOptions {
    /// Where the job file will be: paths in it start at its folder.
    pub job_file: PathBuf,
    /// The day, `2024-12-31`: nobody was born later, and ages are counted on it where no other date says when the table was made.
    pub today: String,
    /// What the release is for.
    pub preset: Preset,
    /// Whether all rows get the same labels, or every class its own.
    pub recoding: Recoding,
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
            today: births::today(),
            preset: Preset::General,
            recoding: Recoding::Global,
            k: 5,
            distinct_limit: 2_000_000,
            memory: 1 << 30,
            sample_rows: 100_000,
            unique_share: 0.05,
            combination_size: 3,
            effort: 200_000_000,
            lattice_limit: 2_000_000,
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
    /// What the columns that are left out would be.
    spare: Vec<Attribute>,
}

impl Proposal {
    /// The columns as documents show them.
    pub fn columns_json(&self) -> Vec<Value> {
        let column = |column: &ColumnProposal| {
            json!({
                "name": column.name,
                "role": column.role.name(),
                "left_out": column.left_out,
                "reason": column.reason,
                "type": column.data_type.name(),
                "hierarchy": column.hierarchy,
                "distinct": column.distinct.at_least(),
                "missing": column.missing,
            })
        };
        self.columns.iter().map(column).collect()
    }
}

/// What is proposed for a column. No text in it shows a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnProposal {
    /// Name of the column.
    pub name: String,
    /// What the column can give away.
    pub role: Role,
    /// Whether the job does not mention it, so that the release lacks it, although it names nobody.
    pub left_out: bool,
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
    propose_watched(input, options, &Unwatched)
}

/// The same, and `watch` hears how many rows were read.
///
/// # Errors
/// As [`propose`], and if a stop is requested.
pub fn propose_watched(
    input: &Input,
    options: &InitOptions,
    watch: &dyn Watch,
) -> Result<Proposal, InitError> {
    let (input, mut around_it) = around::on_its_sheet(input)?;
    let (input, frame) = &around::without_frame(&input)?;
    around_it.extend(frame.iter().cloned());
    let written = spellings::find(input, &options.today, watch)?;
    // If the user has said what a missing value is, that counts.
    let words = if input.options().null.is_none() { Words::LookedFor } else { Words::Said };
    let input = &written.applied_to(input);
    let mut profile = profile::profile(input, options, words, watch)?;
    for (index, column) in profile.columns.iter_mut().enumerate().filter(|(index, _)| written.is_text(*index))
    {
        column.data_type = DataType::String;
        debug_assert!(written.columns[index].is_none());
    }
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
    let around = hierarchies::surroundings(&profile, options);
    let (mut files, file_notes) = beside::find(input, &profile, &roles, &options.job_file);
    let hierarchies = hierarchies::propose(&profile, &roles, options, &around, &mut files);
    let (mut privacy, mut notes) = models::propose(&profile, &roles, options);
    privacy.person.extend(notes::person(&profile, &roles));
    notes.splice(0..0, notes::on(&profile, &roles, &search, &hierarchies));
    notes.splice(0..0, around_it.iter().cloned());
    notes.extend(written.notes.iter().cloned());
    notes.extend(births::notes(&profile, &roles, &around));
    notes.extend(file_notes);

    let (mut core, mut spare) = (Vec::new(), Vec::new());
    let mut attributes = Vec::new();
    let mut columns = Vec::new();
    for (index, ((column, assigned), shape)) in
        profile.columns.iter().zip(roles).zip(hierarchies.shapes).enumerate()
    {
        let role = if assigned.left_out { Role::QuasiIdentifier } else { assigned.role };
        let mut attribute = Attribute::new(&column.name, role);
        let codes = meaning::codes_of(column);
        // As a number a code would lose its zeros.
        let is_code = codes.is_some() || meaning::short_postcodes(column).is_some();
        let data_type = if is_code { DataType::String } else { column.data_type };
        // A column that is dropped need not be what it seems to be.
        let is_kept = role != Role::Identifying;
        attribute.data_type = is_kept.then_some(data_type);
        attribute.spelling = written.of(index, data_type).filter(|_| is_kept);
        attribute.hierarchy = match assigned.left_out {
            true => shaping::shape_of(column, &around).spec(),
            false => shape.as_ref().and_then(shape::Shape::spec),
        };
        if let (Role::Sensitive, Some(codes)) = (assigned.role, codes) {
            let structure = codes.structure(&column.name).to_owned();
            attribute.hierarchy = Some(HierarchySpec::Codes(CodesSpec::Named(structure)));
        }
        attribute.min_level = shape.as_ref().and_then(shape::Shape::min_level);
        if let (Some(_), Some(level)) =
            (meaning::core_of(column), shape.as_ref().and_then(shape::Shape::telling_level))
        {
            core.push((column.name.clone(), level.max(attribute.min_level.unwrap_or(0))));
        }
        if assigned.left_out {
            spare.push(attribute)
        } else {
            attributes.push(attribute)
        }
        columns.push(ColumnProposal {
            name: column.name.clone(),
            role,
            left_out: assigned.left_out,
            reason: assigned.reason,
            data_type,
            hierarchy: shape.as_ref().map(shape::Shape::describe),
            distinct: column.distinct,
            missing: column.missing,
        });
    }
    let job = Job {
        version: Version::V1,
        about: paravent_job::About::default(),
        input: JobInput { blanks: written.job_blanks(), ..table::input(input, &profile, &options.job_file) },
        attributes,
        privacy,
        search: Search { metric: Metric::Loss, ..Search::default() },
        output: table::output(&profile),
        source: Source::of_file(&options.job_file),
    };
    let mut proposal = Proposal { job, columns, notes, spare };
    trial::run(&mut proposal, profile.rows, core, options.recoding);
    Ok(proposal)
}

impl Proposal {
    /// Gives a column another role; promises about a column that is no longer sensitive go.
    pub fn give_role(&mut self, column: usize, role: Role) {
        let Some(proposed) = self.columns.get_mut(column) else { return };
        proposed.role = role;
        proposed.left_out = false;
        proposed.reason = format!("{}; the role was chosen by hand", proposed.reason);
        let name = proposed.name.clone();
        if let Some(at) = self.spare.iter().position(|attribute| attribute.name == name) {
            let taken_up = self.spare.remove(at);
            self.job.attributes.push(taken_up);
            self.job.attributes.sort_by_key(|attribute| place(&self.columns, &attribute.name));
        }
        if let Some(attribute) = self.job.attributes.iter_mut().find(|attribute| attribute.name == name) {
            *attribute = Attribute { role, ..attribute.clone() };
            if role != Role::QuasiIdentifier {
                (attribute.min_level, attribute.max_level, attribute.hierarchy) = (None, None, None);
            }
            if role == Role::Identifying {
                (attribute.data_type, attribute.spelling) = (None, None);
            }
        }
        let about = |model: &paravent_job::Model| matches!(model.sensitive(), paravent_job::models::Sensitive::One(attribute) if attribute == name);
        self.job.privacy.models.retain(|model| role == Role::Sensitive || !about(model));
    }

    /// The job file, with the reason for every role above it. Columns that are left out are comments.
    pub fn to_toml(&self) -> String {
        const BLOCK: &str = "[[attributes]]\n";
        let mut whole = self.job.clone();
        whole.attributes.extend(self.spare.iter().cloned());
        whole.attributes.sort_by_key(|attribute| place(&self.columns, &attribute.name));
        let text = whole.to_toml();
        let mut parts = text.split(BLOCK);
        let mut explained = parts.next().unwrap_or_default().to_owned();
        for (part, column) in parts.zip(&self.columns) {
            explained.push_str(&format!("# {}\n", column.reason));
            if !column.left_out {
                explained.push_str(&format!("{BLOCK}{part}"));
                continue;
            }
            let (own, rest) = part.split_once("\n\n").unwrap_or((part, ""));
            explained.push_str(&format!("# {BLOCK}"));
            own.lines().for_each(|line| explained.push_str(&format!("# {line}\n")));
            explained.push_str(&format!("\n{rest}"));
        }
        explained
    }
}

/// Where a column stands in the table.
fn place(columns: &[ColumnProposal], name: &str) -> Option<usize> {
    columns.iter().position(|column| column.name == name)
}
