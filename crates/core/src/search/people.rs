//! The checker that counts people: a class is as large as the number of different people in it.

use super::local::pressure;
use super::{CheckError, Checker, LocalChecker, SearchInput, Verdict};
use crate::criteria::{Achieved, Criteria};
use crate::grouping::{Class, ClassPeople, GroupingStats, PeopleInClasses};
use crate::lattice::{Lattice, Node};
use crate::quality::{Metric, Outcome};
use crate::table::{FrequencyTable, People};
use std::collections::BTreeMap;

/// Checks nodes where a person may have several rows.
///
/// Two programs in one. The *relaxation* takes every presence of a person in a tuple for a person of its own: class sizes are sums again,
/// never too small, and the kernels for rows apply. A node that fails there with all its specializations fails here, too
/// ([`People::presences_within`] says when). What it lets pass is counted exactly, person by person.
#[derive(Debug)]
pub struct PeopleChecker<'a> {
    table: &'a FrequencyTable,
    people: &'a People,
    rows: LocalChecker<'a>,
    relaxed: LocalChecker<'a>,
}

/// A node applied, with everything a release needs to know.
pub(crate) struct CountedNode {
    pub(crate) outcome: Outcome,
    /// By class: whether it is released.
    pub(crate) kept: Vec<bool>,
    /// By tuple: the class.
    pub(crate) class_of: Vec<u32>,
    /// People who lose a row.
    pub(crate) losing: u64,
    /// Of these, people in classes that no generalization of a specialization can mend.
    losing_for_certain: u64,
    /// People in the released classes and how many classes have so many.
    pub(crate) sizes: BTreeMap<u64, u64>,
    pub(crate) achieved: Vec<Achieved>,
}

