//! How many rows of a class can stay within a distance? Upper bounds, for every way of leaving rows out.

use crate::grouping::Distribution;

/// Rounding may make a bound looser, never tighter.
const SLACK: f64 = 1e-9;

/// For distances that are the mean, over so many partitions of the values, of the variation distance between the parts. `parts` are the class's and
/// the table's rows in every part of every partition; those that the class does not show may be missing.
///
/// Of a class with `c` rows in a part whose share of the table is `q`, `n'` rows can stay only if `Σ min(c, n'·q) ≥ (1 − t)·n'·partitions`, since
/// only rows up to `n'·q` of each part are at no distance. The difference of the two sides is concave in `n'`, so Newton's steps from the right
/// come down to its last root without passing it.
pub(super) fn by_variation(
    t: f64,
    mut parts: Vec<(u64, u64)>,
    partitions: usize,
    rows: u64,
    total: u64,
) -> u64 {
    let needed = (1.0 - t) * partitions as f64;
    let mut kept = rows as f64;
    // A part that is not used up at some size is not used up at any smaller one.
    let mut growing = 0.0;
    loop {
        let mut full = 0u64;
        parts.retain(|&(count, expected)| {
            let grows = kept * (expected as f64) < count as f64 * total as f64;
            if grows {
                growing += expected as f64 / total as f64;
            } else {
                full += count;
            }
            !grows
        });
        // The line through the current point meets zero at full / (needed − growing).
        let (full, fall) = (full as f64, needed - growing);
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
pub(super) fn by_convexity(t: f64, distance: f64, class: &Distribution<'_>, rows: u64, alone: &[f64]) -> u64 {
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
