//! The nodes with the greatest expected gain.

use super::expected_gain::ExpectedGain;
use super::open_set::OpenSet;
use crate::lattice::Node;

/// Finding candidates takes a scan of the open set, so they serve several rounds.
#[derive(Default)]
pub(super) struct Candidates {
    candidates: Vec<Candidate>,
    /// Score of the best candidate after the scan, and at the last choice.
    best_at_first: f32,
    best: f32,
    rounds: usize,
}

struct Candidate {
    index: usize,
    /// What each column adds to the index.
    places: Vec<u32>,
    /// Estimate of the open nodes below.
    below: f32,
    score: f32,
}

/// Segments of the open set; each sends its best node. Measure a change with the tuning set of `docs/guide/bench.md`.
const SEGMENTS: usize = 128;
/// Rounds that candidates serve, and how many times worse than at first the best one may be. Chosen on the tuning set of
/// `docs/guide/bench.md`: on its small tables scans took half the time.
const ROUNDS: usize = 20;
const STALE: f32 = 2.0;

impl Candidates {
    /// The best node of every segment, by the last count of the open set.
    pub(super) fn of(open_set: &OpenSet<'_>, gain: &ExpectedGain<'_>) -> Candidates {
        let nodes = open_set.worth_a_check();
        let segments = nodes.chunks(nodes.len().div_ceil(SEGMENTS).max(1));
        let candidate = |(score, index)| Candidate {
            index,
            places: open_set.places(&open_set.node(index)),
            below: open_set.below(index) as f32,
            score,
        };
        let candidates: Vec<Candidate> =
            segments.filter_map(|segment| gain.best_of(open_set, segment)).map(candidate).collect();
        let best = candidates.iter().map(|candidate| candidate.score).fold(0.0, f32::max);
        Candidates { candidates, best_at_first: best, best, rounds: 0 }
    }

    /// Takes out the nodes with the greatest expected gain, each discounted by what those before it would have closed.
    pub(super) fn choose(
        &mut self,
        most: usize,
        open_set: &OpenSet<'_>,
        gain: &ExpectedGain<'_>,
    ) -> Vec<usize> {
        self.rounds += 1;
        self.best = 0.0;
        self.candidates.retain_mut(|candidate| {
            candidate.score = gain.score(open_set, candidate.index, candidate.below);
            open_set.is_worth_a_check(candidate.index)
        });
        let mut chosen = Vec::with_capacity(most);
        while chosen.len() < most {
            let score = |position: usize| self.candidates[position].score;
            let best = (0..self.candidates.len())
                .max_by(|&a, &b| score(a).total_cmp(&score(b)).then(b.cmp(&a)))
                .filter(|&best| score(best) > 0.0);
            let Some(best) = best else { break };
            let next = self.candidates.swap_remove(best);
            for other in &mut self.candidates {
                other.score *= 1.0 - other.share_below(open_set, &next.places);
            }
            self.best = self.best.max(next.score);
            chosen.push(next.index);
        }
        chosen
    }

    /// Whether the open set should be scanned again.
    pub(super) fn is_stale(&self) -> bool {
        self.rounds >= ROUNDS || self.best * STALE < self.best_at_first
    }

    /// A node is refuted, with everything below it: the candidates above gain less.
    pub(super) fn refuted(&mut self, open_set: &OpenSet<'_>, node: &Node) {
        let places = open_set.places(node);
        for candidate in &mut self.candidates {
            candidate.below *= 1.0 - candidate.share_below(open_set, &places);
        }
    }

    /// Forgets all candidates.
    pub(super) fn clear(&mut self) {
        self.candidates.clear();
    }
}

impl Candidate {
    /// The share of the open nodes below the candidate that are below another node, too, by the last count.
    fn share_below(&self, open_set: &OpenSet<'_>, places: &[u32]) -> f32 {
        // The greatest node below both has the lower level of each column.
        let both: u32 = self.places.iter().zip(places).map(|(&a, &b)| a.min(b)).sum();
        open_set.below(both as usize) as f32 / open_set.below(self.index).max(1) as f32
    }
}
