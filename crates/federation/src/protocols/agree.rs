//! Group key agreement of the primary parties.
//!
//! Result  one key for all primary parties.   Learns  nobody else learns it.
//! Trust   semi-honest.                       Cost    2 rounds of n(n−1) messages of 32 bytes.

use super::{Context, Phase, State, Stepped, next, unexpected};
use crate::crypto::{Agreement, Confirmation, Contribution, GroupKey};
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::wire::Message;
use std::collections::BTreeMap;

/// What comes after the agreement.
pub(super) type Then = Box<dyn FnOnce(GroupKey, &mut Context<'_>) -> Stepped + Send>;

/// Round 1: everybody's contribution.
struct Contributing {
    side: Agreement,
    contributions: BTreeMap<PartyId, Contribution>,
    then: Then,
}

/// Round 2: everybody's confirmation.
struct Confirming {
    side: Agreement,
    contributions: Vec<Contribution>,
    confirmations: BTreeMap<PartyId, Confirmation>,
    then: Then,
}

pub(super) fn start(then: Then, context: &mut Context<'_>) -> Stepped {
    let (side, mine) = Agreement::start(usize::from(context.me.0), context.rng);
    let outbox = to_others(context, || Message::Contribution(mine));
    next(Contributing { side, contributions: BTreeMap::from([(context.me, mine)]), then }, outbox)
}

fn to_others(context: &Context<'_>, message: impl Fn() -> Message) -> super::Outbox {
    context.plan.others(context.me).into_iter().map(|party| (party, message())).collect()
}

fn missing<T>(context: &Context<'_>, known: &BTreeMap<PartyId, T>) -> Vec<PartyId> {
    context.plan.others(context.me).into_iter().filter(|party| !known.contains_key(party)).collect()
}

impl State for Contributing {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        missing(context, &self.contributions)
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Contribution(point))) = message else {
            return Err(unexpected(message, context.me));
        };
        self.contributions.insert(from, point);
        if !missing(context, &self.contributions).is_empty() {
            return next(*self, Vec::new());
        }
        let contributions: Vec<Contribution> = self.contributions.into_values().collect();
        let mine = self.side.confirm(&contributions)?;
        let outbox = to_others(context, || Message::Confirmation(mine));
        let confirmations = BTreeMap::from([(context.me, mine)]);
        next(Confirming { side: self.side, contributions, confirmations, then: self.then }, outbox)
    }
}

impl State for Confirming {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        missing(context, &self.confirmations)
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Confirmation(point))) = message else {
            return Err(unexpected(message, context.me));
        };
        self.confirmations.insert(from, point);
        if !missing(context, &self.confirmations).is_empty() {
            return next(*self, Vec::new());
        }
        let confirmations: Vec<Confirmation> = self.confirmations.into_values().collect();
        let key = self.side.finish(&context.plan.digest(), &self.contributions, &confirmations)?;
        // Then the key would be as good as public: somebody copies.
        let all_equal = self.contributions.windows(2).all(|pair| pair[0] == pair[1]);
        if all_equal {
            return Err(ProtocolError::Unfit {
                from: context.me,
                why: "all contributions to the key are equal",
            });
        }
        next(Agreed { key, then: self.then }, Vec::new())
    }
}

/// The key is there; what follows is the protocol's own.
struct Agreed {
    key: GroupKey,
    then: Then,
}

impl State for Agreed {
    fn phase(&self) -> Phase {
        Phase::Encrypt
    }

    fn wants(&self, _: &Context<'_>) -> Vec<PartyId> {
        Vec::new()
    }

    fn step(self: Box<Self>, _: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        (self.then)(self.key, context)
    }
}
