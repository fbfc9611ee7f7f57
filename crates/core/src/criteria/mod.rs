//! Privacy criteria: predicates on equivalence classes. One file each; combined by [`Criteria`].
//!
//! A table keeps a criterion when every class that is released keeps it and the rows of the others, suppressed as
//! whole classes, stay within the limit. Criteria see counts only, never rows: that makes roll-up and federation possible.

mod achieved;
mod beta_likeness;
mod conjunction;
mod delta_presence;
mod distance;
mod distinct_l_diversity;
mod entropy_l_diversity;
mod excludes;
mod k_anonymity;
mod k_map;
mod multi_attribute_l_diversity;
mod pd_recursive_l_diversity;
mod recursive_l_diversity;
mod t_closeness;
mod values_only;

use crate::grouping::Class;
pub use achieved::Achieved;
pub use beta_likeness::{BetaLikeness, LikenessForm};
pub use conjunction::Criteria;
pub use delta_presence::DeltaPresence;
pub use distance::{Distance, ValueTree, nkld};
pub use distinct_l_diversity::DistinctLDiversity;
pub use entropy_l_diversity::EntropyLDiversity;
pub use excludes::{Allowed, Excludes, MOST, OUT_OF, excludes};
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use multi_attribute_l_diversity::{Diversity, MultiAttributeLDiversity};
pub use pd_recursive_l_diversity::{NpdRecursiveLDiversity, PdRecursiveLDiversity};
pub use recursive_l_diversity::RecursiveLDiversity;
pub use t_closeness::TCloseness;
pub use values_only::ValuesOnly;

use std::fmt::Debug;

/// Whether rows may be suppressed: it decides which criteria and metrics are monotone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Suppression {
    /// No row may be suppressed.
    Forbidden,
    /// Some rows may be suppressed.
    Allowed,
}

impl Suppression {
    /// The meaning of a limit in rows.
    pub fn up_to(rows: u64) -> Suppression {
        if rows == 0 { Suppression::Forbidden } else { Suppression::Allowed }
    }
}

/// What generalizing further does to a criterion: "anonymous ⇒ every generalization anonymous"?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Monotonicity {
    /// The whole criterion is monotone.
    Full,
    /// A necessary part of it is (a smallest class size, or a member of the combination).
    Partly,
    /// Nothing usable is.
    None,
}

/// What a criterion must be told about a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Position of the sensitive column whose distribution it reads.
    pub sensitive: Option<usize>,
    /// Whether it reads the class's size in the population.
    pub population: bool,
}

/// A predicate on one equivalence class.
pub trait ClassCriterion: Debug + Send + Sync {
    /// Which statistics of the class are read.
    fn needs(&self) -> Needs;
    /// Whether a generalization of an anonymous table is anonymous again.
    fn is_monotone(&self, suppression: Suppression) -> bool;
    /// A class with fewer rows than this never passes; 1 when nothing is implied.
    fn implied_class_size(&self) -> u64;
    /// Whether a class that holds still holds when more people join it, whoever they are and whatever they show. Then a class that fails has
    /// no part that holds, and generalizing keeps the criterion whatever is suppressed.
    ///
    /// A person may be in both classes that are merged and is then counted once, so a merged distribution is no mixture of its parts:
    /// what convexity proves for rows does not carry over to people.
    fn more_people_never_hurt(&self) -> bool {
        false
    }
    /// A class with fewer people than this never passes; 1 when nothing is implied. One person may show many values.
    fn implied_people(&self) -> u64 {
        1
    }
    /// Whether a class holds exactly if it has the [implied size](Self::implied_class_size).
    fn is_a_class_size(&self) -> bool {
        false
    }
    /// Whether the class may be released.
    fn holds(&self, class: &Class<'_>) -> bool;
    /// Rows of a failing class that are left out whatever is done: however the class is split and whichever of the parts are
    /// suppressed. Never more than that, so that the sum over all classes says when every specialization fails, too.
    ///
    /// Parts that hold, merged, hold again (each criterion that answers more than 0 here is closed under merging), so the rows that
    /// stay are a subset of the class that holds; the largest such subset bounds them.
    fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        if self.is_monotone(Suppression::Allowed) && !self.holds(class) { class.rows } else { 0 }
    }
    /// Records how well the class does, for the report.
    fn gauge(&self, class: &Class<'_>, achieved: &mut Achieved);
    /// Whether a class known only from the population can violate the criterion. Such a violation cannot be
    /// suppressed away, since there is no row to suppress.
    fn judges_absent_classes(&self) -> bool {
        false
    }
    /// Records what a class known only from the population means for the report.
    fn gauge_absent(&self, _: &mut Achieved) {}
    /// Where the model also has a limit that no parameter moves: the criterion of the bound that was set, without that limit.
    fn own_bound(&self) -> Option<Box<dyn ClassCriterion>> {
        None
    }
}

#[cfg(test)]
mod tests;
