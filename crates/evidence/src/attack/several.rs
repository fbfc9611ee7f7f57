//! What three or more releases say together; a part of composition.
//!
//! Two releases may leave two values each, and three of them one. The attacker knows that a person is in all releases: one class of each, any two
//! of which fit together. Of the sensitive values only those that all of these classes show remain, and of a value `s` at most
//! `min_i n_i(s)` people can be in all of them.

use super::classes::Tally;
use super::composition::{Joined, finer_labels, join};
use super::outcome::percent;
use super::promises::ColumnPromise;
use super::releases::Pair;
use super::{Attack, Bound, Figure, Finding, MOST_FINDINGS, Outcome, Promises, Released, Severity, Unit};
use paravent_core::words::counted;
use std::collections::{HashMap, HashSet};

/// Begins the subject of these outcomes.
pub const SUBJECT: &str = "all releases together";

/// Combinations of classes looked at; beyond, the rest is left out and the outcome says so.
const MOST: usize = 5_000_000;

const LEFT: &str = "fewest sensitive values left";
/// What is said where combinations were left out.
const LEFT_OUT: &str =
    "More combinations of classes fit than could be tried: nothing is known of the others.";

/// Values with counts, ascending by value.
type Counts = Vec<(u32, u64)>;

/// A sensitive column of all releases, in the codes of the newest.
struct Secret {
    /// Its place in the newest.
    place: usize,
    /// By earlier release and class.
    before: Vec<Vec<Counts>>,
    /// By class of the newest.
    now: Vec<Counts>,
    /// Over all classes of the newest, by code.
    total: Vec<u64>,
}

/// What was found, with the worst combinations.
struct Found {
    promised: bool,
    combinations: u64,
    bad: u64,
    least: Option<u64>,
    most: f64,
    worst: Vec<Worst>,
}

impl Found {
    fn new(promise: &ColumnPromise) -> Found {
        let promised = promise.distinct.is_some_and(|l| l > 1)
            || promise.confidence.is_some()
            || promise.variation.is_some();
        Found { promised, combinations: 0, bad: 0, least: None, most: 0.0, worst: Vec::new() }
    }

    fn add(&mut self, combination: Option<Worst>) {
        let Some(combination) = combination else { return };
        self.combinations += 1;
        self.least = Some(self.least.map_or(combination.values, |least| least.min(combination.values)));
        self.most = self.most.max(combination.likeliest.1);
        let told = if self.promised { combination.too_much } else { combination.certain };
        if told {
            self.bad += 1;
            self.worst.push(combination);
            if self.worst.len() >= 8 * MOST_FINDINGS {
                self.keep_the_worst();
            }
        }
    }

    fn keep_the_worst(&mut self) {
        self.worst.sort_by(|a, b| {
            (a.values.cmp(&b.values))
                .then(b.likeliest.1.total_cmp(&a.likeliest.1))
                .then((a.class.right, a.class.left).cmp(&(b.class.right, b.class.left)))
        });
        self.worst.truncate(2 * MOST_FINDINGS);
    }
}

/// A combination of classes, and what it leaves of one column.
struct Worst {
    values: u64,
    likeliest: (u32, f64),
    people: u64,
    class: Joined,
    too_much: bool,
    certain: bool,
}

