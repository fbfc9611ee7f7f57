//! From `m·G` back to `m`, for small `m`.

use curve25519_dalek::constants::RISTRETTO_BASEPOINT_POINT as G;
use curve25519_dalek::ristretto::{CompressedRistretto, RistrettoPoint};
use curve25519_dalek::scalar::Scalar;
use rayon::prelude::*;
use std::collections::HashMap;

/// Baby-step giant-step: a table of `0·G … (b−1)·G`, and steps of `b·G`.
///
/// Counts below `b` take one look-up; the largest takes `bound / b`. Shanks 1971. Points are looked up by their doubles, which can be
/// compressed many at a time; in a group of odd order no two points have the same double.
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
            let mut points = Vec::with_capacity(STRETCH as usize);
            for _ in exponents.clone() {
                points.push(point);
                point += G;
            }
            let written = RistrettoPoint::double_and_compress_batch(&points);
            written.iter().map(CompressedRistretto::to_bytes).zip(exponents).collect::<Vec<_>>()
        };
        let stretches: Vec<Vec<([u8; 32], u64)>> =
            (0..steps.div_ceil(STRETCH)).into_par_iter().map(stretch).collect();
        DiscreteLog { baby: stretches.into_iter().flatten().collect(), giant: Scalar::from(steps) * G }
    }

    /// Whether a table made for the bound would be no larger.
    pub(super) fn suffices(&self, bound: u64) -> bool {
        self.baby.len() as u64 >= steps_for(bound)
    }

    /// By point: the `m ≤ bound` with `m·G = point`. `None` where a point has none.
    pub(super) fn of_all(&self, mut points: Vec<RistrettoPoint>, bound: u64) -> Option<Vec<u64>> {
        let steps = self.baby.len() as u64;
        let mut found = vec![0u64; points.len()];
        // Positions in `found` of the points that are still looked for.
        let mut open: Vec<usize> = (0..points.len()).collect();
        let mut taken = 0u64;
        while !open.is_empty() {
            if taken > bound {
                return None;
            }
            let doubles = RistrettoPoint::double_and_compress_batch(&points);
            let (mut further, mut left) = (Vec::new(), Vec::new());
            for ((place, point), double) in open.into_iter().zip(points).zip(doubles) {
                match self.baby.get(double.as_bytes()) {
                    Some(&rest) => found[place] = Some(taken + rest).filter(|&found| found <= bound)?,
                    None => {
                        further.push(place);
                        left.push(point - self.giant);
                    }
                }
            }
            (open, points) = (further, left);
            taken = taken.checked_add(steps)?;
        }
        Some(found)
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
            let table = DiscreteLog::up_to(table);
            prop_assert_eq!(table.of_all(vec![point], bound), slow.map(|found| vec![found]));
            // Among others, near and far.
            let many = [0, m, bound, m, bound / 2];
            let points = many.iter().map(|&count| Scalar::from(count) * G).collect();
            prop_assert_eq!(table.of_all(points, bound), (m <= bound).then(|| many.to_vec()));
        }
    }
}
