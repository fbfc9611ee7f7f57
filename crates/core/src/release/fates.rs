//! What becomes of tuples.

use crate::grouping::{Classes, Layout};
use crate::hierarchy::Ladder;
use crate::lattice::Node;
use hashbrown::HashSet;
use std::sync::Arc;

/// What becomes of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Released.
    Kept,
    /// Left out.
    Suppressed,
}

/// The fate of every tuple: written down where the tuples are in memory, else looked up by class.
#[derive(Debug, Clone)]
pub enum Fates {
    /// By tuple of the frequency table.
    OfTuples(Vec<Fate>),
    /// Of people: all rows of a person are kept, or none.
    OfPeople {
        /// By tuple of the frequency table: [`Fate::Kept`] if a row of it is.
        tuples: Vec<Fate>,
        /// By the number that a person was given.
        people: Vec<Fate>,
    },
    /// All classes but these are kept: there are never more of them than rows may be left out.
    AllBut(SuppressedClasses),
}

impl Fates {
    /// The fate of a tuple, by its number in the frequency table and the codes of its quasi-identifiers. Where people are kept or left out
    /// as a whole, a tuple is kept if one of its rows is; [`by_person`](Self::by_person) says whose.
    pub fn of(&self, tuple: usize, codes: &[u32]) -> Fate {
        match self {
            Fates::OfTuples(fates) | Fates::OfPeople { tuples: fates, .. } => fates[tuple],
            Fates::AllBut(suppressed) => suppressed.fate(codes),
        }
    }

    /// By tuple of the frequency table; empty where the tuples are not in memory.
    pub fn by_tuple(&self) -> &[Fate] {
        match self {
            Fates::OfTuples(fates) | Fates::OfPeople { tuples: fates, .. } => fates,
            Fates::AllBut(_) => &[],
        }
    }

    /// By the number of a person, where people are kept or left out as a whole.
    pub fn by_person(&self) -> Option<&[Fate]> {
        match self {
            Fates::OfPeople { people, .. } => Some(people),
            Fates::OfTuples(_) | Fates::AllBut(_) => None,
        }
    }
}

/// The classes under a node that are left out.
#[derive(Debug, Clone)]
pub struct SuppressedClasses {
    layout: Arc<Layout>,
    /// By quasi-identifier: code → group.
    groups: Vec<Vec<u32>>,
    words: HashSet<Box<[u64]>>,
}

impl SuppressedClasses {
    /// None yet, of this node.
    pub(crate) fn none(layout: Arc<Layout>, ladders: &[Ladder], node: &Node) -> SuppressedClasses {
        let rungs = ladders.iter().zip(node.levels());
        let groups = rungs.map(|(ladder, &level)| ladder.rung(level).group_of.clone()).collect();
        SuppressedClasses { layout, groups, words: HashSet::new() }
    }

    pub(crate) fn insert(&mut self, classes: &Classes, class: usize) {
        self.words.insert(classes.words_of(class).into());
    }

    fn fate(&self, codes: &[u32]) -> Fate {
        if self.words.is_empty() {
            return Fate::Kept;
        }
        let groups = self.groups.iter().zip(codes).map(|(groups, &code)| groups[code as usize]);
        let mut words = [0u64; SHORT];
        let mut long = Vec::new();
        let words = if self.layout.words <= SHORT {
            &mut words[..self.layout.words]
        } else {
            long.resize(self.layout.words, 0);
            &mut long[..]
        };
        self.layout.write(groups, words);
        if self.words.contains(&*words) { Fate::Suppressed } else { Fate::Kept }
    }
}

/// Largest number of words of a tuple that is looked up without an allocation.
const SHORT: usize = 4;
