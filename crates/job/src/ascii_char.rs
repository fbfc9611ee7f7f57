//! Delimiters and quotes.

/// One ASCII character that may separate or quote cells: any but NUL, carriage return and line feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AsciiChar(u8);

impl AsciiChar {
    /// `,`
    pub const COMMA: AsciiChar = AsciiChar(b',');
    /// `"`
    pub const QUOTE: AsciiChar = AsciiChar(b'"');
    /// The tabulator.
    pub const TAB: AsciiChar = AsciiChar(b'\t');

    /// `None` if the character cannot separate cells.
    pub const fn new(c: char) -> Option<Self> {
        if c.is_ascii() && !matches!(c, '\0' | '\r' | '\n') { Some(Self(c as u8)) } else { None }
    }

    /// From what is written in the job file: the character itself, or `tab`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            _ if text == "tab" || text == "\\t" => Some(Self::TAB),
            (Some(c), None) => Self::new(c),
            _ => None,
        }
    }

    /// As a byte of the file.
    pub const fn byte(self) -> u8 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_one_ascii_character_or_the_word_tab() {
        assert_eq!(AsciiChar::parse(";").map(AsciiChar::byte), Some(b';'));
        for tab in ["\t", "\\t", "tab"] {
            assert_eq!(AsciiChar::parse(tab), Some(AsciiChar::TAB), "{tab:?}");
        }
        for bad in ["", ";;", "ä", "\n", "\r", "\0", "comma"] {
            assert_eq!(AsciiChar::parse(bad), None, "{bad:?}");
        }
    }
}
