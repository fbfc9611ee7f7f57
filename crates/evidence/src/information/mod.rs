//! Anonymity on the scale of bits.
//!
//! All logarithms have base 2 and `0·log 0 = 0`. [`one_symbol`] puts k-anonymity, ℓ-diversity and t-closeness on one scale;
//! [`anonymity`], [`unlinkability`] and [`trips`] measure what an observer with given probabilities still does not know, [`beliefs`]
//! what a release makes of a prior. [`transport`] is the distance between two distributions, [`consent`] the share of what is used
//! that people agreed to. None of them promises anything: they describe one table, or one observer.

pub mod anonymity;
pub mod beliefs;
pub mod consent;
mod entropy;
pub mod one_symbol;
pub mod transport;
pub mod trips;
pub mod unlinkability;

pub use entropy::{NotProbabilities, entropy};
