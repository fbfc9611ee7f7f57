//! What must not be in anything that a statement gives back.

use super::tables::Tables;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Letters of a cell that are enough to recognise it.
const WINDOW: usize = 8;

/// What a statement gave back.
#[derive(Debug, Default)]
pub struct Told {
    /// The rows of the answer.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Everything else: notes, accounts, rules, errors, explanations. As text.
    pub around: String,
    /// The part of it in which there are numbers of statement, job and program only.
    pub countless: String,
}

/// Cells that can be recognised in a text, also in other letters, in pieces and backwards.
pub struct Canaries {
    windows: HashSet<Vec<u8>>,
}

impl Canaries {
    /// Those of some cells which a statement does not quote itself.
    pub fn of(cells: &[String], sql: &str) -> Canaries {
        let mut windows = HashSet::new();
        for cell in cells.iter().filter(|cell| !sql.contains(cell.as_str())) {
            let letters = cell.as_bytes();
            let backwards: Vec<u8> = letters.iter().rev().copied().collect();
            windows.extend(letters.windows(WINDOW).map(<[u8]>::to_vec));
            windows.extend(backwards.windows(WINDOW).map(<[u8]>::to_vec));
        }
        Canaries { windows }
    }

    /// Whether one of them is in a text.
    pub fn are_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        text.as_bytes().windows(WINDOW).any(|window| self.windows.contains(window))
    }
}

/// Numbers that the program itself says: limits, defaults, the places of plans.
const CONSTANTS: &[&str] = &["0", "1", "2", "0.5"];

/// Advice in which the program gives an example.
const ADVICE: &str = "delta => 1e-6";

/// What is wrong with it, in words; nothing where all is well.
pub fn leak(tables: &Tables, sql: &str, promised: Option<usize>, told: &Told) -> Option<String> {
    let identifying = Canaries::of(&tables.identifying, sql);
    if told.rows.iter().flatten().any(|cell| identifying.are_in(cell)) {
        return Some("an identifying cell is in the answer".to_owned());
    }
    if identifying.are_in(&told.around) {
        return Some("an identifying cell is beside the answer".to_owned());
    }
    let answered: BTreeSet<&str> = told.rows.iter().flatten().map(String::as_str).collect();
    let hidden: Vec<String> =
        tables.shown.iter().filter(|cell| !answered.contains(cell.as_str())).cloned().collect();
    if Canaries::of(&hidden, sql).are_in(&told.around) {
        return Some("a cell of a row that is not in the answer is beside it".to_owned());
    }
    if let Some(number) = stranger(&told.countless.replace(ADVICE, ""), &[sql, &tables.job]) {
        let line = told.countless.lines().find(|line| numbers(line).contains(&number)).unwrap_or_default();
        return Some(format!("a number that neither the statement nor the job has: {number} in {line:.400}"));
    }
    promised.and_then(|k| small_class(told, k))
}

/// A number of a text that none of the sources has.
fn stranger(text: &str, sources: &[&str]) -> Option<String> {
    let mut known: BTreeSet<String> = sources.iter().flat_map(|source| numbers(source)).collect();
    // How many column groups a slicing has is written in the statement, as parentheses.
    if sources[0].contains("slice(") {
        known.extend((3..=5).map(|groups| groups.to_string()));
    }
    numbers(text).into_iter().find(|number| !known.contains(number) && !CONSTANTS.contains(&number.as_str()))
}

/// The numbers of a text, but for those that belong to a name (`c1`, `Int64`, `root.0.1`).
fn numbers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut place = false;
    for part in text.split(|c: char| !word(c)).filter(|part| !part.is_empty()) {
        let part = part.trim_matches('.');
        // The parser says where in the statement it stopped.
        let position = std::mem::replace(&mut place, matches!(part, "Line" | "Column"));
        if position {
            continue;
        }
        if part.starts_with(|c: char| c.is_ascii_digit())
            && part.chars().all(|c| c.is_ascii_digit() || c == '.')
        {
            found.push(part.to_owned());
        }
    }
    found
}

/// A combination of labels that fewer rows have than were promised.
fn small_class(told: &Told, k: usize) -> Option<String> {
    let place = |name: &str| told.columns.iter().position(|column| column == name);
    let places = [place("age")?, place("town")?, place("zip")?];
    let mut classes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in &told.rows {
        *classes.entry(places.iter().map(|&place| row[place].as_str()).collect()).or_default() += 1;
    }
    let smallest = classes.values().min()?;
    (*smallest < k).then(|| format!("a class of {smallest} rows, promised are {k}"))
}
