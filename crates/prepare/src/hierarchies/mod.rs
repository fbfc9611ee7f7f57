//! From what a job says about hierarchies to hierarchies the engine works with.
//!
//! [`build()`] makes the [`Hierarchy`](paravent_core::hierarchy::Hierarchy) of an attribute, [`ladder`]
//! climbs it with the values present, [`to_json`] and [`from_json`] are its form in `transform.json`.
//! [`commands`] is what `paravent hierarchy` does to hierarchy files.
//!
//! ```
//! use paravent_core::values::ValueType;
//! use paravent_job::Job;
//! use paravent_prepare::hierarchies;
//!
//! let text = r#"
//! version = 1
//! input.path = "patients.csv"
//! attributes = [{ name = "zip", role = "quasi-identifier", hierarchy = { redact = { from = "right" } } }]
//! privacy.models = [{ model = "k-anonymity", k = 5 }]
//! "#;
//! let job = Job::parse(text, "paravent.toml".as_ref())?;
//! let values = [Some("81667"), Some("81675"), None];
//! let hierarchy = hierarchies::build(&job, 0, &values, ValueType::String)?;
//! let ladder = hierarchies::ladder(&job, 0, &hierarchy, &values, false)?;
//! assert_eq!(ladder.max_level(), 5);
//! assert_eq!(ladder.rung(2).labels[0].as_deref(), Some("816**"));
//! # Ok::<(), paravent_job::Problems>(())
//! ```
//!
//! Problems name the file and the line or key, and say what to write instead. They never show a cell.

mod advice;
mod build;
mod column;
pub mod commands;
mod declared;
mod delimiter;
mod file;
mod ladder;
mod records;
mod write;

pub use build::{build, check_early};
pub use column::{ColumnError, ColumnValues};
pub use declared::declared_values;
pub use file::{FileOptions, HierarchyLines};
pub use ladder::ladder;
pub use paravent_core::values::type_of;
pub use paravent_job::{JsonError, from_json, to_json};
pub use write::{Existing, HierarchyText};
