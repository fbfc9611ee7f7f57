//! What the promises cost: every metric, with its meaning.

use super::escape::escape;
use super::facts::Facts;
use super::number::{count, figure};
use super::page::{row, section, table};
use paravent_core::quality::{Metric, Range};
use serde_json::Value;

/// The table of metrics.
pub fn render(facts: &Facts<'_>) -> String {
    let solution = &facts.document.solution;
    let rows: String = solution.losses.iter().map(|(name, value)| measure(facts, name, value)).collect();
    let minimised = explain(facts, solution.metric).title;
    let least = if facts.document.search.optimal { "the least" } else { "a small" };
    let lead = match facts.is_external() {
        true => format!(
            "Coarser values tell less. This release was chosen for {least} loss by <strong>{minimised}</strong>. Figures have three digits. \
             A measure that is not told here could tell of a person who was left out."
        ),
        false => format!(
            "Coarser values tell less. Several measures say how much was lost. This release was chosen for {least} loss by \
             <strong>{minimised}</strong> ({}; lower is better); the others are given for comparison.",
            figure(solution.loss),
        ),
    };
    let head = ["Measure", "Value", "From – to", "What it counts"];
    section(
        "losses",
        "Information loss",
        &lead,
        &table("losses", "Information loss by measure", &head, &rows),
    )
}

struct Explanation {
    title: String,
    range: String,
    meaning: &'static str,
}

fn measure(facts: &Facts<'_>, name: &str, value: &Value) -> String {
    let Explanation { title, range, meaning } = explain(facts, name);
    let (class, mark) = if name == facts.document.solution.metric {
        ("chosen", r#"<span class="mark">optimised</span>"#)
    } else {
        ("", "")
    };
    // JSON has no infinity and writes null.
    let value = value.as_f64().map_or_else(|| "–".to_owned(), figure);
    let cells = [
        (r#" class="num" data-label="Value""#, value),
        (r#" data-label="From – to""#, range),
        ("", meaning.to_owned()),
    ];
    row(class, &format!("{title}{mark}"), &cells)
}

fn explain(facts: &Facts<'_>, name: &str) -> Explanation {
    let Some(metric) = Metric::by_name(name) else {
        return Explanation { title: escape(name), range: "–".to_owned(), meaning: "–" };
    };
    let card = metric.card();
    let rows = facts.document.input.rows;
    let range = match card.range {
        Range::Words(words) => words.to_owned(),
        Range::Heights if facts.is_external() => "0 and more; lower is better".to_owned(),
        Range::Heights => {
            let levels = facts.view.attributes.iter().filter_map(|column| column.levels.last());
            let top: u64 = levels.map(|level| u64::from(level.level)).sum();
            format!("0 – {}", count(top))
        }
        Range::Squares => format!("{} – {}", count(rows), count(u128::from(rows) * u128::from(rows))),
    };
    Explanation { title: card.title.to_owned(), range, meaning: card.meaning }
}
