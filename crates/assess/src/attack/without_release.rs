//! Attacks on what is no release of the lattice search: sliced tables and query logs.

use super::{AttackError, AttackOptions, Sliced};
use crate::{Roles, load_table};
use paravent_evidence::attack::Outcome;
use paravent_evidence::attack::definetti::{Bucketized, definetti};
use paravent_evidence::attack::query_differencing::query_differencing;
use paravent_evidence::attack::relinking::relinking;
use paravent_evidence::microdata::{Column, Microdata};
use paravent_tables::watch::Watch;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// More than this share of restored rows is told.
const TOLERATED: f64 = 0.5;

/// Longest query log that is read, in bytes.
const LONGEST_LOG: u64 = 1 << 30;

pub(super) fn run(
    options: &AttackOptions,
    k: Option<u64>,
    watch: &dyn Watch,
) -> Result<Vec<Outcome>, AttackError> {
    let mut outcomes = Vec::new();
    if let Some(sliced) = &options.sliced {
        outcomes.extend(on_slices(sliced, options, watch)?);
    }
    if let Some(path) = &options.queries {
        let k =
            k.ok_or_else(|| AttackError::Options("--queries needs the promised k: say --k K".to_owned()))?;
        outcomes.push(query_differencing(&log(path)?, k, options.rows));
    }
    Ok(outcomes)
}

fn on_slices(
    sliced: &Sliced,
    options: &AttackOptions,
    watch: &dyn Watch,
) -> Result<Vec<Outcome>, AttackError> {
    if sliced.groups.len() < 2 {
        return Err(AttackError::Options(
            "--sliced needs at least two groups of columns: --group A,B --group C".to_owned(),
        ));
    }
    let mut names = vec![sliced.bucket.clone()];
    names.extend(sliced.groups.iter().flatten().cloned());
    let table =
        load_table(&options.in_memory.source(&sliced.table, None), &Roles::of_names(&names, &[])?, watch)?
            .data;
    let column = |name: &String| table.place(name).map(|place| &table.columns()[place]);
    let buckets = column(&sliced.bucket).map(Column::codes).unwrap_or_default();
    let known: Vec<&Column> = sliced.groups[0].iter().filter_map(column).collect();
    let together = together(&known);
    let mut outcomes = Vec::new();
    for secret in sliced.groups[1..].iter().flatten().filter_map(column) {
        let known = known.iter().map(|column| (column.codes(), column.labels().len())).collect();
        let table = Bucketized { buckets, known, secret: (secret.codes(), secret.labels().len()) };
        let mut outcome = definetti(&table, secret.name(), None);
        // Columns that say nothing alone may do so together.
        if let Some((codes, values)) = &together {
            let table = Bucketized { known: vec![(codes, *values)], ..table };
            let joint = definetti(&table, secret.name(), None);
            if !outcome.succeeded() && joint.succeeded() {
                outcome = joint;
            }
        }
        outcomes.push(outcome);
    }
    let original = match &options.original {
        Some(path) => Some(reference(path, sliced, options, watch)?),
        None => None,
    };
    for (number, group) in sliced.groups.iter().enumerate() {
        for left in group.iter().filter_map(column) {
            for right in sliced.groups[number + 1..].iter().flatten().filter_map(column) {
                let key = match base(left.name()) == base(right.name()) || same_cells(left, right) {
                    true => Some(translated(left, right, |value| Some(value.to_owned()))),
                    false => original.as_ref().and_then(|original| dependency(original, left, right)),
                };
                let Some(key) = key else { continue };
                let name = format!("{} \u{2192} {}", left.name(), right.name());
                outcomes.push(relinking(buckets, &key, right.codes(), &name, TOLERATED));
            }
        }
    }
    Ok(outcomes)
}

/// Combinations of columns that are learnt as one.
const MOST_TOGETHER: usize = 4096;

