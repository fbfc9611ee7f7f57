//! How the cells of a CSV file are written: signs of numbers, forms of dates, and the bytes of characters.
//!
//! The manifest says it; here cells are brought to the spelling that every check works with, and back for the comparison of
//! bytes. A cell that is not written as said stays as it is: then it is a label, or no check will admit it.

use crate::VerifyError;
use crate::calendar::Fields;
use crate::json::Node;

/// How the values of one column are written.
pub(crate) enum Spelling {
    Number {
        decimal: char,
        grouping: Option<char>,
    },
    /// Runs of equal letters, and the signs between them; the first of the hundred years that two digits stand for.
    Moment(Vec<(char, usize)>, u32),
    /// Truth values in two words.
    Truth {
        yes: String,
        no: String,
    },
}

const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";

impl Spelling {
    pub(crate) fn parse(node: &Node<'_>) -> Result<Spelling, VerifyError> {
        let sign = |node: &Node<'_>| {
            let mut signs = node.str()?.chars();
            match (signs.next(), signs.next()) {
                (Some(sign), None) if !sign.is_alphanumeric() && !matches!(sign, '-' | '+') => Ok(sign),
                _ => Err(node.bad("must be a single sign")),
            }
        };
        if let Some(format) = node.optional("format") {
            return Spelling::pattern(format.str()?).ok_or_else(|| format.bad("is no form of dates"));
        }
        if let (Some(yes), Some(no)) = (node.optional("true"), node.optional("false")) {
            let (yes, no) = (yes.str()?.to_owned(), no.str()?.to_owned());
            // Words that stand for the opposite would turn the column round.
            return match yes != no && (yes.as_str(), no.as_str()) != ("false", "true") {
                true => Ok(Spelling::Truth { yes, no }),
                false => Err(node.bad("has no two words for true and false")),
            };
        }
        let decimal = sign(&node.get("decimal")?)?;
        let grouping = node.optional("grouping").map(|node| sign(&node)).transpose()?;
        if grouping == Some(decimal) {
            return Err(node.bad("has one sign for two things"));
        }
        Ok(Spelling::Number { decimal, grouping })
    }

    fn pattern(text: &str) -> Option<Spelling> {
        let (text, first) = match text.rsplit_once(" from ") {
            Some((text, year)) if year.len() == 4 => {
                (text, year.parse().ok().filter(|year| (1..=9900).contains(year))?)
            }
            Some(_) => return None,
            None => (text, 1930),
        };
        let mut runs: Vec<(char, usize)> = Vec::new();
        for letter in text.chars() {
            match runs.last_mut() {
                Some((last, count)) if *last == letter && letter.is_ascii_alphabetic() => *count += 1,
                _ => runs.push((letter, 1)),
            }
        }
        let known = |&(letter, count): &(char, usize)| match letter {
            'd' | 'H' | 'h' => count <= 2,
            'M' => count <= 3,
            'y' => count == 2 || count == 4,
            'm' | 's' => count == 2,
            'a' | 'T' => count == 1,
            _ => !letter.is_alphanumeric(),
        };
        let has = |wanted: char| runs.iter().filter(|(letter, _)| *letter == wanted).count() == 1;
        (runs.iter().all(known) && has('d') && has('M') && has('y')).then_some(Spelling::Moment(runs, first))
    }

    /// The text that checks work with.
    pub(crate) fn plain(&self, cell: &str) -> Option<String> {
        match self {
            Spelling::Number { decimal, grouping } => plain_number(cell, *decimal, *grouping),
            Spelling::Moment(runs, first) => plain_moment(cell, runs, *first),
            Spelling::Truth { yes, .. } if cell == yes => Some("true".to_owned()),
            Spelling::Truth { no, .. } if cell == no => Some("false".to_owned()),
            Spelling::Truth { .. } => None,
        }
    }

    /// The text as it stands in the file.
    pub(crate) fn shown(&self, text: &str) -> Option<String> {
        match self {
            Spelling::Number { decimal, grouping } => shown_number(text, *decimal, *grouping),
            Spelling::Moment(runs, first) => {
                let shown = shown_moment(text, runs)?;
                (plain_moment(&shown, runs, *first)? == text).then_some(shown)
            }
            Spelling::Truth { yes, no } => match text {
                "true" => Some(yes.clone()),
                "false" => Some(no.clone()),
                _ => None,
            },
        }
    }
}

/// Sign, digits, and what begins with an `e`.
fn cut(text: &str) -> (&str, &str, &str) {
    let sign = text.len() - text.trim_start_matches(['+', '-']).len();
    let (sign, rest) = text.split_at(sign.min(1));
    let end = rest.find(['e', 'E']).unwrap_or(rest.len());
    (sign, &rest[..end], &rest[end..])
}

fn is_exponent(text: &str) -> bool {
    let mut bytes = text.bytes().skip(1).peekable();
    bytes.next_if(|byte| matches!(byte, b'+' | b'-'));
    text.is_empty() || (bytes.peek().is_some() && bytes.all(|byte| byte.is_ascii_digit()))
}

