//! How many released rows can be rows of a table, each of another one?

use std::collections::VecDeque;

/// Most rows of the `places` that can be taken by rows of the `guests`. Guests and places have so many rows each, and a guest fits the places
/// that `fits` lists: a maximum flow, found along shortest augmenting paths (Dinic 1970).
pub(super) fn most_placed(guests: &[u64], places: &[u64], fits: &[Vec<u32>]) -> u64 {
    Flow::new(guests, places, fits).run()
}

/// Nodes: the source, the guests, the places, the sink.
struct Flow {
    /// By node: numbers of its edges.
    edges_of: Vec<Vec<usize>>,
    /// Target and what can still flow; the edge back has the number next to it.
    edges: Vec<(usize, u64)>,
    depth: Vec<usize>,
    next: Vec<usize>,
}

const SOURCE: usize = 0;
const UNSEEN: usize = usize::MAX;

impl Flow {
    fn new(guests: &[u64], places: &[u64], fits: &[Vec<u32>]) -> Flow {
        let nodes = guests.len() + places.len() + 2;
        let mut flow = Flow {
            edges_of: vec![Vec::new(); nodes],
            edges: Vec::new(),
            depth: vec![UNSEEN; nodes],
            next: vec![0; nodes],
        };
        let place = |number: usize| 1 + guests.len() + number;
        for (guest, &rows) in guests.iter().enumerate() {
            flow.edge(SOURCE, 1 + guest, rows);
            fits[guest].iter().for_each(|&number| flow.edge(1 + guest, place(number as usize), rows));
        }
        places.iter().enumerate().for_each(|(number, &rows)| flow.edge(place(number), nodes - 1, rows));
        flow
    }

    fn edge(&mut self, from: usize, to: usize, rows: u64) {
        self.edges_of[from].push(self.edges.len());
        self.edges.push((to, rows));
        self.edges_of[to].push(self.edges.len());
        self.edges.push((from, 0));
    }

    fn run(mut self) -> u64 {
        let mut placed = 0;
        while self.reaches_the_sink() {
            self.next.fill(0);
            loop {
                match self.push() {
                    0 => break,
                    rows => placed += rows,
                }
            }
        }
        placed
    }

    /// Depths by breadth first.
    fn reaches_the_sink(&mut self) -> bool {
        self.depth.fill(UNSEEN);
        self.depth[SOURCE] = 0;
        let mut waiting = VecDeque::from([SOURCE]);
        while let Some(node) = waiting.pop_front() {
            for &edge in &self.edges_of[node] {
                let (to, rows) = self.edges[edge];
                if rows > 0 && self.depth[to] == UNSEEN {
                    self.depth[to] = self.depth[node] + 1;
                    waiting.push_back(to);
                }
            }
        }
        self.depth[self.depth.len() - 1] != UNSEEN
    }

    /// Sends what one path to the sink can take; 0 where there is none left. Without recursion: paths may be long.
    fn push(&mut self) -> u64 {
        let sink = self.depth.len() - 1;
        let mut path: Vec<usize> = Vec::new();
        loop {
            let node = path.last().map_or(SOURCE, |&edge| self.edges[edge].0);
            if node == sink {
                break;
            }
            match self.edges_of[node].get(self.next[node]) {
                Some(&edge) => {
                    let (to, rows) = self.edges[edge];
                    if rows > 0 && self.depth[to] == self.depth[node] + 1 {
                        path.push(edge);
                    } else {
                        self.next[node] += 1;
                    }
                }
                None => {
                    // A dead end: its edge is not tried again.
                    let Some(edge) = path.pop() else { return 0 };
                    let from = self.edges[edge ^ 1].0;
                    self.next[from] += 1;
                }
            }
        }
        let rows = path.iter().map(|&edge| self.edges[edge].1).min().unwrap_or(0);
        for edge in path {
            self.edges[edge].1 -= rows;
            self.edges[edge ^ 1].1 += rows;
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_guests_cannot_share_a_place_of_one() {
        assert_eq!(most_placed(&[1, 1], &[1, 1], &[vec![0], vec![0]]), 1);
        assert_eq!(most_placed(&[1, 1], &[1, 1], &[vec![0, 1], vec![0]]), 2, "the first one moves over");
        assert_eq!(most_placed(&[5], &[2, 2], &[vec![0, 1]]), 4);
        assert_eq!(most_placed(&[], &[1], &[]), 0);
    }

    /// Tries every way to place guests of one row each.
    fn by_hand(fits: &[Vec<u32>], taken: u32) -> u64 {
        let Some((first, rest)) = fits.split_first() else { return 0 };
        let without = by_hand(rest, taken);
        let with = first.iter().filter(|&&place| taken & 1 << place == 0);
        with.map(|&place| 1 + by_hand(rest, taken | 1 << place)).fold(without, u64::max)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn no_placement_has_more(fits in prop::collection::vec(prop::collection::vec(0u32..5, 0..4), 0..6)) {
            let found = most_placed(&vec![1; fits.len()], &[1; 5], &fits);
            prop_assert_eq!(found, by_hand(&fits, 0));
        }
    }
}
