//! The checker over a table in memory.

use super::{Case, CheckError, Checker, Verdict};
use crate::criteria::Criteria;
use crate::grouping::{Classes, Codes, Grouper, GroupingStats};
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, Node};
use crate::quality::{Metric, Outcome, QualityModel};
use crate::table::FrequencyTable;
use std::ops::ControlFlow;

/// What a search over a local table needs to know.
#[derive(Debug)]
pub struct SearchInput<'a> {
    /// The distinct tuples.
    pub table: &'a FrequencyTable,
    /// One ladder per quasi-identifier.
    pub ladders: &'a [Ladder],
    /// One weight per quasi-identifier.
    pub weights: &'a [f64],
    /// What every released class must keep.
    pub criteria: &'a Criteria,
    /// What to minimise.
    pub metric: Metric,
    /// Most rows that may be suppressed.
    pub suppression_limit: u64,
    /// Memory for snapshots, in bytes.
    pub history_bytes: usize,
}

/// Checks nodes against a frequency table in memory.
#[derive(Debug)]
pub struct LocalChecker<'a> {
    input: SearchInput<'a>,
    grouper: Grouper<'a>,
    quality: QualityModel,
}

/// How much a check has to find out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// Everything.
    Thorough,
    /// That the node and all its specializations fail, if they do.
    UntilRefuted,
}

/// What became of each class, and its sums.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    pub(crate) outcome: Outcome,
    /// Rows in classes that fail the monotone part.
    pub(crate) rows_failing_part: u64,
    /// Rows that are left out in every specialization, too.
    pub(crate) fewest_left_out: u64,
    /// Rows of the classes that were tested.
    pub(crate) rows_seen: u64,
    /// Whether a class without rows violates a criterion, which no suppression can mend.
    pub(crate) absent_class_fails: bool,
}

impl<'a> LocalChecker<'a> {
    /// A checker for these nodes.
    pub fn new(input: SearchInput<'a>) -> LocalChecker<'a> {
        let grouper = Grouper::new(input.table, input.ladders, input.history_bytes);
        let least = input.criteria.least_class_size();
        let quality = QualityModel::new(input.table, input.ladders, input.weights, least);
        LocalChecker { input, grouper, quality }
    }

    /// The case of monotonicity that the criteria and the metric make.
    pub fn case(&self) -> Case {
        let suppression = if self.input.suppression_limit == 0 {
            crate::criteria::Suppression::Forbidden
        } else {
            crate::criteria::Suppression::Allowed
        };
        Case {
            criterion: self.input.criteria.monotonicity(),
            monotone_metric: self.input.metric.is_monotone(suppression),
        }
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        self.grouper.stats()
    }

    /// What the checker was made from.
    pub fn input(&self) -> &SearchInput<'a> {
        &self.input
    }

