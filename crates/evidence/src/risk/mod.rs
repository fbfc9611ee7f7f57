//! Figures on re-identification and disclosure.
//!
//! [`DistinctRows`] are the classes of a table: its rows, told apart by the quasi-identifiers. From their sizes come the three
//! attackers ([`identity`]), what a sample says about the population it was drawn from ([`population`]), which columns single
//! people out ([`subsets`]), and, with the sensitive values of each class, what can be learnt without singling anybody out
//! ([`disclosure`]). [`safe_harbor`] and [`thresholds`] say what rules of practice would ask.

mod class_sizes;
pub mod disclosure;
mod distinct;
mod grouping;
pub mod identity;
pub mod journalist;
pub mod population;
pub mod safe_harbor;
mod special;
pub mod subsets;
pub mod thresholds;
pub mod unchanged;

pub use class_sizes::ClassSizes;
pub use distinct::DistinctRows;
