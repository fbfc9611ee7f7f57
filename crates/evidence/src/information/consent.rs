//! How much of what is used do people agree to?
//!
//! A consent covers a person, a purpose, a span of days, and some columns or all. A cell is covered when a consent of its person covers
//! the purpose, the day and the column; a row when all its used cells are; a person when all their rows are. The measure is the share
//! of each that is covered. It says nothing about other legal grounds.

use serde::Serialize;

/// One consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent<'a> {
    /// Whose.
    pub person: &'a str,
    /// For what.
    pub purpose: &'a str,
    /// First day, as `2024-03-09`; days of this form sort as texts.
    pub from: Option<&'a str>,
    /// Last day.
    pub until: Option<&'a str>,
    /// The column; `None`: all.
    pub column: Option<&'a str>,
}

/// How much is covered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// People in the table.
    pub people: u64,
    /// People all of whose cells are covered.
    pub people_covered: u64,
    /// Rows.
    pub rows: u64,
    /// Rows all of whose cells are covered.
    pub rows_covered: u64,
    /// Used cells that are not empty.
    pub cells: u64,
    /// Of these, covered.
    pub cells_covered: u64,
    /// By column: its covered cells and its cells.
    pub columns: Vec<(String, u64, u64)>,
}

/// What the table uses.
#[derive(Debug, Clone)]
pub struct Use<'a> {
    /// By row: whose it is; `None` belongs to nobody and is never covered.
    pub persons: Vec<Option<&'a str>>,
    /// By column: its name, and by row whether the cell is there.
    pub columns: Vec<(&'a str, Vec<bool>)>,
    /// For what it is used.
    pub purpose: &'a str,
    /// When, as `2024-03-09`.
    pub day: &'a str,
}

/// Measures.
#[must_use]
pub fn coverage(used: &Use<'_>, consents: &[Consent<'_>]) -> Coverage {
    use std::collections::{BTreeMap, BTreeSet};
    let applies = |consent: &&Consent<'_>| {
        consent.purpose == used.purpose
            && consent.from.is_none_or(|from| from <= used.day)
            && consent.until.is_none_or(|until| used.day <= until)
    };
    // By person: all columns, or these.
    let mut agreed: BTreeMap<&str, (bool, BTreeSet<&str>)> = BTreeMap::new();
    for consent in consents.iter().filter(applies) {
        let entry = agreed.entry(consent.person).or_default();
        match consent.column {
            None => entry.0 = true,
            Some(column) => {
                entry.1.insert(column);
            }
        }
    }
    let covers = |person: Option<&str>, column: &str| {
        person.and_then(|person| agreed.get(person)).is_some_and(|(all, some)| *all || some.contains(column))
    };
    let mut columns: Vec<(String, u64, u64)> =
        used.columns.iter().map(|(name, _)| ((*name).to_owned(), 0, 0)).collect();
    let mut people: BTreeMap<Option<&str>, bool> = BTreeMap::new();
    let mut rows_covered = 0;
    for (row, &person) in used.persons.iter().enumerate() {
        let mut all = person.is_some_and(|person| agreed.contains_key(person));
        for ((name, cells), counts) in used.columns.iter().zip(&mut columns) {
            if cells[row] {
                let covered = covers(person, name);
                counts.1 += u64::from(covered);
                counts.2 += 1;
                all &= covered;
            }
        }
        rows_covered += u64::from(all);
        *people.entry(person).or_insert(true) &= all;
    }
    Coverage {
        people: people.len() as u64,
        people_covered: people.values().filter(|covered| **covered).count() as u64,
        rows: used.persons.len() as u64,
        rows_covered,
        cells: columns.iter().map(|column| column.2).sum(),
        cells_covered: columns.iter().map(|column| column.1).sum(),
        columns,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consent<'a>(
        person: &'a str,
        purpose: &'a str,
        until: Option<&'a str>,
        column: Option<&'a str>,
    ) -> Consent<'a> {
        Consent { person, purpose, from: Some("2024-01-01"), until, column }
    }

    #[test]
    fn a_consent_covers_its_purpose_its_time_and_its_columns() {
        let used = Use {
            persons: vec![Some("ann"), Some("ann"), Some("bob"), Some("cem"), None],
            columns: vec![("age", vec![true; 5]), ("illness", vec![true, true, true, false, true])],
            purpose: "research",
            day: "2024-06-30",
        };
        let consents = [
            consent("ann", "research", None, None),
            consent("bob", "research", Some("2024-03-31"), None),
            consent("bob", "billing", None, None),
            consent("cem", "research", Some("2024-12-31"), Some("age")),
        ];
        let found = coverage(&used, &consents);
        assert_eq!(
            (found.people, found.people_covered),
            (4, 2),
            "bob's has ended; cem has no illness to cover"
        );
        assert_eq!((found.rows, found.rows_covered), (5, 3));
        assert_eq!((found.cells, found.cells_covered), (9, 5));
        assert_eq!(found.columns, [("age".to_owned(), 3, 5), ("illness".to_owned(), 2, 4)]);
        let early = Use { day: "2024-03-31", ..used };
        assert_eq!(coverage(&early, &consents).people_covered, 3, "the last day counts");
    }
}
