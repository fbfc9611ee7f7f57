//! Randomised response: each cell keeps its value with probability `1 − p`, else it is redrawn.
//!
//! One step is the matrix `M = (1−p)·I + p·K`, where `M[a][b]` is the probability that `a` is shown as `b`. Warner, "Randomized
//! response: a survey technique for eliminating evasive answer bias", JASA 60(309), 1965.

use std::collections::BTreeMap;

use crate::distribution::{Distribution, Kernel, Weights};
use crate::exact::{Delta, Epsilon, Probability, Ratio};
use crate::likelihood::{LikelihoodRatio, delta_of, ratio_of};

/// One step of noise on one attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Response {
    /// The probability that a cell is redrawn. The redraw may return the old value.
    pub p: Probability,
    /// What a redrawn cell becomes.
    pub distribution: Distribution,
}

/// Two steps over different domains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the first step has {first} values, the second {second}: both must be over the same values")]
pub struct DomainsDiffer {
    /// Values of the first step.
    pub first: u32,
    /// Values of the second step.
    pub second: u32,
}

/// Why no probability gives the ε that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSuchNoise {
    /// Some value is never drawn.
    #[error("a value has the weight 0, so no probability keeps an ε: give every value a weight")]
    WithoutWeight,
    /// The noise depends on the old value.
    #[error(
        "the probability follows from an ε for weights only; for steps and kernels, give the probability"
    )]
    Dynamic,
    /// Too large.
    #[error("an ε above {} protects nobody", Ratio::LARGEST_EXPONENT)]
    LargeEpsilon,
}

impl Response {
    /// One step.
    pub fn new(p: Probability, distribution: Distribution) -> Response {
        Response { p, distribution }
    }

    /// The number of values; codes are `0..domain`.
    pub fn domain(&self) -> u32 {
        self.distribution.domain()
    }

    /// `M[from][to]`: the probability that `from` is shown as `to`; 0 outside the domain.
    pub fn probability(&self, from: u32, to: u32) -> Ratio {
        let redrawn = self.p.ratio() * &self.distribution.probability(from, to);
        if from == to && from < self.domain() { &redrawn + self.p.complement().ratio() } else { redrawn }
    }

    /// The probability that `value` is shown unchanged; at least `1 − p`.
    pub fn unchanged(&self, value: u32) -> Ratio {
        self.probability(value, value)
    }

    /// The whole matrix `M`, row by row. Grows with the square of the domain.
    pub fn matrix(&self) -> Vec<Vec<Ratio>> {
        let values = 0..self.domain();
        values.clone().map(|from| values.clone().map(|to| self.probability(from, to)).collect()).collect()
    }

    /// This step followed by `next`, as one step.
    ///
    /// Two steps of static noise are again static: `p' = 1 − (1−p)(1−q)`, and the redraw comes from the second distribution with
    /// weight `q`, from the first with `p(1−q)`. With equal distributions that is the same distribution. Dynamic noise has no such
    /// form (it would need `K² = K`): the result is a step with `p = 1` whose kernel is the product of the matrices.
    pub fn then(&self, next: &Response) -> Result<Response, DomainsDiffer> {
        if self.domain() != next.domain() {
            return Err(DomainsDiffer { first: self.domain(), second: next.domain() });
        }
        if next.p.ratio().is_zero() {
            return Ok(self.clone());
        }
        if self.p.ratio().is_zero() {
            return Ok(next.clone());
        }
        match (&self.distribution, &next.distribution) {
            (Distribution::Static(first), Distribution::Static(second)) => {
                Ok(self.then_static(first, next, second))
            }
            _ => Ok(self.then_any(next)),
        }
    }

    fn then_static(&self, first: &Weights, next: &Response, second: &Weights) -> Response {
        let p = self.p.either(&next.p);
        if first == second {
            return Response::new(p, self.distribution.clone());
        }
        let of_first = &(self.p.ratio() * next.p.complement().ratio()) / p.ratio();
        let of_second = next.p.ratio() / p.ratio();
        let mixed =
            first.as_slice().iter().zip(second.as_slice()).map(|(a, b)| &(&of_first * a) + &(&of_second * b));
        Response::new(p, Distribution::Static(Weights::trusted(mixed.collect())))
    }

