//! Labels of tables of which it is not known how they were generalized: the values that can be behind them.
//!
//! Tools write intervals (`20-39`, `[20, 40[`, `>= 60`, `20 to 39`, `under 20`), masks (`021**`, `021xx`, `021*`), months, quarters and years (`2024-Q1`), and stars.
//! Two such labels fit if some value has both, and a label covers a raw value if it is one of those behind it. What is none of these stands for itself.

use super::moments::{day, span};
use std::borrow::Cow;
use std::cmp::Ordering;

/// The values that a label may stand for.
#[derive(Clone, Debug, PartialEq)]
enum Meaning<'a> {
    /// Any value.
    Any,
    /// Numbers from the first to the second; whether the ends belong to them.
    Numbers((f64, bool), (f64, bool)),
    /// Days from the first to before the second.
    Days(f64, f64),
    /// A text in which marks stand for any character.
    Mask(Cow<'a, str>),
    /// Itself.
    Text(&'a str),
}

const MASK: char = '*';

fn meaning(label: &str) -> Meaning<'_> {
    let label = label.trim();
    if !label.is_empty() && label.chars().all(|c| c == MASK) {
        return Meaning::Any;
    }
    if let Some((low, high)) = interval(label) {
        return Meaning::Numbers(low, high);
    }
    if label.contains(MASK) {
        return Meaning::Mask(label.into());
    }
    match masked_otherwise(label) {
        Some(mask) => Meaning::Mask(mask.into()),
        None => span(label).map_or(Meaning::Text(label), |(from, to)| Meaning::Days(from, to)),
    }
}

/// Signs that tools put for what is hidden, where two or more of one stand behind a digit.
const OTHER_MASKS: [char; 6] = ['x', 'X', '#', '_', '?', '\u{2022}'];

/// `021xx` and `8212##` with the usual mark.
fn masked_otherwise(label: &str) -> Option<String> {
    let sign = label.chars().next_back().filter(|sign| OTHER_MASKS.contains(sign))?;
    let shown = label.trim_end_matches(sign);
    let hidden = label[shown.len()..].chars().count();
    let is_mask = hidden > 1 && shown.ends_with(|c: char| c.is_ascii_digit());
    is_mask.then(|| format!("{shown}{}", MASK.to_string().repeat(hidden)))
}

/// Years as ranges of days, where the numbers can be years.
fn years((low, _): End, (high, _): End) -> Option<(f64, f64)> {
    let is_year = |year: f64| year.fract() == 0.0 && (1000.0..=3000.0).contains(&year);
    (is_year(low) && is_year(high)).then(|| (day(low as i64, 1, 1), day(high as i64 + 1, 1, 1)))
}

type End = (f64, bool);

/// A number, or what tools write for an interval.
fn interval(label: &str) -> Option<(End, End)> {
    let number = |text: &str| -> Option<f64> {
        let text = text.trim();
        let is_plain = text.chars().all(|c| c.is_ascii_digit() || ".-+".contains(c));
        // A code that begins with a zero is no number.
        let digits = text.trim_start_matches(['-', '+']);
        let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        text.parse().ok().filter(|number: &f64| is_plain && !is_code && number.is_finite())
    };
    if let Some(exact) = number(label) {
        return Some(((exact, true), (exact, true)));
    }
    for (mark, below, closed) in [
        ("<=", true, true),
        ("\u{2264}", true, true),
        ("<", true, false),
        (">=", false, true),
        ("\u{2265}", false, true),
        (">", false, false),
        ("under ", true, false),
        ("below ", true, false),
        ("unter ", true, false),
        ("up to ", true, true),
        ("bis ", true, true),
        ("over ", false, false),
        ("above ", false, false),
        ("\u{fc}ber ", false, false),
        ("from ", false, true),
        ("ab ", false, true),
    ] {
        if let Some(end) = label.strip_prefix(mark).and_then(number) {
            let (low, high) = ((f64::NEG_INFINITY, false), (f64::INFINITY, false));
            return Some(if below { (low, (end, closed)) } else { ((end, closed), high) });
        }
    }
    for (mark, below) in [
        ("+", false),
        (" and over", false),
        (" and older", false),
        (" und mehr", false),
        (" und \u{e4}lter", false),
        (" and under", true),
        (" and younger", true),
        (" und j\u{fc}nger", true),
    ] {
        if let Some(end) = label.strip_suffix(mark).and_then(number) {
            let (low, high) = ((f64::NEG_INFINITY, false), (f64::INFINITY, false));
            return Some(if below { (low, (end, true)) } else { ((end, true), high) });
        }
    }
    if let Some(found) = in_words(label, number) {
        return Some(found);
    }
    let (opens, rest) = match label.strip_prefix(['[', ']', '(']) {
        Some(rest) => (!label.starts_with('['), rest),
        None => (false, label),
    };
    let (closes, inner) = match rest.strip_suffix(['[', ']', ')']) {
        Some(inner) => (!rest.ends_with(']'), inner),
        None => (false, rest),
    };
    let in_brackets = inner.len() + 2 == label.len();
    let marks: &[&str] = if in_brackets {
        &[",", ";", "..", "\u{2013}", "-"]
    } else {
        &["\u{2013}", "..", " - ", "-", " to ", " bis ", " \u{e0} "]
    };
    for mark in marks {
        // A minus may come first.
        for (at, _) in inner.match_indices(mark).filter(|(at, _)| *at > 0) {
            let ends = (number(&inner[..at]), number(&inner[at + mark.len()..]));
            if let (Some(low), Some(high)) = ends
                && low <= high
            {
                return Some(((low, !opens), (high, !closes)));
            }
        }
    }
    None
}

