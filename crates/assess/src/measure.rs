//! Small tables of probabilities, read for the measures in bits.

use super::LoadError;
use paravent_core::values::ValueType;
use paravent_evidence::information::trips::Observation;
use paravent_evidence::information::unlinkability::Partition;
use paravent_tables::read::{Batch, Input, ReadOptions};
use std::path::Path;

/// A table of probabilities with a name for every row and column.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    /// Names of the rows: the first column.
    pub rows: Vec<String>,
    /// Names of the other columns.
    pub columns: Vec<String>,
    /// By row and column.
    pub values: Vec<Vec<f64>>,
}

/// Reads a matrix: a header, then lines of a name and numbers (`0.25` or `1/4`).
pub fn read_matrix(path: &Path) -> Result<Matrix, LoadError> {
    let (mut columns, lines) = read_lines(path)?;
    columns.remove(0);
    let mut matrix = Matrix { rows: Vec::new(), columns, values: Vec::new() };
    for Line { place, mut cells } in lines {
        let name = cells.remove(0);
        let mut values = Vec::new();
        for (cell, column) in cells.iter().zip(&matrix.columns) {
            let not_a_number =
                || garbled(path, format!("{place}, column {column}: not a number; write 0.25 or 1/4"));
            values.push(number(cell).ok_or_else(not_a_number)?);
        }
        if matrix.rows.contains(&name) {
            return Err(garbled(path, format!("{place}: this row was named before")));
        }
        matrix.rows.push(name);
        matrix.values.push(values);
    }
    Ok(matrix)
}

/// What is known about each individual, in the order of the starts: `starts` has a row per individual and a column per origin,
/// `trips` a row per origin and a column per destination, `arrivals` a row per destination and a column per individual.
pub fn observations(
    starts: &Path,
    trips: &Path,
    arrivals: &Path,
) -> Result<Vec<(String, Observation)>, LoadError> {
    let (starts_at, trips_at, arrivals_at) = (starts, trips, arrivals);
    let (starts, trips, arrivals) = (read_matrix(starts)?, read_matrix(trips)?, read_matrix(arrivals)?);
    let same = |path: &Path, found: &[String], wanted: &[String], what: &str, of: &Path| {
        let fault =
            || garbled(path, format!("its {what} are not those of {}, in the same order", of.display()));
        if found == wanted { Ok(()) } else { Err(fault()) }
    };
    same(trips_at, &trips.rows, &starts.columns, "rows (origins)", starts_at)?;
    same(arrivals_at, &arrivals.rows, &trips.columns, "rows (destinations)", trips_at)?;
    same(arrivals_at, &arrivals.columns, &starts.rows, "columns (individuals)", starts_at)?;
    for (destination, row) in arrivals.rows.iter().zip(&arrivals.values) {
        let sum: f64 = row.iter().sum();
        if sum > 1.0 + 1e-6 {
            let fault = format!(
                "row {destination}: the probabilities sum to {sum}, but somebody who arrives is one individual only"
            );
            return Err(garbled(arrivals_at, fault));
        }
    }
    let individual = |(position, name): (usize, &String)| {
        let observation = Observation {
            starts: starts.values[position].clone(),
            trips: trips.values.clone(),
            arrivals: arrivals.values.iter().map(|row| row[position]).collect(),
        };
        (name.clone(), observation)
    };
    Ok(starts.rows.iter().enumerate().map(individual).collect())
}

/// Reads ways to put items into groups, with their probabilities: `a b|c, 0.2` has `a` and `b` together and `c` alone.
pub fn read_groupings(path: &Path) -> Result<Vec<(Partition, f64)>, LoadError> {
    let (columns, lines) = read_lines(path)?;
    if columns.len() != 2 {
        return Err(garbled(path, "two columns are wanted: grouping and probability".to_owned()));
    }
    let mut items: Option<Vec<String>> = None;
    let mut found = Vec::new();
    for Line { place, cells } in lines {
        let mut group_of: Vec<(String, usize)> = Vec::new();
        for (group, names) in cells[0].split('|').enumerate() {
            group_of.extend(names.split_whitespace().map(|name| (name.to_owned(), group)));
        }
        group_of.sort();
        let names: Vec<String> = group_of.iter().map(|(name, _)| name.clone()).collect();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(garbled(path, format!("{place}: an item is in two groups")));
        }
        if *items.get_or_insert_with(|| names.clone()) != names {
            return Err(garbled(path, format!("{place}: not the items of the first line")));
        }
        let probability = number(&cells[1])
            .ok_or_else(|| garbled(path, format!("{place}: the probability is not a number")))?;
        let groups: Vec<usize> = group_of.into_iter().map(|(_, group)| group).collect();
        found.push((Partition::of(&groups), probability));
    }
    Ok(found)
}