impl<'a> PeopleChecker<'a> {
    /// A checker of nodes. The limit of `input` is a number of people, its criteria are
    /// [over people](Criteria::over_people), and `relaxation` is their [class size alone](Criteria::class_size_alone).
    pub(crate) fn new(
        input: SearchInput<'a>,
        table: &'a FrequencyTable,
        people: &'a People,
        relaxation: &'a Criteria,
    ) -> PeopleChecker<'a> {
        let relaxed = LocalChecker::new(SearchInput {
            table: people.presences(),
            ladders: input.ladders,
            weights: input.weights,
            criteria: relaxation,
            metric: Metric::Height,
            suppression_limit: people.presences_within(input.suppression_limit),
            history_bytes: input.history_bytes,
        });
        PeopleChecker { table, people, rows: LocalChecker::new(input), relaxed }
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        self.relaxed.stats()
    }

    /// The checker of rows behind it: table, ladders, metric and limit.
    pub fn rows(&self) -> &LocalChecker<'a> {
        &self.rows
    }

    /// The people.
    pub fn people(&self) -> &'a People {
        self.people
    }

    /// Applies a node and counts.
    pub(crate) fn count(&self, node: &Node, with_figures: bool) -> CountedNode {
        let input = self.rows.input();
        let class_of = self.rows.grouper().class_of_tuples(node);
        let classes = class_of.iter().max().map_or(0, |&last| last as usize + 1);
        let criteria = input.criteria;
        let mut kept = vec![false; classes];
        let mut fails_for_certain = vec![false; classes];
        let mut achieved = vec![Achieved::default(); criteria.members().len()];
        let mut sizes = BTreeMap::new();
        let mut judge = |number: usize, found: &ClassPeople<'_>| {
            let class = found.class();
            if criteria.hold(&class) {
                kept[number] = true;
                if with_figures {
                    *sizes.entry(class.rows).or_insert(0) += 1;
                    for (criterion, achieved) in criteria.members().iter().zip(&mut achieved) {
                        criterion.gauge(&class, achieved);
                    }
                }
            } else {
                fails_for_certain[number] = !criteria.monotone_part_holds(&class);
            }
        };
        let mut found = PeopleInClasses::new(self.people, &class_of, classes);
        if criteria.needs().0.is_empty() {
            found.visit_sizes(&mut judge);
        } else {
            found.visit(&class_of, criteria.least_class_size(), &mut judge);
        }
        let losing = |fails: &dyn Fn(u32) -> bool| {
            self.people
                .each()
                .filter(|tuples| tuples.iter().any(|&tuple| fails(class_of[tuple as usize])))
                .count() as u64
        };
        let losing_for_certain = losing(&|class| fails_for_certain[class as usize]);
        let losing = losing(&|class| !kept[class as usize]);
        let outcome = self.outcome(node, &class_of, &kept, with_figures);
        CountedNode { outcome, kept, class_of, losing, losing_for_certain, sizes, achieved }
    }

    /// Calls `visit` with every class under a node, with its values.
    pub fn visit_classes(&self, node: &Node, mut visit: impl FnMut(&Class<'_>)) {
        let class_of = self.rows.grouper().class_of_tuples(node);
        let classes = class_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut found = PeopleInClasses::new(self.people, &class_of, classes);
        found.visit(&class_of, 0, |_, found| visit(&found.class()));
    }

    /// What metrics ask for. They count rows.
    fn outcome(&self, node: &Node, class_of: &[u32], kept: &[bool], all: bool) -> Outcome {
        let input = self.rows.input();
        let mut rows = vec![0u64; kept.len()];
        for (&class, &count) in class_of.iter().zip(self.table.rows()) {
            rows[class as usize] += u64::from(count);
        }
        let square = |rows: u64| u128::from(rows) * u128::from(rows);
        let of =
            |fate: bool| rows.iter().zip(kept).filter(move |&(_, &kept)| kept == fate).map(|(&rows, _)| rows);
        let kept_squares: u128 = of(true).map(square).sum();
        let suppressed_squares: u128 = of(false).map(square).sum();
        let mut suppressed_values = Vec::new();
        if all || input.metric.reads_suppressed_values() {
            for (column, (ladder, &level)) in input.ladders.iter().zip(node.levels()).enumerate() {
                let groups = &ladder.rung(level).group_of;
                let mut values = vec![0u64; ladder.cardinality(level)];
                self.table.column(column).each(|tuple, code| {
                    if !kept[class_of[tuple] as usize] {
                        values[groups[code as usize] as usize] += u64::from(self.table.rows()[tuple]);
                    }
                });
                suppressed_values.push(values);
            }
        }
        Outcome {
            node: node.clone(),
            suppressed_rows: of(false).sum(),
            kept_classes: kept.iter().filter(|&&kept| kept).count() as u64,
            kept_squares,
            all_squares: kept_squares + suppressed_squares,
            suppressed_values,
        }
    }

    fn verdict(&self, node: &Node) -> Verdict {
        let input = self.rows.input();
        let limit = input.suppression_limit;
        let counted = self.count(node, false);
        let holds = counted.losing <= limit;
        let certain = counted.losing_for_certain > limit;
        Verdict {
            monotone_part_holds: !certain,
            refuted: certain.then(|| node.clone()),
            sizes_pass: true,
            pressure: pressure(counted.losing_for_certain, limit),
            holds,
            loss: if holds {
                input.metric.loss(self.rows.quality(), &counted.outcome)
            } else {
                f64::INFINITY
            },
            suppressed_rows: counted.outcome.suppressed_rows,
            bound_above: f64::NEG_INFINITY,
            bound_below: f64::NEG_INFINITY,
            spared: None,
        }
    }
}

impl Checker for PeopleChecker<'_> {
    fn check(&self, node: &Node) -> Result<Verdict, CheckError> {
        Ok(self.verdict(node))
    }

    fn look(&self, node: &Node) -> Result<Verdict, CheckError> {
        let relaxed = self.relaxed.look(node)?;
        match relaxed.refuted {
            Some(_) => {
                Ok(Verdict { holds: false, loss: f64::INFINITY, monotone_part_holds: false, ..relaxed })
            }
            None => Ok(self.verdict(node)),
        }
    }

    fn loss_bound(&self, node: &Node) -> f64 {
        self.rows.loss_bound(node)
    }

    fn bounds_grow(&self) -> bool {
        self.rows.bounds_grow()
    }

    fn loss_bounds(&self, lattice: &Lattice) -> Vec<f64> {
        self.rows.loss_bounds(lattice)
    }

    // Where nobody may lose a row, a row in too small a class of presences is in too small a class of people.
    fn suspects(&self, node: &Node) -> Vec<usize> {
        self.relaxed.suspects(node)
    }

    fn exposed(&self, node: &Node) -> Vec<usize> {
        self.relaxed.exposed(node)
    }

    fn exposing(&self, row: usize, lattice: &Lattice) -> Vec<bool> {
        self.relaxed.exposing(row, lattice)
    }

    fn detail(&self, column: usize, level: u8) -> f64 {
        self.rows.detail(column, level)
    }
}
