//! A lower bound of the loss of every local recoding.
//!
//! **Statement.** For a tuple `t` let `b(t)` be the least cost of a box `B` that covers `t` and under which the class of *all*
//! tuples that `B` covers is not refuted. Then `Σ_t rows(t) · b(t)` is at most the cost of every local recoding, also of one that
//! gives different boxes to different rows of the same tuple.
//!
//! **Proof.** Let a row of `t` be released in a class `E` with box `B`. Everything in `E` is covered by `B`, so `E` is a subset of
//! the tuples under `B`. A set is *refuted* when no subset of it keeps the criteria: it has fewer rows than any class needs, or a
//! criterion leaves all of its rows out however it is split ([`Criteria::fewest_suppressed`]). `E` keeps the criteria, hence the set
//! is not refuted and the row's cost, that of `B`, is at least `b(t)`. A suppressed row costs at least as much as any box; where
//! the balance of generalization and suppression is another, the cheaper of the two counts. Where
//! people are counted, presences stand for rows: there are never more people than presences. Where a population is counted, everybody of
//! it under `B` is: no fewer than are counted in `E`. ∎
//!
//! A label on an allowed level is determined by the level and the value, so the boxes that cover `t` are the nodes of the lattice.
//! The sets under boxes are visited by refinement: a set that is refuted refutes all sets below it, as they are its subsets, and
//! all tuples of a set share its cost. The columns are refined in a fixed order, so each set is met once. A branch in which the
//! columns that no longer change already cost as much as `b` of every member cannot lower it.
//!
//! The visit has a budget. What is left unvisited counts as if the columns that could still be refined cost nothing, which only
//! makes the bound smaller.
//!
//! [`Criteria::fewest_suppressed`]: crate::criteria::Criteria::fewest_suppressed

use super::judge::Judge;
use super::space::Space;
use rayon::prelude::*;

/// Visits of tuples that a bound may cost.
pub(super) fn budget(tuples: usize) -> u64 {
    (VISITS_PER_TUPLE * tuples as u64).min(MOST_VISITS)
}

const VISITS_PER_TUPLE: u64 = 20_000;
const MOST_VISITS: u64 = 1 << 29;

/// `Σ rows(t) · b(t)`. `known` are costs that each tuple can reach, by tuple: those of a recoding that holds.
pub(super) fn row_costs(space: &Space<'_>, known: &[u64], budget: u64) -> u128 {
    let mut least = known.to_vec();
    let mut all = space.tuples.clone();
    if let Some(population) = space.population() {
        // Whoever only the population has costs nothing, and may be counted in a class.
        let rows = (0u32..).zip(space.table.rows().iter().zip(population));
        for (tuple, _) in rows.filter(|&(_, (&here, &there))| here == 0 && there > 0) {
            least[tuple as usize] = 0;
            all.push(tuple);
        }
    }
    let mut branches = Vec::new();
    for (labels, mut tuples) in space.under_coarsest(all) {
        let mut run = Run { space, judge: Judge::new(space), least, budget: 0, sorting: Sorting::default() };
        run.open(&mut tuples, &labels, &mut branches);
        least = run.least;
    }
    // Threads share out the branches below the coarsest boxes. Each starts from what is known here, so none depends on another.
    let all_visits: u64 = branches.iter().map(|branch: &Branch| branch.tuples.len() as u64).sum();
    let found: Vec<Vec<(u32, u64)>> = branches
        .into_par_iter()
        .map(|Branch { mut labels, mut tuples, column }| {
            let share = u128::from(budget) * tuples.len() as u128 / u128::from(all_visits.max(1));
            let (judge, least) = (Judge::new(space), least.clone());
            let mut run = Run { space, judge, least, budget: share as u64, sorting: Sorting::default() };
            run.descend(&mut tuples, &mut labels, column);
            tuples.iter().map(|&tuple| (tuple, run.least[tuple as usize])).collect()
        })
        .collect();
    for (tuple, cost) in found.into_iter().flatten() {
        let slot = &mut least[tuple as usize];
        *slot = cost.min(*slot);
    }
    // A row is released, or suppressed where that may be.
    let cost = |tuple: u32| space.objective.least_of_row(least[tuple as usize]);
    space.tuples.iter().map(|&tuple| u128::from(space.rows(tuple)) * u128::from(cost(tuple))).sum()
}

