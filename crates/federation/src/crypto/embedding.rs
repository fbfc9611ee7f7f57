//! Short texts as points of the group: who takes off the last layer reads them.
//!
//! A text that is hashed to a point can only be looked up by who knows it already. Here the encoding of the point holds the text
//! itself: its length, the text, zeros, and in front a byte that counts up until the 32 bytes are a point, which about every fourth
//! string is. Layers hide points with a known text no worse than hashed ones, as long as the decisional Diffie–Hellman problem is
//! hard: nobody knows the discrete logarithm of one in another.

use super::{NotAToken, Token};
use curve25519_dalek::ristretto::CompressedRistretto;

/// Bytes of the longest text.
pub const LONGEST_TEXT: usize = 29;

/// The text as a token; `None` where it is too long.
pub fn embed(text: &str) -> Option<Token> {
    if text.len() > LONGEST_TEXT {
        return None;
    }
    let mut bytes = [0u8; 32];
    // Never 0: all zeros would be the neutral element.
    bytes[1] = text.len() as u8 + 1;
    bytes[2..2 + text.len()].copy_from_slice(text.as_bytes());
    // Encodings are even numbers below the prime 2^255 − 19.
    (0..=127u8).find_map(|count| {
        bytes[0] = 2 * count;
        CompressedRistretto(bytes).decompress().map(|_| Token(Box::new(bytes)))
    })
}

/// The text of a token that [`embed`] made.
pub fn extract(token: &Token) -> Result<String, NotAToken> {
    let [_, length, text @ .., 0] = &token.0[..] else { return Err(NotAToken) };
    let length = usize::from(*length).checked_sub(1).ok_or(NotAToken)?;
    let text = text.get(..length).and_then(|text| std::str::from_utf8(text).ok()).ok_or(NotAToken)?;
    // One text has one token.
    if embed(text).as_ref() == Some(token) { Ok(text.to_owned()) } else { Err(NotAToken) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crypto::{CommutativeLayer, RistrettoLayer};
    use proptest::prelude::*;
    use rand::SeedableRng;
    use rand::rngs::ChaCha20Rng;

    proptest! {
        #[test]
        fn a_text_comes_back_from_under_two_layers(text in "\\PC{0,9}", seed in any::<u64>()) {
            prop_assume!(text.len() <= LONGEST_TEXT);
            let rng = &mut ChaCha20Rng::seed_from_u64(seed);
            let (one, other) = (RistrettoLayer::random(rng), RistrettoLayer::random(rng));
            let token = embed(&text).unwrap();
            let sealed = other.add(&one.add(std::slice::from_ref(&token)).unwrap()).unwrap();
            prop_assert!(extract(&sealed[0]).is_err());
            let opened = other.remove(&one.remove(&sealed).unwrap()).unwrap();
            prop_assert_eq!(&opened[0], &token);
            prop_assert_eq!(extract(&token).unwrap(), text);
        }

        #[test]
        fn what_is_read_is_written_alike(mut bytes in prop::array::uniform32(0u8..3), length in 0u8..33) {
            bytes[1] = length;
            let token = Token(Box::new(bytes));
            if let Ok(text) = extract(&token) {
                prop_assert_eq!(embed(&text), Some(token));
            }
        }
    }

    #[test]
    fn the_longest_text_fits_and_a_longer_one_does_not() {
        let longest = "9".repeat(LONGEST_TEXT);
        assert_eq!(extract(&embed(&longest).unwrap()).unwrap(), longest);
        assert_eq!(embed(&"9".repeat(LONGEST_TEXT + 1)), None);
        assert_eq!(extract(&embed("").unwrap()).unwrap(), "");
    }

    #[test]
    fn a_second_form_of_a_text_is_none() {
        let token = embed("41").unwrap();
        let mut bytes: [u8; 32] = (*token.0).try_into().unwrap();
        let others = (0..=127u8).filter_map(|count| {
            bytes[0] = 2 * count;
            Some(Token(Box::new(bytes))).filter(|other| *other != token)
        });
        others.for_each(|other| assert!(extract(&other).is_err()));
    }
}
