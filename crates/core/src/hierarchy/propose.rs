//! Proposes a hierarchy for a column that has none.

use super::{
    DatePart, Dates, Grid, Hierarchy, Intervals, IntervalsSpec, Outliers, Redaction, Rounding, Side,
    group_sorted,
};
use crate::values::{Decimal, ValueType};

/// Up to this many values are shown or hidden, nothing in between.
const FEW: usize = 12;
/// Numbers are worth intervals from this many values on.
const SOME: usize = 5;
/// Longest text that is masked character by character: each one is a level of the lattice.
const SHORT: usize = 8;

/// A hierarchy that works for all values given and ends in a single top: a start for someone to improve on.
///
/// Numbers get intervals of round widths, dates months and up, codes of digits are masked from the right, and
/// texts are masked or grouped by their order. Whatever does not fit is [`Hierarchy::Whole`].
pub fn propose(values: &[Option<&str>], ty: ValueType) -> Hierarchy {
    let mut texts: Vec<&str> = values.iter().copied().flatten().collect();
    texts.sort_unstable();
    texts.dedup();
    let proposal = match ty {
        ValueType::Boolean => None,
        // Numbers of equal length are numbers. With a leading zero they are codes.
        ValueType::Integer if is_code(&texts) && texts[0].starts_with('0') => masked(&texts),
        ValueType::Integer => intervals(&texts, Grid::Integer),
        ValueType::Decimal => intervals(&texts, Grid::Decimal),
        ValueType::Date => dates(&[DatePart::Month, DatePart::Quarter, DatePart::Year, DatePart::Decade]),
        ValueType::DateTime => {
            dates(&[DatePart::Day, DatePart::Month, DatePart::Quarter, DatePart::Year, DatePart::Decade])
        }
        ValueType::String if texts.len() <= FEW => None,
        ValueType::String if longest(&texts) <= SHORT || is_code(&texts) => masked(&texts),
        ValueType::String => ordered(&texts),
    };
    let mut distinct: Vec<Option<&str>> = texts.into_iter().map(Some).collect();
    distinct.extend(values.contains(&None).then_some(None));
    let works = |hierarchy: &Hierarchy| {
        hierarchy.ladder(&distinct).is_ok_and(|ladder| ladder.cardinality(ladder.max_level()) <= 1)
    };
    proposal.filter(works).unwrap_or(Hierarchy::Whole)
}

/// Digits, all of one length.
fn is_code(texts: &[&str]) -> bool {
    let Some(length) = texts.first().map(|text| text.len()) else { return false };
    let digits = |text: &&str| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    (2..=2 * SHORT).contains(&length) && texts.iter().all(digits)
}

