//! What exact answers tell together: combinations that are about few people.
//!
//! An answer about a set of rows is a 0/1 vector over *atoms*: rows that are in exactly the same answered sets. Whoever has the answers has every
//! linear combination of them. A combination whose atoms hold fewer than `least` people tells of those people, however many answers it
//! takes (Chin and Özsoyoğlu, "Auditing and inference control in statistical databases", IEEE TSE 8(6), 1982).
//!
//! Vectors are reduced over the field of 2^61 − 1 elements, atoms with enough people first. What is left without an entry there is the space of
//! all combinations about small atoms alone; in it the lightest vector is looked for by branching, with people counted once however many
//! rows they have. Where that takes too long the verdict is the strict one.

pub use crate::state::people::Partition;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
/// Multiplications after which nothing more is found out, and nothing released.
const MOST_STEPS: u64 = 300_000_000;
/// Branches after which the same holds.
const MOST_BRANCHES: u32 = 50_000;

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
