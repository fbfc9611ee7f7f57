//! Does a promise forbid anything on this data?
//!
//! A bound far above every figure that the data can show is kept by any table, and protects nobody: t = 0.99 where every value has a share of
//! 2 %, β = 1000, an entropy just above 1. No list of parameters knows that; the criterion itself is asked about the classes that it should
//! forbid: one person alone, a class in which everybody shows the same value, a class in which 19 of 20 people do.

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
    /// 19 of 20 people show the same value, likewise.
    NearlyAll,
    /// 19 of 20 people of the population are in the table, or 1 of 20.
    NearlyAllPresent,
    /// What a limit that no parameter moves lets pass: the bound that was set forbids nothing, or nearly nothing, by itself.
    WhatItsFormAllows,
}

/// Percent of the people whose value may be told for a promise to be worth little.
pub const MOST: u64 = 90;

/// Asks a criterion about the classes that it should forbid. `totals` has how many people of the table show each value of the column that it
/// reads; `missing` is the code of the empty cell, which is nobody's secret.
pub fn excludes(criterion: &dyn ClassCriterion, totals: &[u64], missing: Option<u32>) -> Excludes {
    let Some(column) = criterion.needs().sensitive else { return of_sizes(criterion) };
    let found = of_values(criterion, column, totals, missing);
    match (found, criterion.own_bound()) {
        (Excludes::Something, Some(bound)) if of_values(&*bound, column, totals, missing) != found => {
            Excludes::Little(Allowed::WhatItsFormAllows)
        }
        _ => found,
    }
}

/// A class so large that only its share of the population counts.
const LARGE: u64 = OUT_OF * 1_000_000_000;

/// A promise about class sizes and the population.
fn of_sizes(criterion: &dyn ClassCriterion) -> Excludes {
    let holds = |rows, population| criterion.holds(&Class { rows, population, distributions: &[] });
    // Promises about people who are not in the table forbid something, too.
    let forbids_absence = criterion.judges_absent_classes() && !holds(0, 1);
    if holds(1, 1) && !forbids_absence {
        return Excludes::Nothing(Allowed::OnePerson);
    }
    let about_presence = criterion.needs().population && (forbids_absence || !holds(LARGE, LARGE));
    let few = LARGE / OUT_OF;
    match about_presence && holds(LARGE - few, LARGE) && holds(few, LARGE) {
        true => Excludes::Little(Allowed::NearlyAllPresent),
        false => Excludes::Something,
    }
}

/// A promise about the values of a column.
fn of_values(
    criterion: &dyn ClassCriterion,
    column: usize,
    totals: &[u64],
    missing: Option<u32>,
) -> Excludes {
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
    let nearly_all = told(&|code| {
        let others: Vec<(u32, u64)> = shown.iter().filter(|(other, _)| *other != code).copied().collect();
        mixed(code, &others).iter().any(|counts| ask(counts))
    });
    match is_most(nearly_all) {
        true => Excludes::Little(Allowed::NearlyAll),
        false => Excludes::Something,
    }
}

/// One of so many people is an exception that hardly leaves a doubt about the others.
pub const OUT_OF: u64 = 20;

/// Where there are more values than this, no exceptions with a single value are tried.
const MOST_SINGLE: usize = 64;

