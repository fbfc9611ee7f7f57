//! Labels that an operator made, for the operators above it.

use paravent_core::hierarchy::{Hierarchy, Ladder, TableError, TableHierarchy, TableLines};
use std::collections::BTreeMap;

/// A text that climbs two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Contradiction;

/// The chains of a column's values and labels. A label of level j is its own label up to j and climbs on from there: values that are generalized already are
/// lifted, never lowered.
#[derive(Debug, Clone, Default)]
pub(super) struct Lineage {
    /// Labels of levels 1 to the top, by value.
    chains: BTreeMap<String, Vec<String>>,
}

impl Lineage {
    /// All that a ladder knows: its values, and the labels of every level.
    pub(super) fn of(ladder: &Ladder) -> Lineage {
        let mut lineage = Lineage::default();
        let top = ladder.max_level();
        // Lower levels first: a text that is a value and a label, too, is taken for the value.
        for from in 0..=top {
            for code in 0..ladder.values() {
                let label = |level: u8| {
                    let rung = ladder.rung(level);
                    rung.labels[rung.group_of[code] as usize].clone()
                };
                let Some(own) = label(from) else { continue };
                if lineage.chains.contains_key(&own) {
                    continue;
                }
                let climb = |level: u8| if level <= from { Some(own.clone()) } else { label(level) };
                let chain: Option<Vec<String>> = (1..=top).map(climb).collect();
                if let Some(chain) = chain {
                    lineage.chains.insert(own, chain);
                }
            }
        }
        lineage
    }

    /// Adds what another operator below knows of the same column, unless the two contradict each other: then they were made from
    /// different rows.
    pub(super) fn merge(&mut self, other: &Lineage) -> Result<(), Contradiction> {
        let height = |lineage: &Lineage| lineage.chains.values().next().map(Vec::len);
        if !self.chains.is_empty() && !other.chains.is_empty() && height(self) != height(other) {
            return Err(Contradiction);
        }
        for (value, chain) in &other.chains {
            if self.chains.entry(value.clone()).or_insert_with(|| chain.clone()) != chain {
                return Err(Contradiction);
            }
        }
        Ok(())
    }

    /// Whether a text is a value or a label it knows.
    pub(super) fn knows(&self, text: &str) -> bool {
        self.chains.contains_key(text)
    }

    /// The chains as a hierarchy.
    pub(super) fn hierarchy(&self) -> Result<Hierarchy, TableError> {
        let mut lines = TableLines::default();
        for (value, labels) in &self.chains {
            lines.push(Some(value), labels);
        }
        TableHierarchy::from_lines(lines).map(Hierarchy::Table)
    }
}
