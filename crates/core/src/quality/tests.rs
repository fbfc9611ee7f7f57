//! The specification's figures on the example relation.

use super::Metric;
use crate::lattice::Node;
use crate::release::Solution;
use crate::testing::{Fixture, Wish, criteria, ladder, patients};

/// All metrics of a node under 2-anonymity-like wishes, as the literature defines them.
fn losses(node: [u8; 3], wishes: &[Wish], limit: u64) -> impl Fn(Metric) -> f64 {
    let fixture = patients();
    let criteria = criteria(wishes, &fixture.table, limit);
    let checker = fixture.checker(&criteria, Metric::Height, limit);
    let solution = Solution::at(&checker, &Node::new(node)).unwrap();
    move |metric| solution.losses.iter().find(|(known, _)| *known == metric).unwrap().1
}

fn assert_close(actual: f64, expected: f64) {
    assert!((actual - expected).abs() < 1e-5, "{actual} is not {expected}");
}

#[test]
fn losses_without_suppression_are_the_published_ones() {
    // node, HM, PM*, LM, AECS (p = 1), DM, EM, NUEM
    for (node, height, precision, loss, average, discernibility, entropy, non_uniform) in [
        ([0, 0, 0], 0.0, 1.0, 0.0, 1.0, 8.0, 0.0, 0.0),
        ([0, 0, 4], 4.0, 0.733333, 0.333333, 1.0, 8.0, 3.0, 24.0),
        ([1, 0, 3], 4.0, 0.633333, 0.238095, 2.0, 16.0, 8.0, 28.0),
        ([1, 1, 4], 6.0, 0.233333, 0.761905, 2.666667, 24.0, 11.0, 44.0),
        ([2, 1, 5], 8.0, 0.0, 1.0, 8.0, 64.0, 10.0, 56.0),
    ] {
        let metric = losses(node, &[Wish::K(1)], 0);
        assert_close(metric(Metric::Height), height);
        assert_close(metric(Metric::MonotonePrecision), precision);
        assert_close(metric(Metric::Precision), precision);
        assert_close(metric(Metric::Loss), loss);
        assert_close(metric(Metric::AverageClassSize), average);
        assert_close(metric(Metric::Discernibility), discernibility);
        assert_close(metric(Metric::MonotoneDiscernibility), discernibility);
        assert_close(metric(Metric::Entropy), entropy);
        assert_close(metric(Metric::NonUniformEntropy), non_uniform);
        assert_close(metric(Metric::NonMonotoneNonUniformEntropy), non_uniform);
    }
}

#[test]
fn the_average_class_size_is_relative_to_what_was_asked() {
    assert_close(losses([1, 0, 3], &[Wish::K(2)], 0)(Metric::AverageClassSize), 1.0);
    assert_close(losses([2, 1, 5], &[Wish::K(2)], 0)(Metric::AverageClassSize), 4.0);
}

#[test]
fn suppressed_rows_are_charged() {
    // Recursive (4,2) suppresses rows 1 and 4, both pneumonia.
    let metric = losses([1, 0, 3], &[Wish::Recursive(40, 2)], 2);
    assert_close(metric(Metric::Precision), 0.475);
    assert_close(metric(Metric::Loss), 0.416667);
    assert_close(metric(Metric::Discernibility), 28.0);
    assert_close(metric(Metric::MonotoneDiscernibility), 16.0);
    assert_close(metric(Metric::NonMonotoneNonUniformEntropy), 28.0);
    assert_close(metric(Metric::AverageClassSize), 1.0);
}

#[test]
fn generalizing_can_lower_a_loss_that_counts_suppression() {
    let finer = losses([2, 1, 2], &[Wish::K(2)], 5);
    let coarser = losses([2, 1, 3], &[Wish::K(2)], 5);
    for (metric, before, after) in [
        (Metric::Loss, 0.910714, 0.809524),
        (Metric::Discernibility, 49.0, 32.0),
        (Metric::NonMonotoneNonUniformEntropy, 48.364528, 48.0),
    ] {
        assert_close(finer(metric), before);
        assert_close(coarser(metric), after);
    }
    assert_close(1.0 - finer(Metric::Precision), 0.925);
    assert_close(1.0 - coarser(Metric::Precision), 0.866667);
}

#[test]
fn the_geometric_loss_is_the_mean_of_the_columns() {
    let metric = losses([1, 0, 3], &[Wish::K(1)], 0);
    // LM per column: age Σ(1+1 + 4·3 + 1+1)/7/8, sex 0, zip Σ 8·3/7/8.
    let (age, zip) = (16.0 / 56.0, 24.0 / 56.0);
    assert_close(metric(Metric::Loss), (age + zip) / 3.0);
    assert_close(metric(Metric::GeometricLoss), ((1.0 + age) * (1.0 + zip)).powf(1.0 / 3.0) - 1.0);
}

#[test]
fn names_are_unique_and_known() {
    for metric in Metric::ALL {
        assert_eq!(Metric::by_name(metric.name()), Some(metric));
    }
    assert_eq!(Metric::by_name("precision*"), None);
}

/// A table of one quasi-identifier with a row per value, and its losses on level 1 under k-anonymity.
fn losses_of(ladder_lines: &[&str], level: u8, k: u64, limit: u64) -> impl Fn(Metric) -> f64 {
    let rows: Vec<_> = (0..ladder_lines.len() as u32).map(|value| (vec![value], 0, true)).collect();
    let fixture = Fixture::new(vec![ladder(ladder_lines)], &rows, 1);
    let criteria = criteria(&[Wish::K(k)], &fixture.table, limit);
    let solution =
        Solution::at(&fixture.checker(&criteria, Metric::Height, limit), &Node::new([level])).unwrap();
    move |metric| solution.losses.iter().find(|(known, _)| *known == metric).unwrap().1
}

#[test]
fn the_entropy_metric_exceeds_the_bound_that_the_literature_gives() {
    // Eight values in four pairs: EM = 4, above log2 8 = 3; the right bound is m·n·log2(e)/e.
    let pairs = ["1 a *", "2 a *", "3 b *", "4 b *", "5 c *", "6 c *", "7 d *", "8 d *"];
    let entropy = losses_of(&pairs, 1, 1, 0)(Metric::Entropy);
    assert_close(entropy, 4.0);
    assert!(entropy <= 8.0 * std::f64::consts::E.log2() / std::f64::consts::E);
}

#[test]
fn suppressed_rows_are_one_more_class() {
    // Class sizes 2, 1, 1, 1, 1 with four rows suppressed, then 2, 2, 2 with none; relative to k = 2.
    let lines = ["1 a x *", "2 a x *", "3 b y *", "4 c y *", "5 d z *", "6 e z *"];
    assert_close(losses_of(&lines, 1, 2, 4)(Metric::AverageClassSize), 3.0 / 2.0);
    assert_close(losses_of(&lines, 2, 2, 4)(Metric::AverageClassSize), 2.0 / 2.0);
}
