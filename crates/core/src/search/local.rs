//! The checker over a table of this machine, in memory or read back in pieces.

use super::{Case, CheckError, Checker, Depth, Prior, Shortcuts, SizeCheck, Verdict};
use crate::criteria::{Criteria, Suppression};
use crate::grouping::{Classes, Codes, Grouper, GroupingStats, Rarity, Streamed, UseTally};
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, Node};
use crate::quality::{Balance, Metric, Outcome, QualityModel};
use crate::table::{TupleSource, TupleSourceError};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// The parts of a task that a checker looks at.
#[derive(Debug)]
pub(crate) struct SearchInput<'a> {
    /// The distinct tuples.
    pub table: &'a dyn TupleSource,
    /// One ladder per quasi-identifier.
    pub ladders: &'a [Ladder],
    /// One weight per quasi-identifier.
    pub weights: &'a [f64],
    /// What every released class must keep.
    pub criteria: &'a Criteria,
    /// What to minimise.
    pub metric: Metric,
    /// How much generalized and suppressed cells count.
    pub balance: Balance,
    /// Most rows that may be suppressed.
    pub suppression_limit: u64,
    /// Memory for snapshots, in bytes.
    pub history_bytes: usize,
}

/// Checks nodes against the tuples of a table: in memory, or in pieces where they are too many.
#[derive(Debug)]
pub struct LocalChecker<'a> {
    input: SearchInput<'a>,
    grouper: Grouper<'a>,
    streamed: Streamed<'a>,
    quality: QualityModel,
    /// Whether criteria and metric ask for nothing but the rows in too small classes.
    sizes_are_all: bool,
    /// Made when it is asked for.
    rarity: OnceLock<Rarity>,
}

/// What became of each class, and its sums.
#[derive(Debug, Clone)]
pub(crate) struct Judgement {
    pub(crate) outcome: Outcome,
    /// Rows in classes that fail the monotone part.
    pub(crate) rows_failing_part: u64,
    /// Rows that are left out in every specialization, too.
    pub(crate) fewest_suppressed: u64,
    /// Rows of the classes that were tested.
    pub(crate) rows_seen: u64,
    /// Whether a class without rows violates a criterion, which no suppression can mend.
    pub(crate) absent_class_fails: bool,
}

impl Judgement {
    /// No class seen yet.
    pub(crate) fn empty(node: &Node) -> Judgement {
        Judgement {
            outcome: Outcome {
                node: node.clone(),
                suppressed_rows: 0,
                kept_classes: 0,
                kept_squares: 0,
                all_squares: 0,
                suppressed_values: Vec::new(),
            },
            rows_failing_part: 0,
            fewest_suppressed: 0,
            rows_seen: 0,
            absent_class_fails: false,
        }
    }

    /// What was found of other classes of the same node: all figures are sums.
    pub(crate) fn add(&mut self, other: Judgement) {
        let (outcome, more) = (&mut self.outcome, other.outcome);
        outcome.suppressed_rows += more.suppressed_rows;
        outcome.kept_classes += more.kept_classes;
        outcome.kept_squares += more.kept_squares;
        outcome.all_squares += more.all_squares;
        for (values, more) in outcome.suppressed_values.iter_mut().zip(more.suppressed_values) {
            values.iter_mut().zip(more).for_each(|(rows, more)| *rows += more);
        }
        self.rows_failing_part += other.rows_failing_part;
        self.fewest_suppressed += other.fewest_suppressed;
        self.rows_seen += other.rows_seen;
        self.absent_class_fails |= other.absent_class_fails;
    }
}

