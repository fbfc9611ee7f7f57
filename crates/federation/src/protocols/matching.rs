//! Counting the people that parties have in common, on a ring of commutative encryption.
//!
//! Result  every primary party: how many people each party has, how many each two have in common, and how many all have.
//! Learns  nobody learns who they are: every list comes back with a layer of each party, sorted by ciphertext.
//! Trust   semi-honest. Who brings made-up identifiers learns how many of them others have.
//! Cost    n(n−1) lists round the ring and n(n−1) to everybody; n·r multiplications per party.
//!
//! Agrawal, Evfimievski & Srikant, "Information sharing across private databases", SIGMOD 2003: intersection size.

use super::ring::encrypt::{left, right};
use super::{Context, Outbox, Phase, State, Stepped, next, unexpected};
use crate::crypto::{CommutativeLayer, Domain, GroupKey, NotAToken, RistrettoLayer, Token};
use crate::error::ProtocolError;
use crate::label;
use crate::matches::Matches;
use crate::parties::PartyId;
use crate::wire::Message;
use std::collections::BTreeMap;

/// What comes after the counting.
pub(super) type Then = Box<dyn FnOnce(Matches, GroupKey, &mut Context<'_>) -> Stepped + Send>;

/// Why lists do not go together.
const OTHER_NUMBER: &str = "a list has another number of people than when it passed here";

/// Round 1: every list goes once round the ring, to the right, and gets a layer of everybody.
struct Passing {
    group: GroupKey,
    layer: RistrettoLayer,
    /// By whose list passed here: how many people it had.
    lengths: BTreeMap<PartyId, usize>,
    then: Then,
}

/// Encrypts the party's own list, and sends it to the right.
pub(super) fn start(
    group: GroupKey,
    identifiers: &[String],
    then: Then,
    context: &mut Context<'_>,
) -> Stepped {
    let layer = RistrettoLayer::random(context.rng);
    let labels: Vec<Vec<u8>> = identifiers.iter().map(|text| label::encode(Some(text))).collect();
    let list = in_order(group.group_hash(Domain::People).hash_under(&layer, &labels)?);
    let lengths = BTreeMap::from([(context.me, list.len())]);
    let outbox = vec![(right(context), Message::People(context.conduct.passes_on(list)))];
    next(Passing { group, layer, lengths, then }, outbox)
}

/// Sorted by ciphertexts: the order says nothing of the one before.
fn in_order(mut tokens: Vec<Token>) -> Vec<Token> {
    tokens.sort_unstable();
    tokens
}

impl State for Passing {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![left(context)]
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::People(list))) = message else {
            return Err(unexpected(message, context.me));
        };
        let n = context.plan.primaries();
        let hops = self.lengths.len() as u16;
        let whose = PartyId((context.me.0 + n - hops) % n);
        self.lengths.insert(whose, list.len());
        let not_a_list =
            |_: NotAToken| ProtocolError::Unfit { from, why: "a list with something else in it" };
        let list = in_order(self.layer.add(&list).map_err(not_a_list)?);
        let list = context.conduct.passes_on(list);
        if hops + 1 < n {
            return next(*self, vec![(right(context), Message::People(list))]);
        }
        // Now this party holds the list of its right neighbour, with all layers on.
        let outbox: Outbox = (context.plan.others(context.me).into_iter())
            .map(|party| (party, Message::Everyone(list.clone())))
            .collect();
        let gathering = Gathering {
            group: self.group,
            lengths: self.lengths,
            lists: BTreeMap::from([(whose, list)]),
            then: self.then,
        };
        next(gathering, outbox)
    }
}

/// Round 2: everybody sees all lists with all layers on.
struct Gathering {
    group: GroupKey,
    lengths: BTreeMap<PartyId, usize>,
    lists: BTreeMap<PartyId, Vec<Token>>,
    then: Then,
}

/// Whose list a party holds at the end: its right neighbour's.
fn held_by(party: PartyId, context: &Context<'_>) -> PartyId {
    PartyId((party.0 + 1) % context.plan.primaries())
}

impl State for Gathering {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        let missing = |party: &PartyId| !self.lists.contains_key(&held_by(*party, context));
        context.plan.others(context.me).into_iter().filter(missing).collect()
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Everyone(list))) = message else {
            return Err(unexpected(message, context.me));
        };
        let whose = held_by(from, context);
        if self.lengths.get(&whose) != Some(&list.len()) {
            return Err(ProtocolError::Identifiers(OTHER_NUMBER));
        }
        self.lists.insert(whose, list);
        if self.lists.len() < usize::from(context.plan.primaries()) {
            return next(*self, Vec::new());
        }
        (self.then)(Matches::of(&self.lists), self.group, context)
    }
}
