use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::*;
use crate::budget::Ledger;
use crate::sensitivity::Bounds;

fn cost(epsilon: &str, delta: Option<&str>) -> Cost {
    Cost::parse(epsilon, delta).unwrap()
}

fn grant(epsilon: &str, delta: Option<&str>) -> Grant {
    Ledger::new(cost(epsilon, delta)).grant("test", cost(epsilon, delta)).unwrap()
}

fn rows(m: u32) -> Contribution {
    Contribution::of(NonZeroU32::new(m).unwrap())
}

fn clamped(lower: i64, upper: i64, values: &[i64]) -> ClampedSum {
    let mut sum = ClampedSum::new(Bounds::new(lower, upper).unwrap());
    values.iter().for_each(|value| sum.add(*value));
    sum
}

/// The discrete Laplace distribution by its definition.
fn laplace_mass(scale: f64, x: i64) -> f64 {
    let r = (-1.0 / scale).exp();
    (1.0 - r) / (1.0 + r) * r.powi(x.unsigned_abs() as i32)
}

fn gaussian_mass(sigma: f64, x: i64) -> f64 {
    let weight = |x: i64| (-(x as f64).powi(2) / (2.0 * sigma * sigma)).exp();
    let last = (40.0 * sigma) as i64 + 2;
    weight(x) / (-last..=last).map(weight).sum::<f64>()
}

#[test]
fn a_count_at_half_an_epsilon_has_scale_two_and_ratio_e_to_the_half() {
    let noise = Noise::calibrated(Sensitivity::of_count(Contribution::ONE_ROW), &cost("0.5", None)).unwrap();
    assert_eq!(noise, Noise::Laplace { scale: Ratio::whole(2) });
    // True counts 107 and 108, both seen as 107: the ratio is e^ε = 1.648721, as for the continuous density
    // (ε/2)·e^(−ε|x|) with 0.25 and 0.151633.
    assert!((laplace_mass(2.0, 0) / laplace_mass(2.0, 1) - 1.648_721).abs() < 1e-6);
    let density = |x: f64| 0.5 / 2.0 * (-0.5 * x.abs()).exp();
    assert!((density(0.0) - 0.25).abs() < 1e-12 && (density(1.0) - 0.151_633).abs() < 1e-6);
}

#[test]
fn no_answer_tells_neighbours_apart_by_more_than_epsilon() {
    for (epsilon, m) in [("0.5", 1), ("1", 3), ("2", 2)] {
        let noise = Noise::calibrated(Sensitivity::of_count(rows(m)), &cost(epsilon, None)).unwrap();
        let scale = noise.width().to_f64();
        for x in -40..40i64 {
            let ratio = laplace_mass(scale, x) / laplace_mass(scale, x - i64::from(m));
            assert!(ratio.ln().abs() <= epsilon.parse::<f64>().unwrap() + 1e-9);
        }
    }
}

#[test]
fn the_gaussian_keeps_its_delta_by_definition() {
    for (epsilon, delta, m) in [("1", "1e-5", 1), ("0.5", "1e-3", 2), ("3", "1e-2", 1), ("8", "1e-6", 1)] {
        let noise = Noise::calibrated(Sensitivity::of_count(rows(m)), &cost(epsilon, Some(delta))).unwrap();
        let Noise::Gaussian { sigma } = &noise else { panic!("δ > 0 is Gaussian") };
        let sigma = sigma.to_f64();
        let (epsilon, delta): (f64, f64) = (epsilon.parse().unwrap(), delta.parse().unwrap());
        // δ(ε) = Σ_x max(0, P(x) − e^ε·P(x − m))
        let last = (30.0 * sigma) as i64 + 10;
        let true_delta = |sigma: f64| -> f64 {
            let excess =
                |x: i64| gaussian_mass(sigma, x) - epsilon.exp() * gaussian_mass(sigma, x - i64::from(m));
            (-last..last).map(|x| excess(x).max(0.0)).sum()
        };
        assert!(true_delta(sigma) <= delta, "{} > {delta}", true_delta(sigma));
        assert!(true_delta(sigma * 0.7) > delta, "no more noise than about needed");
    }
}

