//! A secret is impossible.
//!
//! A protected value that a class does not show is ruled out for everybody in it. Figure: the smallest share of a protected value
//! in a class. Machanavajjhala et al., TKDD 1(1), 2007.

use super::catalogue::{Card, Tried};
use super::classes::Tally;
use super::means::{Means, Secret};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "negative-disclosure",
    question: "Can a secret be ruled out for somebody?",
    assumption: "The attacker finds the person's class and sees that a protected value does not occur there.",
    source: "Machanavajjhala et al., \u{2113}-Diversity, TKDD 2007",
    needs: "a protected value (--protect COLUMN=VALUE)",
    tried: Tried::OnRequest,
};

/// A value without what people write differently: capitals and blanks.
fn plain(value: &str) -> String {
    value.split_whitespace().collect::<Vec<&str>>().join(" ").to_lowercase()
}

/// Looks for classes where a protected value is missing (or below its promised share). Without protected values, `None`.
#[must_use]
pub fn negative_disclosure(
    released: &Released,
    place: usize,
    promises: &Promises,
    protected: &[String],
) -> Option<Outcome> {
    let (column, classes) = (released.column(place), &released.classes);
    let promised = promises.of_column(column.name()).protected;
    let names: Vec<&String> =
        protected.iter().chain(promised.iter().flat_map(|(values, _)| values)).collect();
    // `HIV` protects nobody whose class shows `hiv` and no other spelling.
    let spelled = |name: &String| -> Vec<u32> {
        let codes = (0u32..).zip(column.labels());
        codes.filter(|(_, label)| plain(label) == plain(name)).map(|(code, _)| code).collect()
    };
    let codes: Vec<(Vec<u32>, &String)> =
        names.iter().map(|name| (spelled(name), *name)).filter(|(codes, _)| !codes.is_empty()).collect();
    if codes.is_empty() {
        return None;
    }
    let tally = Tally::of(classes, column);
    let mut least = f64::INFINITY;
    let mut absent = Vec::new();
    for class in 0..classes.len() {
        for (codes, name) in &codes {
            let counts = tally.class(class).iter().filter(|entry| codes.contains(&entry.0));
            let count: u64 = counts.map(|entry| entry.1).sum();
            least = least.min(count as f64 / tally.rows(class) as f64);
            if count == 0 {
                absent.push((class, *name));
            }
        }
    }
    let bound = promised.as_ref().map(|&(_, share)| Bound {
        value: share,
        from: format!("a protected value has at least {} of every class", percent(share)),
    });
    let severity = match &bound {
        // Every table keeps a share of 0.
        Some(bound) if bound.value > 0.0 => Severity::of_finding(least < bound.value - 1e-12, true),
        _ => Severity::of_finding(!absent.is_empty(), false),
    };
    absent.sort_by_key(|&(class, _)| (std::cmp::Reverse(classes.sizes()[class]), class));
    let findings = absent.iter().map(|&(class, name)| Finding {
        class: classes.describe(&released.table, class),
        value: 0.0,
        text: format!("{} = {name} is ruled out", column.name()),
    });
    let result = match absent.len() as u64 {
        0 => "Every class shows every protected value.".to_owned(),
        n => format!("A protected value can be ruled out in {}.", counted(n, "case")),
    };
    let figure =
        Figure { what: "smallest share of a protected value in a class", value: least, unit: Unit::Share };
    let outcome = Outcome::new(Attack::NegativeDisclosure, severity, figure, result)
        .about(column.name())
        .against(bound);
    Some(outcome.with("protected values", codes.len()).with("classes without one", absent.len()).at(findings))
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |secret: &Secret| {
        negative_disclosure(target.released, secret.place, target.promises, &secret.protected)
    };
    target.secrets.iter().filter_map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let outcome = negative_disclosure(&planted::secrets(plant), 2, &planted::promises(), &[]);
    outcome.expect("the planted releases show the protected value")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn a_missing_protected_value_is_found() {
        let released = Released::new(table("q s\na hiv\na flu\nb flu\nb cold"), vec![0], vec![1]);
        let protected = ["hiv".to_owned()];
        let outcome = negative_disclosure(&released, 1, &Promises::default(), &protected).unwrap();
        assert_eq!(outcome.severity, Severity::Residual);
        assert_eq!(outcome.findings[0].class, ["q = b"]);
        assert!(negative_disclosure(&released, 1, &Promises::default(), &[]).is_none());
        let mut promises = Promises::default();
        promises.column("s").protected = Some((vec!["flu".into()], 0.5));
        assert_eq!(negative_disclosure(&released, 1, &promises, &[]).unwrap().severity, Severity::Covered);
        promises.column("s").protected = Some((vec!["hiv".into()], 0.1));
        assert_eq!(negative_disclosure(&released, 1, &promises, &[]).unwrap().severity, Severity::Broken);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_least_share_is_what_counting_row_by_row_says(rows in prop::collection::vec((0u8..3, 0u8..3), 1..30)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let share = |q: u8, s: u8| {
                let class = rows.iter().filter(|row| row.0 == q).count();
                rows.iter().filter(|row| **row == (q, s)).count() as f64 / class as f64
            };
            let least = rows.iter().map(|&(q, _)| share(q, 0)).fold(1.0, f64::min);
            match negative_disclosure(&released, 1, &Promises::default(), &["s0".to_owned()]) {
                Some(outcome) => prop_assert!((outcome.figure.value - least).abs() < 1e-12),
                None => prop_assert!(rows.iter().all(|row| row.1 != 0)),
            }
        }
    }
}
