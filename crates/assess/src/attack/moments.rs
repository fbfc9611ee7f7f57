//! Dates, with or without a time, and times of day: as people and programs write them, laid on a line in days.

/// The moment of every cell, `None` where the cell is no date. `03/04/2024` is in March unless a cell of the column says otherwise (`25/04/2024`).
pub(super) fn moments(cells: &[Option<&str>]) -> Vec<Option<f64>> {
    let says_day_first = |cell: &str| cell.contains('/') && first_is_day(&words(split(cell).0));
    let day_first = cells.iter().flatten().any(|cell| says_day_first(cell));
    cells.iter().map(|cell| moment(cell.as_ref()?, day_first)).collect()
}

/// The days that a label stands for: the first, and the one after the last. `2024-03-09`, `2024-03`, `2024-Q1`, `2024-W09`, `1950s`.
pub(super) fn span(label: &str) -> Option<(f64, f64)> {
    let (date, time_of_day) = split(label);
    let words = words(date);
    if time_of_day.is_some() {
        let moment = moment(label, first_is_day(&words))?;
        return Some((moment, moment + 1.0 / 86_400.0)).filter(|_| !date.is_empty());
    }
    let year = |word: &str| number(word, 4).filter(|_| word.len() == 4);
    match words[..] {
        [decade] => {
            let first = year(decade.strip_suffix('s')?)?;
            Some((day(first, 1, 1), day(first + 10, 1, 1)))
        }
        [a, b] => {
            let part = |word: &str, mark: char, most: i64| {
                number(word.to_lowercase().strip_prefix(mark)?, 1).filter(|part| (1..=most).contains(part))
            };
            let (in_year, word) = year(a).map(|year| (year, b)).or_else(|| Some((year(b)?, a)))?;
            let months = [('q', 4, 3), ('h', 2, 6)].into_iter().find_map(|(mark, parts, months)| {
                Some(((part(word, mark, parts)? - 1) * months + 1, months))
            });
            if let Some((first, months)) = months {
                return Some((day(in_year, first, 1), after(in_year, first, months)));
            }
            let first = of_two(&words)?;
            match week(word) {
                Some(_) => Some((first, first + 7.0)),
                None => {
                    let month = month(word).or_else(|| number(word, 2))?;
                    Some((first, after(in_year, month, 1)))
                }
            }
        }
        _ => day_of(date, first_is_day(&words)).map(|day| (day, day + 1.0)),
    }
}

/// The first day of the month this number of months later.
fn after(year: i64, month: i64, months: i64) -> f64 {
    let month = month + months;
    if month > 12 { day(year + 1, month - 12, 1) } else { day(year, month, 1) }
}

/// Whether `25/04/2024` cannot be read otherwise.
fn first_is_day(words: &[&str]) -> bool {
    matches!(words[..], [first, second, _] if number(first, 2).is_some_and(|n| n > 12) && number(second, 2).is_some())
}

fn moment(cell: &str, day_first: bool) -> Option<f64> {
    let (date, time_of_day) = split(cell);
    match (date.is_empty(), time_of_day) {
        (false, None) => day_of(date, day_first),
        (true, Some(text)) => time(text),
        (false, Some(text)) => Some(day_of(date, day_first)? + time(text)?),
        (true, None) => None,
    }
}

/// The date and the time of a cell: a time begins with the digits before the first colon.
fn split(cell: &str) -> (&str, Option<&str>) {
    let cell = cell.trim();
    let Some(colon) = cell.find(':') else { return (cell, None) };
    let start = cell[..colon]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + cell[at..].chars().next().map_or(1, char::len_utf8));
    (cell[..start].trim_end_matches(['T', 't', ' ', ',']), Some(&cell[start..]))
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// A number of at most this many digits.
fn number(word: &str, most: usize) -> Option<i64> {
    (word.len() <= most && word.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| word.parse().ok())
        .flatten()
}

/// Beginnings of the names of months in English, German, French, Spanish and Italian.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän", "ene", "gen"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "mrz"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "août", "aou", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

fn month(word: &str) -> Option<i64> {
    let word = word.to_lowercase();
    let begins = |names: &&[&str]| names.iter().any(|name| word.starts_with(name));
    (1..).zip(MONTHS.iter()).find(|(_, names)| begins(names)).map(|(month, _)| month)
}

