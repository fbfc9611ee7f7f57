//! Made-up tables: skewed, correlated, and always the same.

use super::splitmix::{below, number};
use super::{Column, DataSet, Levels, Origin, Shape, ShapeColumn};
use crate::error::BenchError;
use paravent_core::hierarchy::{Hierarchy, TableHierarchy, TableLines};
use paravent_core::values::ValueType;
use paravent_pipeline::encode::{CodedColumn, Seen};

/// Hidden kinds of people: each prefers other values, so that columns depend on each other. The shares of the kinds, in 16ths.
const PROFILES: [u64; 16] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3];
/// How many kinds there are.
const KINDS: u64 = 4;

/// The table of a shape. The value of rank r has a weight of about (r + 2)^−1.5: a few are common, most are rare; which rank a value has depends
/// on the row's hidden profile. Where there are rows enough, every value occurs.
pub(super) fn generate(shape: &Shape) -> Result<DataSet, BenchError> {
    let columns: Result<Vec<Column>, BenchError> =
        (0..shape.columns.len()).map(|position| column(shape, position)).collect();
    Ok(DataSet {
        name: shape.name.clone(),
        rows: shape.rows,
        columns: columns?,
        sensitive: shape.sensitive,
        origin: Origin::Generated,
        notes: Vec::new(),
    })
}

/// The cells of a column, row by row, in any order.
pub(super) struct Draws {
    distinct: u64,
    ranks: Ranks,
    stream: u64,
    profiles: u64,
    covers: bool,
}

impl Draws {
    pub(super) fn new(shape: &Shape, position: usize) -> Draws {
        let distinct = shape.columns[position].distinct;
        Draws {
            distinct: distinct as u64,
            ranks: Ranks::new(distinct),
            stream: number(shape.seed, position as u64 + 1),
            profiles: number(shape.seed, 0),
            covers: shape.rows >= distinct,
        }
    }

    /// The code of a row.
    pub(super) fn code(&self, row: u64) -> u32 {
        if self.covers && row < self.distinct {
            // A walk through all values that starts elsewhere in each column.
            return ((row + below(self.stream, self.distinct)) % self.distinct) as u32;
        }
        let profile = PROFILES[below(number(self.profiles, row), PROFILES.len() as u64) as usize];
        let rank = self.ranks.draw(number(self.stream, row));
        ((rank + profile * self.distinct / KINDS) % self.distinct) as u32
    }
}

fn column(shape: &Shape, position: usize) -> Result<Column, BenchError> {
    let draws = Draws::new(shape, position);
    let codes: Vec<u32> = (0..shape.rows as u64).map(|row| draws.code(row)).collect();
    Ok(Column { codes, ..without_rows(&shape.columns[position])? })
}

/// Values and levels of a column.
pub(super) fn without_rows(described: &ShapeColumn) -> Result<Column, BenchError> {
    let mut coded = CodedColumn::new(&described.name, ValueType::String);
    let width = (described.distinct - 1).to_string().len();
    for value in 0..described.distinct {
        coded.dictionary.intern(Some(&format!("{value:0width$}")));
        coded.first_seen.push(Seen { line: None, row: 1, in_population: false });
    }
    let hierarchy = hierarchy(described, width).map_err(|error| BenchError::internal(error.to_string()))?;
    let levels = Levels::climb(hierarchy, &coded).map_err(|error| BenchError::internal(error.to_string()))?;
    Ok(Column { coded, codes: Vec::new(), levels: Some(levels) })
}

/// Groups of equally many neighbours on each level, then `*`.
fn hierarchy(column: &ShapeColumn, width: usize) -> Result<Hierarchy, paravent_core::hierarchy::TableError> {
    let steps = column.levels - 1;
    let fan = ((column.distinct as f64).powf(1.0 / steps as f64).round() as usize).max(2);
    let mut lines = TableLines::default();
    for value in 0..column.distinct {
        let mut size = 1usize;
        let mut labels: Vec<String> = Vec::with_capacity(steps);
        for _ in 1..steps {
            size = size.saturating_mul(fan);
            let first = value / size * size;
            labels.push(format!("{first:0width$}..{:0width$}", first.saturating_add(size - 1)));
        }
        labels.push("*".to_owned());
        lines.push(Some(&format!("{value:0width$}")), labels);
    }
    TableHierarchy::from_lines(lines).map(Hierarchy::Table)
}

/// Draws ranks by whole-number weights, so that every machine draws the same.
struct Ranks {
    sums: Vec<u64>,
}

impl Ranks {
    fn new(distinct: usize) -> Ranks {
        let mut sum = 0;
        let weight = |rank: usize| {
            let rank = rank as u64 + 2;
            (1u64 << 44) / (rank * rank.isqrt())
        };
        let mut add = |rank| {
            sum += weight(rank);
            sum
        };
        Ranks { sums: (0..distinct).map(&mut add).collect() }
    }

    fn draw(&self, bits: u64) -> u64 {
        let all = self.sums.last().copied().unwrap_or(1);
        let point = below(bits, all);
        self.sums.partition_point(|&sum| sum <= point) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> DataSet {
        DataSet::generate(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn a_longer_table_starts_with_the_shorter_one_if_the_seed_is_the_same() {
        let (short, long, other) =
            (made("rows=300,qi=3,seed=4"), made("rows=900,qi=3,seed=4"), made("rows=300,qi=3,seed=5"));
        for (short, long) in short.columns.iter().zip(&long.columns) {
            assert_eq!(short.codes[..], long.codes[..300]);
        }
        assert_ne!(short.columns[0].codes, other.columns[0].codes);
    }

    #[test]
    fn distinct_counts_and_levels_are_those_of_the_shape() {
        let shape: Shape = "cup,rows=20000".parse().unwrap();
        let made = DataSet::generate(&shape).unwrap();
        for (column, described) in made.columns.iter().zip(&shape.columns) {
            let mut codes = column.codes.clone();
            codes.sort_unstable();
            codes.dedup();
            assert_eq!(codes.len(), described.distinct, "{}", described.name);
            let ladder = &column.levels.as_ref().unwrap().ladder;
            assert_eq!(usize::from(ladder.max_level()) + 1, described.levels);
            assert_eq!(ladder.cardinality(ladder.max_level()), 1);
        }
    }

    #[test]
    fn values_are_skewed() {
        let made = made("rows=20000,qi=2,distinct=100");
        let mut counts = vec![0; 100];
        made.columns[0].codes.iter().for_each(|&code| counts[code as usize] += 1);
        counts.sort_unstable();
        assert!(counts[99] > 5 * counts[20], "{counts:?}");
    }
}
