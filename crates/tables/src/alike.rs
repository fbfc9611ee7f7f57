//! Texts that look alike: the same to whoever reads them, other bytes to a program.
//!
//! An accent is written in two ways (`\u{e9}`, or an `e` and a sign that stands above it), signs without a width slip in when somebody copies, and a
//! spreadsheet takes the zeros off a number.

use unicode_normalization::UnicodeNormalization;

/// The text in one of the ways in which its letters can be written, without signs that nobody sees (Unicode Standard Annex 15, form C).
pub fn composed(text: &str) -> String {
    text.nfc().filter(|c| !is_invisible(*c)).collect()
}

/// A text that is equal for texts that look alike: small letters, one blank where there are more, wide letters and ligatures as usual ones (form KC),
/// and numbers without the zeros before them. To compare by, not to be shown.
pub fn looks(text: &str) -> String {
    let plain: String = text.nfkc().filter(|c| !is_invisible(*c)).flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = plain.split_whitespace().map(without_zeros).collect();
    words.join(" ")
}

fn without_zeros(word: &str) -> &str {
    match word.trim_start_matches('0') {
        "" if !word.is_empty() => "0",
        rest if rest.starts_with(|c: char| c.is_ascii_digit()) => rest,
        _ => word,
    }
}

/// Signs without a width, and those that turn the text around. The joiners of Indian and Persian words are none of them.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_equal() {
        for (one, other) in [
            ("S\u{fc}d", "su\u{308}d"),
            ("P\u{200b}01", "p01"),
            ("\u{feff}anna", "Anna"),
            ("a\u{a0}b", "A  b"),
            ("\u{ff21}\u{ff11}", "a1"),
            ("0007", "7"),
            ("000", "0"),
        ] {
            assert_eq!(looks(one), looks(other), "{one:?}");
        }
    }

    #[test]
    fn what_can_be_told_apart_stays_apart() {
        for (one, other) in
            [("a", "\u{e4}"), ("0.5", "5"), ("07-1", "7-2"), ("a1", "a01"), ("10", "1"), ("", "0")]
        {
            assert_ne!(looks(one), looks(other), "{one:?}");
        }
        assert_eq!(composed("Su\u{308}d"), "S\u{fc}d");
        assert_ne!(composed("A"), composed("a"));
    }
}
