//! `intervals`: numbers in ranges of growing width.

use super::Kind;
use crate::types::Type;
use num_bigint::BigInt;

use super::TOP;
use crate::VerifyError;
use crate::decimal::{Decimal, Rounding};
use crate::json::Node;

/// Interval i of width w is `[min + i·w, min + (i+1)·w)`; the last one ends at `max` and includes it.
///
/// All numbers are kept as whole multiples of `10^-scale`, so every comparison is exact.
pub(crate) struct Intervals {
    widths: Vec<BigInt>,
    min: BigInt,
    max: BigInt,
    scale: usize,
    grid: Grid,
    rounding: Rounding,
    outliers: Outliers,
}

/// What becomes of values outside `[min, max]`.
#[derive(Clone, Copy, PartialEq)]
enum Outliers {
    Label,
    Clamp,
    Refuse,
}

#[derive(Clone, Copy, PartialEq)]
enum Grid {
    Integer,
    Decimal,
}

impl Intervals {
    pub(super) fn parse(node: &Node<'_>, _: Type) -> Result<Intervals, VerifyError> {
        let (min, max) = (node.get("min")?, node.get("max")?);
        let (least, greatest) = (min.decimal()?, max.decimal()?);
        let list = node.get("widths")?;
        let widths = list.items()?.map(|item| item.decimal()).collect::<Result<Vec<_>, _>>()?;
        let grid = node.get("grid")?;
        let kind = match grid.str()? {
            "integer" => Grid::Integer,
            "decimal" => Grid::Decimal,
            _ => return Err(grid.bad("must be integer or decimal")),
        };
        let outliers = node.get("outliers")?;
        let outside = match outliers.str()? {
            "label" => Outliers::Label,
            "clamp" => Outliers::Clamp,
            "refuse" => Outliers::Refuse,
            _ => return Err(outliers.bad("must be label, clamp or refuse")),
        };
        let rounding = node.get("rounding")?;
        let how = match rounding.str()? {
            "none" => Rounding::None,
            "down" => Rounding::Down,
            "nearest" => Rounding::Nearest,
            "up" => Rounding::Up,
            _ => return Err(rounding.bad("must be none, down, nearest or up")),
        };
        let scale = widths.iter().chain([&least, &greatest]).map(Decimal::scale).max().unwrap_or(0);
        if kind == Grid::Integer && scale > 0 {
            return Err(grid.bad("is integer, but the intervals do not start at whole numbers"));
        }
        let scaled = |decimal: &Decimal| decimal.scaled_to(scale).unwrap_or_default();
        let widths: Vec<BigInt> = widths.iter().map(scaled).collect();
        if widths.iter().any(|width| *width <= BigInt::ZERO) {
            return Err(list.bad("must all be above 0"));
        }
        if widths.windows(2).any(|pair| &pair[1] % &pair[0] != BigInt::ZERO) {
            return Err(list.bad("must each divide the next"));
        }
        let (min, max) = match (scaled(&least), scaled(&greatest)) {
            (least, greatest) if least <= greatest => (least, greatest),
            _ => return Err(max.bad("must not be below min")),
        };
        Ok(Intervals { widths, min, max, scale, grid: kind, rounding: how, outliers: outside })
    }

    pub(super) fn height(&self) -> u64 {
        self.widths.len() as u64 + 1
    }

    /// A value must have a place in the intervals even where it is released as it came in.
    pub(super) fn admits_value(&self, text: &str) -> bool {
        let Some(value) = Decimal::parse(text) else { return false };
        let value = value.rounded(self.rounding);
        let end = |end: &BigInt| Decimal::new(end.clone(), self.scale);
        self.outliers != Outliers::Refuse || (end(&self.min) <= value && value <= end(&self.max))
    }

    pub(super) fn admits_label(&self, level: u64, text: &str) -> bool {
        if level == self.height() {
            return text == TOP;
        }
        let width = level.checked_sub(1).and_then(|index| self.widths.get(usize::try_from(index).ok()?));
        width.is_some_and(|width| self.is_outlier_label(text) || self.is_interval_label(width, text))
    }

    fn is_outlier_label(&self, text: &str) -> bool {
        self.outliers == Outliers::Label
            && (text.strip_prefix('<').is_some_and(|end| end == self.text(&self.min))
                || text.strip_prefix('>').is_some_and(|end| end == self.text(&self.max)))
    }

    /// Reads the lower end, finds the interval that starts there and compares with how that one is spelled.
    fn is_interval_label(&self, width: &BigInt, text: &str) -> bool {
        let bracketed = text.strip_prefix('[');
        let lower = match bracketed {
            Some(rest) => rest.split(',').next(),
            None => text.split('-').next(),
        };
        let lower = lower.and_then(Decimal::parse).and_then(|lower| lower.scaled_to(self.scale));
        let Some(lower) = lower else { return false };
        let offset = &lower - &self.min;
        if offset < BigInt::ZERO || &offset % width != BigInt::ZERO {
            return false;
        }
        // The interval that would start at max is part of the one before, unless it is the only one.
        if lower > self.max || (lower == self.max && lower > self.min) {
            return false;
        }
        let open_end = &lower + width;
        let is_last = open_end >= self.max;
        let end = if is_last { &self.max } else { &open_end };
        let brackets =
            || format!("[{}, {}{}", self.text(&lower), self.text(end), if is_last { ']' } else { ')' });
        match self.grid {
            Grid::Decimal => text == brackets(),
            Grid::Integer => {
                let inclusive = if is_last { end.clone() } else { end - 1 };
                if lower < BigInt::ZERO {
                    text == brackets()
                } else if lower == inclusive {
                    text == self.text(&lower)
                } else {
                    text == format!("{}-{}", self.text(&lower), self.text(&inclusive))
                }
            }
        }
    }

