//! The discrete Laplace distribution, by opendp's exact sampler.

use opendp::traits::samplers::sample_discrete_laplace;

use super::MechanismError;
use crate::exact::Ratio;

pub(super) fn draw(scale: &Ratio) -> Result<i128, MechanismError> {
    let noise = sample_discrete_laplace(scale.as_big().clone()).map_err(|_| MechanismError::NoRandomness)?;
    // Scales are at most 2^100, so this misses with a probability below e^(−2^26).
    i128::try_from(noise).map_err(|_| MechanismError::TooWide)
}

/// `P(|X| > h) = 2·r^(h+1) / (1+r)`, solved for h.
pub(super) fn half_width(scale: f64, miss: f64) -> u128 {
    if scale == 0.0 {
        return 0;
    }
    let r = (-1.0 / scale).exp();
    (scale * (2.0 / (miss * (1.0 + r))).ln() - 1.0).ceil().max(0.0) as u128
}

/// `P(X ≥ t) = r^t / (1+r)` for t ≥ 1.
pub(super) fn upper_tail(scale: f64, t: f64) -> f64 {
    (-t / scale).exp() / (1.0 + (-1.0 / scale).exp())
}
