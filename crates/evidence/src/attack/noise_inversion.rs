//! A noisy value is believed.
//!
//! Randomized response keeps a cell with probability `keep` and replaces it by one of the m values, drawn evenly, otherwise. Who
//! knows that and the shares q of the values learns `P(original = v | released = v) = q_v·K_vv / Σ_u q_u·K_uv`, with
//! `K_uv = keep·[u = v] + (1 − keep)/m`. Figure: the largest such probability, held against a threshold.
//! Warner, "Randomized response", JASA 60, 1965.

use super::catalogue::{Card, Tried};
use super::means::{Means, NoisyColumn};
use super::outcome::percent;
use super::planted::{self, Plant};
use super::{Attack, Bound, Figure, Finding, Outcome, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "noise-inversion",
    question: "Can a noisy value be believed?",
    assumption: "The attacker knows the noise and how frequent each value is.",
    source: "Warner, Randomized Response, JASA 1965",
    needs: "a column with noise (--noise COLUMN=SHARE)",
    tried: Tried::OnRequest,
};

/// Shares of the values before the noise, from those after it: `(f − (1 − keep)/m) / keep`, not below 0, scaled to 1.
#[must_use]
pub fn original_shares(released: &[u64], keep: f64) -> Vec<f64> {
    let rows: u64 = released.iter().sum();
    let m = released.len().max(1) as f64;
    let shares: Vec<f64> = released
        .iter()
        .map(|&count| ((count as f64 / rows.max(1) as f64 - (1.0 - keep) / m) / keep.max(1e-12)).max(0.0))
        .collect();
    let sum: f64 = shares.iter().sum();
    match sum > 0.0 {
        true => shares.iter().map(|share| share / sum).collect(),
        false => vec![1.0 / m; released.len()],
    }
}

/// P(original = v | released = v) for each value v, from the original shares.
#[must_use]
pub fn posteriors(shares: &[f64], keep: f64) -> Vec<f64> {
    let replaced = (1.0 - keep) / shares.len().max(1) as f64;
    let sum: f64 = shares.iter().sum();
    shares
        .iter()
        .map(|&share| {
            let seen = share * keep + sum * replaced;
            if seen > 0.0 { share * (keep + replaced) / seen } else { 0.0 }
        })
        .collect()
}

/// Runs the attack on a column of noisy cells; beliefs above `threshold` are told.
#[must_use]
pub fn noise_inversion(
    name: &str,
    labels: &[String],
    released: &[u64],
    keep: f64,
    threshold: f64,
) -> Outcome {
    let shares = original_shares(released, keep);
    let beliefs = posteriors(&shares, keep);
    let most = beliefs.iter().copied().fold(0.0, f64::max);
    let severity = if most > threshold + 1e-12 { Severity::Residual } else { Severity::Covered };
    let mut order: Vec<usize> = (0..beliefs.len()).filter(|&value| beliefs[value] > threshold).collect();
    order.sort_by(|&a, &b| beliefs[b].total_cmp(&beliefs[a]).then(a.cmp(&b)));
    let findings = order.iter().map(|&value| Finding {
        class: vec![format!("{name} = {}", labels.get(value).map_or("?", String::as_str))],
        value: beliefs[value],
        text: format!("a released cell is the original one with {}", percent(beliefs[value])),
    });
    // ln of the largest ratio K_vv / K_uv: the ε of differential privacy for one cell.
    let m = released.len().max(1) as f64;
    let epsilon = ((keep + (1.0 - keep) / m) / ((1.0 - keep) / m)).ln();
    let result = format!("A released value is the original one with up to {}.", percent(most));
    Outcome::new(
        Attack::NoiseInversion,
        severity,
        Figure { what: "largest belief in a released value", value: most, unit: Unit::Share },
        result,
    )
    .about(name)
    .against(Some(Bound { value: threshold, from: "the certainty that is tolerated".to_owned() }))
    .with("probability of keeping a cell", percent(keep))
    .with("values", released.len())
    .with(
        "\u{3b5} of one cell",
        if epsilon.is_finite() { format!("{epsilon:.3}") } else { "unbounded".to_owned() },
    )
    .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |noise: &NoisyColumn| {
        let column = target.released.column(noise.place);
        let mut counts = vec![0u64; column.labels().len()];
        column.codes().iter().for_each(|&code| counts[code as usize] += 1);
        noise_inversion(column.name(), column.labels(), &counts, noise.keep, means.threshold)
    };
    target.noise.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let keep = if plant == Plant::Weak { 0.95 } else { 0.25 };
    let labels: Vec<String> = planted::ILLNESSES.iter().map(|&label| label.to_owned()).collect();
    noise_inversion("illness", &labels, &[20; 5], keep, 0.8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn two_fair_coins() {
        // Heads: the truth; tails: a second coin answers. P(yes | yes) = 3/4, ε = ln 3.
        let beliefs = posteriors(&[0.5, 0.5], 0.5);
        assert!(beliefs.iter().all(|belief| (belief - 0.75).abs() < 1e-12));
        let labels = ["no".to_owned(), "yes".to_owned()];
        let outcome = noise_inversion("answer", &labels, &[50, 50], 0.5, 0.8);
        assert_eq!(outcome.severity, Severity::Covered);
        assert!(
            outcome.details.contains(&("\u{3b5} of one cell".into(), "1.099".into())),
            "{:?}",
            outcome.details
        );
        // A frequent value is believed whatever the coins say.
        let outcome = noise_inversion("answer", &labels, &[74, 26], 0.5, 0.8);
        assert_eq!(outcome.severity, Severity::Residual);
        assert_eq!(outcome.findings[0].class, ["answer = no"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// The whole joint distribution of original and released value, and Bayes' rule on it.
        #[test]
        fn beliefs_are_bayes_rule_on_the_joint_table(weights in prop::collection::vec(1u32..20, 2..6), keep in 0.05f64..0.95) {
            let total: u32 = weights.iter().sum();
            let shares: Vec<f64> = weights.iter().map(|&weight| f64::from(weight) / f64::from(total)).collect();
            let m = shares.len();
            let joint = |u: usize, v: usize| shares[u] * (if u == v { keep } else { 0.0 } + (1.0 - keep) / m as f64);
            for (v, found) in posteriors(&shares, keep).into_iter().enumerate() {
                let released: f64 = (0..m).map(|u| joint(u, v)).sum();
                prop_assert!((found - joint(v, v) / released).abs() < 1e-9);
            }
            let released: Vec<u64> = (0..m).map(|v| ((0..m).map(|u| joint(u, v)).sum::<f64>() * 1e9).round() as u64).collect();
            for (found, share) in original_shares(&released, keep).iter().zip(&shares) {
                prop_assert!((found - share).abs() < 1e-5);
            }
        }
    }
}
