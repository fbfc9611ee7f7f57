//! What the promises cost: every metric, with its meaning.

use super::escape::escape;
use super::facts::Facts;
use super::number::{count, figure};
use super::page::{row, section, table};
use serde_json::Value;

/// The table of metrics.
pub fn render(facts: &Facts<'_>) -> String {
    let solution = &facts.document.solution;
    let rows: String = solution.losses.iter().map(|(name, value)| measure(facts, name, value)).collect();
    let minimised = explain(facts, solution.metric).title;
    let rounded = if facts.is_external() { " Figures are rounded to three digits." } else { "" };
    let lead = format!(
        "Coarser values tell less. Several measures say how much was lost. This release was chosen for {} loss by \
         <strong>{minimised}</strong> ({}; lower is better); the others are given for comparison.{rounded}",
        if facts.document.search.optimal { "the least" } else { "a small" },
        figure(solution.loss),
    );
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
    let rows = facts.document.input.rows;
    let squared = u128::from(rows) * u128::from(rows);
    let levels = facts.view.attributes.iter().filter_map(|column| column.levels.last());
    let top: u64 = levels.map(|level| u64::from(level.level)).sum();
    let (title, range, meaning) = match name {
        "height" if facts.is_external() => {
            ("height", "0 and more; lower is better".to_owned(), "Steps climbed in all hierarchies together.")
        }
        "height" => ("height", format!("0 – {}", count(top)), "Steps climbed in all hierarchies together."),
        "precision" => (
            "precision",
            "1 (nothing lost) – 0".to_owned(),
            "How far below the top the cells are on average; cells of rows left out count as lost.",
        ),
        "precision-m" => (
            "precision, without rows left out",
            "1 (nothing lost) – 0".to_owned(),
            "The same, but rows left out count like all others.",
        ),
        "loss" => (
            "loss",
            "0 – 1".to_owned(),
            "Share of all possible values that a cell leaves open on average; cells of rows left out count 1.",
        ),
        "loss-geometric" => (
            "loss, geometric mean",
            "0 – 1".to_owned(),
            "The same, averaged over columns so that one lost column weighs less.",
        ),
        "aecs" => (
            "average class size",
            "about 1 and more; lower is better".to_owned(),
            "Rows per class, relative to the smallest class size that the promises ask for.",
        ),
        "discernibility" => (
            "discernibility",
            format!("{} – {}", count(rows), count(squared)),
            "With how many rows each row can be confused, summed up; a row left out counts as confused with all.",
        ),
        "discernibility-m" => (
            "discernibility, without rows left out",
            format!("{} – {}", count(rows), count(squared)),
            "The same over all classes, as if no row were left out.",
        ),
        "entropy" => (
            "entropy",
            "0 and more; lower is better".to_owned(),
            "Uncertainty about the original values, each weighted with its probability, in bits.",
        ),
        "nuem" => (
            "non-uniform entropy",
            "0 – rows × columns × log₂ rows (weights of 1)".to_owned(),
            "Bits needed to get from the released values back to the original ones, over all rows.",
        ),
        "nmnuem" => (
            "non-uniform entropy with rows left out",
            "0 and more; lower is better".to_owned(),
            "The same, and rows left out are charged as fully generalized.",
        ),
        other => return Explanation { title: escape(other), range: "–".to_owned(), meaning: "–" },
    };
    Explanation { title: title.to_owned(), range, meaning }
}
