//! A list of names is joined with the release.
//!
//! The attacker has a table with names and some of the quasi-identifiers. Every record of it is generalized as the release was,
//! and fits one class of f rows, or none. Who knows that the person is in the table (prosecutor) is right with probability 1/f;
//! who does not (journalist) competes with the F records of the list that fit as well, 1/max(f, F); who links everybody
//! (marketer) is right for Σ min(f, F)/max(f, F) rows. Figure: the prosecutor's best chance; k-anonymity promises 1/k.
//! Sweeney, "k-Anonymity", IJUFKS 10(5), 2002; El Emam, *Guide to the De-Identification of Personal Health Information*, 2013.

use super::catalogue::{Card, Tried};
use super::classes::Classes;
use super::means::Means;
use super::outcome::percent;
use paravent_core::words::counted;
use super::planted::{self, Plant};
use super::projection::Projection;
use super::{Attack, Bound, Figure, Finding, Outcome, Promises, Released, Severity, Unit};
use rand::rngs::ChaCha20Rng;
use std::collections::BTreeMap;

pub(super) static CARD: Card = Card {
    name: "linking",
    question: "Can a list of names be joined with the release?",
    assumption: "The attacker has a table with names and the same quasi-identifiers, and joins it with the release.",
    source: "Sweeney, k-Anonymity, IJUFKS 2002",
    needs: "a table with names (--external TABLE) or the original (--against TABLE)",
    tried: Tried::Always,
};

/// What joining a list with a release gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Linkage {
    /// Records of the list.
    pub records: u64,
    /// Number of rows that fit a record → how many records have that number.
    pub matches: BTreeMap<u64, u64>,
    /// Records that fit a class at all.
    pub matched: u64,
    /// Best chance of who knows that the person is in the table.
    pub prosecutor: f64,
    /// The mean of that chance over the matched records.
    pub prosecutor_mean: f64,
    /// Best chance of who does not know.
    pub journalist: f64,
    /// Share of released rows that are linked rightly if everybody is linked.
    pub marketer: f64,
    /// With the truth: expected number of right links, one guess per matched record.
    pub right: Option<f64>,
    /// Smallest class that fits a record.
    pub smallest: Option<u32>,
}

/// Joins the list. `truth` has for each record the class where the person really is, `None` if in none.
#[must_use]
pub fn link(classes: &Classes, external: &[Option<u32>], truth: Option<&[Option<u32>]>) -> Linkage {
    let sizes = classes.sizes();
    let mut in_list = vec![0u64; classes.len()];
    external.iter().flatten().for_each(|&class| in_list[class as usize] += 1);
    let mut matches = BTreeMap::new();
    for class in external {
        *matches.entry(class.map_or(0, |class| sizes[class as usize])).or_default() += 1;
    }
    let matched = external.iter().flatten().count() as u64;
    let met: Vec<usize> = (0..classes.len()).filter(|&class| in_list[class] > 0).collect();
    let smallest = met.iter().copied().min_by_key(|&class| sizes[class]);
    let chance = |rows: u64| if rows == 0 { 0.0 } else { 1.0 / rows as f64 };
    let mean: f64 = met.iter().map(|&class| in_list[class] as f64 / sizes[class] as f64).sum();
    let journalist = met.iter().map(|&class| chance(sizes[class].max(in_list[class]))).fold(0.0, f64::max);
    let right_rows = met.iter().map(|&class| {
        let (f, list) = (sizes[class] as f64, in_list[class] as f64);
        f.min(list) / f.max(list)
    });
    let rows: u64 = sizes.iter().sum();
    let right = truth.map(|truth| {
        let hits = external.iter().zip(truth).filter(|(guess, real)| guess.is_some() && guess == real);
        hits.filter_map(|(guess, _)| *guess).map(|class| 1.0 / sizes[class as usize] as f64).sum()
    });
    Linkage {
        records: external.len() as u64,
        matches,
        matched,
        prosecutor: smallest.map_or(0.0, |class| chance(sizes[class])),
        prosecutor_mean: if matched == 0 { 0.0 } else { mean / matched as f64 },
        journalist,
        marketer: right_rows.sum::<f64>() / rows.max(1) as f64,
        right,
        smallest: smallest.map(|class| class as u32),
    }
}

