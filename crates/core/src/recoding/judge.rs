//! Whether a set of tuples may be released as one class.

use super::space::Space;
use crate::grouping::{Class, Distribution, PeopleOfClass};

/// Judges sets of tuples one after the other, in memory of its own.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    space: &'a Space<'a>,
    least: u64,
    size_decides: bool,
    /// Whether a criterion compares with a population: the class of a tuple's rows there is that of its rows here.
    reads_population: bool,
    columns: Vec<Counts>,
    people: Option<PeopleOfClass<'a>>,
    gathered: Vec<u32>,
}

/// The values of one sensitive column.
#[derive(Debug)]
struct Counts {
    is_read: bool,
    dense: Vec<u32>,
    present: Vec<u32>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(space: &'a Space<'a>) -> Judge<'a> {
        let criteria = space.task.criteria();
        let (read, reads_population) = criteria.needs();
        let columns = space.table.sensitive().iter().enumerate().map(|(position, column)| Counts {
            is_read: read.contains(&position),
            dense: vec![0; column.cardinality],
            present: Vec::new(),
        });
        Judge {
            space,
            least: criteria.least_class_size(),
            size_decides: criteria.are_a_class_size(),
            reads_population,
            columns: columns.collect(),
            people: space.task.people().map(PeopleOfClass::new),
            gathered: Vec::new(),
        }
    }

    /// Whether the criteria hold for the rows of these tuples.
    pub(super) fn holds(&mut self, rows: u64, tuples: impl Iterator<Item = u32>) -> bool {
        // Nobody has fewer rows than one, so there are never more people than rows.
        if rows < self.least {
            return false;
        }
        if self.size_decides && self.people.is_none() {
            return true;
        }
        let criteria = self.space.task.criteria();
        self.with_class(rows, tuples, |class| criteria.hold(class))
    }

    /// Whether no subset of these tuples may be released.
    pub(super) fn refutes(&mut self, tuples: &[u32]) -> bool {
        if let Some(presences) = &self.space.presences {
            return tuples.iter().map(|&tuple| presences.of(tuple).len() as u64).sum::<u64>() < self.least;
        }
        let rows = tuples.iter().map(|&tuple| self.space.rows(tuple)).sum();
        if rows < self.least || self.size_decides {
            return rows < self.least;
        }
        let criteria = self.space.task.criteria().without_assumptions();
        self.with_class(rows, tuples.iter().copied(), |class| {
            !criteria.hold(class) && criteria.fewest_left_out(class) >= rows
        })
    }

    /// Calls `read` with the class of these tuples.
    pub(super) fn with_class<R>(
        &mut self,
        rows: u64,
        tuples: impl Iterator<Item = u32>,
        read: impl FnOnce(&Class<'_>) -> R,
    ) -> R {
        if let (Some(people), Some(presences)) = (&mut self.people, &self.space.presences) {
            self.gathered.clear();
            tuples.for_each(|tuple| self.gathered.extend_from_slice(presences.of(tuple)));
            self.gathered.sort_unstable();
            return people.with_class(&self.gathered, &presences.person_of, read);
        }
        let sensitive = self.space.table.sensitive();
        let counted = self.space.table.population().filter(|_| self.reads_population);
        let mut population = 0;
        for tuple in tuples {
            population += counted.map_or(0, |counted| u64::from(counted[tuple as usize]));
            for (column, counts) in sensitive.iter().zip(&mut self.columns).filter(|(_, c)| c.is_read) {
                let (values, added) = column.histograms.entry(tuple as usize);
                for (&value, &count) in values.iter().zip(added) {
                    let slot = &mut counts.dense[value as usize];
                    if *slot == 0 {
                        counts.present.push(value);
                    }
                    *slot += count;
                }
            }
        }
        let population = if counted.is_some() { population } else { rows };
        let answer = match &self.columns[..] {
            [only] => {
                let distributions = [Distribution::of_rows(&only.dense, &only.present, rows)];
                read(&Class { rows, population, distributions: &distributions })
            }
            all => {
                let distributions: Vec<Distribution<'_>> = all
                    .iter()
                    .map(|counts| Distribution::of_rows(&counts.dense, &counts.present, rows))
                    .collect();
                read(&Class { rows, population, distributions: &distributions })
            }
        };
        for counts in &mut self.columns {
            let Counts { dense, present, .. } = counts;
            present.drain(..).for_each(|value| dense[value as usize] = 0);
        }
        answer
    }
}
