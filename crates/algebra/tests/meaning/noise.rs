//! α^D: every cell of a noisy column kept, or redrawn in every way.

use super::relational::place;
use super::{Cell, Meaning, Outcomes, Row, Undefined, add, surely, then};
use paravent_algebra::operator::{Distribution, Noise, Randomize, Tails};
use paravent_core::exact::Fraction;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why dynamic noise stops: it does not know where it is.
pub const OUTSIDE: &str = "a value outside of its domain";

pub(super) fn randomized(rows: &[Row], node: &Randomize) -> Meaning {
    let mut all = surely(rows.to_vec());
    for (column, noise) in &node.what().noise {
        let at = place(node.input(), column)?;
        let seen: Vec<Cell> = rows.iter().map(|row| row[at].clone()).collect();
        for (row, old) in seen.iter().enumerate() {
            let chances = chances(old, &seen, noise)?;
            all = then(all, |rows| redrawn(rows, row, at, &chances))?;
        }
    }
    Ok(all)
}

fn redrawn(rows: &[Row], row: usize, at: usize, chances: &BTreeMap<Cell, Fraction>) -> Meaning {
    let mut all = Outcomes::new();
    for (value, chance) in chances {
        let mut changed = rows.to_vec();
        changed[row][at] = value.clone();
        add(&mut all, changed, *chance)?;
    }
    Ok(all)
}

/// What becomes of a cell: kept with 1 − p, else drawn from the distribution.
fn chances(old: &Cell, seen: &[Cell], noise: &Noise) -> Result<BTreeMap<Cell, Fraction>, Undefined> {
    let p = *noise.probability.value();
    let mut chances = BTreeMap::from([(old.clone(), p.complement().unwrap())]);
    if p > Fraction::ZERO {
        for (value, weight) in drawn(old, seen, &noise.distribution)? {
            let chance = p.times(weight).ok_or(Undefined::TooMany)?;
            let sum = chances.get(&value).copied().unwrap_or(Fraction::ZERO);
            chances.insert(value, sum.plus(chance).ok_or(Undefined::TooMany)?);
        }
    }
    chances.retain(|_, chance| *chance > Fraction::ZERO);
    Ok(chances)
}

/// Values with their weights, which sum to 1; a value may come twice.
fn drawn(old: &Cell, seen: &[Cell], distribution: &Distribution) -> Result<Vec<(Cell, Fraction)>, Undefined> {
    let text = |text: &String| Some(Arc::from(text.as_str()));
    let evenly = |values: Vec<Cell>| {
        let each = Fraction::new(1, values.len().max(1) as u64).unwrap();
        values.into_iter().map(|value| (value, each)).collect()
    };
    Ok(match distribution {
        Distribution::Uniform { domain: Some(domain) } => evenly(domain.iter().map(text).collect()),
        Distribution::Uniform { domain: None } => {
            let mut values = seen.to_vec();
            values.sort();
            values.dedup();
            evenly(values)
        }
        Distribution::Learnt => evenly(seen.to_vec()),
        Distribution::Given(weights) => {
            weights.iter().map(|(value, weight)| (text(value), *weight.value())).collect()
        }
        Distribution::GivenOrMissing { values, missing } => {
            let there = values.iter().map(|(value, weight)| (text(value), *weight.value()));
            there.chain([(None, *missing.value())]).collect()
        }
        Distribution::Declared => return Err(Undefined::Unknown("a declared distribution".to_owned())),
        Distribution::Steps { domain, steps, tails } => {
            let Some(from) = domain.iter().position(|value| old.as_deref() == Some(value)) else {
                return Err(Undefined::Error(OUTSIDE));
            };
            let last = domain.len() as i64 - 1;
            let step = |by: i32| {
                let to = from as i64 + i64::from(by);
                let to = match tails {
                    Tails::Cyclic => to.rem_euclid(last + 1),
                    Tails::Clamped => to.clamp(0, last),
                };
                text(&domain[to as usize])
            };
            steps.iter().map(|move_| (step(move_.by), *move_.probability.value())).collect()
        }
    })
}
