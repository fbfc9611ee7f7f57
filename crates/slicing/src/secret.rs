//! The secret that all permutations follow from.

use rand::rngs::{ChaCha20Rng, SysRng};
use rand::{Rng, SeedableRng, TryRng};
use zeroize::Zeroizing;

/// A key of 256 bits; wiped when dropped, never printed.
///
/// Whoever knows it can undo the permutations.
pub struct Secret {
    key: Zeroizing<[u8; 32]>,
    seeded: bool,
}

/// The operating system gave no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gives no random bytes: {0}")]
pub struct SecretError(String);

impl Secret {
    /// A fresh key from the operating system: what a release uses.
    pub fn from_os() -> Result<Secret, SecretError> {
        let mut key = Zeroizing::new([0; 32]);
        SysRng.try_fill_bytes(&mut *key).map_err(|error| SecretError(error.to_string()))?;
        Ok(Secret { key, seeded: false })
    }

    /// A key that anybody can guess: for tests, and for runs that must be repeatable.
    pub fn from_seed(seed: u64) -> Secret {
        let mut key = Zeroizing::new([0; 32]);
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Secret { key, seeded: true }
    }

    /// Does the key come from a seed? A report must then say that the release can be undone by whoever knows the seed.
    pub fn is_seeded(&self) -> bool {
        self.seeded
    }

    /// A key of its own for the operator with this number: the first bytes of the stream with this number.
    pub(crate) fn derive(&self, operator: u64) -> Zeroizing<[u8; 32]> {
        let mut stream = stream(&self.key, operator);
        let mut key = Zeroizing::new([0; 32]);
        stream.fill_bytes(&mut *key);
        key
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// ChaCha20 under this key, one of 2⁶⁴ independent streams.
pub(crate) fn stream(key: &[u8; 32], number: u64) -> ChaCha20Rng {
    let mut generator = ChaCha20Rng::from_seed(*key);
    generator.set_stream(number);
    generator
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_operators_differ_and_repeat() {
        let secret = Secret::from_seed(1);
        assert_eq!(*secret.derive(0), *Secret::from_seed(1).derive(0));
        assert_ne!(*secret.derive(0), *secret.derive(1));
        assert_ne!(*secret.derive(0), *Secret::from_seed(2).derive(0));
    }

    #[test]
    fn a_key_from_the_system_is_fresh_and_not_printed() {
        let (first, second) = (Secret::from_os().unwrap(), Secret::from_os().unwrap());
        assert_ne!(*first.derive(0), *second.derive(0));
        assert!(!first.is_seeded() && Secret::from_seed(3).is_seeded());
        assert_eq!(format!("{first:?}"), "Secret(..)");
    }
}
