//! The distance of one box from many.

use super::labels::{FORBIDDEN, Labels};
use super::space::Space;
use std::sync::Arc;

/// A box, prepared to be compared with many others.
#[derive(Debug)]
pub(super) struct Probe<'a> {
    columns: Vec<Costs<'a>>,
}

#[derive(Debug)]
enum Costs<'a> {
    /// By label: what the joint label costs.
    Tabulated(&'a [u32]),
    /// The coarser labels of the probe's, and its own, ascending.
    Path(&'a Labels, Vec<u32>),
}

impl<'a> Probe<'a> {
    pub(super) fn new(space: &'a Space<'_>, labels: &[u32]) -> Probe<'a> {
        let of_column = |(column, &label): (&'a Arc<Labels>, &u32)| match column.costs_with(label) {
            Some(costs) => Costs::Tabulated(costs),
            None => {
                let path = std::iter::successors(Some(label), |&label| column.parent(label));
                Costs::Path(column, path.collect())
            }
        };
        Probe { columns: space.columns.iter().zip(labels).map(of_column).collect() }
    }

    /// Number of columns.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// What a row costs in the finest box that covers the probe and these labels; at least [`FORBIDDEN`] where there is none.
    pub(super) fn joint_cost(&self, labels: &[u32]) -> u64 {
        let mut sum = 0u64;
        for (costs, &label) in self.columns.iter().zip(labels) {
            sum += match costs {
                Costs::Tabulated(costs) => u64::from(costs[label as usize]),
                Costs::Path(column, path) => path_cost(column, path, label),
            };
        }
        sum
    }
}

fn path_cost(column: &Labels, path: &[u32], mut label: u32) -> u64 {
    let mut steps = path.iter();
    let mut own = steps.next();
    // Both climb, the finer one first: numbers grow with the level.
    while let Some(&step) = own {
        if step == label {
            return column.cost(label);
        }
        if step < label {
            own = steps.next();
        } else {
            match column.parent(label) {
                Some(parent) => label = parent,
                None => break,
            }
        }
    }
    u64::from(FORBIDDEN)
}
