//! Classes counted in people: who is in a class, and which values they show there.

mod crowds;
mod placement;
mod shown;

use super::{Class, Distribution};
use crate::table::{People, PersonRows, count};
pub use crowds::Crowds;
use placement::Placement;
pub use shown::Shown;

/// The people of every class under a node.
#[derive(Debug)]
pub struct PeopleInClasses<'a> {
    people: &'a People,
    placement: Placement,
    /// By class: different people who are still there.
    counts: Vec<u32>,
    /// By class: different people of the population, where one is known.
    population: Option<Vec<u32>>,
    /// By person: whether all rows of the person are suppressed. Empty if no one's are.
    gone: Vec<bool>,
    /// By class: a presence of each of the first [`FEW`] people.
    few: Vec<u32>,
}

/// People of a class who are counted first: mostly they show enough. Not tuned.
const FEW: usize = 12;

impl<'a> PeopleInClasses<'a> {
    /// Counts the people of each of `classes` classes of rows; `class_of` says where every tuple belongs.
    pub fn new(people: &'a People, class_of: &[u32], classes: usize) -> PeopleInClasses<'a> {
        let placement = Placement::new(people, class_of, classes);
        let population = match people.person_rows() {
            PersonRows::Apart | PersonRows::Together => {
                people.each_in_population().map(|each| count(each, class_of, classes))
            }
            // Nobody knows the rows of people who are not in the table.
            PersonRows::Set => None,
        };
        let (counts, gone, few) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = PeopleInClasses { people, placement, counts, population, gone, few };
        found.count();
        found
    }

    /// Counts each person once in every class that he has a row in: a class remembers whom it has seen last.
    fn count(&mut self) {
        let mut seen = vec![(NOBODY, 0u32); self.placement.classes];
        let mut few = vec![0u32; if self.people.sensitive_columns() > 0 { seen.len() * FEW } else { 0 }];
        for (person, presences) in self.each() {
            let first = presences.start as u32;
            for (presence, &class) in (first..).zip(&self.placement.class_of[presences]) {
                let (last, count) = &mut seen[class as usize];
                if std::mem::replace(last, person) != person {
                    if (*count as usize) < FEW && !few.is_empty() {
                        few[class as usize * FEW + *count as usize] = presence;
                    }
                    *count += 1;
                }
            }
        }
        self.counts = seen.into_iter().map(|(_, count)| count).collect();
        self.few = few;
    }

    /// Everybody who is still there, with his presences.
    fn each(&self) -> impl Iterator<Item = (u32, std::ops::Range<usize>)> + '_ {
        let all = (0u32..).zip(self.people.starts().windows(2));
        all.filter(|&(person, _)| !self.is_gone(person))
            .map(|(person, presences)| (person, presences[0] as usize..presences[1] as usize))
    }

    /// Whether all rows of a person are left out.
    pub fn is_gone(&self, person: u32) -> bool {
        self.gone.get(person as usize).copied().unwrap_or(false)
    }

    /// Number of classes, empty ones included.
    pub fn classes(&self) -> usize {
        self.counts.len()
    }

    /// Who is still there and has a row in a class that fails; `fails` is by class.
    fn losers<'s>(&'s self, fails: &'s [bool]) -> impl Iterator<Item = u32> + 's {
        let lost = |presences: std::ops::Range<usize>| {
            self.placement.class_of[presences].iter().any(|&class| fails[class as usize])
        };
        self.each().filter(move |(_, presences)| lost(presences.clone())).map(|(person, _)| person)
    }

    /// How many people have a row in a class that fails; `fails` is by class.
    pub fn losing(&self, fails: &[bool]) -> u64 {
        self.losers(fails).count() as u64
    }

    /// Leaves out all rows of everybody who has a row in a class that fails, and counts anew. How many these are.
    pub fn leave_out(&mut self, fails: &[bool]) -> u64 {
        let losers: Vec<u32> = self.losers(fails).collect();
        self.gone.resize(self.people.len(), false);
        losers.iter().for_each(|&person| self.gone[person as usize] = true);
        self.count();
        losers.len() as u64
    }

