//! Classes in people without counting everybody: most classes are so large that their rows decide.

use super::{FEW, Values};
use crate::grouping::{Class, Distribution};
use crate::table::People;

/// The classes of a node, for criteria that more people never hurt.
///
/// Of `n` presences in a class a person has at most `most_tuples` tuples, so at least `n / most_tuples` people are there, and at most
/// `n`. Where that does not decide, the people are counted; and where a dozen people of a class are enough for its criteria, the others are not
/// looked at.
#[derive(Debug)]
pub struct Crowds<'a> {
    people: &'a People,
    /// By tuple.
    class_of: &'a [u32],
    /// By class: presences of people.
    presences: Vec<u32>,
}

impl<'a> Crowds<'a> {
    /// `class_of` says which of `classes` classes every tuple belongs to.
    pub fn new(people: &'a People, class_of: &'a [u32], classes: usize) -> Crowds<'a> {
        let mut presences = vec![0u32; classes];
        for (&class, &more) in class_of.iter().zip(people.presences().rows()) {
            presences[class as usize] += more;
        }
        Crowds { people, class_of, presences }
    }

    /// The tuples of some classes, with their class.
    fn tuples<'s>(&'s self, wanted: impl Fn(usize) -> bool + 's) -> impl Iterator<Item = (u32, u32)> + 's {
        (0u32..).zip(self.class_of.iter().copied()).filter(move |&(_, class)| wanted(class as usize))
    }

    /// Everybody who is in some classes: class and person in one number, and the presence. In their order.
    fn members(&self, wanted: impl Fn(usize) -> bool) -> Vec<(u64, u32)> {
        let mut members = Vec::new();
        for (tuple, class) in self.tuples(wanted) {
            members.extend(self.people.presences_of(tuple).iter().map(|&presence| {
                ((u64::from(class) << 32) | u64::from(self.people.person_of(presence)), presence)
            }));
        }
        members.sort_unstable();
        members
    }

    /// By class: whether it has people, but fewer than `least`.
    pub fn too_small(&self, least: u64) -> Vec<bool> {
        let most = u64::from(self.people.most_tuples().max(1));
        let enough = least.saturating_sub(1).saturating_mul(most);
        let mut fails: Vec<bool> =
            self.presences.iter().map(|&found| found > 0 && u64::from(found) < least).collect();
        let doubtful = |class: usize| (least..=enough).contains(&u64::from(self.presences[class]));
        for class in self.members(doubtful).chunk_by(|a, b| a.0 >> 32 == b.0 >> 32) {
            fails[(class[0].0 >> 32) as usize] = (class.chunk_by(|a, b| a.0 == b.0).count() as u64) < least;
        }
        fails
    }

    /// How many people have a row in a class that fails.
    pub fn losing(&self, fails: &[bool]) -> u64 {
        let mut lost = vec![false; self.people.len()];
        let mut losing = 0;
        for (tuple, _) in self.tuples(|class| fails[class]) {
            for &presence in self.people.presences_of(tuple) {
                let person = self.people.person_of(presence) as usize;
                losing += u64::from(!std::mem::replace(&mut lost[person], true));
            }
        }
        losing
    }

    /// Asks `holds` about every class that does not fail, which has at least `least` people, with its values: first those of a few people, then, where
    /// that is not enough, of everybody.
    pub fn judge(&self, least: u64, fails: &mut [bool], mut holds: impl FnMut(&Class<'_>) -> bool) {
        let mut columns: Vec<Values> = self.people.cardinalities().map(Values::new).collect();
        let few = self.few(fails);
        let mut doubtful = vec![false; fails.len()];
        for (class, (own, count)) in few.0.chunks_exact(FEW).zip(&few.1).enumerate() {
            if *count > 0 {
                // Presences of different people: any numbers tell them apart.
                let own = own[..usize::from(*count)].iter().map(|&presence| (presence, presence));
                doubtful[class] =
                    !self.with_values(&mut columns, least.max(u64::from(*count)), own, &mut holds);
            }
        }
        if !doubtful.contains(&true) {
            return;
        }
        for class in self.members(|class| doubtful[class]).chunk_by(|a, b| a.0 >> 32 == b.0 >> 32) {
            let people = class.chunk_by(|a, b| a.0 == b.0).count() as u64;
            let members = class.iter().map(|&(member, presence)| (presence, member as u32));
            fails[(class[0].0 >> 32) as usize] = !self.with_values(&mut columns, people, members, &mut holds);
        }
    }

    /// By class that does not fail: a presence of each of its first people, and how many of these there are.
    fn few(&self, fails: &[bool]) -> (Vec<u32>, Vec<u8>) {
        let (mut few, mut counts) = (vec![0u32; fails.len() * FEW], vec![0u8; fails.len()]);
        for (tuple, class) in self.tuples(|class| !fails[class]) {
            let (own, count) = (&mut few[class as usize * FEW..][..FEW], &mut counts[class as usize]);
            for &presence in self.people.presences_of(tuple) {
                if usize::from(*count) == FEW {
                    break;
                }
                let person = |presence: u32| self.people.person_of(presence);
                if own[..usize::from(*count)].iter().all(|&known| person(known) != person(presence)) {
                    own[usize::from(*count)] = presence;
                    *count += 1;
                }
            }
        }
        (few, counts)
    }

    /// Asks about a class with this number of people and the values of these presences, person by person.
    fn with_values(
        &self,
        columns: &mut [Values],
        people: u64,
        presences: impl Iterator<Item = (u32, u32)> + Clone,
        holds: &mut impl FnMut(&Class<'_>) -> bool,
    ) -> bool {
        for (column, values) in columns.iter_mut().enumerate() {
            values.gather(self.people, column, presences.clone());
        }
        let distributions: Vec<Distribution<'_>> = columns.iter().map(Values::distribution).collect();
        let answer = holds(&Class { rows: people, population: people, distributions: &distributions });
        columns.iter_mut().for_each(Values::clear);
        answer
    }
}
