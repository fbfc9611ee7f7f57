//! Numbers by nested intervals.

use super::ShareBasis;
use super::kind::Kind;
use super::names::names;
use std::borrow::Cow;

use super::ladder::NewGroup;
use super::{TOP, Unplaced};
use crate::values::Decimal;

/// Numbers by intervals that get wider from level to level, then `*`.
///
/// Interval i of width w is `[min + i·w, min + (i+1)·w)`; the last one ends at `max` and includes it. Each width
/// divides the next, so that every interval is a union of intervals of the level below: 15 years and then
/// 20 years is refused. Arithmetic is exact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intervals {
    spec: IntervalsSpec,
    /// Digits behind the point of all numbers below.
    scale: u8,
    /// In units of `10^-scale`.
    min: i128,
    /// `max − min`, in units.
    range: i128,
    /// In units.
    widths: Vec<i128>,
}

/// What [`Intervals`] are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntervalsSpec {
    /// Width of the intervals on level 1 and up.
    pub widths: Vec<Decimal>,
    /// Lower bound, where the first interval starts.
    pub min: Decimal,
    /// Upper bound, which belongs to the last interval.
    pub max: Decimal,
    /// What becomes of numbers outside the bounds.
    pub outliers: Outliers,
    /// How a number is made whole before it is placed; only on the integer grid.
    pub rounding: Rounding,
    /// How intervals are written.
    pub grid: Grid,
}

/// What becomes of numbers outside the bounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Outliers {
    /// They are `<min` and `>max` (`<0`, `>100`) on every level from 1 below the top.
    #[default]
    Label,
    /// They belong to the first or last interval.
    Clamp,
    /// They have no place.
    Refuse,
}
names!(Outliers { Label: "label", Clamp: "clamp", Refuse: "refuse" });

/// How a number is made whole before it is placed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Not at all: 24.5 lies in `20-24`, the interval from 20 up to 25.
    #[default]
    None,
    /// To the whole number below.
    Down,
    /// To the nearest whole number, halves away from zero.
    Nearest,
    /// To the whole number above.
    Up,
}
names!(Rounding { None: "none", Down: "down", Nearest: "nearest", Up: "up" });

/// How intervals are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// By the whole numbers in them, `20-24`; below zero `[-5, 0)`.
    Integer,
    /// By their bounds, `[0.5, 1)`.
    Decimal,
}
names!(Grid { Integer: "integer", Decimal: "decimal" });

/// Why numbers make no intervals. Levels count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IntervalsError {
    /// No width, or more than 254.
    #[error("intervals need 1 to 254 widths, one for each level below the top")]
    Widths,
    /// A width of zero or less.
    #[error("the width of level {level} has to be above zero")]
    NotPositive {
        /// The level.
        level: usize,
    },
    /// A width that is no multiple of the one below.
    #[error("the width of level {level} has to be a multiple of the width of level {}", level - 1)]
    NotNested {
        /// The upper level.
        level: usize,
    },
    /// `min` is not below `max`.
    #[error("the lower bound has to be below the upper bound")]
    Bounds,
    /// Fractions on the integer grid.
    #[error("bounds and widths have to be whole numbers on the integer grid")]
    NotWhole,
    /// Rounding where intervals are written by their bounds.
    #[error("rounding to whole numbers needs the integer grid")]
    Rounding,
    /// Bounds and widths that cannot be written with 38 digits on a common scale.
    #[error("bounds and widths are too far apart to be computed exactly")]
    TooFine,
}

/// Where a number is.
enum Place {
    Below,
    /// Distance from `min` in units, rounded down.
    Within(i128),
    Above,
}

/// One interval, in units.
struct Interval {
    start: i128,
    /// First number that does not belong to it; for the last interval the last that does.
    end: i128,
    last: bool,
}

impl Intervals {
    /// Checks bounds and widths.
    pub fn new(spec: IntervalsSpec) -> Result<Intervals, IntervalsError> {
        if !(1..usize::from(u8::MAX)).contains(&spec.widths.len()) {
            return Err(IntervalsError::Widths);
        }
        if spec.min >= spec.max {
            return Err(IntervalsError::Bounds);
        }
        let numbers = || spec.widths.iter().chain([&spec.min, &spec.max]);
        if spec.grid == Grid::Integer && !numbers().all(|number| number.is_integer()) {
            return Err(IntervalsError::NotWhole);
        }
        if spec.grid == Grid::Decimal && spec.rounding != Rounding::None {
            return Err(IntervalsError::Rounding);
        }
        let scale = numbers().map(|number| number.scale()).max().unwrap_or(0);
        let units = |number: &Decimal| number.units(scale).ok_or(IntervalsError::TooFine);
        let widths = spec.widths.iter().map(units).collect::<Result<Vec<_>, _>>()?;
        if let Some(position) = widths.iter().position(|width| *width <= 0) {
            return Err(IntervalsError::NotPositive { level: position + 1 });
        }
        if let Some(position) = widths.windows(2).position(|pair| pair[1] % pair[0] != 0) {
            return Err(IntervalsError::NotNested { level: position + 2 });
        }
        let (min, max) = (units(&spec.min)?, units(&spec.max)?);
        let range = max.checked_sub(min).ok_or(IntervalsError::TooFine)?;
        Ok(Intervals { spec, scale, min, range, widths })
    }

