//! From a solution to a directory on disk: recode, write, describe.

mod manifest;
mod recode;
mod sequence;
mod transform;
mod view;

pub(crate) use manifest::file_name;
pub use manifest::{Digests, manifest};
pub use recode::{ReleaseError, ReleasedTable, recode};
pub use transform::{Action, AppliedColumn, Transform, TransformError, transform};
pub use view::view;
