//! Counting a table in parts, on all cores: every part has dictionaries and tuples of its own, which become one at the end.

use super::scan::code_column;
use super::{CodedColumn, ScanError};
use crate::read::{Batch, Source};
use crate::spill::{Budget, CountingTuples, SpillError};
use rayon::prelude::*;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a part has: its columns, and tuples in their codes.
type CountedPart = (Vec<CodedColumn>, CountingTuples);

/// What is counted.
#[derive(Debug, Clone, Copy)]
pub struct Counting<'a> {
    /// For messages.
    pub path: &'a Path,
    /// Memory of all parts together.
    pub budget: Budget,
    /// The last code of every tuple, behind those of the columns; none where the columns are all.
    pub last: Option<u32>,
}

/// Counts the tuples of parts of one table (already narrowed to these columns, in this order). Gives them in codes of `columns`, which must be
/// empty. Which error is told does not depend on which part is quicker: it is that of the first part. `progress` hears the rows so far.
pub fn count_parts(
    parts: Vec<Source>,
    columns: &mut [CodedColumn],
    counting: Counting<'_>,
    progress: impl FnMut(u64) -> bool + Send,
) -> Result<CountingTuples, ScanError> {
    let own_budget = counting.budget.shared_by(parts.len());
    let width = columns.len() + usize::from(counting.last.is_some());
    let progress = Mutex::new((0u64, progress));
    // The first part that failed: those before it go on, those behind it need not.
    let failed = AtomicUsize::new(usize::MAX);
    let template: &[CodedColumn] = columns;
    let work = |(number, source): (usize, Source)| {
        let mut own = template.to_vec();
        let mut tuples = CountingTuples::new(width, own_budget);
        let go_on = |rows: usize| {
            let mut heard = progress.lock().unwrap_or_else(PoisonError::into_inner);
            heard.0 += rows as u64;
            let rows = heard.0;
            (heard.1)(rows) && failed.load(Ordering::Relaxed) >= number
        };
        let counted = count_part(source, &mut own, &mut tuples, counting, go_on);
        if counted.is_err() {
            failed.fetch_min(number, Ordering::Relaxed);
        }
        counted.map(|()| (own, tuples))
    };
    let counted: Vec<Result<CountedPart, ScanError>> = parts.into_par_iter().enumerate().map(work).collect();
    let mut all: Option<CountingTuples> = None;
    for part in counted {
        let (own, tuples) = part?;
        all = Some(match all {
            // The first part's codes are those of all.
            None => {
                columns.clone_from_slice(&own);
                tuples.within(counting.budget)?
            }
            Some(mut all) => {
                let new_codes = join(columns, &own, counting.path)?;
                add(&mut all, tuples, &new_codes)?;
                all
            }
        });
    }
    Ok(all.unwrap_or_else(|| CountingTuples::new(width, counting.budget)))
}

fn count_part(
    mut source: Source,
    columns: &mut [CodedColumn],
    tuples: &mut CountingTuples,
    counting: Counting<'_>,
    mut go_on: impl FnMut(usize) -> bool,
) -> Result<(), ScanError> {
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
    let mut tuple = vec![0u32; columns.len()];
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        for (position, (column, codes)) in columns.iter_mut().zip(&mut codes).enumerate() {
            code_column(column, codes, &batch, position, counting.path)?;
        }
        match counting.last {
            Some(last) => tuples.add_rows(&codes, batch.rows, last)?,
            None => (0..batch.rows).try_for_each(|row| {
                tuple.iter_mut().zip(&codes).for_each(|(code, column)| *code = column[row]);
                tuples.add(&tuple, 1)
            })?,
        }
        if !go_on(batch.rows) {
            return Err(ScanError::Stopped);
        }
    }
    Ok(())
}

/// Adds the values of a part to those of all, and tells the code that each has there.
fn join(columns: &mut [CodedColumn], part: &[CodedColumn], path: &Path) -> Result<Vec<Vec<u32>>, ScanError> {
    let mut new_codes = Vec::with_capacity(columns.len());
    for (all, own) in columns.iter_mut().zip(part) {
        let mut codes = Vec::with_capacity(own.dictionary.len());
        for code in 0..own.dictionary.len() {
            let known = all.dictionary.len();
            let new = all.dictionary.intern(own.dictionary.cell(code as u32));
            if new == u32::MAX {
                return Err(ScanError::TooManyValues { path: path.to_owned(), column: all.name.clone() });
            }
            if new as usize == known {
                all.first_seen.push(own.first_seen[code]);
            }
            codes.push(new);
        }
        new_codes.push(codes);
    }
    Ok(new_codes)
}

fn add(all: &mut CountingTuples, part: CountingTuples, new_codes: &[Vec<u32>]) -> Result<(), SpillError> {
    let mut tuple = Vec::new();
    part.finish()?.each(|codes, count| {
        tuple.clear();
        tuple.extend(codes.iter().enumerate().map(|(column, &code)| match new_codes.get(column) {
            Some(codes) => codes[code as usize],
            // The last code is the same everywhere.
            None => code,
        }));
        all.add(&tuple, count)
    })
}
