//! Noise on an ordered domain, given by distances: one day earlier or later, two days, …

use std::collections::BTreeMap;

use super::{DistributionError, Kernel, Place, count};
use crate::exact::Ratio;

/// What becomes of a step beyond the first or the last value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// It goes on from the other end: 31 December is followed by 1 January.
    Cyclic,
    /// It stops at the end, whose weight grows by it.
    Clamped,
}

/// What becomes of the weight that the steps leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// There must be none: the steps sum to 1.
    Refused,
    /// The value stays.
    Stays,
    /// It is spread evenly over the values that no step reaches; the value stays where there is none.
    Spread,
}

pub(super) fn kernel(
    values: u32,
    steps: &[(i32, Ratio)],
    ends: Ends,
    rest: Rest,
) -> Result<Kernel, DistributionError> {
    count(values as usize)?;
    let mut by_step = BTreeMap::new();
    for (step, weight) in steps {
        if weight.is_negative() {
            return Err(DistributionError::Negative { place: Place::Weights });
        }
        if by_step.insert(*step, weight).is_some() {
            return Err(DistributionError::StepTwice { step: *step });
        }
    }
    let sum: Ratio = by_step.values().copied().sum();
    let open = &Ratio::one() - &sum;
    if open.is_negative() {
        return Err(DistributionError::NotOne { place: Place::Weights, sum });
    }
    if rest == Rest::Refused && !open.is_zero() {
        return Err(DistributionError::RestOpen { sum });
    }
    let row = |from| {
        let mut row: BTreeMap<u32, Ratio> = BTreeMap::new();
        let mut add = |to, weight: &Ratio| {
            let entry = row.entry(to).or_insert_with(Ratio::zero);
            *entry = &*entry + weight;
        };
        for (step, weight) in by_step.iter().filter(|(_, weight)| !weight.is_zero()) {
            add(landing(from, *step, values, ends), weight);
        }
        if !open.is_zero() {
            match rest {
                Rest::Refused | Rest::Stays => add(from, &open),
                Rest::Spread => spread(&mut row, from, &open, values),
            }
        }
        row.into_iter().collect()
    };
    Ok(Kernel::trusted((0..values).map(row).collect()))
}

fn landing(from: u32, step: i32, values: u32, ends: Ends) -> u32 {
    let (values, there) = (i64::from(values), i64::from(from) + i64::from(step));
    let to = match ends {
        Ends::Cyclic => there.rem_euclid(values),
        Ends::Clamped => there.clamp(0, values - 1),
    };
    to as u32
}

fn spread(row: &mut BTreeMap<u32, Ratio>, from: u32, open: &Ratio, values: u32) {
    let others: Vec<u32> = (0..values).filter(|to| !row.contains_key(to)).collect();
    if others.is_empty() {
        let entry = row.entry(from).or_insert_with(Ratio::zero);
        *entry = &*entry + open;
        return;
    }
    let share = open / &Ratio::whole(others.len() as u128);
    row.extend(others.into_iter().map(|to| (to, share.clone())));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Distribution;

    /// ±1 day 0.20, ±2 0.15, ±3 0.05, the day itself 0.05: 0.85 in all.
    fn days() -> Vec<(i32, Ratio)> {
        let weight = |step: i32| ["0.05", "0.20", "0.15", "0.05"][step.unsigned_abs() as usize];
        (-3..=3).map(|step| (step, Ratio::parse(weight(step)).unwrap())).collect()
    }

    fn p(d: &Distribution, from: u32, to: u32) -> String {
        d.probability(from, to).to_string()
    }

    #[test]
    fn open_weight_needs_a_rule() {
        let error = Distribution::steps(365, &days(), Ends::Cyclic, Rest::Refused).unwrap_err();
        assert_eq!(error, DistributionError::RestOpen { sum: Ratio::parse("0.85").unwrap() });
        let stays = Distribution::steps(365, &days(), Ends::Cyclic, Rest::Stays).unwrap();
        assert_eq!(p(&stays, 100, 100), "0.2");
        let spread = Distribution::steps(365, &days(), Ends::Cyclic, Rest::Spread).unwrap();
        assert_eq!(p(&spread, 100, 100), "0.05");
        assert_eq!(spread.probability(100, 200), Ratio::new(15, 100 * (365 - 7)).unwrap());
    }

    #[test]
    fn the_first_day_wraps_or_clamps() {
        let cyclic = Distribution::steps(365, &days(), Ends::Cyclic, Rest::Stays).unwrap();
        assert_eq!(
            (p(&cyclic, 0, 364), p(&cyclic, 0, 362), p(&cyclic, 0, 3)),
            ("0.2".into(), "0.05".into(), "0.05".into())
        );
        let clamped = Distribution::steps(365, &days(), Ends::Clamped, Rest::Stays).unwrap();
        assert_eq!(
            (p(&clamped, 0, 364), p(&clamped, 0, 0), p(&clamped, 0, 3)),
            ("0".into(), "0.6".into(), "0.05".into())
        );
        assert_eq!(p(&clamped, 364, 364), "0.6");
    }

    #[test]
    fn a_domain_smaller_than_the_steps_still_sums_to_one() {
        for (ends, rest) in
            [(Ends::Cyclic, Rest::Spread), (Ends::Clamped, Rest::Spread), (Ends::Cyclic, Rest::Stays)]
        {
            for values in 1..6 {
                let noise = Distribution::steps(values, &days(), ends, rest).unwrap();
                for from in 0..values {
                    let sum: Ratio =
                        (0..values).fold(Ratio::zero(), |sum, to| &sum + &noise.probability(from, to));
                    assert_eq!(sum, Ratio::one(), "{ends:?} {rest:?} {values} values, from {from}");
                }
            }
        }
    }

    #[test]
    fn a_step_given_twice_or_too_much_weight_is_refused() {
        let half = Ratio::new(1, 2).unwrap();
        let twice = [(1, half.clone()), (1, half.clone())];
        assert_eq!(
            Distribution::steps(3, &twice, Ends::Cyclic, Rest::Stays),
            Err(DistributionError::StepTwice { step: 1 })
        );
        let much = [(1, half.clone()), (-1, half.clone()), (0, half)];
        assert!(matches!(
            Distribution::steps(3, &much, Ends::Cyclic, Rest::Stays),
            Err(DistributionError::NotOne { .. })
        ));
    }
}