    /// What they are made of.
    pub fn spec(&self) -> &IntervalsSpec {
        &self.spec
    }

    pub(super) fn max_level(&self) -> u8 {
        self.widths.len() as u8 + 1
    }

    pub(super) fn label<'a>(
        &self,
        value: Option<&'a str>,
        level: u8,
    ) -> Result<Option<Cow<'a, str>>, Unplaced> {
        let top = level == self.max_level();
        let Some(text) = value else { return Ok(top.then_some(Cow::Borrowed(TOP))) };
        let place = self.place(text)?;
        Ok(Some(match (level, place) {
            (0, _) => Cow::Borrowed(text),
            _ if top => Cow::Borrowed(TOP),
            (_, Place::Below) => Cow::Owned(format!("<{}", self.spec.min)),
            (_, Place::Above) => Cow::Owned(format!(">{}", self.spec.max)),
            (_, Place::Within(offset)) => Cow::Owned(self.write(&self.interval(offset, level))),
        }))
    }

    /// `(U' − L') / (max − min)` with the ends as the label shows them, 4 for `20-24`. The outlier groups are
    /// open to one side and tell least: 1. A missing value is exact below the top.
    pub(super) fn loss(&self, group: &NewGroup<'_>) -> f64 {
        if group.level == self.max_level() {
            return 1.0;
        }
        match group.first.map(|text| self.place(text)) {
            None => 0.0,
            Some(Ok(Place::Within(offset))) => {
                let Interval { start, end, last } = self.interval(offset, group.level);
                let excluded = i128::from(self.spec.grid == Grid::Integer && !last);
                numeric_loss(end - excluded - start, self.range)
            }
            Some(_) => 1.0,
        }
    }

    fn place(&self, text: &str) -> Result<Place, Unplaced> {
        let number: Decimal = text.parse().map_err(|_| Unplaced::NotANumber)?;
        let number = match self.spec.rounding {
            Rounding::None => Some(number),
            Rounding::Down => Decimal::new(number.floor(), 0),
            Rounding::Nearest => Decimal::new(number.round(), 0),
            Rounding::Up => Decimal::new(number.ceil(), 0),
        };
        let number = number.ok_or(Unplaced::NotANumber)?;
        let place = if number < self.spec.min {
            Place::Below
        } else if number > self.spec.max {
            Place::Above
        } else {
            Place::Within(number.floor_units(self.scale) - self.min)
        };
        match (place, self.spec.outliers) {
            (Place::Below | Place::Above, Outliers::Refuse) => Err(Unplaced::OutOfBounds),
            (Place::Below, Outliers::Clamp) => Ok(Place::Within(0)),
            (Place::Above, Outliers::Clamp) => Ok(Place::Within(self.range)),
            (place, _) => Ok(place),
        }
    }

    /// Nothing overflows: all ends lie between the bounds.
    fn interval(&self, offset: i128, level: u8) -> Interval {
        let width = self.widths[usize::from(level) - 1];
        let last = (self.range - 1) / width;
        let index = (offset / width).min(last);
        let start = self.min + index * width;
        if index == last {
            Interval { start, end: self.min + self.range, last: true }
        } else {
            Interval { start, end: start + width, last: false }
        }
    }

    fn write(&self, interval: &Interval) -> String {
        let Interval { start, end, last } = *interval;
        if self.spec.grid == Grid::Integer && start >= 0 {
            let end = if last { end } else { end - 1 };
            return if start == end { start.to_string() } else { format!("{start}-{end}") };
        }
        let closing = if last { ']' } else { ')' };
        format!("[{}, {}{closing}", self.shown(start), self.shown(end))
    }

    fn shown(&self, units: i128) -> String {
        // Both ends lie between bounds that are decimals, so this one is too.
        Decimal::new(units, self.scale.into()).map_or_else(String::new, |number| number.to_string())
    }
}

impl Kind for Intervals {
    fn in_words(&self) -> &'static str {
        "intervals"
    }

    fn max_level(&self) -> u8 {
        Intervals::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Intervals::label(self, value, level)
    }

    fn share_basis(&self) -> ShareBasis {
        ShareBasis::Hierarchy
    }

    fn loss(&self, group: &NewGroup<'_>, _: usize) -> f64 {
        Intervals::loss(self, group)
    }
}

/// Share of the domain that an interval covers, clipped to 0..=1.
fn numeric_loss(length: i128, range: i128) -> f64 {
    (length as f64 / range as f64).clamp(0.0, 1.0)
}

#[cfg(test)]
#[path = "intervals_tests.rs"]
mod tests;
