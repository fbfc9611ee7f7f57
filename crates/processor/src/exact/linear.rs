//! What exact answers tell together: combinations that are about few people.
//!
//! An answer about a set of rows is a 0/1 vector over *atoms*: rows that are in exactly the same answered sets. Whoever has the answers has every
//! linear combination of them. A combination whose atoms hold fewer than `least` people tells of those people, however many answers it
//! takes (Chin and Özsoyoğlu, "Auditing and inference control in statistical databases", IEEE TSE 8(6), 1982).
//!
//! Vectors are reduced over the field of 2^61 − 1 elements, atoms with enough people first. What is left without an entry there is the space of
//! all combinations about small atoms alone; in it the lightest vector is looked for by branching, with people counted once however many
//! rows they have. Where that takes too long the verdict is the strict one.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
/// Multiplications after which nothing more is found out, and nothing released.
const MOST_STEPS: u64 = 300_000_000;
/// Branches after which the same holds.
const MOST_BRANCHES: u32 = 50_000;

/// Disjoint sets of rows: for each row the number of its set, 0 for none. Rows beyond its end are in none.
pub type Partition = Vec<u32>;

/// Whether some combination of the sets is about at least one and fewer than `least` people. `people` says whose each row is.
pub fn tells_of_few(people: &[u64], answers: &[&Partition], least: u32) -> bool {
    let atoms = Atoms::of(people, answers, least);
    let mut span = Echelon::default();
    for vector in atoms.vectors(answers) {
        if !span.add(vector) {
            return true;
        }
    }
    let small = span.beyond(atoms.large);
    let mut search = Search { atoms: &atoms, least: least as usize, branches: 0 };
    search.finds(small, &mut BTreeSet::new(), &HashSet::new())
}

/// Rows that are in exactly the same sets, those with enough people first.
struct Atoms {
    /// How many have enough people.
    large: u32,
    /// By atom: a row of it.
    row: Vec<usize>,
    /// By atom: its people; of a large one only some.
    people: Vec<HashSet<u64>>,
}

impl Atoms {
    fn of(people: &[u64], answers: &[&Partition], least: u32) -> Atoms {
        let mut atom_of: Vec<u32> = vec![0; people.len()];
        for answer in answers {
            let mut next: HashMap<(u32, u32), u32> = HashMap::new();
            for (row, atom) in atom_of.iter_mut().enumerate() {
                let set = answer.get(row).copied().unwrap_or(0);
                let fresh = next.len() as u32;
                *atom = *next.entry((*atom, set)).or_insert(fresh);
            }
        }
        let mut found: BTreeMap<u32, (usize, HashSet<u64>)> = BTreeMap::new();
        for (row, atom) in atom_of.iter().enumerate() {
            if answers.iter().all(|answer| answer.get(row).copied().unwrap_or(0) == 0) {
                continue;
            }
            let (_, own) = found.entry(*atom).or_insert_with(|| (row, HashSet::new()));
            if own.len() < least as usize {
                own.insert(people[row]);
            }
        }
        let mut all: Vec<(usize, HashSet<u64>)> = found.into_values().collect();
        all.sort_by_key(|(row, own)| (own.len() < least as usize, *row));
        let large = all.iter().filter(|(_, own)| own.len() >= least as usize).count() as u32;
        let (row, people) = all.into_iter().unzip();
        Atoms { large, row, people }
    }

    /// Every answered set over the atoms.
    fn vectors(&self, answers: &[&Partition]) -> Vec<Vector> {
        let mut vectors = Vec::new();
        for answer in answers {
            let mut sets: BTreeMap<u32, Vector> = BTreeMap::new();
            for (atom, row) in self.row.iter().enumerate() {
                match answer.get(*row).copied().unwrap_or(0) {
                    0 => {}
                    set => sets.entry(set).or_default().push((atom as u32, 1)),
                }
            }
            vectors.extend(sets.into_values());
        }
        vectors
    }
}

/// Entries that are not 0, by atom.
type Vector = Vec<(u32, u64)>;

/// Vectors whose first entries are 1 and at different places.
#[derive(Default)]
struct Echelon {
    rows: HashMap<u32, Vector>,
    steps: u64,
}

