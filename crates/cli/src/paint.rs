//! A little colour, for people only.

use clap::builder::styling::{AnsiColor, Effects, Style};
use std::fmt::Display;
use std::io::IsTerminal;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// A terminal, unless colours were refused.
    Colour,
    /// Everything else.
    Plain,
}

impl Paint {
    /// What suits a stream. `NO_COLOR`, set to anything, and a dumb terminal turn colour off.
    pub fn for_stream(stream: &impl IsTerminal) -> Paint {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if stream.is_terminal() && !refused && !dumb { Paint::Colour } else { Paint::Plain }
    }

    /// Headings.
    pub fn strong(self, text: impl Display) -> String {
        self.with(Style::new().effects(Effects::BOLD), text)
    }

    /// Good news.
    pub fn good(self, text: impl Display) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }

    /// Bad news.
    pub fn bad(self, text: impl Display) -> String {
        self.with(AnsiColor::Red.on_default().effects(Effects::BOLD), text)
    }

    /// Neither.
    pub fn careful(self, text: impl Display) -> String {
        self.with(AnsiColor::Yellow.on_default(), text)
    }

    fn with(self, style: Style, text: impl Display) -> String {
        match self {
            Paint::Colour => format!("{style}{text}{style:#}"),
            Paint::Plain => text.to_string(),
        }
    }
}

/// Text that does nothing to a terminal but show: names of columns and files come from others. Our own colours stay where there are any; every
/// other control character, what turns the direction of writing, and what nobody sees is spelled out.
pub fn harmless(text: &str, paint: Paint) -> String {
    let colours: &[&str] = match paint {
        Paint::Colour => &COLOURS,
        Paint::Plain => &[],
    };
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some(colour) = colours.iter().find(|colour| rest.starts_with(**colour)) {
            shown.push_str(colour);
            rest = &rest[colour.len()..];
            continue;
        }
        rest = &rest[next.len_utf8()..];
        match next {
            '\n' | '\t' => shown.push(next),
            _ if next.is_control() || turns(next) => shown.extend(next.escape_unicode()),
            _ => shown.push(next),
        }
    }
    shown
}

/// What [`Paint`] writes.
const COLOURS: [&str; 5] = ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];

fn turns(next: char) -> bool {
    matches!(next, '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_our_colours_reaches_a_terminal() {
        let ours = [Paint::Colour.bad("x"), Paint::Colour.strong("x"), Paint::Colour.careful("x")].concat();
        assert_eq!(harmless(&ours, Paint::Colour), ours);
        // In a pipe nothing is ours.
        assert_eq!(harmless("\u{1b}[31mx\u{200b}", Paint::Plain), "\\u{1b}[31mx\\u{200b}");
        assert_eq!(
            harmless("a\u{1b}]0;title\u{7}b\r\u{9b}2Jc\u{202e}d\n\te", Paint::Colour),
            "a\\u{1b}]0;title\\u{7}b\\u{d}\\u{9b}2Jc\\u{202e}d\n\te"
        );
    }

    #[test]
    fn plain_text_has_no_escapes() {
        assert_eq!(Paint::Plain.bad("error"), "error");
        assert_eq!(Paint::Colour.good("held"), "\u{1b}[32mheld\u{1b}[0m");
    }
}