/// Classes in which all but one of [`OUT_OF`] people show the value `code`. Which exceptions a criterion minds least differs: they show one
/// other value, every other value equally often, or other values as often as the table does. The numbering of values must not count, so every
/// value is tried as the only other one; a single one matters only to criteria that know their values apart, which have few.
fn mixed(code: u32, others: &[(u32, u64)]) -> Vec<Vec<(u32, u64)>> {
    // The counts of a class fit into 32 bits.
    let most = others.iter().map(|(_, rows)| rows).sum::<u64>() * OUT_OF;
    let scale = most / u64::from(u32::MAX) + 1;
    let single = others.iter().filter(|_| others.len() <= MOST_SINGLE).map(|&(other, _)| vec![(other, 1)]);
    let alike: Vec<(u32, u64)> = others.iter().map(|&(other, _)| (other, 1)).collect();
    let as_in_table: Vec<(u32, u64)> =
        others.iter().map(|&(other, rows)| (other, (rows / scale).max(1))).collect();
    let classes = [alike, as_in_table].into_iter().chain(single).filter(|exceptions| !exceptions.is_empty());
    let with_value = |exceptions: Vec<(u32, u64)>| {
        let people: u64 = exceptions.iter().map(|(_, rows)| rows).sum();
        std::iter::once((code, people * (OUT_OF - 1))).chain(exceptions).collect()
    };
    classes.map(with_value).collect()
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
    let mut present: Vec<u32> = counts.iter().map(|(code, _)| *code).collect();
    present.sort_unstable();
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
        assert_eq!(of(close("0.74", Distance::Equal, &EVEN)), Excludes::Something);
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
            assert_eq!(of("2"), Excludes::Something);
            // The enhanced form is never above −ln p, and that is all that is left of it.
            let told = match form {
                LikenessForm::Basic => Excludes::Nothing(Allowed::OneValue),
                LikenessForm::Enhanced => Excludes::Little(Allowed::WhatItsFormAllows),
            };
            assert_eq!(of("1000"), told);
            assert_eq!(of("4"), told, "nobody can gain more than 1/0.2 − 1");
        }
    }

    #[test]
    fn bounds_above_nearly_every_figure_are_little() {
        // Of two rare values a class of their own is forbidden.
        let totals = [100, 100, 96, 2, 2];
        let loose = close("0.99", Distance::Equal, &totals);
        assert_eq!(excludes(&loose, &totals, None), Excludes::Little(Allowed::MostValues));
        let nearly_all = Excludes::Little(Allowed::NearlyAll);
        assert_eq!(of(EntropyLDiversity { sensitive: 0, l: fraction("1.001") }), nearly_all);
        assert_eq!(of(EntropyLDiversity { sensitive: 0, l: fraction("1.2") }), nearly_all);
        assert_eq!(of(EntropyLDiversity { sensitive: 0, l: fraction("1.5") }), Excludes::Something);
        // 19 < c · 1, and with ℓ = 3 the tail is what three of four exceptions show.
        for (c, l, told) in [
            ("1000", 2, nearly_all),
            ("1000", 3, nearly_all),
            ("1000", 5, nearly_all),
            ("19.1", 2, nearly_all),
            ("19", 2, Excludes::Something),
            ("3", 3, Excludes::Something),
        ] {
            assert_eq!(of(RecursiveLDiversity { sensitive: 0, c: fraction(c), l }), told, "c = {c}, l = {l}");
        }
        assert_eq!(of(close("0.76", Distance::Equal, &EVEN)), nearly_all, "0.95 − 0.2");
        // The usual value alone may be told.
        let usual = [280, 5, 5, 5, 5];
        let tight = close("0.2", Distance::Equal, &usual);
        assert_eq!(excludes(&tight, &usual, None), Excludes::Something);
        // An empty cell is nobody's secret.
        let empty = [200, 50, 50];
        let distinct = DistinctLDiversity { sensitive: 0, l: 1 };
        assert_eq!(excludes(&distinct, &empty, Some(0)), Excludes::Nothing(Allowed::OneValue));
    }
    #[test]
    fn diversity_of_combinations_is_asked_like_that_of_values() {
        // Two columns of two values; every combination is shown by 75 people.
        let combinations: Vec<Box<[u32]>> =
            [[0, 0], [0, 1], [1, 0], [1, 1]].iter().map(|pair| pair.to_vec().into_boxed_slice()).collect();
        let of = |diversity| {
            let multi = MultiAttributeLDiversity { joint: 0, combinations: combinations.clone(), diversity };
            excludes(&multi, &[75; 4], None)
        };
        let loose = Excludes::Little(Allowed::NearlyAll);
        assert_eq!(of(Diversity::Entropy { l: fraction("1.01") }), loose);
        assert_eq!(of(Diversity::Recursive { c: fraction("1000"), l: 2 }), loose);
        assert_eq!(of(Diversity::Entropy { l: fraction("1.5") }), Excludes::Something);
        assert_eq!(of(Diversity::Recursive { c: fraction("3"), l: 2 }), Excludes::Something);
        assert_eq!(of(Diversity::Distinct { l: 1 }), Excludes::Nothing(Allowed::OneValue));
    }

    #[test]
    fn values_that_may_hardly_be_ruled_out_are_little() {
        let npd = |c: &str, c2: &str| {
            let positive =
                PdRecursiveLDiversity { sensitive: 0, c: fraction(c), l: 2, allowed: vec![false; 5] };
            of(NpdRecursiveLDiversity { positive, c2: fraction(c2), protected: vec![0] })
        };
        assert_eq!(npd("1000", "0.001"), Excludes::Little(Allowed::NearlyAll));
        assert_eq!(npd("1000", "10"), Excludes::Something, "one in ten shows the protected value");
        assert_eq!(npd("3", "0.001"), Excludes::Something);
    }

    #[test]
    fn the_numbering_of_values_does_not_count() {
        // One value may be told: an exception with that one is as good as none.
        let of = |allowed: usize| {
            let allowed = (0..3).map(|code| code == allowed).collect();
            let positive = PdRecursiveLDiversity { sensitive: 0, c: fraction("4.6"), l: 3, allowed };
            excludes(&positive, &[100, 100, 100], None)
        };
        assert_eq!([of(0), of(1)], [of(2), of(2)]);
    }

    #[test]
    fn presence_that_is_nearly_known_is_little() {
        let of = |min, max| of(DeltaPresence { min: fraction(min), max: fraction(max) });
        let loose = Excludes::Little(Allowed::NearlyAllPresent);
        assert_eq!(of("0", "0.99"), loose);
        assert_eq!(of("0.01", "0.99"), loose);
        assert_eq!(of("0.01", "1"), loose);
        assert_eq!(of("0", "0.94"), Excludes::Something);
        assert_eq!(of("0.06", "1"), Excludes::Something);
    }
}
