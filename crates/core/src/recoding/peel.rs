//! Another first recoding, node by node: what holds under a cheap node is released there, and the rest goes on to dearer ones.
//!
//! This is what repeating the best full-domain search on the rows left over comes to where suppressing costs nothing.

use super::judge::Judge;
use super::space::{Class, Space};
use hashbrown::HashMap;

/// Lattices with more nodes are not peeled.
const MOST_NODES: u64 = 50_000;
/// Visits of tuples, at most; what is left then stays left over.
const MOST_VISITS: u64 = 1 << 26;

/// What the nodes release.
pub(super) struct Peeled {
    /// Classes that hold, and the tuples that are left over one by one.
    pub(super) classes: Vec<Class>,
    /// Whether all nodes were visited, or nothing was left for the others.
    pub(super) is_whole: bool,
}

/// Releases what holds under the cheapest node, then of the rest what holds under the next one; `None` where there are too many nodes.
pub(super) fn peel(space: &Space<'_>) -> Option<Peeled> {
    let nodes = nodes(space)?;
    let mixed = mixed(space);
    let mut judge = Judge::new(space);
    let least = space.task.criteria().least_class_size();
    let (mut classes, mut is_whole) = (Vec::new(), true);
    let (mut left, mut visits) = (space.tuples.clone(), 0u64);
    let (mut hashes, mut rows): (Vec<u64>, HashMap<u64, u64>) = (Vec::new(), HashMap::new());
    for node in nodes {
        visits += left.len() as u64;
        is_whole = visits <= MOST_VISITS || left.is_empty();
        if left.is_empty() || !is_whole || space.stopping.asked() {
            break;
        }
        hashes.clear();
        rows.clear();
        for &tuple in &left {
            let finest = space.finest(tuple).iter().zip(&mixed).zip(&node);
            let parts = finest.map(|((&label, column), &position)| column[position][label as usize]);
            let hash = parts.fold(0u64, u64::wrapping_add);
            hashes.push(hash);
            *rows.entry(hash).or_insert(0) += space.rows(tuple);
        }
        if rows.values().all(|&rows| rows < least) {
            continue;
        }
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        let mut groups: Vec<Vec<u32>> = Vec::new();
        for (&tuple, hash) in left.iter().zip(&hashes).filter(|(_, hash)| rows[*hash] >= least) {
            let number = *numbers.entry(*hash).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(tuple);
        }
        let mut released = vec![];
        for group in groups {
            // Two boxes with one hash would make a class of both: dearer, but a class that holds.
            let size = group.iter().map(|&tuple| space.rows(tuple)).sum();
            if judge.holds(size, group.iter().copied())
                && let Some(class) = space.class(group)
            {
                released.extend_from_slice(&class.tuples);
                classes.push(class);
            }
        }
        released.sort_unstable();
        left.retain(|tuple| released.binary_search(tuple).is_err());
    }
    classes.extend(left.into_iter().filter_map(|tuple| space.class(vec![tuple])));
    Some(Peeled { classes, is_whole })
}

/// All nodes as positions of levels, the cheapest first: by what a row costs on the average.
fn nodes(space: &Space<'_>) -> Option<Vec<Vec<usize>>> {
    let heights: Vec<usize> = space.columns.iter().map(|column| column.height()).collect();
    let count = heights.iter().try_fold(1u64, |count, &height| count.checked_mul(height as u64));
    count.filter(|&count| count <= MOST_NODES)?;
    let cost = |column: usize, position: usize| -> u128 {
        let labels = &space.columns[column];
        let cost = |&tuple: &u32| {
            let label = labels.on(position, space.finest(tuple)[column]);
            u128::from(space.rows(tuple)) * u128::from(labels.cost(label))
        };
        space.tuples.iter().map(cost).sum()
    };
    let costs: Vec<Vec<u128>> = heights
        .iter()
        .enumerate()
        .map(|(column, &height)| (0..height).map(|position| cost(column, position)).collect())
        .collect();
    let mut nodes: Vec<(u128, Vec<usize>)> = vec![(0, Vec::new())];
    for costs in &costs {
        nodes = nodes
            .into_iter()
            .flat_map(|(sum, node)| {
                costs.iter().enumerate().map(move |(position, cost)| {
                    (sum + cost, node.iter().copied().chain([position]).collect())
                })
            })
            .collect();
    }
    nodes.sort_unstable();
    Some(nodes.into_iter().map(|(_, node)| node).collect())
}

/// By column, position of the level and finest label: a number that stands for the label. Sums of them stand for boxes.
fn mixed(space: &Space<'_>) -> Vec<Vec<Vec<u64>>> {
    let mut columns = Vec::new();
    for (column, labels) in space.columns.iter().enumerate() {
        let mut levels = Vec::new();
        for position in 0..labels.height() {
            let number = |finest: u32| {
                let label = u64::from(labels.on(position, finest)) + 1;
                let mut random = super::random::Random::at(label, column as u64, 0);
                random.next()
            };
            levels.push((0..labels.finest_count()).map(number).collect());
        }
        columns.push(levels);
    }
    columns
}
