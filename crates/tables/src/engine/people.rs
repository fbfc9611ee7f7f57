//! Whose rows they are, where identifiers stay elsewhere: tokens stand for people.

use super::TableName;
use sha2::{Digest, Sha256};
use std::fmt;
use zeroize::Zeroizing;

/// Makes tokens of people: the first 16 bytes of SHA-256 over a secret and the parts of the key, each behind its length in four bytes.
///
/// The engine makes the same tokens of its own cells, so that no identifier has to travel. The secret is drawn anew for every table that is
/// opened: tokens of two runs have nothing in common, and nobody can try names without it.
pub struct PersonTokens(Zeroizing<[u8; 32]>);

impl PersonTokens {
    /// Tokens under a new secret; `None` where the system gives no randomness.
    pub fn drawn() -> Option<PersonTokens> {
        let mut secret = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *secret).ok().map(|()| PersonTokens(secret))
    }

    /// For the engine. It goes there as data, and is part of no statement.
    pub fn secret(&self) -> &[u8; 32] {
        &self.0
    }

    /// The token of somebody, by the parts of the key as they are compared: without blanks around them.
    pub fn of<'a>(&self, parts: impl Iterator<Item = &'a str>) -> u128 {
        let mut hash = Sha256::new();
        hash.update(self.0.as_slice());
        for part in parts {
            hash.update((part.len() as u32).to_be_bytes());
            hash.update(part);
        }
        let mut first = [0; 16];
        first.copy_from_slice(&hash.finalize()[..16]);
        u128::from_be_bytes(first)
    }
}

/// The secret stays out of logs.
impl fmt::Debug for PersonTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonTokens(..)")
    }
}

/// A request for a table that has tokens instead of the columns that say whose row it is.
#[derive(Debug)]
pub struct PeopleRequest<'a> {
    /// The table.
    pub table: &'a TableName,
    /// The columns that say whose row it is.
    pub key: &'a [String],
    /// The columns that are looked at besides.
    pub columns: &'a [String],
    /// What the column of the tokens is called.
    pub token: &'a str,
    /// How tokens are made.
    pub tokens: &'a PersonTokens,
}

/// A table with tokens, for this session only, and what its keys look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeopleThere {
    /// Its name.
    pub table: TableName,
    /// By column of the key: rows whose cell is missing or blank.
    pub nobody: Vec<u64>,
    /// Different people.
    pub people: u64,
    /// People whose key occurs with and without blanks around it.
    pub padded: u64,
    /// Different keys when capital letters do not count.
    pub in_small_letters: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_tell_composite_keys_apart_and_runs_as_well() {
        let tokens = PersonTokens::drawn().unwrap();
        let of = |parts: &[&str]| tokens.of(parts.iter().copied());
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab", "c"]), of(&["abc"]));
        assert_ne!(of(&["ab"]), PersonTokens::drawn().unwrap().of(["ab"].into_iter()));
        assert_eq!(format!("{tokens:?}"), "PersonTokens(..)");
    }

    #[test]
    fn a_token_is_the_beginning_of_a_hash() {
        // sha256(32 zero bytes || 00000001 || 61), as PostgreSQL writes it.
        let tokens = PersonTokens(Zeroizing::new([0; 32]));
        let mut bytes = vec![0u8; 32];
        bytes.extend_from_slice(&[0, 0, 0, 1, b'a']);
        assert_eq!(tokens.of(["a"].into_iter()).to_be_bytes(), Sha256::digest(bytes)[..16]);
    }
}
