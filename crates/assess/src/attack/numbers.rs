//! Sensitive values as places on a line, for those who are content with an interval.

use super::labels;
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
        false => moments(&cells).or_else(|| with_unit(&cells)).or_else(|| middles(&cells)),
    }
}

/// The same for what people write: `3.000,50 EUR`, `<0,1 mg/l`, times of day, and a few cells that are no numbers. Most cells must be
/// numbers, all of one unit.
fn with_unit(cells: &[Option<&str>]) -> Option<Vec<Option<f64>>> {
    let split = |cell: &str| -> Option<(String, String)> {
        let cell = cell.trim_start_matches(['<', '>', '\u{2264}', '\u{2265}', '~', ' ']);
        let end = cell.find(|c: char| !(c.is_ascii_digit() || ".,-".contains(c))).unwrap_or(cell.len());
        let (number, unit) = cell.split_at(end);
        let is_number =
            number.bytes().any(|byte| byte.is_ascii_digit()) && !unit.contains(|c: char| c.is_ascii_digit());
        let is_code = number.len() > 1 && number.starts_with('0') && !number[1..].starts_with(['.', ',']);
        (is_number && !is_code).then(|| (number.to_owned(), unit.trim().to_lowercase()))
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

/// Days since a fixed one, from `2024-03-09`. Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn day(date: &str) -> Option<f64> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some((365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year) as f64)
}

/// Moments in days, of dates with or without a time in the usual spellings; most cells must be moments. `03/04/2024` is in March unless
/// a cell of the column says otherwise (`25/04/2024`).
fn moments(cells: &[Option<&str>]) -> Option<Vec<Option<f64>>> {
    let slashes = |cell: &str| -> Option<[u32; 3]> {
        let date = cell.trim().split([' ', 'T']).next()?;
        let parts: Vec<u32> = date.split('/').map(str::parse).collect::<Result<_, _>>().ok()?;
        <[u32; 3]>::try_from(parts).ok()
    };
    let day_first = cells.iter().flatten().filter_map(|cell| slashes(cell)).any(|parts| parts[0] > 12);
    let date = |text: &str| -> Option<f64> {
        if let Some([a, b, year]) = slashes(text) {
            let (month, date) = if day_first { (b, a) } else { (a, b) };
            return (year > 999 && month <= 12 && date <= 31)
                .then(|| day(&format!("{year}-{month}-{date}")))
                .flatten();
        }
        ValueType::Date.accepts(text).then(|| day(&ValueType::Date.canonical(text))).flatten()
    };
    let moment = |cell: &str| -> Option<f64> {
        let cell = cell.trim().trim_end_matches('Z');
        let (first, rest) = cell.split_once(['T', ' ']).map_or((cell, None), |(a, b)| (a, Some(b)));
        match rest {
            None => date(first).or_else(|| time(first)),
            Some(rest) => Some(date(first)? + time(rest.trim())?),
        }
    };
    mostly(cells.iter().map(|cell| cell.and_then(moment)).collect(), cells)
}

/// `14:30` or `14:30:05.25`, with or without an offset, as a part of a day.
fn time(text: &str) -> Option<f64> {
    let text = text.split(['+', '-']).next()?;
    let mut parts = text.split(':').map(|part| part.parse::<f64>().ok().filter(|number| *number >= 0.0));
    let (hours, minutes) = (parts.next()??, parts.next()??);
    let seconds = match parts.next() {
        Some(seconds) => seconds?,
        None => 0.0,
    };
    let fits = hours < 25.0 && minutes < 60.0 && seconds < 61.0 && parts.next().is_none();
    fits.then_some(hours / 24.0 + minutes / 1440.0 + seconds / 86_400.0)
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