impl<'a> LocalChecker<'a> {
    /// A checker for these nodes.
    pub(crate) fn new(input: SearchInput<'a>) -> LocalChecker<'a> {
        let least = input.criteria.least_class_size();
        let (grouper, quality) = rayon::join(
            || Grouper::new(input.table, input.ladders, input.history_bytes),
            || {
                let model = QualityModel::new(input.table, input.ladders, input.weights, least);
                model.balanced(match input.suppression_limit {
                    0 => input.balance.without_suppression(),
                    _ => input.balance,
                })
            },
        );
        let mut grouper = grouper.for_suppression(input.suppression_limit);
        if !input.criteria.judge_absent_classes() {
            grouper = grouper.without_absent_classes();
        }
        let metric = input.metric;
        let sizes_are_all = input.criteria.are_a_class_size()
            && !metric.reads_suppressed_values()
            && !metric.reads_class_sizes();
        LocalChecker {
            streamed: Streamed::new(input.table),
            input,
            grouper,
            quality,
            sizes_are_all,
            rarity: OnceLock::new(),
        }
    }

    /// The case of monotonicity that the criteria and the metric make.
    pub fn case(&self) -> Case {
        let suppression = Suppression::up_to(self.input.suppression_limit);
        Case::of(self.input.criteria, self.input.metric, suppression)
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        self.grouper.stats()
    }

    /// What the checker was made from.
    pub(crate) fn input(&self) -> &SearchInput<'a> {
        &self.input
    }

    pub(crate) fn grouper(&self) -> &Grouper<'a> {
        &self.grouper
    }

    /// Calls `visit` with the classes under a node, in several parts where they are too many for one, until it has seen enough.
    pub(crate) fn visit_parts(
        &self,
        node: &Node,
        mut visit: impl FnMut(&Classes) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError> {
        match self.grouper.group_table(node) {
            Some(classes) => {
                let _ = visit(&classes);
            }
            None => self.streamed.visit(&self.grouper, node, visit)?,
        }
        Ok(())
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
        depth: Depth,
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
        let mut judgement = Judgement::empty(classes.node());
        judgement.outcome.suppressed_values = suppressed_values;
        let judges_absent = criteria.judge_absent_classes();
        let most = match depth {
            Depth::Full => u64::MAX,
            Depth::UntilRefuted => self.input.suppression_limit,
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
                    judgement.fewest_suppressed += class.rows;
                } else {
                    judgement.fewest_suppressed += criteria.fewest_suppressed(class);
                }
            }
            on_class(number, kept);
            judgement.rows_seen += class.rows;
            if judgement.fewest_suppressed > most {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        judgement
    }
}

/// What the sizes of the classes said where they did not say enough.
#[derive(Default)]
struct Sizes {
    /// See [`Verdict::unrefuted_above`].
    unrefuted_above: Option<(Node, f64)>,
    /// By sizes alone, where they were tallied.
    suppression_ratio: Option<f64>,
}

/// Above 1 exactly if more rows are left out than allowed.
pub(super) fn suppression_ratio(left_out: u64, limit: u64) -> f64 {
    (left_out as f64 + 0.5) / (limit as f64 + 0.75)
}

