//! What the search sees of the counted tuples, in memory or not.

use super::collect::{Collected, Collector, JointCodes};
use super::counts::{Combinations, CountError, Origin, PopulationCount, SensitiveView};
use super::{CodedColumn, Tuples};
use crate::spill::{SortedTuples, SpillError};
use paravent_core::table::{FrequencyTable, TableError, TupleSource, TupleSourceError};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The distinct quasi-identifier tuples of a table.
#[derive(Debug)]
pub enum Frequencies {
    /// In memory.
    Held(FrequencyTable),
    /// In a file.
    Streamed(StreamedTable),
}

impl Frequencies {
    /// How often each value of a sensitive view occurs in the table.
    pub fn totals(&self, view: usize) -> Vec<u64> {
        match self {
            Frequencies::Held(table) => table.sensitive()[view].totals(),
            Frequencies::Streamed(table) => table.totals[view].clone(),
        }
    }

    /// Number of distinct tuples, those only known from the population included.
    pub fn tuple_count(&self) -> usize {
        self.source().tuple_count()
    }

    /// Number of rows to release or suppress.
    pub fn row_count(&self) -> u64 {
        self.source().row_count()
    }

    /// For a search.
    pub fn source(&self) -> &dyn TupleSource {
        match self {
            Frequencies::Held(table) => table,
            Frequencies::Streamed(table) => table,
        }
    }

    /// Bytes of tuples in a file; 0 where they are in memory.
    pub fn spilled_bytes(&self) -> u64 {
        match self {
            Frequencies::Held(_) => 0,
            Frequencies::Streamed(table) => table.tuples.bytes(),
        }
    }
}

/// Either is a source of tuples, whoever holds it.
impl TupleSource for Frequencies {
    fn held(&self) -> Option<&FrequencyTable> {
        self.source().held()
    }

    fn tuple_count(&self) -> usize {
        self.source().tuple_count()
    }

    fn row_count(&self) -> u64 {
        self.source().row_count()
    }

    fn value_counts(&self, quasi_identifier: usize, cardinality: usize) -> Vec<u64> {
        self.source().value_counts(quasi_identifier, cardinality)
    }

