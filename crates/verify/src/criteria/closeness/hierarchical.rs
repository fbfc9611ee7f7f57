//! Earth mover's distance along a tree, `d_ij = level(lca(i, j))/H`:
//! `Σ_N height(N)/H · min(pos(N), neg(N))` over the inner nodes N, where `extra(leaf) = p − q`,
//! `extra(N) = Σ extra(children)`, and pos and neg are the sums of the positive and of the negative extras of the children.

use foldhash::{HashMap, HashMapExt};

use super::Distribution;
use super::reference::Reference;
use crate::VerifyError;
use crate::fraction::Fraction;
use crate::json::Node;

/// More levels than any tree has; keeps the sums within 128 bits.
const MOST_LEVELS: usize = 1000;

pub(super) struct Tree {
    /// Level by level from 1 to the root: rows of the reference below each node.
    levels: Vec<Vec<u128>>,
    /// For each level, the node that each node of the level below belongs to.
    parents: Vec<Vec<usize>>,
    /// What is wrong with the tree, until somebody asks.
    pub(super) problems: Option<String>,
    scratch: Vec<(usize, u128)>,
}

impl Tree {
    pub(super) fn parse(node: &Node<'_>, counts: &[u64]) -> Result<Tree, VerifyError> {
        let mut paths: Vec<Vec<u64>> = Vec::new();
        for item in node.items()? {
            let path = item.items()?.map(|group| group.u64()).collect::<Result<Vec<_>, _>>()?;
            if path.is_empty()
                || path.len() > MOST_LEVELS
                || paths.first().is_some_and(|first| first.len() != path.len())
            {
                return Err(item.bad("must have one group per level, as many as the first entry"));
            }
            paths.push(path);
        }
        if paths.len() != counts.len() {
            return Err(node.bad("must have one entry for each entry of `reference`"));
        }
        Ok(Tree::new(&paths, counts))
    }

    /// From the group number of each value on each level, from 1 up to the root.
    fn new(paths: &[Vec<u64>], counts: &[u64]) -> Tree {
        let height = paths.first().map_or(0, Vec::len);
        let (mut levels, mut parents) = (Vec::new(), Vec::new());
        let mut problems = None;
        // Node of the level below that each value belongs to; at first its own leaf.
        let mut below: Vec<usize> = (0..paths.len()).collect();
        let mut nodes_below = paths.len();
        for level in 0..height {
            let mut ids: HashMap<u64, usize> = HashMap::new();
            let mut inner: Vec<u128> = Vec::new();
            let mut parent = vec![usize::MAX; nodes_below];
            for (value, path) in paths.iter().enumerate() {
                let id = *ids.entry(path[level]).or_insert(inner.len());
                if id == inner.len() {
                    inner.push(0);
                }
                inner[id] += u128::from(counts[value]);
                let known = &mut parent[below[value]];
                if *known != usize::MAX && *known != id {
                    problems =
                        Some(format!("the groups of level {} are no union of groups below", level + 1));
                }
                *known = id;
                below[value] = id;
            }
            nodes_below = inner.len();
            levels.push(inner);
            parents.push(parent);
        }
        if nodes_below > 1 {
            problems = Some("the tree has no single root".to_owned());
        }
        Tree { levels, parents, problems, scratch: Vec::new() }
    }

