//! Everything side by side.

use crate::association::{Association, Kind, correlation, cramers_v};
use crate::learn::{Learned, learn};
use crate::moments::Moments;
use crate::numbers::number;
use crate::table::Table;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What is compared.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Columns to predict.
    pub targets: Vec<String>,
}

/// What a release is still good for.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Utility {
    /// Rows of the original.
    pub rows: u64,
    /// Rows of the release.
    pub released_rows: u64,
    /// Columns of numbers.
    pub numbers: Vec<NumberColumn>,
    /// Other columns: how many labels there are, and how much of the original distribution the labels tell.
    pub labels: Vec<ShareColumn>,
    /// Pairs of columns, those that differ most first.
    pub pairs: Vec<Pair>,
    /// Predictions.
    pub learned: Vec<Learned>,
    /// Targets that could not be predicted, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_learned: Vec<String>,
}

/// A column of numbers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NumberColumn {
    /// Its name.
    pub column: String,
    /// In the original.
    pub before: Moments,
    /// In the release, intervals taken for their middle.
    pub after: Moments,
}

/// A column of labels.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ShareColumn {
    /// Its name.
    pub column: String,
    /// Different values in the original.
    pub distinct_before: u64,
    /// Different labels in the release.
    pub distinct_after: u64,
    /// Entropy in bits, before.
    pub entropy_before: f64,
    /// Entropy in bits, after: at most that before where labels are coarser and nobody was left out.
    pub entropy_after: f64,
}

/// Two columns.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Pair {
    /// One of them.
    pub a: String,
    /// The other.
    pub b: String,
    /// What was measured.
    pub kind: Kind,
    /// In the original.
    pub before: Association,
    /// In the release.
    pub after: Association,
}

/// Columns with more labels make no contingency table that anybody reads.
const MOST_LABELS: usize = 50;
/// Pairs that are listed.
const MOST_PAIRS: usize = 60;

/// Compares the columns that both tables have.
pub fn compare(original: &Table, release: &Table, options: &Options) -> Utility {
    let names: Vec<&str> = original.names().filter(|name| release.column(name).is_some()).collect();
    let cells = |table: &'_ Table, name: &str| table.column(name).map(<[_]>::to_vec).unwrap_or_default();
    let (mut numbers, mut labels, mut shown) = (Vec::new(), Vec::new(), Vec::new());
    for &name in &names {
        let (before, after) = (cells(original, name), cells(release, name));
        let moments = |cells: &[Option<String>]| {
            let known: Vec<f64> = cells.iter().flatten().filter_map(|cell| number(cell)).collect();
            Moments::of(&known, cells.len())
        };
        let is_number = is_numeric(&before);
        match (is_number, moments(&before), moments(&after)) {
            (true, Some(before), Some(after)) => {
                numbers.push(NumberColumn { column: name.to_owned(), before, after });
            }
            _ => labels.push(ShareColumn {
                column: name.to_owned(),
                distinct_before: distinct(&before) as u64,
                distinct_after: distinct(&after) as u64,
                entropy_before: entropy(&before),
                entropy_after: entropy(&after),
            }),
        }
        shown.push((name, is_number, before, after));
    }
    let mut pairs = Vec::new();
    for (at, first) in shown.iter().enumerate() {
        for second in &shown[at + 1..] {
            pairs.extend(pair(first, second));
        }
    }
    let change = |pair: &Pair| (pair.before.value - pair.after.value).abs();
    pairs.sort_by(|a, b| change(b).total_cmp(&change(a)).then_with(|| (&a.a, &a.b).cmp(&(&b.a, &b.b))));
    pairs.truncate(MOST_PAIRS);
    let (mut learned, mut not_learned) = (Vec::new(), Vec::new());
    for target in &options.targets {
        match learn(original, release, target) {
            Ok(found) => learned.push(found),
            Err(why) => not_learned.push(why.to_string()),
        }
    }
    Utility {
        rows: original.rows() as u64,
        released_rows: release.rows() as u64,
        numbers,
        labels,
        pairs,
        learned,
        not_learned,
    }
}

type Shown<'a> = (&'a str, bool, Vec<Option<String>>, Vec<Option<String>>);

fn pair(first: &Shown<'_>, second: &Shown<'_>) -> Option<Pair> {
    let (kind, before, after) = if first.1 && second.1 {
        let of = |a: &[Option<String>], b: &[Option<String>]| {
            let both =
                a.iter().zip(b).filter_map(|(a, b)| Some((number(a.as_deref()?)?, number(b.as_deref()?)?)));
            correlation(&mut both.collect::<Vec<_>>())
        };
        (Kind::Correlation, of(&first.2, &second.2), of(&first.3, &second.3))
    } else {
        if distinct(&first.2).max(distinct(&second.2)) > MOST_LABELS {
            return None;
        }
        (Kind::CramersV, cramers_v(&first.2, &second.2), cramers_v(&first.3, &second.3))
    };
    Some(Pair { a: first.0.to_owned(), b: second.0.to_owned(), kind, before, after })
}

/// Nearly all cells are numbers, and they are more than a few.
fn is_numeric(cells: &[Option<String>]) -> bool {
    let distinct: BTreeSet<&str> = cells.iter().flatten().map(String::as_str).collect();
    let numbers = distinct.iter().filter(|cell| cell.parse::<f64>().is_ok_and(f64::is_finite)).count();
    numbers > 2 && numbers * 20 >= distinct.len() * 19
}

fn distinct(cells: &[Option<String>]) -> usize {
    cells.iter().flatten().collect::<BTreeSet<_>>().len()
}

/// −Σ p log₂ p over the labels; a missing cell is one.
fn entropy(cells: &[Option<String>]) -> f64 {
    let mut counts: BTreeMap<Option<&str>, u64> = BTreeMap::new();
    cells.iter().for_each(|cell| *counts.entry(cell.as_deref()).or_insert(0) += 1);
    let all = cells.len().max(1) as f64;
    counts.values().map(|&count| count as f64 / all).map(|share| -share * share.log2()).sum::<f64>() + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, text: &str) -> (String, Vec<Option<String>>) {
        (name.to_owned(), text.split(' ').map(|cell| (cell != "-").then(|| cell.to_owned())).collect())
    }

    #[test]
    fn a_release_that_is_the_original_loses_nothing() {
        let table = Table::new(vec![
            column("age", "21 34 55 62"),
            column("sex", "f m f m"),
            column("ill", "a b a b"),
        ]);
        let utility = compare(&table, &table, &Options::default());
        assert_eq!(utility.numbers[0].before, utility.numbers[0].after);
        assert!(utility.pairs.iter().all(|pair| pair.before == pair.after));
        let sex_ill = utility.pairs.iter().find(|pair| pair.a == "sex" && pair.b == "ill").unwrap();
        assert!((sex_ill.before.value - 1.0).abs() < 1e-12);
        assert!((utility.labels[0].entropy_before - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_hidden_shows() {
        let original = Table::new(vec![column("age", "21 34 55 62"), column("sex", "f m f m")]);
        let release = Table::new(vec![column("age", "20-39 20-39 40-69 *"), column("sex", "* * * *")]);
        let utility = compare(&original, &release, &Options { targets: vec!["sex".into()] });
        assert_eq!(utility.numbers[0].after.quantiles[2], 29.5);
        assert!((utility.numbers[0].after.unknown - 0.25).abs() < 1e-12);
        assert_eq!((utility.labels[0].distinct_after, utility.labels[0].entropy_after), (1, 0.0));
        assert_eq!(utility.not_learned, ["there are too few rows to learn from"]);
    }
}
