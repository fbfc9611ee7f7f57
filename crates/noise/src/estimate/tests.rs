use super::*;
use crate::distribution::{Ends, Rest};
use crate::exact::Probability;
use proptest::prelude::*;

fn p(text: &str) -> Probability {
    Probability::parse(text).unwrap()
}

fn coins() -> Response {
    Response::new(p("0.5"), Distribution::uniform(2).unwrap())
}

fn stepping(values: u32, p_text: &str) -> Response {
    let weight = |text| Ratio::parse(text).unwrap();
    let steps = [(-1, weight("0.3")), (1, weight("0.3")), (2, weight("0.1"))];
    Response::new(p(p_text), Distribution::steps(values, &steps, Ends::Clamped, Rest::Stays).unwrap())
}

#[test]
fn two_fair_coins_are_undone_by_the_textbook_formula() {
    // π = 2·observed − 1/2
    let estimates = Estimator::new(&coins()).unwrap().proportions(&[600, 400]).unwrap();
    assert!((estimates[1].value - 0.3).abs() < 1e-12);
    let exact = Estimator::new(&coins()).unwrap().exact_counts(&[600, 400]).unwrap().unwrap();
    assert_eq!(exact, [Ratio::whole(700), Ratio::whole(300)]);
}

#[test]
fn the_error_of_the_coins_is_the_binomial_one() {
    // Whatever the truth, each row says its own side with 3/4: Var(o) = 3n/16 and t̂ = 2o − n/2.
    let estimates = Estimator::new(&coins()).unwrap().counts(&[600, 400]).unwrap();
    let exact = (4.0f64 * 1000.0 * 3.0 / 16.0).sqrt();
    assert!((estimates[0].standard_error - exact).abs() < 1e-9, "{} {exact}", estimates[0].standard_error);
}

#[test]
fn without_noise_the_counts_are_the_estimate() {
    let none = Response::new(p("0"), Distribution::uniform(3).unwrap());
    let estimates = Estimator::new(&none).unwrap().counts(&[5, 0, 7]).unwrap();
    assert_eq!(estimates[2], Estimate { value: 7.0, standard_error: 0.0 });
}

#[test]
fn noise_that_forgets_cannot_be_undone() {
    let all = Response::new(p("1"), Distribution::uniform(3).unwrap());
    assert_eq!(Estimator::new(&all).unwrap_err(), EstimateError::Singular);
    // With p = 1/2 each of two neighbours becomes either with probability 1/2.
    let swap = Distribution::steps(2, &[(1, Ratio::one())], Ends::Cyclic, Rest::Refused).unwrap();
    assert_eq!(Estimator::new(&Response::new(p("0.5"), swap)).unwrap_err(), EstimateError::Singular);
    let large = Distribution::steps(40, &[(1, Ratio::one())], Ends::Cyclic, Rest::Refused).unwrap();
    assert_eq!(Estimator::new(&Response::new(p("0.5"), large)).unwrap_err(), EstimateError::Singular);
}

#[test]
fn wrong_lengths_and_empty_tables_are_refused() {
    let estimator = Estimator::new(&coins()).unwrap();
    assert_eq!(estimator.counts(&[1]).unwrap_err(), EstimateError::WrongLength { found: 1, expected: 2 });
    assert_eq!(estimator.mean(&[0, 0], &[0.0, 1.0]).unwrap_err(), EstimateError::NoRows);
    assert_eq!(
        estimator.mean(&[1, 1], &[0.0]).unwrap_err(),
        EstimateError::WrongLength { found: 1, expected: 2 }
    );
}

#[test]
fn the_mean_is_the_mean_of_the_undone_counts() {
    for response in
        [Response::new(p("0.4"), Distribution::learnt(&[1, 2, 3, 4]).unwrap()), stepping(4, "0.4")]
    {
        let estimator = Estimator::new(&response).unwrap();
        let (observed, numbers) = ([10, 20, 30, 40], [18.0, 24.0, 32.0, 56.0]);
        let counts = estimator.counts(&observed).unwrap();
        let mean: f64 = counts.iter().zip(numbers).map(|(c, x)| c.value * x).sum::<f64>() / 100.0;
        let estimate = estimator.mean(&observed, &numbers).unwrap();
        assert!((estimate.value - mean).abs() < 1e-9);
        // An indicator's mean is a proportion, its error too.
        let indicator = estimator.mean(&observed, &[0.0, 1.0, 0.0, 0.0]).unwrap();
        let proportion = estimator.proportions(&observed).unwrap()[1];
        assert!((indicator.value - proportion.value).abs() < 1e-9);
        assert!((indicator.standard_error - proportion.standard_error).abs() < 1e-9);
    }
}

#[test]
fn doubles_agree_with_fractions() {
    for values in [2, 5, 12] {
        let response = stepping(values, "0.35");
        let (exact, rounded) =
            (inverse::exact(response.matrix()).unwrap(), inverse::rounded(&response).unwrap());
        for (a, b) in exact.entries().iter().zip(rounded.entries()) {
            assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}

#[test]
fn a_year_of_days_can_be_undone() {
    let response = stepping(365, "0.35");
    let truth: Vec<u64> = (0..365).map(|day| 100 + day % 7).collect();
    let estimator = Estimator::new(&response).unwrap();
    // The expectation itself, rounded to whole rows, gives the truth back up to the rounding.
    let expected: Vec<u64> = (0..365u32)
        .map(|to| {
            (0..365u32)
                .map(|from| response.probability(from, to).to_f64() * truth[from as usize] as f64)
                .sum::<f64>()
        })
        .map(|count| count.round() as u64)
        .collect();
    for (estimate, true_count) in estimator.counts(&expected).unwrap().iter().zip(truth) {
        assert!((estimate.value - true_count as f64).abs() < 5.0, "{} {true_count}", estimate.value);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The expectation of the noisy counts is undone to the true counts, and the closed form is the inverse.
    #[test]
    fn the_closed_form_is_the_inverse(counts in proptest::collection::vec(1u64..6, 4), eighths in 0i64..8, observed in proptest::collection::vec(0u64..500, 4)) {
        let response = Response::new(
            Probability::new(Ratio::new(eighths, 8).unwrap()).unwrap(),
            Distribution::learnt(&counts).unwrap(),
        );
        let fast = Estimator::new(&response).unwrap();
        let slow = Estimator { undo: Undo::Inverse(inverse::exact(response.matrix()).unwrap()), values: 4 };
        let numbers = [1.0, 2.0, 4.0, 8.0];
        for (a, b) in fast.counts(&observed).unwrap().iter().zip(slow.counts(&observed).unwrap()) {
            prop_assert!((a.value - b.value).abs() < 1e-6);
            prop_assert!((a.standard_error - b.standard_error).abs() < 1e-4);
        }
        if observed.iter().sum::<u64>() > 0 {
            let (a, b) = (fast.mean(&observed, &numbers).unwrap(), slow.mean(&observed, &numbers).unwrap());
            prop_assert!((a.value - b.value).abs() < 1e-6);
            prop_assert!((a.standard_error - b.standard_error).abs() < 1e-4);
        }
    }
}
