//! How many people do two tables share, however their rows have changed since?
//!
//! One-permutation MinHash as in [`super::sketch`], over the people that the identifying columns name (or the columns of `person`) instead of rows: who is
//! a year older is the same person. Bins keep whole hashes, so that a few people among thousands are noticed; whoever has the register and its
//! salt can therefore test whether somebody is among about as many people as there are bins.

use super::sketch::{Salt, mix, row};
use paravent_job::{Job, Role};
use paravent_prepare::study::{Study, StudyError};
use paravent_tables::encode::ScanError;
use paravent_tables::read::Batch;
use paravent_tables::watch::Watch;
use serde::{Deserialize, Serialize};

/// Fewest and most bins; always a power of two.
const BINS: (usize, usize) = (64, 1024);
/// Hexadecimal digits of a bin.
const DIGITS: usize = 8;
/// An identifying column that names fewer than one in so many rows (a title, a ward) says nothing about people.
const MOST_ROWS_PER_PERSON: f64 = 10.0;

/// What is kept of a table's people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleSketch {
    /// The columns that name a person.
    pub columns: Vec<String>,
    /// About how many people.
    pub people: u64,
    /// Eight hexadecimal digits per bin: its smallest hash; `ffffffff` is a bin without a person.
    pub bins: String,
}

impl PeopleSketch {
    /// About how many people are in both; `None` if none was found, or other columns name them.
    pub fn shared(&self, other: &PeopleSketch) -> Option<u64> {
        if self.columns != other.columns {
            return None;
        }
        let (ours, theirs) = (self.smallest(), other.smallest());
        let bins = ours.len().min(theirs.len());
        if bins == 0 || !ours.len().is_power_of_two() || !theirs.len().is_power_of_two() {
            return None;
        }
        let (ours, theirs) = (folded(&ours, bins), folded(&theirs, bins));
        let pairs = || ours.iter().zip(&theirs);
        let used = pairs().filter(|&(&a, &b)| a != u32::MAX || b != u32::MAX).count().max(1);
        let equal = pairs().filter(|&(&a, &b)| a == b && a != u32::MAX).count();
        let similarity = equal as f64 / used as f64;
        let shared = similarity * (self.people + other.people) as f64 / (1.0 + similarity);
        let most = self.people.min(other.people).max(1);
        (equal > 0).then_some((shared.round() as u64).clamp(1, most))
    }

    fn smallest(&self) -> Vec<u32> {
        let digits = self.bins.as_bytes().chunks(DIGITS);
        let number =
            |bin: &[u8]| std::str::from_utf8(bin).ok().and_then(|bin| u32::from_str_radix(bin, 16).ok());
        digits.map(|bin| number(bin).unwrap_or(u32::MAX)).collect()
    }
}

/// The same sketch with fewer bins.
fn folded(bins: &[u32], count: usize) -> Vec<u32> {
    let mut folded = vec![u32::MAX; count];
    bins.iter().enumerate().for_each(|(at, &bin)| folded[at % count] = folded[at % count].min(bin));
    folded
}

/// A sketch in the making. Who has many rows is one person.
#[derive(Debug)]
pub(crate) struct Gathering {
    columns: Vec<String>,
    /// Whether the job says that these columns name people.
    declared: bool,
    smallest: Vec<u32>,
}

