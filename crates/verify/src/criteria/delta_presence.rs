//! Nobody can tell too well who is in the release and who is not.
//!
//! With `δ(E) = |E ∩ T| / |E ∩ P|` for released rows T and population P, or people where people are counted, δ-presence holds when `min ≤ δ(E) ≤ max` for every
//! class of the population. Classes without a released row have δ = 0 and break a `min` above 0, unless their rows
//! were suppressed. Nergiz, Atzori & Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007.

use std::cmp::Ordering;

use super::population::Population;
use super::{Failures, Finding, Measure};
use crate::checks::Release;
use crate::decimal::Decimal;
use crate::fraction::Fraction;
use crate::json::Node;
use crate::{Check, VerifyError};

pub(super) fn judge(
    release: &Release<'_>,
    promise: &Node<'_>,
    required: &Node<'_>,
) -> Result<(Check, Finding), VerifyError> {
    let (min, max) = (required.get("min")?.decimal()?, required.get("max")?.decimal()?);
    let population = Population::parse(release, &promise.get("population")?)?;
    let finding =
        finding((release.sizes(), release.first_rows()), &population.of_class, population.empty, &min, &max);
    Ok((population.check, finding))
}

fn finding(
    (sizes, first_rows): (&[u64], &[usize]),
    of_class: &[Option<u64>],
    empty: u64,
    min: &Decimal,
    max: &Decimal,
) -> Finding {
    let (mut low, mut high) = (Failures::default(), Failures::default());
    let (mut least, mut greatest): (Option<Fraction>, Option<Fraction>) = (None, None);
    for ((&size, &row), &count) in sizes.iter().zip(first_rows).zip(of_class) {
        // A class that the population does not have is known for certain.
        let delta = Fraction::new(size.into(), count.unwrap_or(0).into());
        if delta.cmp_decimal(min) == Ordering::Less {
            low.add(row);
        }
        if delta.cmp_decimal(max) == Ordering::Greater {
            high.add(row);
        }
        least = Some(least.map_or(delta, |least| least.min(delta)));
        greatest = Some(greatest.map_or(delta, |greatest| greatest.max(delta)));
    }
    let mut problems: Vec<String> = Vec::new();
    problems.extend(low.problem(&format!("of which fewer than {min} of the population are released")));
    problems.extend(high.problem(&format!("of which more than {max} of the population are released")));
    let nobody_needed = Fraction::new(0, 1).cmp_decimal(min) != Ordering::Less;
    if empty > 0 && !nobody_needed {
        problems.push(format!("{empty} classes of the population without a released row"));
    }
    let real =
        |fraction: Option<Fraction>| fraction.map_or(Measure::Nothing, |found| Measure::real(found.to_f64()));
    let lower = match real(least) {
        _ if empty > 0 && !nobody_needed => Measure::Real(0.0),
        // Classes without a released row need not be listed, so the true least may be 0.
        Measure::Real(value) if nobody_needed => Measure::RealOrZero(value),
        measure => measure,
    };
    Finding {
        problems,
        fine: format!("between {min} and {max} of every class of the population are released"),
        achieved: vec![("min", lower), ("max", real(greatest))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(sizes: &[u64], population: &[u64], empty: u64, min: &str, max: &str) -> bool {
        let first_rows: Vec<usize> = (0..sizes.len()).collect();
        let population: Vec<Option<u64>> = population.iter().copied().map(Some).collect();
        let (min, max) = (Decimal::parse(min).unwrap(), Decimal::parse(max).unwrap());
        finding((sizes, &first_rows), &population, empty, &min, &max).problems.is_empty()
    }

    #[test]
    fn suppression_can_undo_a_coarser_table() {
        assert!(!holds(&[5, 4], &[5, 10], 0, "0", "0.5"));
        assert!(holds(&[4], &[10], 0, "0", "0.5"));
        assert!(!holds(&[9], &[15], 0, "0", "0.5"));
        assert!(holds(&[9], &[15], 0, "0", "0.6"), "both ends are included");
        assert!(holds(&[9], &[15], 0, "0.6", "1"));
    }

    #[test]
    fn classes_without_a_row_break_a_lower_bound_only() {
        assert!(holds(&[4], &[10], 3, "0", "0.5"));
        assert!(!holds(&[4], &[10], 3, "0.1", "0.5"));
        assert!(!holds(&[1], &[100], 0, "0.05", "0.5"));
    }
}
