//! Attacks on what is no release of the lattice search: sliced tables and query logs.

use super::{AttackError, AttackOptions, Sliced};
use crate::{Roles, load_table};
use paravent_evidence::attack::means::{Link, Queries, SlicedTable};
use paravent_evidence::microdata::{Column, Microdata};
use paravent_tables::watch::Watch;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Longest query log that is read, in bytes.
const LONGEST_LOG: u64 = 1 << 30;

/// The log of queries, if there is one.
pub(super) fn queries(options: &AttackOptions, k: Option<u64>) -> Result<Option<Queries>, AttackError> {
    let Some(path) = &options.queries else { return Ok(None) };
    let k = k.ok_or_else(|| AttackError::Options("--queries needs the promised k: say --k K".to_owned()))?;
    Ok(Some(Queries { rows_of: log(path)?, k, rows: options.rows }))
}

/// A sliced table, and the original beside it.
pub(super) struct Slices<'a> {
    sliced: &'a Sliced,
    table: Microdata,
    original: Option<Microdata>,
}

/// Reads a sliced table.
pub(super) fn load<'a>(
    sliced: &'a Sliced,
    options: &AttackOptions,
    watch: &dyn Watch,
) -> Result<Slices<'a>, AttackError> {
    if sliced.groups.len() < 2 {
        return Err(AttackError::Options(
            "--sliced needs at least two groups of columns: --group A,B --group C".to_owned(),
        ));
    }
    let mut names = vec![sliced.bucket.clone()];
    names.extend(sliced.groups.iter().flatten().cloned());
    let source = options.in_memory.source(&sliced.table, None);
    let table = load_table(&source, &Roles::of_names(&names, &[])?, watch)?.data;
    let original = match &options.original {
        Some(path) => Some(reference(path, sliced, options, watch)?),
        None => None,
    };
    Ok(Slices { sliced, table, original })
}

impl Slices<'_> {
    /// All of it, as attacks take it.
    pub(super) fn means(&self) -> SlicedTable<'_> {
        let groups = &self.sliced.groups;
        let column = |name: &String| self.table.place(name).map(|place| &self.table.columns()[place]);
        SlicedTable {
            buckets: column(&self.sliced.bucket).map(Column::codes).unwrap_or_default(),
            known: groups[0].iter().filter_map(column).collect(),
            secrets: groups[1..].iter().flatten().filter_map(column).collect(),
            links: self.links(&column),
        }
    }

    /// Columns of two groups of which one tells the other.
    fn links<'a>(&'a self, column: &dyn Fn(&String) -> Option<&'a Column>) -> Vec<Link<'a>> {
        let mut links = Vec::new();
        for (number, group) in self.sliced.groups.iter().enumerate() {
            for left in group.iter().filter_map(column) {
                for right in self.sliced.groups[number + 1..].iter().flatten().filter_map(column) {
                    let key = match base(left.name()) == base(right.name()) || same_cells(left, right) {
                        true => Some(translated(left, right, |value| Some(value.to_owned()))),
                        false => {
                            self.original.as_ref().and_then(|original| dependency(original, left, right))
                        }
                    };
                    let Some(key) = key else { continue };
                    let name = format!("{} \u{2192} {}", left.name(), right.name());
                    links.push(Link { name, key, right: right.codes() });
                }
            }
        }
        links
    }
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