impl Echelon {
    /// False where it would take too long.
    fn add(&mut self, mut vector: Vector) -> bool {
        while let Some(&(first, factor)) = vector.first() {
            let Some(row) = self.rows.get(&first) else {
                scale(&mut vector, inverse(factor));
                self.rows.insert(first, vector);
                return true;
            };
            self.steps += (row.len() + vector.len()) as u64;
            if self.steps > MOST_STEPS {
                return false;
            }
            vector = minus(&vector, row, factor);
        }
        true
    }

    /// A basis of the vectors that are 0 on the first atoms.
    fn beyond(self, first: u32) -> Vec<Vector> {
        let mut rows: Vec<(u32, Vector)> =
            self.rows.into_iter().filter(|(place, _)| *place >= first).collect();
        rows.sort_unstable_by_key(|(place, _)| *place);
        rows.into_iter().map(|(_, vector)| vector).collect()
    }
}

/// Looks for a vector about few people.
struct Search<'a> {
    atoms: &'a Atoms,
    least: usize,
    branches: u32,
}

impl Search<'_> {
    /// `counted` are atoms whose people are already counted: entries there cost nothing more.
    fn finds(&mut self, space: Vec<Vector>, counted: &mut BTreeSet<u32>, people: &HashSet<u64>) -> bool {
        if space.is_empty() {
            return false;
        }
        self.branches += 1;
        if self.branches > MOST_BRANCHES {
            return true;
        }
        let free = space.iter().flatten().map(|(atom, _)| *atom).filter(|atom| !counted.contains(atom)).min();
        // Nothing but counted atoms is left, and they hold too few people.
        let Some(atom) = free else { return true };
        let more: HashSet<u64> = people.union(&self.atoms.people[atom as usize]).copied().collect();
        if more.len() < self.least {
            counted.insert(atom);
            if self.finds(space.clone(), counted, &more) {
                return true;
            }
            counted.remove(&atom);
        }
        self.finds(without(space, atom), counted, people)
    }
}

/// The vectors of a space that are 0 at an atom.
fn without(mut space: Vec<Vector>, atom: u32) -> Vec<Vector> {
    let entry = |vector: &Vector| {
        vector.binary_search_by_key(&atom, |(place, _)| *place).ok().map(|place| vector[place].1)
    };
    let Some(place) = space.iter().position(|vector| entry(vector).is_some()) else { return space };
    let mut pivot = space.swap_remove(place);
    if let Some(factor) = entry(&pivot) {
        scale(&mut pivot, inverse(factor));
    }
    space
        .into_iter()
        .map(|vector| match entry(&vector) {
            Some(factor) => minus(&vector, &pivot, factor),
            None => vector,
        })
        .filter(|vector| !vector.is_empty())
        .collect()
}

/// `vector − factor · row`
fn minus(vector: &Vector, row: &Vector, factor: u64) -> Vector {
    let mut difference = Vec::with_capacity(vector.len() + row.len());
    let (mut left, mut right) = (vector.iter().peekable(), row.iter().peekable());
    loop {
        let (atom, entry) = match (left.peek(), right.peek()) {
            (None, None) => return difference,
            (Some(&&(atom, entry)), other) if other.is_none_or(|(place, _)| atom < *place) => {
                left.next();
                (atom, entry)
            }
            (Some(&&(atom, entry)), Some(&&(place, taken))) if atom == place => {
                left.next();
                right.next();
                (atom, (entry + PRIME - product(taken, factor)) % PRIME)
            }
            (_, Some(&&(place, taken))) => {
                right.next();
                (place, (PRIME - product(taken, factor)) % PRIME)
            }
            (Some(&&(atom, entry)), None) => {
                left.next();
                (atom, entry)
            }
        };
        if entry != 0 {
            difference.push((atom, entry));
        }
    }
}

fn scale(vector: &mut Vector, factor: u64) {
    vector.iter_mut().for_each(|(_, entry)| *entry = product(*entry, factor));
}

