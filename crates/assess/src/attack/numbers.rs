//! Sensitive values as places on a line, for those who are content with an interval.

use super::labels;
use super::moments::{self, moments};
use paravent_core::values::{Decimal, ValueType};
use paravent_evidence::microdata::Column;
use paravent_prepare::hierarchies::type_of;
use std::collections::BTreeMap;

/// The number of each code of a column of numbers, the day of one of dates, the moment of one of dates with times, and the middle of one of
/// intervals; `None` for other columns. What begins with a zero is a code, whatever it looks like.
pub(super) fn numbers(column: &Column, declared: ValueType) -> Option<Vec<Option<f64>>> {
    let cells: Vec<Option<&str>> = (0..column.labels().len() as u32).map(|code| column.cell(code)).collect();
    let looks_like = match declared {
        ValueType::String => type_of(&cells),
        declared => declared,
    };
    let number = |cell: &str| match looks_like {
        ValueType::Integer | ValueType::Decimal => cell.parse::<Decimal>().ok().map(|number| number.to_f64()),
        ValueType::Date => day(&ValueType::Date.canonical(cell)),
        ValueType::String | ValueType::DateTime | ValueType::Boolean => None,
    };
    let is_code = |cell: &&str| looks_like == ValueType::Integer && cell.len() > 1 && cell.starts_with('0');
    if cells.iter().flatten().any(is_code) {
        return None;
    }
    let numbers: Vec<Option<f64>> = cells.iter().map(|cell| cell.and_then(number)).collect();
    match numbers.iter().any(Option::is_some) {
        true => Some(numbers),
        false => mostly(moments(&cells), &cells).or_else(|| with_unit(&cells)).or_else(|| middles(&cells)),
    }
}

/// What may stand before a number without making it a code: signs of currencies, comparisons, and words for "about".
const BEFORE: [&str; 22] = [
    "", "$", "us$", "€", "£", "¥", "(", "=", "eur", "usd", "chf", "gbp", "fr", "sfr", "rs", "ca", "circa",
    "approx", "about", "etwa", "rund", "max",
];

/// What stands before, the digits with their marks, and what stands behind.
fn parts(cell: &str) -> Option<(&str, &str, &str)> {
    let start = cell.find(|c: char| c.is_ascii_digit())?;
    let front = cell[..start].strip_suffix(['-', '+']).map_or(start, str::len);
    let is_mark = |c: char| ".,'\u{2019}\u{a0}\u{202f} ".contains(c);
    let (mut end, mut last) = (start, start);
    for (at, c) in cell[start..].char_indices() {
        if c.is_ascii_digit() {
            // A blank separates thousands only: three digits follow.
            let gap = &cell[start..][last - start..at];
            let three = cell[start + at..].bytes().take_while(u8::is_ascii_digit).count() == 3;
            if gap.contains(char::is_whitespace) && !three {
                break;
            }
            last = start + at + 1;
            end = last;
        } else if !is_mark(c) {
            break;
        }
    }
    Some((&cell[..front], &cell[front..end], &cell[end..]))
}

/// The same for what people write: `3.000,50 EUR`, `$1,200`, `<0,1 mg/l`, `120/80`, and a few cells that are no numbers. Most cells must be
/// numbers, all of one unit.
fn with_unit(cells: &[Option<&str>]) -> Option<Vec<Option<f64>>> {
    let split = |cell: &str| -> Option<(String, String)> {
        let (front, number, unit) = parts(cell)?;
        let plain = front
            .trim_matches(['<', '>', '\u{2264}', '\u{2265}', '~', '.', ':', ' ', '\u{a0}'])
            .to_lowercase();
        let unit = unit.trim().trim_matches([')', '.']);
        // `120/80`: the first of two numbers speaks for both.
        let unit = match unit.strip_prefix('/') {
            Some(second) if second.starts_with(|c: char| c.is_ascii_digit()) => {
                second.trim_start_matches(|c: char| c.is_ascii_digit())
            }
            _ => unit,
        };
        let is_number = BEFORE.contains(&plain.as_str()) && !unit.contains(|c: char| c.is_ascii_digit());
        let digits = number.trim_start_matches(['-', '+']);
        let is_code = digits.len() > 1 && digits.starts_with('0') && !digits[1..].starts_with(['.', ',']);
        (is_number && !is_code)
            .then(|| (number.to_owned(), format!("{plain} {}", unit.trim().to_lowercase())))
    };
    let parts: Vec<Option<(String, String)>> = cells.iter().map(|cell| cell.and_then(split)).collect();
    let mut units: BTreeMap<&str, usize> = BTreeMap::new();
    parts.iter().flatten().for_each(|(_, unit)| *units.entry(unit).or_insert(0) += 1);
    let (unit, most) = units.into_iter().max_by_key(|(unit, count)| (*count, std::cmp::Reverse(*unit)))?;
    if 10 * most < 8 * cells.iter().flatten().count() {
        return None;
    }
    let unit = unit.to_owned();
    let of_unit = || parts.iter().flatten().filter(|part| part.1 == unit).map(|part| part.0.as_str());
    // A mark that is always followed by three digits, and never by others, separates thousands.
    let thousands = |mark: char| {
        of_unit().all(|number| {
            number
                .split(mark)
                .skip(1)
                .all(|group| group.split(['.', ',']).next().is_some_and(|group| group.len() == 3))
        })
    };
    let comma_is_decimal = of_unit().any(|number| number.contains(',')) && !thousands(',');
    let decimal = if comma_is_decimal { ',' } else { '.' };
    let number = |text: &str| -> Option<f64> {
        let plain: String =
            text.chars().filter(|c| c.is_ascii_digit() || *c == '-' || *c == decimal).collect();
        plain.replace(',', ".").parse().ok()
    };
    let numbers =
        parts.iter().map(|part| part.as_ref().filter(|part| part.1 == unit).and_then(|part| number(&part.0)));
    let numbers: Vec<Option<f64>> = numbers.collect();
    numbers.iter().any(Option::is_some).then_some(numbers)
}