fn digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn plain_number(cell: &str, decimal: char, grouping: Option<char>) -> Option<String> {
    let (sign, number, exponent) = cut(cell);
    let mut halves = number.splitn(2, decimal);
    let (whole, fraction) = (halves.next().unwrap_or_default(), halves.next());
    let mut together = String::from(whole);
    if let Some(separator) = grouping.filter(|separator| whole.contains(*separator)) {
        let groups: Vec<&str> = whole.split(separator).collect();
        let well = groups[1..].iter().all(|group| group.len() == 3) && (1..=3).contains(&groups[0].len());
        if !well {
            return None;
        }
        together = groups.concat();
    }
    let empty = together.is_empty() && fraction.unwrap_or_default().is_empty();
    if empty || !digits(&together) || !digits(fraction.unwrap_or_default()) || !is_exponent(exponent) {
        return None;
    }
    let fraction = fraction.map(|fraction| format!(".{fraction}")).unwrap_or_default();
    Some([sign, &together, &fraction, exponent].concat())
}

fn shown_number(text: &str, decimal: char, grouping: Option<char>) -> Option<String> {
    let (sign, number, exponent) = cut(text);
    let mut halves = number.splitn(2, '.');
    let (whole, fraction) = (halves.next().unwrap_or_default(), halves.next());
    if whole.is_empty() || !digits(whole) || !digits(fraction.unwrap_or_default()) || !is_exponent(exponent) {
        return None;
    }
    // From the last digit to the first.
    let mut backwards = String::new();
    for (count, digit) in whole.chars().rev().enumerate() {
        if let Some(separator) = grouping.filter(|_| count > 0 && count % 3 == 0) {
            backwards.push(separator);
        }
        backwards.push(digit);
    }
    let whole: String = backwards.chars().rev().collect();
    let fraction = fraction.map(|fraction| format!("{decimal}{fraction}")).unwrap_or_default();
    Some([sign, &whole, &fraction, exponent].concat())
}

/// Numbers by their letter: day, month, year, hour, minute, second.
#[derive(Default)]
struct Numbers {
    d: u32,
    month: u32,
    y: u32,
    h: Option<u32>,
    m: u32,
    s: Option<u32>,
}

fn plain_moment(cell: &str, runs: &[(char, usize)], first: u32) -> Option<String> {
    let mut rest = cell;
    let mut read = Numbers::default();
    let mut half = None;
    for &(letter, count) in runs {
        match (letter, count) {
            ('a', _) => {
                let word = rest.get(..2)?.to_ascii_lowercase();
                half = Some(match word.as_str() {
                    "am" => 0,
                    "pm" => 12,
                    _ => return None,
                });
                rest = &rest[2..];
            }
            ('M', 3) => {
                let at = MONTHS.find(&rest.get(..3)?.to_ascii_lowercase()).filter(|at| at % 3 == 0)?;
                read.month = at as u32 / 3 + 1;
                rest = &rest[3..];
            }
            ('d' | 'M' | 'y' | 'H' | 'h' | 'm' | 's', _) => {
                let there = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let width = if count == 1 { there.clamp(1, 2) } else { count };
                let number = rest.get(..width).filter(|_| there >= width)?;
                if count == 1 && width == 2 && number.starts_with('0') {
                    return None;
                }
                let value: u32 = number.parse().ok()?;
                rest = &rest[width..];
                match letter {
                    'd' => read.d = value,
                    'M' => read.month = value,
                    'y' if count == 2 => {
                        let century = first - first % 100;
                        read.y = century + value + if value < first % 100 { 100 } else { 0 };
                    }
                    'y' => read.y = value,
                    'h' if !(1..=12).contains(&value) => return None,
                    'H' | 'h' => read.h = Some(value),
                    'm' => read.m = value,
                    _ => read.s = Some(value),
                }
            }
            (sign, _) => rest = rest.strip_prefix(sign)?,
        }
    }
    let date = format!("{:04}-{:02}-{:02}", read.y, read.month, read.d);
    Fields::of(&date).date()?;
    if !rest.is_empty() {
        return None;
    }
    let Some(hour) = read.h else { return Some(date) };
    let hour = half.map_or(hour, |half| hour % 12 + half);
    if hour > 23 || read.m > 59 || read.s.is_some_and(|second| second > 60) {
        return None;
    }
    let seconds = read.s.map(|second| format!(":{second:02}")).unwrap_or_default();
    Some(format!("{date}T{hour:02}:{:02}{seconds}", read.m))
}

