//! A secret is nearly certain, or impossible.
//!
//! Positive disclosure: the attacker bets on the most frequent value of the person's class. Figure: `max_E max_s p(E,s)`, held
//! against what the promised diversity allows (recursive: c/(1+c); entropy: the share whose entropy is ln ℓ; variation distance:
//! see skewness). Negative disclosure: a protected value that a class does not show is ruled out for everybody in it. Figure: the
//! smallest share of a protected value in a class. Machanavajjhala et al., TKDD 1(1), 2007.

use super::classes::Tally;
use super::outcome::{counted, percent};
use super::standing::Standing;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};

/// Runs the bet on the most frequent value; classes from `threshold` on are named.
#[must_use]
pub fn positive_disclosure(
    released: &Released,
    place: usize,
    promises: &Promises,
    threshold: f64,
) -> Outcome {
    let (column, classes) = (released.column(place), &released.classes);
    let promise = promises.of_column(column.name());
    let tally = Tally::of_secrets(classes, column, promise.missing);
    // Of those who have a value; a class without one has no secret.
    let modes: Vec<(f64, u32)> = (0..classes.len())
        .map(|class| {
            tally
                .mode(class)
                .map_or((0.0, 0), |(code, count)| (count as f64 / tally.rows(class) as f64, code))
        })
        .collect();
    let most = modes.iter().map(|mode| mode.0).fold(0.0, f64::max);
    let bound = promise.confidence.map(|value| Bound {
        value,
        from: format!("the promised diversity keeps every value at or below {}", percent(value)),
    });
    // The mean over rows of p(E, mode): what the bet wins on average.
    let won: f64 = modes.iter().zip(classes.sizes()).map(|(mode, &size)| mode.0 * size as f64).sum();
    let mean = won / released.members().max(1) as f64;
    let mut sure: Vec<usize> = (0..modes.len()).filter(|&class| modes[class].0 >= threshold).collect();
    let rows: u64 = sure.iter().map(|&class| classes.sizes()[class]).sum();
    sure.sort_by(|&a, &b| {
        modes[b].0.total_cmp(&modes[a].0).then(classes.sizes()[b].cmp(&classes.sizes()[a])).then(a.cmp(&b))
    });
    let findings = sure.iter().map(|&class| Finding {
        class: classes.describe(&released.table, class),
        value: modes[class].0,
        text: format!(
            "{} = {} with {}",
            column.name(),
            column.labels()[modes[class].1 as usize],
            percent(modes[class].0)
        ),
    });
    // A person may show several values: each has its share of the pairs, and everybody may show the same one.
    let standing = Standing::of(classes, column, promise.missing);
    let held = |class: usize| {
        let holders = standing.as_ref()?.holders[class];
        let share = tally.mode(class)?.1 as f64 / holders as f64;
        (share >= threshold && modes[class].0 < threshold).then_some(share)
    };
    let held: Vec<(usize, f64)> =
        (0..classes.len()).filter_map(|class| Some((class, held(class)?))).collect();
    let findings = findings.chain(held.iter().map(|&(class, share)| Finding {
        class: classes.describe(&released.table, class),
        value: share,
        text: format!(
            "{} of the people show {} = {}, beside other values",
            percent(share),
            column.name(),
            column.labels()[modes[class].1 as usize]
        ),
    }));
    let promised = bound.as_ref().map(|bound| bound.value);
    let severity = match Severity::of(most, Unit::Share, promised, threshold - 1e-12) {
        // Exactly at the threshold is sure enough.
        Severity::NothingFound if most >= threshold => Severity::Residual,
        Severity::Covered | Severity::NothingFound if !held.is_empty() => Severity::Residual,
        severity => severity,
    };
    let mut result = format!(
        "The most certain value of a class has {}; {} of the rows are in classes with {} or more.",
        percent(most),
        percent(rows as f64 / released.members().max(1) as f64),
        percent(threshold)
    );
    if !held.is_empty() {
        let classes = counted(held.len() as u64, "class");
        result.push_str(&format!(
            " In {classes} at least {} of the people show one value beside others.",
            percent(threshold)
        ));
    }
    Outcome::new(
        Attack::PositiveDisclosure,
        severity,
        Figure { what: "largest share of a value in a class", value: most, unit: Unit::Share },
        result,
    )
    .about(column.name())
    .against(bound)
    .told_if_loose()
    .with("threshold", percent(threshold))
    .with("classes from the threshold on", sure.len())
    .with("rows in them", rows)
    .with("mean share won by betting on the most frequent value", percent(mean))
    .at(findings)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn a_class_of_three_to_one_is_bet_on() {
        let released =
            Released::new(table("q s\na hiv\na hiv\na hiv\na flu\nb flu\nb hiv"), vec![0], vec![1]);
        let outcome = positive_disclosure(&released, 1, &Promises::default(), 0.7);
        assert_eq!((outcome.figure.value, outcome.severity), (0.75, Severity::Residual));
        assert_eq!(outcome.findings.len(), 1);
        let mut promises = Promises::default();
        // Recursive (4,2): 3 < 4·1.
        promises.column("s").confidence = Some(super::super::promises::confidence_of_recursive(4.0));
        assert_eq!(positive_disclosure(&released, 1, &promises, 0.7).severity, Severity::Covered);
        promises.column("s").confidence = Some(super::super::promises::confidence_of_recursive(2.0));
        assert_eq!(positive_disclosure(&released, 1, &promises, 0.7).severity, Severity::Broken);
    }

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
        fn shares_are_what_counting_row_by_row_says(rows in prop::collection::vec((0u8..3, 0u8..3), 1..30)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let share = |q: u8, s: u8| {
                let class = rows.iter().filter(|row| row.0 == q).count();
                rows.iter().filter(|row| **row == (q, s)).count() as f64 / class as f64
            };
            let most = rows.iter().map(|&(q, s)| share(q, s)).fold(0.0, f64::max);
            let outcome = positive_disclosure(&released, 1, &Promises::default(), 0.8);
            prop_assert!((outcome.figure.value - most).abs() < 1e-12);
            prop_assert_eq!(outcome.succeeded(), most >= 0.8);
            let least = rows.iter().map(|&(q, _)| share(q, 0)).fold(1.0, f64::min);
            match negative_disclosure(&released, 1, &Promises::default(), &["s0".to_owned()]) {
                Some(outcome) => prop_assert!((outcome.figure.value - least).abs() < 1e-12),
                None => prop_assert!(rows.iter().all(|row| row.1 != 0)),
            }
        }
    }
}
