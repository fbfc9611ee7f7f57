//! Numbers as people read them: thin separators, no more digits than needed. All results are safe in HTML.

use paravent_core::words::separated;

/// Separates groups of three digits: a narrow space that does not break.
const THIN: char = '\u{202f}';

/// `30 162`.
pub fn count(number: impl Into<u128>) -> String {
    group(&number.into().to_string())
}

/// `1 row`, `12 rows`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A figure with at most four digits after the point; infinite ones have a sign of their own.
pub fn figure(number: f64) -> String {
    if number.is_nan() {
        return "–".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "∞" } else { "−∞" }.to_owned();
    }
    let size = number.abs();
    if size >= 1e15 {
        let exponent = size.log10().floor() as i32;
        return format!("{:.2} × 10<sup>{exponent}</sup>", number / 10f64.powi(exponent));
    }
    let decimals = match size {
        size if size >= 1000.0 => 2,
        size if size >= 1.0 => 3,
        _ => 4,
    };
    let text = trim_zeros(&format!("{size:.decimals$}"));
    let sign = if number < 0.0 && text != "0" { "−" } else { "" };
    match text.split_once('.') {
        Some((whole, part)) => format!("{sign}{}.{part}", group(whole)),
        None => format!("{sign}{}", group(&text)),
    }
}

/// A share as percent, with two digits after the point below 10% and one above: `0.04%`, `16.7%`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "–".to_owned();
    }
    let hundred = share * 100.0;
    let decimals = if hundred < 10.0 { 2 } else { 1 };
    match trim_zeros(&format!("{hundred:.decimals$}")).as_str() {
        "0" if share > 0.0 => "&lt;0.01%".to_owned(),
        text => format!("{text}%"),
    }
}

/// A share in whole percent. Finer shares of the original rows must not leave the house.
pub fn whole_percent(share: f64) -> String {
    match round_percent(share) {
        0 if share > 0.0 => "&lt;1%".to_owned(),
        100 if share < 1.0 => "&gt;99%".to_owned(),
        rounded => format!("{rounded}%"),
    }
}

/// The nearest whole percent, for lengths of bars: what is drawn tells no more than what is written.
pub fn round_percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

/// A text in which numbers of five digits or more are written as on the rest of the page.
pub fn grouped(text: &str) -> String {
    let mut told = String::with_capacity(text.len());
    let mut digits = String::new();
    let (mut before, mut is_part) = (' ', false);
    for character in text.chars().chain([' ']) {
        if character.is_ascii_digit() && !before.is_ascii_digit() {
            // Digits behind a point, a dash or a letter are no number by themselves.
            is_part = before.is_alphanumeric() || matches!(before, '.' | '-' | '_');
        }
        if character.is_ascii_digit() && !is_part {
            digits.push(character);
        } else {
            let long = digits.len() >= 5 && !character.is_alphanumeric() && !digits.starts_with('0');
            told.push_str(&if long { group(&digits) } else { digits.clone() });
            digits.clear();
            told.push(character);
        }
        before = character;
    }
    told.pop();
    told
}

fn group(digits: &str) -> String {
    separated(digits, THIN)
}

fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!(count(5u8), "5");
        assert_eq!(count(999u64), "999");
        assert_eq!(count(30_162u64), "30\u{202f}162");
        assert_eq!(count(u128::from(u64::MAX)).chars().filter(|c| *c == THIN).count(), 6);
    }

    #[test]
    fn numbers_in_sentences_are_grouped_as_well() {
        assert_eq!(grouped("of 30162 rows, 1999"), "of 30\u{202f}162 rows, 1999");
        for same in ["81660*", "a12345", "0.123456", "02138x", "12345-x12345", "2024-03-09", "col_12345"] {
            let expected = if same.starts_with("12345") {
                "12\u{202f}345-x12345"
            } else if same.starts_with("81660") {
                "81\u{202f}660*"
            } else {
                same
            };
            assert_eq!(grouped(same), expected);
        }
    }

    #[test]
    fn figures_keep_what_matters() {
        assert_eq!(figure(255_559.851), "255\u{202f}559.85");
        assert_eq!(figure(0.1875), "0.1875");
        assert_eq!(figure(5.0), "5");
        assert_eq!(figure(-0.000_01), "0");
        assert_eq!(figure(f64::INFINITY), "∞");
        assert_eq!(figure(f64::NAN), "–");
        assert_eq!(figure(3.0e18), "3.00 × 10<sup>18</sup>");
    }

    #[test]
    fn shares_of_the_original_are_whole_percent() {
        assert_eq!(whole_percent(0.123_456), "12%");
        assert_eq!(whole_percent(0.001), "&lt;1%");
        assert_eq!(whole_percent(0.999), "&gt;99%");
        assert_eq!((whole_percent(0.0), whole_percent(1.0)), ("0%".to_owned(), "100%".to_owned()));
        assert_eq!(percent(12.0 / 30_162.0), "0.04%");
        assert_eq!(percent(1.0 / 6.0), "16.7%");
        assert_eq!(percent(1e-9), "&lt;0.01%");
    }
}
