//! Exact draws, keyed by row: the noise of a row does not depend on how rows are batched, ordered or spread over threads.
//!
//! A [`Secret`] key, a [`Stream`] and a row number give a sequence of words of 60 bits: the first 15 hexadecimal digits of
//!
//! ```text
//! SHA-256( key (32 bytes) ‖ operator (8) ‖ attribute (4) ‖ row (8) ‖ counter (4) )        numbers big-endian
//! ```
//!
//! Any database with SHA-256 and 64-bit integers can repeat it ([`crate::statement`] writes the text). The integer with number `i` of a row uses the
//! counters `i·65536`, `i·65536 + 1`, …: a word is taken modulo the bound, unless it lies in the last, incomplete stretch below 2⁶⁰; then
//! the next counter is tried. No floating point, no global state: whoever holds key, stream and row number gets the same draw, everybody else sees noise.

mod plan;
mod secret;

pub use plan::{OutsideDomain, Plan, Ticket, TooFine};
pub use secret::{NoRandomness, Secret, Stream};

use std::sync::Arc;

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Words are below this: 15 hexadecimal digits.
pub const WORDS: u64 = 1 << 60;

/// The coin that decides whether a cell is redrawn.
pub const COIN: u16 = 0;
/// What a redrawn cell becomes.
pub const TICKET: u16 = 1;
/// Which value stands in for a cell that is missing.
pub const STAND_IN: u16 = 2;

/// The integers of one attribute in one operator.
pub struct Words {
    /// Key, operator, attribute, row, counter.
    message: Zeroizing<[u8; 56]>,
    drawn: u64,
}

impl Words {
    /// Each stream must be used by one attribute of one operator only: two uses of one stream draw the same noise.
    pub fn new(secret: &Secret, stream: Stream) -> Words {
        let mut message = Zeroizing::new([0; 56]);
        message[..32].copy_from_slice(secret.key());
        message[32..40].copy_from_slice(&stream.operator.to_be_bytes());
        message[40..44].copy_from_slice(&stream.attribute.to_be_bytes());
        Words { message, drawn: 0 }
    }

    /// The word of a row with that counter, below [`WORDS`].
    pub fn word(&mut self, row: u64, counter: u32) -> u64 {
        self.message[44..52].copy_from_slice(&row.to_be_bytes());
        self.message[52..].copy_from_slice(&counter.to_be_bytes());
        let digest = Sha256::digest(*self.message);
        let mut first = [0; 8];
        first.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(first) >> 4
    }

    /// The integer of a row with that number, uniform in `0..below`; `below` is at most [`WORDS`].
    pub fn below(&mut self, row: u64, number: u16, below: u64) -> u64 {
        debug_assert!((1..=WORDS).contains(&below));
        if below == 1 {
            return 0;
        }
        self.drawn += 1;
        let mut counter = u32::from(number) << 16;
        loop {
            if let Some(integer) = accepted(self.word(row, counter), below) {
                return integer;
            }
            // Fewer than half of the words are rejected.
            counter = counter.wrapping_add(1);
        }
    }

    /// How many integers have been drawn so far.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Words").field("drawn", &self.drawn).finish_non_exhaustive()
    }
}

/// Words from here on are rejected: the largest multiple of `below` that is not above [`WORDS`].
pub fn rejected_from(below: u64) -> u64 {
    WORDS - WORDS % below
}

/// The word modulo `below`, but for words in the last, incomplete stretch. Every number in `0..below` has the same number of words that lead to it.
fn accepted(word: u64, below: u64) -> Option<u64> {
    (word < rejected_from(below)).then(|| word % below)
}

/// Draws the noise of one attribute in one operator.
#[derive(Debug)]
pub struct Drawer {
    plan: Arc<Plan>,
    words: Words,
}

impl Drawer {
    /// A drawer for `stream` under `secret`.
    pub fn new(secret: &Secret, stream: Stream, plan: Arc<Plan>) -> Drawer {
        Drawer { plan, words: Words::new(secret, stream) }
    }

    /// What `code` in row `row` is shown as. The same row always gets the same answer.
    pub fn draw(&mut self, row: u64, code: u32) -> Result<u32, OutsideDomain> {
        self.plan.draw(&mut self.words, row, code)
    }

    /// Draws for consecutive rows from `first_row` on, in place. Where a code lies outside the domain nothing is changed.
    pub fn apply(&mut self, first_row: u64, codes: &mut [u32]) -> Result<(), OutsideDomain> {
        codes.iter().try_for_each(|code| self.plan.check(*code))?;
        let mut row = first_row;
        for code in codes {
            *code = self.plan.draw(&mut self.words, row, *code)?;
            row = row.wrapping_add(1);
        }
        Ok(())
    }

    /// How many uniform integers have been drawn so far.
    pub fn draws(&self) -> u64 {
        self.words.drawn()
    }
}

#[cfg(test)]
mod repeated;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;
