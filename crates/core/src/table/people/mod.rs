//! Whose rows the tuples are.

mod presences;

use super::{ColumnCodes, FrequencyTable, TableError};
use presences::{Presences, by_person_and_tuple};

/// Which people have a row with which tuple, and the sensitive values they show there.
///
/// A *presence* is a person together with a tuple that the person has a row with; several rows of a person with the same tuple are one
/// presence. Class sizes in people are not sums over tuples, since a person may be present in several: they are counted from these lists.
#[derive(Debug, Clone)]
pub struct People {
    present: Presences,
    /// By sensitive column: the values of each presence.
    values: Vec<PresenceValues>,
    /// The tuples with their presences for rows. Its class sizes are never below the number of people in the class.
    presences: FrequencyTable,
    /// Tuples of the person that is present in most of them.
    most_tuples: u32,
    /// Rows of all people.
    rows: u64,
    /// By presence: the person.
    person_of: Vec<u32>,
    /// The presences by tuple; tuple `t` has `by_tuple[tuple_starts[t]..tuple_starts[t + 1]]`.
    by_tuple: Vec<u32>,
    tuple_starts: Vec<u32>,
    /// Among whom the people could be, where that is known.
    population: Option<Presences>,
    person_rows: PersonRows,
}

/// What becomes of the other rows of a person who loses one, and which rows are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PersonRows {
    /// Rows are kept or left out class by class: a person may keep some and lose others.
    #[default]
    Apart,
    /// Whoever loses a row loses all of them.
    ///
    /// What stays is the largest set of people in whose rows every class holds. It is unique where more people never hurt
    /// ([`Criteria::more_people_never_hurt`](crate::criteria::Criteria::more_people_never_hurt)): then the union of two such sets is one, too.
    Together,
    /// Rows are alike if their quasi-identifiers are, and all rows of their owners as well.
    ///
    /// Two people are alike if the bags of their generalized rows are equal. A class is a row of people who are alike, and people who are
    /// alike are kept or left out together. For tables in which somebody may know several rows of a person.
    Set,
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
    /// A tuple has more or fewer rows than people have with it.
    #[error("tuple {tuple} has other rows than its people")]
    Rows {
        /// Position of the tuple.
        tuple: usize,
    },
    /// Somebody has a row that the population does not know.
    #[error("tuple {tuple}: somebody has it in the table and not in the population")]
    NotInPopulation {
        /// Position of the tuple.
        tuple: usize,
    },
    /// The counts are no table.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl People {
    /// From one entry per row, in any order: the person, the tuple's position in `table`, and the value of each sensitive column, whose
    /// numbers of values are `cardinalities`. People are numbers, not necessarily dense.
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
        let order = by_person_and_tuple(persons, tuples);
        let present = Presences::new(persons, tuples, &order);
        let counted = present.rows_of_tuples(table.tuple_count());
        if let Some(tuple) = counted.iter().zip(table.rows()).position(|(counted, rows)| counted != rows) {
            return Err(PeopleError::Rows { tuple });
        }
        let values = values
            .iter()
            .zip(cardinalities)
            .map(|(codes, &cardinality)| PresenceValues::new(&present, &order, codes, cardinality))
            .collect();
        People::assembled(present, values, table)
    }

    /// People by their presences and what they show there.
    fn assembled(
        present: Presences,
        values: Vec<PresenceValues>,
        table: &FrequencyTable,
    ) -> Result<People, PeopleError> {
        let most = present.starts.windows(2).map(|person| person[1] - person[0]).max();
        let (by_tuple, tuple_starts) = present.by_tuple(table.tuple_count());
        Ok(People {
            person_of: present.person_of(),
            by_tuple,
            tuple_starts,
            values,
            presences: count_presences(&present, table)?,
            most_tuples: most.unwrap_or(0),
            rows: present.rows.iter().map(|&rows| u64::from(rows)).sum(),
            population: None,
            person_rows: PersonRows::Apart,
            present,
        })
    }

    /// The people who have rows with some of the tuples, and these rows alone. `table` has these tuples, in the same order. No
    /// population is known of them.
    pub(crate) fn among(&self, tuples: &[u32], table: &FrequencyTable) -> Result<People, PeopleError> {
        let mut place = vec![u32::MAX; self.presences.tuple_count()];
        (0u32..).zip(tuples).for_each(|(new, &tuple)| place[tuple as usize] = new);
        let mut present = Presences::default();
        let none = |column: &PresenceValues| PresenceValues {
            cardinality: column.cardinality,
            starts: Vec::new(),
            codes: Vec::new(),
        };
        let mut values: Vec<PresenceValues> = self.values.iter().map(none).collect();
        for (&number, own) in self.present.numbers.iter().zip(self.present.starts.windows(2)) {
            let start = present.tuples.len();
            for presence in own[0]..own[1] {
                let tuple = place[self.present.tuples[presence as usize] as usize];
                if tuple == u32::MAX {
                    continue;
                }
                present.tuples.push(tuple);
                present.rows.push(self.present.rows[presence as usize]);
                for (kept, all) in values.iter_mut().zip(&self.values) {
                    kept.starts.push(kept.codes.len() as u32);
                    kept.codes.extend_from_slice(all.of(presence));
                }
            }
            if present.tuples.len() > start {
                present.numbers.push(number);
                present.starts.push(start as u32);
            }
        }
        present.starts.push(present.tuples.len() as u32);
        values.iter_mut().for_each(|kept| kept.starts.push(kept.codes.len() as u32));
        Ok(People { person_rows: self.person_rows, ..People::assembled(present, values, table)? })
    }

    /// The same people and all among whom they could be: one entry per row of the population, in any order. Numbers of people mean the
    /// same as in [`new`](Self::new); everybody must be in the population with each of his tuples.
    pub fn with_population(mut self, persons: &[u32], tuples: &[u32]) -> Result<People, PeopleError> {
        let known = self.presences.tuple_count();
        if persons.len() != tuples.len()
            || u32::try_from(persons.len()).is_err()
            || tuples.iter().any(|&tuple| tuple as usize >= known)
        {
            return Err(PeopleError::Ragged);
        }
        let population = Presences::new(persons, tuples, &by_person_and_tuple(persons, tuples));
        if let Some(tuple) = self.present.missing_in(&population) {
            return Err(PeopleError::NotInPopulation { tuple: tuple as usize });
        }
        self.population = Some(population);
        Ok(self)
    }

    /// The same people with another rule about their rows.
    pub fn with_person_rows(mut self, person_rows: PersonRows) -> People {
        self.person_rows = person_rows;
        self
    }

    /// What becomes of the other rows of a person who loses one.
    pub fn person_rows(&self) -> PersonRows {
        self.person_rows
    }

    /// Number of people.
    pub fn len(&self) -> usize {
        self.present.len()
    }

    /// Whether there are no people.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether everybody has one row, in the population as well: then counting rows counts people.
    pub fn have_one_row_each(&self) -> bool {
        let all = |present: &Presences| present.rows.iter().map(|&rows| u64::from(rows)).sum::<u64>();
        self.len() as u64 == self.rows
            && self.population.as_ref().is_none_or(|population| population.len() as u64 == all(population))
    }

    /// The tuples of every presence, person by person.
    pub fn each(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.present.each()
    }

    /// The number that a person was given in [`new`](Self::new), by position.
    pub fn numbers(&self) -> &[u32] {
        &self.present.numbers
    }

    /// Whether a population is known.
    pub fn knows_population(&self) -> bool {
        self.population.is_some()
    }

    /// The tuples that every person of the population has rows with, where there is a population.
    pub(crate) fn each_in_population(&self) -> Option<impl Iterator<Item = &[u32]> + '_> {
        self.population.as_ref().map(Presences::each)
    }

    /// How many people of the population are in each of `classes` classes; `class_of` says where every tuple belongs. None where no
    /// population is known.
    pub fn population_of(&self, class_of: &[u32], classes: usize) -> Option<Vec<u32>> {
        let population = self.population.as_ref()?;
        Some(count(population.each(), class_of, classes))
    }

    /// How many people show each value of a sensitive column, each person once per value.
    pub fn totals(&self, column: usize) -> Vec<u64> {
        let mut totals = vec![0u64; self.values[column].cardinality];
        let mut seen_by = vec![u32::MAX; self.values[column].cardinality];
        for (person, presences) in (0u32..).zip(self.present.starts.windows(2)) {
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
        &self.present.starts
    }

    /// By presence: the tuple.
    pub(crate) fn tuples(&self) -> &[u32] {
        &self.present.tuples
    }

    /// By presence: its rows.
    pub(crate) fn rows(&self) -> &[u32] {
        &self.present.rows
    }

    /// The presences of a tuple, in the order of the people.
    pub(crate) fn presences_of(&self, tuple: u32) -> &[u32] {
        let at = tuple as usize;
        &self.by_tuple[self.tuple_starts[at] as usize..self.tuple_starts[at + 1] as usize]
    }

    /// The person of a presence.
    pub(crate) fn person_of(&self, presence: u32) -> u32 {
        self.person_of[presence as usize]
    }

    /// Tuples of the person that is present in most of them.
    pub(crate) fn most_tuples(&self) -> u32 {
        self.most_tuples
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
        let beyond_the_first = (self.present.tuples.len() - self.len()) as u64;
        let by_share = limit.saturating_mul(u64::from(self.most_tuples.max(1)));
        by_share.min(limit.saturating_add(beyond_the_first))
    }
}

