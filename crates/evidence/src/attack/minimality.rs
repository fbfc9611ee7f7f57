//! The amount of generalization itself tells a secret.
//!
//! The attacker knows everybody's quasi-identifiers, the algorithm, and that it generalizes no more than its requirement (a
//! sensitive value has at most a share of 1/ℓ in a class) demands. So the classes one level finer, whose sizes n₁ … n_u are known
//! from an external list, must have broken it somewhere: of the C(n, x) equally likely ways to place the x rows with value s, only
//! those with some `x_i/n_i > 1/ℓ` remain, and under them
//! `P(s | i) = Σ (x_i/n_i)·w / Σ w`. With one level for the whole table (full-domain) it is enough that any class broke it for any
//! value (taken as independent), and nothing is learnt where the sizes alone explain the level: sub-classes that are too small
//! whatever their secrets, with more rows than may be suppressed.
//! Figure: the largest P(s | i), held against 1/ℓ. Wong, Fu, Wang and Pei, "Minimality attack in privacy preserving data
//! publishing", VLDB 2007.

use super::catalogue::{Card, Tried};
use super::classes::Tally;
use super::finer::{FinerColumn, Recoding, binomial};
use super::means::{Means, Secret};
use super::outcome::percent;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Finding, Outcome, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "minimality",
    question: "Does the amount of generalization itself tell a secret?",
    assumption: "The attacker knows everybody's quasi-identifiers, the algorithm, and that it generalizes no more than it must.",
    source: "Wong, Fu, Wang and Pei, Minimality Attack, VLDB 2007",
    needs: "the original (--against TABLE), a promised diversity, and a generalized column",
    tried: Tried::OnRequest,
};

/// Larger classes are left out: their ways to place values are too many, and the inference weak.
const LARGEST: u64 = 200;

/// What is known of a class before and after ruling out the ways that break nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Worlds {
    /// P(no sub-class breaks the requirement).
    pub unbroken: f64,
    /// By sub-class: E[x_i/n_i; no sub-class breaks the requirement].
    pub expected_unbroken: Vec<f64>,
    /// x/n, for every sub-class, before anything is ruled out.
    pub prior: f64,
}

impl Worlds {
    /// The ways to place `x` rows with the value into sub-classes of these sizes; a share of at most 1/`l` is allowed.
    #[must_use]
    pub fn of(sizes: &[u64], x: u64, l: f64) -> Worlds {
        let n: u64 = sizes.iter().sum();
        let prior = x as f64 / n.max(1) as f64;
        let x = x as usize;
        // Binomial weights with any p give the hypergeometric distribution once the sum is fixed; p = x/n keeps them in range.
        let all = binomial(n, x as u64, prior);
        let allowed = |size: u64| ((size as f64 / l + 1e-9).floor() as usize).min(x);
        let weights: Vec<Vec<f64>> = sizes
            .iter()
            .map(|&size| (0..=allowed(size)).map(|xi| binomial(size, xi as u64, prior)).collect())
            .collect();
        let convolve = |a: &[f64], b: &[f64]| {
            let mut sum = vec![0.0; (a.len() + b.len() - 1).min(x + 1)];
            for (i, &left) in a.iter().enumerate() {
                for (j, &right) in b.iter().enumerate().take(sum.len().saturating_sub(i)) {
                    sum[i + j] += left * right;
                }
            }
            sum
        };
        let mut before = vec![vec![1.0]];
        for weight in &weights {
            let next = convolve(&before[before.len() - 1], weight);
            before.push(next);
        }
        let mut after = vec![vec![1.0]];
        for weight in weights.iter().rev() {
            let next = convolve(&after[after.len() - 1], weight);
            after.push(next);
        }
        let at = |sums: &[f64], place: usize| sums.get(place).copied().unwrap_or(0.0);
        let unbroken = at(&before[sizes.len()], x) / all;
        // P(the others break nothing and have this number of rows with the value), up to a common factor.
        let others = |i: usize, rows: usize| {
            let (left, right) = (&before[i], &after[sizes.len() - 1 - i]);
            left.iter()
                .enumerate()
                .take(rows + 1)
                .map(|(a, weight)| weight * at(right, rows - a))
                .sum::<f64>()
        };
        let expected = |i: usize| {
            let terms = weights[i].iter().enumerate();
            let terms = terms.map(|(xi, weight)| xi as f64 / sizes[i] as f64 * weight * others(i, x - xi));
            terms.sum::<f64>() / all
        };
        Worlds {
            unbroken: unbroken.min(1.0),
            expected_unbroken: (0..sizes.len()).map(expected).collect(),
            prior,
        }
    }

