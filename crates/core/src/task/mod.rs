//! What is to be solved.

mod case;

pub use case::Case;
