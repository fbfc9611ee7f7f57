//! How sure the secret of those is who came to a class, or left it.
//!
//! A group of newcomers is a class that nobody published: what was promised for classes is held against it. Nine of ten who share a
//! disease are hidden by two values no better than by one, and salaries from 3,000 to 3,005 are one salary.

use super::Promises;
use super::means::Secret;
use super::outcome::percent;
use paravent_core::words::counted;
use std::collections::BTreeMap;

/// What the attacker takes for told.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    /// A secret from this share on.
    pub threshold: f64,
    /// The sensitive columns of the newer release, for their numbers.
    pub secrets: &'a [Secret],
}

/// What is narrow, as a share of the column's span; as in proximity.
const NARROW: f64 = 0.05;
/// Odds of at least this multiple of the others' are news.
const NEWS: f64 = 2.0;

/// What those who came or left show of one sensitive column.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shown {
    /// Different values, missing ones left out.
    pub values: u64,
    /// Share of the most frequent one, and its share among the others of the class.
    pub most: f64,
    others: f64,
    /// Distance from the whole column, in total variation.
    variation: f64,
    /// Largest share in a narrow interval, and the share of the others of the class in it; 0 where there are no numbers.
    near: f64,
    others_near: f64,
}

/// A sensitive column as a whole.
pub(super) struct Whole<'a> {
    counts: BTreeMap<&'a str, u64>,
    rows: u64,
    numbers: BTreeMap<&'a str, f64>,
    narrow: f64,
}

impl<'a> Whole<'a> {
    /// The cells of the newer release, without missing ones; the numbers of all labels, where the column has numbers.
    pub(super) fn new(cells: impl Iterator<Item = &'a str>, numbers: BTreeMap<&'a str, f64>) -> Whole<'a> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        cells.for_each(|cell| *counts.entry(cell).or_insert(0) += 1);
        let rows = counts.values().sum();
        let mut all: Vec<(f64, u64)> =
            counts.iter().filter_map(|(cell, &count)| Some((*numbers.get(cell)?, count))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let total: u64 = all.iter().map(|entry| entry.1).sum();
        let at = |share: f64| {
            let mut seen = 0;
            let wanted = share * total as f64;
            all.iter()
                .find(|entry| {
                    seen += entry.1;
                    seen as f64 >= wanted
                })
                .map_or(0.0, |entry| entry.0)
        };
        let narrow = NARROW * (at(0.95) - at(0.05));
        Whole { counts, rows, numbers, narrow }
    }

    /// `gone` and `others`: how often each value is among those who came or left, and among the others of the class.
    pub(super) fn shown(&self, gone: &BTreeMap<&str, u64>, others: &BTreeMap<&str, u64>) -> Shown {
        let rows: u64 = gone.values().sum();
        let share = |count: u64, of: u64| if of == 0 { 0.0 } else { count as f64 / of as f64 };
        let other_rows: u64 = others.values().sum();
        let Some((most, &count)) = gone.iter().max_by_key(|entry| *entry.1) else { return Shown::default() };
        let whole = |cell: &str| share(self.counts.get(cell).copied().unwrap_or(0), self.rows);
        let rise = |(cell, &count): (&&str, &u64)| (share(count, rows) - whole(cell)).max(0.0);
        let (near, from, to) = self.nearest(gone, rows);
        let is_near =
            |cell: &str| self.numbers.get(cell).is_some_and(|&number| number >= from && number <= to);
        let others_near: u64 = others.iter().filter(|entry| is_near(entry.0)).map(|entry| entry.1).sum();
        Shown {
            values: gone.len() as u64,
            most: share(count, rows),
            others: share(others.get(most).copied().unwrap_or(0), other_rows),
            variation: gone.iter().map(rise).sum(),
            near,
            others_near: if near > 0.0 { share(others_near, other_rows) } else { 0.0 },
        }
    }

    /// The largest share of the rows in a narrow interval, and its ends.
    fn nearest(&self, gone: &BTreeMap<&str, u64>, rows: u64) -> (f64, f64, f64) {
        let mut numbers: Vec<(f64, u64)> =
            gone.iter().filter_map(|(cell, &count)| Some((*self.numbers.get(cell)?, count))).collect();
        numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
        let within = |from: f64| {
            let inside = numbers.iter().filter(move |entry| entry.0 >= from && entry.0 <= from + self.narrow);
            inside.map(|entry| entry.1).sum::<u64>()
        };
        let best = numbers
            .iter()
            .map(|entry| (within(entry.0), entry.0))
            .max_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        best.filter(|_| self.narrow > 0.0 && rows > 0)
            .map_or((0.0, 0.0, 0.0), |(count, from)| (count as f64 / rows as f64, from, from + self.narrow))
    }
}

