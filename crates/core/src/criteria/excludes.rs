//! Does a promise forbid anything on this data?
//!
//! A bound far above every figure that the data can show is kept by any table, and protects nobody: t = 0.99 where every value has a share of
//! 2 %, β = 1000, an entropy just above 1. No list of parameters knows that; the criterion itself is asked about the classes that it should
//! forbid: one person alone, a class in which everybody shows the same value, a class in which all but one person do.

use super::ClassCriterion;
use crate::grouping::{Class, Distribution};

/// What a criterion forbids on some data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excludes {
    /// A class that tells a secret, or a class of one person.
    Something,
    /// It lets nearly everybody's value be told, or told with next to no doubt.
    Little(Allowed),
    /// It holds for whatever is released.
    Nothing(Allowed),
}

/// The class that a criterion should forbid and does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allowed {
    /// One person alone.
    OnePerson,
    /// Everybody shows the same value, whichever.
    OneValue,
    /// Everybody shows the same value, for the values of at least [`MOST`] percent of the people.
    MostValues,
    /// All but one person show the same value, likewise.
    AllButOne,
}

/// Percent of the people whose value may be told for a promise to be worth little.
pub const MOST: u64 = 90;

/// Asks a criterion about the classes that it should forbid. `totals` has how many people of the table show each value of the column that it
/// reads; `missing` is the code of the empty cell, which is nobody's secret.
pub fn excludes(criterion: &dyn ClassCriterion, totals: &[u64], missing: Option<u32>) -> Excludes {
    let needs = criterion.needs();
    let Some(column) = needs.sensitive else {
        let alone = |rows| criterion.holds(&Class { rows, population: 1, distributions: &[] });
        // Promises about people who are not in the table forbid something, too.
        let forbids_absence = criterion.judges_absent_classes() && !alone(0);
        return match alone(1) && !forbids_absence {
            true => Excludes::Nothing(Allowed::OnePerson),
            false => Excludes::Something,
        };
    };
    let all: u64 = totals.iter().sum();
    let shown = tried(totals, missing);
    let people: u64 = shown.iter().map(|(_, rows)| rows).sum();
    if shown.is_empty() {
        return Excludes::Something;
    }
    let told = |holds: &dyn Fn(u32) -> bool| -> (usize, u64) {
        let told = shown.iter().filter(|(code, _)| holds(*code));
        (told.clone().count(), told.map(|(_, rows)| rows).sum())
    };
    let ask =
        |counts: &[(u32, u64)]| with_class(column, totals.len(), counts, |class| criterion.holds(class));
    let one_value = told(&|code| ask(&[(code, totals[code as usize])]));
    if one_value.0 == shown.len() {
        return Excludes::Nothing(Allowed::OneValue);
    }
    // A single value may be meant to be told: the usual one, or one that the owner lists.
    let is_most = |(values, rows): (usize, u64)| values > 1 && rows * 100 >= people * MOST;
    if is_most(one_value) {
        return Excludes::Little(Allowed::MostValues);
    }
    let others = |code: u32| shown.iter().map(|(other, _)| *other).find(|&other| other != code);
    let all_but_one = told(&|code| others(code).is_some_and(|other| ask(&[(code, all - 1), (other, 1)])));
    match is_most(all_but_one) {
        true => Excludes::Little(Allowed::AllButOne),
        false => Excludes::Something,
    }
}

/// Values that are asked about, at most: the rarest and the most frequent ones.
const MOST_TRIED: usize = 500;

/// The values that people show, with how many do.
fn tried(totals: &[u64], missing: Option<u32>) -> Vec<(u32, u64)> {
    let shown = (0u32..).zip(totals.iter().copied());
    let mut shown: Vec<(u32, u64)> =
        shown.filter(|&(code, rows)| rows > 0 && Some(code) != missing).collect();
    if shown.len() > MOST_TRIED {
        shown.sort_unstable_by_key(|&(code, rows)| (rows, code));
        shown.drain(MOST_TRIED / 2..shown.len() - MOST_TRIED / 2);
    }
    shown
}

