//! How well a column can be predicted from the others, cross-validated.

use crate::numbers::number;
use crate::table::Table;
use crate::tree;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Parts that the rows are divided into; each is predicted from the others.
const FOLDS: usize = 5;
/// Rows that are learned from; of larger tables a part, taken at even distances.
const MOST_ROWS: usize = 4000;
/// Different labels of a column that get a feature of their own, the most frequent ones.
const MOST_LABELS: usize = 12;
/// Classes that can be told apart; columns with more are no targets.
const MOST_CLASSES: usize = 20;

/// What is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A tree for classes; the score is the share of right guesses.
    Classification,
    /// A tree for numbers; the score is R².
    Regression,
}

/// How well the target was predicted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Learned {
    /// The column that was predicted.
    pub target: String,
    /// How.
    pub method: Method,
    /// Score on the original: trained on some of its rows, tested on others.
    pub original: f64,
    /// Score on the release: trained on some of its rows, tested on others.
    pub release: f64,
    /// Score of whoever knows no other column: the most frequent class, or the mean.
    pub baseline: f64,
    /// Rows of the original that were used.
    pub rows: u64,
    /// Rows of the release that were used.
    pub released_rows: u64,
}

/// Why nothing was learned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotLearned {
    /// One of the tables lacks the column.
    #[error("the column {0} is not in both tables")]
    NoColumn(String),
    /// It has one value, or too many.
    #[error(
        "the column {0} is no target: it has one value only, or more than {MOST_CLASSES} that are no numbers"
    )]
    NoTarget(String),
    /// There are too few rows.
    #[error("there are too few rows to learn from")]
    TooFewRows,
}

/// Trains and tests on both tables with the features they share.
pub(crate) fn learn(original: &Table, release: &Table, target: &str) -> Result<Learned, NotLearned> {
    let cells = |table: &Table| table.column(target).map(<[_]>::to_vec);
    let (Some(before), Some(after)) = (cells(original), cells(release)) else {
        return Err(NotLearned::NoColumn(target.to_owned()));
    };
    let method = method(&before).ok_or_else(|| NotLearned::NoTarget(target.to_owned()))?;
    let features: Vec<&str> = original
        .names()
        .filter(|&name| name != target && release.column(name).is_some() && says_something(original, name))
        .collect();
    let score = |table: &Table, cells: &[Option<String>]| -> Result<(f64, f64, usize), NotLearned> {
        let rows = chosen(cells, method);
        if rows.len() < FOLDS * 4 {
            return Err(NotLearned::TooFewRows);
        }
        let x = encoded(table, &features, &rows);
        match method {
            Method::Classification => {
                let labels: Vec<&str> = rows.iter().filter_map(|&row| cells[row].as_deref()).collect();
                let (score, baseline) = classify(&x, &labels);
                Ok((score, baseline, rows.len()))
            }
            Method::Regression => {
                let y: Vec<f64> = rows
                    .iter()
                    .filter_map(|&row| number(cells[row].as_deref().unwrap_or_default()))
                    .collect();
                Ok((regress(&x, &y), 0.0, rows.len()))
            }
        }
    };
    let (of_original, of_release) = rayon::join(|| score(original, &before), || score(release, &after));
    let (of_original, baseline, rows) = of_original?;
    let (of_release, _, released_rows) = of_release?;
    Ok(Learned {
        target: target.to_owned(),
        method,
        original: of_original,
        release: of_release,
        baseline,
        rows: rows as u64,
        released_rows: released_rows as u64,
    })
}

/// Few labels are classes, many numbers are numbers.
fn method(cells: &[Option<String>]) -> Option<Method> {
    let mut labels: BTreeMap<&str, u64> = BTreeMap::new();
    cells.iter().flatten().for_each(|cell| *labels.entry(cell).or_insert(0) += 1);
    let numbers = labels.keys().filter(|label| number(label).is_some()).count();
    match labels.len() {
        0 | 1 => None,
        many if many > MOST_CLASSES => (numbers * 10 >= many * 9).then_some(Method::Regression),
        _ => Some(Method::Classification),
    }
}