fn longest(texts: &[&str]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

fn masked(texts: &[&str]) -> Option<Hierarchy> {
    let alphabet = is_code(texts).then_some(10);
    Redaction::new('*', Side::Right, longest(texts), alphabet).ok().map(Hierarchy::Redaction)
}

fn dates(levels: &[DatePart]) -> Option<Hierarchy> {
    Dates::new(levels.to_vec()).ok().map(Hierarchy::Dates)
}

/// Two levels below the top, with about as many groups in each group as there are groups.
fn ordered(texts: &[&str]) -> Option<Hierarchy> {
    let fan_out = (2..).find(|side: &usize| side.saturating_pow(3) >= texts.len())?;
    group_sorted(texts, ValueType::String, &[fan_out, fan_out]).ok().map(Hierarchy::Table)
}

fn intervals(texts: &[&str], grid: Grid) -> Option<Hierarchy> {
    let mut numbers = texts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<Decimal>>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    let [min, .., max] = numbers[..] else { return None };
    if numbers.len() < SOME {
        return None;
    }
    let widths = round_widths(max.checked_sub(min)?, grid)?;
    // Bounds on a multiple of the widest interval, so that all intervals start on round numbers.
    let widest = *widths.last()?;
    let outwards = |number: Decimal| multiple_below(number, widest);
    let upper = outwards(Decimal::ZERO.checked_sub(max)?)?;
    let spec = IntervalsSpec {
        min: outwards(min)?,
        max: Decimal::ZERO.checked_sub(upper)?,
        widths,
        outliers: Outliers::Label,
        rounding: Rounding::None,
        grid,
    };
    Intervals::new(spec).ok().map(Hierarchy::Intervals)
}

/// 5, 10 and 20 hundredths of the range, more or less: nested widths of one digit and zeros.
fn round_widths(range: Decimal, grid: Grid) -> Option<Vec<Decimal>> {
    let power = |exponent: i32| format!("1e{exponent}").parse::<Decimal>().ok();
    let lowest = if grid == Grid::Integer { 0 } else { -36 };
    let exponent =
        (lowest..36).find(|exponent| power(exponent + 2).is_some_and(|hundred| range <= hundred))?;
    let unit = power(exponent)?;
    let at_most = |units: i64| unit.checked_mul(units.into()).is_some_and(|bound| range <= bound);
    let factors: &[i64] = if at_most(10) {
        &[2]
    } else if at_most(20) && grid == Grid::Integer && exponent == lowest {
        &[2, 10]
    } else if at_most(20) {
        // Twenties and hundreds would begin far from the numbers, and tell little of them.
        &[1, 2, 4]
    } else {
        &[5, 10, 20]
    };
    factors.iter().map(|factor| unit.checked_mul((*factor).into())).collect()
}

fn multiple_below(number: Decimal, width: Decimal) -> Option<Decimal> {
    let scale = width.scale();
    let width = width.units(scale)?;
    let units = number.floor_units(scale).div_euclid(width).checked_mul(width)?;
    Decimal::new(units, scale.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proposal(texts: &[&str], ty: ValueType) -> Hierarchy {
        propose(&texts.iter().map(|text| Some(*text)).collect::<Vec<_>>(), ty)
    }

    fn shown(hierarchy: &Hierarchy, value: &str) -> Vec<String> {
        let labels = (0..=hierarchy.max_level()).map(|level| hierarchy.label(Some(value), level));
        labels.map(|label| label.unwrap().unwrap().into_owned()).collect()
    }

    #[test]
    fn ages_get_round_intervals() {
        let ages = proposal(&["34", "45", "66", "70", "35", "21", "18", "19"], ValueType::Integer);
        assert_eq!(shown(&ages, "34"), ["34", "30-34", "30-39", "20-39", "*"]);
        assert_eq!(shown(&ages, "18")[3], "0-19");
        assert_eq!(shown(&ages, "99")[1], ">80");
    }

    #[test]
    fn widths_follow_the_range() {
        let widths = |texts: &[&str], ty| match proposal(texts, ty) {
            Hierarchy::Intervals(intervals) => {
                intervals.spec().widths.iter().map(|width| width.to_string()).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(widths(&["1", "2", "3", "4", "6"], ValueType::Integer), ["2"]);
        assert_eq!(widths(&["1", "2", "3", "4", "16"], ValueType::Integer), ["2", "10"]);
        assert_eq!(widths(&["1", "2", "3", "4", "30000"], ValueType::Integer), ["5000", "10000", "20000"]);
        assert_eq!(widths(&["45", "60", "80", "120", "160"], ValueType::Integer), ["10", "20", "40"]);
        assert_eq!(widths(&["0.1", "0.2", "0.3", "0.4", "0.61"], ValueType::Decimal), ["0.05", "0.1", "0.2"]);
    }

    #[test]
    fn codes_are_masked_and_dates_become_months() {
        let zip = proposal(&["01067", "81925", "81931", "81951", "82004"], ValueType::Integer);
        assert_eq!(shown(&zip, "01067")[2], "010**");
        let dates = proposal(&["2024-03-09", "09.03.2023"], ValueType::Date);
        assert_eq!(shown(&dates, "2024-03-09"), ["2024-03-09", "2024-03", "2024-Q1", "2024", "2020s", "*"]);
    }

    #[test]
    fn texts_are_kept_whole_or_grouped() {
        assert_eq!(proposal(&["f", "m"], ValueType::String), Hierarchy::Whole);
        assert_eq!(proposal(&["yes", "no"], ValueType::Boolean), Hierarchy::Whole);
        let many: Vec<String> = (0..64).map(|n| format!("occupation {n:02}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let labels = shown(&proposal(&many, ValueType::String), "occupation 05");
        assert_eq!(labels[1..], ["occupation 04..occupation 07", "occupation 00..occupation 15", "*"]);
        assert_eq!(propose(&[], ValueType::Integer), Hierarchy::Whole);
        assert_eq!(propose(&[None], ValueType::Date).ladder(&[None]).unwrap().values(), 1);
    }

    proptest! {
        #[test]
        fn always_works_for_the_values_given(
            texts in prop::collection::btree_set(
                prop_oneof![
                    "-?[0-9]{1,5}", "[0-9]{30}", "0[0-9]{4}", "-?[0-9]{1,3}\\.[0-9]{1,3}",
                    "2[0-9]{3}-0[1-9]-1[0-9]", "\\PC{0,12}",
                ],
                0..40,
            ),
            missing in any::<bool>(),
            ty in 0usize..6,
        ) {
            let ty = [
                ValueType::String, ValueType::Integer, ValueType::Decimal,
                ValueType::Date, ValueType::DateTime, ValueType::Boolean,
            ][ty];
            // Both a pure column and one with values of the wrong type.
            for pure in [true, false] {
                let mut values: Vec<Option<&str>> =
                    texts.iter().map(|text| Some(text.as_str())).collect();
                values.retain(|text| !pure || text.is_some_and(|text| ty.accepts(text)));
                values.extend(missing.then_some(None));
                let ladder = propose(&values, ty).ladder(&values).unwrap();
                prop_assert!(values.is_empty() || ladder.cardinality(ladder.max_level()) == 1);
            }
        }
    }
}
