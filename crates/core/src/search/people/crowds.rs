//! Verdicts without counting everybody.

use super::{PeopleChecker, refuted, suppression_ratio};
use crate::grouping::Crowds;
use crate::lattice::Node;
use crate::search::Verdict;
use crate::table::PersonRows;

impl PeopleChecker<'_> {
    /// Whether rows decide about most classes: where more people never hurt, and rows are kept or left out class by class.
    pub(super) fn judges_crowds(&self) -> bool {
        let criteria = self.rows.input().criteria;
        self.people.person_rows() == PersonRows::Apart
            && criteria.more_people_never_hurt()
            && !criteria.needs().1
    }

    /// The same verdict as [by counting everybody](Self::verdict_by_counting).
    pub(in crate::search) fn verdict_of_crowds(&self, node: &Node) -> Verdict {
        let input = self.rows.input();
        let (class_of, classes) = self.grouped(node);
        let (limit, least) = (input.suppression_limit, input.criteria.least_class_size());
        let crowds = Crowds::new(self.people, &class_of, classes);
        let mut fails = crowds.too_small(least);
        let mut losing = crowds.losing(&fails);
        if losing > limit {
            // Nothing that the values say can mend it.
            return Verdict { sizes_pass: false, ..refuted(node, suppression_ratio(losing, limit)) };
        }
        if !input.criteria.needs().0.is_empty() {
            let too_small = fails.clone();
            crowds.judge(least, &mut fails, |class| input.criteria.hold(class));
            if fails != too_small {
                losing = crowds.losing(&fails);
            }
            if losing > limit {
                return refuted(node, suppression_ratio(losing, limit));
            }
        }
        let kept = class_of.iter().zip(self.table.rows());
        let kept: Vec<u32> =
            kept.map(|(&class, &rows)| if fails[class as usize] { 0 } else { rows }).collect();
        let outcome = self.outcome(node, (&class_of, classes), &kept, false);
        Verdict {
            monotone_part_holds: true,
            refuted: None,
            holds: true,
            loss: input.metric.loss(self.rows.quality(), &outcome),
            suppressed_rows: outcome.suppressed_rows,
            ..refuted(node, suppression_ratio(losing, limit))
        }
    }
}
