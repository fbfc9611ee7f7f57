//! Labels and how many rows show them.

use crate::wire::Bar;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// A value of fewer rows is not named: a name that few have can be that of a person.
pub(crate) const FEWEST_ROWS: u64 = 5;

/// The most frequent labels of at least so many rows, and the rows of all others.
pub(crate) fn most_frequent(
    counts: impl IntoIterator<Item = (Option<String>, u64)>,
    fewest: u64,
    most: usize,
) -> (Vec<Bar>, u64) {
    let mut bars: Vec<Bar> =
        counts.into_iter().filter(|&(_, rows)| rows > 0).map(|(label, rows)| Bar { label, rows }).collect();
    bars.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.label.cmp(&b.label)));
    let shown = bars.iter().take(most).take_while(|bar| bar.rows >= fewest).count();
    let others = bars.drain(shown..).map(|bar| bar.rows).sum();
    (bars, others)
}

/// As people would list them: by the number a label begins with, then by its letters; the missing value last.
pub(crate) fn natural(a: &Option<String>, b: &Option<String>) -> Ordering {
    let number = |label: &str| {
        let end = label
            .char_indices()
            .find(|(place, one)| !(one.is_ascii_digit() || *one == '.' || (*place == 0 && *one == '-')));
        label[..end.map_or(label.len(), |(place, _)| place)].parse::<f64>().ok()
    };
    match (a, b) {
        (Some(a), Some(b)) => match (number(a), number(b)) {
            (Some(x), Some(y)) => x.total_cmp(&y).then_with(|| a.cmp(b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => a.cmp(b),
        },
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// Counts under labels.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<Option<String>, u64>);

impl Tally {
    pub(crate) fn add(&mut self, label: Option<&str>, rows: u64) {
        *self.0.entry(label.map(str::to_owned)).or_insert(0) += rows;
    }

    pub(crate) fn rows(&self, label: &Option<String>) -> u64 {
        self.0.get(label).copied().unwrap_or(0)
    }

    pub(crate) fn into_counts(self) -> impl Iterator<Item = (Option<String>, u64)> {
        self.0.into_iter()
    }
}

/// Numbers in intervals of a round width, at most 24 of them; `None` where something is no number.
pub(crate) fn intervals<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> Option<Vec<Bar>> {
    let numbers: Vec<(f64, u64)> = counts
        .map(|(text, rows)| {
            text.parse::<f64>().ok().filter(|number| number.is_finite()).map(|number| (number, rows))
        })
        .collect::<Option<_>>()?;
    let least = numbers.iter().map(|&(number, _)| number).fold(f64::INFINITY, f64::min);
    let most = numbers.iter().map(|&(number, _)| number).fold(f64::NEG_INFINITY, f64::max);
    if numbers.is_empty() || !(most - least).is_finite() {
        return None;
    }
    let width = round_width((most - least) / 20.0);
    let first = (least / width).floor();
    let mut bars: Vec<u64> = vec![0; ((most / width).floor() - first) as usize + 1];
    for (number, rows) in numbers {
        let place = ((number / width).floor() - first) as usize;
        if let Some(bar) = bars.get_mut(place) {
            *bar += rows;
        }
    }
    let label = |place: usize| {
        let from = (first + place as f64) * width;
        if width == 1.0 { format!("{from}") } else { format!("{} – <{}", tidy(from), tidy(from + width)) }
    };
    Some(bars.into_iter().enumerate().map(|(place, rows)| Bar { label: Some(label(place)), rows }).collect())
}

fn tidy(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

/// 1, 2 or 5 times a power of ten, not below `width`; for whole numbers at least 1.
fn round_width(width: f64) -> f64 {
    if width <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(width.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|round| *round >= width)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(counts: &[(&str, u64)]) -> Vec<(String, u64)> {
        let bars = intervals(counts.iter().copied()).unwrap();
        bars.into_iter().map(|bar| (bar.label.unwrap(), bar.rows)).collect()
    }

    #[test]
    fn rare_values_are_counted_and_not_named() {
        let counts =
            [(Some("a".to_owned()), 9), (None, 6), (Some("b".to_owned()), 4), (Some("c".to_owned()), 0)];
        let (bars, others) = most_frequent(counts, FEWEST_ROWS, 10);
        assert_eq!(bars.iter().map(|bar| bar.label.as_deref()).collect::<Vec<_>>(), [Some("a"), None]);
        assert_eq!(others, 4);
    }

    #[test]
    fn labels_are_listed_as_people_would() {
        let mut labels = [Some("b"), None, Some("80-100"), Some("9-10"), Some("a"), Some("-3")]
            .map(|label| label.map(str::to_owned));
        labels.sort_by(natural);
        assert_eq!(
            labels.each_ref().map(Option::as_deref),
            [Some("-3"), Some("9-10"), Some("80-100"), Some("a"), Some("b"), None]
        );
    }

    #[test]
    fn numbers_fall_into_round_intervals() {
        assert_eq!(
            bars(&[("3", 2), ("5", 1)]),
            [("3 – <3.1".into(), 2)]
                .into_iter()
                .chain(
                    (31..50).map(|x| (
                        format!("{} – <{}", tidy(x as f64 / 10.0), tidy((x + 1) as f64 / 10.0)),
                        0
                    ))
                )
                .chain([("5 – <5.1".into(), 1)])
                .collect::<Vec<_>>()
        );
        let wide = bars(&[("0", 1), ("19", 1), ("99", 3)]);
        assert_eq!(
            (wide.len(), wide[0].clone(), wide[19].clone()),
            (20, ("0 – <5".into(), 1), ("95 – <100".into(), 3))
        );
        assert_eq!(bars(&[("-7", 5)]), [("-7".into(), 5)]);
        assert_eq!(intervals([("x", 1)].into_iter()), None);
        assert!(intervals([("1e308", 1), ("-1e308", 1)].into_iter()).is_none_or(|bars| bars.len() < 50));
    }
}