/// What stands before and between two numbers in words, and whether the second number belongs to the interval.
const IN_WORDS: [(&str, &str, bool); 12] = [
    ("", " to under ", false),
    ("", " to less than ", false),
    ("", " bis unter ", false),
    ("", "-<", false),
    ("", " - <", false),
    (">=", " and <", false),
    ("\u{2265}", " and <", false),
    ("from ", " to ", true),
    ("between ", " and ", true),
    ("von ", " bis ", true),
    ("zwischen ", " und ", true),
    ("", " through ", true),
];
/// What may stand behind an interval of ages.
const UNITS: [&str; 6] = [" years old", " years", " yrs", " Jahre", " J.", " ans"];

/// `20 to under 40`, `from 20 to 39`, `20-39 years`.
fn in_words(label: &str, number: impl Fn(&str) -> Option<f64>) -> Option<(End, End)> {
    if let Some(without) = UNITS.iter().find_map(|unit| label.strip_suffix(unit)) {
        return interval(without.trim_end());
    }
    IN_WORDS.iter().find_map(|(before, between, closed)| {
        let (low, high) = label.strip_prefix(before)?.split_once(between)?;
        let (low, high) = (number(low)?, number(high)?);
        (low <= high).then_some(((low, true), (high, *closed)))
    })
}

/// The middle of an interval.
pub(super) fn middle(label: &str) -> Option<f64> {
    let ((low, _), (high, _)) = interval(label.trim())?;
    (low.is_finite() && high.is_finite() && low < high).then(|| f64::midpoint(low, high))
}

/// Whether some value has both labels.
pub(super) fn fit(one: &str, two: &str) -> bool {
    match (meaning(one), meaning(two)) {
        (Meaning::Any, _) | (_, Meaning::Any) => true,
        (Meaning::Numbers(a_low, a_high), Meaning::Numbers(b_low, b_high)) => {
            let below = |low: End, high: End| low.0 < high.0 || (low.0 == high.0 && low.1 && high.1);
            below(a_low, b_high) && below(b_low, a_high)
        }
        (Meaning::Mask(a), Meaning::Mask(b)) => overlaid(&a, &b),
        (Meaning::Mask(a), Meaning::Text(b)) | (Meaning::Text(b), Meaning::Mask(a)) => overlaid(&a, b),
        // `4*` beside 41, or beside 40-49.
        (Meaning::Mask(mask), Meaning::Numbers(..)) => {
            overlaid(&mask, two.trim()) || masks_number(&mask, two)
        }
        (Meaning::Numbers(..), Meaning::Mask(mask)) => {
            overlaid(&mask, one.trim()) || masks_number(&mask, one)
        }
        (Meaning::Days(a, a_end), Meaning::Days(b, b_end)) => a < b_end && b < a_end,
        (Meaning::Days(from, to), Meaning::Numbers(low, high))
        | (Meaning::Numbers(low, high), Meaning::Days(from, to)) => {
            years(low, high).is_some_and(|(first, end)| from < end && first < to)
        }
        (Meaning::Mask(mask), Meaning::Days(..)) => overlaid(&mask, two.trim()),
        (Meaning::Days(..), Meaning::Mask(mask)) => overlaid(&mask, one.trim()),
        (Meaning::Days(..), Meaning::Text(_)) | (Meaning::Text(_), Meaning::Days(..)) => false,
        (Meaning::Text(a), Meaning::Text(b)) => alike(a, b),
        (Meaning::Numbers(..), Meaning::Text(_)) | (Meaning::Text(_), Meaning::Numbers(..)) => false,
    }
}