    /// The product of the matrices, for any noise: also the slow twin of the static form.
    fn then_any(&self, next: &Response) -> Response {
        let rows = (0..self.domain()).map(|from| {
            let mut row: BTreeMap<u32, Ratio> = BTreeMap::new();
            for (between, weight) in self.row(from) {
                for (to, onward) in next.row(between) {
                    let entry = row.entry(to).or_insert_with(Ratio::zero);
                    *entry = &*entry + &(&weight * &onward);
                }
            }
            row.into_iter().collect()
        });
        Response::new(certain(), Distribution::Dynamic(Kernel::trusted(rows.collect())))
    }

    /// The positive entries of one row of `M`, by code.
    pub(crate) fn row(&self, from: u32) -> Vec<(u32, Ratio)> {
        let mut row: BTreeMap<u32, Ratio> = BTreeMap::new();
        let mut add = |to, weight: Ratio| {
            let entry = row.entry(to).or_insert_with(Ratio::zero);
            *entry = &*entry + &weight;
        };
        add(from, self.p.complement().ratio().clone());
        match &self.distribution {
            Distribution::Static(weights) => {
                (0..).zip(weights.as_slice()).for_each(|(to, weight)| add(to, self.p.ratio() * weight));
            }
            Distribution::Dynamic(kernel) => {
                kernel.row(from).iter().for_each(|(to, weight)| add(*to, self.p.ratio() * weight));
            }
        }
        row.into_iter().filter(|(_, weight)| !weight.is_zero()).collect()
    }

    /// Static noise with the least probability of a redraw that keeps (ε, δ), rounded up to a billionth.
    ///
    /// `M[a][b] ≤ e^ε·M[a'][b] + δ` for all sets of answers holds exactly when `(1−p) + p·q ≤ e^ε·p·q + δ` for the smallest weight q, so
    /// `p = (1−δ) / (1 + q·(e^ε − 1))`. With a number below `e^ε` in its place the promise is kept all the more.
    pub fn of_epsilon(
        epsilon: &Epsilon,
        delta: Option<&Delta>,
        distribution: Distribution,
    ) -> Result<Response, NoSuchNoise> {
        let Distribution::Static(weights) = &distribution else { return Err(NoSuchNoise::Dynamic) };
        let rarest = weights.as_slice().iter().min().cloned().unwrap_or_else(Ratio::zero);
        if rarest.is_zero() {
            return Err(NoSuchNoise::WithoutWeight);
        }
        let power = epsilon.ratio().exp_below().ok_or(NoSuchNoise::LargeEpsilon)?;
        let kept = delta.map_or_else(Ratio::one, |delta| &Ratio::one() - delta.ratio());
        let p = &kept / &(&Ratio::one() + &(&rarest * &(&power - &Ratio::one())));
        let p = p.rounded_up(1_000_000_000).unwrap_or_else(Ratio::one).min(Ratio::one());
        // A single value has nothing to hide.
        let p = if distribution.domain() == 1 { Ratio::zero() } else { p };
        let p = Probability::new(p).unwrap_or_else(|_| certain());
        Ok(Response::new(p, distribution))
    }

    /// The δ with which the response is (ε, δ)-differentially private, and no less but for 10⁻²⁰: `max Σ_b max(0, M[a][b] − e^ε·M[a'][b])` over
    /// all `a`, `a'`. `None` for an ε beyond [`Ratio::LARGEST_EXPONENT`].
    pub fn delta_at(&self, epsilon: &Ratio) -> Option<Ratio> {
        let power = epsilon.exp_below()?;
        Some(match &self.distribution {
            Distribution::Static(weights) => self.delta_of_static(weights, &power),
            Distribution::Dynamic(_) => delta_of(&self.rows(), &power),
        })
    }

    /// `(1−p) + p·q − e^ε·p·q` for the smallest weight q: only the true value is more likely than under another.
    fn delta_of_static(&self, weights: &Weights, power: &Ratio) -> Ratio {
        if self.domain() == 1 {
            return Ratio::zero();
        }
        let rarest =
            weights.as_slice().iter().min().map_or_else(Ratio::zero, |weight| self.p.ratio() * weight);
        let more = &(self.p.complement().ratio() + &rarest) - &(power * &rarest);
        more.max(Ratio::zero())
    }

    fn rows(&self) -> Vec<Vec<(u32, Ratio)>> {
        (0..self.domain()).map(|from| self.row(from)).collect()
    }

