//! The job file `paravent.toml`, read into a [`Job`].
//!
//! Reading is one walk over the document: each section has a file here that knows its keys, and whatever is wrong
//! becomes a [`Problem`] with file, line, key and advice. The walk goes on after a problem, so all of them are told
//! together. A `Job` that came out of [`Job::parse`] has no dangling names and no parameter out of range; what
//! needs the data (unknown columns, levels above the hierarchy) is checked later and reported in the same form
//! through [`Job::problem`].
//!
//! ```
//! use paravent_job::Job;
//! use paravent_job::models::KAnonymity;
//!
//! let text = r#"
//! version = 1
//! input.path = "patients.csv"
//! attributes = [{ name = "age", role = "quasi-identifier", hierarchy = "age.csv" }]
//! privacy.models = [{ model = "k-anonymity", k = 5 }]
//! "#;
//! let job = Job::parse(text, "study/paravent.toml".as_ref()).unwrap();
//! assert_eq!(job.privacy.models, [KAnonymity { k: 5 }.into()]);
//!
//! let problems = Job::parse(&text.replace("k = 5", "k = 0"), "paravent.toml".as_ref()).unwrap_err();
//! assert_eq!(
//!     problems.to_string(),
//!     "paravent.toml:5: privacy.models[0].k: must be at least 1. Write e.g. k = 5"
//! );
//! ```

mod about;
mod ascii_char;
mod attribute;
mod attribute_walk;
mod builder_walk;
mod decimal;
mod group_walk;
mod hierarchies;
mod hierarchy_spec;
mod hierarchy_walk;
mod input;
pub mod keys;
mod lines;
mod load;
mod memory;
mod model_walk;
pub mod models;
mod names;
mod noise;
mod noise_walk;
mod output;
mod privacy;
mod problem;
mod render;
mod render_noise;
mod render_spec;
mod render_toml;
mod schema;
mod search;
mod sections;
mod settings;
mod side;
mod spelling;
mod suggest;
mod terms;
#[cfg(test)]
mod tests;
mod treatment;
mod treatment_walk;
pub mod walk;

use std::path::{Path, PathBuf};

pub use about::About;
pub use ascii_char::AsciiChar;
pub use attribute::{Attribute, DataType, MissingCells, Release, Role, UnknownValues};
pub use decimal::{DecimalError, DecimalText};
pub use hierarchies::{Age, BreakLevel, Breaks, Cluster, Codes, CodesSpec, Lump};
pub use hierarchy_spec::{
    DateUnit, Group, HierarchyFile, HierarchySpec, Intervals, Members, Ordering, Outliers, Redact, Rounding,
    Side,
};
pub use input::{Blanks, DatabaseUrl, Input, InputFormat, InputSource};
pub use lines::Source;
pub use memory::Memory;
pub use model_walk::models as read_models;
pub use models::{Distance, Diversity, Exactness, Model, ModelName, Population};
pub use names::Named;
pub use noise::{
    AddedLaw, KernelTable, MissingNoise, NoiseBy, NoiseCase, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails,
    OutsideCells, Strength,
};
pub use output::{Lang, Output, OutputFormat, OutputTable, RegisterFile, RowOrder, SuppressedRows};
pub use privacy::{BudgetLimit, PersonRows, Privacy};
pub use problem::{Problem, Problems};
pub use schema::{schema, schema_of};
pub use search::{Algorithm, Metric, Recoding, Search};
pub use settings::Setting;
pub use suggest::{closest, quoted, shortened};
pub use terms::Terms;
pub use treatment::{Aggregate, Pseudonym, Sample, SampleSource, Treatments};

/// A job: which table, what its columns are, what is promised, and where the release goes.
#[derive(Clone, Debug)]
pub struct Job {
    /// Version of the job format.
    pub version: Version,
    /// What the release is, for whom, and on what ground.
    pub about: About,
    /// The table to anonymize.
    pub input: Input,
    /// Its columns; not empty, names are unique, at least one quasi-identifier.
    pub attributes: Vec<Attribute>,
    /// What is promised.
    pub privacy: Privacy,
    /// What is best, and how hard to look for it.
    pub search: Search,
    /// What is written.
    pub output: Output,
    /// The file the job was read from and the line of each key.
    pub source: Source,
}

/// Version of the job format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// `version = 1`
    #[default]
    V1,
}

impl Job {
    /// Reads the job file at `path`; `-` is standard input.
    ///
    /// # Errors
    /// All problems, sorted by line; one without a line if the file cannot be read or is none.
    pub fn load(path: &Path) -> Result<Self, Problems> {
        Self::load_with_bytes(path, &[]).map(|(job, _)| job)
    }

    /// The same with some keys set, and the bytes that were read: what a digest must be of. Settings are part of them.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with_bytes(path: &Path, settings: &[Setting]) -> Result<(Self, Vec<u8>), Problems> {
        let (mut bytes, name) = load::bytes(path)?;
        let job = match std::str::from_utf8(&bytes) {
            Ok(text) => sections::job(text, &name, settings)?,
            Err(error) => {
                let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
                let problem = Problem::new(&name, "is not UTF-8 text").at_line(line);
                return Err(problem.advise("Save the job file in the encoding UTF-8").into());
            }
        };
        for Setting { key, value } in settings {
            bytes.extend(format!("\n{key}={value}").into_bytes());
        }
        Ok((job, bytes))
    }

    /// Reads the text of a job file. `file` is its name for messages, and its folder is where paths start.
    ///
    /// # Errors
    /// All problems, sorted by line.
    pub fn parse(text: &str, file: &Path) -> Result<Self, Problems> {
        sections::job(text, file, &[])
    }

    /// A path of the job, seen from where the program runs: relative ones start at the job file's folder.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.source.resolve(path)
    }

    /// The register of the job's releases, or the folder it is in.
    pub fn register(&self) -> Option<PathBuf> {
        match &self.output.register {
            RegisterFile::Beside => Some(self.source.folder().to_owned()),
            RegisterFile::At(path) => Some(self.resolve(path)),
            RegisterFile::None => None,
        }
    }

    /// A problem with `key` (spelled like `attributes[2].max_level`), with the file and the line of that key.
    pub fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        self.source.problem(key, message)
    }

    /// The attribute of that name and its place in the list, as in the key `attributes[2]`.
    pub fn attribute(&self, name: &str) -> Option<(usize, &Attribute)> {
        self.attributes.iter().enumerate().find(|(_, attribute)| attribute.name == name)
    }

    /// The attributes with that role, in job order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(move |attribute| attribute.role == role)
    }

    /// A readable, commented job file that [`parse`](Self::parse) reads back to the same job.
    pub fn to_toml(&self) -> String {
        render::job(self)
    }
}

/// Equal jobs ask for the same; where they were written down does not matter.
impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        let Self { version, about, input, attributes, privacy, search, output, source: _ } = self;
        *version == other.version
            && *about == other.about
            && *input == other.input
            && *attributes == other.attributes
            && *privacy == other.privacy
            && *search == other.search
            && *output == other.output
    }
}
