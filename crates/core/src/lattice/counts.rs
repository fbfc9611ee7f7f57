//! Counting properties of a lattice (for reports, advice and tests).

use super::{Lattice, Node};
use num_bigint::BigUint;

/// What can be said of a lattice without visiting it. Sizes of `m_i = highest − lowest` throughout.
#[derive(Debug, Clone, Copy)]
pub struct LatticeCounts<'a>(pub &'a Lattice);

impl LatticeCounts<'_> {
    fn spans(&self) -> impl Iterator<Item = u64> + Clone + '_ {
        self.0.lowest().iter().zip(self.0.highest()).map(|(low, high)| u64::from(high - low))
    }

    /// Number of nodes on each level, bottom first: the coefficients of `∏ (1 + x + … + x^m_i)`.
    pub fn level_sizes(&self) -> Vec<BigUint> {
        let mut sizes = vec![BigUint::from(1u8)];
        for span in self.spans() {
            let mut next = vec![BigUint::ZERO; sizes.len() + span as usize];
            for (level, size) in sizes.iter().enumerate() {
                for step in 0..=span as usize {
                    next[level + step] += size;
                }
            }
            sizes = next;
        }
        sizes
    }

    /// Number of maximal chains from bottom to top: `(Σ m_i)! / ∏ m_i!`.
    pub fn strategies(&self) -> BigUint {
        let total: u64 = self.spans().sum();
        factorial(total) / self.spans().map(factorial).product::<BigUint>()
    }

    /// Number of intervals `[b, t]` with `b ≤ t`, single nodes included: `∏ C(m_i + 2, 2)`.
    pub fn sublattices_with_single_nodes(&self) -> BigUint {
        self.spans().map(|m| BigUint::from((m + 2) * (m + 1) / 2)).product()
    }

    /// Number of intervals `[b, t]` with `b < t`.
    pub fn sublattices(&self) -> BigUint {
        self.sublattices_with_single_nodes() - BigUint::from(self.0.node_count())
    }

    /// The least number of checks any algorithm needs in the worst case when criterion and metric are monotone:
    /// the two middle levels, `size(v') + size(v' − 1)` with `v' = ⌊levels / 2⌋`.
    pub fn least_worst_case_checks(&self) -> BigUint {
        let sizes = self.level_sizes();
        let middle = sizes.len() / 2;
        if middle == 0 { sizes[0].clone() } else { &sizes[middle] + &sizes[middle - 1] }
    }

    /// Number of direct generalizations of a node.
    pub fn out_degree(&self, node: &Node) -> usize {
        node.levels().iter().zip(self.0.highest()).filter(|(level, high)| level < high).count()
    }

    /// Number of direct specializations of a node.
    pub fn in_degree(&self, node: &Node) -> usize {
        node.levels().iter().zip(self.0.lowest()).filter(|(level, low)| level > low).count()
    }

    /// Number of proper generalizations of a node.
    pub fn reachable_above(&self, node: &Node) -> BigUint {
        let spans = node.levels().iter().zip(self.0.highest());
        spans.map(|(level, high)| BigUint::from(high - level + 1)).product::<BigUint>() - 1u8
    }

    /// Number of proper specializations of a node.
    pub fn reachable_below(&self, node: &Node) -> BigUint {
        let spans = node.levels().iter().zip(self.0.lowest());
        spans.map(|(level, low)| BigUint::from(level - low + 1)).product::<BigUint>() - 1u8
    }
}

fn factorial(n: u64) -> BigUint {
    (1..=n).map(BigUint::from).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(highest: &[u8]) -> Lattice {
        Lattice::new(vec![0; highest.len()], highest.to_vec()).unwrap()
    }

    fn sizes(highest: &[u8]) -> Vec<u64> {
        let sizes = LatticeCounts(&lattice(highest)).level_sizes();
        sizes.iter().map(|size| u64::try_from(size).unwrap()).collect()
    }

    #[test]
    fn the_example_lattice_is_counted_as_published() {
        let lattice = lattice(&[2, 1, 5]);
        let counts = LatticeCounts(&lattice);
        let node = Node::new([1, 0, 3]);
        assert_eq!((lattice.node_count(), lattice.level_count()), (36, 9));
        assert_eq!(sizes(&[2, 1, 5]), [1, 3, 5, 6, 6, 6, 5, 3, 1]);
        assert_eq!(counts.strategies(), BigUint::from(168u32));
        assert_eq!(counts.sublattices(), BigUint::from(342u32));
        assert_eq!(counts.sublattices_with_single_nodes(), BigUint::from(378u32));
        assert_eq!(counts.least_worst_case_checks(), BigUint::from(12u32));
        assert_eq!((counts.out_degree(&node), counts.in_degree(&node)), (3, 2));
        assert_eq!(counts.reachable_below(&node), BigUint::from(7u32));
        assert_eq!(counts.reachable_above(&node), BigUint::from(11u32));
    }

    #[test]
    fn a_fourth_attribute_multiplies_nodes_and_strategies() {
        // The literature prints 2268 sublattices; its own formula without single nodes gives 2160.
        let lattice = lattice(&[2, 1, 5, 2]);
        let counts = LatticeCounts(&lattice);
        assert_eq!((lattice.node_count(), lattice.level_count()), (108, 11));
        assert_eq!(sizes(&[2, 1, 5, 2]), [1, 4, 9, 14, 17, 18, 17, 14, 9, 4, 1]);
        assert_eq!(counts.strategies(), BigUint::from(7560u32));
        assert_eq!(counts.sublattices(), BigUint::from(2160u32));
        assert_eq!(counts.sublattices_with_single_nodes(), BigUint::from(2268u32));
    }

    #[test]
    fn benchmark_lattices_have_their_published_sizes() {
        for (levels, nodes) in [
            (vec![2, 5, 2, 3, 4, 3, 3, 3, 2], 12_960),
            (vec![6, 5, 2, 3, 2, 5, 5, 5], 45_000),
            (vec![6, 3, 4, 4, 2, 3, 4, 3], 20_736),
            (vec![3, 6, 2, 3, 3, 3, 3, 4, 3], 34_992),
            (vec![6, 3, 3, 4, 5, 3, 2, 2, 2], 25_920),
        ] {
            let highest: Vec<u8> = levels.iter().map(|n: &u8| n - 1).collect();
            assert_eq!(lattice(&highest).node_count(), nodes);
        }
    }

    #[test]
    fn level_sizes_match_counting_node_by_node() {
        for highest in [vec![0], vec![3, 0, 2], vec![1, 1, 1, 1]] {
            let lattice = lattice(&highest);
            let mut counted = vec![0u64; lattice.level_count() as usize];
            for index in 0..lattice.enumerable(1000).unwrap() {
                counted[lattice.node(index).height() as usize] += 1;
            }
            assert_eq!(sizes(&highest), counted);
        }
    }
}
