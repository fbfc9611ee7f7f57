//! Events that tell two distributions of answers apart.
//!
//! For noise with exponential tails the ratio of likelihoods is greatest beyond the two true values, in every figure at once; for Gaussian
//! noise it grows in the tails. So the figures are compared with the medians of both sides and with rarer quantiles, one by one, and with the
//! medians all together; and a group that is shown or not is an event, too.

use crate::lower::{Drawn, GroupKey};
use std::collections::BTreeMap;

/// Figures that are looked at together: 2^6 joint events in each direction.
const MOST_TOGETHER: usize = 6;
/// Shares of the answers below a threshold; those above it are looked at, too.
const QUANTILES: [f64; 9] = [0.005, 0.02, 0.05, 0.15, 0.5, 0.85, 0.95, 0.98, 0.995];

/// A figure of the answer, and where it is cut.
struct Figure {
    group: GroupKey,
    measure: usize,
    /// Sorted, each once.
    thresholds: Vec<f64>,
    /// The medians of the two sides.
    low: f64,
    high: f64,
    /// Its first cell.
    offset: usize,
}

impl Figure {
    /// Below the first threshold, at it, between it and the second …, above the last; and not shown.
    fn cells(&self) -> usize {
        2 * self.thresholds.len() + 2
    }

    fn cell(&self, value: Option<f64>) -> usize {
        let Some(value) = value else { return self.cells() - 1 };
        let below = self.thresholds.partition_point(|threshold| *threshold < value);
        2 * below + usize::from(self.thresholds.get(below) == Some(&value))
    }
}

/// The events of one comparison.
pub(super) struct Events {
    figures: Vec<Figure>,
    /// Places of the figures whose medians differ.
    together: Vec<usize>,
    /// The first cell of the joint events.
    joint: usize,
}

/// An event: its name, and the cells that it is made of.
struct Event {
    name: String,
    cells: Vec<usize>,
}

impl Events {
    /// Chosen by a few answers of both sides, which are not counted again.
    pub(super) fn between(one: &[Drawn], other: &[Drawn]) -> Events {
        let (one, other) = (values(one), values(other));
        let mut places: Vec<&(GroupKey, usize)> = one.keys().chain(other.keys()).collect();
        places.sort_unstable();
        places.dedup();
        let (mut figures, mut offset) = (Vec::new(), 0);
        for place in places {
            let sides: Vec<&Vec<f64>> = [one.get(place), other.get(place)].into_iter().flatten().collect();
            let medians: Vec<f64> = sides.iter().map(|values| quantile(values, 0.5)).collect();
            let mut thresholds: Vec<f64> = sides
                .iter()
                .flat_map(|values| QUANTILES.map(|share| quantile(values, share)))
                .filter(|threshold| threshold.is_finite())
                .collect();
            thresholds.sort_unstable_by(f64::total_cmp);
            thresholds.dedup();
            let (group, measure) = place.clone();
            let low = medians.iter().copied().fold(f64::INFINITY, f64::min);
            let high = medians.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let figure = Figure { group, measure, thresholds, low, high, offset };
            offset += figure.cells();
            figures.push(figure);
        }
        let different = figures.iter().enumerate().filter(|(_, figure)| figure.low < figure.high);
        let together = different.map(|(place, _)| place).take(MOST_TOGETHER).collect();
        Events { figures, together, joint: offset }
    }

    /// How many cells answers are counted in.
    pub(super) fn cells(&self) -> usize {
        self.joint + 2 * (1 << self.together.len()) + 1
    }

    /// Adds one to each cell that the answer is in.
    pub(super) fn count(&self, answer: &Drawn, counts: &mut [u64]) {
        let (mut beyond, mut above, mut known) = (0usize, 0usize, 0);
        for (place, figure) in self.figures.iter().enumerate() {
            let group = answer.keys.iter().position(|key| *key == figure.group);
            let value = group.map(|group| answer.number(figure.measure, group));
            known += usize::from(value.is_some() && figure.measure == 0);
            counts[figure.offset + figure.cell(value)] += 1;
            if let Some(bit) = self.together.iter().position(|other| *other == place) {
                beyond |= usize::from(value.is_some_and(|value| value >= figure.high)) << bit;
                above |= usize::from(value.is_some_and(|value| value > figure.low)) << bit;
            }
        }
        counts[self.joint + beyond] += 1;
        counts[self.joint + (1 << self.together.len()) + above] += 1;
        counts[self.cells() - 1] += u64::from(known < answer.keys.len());
    }

    /// Every event: its name, how often it occurred on one side, and on the other. Groups of an audit are not secret.
    pub(super) fn totals(&self, one: &[u64], other: &[u64]) -> Vec<(String, u64, u64)> {
        let sum = |counts: &[u64], cells: &[usize]| cells.iter().map(|cell| counts[*cell]).sum();
        let all = self.figures.iter().flat_map(single).chain(self.together());
        all.map(|event| (event.name, sum(one, &event.cells), sum(other, &event.cells))).collect()
    }

    fn together(&self) -> impl Iterator<Item = Event> {
        let (first, last) = (self.joint, self.cells() - 1);
        let joint = (first..last)
            .map(move |cell| Event { name: format!("joint event {}", cell - first), cells: vec![cell] });
        let strange = Event { name: "a group that is rarely shown".to_owned(), cells: vec![last] };
        joint.chain([strange])
    }
}

fn single(figure: &Figure) -> Vec<Event> {
    let of = format!("figure {} of group {:?}", figure.measure + 1, figure.group);
    let absent = figure.cells() - 1;
    let event = |name: String, cells: std::ops::Range<usize>| Event {
        name: format!("{of} {name}"),
        cells: cells.map(|cell| figure.offset + cell).collect(),
    };
    let mut events =
        vec![event("shown".to_owned(), 0..absent), event("not shown".to_owned(), absent..absent + 1)];
    for (place, threshold) in figure.thresholds.iter().enumerate() {
        let at = 2 * place + 1;
        events.push(event(format!("< {threshold}"), 0..at));
        events.push(event(format!("≤ {threshold}"), 0..at + 1));
        events.push(event(format!("≥ {threshold}"), at..absent));
        events.push(event(format!("> {threshold}"), at + 1..absent));
    }
    events
}

/// The values of every figure, sorted.
fn values(answers: &[Drawn]) -> BTreeMap<(GroupKey, usize), Vec<f64>> {
    let mut values: BTreeMap<(GroupKey, usize), Vec<f64>> = BTreeMap::new();
    for answer in answers {
        for (group, key) in answer.keys.iter().enumerate() {
            for measure in 0..answer.measures() {
                values.entry((key.clone(), measure)).or_default().push(answer.number(measure, group));
            }
        }
    }
    values.values_mut().for_each(|values| values.sort_unstable_by(f64::total_cmp));
    values
}

/// Of values that are sorted, and there.
fn quantile(values: &[f64], share: f64) -> f64 {
    let place = (share * values.len() as f64) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}
