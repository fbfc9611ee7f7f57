//! The primitives, a file each, behind small traits. At least 128 bits of security throughout.
//!
//! Keys live in types that wipe themselves when dropped, have no `Debug` that shows them and no `==` that stops early.

mod agreement;
mod commutative;
mod counters;
mod derive;
mod deterministic;
mod discrete_log;
mod elgamal;
mod embedding;
mod secret;
mod shuffle;
mod sums;

pub use agreement::{Agreement, AgreementError, Confirmation, Contribution};
pub use commutative::{CommutativeLayer, GroupHash, RistrettoLayer};
pub use counters::{AdditiveCounters, NotACounter};
pub use derive::{Domain, GroupKey};
pub use deterministic::{DeterministicCipher, SivCipher};
pub use elgamal::{ElGamal, ElGamalCounter, ElGamalPublic, ElGamalSecret};
pub use embedding::{LONGEST_TEXT, embed, extract};
pub use secret::Secret;
pub(crate) use shuffle::below;
pub use shuffle::{permutation, permute, shuffle};
pub use sums::sums_by_key;

use std::fmt;

/// What stands for a label on the wire: a ciphertext, compared byte by byte.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(pub Box<[u8]>);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({} bytes)", self.0.len())
    }
}

/// A token that no honest party can have made. Says nothing of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a token is not a ciphertext of this run")]
pub struct NotAToken;

#[cfg(test)]
mod tests;
