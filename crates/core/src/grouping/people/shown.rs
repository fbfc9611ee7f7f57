//! Who shows which values of a sensitive column in a class.

/// The values of one column that the people of a class show there, person by person, each value once.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// Person `p` shows `codes[starts[p]..starts[p + 1]]`.
    pub starts: &'a [u32],
    /// The values.
    pub codes: &'a [u32],
    /// Number of values of the column.
    pub cardinality: usize,
}

impl Shown<'_> {
    /// The most people who can stand for different ones of these values, one each who shows it; at most `enough` of them are looked for.
    pub fn represented(&self, values: &[u32], enough: u64) -> u64 {
        let people = self.starts.len().saturating_sub(1);
        let most = (values.len() as u64).min(enough);
        // Every person shows one value, so each value has a person of its own.
        if people == self.codes.len() {
            return most;
        }
        let mut matching = Matching::new(*self, values);
        let mut found = 0;
        for person in 0..people as u32 {
            if found == most {
                break;
            }
            found += u64::from(matching.place(person));
        }
        found
    }
}

const NOBODY: u32 = u32::MAX;
/// Holds what is not asked about.
const NOT_ASKED: u32 = u32::MAX - 1;

/// People who stand for values, one each: a maximum matching by augmenting paths. Somebody who finds all of his values taken asks
/// their holders to move to another one. Berge, "Two theorems in graph theory", PNAS 43, 1957.
struct Matching<'a> {
    shown: Shown<'a>,
    /// By value code: who stands for it.
    holder: Vec<u32>,
    /// By person: the value he stands for.
    held: Vec<u32>,
    /// By value code: the last person for whom it was tried, and who asked for it.
    tried: Vec<(u32, u32)>,
    waiting: Vec<u32>,
}

impl<'a> Matching<'a> {
    fn new(shown: Shown<'a>, values: &[u32]) -> Matching<'a> {
        let mut holder = vec![NOT_ASKED; shown.cardinality];
        values.iter().for_each(|&code| holder[code as usize] = NOBODY);
        Matching {
            holder,
            held: vec![NOBODY; shown.starts.len()],
            tried: vec![(NOBODY, NOBODY); shown.cardinality],
            waiting: Vec::new(),
            shown,
        }
    }

    /// Whether `newcomer` finds a value, perhaps after others have moved.
    fn place(&mut self, newcomer: u32) -> bool {
        self.waiting.clear();
        self.waiting.push(newcomer);
        while let Some(person) = self.waiting.pop() {
            let [start, end] = [person, person + 1].map(|at| self.shown.starts[at as usize] as usize);
            for at in start..end {
                let code = self.shown.codes[at];
                if self.tried[code as usize].0 == newcomer {
                    continue;
                }
                self.tried[code as usize] = (newcomer, person);
                match self.holder[code as usize] {
                    NOT_ASKED => {}
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
    fn brute_force(people: &[Vec<u32>], free: u32) -> u64 {
        let Some((first, rest)) = people.split_first() else { return 0 };
        let with = first
            .iter()
            .filter(|&&code| free & (1 << code) != 0)
            .map(|&code| 1 + brute_force(rest, free & !(1 << code)))
            .max();
        with.unwrap_or(0).max(brute_force(rest, free))
    }

    proptest! {
        #[test]
        fn as_many_people_as_possible_stand_for_different_values(
            people in prop::collection::vec(prop::collection::btree_set(0u32..5, 1..4), 1..7),
            asked in prop::collection::btree_set(0u32..5, 0..6), enough in 0u64..6,
        ) {
            let people: Vec<Vec<u32>> = people.into_iter().map(|codes| codes.into_iter().collect()).collect();
            let (mut starts, mut codes) = (vec![0u32], Vec::new());
            for own in &people {
                codes.extend_from_slice(own);
                starts.push(codes.len() as u32);
            }
            let shown = Shown { starts: &starts, codes: &codes, cardinality: 5 };
            // A value that nobody shows is never asked about.
            let asked: Vec<u32> = asked.into_iter().filter(|code| codes.contains(code)).collect();
            let free = asked.iter().fold(0, |free, code| free | 1 << code);
            let most = brute_force(&people, free);
            prop_assert_eq!(shown.represented(&asked, u64::MAX), most);
            prop_assert_eq!(shown.represented(&asked, enough), most.min(enough));
        }
    }
}