/// `2024-02-28`, `28.02.2024`, `02/28/24`, `28-Feb-2024`, `Wed, February 28, 2024`.
fn day_of(text: &str, day_first: bool) -> Option<f64> {
    let mut words = words(text);
    if words.len() == 4 && words[0].chars().all(char::is_alphabetic) {
        words.remove(0);
    }
    let [a, b, c] = words[..] else { return of_two(&words) };
    if let Some(week) = week(b).filter(|_| a.len() == 4) {
        return week_of(number(a, 4)?, week, number(c, 1)?);
    }
    let year = |word: &str| match word.len() {
        4 => number(word, 4),
        2 => number(word, 2).map(|year| if year < 70 { 2000 + year } else { 1900 + year }),
        _ => None,
    };
    let (year, month, date) = if let Some(month) = month(a) {
        (year(c)?, month, number(b, 2)?)
    } else if let Some(month) = month(b) {
        (year(c)?, month, number(a, 2)?)
    } else if a.len() == 4 {
        (year(a)?, number(b, 2)?, number(c, 2)?)
    } else {
        let (first, second) = (number(a, 2)?, number(b, 2)?);
        let american = text.contains('/') && !day_first;
        let (month, date) = if american { (first, second) } else { (second, first) };
        (year(c)?, month, date)
    };
    ((1..=12).contains(&month) && (1..=31).contains(&date)).then(|| day(year, month, date))
}

/// `2024-02`, `02/2024`, `Feb 2024`, `2024-W09`: the first day of it.
fn of_two(words: &[&str]) -> Option<f64> {
    let [a, b] = words[..] else { return None };
    let year = |word: &str| number(word, 4).filter(|year| (1900..=2100).contains(year));
    let month_of =
        |word: &str| month(word).or_else(|| number(word, 2)).filter(|month| (1..=12).contains(month));
    if let (Some(year), Some(week)) = (year(a), week(b)) {
        return week_of(year, week, 1);
    }
    let (year, month) = match (year(a), year(b)) {
        (Some(year), None) => (year, month_of(b)?),
        (None, Some(year)) => (year, month_of(a)?),
        _ => return None,
    };
    Some(day(year, month, 1))
}

/// The number behind a `W`.
fn week(word: &str) -> Option<i64> {
    number(word.strip_prefix(['W', 'w'])?, 2).filter(|week| (1..=53).contains(week))
}

/// The weeks of ISO 8601: the first one has 4 January in it and begins on a Monday.
fn week_of(year: i64, week: i64, weekday: i64) -> Option<f64> {
    // 4 January 2024 was a Thursday.
    let fourth = day(year, 1, 4);
    let since_monday = (fourth - day(2024, 1, 1)).rem_euclid(7.0);
    (1..=7).contains(&weekday).then(|| fourth - since_monday + (7 * (week - 1) + weekday - 1) as f64)
}

/// Days since a fixed one. Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
pub(super) fn day(year: i64, month: i64, date: i64) -> f64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    (365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year) as f64
}

/// `14:30`, `2:30 PM`, `14:30:05.25Z`, `14:30+02:00` as a part of a day; with an offset, that of Greenwich.
fn time(text: &str) -> Option<f64> {
    let lower = text.trim().to_lowercase();
    let end = lower.find(|c: char| !(c.is_ascii_digit() || ":.,".contains(c))).unwrap_or(lower.len());
    let (clock, rest) = lower.split_at(end);
    let clock = clock.replace(',', ".");
    let mut parts =
        clock.split(':').map(|part| (part.len() >= 2).then(|| part.parse::<f64>().ok()).flatten());
    let hours = clock.split(':').next()?;
    let (_, minutes) = (parts.next(), parts.next()??);
    let mut hours = hours.parse::<f64>().ok()?;
    let seconds = match parts.next() {
        Some(seconds) => seconds?,
        None => 0.0,
    };
    if hours >= 25.0 || minutes >= 60.0 || seconds >= 61.0 || parts.next().is_some() {
        return None;
    }
    let mut rest = rest.trim();
    for (mark, half) in [("am", 0.0), ("a.m.", 0.0), ("pm", 12.0), ("p.m.", 12.0)] {
        if let Some(after) = rest.strip_prefix(mark) {
            hours = hours % 12.0 + half;
            rest = after.trim();
            break;
        }
    }
    let offset = match rest {
        "" | "z" | "uhr" | "h" | "utc" => 0.0,
        _ => offset(rest)?,
    };
    Some((hours - offset) / 24.0 + minutes / 1440.0 + seconds / 86_400.0)
}

