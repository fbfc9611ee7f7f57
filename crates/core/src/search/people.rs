//! The checker that counts people: a class is as large as the number of different people in it.

mod crowds;

use super::local::suppression_ratio;
use super::{CheckError, Checker, Depth, LocalChecker, Prior, SearchInput, Shortcuts, SizeCheck, Verdict};
use crate::criteria::{Achieved, Criteria};
use crate::grouping::{Class, GroupingStats, PeopleInClasses};
use crate::lattice::{Lattice, Node};
use crate::quality::{Metric, Outcome};
use crate::table::{FrequencyTable, People, PersonRows};
use std::collections::BTreeMap;

/// Checks nodes where a person may have several rows.
///
/// Two programs in one. The *relaxation* takes every presence of a person in a tuple for a person of its own: class sizes are sums again,
/// never too small, and the kernels for rows apply. A node that fails there with all its specializations fails here, too
/// (`People::presences_within` says when). What it lets pass is counted exactly, person by person.
///
/// The relaxation serves every [`PersonRows`]. Whoever has a row in a class of too few people loses it in all of them: with
/// [`Together`](PersonRows::Together) others follow, and with [`Set`](PersonRows::Set) classes are parts of these, with fewer people still.
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
    /// By tuple: rows that are released.
    pub(crate) kept_rows: Vec<u32>,
    /// By person: whether all rows are left out; empty where rows are kept or left out class by class.
    pub(crate) gone: Vec<bool>,
    /// People who lose a row.
    pub(crate) losing: u64,
    /// Whether a class that only the population has breaks a promise.
    pub(crate) absent_class_fails: bool,
    /// Released classes.
    pub(crate) classes: u64,
    /// Number of people per released class, and how many classes have that number.
    pub(crate) sizes: BTreeMap<u64, u64>,
    pub(crate) achieved: Vec<Achieved>,
}