fn product(one: u64, other: u64) -> u64 {
    (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64
}

/// By Fermat: a^(p − 2).
fn inverse(of: u64) -> u64 {
    let (mut result, mut base, mut exponent) = (1, of, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = product(result, base);
        }
        base = product(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{PRIME, Partition, inverse, product, tells_of_few};

    /// One row for each of `n` people.
    fn people(n: u64) -> Vec<u64> {
        (0..n).collect()
    }

    fn set(n: usize, of: impl Fn(usize) -> bool) -> Partition {
        (0..n).map(|row| u32::from(of(row))).collect()
    }

    #[test]
    fn the_field_has_inverses() {
        for number in [1, 2, 3, 1_000_003, PRIME - 1] {
            assert_eq!(product(number, inverse(number)), 1);
        }
    }

    #[test]
    fn small_sets_and_small_differences_are_found() {
        let all = set(40, |_| true);
        assert!(!tells_of_few(&people(40), &[&all], 5));
        assert!(tells_of_few(&people(40), &[&all], 41), "the set itself is small");
        let most = set(40, |row| row > 2);
        assert!(tells_of_few(&people(40), &[&all, &most], 5), "three are left out");
        let half = set(40, |row| row > 20);
        assert!(!tells_of_few(&people(40), &[&all, &half], 5));
        assert!(!tells_of_few(&people(40), &[&half, &half], 5), "the same again tells nothing");
    }

    #[test]
    fn a_tracker_of_three_is_found_where_no_two_differ_by_few() {
        let (one, other) = (set(41, |row| row < 20), set(41, |row| (20..40).contains(&row)));
        let both_and_one_more = set(41, |_| true);
        assert!(!tells_of_few(&people(41), &[&one, &other], 5));
        assert!(!tells_of_few(&people(41), &[&one, &both_and_one_more], 5));
        assert!(tells_of_few(&people(41), &[&one, &other, &both_and_one_more], 5));
    }

    #[test]
    fn longer_trackers_are_found_too() {
        // Blocks a, b, c of ten, and one person x: a+b, b+c, c+a+x and a+b+c give x with the factor 2.
        let block = |row: usize| row / 10;
        let sets = [
            set(31, |row| row < 30 && block(row) < 2),
            set(31, |row| row < 30 && block(row) > 0),
            set(31, |row| row == 30 || block(row) != 1),
            set(31, |row| row < 30),
        ];
        let three: Vec<&Partition> = sets[..3].iter().collect();
        assert!(!tells_of_few(&people(31), &three, 5));
        assert!(tells_of_few(&people(31), &sets.iter().collect::<Vec<_>>(), 5));
    }

    #[test]
    fn two_small_parts_together_may_be_enough_and_people_count_once() {
        // A+s and A+t differ by s and t: six people each, twelve in all.
        let sets = [set(42, |row| row < 36), set(42, |row| row < 30 || row >= 36)];
        let sets: Vec<&Partition> = sets.iter().collect();
        assert!(!tells_of_few(&people(42), &sets, 10));
        assert!(tells_of_few(&people(42), &sets, 13));
        // If both parts are rows of the same six people, they are six.
        let whose: Vec<u64> = (0..42).map(|row| if row < 36 { row } else { row - 6 }).collect();
        assert!(tells_of_few(&whose, &sets, 10));
    }

    /// Every combination with small factors, tried one by one.
    #[test]
    fn nothing_that_a_slow_search_finds_is_missed() {
        let mut state = 7_u64;
        let mut dice = move |sides: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % sides
        };
        for round in 0..200 {
            let rows = 12 + dice(8) as usize;
            let sets: Vec<Partition> =
                (0..3).map(|_| (0..rows).map(|_| u32::from(dice(3) > 0)).collect()).collect();
            let least = 2 + dice(4) as usize;
            let mut slow = false;
            for code in 0..125_usize {
                let factors = [code % 5, code / 5 % 5, code / 25].map(|factor| factor as i64 - 2);
                let about = (0..rows)
                    .filter(|row| {
                        factors.iter().zip(&sets).map(|(f, set)| f * i64::from(set[*row])).sum::<i64>() != 0
                    })
                    .count();
                slow |= (1..least).contains(&about);
            }
            let sets: Vec<&Partition> = sets.iter().collect();
            let fast = tells_of_few(&people(rows as u64), &sets, least as u32);
            assert!(fast || !slow, "round {round}: missed");
        }
    }
}