    pub(crate) fn grouper(&self) -> &Grouper<'a> {
        &self.grouper
    }

    /// What every column contributes to the metrics.
    pub fn quality(&self) -> &QualityModel {
        &self.quality
    }

    /// Tests every class, or as many as it takes; `on_class` hears whether it is kept.
    pub(crate) fn judge(
        &self,
        classes: &Classes,
        with_suppressed_values: bool,
        care: Care,
        mut on_class: impl FnMut(usize, bool),
    ) -> Judgement {
        let criteria = self.input.criteria;
        let levels = classes.node().levels();
        let suppressed_values = if with_suppressed_values {
            let cardinality = |(ladder, &level): (&Ladder, &u8)| vec![0; ladder.cardinality(level)];
            self.input.ladders.iter().zip(levels).map(cardinality).collect()
        } else {
            Vec::new()
        };
        let mut judgement = Judgement {
            outcome: Outcome {
                node: classes.node().clone(),
                suppressed_rows: 0,
                kept_classes: 0,
                kept_squares: 0,
                all_squares: 0,
                suppressed_values,
            },
            rows_failing_part: 0,
            fewest_left_out: 0,
            rows_seen: 0,
            absent_class_fails: false,
        };
        let judges_absent = criteria.judge_absent_classes();
        let most = match care {
            Care::Thorough => u64::MAX,
            Care::UntilRefuted => self.input.suppression_limit,
        };
        classes.visit_while(criteria.least_class_size(), |number, class| {
            let outcome = &mut judgement.outcome;
            if class.rows == 0 {
                judgement.absent_class_fails |= judges_absent && !criteria.absent_class_holds(class);
                return ControlFlow::Continue(());
            }
            let square = u128::from(class.rows) * u128::from(class.rows);
            outcome.all_squares += square;
            let kept = criteria.hold(class);
            if kept {
                outcome.kept_classes += 1;
                outcome.kept_squares += square;
            } else {
                outcome.suppressed_rows += class.rows;
                for (column, values) in outcome.suppressed_values.iter_mut().enumerate() {
                    values[classes.code(column, number) as usize] += class.rows;
                }
                if !criteria.monotone_part_holds(class) {
                    judgement.rows_failing_part += class.rows;
                    judgement.fewest_left_out += class.rows;
                } else {
                    judgement.fewest_left_out += criteria.fewest_left_out(class);
                }
            }
            on_class(number, kept);
            judgement.rows_seen += class.rows;
            if judgement.fewest_left_out > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        judgement
    }
}

/// Above 1 exactly if more rows are left out than allowed.
fn pressure(left_out: u64, limit: u64) -> f64 {
    (left_out as f64 + 0.5) / (limit as f64 + 0.75)
}

impl LocalChecker<'_> {
    fn verdict(&self, node: &Node, care: Care) -> Verdict {
        let metric = self.input.metric;
        let limit = self.input.suppression_limit;
        let least = self.input.criteria.least_class_size();
        let too_many = |rows: u64, refuted: Node| Verdict {
            monotone_part_holds: false,
            pressure: pressure(rows, limit),
            refuted: Some(refuted),
            holds: false,
            loss: f64::INFINITY,
            suppressed_rows: rows,
        };
        if let Some((rows, above)) = self.grouper.rows_below_in_some_columns(node, least)
            && rows > limit
        {
            return too_many(rows, above);
        }
        let sized = self.grouper.size_up(node);
        let too_small = sized.classes().rows_below(least);
        if too_small > limit {
            // Nothing that the sensitive values say can mend it.
            self.grouper.retire(sized);
            return too_many(too_small, node.clone());
        }
        let codes = if metric.reads_suppressed_values() { Codes::Wanted } else { Codes::NotWanted };
        let classes = self.grouper.complete(sized, codes);
        let judgement = self.judge(&classes, metric.reads_suppressed_values(), care, |_, _| {});
        // Merging never leaves a class emptier, so the test of absent classes is monotone whatever is suppressed.
        let present = !judgement.absent_class_fails;
        let strain = if present {
            // What was not looked at is taken to be like what was.
            let share = judgement.rows_seen.max(1) as f64 / self.input.table.row_count() as f64;
            let left_out = pressure(judgement.fewest_left_out, limit);
            if left_out > 1.0 { left_out / share.min(1.0) } else { left_out }
        } else {
            f64::INFINITY
        };
        let holds = judgement.outcome.suppressed_rows <= limit && present;
        Verdict {
            monotone_part_holds: judgement.rows_failing_part <= limit && present,
            refuted: (strain > 1.0).then(|| node.clone()),
            pressure: strain,
            holds,
            loss: if holds { metric.loss(&self.quality, &judgement.outcome) } else { f64::INFINITY },
            suppressed_rows: judgement.outcome.suppressed_rows,
        }
    }
}

impl Checker for LocalChecker<'_> {
    fn check(&self, node: &Node) -> Result<Verdict, CheckError> {
        Ok(self.verdict(node, Care::Thorough))
    }

    fn look(&self, node: &Node) -> Result<Verdict, CheckError> {
        Ok(self.verdict(node, Care::UntilRefuted))
    }

    fn loss_bound(&self, node: &Node) -> f64 {
        self.input.metric.bound_before_check(&self.quality, node)
    }

    fn bounds_grow(&self) -> bool {
        self.input.metric != Metric::Entropy
    }

    fn loss_bounds(&self, lattice: &Lattice) -> Vec<f64> {
        self.input.metric.bounds_before_check(&self.quality, lattice)
    }

    fn detail(&self, column: usize, level: u8) -> f64 {
        -self.quality.hidden_bits(column, level) / self.input.table.row_count() as f64
    }
}
