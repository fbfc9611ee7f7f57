//! The order in which nodes are preferred: for iteration, for queues and for ties between optima.

use super::{Lattice, Node};
use crate::hierarchy::Ladder;

/// A strict order of nodes that does not depend on the order of the columns.
///
/// Ascending by (1) height, (2) mean of `level / max level`, (3) `1 − mean of distinct(level) / distinct(0)`, (4) the
/// levels with the columns sorted by name. The means are sums of fixed-point numbers, so they do not depend
/// on the order of addition.
#[derive(Debug, Clone)]
pub struct NodeOrder {
    columns: Vec<OrderColumn>,
    by_name: Vec<usize>,
}

#[derive(Debug, Clone)]
struct OrderColumn {
    relative_level: Vec<u64>,
    lost_distinct: Vec<u64>,
}

/// Sort key of a node.
pub type OrderKey = (u32, u64, u64, Box<[u8]>);

const ONE: f64 = (1u64 << 52) as f64;
/// Differences below this many bits of the fixed-point sums are rounding, not preference.
const NOISE_BITS: u32 = 12;

impl NodeOrder {
    /// The order over columns given as (name, ladder).
    pub(crate) fn new<'a>(columns: impl IntoIterator<Item = (&'a str, &'a Ladder)>) -> NodeOrder {
        let mut names = Vec::new();
        let mut order_columns = Vec::new();
        for (name, ladder) in columns {
            let max = ladder.max_level();
            let distinct = |level| ladder.cardinality(level).max(1) as f64;
            order_columns.push(OrderColumn {
                relative_level: (0..=max)
                    .map(|level| fixed(f64::from(level) / f64::from(max.max(1))))
                    .collect(),
                lost_distinct: (0..=max).map(|level| fixed(1.0 - distinct(level) / distinct(0))).collect(),
            });
            names.push(name);
        }
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        by_name.sort_by_key(|&column| names[column]);
        NodeOrder { columns: order_columns, by_name }
    }

    /// The key to compare by.
    pub fn key(&self, node: &Node) -> OrderKey {
        let levels = node.levels();
        let sum = |part: fn(&OrderColumn) -> &[u64]| {
            let total: u64 = self
                .columns
                .iter()
                .zip(levels)
                .map(|(column, &level)| part(column)[usize::from(level)])
                .sum();
            (total + (1 << (NOISE_BITS - 1))) >> NOISE_BITS
        };
        (
            node.height(),
            sum(|column| &column.relative_level),
            sum(|column| &column.lost_distinct),
            self.by_name.iter().map(|&column| levels[column]).collect(),
        )
    }

    /// The nodes at these indices, sorted.
    pub fn sort(&self, lattice: &Lattice, indices: &mut [u64]) {
        indices.sort_by_cached_key(|&index| self.key(&lattice.node(index)));
    }
}

/// A share of one as a fixed-point number; up to 2^11 columns can be added without overflow.
fn fixed(share: f64) -> u64 {
    (share * ONE).round() as u64
}
