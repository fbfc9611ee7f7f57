//! Different secrets that mean the same thing.
//!
//! The attacker is content with the group that a sensitive value belongs to: gastric ulcer, gastritis and stomach cancer are all
//! diseases of the stomach. The values are generalized to a level of their hierarchy, and the class is looked at again. Figure:
//! share of rows in classes whose values fall into one group. Spellings of one value are that value: for them a share that is as good as certain is told, too. Li, Li and Venkatasubramanian, "t-Closeness", ICDE 2007.

use super::catalogue::{Card, Tried};
use super::classes::{Missing, Tally};
use super::means::{Means, Secret};
use super::outcome::percent;
use super::planted::{self, Plant};
use super::{Attack, Figure, Finding, Outcome, Released, Severity, Unit};
use paravent_core::words::counted;
use rand::rngs::ChaCha20Rng;

pub(super) static CARD: Card = Card {
    name: "similarity",
    question: "Do different secrets mean the same thing?",
    assumption: "The attacker is content with the group a sensitive value belongs to, such as \u{201c}some stomach disease\u{201d}.",
    source: "Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007",
    needs: "a hierarchy of a sensitive column (in the job, or --similar COLUMN=FILE)",
    tried: Tried::OnRequest,
};

/// What the values of a group are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Likeness {
    /// Different values that mean something similar.
    Similar,
    /// Spellings of one value.
    SameValue,
}

/// One level of the hierarchy of a sensitive column.
#[derive(Clone, Debug)]
pub struct Grouping {
    /// What the values of a group are to each other.
    pub likeness: Likeness,
    /// Its name, for the report.
    pub level: String,
    /// The group of each code of the column.
    pub group_of: Vec<u32>,
    /// What the groups are called; empty if they have no names.
    pub names: Vec<String>,
}

/// Runs the attack with one grouping of the values of the column at `place`. A value is told from a share of `threshold` on.
#[must_use]
pub fn similarity(
    released: &Released,
    place: usize,
    missing: Missing,
    grouping: &Grouping,
    threshold: f64,
) -> Outcome {
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
    let told = told_by_spelling(grouping, &values, &by_group, classes.len(), threshold);
    let likely = told.iter().map(|&(class, share)| Finding {
        class: classes.describe(&released.table, class),
        value: share,
        text: format!("{} is spelled in several ways, one value with {}", column.name(), percent(share)),
    });
    let severity = match Severity::of(share, Unit::Share, None, 0.0) {
        Severity::NothingFound if !told.is_empty() => Severity::Residual,
        severity => severity,
    };
    let mut result = match similar.len() as u64 {
        0 => format!("On the level {}, every class still shows at least two groups.", grouping.level),
        n => format!(
            "On the level {}, all values of {} ({} of the rows) fall into one group.",
            grouping.level,
            counted(n, "class"),
            percent(share)
        ),
    };
    if !told.is_empty() {
        let classes = counted(told.len() as u64, "class");
        result.push_str(&format!(
            " In {classes} one value has {} or more, however it is spelled.",
            percent(threshold)
        ));
    }
    let figure = Figure { what: "rows in classes with one group of values", value: share, unit: Unit::Share };
    Outcome::new(Attack::Similarity, severity, figure, result)
        .about(column.name())
        .with("level", &grouping.level)
        .with("groups", groups)
        .with("classes with one group", similar.len())
        .with("of these with several values", new)
        .at(findings.chain(likely))
}

/// Classes of several values in which one value is told from its share on, where its spellings are counted together and no spelling alone tells it.
fn told_by_spelling(
    grouping: &Grouping,
    values: &Tally,
    by_group: &Tally,
    classes: usize,
    threshold: f64,
) -> Vec<(usize, f64)> {
    if grouping.likeness == Likeness::Similar {
        return Vec::new();
    }
    let largest =
        |tally: &Tally, class: usize| tally.mode(class).map(|mode| mode.1 as f64 / tally.rows(class) as f64);
    let told = |class: usize| {
        let (of_spelling, of_value) = (largest(values, class)?, largest(by_group, class)?);
        let several = by_group.class(class).len() > 1;
        (several && of_value >= threshold && of_spelling < threshold).then_some((class, of_value))
    };
    (0..classes).filter_map(told).collect()
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some(target) = &means.target else { return Vec::new() };
    let of = |secret: &Secret| {
        let column = target.released.column(secret.place);
        let missing = target.promises.of_column(column.name()).missing;
        let of_level =
            |grouping| similarity(target.released, secret.place, missing, grouping, means.threshold);
        secret.groupings.iter().map(of_level).collect::<Vec<_>>()
    };
    target.secrets.iter().flat_map(of).collect()
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let released = planted::secrets(plant);
    let group = |label: &String| u32::from(planted::ILLNESSES[3..].contains(&label.as_str()));
    let group_of = released.column(2).labels().iter().map(group).collect();
    let names = vec!["lungs".to_owned(), "stomach".to_owned()];
    let grouping = Grouping { likeness: Likeness::Similar, level: "organ".to_owned(), group_of, names };
    similarity(&released, 2, Missing::NoValue, &grouping, 0.8)
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
        let grouping =
            Grouping { likeness: Likeness::Similar, level: "organ".into(), group_of: stomach, names };
        let outcome = similarity(&released, 1, Missing::NoValue, &grouping, 0.8);
        assert_eq!((outcome.figure.value, outcome.severity), (0.5, Severity::Residual));
        assert_eq!(outcome.findings[0].text, "2 values of s all belong to stomach");
    }

    #[test]
    fn spellings_of_one_value_are_bet_on_together() {
        let cells = "q s\na hiv\na HIV\na Hiv\na h-iv\na flu\nb flu\nb hiv\nb gout";
        let released = Released::new(table(cells), vec![0], vec![1]);
        let labels = released.column(1).labels();
        let group_of = labels
            .iter()
            .map(|label| match label.as_str() {
                "flu" => 0,
                "gout" => 1,
                _ => 2,
            })
            .collect();
        let of = |likeness: Likeness| {
            let group_of: &Vec<u32> = &group_of;
            let grouping =
                Grouping { likeness, level: "1".into(), group_of: group_of.clone(), names: Vec::new() };
            similarity(&released, 1, Missing::NoValue, &grouping, 0.8)
        };
        let outcome = of(Likeness::SameValue);
        assert_eq!((outcome.severity, outcome.findings.len()), (Severity::Residual, 1), "{}", outcome.result);
        assert_eq!((outcome.figure.value, outcome.findings[0].value), (0.0, 0.8));
        assert_eq!(of(Likeness::Similar).severity, Severity::NothingFound);
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
            let grouping = Grouping { likeness: Likeness::Similar, level: "1".into(), group_of: of_labels, names: Vec::new() };
            let outcome = similarity(&released, 1, Missing::NoValue, &grouping, 0.8);
            let expected = super::super::homogeneity::homogeneity(&twin, 1, &super::super::Promises::default());
            prop_assert!((outcome.figure.value - expected.figure.value).abs() < 1e-12);
        }
    }
}
