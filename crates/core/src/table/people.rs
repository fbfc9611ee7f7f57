//! Whose rows the tuples are.

use super::{ColumnCodes, FrequencyTable, TableError};

/// Which people have a row with which tuple, and the sensitive values they show there.
///
/// A *presence* is a person together with a tuple that the person has a row with; several rows of a person with the same tuple are one
/// presence. Class sizes in people are not sums over tuples, since a person may be present in several: they are counted from these lists.
#[derive(Debug, Clone)]
pub struct People {
    /// Person `p` has the presences `starts[p]..starts[p + 1]`.
    starts: Vec<u32>,
    /// By presence: the tuple. Ascending for each person.
    tuples: Vec<u32>,
    /// By sensitive column: the values of each presence.
    values: Vec<PresenceValues>,
    /// By sensitive column: a code that is no value, so that nobody stands for it.
    missing: Vec<Option<u32>>,
    /// The tuples with their presences for rows. Its class sizes are never below the number of people in the class.
    presences: FrequencyTable,
    /// Tuples of the person that is present in most of them.
    most_tuples: u32,
}

/// The values of one sensitive column that each presence shows, each once.
#[derive(Debug, Clone)]
struct PresenceValues {
    cardinality: usize,
    starts: Vec<u32>,
    codes: Vec<u32>,
}

/// Why lists of rows do not say whose rows the tuples are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeopleError {
    /// The lists differ in length, or name a tuple or a value that does not exist.
    #[error("the lists of people, tuples and values do not fit each other")]
    Ragged,
    /// A tuple of the table belongs to nobody.
    #[error("tuple {tuple} has rows, but nobody has them")]
    Nobody {
        /// Position of the tuple.
        tuple: usize,
    },
    /// The counts are no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl People {
    /// From one entry per row, or per different (person, tuple, values), in any order: the person, the tuple's position in `table`, and
    /// the value of each sensitive column, whose numbers of values are `cardinalities`. People are numbers, not necessarily dense.
    pub fn new(
        table: &FrequencyTable,
        persons: &[u32],
        tuples: &[u32],
        values: &[Vec<u32>],
        cardinalities: &[usize],
    ) -> Result<People, PeopleError> {
        let fits = persons.len() == tuples.len()
            && values.len() == cardinalities.len()
            && values.iter().all(|column| column.len() == persons.len())
            && tuples.iter().all(|&tuple| (tuple as usize) < table.tuple_count())
            && (values.iter().zip(cardinalities))
                .all(|(column, &cardinality)| column.iter().all(|&code| (code as usize) < cardinality));
        if !fits || u32::try_from(persons.len()).is_err() {
            return Err(PeopleError::Ragged);
        }
        let mut order: Vec<u32> = (0..persons.len() as u32).collect();
        order.sort_unstable_by_key(|&entry| (persons[entry as usize], tuples[entry as usize]));
        let mut people = People {
            starts: Vec::new(),
            tuples: Vec::new(),
            values: cardinalities.iter().map(|&cardinality| PresenceValues::empty(cardinality)).collect(),
            missing: vec![None; cardinalities.len()],
            presences: table.clone(),
            most_tuples: 0,
        };
        let (mut last_person, mut last_tuple) = (None, None);
        for &entry in &order {
            let (person, tuple) = (persons[entry as usize], tuples[entry as usize]);
            if last_person != Some(person) {
                people.starts.push(people.tuples.len() as u32);
                (last_person, last_tuple) = (Some(person), None);
            }
            if last_tuple != Some(tuple) {
                people.tuples.push(tuple);
                people.values.iter_mut().for_each(PresenceValues::begin);
                last_tuple = Some(tuple);
            }
            for (column, codes) in people.values.iter_mut().zip(values) {
                column.add(codes[entry as usize]);
            }
        }
        people.starts.push(people.tuples.len() as u32);
        people.values.iter_mut().for_each(PresenceValues::begin);
        let most = people.starts.windows(2).map(|person| person[1] - person[0]).max();
        people.most_tuples = most.unwrap_or(0);
        people.presences = people.count_presences(table)?;
        Ok(people)
    }

    fn count_presences(&self, table: &FrequencyTable) -> Result<FrequencyTable, PeopleError> {
        let mut present = vec![0u32; table.tuple_count()];
        self.tuples.iter().for_each(|&tuple| present[tuple as usize] += 1);
        let nobody = present.iter().zip(table.rows()).position(|(&present, &rows)| present == 0 && rows > 0);
        if let Some(tuple) = nobody {
            return Err(PeopleError::Nobody { tuple });
        }
        let columns: Vec<ColumnCodes> =
            (0..table.column_count()).map(|column| table.column(column).clone()).collect();
        Ok(FrequencyTable::new(columns, present, None, Vec::new())?)
    }

    /// The same people, where a code of a sensitive column means that there is no value.
    pub fn with_missing(mut self, column: usize, code: u32) -> People {
        self.missing[column] = Some(code);
        self
    }

    /// The code of a sensitive column that is no value.
    pub(crate) fn missing(&self, column: usize) -> Option<u32> {
        self.missing[column]
    }

    /// Number of people.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tuples of every presence, person by person.
    pub fn each(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.starts.windows(2).map(|person| &self.tuples[person[0] as usize..person[1] as usize])
    }

    /// How many people show each value of a sensitive column, each person once per value.
    pub fn totals(&self, column: usize) -> Vec<u64> {
        let mut totals = vec![0u64; self.values[column].cardinality];
        let mut seen_by = vec![u32::MAX; self.values[column].cardinality];
        for (person, presences) in (0u32..).zip(self.starts.windows(2)) {
            for presence in presences[0]..presences[1] {
                for &code in self.values[column].of(presence) {
                    if std::mem::replace(&mut seen_by[code as usize], person) != person {
                        totals[code as usize] += 1;
                    }
                }
            }
        }
        totals
    }

    /// Number of sensitive columns whose values are known.
    pub fn sensitive_columns(&self) -> usize {
        self.values.len()
    }

    /// Number of values of each sensitive column.
    pub(crate) fn cardinalities(&self) -> impl Iterator<Item = usize> + '_ {
        self.values.iter().map(|column| column.cardinality)
    }

    /// The first presence of every person, and the number of presences.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// By presence: the tuple.
    pub(crate) fn tuples(&self) -> &[u32] {
        &self.tuples
    }

    /// The values of a sensitive column that a presence shows.
    pub(crate) fn values(&self, column: usize, presence: u32) -> &[u32] {
        self.values[column].of(presence)
    }

    /// The tuples with their presences for rows: class sizes under it are upper bounds of the people in a class.
    pub(crate) fn presences(&self) -> &FrequencyTable {
        &self.presences
    }

    /// The largest number of presences in classes that are left out from which it does not yet follow that more than `limit` people
    /// lose a row.
    ///
    /// Of `s` presences a person has at most [`most_tuples`](Self::most_tuples), so at least `s / most_tuples` people are concerned;
    /// and at least `s − e`, where `e` counts all presences of all people beyond their first.
    pub(crate) fn presences_within(&self, limit: u64) -> u64 {
        let beyond_the_first = (self.tuples.len() - self.len()) as u64;
        let by_share = limit.saturating_mul(u64::from(self.most_tuples.max(1)));
        by_share.min(limit.saturating_add(beyond_the_first))
    }
}

