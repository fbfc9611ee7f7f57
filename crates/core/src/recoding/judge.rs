//! Whether a set of tuples may be released as one class.

use super::space::Space;
use crate::grouping::{Class, Distribution, PeopleOfClass};

/// Judges sets of tuples one after the other, in memory of its own.
#[derive(Debug)]
pub(super) struct Judge<'a> {
    space: &'a Space<'a>,
    least: u64,
    size_decides: bool,
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

/// Rows that were counted: how many, and how often each sensitive value that is read occurs.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) rows: u64,
    /// Rows of the population that are alike with these; as many as rows where no population is counted.
    population: u64,
    /// Column, value and rows, ascending; no number is 0.
    counts: Vec<(usize, u32, u32)>,
}

impl Tally {
    /// Adds rows.
    pub(super) fn add(&mut self, other: &Tally) {
        self.rows += other.rows;
        self.population += other.population;
        self.merge(other, u32::saturating_add);
    }

    /// Takes rows out that are in it.
    pub(super) fn remove(&mut self, other: &Tally) {
        self.rows -= other.rows;
        self.population -= other.population;
        self.merge(other, u32::saturating_sub);
        self.counts.retain(|&(_, _, count)| count > 0);
    }

    /// Column and value, of each column the `most` frequent, the more frequent first.
    pub(super) fn most_frequent(&self, most: usize) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        for of_column in self.counts.chunk_by(|a, b| a.0 == b.0) {
            let mut of_column = of_column.to_vec();
            of_column.sort_by_key(|&(_, value, count)| (std::cmp::Reverse(count), value));
            found.extend(of_column.into_iter().take(most).map(|(column, value, _)| (column, value)));
        }
        found
    }

    fn merge(&mut self, other: &Tally, combine: fn(u32, u32) -> u32) {
        for &(column, value, count) in &other.counts {
            match self.counts.binary_search_by_key(&(column, value), |&(column, value, _)| (column, value)) {
                Ok(place) => self.counts[place].2 = combine(self.counts[place].2, count),
                Err(place) => self.counts.insert(place, (column, value, combine(0, count))),
            }
        }
    }
}

impl<'a> Judge<'a> {
    pub(super) fn new(space: &'a Space<'a>) -> Judge<'a> {
        let criteria = space.task.criteria();
        let (read, _) = criteria.needs();
        let columns = space.table.sensitive().iter().enumerate().map(|(position, column)| Counts {
            is_read: read.contains(&position),
            dense: vec![0; column.cardinality],
            present: Vec::new(),
        });
        Judge {
            space,
            least: criteria.least_class_size(),
            size_decides: criteria.are_a_class_size(),
            columns: columns.collect(),
            people: space.task.people().map(PeopleOfClass::new),
            gathered: Vec::new(),
        }
    }

    /// Whether the criteria hold for the rows of these tuples.
    pub(super) fn holds(&mut self, rows: u64, tuples: impl Iterator<Item = u32>) -> bool {
        self.holds_with(rows, 0, tuples)
    }

    /// The same with `others` more rows of the population in the class.
    pub(super) fn holds_with(&mut self, rows: u64, others: u64, tuples: impl Iterator<Item = u32>) -> bool {
        // Nobody has fewer rows than one, so there are never more people than rows.
        if rows < self.least {
            return false;
        }
        if self.size_decides && self.people.is_none() {
            return true;
        }
        let criteria = self.space.task.criteria();
        self.with_others(rows, others, tuples, |class| criteria.hold(class))
    }

    /// Adds the rows of a tuple to a tally.
    pub(super) fn add(&self, tally: &mut Tally, tuple: u32) {
        let rows = self.space.rows(tuple);
        let population = self.space.population().map_or(rows, |counted| u64::from(counted[tuple as usize]));
        let mut one = Tally { rows, population, counts: Vec::new() };
        let read = self.space.table.sensitive().iter().zip(&self.columns).enumerate();
        for (column, (sensitive, _)) in read.filter(|(_, (_, counts))| counts.is_read) {
            let (values, counts) = sensitive.histograms.entry(tuple as usize);
            let from = one.counts.len();
            one.counts.extend(values.iter().zip(counts).map(|(&value, &count)| (column, value, count)));
            one.counts[from..].sort_unstable();
        }
        tally.add(&one);
    }

    /// Whether the criteria hold for the rows of a tally.
    pub(super) fn holds_tally(&mut self, tally: &Tally) -> bool {
        if tally.rows < self.least || self.size_decides {
            return tally.rows >= self.least;
        }
        let criteria = self.space.task.criteria();
        self.with_tally(tally, |class| criteria.hold(class))
    }

    /// Rows of a tally that are left out whatever is done, at least.
    pub(super) fn fewest_suppressed(&mut self, tally: &Tally) -> u64 {
        let criteria = self.space.task.criteria();
        self.with_tally(tally, |class| match criteria.hold(class) {
            true => 0,
            false => criteria.fewest_suppressed(class),
        })
    }

    fn with_tally<R>(&mut self, tally: &Tally, read: impl FnOnce(&Class<'_>) -> R) -> R {
        for &(column, value, count) in &tally.counts {
            let counts = &mut self.columns[column];
            counts.dense[value as usize] = count;
            counts.present.push(value);
        }
        let distributions: Vec<Distribution<'_>> = self
            .columns
            .iter()
            .map(|counts| Distribution::of_rows(&counts.dense, &counts.present, tally.rows))
            .collect();
        let (rows, population) = (tally.rows, tally.population);
        let answer = read(&Class { rows, population, distributions: &distributions });
        self.clear();
        answer
    }

    fn clear(&mut self) {
        for counts in &mut self.columns {
            let Counts { dense, present, .. } = counts;
            present.drain(..).for_each(|value| dense[value as usize] = 0);
        }
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
            !criteria.hold(class) && criteria.fewest_suppressed(class) >= rows
        })
    }

    /// Calls `read` with the class of these tuples.
    pub(super) fn with_class<R>(
        &mut self,
        rows: u64,
        tuples: impl Iterator<Item = u32>,
        read: impl FnOnce(&Class<'_>) -> R,
    ) -> R {
        self.with_others(rows, 0, tuples, read)
    }

    /// The same with `others` more rows of the population in the class.
    pub(super) fn with_others<R>(
        &mut self,
        rows: u64,
        others: u64,
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
        let counted = self.space.population();
        let mut population = others;
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
        self.clear();
        answer
    }
}
