//! SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side.
//!
//! What is kept of a password are two keys that check a proof and cannot make one: whoever reads the file of users cannot log in with it.

mod exchange;
mod verifier;

pub(crate) use exchange::first;
pub(crate) use verifier::{ITERATIONS, Verifier};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

type Key = [u8; 32];

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // Keys of any length are taken.
    Hmac::<Sha256>::new_from_slice(key).unwrap_or_else(|_| unreachable!("HMAC takes keys of every length"))
}

fn sign(key: &[u8], message: &[u8]) -> Key {
    let mut mac = keyed(key);
    mac.update(message);
    mac.finalize().into_bytes().into()
}
