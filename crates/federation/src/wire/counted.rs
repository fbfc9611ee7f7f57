//! Encrypted counters on the wire.

use super::{DecodeError, Reader, Writer};

/// A counter as bytes: two compressed points.
pub type CounterBytes = [u8; 64];

/// A list of counters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CounterList(pub Vec<CounterBytes>);

/// The counters of classes: per class and view a list. Without a criterion on sensitive values a class has one view with one counter,
/// else a view per sensitive column with a counter per value; against curious participants, one with a counter per party. Where a population is
/// counted, the last view has one counter: the rows of everybody in the class.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassCounters {
    /// Views per class.
    pub views: u8,
    /// By class and view: how many counters.
    pub lengths: Vec<u32>,
    /// By counter of the views of columns with t-closeness, end to end: the number of its value.
    pub numbers: Vec<u32>,
    /// All counters, end to end.
    pub counters: CounterList,
}

/// How often each value of the columns with t-closeness occurs in the whole table, encrypted. Values have numbers, in random order.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// Rows that the helper sees, made-up ones included: no count is larger.
    pub visible_rows: u32,
    /// By column with t-closeness, ascending by position in the plan; no shares.
    pub columns: Vec<ProfileColumn>,
}

/// Sums over a share of the classes of a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ShareSums {
    /// Real rows.
    pub rows: u64,
    /// Rows of classes that do not keep the promise.
    pub left_out: u64,
    /// Rows of classes that do not keep the monotone part of it.
    pub failing: u64,
    /// Classes that keep it.
    pub kept_classes: u64,
    /// Squares of their sizes.
    pub kept_squares: u128,
    /// Squares of the sizes of all classes.
    pub all_squares: u128,
    /// Rows of everybody; as many as `rows` where no population is counted.
    pub population: u64,
    /// Classes that only the population has.
    pub absent_classes: u64,
}

impl ShareSums {
    /// Whether classes of at most this number of rows can have such sums.
    pub(crate) fn is_possible(&self, most: u64) -> bool {
        let ShareSums { rows, left_out, failing, kept_classes, kept_squares, all_squares, .. } = *self;
        let square = u128::from(rows) * u128::from(rows);
        self.population <= most
            && rows <= self.population
            && self.absent_classes <= self.population - rows
            && left_out <= rows
            && failing <= left_out
            && kept_classes <= rows - left_out
            && kept_squares <= all_squares
            && all_squares <= square
    }

    /// With the sums over another share.
    pub(crate) fn plus(&self, other: &ShareSums) -> Option<ShareSums> {
        Some(ShareSums {
            rows: self.rows.checked_add(other.rows)?,
            left_out: self.left_out.checked_add(other.left_out)?,
            failing: self.failing.checked_add(other.failing)?,
            kept_classes: self.kept_classes.checked_add(other.kept_classes)?,
            kept_squares: self.kept_squares.checked_add(other.kept_squares)?,
            all_squares: self.all_squares.checked_add(other.all_squares)?,
            population: self.population.checked_add(other.population)?,
            absent_classes: self.absent_classes.checked_add(other.absent_classes)?,
        })
    }

    pub(super) fn write(&self, to: &mut Writer) {
        for number in [self.rows, self.left_out, self.failing, self.kept_classes] {
            to.u64(number);
        }
        to.raw(&self.kept_squares.to_le_bytes());
        to.raw(&self.all_squares.to_le_bytes());
        to.u64(self.population);
        to.u64(self.absent_classes);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<ShareSums, DecodeError> {
        Ok(ShareSums {
            rows: from.u64()?,
            left_out: from.u64()?,
            failing: from.u64()?,
            kept_classes: from.u64()?,
            kept_squares: u128::from_le_bytes(from.array()?),
            all_squares: u128::from_le_bytes(from.array()?),
            population: from.u64()?,
            absent_classes: from.u64()?,
        })
    }
}

/// One quasi-identifier for metrics of cells: its values in random order, without labels.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileColumn {
    /// By level from 1, by value: number of the group.
    pub levels: Vec<Vec<u32>>,
    /// As `levels`: shares of the domain; empty where the leaves say it.
    pub shares: Vec<Vec<f64>>,
    /// How many rows show each value.
    pub counters: CounterList,
}

impl CounterList {
    pub(super) fn write(&self, to: &mut Writer) {
        to.count(self.0.len());
        self.0.iter().for_each(|counter| to.raw(counter));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<CounterList, DecodeError> {
        let count = from.count(64)?;
        Ok(CounterList((0..count).map(|_| from.array()).collect::<Result<_, _>>()?))
    }
}

impl ClassCounters {
    /// Number of classes.
    pub fn len(&self) -> usize {
        self.lengths.len() / usize::from(self.views).max(1)
    }

    /// Whether there is no class.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    pub(super) fn write(&self, to: &mut Writer) {
        to.u8(self.views);
        to.u32s(&self.lengths);
        to.u32s(&self.numbers);
        self.counters.write(to);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<ClassCounters, DecodeError> {
        let views = from.u8()?;
        let (lengths, numbers) = (from.u32s()?, from.u32s()?);
        let counters = CounterList::read(from)?;
        let total: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
        if views == 0 || lengths.len() % usize::from(views) != 0 || total != counters.0.len() as u64 {
            return Err(DecodeError::Form("the counters do not go with the classes"));
        }
        Ok(ClassCounters { views, lengths, numbers, counters })
    }
}

impl Totals {
    pub(super) fn write(&self, to: &mut Writer) {
        to.u32(self.visible_rows);
        write_columns(&self.columns, to);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<Totals, DecodeError> {
        Ok(Totals { visible_rows: from.u32()?, columns: read_columns(from)? })
    }
}

pub(super) fn write_columns(columns: &[ProfileColumn], to: &mut Writer) {
    to.count(columns.len());
    columns.iter().for_each(|column| column.write(to));
}

pub(super) fn read_columns(from: &mut Reader<'_>) -> Result<Vec<ProfileColumn>, DecodeError> {
    let count = from.count(6)?;
    (0..count).map(|_| ProfileColumn::read(from)).collect()
}

impl ProfileColumn {
    pub(super) fn write(&self, to: &mut Writer) {
        self.counters.write(to);
        to.u8(self.levels.len() as u8);
        self.levels.iter().flatten().for_each(|&group| to.u32(group));
        to.u8((!self.shares.is_empty()).into());
        self.shares.iter().flatten().for_each(|&share| to.f64(share));
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<ProfileColumn, DecodeError> {
        let counters = CounterList::read(from)?;
        let height = from.u8()?;
        let values = counters.0.len();
        let levels: Vec<Vec<u32>> = (0..height)
            .map(|_| (0..values).map(|_| from.u32()).collect::<Result<_, _>>())
            .collect::<Result<_, _>>()?;
        let shares = if from.flag()? {
            if height == 0 {
                return Err(DecodeError::Form("shares without levels"));
            }
            (0..height)
                .map(|_| (0..values).map(|_| from.f64()).collect::<Result<_, _>>())
                .collect::<Result<_, _>>()?
        } else {
            Vec::new()
        };
        Ok(ProfileColumn { levels, shares, counters })
    }
}