    fn text(&self, number: &BigInt) -> String {
        Decimal::new(number.clone(), self.scale).to_string()
    }
}

impl Kind for Intervals {
    fn height(&self) -> u64 {
        Intervals::height(self)
    }

    fn admits_label(&self, level: u64, text: &str) -> bool {
        Intervals::admits_label(self, level, text)
    }

    fn admits_value(&self, text: &str, kind: Type) -> bool {
        kind.fits(text) && Intervals::admits_value(self, text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_labels, hierarchy, try_hierarchy};
    use crate::types::Type;
    use serde_json::{Value, json};

    fn intervals(widths: &[&str], min: &str, max: &str, outliers: &str, grid: &str) -> Value {
        json!({ "kind": "intervals", "widths": widths, "min": min, "max": max, "outliers": outliers,
                "rounding": "none", "grid": grid })
    }

    #[test]
    fn integers_are_labelled_with_both_ends() {
        let age = hierarchy(intervals(&["1", "5", "20"], "0", "100", "refuse", "integer"), Type::Integer);
        assert_eq!(age.height(), 4);
        assert_labels(&age, 1, &["0", "17", "98", "99-100"], &["99", "100", "101", "17-17", "017"]);
        assert_labels(
            &age,
            2,
            &["0-4", "20-24", "95-100"],
            &["20-25", "21-25", "95-99", "100", "100-104", "20", "0-19"],
        );
        assert_labels(&age, 3, &["0-19", "80-100"], &["20-24", "80-99", "<0", ">100", "[0, 20)", "*"]);
        assert_labels(&age, 4, &["*"], &["0-100"]);
        assert!(age.admits(3, None, Type::Integer) && !age.admits(4, None, Type::Integer));
    }

    #[test]
    fn a_range_that_is_no_multiple_ends_early() {
        let age = hierarchy(intervals(&["5", "10"], "0", "97", "refuse", "integer"), Type::Integer);
        assert_labels(&age, 1, &["95-97", "90-94"], &["95-99"]);
        assert_labels(&age, 2, &["90-97"], &["90-99"]);
    }

    #[test]
    fn a_range_of_one_number_has_one_interval() {
        let one = hierarchy(intervals(&["5"], "7", "7", "refuse", "integer"), Type::Integer);
        assert_labels(&one, 1, &["7"], &["7-7", "7-11", "2-6"]);
    }

    #[test]
    fn negative_ends_are_written_with_brackets() {
        let balance = hierarchy(intervals(&["5"], "-10", "5", "label", "integer"), Type::Integer);
        assert_labels(
            &balance,
            1,
            &["[-10, -5)", "[-5, 0)", "0-5", "<-10", ">5"],
            &["-5--1", "[0, 5]", "<5", ">-10", "<", "["],
        );
        let single = hierarchy(intervals(&["1"], "-5", "0", "clamp", "integer"), Type::Integer);
        assert_labels(&single, 1, &["[-5, -4)", "[-1, 0]"], &["-5", "[-5, -5]", "0"]);
        let below = hierarchy(intervals(&["5"], "-5", "0", "clamp", "integer"), Type::Integer);
        assert_labels(&below, 1, &["[-5, 0]"], &["[-5, 0)", "<-5", ">0"]);
    }

    #[test]
    fn a_value_outside_has_no_place_where_outliers_are_refused() {
        let with = |outliers: &str, rounding: &str| {
            let mut spec = intervals(&["5"], "0", "100", outliers, "integer");
            spec["rounding"] = rounding.into();
            hierarchy(spec, Type::Decimal)
        };
        let admits =
            |hierarchy: &super::super::Hierarchy, text| hierarchy.admits(0, Some(text), Type::Decimal);
        assert!(admits(&with("refuse", "none"), "100") && !admits(&with("refuse", "none"), "100.1"));
        assert!(admits(&with("refuse", "down"), "100.9") && !admits(&with("refuse", "up"), "100.1"));
        assert!(admits(&with("label", "none"), "101") && admits(&with("clamp", "none"), "-1"));
        assert!(!admits(&with("label", "none"), "many"));
    }

    #[test]
    fn decimals_are_always_written_with_brackets() {
        let dose = hierarchy(intervals(&["0.5", "1"], "0", "100", "label", "decimal"), Type::Decimal);
        assert_labels(
            &dose,
            1,
            &["[0.5, 1)", "[99.5, 100]", "<0", ">100"],
            &["[0.50, 1)", "[99.5, 100)", "[0.5,1)", "0.5", "[0.25, 0.75)"],
        );
        assert_labels(&dose, 2, &["[0, 1)", "[99, 100]"], &["[0.5, 1)"]);
    }

    #[test]
    fn absurd_numbers_are_refused_or_cost_nothing() {
        let huge = "9".repeat(300);
        let wide = hierarchy(intervals(&[&huge], "-1e300", "1e300", "label", "integer"), Type::Integer);
        assert_labels(&wide, 1, &[], &["0-1", "[0, 1)"]);
        for (widths, min, max, grid) in [
            (&["0"][..], "0", "1", "integer"),
            (&["-1"], "0", "1", "integer"),
            (&["15", "20"], "0", "100", "integer"),
            (&["1"], "2", "1", "integer"),
            (&["0.5"], "0", "1", "integer"),
            (&["1e999999999"], "0", "1", "decimal"),
            (&["x"], "0", "1", "decimal"),
            (&["1"], "0", "1", "hexagonal"),
        ] {
            assert!(try_hierarchy(intervals(widths, min, max, "label", grid), Type::Decimal).is_err());
        }
    }
}
