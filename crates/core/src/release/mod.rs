//! From a chosen node to what is released: the fate of every tuple, the losses, and how well each criterion is kept.

mod boxes;
mod fates;
mod figures;

pub use boxes::{Boxes, LabelBox};
pub use fates::{Fate, Fates, SuppressedClasses};
pub use figures::Figures;

use crate::criteria::Achieved;
use crate::grouping::{Class, Classes};
use crate::lattice::Node;
use crate::quality::Metric;
use crate::search::{CheckError, Depth, Judgement, LocalChecker, PeopleChecker};
use crate::table::People;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A chosen node applied to the table: only this makes a release.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The node. With a box for every class: the highest level that each column shows.
    pub node: Node,
    /// The boxes, where every class has one of its own; `None` where all show the node's levels.
    pub boxes: Option<Arc<Boxes>>,
    /// What becomes of every tuple.
    pub fates: Fates,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Where people are counted: how many there are, and how many lose a row. Class sizes are then people.
    pub people: Option<PeopleKept>,
    /// Classes released.
    pub classes: u64,
    /// Rows of the smallest released class; 0 when nothing is released.
    pub smallest_class: u64,
    /// Rows of the largest released class.
    pub largest_class: u64,
    /// Sizes of the released classes and how many classes have them, ascending.
    pub class_sizes: Vec<(u64, u64)>,
    /// Every metric, as the literature defines it.
    pub losses: Vec<(Metric, f64)>,
    /// By criterion, in the order given: the figures of the worst released class.
    pub achieved: Vec<Achieved>,
    /// Whether all criteria hold within the suppression limit.
    pub holds: bool,
}

/// People before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeopleKept {
    /// People in the table.
    pub people: u64,
    /// People who lose at least one row.
    pub losing: u64,
}

impl Solution {
    /// Applies a node, anonymous or not, where people are counted.
    pub fn of_people(checker: &PeopleChecker<'_>, node: &Node) -> Solution {
        let counted = checker.count(node);
        let fate = |is_kept: bool| if is_kept { Fate::Kept } else { Fate::Suppressed };
        // A tuple that only the population has is in no release.
        let all = counted.kept_rows.iter().zip(checker.table().rows());
        let tuples = all.map(|(&kept, &rows)| fate(kept > 0 || rows == 0)).collect();
        let fates = match counted.gone.is_empty() {
            true => Fates::OfTuples(tuples),
            false => Fates::OfPeople { tuples, people: by_number(checker.people(), &counted.gone) },
        };
        let rows = checker.rows();
        let even = rows.quality().even();
        let value = |metric: Metric| metric.as_defined(metric.loss(&even, &counted.outcome));
        Solution {
            node: node.clone(),
            boxes: None,
            fates,
            suppressed_rows: counted.outcome.suppressed_rows,
            people: Some(PeopleKept { people: checker.people().len() as u64, losing: counted.losing }),
            classes: counted.classes,
            smallest_class: counted.sizes.first_key_value().map_or(0, |(&size, _)| size),
            largest_class: counted.sizes.last_key_value().map_or(0, |(&size, _)| size),
            class_sizes: counted.sizes.into_iter().collect(),
            losses: Metric::ALL.into_iter().map(|metric| (metric, value(metric))).collect(),
            achieved: counted.achieved,
            holds: counted.losing <= rows.input().suppression_limit && !counted.absent_class_fails,
        }
    }

    /// Where everybody has one row, counting rows counts people.
    pub(crate) fn of_one_row_each(mut self, people: u64) -> Solution {
        self.people = Some(PeopleKept { people, losing: self.suppressed_rows });
        self
    }