/// A class of people with one value each; the counts are by value.
fn with_class<T>(
    column: usize,
    values: usize,
    counts: &[(u32, u64)],
    look: impl FnOnce(&Class<'_>) -> T,
) -> T {
    let mut dense = vec![0u32; values];
    let present: Vec<u32> = counts.iter().map(|(code, _)| *code).collect();
    for &(code, rows) in counts {
        dense[code as usize] = u32::try_from(rows).unwrap_or(u32::MAX);
    }
    let rows = dense.iter().map(|&count| u64::from(count)).sum();
    let distributions = vec![Distribution::of_rows(&dense, &present, rows); column + 1];
    look(&Class { rows, population: rows, distributions: &distributions })
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::exact::Fraction;

    fn fraction(text: &str) -> Fraction {
        Fraction::parse(text).unwrap()
    }

    /// Five values of sixty people each.
    const EVEN: [u64; 5] = [60; 5];

    fn of(criterion: impl ClassCriterion) -> Excludes {
        excludes(&criterion, &EVEN, None)
    }

    fn close(t: &str, distance: Distance, totals: &[u64]) -> TCloseness {
        TCloseness::new(0, fraction(t), distance, totals.to_vec())
    }

    #[test]
    fn promises_that_say_something_are_left_alone() {
        let pd = |allowed: [bool; 5]| PdRecursiveLDiversity {
            sensitive: 0,
            c: fraction("2"),
            l: 2,
            allowed: allowed.to_vec(),
        };
        assert_eq!(of(KAnonymity { k: 2 }), Excludes::Something);
        assert_eq!(of(KMap { k: 2 }), Excludes::Something);
        assert_eq!(of(DeltaPresence { min: fraction("0"), max: fraction("0.9") }), Excludes::Something);
        assert_eq!(of(DeltaPresence { min: fraction("0.1"), max: fraction("1") }), Excludes::Something);
        assert_eq!(of(EntropyLDiversity { sensitive: 0, l: fraction("2") }), Excludes::Something);
        assert_eq!(of(RecursiveLDiversity { sensitive: 0, c: fraction("3"), l: 2 }), Excludes::Something);
        assert_eq!(of(pd([true, false, false, false, false])), Excludes::Something);
        assert_eq!(of(close("0.3", Distance::Equal, &EVEN)), Excludes::Something);
        assert_eq!(of(close("1", Distance::KullbackLeibler, &EVEN)), Excludes::Something);
    }

    #[test]
    fn bounds_above_every_figure_are_nothing() {
        let one_value = Excludes::Nothing(Allowed::OneValue);
        assert_eq!(of(KAnonymity { k: 1 }), Excludes::Nothing(Allowed::OnePerson));
        assert_eq!(of(KMap { k: 1 }), Excludes::Nothing(Allowed::OnePerson));
        let anybody = DeltaPresence { min: fraction("0"), max: fraction("1") };
        assert_eq!(of(anybody), Excludes::Nothing(Allowed::OnePerson));
        assert_eq!(of(DistinctLDiversity { sensitive: 0, l: 1 }), one_value);
        assert_eq!(of(EntropyLDiversity { sensitive: 0, l: fraction("1") }), one_value);
        assert_eq!(of(close("0.99", Distance::Equal, &EVEN)), one_value);
        assert_eq!(of(close("0.8", Distance::Equal, &EVEN)), one_value, "everybody's share is 0.2");
        assert_eq!(of(close("0.79", Distance::Equal, &EVEN)), Excludes::Something);
        assert_eq!(of(close("1000", Distance::KullbackLeibler, &EVEN)), one_value);
        let everything =
            PdRecursiveLDiversity { sensitive: 0, c: fraction("2"), l: 2, allowed: vec![true; 5] };
        assert_eq!(of(everything), one_value);
    }

    #[test]
    fn gains_far_above_every_share_are_nothing() {
        for form in [LikenessForm::Basic, LikenessForm::Enhanced] {
            let of = |beta| of(BetaLikeness::new(0, fraction(beta), form, EVEN.to_vec()));
            assert_eq!(of("1"), Excludes::Something);
            // The enhanced form is never above \u{2212}ln p.
            let told = if form == LikenessForm::Basic {
                Excludes::Nothing(Allowed::OneValue)
            } else {
                Excludes::Something
            };
            assert_eq!(of("1000"), told);
        }
    }

    #[test]
    fn bounds_above_nearly_every_figure_are_little() {
        // Of two rare values a class of their own is forbidden.
        let totals = [100, 100, 96, 2, 2];
        let loose = close("0.99", Distance::Equal, &totals);
        assert_eq!(excludes(&loose, &totals, None), Excludes::Little(Allowed::MostValues));
        let all_but_one = Excludes::Little(Allowed::AllButOne);
        assert_eq!(of(EntropyLDiversity { sensitive: 0, l: fraction("1.001") }), all_but_one);
        assert_eq!(of(RecursiveLDiversity { sensitive: 0, c: fraction("1000"), l: 2 }), all_but_one);
        // The usual value alone may be told.
        let usual = [280, 5, 5, 5, 5];
        let tight = close("0.2", Distance::Equal, &usual);
        assert_eq!(excludes(&tight, &usual, None), Excludes::Something);
        // An empty cell is nobody's secret.
        let empty = [200, 50, 50];
        let distinct = DistinctLDiversity { sensitive: 0, l: 1 };
        assert_eq!(excludes(&distinct, &empty, Some(0)), Excludes::Nothing(Allowed::OneValue));
    }
}
