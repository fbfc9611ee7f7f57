//! Rows that look alike, and which values they show.

use crate::microdata::{Column, Microdata};
use hashbrown::HashMap;
use std::cmp::Ordering;

type Step = HashMap<u64, u32, foldhash::fast::FixedState>;

/// The classes of rows with equal cells in some columns.
///
/// Numbered by the labels of their columns, so that the order of rows does not matter. A class is found column by column: the
/// class so far and the next code give the next class, which is one look-up per cell whatever the number of columns.
#[derive(Clone, Debug)]
pub struct Classes {
    columns: Vec<usize>,
    of_row: Vec<u32>,
    /// Whose row each row is, where that is known.
    people: Option<Vec<u32>>,
    sizes: Vec<u64>,
    codes: Vec<u32>,
    steps: Vec<Step>,
}

impl Classes {
    /// The classes of `table` by these columns.
    #[must_use]
    pub fn by(table: &Microdata, columns: &[usize]) -> Classes {
        let rows = table.rows();
        let mut state = vec![0u32; rows];
        let mut steps: Vec<Step> = Vec::new();
        for &place in columns {
            let mut step = Step::default();
            for (state, &code) in state.iter_mut().zip(table.columns()[place].codes()) {
                let next = step.len() as u32;
                *state = *step.entry(key(*state, code)).or_insert(next);
            }
            steps.push(step);
        }
        let count = state.iter().max().map_or(0, |&last| last as usize + 1);
        let (width, mut sizes) = (columns.len(), vec![0u64; count]);
        let mut codes = vec![0u32; count * width];
        for (row, &class) in state.iter().enumerate() {
            let class = class as usize;
            if sizes[class] == 0 {
                for (position, &place) in columns.iter().enumerate() {
                    codes[class * width + position] = table.columns()[place].codes()[row];
                }
            }
            sizes[class] += 1;
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_unstable_by(|&a, &b| {
            let labels = columns.iter().enumerate().map(|(position, &place)| {
                let labels = table.columns()[place].labels();
                labels[codes[a * width + position] as usize]
                    .cmp(&labels[codes[b * width + position] as usize])
            });
            labels.fold(Ordering::Equal, Ordering::then).then(a.cmp(&b))
        });
        let mut number = vec![0u32; count];
        for (new, &old) in order.iter().enumerate() {
            number[old] = new as u32;
        }
        if let Some(last) = steps.last_mut() {
            last.values_mut().for_each(|class| *class = number[*class as usize]);
        }
        state.iter_mut().for_each(|class| *class = number[*class as usize]);
        let sorted_codes =
            order.iter().flat_map(|&old| codes[old * width..(old + 1) * width].to_vec()).collect();
        let mut sizes: Vec<u64> = order.iter().map(|&old| sizes[old]).collect();
        let people = table.people().map(<[u32]>::to_vec);
        if let Some(people) = &people {
            sizes.fill(0);
            let mut present: Vec<u64> =
                state.iter().zip(people).map(|(&class, &person)| key(class, person)).collect();
            present.sort_unstable();
            present.dedup();
            present.iter().for_each(|presence| sizes[(presence >> 32) as usize] += 1);
        }
        Classes { columns: columns.to_vec(), of_row: state, people, sizes, codes: sorted_codes, steps }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether the table has no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The class of each row.
    #[must_use]
    pub fn of_row(&self) -> &[u32] {
        &self.of_row
    }

    /// Rows per class, or different people where the table says whose row it is.
    #[must_use]
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Whose row each row is, where that is known.
    #[must_use]
    pub fn people(&self) -> Option<&[u32]> {
        self.people.as_deref()
    }

    /// The columns that make the classes.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// The codes of a class, in the order of the columns.
    #[must_use]
    pub fn codes(&self, class: usize) -> &[u32] {
        &self.codes[class * self.columns.len()..(class + 1) * self.columns.len()]
    }

    /// The class with these codes, one per column; `None` in a column matches no class.
    #[must_use]
    pub fn find(&self, codes: impl IntoIterator<Item = Option<u32>>) -> Option<u32> {
        let mut class = 0;
        for (step, code) in self.steps.iter().zip(codes) {
            class = *step.get(&key(class, code?))?;
        }
        (!self.is_empty()).then_some(class)
    }

    /// The class as people read it: `column = label`.
    #[must_use]
    pub fn describe(&self, table: &Microdata, class: usize) -> Vec<String> {
        let named = self.columns.iter().zip(self.codes(class)).map(|(&place, &code)| {
            let column = &table.columns()[place];
            format!("{} = {}", column.name(), column.cell(code).unwrap_or("(missing)"))
        });
        named.collect()
    }
}

fn key(class: u32, code: u32) -> u64 {
    (u64::from(class) << 32) | u64::from(code)
}

/// What an empty cell of a sensitive column is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// Nothing that could be a secret: a class of empty cells and one diagnosis shows one value.
    #[default]
    NoValue,
    /// A value like any other, because the promise says so.
    Value,
}

/// How often each value of a column occurs, in every class and in all.
#[derive(Clone, Debug)]
pub struct Tally {
    starts: Vec<usize>,
    counts: Vec<(u32, u64)>,
    total: Vec<u64>,
}

impl Tally {
    /// Counts the values of `column`.
    #[must_use]
    pub fn of(classes: &Classes, column: &Column) -> Tally {
        Tally::of_codes(classes, column.codes(), column.labels().len())
    }

    /// Counts the values of a sensitive column. A missing cell is no value, unless somebody promised to take it for one.
    #[must_use]
    pub fn of_secrets(classes: &Classes, column: &Column, missing: Missing) -> Tally {
        let without = column.missing().filter(|_| missing == Missing::NoValue);
        Tally::of_some(classes, column.codes(), column.labels().len(), without)
    }

