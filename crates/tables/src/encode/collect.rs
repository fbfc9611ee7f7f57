//! Counted tuples, in order, become tuples of the frequency table: those with equal quasi-identifiers are one.

use super::Tuples;
use super::counts::{Combinations, Origin, PopulationCount, SensitiveView};
use paravent_core::table::{ColumnCodes, Histograms, SensitiveColumn, TableError};

/// Collects sorted tuples.
pub(super) struct Collector<'a> {
    quasi_identifiers: usize,
    population: PopulationCount,
    key: Vec<u32>,
    columns: Vec<ColumnCodes>,
    rows: Vec<u32>,
    /// Empty where there is no population.
    others: Vec<u32>,
    /// Whether a count does not fit.
    too_many: bool,
    coders: Vec<ViewCoder<'a>>,
}

/// What was collected: the parts of a frequency table.
pub(super) struct Collected<'a> {
    pub(super) columns: Vec<ColumnCodes>,
    pub(super) rows: Vec<u32>,
    pub(super) population: Option<Vec<u32>>,
    pub(super) sensitive: Vec<SensitiveColumn>,
    pub(super) joints: Vec<JointCodes<'a>>,
}

/// The codes of combinations.
#[derive(Debug, Clone)]
pub(super) enum JointCodes<'a> {
    /// A single column needs none.
    Single,
    /// New ones may come.
    Growing(Tuples),
    /// All are known.
    Known(&'a Tuples),
}

impl SensitiveView {
    /// For a view of several columns: their combinations, none yet.
    pub(super) fn no_combinations(&self) -> Option<Tuples> {
        match self {
            SensitiveView::Single(_) => None,
            SensitiveView::Joint(positions) => Some(Tuples::new(positions.len())),
        }
    }

    /// Numbers the combination that a tuple's sensitive codes show.
    pub(super) fn number(&self, joint: &mut Option<Tuples>, sensitive: &[u32]) {
        if let (SensitiveView::Joint(positions), Some(joint)) = (self, joint) {
            let combination: Vec<u32> = positions.iter().map(|&at| sensitive[at]).collect();
            joint.add(&combination, 1);
        }
    }
}

impl JointCodes<'_> {
    /// The combinations by code.
    pub(super) fn combinations(&self) -> Combinations {
        let joint = match self {
            JointCodes::Single => return Vec::new(),
            JointCodes::Growing(joint) => joint,
            JointCodes::Known(joint) => joint,
        };
        (0..joint.len() as u32).map(|number| joint.tuple(number).into()).collect()
    }
}

impl<'a> Collector<'a> {
    /// For `views` of sensitive columns with so many values each. `joints` has the combinations' codes where they are known.
    pub(super) fn new(
        quasi_identifiers: usize,
        views: &[SensitiveView],
        cardinalities: &[usize],
        population: PopulationCount,
        joints: Option<&'a [Option<Tuples>]>,
    ) -> Collector<'a> {
        let coder = |(at, view): (usize, &SensitiveView)| {
            let known = joints.and_then(|joints| joints[at].as_ref());
            ViewCoder::new(view, cardinalities, known)
        };
        Collector {
            quasi_identifiers,
            population,
            key: Vec::new(),
            columns: vec![ColumnCodes::default(); quasi_identifiers],
            rows: Vec::new(),
            others: Vec::new(),
            too_many: false,
            coders: views.iter().enumerate().map(coder).collect(),
        }
    }

    /// Adds a counted tuple; it must not be less than the one before.
    pub(super) fn push(&mut self, codes: &[u32], count: u64) {
        let key = &codes[..self.quasi_identifiers];
        if self.rows.is_empty() || self.key != key {
            self.finish_tuple();
            self.key.clear();
            self.key.extend_from_slice(key);
            self.columns.iter_mut().zip(key).for_each(|(column, &code)| column.push(code));
            self.rows.push(0);
            if self.population != PopulationCount::None {
                self.others.push(0);
            }
        }
        let is_in_table = codes[codes.len() - 1] == Origin::Table as u32;
        let sum = if is_in_table { self.rows.last_mut() } else { self.others.last_mut() };
        if let Some(sum) = sum {
            let more = u32::try_from(count).ok().and_then(|count| sum.checked_add(count));
            self.too_many |= more.is_none();
            *sum = more.unwrap_or(u32::MAX);
        }
        if is_in_table {
            let sensitive = &codes[self.quasi_identifiers..];
            self.coders.iter_mut().for_each(|coder| coder.add(sensitive, count));
        }
    }

    /// Number of the tuple that was added to last.
    pub(super) fn tuple(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }

    /// Whether a counted tuple would start another tuple.
    pub(super) fn is_complete_before(&self, codes: &[u32]) -> bool {
        self.key != codes[..self.quasi_identifiers]
    }

    /// Memory held, about.
    pub(super) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(ColumnCodes::bytes).sum();
        let counts = (self.rows.len() + self.others.len()) * size_of::<u32>();
        columns + counts + self.coders.iter().map(|coder| coder.histograms.bytes()).sum::<usize>()
    }

    /// All of it.
    pub(super) fn finish(mut self) -> Result<Collected<'a>, TableError> {
        self.finish_tuple();
        if self.too_many {
            return Err(TableError::TooManyRows);
        }
        let population = match self.population {
            PopulationCount::None => None,
            PopulationCount::OthersAreThePopulation => Some(self.others),
            PopulationCount::OthersArePeople => {
                Some(self.rows.iter().zip(&self.others).map(|(&table, &other)| table.max(other)).collect())
            }
            PopulationCount::OthersJoinTheTable => {
                let both =
                    self.rows.iter().zip(&self.others).map(|(&table, &other)| table.checked_add(other));
                Some(both.collect::<Option<Vec<u32>>>().ok_or(TableError::TooManyRows)?)
            }
        };
        let (sensitive, joints) = self.coders.into_iter().map(ViewCoder::into_column).unzip();
        Ok(Collected { columns: self.columns, rows: self.rows, population, sensitive, joints })
    }

    fn finish_tuple(&mut self) {
        if !self.rows.is_empty() {
            self.coders.iter_mut().for_each(ViewCoder::finish_tuple);
        }
    }
}