impl PresenceValues {
    fn empty(cardinality: usize) -> PresenceValues {
        PresenceValues { cardinality, starts: Vec::new(), codes: Vec::new() }
    }

    /// The next presence, or the end.
    fn begin(&mut self) {
        self.starts.push(self.codes.len() as u32);
    }

    fn add(&mut self, code: u32) {
        let start = self.starts.last().map_or(0, |&start| start as usize);
        if !self.codes[start..].contains(&code) {
            self.codes.push(code);
        }
    }

    fn of(&self, presence: u32) -> &[u32] {
        let at = presence as usize;
        &self.codes[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: Vec<u32>) -> FrequencyTable {
        FrequencyTable::new(vec![(0..rows.len() as u32).collect::<Vec<u32>>()], rows, None, Vec::new())
            .unwrap()
    }

    #[test]
    fn several_rows_of_a_person_with_a_tuple_are_one_presence() {
        let table = table(vec![3, 2]);
        let people =
            People::new(&table, &[9, 4, 9, 9, 4], &[0, 1, 0, 1, 0], &[vec![0, 1, 0, 1, 1]], &[2]).unwrap();
        assert_eq!(people.len(), 2);
        assert_eq!(people.each().collect::<Vec<_>>(), [&[0, 1], &[0, 1]]);
        assert_eq!(people.presences().rows(), [2, 2]);
        // Person 4 shows value 1 only; person 9 shows both.
        assert_eq!(people.totals(0), [1, 2]);
    }

    #[test]
    fn presences_bound_the_people_who_lose_a_row() {
        let table = table(vec![2, 2, 1]);
        let people = People::new(&table, &[0, 0, 1, 1, 2], &[0, 1, 0, 1, 2], &[], &[]).unwrap();
        // Nobody may lose a row: one presence is too many.
        assert_eq!(people.presences_within(0), 0);
        // One person: the two presences of one of the first two.
        assert_eq!(people.presences_within(1), 2);
        assert_eq!(people.presences_within(2), 4);
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let one = table(vec![1]);
        assert_eq!(People::new(&one, &[0], &[1], &[], &[]).unwrap_err(), PeopleError::Ragged);
        assert_eq!(People::new(&one, &[0], &[0], &[vec![2]], &[2]).unwrap_err(), PeopleError::Ragged);
        assert_eq!(
            People::new(&table(vec![1, 1]), &[0], &[0], &[], &[]).unwrap_err(),
            PeopleError::Nobody { tuple: 1 }
        );
    }
}