impl LocalChecker<'_> {
    fn verdict(&self, node: &Node, depth: Depth) -> Result<Verdict, CheckError> {
        let Some(source) = self.grouper.source_for(node) else { return self.verdict_in_parts(node, depth) };
        let metric = self.input.metric;
        let limit = self.input.suppression_limit;
        let least = self.input.criteria.least_class_size();
        let unrefuted_above = match self.verdict_by_sizes(&source, node, UseTally::WhereItSaves) {
            ControlFlow::Break(verdict) => return Ok(verdict),
            ControlFlow::Continue(sizes) => sizes.unrefuted_above,
        };
        let sized = self.grouper.size_up(source, node);
        let lower_bound_above =
            metric.lower_bound_above(&self.quality, sized.classes(), limit).unwrap_or(f64::NEG_INFINITY);
        let too_small = sized.classes().rows_below(least);
        if too_small > limit {
            // Nothing that the sensitive values say can mend it.
            self.grouper.cache_sizes(sized);
            return Ok(Verdict {
                lower_bound_above,
                unrefuted_above,
                ..self.too_many(too_small, node.clone())
            });
        }
        let codes = if metric.reads_suppressed_values() { Codes::Wanted } else { Codes::NotWanted };
        let classes = self.grouper.complete(sized, codes);
        let judgement = self.judge(&classes, metric.reads_suppressed_values(), depth, |_, _| {});
        Ok(Verdict { lower_bound_above, unrefuted_above, ..self.conclude(node, &judgement) })
    }

    /// The verdict where the sizes of the classes are enough for one, or else what they said.
    fn verdict_by_sizes(
        &self,
        source: &Arc<Classes>,
        node: &Node,
        use_tally: UseTally,
    ) -> ControlFlow<Verdict, Sizes> {
        let limit = self.input.suppression_limit;
        let mut sizes = Sizes::default();
        let least = match u8::try_from(self.input.criteria.least_class_size()) {
            Ok(least) if least >= 2 => least,
            _ => return ControlFlow::Continue(sizes),
        };
        if let Some((tallied, above)) = self.grouper.tally_some_columns(source, node, least) {
            if tallied.rows_below > limit {
                return ControlFlow::Break(self.too_many(tallied.rows_below, above));
            }
            sizes.unrefuted_above =
                self.sizes_are_all.then(|| (above, suppression_ratio(tallied.rows_below, limit)));
        }
        if self.input.metric.reads_class_sizes() {
            // What the sizes say about the nodes above is worth more than the time.
            return ControlFlow::Continue(sizes);
        }
        let Some(tallied) = self.grouper.tally(source, node, least, use_tally) else {
            return ControlFlow::Continue(sizes);
        };
        let unrefuted_above = sizes.unrefuted_above.take();
        let verdict = if tallied.rows_below > limit {
            // Nothing that the sensitive values say can mend it.
            Verdict { unrefuted_above, ..self.too_many(tallied.rows_below, node.clone()) }
        } else if tallied.exact && self.sizes_are_all {
            let mut judgement = Judgement::empty(node);
            judgement.outcome.suppressed_rows = tallied.rows_below;
            judgement.rows_failing_part = tallied.rows_below;
            judgement.fewest_suppressed = tallied.rows_below;
            judgement.rows_seen = self.input.table.row_count();
            Verdict { unrefuted_above, ..self.conclude(node, &judgement) }
        } else {
            let suppression_ratio = Some(suppression_ratio(tallied.rows_below, limit));
            return ControlFlow::Continue(Sizes { unrefuted_above, suppression_ratio });
        };
        self.grouper.record_tally(Arc::clone(source), node, tallied);
        ControlFlow::Break(verdict)
    }

    /// The same over tuples that are not in memory.
    fn verdict_in_parts(&self, node: &Node, depth: Depth) -> Result<Verdict, CheckError> {
        let metric = self.input.metric;
        let limit = self.input.suppression_limit;
        let least = self.input.criteria.least_class_size();
        let (mut too_small, mut whole): (u64, Option<Judgement>) = (0, None);
        self.visit_parts(node, |classes| {
            too_small += classes.rows_below(least);
            if too_small > limit {
                return ControlFlow::Break(());
            }
            let judgement = self.judge(classes, metric.reads_suppressed_values(), depth, |_, _| {});
            let so_far = match whole.take() {
                None => judgement,
                Some(mut so_far) => {
                    so_far.add(judgement);
                    so_far
                }
            };
            let refuted = depth == Depth::UntilRefuted && so_far.fewest_suppressed > limit;
            whole = Some(so_far);
            if refuted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        match whole {
            Some(judgement) if too_small <= limit => Ok(self.conclude(node, &judgement)),
            _ => Ok(self.too_many(too_small, node.clone())),
        }
    }

    /// The least size of a class, where a single row in a smaller one fails a node.
    fn least_to_hide(&self) -> Option<u8> {
        let least = u8::try_from(self.input.criteria.least_class_size()).ok();
        least.filter(|&least| self.input.suppression_limit == 0 && least >= 2)
    }

    fn rarity(&self) -> &Rarity {
        self.rarity.get_or_init(|| self.grouper.rarity(|column| self.quality.value_counts(column)))
    }

    /// More rows are in too small classes than may be left out.
    fn too_many(&self, rows: u64, refuted: Node) -> Verdict {
        Verdict {
            monotone_part_holds: false,
            sizes_pass: false,
            suppression_ratio: suppression_ratio(rows, self.input.suppression_limit),
            refuted: Some(refuted),
            holds: false,
            loss: f64::INFINITY,
            suppressed_rows: rows,
            lower_bound_above: f64::NEG_INFINITY,
            lower_bound_below: f64::NEG_INFINITY,
            unrefuted_above: None,
        }
    }

    fn conclude(&self, node: &Node, judgement: &Judgement) -> Verdict {
        let metric = self.input.metric;
        let limit = self.input.suppression_limit;
        // Merging never leaves a class emptier, so the test of absent classes is monotone whatever is suppressed.
        let present = !judgement.absent_class_fails;
        let ratio = if present {
            // What was not looked at is taken to be like what was.
            let share = judgement.rows_seen.max(1) as f64 / self.input.table.row_count() as f64;
            let left_out = suppression_ratio(judgement.fewest_suppressed, limit);
            if left_out > 1.0 { left_out / share.min(1.0) } else { left_out }
        } else {
            f64::INFINITY
        };
        let holds = judgement.outcome.suppressed_rows <= limit && present;
        Verdict {
            monotone_part_holds: judgement.rows_failing_part <= limit && present,
            sizes_pass: true,
            refuted: (ratio > 1.0).then(|| node.clone()),
            suppression_ratio: ratio,
            holds,
            loss: if holds { metric.loss(&self.quality, &judgement.outcome) } else { f64::INFINITY },
            suppressed_rows: judgement.outcome.suppressed_rows,
            lower_bound_above: f64::NEG_INFINITY,
            lower_bound_below: metric.lower_bound_without(&self.quality, judgement.fewest_suppressed),
            unrefuted_above: None,
        }
    }
}

impl Checker for LocalChecker<'_> {
    fn check(&self, node: &Node, depth: Depth) -> Result<Verdict, CheckError> {
        self.verdict(node, depth)
    }

    fn prior(&self) -> &dyn Prior {
        self
    }

    fn shortcuts(&self) -> Option<&dyn Shortcuts> {
        Some(self)
    }
}

