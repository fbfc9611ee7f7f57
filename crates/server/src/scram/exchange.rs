//! The four messages of an exchange.

use super::{Key, Verifier, sign};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The server's first message, and what waits for the client's last one.
pub(crate) struct FirstReply {
    /// To be sent.
    pub(crate) message: String,
    header: String,
    client_first: String,
    nonce: String,
    verifier: Verifier,
}

/// Reads the client's first message. `fresh` is the server's part of the nonce.
pub(crate) fn first(message: &[u8], verifier: Verifier, fresh: &[u8; 18]) -> Option<FirstReply> {
    let text = std::str::from_utf8(message).ok()?;
    let mut parts = text.splitn(3, ',');
    let (binding, identity, bare) = (parts.next()?, parts.next()?, parts.next()?);
    // Channel binding is not offered, and nobody acts for somebody else.
    if !matches!(binding, "n" | "y") || !identity.is_empty() {
        return None;
    }
    let mut fields = bare.split(',');
    fields.next()?.strip_prefix("n=")?;
    let own = fields.next()?.strip_prefix("r=")?;
    if own.len() < 8 || own.len() > 256 || !own.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let nonce = format!("{own}{}", STANDARD.encode(fresh));
    let message = format!("r={nonce},s={},i={}", STANDARD.encode(&verifier.salt), verifier.iterations);
    let header = format!("{binding},,");
    Some(FirstReply { message, header, client_first: bare.to_owned(), nonce, verifier })
}

impl FirstReply {
    /// Reads the client's last message; gives the server's last one where the proof is right.
    pub(crate) fn last(self, message: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(message).ok()?;
        let (without_proof, proof) = text.rsplit_once(",p=")?;
        let mut fields = without_proof.split(',');
        let binding = fields.next()?.strip_prefix("c=")?;
        let nonce = fields.next()?.strip_prefix("r=")?;
        if binding != STANDARD.encode(&self.header) || nonce != self.nonce {
            return None;
        }
        let signed = format!("{},{},{without_proof}", self.client_first, self.message);
        let mut key: Key = STANDARD.decode(proof).ok()?.try_into().ok()?;
        let mask = sign(&self.verifier.stored, signed.as_bytes());
        key.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        let is_right: bool = Sha256::digest(key).as_slice().ct_eq(&self.verifier.stored).into();
        is_right.then(|| format!("v={}", STANDARD.encode(sign(&self.verifier.server, signed.as_bytes()))))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
    use super::*;

    fn verifier() -> Verifier {
        Verifier::of("correct horse", b"sixteen bytes of", 4096)
    }

    /// The last message of a client that knows these keys.
    fn client(reply: &FirstReply, password: &str, bare: &str) -> String {
        let verifier = Verifier::of(password, &reply.verifier.salt, reply.verifier.iterations);
        let salted = {
            // The client's key is what the stored one is the digest of; it is made again here, from the password.
            let mut last: Key =
                sign(password.as_bytes(), &[&reply.verifier.salt[..], &1_u32.to_be_bytes()].concat());
            let mut sum = last;
            for _ in 1..reply.verifier.iterations {
                last = sign(password.as_bytes(), &last);
                sum.iter_mut().zip(last).for_each(|(sum, byte)| *sum ^= byte);
            }
            sum
        };
        let key = sign(&salted, b"Client Key");
        let without_proof = format!("c={},r={}", STANDARD.encode("n,,"), reply.nonce);
        let signed = format!("{bare},{},{without_proof}", reply.message);
        let mut proof = sign(&verifier.stored, signed.as_bytes());
        proof.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        format!("{without_proof},p={}", STANDARD.encode(proof))
    }

    #[test]
    fn only_who_knows_the_password_gets_in() {
        let bare = "n=,r=clientnonce";
        let known = verifier();
        let begin = || first(format!("n,,{bare}").as_bytes(), known.clone(), &[7; 18]).unwrap();
        let right = client(&begin(), "correct horse", bare);
        assert!(begin().last(right.as_bytes()).is_some_and(|signature| signature.starts_with("v=")));
        assert!(begin().last(client(&begin(), "correct hors", bare).as_bytes()).is_none());
        // Another exchange has another nonce: a proof that was overheard is worth nothing.
        let other = first(format!("n,,{bare}").as_bytes(), verifier(), &[8; 18]).unwrap();
        assert!(other.last(right.as_bytes()).is_none());
        for cut in 0..right.len() {
            assert!(begin().last(&right.as_bytes()[..cut]).is_none(), "{cut}");
        }
    }

    #[test]
    fn nobody_binds_a_channel_or_acts_for_another() {
        for message in [
            "p=tls-server-end-point,,n=,r=clientnonce",
            "n,a=ada,n=,r=clientnonce",
            "n,,r=clientnonce",
            "n,,n=,r=",
            "",
            "n,,m=x,n=,r=clientnonce",
        ] {
            assert!(first(message.as_bytes(), verifier(), &[0; 18]).is_none(), "{message}");
        }
    }
}
