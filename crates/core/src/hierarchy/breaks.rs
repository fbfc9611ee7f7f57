//! Numbers by intervals with free break points and open ends.

use super::kind::Kind;
use std::borrow::Cow;

use super::{Grid, TOP, Unplaced};
use crate::values::Decimal;

/// Numbers cut at given points, `<18`, `18-64`, `>=65`; fewer points on every level, then `*`.
///
/// A point belongs to the interval above it. The points of a level are points of the level below, so that every interval is a
/// union of intervals there. The first and the last interval are open: no number is an outlier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaks {
    levels: Vec<BreakLevel>,
    grid: Grid,
}

/// The intervals of one level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakLevel {
    /// Where intervals begin, ascending.
    pub points: Vec<Decimal>,
    /// Names of the intervals, from the lowest: one more than points. Intervals of one name are one. `None`: made from the points.
    pub labels: Option<Vec<String>>,
}

/// Why points make no hierarchy. Levels and points count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BreaksError {
    /// No level, or more than 254.
    #[error("breaks need 1 to 254 levels of points")]
    Levels,
    /// A level without a point.
    #[error("level {level} needs a break point")]
    NoPoints {
        /// The level.
        level: usize,
    },
    /// Points that do not ascend.
    #[error("the break points of level {level} must ascend")]
    NotAscending {
        /// The level.
        level: usize,
    },
    /// A point that is no point of the level below.
    #[error("point {point} of level {level} is no break point of level {}", level - 1)]
    NotNested {
        /// The upper level.
        level: usize,
        /// The point.
        point: usize,
    },
    /// Too few or too many names, or an empty one.
    #[error("level {level} needs a name for each of its {intervals} intervals")]
    Labels {
        /// The level.
        level: usize,
        /// How many intervals it has.
        intervals: usize,
    },
    /// Intervals of one name below, of two names above.
    #[error("intervals of level {} that have one name get two names on level {level}", level - 1)]
    NotMonotone {
        /// The upper level.
        level: usize,
    },
    /// Fractions where the column holds integers.
    #[error("break points have to be whole numbers, since the column holds integers")]
    NotWhole,
}

impl Breaks {
    /// Checks that levels nest, by their points and by their names.
    pub fn new(levels: Vec<BreakLevel>, grid: Grid) -> Result<Breaks, BreaksError> {
        if !(1..usize::from(u8::MAX)).contains(&levels.len()) {
            return Err(BreaksError::Levels);
        }
        for (position, level) in levels.iter().enumerate() {
            let number = position + 1;
            if level.points.is_empty() {
                return Err(BreaksError::NoPoints { level: number });
            }
            if !level.points.is_sorted_by(|a, b| a < b) {
                return Err(BreaksError::NotAscending { level: number });
            }
            if grid == Grid::Integer && !level.points.iter().all(|point| point.is_integer()) {
                return Err(BreaksError::NotWhole);
            }
            let intervals = level.points.len() + 1;
            let named =
                |labels: &Vec<String>| labels.len() == intervals && !labels.iter().any(String::is_empty);
            if !level.labels.as_ref().is_none_or(named) {
                return Err(BreaksError::Labels { level: number, intervals });
            }
            let Some(below) = position.checked_sub(1).map(|below| &levels[below]) else { continue };
            let strange = level.points.iter().position(|point| below.points.binary_search(point).is_err());
            if let Some(point) = strange {
                return Err(BreaksError::NotNested { level: number, point: point + 1 });
            }
        }
        let breaks = Breaks { levels, grid };
        for level in 2..=breaks.levels.len() {
            if !breaks.is_monotone(level) {
                return Err(BreaksError::NotMonotone { level });
            }
        }
        Ok(breaks)
    }

    /// The levels, from level 1 up.
    pub fn levels(&self) -> &[BreakLevel] {
        &self.levels
    }

    /// Whether intervals are written by the whole numbers in them.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    pub(super) fn max_level(&self) -> u8 {
        self.levels.len() as u8 + 1
    }

    pub(super) fn label<'a>(
        &self,
        value: Option<&'a str>,
        level: u8,
    ) -> Result<Option<Cow<'a, str>>, Unplaced> {
        let top = level == self.max_level();
        let Some(text) = value else { return Ok(top.then_some(Cow::Borrowed(TOP))) };
        let number: Decimal = text.parse().map_err(|_| Unplaced::NotANumber)?;
        Ok(Some(match level {
            0 => Cow::Borrowed(text),
            _ if top => Cow::Borrowed(TOP),
            _ => {
                let level = &self.levels[usize::from(level) - 1];
                Cow::Owned(self.name(level, level.points.partition_point(|point| *point <= number)))
            }
        }))
    }

    /// The name of interval `index`, which begins at point `index - 1`.
    fn name(&self, level: &BreakLevel, index: usize) -> String {
        if let Some(labels) = &level.labels {
            return labels[index].clone();
        }
        let points = &level.points;
        match (index.checked_sub(1).map(|at| points[at]), points.get(index)) {
            (None, Some(end)) => format!("<{end}"),
            (Some(start), None) => format!(">={start}"),
            (Some(start), Some(end)) if self.grid == Grid::Integer && start >= Decimal::ZERO => {
                let last = end.checked_sub(Decimal::from(1)).unwrap_or(*end);
                if start == last { start.to_string() } else { format!("{start}-{last}") }
            }
            (Some(start), Some(end)) => format!("[{start}, {end})"),
            (None, None) => TOP.to_owned(),
        }
    }

    /// Intervals of equal name one level below have equal names here.
    fn is_monotone(&self, level: usize) -> bool {
        let (below, here) = (&self.levels[level - 2], &self.levels[level - 1]);
        let mut names: Vec<(String, String)> = (0..=below.points.len())
            .map(|index| {
                // An interval lies where its first number does; the lowest has none, and lies lowest.
                let above = match index.checked_sub(1) {
                    Some(at) => here.points.partition_point(|point| *point <= below.points[at]),
                    None => 0,
                };
                (self.name(below, index), self.name(here, above))
            })
            .collect();
        names.sort();
        names.dedup();
        names.windows(2).all(|pair| pair[0].0 != pair[1].0)
    }
}

