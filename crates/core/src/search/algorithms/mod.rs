//! The search algorithms: a file each. A new algorithm is a file here and its line in the list below.
//!
//! Nobody else matches on algorithms: readers ask the [`Card`](super::Card) or the [`Algorithm`].

mod ascent;
mod page;
mod paths;
mod survey;
mod tags;

pub use page::page;

use super::algorithm::SearchAlgorithm;
use std::fmt;

/// Makes the enum from the list of algorithms. The files are found by their names.
macro_rules! algorithms {
    ($($module:ident::$name:ident),+ $(,)?) => {
        $(mod $module;)+

        /// A search algorithm.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Algorithm {
            $(
                #[doc = concat!("`search/algorithms/", stringify!($module), ".rs`; how it goes is on its [`Card`](super::Card).")]
                $name
            ),+
        }

        impl Algorithm {
            /// All algorithms, the default first.
            pub const ALL: [Algorithm; [$(stringify!($name)),+].len()] = [$(Algorithm::$name),+];

            pub(super) fn unit(self) -> &'static dyn SearchAlgorithm {
                match self {
                    $(Algorithm::$name => &$module::$name),+
                }
            }
        }
    };
}

algorithms! {
    best_first::BestFirst,
    flash::Flash,
    flash_parallel::FlashParallel,
    flash_two_phase::FlashTwoPhase,
    flash_dfs::FlashDfs,
    ola::Ola,
    incognito::Incognito,
    samarati::Samarati,
    breadth_first::Bfs,
    depth_first::Dfs,
    top_down::TopDown,
    exhaustive::Exhaustive,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