/// Days since a fixed one, from `2024-03-09`.
fn day(date: &str) -> Option<f64> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    Some(moments::day(parts.next()??, parts.next()??, parts.next()??))
}

/// The middles of intervals.
fn middles(cells: &[Option<&str>]) -> Option<Vec<Option<f64>>> {
    mostly(cells.iter().map(|cell| cell.and_then(labels::middle)).collect(), cells)
}

/// The numbers, if most cells have one.
fn mostly(numbers: Vec<Option<f64>>, cells: &[Option<&str>]) -> Option<Vec<Option<f64>>> {
    let found = numbers.iter().flatten().count();
    (found > 0 && 10 * found >= 8 * cells.iter().flatten().count()).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_days_are_laid_on_a_line() {
        let of = |cells: &[&str]| numbers(&Column::of("c", cells.to_vec()), ValueType::String);
        assert_eq!(of(&["3000", "3009.5"]), Some(vec![Some(3000.0), Some(3009.5)]));
        let days = of(&["2024-02-28", "2024-03-01"]).unwrap();
        assert_eq!(days[1].unwrap() - days[0].unwrap(), 2.0, "a leap year");
        assert_eq!(of(&["02138", "02139"]), None, "a code");
        assert_eq!(of(&["flu", "hiv"]), None);
        assert_eq!(of(&["3.000,50 EUR", "3.009,00 EUR"]), Some(vec![Some(3000.5), Some(3009.0)]));
        assert_eq!(of(&["12,5", "7,25"]), Some(vec![Some(12.5), Some(7.25)]));
        assert_eq!(of(&["1,000", "2,500"]), Some(vec![Some(1000.0), Some(2500.0)]));
        assert_eq!(of(&["E11.9", "E11.0"]), None);
        let odd = ["10 mg", "11 mg", "12 mg", "13 mg", "14 mg", "15 mg", "16 mg", "17 mg", "18 mg", "high"];
        assert_eq!(of(&odd).unwrap().iter().flatten().count(), 9);
        assert_eq!(of(&["5 mg", "5 g", "7 l"]), None, "three units are no line");
        for cells in [
            ["$4,000.00", "$4,009.50"],
            ["4 000,00", "4 009,50"],
            ["4\u{202f}000,00 €", "4\u{202f}009,50 €"],
            ["4'000.00", "4'009.50"],
            ["EUR 4000", "EUR 4009.5"],
            ["(4000)", "(4009.5)"],
            ["ca. 4000 ml", "ca. 4009.5 ml"],
            ["CHF 4\u{2019}000.00", "CHF 4\u{2019}009.50"],
            ["+4000 m", "+4009.5 m"],
        ] {
            assert_eq!(of(&cells), Some(vec![Some(4000.0), Some(4009.5)]), "{cells:?}");
        }
        assert_eq!(of(&["-5 mg", "-7 mg"]), Some(vec![Some(-5.0), Some(-7.0)]));
        assert_eq!(of(&["120/80", "135/85 "]), Some(vec![Some(120.0), Some(135.0)]));
        for codes in [["PX-100", "PX-200"], ["Ward 1", "Ward 2"], ["A 12", "A 13"], ["10 20", "30 40"]] {
            assert_eq!(of(&codes), None, "{codes:?}");
        }
    }

    #[test]
    fn moments_and_intervals_are_laid_on_a_line() {
        let of = |cells: &[&str]| numbers(&Column::of("c", cells.to_vec()), ValueType::String);
        let apart = |cells: &[&str; 2]| {
            let found = of(cells).unwrap();
            ((found[1].unwrap() - found[0].unwrap()) * 24.0).round()
        };
        assert_eq!(apart(&["2024-02-28T06:00:00", "2024-03-01T07:00:00"]), 49.0);
        assert_eq!(apart(&["2024-02-28 06:00", "2024-03-01 07:00"]), 49.0);
        assert_eq!(apart(&["28.02.2024 06:00", "28.02.2024 07:00"]), 1.0);
        assert_eq!(apart(&["01/31/2024", "02/01/2024"]), 24.0);
        assert_eq!(apart(&["01/02/2024", "25/02/2024"]), 24.0 * 24.0);
        assert_eq!(apart(&["08:15", "09:15"]), 1.0);
        assert_eq!(of(&["[10, 20[", "[20, 30["]), Some(vec![Some(15.0), Some(25.0)]));
        assert_eq!(of(&["monday", "tuesday"]), None);
    }
}
