//! Who has rows with which tuple.

/// People with the tuples that they have rows with, and how many rows these are.
///
/// A *presence* is a person together with a tuple that the person has a row with; several rows of a person with the same tuple are one
/// presence.
#[derive(Debug, Clone, Default)]
pub(super) struct Presences {
    /// The numbers that the people came with, ascending.
    pub(super) numbers: Vec<u32>,
    /// Person `p` has the presences `starts[p]..starts[p + 1]`.
    pub(super) starts: Vec<u32>,
    /// By presence: the tuple. Ascending for each person.
    pub(super) tuples: Vec<u32>,
    /// By presence: its rows.
    pub(super) rows: Vec<u32>,
}

impl Presences {
    /// From the person and the tuple of every row; `order` has the rows by person and then by tuple.
    pub(super) fn new(persons: &[u32], tuples: &[u32], order: &[u32]) -> Presences {
        let mut presences = Presences::default();
        let (mut last_person, mut last_tuple) = (None, None);
        for &row in order {
            let (person, tuple) = (persons[row as usize], tuples[row as usize]);
            if last_person != Some(person) {
                presences.numbers.push(person);
                presences.starts.push(presences.tuples.len() as u32);
                (last_person, last_tuple) = (Some(person), None);
            }
            if last_tuple != Some(tuple) {
                presences.tuples.push(tuple);
                presences.rows.push(0);
                last_tuple = Some(tuple);
            }
            if let Some(rows) = presences.rows.last_mut() {
                *rows += 1;
            }
        }
        presences.starts.push(presences.tuples.len() as u32);
        presences
    }

    /// Number of people.
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The tuples of every presence, person by person.
    pub(super) fn each(&self) -> impl Iterator<Item = &[u32]> + '_ {
        self.starts.windows(2).map(|person| &self.tuples[person[0] as usize..person[1] as usize])
    }

    /// By presence: the person.
    pub(super) fn person_of(&self) -> Vec<u32> {
        let people = (0u32..).zip(self.starts.windows(2));
        people.flat_map(|(person, own)| std::iter::repeat_n(person, (own[1] - own[0]) as usize)).collect()
    }

    /// The presences by tuple, and where those of each tuple begin.
    pub(super) fn by_tuple(&self, tuples: usize) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; tuples + 1];
        self.tuples.iter().for_each(|&tuple| starts[tuple as usize + 1] += 1);
        for tuple in 1..starts.len() {
            starts[tuple] += starts[tuple - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0u32; self.tuples.len()];
        for (presence, &tuple) in (0u32..).zip(&self.tuples) {
            let slot = &mut next[tuple as usize];
            sorted[*slot as usize] = presence;
            *slot += 1;
        }
        (sorted, starts)
    }

    /// Rows by tuple.
    pub(super) fn rows_of_tuples(&self, tuples: usize) -> Vec<u32> {
        let mut sums = vec![0u32; tuples];
        self.tuples.iter().zip(&self.rows).for_each(|(&tuple, &rows)| sums[tuple as usize] += rows);
        sums
    }

    /// The first tuple with which a person has rows here and not there.
    pub(super) fn missing_in(&self, others: &Presences) -> Option<u32> {
        let mut there = others.numbers.iter().zip(others.each()).peekable();
        for (number, tuples) in self.numbers.iter().zip(self.each()) {
            while there.next_if(|(other, _)| *other < number).is_some() {}
            let known =
                there.peek().filter(|(other, _)| *other == number).map_or(&[][..], |(_, known)| known);
            if let Some(&tuple) = tuples.iter().find(|tuple| known.binary_search(tuple).is_err()) {
                return Some(tuple);
            }
        }
        None
    }
}

/// The rows by person and then by tuple. Both numbers are small, so two passes of a counting sort do it.
pub(super) fn by_person_and_tuple(persons: &[u32], tuples: &[u32]) -> Vec<u32> {
    let rows: Vec<u32> = (0..persons.len() as u32).collect();
    let by_tuple = sorted_by(&rows, tuples);
    sorted_by(&by_tuple, persons)
}

/// Sorts rows by a key, those with equal keys in the order given.
fn sorted_by(rows: &[u32], keys: &[u32]) -> Vec<u32> {
    let largest = rows.iter().map(|&row| keys[row as usize]).max().map_or(0, |largest| largest as usize);
    if largest > 8 * rows.len() + 1024 {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|&row| keys[row as usize]);
        return sorted;
    }
    let mut next = vec![0u32; largest + 2];
    rows.iter().for_each(|&row| next[keys[row as usize] as usize + 1] += 1);
    for key in 1..next.len() {
        next[key] += next[key - 1];
    }
    let mut sorted = vec![0u32; rows.len()];
    for &row in rows {
        let slot = &mut next[keys[row as usize] as usize];
        sorted[*slot as usize] = row;
        *slot += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_sorts_like_comparing(
            rows in prop::collection::vec((0u32..20, 0u32..20), 0..60), factor in prop::sample::select(vec![1u32, 1_000_000]),
        ) {
            let persons: Vec<u32> = rows.iter().map(|row| row.0 * factor).collect();
            let tuples: Vec<u32> = rows.iter().map(|row| row.1).collect();
            let mut expected: Vec<u32> = (0..rows.len() as u32).collect();
            expected.sort_by_key(|&row| rows[row as usize]);
            prop_assert_eq!(by_person_and_tuple(&persons, &tuples), expected);
        }
    }

    #[test]
    fn who_is_missing_is_found() {
        let presences = |persons: &[u32], tuples: &[u32]| {
            Presences::new(persons, tuples, &by_person_and_tuple(persons, tuples))
        };
        let few = presences(&[3, 5], &[0, 1]);
        assert_eq!(few.missing_in(&presences(&[1, 3, 5, 5], &[1, 0, 1, 2])), None);
        // Person 5 is there, but with another tuple.
        assert_eq!(few.missing_in(&presences(&[1, 3, 5], &[1, 0, 2])), Some(1));
        assert_eq!(few.missing_in(&presences(&[1, 5], &[0, 1])), Some(0));
    }
}
