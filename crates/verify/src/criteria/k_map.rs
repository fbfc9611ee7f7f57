//! Every released class has at least k rows in the population, or people where people are counted.
//!
//! Holds when `|E ∩ P| ≥ k` for every class `E` of the release, P being the population. Sweeney, "Achieving
//! k-anonymity privacy protection using generalization and suppression", 2002.

use super::population::Population;
use super::{Failures, Finding, Measure};
use crate::checks::Release;
use crate::json::Node;
use crate::{Check, VerifyError};

pub(super) fn judge(
    release: &Release<'_>,
    promise: &Node<'_>,
    required: &Node<'_>,
) -> Result<(Check, Finding), VerifyError> {
    let k = required.get("k")?.u64()?;
    let population = Population::parse(release, &promise.get("population")?)?;
    let of = if release.manifest.people.is_some() { "people" } else { "rows" };
    let finding = finding(&population.of_class, release.first_rows(), of, k);
    Ok((population.check, finding))
}

fn finding(of_class: &[Option<u64>], first_rows: &[usize], of: &str, k: u64) -> Finding {
    let mut failures = Failures::default();
    for (&count, &row) in of_class.iter().zip(first_rows) {
        if count.unwrap_or(0) < k {
            failures.add(row);
        }
    }
    let smallest = of_class.iter().flatten().min();
    Finding {
        problems: failures
            .problem(&format!("with fewer than {k} {of} in the population"))
            .into_iter()
            .collect(),
        fine: format!(
            "every class has {} {of} or more in the population, {k} required",
            smallest.unwrap_or(&0)
        ),
        achieved: vec![("k", smallest.map_or(Measure::Nothing, |&count| Measure::Count(count)))],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_population_are_counted() {
        assert!(finding(&[Some(5), Some(9)], &[0, 1], "rows", 5).problems.is_empty());
        assert_eq!(finding(&[Some(5), Some(9)], &[0, 1], "rows", 5).achieved, [("k", Measure::Count(5))]);
        assert!(!finding(&[Some(4), Some(9)], &[0, 1], "rows", 5).problems.is_empty());
        assert!(
            !finding(&[None], &[0], "rows", 1).problems.is_empty(),
            "a class that the population does not have"
        );
    }
}
