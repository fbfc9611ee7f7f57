//! Events that tell two distributions of answers apart.
//!
//! For noise with exponential tails the ratio of likelihoods is greatest beyond the two true values, in every figure at once. So the figures
//! are compared with the medians of both sides, one by one and all together; and a group that is shown or not is an event, too.

use super::Answer;
use std::collections::BTreeMap;

/// Figures that are looked at together: 2^6 joint events in each direction.
const MOST_TOGETHER: usize = 6;

/// A figure of the answer, and where the two sides have their medians.
struct Figure {
    group: String,
    measure: usize,
    low: f64,
    high: f64,
}

/// The events of one comparison.
pub(super) struct Events {
    figures: Vec<Figure>,
    /// Places of the figures whose medians differ.
    together: Vec<usize>,
}

/// Events of one figure: present, absent, and on which side of both medians.
const SINGLE: usize = 10;

impl Events {
    /// Chosen by a few answers of both sides, which are not counted again.
    pub(super) fn between(one: &[Answer], other: &[Answer]) -> Events {
        let (one, other) = (medians(one), medians(other));
        let mut places: Vec<&(String, usize)> = one.keys().chain(other.keys()).collect();
        places.sort_unstable();
        places.dedup();
        let figures: Vec<Figure> = places
            .into_iter()
            .filter_map(|place| {
                let first = one.get(place).or_else(|| other.get(place))?;
                let second = other.get(place).unwrap_or(first);
                let (group, measure) = place.clone();
                Some(Figure { group, measure, low: first.min(*second), high: first.max(*second) })
            })
            .collect();
        let different = figures.iter().enumerate().filter(|(_, figure)| figure.low < figure.high);
        let together = different.map(|(place, _)| place).take(MOST_TOGETHER).collect();
        Events { figures, together }
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.figures.len() * SINGLE + 2 * (1 << self.together.len()) + 1
    }

    /// Adds one to each event that the answer is in.
    pub(super) fn count(&self, answer: &Answer, counts: &mut [u64]) {
        let values: Vec<Option<f64>> = self.figures.iter().map(|figure| value(answer, figure)).collect();
        for (place, (figure, value)) in self.figures.iter().zip(&values).enumerate() {
            let Some(value) = *value else {
                counts[place * SINGLE + 1] += 1;
                continue;
            };
            let (low, high) = (figure.low, figure.high);
            let sides = [
                true,
                false,
                value >= low,
                value > low,
                value <= low,
                value < low,
                value >= high,
                value > high,
                value <= high,
                value < high,
            ];
            for (event, holds) in sides.into_iter().enumerate() {
                counts[place * SINGLE + event] += u64::from(holds);
            }
        }
        let base = self.figures.len() * SINGLE;
        let cells = 1 << self.together.len();
        let cell = |holds: &dyn Fn(&Figure, f64) -> bool| {
            self.together.iter().enumerate().fold(0usize, |mask, (bit, place)| {
                let holds = values[*place].is_some_and(|value| holds(&self.figures[*place], value));
                mask | usize::from(holds) << bit
            })
        };
        counts[base + cell(&|figure, value| value >= figure.high)] += 1;
        counts[base + cells + cell(&|figure, value| value > figure.low)] += 1;
        let strange =
            answer.iter().any(|(group, _)| !self.figures.iter().any(|figure| figure.group == *group));
        counts[base + 2 * cells] += u64::from(strange);
    }

    /// What an event is, in words. Groups of an audit are not secret.
    pub(super) fn name(&self, place: usize) -> String {
        let base = self.figures.len() * SINGLE;
        if let Some(figure) = self.figures.get(place / SINGLE).filter(|_| place < base) {
            let of = format!("figure {} of group {:?}", figure.measure + 1, figure.group);
            let (low, high) = (figure.low, figure.high);
            return match place % SINGLE {
                0 => format!("{of} shown"),
                1 => format!("{of} not shown"),
                2 => format!("{of} ≥ {low}"),
                3 => format!("{of} > {low}"),
                4 => format!("{of} ≤ {low}"),
                5 => format!("{of} < {low}"),
                6 => format!("{of} ≥ {high}"),
                7 => format!("{of} > {high}"),
                8 => format!("{of} ≤ {high}"),
                _ => format!("{of} < {high}"),
            };
        }
        match place == self.len() - 1 {
            true => "a group that is rarely shown".to_owned(),
            false => format!("joint event {}", place - base),
        }
    }
}

fn value(answer: &Answer, figure: &Figure) -> Option<f64> {
    answer.iter().find(|(group, _)| *group == figure.group).map(|(_, values)| values[figure.measure])
}

fn medians(answers: &[Answer]) -> BTreeMap<(String, usize), f64> {
    let mut values: BTreeMap<(String, usize), Vec<f64>> = BTreeMap::new();
    for (group, figures) in answers.iter().flatten() {
        for (measure, value) in figures.iter().enumerate() {
            values.entry((group.clone(), measure)).or_default().push(*value);
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_unstable_by(f64::total_cmp);
        values[values.len() / 2]
    };
    values.into_iter().map(|(place, values)| (place, median(values))).collect()
}
