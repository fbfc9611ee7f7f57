//! How many rows of a class can stay within a distance? Upper bounds, for every way of leaving rows out.

use super::Reference;
use crate::grouping::Distribution;

/// Rounding may make a bound looser, never tighter.
const SLACK: f64 = 1e-9;

/// For values that are equally far apart: of a class with counts `c_v`, `n'` rows can stay only if `Σ min(c_v, n'·q_v) ≥ (1 − t)·n'`, since
/// rows up to `n'·q_v` of each value are at no distance and all others are. The difference of the two sides is concave in `n'`, so
/// Newton's steps from the right come down to its last root without passing it.
pub(super) fn most_kept_of_equals(t: f64, class: &Distribution<'_>, rows: u64, reference: &Reference) -> u64 {
    let total = reference.total as f64;
    let mut kept = rows as f64;
    loop {
        let (mut full, mut growing) = (0.0, 0.0);
        for &value in class.present {
            let (count, share) =
                (f64::from(class.dense[value as usize]), reference.counts[value as usize] as f64 / total);
            if kept * share < count {
                growing += share;
            } else {
                full += count;
            }
        }
        // The line through the current point meets zero at full / (1 − t − growing).
        let fall = 1.0 - t - growing;
        if fall <= SLACK || full >= fall * kept * (1.0 - SLACK) {
            break;
        }
        kept = full / fall;
        if kept < 1.0 - SLACK {
            return 0;
        }
    }
    whole(kept, rows)
}

/// For any convex distance `D`: if `x` of `n` rows are left out, `n·D ≤ (n − x)·t + Σ e_v` over those rows, with `e_v` the distance of a value
/// alone; the rows with the largest `e_v` help most.
pub(super) fn most_kept(t: f64, distance: f64, class: &Distribution<'_>, rows: u64, alone: &[f64]) -> u64 {
    let mut missing = rows as f64 * (distance - t) * (1.0 - SLACK) - SLACK;
    let mut values: Vec<(f64, u32)> =
        class.present.iter().map(|&value| (alone[value as usize], class.dense[value as usize])).collect();
    values.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut left_out = 0.0;
    for (farthest, count) in values {
        let gain = farthest - t;
        if missing <= 0.0 || gain <= 0.0 {
            break;
        }
        let taken = (missing / gain).min(f64::from(count));
        left_out += taken;
        missing -= taken * gain;
    }
    whole(rows as f64 - left_out, rows)
}

/// The largest whole number of rows, rounding aside.
fn whole(kept: f64, rows: u64) -> u64 {
    ((kept * (1.0 + SLACK) + SLACK).floor() as u64).min(rows)
}
