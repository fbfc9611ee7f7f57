//! Keys and the streams they open.

use std::fmt;

use rand::TryRng;
use rand::rngs::SysRng;
use zeroize::Zeroizing;

/// A 32-byte key. Wiped from memory when dropped; never printed.
///
/// Whoever knows the key can take the noise off again.
pub struct Secret {
    key: Zeroizing<[u8; 32]>,
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    OperatingSystem,
    Seed,
}

/// The operating system has no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the operating system gives no random numbers, and without them there is no noise")]
pub struct NoRandomness;

/// Which noise this is: one stream per attribute of one operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream {
    /// The instance of the operator in a plan.
    pub operator: u64,
    /// The attribute in the operator.
    pub attribute: u32,
}

impl Secret {
    /// A key from the operating system's generator.
    pub fn random() -> Result<Secret, NoRandomness> {
        let mut key = Zeroizing::new([0; 32]);
        SysRng.try_fill_bytes(&mut *key).map_err(|_| NoRandomness)?;
        Ok(Secret { key, origin: Origin::OperatingSystem })
    }

    /// A key that everybody who knows the seed can compute: for tests and for runs that must be repeated, not for releases.
    pub fn from_seed(seed: u64) -> Secret {
        let mut key = Zeroizing::new(*b"paravent noise, seeded..00000000");
        key[24..].copy_from_slice(&seed.to_le_bytes());
        Secret { key, origin: Origin::Seed }
    }

    /// Whether the key comes from a seed. An output must say so: its noise protects nobody from those who know the seed.
    pub fn is_seeded(&self) -> bool {
        self.origin == Origin::Seed
    }

    pub(crate) fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The key itself, for an engine that draws by it. Who has it can take the noise off.
    pub fn into_key(self) -> Zeroizing<[u8; 32]> {
        self.key
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_seeded() { "Secret(seeded, ..)" } else { "Secret(..)" })
    }
}
