//! The columns that are generalized, and the nodes over them.

use super::TaskError;
use crate::hierarchy::Ladder;
use crate::lattice::{Lattice, NodeOrder};
use std::ops::RangeInclusive;

/// A column to generalize.
#[derive(Debug, Clone)]
pub struct QuasiIdentifier {
    /// Its name: ties between nodes are broken by name, so that the order of the columns changes no result.
    pub name: String,
    /// Its levels over the values present.
    pub ladder: Ladder,
    /// The levels it may take.
    pub levels: RangeInclusive<u8>,
    /// How much its loss counts, at least 0.
    pub weight: f64,
}

impl QuasiIdentifier {
    /// A column that may take every level of its ladder, of weight 1.
    pub fn new(name: impl Into<String>, ladder: Ladder) -> QuasiIdentifier {
        QuasiIdentifier { name: name.into(), levels: 0..=ladder.max_level(), ladder, weight: 1.0 }
    }
}

/// The quasi-identifiers of a task, the lattice that their levels span, and which of its nodes is preferred.
#[derive(Debug, Clone)]
pub struct QuasiIdentifiers {
    names: Vec<String>,
    ladders: Vec<Ladder>,
    weights: Vec<f64>,
    lattice: Lattice,
    order: NodeOrder,
}

impl QuasiIdentifiers {
    /// The columns in the order of the tuples' codes.
    pub fn new(columns: impl IntoIterator<Item = QuasiIdentifier>) -> Result<QuasiIdentifiers, TaskError> {
        let (mut names, mut ladders, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        let (mut lowest, mut highest) = (Vec::new(), Vec::new());
        for QuasiIdentifier { name, ladder, levels, weight } in columns {
            if *levels.end() > ladder.max_level() {
                return Err(TaskError::Level { name, level: *levels.end(), highest: ladder.max_level() });
            }
            if !weight.is_finite() || weight < 0.0 {
                return Err(TaskError::Weight { name });
            }
            lowest.push(*levels.start());
            highest.push(*levels.end());
            names.push(name);
            ladders.push(ladder);
            weights.push(weight);
        }
        let lattice = Lattice::new(lowest, highest)?;
        let order = NodeOrder::new(names.iter().map(String::as_str).zip(&ladders));
        Ok(QuasiIdentifiers { names, ladders, weights, lattice, order })
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// One ladder per column.
    pub fn ladders(&self) -> &[Ladder] {
        &self.ladders
    }

    /// One weight per column.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The nodes: one level per column, between the lowest and the highest that it may take.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// Which node is preferred, and visited, first.
    pub fn order(&self) -> &NodeOrder {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::{LatticeError, Node};
    use crate::testing::ladder;

    fn column(name: &str) -> QuasiIdentifier {
        QuasiIdentifier::new(name, ladder(&["1 low *", "2 low *", "9 high *"]))
    }

    #[test]
    fn the_lattice_lies_between_the_levels_that_are_allowed() {
        let columns = [column("a"), QuasiIdentifier { levels: 1..=1, ..column("b") }];
        let columns = QuasiIdentifiers::new(columns).unwrap();
        assert_eq!(columns.lattice().bottom(), Node::new([0, 1]));
        assert_eq!(columns.lattice().top(), Node::new([2, 1]));
    }

    #[test]
    fn columns_that_make_no_lattice_are_refused() {
        let refused = |columns: QuasiIdentifier| QuasiIdentifiers::new([columns]).unwrap_err();
        let too_high = refused(QuasiIdentifier { levels: 0..=3, ..column("a") });
        assert!(matches!(too_high, TaskError::Level { level: 3, highest: 2, .. }));
        let crossed = QuasiIdentifier { levels: RangeInclusive::new(2, 1), ..column("a") };
        assert!(matches!(refused(crossed), TaskError::Lattice(LatticeError::Crossed { column: 0 })));
        for weight in [f64::NAN, f64::INFINITY, -1.0] {
            let refused = refused(QuasiIdentifier { weight, ..column("a") });
            assert!(matches!(refused, TaskError::Weight { .. }));
        }
    }
}