#[test]
fn half_widths_are_the_smallest_that_hold() {
    let outside = |mass: &dyn Fn(i64) -> f64, h: u128| 1.0 - (-(h as i64)..=h as i64).map(mass).sum::<f64>();
    for scale in ["0.3", "1", "2", "7.5", "20"] {
        let width = Ratio::parse(scale).unwrap();
        let number: f64 = scale.parse().unwrap();
        let laplace = Noise::Laplace { scale: width.clone() }.half_width(MISS);
        let gaussian = Noise::Gaussian { sigma: width }.half_width(MISS);
        for (h, mass) in [
            (laplace, &(|x| laplace_mass(number, x)) as &dyn Fn(i64) -> f64),
            (gaussian, &|x| gaussian_mass(number, x)),
        ] {
            assert!(outside(mass, h) <= MISS + 1e-9, "{scale}: {h}");
            assert!(h == 0 || outside(mass, h - 1) > MISS - 1e-9, "{scale}: {h} is not the smallest");
        }
    }
    let wide = Noise::Gaussian { sigma: Ratio::whole(1_000_000) }.half_width(MISS);
    assert!((1_959_964..1_963_000).contains(&wide), "{wide}");
}

#[test]
fn noise_that_would_not_fit_is_refused_before_it_is_drawn() {
    let all = clamped(i64::MIN, i64::MAX, &[i64::MAX; 4]);
    assert_eq!(all.sum(rows(u32::MAX), grant("1e-18", None)), Err(MechanismError::TooWide));
    assert!(all.sum(Contribution::ONE_ROW, grant("1", None)).is_ok());
}

#[test]
fn sums_are_cut_to_the_bounds() {
    let values = [5, -100, 100, 7];
    assert_eq!(clamped(0, 10, &values).total, 22);
    let mut left = clamped(0, 10, &values[..2]);
    left.merge(&clamped(0, 10, &values[2..])).unwrap();
    assert_eq!(left, clamped(0, 10, &values));
    assert_eq!(left.merge(&clamped(0, 11, &[])), Err(MechanismError::BoundsDiffer));
    assert_eq!(
        format!("{left:?}"),
        "ClampedSum { bounds: Bounds { lower: 0, upper: 10 }, .. }",
        "no true figure"
    );
}

#[test]
fn decimals_lie_on_the_grid() {
    let cents = Grid::new(2).unwrap();
    assert_eq!(cents.units("12.3"), Ok(1230));
    assert_eq!(cents.units("-0.05"), Ok(-5));
    assert_eq!(cents.units("+7"), Ok(700));
    assert_eq!(cents.units("1.500"), Ok(150));
    for bad in ["", ".", "-", "1.234", "1e3", "NaN", "1,5", "--1", "99999999999999999999", "1.2.3"] {
        assert_eq!(cents.units(bad), Err(OffGrid { decimals: 2 }), "{bad}");
    }
    assert_eq!(
        (cents.render(-5), cents.render(1230), Grid::WHOLE.render(-42)),
        ("-0.05".into(), "12.30".into(), "-42".into())
    );
    assert!(Grid::new(19).is_err());
}

#[test]
fn a_mean_lies_within_its_bounds_and_its_interval() {
    let ages: Vec<i64> = (0..2_000).map(|row| 18 + row % 56).collect();
    let mean = clamped(18, 73, &ages).mean(Contribution::ONE_ROW, grant("2", None)).unwrap();
    assert!(mean.low <= mean.value && mean.value <= mean.high);
    // Noise of scale 28 in a sum of 2000 values: further off than 1 with a probability below e^(−60).
    assert!((mean.value - 45.4).abs() < 1.0, "{}", mean.value);
    let empty = clamped(18, 73, &[]).mean(Contribution::ONE_ROW, grant("1", None)).unwrap();
    assert!((18.0..=73.0).contains(&empty.value) && empty.low >= 18.0 && empty.high <= 73.0);
    // Half of ε each: scale 28 / 1 for the centred sum, 1 / 1 for the count.
    assert_eq!(mean.centred_sum.noise, Noise::Laplace { scale: Ratio::whole(28) });
    assert_eq!(mean.count.noise, Noise::Laplace { scale: Ratio::whole(1) });
}