    /// Calls `visit` with every class under a node, whatever its fate; a class known only from the population has no rows.
    pub fn visit_classes(
        checker: &LocalChecker<'_>,
        node: &Node,
        mut visit: impl FnMut(&Class<'_>),
    ) -> Result<(), CheckError> {
        checker.visit_parts(node, |classes| {
            classes.visit(0, |_, class| visit(class));
            ControlFlow::Continue(())
        })?;
        Ok(())
    }

    /// Applies a node, anonymous or not, to the table behind a checker.
    pub fn at(checker: &LocalChecker<'_>, node: &Node) -> Result<Solution, CheckError> {
        let mut gauges = Gauges::new(checker);
        let fates = match checker.grouper().group_table(node) {
            Some(classes) => {
                let fate_of_class = gauges.judge(checker, &classes);
                let class_of = checker.grouper().class_of_tuples(node);
                Fates::OfTuples(class_of.into_iter().map(|class| fate_of_class[class as usize]).collect())
            }
            None => {
                let layout = checker.grouper().layout.clone();
                let mut suppressed = SuppressedClasses::none(layout, checker.input().ladders, node);
                checker.visit_parts(node, |classes| {
                    for (class, fate) in gauges.judge(checker, classes).into_iter().enumerate() {
                        if fate == Fate::Suppressed && classes.rows(class) > 0 {
                            suppressed.insert(classes, class);
                        }
                    }
                    ControlFlow::Continue(())
                })?;
                Fates::AllBut(suppressed)
            }
        };
        Ok(gauges.conclude(checker, node, fates))
    }
}

/// Who is kept, by the numbers that people were given.
fn by_number(people: &People, gone: &[bool]) -> Vec<Fate> {
    let most = people.numbers().last().map_or(0, |&last| last as usize + 1);
    let mut fates = vec![Fate::Suppressed; most];
    for (&number, &gone) in people.numbers().iter().zip(gone) {
        if !gone {
            fates[number as usize] = Fate::Kept;
        }
    }
    fates
}

/// What is found out about classes, part by part.
struct Gauges {
    judgement: Option<Judgement>,
    achieved: Vec<Achieved>,
    sizes: BTreeMap<u64, u64>,
}

impl Gauges {
    fn new(checker: &LocalChecker<'_>) -> Gauges {
        let achieved = vec![Achieved::default(); checker.input().criteria.members().len()];
        Gauges { judgement: None, achieved, sizes: BTreeMap::new() }
    }

    /// Adds classes; their fates.
    fn judge(&mut self, checker: &LocalChecker<'_>, classes: &Classes) -> Vec<Fate> {
        let mut fates = vec![Fate::Suppressed; classes.len()];
        let judgement = checker.judge(classes, true, Depth::Full, |class, kept| {
            if kept {
                fates[class] = Fate::Kept;
            }
        });
        match &mut self.judgement {
            None => self.judgement = Some(judgement),
            Some(so_far) => so_far.add(judgement),
        }
        let members = checker.input().criteria.members();
        classes.visit(0, |number, class| {
            if class.rows == 0 {
                for (criterion, achieved) in members.iter().zip(&mut self.achieved) {
                    criterion.gauge_absent(achieved);
                }
            } else if fates[number] == Fate::Kept {
                *self.sizes.entry(class.rows).or_insert(0) += 1;
                for (criterion, achieved) in members.iter().zip(&mut self.achieved) {
                    criterion.gauge(class, achieved);
                }
            }
        });
        fates
    }

    fn conclude(self, checker: &LocalChecker<'_>, node: &Node, fates: Fates) -> Solution {
        let judgement = self.judgement.unwrap_or_else(|| Judgement::empty(node));
        let outcome = &judgement.outcome;
        let even = checker.quality().even();
        let value = |metric: Metric| metric.as_defined(metric.loss(&even, outcome));
        Solution {
            node: node.clone(),
            boxes: None,
            fates,
            suppressed_rows: outcome.suppressed_rows,
            people: None,
            classes: outcome.kept_classes,
            smallest_class: self.sizes.first_key_value().map_or(0, |(&size, _)| size),
            largest_class: self.sizes.last_key_value().map_or(0, |(&size, _)| size),
            class_sizes: self.sizes.into_iter().collect(),
            losses: Metric::ALL.into_iter().map(|metric| (metric, value(metric))).collect(),
            achieved: self.achieved,
            holds: outcome.suppressed_rows <= checker.input().suppression_limit
                && !judgement.absent_class_fails,
        }
    }
}
