//! The job file `paravent.toml`, read into a [`Job`].
//!
//! Reading is one walk over the document: each section has a file here that knows its keys, and whatever is wrong
//! becomes a [`Problem`] with file, line, key and advice. The walk goes on after a problem, so all of them are told
//! together. A `Job` that came out of [`Job::parse`] has no dangling names and no parameter out of range; what
//! needs the data (unknown columns, levels above the hierarchy) is checked later and reported in the same form
//! through [`Job::problem`].
//!
//! ```
//! use paravent_job::{Job, Model};
//!
//! let text = r#"
//! version = 1
//! input.path = "patients.csv"
//! attributes = [{ name = "age", role = "quasi-identifier", hierarchy = "age.csv" }]
//! privacy.models = [{ model = "k-anonymity", k = 5 }]
//! "#;
//! let job = Job::parse(text, "study/paravent.toml".as_ref()).unwrap();
//! assert_eq!(job.privacy.models, [Model::KAnonymity { k: 5 }]);
//!
//! let problems = Job::parse(&text.replace("k = 5", "k = 0"), "paravent.toml".as_ref()).unwrap_err();
//! assert_eq!(
//!     problems.to_string(),
//!     "paravent.toml:5: privacy.models[0].k: must be at least 1. Write e.g. k = 5"
//! );
//! ```

mod ascii_char;
mod attribute;
mod attribute_walk;
mod builder_walk;
mod decimal;
mod group_walk;
mod hierarchy_spec;
mod hierarchy_walk;
mod input;
mod lines;
mod memory;
mod model_walk;
mod names;
mod noise;
mod noise_walk;
mod output;
mod privacy;
mod problem;
mod render;
mod render_noise;
mod render_spec;
mod search;
mod sections;
mod suggest;
mod terms;
#[cfg(test)]
mod tests;
mod walk;

use std::path::{Path, PathBuf};

pub use ascii_char::AsciiChar;
pub use attribute::{Attribute, DataType, MissingCells, Release, Role};
pub use decimal::{DecimalError, DecimalText};
pub use hierarchy_spec::{
    DateUnit, Group, HierarchyFile, HierarchySpec, Intervals, Members, Ordering, Outliers, Redact, Rounding,
    Side,
};
pub use input::{DatabaseUrl, Input, InputFormat, InputSource};
pub use lines::Source;
pub use memory::Memory;
pub use noise::{
    AddedLaw, KernelTable, MissingNoise, NoiseBy, NoiseCase, NoiseLaw, NoiseRest, NoiseSpec, NoiseTails,
    OutsideCells, Strength,
};
pub use output::{Output, OutputFormat, RegisterFile, RowOrder};
pub use privacy::{BudgetLimit, Distance, Diversity, Model, ModelName, PersonRows, Population, Privacy};
pub use problem::{Problem, Problems};
pub use search::{Algorithm, Metric, Recoding, Search};
pub use suggest::closest;
pub use terms::Terms;

/// A job: which table, what its columns are, what is promised, and where the release goes.
#[derive(Clone, Debug)]
pub struct Job {
    /// Version of the job format.
    pub version: Version,
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
    /// Reads the job file at `path`.
    ///
    /// # Errors
    /// All problems, sorted by line; one without a line if the file cannot be read.
    pub fn load(path: &Path) -> Result<Self, Problems> {
        Self::load_with_bytes(path).map(|(job, _)| job)
    }

    /// The same, with the bytes that were read: what a digest must be of.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with_bytes(path: &Path) -> Result<(Self, Vec<u8>), Problems> {
        let bytes = std::fs::read(path)
            .map_err(|error| Problem::new(path, format!("the job file cannot be read: {error}")))?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parse(text, path).map(|job| (job, bytes)),
            Err(error) => {
                let line = 1 + bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
                let problem = Problem::new(path, "is not UTF-8 text").at_line(line);
                Err(problem.advise("Save the job file in the encoding UTF-8").into())
            }
        }
    }

    /// Reads the text of a job file. `file` is its name for messages, and its folder is where paths start.
    ///
    /// # Errors
    /// All problems, sorted by line.
    pub fn parse(text: &str, file: &Path) -> Result<Self, Problems> {
        sections::job(text, file)
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
        let Self { version, input, attributes, privacy, search, output, source: _ } = self;
        *version == other.version
            && *input == other.input
            && *attributes == other.attributes
            && *privacy == other.privacy
            && *search == other.search
            && *output == other.output
    }
}