    /// Rows that stay, by tuple: those of people who are still there, in classes that do not fail.
    pub fn kept_rows(&self, fails: &[bool], tuples: usize) -> Vec<u32> {
        let mut rows = vec![0u32; tuples];
        for (_, presences) in self.each() {
            for presence in presences {
                if !fails[self.placement.class_of[presence] as usize] {
                    rows[self.people.tuples()[presence] as usize] += self.people.rows()[presence];
                }
            }
        }
        rows
    }

    fn class<'c>(&self, number: usize, distributions: &'c [Distribution<'c>]) -> Class<'c> {
        let people = u64::from(self.counts[number]);
        let population = self.population.as_ref().map(|population| u64::from(population[number]));
        Class { rows: people, population: population.unwrap_or(people), distributions }
    }

    /// Whether anybody is in a class, in the table or in the population.
    fn exists(&self, number: usize) -> bool {
        self.counts[number] > 0 || self.population.as_ref().is_some_and(|population| population[number] > 0)
    }

    /// Calls `visit` with every class in which somebody is, in order, without its values. In a class known only from the population
    /// nobody is.
    pub fn visit_sizes(&self, mut visit: impl FnMut(usize, &Class<'_>)) {
        for number in (0..self.classes()).filter(|&number| self.exists(number)) {
            visit(number, &self.class(number, &[]));
        }
    }

    /// The same with values. Classes of fewer than `least` people come without: they fail by their size.
    pub fn visit(&self, least: u64, mut visit: impl FnMut(usize, &Class<'_>)) {
        let large = |class: usize| u64::from(self.counts[class]) >= least.max(1);
        let arranged = Arranged::new(self, large);
        let mut columns: Vec<Values> = self.people.cardinalities().map(Values::new).collect();
        for number in (0..self.classes()).filter(|&number| self.exists(number)) {
            self.with_values(&mut columns, number, arranged.of(number).iter().copied(), &mut visit);
        }
    }

    /// Calls `visit` with every class of at least `least` people and the values that a few of them show; true from `visit` is enough. Where
    /// it says no, it is called once more with the values of everybody.
    pub fn visit_few(&self, least: u64, mut visit: impl FnMut(usize, &Class<'_>) -> bool) {
        let mut columns: Vec<Values> = self.people.cardinalities().map(Values::new).collect();
        let mut doubtful = vec![false; self.classes()];
        for number in 0..self.classes() {
            let count = self.counts[number] as usize;
            if count as u64 >= least.max(1) {
                let few = &self.few[number * FEW..][..count.min(FEW)];
                // Presences of different people: any numbers tell them apart.
                let presences = few.iter().map(|&presence| (presence, presence));
                self.with_values(&mut columns, number, presences, |number, class| {
                    doubtful[number] = !visit(number, class);
                });
            }
        }
        if doubtful.contains(&true) {
            let arranged = Arranged::new(self, |class| doubtful[class]);
            for number in (0..self.classes()).filter(|&number| doubtful[number]) {
                self.with_values(
                    &mut columns,
                    number,
                    arranged.of(number).iter().copied(),
                    |number, class| {
                        visit(number, class);
                    },
                );
            }
        }
    }

    /// Calls `visit` with a class and the values of these presences.
    fn with_values(
        &self,
        columns: &mut [Values],
        number: usize,
        presences: impl Iterator<Item = (u32, u32)> + Clone,
        mut visit: impl FnMut(usize, &Class<'_>),
    ) {
        if presences.clone().next().is_none() {
            return visit(number, &self.class(number, &[]));
        }
        for (column, values) in columns.iter_mut().enumerate() {
            values.gather(self.people, column, presences.clone());
        }
        match &*columns {
            [only] => visit(number, &self.class(number, &[only.distribution()])),
            all => {
                let distributions: Vec<Distribution<'_>> = all.iter().map(Values::distribution).collect();
                visit(number, &self.class(number, &distributions));
            }
        }
        columns.iter_mut().for_each(Values::clear);
    }
}

/// The people of single classes, one after the other, in memory of its own.
#[derive(Debug)]
pub(crate) struct PeopleOfClass<'a> {
    people: &'a People,
    columns: Vec<Values>,
}

impl<'a> PeopleOfClass<'a> {
    pub(crate) fn new(people: &'a People) -> PeopleOfClass<'a> {
        PeopleOfClass { people, columns: people.cardinalities().map(Values::new).collect() }
    }

    /// Calls `read` with the class of these presences, which are sorted by person.
    pub(crate) fn with_class<R>(
        &mut self,
        presences: &[u32],
        person_of: &[u32],
        read: impl FnOnce(&Class<'_>) -> R,
    ) -> R {
        let mut people = 0;
        let mut last = NOBODY;
        for &presence in presences {
            people += u64::from(std::mem::replace(&mut last, person_of[presence as usize]) != last);
        }
        let with_person = || presences.iter().map(|&presence| (presence, person_of[presence as usize]));
        for (column, values) in self.columns.iter_mut().enumerate() {
            values.gather(self.people, column, with_person());
        }
        let distributions: Vec<Distribution<'_>> = self.columns.iter().map(Values::distribution).collect();
        let answer = read(&Class { rows: people, population: people, distributions: &distributions });
        self.columns.iter_mut().for_each(Values::clear);
        answer
    }
}

/// The presences by class. Within a class they are in the order of the people, so those of one person are neighbours.
struct Arranged {
    /// Class `c` has `order[starts[c]..starts[c + 1]]`.
    starts: Vec<u32>,
    /// Presence and person.
    order: Vec<(u32, u32)>,
}

impl Arranged {
    /// Classes that are not wanted are left empty.
    fn new(found: &PeopleInClasses<'_>, wanted: impl Fn(usize) -> bool) -> Arranged {
        let class_of = &found.placement.class_of;
        let wanted = |class: u32| wanted(class as usize);
        let mut starts = vec![0u32; found.classes() + 1];
        for (_, presences) in found.each() {
            for &class in class_of[presences].iter().filter(|&&class| wanted(class)) {
                starts[class as usize + 1] += 1;
            }
        }
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![(0, 0); starts.last().map_or(0, |&all| all as usize)];
        for (person, presences) in found.each() {
            for presence in presences.filter(|&presence| wanted(class_of[presence])) {
                let slot = &mut next[class_of[presence] as usize];
                order[*slot as usize] = (presence as u32, person);
                *slot += 1;
            }
        }
        Arranged { starts, order }
    }

    fn of(&self, class: usize) -> &[(u32, u32)] {
        &self.order[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}

/// The values of one sensitive column in one class.
#[derive(Debug)]
struct Values {
    /// Count by value code.
    dense: Vec<u32>,
    present: Vec<u32>,
    /// By value code: the person who was seen with it last.
    seen_by: Vec<u32>,
    /// Person by person: the values, from the start given.
    starts: Vec<u32>,
    codes: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Values {
    fn new(cardinality: usize) -> Values {
        Values {
            dense: vec![0; cardinality],
            present: Vec::new(),
            seen_by: vec![NOBODY; cardinality],
            starts: Vec::new(),
            codes: Vec::new(),
        }
    }

    /// `presences` are presence and person, person by person.
    fn gather(&mut self, people: &People, column: usize, presences: impl Iterator<Item = (u32, u32)>) {
        let mut last = NOBODY;
        for (presence, person) in presences {
            if person != last {
                self.starts.push(self.codes.len() as u32);
                last = person;
            }
            for &code in people.values(column, presence) {
                if std::mem::replace(&mut self.seen_by[code as usize], person) != person {
                    self.codes.push(code);
                    let count = &mut self.dense[code as usize];
                    if *count == 0 {
                        self.present.push(code);
                    }
                    *count += 1;
                }
            }
        }
        self.starts.push(self.codes.len() as u32);
    }

    fn distribution(&self) -> Distribution<'_> {
        let cardinality = self.dense.len();
        Distribution {
            dense: &self.dense,
            present: &self.present,
            total: self.codes.len() as u64,
            shown: Some(Shown { starts: &self.starts, codes: &self.codes, cardinality }),
        }
    }

    fn clear(&mut self) {
        for &code in &self.present {
            self.dense[code as usize] = 0;
            self.seen_by[code as usize] = NOBODY;
        }
        self.present.clear();
        self.starts.clear();
        self.codes.clear();
    }
}

#[cfg(test)]
mod tests;
