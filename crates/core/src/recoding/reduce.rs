//! Where not even all rows together keep the promise: tuples are left out until the others do.
//!
//! Which rows do harm is seen by the criteria's own lower bound of the rows to leave out (`Criteria::fewest_suppressed`): each step leaves
//! out tuples that are rich in a frequent sensitive value, or in which the table has a large share of the population, and of those the
//! ones after which the least is left to do. What was left out too much comes back at the end. Of few tuples all sets are tried.

use super::judge::{Judge, Tally};
use super::space::Space;
use hashbrown::HashMap;
use std::cmp::Reverse;

/// Frequent values that are looked at in each step, by sensitive column.
const MOST_VALUES: usize = 6;
/// Each step leaves out this share of the tuples that are left, at least one.
const STEP: usize = 256;

/// Up to this number of tuples, all subsets are tried.
const MOST_TRIED: usize = 10;

/// Tuples that hold together under the coarsest boxes; `None` where too many rows are left out.
pub(super) fn reduced(space: &Space<'_>) -> Option<Vec<u32>> {
    if space.presences.is_some() {
        return None;
    }
    let mut judge = Judge::new(space);
    let mut kept: Vec<u32> = Vec::new();
    for (_, tuples) in space.under_coarsest(space.tuples.clone()) {
        kept.extend(match tuples.len() <= MOST_TRIED {
            true => most_of(&mut judge, &tuples),
            false => step_by_step(space, &mut judge, tuples),
        });
    }
    kept.sort_unstable();
    let released: u64 = kept.iter().map(|&tuple| space.rows(tuple)).sum();
    let suppressed = space.table.row_count() - released;
    (released > 0 && suppressed <= space.task.suppression_limit()).then_some(kept)
}

/// The set with most rows of all that hold, the first of equals; none where no set holds.
fn most_of(judge: &mut Judge<'_>, tuples: &[u32]) -> Vec<u32> {
    let of_set = |set: usize| tuples.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1);
    let mut best = (0, 0);
    for set in 1..1 << tuples.len() {
        let mut tally = Tally::default();
        of_set(set).for_each(|(_, &tuple)| judge.add(&mut tally, tuple));
        if tally.rows > best.0 && judge.holds_tally(&tally) {
            best = (tally.rows, set);
        }
    }
    of_set(best.1).map(|(_, &tuple)| tuple).collect()
}

/// Leaves out harmful tuples until the others hold; none are left where that does not work out.
pub(super) fn step_by_step(space: &Space<'_>, judge: &mut Judge<'_>, tuples: Vec<u32>) -> Vec<u32> {
    Reduction::new(space, judge, tuples).run(judge)
}

/// Why a tuple may do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Harm {
    /// A value of a sensitive column.
    Value(usize, u32),
    /// A large share of the population.
    Presence,
}

struct Reduction<'a> {
    space: &'a Space<'a>,
    tuples: Vec<u32>,
    /// By position in `tuples`.
    is_kept: Vec<bool>,
    kept: usize,
    tally: Tally,
    /// Positions in the order in which they are left out, the most harmful first, and how many of them have been looked at.
    orders: HashMap<Harm, (Vec<usize>, usize)>,
    dropped: Vec<usize>,
}

impl<'a> Reduction<'a> {
    fn new(space: &'a Space<'a>, judge: &Judge<'_>, tuples: Vec<u32>) -> Reduction<'a> {
        let mut tally = Tally::default();
        tuples.iter().for_each(|&tuple| judge.add(&mut tally, tuple));
        let (is_kept, kept) = (vec![true; tuples.len()], tuples.len());
        Reduction { space, tuples, is_kept, kept, tally, orders: HashMap::new(), dropped: Vec::new() }
    }

    /// The tuples that hold together, perhaps none.
    fn run(mut self, judge: &mut Judge<'_>) -> Vec<u32> {
        while self.kept > 0 && !judge.holds_tally(&self.tally) {
            let harm = self.worst(judge).filter(|_| !self.space.stopping.asked());
            let Some(harm) = harm else { return Vec::new() };
            for _ in 0..(self.kept / STEP).max(1) {
                let Some(position) = self.next(harm) else { break };
                self.drop(judge, position);
            }
        }
        while let Some(position) = self.dropped.pop() {
            let mut with = self.tally.clone();
            judge.add(&mut with, self.tuples[position]);
            if self.kept > 0 && judge.holds_tally(&with) {
                (self.tally, self.is_kept[position]) = (with, true);
            }
        }
        let kept = self.tuples.iter().zip(&self.is_kept).filter(|(_, is_kept)| **is_kept);
        kept.map(|(&tuple, _)| tuple).collect()
    }

    fn drop(&mut self, judge: &Judge<'_>, position: usize) {
        let mut gone = Tally::default();
        judge.add(&mut gone, self.tuples[position]);
        self.tally.remove(&gone);
        self.is_kept[position] = false;
        self.kept -= 1;
        self.dropped.push(position);
    }

    /// The harm whose next tuple leaves least to do; the more frequent value of equals.
    fn worst(&mut self, judge: &mut Judge<'_>) -> Option<Harm> {
        let mut harms: Vec<Harm> = self
            .tally
            .most_frequent(MOST_VALUES)
            .into_iter()
            .map(|(column, value)| Harm::Value(column, value))
            .collect();
        if self.space.population().is_some() {
            harms.push(Harm::Presence);
        }
        let mut best: Option<(u64, Harm)> = None;
        for harm in harms {
            let Some(position) = self.next(harm) else { continue };
            let mut without = self.tally.clone();
            let mut gone = Tally::default();
            judge.add(&mut gone, self.tuples[position]);
            without.remove(&gone);
            let left = judge.fewest_suppressed(&without).saturating_add(gone.rows);
            if best.is_none_or(|(least, _)| left < least) {
                best = Some((left, harm));
            }
        }
        best.map(|(_, harm)| harm)
    }

    /// The most harmful tuple that is still kept.
    fn next(&mut self, harm: Harm) -> Option<usize> {
        let (space, tuples) = (self.space, &self.tuples);
        let (order, seen) = self.orders.entry(harm).or_insert_with(|| (ordered(space, tuples, harm), 0));
        while let Some(&position) = order.get(*seen) {
            if self.is_kept[position] {
                return Some(position);
            }
            *seen += 1;
        }
        None
    }
}

/// The positions of tuples that do some harm: the largest share of their rows first, of equals the fewest rows.
fn ordered(space: &Space<'_>, tuples: &[u32], harm: Harm) -> Vec<usize> {
    let of = |tuple: u32| -> (u64, u64) {
        let rows = space.rows(tuple);
        match harm {
            Harm::Value(column, value) => {
                let (values, counts) = space.table.sensitive()[column].histograms.entry(tuple as usize);
                let count = values.iter().zip(counts).find(|(of, _)| **of == value);
                (count.map_or(0, |(_, &count)| u64::from(count)), rows)
            }
            Harm::Presence => {
                let population = space.population().map_or(0, |population| population[tuple as usize]);
                (rows, u64::from(population).max(1))
            }
        }
    };
    let mut order: Vec<(Reverse<u128>, u64, usize)> = Vec::new();
    for (position, &tuple) in tuples.iter().enumerate() {
        let (part, whole) = of(tuple);
        if part > 0 {
            order.push((Reverse((u128::from(part) << 64) / u128::from(whole)), space.rows(tuple), position));
        }
    }
    order.sort_unstable();
    order.into_iter().map(|(_, _, position)| position).collect()
}