fn shown_moment(text: &str, runs: &[(char, usize)]) -> Option<String> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut fields = Fields::of(date);
    let (year, month, day) = fields.date()?;
    fields.end()?;
    let wants_time = runs.iter().any(|(letter, _)| matches!(letter, 'H' | 'h'));
    if wants_time != time.is_some() {
        return None;
    }
    let mut clock = time.unwrap_or("00:00").split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute) = (clock.next()??, clock.next()??);
    let second = clock.next().unwrap_or(Some(0))?;
    let mut shown = String::new();
    for &(letter, count) in runs {
        let number = match letter {
            'd' => day,
            'M' if count == 3 => {
                let name = MONTHS.get(3 * (month as usize - 1)..)?.get(..3)?;
                shown.push_str(&name[..1].to_ascii_uppercase());
                shown.push_str(&name[1..]);
                continue;
            }
            'M' => month,
            'y' if count == 2 => year % 100,
            'y' => year,
            'H' => hour,
            'h' => (hour + 11) % 12 + 1,
            'm' => minute,
            's' => second,
            'a' => {
                shown.push_str(if hour < 12 { "AM" } else { "PM" });
                continue;
            }
            sign => {
                shown.push(sign);
                continue;
            }
        };
        shown.push_str(&format!("{number:0count$}"));
    }
    Some(shown)
}

/// The characters of windows-1252 that are not those of Latin-1, from byte 0x80 on; the five free bytes are control characters.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Bytes of windows-1252 as UTF-8.
pub(crate) fn from_windows(bytes: &[u8], out: &mut Vec<u8>) {
    let mut room = [0; 4];
    for &byte in bytes {
        let character = match byte {
            0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
            _ => char::from(byte),
        };
        out.extend_from_slice(character.encode_utf8(&mut room).as_bytes());
    }
}

/// A text as bytes of windows-1252; `None` if it has a character that is not there.
pub(crate) fn to_windows(text: &str) -> Option<Vec<u8>> {
    let byte = |character: char| match WINDOWS.iter().position(|&known| known == character) {
        Some(place) => Some(0x80 + place as u8),
        None => u8::try_from(u32::from(character)).ok().filter(|byte| !(0x80..=0x9f).contains(byte)),
    };
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn spelling(value: serde_json::Value) -> Spelling {
        Spelling::parse(&Node::root("manifest.json", &value)).unwrap()
    }

    #[test]
    fn numbers_and_dates_come_back() {
        let german = spelling(json!({ "decimal": ",", "grouping": "." }));
        for (cell, text) in [("8.123,4", "8123.4"), ("-1.000.000", "-1000000"), ("5,0", "5.0"), ("12", "12")]
        {
            assert_eq!(german.plain(cell).as_deref(), Some(text));
            assert_eq!(german.shown(text).as_deref(), Some(cell));
        }
        assert_eq!(german.plain("27.5"), None);
        assert_eq!(german.shown("20-39"), None);
        for (form, cell, text) in [
            ("dd.MM.yyyy HH:mm", "09.03.2024 14:05", "2024-03-09T14:05"),
            ("M/d/yyyy h:mm a", "3/9/2024 12:05 AM", "2024-03-09T00:05"),
            ("d MMM yy", "9 Mar 85", "1985-03-09"),
            ("dd.MM.yy from 1922", "09.03.22", "1922-03-09"),
            ("dd.MM.yy from 1922", "09.03.21", "2021-03-09"),
        ] {
            let spelling = spelling(json!({ "format": form }));
            assert_eq!(spelling.plain(cell).as_deref(), Some(text));
            assert_eq!(spelling.shown(text).as_deref(), Some(cell));
        }
        assert_eq!(spelling(json!({ "format": "dd.MM.yyyy" })).plain("30.02.2024"), None);
        let words = spelling(json!({ "true": "ja", "false": "nein" }));
        assert_eq!(
            (words.plain("ja"), words.shown("false")),
            (Some("true".to_owned()), Some("nein".to_owned()))
        );
        assert_eq!((words.plain("*"), words.shown("*")), (None, None));
    }

    #[test]
    fn strange_forms_are_refused() {
        for value in [
            json!({ "format": "dd.MM" }),
            json!({ "format": "xx" }),
            json!({ "format": "dd.MM.yy from 22" }),
            json!({ "decimal": ",,", }),
            json!({ "decimal": "1" }),
            json!({ "decimal": ",", "grouping": "," }),
            json!({}),
        ] {
            assert!(Spelling::parse(&Node::root("manifest.json", &value)).is_err());
        }
    }

    #[test]
    fn every_byte_of_windows_1252_has_a_character() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut text = Vec::new();
        from_windows(&bytes, &mut text);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(to_windows(&text), Some(bytes));
        assert_eq!((to_windows("Łódź"), to_windows("ä€")), (None, Some(vec![0xe4, 0x80])));
    }

    proptest! {
        #[test]
        fn hostile_cells_do_not_panic(cell in any::<String>(), form in "[dMyHhmsa./: -]{0,12}") {
            let _ = spelling(json!({ "decimal": ",", "grouping": "." })).plain(&cell);
            if let Some(spelling) = Spelling::pattern(&form) {
                let _ = (spelling.plain(&cell), spelling.shown(&cell));
            }
        }
    }
}
