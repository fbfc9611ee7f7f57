//! Is a person in the table at all?
//!
//! The attacker has everybody who might be in the table. Of the |E ∩ P| people who look like class E, |E ∩ T| are in it:
//! `δ(E) = |E ∩ T| / |E ∩ P|`. Figure: the largest δ, held against the promised δ-presence.
//! Nergiz, Atzori and Clifton, "Hiding the presence of individuals from shared databases", SIGMOD 2007.

use super::catalogue::{Card, Tried};
use super::means::{Means, People};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use std::collections::BTreeSet;

pub(super) static CARD: Card = Card {
    name: "membership",
    question: "Can one tell that a person is in the table?",
    assumption: "The attacker knows everybody who might be in the table, with all quasi-identifiers, and asks who is.",
    source: "Nergiz, Atzori and Clifton, Hiding the Presence of Individuals, SIGMOD 2007",
    needs: "everybody who might be in the table (--population TABLE)",
    tried: Tried::OnRequest,
};

/// Above an even chance, membership is more likely than not.
const EVEN: f64 = 0.5;

/// Runs the attack. `None` if the population lacks a quasi-identifier.
#[must_use]
pub fn membership(released: &Released, population: &Projection, promises: &Promises) -> Option<Outcome> {
    if population.shared(&released.quasi_identifiers).len() < released.quasi_identifiers.len() {
        return None;
    }
    let classes = &released.classes;
    let mut people = vec![0u64; classes.len()];
    let mut outside = 0u64;
    // Somebody who is in the population with ten rows is one person among whom to hide.
    let mut counted_people = BTreeSet::new();
    for (record, class) in population.classes(classes).into_iter().enumerate() {
        let person = population.people.as_ref().map(|people| people[record]);
        match class {
            _ if person.is_some_and(|person| !counted_people.insert((class, person))) => {}
            Some(class) => people[class as usize] += 1,
            None => outside += 1,
        }
    }
    let uncovered = (0..classes.len()).filter(|&class| people[class] < classes.sizes()[class]).count();
    let delta =
        |class: usize| classes.sizes()[class] as f64 / people[class].max(classes.sizes()[class]) as f64;
    let largest = (0..classes.len()).map(delta).fold(0.0, f64::max);
    let smallest = if outside > 0 { 0.0 } else { (0..classes.len()).map(delta).fold(1.0, f64::min) };
    let bound = promises.presence.map(|(low, high)| Bound {
        value: high,
        from: format!(
            "of the people who fit a class, from {} to {} are in the table",
            percent(low),
            percent(high)
        ),
    });
    let too_rare = promises.presence.is_some_and(|(low, _)| smallest < low - 1e-12);
    let promised = bound.as_ref().map(|bound| bound.value);
    let severity = match Severity::of(largest, Unit::Share, promised, EVEN) {
        Severity::Covered | Severity::NothingFound if too_rare => Severity::Broken,
        severity => severity,
    };
    let mut order: Vec<usize> = (0..classes.len()).filter(|&class| delta(class) > EVEN).collect();
    let rows: u64 = order.iter().map(|&class| classes.sizes()[class]).sum();
    order.sort_by(|&a, &b| {
        delta(b).total_cmp(&delta(a)).then(classes.sizes()[b].cmp(&classes.sizes()[a])).then(a.cmp(&b))
    });
    let findings = order.iter().map(|&class| Finding {
        class: classes.describe(&released.table, class),
        value: delta(class),
        text: format!(
            "{} of {} are in the table",
            classes.sizes()[class],
            counted(people[class].max(classes.sizes()[class]), "person").replace("persons", "people")
        ),
    });
    let result = format!(
        "Of the people who fit a class, up to {} are in the table; {} of the rows are in classes above one half.",
        percent(largest),
        percent(rows as f64 / released.members().max(1) as f64)
    );
    let figure = Figure { what: "largest chance of being in the table", value: largest, unit: Unit::Share };
    let outcome = Outcome::new(Attack::Membership, severity, figure, result).against(bound).told_if_loose();
    let outcome = outcome
        .with("people in the population", population.records)
        .with("people who fit no released class, so are known to be absent or suppressed", outside)
        .with("classes with fewer people in the population than rows in the release", uncovered)
        .with("smallest share", percent(smallest));
    Some(outcome.at(findings))
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |people: &People<'_>| membership(target.released, people.projection, target.promises);
    target.population.iter().filter_map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let released = planted::people(plant);
    let copies = if plant == Plant::Weak { 1 } else { 2 };
    membership(&released, &planted::list(&released, copies), &planted::promises())
        .expect("the list has every column")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    fn population(codes: &[Option<u32>]) -> Projection {
        Projection::new(vec![0], vec![codes.to_vec()])
    }

    #[test]
    fn a_class_that_holds_all_who_fit_gives_everybody_away() {
        let released = Released::new(table("q\na\na\nb\nb"), vec![0], vec![]);
        let people = population(&[Some(0), Some(0), Some(1), Some(1), Some(1), Some(1)]);
        let outcome = membership(&released, &people, &Promises::default()).unwrap();
        assert_eq!((outcome.figure.value, outcome.severity), (1.0, Severity::Residual));
        assert_eq!(outcome.findings[0].class, ["q = a"]);
        let half = Promises { presence: Some((0.0, 0.5)), ..Promises::default() };
        assert_eq!(membership(&released, &people, &half).unwrap().severity, Severity::Broken);
        let people = population(&[Some(0); 4].iter().chain(&[Some(1); 4]).copied().collect::<Vec<_>>());
        assert_eq!(membership(&released, &people, &half).unwrap().severity, Severity::Covered);
        let at_least = Promises { presence: Some((0.6, 1.0)), ..Promises::default() };
        assert_eq!(membership(&released, &people, &at_least).unwrap().severity, Severity::Broken);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_share_is_what_counting_says(rows in prop::collection::vec(0u8..4, 1..20), more in prop::collection::vec(0u8..4, 0..20)) {
            let text: String = rows.iter().map(|q| format!("\nq{q}")).collect();
            let released = Released::new(table(&format!("q{text}")), vec![0], vec![]);
            let everybody: Vec<u8> = rows.iter().chain(&more).copied().collect();
            let labels = released.column(0).labels();
            let code = |q: &u8| labels.iter().position(|label| *label == format!("q{q}")).map(|code| code as u32);
            let people = population(&everybody.iter().map(code).collect::<Vec<_>>());
            let count = |of: &[u8], q: u8| of.iter().filter(|&&other| other == q).count() as f64;
            let largest = rows.iter().map(|&q| count(&rows, q) / count(&everybody, q)).fold(0.0, f64::max);
            let outcome = membership(&released, &people, &Promises::default()).unwrap();
            prop_assert!((outcome.figure.value - largest).abs() < 1e-12);
        }
    }
}
