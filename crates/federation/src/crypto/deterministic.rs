//! Deterministic symmetric encryption: equal labels, equal tokens, and nothing else.

use super::{NotAToken, Secret, Token};
use aes_siv::KeyInit;
use aes_siv::siv::Aes256Siv;
use rayon::prelude::*;

/// Encrypts labels so that equal labels give equal tokens.
pub trait DeterministicCipher: Send + Sync {
    /// The tokens of labels, in their order.
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken>;
    /// The label of a token; an error when it was not made with this key.
    fn open(&self, token: &Token) -> Result<Vec<u8>, NotAToken>;
}

/// AES-256-SIV: a deterministic authenticated cipher, so that a token is either genuine or refused.
///
/// Unlike CBC with a fixed initial vector it does not show common prefixes. Rogaway & Shrimpton, "A provable-security treatment
/// of the key-wrap problem", EUROCRYPT 2006; RFC 5297.
pub struct SivCipher(Secret<64>);

impl SivCipher {
    pub(super) fn new(key: Secret<64>) -> SivCipher {
        SivCipher(key)
    }

    fn siv(&self) -> Aes256Siv {
        Aes256Siv::new(self.0.expose().into())
    }
}

const NO_HEADERS: [&[u8]; 0] = [];

impl DeterministicCipher for SivCipher {
    fn seal(&self, labels: &[Vec<u8>]) -> Result<Vec<Token>, NotAToken> {
        let seal = |siv: &mut Aes256Siv, label: &Vec<u8>| {
            let sealed = siv.encrypt(NO_HEADERS, label).map_err(|_| NotAToken)?;
            Ok(Token(sealed.into()))
        };
        labels.par_iter().with_min_len(256).map_init(|| self.siv(), seal).collect()
    }

    fn open(&self, token: &Token) -> Result<Vec<u8>, NotAToken> {
        self.siv().decrypt(NO_HEADERS, &token.0).map_err(|_| NotAToken)
    }
}
