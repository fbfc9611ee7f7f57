//! A hierarchy for the values of one column.

use paravent_core::hierarchy::{Hierarchy, group_sorted, propose};
use paravent_core::values::{Decimal, ValueType};

use super::Preset;
use super::meaning::by_meaning;
use super::profile::Column;
use super::shape::Shape;
use super::types::value_type;
use paravent_job::{DateUnit, DecimalText};

/// Up to this many values are shown or hidden, nothing in between.
const FEW: usize = 12;
/// So many of a hundred rows on either side do not decide on the widths of intervals.
const TAIL: u64 = 1;

/// What a shape depends on besides the column.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    /// The day on which ages are counted.
    pub(super) on: String,
    pub(super) rows: u64,
    pub(super) k: u32,
    pub(super) preset: Preset,
}

/// A hierarchy that covers all values and ends in a single top.
pub(super) fn shape_of(column: &Column, around: &Surroundings) -> Shape {
    if let Some(shape) = by_meaning(column, around) {
        return shape;
    }
    let Some(values) = column.values() else { return without_values(column) };
    let values: Vec<(&str, u64)> = values.collect();
    let ty = value_type(column.data_type);
    let mut all: Vec<Option<&str>> = values.iter().map(|(value, _)| Some(*value)).collect();
    all.extend((column.missing > 0).then_some(None));

    let core = match ty {
        ValueType::Integer | ValueType::Decimal => propose(&common(&values), ty),
        _ => propose(&all, ty),
    };
    let shape = match &core {
        // Nothing proposes these without being told what the values are.
        Hierarchy::Whole
        | Hierarchy::Chain(_)
        | Hierarchy::Breaks(_)
        | Hierarchy::Codes(_)
        | Hierarchy::Age(_) => None,
        Hierarchy::Table(_) => return grouped(&values, ty, around),
        Hierarchy::Intervals(_) => intervals(&core),
        // Letters carry no rank: `Be…` tells nothing of Berlin that its place in the order does not.
        Hierarchy::Redaction(redaction) if is_code(&values) && !is_times(&values) => Some(Shape::Redact {
            length: u8::try_from(redaction.length()).unwrap_or(u8::MAX),
            digits: redaction.alphabet().is_some(),
            least: 0,
        }),
        Hierarchy::Redaction(_) => None,
        Hierarchy::Dates(dates) => Some(Shape::Dates(dates.levels().to_vec())),
    };
    let Some(shape) = shape else { return grouped(&values, ty, around) };
    match core.ladder(&all) {
        Ok(ladder) => {
            let groups: Vec<usize> =
                (0..=ladder.max_level()).map(|level| ladder.cardinality(level)).collect();
            without_idle_levels(shape, &groups, column.missing > 0)
        }
        Err(_) => grouped(&values, ty, around),
    }
}

/// Texts are put together by how rare they are: neighbours in the alphabet have nothing in common. Numbers and dates that nothing else
/// fits are put together by their order.
fn grouped(values: &[(&str, u64)], ty: ValueType, around: &Surroundings) -> Shape {
    if ty != ValueType::String || values.len() <= FEW {
        return ordered(values, ty);
    }
    let least = |share: u64| (around.rows / share).max(u64::from(around.k) * 4).max(20);
    let mut levels = vec![least(200), least(50)];
    levels.dedup();
    levels.retain(|&least| {
        values.iter().any(|(_, rows)| *rows >= least) && values.iter().any(|(_, rows)| *rows < least)
    });
    if levels.is_empty() { Shape::Whole } else { Shape::Lump(levels) }
}

/// More values than were kept: only the calendar works for any of them.
fn without_values(column: &Column) -> Shape {
    match value_type(column.data_type) {
        ValueType::Date | ValueType::DateTime => {
            Shape::Dates(vec![DateUnit::Month, DateUnit::Quarter, DateUnit::Year, DateUnit::Decade])
        }
        _ => Shape::Whole,
    }
}

/// Numbers without the outermost ones, if those are so far out that all others would share an interval.
fn common<'a>(values: &[(&'a str, u64)]) -> Vec<Option<&'a str>> {
    let everything = || values.iter().map(|(value, _)| Some(*value)).collect();
    let parsed: Option<Vec<(Decimal, &str, u64)>> =
        values.iter().map(|(value, count)| Some((value.parse().ok()?, *value, *count))).collect();
    let Some(mut numbers) = parsed else { return everything() };
    numbers.sort_unstable();
    let tail = numbers.iter().map(|(_, _, count)| count).sum::<u64>() * TAIL / 100;
    let (mut first, mut last) = (0, numbers.len().saturating_sub(1));
    let mut outside = 0;
    while first < last && outside + numbers[first].2 <= tail {
        outside += numbers[first].2;
        first += 1;
    }
    outside = 0;
    while last > first && outside + numbers[last].2 <= tail {
        outside += numbers[last].2;
        last -= 1;
    }
    let range = |from: usize, to: usize| numbers[to].0.checked_sub(numbers[from].0);
    let far_out = match numbers.is_empty() {
        true => None,
        false => range(first, last).zip(range(0, numbers.len() - 1)),
    };
    let far_out = far_out.is_some_and(|(inner, outer)| {
        inner > Decimal::ZERO && inner.checked_mul(4.into()).is_some_and(|four| four < outer)
    });
    if far_out {
        numbers[first..=last].iter().map(|(_, value, _)| Some(*value)).collect()
    } else {
        everything()
    }
}

