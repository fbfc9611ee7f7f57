//! Our own search: Flash that uses what it knows before it looks.
//!
//! Three things are added to the tagging of Flash, none of which changes the result:
//!
//! 1. *Bounds.* A node whose loss is known, or bounded from below, without a check ([`Checker::loss_bound`](super::Checker::loss_bound)) is passed over as
//!    soon as the best node so far rules it out. In the non-monotone cases the loss without suppression is the bound.
//! 2. *Few columns first.* A class that is too small in one, two or three columns is too small in every node over them (Incognito's
//!    subset property), so a failing test of three columns, all others at the top, discards every node below it; such
//!    a test rolls up from few classes.
//! 3. *Dominance.* With a monotone metric nothing above an anonymous node is looked at, as in Flash.

use super::flash::{self, Pruning};
use super::{Problem, SearchError, SearchReport};
use crate::lattice::Lattice;

/// Columns left as they are in a test of few columns.
const MOST_COLUMNS: usize = 3;

pub(super) fn search(problem: &Problem<'_>) -> Result<SearchReport, SearchError> {
    flash::search(problem, Pruning::Bounded)
}

/// Generalizations of a node with at most three columns below the top, fewest columns first, without the node itself.
pub(super) fn few_columns(lattice: &Lattice, index: u64) -> Vec<u64> {
    let (node, top) = (lattice.node(index), lattice.top());
    let raised: Vec<usize> =
        (0..lattice.dimensions()).filter(|&column| node.levels()[column] < top.levels()[column]).collect();
    let mut found = Vec::new();
    let mut with = |columns: &[usize]| {
        if columns.len() < raised.len() {
            let levels = (0..lattice.dimensions()).map(|column| {
                if columns.contains(&column) { node.levels()[column] } else { top.levels()[column] }
            });
            found.push(lattice.index(&crate::lattice::Node::new(levels.collect::<Vec<u8>>())));
        }
    };
    for size in 1..=MOST_COLUMNS {
        for (i, &a) in raised.iter().enumerate() {
            if size == 1 {
                with(&[a]);
                continue;
            }
            for (j, &b) in raised.iter().enumerate().skip(i + 1) {
                if size == 2 {
                    with(&[a, b]);
                    continue;
                }
                for &c in &raised[j + 1..] {
                    with(&[a, b, c]);
                }
            }
        }
    }
    found
}