/// Why a group tells its secret.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Told<'a> {
    /// Fewer values than were promised, or one alone.
    Few(&'a str, u64),
    /// One value has this share.
    Sure(&'a str, f64),
    /// Farther from the whole than was promised.
    Far(&'a str, f64),
    /// This share lies within a narrow interval.
    Near(&'a str, f64),
}

impl Told<'_> {
    pub(super) fn text(&self) -> String {
        match self {
            Told::Few(name, values) => format!("with {} of {name}", counted(*values, "value")),
            Told::Sure(name, share) => format!("{} of them with one value of {name}", percent(*share)),
            Told::Far(name, distance) => format!("whose {name} is {distance:.2} from the whole"),
            Told::Near(name, share) => format!("{} of them with nearly the same {name}", percent(*share)),
        }
    }
}

/// What was promised for the classes of `name` that a group of `rows` does not keep.
pub(super) fn breaks<'a>(shown: &Shown, name: &'a str, rows: u64, promises: &Promises) -> Option<Told<'a>> {
    let promise = promises.of_column(name);
    let above =
        |value: f64, limit: Option<f64>| limit.is_some_and(|limit| limit < 1.0 && value > limit + 1e-9);
    let few = promise.distinct.is_some_and(|l| l > 1 && shown.values < l && rows >= l);
    match shown {
        Shown { values: 0, .. } => None,
        _ if few => Some(Told::Few(name, shown.values)),
        _ if rows >= 2 && above(shown.most, promise.confidence) => Some(Told::Sure(name, shown.most)),
        _ if rows >= 2 && above(shown.variation, promise.variation) => Some(Told::Far(name, shown.variation)),
        _ => None,
    }
}

/// What a group of `rows` tells, whatever was promised.
pub(super) fn tells<'a>(shown: &Shown, name: &'a str, rows: u64, threshold: f64) -> Option<Told<'a>> {
    let odds = |share: f64| share / (1.0 - share).max(0.0);
    let is_news = |share: f64, others: f64| share >= threshold && odds(share) > NEWS * odds(others);
    match shown {
        Shown { values: 0, .. } => None,
        Shown { values: 1, .. } if rows >= 2 => Some(Told::Few(name, 1)),
        _ if rows >= 2 && is_news(shown.most, shown.others) => Some(Told::Sure(name, shown.most)),
        _ if rows >= 2 && is_news(shown.near, shown.others_near) => Some(Told::Near(name, shown.near)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally<'a>(counts: &[(&'a str, u64)]) -> BTreeMap<&'a str, u64> {
        counts.iter().copied().collect()
    }

    fn whole<'a>(counts: &[(&'a str, u64)], numbers: bool) -> Whole<'a> {
        let cells: Vec<&str> = counts.iter().flat_map(|&(cell, count)| vec![cell; count as usize]).collect();
        let number = |cell: &&'a str| Some((*cell, cell.parse().ok().filter(|_| numbers)?));
        Whole::new(cells.iter().copied(), cells.iter().filter_map(number).collect())
    }

    #[test]
    fn many_newcomers_with_one_disease_are_held_against_every_promise() {
        let even = [("flu", 50), ("hiv", 50), ("gout", 50), ("cold", 50)];
        let (whole, others) = (whole(&even, false), tally(&even));
        let sure = whole.shown(&tally(&[("hiv", 29), ("flu", 1)]), &others);
        let mixed = whole.shown(&tally(&[("hiv", 9), ("flu", 8), ("gout", 7), ("cold", 6)]), &others);
        let mut promises = Promises::default();
        promises.column("dx").distinct = Some(2);
        assert_eq!(breaks(&sure, "dx", 30, &promises), None, "two values are there");
        assert!(matches!(tells(&sure, "dx", 30, 0.8), Some(Told::Sure(..))));
        promises.column("dx").confidence = Some(0.81);
        assert!(matches!(breaks(&sure, "dx", 30, &promises), Some(Told::Sure(..))));
        promises.column("dx").confidence = None;
        promises.column("dx").variation = Some(0.3);
        assert!(matches!(breaks(&sure, "dx", 30, &promises), Some(Told::Far(..))));
        assert_eq!((breaks(&mixed, "dx", 30, &promises), tells(&mixed, "dx", 30, 0.8)), (None, None));
        // What nearly everybody has is no news of newcomers.
        let common = [("neg", 95), ("pos", 5)];
        let shown = self::whole(&common, false).shown(&tally(&[("neg", 19), ("pos", 1)]), &tally(&common));
        assert_eq!(tells(&shown, "test", 20, 0.8), None);
    }

    #[test]
    fn salaries_that_are_nearly_equal_are_one_secret() {
        let names: Vec<String> = (0..100)
            .map(|n| (1_000 + 80 * n).to_string())
            .chain((3_000..3_006).map(|n| n.to_string()))
            .collect();
        let counts: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let whole = whole(&counts, true);
        let (others, newcomers) = (tally(&counts[..100]), tally(&counts[100..]));
        assert!(matches!(tells(&whole.shown(&newcomers, &others), "pay", 6, 0.8), Some(Told::Near(..))));
        let spread: Vec<(&str, u64)> = counts.iter().copied().step_by(17).collect();
        assert_eq!(tells(&whole.shown(&tally(&spread), &others), "pay", 6, 0.8), None);
    }
}
