//! Are two tables about different people, though their rows look alike?

use super::line::{InputRecord, ReleaseRecord};
use super::people::PeopleSketch;
use paravent_job::Job;
use std::collections::BTreeMap;

/// Whether the two tables are about different people, by the columns that the job declares to name them.
pub(crate) fn are_others(job: &Job, input: &InputRecord, release: &ReleaseRecord) -> bool {
    let mut person = job.privacy.person.clone();
    person.sort();
    let of = |record: &InputRecord| record.people.iter().find(|sketch| sketch.columns == person).cloned();
    let both = of(input).zip(of(&release.input)).filter(|_| !person.is_empty());
    both.is_some_and(|(ours, theirs)| ours.shared(&theirs).is_none())
}

/// Whether the identifying columns name nobody in both tables, and the rows in common (a share of ours) are no more than tables of other people have.
pub(crate) fn are_strangers(kinds: &Kinds, input: &InputRecord, release: &ReleaseRecord, share: f64) -> bool {
    let theirs =
        |ours: &PeopleSketch| release.input.people.iter().find(|it| it.columns == ours.columns).cloned();
    let pairs: Vec<_> = input.people.iter().filter_map(|ours| Some((ours, theirs(ours)?))).collect();
    let nobody = !pairs.is_empty() && pairs.iter().all(|(ours, theirs)| ours.shared(theirs).is_none());
    let error = input.standard_error(release, share);
    nobody && explains(kinds.by_chance(release.input.rows), share, error)
}

/// Whether strangers have such a share of rows in common, which was estimated with this standard error. All rows, equal ones as often as they are
/// there, are the rows of the same people, however alike they look.
///
/// An estimate is explained up to three standard errors above what is expected, so that one comparison in a thousand raises an alarm for nothing; but
/// never closer to all rows than half the way.
fn explains(chance: f64, share: f64, error: f64) -> bool {
    let expected = (1.5 * chance).min((1.0 + 2.0 * chance) / 3.0);
    share < 1.0 && share <= (expected + 3.0 * error).min((1.0 + expected) / 2.0)
}

impl InputRecord {
    /// The standard error of a share of our rows that was estimated from both sketches.
    fn standard_error(&self, release: &ReleaseRecord, share: f64) -> f64 {
        let (ours, theirs) = (self.rows.max(1) as f64, release.input.rows as f64);
        let shared = share * ours;
        let similarity = (shared / (ours + theirs - shared).max(1.0)).clamp(0.0, 1.0);
        (1.0 + theirs / ours) * release.input.sketch.standard_error(similarity) / (1.0 + similarity).powi(2)
    }
}

/// Beyond so many equal rows, what others have of them is taken to be as many as can be.
const MOST_EQUAL: u64 = 500;

/// How often rows occur: how many kinds of rows there are of each number of equal rows.
#[derive(Debug, Default)]
pub(crate) struct Kinds(BTreeMap<u64, u64>);

impl Kinds {
    /// From the number of equal rows of every kind.
    pub(crate) fn of(counts: impl Iterator<Item = u64>) -> Kinds {
        let mut kinds = Kinds::default();
        counts.for_each(|count| *kinds.0.entry(count).or_default() += 1);
        kinds
    }

    /// An upper estimate of the share of these rows that stand in a table of so many rows of other people.
    ///
    /// By Good and Turing (Good, Biometrika 1953), the next row is a new one with the share of rows that stand here once. A row that is here n times
    /// counts n times, so that of its kind no more are in common than the others have: a Poisson number, n of them on average in a table of this size.
    fn by_chance(&self, rows: u64) -> f64 {
        let all = self.0.iter().map(|(count, kinds)| count * kinds).sum::<u64>().max(1) as f64;
        let new = self.0.get(&1).copied().unwrap_or(0) as f64 / all;
        let times = rows as f64 / all;
        let again: f64 =
            self.0.iter().map(|(&count, &kinds)| kinds as f64 * in_common(count, count as f64 * times)).sum();
        (1.0 - new.powf(times)).min(again / all)
    }
}

/// Of `count` equal rows, how many others have as well on average if they have a Poisson number X of `mean`: E min(count, X) = Σ P(X ≥ j), j = 1 … count.
fn in_common(count: u64, mean: f64) -> f64 {
    let most = mean.min(count as f64);
    if count > MOST_EQUAL || mean > MOST_EQUAL as f64 {
        return most;
    }
    let (mut exactly, mut fewer, mut sum) = ((-mean).exp(), 0.0, 0.0);
    for number in 1..=count {
        fewer += exactly;
        sum += 1.0 - fewer;
        exactly *= mean / number as f64;
    }
    sum.min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(counts: &[(u64, usize)]) -> Kinds {
        Kinds::of(counts.iter().flat_map(|&(count, kinds)| std::iter::repeat_n(count, kinds)))
    }

    #[test]
    fn rows_that_stand_once_are_new_ones_elsewhere() {
        let chance = kinds(&[(1, 100)]).by_chance(100);
        assert!(chance.abs() < 1e-9, "{chance}");
        let chance = kinds(&[(1, 50), (10, 5)]).by_chance(100);
        assert!((chance - 0.5).abs() < 1e-9, "{chance}");
    }

    #[test]
    fn of_equal_rows_others_have_some() {
        // P(X ≥ 1) + P(X ≥ 2) for a mean of 2.
        let expected = (1.0 - (-2.0f64).exp()) + (1.0 - 3.0 * (-2.0f64).exp());
        assert!((in_common(2, 2.0) - expected).abs() < 1e-12);
        assert!((in_common(3, 1e-3) - 1e-3).abs() < 1e-6);
        assert!((in_common(40, 400.0) - 40.0).abs() < 1e-9);
        assert!((in_common(1_000_000, 20.0) - 20.0).abs() < 1e-12);
        let chance = kinds(&[(2, 150)]).by_chance(300);
        assert!((0.7..0.75).contains(&chance), "{chance}");
        let chance = kinds(&[(125, 8)]).by_chance(1_000);
        assert!((0.95..0.97).contains(&chance), "{chance}");
    }

    #[test]
    fn all_rows_are_those_of_the_same_people() {
        for counts in [&[(2, 150)][..], &[(125, 8)], &[(1, 1), (100_000, 2)]] {
            let chance = kinds(counts).by_chance(300);
            assert!(!explains(chance, 1.0, 0.1), "{counts:?}: {chance}");
        }
        assert!(explains(kinds(&[(125, 8)]).by_chance(1_000), 0.95, 0.0), "few kinds that everybody has");
        assert!(!explains(kinds(&[(2, 150)]).by_chance(300), 0.99, 0.1), "hardly a row has changed");
    }

    #[test]
    fn what_an_estimate_may_miss_is_no_alarm_and_most_rows_are_one() {
        // A quarter is expected; a sketch of 64 bins is off by some eight points.
        assert!(explains(0.25, 0.55, 0.08) && !explains(0.25, 0.55, 0.01));
        assert!(!explains(0.25, 0.7, 0.08) && !explains(0.25, 0.7, 1.0));
    }
}
