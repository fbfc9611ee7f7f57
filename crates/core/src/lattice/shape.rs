//! The box of nodes between a lowest and a highest level per quasi-identifier.

use super::Node;

/// All nodes with `lowest ≤ level ≤ highest` per quasi-identifier, addressed by a mixed-radix index.
///
/// Edges are never stored: neighbours are computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lattice {
    lowest: Vec<u8>,
    highest: Vec<u8>,
    strides: Vec<u64>,
    nodes: u128,
}

/// Why there is no such lattice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// A lowest level above the highest one.
    #[error("quasi-identifier {column}: the lowest level is above the highest")]
    Crossed {
        /// Position of the quasi-identifier.
        column: usize,
    },
    /// More nodes than can be enumerated.
    #[error("the lattice has {} nodes, more than the {limit} this search can keep track of", counted(*.nodes))]
    TooLarge {
        /// Number of nodes (saturating).
        nodes: u128,
        /// What the search accepts.
        limit: u64,
    },
}

/// A number of nodes in words: beyond the largest integer it is only known to be larger.
fn counted(nodes: u128) -> String {
    if nodes == u128::MAX { "more than 10^38".to_owned() } else { nodes.to_string() }
}

impl Lattice {
    /// The lattice between two level vectors of equal length.
    pub fn new(lowest: Vec<u8>, highest: Vec<u8>) -> Result<Lattice, LatticeError> {
        debug_assert_eq!(lowest.len(), highest.len());
        if let Some(column) = lowest.iter().zip(&highest).position(|(low, high)| low > high) {
            return Err(LatticeError::Crossed { column });
        }
        let mut nodes: u128 = 1;
        let mut strides = vec![0u64; lowest.len()];
        for column in (0..lowest.len()).rev() {
            strides[column] = u64::try_from(nodes).unwrap_or(u64::MAX);
            nodes = nodes.saturating_mul(u128::from(highest[column] - lowest[column]) + 1);
        }
        Ok(Lattice { lowest, highest, strides, nodes })
    }

    /// Number of nodes; saturates at the largest `u128`.
    pub fn node_count(&self) -> u128 {
        self.nodes
    }

    /// The number of nodes where it is at most `limit`.
    pub fn enumerable(&self, limit: u64) -> Result<u64, LatticeError> {
        u64::try_from(self.nodes)
            .ok()
            .filter(|&nodes| nodes <= limit)
            .ok_or(LatticeError::TooLarge { nodes: self.nodes, limit })
    }

    /// Number of quasi-identifiers.
    pub fn dimensions(&self) -> usize {
        self.lowest.len()
    }

    /// Lowest level per quasi-identifier.
    pub fn lowest(&self) -> &[u8] {
        &self.lowest
    }

    /// Highest level per quasi-identifier.
    pub fn highest(&self) -> &[u8] {
        &self.highest
    }

    /// How far apart the indices of neighbours are, by quasi-identifier; meaningful only while the lattice is [enumerable](Self::enumerable).
    pub(crate) fn strides(&self) -> &[u64] {
        &self.strides
    }

    /// The least general node.
    pub fn bottom(&self) -> Node {
        Node::new(self.lowest.clone())
    }

    /// The most general node.
    pub fn top(&self) -> Node {
        Node::new(self.highest.clone())
    }

    /// Number of levels (heights) of the lattice: Σ (highest − lowest) + 1.
    pub fn level_count(&self) -> u32 {
        self.lowest.iter().zip(&self.highest).map(|(low, high)| u32::from(high - low)).sum::<u32>() + 1
    }

    /// Whether the node lies in the lattice.
    pub fn contains(&self, node: &Node) -> bool {
        node.levels().len() == self.dimensions()
            && node.levels().iter().zip(&self.lowest).all(|(level, low)| level >= low)
            && node.levels().iter().zip(&self.highest).all(|(level, high)| level <= high)
    }

    /// The highest node of the lattice that is not above `node` anywhere: `node` itself unless it reaches beyond.
    pub(crate) fn capped(&self, node: &Node) -> Node {
        let levels = node.levels().iter().zip(&self.highest).map(|(&level, &high)| level.min(high));
        Node::new(levels.collect::<Vec<u8>>())
    }

    /// Mixed-radix index of a node; meaningful only while the lattice is [enumerable](Self::enumerable).
    pub fn index(&self, node: &Node) -> u64 {
        let levels = node.levels().iter().zip(&self.lowest);
        levels.zip(&self.strides).map(|((level, low), stride)| u64::from(level - low) * stride).sum()
    }

    /// The node at an index.
    pub fn node(&self, mut index: u64) -> Node {
        let mut levels = self.lowest.clone();
        for (level, &stride) in levels.iter_mut().zip(&self.strides) {
            *level += (index / stride) as u8;
            index %= stride;
        }
        Node::new(levels)
    }

    /// Adds to every node's number, by index, those of all its specializations: partial sums along every column in turn. `add` may stop at a greatest number.
    pub(crate) fn add_up_below<T: Copy>(&self, numbers: &mut [T], add: impl Fn(T, T) -> T + Copy) {
        let mut stride = 1;
        for (low, high) in self.lowest.iter().zip(&self.highest).rev() {
            let levels = usize::from(high - low) + 1;
            match (stride, levels) {
                (_, 1) => {}
                (1, 2) => add_up_rows::<2, T>(numbers, add),
                (1, 3) => add_up_rows::<3, T>(numbers, add),
                (1, 4) => add_up_rows::<4, T>(numbers, add),
                (1, 5) => add_up_rows::<5, T>(numbers, add),
                (1, 6) => add_up_rows::<6, T>(numbers, add),
                _ => numbers.chunks_exact_mut(stride * levels).for_each(|block| add_up(block, stride, add)),
            }
            stride *= levels;
        }
    }