/// Which classes fail.
struct Judged {
    /// By class.
    fails: Vec<bool>,
    /// By class: whether it fails with all its parts.
    fails_for_certain: Vec<bool>,
    absent_class_fails: bool,
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
        let relaxed = SearchInput {
            table: people.presences(),
            ladders: input.ladders,
            weights: input.weights,
            balance: input.balance,
            criteria: relaxation,
            metric: Metric::Height,
            suppression_limit: people.presences_within(input.suppression_limit),
            history_bytes: input.history_bytes,
        };
        let (rows, relaxed) = rayon::join(|| LocalChecker::new(input), || LocalChecker::new(relaxed));
        PeopleChecker { table, people, rows, relaxed }
    }

    /// What grouping has cost so far.
    pub fn stats(&self) -> GroupingStats {
        self.relaxed.stats()
    }

    /// The checker of rows behind it: table, ladders, metric and limit.
    pub fn rows(&self) -> &LocalChecker<'a> {
        &self.rows
    }

    /// The rows by tuple.
    pub(crate) fn table(&self) -> &'a FrequencyTable {
        self.table
    }

    /// The people.
    pub fn people(&self) -> &'a People {
        self.people
    }

    /// The class of rows of every tuple, and how many classes there are.
    fn grouped(&self, node: &Node) -> (Vec<u32>, usize) {
        self.rows.grouper().classes_of_tuples(node)
    }

    /// Classes that are too small fail, and all their parts do.
    fn judge_sizes(&self, found: &PeopleInClasses<'_>) -> Vec<bool> {
        let least = self.rows.input().criteria.least_class_size();
        let mut fails = vec![false; found.classes()];
        found.visit_sizes(|number, class| fails[number] = class.rows > 0 && class.rows < least);
        fails
    }

    /// The same for criteria that more people never hurt, and that ask for no population: a class holds if a few of its people are enough,
    /// so the others need not be looked at. What fails, fails for certain.
    fn judge_few(&self, found: &PeopleInClasses<'_>) -> Judged {
        let criteria = self.rows.input().criteria;
        let mut fails = self.judge_sizes(found);
        found.visit_few(criteria.least_class_size(), |number, class| {
            let holds = criteria.hold(class);
            fails[number] = !holds;
            holds
        });
        Judged { fails_for_certain: fails.clone(), fails, absent_class_fails: false }
    }

    fn judge(&self, found: &PeopleInClasses<'_>) -> Judged {
        let criteria = self.rows.input().criteria;
        let (read, population) = criteria.needs();
        if criteria.more_people_never_hurt() && !read.is_empty() && !population {
            return self.judge_few(found);
        }
        let mut judged = Judged {
            fails: vec![false; found.classes()],
            fails_for_certain: vec![false; found.classes()],
            absent_class_fails: false,
        };
        self.visit(found, |number, class| {
            if class.rows == 0 {
                judged.absent_class_fails |=
                    criteria.judge_absent_classes() && !criteria.absent_class_holds(class);
            } else if !criteria.hold(class) {
                judged.fails[number] = true;
                judged.fails_for_certain[number] = !criteria.monotone_part_holds(class);
            }
        });
        judged
    }

    /// Classes with what the criteria read.
    fn visit(&self, found: &PeopleInClasses<'_>, visit: impl FnMut(usize, &Class<'_>)) {
        let criteria = self.rows.input().criteria;
        if criteria.needs().0.is_empty() {
            found.visit_sizes(visit);
        } else {
            found.visit(criteria.least_class_size(), visit);
        }
    }

    /// Leaves people out until no class fails that somebody is in; what was found of the classes that are left, and how many people
    /// lose a row.
    ///
    /// With [`Together`](PersonRows::Together) nobody is left out who could stay: a class that fails has no part that holds, so whoever is
    /// in one is in no set of people whose classes all hold. With [`Set`](PersonRows::Set) people who are alike share all
    /// their classes, so that no other class loses anybody and one round is enough.
    ///
    /// Ends early when more than `most` people lose a row.
    fn leave_out(&self, found: &mut PeopleInClasses<'_>, mut judged: Judged, most: u64) -> (Judged, u64) {
        let person_rows = self.people.person_rows();
        if person_rows == PersonRows::Apart {
            let losing = found.losing(&judged.fails);
            return (judged, losing);
        }
        let mut losing = 0;
        loop {
            let more = found.leave_out(&judged.fails);
            losing += more;
            if more == 0 || losing > most || person_rows == PersonRows::Set {
                return (judged, losing);
            }
            judged = self.judge(found);
        }
    }

    /// Applies a node and counts.
    pub(crate) fn count(&self, node: &Node) -> CountedNode {
        let criteria = self.rows.input().criteria;
        let (class_of, classes) = self.grouped(node);
        let mut found = PeopleInClasses::new(self.people, &class_of, classes);
        let judged = self.judge(&found);
        let (judged, losing) = self.leave_out(&mut found, judged, u64::MAX);
        let mut achieved = vec![Achieved::default(); criteria.members().len()];
        let mut sizes = BTreeMap::new();
        self.visit(&found, |number, class| {
            if class.rows == 0 {
                for (criterion, achieved) in criteria.members().iter().zip(&mut achieved) {
                    criterion.gauge_absent(achieved);
                }
            } else if !judged.fails[number] {
                *sizes.entry(class.rows).or_insert(0) += 1;
                for (criterion, achieved) in criteria.members().iter().zip(&mut achieved) {
                    criterion.gauge(class, achieved);
                }
            }
        });
        let kept_rows = self.kept_rows(&found, &class_of, &judged.fails);
        let gone = match self.people.person_rows() {
            PersonRows::Apart => Vec::new(),
            PersonRows::Together | PersonRows::Set => {
                (0..self.people.len() as u32).map(|person| found.is_gone(person)).collect()
            }
        };
        CountedNode {
            outcome: self.outcome(node, (&class_of, classes), &kept_rows, true),
            kept_rows,
            gone,
            losing,
            absent_class_fails: judged.absent_class_fails,
            classes: sizes.values().sum(),
            sizes,
            achieved,
        }
    }

    /// Calls `visit` with every class under a node, whatever its fate, with its values.
    pub fn visit_classes(&self, node: &Node, mut visit: impl FnMut(&Class<'_>)) {
        let (class_of, classes) = self.grouped(node);
        PeopleInClasses::new(self.people, &class_of, classes).visit(0, |_, class| visit(class));
    }

    /// Calls `visit` with every class that is released under a node, with its values.
    pub fn visit_released(&self, node: &Node, mut visit: impl FnMut(&Class<'_>)) {
        let (class_of, classes) = self.grouped(node);
        let mut found = PeopleInClasses::new(self.people, &class_of, classes);
        let judged = self.judge(&found);
        let (judged, _) = self.leave_out(&mut found, judged, u64::MAX);
        found.visit(0, |number, class| {
            if class.rows > 0 && !judged.fails[number] {
                visit(class);
            }
        });
    }

    /// How many different people of the population are in the class of every tuple under a node, where a population is known.
    pub fn population_of_tuples(&self, node: &Node) -> Option<Vec<u32>> {
        let (class_of, classes) = self.grouped(node);
        let population = self.people.population_of(&class_of, classes)?;
        Some(class_of.into_iter().map(|class| population[class as usize]).collect())
    }

    /// What metrics ask for. They count rows, and rows with equal quasi-identifiers are a class to them, whoever has them.
    fn outcome(
        &self,
        node: &Node,
        (class_of, classes): (&[u32], usize),
        kept_rows: &[u32],
        all: bool,
    ) -> Outcome {
        let input = self.rows.input();
        let pairs = self.table.rows().iter().zip(kept_rows).enumerate();
        let lost: Vec<(usize, u64)> = pairs
            .filter(|(_, (rows, kept))| kept < rows)
            .map(|(tuple, (rows, kept))| (tuple, u64::from(rows - kept)))
            .collect();
        let (mut rows, mut kept) = (vec![0u64; classes], vec![0u64; classes]);
        if all || input.metric.reads_class_sizes() {
            for ((&class, &all), &stay) in class_of.iter().zip(self.table.rows()).zip(kept_rows) {
                rows[class as usize] += u64::from(all);
                kept[class as usize] += u64::from(stay);
            }
        }
        let squares =
            |rows: &[u64]| rows.iter().map(|&rows| u128::from(rows) * u128::from(rows)).sum::<u128>();
        let mut suppressed_values = Vec::new();
        if all || input.metric.reads_suppressed_values() {
            for (column, (ladder, &level)) in input.ladders.iter().zip(node.levels()).enumerate() {
                let groups = &ladder.rung(level).group_of;
                let mut values = vec![0u64; ladder.cardinality(level)];
                for &(tuple, lost) in &lost {
                    values[groups[self.table.column(column).get(tuple) as usize] as usize] += lost;
                }
                suppressed_values.push(values);
            }
        }
        Outcome {
            node: node.clone(),
            suppressed_rows: lost.iter().map(|&(_, lost)| lost).sum(),
            kept_classes: kept.iter().filter(|&&kept| kept > 0).count() as u64,
            kept_squares: squares(&kept),
            all_squares: squares(&rows),
            suppressed_values,
        }
    }

    fn verdict(&self, node: &Node) -> Verdict {
        match self.judges_crowds() {
            true => self.verdict_of_crowds(node),
            false => self.verdict_by_counting(node),
        }
    }

    /// Counts everybody in every class.
    pub(super) fn verdict_by_counting(&self, node: &Node) -> Verdict {
        let input = self.rows.input();
        let limit = input.suppression_limit;
        let (class_of, classes) = self.grouped(node);
        let mut found = PeopleInClasses::new(self.people, &class_of, classes);
        let too_small = self.judge_sizes(&found);
        let too_few = found.losing(&too_small);
        if too_few > limit {
            // Nothing that the values say can mend it.
            return Verdict { sizes_pass: false, ..refuted(node, suppression_ratio(too_few, limit)) };
        }
        let judged = self.judge(&found);
        if judged.absent_class_fails {
            // Merging never leaves a class emptier, so a specialization has such a class as well.
            return refuted(node, f64::INFINITY);
        }
        let mut certain = match judged.fails_for_certain == too_small {
            true => too_few,
            false => found.losing(&judged.fails_for_certain),
        };
        if certain > limit {
            return refuted(node, suppression_ratio(certain, limit));
        }
        let (judged, losing) = match self.people.person_rows() {
            PersonRows::Apart if judged.fails == too_small => (judged, too_few),
            _ => self.leave_out(&mut found, judged, limit),
        };
        if self.people.person_rows() == PersonRows::Together {
            // The people who can stay under a specialization can stay here.
            certain = losing;
        }
        let verdict = Verdict {
            monotone_part_holds: certain <= limit,
            refuted: (certain > limit).then(|| node.clone()),
            ..refuted(node, suppression_ratio(certain, limit))
        };
        if losing > limit {
            return verdict;
        }
        let kept_rows = self.kept_rows(&found, &class_of, &judged.fails);
        let outcome = self.outcome(node, (&class_of, classes), &kept_rows, false);
        let loss = input.metric.loss(self.rows.quality(), &outcome);
        Verdict { holds: true, loss, suppressed_rows: outcome.suppressed_rows, ..verdict }
    }

    /// Rows that stay, by tuple. Where classes are kept or left out as a whole, their tuples tell.
    fn kept_rows(&self, found: &PeopleInClasses<'_>, class_of: &[u32], fails: &[bool]) -> Vec<u32> {
        match self.people.person_rows() {
            PersonRows::Apart => {
                let rows = class_of.iter().zip(self.table.rows());
                rows.map(|(&class, &rows)| if fails[class as usize] { 0 } else { rows }).collect()
            }
            PersonRows::Together | PersonRows::Set => found.kept_rows(fails, self.table.tuple_count()),
        }
    }

    /// A loss bound for rows, where classes may lose some of their rows and keep others.
    fn bound(&self, bound: f64) -> f64 {
        if self.people.person_rows() == PersonRows::Apart {
            return bound;
        }
        let rows = self.table.row_count() as f64;
        let least = self.rows.input().criteria.least_class_size().max(1) as f64;
        self.rows.input().metric.bound_of_split_classes(bound, rows, least)
    }
}

/// The node and all its specializations fail.
fn refuted(node: &Node, suppression_ratio: f64) -> Verdict {
    Verdict {
        monotone_part_holds: false,
        refuted: Some(node.clone()),
        sizes_pass: true,
        suppression_ratio,
        holds: false,
        loss: f64::INFINITY,
        suppressed_rows: 0,
        lower_bound_above: f64::NEG_INFINITY,
        lower_bound_below: f64::NEG_INFINITY,
        unrefuted_above: None,
    }
}

impl Checker for PeopleChecker<'_> {
    fn check(&self, node: &Node, depth: Depth) -> Result<Verdict, CheckError> {
        if depth == Depth::UntilRefuted {
            let relaxed = self.relaxed.check(node, depth)?;
            if relaxed.refuted.is_some() {
                return Ok(Verdict {
                    holds: false,
                    loss: f64::INFINITY,
                    monotone_part_holds: false,
                    ..relaxed
                });
            }
        }
        Ok(self.verdict(node))
    }

    fn prior(&self) -> &dyn Prior {
        self
    }

    fn shortcuts(&self) -> Option<&dyn Shortcuts> {
        Some(self)
    }
}

