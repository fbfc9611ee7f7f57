//! Identifiers that stand in several rows: the rows are not as many people.

use super::{Hint, hint};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// Identifiers that are followed at a time. Of more, a share is followed with all of their rows.
const FOLLOWED: usize = 1 << 20;

/// Counts the rows of the identifiers of one column, without keeping one of them.
#[derive(Debug)]
pub struct Repeats {
    name: String,
    /// Identifiers whose hash ends in this number of zeros are followed.
    zeros: u32,
    most: usize,
    rows: HashMap<u64, u64>,
}

/// What was found about a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Its name.
    pub column: String,
    /// Rows that have an identifier.
    pub rows: u64,
    /// Different identifiers.
    pub people: u64,
    /// Rows of the identifier that has most.
    pub most: u64,
    /// Whether the figures are exact; estimated else.
    pub exact: bool,
}

/// Whether a column may say whose row it is: one that the job drops as identifying, or that is called like it.
#[must_use]
pub fn may_repeat(name: &str, is_identifying: bool) -> bool {
    match hint(name) {
        Hint::Identifying(_) => true,
        Hint::FreeText => false,
        _ => is_identifying,
    }
}

impl Repeats {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(name: &str) -> Repeats {
        Repeats { name: name.to_owned(), zeros: 0, most: FOLLOWED, rows: HashMap::new() }
    }

    /// Takes a cell that is not missing.
    pub fn add(&mut self, cell: &str) {
        let mut hasher = DefaultHasher::new();
        hasher.write(cell.as_bytes());
        let hash = hasher.finish();
        if hash.trailing_zeros() < self.zeros {
            return;
        }
        *self.rows.entry(hash).or_insert(0) += 1;
        while self.rows.len() > self.most {
            self.zeros += 1;
            let zeros = self.zeros;
            self.rows.retain(|hash, _| hash.trailing_zeros() >= zeros);
        }
    }

    /// Whether two rows with the same cell are of one person: names may be shared, numbers are not.
    #[must_use]
    pub fn numbers_people(&self) -> bool {
        matches!(
            hint(&self.name),
            Hint::Identifying("a number of a person" | "a means of contact" | "an account")
        )
    }

    /// Whether the column numbers people, and no number stands in two of `rows` rows: every row is a person of its own, whatever other columns say.
    #[must_use]
    pub fn numbers_every_row(&self, rows: u64) -> bool {
        self.is_number() && self.zeros == 0 && rows > 0 && self.rows.len() as u64 == rows
    }

    /// The figures where some column gives every row a number of its own. Names say nothing then. A telephone may be shared by a few, so every
    /// third row at least must have that of another. Another number of people counts as ever: one may be that of a case.
    #[must_use]
    pub fn finish_beside_numbers(self) -> Option<Repeated> {
        let (is_number, numbers_people) = (self.is_number(), self.numbers_people());
        let repeats = |found: &Repeated| is_number || 2 * found.rows >= 3 * found.people;
        self.finish().filter(|found| numbers_people && repeats(found))
    }

    fn is_number(&self) -> bool {
        matches!(hint(&self.name), Hint::Identifying("a number of a person"))
    }

    /// The figures, where identifiers stand in several rows. Two people may share a name: where the column does not number people, every third
    /// row at least must have the identifier of another.
    #[must_use]
    pub fn finish(self) -> Option<Repeated> {
        let people = self.rows.len() as u64;
        let rows: u64 = self.rows.values().sum();
        let most = self.rows.values().copied().max().unwrap_or_default();
        let found = Repeated::of_counts(&self.name, rows, people, most)?;
        Some(Repeated {
            rows: rows << self.zeros,
            people: people << self.zeros,
            exact: self.zeros == 0,
            ..found
        })
    }
}

impl Repeated {
    /// The same from counts: rows with an identifier, different identifiers, and rows of the one that has most.
    #[must_use]
    pub fn of_counts(column: &str, rows: u64, people: u64, most: u64) -> Option<Repeated> {
        let numbers_people = matches!(
            hint(column),
            Hint::Identifying("a number of a person" | "a means of contact" | "an account")
        );
        let repeats = if numbers_people { rows > people } else { people > 1 && 2 * rows >= 3 * people };
        repeats.then(|| Repeated { rows, people, most, exact: true, column: column.to_owned() })
    }

