//! The counted table: what the search is given, and what the release is recoded from.

use super::collect::{Collector, JointCodes};
use super::frequencies::StreamedTable;
use super::{CodedColumn, Frequencies};
use crate::spill::{CountedOff, SortedTuples, SpillError};
use crate::tuples::{PackedTuples, Packing, Tuples};
use paravent_core::table::{FrequencyTable, TableError};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Where a tuple's row comes from. The last code of every counted tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A row of the table to release.
    Table = 0,
    /// A row that is only known to the population.
    Population = 1,
}

/// Quasi-identifiers, then constrained sensitive columns, then the [`Origin`]: counted. A clone shares the tuples.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The columns behind the codes, quasi-identifiers first.
    pub columns: Vec<CodedColumn>,
    /// How many of them are quasi-identifiers.
    pub quasi_identifiers: usize,
    store: Store,
    /// By column and code: rows of the table to release.
    rows_by_code: Vec<Vec<u64>>,
}

#[derive(Debug, Clone)]
enum Store {
    Held(Arc<HeldTuples>),
    Spilled(Arc<SortedTuples>),
}

/// Counted tuples in memory.
#[derive(Debug, Clone)]
pub struct HeldTuples {
    /// Distinct tuples with their counts.
    pub tuples: PackedTuples,
    /// By tuple: its number in the frequency table, which knows quasi-identifiers only.
    pub frequency_tuple: Vec<u32>,
}

impl HeldTuples {
    /// Numbers of the tuples that have rows in the table to release.
    pub fn in_table(&self) -> impl Iterator<Item = u32> {
        (0..self.tuples.len() as u32).filter(|&number| self.is_in_table(number))
    }

    /// Whether a tuple has rows in the table to release.
    pub fn is_in_table(&self, number: u32) -> bool {
        self.tuples.code(number, self.tuples.width() - 1) == Origin::Table as u32
    }
}

/// Which sensitive columns become histograms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SensitiveView {
    /// One column, by its position among the sensitive ones.
    Single(usize),
    /// The combinations of several columns' values.
    Joint(Vec<usize>),
}

/// The combinations behind a joint column, by code; empty for a single one.
pub type Combinations = Vec<Box<[u32]>>;

/// How rows of [`Origin::Population`] count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PopulationCount {
    /// There are none.
    None,
    /// They are the population, a table of its own.
    OthersAreThePopulation,
    /// They are the population, and somebody else counts the people in it: one row there may stand for several here.
    OthersArePeople,
    /// Together with the table they are the population.
    OthersJoinTheTable,
}

/// Why counted tuples make no frequency table.
#[derive(Debug, thiserror::Error)]
pub enum CountError {
    /// The counts themselves.
    #[error(transparent)]
    Table(#[from] TableError),
    /// They could not be read back.
    #[error(transparent)]
    Spill(#[from] SpillError),
}

/// One counted tuple.
#[derive(Debug, Clone, Copy)]
pub struct CountedTuple<'a> {
    /// Its number in the frequency table.
    pub frequency: usize,
    /// Its codes, one per column.
    pub codes: &'a [u32],
    /// Its rows.
    pub count: u64,
}

impl Counted {
    /// Puts codes and tuples into an order that does not depend on the order of the rows.
    pub fn new(
        mut columns: Vec<CodedColumn>,
        quasi_identifiers: usize,
        counted: CountedOff,
    ) -> Result<Counted, SpillError> {
        let (new_codes, cardinalities) = sort_codes(&mut columns);
        let store = match counted {
            CountedOff::Held(tally) => {
                let tuples = tally.into_sorted(&new_codes, &cardinalities);
                Store::Held(Arc::new(HeldTuples { frequency_tuple: vec![0; tuples.len()], tuples }))
            }
            CountedOff::Spilled(runs) => Store::Spilled(Arc::new(runs.sorted(&new_codes, &cardinalities)?)),
        };
        Ok(Counted { columns, quasi_identifiers, store, rows_by_code: Vec::new() })
    }

    /// The same from numbered tuples in memory; also the number that each of them has from now on.
    pub fn of_numbered(
        mut columns: Vec<CodedColumn>,
        quasi_identifiers: usize,
        tuples: &Tuples,
    ) -> (Counted, Vec<u32>) {
        let (new_codes, cardinalities) = sort_codes(&mut columns);
        let (tuples, numbers) = PackedTuples::of_numbered(Packing::new(&cardinalities), tuples, &new_codes);
        let store = Store::Held(Arc::new(HeldTuples { frequency_tuple: vec![0; tuples.len()], tuples }));
        (Counted { columns, quasi_identifiers, store, rows_by_code: Vec::new() }, numbers)
    }

