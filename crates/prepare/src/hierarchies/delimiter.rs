//! Which character separates the cells of a hierarchy file.

use std::collections::HashMap;

use super::records::Records;

/// What may separate cells; where two fit equally well, the first.
const DELIMITERS: [u8; 4] = *b";,\t|";
/// Lines looked at.
const LINES: usize = 1000;

/// Among semicolon, comma, tab and bar the one that makes most lines equally long and end in the same cell.
///
/// A data table has no such end, so there the number of cells decides; but labels like `[0, 5)` and `{a, b,
/// c}` hold commas just as regularly as a delimiter would. What tells them apart is the top that the lines of
/// a hierarchy share. Text without any of the four has one column; the answer then is a semicolon.
pub(super) fn detect(text: &str) -> u8 {
    let mut best = (DELIMITERS[0], 0);
    for delimiter in DELIMITERS {
        let fit = lines_alike(text, delimiter);
        if fit > best.1 {
            best = (delimiter, fit);
        }
    }
    best.0
}

/// How many lines have the usual number of cells, more than one, and the usual last cell.
fn lines_alike(text: &str, delimiter: u8) -> usize {
    let mut by_length: HashMap<usize, HashMap<String, usize>> = HashMap::new();
    let mut records = Records::new(text, delimiter);
    for _ in 0..LINES {
        let Some(record) = records.next() else { break };
        let mut cells = record.cells();
        let (length, top) = (cells.len(), cells.next_back().unwrap_or_default());
        *by_length.entry(length).or_default().entry(top.into_owned()).or_default() += 1;
    }
    let usual = by_length.iter().max_by_key(|(length, tops)| (tops.values().sum::<usize>(), **length));
    match usual {
        Some((length, tops)) if *length > 1 => tops.values().copied().max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_found() {
        for (text, expected) in [
            ("34;20-60;*\n66;61-99;*\n", ';'),
            ("34,20-60,*\n66,61-99,*", ','),
            ("34\t20-60\t*\r\n66\t61-99\t*\r\n", '\t'),
            ("34|20-60|*\n66|61-99|*\n", '|'),
            ("0;[0, 5);*\n5;[5, 10);*\n", ';'),
            ("0,\"[0, 5)\",*\n5,\"[5, 10)\",*\n", ','),
            ("a;{a, b, c, d};*\nb;{a, b, c, d};*\n", ';'),
            ("a;{a, b, c};*\ne;{e, f, g};*\n", ';'),
            ("a\tx;y\t*\nb\tu;v\t*\n", '\t'),
            ("1,5;1-2;*\n3,5;3-4;*\n", ';'),
            ("a;x;*\nb;x\nc;*\n", ';'),
            ("a;x\nb;y\n", ';'),
            ("a\nb\n", ';'),
            ("", ';'),
        ] {
            assert_eq!(detect(text) as char, expected, "{text:?}");
        }
    }
}