impl Prior for LocalChecker<'_> {
    fn lower_bound(&self, node: &Node) -> f64 {
        self.input.metric.bound_before_check(&self.quality, node)
    }

    fn lower_bounds(&self, lattice: &Lattice) -> Vec<f64> {
        self.input.metric.bounds_before_check(&self.quality, lattice)
    }

    fn bounds_grow(&self) -> bool {
        self.input.metric.bounds_grow()
    }

    fn verdicts_bound_above(&self) -> bool {
        // Without suppression counterexamples refute more, and few nodes are left to be checked.
        self.input.metric.reads_class_sizes() && self.input.suppression_limit > 0
    }

    fn suppression_ratio_at(&self, loss: f64) -> f64 {
        let rows = self.input.metric.most_suppressed(&self.quality, loss);
        rows.map_or(1.0, |rows| suppression_ratio(rows, self.input.suppression_limit).min(1.0))
    }

    fn information(&self, column: usize, level: u8) -> f64 {
        -self.quality.hidden_bits(column, level) / self.input.table.row_count() as f64
    }
}

impl Shortcuts for LocalChecker<'_> {
    fn check_sizes(&self, node: &Node) -> Result<SizeCheck, CheckError> {
        if let Some(source) = self.grouper.source_for(node).filter(|_| !self.sizes_are_all) {
            match self.verdict_by_sizes(&source, node, UseTally::Always) {
                ControlFlow::Break(verdict) => return Ok(SizeCheck::Decides(verdict)),
                ControlFlow::Continue(Sizes { suppression_ratio: Some(suppression_ratio), .. }) => {
                    return Ok(SizeCheck::Passes { suppression_ratio });
                }
                ControlFlow::Continue(_) => {}
            }
        }
        self.check(node, Depth::UntilRefuted).map(SizeCheck::Decides)
    }

    fn likely_counterexamples(&self, node: &Node) -> Vec<usize> {
        match self.least_to_hide() {
            Some(_) => self.grouper.suspects(node, self.rarity()),
            None => Vec::new(),
        }
    }

    fn counterexamples(&self, node: &Node) -> Vec<usize> {
        match self.least_to_hide() {
            Some(least) => self.grouper.exposed(node, least, self.rarity()),
            None => Vec::new(),
        }
    }

    fn refuted_by(&self, row: usize, lattice: &Lattice) -> Vec<bool> {
        let Some(least) = self.least_to_hide() else { return vec![false; lattice.node_count() as usize] };
        self.grouper.class_sizes(row, lattice).into_iter().map(|size| size < least).collect()
    }
}