/// Runs the attack with a list. `truth` tells for each record the class of the person's own row under all columns of the list.
#[must_use]
pub fn linking(
    released: &Released,
    list: &Projection,
    truth: Option<&Projection>,
    promises: &Promises,
) -> Outcome {
    let shared = list.shared(&released.quasi_identifiers);
    let classes = Classes::by(&released.table, &shared);
    let truth = truth.map(|truth| truth.classes(&classes));
    let found = link(&classes, &list.classes(&classes), truth.as_deref());
    let bound = promises.k.map(|k| Bound {
        value: 1.0 / k.max(1) as f64,
        from: format!("no class is smaller than {k} rows, so a link is right at most 1 time in {k}"),
    });
    let unique = found.matches.get(&1).copied().unwrap_or(0);
    let severity = Severity::of(found.prosecutor, Unit::Share, bound.as_ref().map(|bound| bound.value), 0.2);
    let result = match found.matched {
        0 => "No record of the list fits a released row.".to_owned(),
        _ => format!(
            "{} of the list {} a released row; the best link is right with {}. {} found exactly one row.",
            counted(found.matched, "record"),
            if found.matched == 1 { "fits" } else { "fit" },
            percent(found.prosecutor),
            if unique == 0 { "None".to_owned() } else { counted(unique, "record") },
        ),
    };
    let findings = found.smallest.filter(|_| severity >= Severity::Residual).map(|class| Finding {
        class: classes.describe(&released.table, class as usize),
        value: found.prosecutor,
        text: format!("a record of the list fits {}", released.counted(classes.sizes()[class as usize])),
    });
    let figure = Figure { what: "best chance of a right link", value: found.prosecutor, unit: Unit::Share };
    let histogram: Vec<String> =
        bins(&found.matches).map(|(rows, records)| format!("{rows}: {records}")).collect();
    if found.matched == 0 {
        let why = "The list could not be compared: none of its records fits a released row. Is it spelled like the original table?";
        return Outcome::not_compared(Attack::Linking, "best chance of a right link", why);
    }
    let mut outcome = Outcome::new(Attack::Linking, severity, figure, result)
        .against(bound)
        .told_if_loose()
        .with(
            "columns used",
            shared.iter().map(|&place| released.column(place).name()).collect::<Vec<_>>().join(", "),
        )
        .with("records in the list", found.records)
        .with("records that fit a class", found.matched)
        .with("records that fit exactly one row", unique)
        .with("prosecutor, mean", percent(found.prosecutor_mean))
        .with("journalist, best chance", percent(found.journalist))
        .with("marketer, share of rows linked rightly", percent(found.marketer))
        .with("rows that fit a record: records", histogram.join("; "))
        .at(findings);
    if let Some(right) = found.right {
        outcome = outcome
            .with("right links expected, judged by the original", format!("{right:.2}"))
            .with("share of links that are right", percent(right / (found.matched.max(1)) as f64));
    }
    outcome
}

/// Match counts in bins that double.
fn bins(matches: &BTreeMap<u64, u64>) -> impl Iterator<Item = (String, u64)> {
    let mut bins: BTreeMap<u64, u64> = BTreeMap::new();
    for (&rows, &records) in matches {
        let bin = if rows < 3 { rows } else { 1 << rows.ilog2() };
        *bins.entry(bin).or_default() += records;
    }
    bins.into_iter().map(|(low, records)| {
        let name =
            if low < 3 && low != 2 { low.to_string() } else { format!("{low}\u{2013}{}", 2 * low - 1) };
        (name, records)
    })
}

pub(super) fn run(means: &Means<'_>) -> Vec<Outcome> {
    let Some((target, list)) = means.target.as_ref().and_then(|target| Some((target, target.list.as_ref()?)))
    else {
        return Vec::new();
    };
    let outcome = linking(target.released, list.people, list.truth, target.promises);
    vec![if list.is_the_original { outcome.about("the original as the list") } else { outcome }]
}