/// Intersects sensitive values over all releases. `with_now` pairs each earlier release (left) with the newest (right); `among` pairs the earlier
/// ones, with their places in that list. Nothing for fewer than two earlier releases: `composition` looks at pairs.
#[must_use]
pub fn several(
    with_now: &[&Pair<'_>],
    among: &[(usize, usize, Pair<'_>)],
    promises: &Promises,
) -> Vec<Outcome> {
    several_until(with_now, among, promises, MOST)
}

fn several_until(
    with_now: &[&Pair<'_>],
    among: &[(usize, usize, Pair<'_>)],
    promises: &Promises,
    most: usize,
) -> Vec<Outcome> {
    let [first, _, ..] = with_now else { return Vec::new() };
    // Classes of releases without a common quasi-identifier fit anywhere.
    let apart = |pair: &Pair<'_>| pair.shares_no_quasi_identifier();
    if with_now.iter().any(|pair| apart(pair)) || among.iter().any(|(_, _, pair)| apart(pair)) {
        return Vec::new();
    }
    let mut complete = true;
    let mut joined = |pair: &Pair<'_>| {
        let joined = join(pair);
        complete &= joined.complete;
        joined.found
    };
    let mut fitting: Vec<HashMap<u32, Vec<u32>>> = Vec::new();
    for pair in with_now {
        let mut of_now: HashMap<u32, Vec<u32>> = HashMap::new();
        joined(pair).iter().for_each(|both| of_now.entry(both.right).or_default().push(both.left));
        fitting.push(of_now);
    }
    let among: HashMap<(usize, usize), HashSet<(u32, u32)>> = among
        .iter()
        .map(|(one, two, pair)| {
            ((*one, *two), joined(pair).iter().map(|both| (both.left, both.right)).collect())
        })
        .collect();
    let now = first.right;
    let mut outcomes = Vec::new();
    for &place in &now.sensitive {
        let promise = promises.of_column(now.column(place).name());
        let Some(secret) = Secret::of(with_now, place, &promise) else { continue };
        let mut search = Search { fitting: &fitting, among: &among, secret: &secret, left: most };
        let mut found = Found::new(&promise);
        for class in 0..now.classes.len() as u32 {
            search.descend(class, &mut Vec::new(), &secret.now[class as usize], &mut |chosen, counts| {
                found.add(judged(&secret, class, chosen, counts, &promise));
            });
        }
        outcomes.extend(outcome(
            first,
            &secret,
            found,
            &promise,
            complete && search.left > 0,
            with_now.len() + 1,
        ));
    }
    outcomes
}

impl Secret {
    /// `None` where a release does not have the column.
    fn of(with_now: &[&Pair<'_>], place: usize, promise: &ColumnPromise) -> Option<Secret> {
        let now = with_now.first()?.right;
        let column = now.column(place);
        let tally = |released: &Released, place: usize| {
            Tally::of_secrets(&released.classes, released.column(place), promise.missing)
        };
        let code_of: HashMap<Option<&str>, u32> =
            (0..column.labels().len() as u32).map(|code| (column.cell(code), code)).collect();
        let mut before = Vec::new();
        for pair in with_now {
            let (left, _) = *pair.others.iter().find(|others| others.1 == place)?;
            let (old, tally) = (pair.left.column(left), tally(pair.left, left));
            let class = |class: usize| {
                let known = tally.class(class).iter();
                let mut counts: Counts = known
                    .filter_map(|&(code, count)| Some((*code_of.get(&old.cell(code))?, count)))
                    .collect();
                counts.sort_unstable();
                counts
            };
            before.push((0..pair.left.classes.len()).map(class).collect());
        }
        let tally = tally(now, place);
        let now = (0..now.classes.len()).map(|class| tally.class(class).to_vec()).collect();
        Some(Secret { place, before, now, total: tally.total().to_vec() })
    }
}

/// Walks through the combinations of classes that fit together.
struct Search<'a> {
    /// By earlier release: the classes that fit a class of the newest.
    fitting: &'a [HashMap<u32, Vec<u32>>],
    /// By two earlier releases: classes that fit together.
    among: &'a HashMap<(usize, usize), HashSet<(u32, u32)>>,
    secret: &'a Secret,
    left: usize,
}

impl Search<'_> {
    fn descend(
        &mut self,
        class: u32,
        chosen: &mut Vec<u32>,
        counts: &Counts,
        on_all: &mut dyn FnMut(&[u32], &Counts),
    ) {
        let release = chosen.len();
        if release == self.fitting.len() {
            on_all(chosen, counts);
            return;
        }
        let fitting = self.fitting;
        for &next in fitting[release].get(&class).into_iter().flatten() {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let fits = |(earlier, &one): (usize, &u32)| {
                self.among.get(&(earlier, release)).is_none_or(|pairs| pairs.contains(&(one, next)))
            };
            if !chosen.iter().enumerate().all(fits) {
                continue;
            }
            let both = intersected(counts, &self.secret.before[release][next as usize]);
            // Nobody can be in all of them.
            if both.is_empty() {
                continue;
            }
            chosen.push(next);
            self.descend(class, chosen, &both, on_all);
            chosen.pop();
        }
    }
}

/// The values of both, with the smaller count.
fn intersected(one: &[(u32, u64)], two: &[(u32, u64)]) -> Counts {
    let count = |code: u32| two.binary_search_by_key(&code, |entry| entry.0).map_or(0, |at| two[at].1);
    one.iter().map(|&(code, n)| (code, n.min(count(code)))).filter(|entry| entry.1 > 0).collect()
}

fn judged(
    secret: &Secret,
    class: u32,
    chosen: &[u32],
    counts: &Counts,
    promise: &ColumnPromise,
) -> Option<Worst> {
    let sum = |counts: &[(u32, u64)]| counts.iter().map(|entry| entry.1).sum::<u64>();
    let share = |count: u64, all: u64| count as f64 / all.max(1) as f64;
    let total = sum(counts);
    let alone: Vec<&Counts> = (chosen.iter().enumerate())
        .map(|(release, &class)| &secret.before[release][class as usize])
        .chain([&secret.now[class as usize]])
        .collect();
    let shown = alone.iter().map(|counts| counts.len()).min()? as u64;
    let told_alone = |code: u32| {
        let of = |counts: &&Counts| {
            let count = counts.binary_search_by_key(&code, |entry| entry.0).map_or(0, |at| counts[at].1);
            share(count, sum(counts))
        };
        alone.iter().map(of).fold(0.0, f64::max)
    };
    let likeliest = counts
        .iter()
        .map(|&(code, n)| (code, share(n, total)))
        .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let values = counts.len() as u64;
    let limit = promise.confidence.unwrap_or(f64::INFINITY);
    let too_few = promise.distinct.is_some_and(|l| values < l.min(shown));
    let too_sure = counts.iter().any(|&(code, n)| share(n, total) > limit.max(told_alone(code)) + 1e-9);
    let rows: u64 = secret.total.iter().sum();
    let too_far = promise.variation.is_some_and(|t| {
        let limit = |code: u32| share(secret.total[code as usize], rows) + t;
        counts.iter().any(|&(code, n)| share(n, total) > limit(code).max(told_alone(code)) + 1e-9)
    });
    Some(Worst {
        values,
        likeliest,
        people: total,
        class: Joined { left: *chosen.first()?, right: class, people: total, values: counts.len() },
        too_much: too_few || too_sure || too_far,
        certain: values == 1 && shown > 1,
    })
}

fn outcome(
    pair: &Pair<'_>,
    secret: &Secret,
    mut found: Found,
    promise: &ColumnPromise,
    complete: bool,
    releases: usize,
) -> Option<Outcome> {
    let column = pair.right.column(secret.place);
    let subject = format!("{SUBJECT}, {}", column.name());
    found.keep_the_worst();
    let Some(least) = found.least else {
        let unknown = || Outcome::not_compared(Attack::Composition, LEFT, LEFT_OUT).about(&subject);
        return (!complete).then(unknown);
    };
    let (most, bad, promised) = (found.most, found.bad, found.promised);
    let what = format!("{releases} releases together leave");
    let result = match bad {
        0 => format!("{what} at least {} of {}.", counted(least, "value"), column.name()),
        n => format!(
            "{what} as few as {} of {}, the likeliest with {}; too few or too sure in {}.",
            counted(least, "value"),
            column.name(),
            percent(most),
            if n == 1 {
                "1 combination of classes".to_owned()
            } else {
                format!("{n} combinations of classes")
            }
        ),
    };
    let findings = found.worst.iter().map(|worst| Finding {
        class: finer_labels(pair, &worst.class),
        value: worst.values as f64,
        text: format!(
            "{} left, {} = {} with {}, for at most {}",
            counted(worst.values, "value"),
            column.name(),
            column.cell(worst.likeliest.0).unwrap_or("(missing)"),
            percent(worst.likeliest.1),
            pair.right.counted(worst.people)
        ),
    });
    let bound = promise.distinct.filter(|&l| l > 1).map(|l| Bound {
        value: l as f64,
        from: format!(
            "at least {l} values are left, also in all releases together, or as many as one alone leaves"
        ),
    });
    let figure = Figure { what: LEFT, value: least as f64, unit: Unit::Count };
    let mut outcome =
        Outcome::new(Attack::Composition, Severity::of_finding(bad > 0, promised), figure, result)
            .about(&subject)
            .against(bound)
            .with("combinations of classes that fit", found.combinations)
            .with("likeliest value left", percent(most))
            .at(findings);
    if !complete {
        // What was found stays found. That nothing was says nothing of the rest.
        outcome.severity = outcome.severity.max(Severity::NotCompared);
        outcome.result.push_str(&format!(" {LEFT_OUT}"));
    }
    Some(outcome)
}

#[cfg(test)]
mod tests {
    use super::super::releases::Finer;
    use super::super::unsorted_matching::tests::{covers, pair};
    use super::*;
    use crate::attack::testing::table;

    /// A class of six people, two of each illness, and one of everybody else.
    fn release(illnesses: [&str; 3]) -> Released {
        let rows = illnesses.map(|illness| format!("\nAsian 02130 {illness}\nAsian 02130 {illness}"));
        let others =
            ["flu", "cold", "hiv"].map(|illness| format!("\nBlack 02130 {illness}\nBlack 02130 {illness}"));
        Released::new(table(&format!("race zip s{}{}", rows.concat(), others.concat())), vec![0, 1], vec![2])
    }

    fn attacked(all: [[&str; 3]; 3], l: u64) -> Outcome {
        attacked_until(all, l, MOST)
    }

    fn attacked_until(all: [[&str; 3]; 3], l: u64, most: usize) -> Outcome {
        let releases = all.map(release);
        let both = |one: usize, two: usize| {
            let mut pair = pair(&releases[one], &releases[two], &[Finer::Right, Finer::Right], covers);
            pair.others = vec![(2, 2)];
            pair
        };
        let mut promises = Promises { k: Some(2), ..Promises::default() };
        promises.column("s").distinct = Some(l);
        let mut found = several_until(&[&both(0, 2), &both(1, 2)], &[(0, 1, both(0, 1))], &promises, most);
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn three_releases_tell_what_no_two_of_them_tell() {
        // Any two leave two illnesses, all three leave one.
        let all = [["flu", "cold", "hiv"], ["flu", "cold", "gout"], ["flu", "gout", "hiv"]];
        let outcome = attacked(all, 2);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Broken, 1.0), "{}", outcome.result);
        assert_eq!(outcome.findings[0].text, "1 value left, s = flu with 100 %, for at most 2 rows");
        assert!(outcome.findings[0].class.contains(&"race = Asian".to_owned()));
        let releases = all.map(release);
        for (one, two) in [(0, 1), (0, 2), (1, 2)] {
            let mut pair = pair(&releases[one], &releases[two], &[Finer::Right, Finer::Right], covers);
            pair.others = vec![(2, 2)];
            let mut promises = Promises { k: Some(2), ..Promises::default() };
            promises.column("s").distinct = Some(2);
            let two = super::super::composition::composition(&pair, &promises);
            assert!(two.iter().all(|outcome| outcome.severity != Severity::Broken), "pairs keep it");
        }
    }

    #[test]
    fn three_releases_with_the_same_illnesses_keep_their_promise() {
        let same = [["flu", "cold", "hiv"], ["hiv", "flu", "cold"], ["cold", "hiv", "flu"]];
        let outcome = attacked(same, 3);
        assert_eq!((outcome.severity, outcome.figure.value), (Severity::Covered, 3.0), "{}", outcome.result);
    }

    #[test]
    fn combinations_that_were_left_out_are_not_covered() {
        let same = [["flu", "cold", "hiv"], ["hiv", "flu", "cold"], ["cold", "hiv", "flu"]];
        for most in [0, 2] {
            let outcome = attacked_until(same, 3, most);
            assert_eq!(outcome.severity, Severity::NotCompared, "{}", outcome.result);
            assert!(outcome.result.contains("nothing is known of the others"), "{}", outcome.result);
        }
        // What was found before stays found.
        let all = [["flu", "cold", "hiv"], ["flu", "cold", "gout"], ["flu", "gout", "hiv"]];
        let broken = (2..6).map(|most| attacked_until(all, 2, most).severity);
        assert!(broken.into_iter().any(|severity| severity == Severity::Broken));
    }
}
