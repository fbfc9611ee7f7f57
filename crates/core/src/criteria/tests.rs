//! The specification's worked examples, and naive twins.

use super::distance::Reference;
use super::*;
use crate::exact::Fraction;
use crate::grouping::Distribution;
use proptest::prelude::*;

fn fraction(text: &str) -> Fraction {
    Fraction::parse(text).unwrap()
}

/// Runs `check` on a class with these counts per value code (population: as many rows).
fn with_class<T>(counts: &[u32], check: impl FnOnce(&Class<'_>) -> T) -> T {
    let rows = counts.iter().map(|&n| u64::from(n)).sum();
    with_population(counts, rows, check)
}

fn with_population<T>(counts: &[u32], population: u64, check: impl FnOnce(&Class<'_>) -> T) -> T {
    let present: Vec<u32> = (0..counts.len() as u32).filter(|&v| counts[v as usize] > 0).collect();
    let rows = counts.iter().map(|&n| u64::from(n)).sum();
    let distributions =
        [Distribution::of_rows(counts, &present, counts.iter().map(|&count| u64::from(count)).sum())];
    check(&Class { rows, population, distributions: &distributions })
}

fn holds(criterion: &dyn ClassCriterion, counts: &[u32]) -> bool {
    with_class(counts, |class| criterion.holds(class))
}

fn recursive(c: &str, l: u64) -> RecursiveLDiversity {
    RecursiveLDiversity { sensitive: 0, c: fraction(c), l }
}

#[test]
fn distinct_diversity_counts_values_not_rows() {
    let two_diverse = DistinctLDiversity { sensitive: 0, l: 2 };
    assert!(!holds(&two_diverse, &[3, 0]));
    assert!(holds(&two_diverse, &[99, 1]));
}

#[test]
fn recursive_diversity_is_strict_and_needs_l_values() {
    assert!(holds(&recursive("4", 2), &[3, 1]));
    assert!(holds(&recursive("4", 2), &[1, 1]));
    assert!(!holds(&recursive("4", 2), &[2]));
    assert!(!holds(&recursive("3", 3), &[6, 2, 1, 1])); // 6 < 6 is false
    assert!(holds(&recursive("3", 1), &[2]) && !holds(&recursive("1", 1), &[2]));
}

fn positive(c: &str, l: u64, allowed: &[bool]) -> PdRecursiveLDiversity {
    PdRecursiveLDiversity { sensitive: 0, c: fraction(c), l, allowed: allowed.to_vec() }
}

#[test]
fn allowed_values_may_be_disclosed() {
    let healthy = [true, false, false, false];
    assert!(holds(&positive("3", 3, &healthy), &[6, 2, 1, 1]));
    assert!(!holds(&recursive("3", 3), &[6, 2, 1, 1]));
    let first_two = [true, true, false, false];
    assert!(holds(&positive("1", 3, &first_two), &[5, 4, 3, 1])); // 3 < 4 + 1
    assert!(!holds(&positive("0.5", 3, &first_two), &[5, 4, 3, 1]));
    assert!(holds(&positive("1", 2, &[true]), &[4]));
}

#[test]
fn protected_values_must_not_be_ruled_out() {
    let positive = positive("3", 3, &[true, false, false, false]);
    let criterion =
        |c2| NpdRecursiveLDiversity { positive: positive.clone(), c2: fraction(c2), protected: vec![3] };
    assert!(holds(&criterion("10"), &[6, 2, 1, 1]));
    assert!(!holds(&criterion("15"), &[6, 2, 1, 1]));
}

#[test]
fn ruling_out_one_value_must_not_disclose_another_column() {
    // (s1,v1) (s1,v2) (s2,v3) (s3,v3): each column has three values, yet "not s1" gives v3 away.
    let combinations = [[0, 0], [0, 1], [1, 2], [2, 2]].map(Box::from).to_vec();
    let criterion = |l| MultiAttributeLDiversity {
        joint: 0,
        combinations: combinations.clone(),
        diversity: Diversity::Distinct { l },
    };
    assert!(!holds(&criterion(2), &[1, 1, 1, 1]));
    assert!(holds(&criterion(1), &[1, 1, 1, 1]));
    let grid = [[0, 0], [0, 1], [1, 0], [1, 1]].map(Box::from).to_vec();
    let full =
        MultiAttributeLDiversity { joint: 0, combinations: grid, diversity: Diversity::Distinct { l: 2 } };
    assert!(holds(&full, &[1, 1, 1, 1]));
}

fn distance(distance: &Distance, class: &[u32], table: &[u64]) -> (u128, u128) {
    let reference = Reference::new(table.to_vec(), distance);
    let exact = with_class(class, |c| distance.exactly(&c.distributions[0], c.rows, &reference)).unwrap();
    let divisor = crate::exact::gcd(exact.numerator, exact.denominator);
    (exact.numerator / divisor, exact.denominator / divisor)
}

fn ordered(values: u32) -> Distance {
    Distance::Ordered { order: (0..values).collect() }
}

#[test]
fn earth_movers_distances_are_the_published_fractions() {
    let uniform = [1u64; 9];
    let low = [1, 1, 1, 0, 0, 0, 0, 0, 0]; // 3k 4k 5k
    let spread = [0, 0, 0, 1, 0, 1, 0, 0, 1]; // 6k 8k 11k
    assert_eq!(distance(&ordered(9), &low, &uniform), (3, 8));
    assert_eq!(distance(&ordered(9), &spread, &uniform), (1, 6));
    assert_eq!(distance(&Distance::Equal, &low, &uniform), (2, 3));
    assert_eq!(distance(&Distance::Equal, &spread, &uniform), (2, 3));

    let tree = Distance::Hierarchical(ValueTree::new(vec![vec![0, 0, 1, 1], vec![0, 0]]));
    let table = [1u64; 4];
    for (class, hierarchical, equal, line) in [
        ([1, 1, 0, 0], (1, 2), (1, 2), (1, 3)),
        ([1, 0, 1, 0], (1, 4), (1, 2), (1, 6)),
        ([1, 0, 0, 0], (5, 8), (3, 4), (1, 2)),
    ] {
        assert_eq!(distance(&tree, &class, &table), hierarchical);
        assert_eq!(distance(&Distance::Equal, &class, &table), equal);
        assert_eq!(distance(&ordered(4), &class, &table), line);
    }
}

fn close(t: &str, distance: Distance, table: &[u64]) -> TCloseness {
    TCloseness::new(0, fraction(t), distance, table.to_vec())
}

#[test]
fn a_class_exactly_at_t_passes() {
    let criterion = close("0.3", Distance::Equal, &[3, 12]);
    assert!(!holds(&criterion, &[2, 1])); // 7/15
    assert!(holds(&criterion, &[1, 1])); // 3/10, which doubles take for more
    assert!(holds(&criterion, &[0, 10])); // 1/5
    assert!(!holds(&criterion, &[3, 2])); // 2/5
}

#[test]
fn one_value_on_a_line_is_at_distance_zero() {
    assert!(holds(&close("0", ordered(1), &[7]), &[3]));
}

#[test]
fn divergence_goes_from_the_class_to_the_table() {
    let table = [5u64, 1, 3];
    let criterion = |t| close(t, Distance::KullbackLeibler, &table);
    let value = |counts: &[u32]| {
        let mut achieved = Achieved::default();
        with_class(counts, |class| criterion("1").gauge(class, &mut achieved));
        achieved.get("t").unwrap()
    };
    for (counts, expected) in [([3, 0, 0], 0.587787), ([1, 1, 1], 0.195929), ([1, 0, 2], 0.291823)] {
        assert!((value(&counts) - expected).abs() < 1e-6);
    }
    assert!(holds(&criterion("0.587788"), &[3, 0, 0]) && !holds(&criterion("0.587786"), &[3, 0, 0]));
    assert!(holds(&criterion("0"), &[5, 1, 3]) && !holds(&criterion("0"), &[5, 1, 2]));
}

#[test]
fn the_compatibility_measure_gives_its_sources_figures() {
    let table = [5.0 / 9.0, 1.0 / 9.0, 3.0 / 9.0];
    for (class, expected) in [
        ([1.0, 0.0, 0.0], 0.348545),
        ([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0], 0.433200),
        ([1.0 / 3.0, 0.0, 2.0 / 3.0], 0.549522),
    ] {
        assert!((nkld(&table, &class) - expected).abs() < 1e-6);
    }
}

#[test]
fn presence_is_a_share_of_the_population() {
    let criterion = DeltaPresence { min: fraction("0"), max: fraction("0.5") };
    let holds = |rows: u32, population| with_population(&[rows], population, |class| criterion.holds(class));
    assert!(!holds(5, 5));
    assert!(holds(4, 10));
    assert!(holds(2, 4));
    assert!(!holds(9, 15));
    let from_below = DeltaPresence { min: fraction("0.05"), max: fraction("1") };
    assert!(from_below.judges_absent_classes() && !criterion.judges_absent_classes());
    assert!(!with_population(&[0], 7, |class| from_below.holds(class)));
}

#[test]
fn monotonicity_depends_on_suppression_and_members() {
    use Suppression::{Allowed, Forbidden};
    let k = || Box::new(KAnonymity { k: 5 }) as Box<dyn ClassCriterion>;
    let t = || Box::new(close("0.2", Distance::Equal, &[1, 1])) as Box<dyn ClassCriterion>;
    let l = || Box::new(recursive("3", 4)) as Box<dyn ClassCriterion>;
    let of = |members, suppression| Criteria::new(members, suppression).monotonicity();
    assert_eq!(of(vec![k()], Allowed), Monotonicity::Full);
    assert_eq!(of(vec![k(), t()], Forbidden), Monotonicity::Full);
    assert_eq!(of(vec![k(), t()], Allowed), Monotonicity::Partly);
    assert_eq!(of(vec![l()], Allowed), Monotonicity::Partly);
    assert_eq!(of(vec![t()], Allowed), Monotonicity::None);
}

proptest! {
    /// The tests of a class agree with the formula written out over all values in doubles, away from the threshold.
    #[test]
    fn distances_agree_with_their_formulas(
        pairs in prop::collection::vec((0u32..6, 1u64..9), 2..8),
    ) {
        let class: Vec<u32> = pairs.iter().map(|&(n, _)| n).collect();
        let table: Vec<u64> = pairs.iter().map(|&(n, extra)| u64::from(n) + extra).collect();
        prop_assume!(class.iter().any(|&n| n > 0));
        let (n, total) = (class.iter().sum::<u32>() as f64, table.iter().sum::<u64>() as f64);
        let difference: Vec<f64> =
            class.iter().zip(&table).map(|(&c, &t)| f64::from(c) / n - t as f64 / total).collect();
        let naive_equal = difference.iter().map(|d| d.abs()).sum::<f64>() / 2.0;
        let mut carried = 0.0;
        let naive_ordered = difference.iter().map(|d| { carried += d; f64::abs(carried) }).sum::<f64>()
            / (class.len() - 1) as f64;
        let value = |d: &Distance| { let (a, b) = distance(d, &class, &table); a as f64 / b as f64 };
        prop_assert!((value(&Distance::Equal) - naive_equal).abs() < 1e-12);
        prop_assert!((value(&ordered(class.len() as u32)) - naive_ordered).abs() < 1e-12);
        // A flat tree is the equal distance.
        let flat = Distance::Hierarchical(ValueTree::new(vec![vec![0; class.len()]]));
        prop_assert!((value(&flat) - naive_equal).abs() < 1e-12);
    }

    /// Merging two classes never moves them further from the table than the further one.
    #[test]
    fn distances_are_convex(a in prop::collection::vec(0u32..6, 4), b in prop::collection::vec(0u32..6, 4)) {
        prop_assume!(a.iter().any(|&n| n > 0) && b.iter().any(|&n| n > 0));
        let merged: Vec<u32> = a.iter().zip(&b).map(|(x, y)| x + y).collect();
        let table: Vec<u64> = merged.iter().map(|&n| u64::from(n) + 1).collect();
        let tree = Distance::Hierarchical(ValueTree::new(vec![vec![0, 0, 1, 1], vec![0, 0]]));
        for distance in [Distance::Equal, ordered(4), tree, Distance::KullbackLeibler] {
            let value = |class: &[u32]| {
                let reference = Reference::new(table.clone(), &distance);
                with_class(class, |c| distance.value(&c.distributions[0], c.rows, &reference))
            };
            prop_assert!(value(&merged) <= value(&a).max(value(&b)) + 1e-12);
        }
    }

    /// Visiting only what a class shows gives what the definition over all values gives, to the last digit.
    #[test]
    fn sparse_distances_equal_their_definitions(
        pairs in prop::collection::vec((prop_oneof![3 => Just(0u32), 1 => 1u32..9], 0u64..9, 0u32..4, 0u32..2), 1..20),
        shuffle in any::<u64>(),
    ) {
        let class: Vec<u32> = pairs.iter().map(|pair| pair.0).collect();
        let table: Vec<u64> = pairs.iter().map(|pair| u64::from(pair.0) + pair.1).collect();
        prop_assume!(class.iter().any(|&n| n > 0));
        let mut order: Vec<u32> = (0..class.len() as u32).collect();
        order.sort_by_key(|&value| (u64::from(value) + 1).wrapping_mul(shuffle | 1));
        let groups: Vec<u32> = pairs.iter().map(|pair| pair.2).collect();
        let halves: Vec<u32> = (0..=*groups.iter().max().unwrap()).map(|group| group % 2).collect();
        let root = vec![0; *halves.iter().max().unwrap() as usize + 1];
        let steps = vec![groups, halves, root];
        let tree = Distance::Hierarchical(ValueTree::new(steps.clone()));
        let line = Distance::Ordered { order: order.clone() };
        prop_assert_eq!(distance(&line, &class, &table), ordered_by_definition(&order, &class, &table));
        prop_assert_eq!(distance(&tree, &class, &table), hierarchical_by_definition(&steps, &class, &table));
    }
}

fn extras(class: &[u32], table: &[u64]) -> (Vec<i128>, i128) {
    let rows = class.iter().map(|&n| i128::from(n)).sum::<i128>();
    let total = table.iter().map(|&n| i128::from(n)).sum::<i128>();
    let extra = |(&c, &t): (&u32, &u64)| i128::from(c) * total - i128::from(t) * rows;
    (class.iter().zip(table).map(extra).collect(), rows * total)
}

fn reduced(numerator: i128, denominator: i128) -> (u128, u128) {
    let (a, b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
    let divisor = crate::exact::gcd(a, b);
    (a / divisor, b / divisor)
}

fn ordered_by_definition(order: &[u32], class: &[u32], table: &[u64]) -> (u128, u128) {
    let (extras, unit) = extras(class, table);
    let mut carried = 0;
    let mut sum = 0;
    for &value in order {
        carried += extras[value as usize];
        sum += carried.abs();
    }
    reduced(sum, unit * (order.len() as i128 - 1).max(1))
}

fn hierarchical_by_definition(steps: &[Vec<u32>], class: &[u32], table: &[u64]) -> (u128, u128) {
    let (mut below, unit) = extras(class, table);
    let mut sum = 0;
    for (height, parents) in steps.iter().enumerate() {
        let size = *parents.iter().max().unwrap() as usize + 1;
        let side = |wanted: fn(i128) -> bool, node: usize| -> i128 {
            let children = parents.iter().zip(&below).filter(|&(&parent, _)| parent as usize == node);
            children.map(|(_, &extra)| extra).filter(|&extra| wanted(extra)).sum::<i128>().abs()
        };
        for node in 0..size {
            sum += (height as i128 + 1) * side(|extra| extra > 0, node).min(side(|extra| extra < 0, node));
        }
        below = (0..size)
            .map(|node| {
                parents.iter().zip(&below).filter(|&(&p, _)| p as usize == node).map(|(_, &e)| e).sum()
            })
            .collect();
    }
    reduced(sum, unit * steps.len() as i128)
}

fn likeness(beta: &str, form: LikenessForm, table: &[u64]) -> BetaLikeness {
    BetaLikeness::new(0, fraction(beta), form, table.to_vec())
}

#[test]
fn a_value_may_gain_exactly_beta() {
    // p = 3/10: a share of 6/10 is a gain of exactly 1, and p · 1.1 of 0.1, which doubles take for more.
    let basic = |beta, class: &[u32]| holds(&likeness(beta, LikenessForm::Basic, &[3, 7]), class);
    assert!(basic("1", &[6, 4]) && !basic("0.999999", &[6, 4]));
    assert!(basic("0.1", &[33, 67]) && !basic("0.1", &[34, 66]));
    // Values that become rarer are not limited.
    assert!(basic("0.5", &[0, 1]));
    // A value that the table does not have.
    assert!(!holds(&likeness("9", LikenessForm::Basic, &[0, 7]), &[1, 7]));
}

#[test]
fn frequent_values_gain_less_in_the_enhanced_form() {
    // −ln 0.5 = 0.693…, so a share of 0.8465… is the most.
    let enhanced = |class: &[u32]| holds(&likeness("1", LikenessForm::Enhanced, &[5, 5]), class);
    assert!(enhanced(&[8465, 1535]) && !enhanced(&[8466, 1534]));
    assert!(holds(&likeness("1", LikenessForm::Basic, &[5, 5]), &[1, 0]));
    // A table with one value: nothing can be gained.
    assert!(holds(&likeness("0.1", LikenessForm::Enhanced, &[5]), &[3]));
}

#[test]
fn merged_classes_are_no_less_alike_than_the_worse_of_them() {
    let table = [4u64, 9, 2, 6];
    let gain = |class: &[u32]| {
        let mut achieved = Achieved::default();
        with_class(class, |class| likeness("1", LikenessForm::Basic, &table).gauge(class, &mut achieved));
        achieved.get("beta").unwrap()
    };
    for (a, b) in [([4, 0, 1, 0], [0, 9, 0, 2]), ([1, 1, 1, 1], [0, 0, 0, 5]), ([2, 3, 0, 0], [2, 0, 2, 6])] {
        let merged: Vec<u32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
        assert!(gain(&merged) <= gain(&a).max(gain(&b)) + 1e-12);
    }
}