    /// The figures as a sentence without its end.
    #[must_use]
    pub fn told(&self) -> String {
        let about = if self.exact { "" } else { "about " };
        format!(
            "{} stands in {about}{} rows for {about}{}, up to {} rows each",
            self.column,
            grouped(self.rows),
            match self.people {
                1 => "one person".to_owned(),
                people => format!("{} people", grouped(people)),
            },
            grouped(self.most)
        )
    }

    /// The warning for a job that does not say whose row it is.
    #[must_use]
    pub fn warning(&self) -> String {
        format!(
            "{}: rows are counted, not people, and a class of k rows may be one person. Write person = {:?} under [privacy]",
            self.told(),
            self.column
        )
    }
}

/// `13,294`
fn grouped(number: u64) -> String {
    paravent_core::words::grouped(number, ',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, cells: impl IntoIterator<Item = u32>) -> Option<Repeated> {
        let mut repeats = Repeats::new(name);
        cells.into_iter().for_each(|cell| repeats.add(&cell.to_string()));
        repeats.finish()
    }

    #[test]
    fn a_number_of_a_person_that_repeats_is_told() {
        let repeated = found("patient_id", (0..240).map(|row| row % 40)).unwrap();
        assert_eq!((repeated.rows, repeated.people, repeated.most, repeated.exact), (240, 40, 6, true));
        assert!(
            repeated.warning().starts_with("patient_id stands in 240 rows for 40 people, up to 6 rows each")
        );
        assert_eq!(found("patient_id", 0..100), None);
        assert!(found("patient_id", [1, 2, 3, 3]).is_some());
    }

    #[test]
    fn a_number_of_every_row_settles_it() {
        let repeats = |name: &str, cells: &[u32]| {
            let mut repeats = Repeats::new(name);
            cells.iter().for_each(|cell| repeats.add(&cell.to_string()));
            repeats
        };
        assert!(repeats("patient_id", &[1, 2, 3]).numbers_every_row(3));
        assert!(!repeats("patient_id", &[1, 2, 2]).numbers_every_row(3));
        assert!(!repeats("patient_id", &[1, 2]).numbers_every_row(3), "a row has none");
        assert!(!repeats("visit_no", &[1, 2, 3]).numbers_every_row(3), "visits are no people");
    }

    #[test]
    fn a_shared_telephone_is_no_person_where_rows_have_numbers() {
        let phones = |cells: &[u32]| {
            let mut repeats = Repeats::new("phone");
            cells.iter().for_each(|cell| repeats.add(&cell.to_string()));
            repeats
        };
        assert!(phones(&[1, 2, 3, 3]).finish().is_some());
        assert_eq!(phones(&[1, 2, 3, 3]).finish_beside_numbers(), None);
        // A number of every case, and the telephone of a person in each of them.
        assert!(phones(&[1, 1, 2, 2]).finish_beside_numbers().is_some());
        let mut patients = Repeats::new("patient_id");
        ["a", "b", "c", "c"].iter().for_each(|cell| patients.add(cell));
        assert!(patients.finish_beside_numbers().is_some());
    }

    #[test]
    fn figures_are_grouped() {
        let told = Repeated::of_counts("patient_id", 20_000, 1_234, 1_000).unwrap().told();
        assert_eq!(told, "patient_id stands in 20,000 rows for 1,234 people, up to 1,000 rows each");
    }

    #[test]
    fn people_may_share_a_name() {
        assert_eq!(found("name", [1, 2, 3, 4, 5, 5]), None);
        assert!(found("name", (0..90).map(|row| row % 30)).is_some());
        assert_eq!(found("constant", [7; 10]), None);
    }

    #[test]
    fn many_identifiers_are_estimated() {
        let mut repeats = Repeats { most: 100, ..Repeats::new("mrn") };
        (0..3).for_each(|_| (0..4000u32).for_each(|id| repeats.add(&id.to_string())));
        let found = repeats.finish().unwrap();
        assert!(!found.exact && found.most == 3);
        assert!((2000..8000).contains(&found.people), "{found:?}");
        assert_eq!(found.rows, 3 * found.people);
    }

    #[test]
    fn columns_are_asked_by_role_or_by_name() {
        assert!(may_repeat("patient_id", false) && may_repeat("x", true));
        assert!(!may_repeat("age", false) && !may_repeat("comment", true));
    }
}
