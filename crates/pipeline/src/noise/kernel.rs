//! A kernel as a table: a line per old value, a column per new one.
//!
//! ```text
//! from;f;m
//! f;0.9;0.1
//! m;0.2;0.8
//! ```
//!
//! What stands in the corner is not read. A text that means "missing" in the job (the empty one unless it says otherwise) stands for the missing value.

use paravent_job::{Job, KernelTable};
use paravent_noise::{Distribution, Ratio};
use std::path::Path;

/// The values, and the kernel over them.
pub(super) struct Kernel {
    pub(super) values: Vec<Option<String>>,
    pub(super) distribution: Distribution,
}

/// Reads the table from where it is.
pub(super) fn read(table: &KernelTable, job: Option<&Job>) -> Result<Kernel, String> {
    let missing = job.map_or_else(|| vec![String::new()], |job| job.input.null.clone());
    match table {
        KernelTable::Lines(lines) => of_lines(lines, &missing),
        KernelTable::File(file) => {
            let path = job.map_or_else(|| file.clone(), |job| job.resolve(file));
            of_lines(&file_lines(&path)?, &missing)
                .map_err(|problem| format!("{}: {problem}", path.display()))
        }
    }
}

fn file_lines(path: &Path) -> Result<Vec<Vec<String>>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b';', b'\t', b','].into_iter().find(|byte| first.as_bytes().contains(byte));
    let delimiter = char::from(delimiter.unwrap_or(b','));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    Ok(lines.map(|line| cells(line, delimiter)).collect())
}

/// The cells of a line; a cell in quotes may hold the delimiter, and two quotes for one.
fn cells(line: &str, delimiter: char) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut inside = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = cells.len() - 1;
        match character {
            '"' if inside && characters.peek() == Some(&'"') => {
                characters.next();
                cells[last].push('"');
            }
            '"' if inside || cells[last].trim().is_empty() => inside = !inside,
            other if other == delimiter && !inside => cells.push(String::new()),
            other => cells[last].push(other),
        }
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn of_lines(lines: &[Vec<String>], missing: &[String]) -> Result<Kernel, String> {
    let value = |text: &String| (!missing.contains(text)).then(|| text.clone());
    let Some((head, rows)) = lines.split_first().filter(|(head, _)| head.len() > 1) else {
        return Err("a kernel needs a line with the values and a line per value".to_owned());
    };
    let values: Vec<Option<String>> = head[1..].iter().map(value).collect();
    if (1..values.len()).any(|at| values[..at].contains(&values[at])) {
        return Err("line 1: a value stands there twice".to_owned());
    }
    let mut weights: Vec<Option<Vec<Ratio>>> = vec![None; values.len()];
    for (number, row) in (2..).zip(rows) {
        let from = row.first().map(value).unwrap_or_default();
        let Some(place) = values.iter().position(|value| *value == from) else {
            return Err(format!("line {number}: its value is not in line 1"));
        };
        if row.len() != head.len() {
            return Err(format!("line {number}: {} cells, but line 1 has {}", row.len(), head.len()));
        }
        let read = |(at, text): (usize, &String)| {
            Ratio::parse(text).map_err(|error| format!("line {number}, cell {}: {error}", at + 2))
        };
        let row: Vec<Ratio> = row[1..].iter().enumerate().map(read).collect::<Result<_, _>>()?;
        let sum: Ratio = row.iter().sum();
        if sum != Ratio::one() {
            return Err(format!("line {number}: the probabilities sum to {sum}, not to 1"));
        }
        if weights[place].replace(row).is_some() {
            return Err(format!("line {number}: its value had a line before"));
        }
    }
    let weights: Option<Vec<Vec<Ratio>>> = weights.into_iter().collect();
    let Some(weights) = weights else {
        return Err("a value of line 1 has no line of its own".to_owned());
    };
    let distribution = Distribution::kernel(weights).map_err(|error| error.to_string())?;
    Ok(Kernel { values, distribution })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(text: &str) -> Result<Kernel, String> {
        let lines: Vec<Vec<String>> =
            text.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
        of_lines(&lines, &[String::new()])
    }

    #[test]
    fn lines_may_stand_in_any_order_and_missing_is_a_value() {
        let kernel = kernel("from;f;m;\nm;0.1;0.8;0.1\n;1/3;1/3;1/3\nf;0.9;0.1;0").unwrap();
        assert_eq!(kernel.values, [Some("f".to_owned()), Some("m".to_owned()), None]);
        assert_eq!(kernel.distribution.probability(1, 1).to_string(), "0.8");
        assert_eq!(kernel.distribution.probability(2, 0).to_string(), "1/3");
    }

    #[test]
    fn a_file_may_have_quotes() {
        assert_eq!(cells("from;\"a;b\";\"it \"\"is\"\"\"; c ", ';'), ["from", "a;b", "it \"is\"", "c"]);
        assert_eq!(cells("\"\",0.5", ','), ["", "0.5"]);
    }

    #[test]
    fn what_is_no_kernel_is_refused_with_its_line() {
        for (text, told) in [
            ("", "needs a line"),
            ("from;f;f\nf;1;0", "twice"),
            ("from;f;m\nf;0.9;0.1", "no line of its own"),
            ("from;f;m\nf;0.9;0.1\nf;0.9;0.1", "line 3"),
            ("from;f;m\nf;0.9;0.2\nm;0;1", "line 2: the probabilities sum to 1.1, not to 1"),
            ("from;f;m\nf;0.9;0.1\nm;0.1", "line 3: 2 cells"),
            ("from;f;m\nf;0.9;x\nm;0;1", "line 2, cell 3"),
            ("from;f;m\nf;1.5;-0.5\nm;0;1", "line 2, cell 3"),
            ("from;f;m\nx;0.9;0.1\nm;0;1", "not in line 1"),
        ] {
            let problem = kernel(text).err().unwrap();
            assert!(problem.contains(told), "{text}: {problem}");
        }
    }
}