    /// Nodes without a row of the class have no positive child, so only the ancestors of the class's values matter;
    /// for those `neg = pos − extra`.
    pub(super) fn distance(&mut self, class: &Distribution<'_>, reference: &Reference) -> Fraction {
        let (n, total) = (u128::from(class.rows), reference.rows);
        let surplus = |rows: u128, reference_rows: u128| (rows * total).saturating_sub(reference_rows * n);
        let mut work = 0u128;
        // Nodes of the level below with their rows in the class, then the same grouped by parent.
        let mut nodes: Vec<(usize, u128)> =
            class.counts.iter().map(|&(at, count)| (at, u128::from(count))).collect();
        for (level, parents) in self.parents.iter().enumerate() {
            let rows_below = |node: usize| match level {
                0 => u128::from(reference.counts[node]),
                _ => self.levels[level - 1][node],
            };
            nodes.sort_unstable_by_key(|&(node, _)| parents[node]);
            self.scratch.clear();
            for siblings in nodes.chunk_by(|a, b| parents[a.0] == parents[b.0]) {
                let parent = parents[siblings[0].0];
                let rows: u128 = siblings.iter().map(|&(_, rows)| rows).sum();
                let positive: u128 =
                    siblings.iter().map(|&(node, rows)| surplus(rows, rows_below(node))).sum();
                // neg = pos − extra, with extra = rows·total − reference·n.
                let negative = (positive + self.levels[level][parent] * n).saturating_sub(rows * total);
                work += positive.min(negative) * (level as u128 + 1);
                self.scratch.push((parent, rows));
            }
            std::mem::swap(&mut nodes, &mut self.scratch);
        }
        Fraction::new(work, n * total * (self.levels.len() as u128).max(1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::equal::equal;
    use super::super::testing::{distribution, reference, sparse};
    use super::*;

    fn hierarchical(paths: &[Vec<u64>], class: &[u64], table: &[u64]) -> Fraction {
        Tree::new(paths, table).distance(&distribution(&sparse(class)), &reference(table))
    }

    /// root(resp(flu, pneumonia), dig(gastritis, ulcer)).
    fn diagnoses() -> Vec<Vec<u64>> {
        vec![vec![7, 0], vec![7, 0], vec![3, 0], vec![3, 0]]
    }

    #[test]
    fn near_values_are_cheaper_than_far_ones() {
        assert_eq!(hierarchical(&diagnoses(), &[1, 1, 0, 0], &[1; 4]), Fraction::new(1, 2));
        assert_eq!(hierarchical(&diagnoses(), &[1, 0, 1, 0], &[1; 4]), Fraction::new(1, 4));
        assert_eq!(hierarchical(&diagnoses(), &[1, 0, 0, 0], &[1; 4]), Fraction::new(5, 8));
    }

    #[test]
    fn a_tree_that_is_none_is_found() {
        assert!(Tree::new(&diagnoses(), &[1; 4]).problems.is_none());
        assert!(Tree::new(&[vec![1, 1], vec![1, 2]], &[1; 2]).problems.is_some());
        assert!(Tree::new(&[vec![1], vec![2]], &[1; 2]).problems.is_some());
    }

    /// The formula over all nodes, word for word.
    fn plain(paths: &[Vec<u64>], class: &[u64], table: &[u64]) -> Fraction {
        let (n, total): (i128, i128) =
            (class.iter().map(|&c| i128::from(c)).sum(), table.iter().map(|&c| i128::from(c)).sum());
        let leaf: Vec<i128> =
            class.iter().zip(table).map(|(&p, &q)| i128::from(p) * total - i128::from(q) * n).collect();
        let height = paths[0].len();
        let group =
            |value: usize, level: usize| if level == 0 { value as u64 } else { paths[value][level - 1] };
        let mut work = 0;
        for level in 1..=height {
            let mut nodes: Vec<u64> = (0..leaf.len()).map(|value| group(value, level)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            for node in nodes {
                let inside: Vec<usize> =
                    (0..leaf.len()).filter(|&value| group(value, level) == node).collect();
                let mut children: Vec<u64> = inside.iter().map(|&value| group(value, level - 1)).collect();
                children.sort_unstable();
                children.dedup();
                let extras: Vec<i128> = children
                    .iter()
                    .map(|&child| {
                        inside
                            .iter()
                            .filter(|&&value| group(value, level - 1) == child)
                            .map(|&value| leaf[value])
                            .sum()
                    })
                    .collect();
                let positive: i128 = extras.iter().filter(|&&extra| extra > 0).sum();
                let negative: i128 = -extras.iter().filter(|&&extra| extra < 0).sum::<i128>();
                work += level as i128 * positive.min(negative);
            }
        }
        Fraction::new(work.unsigned_abs(), (n * total).unsigned_abs() * height as u128)
    }

    proptest! {
        #[test]
        fn the_short_way_is_the_formula(
            values in prop::collection::vec((0u64..4, 1u64..50), 1..24)
                .prop_filter("a class has rows", |values| values.iter().any(|value| value.0 > 0))
        ) {
            let (class, table): (Vec<u64>, Vec<u64>) = values.into_iter().unzip();
            let paths: Vec<Vec<u64>> = (0..class.len() as u64).map(|value| vec![value / 3, value / 6, 0]).collect();
            prop_assert_eq!(hierarchical(&paths, &class, &table), plain(&paths, &class, &table));
            let flat: Vec<Vec<u64>> = class.iter().map(|_| vec![0]).collect();
            prop_assert_eq!(
                hierarchical(&flat, &class, &table),
                equal(&distribution(&sparse(&class)), &reference(&table))
            );
        }
    }
}
