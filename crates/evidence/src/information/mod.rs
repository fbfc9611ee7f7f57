//! Anonymity on the scale of bits.
//!
//! All logarithms have base 2 and `0·log 0 = 0`. [`one_symbol`] puts k-anonymity, ℓ-diversity and t-closeness on one scale;
//! [`anonymity`], [`unlinkability`] and [`trips`] measure what an observer with given probabilities still does not know. None of
//! them promises anything: they describe one table, or one observer.

pub mod anonymity;
mod entropy;
pub mod one_symbol;
pub mod trips;
pub mod unlinkability;

pub use entropy::{NotProbabilities, entropy};
