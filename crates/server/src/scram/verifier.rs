//! What is kept of a password.

use super::{Key, keyed, sign};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::Mac;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use zeroize::Zeroizing;

/// Rounds that a guess costs.
pub(crate) const ITERATIONS: u32 = 32_768;

/// Salt, rounds and two keys, written as PostgreSQL writes them: `SCRAM-SHA-256$rounds:salt$stored:server`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Verifier {
    pub(crate) iterations: u32,
    pub(crate) salt: Vec<u8>,
    /// Checks the client's proof.
    pub(crate) stored: Key,
    /// Makes the server's signature.
    pub(crate) server: Key,
}

/// Guessing begins with it, so it stays out of logs.
impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Verifier(..)")
    }
}

impl Verifier {
    /// Of a password and a salt.
    pub(crate) fn of(password: &str, salt: &[u8], iterations: u32) -> Verifier {
        // As PostgreSQL does: what cannot be normalized is taken as it is.
        let normal = stringprep::saslprep(password).unwrap_or(Cow::Borrowed(password));
        let salted = salted(normal.as_bytes(), salt, iterations);
        let client = Zeroizing::new(sign(salted.as_slice(), b"Client Key"));
        Verifier {
            iterations,
            salt: salt.to_owned(),
            stored: Sha256::digest(client.as_slice()).into(),
            server: sign(salted.as_slice(), b"Server Key"),
        }
    }

    /// For an unknown name: the same salt at every try, and no password.
    pub(crate) fn of_nobody(secret: &Key, name: &str) -> Verifier {
        let drawn = |what: &[u8]| sign(&sign(secret, what), name.as_bytes());
        Verifier {
            iterations: ITERATIONS,
            salt: drawn(b"salt")[..16].to_owned(),
            stored: drawn(b"stored"),
            server: drawn(b"server"),
        }
    }
}

/// `Hi` of RFC 5802: PBKDF2 with HMAC-SHA-256 and one block.
fn salted(password: &[u8], salt: &[u8], iterations: u32) -> Zeroizing<Key> {
    let prepared = keyed(password);
    let mut first = prepared.clone();
    first.update(salt);
    first.update(&1_u32.to_be_bytes());
    let mut last: Key = first.finalize().into_bytes().into();
    let mut sum = Zeroizing::new(last);
    for _ in 1..iterations {
        let mut next = prepared.clone();
        next.update(&last);
        last = next.finalize().into_bytes().into();
        sum.iter_mut().zip(last).for_each(|(sum, byte)| *sum ^= byte);
    }
    sum
}

impl fmt::Display for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: &[u8]| STANDARD.encode(bytes);
        write!(
            f,
            "SCRAM-SHA-256${}:{}${}:{}",
            self.iterations,
            text(&self.salt),
            text(&self.stored),
            text(&self.server)
        )
    }
}

impl FromStr for Verifier {
    type Err = ();

    fn from_str(text: &str) -> Result<Verifier, ()> {
        let mut parts = text.strip_prefix("SCRAM-SHA-256$").ok_or(())?.split('$');
        let (Some(begin), Some(keys), None) = (parts.next(), parts.next(), parts.next()) else {
            return Err(());
        };
        let ((iterations, salt), (stored, server)) =
            begin.split_once(':').zip(keys.split_once(':')).ok_or(())?;
        let key =
            |text: &str| STANDARD.decode(text).ok().and_then(|bytes| Key::try_from(bytes).ok()).ok_or(());
        let iterations = iterations.parse().ok().filter(|rounds| *rounds >= 4096).ok_or(())?;
        let salt = STANDARD.decode(salt).ok().filter(|salt| salt.len() >= 8).ok_or(())?;
        Ok(Verifier { iterations, salt, stored: key(stored)?, server: key(server)? })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
    use super::*;

    #[test]
    fn the_keys_are_those_of_rfc_7677() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let verifier = Verifier::of("pencil", &salt, 4096);
        let signature = sign(
            &verifier.server,
            b"n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0",
        );
        assert_eq!(STANDARD.encode(signature), "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
        let written = verifier.to_string();
        assert_eq!(written.parse::<Verifier>().unwrap(), verifier);
        assert!(!format!("{verifier:?}").contains("W22"));
    }

    #[test]
    fn half_a_verifier_is_none() {
        let whole = Verifier::of("a long password", b"saltsaltsaltsalt", 4096).to_string();
        for cut in 0..whole.len() {
            assert!(whole[..cut].parse::<Verifier>().is_err(), "{cut}");
        }
        assert!(whole.replace("4096", "1").parse::<Verifier>().is_err());
    }
}
