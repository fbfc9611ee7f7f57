//! Whose rows a set of tuples are.

use crate::table::People;

/// The presences of every tuple.
#[derive(Debug)]
pub(super) struct Presences {
    /// Tuple `t` has the presences `order[starts[t]..starts[t + 1]]`, ascending, so person by person.
    starts: Vec<u32>,
    order: Vec<u32>,
    /// By presence: the person.
    pub(super) person_of: Vec<u32>,
}

impl Presences {
    pub(super) fn new(people: &People) -> Presences {
        let tuples = people.tuples();
        let count = people.presences().tuple_count();
        let mut starts = vec![0u32; count + 1];
        tuples.iter().for_each(|&tuple| starts[tuple as usize + 1] += 1);
        for tuple in 1..starts.len() {
            starts[tuple] += starts[tuple - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0; tuples.len()];
        for (presence, &tuple) in (0u32..).zip(tuples) {
            let slot = &mut next[tuple as usize];
            order[*slot as usize] = presence;
            *slot += 1;
        }
        let mut person_of = Vec::with_capacity(tuples.len());
        for (person, presences) in (0u32..).zip(people.starts().windows(2)) {
            person_of.extend((presences[0]..presences[1]).map(|_| person));
        }
        Presences { starts, order, person_of }
    }

    /// The presences of a tuple.
    pub(super) fn of(&self, tuple: u32) -> &[u32] {
        &self.order[self.starts[tuple as usize] as usize..self.starts[tuple as usize + 1] as usize]
    }
}
