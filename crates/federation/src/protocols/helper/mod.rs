//! Protocol B: a helper that sees ciphertexts. `primary` is a party with data, `searching` the helper.

pub(in crate::protocols) mod primary;
pub(in crate::protocols) mod searching;
