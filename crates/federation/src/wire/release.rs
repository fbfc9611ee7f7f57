//! The release on its way home.

use super::counted::{read_columns, write_columns};
use super::{CounterList, DecodeError, ProfileColumn, Reader, Writer};
use crate::crypto::Token;
use crate::evidence::{Occurrence, Population, Reference};
use crate::outcome::Facts;

/// Released rows, encrypted.
#[derive(Debug, Clone, PartialEq)]
pub struct SealedRelease {
    /// What the search found.
    pub facts: Facts,
    /// Number of rows.
    pub rows: u32,
    /// The columns of the release, ascending by position in the plan.
    pub columns: Vec<SealedColumn>,
    /// Protocol C: a counter per row.
    pub counters: CounterList,
    /// Where δ-presence or k-map is promised.
    pub population: Option<Population>,
    /// Protocol C, where δ-presence or k-map is promised: by row, the rows of everybody in its class.
    pub class_sizes: CounterList,
    /// Protocol C, by column with t-closeness: how often each value occurs in all rows; first its labels as they stand, then the values that are not released.
    pub totals: Vec<ProfileColumn>,
}

/// One released column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SealedColumn {
    /// Position in the plan.
    pub column: u16,
    /// Labels somebody has recognised, encrypted for the primary parties; strictly ascending.
    pub opened: Vec<Token>,
    /// Labels nobody has recognised yet; strictly ascending.
    pub sealed: Vec<Token>,
    /// By row: position in `opened`, then `sealed`.
    pub cells: Vec<u32>,
    /// Where t-closeness is promised of the column; its labels in the order of `opened`, then `sealed`.
    pub reference: Option<Reference>,
}

impl SealedRelease {
    pub(super) fn write(&self, to: &mut Writer) {
        to.u8(self.facts.node.len() as u8);
        to.raw(&self.facts.node);
        to.f64(self.facts.loss);
        to.u64(self.facts.suppressed_rows);
        to.u64(self.facts.checks);
        to.u64(self.facts.subset_tests);
        to.u8(self.facts.optimal.into());
        to.u32(self.rows);
        to.count(self.columns.len());
        for column in &self.columns {
            to.u16(column.column);
            to.tokens(&column.opened);
            to.tokens(&column.sealed);
            to.u32s(&column.cells);
            write_reference(column.reference.as_ref(), to);
        }
        self.counters.write(to);
        to.u8(self.population.is_some().into());
        if let Some(population) = &self.population {
            to.u32(population.rows);
            to.u32(population.empty_classes);
            to.u32s(&population.of_row);
        }
        self.class_sizes.write(to);
        write_columns(&self.totals, to);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<SealedRelease, DecodeError> {
        let levels = from.u8()?;
        let node = from.raw(usize::from(levels))?.to_vec();
        let facts = Facts {
            node,
            loss: from.f64()?,
            suppressed_rows: from.u64()?,
            checks: from.u64()?,
            subset_tests: from.u64()?,
            optimal: from.flag()?,
        };
        let rows = from.u32()?;
        let count = from.count(15)?;
        let mut columns: Vec<SealedColumn> = Vec::with_capacity(count);
        for _ in 0..count {
            let column = from.u16()?;
            let (opened, sealed, cells) = (from.sorted_tokens()?, from.sorted_tokens()?, from.u32s()?);
            let labels = opened.len() + sealed.len();
            if cells.len() != rows as usize || cells.iter().any(|&cell| cell as usize >= labels) {
                return Err(DecodeError::Form("a released column does not go with the rows"));
            }
            if columns.last().is_some_and(|last| last.column >= column) {
                return Err(DecodeError::Form("the columns are not in order"));
            }
            let reference = read_reference(from, labels)?;
            columns.push(SealedColumn { column, opened, sealed, cells, reference });
        }
        let counters = CounterList::read(from)?;
        if !counters.0.is_empty() && counters.0.len() != rows as usize {
            return Err(DecodeError::Form("counters do not go with the rows"));
        }
        let population = match from.flag()? {
            true => Some(Population { rows: from.u32()?, empty_classes: from.u32()?, of_row: from.u32s()? }),
            false => None,
        };
        if population.as_ref().is_some_and(|population| population.of_row.len() != rows as usize) {
            return Err(DecodeError::Form("the population does not go with the rows"));
        }
        let class_sizes = CounterList::read(from)?;
        if !class_sizes.0.is_empty() && class_sizes.0.len() != rows as usize {
            return Err(DecodeError::Form("sizes of classes do not go with the rows"));
        }
        let totals = read_columns(from)?;
        Ok(SealedRelease { facts, rows, columns, counters, population, class_sizes, totals })
    }
}

/// Branches of all values are equally many, so their number comes once.
fn write_reference(reference: Option<&Reference>, to: &mut Writer) {
    to.u8(reference.is_some().into());
    let Some(reference) = reference else { return };
    to.u8(reference.all().next().map_or(0, |value| value.branches.len()) as u8);
    to.count(reference.shown.len());
    to.count(reference.withheld.len());
    for value in reference.all() {
        to.u32(value.rows);
        value.branches.iter().for_each(|&branch| to.u32(branch));
    }
}

fn read_reference(from: &mut Reader<'_>, labels: usize) -> Result<Option<Reference>, DecodeError> {
    if !from.flag()? {
        return Ok(None);
    }
    let height = usize::from(from.u8()?);
    let (shown, withheld) = (from.count(4)?, from.count(4)?);
    if shown != labels {
        return Err(DecodeError::Form("a reference does not go with the labels"));
    }
    let mut read = |count: usize| -> Result<Vec<Occurrence>, DecodeError> {
        let one = |_| {
            let rows = from.u32()?;
            let branches = (0..height).map(|_| from.u32()).collect::<Result<_, _>>()?;
            Ok(Occurrence { rows, branches })
        };
        (0..count).map(one).collect()
    };
    let reference = Reference { shown: read(shown)?, withheld: read(withheld)? };
    if height > 0 && reference.all().next().is_none() {
        return Err(DecodeError::Form("branches without a value"));
    }
    Ok(Some(reference))
}
