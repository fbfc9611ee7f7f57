//! Evidence about tables and releases: their files read into [`Microdata`](paravent_evidence::microdata::Microdata), and what
//! [`paravent_evidence`] finds in it.

pub mod attack;
pub mod check;
mod error;
mod in_memory;
pub mod init;
mod load;
pub mod measure;
mod release_table;
pub mod repeated;
pub mod risk;
mod roles;
#[cfg(test)]
mod tests;
pub mod utility;

pub use error::LoadError;
pub use in_memory::InMemory;
pub(crate) use load::load_input;
pub use load::{RoledTable, TableSource, load_population, load_table};
pub use release_table::{
    Generalization, Promise, ReleaseFacts, ReleaseTable, load_held_release, load_release,
};
pub use roles::{ColumnRole, Roles};