/// Reads ways to say which user did which action: groupings in which every group has one of these users.
pub fn read_assignments(path: &Path, users: &[String]) -> Result<Vec<(Vec<usize>, f64)>, LoadError> {
    let (columns, lines) = read_lines(path)?;
    if columns.len() != 2 {
        return Err(garbled(path, "two columns are wanted: grouping and probability".to_owned()));
    }
    let mut known: Option<Vec<String>> = None;
    let mut found = Vec::new();
    for Line { place, cells } in lines {
        let mut user_of: Vec<(String, usize)> = Vec::new();
        for group in cells[0].split('|') {
            let names: Vec<&str> = group.split_whitespace().collect();
            let mut own = names.iter().filter_map(|name| users.iter().position(|user| user == name));
            let (Some(user), None) = (own.next(), own.next()) else {
                return Err(garbled(
                    path,
                    format!("{place}: every group must have exactly one of the users"),
                ));
            };
            let actions = names.iter().filter(|name| users.iter().all(|user| user != *name));
            user_of.extend(actions.map(|name| ((*name).to_owned(), user)));
        }
        user_of.sort();
        let names: Vec<String> = user_of.iter().map(|(name, _)| name.clone()).collect();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(garbled(path, format!("{place}: an action has two users")));
        }
        if *known.get_or_insert_with(|| names.clone()) != names {
            return Err(garbled(path, format!("{place}: not the actions of the first line")));
        }
        let probability = number(&cells[1])
            .ok_or_else(|| garbled(path, format!("{place}: the probability is not a number")))?;
        found.push((user_of.into_iter().map(|(_, user)| user).collect(), probability));
    }
    Ok(found)
}

/// Reads probabilities of values: two columns, value and probability.
pub fn read_prior(path: &Path) -> Result<Vec<(String, f64)>, LoadError> {
    let (columns, lines) = read_lines(path)?;
    if columns.len() != 2 {
        return Err(garbled(path, "two columns are wanted: value and probability".to_owned()));
    }
    let mut found = Vec::new();
    for Line { place, mut cells } in lines {
        let probability = number(&cells[1])
            .ok_or_else(|| garbled(path, format!("{place}: the probability is not a number")))?;
        found.push((cells.swap_remove(0), probability));
    }
    Ok(found)
}

/// One line of a table of consents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentLine {
    /// Whose.
    pub person: String,
    /// For what.
    pub purpose: String,
    /// First day.
    pub from: Option<String>,
    /// Last day.
    pub until: Option<String>,
    /// The column; `None`: all.
    pub column: Option<String>,
}

/// Reads consents: the columns person and purpose, and where wanted from, until and column.
pub fn read_consents(path: &Path) -> Result<Vec<ConsentLine>, LoadError> {
    let (columns, lines) = read_lines(path)?;
    let place_of = |name: &str| columns.iter().position(|column| column.eq_ignore_ascii_case(name));
    let (Some(person), Some(purpose)) = (place_of("person"), place_of("purpose")) else {
        let wanted = "the columns person and purpose are wanted; from, until and column may be there as well";
        return Err(garbled(path, wanted.to_owned()));
    };
    let (from, until, column) = (place_of("from"), place_of("until"), place_of("column"));
    let mut found = Vec::new();
    for Line { place, cells } in lines {
        let text = |at: Option<usize>| at.map(|at| cells[at].clone()).filter(|text| !text.is_empty());
        let day = |at: Option<usize>| match text(at) {
            Some(text) if !ValueType::Date.accepts(&text) => {
                Err(garbled(path, format!("{place}: a day is written as 2024-03-09")))
            }
            text => Ok(text.map(|text| ValueType::Date.canonical(&text).into_owned())),
        };
        found.push(ConsentLine {
            person: cells[person].clone(),
            purpose: cells[purpose].clone(),
            from: day(from)?,
            until: day(until)?,
            column: text(column),
        });
    }
    Ok(found)
}

/// `0.25` or `1/4`.
pub fn number(text: &str) -> Option<f64> {
    let value = match text.split_once('/') {
        Some((part, whole)) => part.trim().parse::<f64>().ok()? / whole.trim().parse::<f64>().ok()?,
        None => text.trim().parse().ok()?,
    };
    value.is_finite().then_some(value)
}

struct Line {
    place: String,
    cells: Vec<String>,
}

