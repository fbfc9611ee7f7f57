//! Whose rows they are, and the largest number of rows of one person: the noise is drawn that number of times for them.

use super::NoiseError;
use crate::slice::CodedTable;
use paravent_job::Job;
use std::collections::HashMap;

/// The people of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct People {
    /// The number of every row's person.
    pub(super) of_rows: Vec<u32>,
    /// The largest number of rows of one person.
    pub(super) most_rows: u64,
}

impl People {
    /// The people that the job declares with `[privacy] person`; none where it does not.
    pub(super) fn of(table: &CodedTable, job: Option<&Job>) -> Result<Option<People>, NoiseError> {
        let key = job.map(|job| job.privacy.person.as_slice()).unwrap_or_default();
        // A statement for a database is written before a row is known; it says what one row costs.
        if key.is_empty() || table.rows == 0 {
            return Ok(None);
        }
        let places = key.iter().map(|name| table.place(name)).collect::<Result<Vec<usize>, _>>()?;
        let (mut known, mut rows): (HashMap<Vec<u32>, u32>, Vec<u64>) = (HashMap::new(), Vec::new());
        let mut of_rows = Vec::with_capacity(table.rows);
        let keys: Vec<Vec<u32>> = places.iter().map(|&place| table.columns[place].keys()).collect();
        for row in 0..table.rows {
            let codes: Vec<u32> = places.iter().map(|place| table.columns[*place].codes[row]).collect();
            let empty = places
                .iter()
                .zip(&codes)
                .find(|(place, code)| table.columns[**place].missing() == Some(**code));
            if let Some((place, _)) = empty {
                return Err(NoiseError::Request(format!(
                    "row {}, column {:?}: the cell is empty, so nobody knows whose row it is",
                    row + 1,
                    table.columns[*place].name
                )));
            }
            let codes: Vec<u32> = codes.iter().zip(&keys).map(|(&code, keys)| keys[code as usize]).collect();
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let person = *known.entry(codes).or_insert(next);
            match rows.get_mut(person as usize) {
                Some(rows) => *rows += 1,
                None => rows.push(1),
            }
            of_rows.push(person);
        }
        Ok(Some(People { of_rows, most_rows: rows.into_iter().max().unwrap_or(1) }))
    }
}
