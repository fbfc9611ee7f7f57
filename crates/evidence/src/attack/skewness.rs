//! Somebody looks far more affected than the average.
//!
//! The attacker knows the overall share q(v) of a sensitive value and sees the share p(E,v) in the person's class. Figure: the
//! largest factor `p(E,v)/q(v)`, among classes and values. A class of 49:1 and one of 1:49 are equally diverse, but one of them
//! accuses. Total variation at most t promises `p(E,v) ≤ q(v) + t`, so a factor of at most `1 + t/q(v)`.
//! Li, Li and Venkatasubramanian, "t-Closeness", ICDE 2007.

use super::catalogue::{Card, Tried};
use super::classes::Tally;
use super::means::{Means, Secret};
use super::outcome::percent;
use super::planted::{self, Plant};
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "skewness",
    question: "Does somebody look far more affected than the average?",
    assumption: "The attacker knows how frequent each sensitive value is overall, and compares the person's class with that.",
    source: "Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007",
    needs: "a release with a sensitive column",
    tried: Tried::WithSecrets,
};

/// A factor up to here is worth no alarm where nothing was promised.
const HARMLESS: f64 = 2.0;

/// Runs the attack on the sensitive column at `place`. `overall` has the counts of each label in the original table; without it
/// the release itself stands for the whole.
#[must_use]
pub fn skewness(released: &Released, place: usize, promises: &Promises, overall: Option<&[u64]>) -> Outcome {
    let (column, classes) = (released.column(place), &released.classes);
    let tally = Tally::of(classes, column);
    let whole = overall.unwrap_or(tally.total());
    let rows: u64 = whole.iter().sum();
    let variation = promises.of_column(column.name()).variation;
    let mut worst: Vec<(f64, f64, usize, u32)> = Vec::new();
    let (mut broken, mut largest_rise) = (false, 0.0f64);
    for class in 0..classes.len() {
        // The distance of t-closeness takes an empty cell for a value; here it is nothing that accuses.
        let values = tally.class(class).iter().filter(|entry| Some(entry.0) != column.missing());
        for &(code, count) in values {
            let p = count as f64 / tally.rows(class) as f64;
            let q = whole[code as usize] as f64 / rows.max(1) as f64;
            largest_rise = largest_rise.max(p - q);
            broken |= variation.is_some_and(|t| p > q + t + 1e-9);
            if q > 0.0 {
                worst.push((p / q, q, class, code));
            }
        }
    }
    worst.sort_by(|a, b| {
        b.0.total_cmp(&a.0)
            .then(classes.sizes()[b.2].cmp(&classes.sizes()[a.2]))
            .then((a.2, a.3).cmp(&(b.2, b.3)))
    });
    let (factor, share) = worst.first().map_or((1.0, 1.0), |worst| (worst.0, worst.1));
    // No share rises above 1: a promise that allows as much rules nothing out.
    let possible = 1.0 / share;
    let allows_all = variation.is_some_and(|t| 1.0 + t / share >= possible * (1.0 - 1e-9));
    let bound = variation.map(|t| Bound {
        value: (1.0 + t / share).min(possible),
        from: match allows_all {
            true => format!("a distance of {t:.3} from the whole allows any share, up to {possible:.1} times the whole's"),
            false => format!("no class is farther than {t:.3} from the whole, so no share rises by more"),
        },
    });
    let allowed = if allows_all { Some(f64::INFINITY) } else { bound.as_ref().map(|bound| bound.value) };
    let severity = match broken {
        true => Severity::Broken,
        false => Severity::of(factor, Unit::Factor, allowed, HARMLESS),
    };
    let findings = worst.iter().filter(|worst| worst.0 > HARMLESS).map(|&(factor, q, class, code)| Finding {
        class: classes.describe(&released.table, class),
        value: factor,
        text: format!(
            "{} = {}: {} here, {} overall",
            column.name(),
            column.labels()[code as usize],
            percent(factor * q),
            percent(q)
        ),
    });
    let whose = if overall.is_some() { "the original table" } else { "the release" };
    let mut result = format!("A value is up to {factor:.1} times as frequent in a class as in {whose}.");
    if allows_all && severity == Severity::Residual {
        result.push_str(&format!(
            " The promise allows up to {possible:.1}, as every table does, so it holds nothing back here."
        ));
    }
    Outcome::new(
        Attack::Skewness,
        severity,
        Figure { what: "largest factor", value: factor, unit: Unit::Factor },
        result,
    )
    .about(column.name())
    .against(bound)
    .told_if_loose()
    .with("possible at most", format!("{possible:.1}"))
    .with("compared with", whose)
    .with("largest rise of a share", percent(largest_rise))
    .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of =
        |secret: &Secret| skewness(target.released, secret.place, target.promises, secret.overall.as_deref());
    target.secrets.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    skewness(&planted::secrets(plant), 2, &planted::promises(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    fn with_counts(counts: &[(&str, usize, usize)]) -> Released {
        let rows: String = counts
            .iter()
            .flat_map(|&(class, positive, negative)| {
                let positive = std::iter::repeat_n(format!("\n{class} positive"), positive);
                positive
                    .chain(std::iter::repeat_n(format!("\n{class} negative"), negative))
                    .collect::<Vec<_>>()
            })
            .collect();
        Released::new(table(&format!("class virus{rows}")), vec![0], vec![1])
    }

    #[test]
    fn one_percent_of_the_table_and_half_of_a_class_is_a_factor_of_fifty() {
        // 10,000 rows with 1 % positives, one class of which is 50:50.
        let released = with_counts(&[("a", 50, 50), ("b", 50, 9_850)]);
        let outcome = skewness(&released, 1, &Promises::default(), None);
        assert!((outcome.figure.value - 50.0).abs() < 1e-9);
        assert_eq!(outcome.severity, Severity::Residual);
        assert_eq!(outcome.findings[0].class, ["class = a"]);
        let mut promises = Promises::default();
        promises.column("virus").variation = Some(0.2);
        assert_eq!(skewness(&released, 1, &promises, None).severity, Severity::Broken);
        promises.column("virus").variation = Some(0.49);
        assert_eq!(skewness(&released, 1, &promises, None).severity, Severity::Covered);
        // 70 times as frequent, and 1 + 0.98 / 0.0005 would be allowed: the promise does nothing here.
        let released = with_counts(&[("a", 7, 193), ("b", 3, 19_797)]);
        promises.column("virus").variation = Some(0.98);
        let outcome = skewness(&released, 1, &promises, None);
        assert!((outcome.figure.value - 70.0).abs() < 1e-9);
        assert_eq!(outcome.severity, Severity::Residual, "{}", outcome.result);
        assert!(outcome.result.contains("70.0") && outcome.result.contains("1961.0"), "{}", outcome.result);
    }

    #[test]
    fn a_bound_above_the_possible_covers_nothing() {
        // 9.5 % positives overall, a class of positives: 10.5 times, and more is not possible.
        let released = with_counts(&[("a", 95, 5), ("b", 0, 900)]);
        let mut promises = Promises::default();
        promises.column("virus").variation = Some(0.99);
        let outcome = skewness(&released, 1, &promises, None);
        assert_eq!(outcome.severity, Severity::Residual, "{}", outcome.result);
        assert!((outcome.bound.unwrap().value - 1_000.0 / 95.0).abs() < 1e-9);
        assert!(outcome.result.contains("10.0 times") && outcome.result.contains("up to 10.5"), "{}", outcome.result);
        let even = with_counts(&[("a", 50, 50), ("b", 50, 50)]);
        assert_eq!(skewness(&even, 1, &promises, None).severity, Severity::NothingFound);
        promises.column("virus").variation = Some(0.1);
        assert_eq!(skewness(&even, 1, &promises, None).severity, Severity::Covered);
    }

    #[test]
    fn equally_diverse_classes_accuse_differently() {
        let released = with_counts(&[("a", 49, 1), ("b", 1, 49)]);
        let outcome = skewness(&released, 1, &Promises::default(), Some(&[990, 10]));
        assert_eq!(outcome.findings[0].class, ["class = a"]);
        assert!((outcome.figure.value - 98.0).abs() < 1e-9);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_factor_is_what_counting_row_by_row_says(rows in prop::collection::vec((0u8..3, 0u8..3), 1..30)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let n = rows.len() as f64;
            let count = |keep: &dyn Fn(&(u8, u8)) -> bool| rows.iter().filter(|row| keep(row)).count() as f64;
            let factor = rows.iter().map(|row| {
                let p = count(&|other| other == row) / count(&|other| other.0 == row.0);
                p / (count(&|other| other.1 == row.1) / n)
            });
            let most = factor.fold(0.0, f64::max);
            prop_assert!((skewness(&released, 1, &Promises::default(), None).figure.value - most).abs() < 1e-9);
        }
    }
}
