//! Where the randomness of a session comes from.

use super::LowerError;
use std::sync::Arc;

/// The keys of all draws of a session: fresh from the operating system, or from a seed, which everybody who knows it can use to take the noise off.
#[derive(Debug, Clone)]
pub struct Key {
    pub(super) slicing: Arc<paravent_slicing::Secret>,
    pub(super) noise: Arc<paravent_noise::draw::Secret>,
}

impl Key {
    /// From the operating system.
    pub fn random() -> Result<Key, LowerError> {
        let slicing = paravent_slicing::Secret::from_os().map_err(|_| LowerError::NoRandomness)?;
        let noise = paravent_noise::draw::Secret::random().map_err(|_| LowerError::NoRandomness)?;
        Ok(Key { slicing: Arc::new(slicing), noise: Arc::new(noise) })
    }

    /// From a seed: the same draws again. The output must say so.
    pub fn from_seed(seed: u64) -> Key {
        Key {
            slicing: Arc::new(paravent_slicing::Secret::from_seed(seed)),
            noise: Arc::new(paravent_noise::draw::Secret::from_seed(seed)),
        }
    }

    /// Whether the draws can be repeated.
    pub fn is_seeded(&self) -> bool {
        self.noise.is_seeded()
    }
}
