//! Cells are generalized to the agreed lowest levels before they leave.

use super::equality::hybrid;
use super::*;
use crate::crypto::{DeterministicCipher, GroupKey, NotAToken, Token};
use crate::protocols::{Ciphers, Conduct, Siv};
use crate::wire::{Frame, Message};
use crate::{Recorded, Role, SimulationError, label};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// By column and level: what was encrypted.
type Sealed = Arc<Mutex<BTreeMap<(u16, u8), BTreeSet<Vec<u8>>>>>;

/// Encrypts as usual and notes what.
struct Noting(Sealed);

struct NotingCipher {
    cipher: Box<dyn DeterministicCipher>,
    place: (u16, u8),
    sealed: Sealed,
}

impl Ciphers for Noting {
    fn level(&self, key: &GroupKey, column: u16, level: u8) -> Box<dyn DeterministicCipher> {
        let cipher = Siv.level(key, column, level);
        Box::new(NotingCipher { cipher, place: (column, level), sealed: self.0.clone() })
    }
}

impl DeterministicCipher for NotingCipher {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        self.sealed.lock().unwrap().entry(self.place).or_default().extend(labels.iter().cloned());
        self.cipher.seal(labels)
    }

    fn open(&self, token: &Token) -> Result<Vec<u8>, NotAToken> {
        self.cipher.open(token)
    }
}

/// Ages leave as ranges, zip codes without their last two digits.
fn lifted(mut plan: Plan) -> Plan {
    for (column, level) in plan.columns.iter_mut().zip([0, 1, 2]) {
        if let Role::QuasiIdentifier { lowest, .. } = &mut column.role {
            *lowest = level;
        }
    }
    plan
}

/// Every protocol and split, the made-up rows that are usual among them.
fn plans(table: &JointTable) -> Vec<Plan> {
    let mut plans = vec![lifted(hybrid(table))];
    for protocol in [Protocol::A, Protocol::B, COPIES, BLOCKS, FLAT] {
        for split in [Split::Horizontal, Split::Vertical] {
            plans.push(lifted(table.plan(protocol, split, 3)));
        }
    }
    plans
}

/// What is finer than agreed and left a party all the same: labels where they can be read, else tokens too many. And how the run ended.
fn finer(
    plan: &Plan,
    table: &JointTable,
    forgetful: Option<PartyId>,
) -> (BTreeSet<PartyId>, Result<Run, SimulationError>) {
    let sealed: BTreeMap<PartyId, Sealed> =
        plan.parties().into_iter().map(|party| (party, Sealed::default())).collect();
    let mut tokens: BTreeMap<(PartyId, u16), usize> = BTreeMap::new();
    let tap = |message: &Recorded| {
        if let Message::Part(part) = Frame::decode(&message.bytes, 1 << 30).unwrap().message {
            // On a ring, parts of others pass afterwards.
            for column in part.columns {
                tokens.entry((message.from, column.column)).or_insert(column.tokens.len());
            }
        }
    };
    let conduct = |party| Conduct { forgets_to_lift: Some(party) == forgetful, ..Conduct::default() };
    let ended = Simulation::seeded(5)
        .with_ciphers(|party| Box::new(Noting(sealed[&party].clone())))
        .with_conduct(conduct)
        .tapped(tap)
        .run(plan, table.deal(plan));
    let mut found = BTreeSet::new();
    for (number, part) in (0u16..).zip(table.deal(plan)) {
        for (position, column) in plan.columns_of(PartyId(number)).into_iter().zip(&part.columns) {
            let (lowest, ladder) = (plan.lowest_level(position), column.ladder.as_ref().unwrap());
            let allowed: usize = (lowest..=ladder.max_level()).map(|level| ladder.cardinality(level)).sum();
            if tokens.get(&(PartyId(number), position)).is_some_and(|&sent| sent > allowed) {
                found.insert(PartyId(number));
            }
            for ((of, _), labels) in sealed[&PartyId(number)].lock().unwrap().iter() {
                let of_level = |level: u8| ladder.rung(level).labels.iter();
                let coarse: BTreeSet<Vec<u8>> = (lowest..=ladder.max_level())
                    .flat_map(of_level)
                    .map(|text| label::encode(text.as_deref()))
                    .collect();
                if *of == position && !labels.is_subset(&coarse) {
                    found.insert(PartyId(number));
                }
            }
        }
    }
    (found, ended)
}

#[test]
fn no_token_finer_than_agreed_leaves_a_party() {
    let table = JointTable::example();
    for plan in plans(&table) {
        let (found, ended) = finer(&plan, &table, None);
        assert_eq!(found, BTreeSet::new(), "{:?} {:?}", plan.protocol, plan.split);
        assert_equals_central(&plan, &table, &ended.unwrap());
    }
}

#[test]
fn a_party_that_forgets_to_generalize_is_noticed() {
    let table = JointTable::example();
    for plan in plans(&table) {
        // Vertically the first party holds a column without a lowest level.
        for forgetful in [party(1), party(2)] {
            // The run may end anywhere.
            let (found, _) = finer(&plan, &table, Some(forgetful));
            assert_eq!(found, BTreeSet::from([forgetful]), "{:?} {:?}", plan.protocol, plan.split);
        }
    }
}
