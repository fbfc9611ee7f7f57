//! From a chosen node to what is released: the fate of every tuple, the losses, and how well each criterion is kept.

use crate::criteria::Achieved;
use crate::grouping::Class;
use crate::lattice::Node;
use crate::quality::Metric;
use crate::search::{Care, LocalChecker};

/// What becomes of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Released.
    Kept,
    /// Left out.
    Suppressed,
}

/// A chosen node applied to the table: only this makes a release.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The node.
    pub node: Node,
    /// By tuple of the frequency table.
    pub fates: Vec<Fate>,
    /// Rows left out.
    pub suppressed_rows: u64,
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

impl Solution {
    /// Calls `visit` with every class under a node, whatever its fate; a class known only from the population has no rows.
    pub fn visit_classes(checker: &LocalChecker<'_>, node: &Node, mut visit: impl FnMut(&Class<'_>)) {
        checker.grouper().group_table(node).visit(0, |_, class| visit(class));
    }

    /// Applies a node, anonymous or not, to the table behind a checker.
    pub fn at(checker: &LocalChecker<'_>, node: &Node) -> Solution {
        let classes = checker.grouper().group_table(node);
        let mut fate_of_class = vec![Fate::Suppressed; classes.len()];
        let judgement = checker.judge(&classes, true, Care::Thorough, |class, kept| {
            if kept {
                fate_of_class[class] = Fate::Kept;
            }
        });
        let class_of = checker.grouper().class_of_tuples(node);
        let criteria = checker.input().criteria;
        let mut achieved = vec![Achieved::default(); criteria.members().len()];
        let mut sizes = std::collections::BTreeMap::new();
        classes.visit(0, |number, class| {
            if class.rows == 0 {
                for (criterion, achieved) in criteria.members().iter().zip(&mut achieved) {
                    criterion.gauge_absent(achieved);
                }
            } else if fate_of_class[number] == Fate::Kept {
                *sizes.entry(class.rows).or_insert(0) += 1;
                for (criterion, achieved) in criteria.members().iter().zip(&mut achieved) {
                    criterion.gauge(class, achieved);
                }
            }
        });
        let outcome = &judgement.outcome;
        let value = |metric: Metric| metric.as_defined(metric.loss(checker.quality(), outcome));
        Solution {
            node: node.clone(),
            fates: class_of.into_iter().map(|class| fate_of_class[class as usize]).collect(),
            suppressed_rows: outcome.suppressed_rows,
            classes: outcome.kept_classes,
            smallest_class: sizes.first_key_value().map_or(0, |(&size, _)| size),
            largest_class: sizes.last_key_value().map_or(0, |(&size, _)| size),
            class_sizes: sizes.into_iter().collect(),
            losses: Metric::ALL.into_iter().map(|metric| (metric, value(metric))).collect(),
            achieved,
            holds: outcome.suppressed_rows <= checker.input().suppression_limit
                && !judgement.absent_class_fails,
        }
    }
}