/// How many people are in each class: those of all tuples, each once.
pub(crate) fn count<'a>(
    people: impl Iterator<Item = &'a [u32]>,
    class_of: &[u32],
    classes: usize,
) -> Vec<u32> {
    let mut counts = vec![0u32; classes];
    let mut own: Vec<u32> = Vec::new();
    for tuples in people {
        match tuples {
            [tuple] => counts[class_of[*tuple as usize] as usize] += 1,
            tuples => {
                own.clear();
                own.extend(tuples.iter().map(|&tuple| class_of[tuple as usize]));
                own.sort_unstable();
                own.dedup();
                own.iter().for_each(|&class| counts[class as usize] += 1);
            }
        }
    }
    counts
}

fn count_presences(present: &Presences, table: &FrequencyTable) -> Result<FrequencyTable, PeopleError> {
    let mut counts = vec![0u32; table.tuple_count()];
    present.tuples.iter().for_each(|&tuple| counts[tuple as usize] += 1);
    let columns: Vec<ColumnCodes> =
        (0..table.column_count()).map(|column| table.column(column).clone()).collect();
    Ok(FrequencyTable::new(columns, counts, None, Vec::new())?)
}

impl PresenceValues {
    /// `order` has the rows by presence, `codes` the value of each row.
    fn new(present: &Presences, order: &[u32], codes: &[u32], cardinality: usize) -> PresenceValues {
        let mut values = PresenceValues { cardinality, starts: Vec::new(), codes: Vec::new() };
        let mut rest = order;
        for &rows in &present.rows {
            let start = values.codes.len();
            values.starts.push(start as u32);
            let (own, others) = rest.split_at(rows as usize);
            for &row in own {
                let code = codes[row as usize];
                if !values.codes[start..].contains(&code) {
                    values.codes.push(code);
                }
            }
            rest = others;
        }
        values.starts.push(values.codes.len() as u32);
        values
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
        assert_eq!(people.numbers(), [4, 9]);
        assert_eq!(people.each().collect::<Vec<_>>(), [&[0, 1], &[0, 1]]);
        assert_eq!(people.presences().rows(), [2, 2]);
        assert_eq!(people.rows(), [1, 1, 2, 1]);
        // Person 4 shows value 1 only; person 9 shows both.
        assert_eq!(people.totals(0), [1, 2]);
        assert!(!people.have_one_row_each());
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
    fn people_among_some_tuples_are_those_of_a_table_of_these_tuples() {
        let (persons, tuples, values) = ([9, 4, 9, 9, 4, 7], [0, 1, 2, 2, 2, 1], [0, 1, 0, 1, 1, 0]);
        let all = People::new(&table(vec![1, 2, 3]), &persons, &tuples, &[values.to_vec()], &[2]).unwrap();
        // Without the second tuple; whoever has no other is gone.
        let part = table(vec![1, 3]);
        let kept = |of: &[u32]| -> Vec<u32> { [0, 2, 3, 4].iter().map(|&row| of[row]).collect() };
        let renamed: Vec<u32> = kept(&tuples).into_iter().map(|tuple| tuple / 2).collect();
        let expected = People::new(&part, &kept(&persons), &renamed, &[kept(&values)], &[2]).unwrap();
        let among = all.among(&[0, 2], &part).unwrap();
        assert_eq!(format!("{among:?}"), format!("{expected:?}"));
        assert_eq!(among.numbers(), [4, 9]);
    }

    #[test]
    fn a_population_counts_each_person_once_in_a_class() {
        let table = table(vec![1, 1]);
        let people = People::new(&table, &[7, 8], &[0, 1], &[], &[]).unwrap();
        assert!(people.have_one_row_each());
        // Person 7 is in the population with both tuples, and three more people with the second.
        let known = people.clone().with_population(&[7, 7, 8, 1, 2, 3, 3], &[0, 1, 1, 1, 1, 1, 1]).unwrap();
        assert_eq!(known.population_of(&[0, 1], 2).unwrap(), [1, 5]);
        assert_eq!(known.population_of(&[0, 0], 1).unwrap(), [5]);
        assert!(!known.have_one_row_each());
        let error = people.with_population(&[7, 8, 1], &[0, 0, 1]).unwrap_err();
        assert_eq!(error, PeopleError::NotInPopulation { tuple: 1 });
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        let one = table(vec![1]);
        assert_eq!(People::new(&one, &[0], &[1], &[], &[]).unwrap_err(), PeopleError::Ragged);
        assert_eq!(People::new(&one, &[0], &[0], &[vec![2]], &[2]).unwrap_err(), PeopleError::Ragged);
        assert_eq!(
            People::new(&table(vec![1, 1]), &[0], &[0], &[], &[]).unwrap_err(),
            PeopleError::Rows { tuple: 1 }
        );
        assert_eq!(
            People::new(&one, &[0, 1], &[0, 0], &[], &[]).unwrap_err(),
            PeopleError::Rows { tuple: 0 }
        );
    }
}
