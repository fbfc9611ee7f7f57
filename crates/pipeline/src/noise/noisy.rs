//! The draw.

use super::NoiseError;
use super::account::{Charge, ColumnAccount, document};
use super::mechanism::{Counted, Drawn, Mechanism};
use super::prepare::{Paid, Prepared};
use crate::slice::{CodedCells, CodedTable, text_of};
use paravent_noise::draw::{Secret, Stream, Words};
use serde_json::Value;

/// The number of the one operator of a command; a statement that draws once numbers it so, too.
pub(super) const OPERATOR: u64 = 1;

/// A table with noise, its rows in the order of their text: where a row stood cannot be seen.
#[derive(Debug)]
pub struct NoisyTable {
    /// The released columns.
    pub columns: Vec<CodedCells>,
    /// The noise, sorted by column.
    pub mechanisms: Vec<Mechanism>,
    /// What was done to each of these columns.
    pub accounts: Vec<ColumnAccount>,
    /// Rows of which a column shows another cell than before, for each of them. For the house alone: with it, single cells could be told.
    pub changed: Vec<u64>,
    /// Identifying columns, which are left out.
    pub dropped: Vec<String>,
    /// Columns that the job does not mention, which are left out.
    pub unmentioned: Vec<String>,
    /// Without a job: columns that look as if they named people, with the reason. They are left out.
    pub suspected: Vec<(String, String)>,
    /// The seed, if one was asked for.
    pub seed: Option<u64>,
    /// What was paid.
    pub charge: Charge,
}

impl NoisyTable {
    pub(super) fn draw(table: &CodedTable, paid: Paid, secret: &Secret) -> Result<NoisyTable, NoiseError> {
        let Paid { prepared, charge } = paid;
        let Prepared { mechanisms, released, dropped, unmentioned, suspected, seed, .. } = prepared;
        let mut columns: Vec<CodedCells> =
            released.iter().map(|&place| table.columns[place].clone()).collect();
        let (mut accounts, mut changed) = (Vec::new(), Vec::new());
        for (attribute, mechanism) in (0u32..).zip(&mechanisms) {
            let stream = Stream { operator: OPERATOR, attribute };
            let before = &table.columns[table.place(&mechanism.column)?];
            let codes = drawn(table, mechanism, before, &mut Words::new(secret, stream))?;
            let mut observed = vec![0u64; mechanism.values.len()];
            codes.iter().for_each(|code| observed[*code as usize] += 1);
            let differs =
                |(old, new): (&u32, &u32)| before.cells[*old as usize] != mechanism.values[*new as usize];
            changed.push(before.codes.iter().zip(&codes).filter(|pair| differs(*pair)).count() as u64);
            accounts.push(ColumnAccount::new(mechanism, &observed));
            if let Some(column) = columns.iter_mut().find(|column| column.name == mechanism.column) {
                // Values that were not drawn do not leave, not even in the type of the column.
                let cells = mechanism.values.clone();
                *column = CodedCells { name: column.name.clone(), codes, cells }.in_use();
            }
        }
        sort(&mut columns);
        Ok(NoisyTable {
            columns,
            mechanisms,
            accounts,
            changed,
            dropped,
            unmentioned,
            suspected,
            seed,
            charge,
        })
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.codes.len())
    }

    /// What a program is told of the operator.
    pub fn account(&self) -> Value {
        document(&self.accounts, &self.charge, self.seed.is_some())
    }

    /// The bare table as delimited text, empty where a cell is missing.
    ///
    /// # Errors
    /// If it cannot be put into text.
    pub fn text(&self, delimiter: u8) -> Result<Vec<u8>, NoiseError> {
        Ok(text_of(&self.columns, delimiter)?)
    }
}

/// What every row is shown as. Rows are numbered from 1, as databases do.
fn drawn(
    table: &CodedTable,
    mechanism: &Mechanism,
    column: &CodedCells,
    words: &mut Words,
) -> Result<Vec<u32>, NoiseError> {
    let counted: Vec<Counted> = column.cells.iter().map(|cell| mechanism.counted(cell.as_deref())).collect();
    let other = match &mechanism.drawn {
        Drawn::Cases { by, known, .. } => {
            let other = &table.columns[table.place(by)?];
            let case =
                |cell: &Option<String>| known.iter().position(|value| value == cell).unwrap_or(known.len());
            Some((&other.codes, other.cells.iter().map(case).collect::<Vec<usize>>()))
        }
        Drawn::Response(..) | Drawn::Added(_) => None,
    };
    let mut shown = Vec::with_capacity(column.codes.len());
    for (row, code) in column.codes.iter().enumerate() {
        let case = other.as_ref().map_or(0, |(codes, cases)| cases[codes[row] as usize]);
        let drawn = mechanism.draw(words, row as u64 + 1, counted[*code as usize], case);
        shown.push(drawn.map_err(|_| NoiseError::Outside {
            row: row + 1,
            column: column.name.clone(),
            values: mechanism.values.len(),
            advice: "list it among the values",
        })?);
    }
    Ok(shown)
}

/// Rows in the order of their text, column by column, missing cells first.
fn sort(columns: &mut [CodedCells]) {
    let ranks: Vec<Vec<u32>> = columns
        .iter()
        .map(|column| {
            let mut order: Vec<u32> = (0..column.cells.len() as u32).collect();
            order.sort_by(|a, b| column.cells[*a as usize].cmp(&column.cells[*b as usize]));
            let mut ranks = vec![0; order.len()];
            (0..).zip(order).for_each(|(rank, code)| ranks[code as usize] = rank);
            ranks
        })
        .collect();
    let rows = columns.first().map_or(0, |column| column.codes.len());
    let mut order: Vec<usize> = (0..rows).collect();
    let key = |row: usize, at: usize| ranks[at][columns[at].codes[row] as usize];
    order.sort_by(|&a, &b| {
        let steps = (0..columns.len()).map(|at| key(a, at).cmp(&key(b, at)));
        steps.into_iter().find(|step| step.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    });
    for column in columns {
        column.codes = order.iter().map(|&row| column.codes[row]).collect();
    }
}