fn read_lines(path: &Path) -> Result<(Vec<String>, Vec<Line>), LoadError> {
    let mut source = Input::new(ReadOptions::new(path))?.open()?;
    let columns = source.columns().to_vec();
    let mut lines = Vec::new();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        for row in 0..batch.rows {
            let place = match batch.line(row) {
                Some(line) => format!("line {line}"),
                None => format!("row {}", batch.first_row + row as u64),
            };
            let cells =
                batch.columns.iter().map(|column| column.get(row).unwrap_or_default().to_owned()).collect();
            lines.push(Line { place, cells });
        }
    }
    Ok((columns, lines))
}

fn garbled(path: &Path, what: String) -> LoadError {
    LoadError::Garbled { path: path.to_owned(), what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(folder: &tempfile::TempDir, name: &str, text: &str) -> std::path::PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn three_tables_make_an_observation() {
        let folder = tempfile::tempdir().unwrap();
        let starts = write(&folder, "io.csv", "who,home,work\nann,0.4,2/5\n");
        let trips = write(&folder, "od.csv", "from,shop,gym\nhome,0.5,0.5\nwork,1/4,3/4\n");
        let arrivals = write(&folder, "di.csv", "to,ann\nshop,0.5\ngym,1\n");
        let found = observations(&starts, &trips, &arrivals).unwrap();
        assert_eq!((found[0].0.as_str(), &found[0].1.starts[..]), ("ann", &[0.4, 0.4][..]));
        assert_eq!(
            (&found[0].1.trips[1][..], &found[0].1.arrivals[..]),
            (&[0.25, 0.75][..], &[0.5, 1.0][..])
        );
        let other = write(&folder, "di.csv", "to,bob\nshop,0.5\ngym,1\n");
        assert!(
            observations(&starts, &trips, &other).unwrap_err().to_string().contains("columns (individuals)")
        );
        let two = write(&folder, "io2.csv", "who,home,work\nann,0.4,2/5\nbob,0.4,2/5\n");
        let both = write(&folder, "di.csv", "to,ann,bob\nshop,0.5,0.5\ngym,0.7,0.7\n");
        let refused = observations(&two, &trips, &both).unwrap_err().to_string();
        assert!(refused.contains("row gym") && refused.contains("1.4"), "{refused}");
        let odd = write(&folder, "od.csv", "from,shop,gym\nhome,0.5,x\nwork,1/4,3/4\n");
        let error = read_matrix(&odd).unwrap_err().to_string();
        assert!(error.contains("line 2, column gym"), "{error}");
    }

    #[test]
    fn groupings_do_not_depend_on_how_they_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = write(&folder, "g.csv", "grouping,probability\na b|c,0.5\nc|b|a,0.5\n");
        let found = read_groupings(&path).unwrap();
        assert_eq!(found[0].0, Partition::of(&[1, 1, 2]));
        assert_eq!(found[1].0, Partition::of(&[1, 2, 3]));
        for text in [
            "grouping,p\na b|a,1\n",
            "grouping,p\na b|c,1\na b,0\n",
            "grouping,p\na,often\n",
            "grouping\na\n",
        ] {
            assert!(read_groupings(&write(&folder, "g.csv", text)).is_err(), "{text}");
        }
    }

    #[test]
    fn assignments_and_consents_are_read_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let users = ["u1", "u2"].map(str::to_owned);
        let path = write(&folder, "a.csv", "grouping,p\nu1 x|u2 y,0.5\nu2 x|u1 y,0.5\n");
        assert_eq!(read_assignments(&path, &users).unwrap(), [(vec![0, 1], 0.5), (vec![1, 0], 0.5)]);
        let path = write(&folder, "a.csv", "grouping,p\nu1 u2 x|y,1\n");
        assert!(
            read_assignments(&path, &users).unwrap_err().to_string().contains("exactly one of the users")
        );
        let path = write(&folder, "c.csv", "person,purpose,until\nann,research,31.12.2024\nbob,research,\n");
        let found = read_consents(&path).unwrap();
        assert_eq!((found[0].until.as_deref(), found[1].until.as_deref()), (Some("2024-12-31"), None));
        let path = write(&folder, "c.csv", "person,purpose,until\nann,research,soon\n");
        assert!(read_consents(&path).unwrap_err().to_string().contains("line 2"));
        let path = write(&folder, "p.csv", "value,probability\nflu,1/4\nhiv,0.75\n");
        assert_eq!(read_prior(&path).unwrap(), [("flu".to_owned(), 0.25), ("hiv".to_owned(), 0.75)]);
    }

    #[test]
    fn numbers_are_decimals_or_fractions() {
        assert_eq!(
            (number("0.25"), number(" 1/4 "), number("1/0"), number("x"), number("nan")),
            (Some(0.25), Some(0.25), None, None, None)
        );
    }
}
