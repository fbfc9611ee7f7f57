//! The protocols as state machines: a folder per protocol, a file per role. A step consumes its state and gives the next one with the messages to send; it
//! sends nothing itself.

mod agree;
mod conduct;
mod counting;
mod fit;
mod helper;
mod matching;
mod recount;
mod ring;
mod sealing;
mod union;

use crate::data::PartyTable;
use crate::error::ProtocolError;
use crate::outcome::Outcome;
use crate::parties::PartyId;
use crate::plan::{Plan, Protocol, SamePerson};
use crate::wire::Message;
pub use crate::wire::Phase;
pub(crate) use conduct::Conduct;
#[cfg(test)]
pub(crate) use conduct::{Blunder, Forgery};
#[cfg(test)]
pub(crate) use sealing::seal_release;
pub(crate) use sealing::{Ciphers, Siv};

/// What every step may use.
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) me: PartyId,
    pub(crate) rng: &'a mut dyn rand_core::CryptoRng,
    pub(crate) conduct: &'a Conduct,
}

/// Messages to send.
pub(crate) type Outbox = Vec<(PartyId, Message)>;

/// What follows a step.
pub(crate) enum Next {
    State(Box<dyn State>),
    Done(Outcome),
}

pub(crate) type Stepped = Result<(Next, Outbox), ProtocolError>;

/// A state of a party.
pub(crate) trait State: Send {
    /// What the next step belongs to.
    fn phase(&self) -> Phase;
    /// Whose messages can be taken now; nobody's: the state goes on by itself.
    fn wants(&self, context: &Context<'_>) -> Vec<PartyId>;
    /// The next step, with a message of one of [`wants`](State::wants).
    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped;
}

pub(crate) fn next(state: impl State + 'static, outbox: Outbox) -> Stepped {
    Ok((Next::State(Box::new(state)), outbox))
}

pub(crate) fn done(outcome: Outcome, outbox: Outbox) -> Stepped {
    Ok((Next::Done(outcome), outbox))
}

/// A message that has no place.
pub(crate) fn unexpected(message: Option<(PartyId, Message)>, me: PartyId) -> ProtocolError {
    match message {
        Some((from, message)) => ProtocolError::Unexpected { from, kind: message.kind() },
        None => ProtocolError::Unfit { from: me, why: "a step without a message" },
    }
}

/// The first step of a party with a part of the table. `ciphers` decides how a primary party of B or C encrypts.
pub(crate) fn start_primary(
    mut table: PartyTable,
    ciphers: Box<dyn Ciphers>,
    context: &mut Context<'_>,
) -> Stepped {
    let identifiers = match context.plan.same_person {
        SamePerson::CountedTwice => None,
        SamePerson::Refused => Some(std::mem::take(&mut table.identifiers)),
    };
    let then: agree::Then = match context.plan.protocol {
        Protocol::A => Box::new(move |key, context| ring::encrypt::start(key, table, context)),
        Protocol::B => Box::new(move |key, context| helper::primary::start(key, table, ciphers, context)),
        Protocol::C(pseudo) => {
            Box::new(move |key, context| counting::primary::start(key, table, pseudo, ciphers, context))
        }
    };
    let Some(identifiers) = identifiers else { return agree::start(then, context) };
    let disjoint: matching::Then = Box::new(move |matches, key, context| {
        if let Some((first, second, people)) = matches.at_two_parties() {
            return Err(ProtocolError::SamePerson { people, first, second });
        }
        then(key, context)
    });
    let counted: agree::Then =
        Box::new(move |key, context| matching::start(key, &identifiers, disjoint, context));
    agree::start(counted, context)
}

/// The first step of the helper.
pub(crate) fn start_helper(context: &mut Context<'_>) -> Stepped {
    match context.plan.protocol {
        Protocol::B => helper::searching::start(),
        Protocol::C(_) => counting::helper::start(),
        Protocol::A => Err(ProtocolError::Unfit { from: context.me, why: "protocol A has no helper" }),
    }
}

/// The first step of a primary party that puts its values of a column together with those of the others, and does nothing else.
pub(crate) fn start_union(values: Vec<String>, context: &mut Context<'_>) -> Stepped {
    union::start(values, context)
}

/// The first step of a primary party that only wants to know how many people the parties have in common.
pub(crate) fn start_matching(identifiers: Vec<String>, context: &mut Context<'_>) -> Stepped {
    let known: matching::Then = Box::new(|matches, _, _| done(Outcome::Matched(matches), Vec::new()));
    agree::start(Box::new(move |key, context| matching::start(key, &identifiers, known, context)), context)
}