    fn pieces(
        &self,
        visit: &mut dyn FnMut(&FrequencyTable) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError> {
        self.source().pieces(visit)
    }

    fn class_bytes(&self) -> usize {
        self.source().class_bytes()
    }
}

/// A frequency table that is made anew from a file of sorted tuples, a piece at a time.
#[derive(Debug)]
pub struct StreamedTable {
    tuples: Arc<SortedTuples>,
    quasi_identifiers: usize,
    views: Vec<SensitiveView>,
    /// By sensitive column: its number of values.
    cardinalities: Vec<usize>,
    population: PopulationCount,
    /// By view: the codes of combinations.
    joints: Vec<Option<Tuples>>,
    /// By quasi-identifier and code: rows.
    value_counts: Vec<Vec<u64>>,
    /// By view and code: rows.
    totals: Vec<Vec<u64>>,
    tuple_count: usize,
    row_count: u64,
}

impl StreamedTable {
    /// Reads the tuples twice: once to number the combinations, in the order of the tuples, and once to count what can be counted on the
    /// way. `on_tuple` hears of each once.
    pub(super) fn new(
        tuples: Arc<SortedTuples>,
        (quasi_identifiers, columns): (usize, &[CodedColumn]),
        (views, population): (&[SensitiveView], PopulationCount),
        mut on_tuple: impl FnMut(&[u32], u64),
    ) -> Result<StreamedTable, CountError> {
        let (quasi, sensitive) = columns.split_at(quasi_identifiers);
        let mut joints: Vec<Option<Tuples>> = views.iter().map(SensitiveView::no_combinations).collect();
        tuples.each(|codes, count| -> Result<_, SpillError> {
            on_tuple(codes, count);
            if codes.last() == Some(&(Origin::Table as u32)) {
                let known = views.iter().zip(&mut joints);
                known.for_each(|(view, joint)| view.number(joint, &codes[quasi_identifiers..]));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let mut table = StreamedTable {
            tuples,
            quasi_identifiers,
            views: views.to_vec(),
            cardinalities: sensitive.iter().map(|column| column.dictionary.len()).collect(),
            population,
            joints,
            value_counts: Vec::new(),
            totals: Vec::new(),
            tuple_count: 0,
            row_count: 0,
        };
        let mut sums = Sums {
            value_counts: quasi.iter().map(|column| vec![0; column.dictionary.len()]).collect(),
            ..Sums::default()
        };
        table.collect(|piece| {
            sums.add(&piece);
            ControlFlow::Continue(())
        })?;
        if sums.rows.max(sums.people) > u64::from(u32::MAX) {
            return Err(TableError::TooManyRows.into());
        }
        if sums.rows == 0 {
            return Err(TableError::Empty.into());
        }
        if let Some(tuple) = sums.not_in_population {
            return Err(TableError::NotInPopulation { tuple }.into());
        }
        (table.value_counts, table.totals) = (sums.value_counts, sums.totals);
        (table.tuple_count, table.row_count) = (sums.tuples, sums.rows);
        Ok(table)
    }

    /// By view: the combinations behind its codes.
    pub(super) fn combinations(&self) -> Vec<Combinations> {
        let all =
            self.joints.iter().map(|joint| joint.as_ref().map_or(JointCodes::Single, JointCodes::Known));
        all.map(|joint| joint.combinations()).collect()
    }

    /// Calls `visit` with pieces of about the size that the budget allows.
    fn collect(&self, mut visit: impl FnMut(Collected<'_>) -> ControlFlow<()>) -> Result<(), CountError> {
        let start = || {
            let joints = Some(&self.joints[..]);
            Collector::new(self.quasi_identifiers, &self.views, &self.cardinalities, self.population, joints)
        };
        let most = self.tuples.budget().piece();
        let mut collector = start();
        let mut stopped = false;
        self.tuples.each(|codes, count| -> Result<_, CountError> {
            if collector.bytes() >= most && collector.is_complete_before(codes) {
                let full = std::mem::replace(&mut collector, start());
                if visit(full.finish()?).is_break() {
                    stopped = true;
                    return Ok(ControlFlow::Break(()));
                }
            }
            collector.push(codes, count);
            Ok(ControlFlow::Continue(()))
        })?;
        if !stopped {
            let _ = visit(collector.finish()?);
        }
        Ok(())
    }
}

impl TupleSource for StreamedTable {
    fn tuple_count(&self) -> usize {
        self.tuple_count
    }

    fn row_count(&self) -> u64 {
        self.row_count
    }

    fn value_counts(&self, quasi_identifier: usize, cardinality: usize) -> Vec<u64> {
        let mut counts = self.value_counts[quasi_identifier].clone();
        counts.resize(cardinality, 0);
        counts
    }

    fn pieces(
        &self,
        visit: &mut dyn FnMut(&FrequencyTable) -> ControlFlow<()>,
    ) -> Result<(), TupleSourceError> {
        let collected = self.collect(|piece| {
            let Collected { columns, rows, population, sensitive, .. } = piece;
            visit(&FrequencyTable::piece(columns, rows, population, sensitive))
        });
        collected.map_err(|error| TupleSourceError(Box::new(error)))
    }

    fn class_bytes(&self) -> usize {
        self.tuples.budget().classes()
    }
}

/// What is counted over all pieces.
#[derive(Default)]
struct Sums {
    value_counts: Vec<Vec<u64>>,
    totals: Vec<Vec<u64>>,
    tuples: usize,
    rows: u64,
    people: u64,
    /// The first tuple with more rows in the table than in the population.
    not_in_population: Option<usize>,
}

impl Sums {
    fn add(&mut self, piece: &Collected<'_>) {
        for (counts, codes) in self.value_counts.iter_mut().zip(&piece.columns) {
            codes.iter().zip(&piece.rows).for_each(|(code, &rows)| counts[code as usize] += u64::from(rows));
        }
        self.totals.resize(piece.sensitive.len(), Vec::new());
        for (totals, column) in self.totals.iter_mut().zip(&piece.sensitive) {
            totals.resize(column.cardinality, 0);
            totals.iter_mut().zip(column.totals()).for_each(|(sum, more)| *sum += more);
        }
        self.rows += piece.rows.iter().map(|&rows| u64::from(rows)).sum::<u64>();
        if let Some(population) = &piece.population {
            self.people += population.iter().map(|&people| u64::from(people)).sum::<u64>();
            let outside = population.iter().zip(&piece.rows).position(|(people, rows)| people < rows);
            let first = outside.map(|at| self.tuples + at);
            self.not_in_population = self.not_in_population.or(first);
        }
        self.tuples += piece.rows.len();
    }
}
