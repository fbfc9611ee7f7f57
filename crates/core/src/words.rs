//! Numbers and nouns as sentences have them, and text in columns.

mod columns;

pub use columns::{Columns, Lean};

/// Digits in groups of three: `30,162` where the separator is a comma.
pub fn grouped(number: impl Into<u128>, separator: char) -> String {
    separated(&number.into().to_string(), separator)
}

/// The same for digits that are a text already.
pub fn separated(digits: &str, separator: char) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 * separator.len_utf8());
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// A noun in the number that goes with a count: `row`, `rows`, `classes`, `queries`.
pub fn noun(number: u64, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (number, stem) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) if noun.ends_with("ss") => format!("{noun}es"),
        (_, None) => format!("{noun}s"),
    }
}

/// `1 row`, `3000 rows`, `2 classes`.
pub fn counted(number: u64, of: &str) -> String {
    format!("{number} {}", noun(number, of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([5u64, 999, 1000, 30_162].map(|n| grouped(n, ',')), ["5", "999", "1,000", "30,162"]);
        assert_eq!(grouped(u64::MAX, ' ').matches(' ').count(), 6);
    }

    #[test]
    fn nouns_follow_their_count() {
        assert_eq!(["row", "class"].map(|noun| counted(1, noun)), ["1 row", "1 class"]);
        assert_eq!(["row", "class"].map(|noun| counted(3000, noun)), ["3000 rows", "3000 classes"]);
        assert_eq!(counted(0, "row"), "0 rows");
    }
}