    /// The largest P(s | i) if this class, or one of the `others` (P(none of them broke it)), broke the requirement; `None` if
    /// none of them can have.
    #[must_use]
    pub fn posterior(&self, others_unbroken: f64) -> Option<f64> {
        let broken = 1.0 - self.unbroken * others_unbroken;
        if broken < 1e-9 {
            return None;
        }
        let of = |expected: &f64| (self.prior - expected * others_unbroken) / broken;
        self.expected_unbroken.iter().map(of).reduce(f64::max)
    }
}

/// What the algorithm had to keep, as the attacker knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Requirement {
    /// A value has at most a share of 1/ℓ in a class.
    pub l: f64,
    /// A class has at least this number of rows.
    pub smallest: u64,
    /// So many rows in classes that break it could have been suppressed instead.
    pub tolerated: u64,
}

/// P(no sub-class breaks the requirement) for a class too large to list its worlds: sub-classes by themselves, those beyond
/// [`LARGEST`] taken to break nothing.
fn roughly_unbroken(sizes: &[u64], x: u64, l: f64) -> f64 {
    let p = x as f64 / sizes.iter().sum::<u64>().max(1) as f64;
    let small = sizes.iter().filter(|&&size| size <= LARGEST);
    let unbroken = small.map(|&size| {
        let mut weight = (1.0 - p).powi(size as i32);
        let mut sum = weight;
        for xi in 0..(size as f64 / l + 1e-9).floor() as u64 {
            weight *= (size - xi) as f64 / (xi + 1) as f64 * p / (1.0 - p);
            sum += weight;
        }
        sum.min(1.0)
    });
    unbroken.product()
}

/// What came of looking at all classes and values.
#[derive(Default)]
struct Looked {
    /// The likeliest secret.
    figure: f64,
    /// The same if the class itself was known to be the reason.
    local_most: f64,
    /// Its class, value, the column that could have been finer, and how likely it is as released.
    worst: Option<(usize, u32, usize, f64)>,
    looked: u64,
    too_large: u64,
    unknown: u64,
    explained: u64,
}

/// Weighs the worlds in which a finer column would have broken the requirement.
fn look(
    released: &Released,
    place: usize,
    requirement: Requirement,
    people: &Projection,
    finer: &[FinerColumn],
    recoding: Recoding,
) -> Looked {
    let Requirement { l, smallest, tolerated } = requirement;
    let (column, classes) = (released.column(place), &released.classes);
    let tally = Tally::of(classes, column);
    let mut seen = Looked::default();
    for lowered in finer {
        let children = lowered.children(classes, people);
        let too_small = |of_class: &[(u32, u64)]| -> u64 {
            of_class.iter().map(|child| child.1).filter(|&size| size < smallest).sum()
        };
        let placed: u64 = children.iter().flatten().map(|child| child.1).sum();
        let suppressed = people.records as u64 - placed.min(people.records as u64);
        let by_size = suppressed + children.iter().map(too_small).sum::<u64>();
        if recoding == Recoding::FullDomain && by_size > tolerated {
            seen.explained += 1;
            continue;
        }
        let mut worlds: Vec<(usize, u32, Worlds)> = Vec::new();
        let mut nowhere = 1.0;
        for (class, of_class) in children.iter().enumerate() {
            let sizes: Vec<u64> = of_class.iter().map(|child| child.1).collect();
            let n = classes.sizes()[class];
            for &(code, x) in tally.class(class) {
                // A class that exceeds 1/ℓ as released was not held to this requirement; one sub-class is no choice, and one
                // that is too small explains the level by itself.
                match () {
                    () if x as f64 > n as f64 / l + 1e-9 || sizes.len() < 2 => {}
                    () if recoding == Recoding::Local && too_small(of_class) > 0 => {}
                    () if sizes.iter().sum::<u64>() != n => seen.unknown += 1,
                    () if n > LARGEST => {
                        seen.too_large += 1;
                        nowhere *= roughly_unbroken(&sizes, x, l);
                    }
                    () => {
                        let of_class = Worlds::of(&sizes, x, l);
                        nowhere *= of_class.unbroken;
                        worlds.push((class, code, of_class));
                    }
                }
            }
        }
        seen.looked += worlds.len() as u64;
        for (class, code, of_class) in &worlds {
            let alone = of_class.posterior(1.0).unwrap_or(of_class.prior);
            seen.local_most = seen.local_most.max(alone);
            let others = if of_class.unbroken > 0.0 { nowhere / of_class.unbroken } else { 0.0 };
            let judged = match recoding {
                Recoding::Local => alone,
                Recoding::FullDomain => of_class.posterior(others).unwrap_or(of_class.prior),
            };
            if judged > seen.figure {
                (seen.figure, seen.worst) = (judged, Some((*class, *code, lowered.place, of_class.prior)));
            }
        }
    }
    seen
}

