//! Small tables as text.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use paravent_slicing::reference::{Row, transposed};

/// Tables of words, one line per row; equal words of a column have equal codes in all tables, in the order of words.
pub fn coded<const N: usize>(tables: [&str; N]) -> [Vec<Row>; N] {
    let parse = |text: &str| -> Vec<Vec<String>> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
    };
    let parsed = tables.map(parse);
    let width = parsed[0][0].len();
    let mut codes: Vec<BTreeMap<String, u32>> = vec![BTreeMap::new(); width];
    for row in parsed.iter().flatten() {
        row.iter().zip(&mut codes).for_each(|(word, codes)| {
            codes.insert(word.clone(), 0);
        });
    }
    for column in &mut codes {
        column.values_mut().enumerate().for_each(|(number, code)| *code = number as u32);
    }
    parsed.map(|rows| {
        rows.iter().map(|row| row.iter().zip(&codes).map(|(word, codes)| codes[word]).collect()).collect()
    })
}

/// The columns of rows.
pub fn columns(rows: &[Row]) -> Vec<Vec<u32>> {
    transposed(rows, rows[0].len())
}

/// Columns as slices.
pub fn of(columns: &[Vec<u32>]) -> Vec<&[u32]> {
    columns.iter().map(Vec::as_slice).collect()
}