#[test]
fn a_histogram_has_the_noise_of_one_count() {
    let cells = histogram(&[100; 8], rows(3), grant("1", None)).unwrap();
    assert_eq!(cells.len(), 8);
    assert!(cells.iter().all(|cell| cell.noise == Noise::Laplace { scale: Ratio::whole(3) }));
    let sums = sums(&vec![clamped(-4, 2, &[1]); 3], rows(2), grant("0.5", None)).unwrap();
    assert!(sums.iter().all(|cell| cell.noise == Noise::Laplace { scale: Ratio::whole(16) }));
    let different = [clamped(0, 1, &[]), clamped(0, 2, &[])];
    assert_eq!(super::sums(&different, rows(1), grant("1", None)), Err(MechanismError::BoundsDiffer));
    assert_eq!(means(&[], rows(1), grant("1", None)), Ok(vec![]));
    assert_eq!(means(&different[..1], rows(1), grant("1", None)).unwrap().len(), 1);
}

#[test]
fn keys_that_were_not_declared_need_a_delta() {
    let counts = BTreeMap::from([("common", 100_000), ("one person", 1), ("nobody", 0)]);
    assert_eq!(open_histogram(&counts, rows(1), grant("1", None)), Err(MechanismError::KeysNotDeclared));
    let open = open_histogram(&counts, rows(1), grant("1", Some("1e-9"))).unwrap();
    assert_eq!(open.cells.keys().collect::<Vec<_>>(), [&"common"]);
}

#[test]
fn the_threshold_is_the_smallest_that_hides_one_person() {
    for (epsilon, delta, m) in
        [("1", "1e-6", 1), ("0.1", "1e-4", 1), ("1", "1e-6", 3), ("4", "1e-3", 5), ("0.5", "1e-5", 4)]
    {
        let t = histogram::threshold(rows(m), &cost(epsilon, Some(delta))).unwrap();
        let scale = f64::from(m) / epsilon.parse::<f64>().unwrap();
        let delta: f64 = delta.parse().unwrap();
        let tail = |t: i128| (t as i64..t as i64 + 2_000).map(|x| laplace_mass(scale, x)).sum::<f64>();
        // All ways to put at most m rows into cells of one's own.
        let worst = |t: i128| {
            partitions(m)
                .iter()
                .map(|cells| cells.iter().map(|c| tail(t - i128::from(*c))).sum::<f64>())
                .fold(0.0, f64::max)
        };
        assert!(worst(t) <= delta, "{epsilon} {delta} {m}: {}", worst(t));
        if m == 1 {
            assert!(worst(t - 1) > delta, "{epsilon} {delta}: no higher than needed");
        }
    }
}

fn partitions(m: u32) -> Vec<Vec<u32>> {
    fn grow(left: u32, most: u32, start: &[u32], all: &mut Vec<Vec<u32>>) {
        all.push(start.to_vec());
        for next in 1..=left.min(most) {
            grow(left - next, next, &[start, &[next]].concat(), all);
        }
    }
    let mut all = Vec::new();
    grow(m, m, &[], &mut all);
    all
}

#[test]
fn a_total_from_elsewhere_is_the_sum_of_its_values() {
    let bounds = Bounds::new(-2, 5).unwrap();
    let mut one_by_one = ClampedSum::new(bounds);
    [7, 3, -9].into_iter().for_each(|value| one_by_one.add(value));
    assert_eq!(ClampedSum::of(bounds, 3, 5 + 3 - 2), one_by_one);
    assert_eq!(ClampedSum::of(bounds, 3, 1_000), ClampedSum::of(bounds, 3, 15));
    assert_eq!(ClampedSum::of(bounds, 3, -1_000), ClampedSum::of(bounds, 3, -6));
}
