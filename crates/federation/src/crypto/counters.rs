//! Counters that can be added without being read.

use std::fmt::Debug;

/// An additively homomorphic, semantically secure encryption of small counts.
pub trait AdditiveCounters {
    /// Who may encrypt, add and rerandomise.
    type Public;
    /// Who may read.
    type Secret;
    /// An encrypted count.
    type Counter: Clone + Debug + Send + Sync;

    /// A new pair of keys.
    fn generate(rng: &mut dyn rand_core::CryptoRng) -> (Self::Secret, Self::Public);
    /// A fresh encryption of each count.
    fn encrypt(
        public: &Self::Public,
        counts: &[u64],
        rng: &mut dyn rand_core::CryptoRng,
    ) -> Vec<Self::Counter>;
    /// An encryption of 0 that everybody recognises: where sums start.
    fn nothing() -> Self::Counter;
    /// The encryption of the sum.
    fn add(a: &Self::Counter, b: &Self::Counter) -> Self::Counter;
    /// Other encryptions of the same counts, unlinkable to these without the secret.
    fn rerandomise(
        public: &Self::Public,
        counters: &[Self::Counter],
        rng: &mut dyn rand_core::CryptoRng,
    ) -> Vec<Self::Counter>;
    /// The counts, where all are at most `bound`.
    fn decrypt(
        secret: &Self::Secret,
        counters: &[Self::Counter],
        bound: u64,
    ) -> Result<Vec<u64>, NotACounter>;
}

/// Bytes that are no counter, or a counter of another key or beyond the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a counter cannot be read: made with another key, damaged, or larger than the number of rows")]
pub struct NotACounter;