impl Kind for Breaks {
    fn in_words(&self) -> &'static str {
        "intervals between free points"
    }

    fn max_level(&self) -> u8 {
        Breaks::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Breaks::label(self, value, level)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hierarchy;
    use super::*;
    use proptest::prelude::*;

    fn level(points: &[&str], labels: Option<&[&str]>) -> BreakLevel {
        BreakLevel {
            points: points.iter().map(|point| point.parse().unwrap()).collect(),
            labels: labels.map(|labels| labels.iter().map(|label| (*label).to_owned()).collect()),
        }
    }

    fn labels(breaks: &Breaks, level: u8, values: &[&str]) -> Vec<String> {
        values.iter().map(|value| breaks.label(Some(value), level).unwrap().unwrap().into_owned()).collect()
    }

    #[test]
    fn ends_are_open_and_points_begin_intervals() {
        let age =
            Breaks::new(vec![level(&["18", "19", "65"], None), level(&["18"], None)], Grid::Integer).unwrap();
        assert_eq!(
            labels(&age, 1, &["-3", "17", "18", "19", "64", "65", "400"]),
            ["<18", "<18", "18", "19-64", "19-64", ">=65", ">=65"]
        );
        assert_eq!(labels(&age, 2, &["17", "18", "400"]), ["<18", ">=18", ">=18"]);
        assert_eq!(labels(&age, 3, &["17"]), ["*"]);
        let bmi = Breaks::new(vec![level(&["18.5", "25"], None)], Grid::Decimal).unwrap();
        assert_eq!(labels(&bmi, 1, &["18.49", "18.5", "25"]), ["<18.5", "[18.5, 25)", ">=25"]);
        assert_eq!(bmi.label(None, 1), Ok(None));
        assert_eq!(bmi.label(Some("high"), 1), Err(Unplaced::NotANumber));
    }

    #[test]
    fn names_may_put_intervals_together() {
        let named = level(&["18", "65"], Some(&["not working", "working", "not working"]));
        let breaks = Breaks::new(vec![named.clone()], Grid::Integer).unwrap();
        assert_eq!(labels(&breaks, 1, &["3", "30", "80"]), ["not working", "working", "not working"]);
        let split = Breaks::new(vec![named, level(&["65"], None)], Grid::Integer);
        assert_eq!(split, Err(BreaksError::NotMonotone { level: 2 }));
    }

    #[test]
    fn levels_that_do_not_nest_are_refused() {
        let new = |levels| Breaks::new(levels, Grid::Integer).unwrap_err();
        assert_eq!(new(vec![]), BreaksError::Levels);
        assert_eq!(new(vec![level(&[], None)]), BreaksError::NoPoints { level: 1 });
        assert_eq!(new(vec![level(&["5", "5"], None)]), BreaksError::NotAscending { level: 1 });
        assert_eq!(
            new(vec![level(&["5"], None), level(&["6"], None)]),
            BreaksError::NotNested { level: 2, point: 1 }
        );
        assert_eq!(new(vec![level(&["5.5"], None)]), BreaksError::NotWhole);
        assert_eq!(new(vec![level(&["5"], Some(&["a"]))]), BreaksError::Labels { level: 1, intervals: 2 });
    }

    proptest! {
        #[test]
        fn every_hierarchy_of_breaks_is_monotone(
            points in prop::collection::btree_set(-50i64..50, 1..12), kept in prop::collection::vec(any::<bool>(), 12),
            values in prop::collection::vec(-60i64..60, 1..20),
        ) {
            let all: Vec<Decimal> = points.iter().map(|point| Decimal::from(*point)).collect();
            let some: Vec<Decimal> = all.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(point, _)| *point).collect();
            let mut levels = vec![BreakLevel { points: all, labels: None }];
            if !some.is_empty() {
                levels.push(BreakLevel { points: some, labels: None });
            }
            let hierarchy = Hierarchy::Breaks(Breaks::new(levels, Grid::Integer).unwrap());
            let mut texts: Vec<String> = values.iter().map(i64::to_string).collect();
            texts.sort();
            texts.dedup();
            let cells: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
            prop_assert!(hierarchy.ladder(&cells).is_ok());
        }
    }
}
