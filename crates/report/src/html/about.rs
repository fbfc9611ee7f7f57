//! What the release is, for whom, and on what ground.

use super::escape::label;
use super::facts::Facts;
use crate::AboutFacts;

/// A line per fact; lines that the job leaves open are there to be filled in by hand on the internal page.
pub fn render(facts: &Facts<'_>) -> String {
    let nothing = AboutFacts::default();
    let AboutFacts { title, purpose, recipient, legal_basis, author, date, agreement } =
        facts.document.about.as_ref().unwrap_or(&nothing);
    let lines = [
        ("Data set", title),
        ("Purpose", purpose),
        ("Recipient", recipient),
        ("Legal basis", legal_basis),
        ("Responsible", author),
        ("Date", date),
    ];
    let external = facts.is_external();
    let line = |(term, text): &(&str, &Option<String>)| match text {
        Some(text) => format!("<div><dt>{term}</dt><dd>{}</dd></div>", label(text)),
        None if external => String::new(),
        None => format!(
            r#"<div><dt>{term}</dt><dd class="open-line"><span class="what">not stated</span></dd></div>"#
        ),
    };
    let mut lines: String = lines.iter().map(line).collect();
    if agreement.is_some() {
        lines += &line(&("Data-use agreement", agreement));
    }
    if lines.is_empty() {
        return String::new();
    }
    format!(r#"<dl class="about" id="about">{lines}</dl>"#)
}
