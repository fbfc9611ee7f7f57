//! Where the distinct tuples are: in memory, or read back piece by piece where they are more than memory may hold.

use super::FrequencyTable;
use std::fmt;
use std::ops::ControlFlow;

/// The distinct tuples of a table, wherever they are. A search asks for nothing else.
pub trait TupleSource: fmt::Debug + Send + Sync {
    /// All tuples at once, where they are in memory.
    fn held(&self) -> Option<&FrequencyTable> {
        None
    }

    /// Number of distinct tuples, those only known from the population included.
    fn tuple_count(&self) -> usize;

    /// Number of rows to release or suppress.
    fn row_count(&self) -> u64;

    /// How many rows show each value of a quasi-identifier (code → rows), over `cardinality` codes.
    fn value_counts(&self, quasi_identifier: usize, cardinality: usize) -> Vec<u64>;

    /// Calls `visit` with the tuples, piece by piece: each tuple once, always in the same order.
    fn pieces(
        &self,
        visit: &mut dyn FnMut(&FrequencyTable) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError>;

    /// How many bytes of classes may be gathered at a time where the tuples are read in pieces; more classes take more passes.
    fn class_bytes(&self) -> usize {
        usize::MAX
    }
}

/// Why tuples could not be read back.
#[derive(Debug, thiserror::Error)]
#[error("the counted tuples could not be read back: {0}")]
pub struct TupleSourceError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

impl TupleSource for FrequencyTable {
    fn held(&self) -> Option<&FrequencyTable> {
        Some(self)
    }

    fn tuple_count(&self) -> usize {
        FrequencyTable::tuple_count(self)
    }

    fn row_count(&self) -> u64 {
        FrequencyTable::row_count(self)
    }

    fn value_counts(&self, quasi_identifier: usize, cardinality: usize) -> Vec<u64> {
        FrequencyTable::value_counts(self, quasi_identifier, cardinality)
    }

    fn pieces(
        &self,
        visit: &mut dyn FnMut(&FrequencyTable) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError> {
        let _ = visit(self);
        Ok(())
    }
}
