//! Sections that the pages of sliced, noisy and joint releases and of released answers share. Their HTML is in `templates`.

use super::closing::{breakable, signature};
use super::escape::note;
use super::page::section;
use super::svg::{Sign, sign};

/// The section on top: a colour, a headline, and what it means.
pub struct Statement<'a> {
    /// The class of the colour, and its sign.
    pub tone: (&'static str, Sign),
    /// The word above the headline.
    pub eyebrow: &'a str,
    /// The headline. This and what follows is HTML.
    pub headline: &'a str,
    /// What it means.
    pub lead: &'a str,
    /// Paragraphs below.
    pub more: &'a str,
    /// Figures: term, value, and what it counts.
    pub tiles: &'a [(&'a str, String, &'a str)],
}

impl Statement<'_> {
    /// As HTML.
    pub fn render(&self) -> String {
        let tile = |(term, value, what): &(&str, String, &str)| {
            format!(include_str!("templates/tile.html"), term = term, value = value, what = what)
        };
        let tiles = match self.tiles.is_empty() {
            true => String::new(),
            false => format!(r#"<dl class="tiles">{}</dl>"#, self.tiles.iter().map(tile).collect::<String>()),
        };
        format!(
            include_str!("templates/verdict.html"),
            tone = self.tone.0,
            sign = sign(self.tone.1),
            eyebrow = self.eyebrow,
            headline = self.headline,
            lead = self.lead,
            more = self.more,
            tiles = tiles,
        )
    }
}

/// What is promised, what is not, and what the reader should know.
pub fn promises(lead: &str, promised: &[String], not_promised: &[String], told: &[&String]) -> String {
    let item = |item: &String| format!("<li>{}</li>", note(item));
    let warnings = match told.is_empty() {
        true => String::new(),
        false => {
            let items: String = told.iter().map(|told| item(told)).collect();
            format!("<h3>To be known</h3><ul>{items}</ul>")
        }
    };
    let body = format!(
        include_str!("templates/promises.html"),
        promised = promised.iter().map(item).collect::<String>(),
        not_promised = not_promised.iter().map(item).collect::<String>(),
        warnings = warnings,
    );
    section("promises", "Promises", lead, &body)
}

/// Lines to sign on, the digest of the data file, and how to repeat the check.
pub fn closing(sha256: &str, check: &str) -> String {
    let body = format!(
        include_str!("templates/closing.html"),
        officer = signature("Data protection officer"),
        manager = signature("Data manager"),
        sha256 = breakable(sha256),
        check = check,
    );
    section(
        "closing",
        "Signatures and references",
        "By signing, the signatories confirm that they have read this report and accept what is not promised.",
        &body,
    )
}
