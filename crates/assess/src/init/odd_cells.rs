//! Cells that stand among dates or numbers and are written otherwise, and dates whose years have two digits.
//!
//! One cell in another form must not cost the column: it is told by its row, and its text is proposed for a missing value. A text that is a
//! value of another column cannot be: the list holds for the whole table.

use std::collections::{BTreeMap, BTreeSet};

use paravent_core::values::{Pattern, Spelling};
use paravent_evidence::columns::{Hint, hint};
use paravent_tables::read::{Batch, Input};
use paravent_tables::watch::Watch;

use super::InitError;
use super::forms::{Form, Settled};
use super::missing_words::is_word;
use super::words::{listed_rows, number};

/// More different texts than this are no slips.
const MOST_TEXTS: usize = 20;
/// Shorter gaps between the years of birth say nothing.
const SHORTEST_GAP: usize = 3;

/// What is found out about a column of dates or numbers.
struct Scan {
    column: usize,
    form: Form,
    /// Texts that are none, with the first row of each.
    texts: BTreeMap<String, u64>,
    rows: Vec<u64>,
    /// Which years of two digits occur.
    years: [bool; 100],
}

/// Looks at the cells that are no dates; settles what can be said of them and gives the texts that are to count as missing.
pub(super) fn find(
    input: &Input,
    names: &[String],
    settled: &mut [Settled],
    today: &str,
    watch: &dyn Watch,
) -> Result<Vec<String>, InitError> {
    let mut scans: Vec<Scan> = Vec::new();
    for (column, settled) in settled.iter().enumerate() {
        let Some((form, _, odd)) = &settled.mostly else { continue };
        if *odd > 0 || form.guesses_the_century() {
            let form = form.clone();
            scans.push(Scan { column, form, texts: BTreeMap::new(), rows: Vec::new(), years: [false; 100] });
        }
    }
    if scans.is_empty() {
        return Ok(Vec::new());
    }
    each_cell(input, watch, |row, column, cell| {
        if let Some(scan) = scans.iter_mut().find(|scan| scan.column == column) {
            scan.see(row, cell);
        }
    })?;
    let wanted: BTreeSet<String> = scans.iter().flat_map(|scan| scan.texts.keys().cloned()).collect();
    let mut elsewhere: BTreeSet<String> = BTreeSet::new();
    if !wanted.is_empty() {
        each_cell(input, watch, |_, column, cell| {
            let odd_here = |scan: &Scan| scan.column == column && scan.texts.contains_key(cell);
            if wanted.contains(cell) && !scans.iter().any(odd_here) {
                elsewhere.insert(cell.to_owned());
            }
        })?;
    }
    let mut missing = BTreeSet::new();
    for scan in scans {
        let settled = &mut settled[scan.column];
        let birth = matches!(hint(&names[scan.column]), Hint::QuasiIdentifying("a date of birth or an age"));
        if scan.tell(settled, &elsewhere) {
            missing.extend(scan.texts.keys().cloned());
            scan.settle_the_century(settled, birth, today);
        }
    }
    Ok(missing.into_iter().collect())
}

impl Scan {
    fn see(&mut self, row: u64, cell: &str) {
        match self.form.read(cell) {
            Some(date) => {
                if let Some(year) = date.get(2..4).and_then(|year| year.parse::<usize>().ok()) {
                    self.years[year] = true;
                }
            }
            None => {
                self.rows.push(row);
                if self.texts.len() <= MOST_TEXTS {
                    self.texts.entry(cell.to_owned()).or_insert(row);
                }
            }
        }
    }

    /// Whether the column can be taken for dates or numbers all the same; says so, or why not.
    fn tell(&self, settled: &mut Settled, elsewhere: &BTreeSet<String>) -> bool {
        let Some((form, seen, odd)) = &settled.mostly else { return false };
        if self.texts.is_empty() {
            return true;
        }
        let (form, what) = match form {
            Form::Dates(_) => (form.name(), "dates"),
            Form::Numbers => (form.name(), "numbers"),
        };
        let (row, verb) = if self.rows.len() == 1 { ("row", "is") } else { ("rows", "are") };
        let told = format!(
            "{} of {} cells are {form}; {row} {} {verb} not",
            number(seen - odd),
            number(*seen),
            listed_rows(&self.rows)
        );
        let why_not = if self.texts.len() > MOST_TEXTS {
            Some("these are too many different texts to be slips")
        } else if self.texts.keys().any(|text| elsewhere.contains(text)) {
            Some("such a text also stands in another column, where it is a value")
        } else {
            None
        };
        settled.notes.push(match why_not {
            None => format!(
                "{told}. What stands there counts as missing (null in [input]); correct it if it is known"
            ),
            Some(why) => format!(
                "{told}, and {why}, so the column is taken for text. Correct these cells to have {what}"
            ),
        });
        if why_not.is_some() {
            settled.spelling = None;
        }
        why_not.is_none()
    }

    /// Nobody was born in the future: years of birth lie in the hundred years that begin behind the longest gap between them.
    fn settle_the_century(&self, settled: &mut Settled, birth: bool, today: &str) {
        let Form::Dates(pattern) = &self.form else { return };
        if !pattern.guesses_the_century() {
            return;
        }
        let first = match birth {
            true => first_year(&self.years, today),
            false => 1930,
        };
        let told = format!("years have two digits; they are taken for {first} to {}", first + 99);
        if first == 1930 {
            settled.notes.push(told);
            return;
        }
        let text = format!("{} from {first}", pattern.as_str());
        settled.spelling = Pattern::new(&text).ok().map(Spelling::Moment);
        settled
            .notes
            .push(format!("{told}, since no birth lies in the future. If that is wrong, change format"));
    }
}

/// The first of the hundred years in which all births lie and none is in the future.
fn first_year(years: &[bool; 100], today: &str) -> u32 {
    let today: u32 = today.get(..4).and_then(|year| year.parse().ok()).unwrap_or(2029);
    let gap_before = |start: usize| (1..100).take_while(|back| !years[(start + 100 - back) % 100]).count();
    let start = (0..100).filter(|&year| years[year]).max_by_key(|&year| (gap_before(year), year));
    let last_hundred = today.saturating_sub(99);
    let Some(start) = start.filter(|&start| gap_before(start) >= SHORTEST_GAP) else { return last_hundred };
    let latest = |first: u32| {
        let year = |short: usize| first + (short as u32 + 100 - first % 100) % 100;
        (0..100).filter(|&short| years[short]).map(year).max().unwrap_or(first)
    };
    let century = today - today % 100;
    let candidates = [century, century.saturating_sub(100), century.saturating_sub(200)];
    let found = candidates.iter().map(|century| century + start as u32).find(|&first| latest(first) <= today);
    // Where the usual hundred years give the same, nothing needs to be said.
    match found {
        Some(first) if latest(1930) <= today && latest(1930) == latest(first) => 1930,
        Some(first) => first,
        None => last_hundred,
    }
}

/// Every cell that is neither empty nor a word for a missing value, with its row (from 1) and its column.
fn each_cell(
    input: &Input,
    watch: &dyn Watch,
    mut see: impl FnMut(u64, usize, &str),
) -> Result<(), InitError> {
    let mut source = input.open()?;
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        super::error::go_on(watch, source.rows_read())?;
        for (column, cells) in batch.columns.iter().enumerate() {
            for (row, cell) in cells.iter().enumerate() {
                let cell = cell.unwrap_or_default().trim_ascii();
                if !cell.is_empty() && !is_word(cell) {
                    see(batch.first_row + row as u64, column, cell);
                }
            }
        }
    }
    Ok(())
}