/// A column in which every cell is different tells nothing that could be learned.
fn says_something(table: &Table, name: &str) -> bool {
    let cells = table.column(name).unwrap_or_default();
    let distinct: std::collections::BTreeSet<&str> = cells.iter().flatten().map(String::as_str).collect();
    let numbers = distinct.iter().filter(|cell| number(cell).is_some()).count();
    distinct.len() > 1 && (numbers == distinct.len() || distinct.len() * 2 < cells.len())
}

/// Rows with a target, at even distances where they are many.
fn chosen(cells: &[Option<String>], method: Method) -> Vec<usize> {
    let usable = |cell: &Option<String>| match (cell, method) {
        (None, _) => false,
        (Some(_), Method::Classification) => true,
        (Some(cell), Method::Regression) => number(cell).is_some(),
    };
    let rows: Vec<usize> = (0..cells.len()).filter(|&row| usable(&cells[row])).collect();
    match rows.len() <= MOST_ROWS {
        true => rows,
        false => (0..MOST_ROWS).map(|at| rows[at * rows.len() / MOST_ROWS]).collect(),
    }
}

/// Numbers, scaled to mean 0 and deviation 1; one feature per frequent label otherwise.
fn encoded(table: &Table, features: &[&str], rows: &[usize]) -> Vec<Vec<f64>> {
    let mut x: Vec<Vec<f64>> = vec![Vec::new(); rows.len()];
    for &name in features {
        let cells = table.column(name).unwrap_or_default();
        let numbers: Vec<Option<f64>> =
            rows.iter().map(|&row| cells[row].as_deref().and_then(number)).collect();
        let known: Vec<f64> = numbers.iter().flatten().copied().collect();
        if known.len() * 10 >= rows.len() * 9 {
            let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
            let spread =
                (known.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / known.len().max(1) as f64).sqrt();
            for (line, value) in x.iter_mut().zip(&numbers) {
                let scaled = if spread > 0.0 { (value.unwrap_or(mean) - mean) / spread } else { 0.0 };
                line.push(scaled);
            }
            continue;
        }
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        rows.iter()
            .filter_map(|&row| cells[row].as_deref())
            .for_each(|cell| *counts.entry(cell).or_insert(0) += 1);
        let mut labels: Vec<(&str, u64)> = counts.into_iter().collect();
        labels.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        for (label, _) in labels.iter().take(MOST_LABELS) {
            for (line, &row) in x.iter_mut().zip(rows) {
                line.push(f64::from(u8::from(cells[row].as_deref() == Some(*label))));
            }
        }
    }
    // A model without features still needs a column.
    x.iter_mut().filter(|line| line.is_empty()).for_each(|line| line.push(0.0));
    x
}

/// The fold of a row: neighbours, which are alike in a sorted table, are in different ones.
fn fold(row: usize) -> usize {
    (row.wrapping_mul(0x9e37_79b9) >> 7) % FOLDS
}

/// Rows to learn from and what they are, then rows to try it on and what they are.
type Parts<T> = (Vec<Vec<f64>>, Vec<T>, Vec<Vec<f64>>, Vec<T>);

fn parts<T: Clone>(x: &[Vec<f64>], y: &[T], part: usize) -> Parts<T> {
    let (mut train, mut train_y, mut test, mut test_y) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, (line, value)) in x.iter().zip(y).enumerate() {
        let (lines, values) =
            if fold(row) == part { (&mut test, &mut test_y) } else { (&mut train, &mut train_y) };
        lines.push(line.clone());
        values.push(value.clone());
    }
    (train, train_y, test, test_y)
}