    /// The worst ratio of likelihoods, from which ε follows.
    pub fn likelihood_ratio(&self) -> LikelihoodRatio {
        match &self.distribution {
            _ if self.domain() == 1 => LikelihoodRatio::Finite(Ratio::one()),
            Distribution::Static(weights) => self.ratio_of_static(weights),
            Distribution::Dynamic(_) => self.ratio_of_any(),
        }
    }

    /// `1 + (1−p) / (p·q)` for the smallest weight q: an answer is most likely under its own value, and equally likely under all others.
    fn ratio_of_static(&self, weights: &Weights) -> LikelihoodRatio {
        if self.p == certain() {
            return LikelihoodRatio::Finite(Ratio::one());
        }
        let rarest = weights.as_slice().iter().min().map(|weight| self.p.ratio() * weight);
        match rarest.filter(|weight| !weight.is_zero()) {
            Some(weight) => LikelihoodRatio::Finite(&Ratio::one() + &(self.p.complement().ratio() / &weight)),
            None => LikelihoodRatio::Infinite,
        }
    }

    /// The definition: also the slow twin of the static form.
    fn ratio_of_any(&self) -> LikelihoodRatio {
        ratio_of(&self.rows())
    }
}

fn certain() -> Probability {
    Probability::parse("1").unwrap_or_else(|_| unreachable!("1 is a probability"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::{Ends, Rest};
    use proptest::prelude::*;

    fn p(text: &str) -> Probability {
        Probability::parse(text).unwrap()
    }

    fn given(text: &str) -> Distribution {
        Distribution::given(text.split_whitespace().map(|w| Ratio::parse(w).unwrap()).collect()).unwrap()
    }

    fn neighbours_on_a_cycle_of_three() -> Distribution {
        let half = Ratio::new(1, 2).unwrap();
        Distribution::steps(3, &[(1, half.clone()), (-1, half)], Ends::Cyclic, Rest::Refused).unwrap()
    }

    #[test]
    fn twice_is_more_than_once() {
        let once = Response::new(p("0.5"), given("0.5 0.5"));
        assert_eq!(once.unchanged(0), Ratio::parse("3/4").unwrap());
        assert_eq!(once.then(&once).unwrap().unchanged(0), Ratio::parse("5/8").unwrap());
    }

    /// Two noisy copies of one row: their intersection is empty, and their difference is not, with probability 3/8.
    #[test]
    fn two_copies_differ_with_three_eighths() {
        let once = Response::new(p("0.5"), given("0.5 0.5"));
        let equal = (0..2).fold(Ratio::zero(), |sum, to| {
            let shown = once.probability(0, to);
            &sum + &(&shown * &shown)
        });
        assert_eq!(&Ratio::one() - &equal, Ratio::parse("3/8").unwrap());
    }

    #[test]
    fn two_static_steps_are_one() {
        for (first, second, combined) in [
            ("0.16", "0.16", "0.2944"),
            ("0.5", "0.5", "0.75"),
            ("0.2", "0.3", "0.44"),
            ("0", "0.16", "0.16"),
            ("0.5", "0", "0.5"),
            ("1", "0.3", "1"),
        ] {
            let noise = given("0.41 0.358 0.078 0.102 0.045 0.007");
            let both = Response::new(p(first), noise.clone())
                .then(&Response::new(p(second), noise.clone()))
                .unwrap();
            assert_eq!(both, Response::new(p(combined), noise));
        }
    }

    #[test]
    fn two_dynamic_steps_are_not_the_combined_one() {
        let once = Response::new(p("0.16"), neighbours_on_a_cycle_of_three());
        let twice = once.then(&once).unwrap();
        assert_eq!(twice.unchanged(1), Ratio::parse("449/625").unwrap());
        assert_eq!(twice.unchanged(1).to_string(), "0.7184");
        let combined = Response::new(p("0.2944"), neighbours_on_a_cycle_of_three());
        assert_eq!(combined.unchanged(1), Ratio::parse("441/625").unwrap());
        assert_eq!(combined.unchanged(1).to_string(), "0.7056");
    }

    /// `(1−p)(1−q)·I + (p(1−q) + q(1−p))·K + pq·K²`, entry by entry.
    #[test]
    fn dynamic_composition_is_the_published_polynomial() {
        let weight = |text| Ratio::parse(text).unwrap();
        let steps = [(-1, weight("0.25")), (1, weight("0.4")), (2, weight("0.1"))];
        let kernel = Distribution::steps(5, &steps, Ends::Clamped, Rest::Spread).unwrap();
        let (first, second) = (p("0.3"), p("0.2"));
        let both = Response::new(first.clone(), kernel.clone())
            .then(&Response::new(second.clone(), kernel.clone()))
            .unwrap();
        let (kept, missed) = (first.complement(), second.complement());
        let once = &(first.ratio() * missed.ratio()) + &(second.ratio() * kept.ratio());
        for from in 0..5 {
            for to in 0..5 {
                let square = (0..5).fold(Ratio::zero(), |sum, between| {
                    &sum + &(&kernel.probability(from, between) * &kernel.probability(between, to))
                });
                let moved =
                    &(&once * &kernel.probability(from, to)) + &(&(first.ratio() * second.ratio()) * &square);
                let stayed = if from == to { kept.ratio() * missed.ratio() } else { Ratio::zero() };
                assert_eq!(both.probability(from, to), &stayed + &moved);
            }
        }
    }

    #[test]
    fn no_noise_is_the_identity_and_all_of_it_forgets() {
        let none = Response::new(p("0"), given("0.5 0.5"));
        assert_eq!(none.unchanged(1), Ratio::one());
        assert_eq!(none.likelihood_ratio(), LikelihoodRatio::Infinite);
        let all = Response::new(p("1"), given("0.9 0.1"));
        assert_eq!(all.then(&all).unwrap(), all);
        assert_eq!(all.likelihood_ratio(), LikelihoodRatio::Finite(Ratio::one()));
        assert_eq!(all.likelihood_ratio().epsilon(), 0.0);
    }

    #[test]
    fn two_fair_coins_give_ln_three() {
        let coins = Response::new(p("0.5"), given("0.5 0.5"));
        assert_eq!(coins.probability(1, 1).to_string(), "0.75");
        assert_eq!(coins.probability(0, 1).to_string(), "0.25");
        assert_eq!(coins.likelihood_ratio(), LikelihoodRatio::Finite(Ratio::whole(3)));
        let epsilon = coins.likelihood_ratio().epsilon();
        assert!((3f64.ln()..3f64.ln() + 1e-12).contains(&epsilon));
        assert_eq!(coins.likelihood_ratio().to_string(), "ln 3 = 1.098612");
    }

    #[test]
    fn an_answer_that_some_value_cannot_give_has_no_epsilon() {
        let steps = Response::new(p("0.5"), neighbours_on_a_cycle_of_three());
        assert_eq!(steps.likelihood_ratio(), LikelihoodRatio::Finite(Ratio::whole(2)));
        let never = Response::new(p("0.5"), given("0.5 0.5 0"));
        assert_eq!(never.likelihood_ratio(), LikelihoodRatio::Infinite);
        let half = Ratio::new(1, 2).unwrap();
        let far =
            Distribution::steps(5, &[(1, half.clone()), (-1, half)], Ends::Cyclic, Rest::Refused).unwrap();
        assert_eq!(Response::new(p("0.5"), far).likelihood_ratio().epsilon(), f64::INFINITY);
    }

    #[test]
    fn an_epsilon_gives_the_least_probability_that_keeps_it() {
        let epsilon = |text: &str| Epsilon::parse(text).unwrap();
        for (text, weights) in
            [("0.1", "0.5 0.5"), ("1", "0.5 0.5"), ("1", "0.7 0.2 0.1"), ("2.5", "0.25 0.25 0.25 0.25")]
        {
            let response = Response::of_epsilon(&epsilon(text), None, given(weights)).unwrap();
            let LikelihoodRatio::Finite(ratio) = response.likelihood_ratio() else { panic!("finite") };
            let power = epsilon(text).ratio().exp_below().unwrap();
            assert!(ratio <= power, "{text} {weights}");
            // A billionth less noise breaks it.
            let less = response.p.ratio() - &Ratio::new(1, 1_000_000_000).unwrap();
            let weaker = Response::new(Probability::new(less).unwrap(), given(weights));
            let LikelihoodRatio::Finite(weaker) = weaker.likelihood_ratio() else { panic!("finite") };
            assert!(weaker > epsilon(text).ratio().exp_below().unwrap(), "{text} {weights}");
        }
        let zero = Response::of_epsilon(&epsilon("1"), None, given("0.5 0.5 0"));
        assert_eq!(zero, Err(NoSuchNoise::WithoutWeight));
        let steps = Response::of_epsilon(&epsilon("1"), None, neighbours_on_a_cycle_of_three());
        assert_eq!(steps, Err(NoSuchNoise::Dynamic));
        assert_eq!(
            Response::of_epsilon(&epsilon("65"), None, given("0.5 0.5")),
            Err(NoSuchNoise::LargeEpsilon)
        );
    }

    #[test]
    fn a_delta_allows_less_noise_and_no_more_than_it_says() {
        let (epsilon, delta) = (Epsilon::parse("0.5").unwrap(), Delta::parse("0.01").unwrap());
        let pure = Response::of_epsilon(&epsilon, None, given("0.5 0.3 0.2")).unwrap();
        let loose = Response::of_epsilon(&epsilon, Some(&delta), given("0.5 0.3 0.2")).unwrap();
        assert!(loose.p < pure.p);
        assert!(pure.delta_at(epsilon.ratio()).unwrap() < Ratio::parse("1e-8").unwrap());
        let found = loose.delta_at(epsilon.ratio()).unwrap();
        assert!(found <= *delta.ratio() && found > Ratio::parse("0.00999999").unwrap(), "{found}");
        // Steps that do not reach everything have no ε, but a δ.
        let half = Ratio::new(1, 2).unwrap();
        let far =
            Distribution::steps(5, &[(1, half.clone()), (-1, half)], Ends::Cyclic, Rest::Refused).unwrap();
        let far = Response::new(p("0.5"), far);
        // Two steps apart, one of three answers is shared.
        assert_eq!(far.delta_at(&Ratio::one()), Ratio::new(3, 4));
    }

    #[test]
    fn what_is_charged_is_not_less_than_epsilon() {
        let coins = Response::new(p("0.5"), given("0.5 0.5")).likelihood_ratio();
        assert_eq!(coins.charge().unwrap().to_string(), "1.098613");
        assert!(coins.charge().unwrap().to_f64() >= 3f64.ln());
        let all = Response::new(p("1"), given("0.9 0.1")).likelihood_ratio();
        assert_eq!(all.charge(), Some(Ratio::zero()));
        assert_eq!(LikelihoodRatio::Infinite.charge(), None);
    }

    #[test]
    fn steps_over_different_values_do_not_compose() {
        let two = Response::new(p("0.5"), given("0.5 0.5"));
        let three = Response::new(p("0.5"), given("0.5 0.5 0"));
        assert_eq!(two.then(&three), Err(DomainsDiffer { first: 2, second: 3 }));
    }

    #[test]
    fn outside_the_domain_nothing_is_likely() {
        let two = Response::new(p("0.5"), given("0.5 0.5"));
        assert!(
            two.probability(2, 2).is_zero()
                && two.probability(2, 0).is_zero()
                && two.probability(0, 2).is_zero()
        );
    }

    fn small_response(values: u32) -> impl Strategy<Value = Response> {
        let counts = proptest::collection::vec(0u64..5, values as usize);
        (0u64..=8, counts.prop_filter("rows", |c| c.iter().sum::<u64>() > 0)).prop_map(|(eighths, counts)| {
            let p = Probability::new(Ratio::new(eighths as i64, 8).unwrap()).unwrap();
            Response::new(p, Distribution::learnt(&counts).unwrap())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn static_composition_is_the_product_of_the_matrices(a in small_response(4), b in small_response(4)) {
            let fast = a.then(&b).unwrap();
            prop_assert_eq!(fast.matrix(), a.then_any(&b).matrix());
            let product: Vec<Vec<Ratio>> = (0..4).map(|i| (0..4).map(|j| {
                (0..4).fold(Ratio::zero(), |sum, k| &sum + &(&a.probability(i, k) * &b.probability(k, j)))
            }).collect()).collect();
            prop_assert_eq!(fast.matrix(), product);
        }

        #[test]
        fn the_static_delta_is_the_delta_by_definition(a in small_response(3), tenths in 0u64..30) {
            let epsilon = Ratio::new(tenths as i64, 10).unwrap();
            let power = epsilon.exp_below().unwrap();
            prop_assert_eq!(a.delta_at(&epsilon).unwrap(), delta_of(&a.rows(), &power));
        }

        #[test]
        fn the_static_ratio_is_the_ratio_by_definition(a in small_response(3)) {
            prop_assert_eq!(a.likelihood_ratio(), a.ratio_of_any());
        }

        #[test]
        fn rows_of_the_matrix_sum_to_one(a in small_response(5)) {
            for row in a.matrix() {
                prop_assert_eq!(row.iter().sum::<Ratio>(), Ratio::one());
            }
        }
    }
}
