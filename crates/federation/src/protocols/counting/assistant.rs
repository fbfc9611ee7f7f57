//! Protocol C, a primary party that is not the first: counts its share of the classes of every node for the first one.
//!
//! Result  sums over the share at the first party, which answers the helper.
//! Cost    for every question a decryption per counter of the share, and one short message.

use super::share::Counted;
use crate::parties::PartyId;
use crate::protocols::helper::primary;
use crate::protocols::sealing::Keys;
use crate::protocols::{Context, Phase, State, Stepped, next, unexpected};
use crate::wire::Message;

/// Counts until the search is over.
pub(in crate::protocols) struct Assisting {
    keys: Keys,
    counted: Counted,
}

impl Assisting {
    pub(super) fn new(keys: Keys, counted: Counted) -> Assisting {
        Assisting { keys, counted }
    }
}

impl State for Assisting {
    fn phase(&self) -> Phase {
        Phase::Search
    }

    fn wants(&self, context: &Context<'_>) -> Vec<PartyId> {
        context.plan.helper().into_iter().collect()
    }

    fn step(mut self: Box<Self>, message: Option<(PartyId, Message)>, context: &mut Context<'_>) -> Stepped {
        match message {
            Some((from, Message::Totals(totals))) if self.counted.lacks_totals(context) => {
                self.counted.learn_totals(from, totals, context)?;
                next(*self, Vec::new())
            }
            Some((from, Message::Check(check))) => {
                let judged = self.counted.judge(from, &check, context)?;
                let sums = context.conduct.tells(judged.sums);
                next(*self, vec![(PartyId(0), Message::Sums(sums))])
            }
            Some((from, Message::Finish(check))) => {
                let judged = self.counted.judge(from, &check, context)?;
                next(*self, vec![(from, Message::Fates(judged.kept))])
            }
            Some((_, Message::Searched)) => primary::after_sending(self.keys, Vec::new(), context),
            other => Err(unexpected(other, context.me)),
        }
    }
}
