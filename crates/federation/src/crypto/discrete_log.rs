//! From `m·G` back to `m`, for small `m`.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT as G;
use curve25519_dalek::ristretto::RistrettoPoint;
use curve25519_dalek::scalar::Scalar;
use rayon::prelude::*;
use std::collections::HashMap;

/// Baby-step giant-step: a table of `0·G … (b−1)·G`, and steps of `b·G`.
///
/// Counts below `b` take one look-up; the largest takes `bound / b`. Shanks 1971.
pub(super) struct DiscreteLog {
    baby: HashMap<[u8; 32], u64>,
    giant: RistrettoPoint,
}

/// Larger tables take longer to build than they save.
const MOST_BABY_STEPS: u64 = 1 << 16;
/// Points that one core writes down at a time.
const STRETCH: u64 = 1 << 10;

/// The size of a table for logarithms up to the bound.
fn steps_for(bound: u64) -> u64 {
    bound.isqrt().saturating_mul(4).clamp(64, MOST_BABY_STEPS).min(bound.saturating_add(1)).max(1)
}

impl DiscreteLog {
    /// A table for logarithms from 0 to `bound`; larger ones take longer.
    pub(super) fn up_to(bound: u64) -> DiscreteLog {
        let steps = steps_for(bound);
        let stretch = |number: u64| {
            let exponents = number * STRETCH..steps.min((number + 1) * STRETCH);
            let mut point = Scalar::from(exponents.start) * G;
            let mut written = Vec::with_capacity(STRETCH as usize);
            for exponent in exponents {
                written.push((point.compress().to_bytes(), exponent));
                point += G;
            }
            written
        };
        let stretches: Vec<Vec<([u8; 32], u64)>> =
            (0..steps.div_ceil(STRETCH)).into_par_iter().map(stretch).collect();
        DiscreteLog { baby: stretches.into_iter().flatten().collect(), giant: Scalar::from(steps) * G }
    }

    /// Whether a table made for the bound would be no larger.
    pub(super) fn suffices(&self, bound: u64) -> bool {
        self.baby.len() as u64 >= steps_for(bound)
    }

    /// The `m ≤ bound` with `m·G = point`.
    pub(super) fn of(&self, point: &RistrettoPoint, bound: u64) -> Option<u64> {
        let steps = self.baby.len() as u64;
        let mut at = *point;
        let mut taken = 0u64;
        while taken <= bound {
            if let Some(&rest) = self.baby.get(&at.compress().to_bytes()) {
                return Some(taken + rest).filter(|&found| found <= bound);
            }
            at -= self.giant;
            taken = taken.checked_add(steps)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use curve25519_dalek::traits::Identity;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn a_table_for_any_bound_finds_what_counting_finds(table in 0u64..9000, bound in 0u64..3000, m in 0u64..3000) {
            let mut slow = None;
            let (mut at, point) = (RistrettoPoint::identity(), Scalar::from(m) * G);
            for exponent in 0..=bound {
                if at == point {
                    slow = Some(exponent);
                }
                at += G;
            }
            prop_assert_eq!(DiscreteLog::up_to(table).of(&point, bound), slow);
        }
    }
}
