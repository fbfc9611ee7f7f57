//! What goes home with a release so that it can be verified without the original rows.

use super::CodedTable;
use crate::evidence::{Population, Reference};
use crate::plan::Plan;
use std::collections::BTreeMap;

impl CodedTable {
    /// How often each value of a column occurs in the table to release, where the plan promises t-closeness of it. `released` are the rows of
    /// the release; the values they show come in the order of their codes.
    pub(crate) fn reference(&self, plan: &Plan, column: u16, released: &[u32]) -> Option<Reference> {
        let height = plan.reference_height(column)?;
        let coded = &self.columns[usize::from(column)];
        let in_table = self.memberships();
        let mut totals = vec![0u32; coded.distinct];
        for (row, &code) in coded.cells.iter().enumerate() {
            totals[code as usize] += u32::from(in_table.is_none_or(|bits| bits[row] == 1));
        }
        let mut shown = vec![false; coded.distinct];
        released.iter().for_each(|&row| shown[coded.cells[row as usize] as usize] = true);
        let ladder = coded.ladder.as_ref();
        let branches = |code: u32| {
            let levels = (1..=height).filter_map(|level| Some(ladder?.rung(level)));
            levels.map(|rung| rung.group_of[code as usize]).collect()
        };
        Some(Reference::new(&totals, |code| shown[code as usize], branches))
    }

    /// How many rows of all share the labels of each released row, where the plan counts in a population.
    pub(crate) fn population(&self, plan: &Plan, node: &[u8], released: &[u32]) -> Option<Population> {
        let in_table = self.memberships()?;
        let columns: Vec<(&[u32], Option<&[u32]>)> = (plan.quasi_identifiers().into_iter().zip(node))
            .map(|(position, &level)| {
                let column = &self.columns[usize::from(position)];
                let groups = column.ladder.as_ref().map(|ladder| ladder.rung(level).group_of.as_slice());
                (column.cells.as_slice(), groups)
            })
            .collect();
        let labels = |row: usize| -> Vec<u32> {
            let label = |(cells, groups): &(&[u32], Option<&[u32]>)| {
                groups.map_or(cells[row], |groups| groups[cells[row] as usize])
            };
            columns.iter().map(label).collect()
        };
        // Rows of everybody, and of the table.
        let mut sizes: BTreeMap<Vec<u32>, (u32, u32)> = BTreeMap::new();
        for (row, &bit) in in_table.iter().enumerate() {
            let size = sizes.entry(labels(row)).or_default();
            *size = (size.0 + 1, size.1 + bit);
        }
        let size = |&row: &u32| sizes.get(&labels(row as usize)).map_or(0, |size| size.0);
        Some(Population {
            rows: self.rows as u32,
            empty_classes: sizes.values().filter(|size| size.1 == 0).count() as u32,
            of_row: released.iter().map(size).collect(),
        })
    }
}