/// The known columns as one, where their combinations repeat; `None` for one column, or too many combinations to learn from.
fn together(known: &[&Column]) -> Option<(Vec<u32>, usize)> {
    let rows = known.first().filter(|_| known.len() > 1)?.codes().len();
    let mut numbers: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut codes = Vec::with_capacity(rows);
    for row in 0..rows {
        let next = numbers.len() as u32;
        let cells = known.iter().map(|column| column.codes()[row]).collect();
        codes.push(*numbers.entry(cells).or_insert(next));
    }
    let repeats = numbers.len() <= MOST_TOGETHER && 8 * numbers.len() <= rows;
    repeats.then_some((codes, numbers.len()))
}

/// Whether two columns are one under two names: nearly all of their many values are the same. Columns of few values (yes and no, marks)
/// share them by chance.
fn same_cells(left: &Column, right: &Column) -> bool {
    let fewest = left.labels().len().min(right.labels().len());
    let ours: HashSet<&str> = left.labels().iter().map(String::as_str).collect();
    let shared = right.labels().iter().filter(|label| ours.contains(label.as_str())).count();
    fewest >= 10 && 10 * shared >= 9 * left.labels().len().max(right.labels().len())
}

/// The original's columns of the groups, as far as it has them.
fn reference(
    path: &Path,
    sliced: &Sliced,
    options: &AttackOptions,
    watch: &dyn Watch,
) -> Result<Microdata, AttackError> {
    let mut names: Vec<String> = sliced.groups.iter().flatten().map(|name| base(name).to_owned()).collect();
    names.sort_unstable();
    names.dedup();
    Ok(load_table(&options.in_memory.source(path, None), &Roles::of_names(&names, &[])?, watch)?.data)
}

/// A column that is in several groups has copies called `zip@2`, `zip@3`.
fn base(name: &str) -> &str {
    name.split_once('@').map_or(name, |(base, _)| base)
}

/// If each value of one column has one value of the other in the original: the cells of the first, as codes of the second.
fn dependency(original: &Microdata, left: &Column, right: &Column) -> Option<Vec<u32>> {
    let from = &original.columns()[original.place(base(left.name()))?];
    let to = &original.columns()[original.place(base(right.name()))?];
    let mut image: HashMap<&str, &str> = HashMap::new();
    for (&a, &b) in from.codes().iter().zip(to.codes()) {
        let (a, b) = (from.cell(a)?, to.cell(b)?);
        if *image.entry(a).or_insert(b) != b {
            return None;
        }
    }
    Some(translated(left, right, |value| image.get(value).map(|&value| value.to_owned())))
}

/// The cells of one column, taken to the other's and written with its codes; what is not there gets a code of its own.
fn translated(left: &Column, right: &Column, image: impl Fn(&str) -> Option<String>) -> Vec<u32> {
    let code_of: HashMap<&str, u32> = right.labels().iter().map(String::as_str).zip(0..).collect();
    let nowhere = right.labels().len() as u32;
    let codes: Vec<u32> = left
        .labels()
        .iter()
        .map(|label| image(label).and_then(|image| code_of.get(image.as_str()).copied()).unwrap_or(nowhere))
        .collect();
    left.codes().iter().map(|&code| codes[code as usize]).collect()
}

/// One query per line: the numbers of the rows it was about, separated by blanks or commas.
fn log(path: &Path) -> Result<Vec<Vec<u32>>, AttackError> {
    let failed = |line: Option<usize>, what: String| AttackError::Log { path: path.to_owned(), line, what };
    let size = std::fs::metadata(path).map_err(|error| failed(None, error.to_string()))?;
    if !size.is_file() || size.len() > LONGEST_LOG {
        return Err(failed(None, "is no query log: not a file, or larger than 1 GiB".to_owned()));
    }
    let text = std::fs::read_to_string(path).map_err(|error| failed(None, error.to_string()))?;
    let mut queries = Vec::new();
    for (line, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let numbers = text.split([',', ' ', '\t']).filter(|part| !part.is_empty()).map(str::parse::<u32>);
        let rows: Result<Vec<u32>, _> = numbers.collect();
        let advice = "write one query per line: the numbers of its rows, separated by commas";
        queries.push(rows.map_err(|_| failed(Some(line + 1), advice.to_owned()))?);
    }
    Ok(queries)
}
