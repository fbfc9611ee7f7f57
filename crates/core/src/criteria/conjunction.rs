//! Several criteria at once.

use super::{ClassCriterion, KAnonymity, Monotonicity, Needs, Suppression};
use crate::grouping::Class;
use std::sync::Arc;

/// A conjunction of criteria, judged class by class: a class that fails one member is suppressed as a whole. Clones share the members.
#[derive(Debug, Clone)]
pub struct Criteria {
    members: Arc<[Box<dyn ClassCriterion>]>,
    monotone: Vec<bool>,
    least_class_size: u64,
    assume_monotone: bool,
}

impl Criteria {
    /// The conjunction of these criteria. `suppression` decides which of them are monotone.
    pub fn new(members: Vec<Box<dyn ClassCriterion>>, suppression: Suppression) -> Criteria {
        let monotone = members.iter().map(|member| member.is_monotone(suppression)).collect();
        let least_class_size =
            members.iter().map(|member| member.implied_class_size()).max().unwrap_or(1).max(1);
        Criteria { members: members.into(), monotone, least_class_size, assume_monotone: false }
    }

    /// The conjunction of these criteria where people are counted instead of rows.
    pub fn over_people(members: Vec<Box<dyn ClassCriterion>>) -> Criteria {
        let monotone = members.iter().map(|member| member.more_people_never_hurt()).collect();
        let least_class_size = members.iter().map(|member| member.implied_people()).max().unwrap_or(1).max(1);
        Criteria { members: members.into(), monotone, least_class_size, assume_monotone: false }
    }

    /// The same criteria over rows where so much may be suppressed, which decides which of them are monotone.
    pub(crate) fn suppressing(&self, suppression: Suppression) -> Criteria {
        let monotone = self.members.iter().map(|member| member.is_monotone(suppression)).collect();
        let implied = self.members.iter().map(|member| member.implied_class_size());
        let least_class_size = implied.max().unwrap_or(1).max(1);
        Criteria { monotone, least_class_size, ..self.clone() }
    }

    /// The [least class size](Self::least_class_size) and nothing else.
    pub fn class_size_alone(&self) -> Criteria {
        let size: Box<dyn ClassCriterion> = Box::new(KAnonymity { k: self.least_class_size });
        Criteria::new(vec![size], Suppression::Allowed)
    }

    /// Whether a class that holds still holds when more people join it: then the largest set of people in which every class holds is
    /// unique.
    pub fn more_people_never_hurt(&self) -> bool {
        self.members.iter().all(|member| member.more_people_never_hurt())
    }

    /// Takes the whole conjunction for monotone, proven or not: faster, usually still optimal, no guarantee.
    pub fn assuming_monotonicity(mut self) -> Criteria {
        self.assume_monotone = true;
        self
    }

    /// The same criteria, with what is proven of them only.
    pub fn without_assumptions(&self) -> Criteria {
        Criteria { assume_monotone: false, ..self.clone() }
    }

    /// Whether monotonicity was assumed where it is not proven.
    pub fn assumes_more_than_is_proven(&self) -> bool {
        self.assume_monotone && !self.monotone.iter().all(|&m| m)
    }

    /// The members, in the order given.
    pub fn members(&self) -> &[Box<dyn ClassCriterion>] {
        &self.members
    }

    /// What the search may conclude from one verdict about others.
    pub fn monotonicity(&self) -> Monotonicity {
        if self.assume_monotone || self.monotone.iter().all(|&m| m) {
            Monotonicity::Full
        } else if self.monotone.iter().any(|&m| m) || self.least_class_size >= 2 {
            Monotonicity::Partly
        } else {
            Monotonicity::None
        }
    }

    /// The largest class size that a member implies; 1 when none does.
    pub fn least_class_size(&self) -> u64 {
        self.least_class_size
    }

    /// Whether a class holds exactly if it has the [least size](Self::least_class_size).
    pub(crate) fn are_a_class_size(&self) -> bool {
        self.members.iter().all(|member| member.is_a_class_size())
    }

    /// Positions of the sensitive columns that are read, and whether a population is.
    pub fn needs(&self) -> (Vec<usize>, bool) {
        let needs: Vec<Needs> = self.members.iter().map(|member| member.needs()).collect();
        let mut sensitive: Vec<usize> = needs.iter().filter_map(|need| need.sensitive).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        (sensitive, needs.iter().any(|need| need.population))
    }

    /// Whether a class may be released.
    pub fn hold(&self, class: &Class<'_>) -> bool {
        class.rows >= self.least_class_size && self.members.iter().all(|member| member.holds(class))
    }

    /// Whether a class passes the monotone part: the implied class size and the members that are monotone.
    /// A class that fails it fails the whole conjunction.
    pub fn monotone_part_holds(&self, class: &Class<'_>) -> bool {
        if self.assume_monotone {
            return self.hold(class);
        }
        let mut proven = self.members.iter().zip(&self.monotone).filter(|&(_, &monotone)| monotone);
        class.rows >= self.least_class_size && proven.all(|(member, _)| member.holds(class))
    }

    /// Rows of a failing class that are left out in this node and in every specialization of it, at least.
    pub fn fewest_suppressed(&self, class: &Class<'_>) -> u64 {
        if class.rows < self.least_class_size || self.assume_monotone {
            return class.rows;
        }
        self.members.iter().map(|member| member.fewest_suppressed(class)).max().unwrap_or(0)
    }

    /// Whether some member judges classes that have no row of the table.
    pub fn judge_absent_classes(&self) -> bool {
        self.members.iter().any(|member| member.judges_absent_classes())
    }

    /// Whether a class without rows of the table is acceptable.
    pub fn absent_class_holds(&self, class: &Class<'_>) -> bool {
        self.members.iter().filter(|member| member.judges_absent_classes()).all(|member| member.holds(class))
    }
}