/// Whether two texts differ in capital letters at most. Stops at the first difference.
fn alike(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// Whether a mask of digits covers a number of an interval: all its numbers lie between the mask with zeros and with nines.
fn masks_number(mask: &str, other: &str) -> bool {
    // A mask that begins with a zero is that of a code.
    let filled = |digit: &str| {
        mask.trim().replace(MASK, digit).parse::<f64>().ok().filter(|_| !mask.trim().starts_with('0'))
    };
    let (Some(low), Some(high), Meaning::Numbers(from, to)) = (filled("0"), filled("9"), meaning(other))
    else {
        return false;
    };
    low <= to.0 && from.0 <= high
}

/// Whether two texts agree wherever neither has a mark. They are of equal length, but that a single mark at the end may stand for all of the rest.
fn overlaid(a: &str, b: &str) -> bool {
    let (lengths, agree) = (
        (a.chars().count(), b.chars().count()),
        a.chars().zip(b.chars()).all(|(x, y)| x == y || x == MASK || y == MASK),
    );
    let stands_for_rest =
        |text: &str| text.strip_suffix(MASK).is_some_and(|shown| !shown.is_empty() && !shown.ends_with(MASK));
    agree
        && match lengths.0.cmp(&lengths.1) {
            Ordering::Equal => true,
            Ordering::Less => stands_for_rest(a),
            Ordering::Greater => stands_for_rest(b),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_read_as_tools_write_them() {
        for label in ["20-39", "20 - 39", "[20, 39]", "[20;40[", "[20, 40)", "20\u{2013}39", "20..39"] {
            assert!(fit(label, "25") && fit(label, "39") && fit(label, "20"), "{label}");
            assert!(!fit(label, "40") && !fit(label, "19"), "{label}");
            assert!(fit(label, "30-49") && !fit(label, "40-59"), "{label}");
        }
        for words in ["20 to 39", "20 bis 39", "20 \u{e0} 39"] {
            assert!(fit(words, "25") && fit(words, "39") && !fit(words, "40"), "{words}");
        }
        for words in [
            "from 20 to 39",
            "20 through 39",
            "between 20 and 39",
            "20-39 years",
            "20 to under 40",
            "20-<40",
            ">=20 and <40",
        ] {
            assert!(
                fit(words, "25") && fit(words, "39") && !fit(words, "40") && !fit(words, "19"),
                "{words}"
            );
        }
        for words in ["60 and over", "60 und \u{e4}lter", "ab 60", "from 60", "over 59", "\u{fc}ber 59"] {
            assert!(fit(words, "75") && fit(words, "60") && !fit(words, "59"), "{words}");
        }
        for words in ["under 20", "unter 20", "up to 19", "bis 19", "19 and younger"] {
            assert!(fit(words, "3") && fit(words, "19") && !fit(words, "20"), "{words}");
        }
        assert!(fit(">= 60", "75") && fit("60+", "60") && !fit("> 60", "60") && !fit("< 20", "20"));
        assert!(fit("-5", "-10--1") && !fit("-5", "1-10"));
        assert!(fit("\u{2265}60", "50-60") && !fit("<50", "50-60"));
    }

    #[test]
    fn masks_are_laid_over_each_other() {
        assert!(fit("021**", "02138") && fit("021**", "***38") && fit("*", "anything") && fit("*****", "x"));
        assert!(!fit("021**", "02238") && !fit("021**", "2138") && !fit("021*9", "***38"));
        for mask in ["021xx", "021XX", "021##", "021__", "021*", "02*"] {
            assert!(
                fit(mask, "02138") && fit("02138", mask) && !fit(mask, "03138") && !fit(mask, "02"),
                "{mask}"
            );
        }
        assert!(
            !fit("021x", "0213")
                && !fit("Maxx", "Mary")
                && !fit("0**", "02138")
                && fit("9*", "95")
                && !fit("2*", "95")
        );
        assert!(fit("4*", "41") && fit("4*", "40-49") && !fit("4*", "50-59"));
        assert!(!fit("02138", "2138"), "a code is spelled as it is");
        assert!(fit("flu", "flu") && !fit("flu", "gout"));
        assert!(fit("Z\u{fc}rich ", "Z\u{dc}RICH") && !fit("Z\u{fc}rich", "Z\u{fc}rich 1"));
    }

    #[test]
    fn months_quarters_and_years_are_days() {
        for coarse in
            ["2024-03", "03/2024", "Mar 2024", "2024-Q1", "Q1 2024", "2024-H1", "2024", "2020s", "2020-2029"]
        {
            for fine in
                ["2024-03-09", "09.03.2024", "2024-03-09 14:30", "9 March 2024", "2024-W10", "2024-W10-6"]
            {
                assert!(fit(coarse, fine) && fit(fine, coarse), "{coarse} {fine}");
            }
            assert!(!fit(coarse, "2031-03-09") && !fit(coarse, "1999"), "{coarse}");
        }
        assert!(!fit("2024-03", "2024-04-01") && fit("2024-03", "2024-03-31") && !fit("2024-Q1", "2024-Q2"));
        assert!(!fit("2024-12", "2025-01-01") && fit("2024-Q4", "2024-12-31") && !fit("2024-Q4", "2025"));
        assert!(!fit("2024-W09", "2024-03-04") && fit("2024-W09", "2024-03-03"));
        assert!(fit("2024-03-**", "2024-03-09") && !fit("2024-03-09", "20-39") && !fit("2024-03-09", "flu"));
    }
}
