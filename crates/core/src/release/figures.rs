//! What a picture of many nodes shows of each: quicker than a [`Solution`](super::Solution), as no tuple is given its fate.

use super::Solution;
use crate::grouping::Classes;
use crate::lattice::Node;
use crate::quality::Metric;
use crate::search::{CheckError, Depth, Judgement, LocalChecker};
use std::ops::ControlFlow;

/// The figures of one node, anonymous or not. They are those of its solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The task's own metric, as the literature defines it.
    pub loss: f64,
    /// Rows left out.
    pub suppressed_rows: u64,
    /// Classes released.
    pub classes: u64,
    /// Rows of the smallest released class; 0 when nothing is released.
    pub smallest_class: u64,
    /// Whether all criteria hold within the suppression limit.
    pub holds: bool,
}

impl Figures {
    /// The figures of a node. Unlike a solution they are found from the classes of a specialization where those are known.
    pub(crate) fn at(checker: &LocalChecker<'_>, node: &Node) -> Result<Figures, CheckError> {
        let metric = checker.input().metric;
        let (mut smallest, mut whole) = (None::<u64>, None::<Judgement>);
        let mut add = |classes: &Classes| {
            let judged =
                checker.judge(classes, metric.reads_suppressed_values(), Depth::Full, |class, kept| {
                    if kept {
                        let rows = classes.rows(class);
                        smallest = Some(smallest.map_or(rows, |least| least.min(rows)));
                    }
                });
            match &mut whole {
                None => whole = Some(judged),
                Some(so_far) => so_far.add(judged),
            }
        };
        match checker.grouper().group(node) {
            Some(classes) => add(&classes),
            None => checker.visit_parts(node, |classes| {
                add(classes);
                ControlFlow::Continue(())
            })?,
        }
        let judgement = whole.unwrap_or_else(|| Judgement::empty(node));
        let outcome = &judgement.outcome;
        Ok(Figures {
            loss: metric.as_defined(metric.loss(&checker.quality().even(), outcome)),
            suppressed_rows: outcome.suppressed_rows,
            classes: outcome.kept_classes,
            smallest_class: smallest.unwrap_or(0),
            holds: outcome.suppressed_rows <= checker.input().suppression_limit
                && !judgement.absent_class_fails,
        })
    }

    /// The figures of a node that was applied.
    pub(crate) fn of(solution: &Solution, metric: Metric) -> Figures {
        Figures {
            loss: solution
                .losses
                .iter()
                .find(|(known, _)| *known == metric)
                .map_or(f64::NAN, |(_, loss)| *loss),
            suppressed_rows: solution.suppressed_rows,
            classes: solution.classes,
            smallest_class: solution.smallest_class,
            holds: solution.holds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{criteria, small_table, wishes};
    use proptest::prelude::*;

    proptest! {
        /// Roll-ups change no figure: one checker is asked for all nodes, from the finest on and back again.
        #[test]
        fn figures_are_those_of_the_solution(
            fixture in small_table(), wishes in wishes(), metric in prop::sample::select(&Metric::ALL), limit in 0u64..5,
        ) {
            let criteria = criteria(&wishes, &fixture.table, limit);
            let (checker, lattice) = (fixture.checker(&criteria, metric, limit), fixture.lattice());
            let count = lattice.node_count() as u64;
            for index in (0..count).chain((0..count).rev()) {
                let node = lattice.node(index);
                let solution = Solution::at(&checker, &node).unwrap();
                // As text: nothing released can make a loss that is no number.
                let figures = [Figures::at(&checker, &node).unwrap(), Figures::of(&solution, metric)];
                prop_assert_eq!(format!("{:?}", figures[0]), format!("{:?}", figures[1]), "{}", node);
            }
        }
    }
}
