//! Made-up tables that grow in one direction at a time.

use crate::dataset::Shape;
use serde::Serialize;

/// What grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Rows; the columns stay.
    Rows,
    /// Quasi-identifiers; the rows stay.
    QuasiIdentifiers,
    /// Nodes of the lattice: levels of the hierarchies; rows and columns stay.
    Nodes,
}

impl Axis {
    /// All of them, in the order of the report.
    pub const ALL: [Axis; 3] = [Axis::Rows, Axis::QuasiIdentifiers, Axis::Nodes];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Axis::Rows => "rows",
            Axis::QuasiIdentifiers => "quasi-identifiers",
            Axis::Nodes => "nodes of the lattice",
        }
    }
}

/// Where a case is on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Scale {
    /// What grows.
    pub axis: Axis,
    /// How large it is here.
    pub value: f64,
}

/// A table of the scaling workload.
pub(crate) struct Step {
    pub(crate) scale: Scale,
    pub(crate) shape: Shape,
}

const ROWS: [usize; 7] = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000];
/// Rows while something else grows.
const USUAL_ROWS: usize = 100_000;
const USUAL_COLUMNS: usize = 6;

/// All tables with at most this number of rows.
pub(crate) fn steps(most_rows: usize, seed: u64) -> Vec<Step> {
    let step = |axis, value, mut shape: Shape| {
        shape.seed = seed;
        Step { scale: Scale { axis, value }, shape }
    };
    let mut rows: Vec<usize> = ROWS.into_iter().filter(|&rows| rows < most_rows).collect();
    rows.push(most_rows);
    let usual = USUAL_ROWS.min(most_rows);
    let by_rows = rows
        .into_iter()
        .map(|rows| step(Axis::Rows, rows as f64, Shape::plain(rows, USUAL_COLUMNS, None, None)));
    let by_columns = (3..=9).map(|columns| {
        step(Axis::QuasiIdentifiers, columns as f64, Shape::plain(usual, columns, None, None))
    });
    let by_nodes = (2..=6).map(|levels| {
        let mut shape = Shape::plain(usual, USUAL_COLUMNS, Some(40), Some(levels));
        shape.name = format!("{}-levels-{levels}", shape.name);
        step(Axis::Nodes, shape.nodes() as f64, shape)
    });
    by_rows.chain(by_columns).chain(by_nodes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_grow_to_the_limit() {
        let rows = |most| -> Vec<usize> {
            let steps = steps(most, 1).into_iter().filter(|step| step.scale.axis == Axis::Rows);
            steps.map(|step| step.shape.rows).collect()
        };
        assert_eq!(rows(1_000_000), [10_000, 30_000, 100_000, 300_000, 1_000_000]);
        assert_eq!(rows(500), [500]);
    }

    #[test]
    fn every_axis_grows() {
        for axis in Axis::ALL {
            let steps = steps(1000, 1).into_iter().filter(|step| step.scale.axis == axis);
            let values: Vec<f64> = steps.map(|step| step.scale.value).collect();
            assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{axis:?}");
        }
    }
}
