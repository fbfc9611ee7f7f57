//! The mechanisms draw what they say, and the tests see when they do not. These draws have no seed: see `testing` for what that means.

use std::num::NonZeroU32;

use super::*;
use crate::budget::Ledger;
use crate::sensitivity::Bounds;
use crate::testing::{ALPHA, chi_square_of_draws};

const DRAWS: usize = 12_000;

fn grant(epsilon: &str, delta: Option<&str>) -> Grant {
    let cost = Cost::parse(epsilon, delta).unwrap();
    Ledger::new(cost.clone()).grant("test", cost).unwrap()
}

fn rows(m: u32) -> Contribution {
    Contribution::of(NonZeroU32::new(m).unwrap())
}

fn laplace(scale: f64) -> impl Fn(i64) -> f64 {
    let r = (-1.0 / scale).exp();
    move |x| (1.0 - r) / (1.0 + r) * r.powi(x.unsigned_abs() as i32)
}

fn gaussian(sigma: f64) -> impl Fn(i64) -> f64 {
    let weight = move |x: i64| (-(x as f64).powi(2) / (2.0 * sigma * sigma)).exp();
    let last = (40.0 * sigma) as i64 + 2;
    let total: f64 = (-last..=last).map(weight).sum();
    move |x| weight(x) / total
}

fn noise_of(noisy: &[Noisy], truth: i128) -> Vec<i128> {
    noisy.iter().map(|noisy| noisy.value - truth).collect()
}

fn draws_of(noise: &Noise) -> Vec<i128> {
    (0..DRAWS).map(|_| noise.draw().unwrap()).collect()
}

#[test]
fn the_discrete_laplace_is_drawn_as_defined_and_less_noise_is_seen() {
    for scale in ["0.7", "2", "10/3"] {
        let scale = Ratio::parse(scale).unwrap();
        let nominal = laplace(scale.to_f64());
        let right = draws_of(&Noise::Laplace { scale: scale.clone() });
        assert!(chi_square_of_draws(&right, 60, &nominal) > ALPHA);
        let less = draws_of(&Noise::Laplace { scale: &scale * &Ratio::parse("0.85").unwrap() });
        assert!(chi_square_of_draws(&less, 60, &nominal) < ALPHA, "15 % too little noise");
    }
}

#[test]
fn the_discrete_gaussian_is_drawn_as_defined_and_less_noise_is_seen() {
    for sigma in ["0.8", "3.7"] {
        let sigma = Ratio::parse(sigma).unwrap();
        let nominal = gaussian(sigma.to_f64());
        let right = draws_of(&Noise::Gaussian { sigma: sigma.clone() });
        assert!(chi_square_of_draws(&right, 60, &nominal) > ALPHA);
        let less = draws_of(&Noise::Gaussian { sigma: &sigma * &Ratio::parse("0.85").unwrap() });
        assert!(chi_square_of_draws(&less, 60, &nominal) < ALPHA, "15 % too little noise");
    }
}

#[test]
fn counts_have_the_noise_of_their_sensitivity() {
    let counts = |m: u32| -> Vec<i128> {
        let grants = grant("1", None).disjoint(DRAWS as u32);
        grants.into_iter().map(|grant| count(1_000, rows(m), grant).unwrap().value - 1_000).collect()
    };
    let nominal = laplace(3.0);
    assert!(chi_square_of_draws(&counts(3), 60, &nominal) > ALPHA);
    assert!(chi_square_of_draws(&counts(2), 60, &nominal) < ALPHA, "sensitivity off by one");
    assert!(chi_square_of_draws(&counts(4), 60, &nominal) < ALPHA, "sensitivity off by one");
}

#[test]
fn sums_have_the_noise_of_their_sensitivity() {
    let sums = |upper: i64| -> Vec<i128> {
        let mut sum = ClampedSum::new(Bounds::new(-2, upper).unwrap());
        [1, 2, -9, 40].into_iter().for_each(|value| sum.add(value));
        let truth = i128::from(1 + 2 - 2 + upper);
        let grants = grant("2", None).disjoint(DRAWS as u32);
        grants.into_iter().map(|grant| sum.sum(Contribution::ONE_ROW, grant).unwrap().value - truth).collect()
    };
    let nominal = laplace(2.5);
    assert!(chi_square_of_draws(&sums(5), 60, &nominal) > ALPHA);
    assert!(chi_square_of_draws(&sums(4), 60, &nominal) < ALPHA, "sensitivity off by one");
}

#[test]
fn histograms_have_the_noise_of_their_sensitivity() {
    let cells = |m: u32| noise_of(&histogram(&vec![50; DRAWS], rows(m), grant("1", None)).unwrap(), 50);
    assert!(chi_square_of_draws(&cells(2), 60, laplace(2.0)) > ALPHA);
    assert!(chi_square_of_draws(&cells(1), 60, laplace(2.0)) < ALPHA, "sensitivity off by one");

    let noisy = histogram(&vec![50; DRAWS], rows(2), grant("2", Some("1e-4"))).unwrap();
    let Noise::Gaussian { sigma } = &noisy[0].noise else { panic!("δ > 0 is Gaussian") };
    let sigma = sigma.to_f64();
    assert!(chi_square_of_draws(&noise_of(&noisy, 50), 80, gaussian(sigma)) > ALPHA);
    let one = histogram(&vec![50; DRAWS], rows(1), grant("2", Some("1e-4"))).unwrap();
    assert!(chi_square_of_draws(&noise_of(&one, 50), 80, gaussian(sigma)) < ALPHA, "sensitivity off by one");
}

#[test]
fn intervals_hold_as_often_as_they_say() {
    let noisy = histogram(&vec![50; DRAWS], rows(1), grant("0.5", None)).unwrap();
    let missed = noisy.iter().filter(|n| n.interval().0 > 50 || n.interval().1 < 50).count() as u64;
    let nominal = laplace(2.0);
    let h = noisy[0].half_width as i64;
    let miss = 1.0 - (-h..=h).map(nominal).sum::<f64>();
    assert!(miss <= MISS);
    assert!(crate::testing::binomial(missed, DRAWS as u64, miss) > ALPHA);
}
