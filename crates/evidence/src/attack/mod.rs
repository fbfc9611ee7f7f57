//! The known attacks, run against a table.
//!
//! A file per attack: what the attacker knows, the figure and its formula, and the paper that describes it. Each measures first and
//! judges after: the [`Outcome`] holds the figure against what was promised ([`Promises`]). An attack that cannot succeed proves
//! nothing, so [`self_test`] runs each on a planted weak release, where it must succeed, and on a strong one, where it must not.
//!
//! A new attack is a file here, with its card, `run` and `plant`, and its line in the list below. Nobody else matches on attacks.

pub mod box_tree;
mod catalogue;
pub mod classes;
mod composed_values;
pub mod confidence;
pub mod finer;
pub mod fingerprints;
mod games;
mod kept_order;
mod marginals;
pub mod means;
mod newcomers;
mod outcome;
mod page;
mod permutation;
pub mod planted;
pub mod projection;
pub mod promises;
mod query_basis;
pub mod releases;
pub mod self_test;
pub mod several;
pub mod sortedness;
mod standing;
#[cfg(test)]
pub(crate) mod testing;
mod view;

pub use catalogue::{Card, Tried};
pub use outcome::{Bound, Figure, Finding, MOST_FINDINGS, Outcome, Severity, Unit};
pub use page::page;
pub use promises::Promises;
pub use row_order::OrderPromise;
pub use similarity::{Grouping, Likeness};
pub use view::Released;

use catalogue::{PlantedRun, Run};

/// Makes the enum from the list of attacks. The files are found by their names.
macro_rules! attacks {
    ($($module:ident::$name:ident),+ $(,)?) => {
        $(mod $module;)+

        /// An attack that can be run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Attack {
            $(
                #[doc = concat!("`attack/", stringify!($module), ".rs`; what it takes for granted is on its [`Card`].")]
                $name
            ),+
        }

        impl Attack {
            /// All of them, in the order in which they are reported.
            pub const ALL: [Attack; [$(stringify!($name)),+].len()] = [$(Attack::$name),+];

            /// What users read about it.
            #[must_use]
            pub fn card(self) -> &'static Card {
                match self {
                    $(Attack::$name => &$module::CARD),+
                }
            }

            fn unit(self) -> (Run, PlantedRun) {
                match self {
                    $(Attack::$name => ($module::run, $module::plant)),+
                }
            }
        }
    };
}

// Chance of each attack is drawn by its place in the list: a new one goes to the end.
attacks! {
    linking::Linking,
    singling_out::SinglingOut,
    linkability::Linkability,
    homogeneity::Homogeneity,
    background_knowledge::BackgroundKnowledge,
    positive_disclosure::PositiveDisclosure,
    negative_disclosure::NegativeDisclosure,
    skewness::Skewness,
    similarity::Similarity,
    proximity::Proximity,
    inference::Inference,
    minimality::Minimality,
    downcoding::Downcoding,
    membership::Membership,
    row_order::RowOrder,
    unsorted_matching::UnsortedMatching,
    composition::Composition,
    release_difference::ReleaseDifference,
    definetti::DeFinetti,
    relinking::Relinking,
    noise_inversion::NoiseInversion,
    query_differencing::QueryDifferencing,
}