impl Prior for PeopleChecker<'_> {
    fn lower_bound(&self, node: &Node) -> f64 {
        self.bound(self.rows.lower_bound(node))
    }

    fn lower_bounds(&self, lattice: &Lattice) -> Vec<f64> {
        self.rows.lower_bounds(lattice).into_iter().map(|bound| self.bound(bound)).collect()
    }

    fn bounds_grow(&self) -> bool {
        self.rows.bounds_grow()
    }

    fn information(&self, column: usize, level: u8) -> f64 {
        self.rows.information(column, level)
    }
}

// Where nobody may lose a row, a row in too small a class of presences is in too small a class of people.
impl Shortcuts for PeopleChecker<'_> {
    fn check_sizes(&self, node: &Node) -> Result<SizeCheck, CheckError> {
        self.check(node, Depth::UntilRefuted).map(SizeCheck::Decides)
    }

    fn likely_counterexamples(&self, node: &Node) -> Vec<usize> {
        self.relaxed.likely_counterexamples(node)
    }

    fn counterexamples(&self, node: &Node) -> Vec<usize> {
        self.relaxed.counterexamples(node)
    }

    fn refuted_by(&self, row: usize, lattice: &Lattice) -> Vec<bool> {
        self.relaxed.refuted_by(row, lattice)
    }
}
