//! A little colour, for people only.

use clap::builder::styling::{AnsiColor, Effects, Style};
use std::fmt::Display;
use std::io::IsTerminal;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// A terminal, and nobody said otherwise.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_escapes() {
        assert_eq!(Paint::Plain.bad("error"), "error");
        assert_eq!(Paint::Colour.good("held"), "\u{1b}[32mheld\u{1b}[0m");
    }
}