/// Hours of `+02:00`, `-0530` or `+01`.
fn offset(text: &str) -> Option<f64> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1.0, digits),
        ("-" | "\u{2212}", digits) => (-1.0, digits),
        _ => return None,
    };
    let digits: String = digits.chars().filter(|c| *c != ':').collect();
    let hours = number(digits.get(..2)?, 2)? as f64;
    let minutes = match digits.get(2..)? {
        "" => 0.0,
        minutes => number(minutes, 2)? as f64,
    };
    Some(sign * (hours + minutes / 60.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hours between two cells of one column.
    fn apart(cells: [&str; 2]) -> Option<f64> {
        let found = moments(&cells.map(Some));
        Some(((found[1]? - found[0]?) * 24.0 * 60.0).round() / 60.0)
    }

    #[test]
    fn moments_in_many_spellings_are_a_line() {
        for cells in [
            ["2024-02-28T06:00:00", "2024-03-01T07:00:00"],
            ["2024-02-28 06:00", "2024-03-01 07:00"],
            ["2024/02/28 06:00", "2024/03/01 07:00"],
            ["2024-02-28T06:00:00.250Z", "2024-03-01T07:00:00.250Z"],
            ["2024-02-28T08:00:00+02:00", "2024-03-01T07:00:00Z"],
            ["2024-02-28 00:30:00-0530", "2024-03-01 07:00:00+00"],
            ["28.02.2024 06:00", "01.03.2024 07:00"],
            ["28.02.2024, 06:00 Uhr", "01.03.2024, 07:00 Uhr"],
            ["28-02-2024 06:00", "01-03-2024 07:00"],
            ["28.02.24 06:00", "01.03.24 07:00"],
            ["02/28/2024 6:00 AM", "03/01/2024 7:00 AM"],
            ["02/28/2024 6:00:00 PM", "03/01/2024 7:00:00 p.m."],
            ["28/02/2024 06:00", "01/03/2024 07:00"],
            ["28-Feb-2024 06:00", "1-Mar-2024 07:00"],
            ["28. Februar 2024 06:00", "1. März 2024 07:00"],
            ["Wed, 28 Feb 2024 06:00:00 +0000", "Fri, 01 Mar 2024 07:00:00 +0000"],
            ["February 28, 2024 06:00", "March 1, 2024 07:00"],
        ] {
            assert_eq!(apart(cells), Some(49.0), "{cells:?}");
        }
        assert_eq!(apart(["02/28/2024", "03/01/2024"]), Some(48.0), "a leap year");
        assert_eq!(apart(["2024-W09-3", "2024-03-01"]), Some(48.0), "Wednesday to Friday");
        assert_eq!(apart(["2020-W53-7", "2021-W01"]), Some(24.0));
        for cells in [["2024-02", "2024-03"], ["02/2024", "03/2024"], ["Feb 2024", "März 2024"]] {
            assert_eq!(apart(cells), Some(29.0 * 24.0), "{cells:?}");
        }
        assert_eq!(apart(["08:15", "21:15:00"]), Some(13.0));
        assert_eq!(apart(["12:15 AM", "12:15 pm"]), Some(12.0));
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for cell in [
            "",
            "flu",
            "E11.9",
            "10.0.0.7",
            "12-34-5678",
            "2024-13-01",
            "1.2.3",
            "a:b",
            "12:75",
            "3:1",
            "1/2",
            "2024-02-28 25:61",
            "part 1, page 2",
            "0170-12 34 567",
            "ratio 3:4:5:6",
            "30:00",
        ] {
            let found = moments(&[Some(cell)])[0];
            assert_eq!(found, None, "{cell:?}");
        }
    }
}