/// A set of tuples under one box, and the first column that may still be refined.
struct Branch {
    labels: Vec<u32>,
    tuples: Vec<u32>,
    column: usize,
}

struct Run<'a> {
    space: &'a Space<'a>,
    judge: Judge<'a>,
    /// By tuple: `b` as far as it is known.
    least: Vec<u64>,
    budget: u64,
    sorting: Sorting,
}

/// Sorts tuples by a label, in memory of its own.
#[derive(Default)]
struct Sorting {
    starts: Vec<u32>,
    sorted: Vec<u32>,
}

impl Sorting {
    /// Counts where the labels lie close together, and compares else.
    fn by(&mut self, tuples: &mut [u32], label_of: impl Fn(u32) -> u32) {
        let labels = || tuples.iter().map(|&tuple| label_of(tuple));
        let (Some(least), Some(most)) = (labels().min(), labels().max()) else { return };
        let range = (most - least) as usize + 1;
        if range > 4 * tuples.len() {
            tuples.sort_unstable_by_key(|&tuple| label_of(tuple));
            return;
        }
        self.starts.clear();
        self.starts.resize(range + 1, 0);
        labels().for_each(|label| self.starts[(label - least) as usize + 1] += 1);
        for at in 1..=range {
            self.starts[at] += self.starts[at - 1];
        }
        self.sorted.clear();
        self.sorted.resize(tuples.len(), 0);
        for &tuple in &*tuples {
            let next = &mut self.starts[(label_of(tuple) - least) as usize];
            self.sorted[*next as usize] = tuple;
            *next += 1;
        }
        tuples.copy_from_slice(&self.sorted);
    }
}

impl Run<'_> {
    /// The coarsest box, and the branches below it.
    fn open(&mut self, tuples: &mut [u32], labels: &[u32], branches: &mut Vec<Branch>) {
        if self.judge.refutes(tuples) {
            return;
        }
        self.lower(tuples, self.cost_of(labels));
        for column in 0..labels.len() {
            self.refine(tuples, labels[column], column, |_, part, label| {
                let mut labels = labels.to_vec();
                labels[column] = label;
                branches.push(Branch { labels, tuples: part.to_vec(), column });
            });
        }
    }

    fn cost_of(&self, labels: &[u32]) -> u64 {
        self.space.columns.iter().zip(labels).map(|(column, &label)| column.cost(label)).sum()
    }

    /// All tuples can reach this cost; answers with the largest cost among them.
    fn lower(&mut self, tuples: &[u32], cost: u64) -> u64 {
        let mut largest = 0;
        for &tuple in tuples {
            let slot = &mut self.least[tuple as usize];
            *slot = cost.min(*slot);
            largest = largest.max(*slot);
        }
        largest
    }

    /// Visits the set under a box that is not refuted, and the sets below it that refine `column` or a later one.
    fn descend(&mut self, tuples: &mut [u32], labels: &mut [u32], column: usize) {
        let mut fixed = self.cost_of(&labels[..column]);
        if self.budget < tuples.len() as u64 || self.space.stopping.asked() {
            self.lower(tuples, fixed);
            return;
        }
        self.budget -= tuples.len() as u64;
        let cost = self.cost_of(labels);
        let largest = self.lower(tuples, cost);
        for column in column..labels.len() {
            if fixed >= largest {
                return;
            }
            let label = labels[column];
            self.refine(tuples, label, column, |run, part, finer| {
                labels[column] = finer;
                run.descend(part, labels, column);
            });
            labels[column] = label;
            fixed += self.space.columns[column].cost(label);
        }
    }

    /// Calls `visit` with the parts of a set by the next finer labels of a column, those that are not refuted.
    fn refine(
        &mut self,
        tuples: &mut [u32],
        label: u32,
        column: usize,
        mut visit: impl FnMut(&mut Self, &mut [u32], u32),
    ) {
        let (space, labels) = (self.space, &self.space.columns[column]);
        let Some(finer) = labels.finer(label) else { return };
        let label_of = |tuple: u32| finer[space.finest(tuple)[column] as usize];
        self.sorting.by(tuples, label_of);
        for part in tuples.chunk_by_mut(|&a, &b| label_of(a) == label_of(b)) {
            if !self.judge.refutes(part) {
                visit(self, part, label_of(part[0]));
            }
        }
    }
}
