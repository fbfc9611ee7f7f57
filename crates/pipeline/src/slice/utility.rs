//! What slicing kept of a table: its figures before and after.

use super::{CodedCells, SlicedTable};
use paravent_slicing::figures::{Compared, SliceUtility, compare};

/// The numbers of a column whose cells are all numbers.
pub fn numbers(column: &CodedCells, codes: &[u32]) -> Option<Vec<f64>> {
    let number = |cell: &Option<String>| match cell {
        None => Some(f64::NAN),
        Some(text) => text.parse::<f64>().ok().filter(|number| number.is_finite()),
    };
    let values: Vec<f64> = column.cells.iter().map(number).collect::<Option<_>>()?;
    let any = values.iter().any(|value| !value.is_nan());
    any.then(|| codes.iter().map(|&code| values[code as usize]).collect())
}

impl SlicedTable {
    /// The figures before and after; they cost more than the slicing itself.
    pub fn utility(&self, table: &super::CodedTable) -> SliceUtility {
        let before: Vec<&[u32]> = self.before.iter().map(Vec::as_slice).collect();
        let names = self.groups.columns();
        let numeric = |(place, name): (usize, &String)| {
            let column = table.columns.iter().find(|column| column.name == *name)?;
            Some((place, numbers(column, &self.before[place])?))
        };
        let numeric: Vec<(usize, Vec<f64>)> = names.iter().enumerate().filter_map(numeric).collect();
        let position = |name: &String| names.iter().position(|known| known == name);
        let known: Vec<usize> = self.known.iter().filter_map(position).collect();
        compare(&Compared {
            groups: &self.groups,
            layout: &self.layout,
            gathers: &self.gathers,
            before: &before,
            known: &known,
            numeric: &numeric,
        })
    }
}
