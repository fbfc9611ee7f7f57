//! What `paravent hierarchy` does: [`validate`], [`repair`], [`show`] and [`build_file`].
//!
//! Nothing here prints. Each command gives back what it found, and `Display` is how a person reads it. A file
//! is written only by [`HierarchyText::write`](super::HierarchyText::write).
//!
//! ```
//! use paravent_prepare::hierarchies::{FileOptions, HierarchyLines, commands};
//!
//! let text = b"34;20-60;*\n45;20-60;all\n66;61-99;*\n";
//! let lines = HierarchyLines::parse(text, "age.csv".as_ref(), &FileOptions::default())?;
//! let found = commands::validate(&lines, None);
//! assert!(!found.is_valid());
//! assert_eq!(found.problems.0[0].line, Some(2));
//! # Ok::<(), paravent_job::Problems>(())
//! ```

mod build_file;
mod repair;
mod show;
mod validate;

pub use build_file::{Built, build_file, write_out};
pub use repair::{Changed, Repaired, repair};
pub use show::{Labels, Shown, ShownLevel, show};
pub use validate::{Coverage, Validation, Warning, validate};