    /// The same over the node and its generalizations.
    pub(crate) fn add_up_above<T: Copy>(&self, numbers: &mut [T], add: impl Fn(T, T) -> T + Copy) {
        // Upside down, the lattice is one of the same shape.
        numbers.reverse();
        self.add_up_below(numbers, add);
        numbers.reverse();
    }

    /// Indices of the direct generalizations, in column order.
    pub fn successors(&self, index: u64) -> impl Iterator<Item = u64> + '_ {
        let below_top = move |&(column, digit): &(usize, u64)| {
            digit < u64::from(self.highest[column] - self.lowest[column])
        };
        self.digits(index).filter(below_top).map(move |(column, _)| index + self.strides[column])
    }

    /// Indices of the direct specializations, in column order.
    pub fn predecessors(&self, index: u64) -> impl Iterator<Item = u64> + '_ {
        let above_bottom = |&(_, digit): &(usize, u64)| digit > 0;
        self.digits(index).filter(above_bottom).map(move |(column, _)| index - self.strides[column])
    }

    /// Indices of the nodes at this height above the bottom, in ascending order: one level of the lattice.
    pub fn level(&self, steps: u32) -> Vec<u64> {
        // What this column and those after it can still climb.
        let mut room = vec![0; self.dimensions() + 1];
        for column in (0..self.dimensions()).rev() {
            room[column] = room[column + 1] + u32::from(self.highest[column] - self.lowest[column]);
        }
        let mut found = Vec::new();
        self.climb(0, steps, 0, &room, &mut found);
        found
    }

    fn climb(&self, column: usize, steps: u32, index: u64, room: &[u32], found: &mut Vec<u64>) {
        let Some(&stride) = self.strides.get(column) else {
            found.extend((steps == 0).then_some(index));
            return;
        };
        let least = steps.saturating_sub(room[column + 1]);
        for step in least..=steps.min(room[column] - room[column + 1]) {
            self.climb(column + 1, steps - step, index + u64::from(step) * stride, room, found);
        }
    }

    fn digits(&self, index: u64) -> impl Iterator<Item = (usize, u64)> + '_ {
        let mut rest = index;
        self.strides.iter().enumerate().map(move |(column, &stride)| {
            let digit = rest / stride;
            rest %= stride;
            (column, digit)
        })
    }
}

/// Partial sums within every row of this width.
fn add_up_rows<const N: usize, T: Copy>(cells: &mut [T], add: impl Fn(T, T) -> T) {
    for row in cells.as_chunks_mut::<N>().0 {
        let mut sum = row[0];
        for cell in &mut row[1..] {
            sum = add(*cell, sum);
            *cell = sum;
        }
    }
}

/// Partial sums along one column: every cell becomes the sum of itself and those `stride`, 2 · `stride`, … before it.
fn add_up<T: Copy>(block: &mut [T], stride: usize, add: impl Fn(T, T) -> T) {
    if stride < WORTH_STRETCHES {
        for at in stride..block.len() {
            block[at] = add(block[at], block[at - stride]);
        }
        return;
    }
    for level in 1..block.len() / stride {
        let (done, rest) = block.split_at_mut(level * stride);
        let last = &done[(level - 1) * stride..];
        rest[..stride].iter_mut().zip(last).for_each(|(sum, &below)| *sum = add(*sum, below));
    }
}

/// Strides from this on are added up a stretch of cells at a time.
const WORTH_STRETCHES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Lattice {
        Lattice::new(vec![0, 0, 0], vec![2, 1, 5]).unwrap()
    }

    #[test]
    fn index_and_node_are_inverse() {
        let lattice = Lattice::new(vec![1, 0, 2], vec![2, 1, 5]).unwrap();
        for index in 0..lattice.enumerable(100).unwrap() {
            let node = lattice.node(index);
            assert!(lattice.contains(&node));
            assert_eq!(lattice.index(&node), index);
        }
    }

    #[test]
    fn neighbours_differ_by_one_level() {
        let lattice = example();
        let index = lattice.index(&Node::new([1, 0, 3]));
        let above: Vec<_> = lattice.successors(index).map(|i| lattice.node(i).to_string()).collect();
        assert_eq!(above, ["(2,0,3)", "(1,1,3)", "(1,0,4)"]);
        let below: Vec<_> = lattice.predecessors(index).map(|i| lattice.node(i).to_string()).collect();
        assert_eq!(below, ["(0,0,3)", "(1,0,2)"]);
    }

    #[test]
    fn levels_are_the_nodes_of_one_height() {
        let lattice = Lattice::new(vec![1, 0, 2, 3], vec![2, 1, 5, 3]).unwrap();
        let all: Vec<u64> = (0..lattice.enumerable(100).unwrap()).collect();
        for steps in 0..lattice.level_count() + 2 {
            let on_it = |index: &u64| lattice.node(*index).height() == lattice.bottom().height() + steps;
            assert_eq!(lattice.level(steps), all.iter().copied().filter(on_it).collect::<Vec<_>>());
        }
        assert_eq!(Lattice::new(vec![], vec![]).unwrap().level(0), [0]);
    }

    #[test]
    fn a_huge_lattice_is_counted_but_not_enumerated() {
        let lattice = Lattice::new(vec![0; 60], vec![9; 60]).unwrap();
        assert!(lattice.node_count() > 10u128.pow(18));
        assert!(matches!(lattice.enumerable(1 << 28), Err(LatticeError::TooLarge { .. })));
        assert_eq!(Lattice::new(vec![2], vec![1]), Err(LatticeError::Crossed { column: 0 }));
    }
}
