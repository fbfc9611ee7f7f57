//! From a solution to a directory on disk: recode, write, describe, sign.

mod aggregate;
pub(crate) mod elsewhere;
mod format;
mod leaving;
mod left_out;
mod manifest;
mod opinion;
mod origins;
mod recode;
mod released_table;
mod sequence;
mod signing;
mod transform;
mod unchanged;
mod view;

pub use format::output_format;
pub(crate) use format::{data_format, described};
pub use leaving::{Leaving, refuse_naming, refuse_naming_in, singled_out_by, singled_out_in};
pub use left_out::left_out;
pub use manifest::{Contents, PeopleCounts, ReportDigests, file_name, manifest};
pub use opinion::{opinion, useful};
pub use paravent_prepare::transform::{Action, AppliedBox, AppliedColumn, Transform, TransformError};
pub use recode::recode;
pub use released_table::{ReleaseError, ReleasedTable};
pub(crate) use signing::put_signature;
pub use signing::{KEY_NAME, KeyError, KeyPair, SigningKey, generate, key_for, key_of};
pub use transform::transform;
pub use unchanged::unchanged;
pub(crate) use unchanged::{because, key_problem, problem as naming_problem};
pub use view::view;