/// Runs the attack on the sensitive column at `place`; `people` is a list of everybody in the table, `finer` the columns that
/// could have been a level finer.
#[must_use]
pub fn minimality(
    released: &Released,
    place: usize,
    requirement: Requirement,
    people: &Projection,
    finer: &[FinerColumn],
    recoding: Recoding,
) -> Outcome {
    let l = requirement.l;
    let (column, classes) = (released.column(place), &released.classes);
    let Looked { figure, local_most, worst, looked, too_large, unknown, explained } =
        look(released, place, requirement, people, finer, recoding);
    let bound = Bound {
        value: 1.0 / l,
        from: format!("no value is likelier than 1 in {l}, the requirement as the paper reads it"),
    };
    let severity = if figure > bound.value + 1e-9 { Severity::Residual } else { Severity::Covered };
    let result = match worst {
        None => "No class can be told to have been generalized for the sake of a secret.".to_owned(),
        Some(_) if severity == Severity::Covered => {
            format!(
                "Knowing that nothing was generalized without need, the likeliest secret has {}.",
                percent(figure)
            )
        }
        Some((_, _, _, prior)) => format!(
            "Knowing that nothing was generalized without need, a secret rises from {} to {}.",
            percent(prior),
            percent(figure)
        ),
    };
    let findings =
        worst.filter(|_| severity != Severity::Covered).map(|(class, code, lowered, prior)| Finding {
            class: classes.describe(&released.table, class),
            value: figure,
            text: format!(
                "{} = {}: {} as released, up to {} for some value of {}",
                column.name(),
                column.labels()[code as usize],
                percent(prior),
                percent(figure),
                released.column(lowered).name()
            ),
        });
    let mode = match recoding {
        Recoding::FullDomain => "one level for the whole table",
        Recoding::Local => "each class by itself",
    };
    Outcome::new(
        Attack::Minimality,
        severity,
        Figure { what: "likeliest secret", value: figure, unit: Unit::Share },
        result,
    )
    .about(column.name())
    .against(Some(bound))
    .with("generalization", mode)
    .with("classes and values looked at", looked)
    .with("if the class itself was known to be the reason", percent(local_most))
    .with("columns whose level the sizes alone explain", explained)
    .with("left out: class above the size limit", too_large)
    .with("left out: the list does not have exactly the people of the class", unknown)
    .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some((target, people)) =
        means.target.as_ref().and_then(|target| Some((target, target.original.as_ref()?)))
    else {
        return Vec::new();
    };
    let of = |secret: &Secret| {
        let l = secret.diversity;
        let smallest = target.promises.k.unwrap_or(1).max(l.ceil() as u64);
        let requirement = Requirement { l, smallest, tolerated: target.suppressible_rows };
        (l > 1.0 && !people.finer.is_empty()).then(|| {
            let (place, recoding) = (secret.place, target.recoding);
            minimality(target.released, place, requirement, people.projection, &people.finer, recoding)
        })
    };
    target.secrets.iter().filter_map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let (released, people, finer) = planted::generalized(plant);
    let recoding = if plant == Plant::Weak { Recoding::Local } else { Recoding::FullDomain };
    let requirement = Requirement { l: 2.0, smallest: 2, tolerated: 0 };
    minimality(&released, 1, requirement, &people, &[finer], recoding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    /// All ways to place x rows among the people of the sub-classes, one by one.
    fn by_listing(sizes: &[u64], x: u64, l: f64) -> Option<f64> {
        let people: Vec<usize> =
            sizes.iter().enumerate().flat_map(|(i, &size)| std::iter::repeat_n(i, size as usize)).collect();
        let (mut broken, mut sums) = (0u64, vec![0.0; sizes.len()]);
        for set in 0u32..1 << people.len() {
            if u64::from(set.count_ones()) != x {
                continue;
            }
            let mut placed = vec![0u64; sizes.len()];
            people
                .iter()
                .enumerate()
                .filter(|(person, _)| set & (1 << person) != 0)
                .for_each(|(_, &i)| placed[i] += 1);
            let shares: Vec<f64> = placed.iter().zip(sizes).map(|(&x, &n)| x as f64 / n as f64).collect();
            if shares.iter().any(|&share| share > 1.0 / l + 1e-9) {
                broken += 1;
                sums.iter_mut().zip(&shares).for_each(|(sum, share)| *sum += share);
            }
        }
        (broken > 0).then(|| sums.iter().copied().fold(0.0, f64::max) / broken as f64)
    }

    #[test]
    fn two_of_two_or_none_is_what_minimality_leaves() {
        // A class of 2 + 4 people with two carriers, 2-diverse. Placing one carrier in the pair keeps it 2-diverse (1/2), and so
        // do two among the four; only two carriers in the pair of two break it, so both have it.
        let worlds = Worlds::of(&[2, 4], 2, 2.0);
        assert!((worlds.prior - 1.0 / 3.0).abs() < 1e-12);
        assert!((worlds.posterior(1.0).unwrap() - 1.0).abs() < 1e-9);
        // Of 15 ways one breaks the requirement; whether some class of many did says little.
        assert!((worlds.unbroken - 14.0 / 15.0).abs() < 1e-9);
        assert!(worlds.posterior(1e-6).unwrap() < 0.34);
    }

    #[test]
    fn the_attack_names_the_class_and_the_value() {
        let released =
            Released::new(table("q s\na hiv\na hiv\na flu\na cold\na mumps\na asthma"), vec![0], vec![1]);
        let people = Projection::new(vec![0], vec![vec![Some(0); 6]]);
        let codes = [0, 0, 1, 1, 1, 1].map(Some).to_vec();
        let finer = FinerColumn { place: 0, labels: vec!["a1".into(), "a2".into()], codes, by_class: None, by_label: None };
        let requirement = Requirement { l: 2.0, smallest: 2, tolerated: 0 };
        let outcome =
            minimality(&released, 1, requirement, &people, std::slice::from_ref(&finer), Recoding::Local);
        assert_eq!(outcome.severity, Severity::Residual, "{}", outcome.result);
        assert!((outcome.figure.value - 1.0).abs() < 1e-9);
        assert!(
            outcome.findings[0].text.starts_with("s = hiv: 33.33 % as released, up to 100 %"),
            "{:?}",
            outcome.findings
        );
    }

    #[test]
    fn a_level_that_sizes_explain_says_nothing_about_secrets() {
        let released =
            Released::new(table("q s\na hiv\na hiv\na flu\na cold\na mumps\na asthma"), vec![0], vec![1]);
        let people = Projection::new(vec![0], vec![vec![Some(0); 6]]);
        let codes = [0, 0, 1, 1, 1, 1].map(Some).to_vec();
        let finer = [FinerColumn { place: 0, labels: vec!["a1".into(), "a2".into()], codes, by_class: None, by_label: None }];
        let run = |smallest, tolerated| {
            let requirement = Requirement { l: 2.0, smallest, tolerated };
            minimality(&released, 1, requirement, &people, &finer, Recoding::FullDomain)
        };
        assert_eq!(run(3, 1).severity, Severity::Covered, "the pair of two is too small in any case");
        assert_eq!(run(3, 1).figure.value, 0.0);
        assert_eq!(run(2, 0).severity, Severity::Residual, "{}", run(2, 0).result);
    }

    #[test]
    fn the_rough_count_is_near_the_exact_one() {
        for (sizes, x) in [(vec![30, 50, 40], 20), (vec![5, 100], 15)] {
            let (rough, exact) = (roughly_unbroken(&sizes, x, 3.0), Worlds::of(&sizes, x, 3.0).unbroken);
            assert!((rough - exact).abs() < 0.15, "{rough} {exact}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn counting_worlds_is_what_listing_them_says(
            sizes in prop::collection::vec(1u64..5, 2..4), x in 0u64..6, l in 2u32..4
        ) {
            let n: u64 = sizes.iter().sum();
            let x = x.min(n);
            let found = Worlds::of(&sizes, x, f64::from(l)).posterior(1.0);
            match (found, by_listing(&sizes, x, f64::from(l))) {
                (Some(found), Some(listed)) => prop_assert!((found - listed).abs() < 1e-6, "{} {}", found, listed),
                (found, listed) => prop_assert_eq!(found.is_some(), listed.is_some()),
            }
        }
    }
}
