//! Exact draws, keyed by row: the noise of a row does not depend on how rows are batched, ordered or spread over threads.
//!
//! A [`Secret`] key and a [`Stream`] give a key of their own; with it, the row number selects a keystream of ChaCha20, from which the
//! row's integers are taken by rejection. No floating point, no global state: whoever holds key, stream and row number gets the
//! same draw, everybody else sees noise.

mod plan;
mod secret;

pub use plan::{OutsideDomain, Plan, TooFine};
pub use secret::{NoRandomness, Secret, Stream};

use std::sync::Arc;

use chacha20::ChaCha20Rng;
use rand::{Rng, SeedableRng};

/// Draws the noise of one attribute in one operator.
pub struct Drawer {
    plan: Arc<Plan>,
    keystream: ChaCha20Rng,
    draws: u64,
}

impl Drawer {
    /// A drawer for `stream` under `secret`. Each stream must be used by one attribute of one operator only: two uses of one
    /// stream draw the same noise.
    pub fn new(secret: &Secret, stream: Stream, plan: Arc<Plan>) -> Drawer {
        Drawer { plan, keystream: ChaCha20Rng::from_seed(*secret.key_of(stream)), draws: 0 }
    }

    /// What `code` in row `row` is shown as. The same row always gets the same answer.
    pub fn draw(&mut self, row: u64, code: u32) -> Result<u32, OutsideDomain> {
        self.plan.check(code)?;
        Ok(self.drawn(row, code))
    }

    /// Draws for consecutive rows from `first_row` on, in place. Where a code lies outside the domain nothing is changed.
    pub fn apply(&mut self, first_row: u64, codes: &mut [u32]) -> Result<(), OutsideDomain> {
        codes.iter().try_for_each(|code| self.plan.check(*code))?;
        let mut row = first_row;
        for code in codes {
            *code = self.drawn(row, *code);
            row = row.wrapping_add(1);
        }
        Ok(())
    }

    /// How many uniform integers have been drawn so far.
    pub fn draws(&self) -> u64 {
        self.draws
    }

    fn drawn(&mut self, row: u64, code: u32) -> u32 {
        // Most seeks are for nothing where nothing is random.
        if self.plan.is_identity() {
            return code;
        }
        self.keystream.set_stream(row);
        let (keystream, draws) = (&mut self.keystream, &mut self.draws);
        self.plan.outcome(code, &mut |below| uniform_below(below, keystream, draws))
    }
}

impl std::fmt::Debug for Drawer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Drawer").field("draws", &self.draws).finish_non_exhaustive()
    }
}

/// A uniform integer in `0..below`, by rejection.
fn uniform_below(below: u64, keystream: &mut ChaCha20Rng, draws: &mut u64) -> u64 {
    if below == 1 {
        return 0;
    }
    *draws += 1;
    loop {
        if let Some(number) = accepted(keystream.next_u64(), below) {
            return number;
        }
    }
}

/// The lowest bits of the word, as many as `below − 1` has, where they are less than `below`.
///
/// Every number in `0..below` has the same number of words that lead to it, so what is accepted is uniform; at least half is.
fn accepted(word: u64, below: u64) -> Option<u64> {
    let bits = u64::BITS - (below - 1).leading_zeros();
    let number = word & (u64::MAX >> (u64::BITS - bits));
    (number < below).then_some(number)
}

#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;