/// Share of the rows whose class was predicted, and that of the most frequent class.
fn classify(x: &[Vec<f64>], labels: &[&str]) -> (f64, f64) {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    labels.iter().for_each(|label| *counts.entry(label).or_insert(0) += 1);
    let codes: BTreeMap<&str, u32> = counts.keys().zip(0u32..).map(|(label, code)| (*label, code)).collect();
    let y: Vec<u32> = labels.iter().map(|label| codes[label]).collect();
    let most = counts.values().max().copied().unwrap_or(0) as f64 / labels.len().max(1) as f64;
    let right: usize = (0..FOLDS)
        .into_par_iter()
        .map(|part| {
            let (train, train_y, test, test_y) = parts(x, &y, part);
            let predicted = tree::classes(&train, &train_y, &test);
            predicted.iter().zip(&test_y).filter(|(a, b)| a == b).count()
        })
        .sum();
    (right as f64 / labels.len().max(1) as f64, most)
}

/// R² over all parts: 1 − Σ(y − ŷ)² / Σ(y − ȳ)².
fn regress(x: &[Vec<f64>], y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len().max(1) as f64;
    let told: Vec<(Vec<f64>, Vec<f64>)> = (0..FOLDS)
        .into_par_iter()
        .map(|part| {
            let (train, train_y, test, test_y) = parts(x, y, part);
            (tree::numbers(&train, &train_y, &test), test_y)
        })
        .collect();
    // Summed in the order of the parts, whatever thread grew which tree.
    let (mut rest, mut all) = (0.0, 0.0);
    for (told, test_y) in &told {
        for (told, y) in told.iter().zip(test_y) {
            rest += (y - told).powi(2);
            all += (y - mean).powi(2);
        }
    }
    if all > 0.0 { 1.0 - rest / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: usize, blur: bool) -> Table {
        let cells = |of: &dyn Fn(usize) -> String| (0..rows).map(|row| Some(of(row))).collect();
        let x = |row: usize| row * 7919 % 100;
        let shown = |row: usize| if blur { "*".to_owned() } else { x(row).to_string() };
        Table::new(vec![
            ("x".into(), cells(&shown)),
            ("class".into(), cells(&|row| if x(row) < 50 { "low" } else { "high" }.to_owned())),
            ("number".into(), cells(&|row| (3 * x(row) + 5).to_string())),
        ])
    }

    fn only(table: &Table, names: &[&str]) -> Table {
        Table::new(
            names.iter().map(|name| ((*name).to_owned(), table.column(name).unwrap().to_vec())).collect(),
        )
    }

    #[test]
    fn what_can_be_learned_is_learned_and_what_is_hidden_is_not() {
        let (clear, blurred) =
            (only(&table(400, false), &["x", "class"]), only(&table(400, true), &["x", "class"]));
        let same = learn(&clear, &clear, "class").unwrap();
        assert_eq!(same.method, Method::Classification);
        assert!(same.original > 0.9 && same.original == same.release, "{same:?}");
        let lost = learn(&clear, &blurred, "class").unwrap();
        assert!(lost.release < 0.6 && lost.original > 0.9, "{lost:?}");
        assert!((lost.baseline - 0.5).abs() < 0.05);
        let (clear, blurred) =
            (only(&table(400, false), &["x", "number"]), only(&table(400, true), &["x", "number"]));
        let numbers = learn(&clear, &blurred, "number").unwrap();
        assert_eq!(numbers.method, Method::Regression);
        assert!(numbers.original > 0.99 && numbers.release < 0.1, "{numbers:?}");
    }

    #[test]
    fn what_is_no_target_is_told() {
        let clear = table(400, false);
        assert_eq!(learn(&clear, &clear, "y"), Err(NotLearned::NoColumn("y".into())));
        let one = Table::new(vec![("a".into(), vec![Some("x".into()); 40])]);
        assert_eq!(learn(&one, &one, "a"), Err(NotLearned::NoTarget("a".into())));
        let few = table(10, false);
        assert_eq!(learn(&few, &few, "class"), Err(NotLearned::TooFewRows));
    }
}