/// Collects the histograms of one view.
struct ViewCoder<'a> {
    positions: Vec<usize>,
    joint: JointCodes<'a>,
    cardinality: usize,
    counts: Vec<(u32, u32)>,
    histograms: Histograms,
}

impl<'a> ViewCoder<'a> {
    fn new(view: &SensitiveView, cardinalities: &[usize], known: Option<&'a Tuples>) -> ViewCoder<'a> {
        let (positions, joint, cardinality) = match view {
            SensitiveView::Single(position) => {
                (vec![*position], JointCodes::Single, cardinalities[*position])
            }
            SensitiveView::Joint(positions) => {
                let growing = || JointCodes::Growing(Tuples::new(positions.len()));
                (positions.clone(), known.map_or_else(growing, JointCodes::Known), 0)
            }
        };
        ViewCoder { positions, joint, cardinality, counts: Vec::new(), histograms: Histograms::new() }
    }

    fn add(&mut self, sensitive: &[u32], count: u64) {
        let combination = || -> Vec<u32> { self.positions.iter().map(|&at| sensitive[at]).collect() };
        let value = match &mut self.joint {
            JointCodes::Single => sensitive[self.positions[0]],
            JointCodes::Growing(joint) => joint.add(&combination(), count),
            JointCodes::Known(joint) => joint.find(&combination()).unwrap_or_default(),
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

    fn into_column(self) -> (SensitiveColumn, JointCodes<'a>) {
        let cardinality = match &self.joint {
            JointCodes::Single => self.cardinality,
            JointCodes::Growing(joint) => joint.len(),
            JointCodes::Known(joint) => joint.len(),
        };
        (SensitiveColumn { cardinality, histograms: self.histograms }, self.joint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database may count more rows than a table can have here: that is an error, and never a smaller number.
    #[test]
    fn counts_beyond_32_bits_are_refused() {
        let collected = |counts: &[u64]| {
            let mut collector = Collector::new(1, &[], &[], PopulationCount::None, None);
            for (code, count) in counts.iter().enumerate() {
                collector.push(&[code as u32 / 2, Origin::Table as u32], *count);
            }
            collector.finish().map(|collected| collected.rows)
        };
        let most = u64::from(u32::MAX);
        assert_eq!(collected(&[most]).unwrap(), [u32::MAX]);
        // One line, two lines of one combination.
        assert!(matches!(collected(&[most + 1]), Err(TableError::TooManyRows)));
        assert!(matches!(collected(&[most, 1]), Err(TableError::TooManyRows)));
        assert!(matches!(collected(&[most, most]), Err(TableError::TooManyRows)));
        // A multiple of 2^32 does not become nothing.
        assert!(matches!(collected(&[1 << 33]), Err(TableError::TooManyRows)));
    }
}
