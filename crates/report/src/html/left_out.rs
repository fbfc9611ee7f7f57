//! Who was left out: on the page that stays in the house.

use super::escape::label;
use super::facts::Facts;
use super::number::{count, counted};
use super::page::{NUMBER, row, table};
use crate::LeftOutClass;

/// Classes on the page; the document has more.
const MOST_SHOWN: usize = 30;

/// A table of suppressed classes, smallest labels first; empty where nobody was left out or the page is not for the house.
pub fn render(facts: &Facts<'_>) -> String {
    let Some(left_out) = &facts.document.suppressed else { return String::new() };
    let line = |class: &LeftOutClass| {
        let labels = class
            .labels
            .values()
            .map(|text| text.as_str().map_or_else(|| "<i>missing</i>".to_owned(), label));
        row("", &labels.collect::<Vec<_>>().join(" · "), &[(NUMBER, count(class.rows))])
    };
    let rows: String = left_out.listed.iter().take(MOST_SHOWN).map(line).collect();
    let columns: Vec<&str> =
        left_out.listed.iter().take(1).flat_map(|class| class.labels.keys()).map(String::as_str).collect();
    let head = columns.iter().map(|name| label(name)).collect::<Vec<_>>().join(" · ");
    let more = match left_out.classes.saturating_sub(left_out.listed.len().min(MOST_SHOWN) as u64) {
        0 => String::new(),
        more => format!("<p>And {} more.</p>", counted(more, "class", "classes")),
    };
    format!(
        "<h3>Rows that were left out</h3><p>Their classes break a promise. They are nobody’s business outside.</p>{}{more}",
        table("compare plain classes", "Rows that were left out", &[&head, "Rows"], &rows)
    )
}
