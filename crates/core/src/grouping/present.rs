//! Tuples that have rows, apart from those that only the population has: mostly few, and all that most questions are about.

use super::Classes;
use super::number::{Entries, First, NONE, Scratch};
use crate::table::Histograms;
use std::sync::Arc;

/// The tuples of a table, where at most half of them have rows.
#[derive(Debug)]
pub(super) struct Split {
    /// Those with rows.
    pub(super) present: Arc<Classes>,
    /// The others: they have nothing but a size in the population.
    absent: Classes,
}

impl Split {
    pub(super) fn of(base: &Classes) -> Option<Split> {
        let absent = base.rows.iter().filter(|&&rows| rows == 0).count();
        if absent < base.len().div_ceil(2) || base.population.is_none() {
            return None;
        }
        let (mut present, mut others) = (Vec::with_capacity(base.len() - absent), Vec::with_capacity(absent));
        for (tuple, &rows) in base.rows.iter().enumerate() {
            if rows > 0 { present.push(tuple) } else { others.push(tuple) }
        }
        Some(Split {
            present: Arc::new(Classes {
                sensitive: base.sensitive.iter().map(|all| some_of(all, &present)).collect(),
                cardinalities: base.cardinalities.clone(),
                ..part(base, &present)
            }),
            absent: part(base, &others),
        })
    }

    /// Numbers the classes that have rows: the first tuple and the population of each, and the class of every tuple with rows.
    pub(super) fn number(
        &self,
        scratch: &mut Scratch,
        present: &Entries<'_>,
        absent: &Entries<'_>,
    ) -> Option<(First, Vec<u32>, Vec<u32>)> {
        let mut population: Vec<u32> = Vec::new();
        let mut class_of: Vec<u32> = Vec::with_capacity(self.present.len());
        let (of_present, of_absent) =
            (self.present.population.as_deref()?, self.absent.population.as_deref()?);
        let first = present.number_and_find(scratch, absent, |is_present, start, block, classes| {
            population.resize(classes, 0);
            let counts = if is_present { &of_present[start..] } else { &of_absent[start..] };
            for (&class, &count) in block.iter().zip(counts) {
                if class != NONE {
                    population[class as usize] += count;
                }
            }
            if is_present {
                class_of.extend_from_slice(block);
            }
        })?;
        Some((first, population, class_of))
    }

    pub(super) fn absent(&self) -> &Classes {
        &self.absent
    }
}

/// Some tuples, without their sensitive values.
fn part(base: &Classes, tuples: &[usize]) -> Classes {
    let pick = |counts: &[u32]| tuples.iter().map(|&tuple| counts[tuple]).collect();
    let mut words = Vec::with_capacity(tuples.len() * base.layout.words);
    tuples.iter().for_each(|&tuple| words.extend_from_slice(base.words_of(tuple)));
    Classes {
        node: base.node.clone(),
        layout: Arc::clone(&base.layout),
        words,
        rows: pick(&base.rows),
        population: base.population.as_deref().map(pick),
        sensitive: Vec::new(),
        cardinalities: Vec::new(),
    }
}

fn some_of(all: &Histograms, tuples: &[usize]) -> Histograms {
    let mut some = Histograms::new();
    for &tuple in tuples {
        let (values, counts) = all.entry(tuple);
        some.push(values.iter().copied().zip(counts.iter().copied()));
    }
    some
}

#[cfg(test)]
mod tests {
    use super::super::{Codes, Grouper};
    use super::*;
    use crate::testing::{Fixture, small_table};
    use proptest::prelude::*;

    type Found = (u64, u64, Vec<(u32, u32)>);

    /// Rows, population and sensitive values of the classes that have rows.
    fn with_rows(classes: &Classes) -> Vec<Found> {
        let found = |class: usize| {
            let (values, counts) = classes.sensitive[0].entry(class);
            let mut cells: Vec<(u32, u32)> = values.iter().copied().zip(counts.iter().copied()).collect();
            cells.sort_unstable();
            (classes.rows(class), classes.population(class), cells)
        };
        let mut all: Vec<Found> =
            (0..classes.len()).filter(|&class| classes.rows(class) > 0).map(found).collect();
        all.sort();
        all
    }

    /// The fixture with rows in every so many tuples only.
    fn thinned(fixture: &Fixture, keep: usize) -> Fixture {
        let table = &fixture.table;
        let rows = (0..table.tuple_count()).flat_map(|tuple| {
            let codes: Vec<u32> =
                (0..table.column_count()).map(|column| table.column(column).get(tuple)).collect();
            let people = 0..table.population().map_or(0, |people| people[tuple]);
            people.map(|person| (codes.clone(), person % 2, tuple % keep == 0)).collect::<Vec<_>>()
        });
        Fixture::new(fixture.ladders.clone(), &rows.collect::<Vec<_>>(), 2)
    }

    proptest! {
        #[test]
        fn classes_with_rows_are_those_of_all_tuples(fixture in small_table(), keep in 2usize..5, pick in any::<u64>()) {
            let fixture = thinned(&fixture, keep);
            let lattice = fixture.lattice();
            let node = lattice.node(pick % lattice.node_count() as u64);
            let grouper = Grouper::new(&fixture.table, &fixture.ladders, 0).without_absent_classes();
            let source = grouper.source_for(&node).unwrap();
            let absent = fixture.table.rows().iter().filter(|&&rows| rows == 0).count();
            prop_assert_eq!(Split::of(&source).is_some(), 2 * absent >= fixture.table.tuple_count());
            let classes = grouper.complete(grouper.size_up(source, &node), Codes::Wanted);
            prop_assert_eq!(with_rows(&classes), with_rows(&grouper.group_table(&node).unwrap()));
        }
    }
}
