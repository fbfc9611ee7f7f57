//! Classes counted in people: who is in a class, and which values they show there.

use super::{Class, Distribution};
use crate::table::People;

/// A class as people make it.
#[derive(Debug, Clone, Copy)]
pub struct ClassPeople<'a> {
    /// Different people with a row in the class.
    pub people: u64,
    /// By sensitive column: pairs of a person and a value, each once. Empty where values were not asked for.
    pub distributions: &'a [Distribution<'a>],
}

impl<'a> ClassPeople<'a> {
    /// The class as a criterion sees it.
    pub fn class(&self) -> Class<'a> {
        Class { rows: self.people, population: self.people, distributions: self.distributions }
    }
}

/// The people of every class under a node.
#[derive(Debug)]
pub struct PeopleInClasses<'a> {
    people: &'a People,
    /// Class `c` has the presences `order[starts[c]..starts[c + 1]]`, person by person.
    starts: Vec<u32>,
    order: Vec<u32>,
    /// By presence: the person.
    person_of: Vec<u32>,
    /// By class.
    counts: Vec<u32>,
}

impl<'a> PeopleInClasses<'a> {
    /// Counts the people of each of `classes` classes; `class_of` says where every tuple belongs.
    pub fn new(people: &'a People, class_of: &[u32], classes: usize) -> PeopleInClasses<'a> {
        let mut counts = vec![0u32; classes];
        let mut own: Vec<u32> = Vec::new();
        for tuples in people.each() {
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
        PeopleInClasses { people, starts: Vec::new(), order: Vec::new(), person_of: Vec::new(), counts }
    }

    /// Sorts the presences by class. Within a class they stay in the order of the people, so those of one person are neighbours.
    fn arrange(&mut self, class_of: &[u32]) {
        let tuples = self.people.tuples();
        let mut starts = vec![0u32; self.counts.len() + 1];
        tuples.iter().for_each(|&tuple| starts[class_of[tuple as usize] as usize + 1] += 1);
        for class in 1..starts.len() {
            starts[class] += starts[class - 1];
        }
        let mut next = starts.clone();
        self.order = vec![0; tuples.len()];
        for (presence, &tuple) in (0u32..).zip(tuples) {
            let slot = &mut next[class_of[tuple as usize] as usize];
            self.order[*slot as usize] = presence;
            *slot += 1;
        }
        self.person_of = Vec::with_capacity(tuples.len());
        for (person, presences) in (0u32..).zip(self.people.starts().windows(2)) {
            self.person_of.extend((presences[0]..presences[1]).map(|_| person));
        }
        self.starts = starts;
    }

    /// Calls `visit` with every class in which somebody is, in order, without its values.
    pub fn visit_sizes(&self, mut visit: impl FnMut(usize, &ClassPeople<'_>)) {
        for (number, &people) in self.counts.iter().enumerate().filter(|&(_, &people)| people > 0) {
            visit(number, &ClassPeople { people: u64::from(people), distributions: &[] });
        }
    }

    /// The same with values. Classes of fewer than `least` people come without: they fail by their size.
    pub fn visit(&mut self, class_of: &[u32], least: u64, mut visit: impl FnMut(usize, &ClassPeople<'_>)) {
        self.arrange(class_of);
        let mut columns: Vec<Values> = self
            .people
            .cardinalities()
            .enumerate()
            .map(|(column, cardinality)| Values::new(cardinality, self.people.missing(column)))
            .collect();
        for (number, range) in self.starts.windows(2).enumerate() {
            let people = u64::from(self.counts[number]);
            if people == 0 {
                continue;
            }
            if people < least {
                visit(number, &ClassPeople { people, distributions: &[] });
                continue;
            }
            let presences = &self.order[range[0] as usize..range[1] as usize];
            for (column, values) in columns.iter_mut().enumerate() {
                values.gather(self.people, column, presences, &self.person_of);
            }
            let distributions: Vec<Distribution<'_>> = columns.iter_mut().map(Values::distribution).collect();
            visit(number, &ClassPeople { people, distributions: &distributions });
            columns.iter_mut().for_each(Values::clear);
        }
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
        let of_column = |(column, cardinality)| Values::new(cardinality, people.missing(column));
        PeopleOfClass { people, columns: people.cardinalities().enumerate().map(of_column).collect() }
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
        for (column, values) in self.columns.iter_mut().enumerate() {
            values.gather(self.people, column, presences, person_of);
        }
        let distributions: Vec<Distribution<'_>> =
            self.columns.iter_mut().map(Values::distribution).collect();
        let answer = read(&ClassPeople { people, distributions: &distributions }.class());
        self.columns.iter_mut().for_each(Values::clear);
        answer
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
    /// The code that nobody stands for.
    missing: Option<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Values {
    fn new(cardinality: usize, missing: Option<u32>) -> Values {
        Values {
            dense: vec![0; cardinality],
            present: Vec::new(),
            seen_by: vec![NOBODY; cardinality],
            starts: Vec::new(),
            codes: Vec::new(),
            missing,
        }
    }

    fn gather(&mut self, people: &People, column: usize, presences: &[u32], person_of: &[u32]) {
        let mut last = NOBODY;
        for &presence in presences {
            let person = person_of[presence as usize];
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

    fn distribution(&mut self) -> Distribution<'_> {
        let represented = self.represented();
        Distribution {
            dense: &self.dense,
            present: &self.present,
            total: self.codes.len() as u64,
            represented,
        }
    }

    /// The size of a maximum matching of people and values.
    fn represented(&self) -> u64 {
        let people = self.starts.len().saturating_sub(1);
        let values = self.present.iter().filter(|&&code| Some(code) != self.missing).count() as u64;
        // Everybody shows one value: each value has somebody of its own.
        if people == self.codes.len() {
            return values;
        }
        let mut matching = Matching::new(&self.starts, &self.codes, self.dense.len());
        // Somebody who never moves holds it.
        if let Some(missing) = self.missing {
            matching.holder[missing as usize] = people as u32;
        }
        let mut found = 0;
        for person in 0..people as u32 {
            found += u64::from(matching.place(person));
            if found == values {
                break;
            }
        }
        found
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

/// People who stand for values, one each: a maximum matching by augmenting paths. Somebody who finds all of his values taken asks
/// their holders to move to another one. Berge, "Two theorems in graph theory", PNAS 43, 1957.
struct Matching<'a> {
    starts: &'a [u32],
    codes: &'a [u32],
    /// By value code: who stands for it.
    holder: Vec<u32>,
    /// By person: the value he stands for.
    held: Vec<u32>,
    /// By value code: the last person for whom it was tried, and who asked for it.
    tried: Vec<(u32, u32)>,
    waiting: Vec<u32>,
}

impl<'a> Matching<'a> {
    fn new(starts: &'a [u32], codes: &'a [u32], cardinality: usize) -> Matching<'a> {
        Matching {
            starts,
            codes,
            holder: vec![NOBODY; cardinality],
            held: vec![NOBODY; starts.len() + 1],
            tried: vec![(NOBODY, NOBODY); cardinality],
            waiting: Vec::new(),
        }
    }

    /// Whether `newcomer` finds a value, perhaps after others have moved.
    fn place(&mut self, newcomer: u32) -> bool {
        self.waiting.clear();
        self.waiting.push(newcomer);
        while let Some(person) = self.waiting.pop() {
            // The holder of the missing value has no other.
            let Some(&end) = self.starts.get(person as usize + 1) else { continue };
            for at in self.starts[person as usize] as usize..end as usize {
                let code = self.codes[at];
                if self.tried[code as usize].0 == newcomer {
                    continue;
                }
                self.tried[code as usize] = (newcomer, person);
                match self.holder[code as usize] {
                    NOBODY => {
                        self.hand_over(code, newcomer);
                        return true;
                    }
                    holder => self.waiting.push(holder),
                }
            }
        }
        false
    }

    /// Gives a free value to whoever asked for it, the value he held to whoever asked for that, and so on to the newcomer.
    fn hand_over(&mut self, mut code: u32, newcomer: u32) {
        loop {
            let person = self.tried[code as usize].1;
            let before = std::mem::replace(&mut self.held[person as usize], code);
            self.holder[code as usize] = person;
            if person == newcomer {
                return;
            }
            code = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest number of people with different values, by trying everything.
    fn brute_force(people: &[Vec<u32>], taken: u32) -> u64 {
        let Some((first, rest)) = people.split_first() else { return 0 };
        let with = first
            .iter()
            .filter(|&&code| taken & (1 << code) == 0)
            .map(|&code| 1 + brute_force(rest, taken | (1 << code)))
            .max();
        with.unwrap_or(0).max(brute_force(rest, taken))
    }

    proptest! {
        #[test]
        fn as_many_people_as_possible_stand_for_different_values(
            people in prop::collection::vec(prop::collection::btree_set(0u32..5, 1..4), 1..7),
        ) {
            let people: Vec<Vec<u32>> = people.into_iter().map(|codes| codes.into_iter().collect()).collect();
            let mut values = Values::new(5, None);
            for codes in &people {
                values.starts.push(values.codes.len() as u32);
                for &code in codes {
                    values.codes.push(code);
                    if values.dense[code as usize] == 0 {
                        values.present.push(code);
                    }
                    values.dense[code as usize] += 1;
                }
            }
            values.starts.push(values.codes.len() as u32);
            prop_assert_eq!(values.represented(), brute_force(&people, 0));
        }
    }
}