    /// The frequency table with these views of the sensitive columns. `population` says how population rows count.
    pub fn frequency_table(
        &mut self,
        views: &[SensitiveView],
        population: PopulationCount,
    ) -> Result<(Frequencies, Vec<Combinations>), CountError> {
        let q = self.quasi_identifiers;
        self.rows_by_code = self.columns.iter().map(|column| vec![0; column.dictionary.len()]).collect();
        match &mut self.store {
            Store::Held(held) => {
                let cardinalities: Vec<usize> =
                    self.columns[q..].iter().map(|column| column.dictionary.len()).collect();
                let mut collector = Collector::new(q, views, &cardinalities, population, None);
                let HeldTuples { tuples, frequency_tuple } = Arc::make_mut(held);
                tuples.each(|number, codes, count| -> Result<(), CountError> {
                    collector.push(codes, count);
                    frequency_tuple[number as usize] = collector.tuple() as u32;
                    count_codes(&mut self.rows_by_code, codes, count);
                    Ok(())
                })?;
                let counted = collector.finish()?;
                let combinations = counted.joints.iter().map(JointCodes::combinations).collect();
                let table = FrequencyTable::new(
                    counted.columns,
                    counted.rows,
                    counted.population,
                    counted.sensitive,
                )?;
                Ok((Frequencies::Held(table), combinations))
            }
            Store::Spilled(tuples) => {
                let table = StreamedTable::new(
                    Arc::clone(tuples),
                    (q, &self.columns),
                    (views, population),
                    |codes, count| count_codes(&mut self.rows_by_code, codes, count),
                )?;
                let combinations = table.combinations();
                Ok((Frequencies::Streamed(table), combinations))
            }
        }
    }

    /// The tuples, where they are in memory.
    pub fn held(&self) -> Option<&HeldTuples> {
        match &self.store {
            Store::Held(held) => Some(held),
            Store::Spilled(_) => None,
        }
    }

    /// The tuples, where they are not in memory.
    pub fn spilled(&self) -> Option<&SortedTuples> {
        match &self.store {
            Store::Held(_) => None,
            Store::Spilled(tuples) => Some(tuples),
        }
    }

    /// Calls `visit` with the tuples that have rows in the table to release. They come sorted.
    pub fn each_in_table(&self, mut visit: impl FnMut(&CountedTuple<'_>)) -> Result<(), SpillError> {
        match &self.store {
            Store::Held(held) => held.tuples.each(|number, codes, count| {
                if is_in_table(codes) {
                    let frequency = held.frequency_tuple[number as usize] as usize;
                    visit(&CountedTuple { frequency, codes, count });
                }
                Ok(())
            }),
            Store::Spilled(tuples) => {
                let (mut frequency, mut last) = (0, Vec::new());
                tuples.each(|codes, count| {
                    let key = &codes[..self.quasi_identifiers];
                    if last != key {
                        frequency += usize::from(!last.is_empty());
                        last = key.to_vec();
                    }
                    if is_in_table(codes) {
                        visit(&CountedTuple { frequency, codes, count });
                    }
                    Ok(ControlFlow::Continue(()))
                })
            }
        }
    }

    /// How many rows of the table to release show each value of a column, by code. Known once there is a frequency table.
    pub fn rows_by_code(&self, column: usize) -> &[u64] {
        &self.rows_by_code[column]
    }
}

/// Sorts the dictionaries. By column: the new code of every old one; and how many there are. The last column is the [`Origin`].
fn sort_codes(columns: &mut [CodedColumn]) -> (Vec<Vec<u32>>, Vec<usize>) {
    let mut new_codes: Vec<Vec<u32>> = Vec::new();
    for column in columns {
        let (sorted, new_code) = column.dictionary.sorted();
        let mut first_seen = column.first_seen.clone();
        for (old, &new) in new_code.iter().enumerate() {
            first_seen[new as usize] = column.first_seen[old];
        }
        (column.dictionary, column.first_seen) = (sorted, first_seen);
        new_codes.push(new_code);
    }
    new_codes.push(vec![Origin::Table as u32, Origin::Population as u32]);
    let cardinalities = new_codes.iter().map(Vec::len).collect();
    (new_codes, cardinalities)
}

fn is_in_table(codes: &[u32]) -> bool {
    codes.last() == Some(&(Origin::Table as u32))
}

fn count_codes(rows_by_code: &mut [Vec<u64>], codes: &[u32], count: u64) {
    if is_in_table(codes) {
        for (rows, &code) in rows_by_code.iter_mut().zip(codes) {
            rows[code as usize] += count;
        }
    }
}
