//! From `m·G` back to `m`, for small `m`.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT as G;
use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::Identity;
use std::collections::HashMap;

/// Baby-step giant-step: a table of `0·G … (b−1)·G`, and steps of `b·G`.
///
/// Counts below `b` take one look-up; the largest takes `bound / b`. Shanks 1971.
pub(super) struct DiscreteLog {
    baby: HashMap<[u8; 32], u64>,
    giant: RistrettoPoint,
    bound: u64,
}

/// Larger tables take longer to build than they save.
const MOST_BABY_STEPS: u64 = 1 << 16;

impl DiscreteLog {
    /// Logarithms from 0 to `bound`.
    pub(super) fn up_to(bound: u64) -> DiscreteLog {
        let steps =
            bound.isqrt().saturating_mul(4).clamp(64, MOST_BABY_STEPS).min(bound.saturating_add(1)).max(1);
        let mut point = RistrettoPoint::identity();
        let mut baby = HashMap::with_capacity(steps as usize);
        for exponent in 0..steps {
            baby.insert(point.compress().to_bytes(), exponent);
            point += G;
        }
        DiscreteLog { baby, giant: Scalar::from(steps) * G, bound }
    }

    /// The `m ≤ bound` with `m·G = point`.
    pub(super) fn of(&self, point: &RistrettoPoint) -> Option<u64> {
        let steps = self.baby.len() as u64;
        let mut at = *point;
        let mut taken = 0u64;
        while taken <= self.bound {
            if let Some(&rest) = self.baby.get(&at.compress().to_bytes()) {
                return Some(taken + rest).filter(|&found| found <= self.bound);
            }
            at -= self.giant;
            taken += steps;
        }
        None
    }
}
