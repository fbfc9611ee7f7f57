//! A lower bound of the loss where the rows that agree in any choice of columns hold.
//!
//! **Statement.** For a tuple `t` and a choice `S` of columns let `b_S(t)` be the least cost, over the columns of `S`, of a box on `S`
//! that covers `t` and under which the set of *all* tuples is not refuted. Then a row of `t` costs at least
//! `Σ b_S(t)` over any choices that have no column in common, and at least `Σ_S b_S(t) / n`, where `n` is the number of choices that
//! a column is in.
//!
//! **Proof.** The rows that read like a row of `t` in `S` are covered by its labels on `S`, so they are a subset of the
//! tuples under that box, and they keep the criteria: the set is not refuted, hence the cells of `S` cost at least `b_S(t)`. Cells of
//! choices without a common column are different cells. The sum over all choices counts every cell `n` times. A suppressed row costs at least
//! as much as any box. ∎

use super::super::judge::Judge;
use super::super::space::Space;
use hashbrown::HashMap;
use rayon::prelude::*;

/// Visits of tuples that the bound may cost; choices beyond that count nothing, which only makes the bound smaller.
const MOST_VISITS: u64 = 1 << 28;

/// `Σ rows(t) · max(…)` over all tuples.
pub(in super::super) fn row_costs(space: &Space<'_>, choices: &[Vec<usize>], known: usize) -> u128 {
    let nodes = |choice: &Vec<usize>| -> u64 {
        choice.iter().map(|&column| space.columns[column].height() as u64).product()
    };
    let mut visits = 0u64;
    let affordable = |choice: &&Vec<usize>| {
        visits = visits.saturating_add(nodes(choice).saturating_mul(space.tuples.len() as u64));
        visits <= MOST_VISITS
    };
    let visited: Vec<&Vec<usize>> = choices.iter().take_while(affordable).collect();
    // By choice and place of the tuple: what the cells of the choice cost at least.
    let least: Vec<Vec<u64>> = visited.par_iter().map(|choice| of_choice(space, choice)).collect();
    let width = space.width() as u64;
    let known = known.clamp(1, space.width()) as u64;
    // Choices of `known − 1` of the other columns.
    let times: u64 = (1..known).fold(1, |product, taken| product * (width - taken) / taken);
    let row_cost = |place: usize| -> u64 {
        let sum: u64 = least.iter().map(|costs| costs[place]).sum();
        let mut order: Vec<usize> = (0..visited.len()).filter(|&choice| least[choice][place] > 0).collect();
        order.sort_unstable_by_key(|&choice| (std::cmp::Reverse(least[choice][place]), choice));
        let mut taken = vec![false; space.width()];
        let mut apart = 0;
        for choice in order {
            if visited[choice].iter().all(|&column| !taken[column]) {
                visited[choice].iter().for_each(|&column| taken[column] = true);
                apart += least[choice][place];
            }
        }
        apart.max(sum / times.max(1))
    };
    let costs: Vec<u128> = (0..space.tuples.len())
        .into_par_iter()
        .map(|place| u128::from(space.rows(space.tuples[place])) * u128::from(row_cost(place)))
        .collect();
    costs.into_iter().sum()
}

/// By place of the tuple: `b_S`.
fn of_choice(space: &Space<'_>, choice: &[usize]) -> Vec<u64> {
    let mut judge = Judge::new(space);
    let heights: Vec<usize> = choice.iter().map(|&column| space.columns[column].height()).collect();
    let mut least = vec![u64::MAX; space.tuples.len()];
    let mut node = vec![0usize; choice.len()];
    let mut sets = Sets::default();
    let mut members: Vec<u32> = Vec::new();
    loop {
        sets.form(space, choice, &node);
        for set in sets.each() {
            let first = space.finest(space.tuples[set[0] as usize]);
            let labels = choice.iter().zip(&node).map(|(&column, &position)| {
                let labels = &space.columns[column];
                labels.cost(labels.on(position, first[column]))
            });
            let cost: u64 = labels.sum();
            if set.iter().all(|&place| least[place as usize] <= cost) {
                continue;
            }
            members.clear();
            members.extend(set.iter().map(|&place| space.tuples[place as usize]));
            if !judge.refutes(&members) {
                set.iter().for_each(|&place| least[place as usize] = cost.min(least[place as usize]));
            }
        }
        let Some(next) = (0..node.len()).find(|&column| node[column] + 1 < heights[column]) else { break };
        node[next] += 1;
        node[..next].fill(0);
    }
    // A tuple that no box releases is suppressed, and that costs at least as much as the coarsest box.
    let coarsest = |place: usize| -> u64 {
        let finest = space.finest(space.tuples[place]);
        choice
            .iter()
            .map(|&column| space.columns[column].cost(space.columns[column].coarsest(finest[column])))
            .sum()
    };
    for (place, least) in least.iter_mut().enumerate() {
        *least = (*least).min(coarsest(place));
    }
    least
}

/// The tuples under the boxes of one node, in memory of its own.
#[derive(Default)]
struct Sets {
    /// By place of the tuple: its set.
    of: Vec<u32>,
    /// Set `s` has the places `places[starts[s]..starts[s + 1]]`.
    starts: Vec<usize>,
    places: Vec<u32>,
    numbers: HashMap<(u32, u32), u32>,
}

impl Sets {
    /// Splits all tuples by the labels of one column after the other.
    fn form(&mut self, space: &Space<'_>, choice: &[usize], node: &[usize]) {
        self.of.clear();
        self.of.resize(space.tuples.len(), 0);
        let mut count = 1;
        for (&column, &position) in choice.iter().zip(node) {
            self.numbers.clear();
            for (of, &tuple) in self.of.iter_mut().zip(&space.tuples) {
                let label = space.columns[column].on(position, space.finest(tuple)[column]);
                let next = self.numbers.len() as u32;
                *of = *self.numbers.entry((*of, label)).or_insert(next);
            }
            count = self.numbers.len();
        }
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        self.of.iter().for_each(|&of| self.starts[of as usize + 1] += 1);
        for set in 1..=count {
            self.starts[set] += self.starts[set - 1];
        }
        let mut next = self.starts.clone();
        self.places.clear();
        self.places.resize(self.of.len(), 0);
        for (place, &of) in (0u32..).zip(&self.of) {
            self.places[next[of as usize]] = place;
            next[of as usize] += 1;
        }
    }

    /// Every set, as places; none is empty.
    fn each(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.places[ends[0]..ends[1]]).filter(|set| !set.is_empty())
    }
}