    /// Counts codes below `values`, one per row.
    #[must_use]
    pub fn of_codes(classes: &Classes, codes: &[u32], values: usize) -> Tally {
        Tally::of_some(classes, codes, values, None)
    }

    /// Counts codes below `values`, one per row; rows with the code `without` are left out.
    #[must_use]
    pub fn of_some(classes: &Classes, codes: &[u32], values: usize, without: Option<u32>) -> Tally {
        let mut total = vec![0u64; values];
        let rows =
            classes.of_row.iter().zip(codes).enumerate().filter(|&(_, (_, &code))| Some(code) != without);
        let mut pairs: Vec<u64> = match &classes.people {
            None => rows.map(|(_, (&class, &code))| key(class, code)).collect(),
            // A person shows a value in a class once, however many rows say so.
            Some(people) => {
                let mut shown: Vec<(u64, u32)> =
                    rows.map(|(row, (&class, &code))| (key(class, code), people[row])).collect();
                shown.sort_unstable();
                shown.dedup();
                shown.into_iter().map(|(pair, _)| pair).collect()
            }
        };
        pairs.iter().for_each(|&pair| total[pair as u32 as usize] += 1);
        pairs.sort_unstable();
        let (mut starts, mut counts) = (vec![0usize], Vec::<(u32, u64)>::new());
        let mut before = None;
        for pair in pairs {
            while starts.len() <= (pair >> 32) as usize {
                starts.push(counts.len());
            }
            match counts.last_mut() {
                Some((_, count)) if before == Some(pair) => *count += 1,
                _ => counts.push((pair as u32, 1)),
            }
            before = Some(pair);
        }
        while starts.len() <= classes.len() {
            starts.push(counts.len());
        }
        Tally { starts, counts, total }
    }

    /// Code and count of the values that a class shows, by code.
    #[must_use]
    pub fn class(&self, class: usize) -> &[(u32, u64)] {
        &self.counts[self.starts[class]..self.starts[class + 1]]
    }

    /// Rows of a class that show a counted value, or pairs of a person and a value.
    #[must_use]
    pub fn rows(&self, class: usize) -> u64 {
        self.class(class).iter().map(|entry| entry.1).sum()
    }

    /// Counts over all rows, by code.
    #[must_use]
    pub fn total(&self) -> &[u64] {
        &self.total
    }

    /// The most frequent value of a class, the smaller code on a tie.
    #[must_use]
    pub fn mode(&self, class: usize) -> Option<(u32, u64)> {
        self.class(class).iter().copied().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    #[test]
    fn classes_are_numbered_by_their_labels() {
        let table = table("a b\ny 1\nx 2\ny 1\nx 1");
        let classes = Classes::by(&table, &[0, 1]);
        assert_eq!(classes.of_row(), [2, 1, 2, 0]);
        assert_eq!(classes.sizes(), [1, 1, 2]);
        assert_eq!(classes.describe(&table, 2), ["a = y", "b = 1"]);
        assert_eq!(classes.find([Some(0), Some(1)]), Some(1));
        assert_eq!((classes.find([Some(1), Some(1)]), classes.find([None, Some(1)])), (None, None));
    }

    #[test]
    fn six_rows_of_one_person_are_one() {
        let plain = table("a s\ny 1\ny 1\ny 2\nx 1\nx 2\nx 2");
        let counted = plain.clone().with_people(Some(vec![7, 7, 7, 3, 4, 4]));
        let (rows, people) = (Classes::by(&plain, &[0]), Classes::by(&counted, &[0]));
        assert_eq!((rows.sizes(), people.sizes()), (&[3, 3][..], &[2, 1][..]));
        let tally = Tally::of(&people, &counted.columns()[1]);
        assert_eq!((tally.class(0), tally.class(1)), (&[(0, 1), (1, 1)][..], &[(0, 1), (1, 1)][..]));
        assert_eq!(tally.total(), [2, 2]);
        assert_eq!((counted.people_count(), plain.people_count()), (3, 6));
    }

    #[test]
    fn without_columns_all_rows_are_alike() {
        let table = table("a\ny\nx");
        assert_eq!(Classes::by(&table, &[]).sizes(), [2]);
        assert_eq!(Classes::by(&table, &[]).find([]), Some(0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn classes_and_tallies_are_what_a_map_of_tuples_says(rows in prop::collection::vec((0u32..3, 0u32..3, 0u32..4), 0..40)) {
            let column = |name: &str, codes: Vec<u32>| {
                Column::new(name, (0..4).map(|label| label.to_string()).collect(), codes)
            };
            let table = Microdata::new(vec![
                column("a", rows.iter().map(|row| row.0).collect()),
                column("b", rows.iter().map(|row| row.1).collect()),
                column("s", rows.iter().map(|row| row.2).collect()),
            ]);
            let classes = Classes::by(&table, &[0, 1]);
            let tally = Tally::of(&classes, &table.columns()[2]);
            let mut plain: BTreeMap<(u32, u32), BTreeMap<u32, u64>> = BTreeMap::new();
            for &(a, b, s) in &rows {
                *plain.entry((a, b)).or_default().entry(s).or_default() += 1;
            }
            prop_assert_eq!(classes.len(), plain.len());
            for (class, (&(a, b), values)) in plain.iter().enumerate() {
                prop_assert_eq!(classes.codes(class), [a, b]);
                prop_assert_eq!(classes.sizes()[class], values.values().sum::<u64>());
                prop_assert_eq!(classes.find([Some(a), Some(b)]), Some(class as u32));
                let counts: Vec<(u32, u64)> = values.iter().map(|(&s, &n)| (s, n)).collect();
                prop_assert_eq!(tally.class(class), counts);
            }
        }
    }
}
