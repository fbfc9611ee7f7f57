//! An attacker's beliefs before and after a release.
//!
//! `B₀(s)` is a person's own guess about the secret of somebody in the table, `B₁ = q` the belief of whoever knows the whole column, and
//! `B₂` the belief after the class is seen. A class with shares `p_E(s)` among people who are otherwise like the whole column turns a
//! prior `a` into `B₂(s) ∝ a(s) · p_E(s) / q(s)` (Bayes' rule, with the class as the observation). Whoever starts with q ends with p_E.
//! Values that the attacker can rule out have a prior of 0. Several attackers who put their knowledge together, each independent of the
//! others given the secret, have the prior `∝ Π aᵢ(s) / q(s)^(m−1)`, and whatever one of them rules out is ruled out.
//! Machanavajjhala et al., "ℓ-Diversity", TKDD 1(1), 2007, section 3; Li, Li and Venkatasubramanian, "t-Closeness", ICDE 2007.

use super::entropy::{NotProbabilities, entropy};
use crate::risk::disclosure::ClassValues;
use serde::Serialize;

/// What is believed about the people of one class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassBelief {
    /// Position of the class among all.
    pub class: usize,
    /// Rows of the class.
    pub rows: u64,
    /// `B₂`, by value code; `None` where the class shows no value that the prior allows: the knowledge contradicts the release.
    pub posterior: Option<Vec<f64>>,
}

/// The prior of several attackers together. One attacker alone keeps his own.
///
/// # Errors
/// If a prior is no probability, or the attackers contradict each other: they rule out everything.
pub fn together(priors: &[Vec<f64>], overall: &[f64]) -> Result<Vec<f64>, BeliefError> {
    for (attacker, prior) in priors.iter().enumerate() {
        entropy(prior).map_err(|problem| BeliefError::Prior { attacker: attacker + 1, problem })?;
    }
    let joint = |value: usize| -> f64 {
        let product: f64 = priors.iter().map(|prior| prior[value]).product();
        let known = priors.len().saturating_sub(1) as i32;
        match overall[value] > 0.0 {
            true => product / overall[value].powi(known),
            false => 0.0,
        }
    };
    let weights: Vec<f64> = (0..overall.len()).map(joint).collect();
    normalised(&weights).ok_or(BeliefError::Contradiction)
}

/// The beliefs about every class of an attacker with this prior.
#[must_use]
pub fn beliefs(values: &ClassValues, prior: &[f64]) -> Vec<ClassBelief> {
    let totals = values.totals();
    let classes = values.classes().enumerate().map(|(class, entries)| {
        let mut weights = vec![0.0; totals.len()];
        for &(_, value, rows) in entries {
            // p_E(s)/q(s) up to a factor that is the same for all values.
            weights[value as usize] = prior[value as usize] * rows as f64 / totals[value as usize] as f64;
        }
        ClassBelief {
            class,
            rows: entries.iter().map(|&(_, _, rows)| rows).sum(),
            posterior: normalised(&weights),
        }
    });
    classes.collect()
}

/// The prior without values that are ruled out.
///
/// # Errors
/// If nothing is left.
pub fn excluding(prior: &[f64], excluded: &[u32]) -> Result<Vec<f64>, BeliefError> {
    let left =
        |(value, &belief): (usize, &f64)| if excluded.contains(&(value as u32)) { 0.0 } else { belief };
    let weights: Vec<f64> = prior.iter().enumerate().map(left).collect();
    normalised(&weights).ok_or(BeliefError::Contradiction)
}

/// Why there is no belief.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BeliefError {
    /// The numbers are at fault.
    #[error("prior {attacker}: {problem}")]
    Prior {
        /// Whose, from 1.
        attacker: usize,
        /// What is wrong.
        problem: NotProbabilities,
    },
    /// Nothing is left to believe.
    #[error("what the attackers know contradicts itself: every value is ruled out")]
    Contradiction,
}

fn normalised(weights: &[f64]) -> Option<Vec<f64>> {
    let sum: f64 = weights.iter().sum();
    (sum > 0.0).then(|| weights.iter().map(|weight| weight / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two classes over three values: (2, 1, 1) and (2, 3, 3).
    fn values() -> ClassValues {
        ClassValues::counted([(0, 0, 2), (0, 1, 1), (0, 2, 1), (1, 0, 2), (1, 1, 3), (1, 2, 3)], 3)
    }

    #[test]
    fn whoever_knows_the_column_ends_with_the_class() {
        let found = beliefs(&values(), &[4.0 / 12.0, 4.0 / 12.0, 4.0 / 12.0]);
        let near = |found: &Option<Vec<f64>>, expected: [f64; 3]| {
            found.as_ref().unwrap().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        assert!(near(&found[0].posterior, [0.5, 0.25, 0.25]), "{found:?}");
        assert!(near(&found[1].posterior, [0.25, 0.375, 0.375]));
    }

    #[test]
    fn what_is_ruled_out_stays_so_and_attackers_add_up() {
        let overall = [1.0 / 3.0; 3];
        let first = excluding(&overall, &[1]).unwrap();
        let second = excluding(&overall, &[2]).unwrap();
        let both = together(&[first.clone(), second], &overall).unwrap();
        assert!((both[0] - 1.0).abs() < 1e-12, "each rules out one value, both together leave one");
        assert_eq!(beliefs(&values(), &both)[0].posterior.as_ref().unwrap()[0], 1.0);
        assert_eq!(beliefs(&values(), &first)[0].posterior.as_ref().unwrap()[1], 0.0);
        let third = excluding(&overall, &[0]).unwrap();
        assert_eq!(together(&[both, third], &overall), Err(BeliefError::Contradiction));
        assert!(together(&[vec![0.5, 0.2, 0.2]], &overall).is_err());
        let alone = ClassValues::counted([(0, 0, 2), (1, 1, 2)], 2);
        assert_eq!(
            beliefs(&alone, &[0.0, 1.0])[0].posterior,
            None,
            "the class shows nothing that is believed"
        );
    }

    proptest! {
        /// Bayes' rule on the joint counts: the person is a random row of the column, tilted by the prior.
        #[test]
        fn posteriors_are_those_of_weighted_rows(counts in prop::collection::vec(1u64..9, 6), prior in prop::collection::vec(1u32..9, 3)) {
            let entries = (0..6).map(|at| ((at / 3) as u32, (at % 3) as u32, counts[at]));
            let values = ClassValues::counted(entries, 3);
            let sum: f64 = prior.iter().map(|&part| f64::from(part)).sum();
            let prior: Vec<f64> = prior.iter().map(|&part| f64::from(part) / sum).collect();
            let found = beliefs(&values, &prior);
            for class in 0..2 {
                let weight = |value: usize| {
                    let in_class = counts[class * 3 + value] as f64;
                    prior[value] * in_class / (counts[value] + counts[3 + value]) as f64
                };
                let all: f64 = (0..3).map(weight).sum();
                for value in 0..3 {
                    prop_assert!((found[class].posterior.as_ref().unwrap()[value] - weight(value) / all).abs() < 1e-12);
                }
            }
        }
    }
}