impl Gathering {
    /// One for every way in which a job names people, of a table of so many rows.
    pub(crate) fn of_job(job: &Job, rows: u64) -> Vec<Gathering> {
        let bins = usize::try_from(rows).unwrap_or(usize::MAX).clamp(BINS.0, BINS.1);
        let bins = 1 << bins.ilog2();
        let mut keys: Vec<(Vec<String>, bool)> = Vec::new();
        if !job.privacy.person.is_empty() {
            let mut person = job.privacy.person.clone();
            person.sort();
            keys.push((person, true));
        }
        for column in job.with_role(Role::Identifying) {
            if !keys.iter().any(|(key, _)| *key == [column.name.clone()]) {
                keys.push((vec![column.name.clone()], false));
            }
        }
        let gather = |(columns, declared)| Gathering { columns, declared, smallest: vec![u32::MAX; bins] };
        keys.into_iter().map(gather).collect()
    }

    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Adds a person, by the cells of the columns. Without one of them nobody is named.
    pub(crate) fn add<'a>(&mut self, salt: &Salt, cells: impl Iterator<Item = Option<&'a str>>) {
        let mut hashes = Vec::with_capacity(self.columns.len());
        for (column, cell) in self.columns.iter().zip(cells) {
            let Some(cell) = cell.map(str::trim).filter(|cell| !cell.is_empty()) else { return };
            hashes.push(salt.cell(column, Some(&plain(cell))));
        }
        let hash = mix(row(hashes.into_iter()));
        let count = self.smallest.len();
        let bin = &mut self.smallest[(hash >> 32) as usize % count];
        // The largest number stands for no one.
        *bin = (*bin).min((hash as u32).min(u32::MAX - 1));
    }

    /// `None` where the columns name nobody in particular.
    pub(crate) fn finish(self, rows: u64) -> Option<PeopleSketch> {
        let bins = self.smallest.len() as f64;
        let sum: f64 = self.smallest.iter().map(|&bin| f64::from(bin) / f64::from(u32::MAX)).sum();
        let people = (bins * per_bin(sum / bins)).min(rows as f64);
        let used = self.smallest.iter().filter(|&&bin| bin != u32::MAX).count() as f64;
        let people = people.max(used).round();
        let names_people = people > 0.0 && (self.declared || people * MOST_ROWS_PER_PERSON >= rows as f64);
        names_people.then(|| PeopleSketch {
            columns: self.columns,
            people: people as u64,
            bins: self.smallest.iter().map(|bin| format!("{bin:08x}")).collect(),
        })
    }
}

/// Small letters, and one blank where there are more.
fn plain(cell: &str) -> String {
    let lower = cell.to_lowercase();
    match lower.contains("  ") || lower.contains(|c: char| c.is_whitespace() && c != ' ') {
        true => lower.split_whitespace().collect::<Vec<&str>>().join(" "),
        false => lower,
    }
}

/// How many people a bin has on average, by the mean of the bins' smallest numbers between 0 and 1.
///
/// With λ people per bin, Poisson distributed, and 1 for a bin without anybody, the mean is `(1 − e^−λ)/λ`, which falls with λ.
fn per_bin(mean: f64) -> f64 {
    let expected = |people: f64| -(-people).exp_m1() / people;
    let (mut low, mut high) = (1e-9, 1.0 / mean.max(1e-12));
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if expected(middle) > mean { low = middle } else { high = middle }
    }
    low
}

/// The people of a study's table. Read from the file once more: identifying columns are read for nothing else.
pub(super) fn people(study: &Study, salt: &Salt, watch: &dyn Watch) -> Result<Vec<PeopleSketch>, StudyError> {
    let rows = study.table.row_count();
    let mut gathered = Gathering::of_job(&study.job, rows);
    // Rows outside the subset would have to be left out, and identifiers do not leave the place where a table lives.
    if study.input.engine().is_some() || gathered.is_empty() || study.columns.subset.is_some() {
        return Ok(Vec::new());
    }
    let mut source = study.input.open()?;
    let known = source.columns().to_vec();
    gathered.retain(|gathering| gathering.columns.iter().all(|name| known.contains(name)));
    let mut names: Vec<String> = gathered.iter().flat_map(|gathering| gathering.columns.clone()).collect();
    names.sort();
    names.dedup();
    let place = |list: &[String], name: &String| list.iter().position(|known| known == name).unwrap_or(0);
    let wanted: Vec<usize> = names.iter().map(|name| place(&known, name)).collect();
    source.select(&wanted)?;
    let places: Vec<Vec<usize>> =
        gathered.iter().map(|one| one.columns.iter().map(|name| place(&names, name)).collect()).collect();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        if watch.stop() {
            return Err(StudyError::Scan(ScanError::Stopped));
        }
        for (gathering, places) in gathered.iter_mut().zip(&places) {
            for at in 0..batch.rows {
                gathering.add(salt, places.iter().map(|&place| batch.columns[place].get(at)));
            }
        }
    }
    study.input.unchanged_since(&study.fingerprint)?;
    Ok(gathered.into_iter().filter_map(|gathering| gathering.finish(rows)).collect())
}
