//! Putting values together on a ring of commutative encryption: a secure set union.
//!
//! Result  every primary party: all values of a column, each once.
//! Learns  nobody learns whose a value is, nor how often it occurs.
//! Trust   semi-honest. With two parties, what one does not have is the other's.
//! Cost    n(n−1) lists round the ring, n−1 to put together, n−1 to open, n−1 to tell; n·v multiplications per party for lists of v values.
//!
//! Values are points that hold their text, so that the last layer opens them: nobody has to say which ones it recognises, which would
//! tell whose they are. Clifton, Kantarcioglu, Vaidya, Lin & Zhu, "Tools for privacy preserving distributed data mining", SIGKDD
//! Explorations 4(2), 2002: secure set union. Needed where values decide a hierarchy (Kohlmayer 2015, 4.7.4).

use super::ring::encrypt::{left, right};
use super::{Context, Outbox, Phase, State, Stepped, done, next, unexpected};
use crate::crypto::{CommutativeLayer, NotAToken, RistrettoLayer, Token, embed, extract};
use crate::data::DataError;
use crate::error::ProtocolError;
use crate::outcome::{Outcome, United};
use crate::parties::PartyId;
use crate::wire::Message;
use std::collections::BTreeSet;

/// What a party knows from the first step to the last.
struct Own {
    layer: RistrettoLayer,
    values: Vec<String>,
}

impl Own {
    /// The list with another layer, or one less, in the order of ciphertexts: it says nothing of the order before.
    fn turned(
        list: &[Token],
        from: PartyId,
        turn: impl Fn(&[Token]) -> Result<Vec<Token>, NotAToken>,
    ) -> Result<Vec<Token>, ProtocolError> {
        let not_a_list =
            |_: NotAToken| ProtocolError::Unfit { from, why: "a list with something else in it" };
        let mut turned = turn(list).map_err(not_a_list)?;
        turned.sort_unstable();
        Ok(turned)
    }

    fn sealed(&self, list: &[Token], from: PartyId) -> Result<Vec<Token>, ProtocolError> {
        Own::turned(list, from, |list| self.layer.add(list))
    }

    fn opened(&self, list: &[Token], from: PartyId) -> Result<Vec<Token>, ProtocolError> {
        Own::turned(list, from, |list| self.layer.remove(list))
    }
}

/// Encrypts the party's own values, and sends them to the right.
pub(super) fn start(values: Vec<String>, context: &mut Context<'_>) -> Stepped {
    let too_long = DataError::Values("one has more than 29 bytes");
    let points: Option<Vec<Token>> = values.iter().map(|value| embed(value)).collect();
    let own = Own { layer: RistrettoLayer::random(context.rng), values };
    let list = own.sealed(&points.ok_or(too_long)?, context.me)?;
    let outbox = vec![(right(context), Message::Values(context.conduct.passes_on(list)))];
    next(Passing { own, hops: 0 }, outbox)
}

/// Round 1: every list goes once round the ring, to the right, and gets a layer of everybody.
struct Passing {
    own: Own,
    hops: u16,
}

impl State for Passing {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![left(context)]
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Values(list))) = message else {
            return Err(unexpected(message, context.me));
        };
        let n = context.plan.primaries();
        self.hops += 1;
        let list = self.own.sealed(&list, from)?;
        if self.hops + 1 < n {
            let list = context.conduct.passes_on(list);
            return next(*self, vec![(right(context), Message::Values(list))]);
        }
        // Now this party holds the list of its right neighbour, with all layers on.
        if context.me.0 < n - 1 {
            return next(Merging { own: self.own, held: list }, Vec::new());
        }
        let merged = list.len();
        let outbox = vec![(left(context), Message::Union(list))];
        next(Opening { own: self.own, merged }, outbox)
    }
}

/// Round 2, from the last party to the first, to the left: the lists become one, equal values once.
struct Merging {
    own: Own,
    held: Vec<Token>,
}

impl State for Merging {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![right(context)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Union(list))) = message else {
            return Err(unexpected(message, context.me));
        };
        let all: BTreeSet<Token> = list.into_iter().chain(self.held).collect();
        let all: Vec<Token> = all.into_iter().collect();
        let merged = all.len();
        if context.me.0 > 0 {
            return next(Opening { own: self.own, merged }, vec![(left(context), Message::Union(all))]);
        }
        let opened = self.own.opened(&all, from)?;
        let opened = context.conduct.passes_on(opened);
        next(Hearing { own: self.own, merged }, vec![(right(context), Message::Opening(opened))])
    }
}

/// Round 3, from the first party to the last, to the right: every party takes off its layer.
struct Opening {
    own: Own,
    /// Different values when the list passed here.
    merged: usize,
}

impl State for Opening {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![left(context)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((from, Message::Opening(list))) = message else {
            return Err(unexpected(message, context.me));
        };
        let opened = self.own.opened(&list, from)?;
        if context.me.0 + 1 < context.plan.primaries() {
            let opened = context.conduct.passes_on(opened);
            let outbox = vec![(right(context), Message::Opening(opened))];
            return next(Hearing { own: self.own, merged: self.merged }, outbox);
        }
        let united = united(&opened, &self.own.values, self.merged)?;
        let others = context.plan.others(context.me).into_iter();
        let outbox: Outbox = others.map(|party| (party, Message::Opening(opened.clone()))).collect();
        done(Outcome::United(united), outbox)
    }
}

/// Round 4: the last party tells the others.
struct Hearing {
    own: Own,
    merged: usize,
}

impl State for Hearing {
    fn phase(&self) -> Phase {
        Phase::Agree
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        vec![PartyId(context.plan.primaries() - 1)]
    }

    fn step(self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        let Some((_, Message::Opening(list))) = message else {
            return Err(unexpected(message, context.me));
        };
        done(Outcome::United(united(&list, &self.own.values, self.merged)?), Vec::new())
    }
}

/// The texts, if they are no fewer than there were, and those of this party are among them.
fn united(points: &[Token], own: &[String], merged: usize) -> Result<United, ProtocolError> {
    let mut texts = Vec::with_capacity(points.len());
    for point in points {
        texts.push(extract(point).map_err(|_| ProtocolError::Values("one of them is no text"))?);
    }
    texts.sort_unstable();
    if texts.len() < merged || own.iter().any(|value| texts.binary_search(value).is_err()) {
        return Err(ProtocolError::Values("some were lost on the way"));
    }
    Ok(United(texts))
}
