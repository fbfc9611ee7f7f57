//! Games with people in the table and people outside it.
//!
//! Each game is played against the release for people whose rows went into it, and again for a control group whose rows did not.
//! What works equally well on both is a fact about the world; what works better on the people in the table is what the release gave
//! away. Giomi, Boenisch, Wehmeyer and Tasnádi, "A unified framework for quantifying privacy risk in synthetic data", PoPETs 2023(2).

use super::confidence::Excess;
use super::projection::Projection;
use rand::Rng;
use rand::seq::index;

/// The people a game is about.
#[derive(Clone, Copy, Debug)]
pub struct Players<'a> {
    /// Those whose rows went into the release.
    pub inside: &'a Projection,
    /// Those whose rows did not.
    pub outside: Option<&'a Projection>,
}

/// So many records, drawn without repetition, in ascending order.
pub(super) fn sample(records: usize, wanted: usize, random: &mut impl Rng) -> Vec<usize> {
    let mut drawn = index::sample(random, records, wanted.min(records)).into_vec();
    drawn.sort_unstable();
    drawn
}

/// The excess in words, for the report.
pub(super) fn excess_text(excess: &Excess) -> String {
    format!("{:.3} ({:.3} to {:.3})", excess.value, excess.low, excess.high)
}

/// Who the attack is compared with.
pub(super) fn control_name(outside: Option<&Projection>) -> &'static str {
    if outside.is_some() { "people outside the table" } else { "a blind guess" }
}
