//! Different secrets that mean the same thing.
//!
//! The attacker is content with the group that a sensitive value belongs to: gastric ulcer, gastritis and stomach cancer are all
//! diseases of the stomach. The values are generalized to a level of their hierarchy, and the class is looked at again. Figure:
//! share of rows in classes whose values fall into one group. Li, Li and Venkatasubramanian, "t-Closeness", ICDE 2007.

use super::catalogue::{Card, Tried};
use super::classes::{Missing, Tally};
use super::means::{Means, Secret};
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::{Attack, Figure, Finding, Outcome, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "similarity",
    question: "Do different secrets mean the same thing?",
    assumption: "The attacker is content with the group a sensitive value belongs to, such as \u{201c}some stomach disease\u{201d}.",
    source: "Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007",
    needs: "a hierarchy of a sensitive column (in the job, or --similar COLUMN=FILE)",
    tried: Tried::OnRequest,
};

/// One level of the hierarchy of a sensitive column.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// Its name, for the report.
    pub level: String,
    /// The group of each code of the column.
    pub group_of: Vec<u32>,
    /// What the groups are called; empty if they have no names.
    pub names: Vec<String>,
}

/// Runs the attack with one grouping of the values of the column at `place`.
#[must_use]
pub fn similarity(released: &Released, place: usize, missing: Missing, grouping: &Grouping) -> Outcome {
    let (column, classes) = (released.column(place), &released.classes);
    let codes: Vec<u32> = column.codes().iter().map(|&code| grouping.group_of[code as usize]).collect();
    let groups = grouping.group_of.iter().max().map_or(0, |&last| last as usize + 1);
    let values = Tally::of_secrets(classes, column, missing);
    let empty = column.missing().filter(|_| missing == Missing::NoValue);
    // A group of its own for empty cells, which is then left out.
    let codes: Vec<u32> = codes
        .iter()
        .zip(column.codes())
        .map(|(&group, &code)| if Some(code) == empty { groups as u32 } else { group })
        .collect();
    let by_group = Tally::of_some(classes, &codes, groups + 1, empty.map(|_| groups as u32));
    let mut similar: Vec<usize> =
        (0..classes.len()).filter(|&class| by_group.class(class).len() == 1).collect();
    let rows: u64 = similar.iter().map(|&class| classes.sizes()[class]).sum();
    // Classes that looked diverse before the values were grouped.
    let new = similar.iter().filter(|&&class| values.class(class).len() > 1).count();
    let share = rows as f64 / released.members().max(1) as f64;
    similar.sort_by_key(|&class| (std::cmp::Reverse(classes.sizes()[class]), class));
    let findings = similar.iter().map(|&class| {
        let group = by_group.class(class)[0].0 as usize;
        let name = grouping.names.get(group).map_or_else(|| "one group".to_owned(), Clone::clone);
        Finding {
            class: classes.describe(&released.table, class),
            value: classes.sizes()[class] as f64,
            text: format!(
                "{} of {} all belong to {name}",
                counted(values.class(class).len() as u64, "value"),
                column.name()
            ),
        }
    });
    let severity = Severity::of(share, Unit::Share, None, 0.0);
    let result = match similar.len() as u64 {
        0 => format!("On the level {}, every class still shows at least two groups.", grouping.level),
        n => format!(
            "On the level {}, all values of {} ({} of the rows) fall into one group.",
            grouping.level,
            counted(n, "class"),
            percent(share)
        ),
    };
    let figure = Figure { what: "rows in classes with one group of values", value: share, unit: Unit::Share };
    Outcome::new(Attack::Similarity, severity, figure, result)
        .about(column.name())
        .with("level", &grouping.level)
        .with("groups", groups)
        .with("classes with one group", similar.len())
        .with("of these with several values", new)
        .at(findings)
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |secret: &Secret| {
        let column = target.released.column(secret.place);
        let missing = target.promises.of_column(column.name()).missing;
        let of_level = |grouping| similarity(target.released, secret.place, missing, grouping);
        secret.groupings.iter().map(of_level).collect::<Vec<_>>()
    };
    target.secrets.iter().flat_map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let released = planted::secrets(plant);
    let group = |label: &String| u32::from(planted::ILLNESSES[3..].contains(&label.as_str()));
    let group_of = released.column(2).labels().iter().map(group).collect();
    let names = vec!["lungs".to_owned(), "stomach".to_owned()];
    let grouping = Grouping { level: "organ".to_owned(), group_of, names };
    similarity(&released, 2, Missing::NoValue, &grouping)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use proptest::prelude::*;

    #[test]
    fn three_diseases_of_one_organ_are_one_secret() {
        let table = table("q s\na gastritis\na ulcer\nb flu\nb ulcer");
        let released = Released::new(table, vec![0], vec![1]);
        let labels = released.column(1).labels();
        let stomach = labels.iter().map(|label| u32::from(label != "flu")).collect();
        let names = vec!["lungs".to_owned(), "stomach".to_owned()];
        let grouping = Grouping { level: "organ".into(), group_of: stomach, names };
        let outcome = similarity(&released, 1, Missing::NoValue, &grouping);
        assert_eq!((outcome.figure.value, outcome.severity), (0.5, Severity::Residual));
        assert_eq!(outcome.findings[0].text, "2 values of s all belong to stomach");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn grouping_first_and_looking_for_one_value_is_the_same(
            rows in prop::collection::vec((0u8..3, 0u8..4), 1..24), groups in prop::collection::vec(0u32..2, 4)
        ) {
            let text: String = rows.iter().map(|(q, s)| format!("\nq{q} s{s}")).collect();
            let released = Released::new(table(&format!("q s{text}")), vec![0], vec![1]);
            let group_of = |label: &String| groups[label[1..].parse::<usize>().unwrap_or_default()];
            let of_labels = released.column(1).labels().iter().map(group_of).collect();
            let grouped: String = rows.iter().map(|(q, s)| format!("\nq{q} g{}", groups[*s as usize])).collect();
            let twin = Released::new(table(&format!("q s{grouped}")), vec![0], vec![1]);
            let outcome = similarity(&released, 1, Missing::NoValue, &Grouping { level: "1".into(), group_of: of_labels, names: Vec::new() });
            let expected = super::super::homogeneity::homogeneity(&twin, 1, &super::super::Promises::default());
            prop_assert!((outcome.figure.value - expected.figure.value).abs() < 1e-12);
        }
    }
}
