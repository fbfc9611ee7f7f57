//! The counted table: what the search is given, and what the release is recoded from.

use super::{CodedColumn, Tuples};
use paravent_core::table::{FrequencyTable, Histograms, SensitiveColumn, TableError};

/// Where a tuple's row comes from. The last code of every counted tuple.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A row of the table to release.
    Table = 0,
    /// A row that is only known to the population.
    Population = 1,
}

/// Quasi-identifiers, then constrained sensitive columns, then the [`Origin`]: counted.
#[derive(Debug, Clone)]
pub struct Counted {
    /// The columns behind the codes, quasi-identifiers first.
    pub columns: Vec<CodedColumn>,
    /// How many of them are quasi-identifiers.
    pub quasi_identifiers: usize,
    /// Distinct tuples with their counts.
    pub tuples: Tuples,
    /// By tuple: its number in the frequency table, which knows quasi-identifiers only.
    pub frequency_tuple: Vec<u32>,
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

impl Counted {
    /// Puts codes and tuples into an order that does not depend on the order of the rows.
    pub fn new(mut columns: Vec<CodedColumn>, quasi_identifiers: usize, mut tuples: Tuples) -> Counted {
        let mut new_codes: Vec<Vec<u32>> = Vec::new();
        for column in &mut columns {
            let (sorted, new_code) = column.dictionary.sorted();
            let mut first_seen = column.first_seen.clone();
            for (old, &new) in new_code.iter().enumerate() {
                first_seen[new as usize] = column.first_seen[old];
            }
            (column.dictionary, column.first_seen) = (sorted, first_seen);
            new_codes.push(new_code);
        }
        new_codes.push(vec![Origin::Table as u32, Origin::Population as u32]);
        tuples.recode(&new_codes);
        Counted { columns, quasi_identifiers, frequency_tuple: vec![0; tuples.len()], tuples }
    }

    /// The frequency table with these views of the sensitive columns. `population` says how population rows count.
    pub fn frequency_table(
        &mut self,
        views: &[SensitiveView],
        population: PopulationCount,
    ) -> Result<(FrequencyTable, Vec<Combinations>), TableError> {
        let q = self.quasi_identifiers;
        let order = self.tuples.sorted();
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); q];
        let (mut rows, mut others): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        let mut coders: Vec<ViewCoder> =
            views.iter().map(|view| ViewCoder::new(view, &self.columns[q..])).collect();
        let mut start = 0;
        while start < order.len() {
            let key = &self.tuples.tuple(order[start])[..q];
            let length = order[start..].iter().take_while(|&&n| &self.tuples.tuple(n)[..q] == key).count();
            let run = &order[start..start + length];
            let number = rows.len() as u32;
            for (column, &code) in columns.iter_mut().zip(key) {
                column.push(code);
            }
            let (mut in_table, mut elsewhere) = (0, 0);
            for &tuple in run {
                self.frequency_tuple[tuple as usize] = number;
                let (codes, count) = (self.tuples.tuple(tuple), self.tuples.count(tuple));
                if codes[codes.len() - 1] == Origin::Table as u32 {
                    in_table += count;
                    coders.iter_mut().for_each(|coder| coder.add(&codes[q..], count));
                } else {
                    elsewhere += count;
                }
            }
            coders.iter_mut().for_each(ViewCoder::finish_tuple);
            rows.push(in_table);
            others.push(elsewhere);
            start += length;
        }
        let narrow = |counts: Vec<u64>| -> Result<Vec<u32>, TableError> {
            counts.into_iter().map(|n| u32::try_from(n).map_err(|_| TableError::TooManyRows)).collect()
        };
        let population = match population {
            PopulationCount::None => None,
            PopulationCount::OthersAreThePopulation => Some(narrow(others)?),
            PopulationCount::OthersJoinTheTable => {
                Some(narrow(rows.iter().zip(&others).map(|(table, other)| table + other).collect())?)
            }
        };
        let (sensitive, combinations) = coders.into_iter().map(ViewCoder::into_column).unzip();
        Ok((FrequencyTable::new(columns, narrow(rows)?, population, sensitive)?, combinations))
    }
}

/// How rows of [`Origin::Population`] count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PopulationCount {
    /// There are none.
    None,
    /// They are the population, a table of its own.
    OthersAreThePopulation,
    /// Together with the table they are the population.
    OthersJoinTheTable,
}

/// Collects the histograms of one view.
struct ViewCoder {
    positions: Vec<usize>,
    joint: Option<Tuples>,
    cardinality: usize,
    counts: Vec<(u32, u32)>,
    histograms: Histograms,
}

impl ViewCoder {
    fn new(view: &SensitiveView, sensitive: &[CodedColumn]) -> ViewCoder {
        let (positions, joint, cardinality) = match view {
            SensitiveView::Single(position) => (vec![*position], None, sensitive[*position].dictionary.len()),
            SensitiveView::Joint(positions) => (positions.clone(), Some(Tuples::new(positions.len())), 0),
        };
        ViewCoder { positions, joint, cardinality, counts: Vec::new(), histograms: Histograms::new() }
    }

    fn add(&mut self, sensitive: &[u32], count: u64) {
        let value = match &mut self.joint {
            None => sensitive[self.positions[0]],
            Some(joint) => {
                let combination: Vec<u32> =
                    self.positions.iter().map(|&position| sensitive[position]).collect();
                joint.add(&combination, count)
            }
        };
        self.counts.push((value, u32::try_from(count).unwrap_or(u32::MAX)));
    }

    fn finish_tuple(&mut self) {
        self.counts.sort_unstable();
        self.counts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        self.histograms.push(self.counts.drain(..));
    }

    fn into_column(self) -> (SensitiveColumn, Combinations) {
        let combinations: Combinations = match &self.joint {
            None => Vec::new(),
            Some(joint) => (0..joint.len() as u32).map(|number| joint.tuple(number).into()).collect(),
        };
        let cardinality = self.joint.map_or(self.cardinality, |joint| joint.len());
        (SensitiveColumn { cardinality, histograms: self.histograms }, combinations)
    }
}