pub(super) fn plant(plant: Plant, _: &mut ChaCha20Rng) -> Outcome {
    let released = planted::people(plant);
    linking(&released, &planted::list(&released, 1), None, &planted::promises())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use crate::microdata::Microdata;
    use proptest::prelude::*;

    /// The list written with the release's labels.
    pub(crate) fn project(released: &Microdata, list: &Microdata) -> Projection {
        let shared: Vec<(usize, usize)> = (0..released.columns().len())
            .filter_map(|place| Some((place, list.place(released.columns()[place].name())?)))
            .collect();
        let codes = shared.iter().map(|&(place, other)| {
            let column = &list.columns()[other];
            let labels = released.columns()[place].labels();
            column
                .codes()
                .iter()
                .map(|&code| {
                    labels
                        .iter()
                        .position(|label| *label == column.labels()[code as usize])
                        .map(|code| code as u32)
                })
                .collect()
        });
        let codes = codes.collect();
        Projection::new(shared.iter().map(|pair| pair.0).collect(), codes)
    }

    #[test]
    fn a_governor_is_found_by_birthday_sex_and_zip() {
        // Six share his birthday, three of them are men, one of those lives in his zip.
        let released = table(
            "born sex zip\n07-31 M 02138\n07-31 M 02139\n07-31 M 02141\n07-31 F 02138\n07-31 F 02138\n07-31 F 02139",
        );
        let voters = table("name born sex zip\nweld 07-31 M 02138");
        let released = Released::new(released, vec![0, 1, 2], vec![]);
        let list = project(&released.table, &voters);
        let outcome = linking(&released, &list, None, &Promises { k: Some(2), ..Promises::default() });
        assert_eq!((outcome.figure.value, outcome.severity), (1.0, Severity::Broken));
        for (columns, rows) in [(vec![0], 6), (vec![0, 1], 3), (vec![0, 1, 2], 1)] {
            let classes = Classes::by(&released.table, &columns);
            assert_eq!(link(&classes, &list.classes(&classes), None).matches, BTreeMap::from([(rows, 1)]));
        }
    }

    #[test]
    fn who_does_not_know_membership_competes_with_the_list() {
        let released = Released::new(table("q\na\na"), vec![0], vec![]);
        let list = project(&released.table, &table("q\na\na\na\na\nb"));
        let classes = Classes::by(&released.table, &[0]);
        let linked = link(&classes, &list.classes(&classes), None);
        assert_eq!((linked.prosecutor, linked.journalist, linked.marketer), (0.5, 0.25, 0.25));
        assert_eq!(linked.matches, BTreeMap::from([(0, 1), (2, 4)]));
    }

    #[test]
    fn the_truth_counts_only_people_who_are_there() {
        let released = Released::new(table("q\na\na\nb"), vec![0], vec![]);
        let classes = Classes::by(&released.table, &[0]);
        // Two people of class a, of whom one is really in b (the list is out of date), and one of b.
        let linked = link(&classes, &[Some(0), Some(0), Some(1)], Some(&[Some(0), Some(1), Some(1)]));
        assert_eq!(linked.right, Some(1.5));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn joining_is_what_comparing_every_pair_says(
            rows in prop::collection::vec((0u8..3, 0u8..3), 1..25), people in prop::collection::vec((0u8..4, 0u8..4), 1..25)
        ) {
            let text = |rows: &[(u8, u8)]| rows.iter().map(|(a, b)| format!("\na{a} b{b}")).collect::<String>();
            let released = Released::new(table(&format!("x y{}", text(&rows))), vec![0, 1], vec![]);
            let list = project(&released.table, &table(&format!("x y{}", text(&people))));
            let classes = Classes::by(&released.table, &[0, 1]);
            let linked = link(&classes, &list.classes(&classes), None);
            let fits = |person: &(u8, u8)| rows.iter().filter(|row| *row == person).count() as u64;
            let mut matches = BTreeMap::new();
            for person in &people {
                *matches.entry(fits(person)).or_default() += 1;
            }
            prop_assert_eq!(&linked.matches, &matches);
            let best = people.iter().map(fits).filter(|&n| n > 0).map(|n| 1.0 / n as f64).fold(0.0, f64::max);
            prop_assert!((linked.prosecutor - best).abs() < 1e-12);
            let like = |row: &(u8, u8)| people.iter().filter(|person| *person == row).count() as f64;
            let right: f64 = rows.iter().map(|row| {
                let (f, list) = (fits(row) as f64, like(row));
                f.min(list) / f.max(list) / f
            }).sum();
            prop_assert!((linked.marketer - right / rows.len() as f64).abs() < 1e-9);
        }
    }
}