/// The job file holds fewer digits than the engine; `None` if they do not suffice.
fn intervals(core: &Hierarchy) -> Option<Shape> {
    let Hierarchy::Intervals(intervals) = core else { return None };
    let spec = intervals.spec();
    let text = |number: &Decimal| DecimalText::new(&number.to_string()).ok();
    Some(Shape::Intervals {
        widths: spec.widths.iter().map(text).collect::<Option<_>>()?,
        min: text(&spec.min)?,
        max: text(&spec.max)?,
    })
}

/// Two levels of neighbours, with about as many groups in each group as there are groups.
fn ordered(values: &[(&str, u64)], ty: ValueType) -> Shape {
    if values.len() <= FEW {
        return Shape::Whole;
    }
    let texts: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
    let fan_out = (2_usize..).find(|side| side.saturating_pow(3) >= texts.len()).unwrap_or(2);
    match u32::try_from(fan_out) {
        Ok(size) if group_sorted(&texts, ty, &[fan_out, fan_out]).is_ok() => {
            Shape::Ordering(vec![size, size])
        }
        _ => Shape::Whole,
    }
}

/// Levels that put nothing together, or everything. `groups`: their number on each level; a missing value is its own.
fn without_idle_levels(shape: Shape, groups: &[usize], missing: bool) -> Shape {
    let least = 1 + usize::from(missing);
    shape.retain(|level| groups[level] < groups[level - 1] && groups[level] > least)
}

/// Times of the day: `1*:**` tells nothing that anybody asks for.
fn is_times(values: &[(&str, u64)]) -> bool {
    let is_time = |value: &str| {
        let mut parts = value.split(':');
        let digits =
            |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        parts.clone().count() >= 2 && parts.all(digits)
    };
    values.iter().all(|(value, _)| is_time(value))
}

/// Every value has a digit.
fn is_code(values: &[(&str, u64)]) -> bool {
    values.iter().all(|(value, _)| value.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::InitOptions;
    use crate::init::profile::{Words, profile};
    use paravent_tables::read::{Input, ReadOptions};
    use paravent_tables::watch::Unwatched;

    fn shape<T: ToString>(cells: impl IntoIterator<Item = T>) -> Shape {
        let lines: Vec<String> = cells.into_iter().map(|cell| format!("{},x\n", cell.to_string())).collect();
        let text = format!("column,other\n{}", lines.concat());
        let input = Input::from_bytes(text.into_bytes(), ReadOptions::new("table.csv"));
        let around = Surroundings { on: "2024-12-31".to_owned(), rows: 1000, k: 5, preset: Preset::General };
        shape_of(
            &profile(&input, &InitOptions::default(), Words::LookedFor, &Unwatched).unwrap().columns[0],
            &around,
        )
    }

    #[test]
    fn builders_follow_the_values() {
        assert_eq!(shape(["f", "m", "f"]), Shape::Whole);
        assert_eq!(shape(0..90).describe(), "intervals of 5, 10, 20");
        assert_eq!(shape((1..60).map(|n| format!("0{:04}", n * 131))).describe(), shape_of_codes());
        let countries: Vec<String> = (0..41).map(|n| format!("country {}", (b'a' + n) as char)).collect();
        assert_eq!(shape(&countries), Shape::Whole);
        let many =
            (0..400).map(|n| if n % 3 == 0 { "Germany".to_owned() } else { format!("country {}", n % 40) });
        assert_eq!(shape(many), Shape::Lump(vec![20]));
        assert_eq!(shape((0..60).map(|n| format!("{:02}:{:02}", n % 24, n))), Shape::Whole);
        // Short words are words, not codes.
        let states = (0..50).map(|n: u8| format!("{}{}", (b'A' + n % 26) as char, (b'A' + n / 26) as char));
        assert_eq!(shape(states), Shape::Whole);
    }

    fn shape_of_codes() -> String {
        Shape::Redact { length: 5, digits: true, least: 0 }.describe()
    }

    #[test]
    fn levels_that_do_nothing_are_left_out() {
        let days = (1..29).flat_map(|day| (1..13).map(move |month| format!("2024-{month:02}-{day:02}")));
        assert_eq!(shape(days), Shape::Dates(vec![DateUnit::Month, DateUnit::Quarter]));
        let firsts = (1980..2020).map(|year| format!("{year}-01-01"));
        assert_eq!(shape(firsts.chain([String::new()])), Shape::Dates(vec![DateUnit::Decade]));
    }

    #[test]
    fn a_few_large_numbers_do_not_decide() {
        let amounts = (0..1000).map(|n| n % 50).chain([1_000_000]);
        assert_eq!(shape(amounts).describe(), "intervals of 5, 10, 20");
    }

    #[test]
    fn numbers_too_large_for_the_job_file_are_grouped_by_order() {
        let numbers = (0..30).map(|n| format!("{}", 10_i128.pow(24) + n * 10_i128.pow(23)));
        assert_eq!(shape(numbers), Shape::Ordering(vec![4, 4]));
    }

    #[test]
    fn bounds_are_round_numbers_outside_the_data() {
        let Shape::Intervals { min, max, .. } = shape((17..=90).filter(|n| n % 7 != 0)) else { panic!() };
        assert_eq!((min.as_str(), max.as_str()), ("0", "100"));
    }
}
