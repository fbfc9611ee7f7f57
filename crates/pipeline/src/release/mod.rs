//! From a solution to a directory on disk: recode, write, describe, sign.

mod format;
mod left_out;
mod manifest;
mod recode;
mod sequence;
mod signing;
mod transform;
mod unchanged;
mod view;

pub use format::output_format;
pub use left_out::left_out;
pub use manifest::{Contents, PeopleCounts, ReportDigests, file_name, manifest};
pub use paravent_prepare::transform::{Action, AppliedBox, AppliedColumn, Transform, TransformError};
pub use recode::{ReleaseError, ReleasedTable, recode};
pub use signing::{KEY_NAME, KeyError, KeyPair, SigningKey, generate, key_for};
pub use transform::transform;
pub use unchanged::unchanged;
pub use view::view;
