//! Whether a party does what it should. Outside tests it does, and there is nothing here to make it do otherwise.

use crate::data::PartyTable;
use crate::plan::Plan;
use crate::wire::{EncryptedPart, SealedRelease};

/// How a party behaves.
#[derive(Default)]
pub(crate) struct Conduct {
    /// Sends cells finer than agreed.
    #[cfg(test)]
    pub(crate) forgets_to_lift: bool,
    /// Protocol A: sends something else than it encrypted.
    #[cfg(test)]
    pub(crate) blunders: Option<Blunder>,
    /// Believes whatever comes.
    #[cfg(test)]
    pub(crate) believes: bool,
    /// Leaves people, or values, out of the lists that pass.
    #[cfg(test)]
    pub(crate) loses_people: bool,
    /// Says of its share of the classes that all keep the promise.
    #[cfg(test)]
    pub(crate) whitewashes: bool,
    /// Who searches hands out something else than it found.
    #[cfg(test)]
    pub(crate) forges: Option<Forgery>,
}

/// What a party of a ring sends of its table instead of its encrypted part.
#[cfg(test)]
pub(crate) type Blunder = fn(&PartyTable, EncryptedPart) -> EncryptedPart;

/// The release that a table of tokens is made into instead of the right one.
#[cfg(test)]
pub(crate) type Forgery = fn(&Plan, &EncryptedPart, SealedRelease) -> SealedRelease;

#[cfg_attr(not(test), allow(clippy::unused_self, reason = "only tests behave otherwise"))]
impl Conduct {
    /// Whether cells are generalized to the agreed lowest levels before anything is encrypted.
    pub(crate) fn lifts(&self) -> bool {
        #[cfg(test)]
        if self.forgets_to_lift {
            return false;
        }
        true
    }

    /// Protocol A: what leaves a party of its own table, encrypted.
    #[cfg_attr(not(test), allow(unused_variables, reason = "only a blunder looks at the table"))]
    pub(crate) fn brings(&self, table: &PartyTable, part: EncryptedPart) -> EncryptedPart {
        #[cfg(test)]
        if let Some(blunder) = self.blunders {
            return blunder(table, part);
        }
        part
    }

    /// Whether a release is counted again before it is decrypted.
    pub(crate) fn recounts(&self) -> bool {
        #[cfg(test)]
        if self.believes {
            return false;
        }
        true
    }

    /// A list of people or values as it goes on: all of it.
    #[cfg_attr(not(test), allow(unused_mut, reason = "only a cheat changes it"))]
    pub(crate) fn passes_on(&self, mut list: Vec<crate::crypto::Token>) -> Vec<crate::crypto::Token> {
        #[cfg(test)]
        if self.loses_people {
            list.pop();
        }
        list
    }

    /// What a party tells of the classes it counted: the truth.
    #[cfg_attr(not(test), allow(unused_mut, reason = "only a cheat changes it"))]
    pub(crate) fn tells(&self, mut sums: crate::wire::ShareSums) -> crate::wire::ShareSums {
        #[cfg(test)]
        if self.whitewashes {
            (sums.left_out, sums.failing, sums.kept_squares) = (0, 0, sums.all_squares);
        }
        sums
    }

    /// What who searches hands out: what it found.
    #[cfg_attr(not(test), allow(unused_variables, reason = "only a forger looks at the table"))]
    pub(crate) fn hands_out(
        &self,
        found: Option<SealedRelease>,
        table: &EncryptedPart,
        plan: &Plan,
    ) -> Option<SealedRelease> {
        #[cfg(test)]
        if let Some(forge) = self.forges {
            return found.map(|release| forge(plan, table, release));
        }
        found
    }
}
