//! All who look alike share one secret.
//!
//! The attacker knows that a person is in the table and which class they are in. Whoever is in a class with one sensitive value
//! is known to have it, however large the class. Figure: share of rows in such classes. Where rows belong to people, a class whose
//! values are all one person's is such a class, and a value that everybody in a class shows beside others is told as well.
//! Machanavajjhala et al., "ℓ-Diversity: Privacy beyond k-anonymity", TKDD 1(1), 2007.

use super::catalogue::{Card, Tried};
use super::classes::Tally;
use super::means::{Means, Secret};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::standing::Standing;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "homogeneity",
    question: "Do all who look alike share one secret?",
    assumption: "The attacker knows that a person is in the table, and all quasi-identifiers of that person.",
    source: "Machanavajjhala et al., \u{2113}-Diversity, TKDD 2007",
    needs: "a release with a sensitive column",
    tried: Tried::WithSecrets,
};

/// Runs the attack on the sensitive column at `place`.
#[must_use]
pub fn homogeneity(released: &Released, place: usize, promises: &Promises) -> Outcome {
    let (column, classes) = (released.column(place), &released.classes);
    let promise = promises.of_column(column.name());
    let tally = Tally::of_secrets(classes, column, promise.missing);
    let standing = Standing::of(classes, column, promise.missing);
    let different = |class: usize| match &standing {
        Some(standing) => standing.represented[class],
        None => tally.class(class).len() as u64,
    };
    let mut homogeneous: Vec<usize> = (0..classes.len()).filter(|&class| different(class) == 1).collect();
    // Everybody shows the value, though some show others, too.
    let shared_by_all = |class: usize| {
        let holders = standing.as_ref()?.holders[class];
        tally.mode(class).filter(|mode| different(class) > 1 && mode.1 == holders)
    };
    let shared: Vec<usize> = (0..classes.len()).filter(|&class| shared_by_all(class).is_some()).collect();
    let rows: u64 = homogeneous.iter().map(|&class| classes.sizes()[class]).sum();
    let share = rows as f64 / released.members().max(1) as f64;
    let bound = promise.distinct.map(|l| match l {
        // Every table shows one value per class.
        0 | 1 => Bound { value: 1.0, from: format!("\u{2113} = {l}, which every table keeps") },
        l => Bound { value: 0.0, from: format!("every class shows at least {l} values") },
    });
    // The largest class tells most people's secret.
    homogeneous.sort_by_key(|&class| (std::cmp::Reverse(classes.sizes()[class]), class));
    let findings = homogeneous.iter().map(|&class| {
        let value = &column.labels()[tally.class(class)[0].0 as usize];
        let values = tally.class(class).len() as u64;
        if values > 1 {
            return Finding {
                class: classes.describe(&released.table, class),
                value: classes.sizes()[class] as f64,
                text: format!("one person shows all {} of {}", counted(values, "value"), column.name()),
            };
        }
        Finding {
            class: classes.describe(&released.table, class),
            value: classes.sizes()[class] as f64,
            text: match classes.sizes()[class] - tally.rows(class) {
                0 => {
                    format!(
                        "all {} have {} = {value}",
                        released.counted(classes.sizes()[class]),
                        column.name()
                    )
                }
                empty => format!(
                    "all {} with a value have {} = {value}; {} none",
                    released.counted(tally.rows(class)),
                    column.name(),
                    if empty == 1 {
                        format!("{} has", released.counted(1))
                    } else {
                        format!("{} have", released.counted(empty))
                    }
                ),
            },
        }
    });
    let mut result = match homogeneous.len() as u64 {
        0 => "Every class shows at least two values.".to_owned(),
        n => format!(
            "In {} ({} of the rows) everybody has the same value.",
            counted(n, "class"),
            percent(share)
        ),
    };
    if !shared.is_empty() {
        let classes = counted(shared.len() as u64, "class");
        result.push_str(&format!(" In {classes} everybody shows one value beside others."));
    }
    let findings = findings.chain(shared.iter().map(|&class| {
        let value = shared_by_all(class).map_or("", |mode| &column.labels()[mode.0 as usize]);
        Finding {
            class: classes.describe(&released.table, class),
            value: classes.sizes()[class] as f64,
            text: format!("everybody shows {} = {value}, beside other values", column.name()),
        }
    }));
    let severity = match Severity::of(share, Unit::Share, bound.as_ref().map(|bound| bound.value), 0.0) {
        // The promise is about different values, which there are.
        Severity::Covered | Severity::NothingFound if !shared.is_empty() => Severity::Residual,
        severity => severity,
    };
    Outcome::new(
        Attack::Homogeneity,
        severity,
        Figure { what: "rows in classes with one value", value: share, unit: Unit::Share },
        result,
    )
    .about(column.name())
    .against(bound)
    .told_if_loose()
    .with("classes with one value", homogeneous.len())
    .with("classes", classes.len())
    .with("rows in them", rows)
    .with("classes in which everybody shows a value beside others", shared.len())
    .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |secret: &Secret| homogeneity(target.released, secret.place, target.promises);
    target.secrets.iter().map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    homogeneity(&planted::secrets(plant), 2, &planted::promises())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::classes::Missing;
    use crate::attack::testing::table;
    use crate::microdata::{Column, Microdata};
    use proptest::prelude::*;

    #[test]
    fn the_class_of_the_lecture_is_found() {
        let table = table(
            "born sex zip illness\n\
             83 F 7613* anorexia\n83 F 7613* anorexia\n\
             8* M 7613* flu\n8* M 7613* cold\n\
             7* F 7612* cold\n7* F 7612* asthma",
        );
        let released = Released::new(table, vec![0, 1, 2], vec![3]);
        let outcome = homogeneity(&released, 3, &Promises { k: Some(2), ..Promises::default() });
        assert_eq!(outcome.severity, Severity::Residual, "2-anonymity promises nothing about illnesses");
        assert_eq!(outcome.findings.len(), 1);
        assert_eq!(outcome.findings[0].class, ["born = 83", "sex = F", "zip = 7613*"]);
        assert_eq!(outcome.findings[0].text, "all 2 rows have illness = anorexia");
        let mut promised = Promises::default();
        promised.column("illness").distinct = Some(2);
        assert_eq!(homogeneity(&released, 3, &promised).severity, Severity::Broken);
    }

    #[test]
    fn all_values_of_a_class_may_be_one_persons() {
        let rows = table("q s\na flu\na hiv\na gout\nb flu\nb hiv\nc flu\nc hiv\nc flu\nc gout");
        let of = |people: Vec<u32>| {
            let mut promises = Promises::default();
            promises.column("s").distinct = Some(2);
            let rows = rows.clone().with_people(Some(people));
            homogeneity(&Released::new(rows, vec![0], vec![1]), 1, &promises)
        };
        let outcome = of(vec![1, 1, 1, 2, 3, 4, 4, 5, 5]);
        assert_eq!((outcome.severity, outcome.findings.len()), (Severity::Broken, 2), "{}", outcome.result);
        assert_eq!(outcome.findings[0].text, "one person shows all 3 values of s");
        assert_eq!(outcome.findings[1].text, "everybody shows s = flu, beside other values");
        let outcome = of(vec![1, 8, 9, 2, 3, 4, 4, 5, 5]);
        assert_eq!(outcome.severity, Severity::Residual, "{}", outcome.result);
        assert_eq!(of((0..9).collect()).severity, Severity::Covered);
    }

    #[test]
    fn an_empty_cell_is_no_second_illness() {
        let cells = ["flu", "", "flu", "flu", "cold", "", ""];
        let classes = ["a", "a", "a", "b", "b", "c", "c"];
        let empty = Column::of("s", cells).labels().iter().position(String::is_empty).map(|code| code as u32);
        let table =
            Microdata::new(vec![Column::of("q", classes), Column::of("s", cells).with_missing(empty)]);
        let released = Released::new(table, vec![0], vec![1]);
        let mut promises = Promises::default();
        promises.column("s").distinct = Some(2);
        let outcome = homogeneity(&released, 1, &promises);
        assert_eq!((outcome.severity, outcome.findings.len()), (Severity::Broken, 1), "{}", outcome.result);
        assert_eq!(outcome.findings[0].text, "all 2 rows with a value have s = flu; 1 row has none");
        promises.column("s").missing = Missing::Value;
        let outcome = homogeneity(&released, 1, &promises);
        assert_eq!(outcome.findings[0].class, ["q = c"], "the promise takes an empty cell for a value");
    }

    #[test]
    fn a_promise_of_one_value_is_none() {
        let released = Released::new(table("q s\na flu\na flu\nb flu\nb hiv"), vec![0], vec![1]);
        let mut promises = Promises::default();
        promises.column("s").distinct = Some(1);
        let outcome = homogeneity(&released, 1, &promises);
        assert_eq!(outcome.severity, Severity::Residual);
        assert!(outcome.result.contains("50 %") && outcome.result.contains("100 %"), "{}", outcome.result);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_share_is_what_comparing_all_pairs_says(rows in prop::collection::vec((0u8..4, 0u8..2), 1..30)) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let alone = rows.iter().filter(|a| rows.iter().all(|b| a.0 != b.0 || a.1 == b.1)).count();
            let outcome = homogeneity(&released, 1, &Promises::default());
            prop_assert!((outcome.figure.value - alone as f64 / rows.len() as f64).abs() < 1e-12);
        }
    }
}
