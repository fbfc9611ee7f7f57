//! Encrypted rows: per column a sorted dictionary of tokens, the hierarchy as positions in it, and the rows as positions of values.

use super::{CounterList, DecodeError, Reader, Writer};
use crate::crypto::Token;

/// Encrypted rows of one party or of several.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncryptedPart {
    /// Number of rows.
    pub rows: u32,
    /// Vertical: an encrypted identifier per row.
    pub identifiers: Vec<Token>,
    /// By column, ascending by position in the plan.
    pub columns: Vec<EncryptedColumn>,
    /// Protocol C: a counter for every row that the sender counts, in their order; 1 for a row of the table to release.
    pub counters: CounterList,
    /// Protocol C, where a population is counted: the same, 1 for a row of anybody.
    pub population: CounterList,
}

/// One column. Every distinct value and label is encrypted once, however many rows and levels show it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncryptedColumn {
    /// Position in the plan.
    pub column: u16,
    /// All values and labels, strictly ascending: the order says nothing of the texts.
    pub tokens: Vec<Token>,
    /// Positions of the values in `tokens`, strictly ascending.
    pub values: Vec<u32>,
    /// By level from 1, by value: position of the label in `tokens`.
    pub levels: Vec<Vec<u32>>,
    /// As `levels`: the share of the domain that the label covers, or with `leaves` how many leaves. Empty where shares do not travel.
    pub shares: Vec<Vec<f64>>,
    /// Leaves of the whole hierarchy, where `shares` are numbers of leaves; else 0.
    pub leaves: u32,
    /// The value that stands for persons the party does not know, as a position in `values`.
    pub placeholder: Option<u32>,
    /// By row: position in `values`; for memberships 0 or 1.
    pub cells: Vec<u32>,
}

impl EncryptedPart {
    pub(super) fn write(&self, to: &mut Writer) {
        to.u32(self.rows);
        to.tokens(&self.identifiers);
        to.count(self.columns.len());
        self.columns.iter().for_each(|column| column.write(to));
        self.counters.write(to);
        self.population.write(to);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<EncryptedPart, DecodeError> {
        let rows = from.u32()?;
        let identifiers = from.tokens()?;
        let count = from.count(20)?;
        let columns: Vec<EncryptedColumn> =
            (0..count).map(|_| EncryptedColumn::read(from)).collect::<Result<_, _>>()?;
        let (counters, population) = (CounterList::read(from)?, CounterList::read(from)?);
        let length = rows as usize;
        // Which rows a party has counters for is for the plan to say.
        let most = counters.0.len().max(population.0.len());
        if ![0, length].contains(&identifiers.len()) || most > length {
            return Err(DecodeError::Form("identifiers or counters do not go with the rows"));
        }
        if columns.iter().any(|column| column.cells.len() != length) {
            return Err(DecodeError::Form("a column has another number of rows"));
        }
        if !columns.windows(2).all(|pair| pair[0].column < pair[1].column) {
            return Err(DecodeError::Form("the columns are not in order"));
        }
        Ok(EncryptedPart { rows, identifiers, columns, counters, population })
    }
}

impl EncryptedColumn {
    fn write(&self, to: &mut Writer) {
        to.u16(self.column);
        to.tokens(&self.tokens);
        to.u32s(&self.values);
        to.u8(self.levels.len() as u8);
        self.levels.iter().for_each(|level| level.iter().for_each(|&label| to.u32(label)));
        to.u8((!self.shares.is_empty()).into());
        self.shares.iter().flatten().for_each(|&share| to.f64(share));
        to.u32(self.leaves);
        to.u8(self.placeholder.is_some().into());
        to.u32(self.placeholder.unwrap_or(0));
        to.u32s(&self.cells);
    }

    fn read(from: &mut Reader<'_>) -> Result<EncryptedColumn, DecodeError> {
        let column = from.u16()?;
        let tokens = from.sorted_tokens()?;
        let values = from.u32s()?;
        if !values.windows(2).all(|pair| pair[0] < pair[1]) {
            return Err(DecodeError::Form("the values are not in order"));
        }
        let height = from.u8()?;
        let levels: Vec<Vec<u32>> = (0..height)
            .map(|_| values.iter().map(|_| from.u32()).collect::<Result<_, _>>())
            .collect::<Result<_, _>>()?;
        let shares: Vec<Vec<f64>> = if from.flag()? {
            if height == 0 {
                return Err(DecodeError::Form("shares without levels"));
            }
            (0..height)
                .map(|_| values.iter().map(|_| from.f64()).collect::<Result<_, _>>())
                .collect::<Result<_, _>>()?
        } else {
            Vec::new()
        };
        let leaves = from.u32()?;
        let most = if leaves == 0 { 1.0 } else { f64::from(leaves) };
        let whole = |share: &f64| leaves == 0 || (share.fract() == 0.0 && *share >= 1.0);
        if !shares.iter().flatten().all(|share| (0.0..=most).contains(share) && whole(share))
            || (leaves > 0 && shares.is_empty())
        {
            return Err(DecodeError::Form("shares that are none"));
        }
        let has_placeholder = from.flag()?;
        let placeholder = from.u32()?;
        if !has_placeholder && placeholder != 0 {
            return Err(DecodeError::Form("a placeholder that is none"));
        }
        let placeholder = has_placeholder.then_some(placeholder);
        let cells = from.u32s()?;
        // A membership has no dictionary; its cells are bits.
        let codes = if tokens.is_empty() { 2 } else { values.len() as u32 };
        let known = values.iter().chain(levels.iter().flatten()).all(|&at| (at as usize) < tokens.len());
        if !known || placeholder.iter().chain(&cells).any(|&cell| cell >= codes) {
            return Err(DecodeError::Form("a position is outside its dictionary"));
        }
        Ok(EncryptedColumn { column, tokens, values, levels, shares, leaves, placeholder, cells })
    }
}
