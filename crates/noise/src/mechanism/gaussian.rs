//! The discrete Gaussian distribution, by opendp's exact sampler, calibrated to (ε, δ).

use std::sync::{Mutex, PoisonError};

use opendp::combinators::ConcentratedMeasure;
use opendp::measures::ZeroConcentratedDivergence;
use opendp::traits::samplers::sample_discrete_gaussian;

use super::MechanismError;
use crate::budget::Cost;
use crate::exact::Ratio;

/// σ per unit of sensitivity is a multiple of 1/2^20.
const PARTS: u64 = 1 << 20;

pub(super) fn draw(sigma: &Ratio) -> Result<i128, MechanismError> {
    let noise = sample_discrete_gaussian(sigma.as_big().clone()).map_err(|_| MechanismError::NoRandomness)?;
    i128::try_from(noise).map_err(|_| MechanismError::TooWide)
}

/// The smallest σ (in steps of 2^−20) that keeps (ε, δ) at sensitivity 1.
///
/// Noise of σ is ρ-zero-concentrated with `ρ = 1/(2σ²)`, and that implies
/// `δ ≤ min_α e^((α−1)(αρ−ε)) / (α−1) · (1 − 1/α)^α` (Canonne, Kamath & Steinke 2020, Theorem 4 and Corollary 13). opendp evaluates
/// the bound with every rounding on the safe side; ε and δ are handed to it rounded down, ρ rounded up.
pub(super) fn multiplier(cost: &Cost) -> Result<Ratio, MechanismError> {
    let known = |remembered: &Vec<(Cost, Ratio)>| {
        remembered.iter().find(|(known, _)| known == cost).map(|(_, multiplier)| multiplier.clone())
    };
    if let Some(multiplier) = known(&REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(multiplier);
    }
    let multiplier = search(cost)?;
    let mut remembered = REMEMBERED.lock().unwrap_or_else(PoisonError::into_inner);
    if remembered.len() >= MOST_REMEMBERED {
        remembered.remove(0);
    }
    remembered.push((cost.clone(), multiplier.clone()));
    Ok(multiplier)
}

/// The last calibrations: a search takes longer than thousands of draws, and an audit draws for the same cost a million times.
static REMEMBERED: Mutex<Vec<(Cost, Ratio)>> = Mutex::new(Vec::new());
const MOST_REMEMBERED: usize = 16;

fn search(cost: &Cost) -> Result<Ratio, MechanismError> {
    let (epsilon, delta) = (cost.epsilon().f64_below(), cost.delta().f64_below());
    let keeps = |parts: u64| implied_delta(parts, epsilon).is_some_and(|implied| implied <= delta);
    let mut enough = 1;
    while !keeps(enough) {
        // Beyond 2^52 a double no longer tells neighbours apart.
        enough = if enough < 1 << 52 { enough * 2 } else { return Err(MechanismError::NoGaussian) };
    }
    let mut too_few = enough / 2;
    while enough - too_few > 1 {
        let middle = too_few + (enough - too_few) / 2;
        *(if keeps(middle) { &mut enough } else { &mut too_few }) = middle;
    }
    Ratio::new(enough as i64, PARTS).ok_or(MechanismError::NoGaussian)
}

fn implied_delta(parts: u64, epsilon: f64) -> Option<f64> {
    let sigma = parts as f64 / PARTS as f64;
    // Two roundings, each by half a unit in the last place at most.
    let rho = (0.5 / (sigma * sigma)).next_up().next_up().next_up();
    ZeroConcentratedDivergence::convert(rho).and_then(|profile| profile.delta(epsilon)).ok()
}

/// The smallest h with `P(|X| > h) ≤ miss`: summed where σ is small, else from the continuous tail.
pub(super) fn half_width(sigma: f64, miss: f64) -> u128 {
    if sigma == 0.0 {
        return 0;
    }
    let asked = (sigma.to_bits(), miss.to_bits());
    if let Some((_, width)) =
        WIDTHS.lock().unwrap_or_else(PoisonError::into_inner).iter().find(|(known, _)| *known == asked)
    {
        return *width;
    }
    let width = computed_half_width(sigma, miss);
    let mut widths = WIDTHS.lock().unwrap_or_else(PoisonError::into_inner);
    if widths.len() >= MOST_REMEMBERED {
        widths.remove(0);
    }
    widths.push((asked, width));
    width
}

/// The last half widths, by the bits of σ and the chance of a miss.
static WIDTHS: Mutex<Vec<((u64, u64), u128)>> = Mutex::new(Vec::new());

fn computed_half_width(sigma: f64, miss: f64) -> u128 {
    if sigma > 1_000.0 {
        // At this width the discrete and the continuous tail differ by less than the rounding up.
        return (sigma * normal_quantile(miss)).ceil() as u128 + 1;
    }
    let weight = |x: u32| (-f64::from(x).powi(2) / (2.0 * sigma * sigma)).exp();
    let last = (40.0 * sigma).ceil() as u32 + 1;
    let total = 1.0 + 2.0 * (1..=last).rev().map(weight).sum::<f64>();
    let mut outside = 0.0;
    for x in (1..=last).rev() {
        outside += 2.0 * weight(x) / total;
        if outside > miss {
            return u128::from(x);
        }
    }
    0
}

/// z with `P(|Z| > z) = miss`, by bisection on the tail sum of a fine grid of the normal density.
fn normal_quantile(miss: f64) -> f64 {
    // The grid of σ = 1000 is fine enough: its half width, in units of σ.
    half_width(1_000.0, miss) as f64 / 1_000.0
}
