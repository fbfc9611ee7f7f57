//! Which rows a party has counters for (protocol C), and counters in the order of persons.
//!
//! Horizontally a party counts its own rows. Vertically all parties hold the same persons, and each person is counted once: by the party that
//! its encrypted identifier falls to. So the parties share the encryption of counters, and whoever sees an identifier knows whose counter to
//! expect; it says nothing of whether the person is real. Marks are known to one party, which therefore counts all rows to release.

use crate::crypto::Token;
use crate::error::ProtocolError;
use crate::parties::{Holds, PartyId};
use crate::plan::{Plan, Role, Split};
use crate::wire::{CounterList, EncryptedPart};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

/// What counters say of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Whether it is of the table to release.
    Rows,
    /// Whether it belongs to a person; made-up rows do not.
    Population,
}

/// The rows of a part that its party has counters for, ascending: one counter each, in this order.
pub(crate) fn counted_rows(plan: &Plan, party: PartyId, part: &EncryptedPart, counts: Counts) -> Vec<u32> {
    let all = 0..part.rows;
    if counts == Counts::Population && !plan.marks_rows() {
        return Vec::new();
    }
    if plan.split == Split::Horizontal {
        return all.collect();
    }
    let marks = plan.columns.iter().find(|column| column.role == Role::Membership);
    if let (Counts::Rows, Some(marks)) = (counts, marks) {
        return if marks.owner == party { all.collect() } else { Vec::new() };
    }
    let counting = counting(plan);
    let falls_here = |row: &u32| {
        part.identifiers.get(*row as usize).and_then(|identifier| falls_to(identifier, &counting))
            == Some(party)
    };
    all.into_par_iter().filter(falls_here).collect()
}

/// The parties that share the counting.
fn counting(plan: &Plan) -> Vec<PartyId> {
    let members = (0..).map(PartyId).zip(&plan.members);
    members.filter(|(_, member)| member.holds == Holds::Data).map(|(party, _)| party).collect()
}

/// Ciphertexts are as good as random, and so is who counts whom.
fn falls_to(identifier: &Token, counting: &[PartyId]) -> Option<PartyId> {
    let digest: [u8; 32] = Sha256::digest(&identifier.0).into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    let drawn = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let place = drawn.checked_rem(counting.len() as u64)?;
    counting.get(place as usize).copied()
}

/// Vertical: the counters of all parties in the order of all persons, who are sorted; none where nobody counts.
pub(super) fn counters_of_persons(
    plan: &Plan,
    persons: &[&Token],
    parts: &[EncryptedPart],
    counts: Counts,
) -> Result<CounterList, ProtocolError> {
    let lists = parts.iter().map(|part| match counts {
        Counts::Rows => &part.counters.0,
        Counts::Population => &part.population.0,
    });
    if lists.clone().all(Vec::is_empty) {
        return Ok(CounterList::default());
    }
    let mut found: Vec<Option<[u8; 64]>> = vec![None; persons.len()];
    for ((party, part), counters) in (0..).map(PartyId).zip(parts).zip(lists) {
        let place = |row: &u32| {
            let identifier = part.identifiers.get(*row as usize)?;
            persons.binary_search(&identifier).ok()
        };
        let rows = counted_rows(plan, party, part, counts);
        let places: Vec<Option<usize>> = rows.par_iter().map(place).collect();
        for (place, counter) in places.into_iter().zip(counters) {
            let place = place.and_then(|at| found.get_mut(at));
            *place.ok_or(ProtocolError::Identifiers("one of nobody"))? = Some(*counter);
        }
    }
    let all: Option<Vec<[u8; 64]>> = found.into_iter().collect();
    Ok(CounterList(all.ok_or(ProtocolError::Identifiers("a person whom nobody counts"))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JointTable, Protocol, PseudoRows, PseudoShape};

    fn plan(parties: u16) -> Plan {
        let pseudo = PseudoRows { percent: 100, shape: PseudoShape::Flat };
        JointTable::example().plan(Protocol::C(pseudo), Split::Vertical, parties)
    }

    /// A part with this number of persons; counters say whose they are.
    fn part(plan: &Plan, party: PartyId, persons: u32) -> EncryptedPart {
        let token = |person: u32| Token(Box::new(person.to_le_bytes()));
        let identifiers = (0..persons).map(|person| token(person.wrapping_mul(2_654_435_761))).collect();
        let mut part = EncryptedPart { rows: persons, identifiers, ..EncryptedPart::default() };
        let counted = counted_rows(plan, party, &part, Counts::Rows);
        part.counters = CounterList(vec![[party.0 as u8; 64]; counted.len()]);
        part
    }

    #[test]
    fn everybody_is_counted_once_and_all_count_about_as_many() {
        for parties in 2..=3 {
            let plan = plan(parties);
            let persons = 6000;
            let parts: Vec<EncryptedPart> =
                (0..parties).map(|party| part(&plan, PartyId(party), persons)).collect();
            let shares: Vec<usize> = parts.iter().map(|part| part.counters.0.len()).collect();
            assert_eq!(shares.iter().sum::<usize>(), persons as usize);
            let fair = persons as usize / usize::from(parties);
            assert!(shares.iter().all(|share| share.abs_diff(fair) < fair / 10), "{shares:?}");
            let mut all: Vec<&Token> = parts[0].identifiers.iter().collect();
            all.sort_unstable();
            let counters = counters_of_persons(&plan, &all, &parts, Counts::Rows).unwrap();
            let counting = counting(&plan);
            for (person, counter) in all.iter().zip(&counters.0) {
                assert_eq!(falls_to(person, &counting), Some(PartyId(counter[0].into())));
            }
        }
    }

    #[test]
    fn a_person_whom_nobody_counts_ends_the_run() {
        let plan = plan(2);
        let mut parts: Vec<EncryptedPart> = (0..2).map(|party| part(&plan, PartyId(party), 50)).collect();
        let all = parts[0].identifiers.clone();
        let mut all: Vec<&Token> = all.iter().collect();
        all.sort_unstable();
        parts[1].counters.0.pop();
        let error = counters_of_persons(&plan, &all, &parts, Counts::Rows).unwrap_err();
        assert!(error.to_string().contains("whom nobody counts"), "{error}");
    }
}
