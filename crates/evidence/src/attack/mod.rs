//! The known attacks, run against a table.
//!
//! A file per attack: what the attacker knows, the figure and its formula, and the paper that describes it. Each measures first and
//! judges after: the [`Outcome`] holds the figure against what was promised ([`Promises`]). An attack that cannot succeed proves
//! nothing, so [`self_test`] runs each on a planted weak release, where it must succeed, and on a strong one, where it must not.

mod background_knowledge;
mod catalogue;
pub mod classes;
mod composed_values;
pub mod composition;
pub mod confidence;
pub mod definetti;
mod disclosure;
pub mod downcoding;
pub mod finer;
pub mod games;
mod homogeneity;
pub mod linking;
pub mod membership;
pub mod minimality;
pub mod noise_inversion;
mod outcome;
mod permutation;
pub mod planted;
pub mod projection;
pub mod promises;
mod proximity;
mod query_basis;
pub mod query_differencing;
pub mod release_difference;
pub mod releases;
pub mod relinking;
pub mod row_order;
pub mod self_test;
pub mod several;
mod similarity;
mod skewness;
pub mod sortedness;
mod standing;
#[cfg(test)]
pub(crate) mod testing;
pub mod unsorted_matching;
mod view;

pub use background_knowledge::background_knowledge;
pub use catalogue::Attack;
pub use disclosure::{negative_disclosure, positive_disclosure};
pub use homogeneity::homogeneity;
pub use outcome::{Bound, Figure, Finding, MOST_FINDINGS, Outcome, Severity, Unit};
pub use promises::Promises;
pub use proximity::proximity;
pub use similarity::{Grouping, similarity};
pub use skewness::skewness;
pub use view::Released;
