//! What an attacker could do with the table as it was, and can do with the release.

use super::escape::name;
use super::facts::Facts;
use super::number::{count, figure, percent, whole_percent};
use super::page::{NUMBER, row, section, table};
use crate::evidence::risk::{RiskSummary, SensitiveSummary};

/// The comparison. Shares of the original are whole percents, as everywhere on this page.
pub fn render(facts: &Facts<'_>) -> String {
    let Some(risk) = &facts.document.risk else { return String::new() };
    let (before, after) = (&risk.before, &risk.after);
    let lead = "The same figures for the table as it was read and for the released rows. A <em>prosecutor</em> knows that a person \
                is in the table and looks for the row; a <em>marketer</em> matches everybody and counts the hits.";
    let mut rows = String::new();
    let mut line = |title: &str, what: &str, before: String, after: String| {
        let head = format!(r#"{title}<span class="what">{what}</span>"#);
        rows += &row("", &head, &[(NUMBER, before), (NUMBER, after)]);
    };
    line("Smallest class", "rows that look alike", count(before.smallest_class), count(after.smallest_class));
    let highest = |summary: &RiskSummary| percent(summary.prosecutor.highest);
    line("Highest risk", "prosecutor: one row of the smallest class", highest(before), highest(after));
    line(
        "Mean risk",
        "prosecutor on average; share of rows a marketer finds",
        whole_percent(before.prosecutor.mean),
        percent(after.prosecutor.mean),
    );
    let above = format!("share of the rows with a risk above {}", figure(risk.threshold));
    line(
        "Rows at high risk",
        &above,
        whole_percent(before.prosecutor.share_above),
        percent(after.prosecutor.share_above),
    );
    let alone = |summary: &RiskSummary| summary.unique_rows as f64 / summary.rows.max(1) as f64;
    line(
        "Unique rows",
        "share of the rows that are alone in their class",
        whole_percent(alone(before)),
        percent(alone(after)),
    );
    for (before, after) in before.sensitive.iter().zip(&after.sensitive) {
        let title = name(&after.column);
        let of = |pick: fn(&SensitiveSummary) -> f64, show: fn(f64) -> String| {
            (show(pick(before)), show(pick(after)))
        };
        let (was, is) = of(|column| column.disclosure.distinct_l as f64, figure);
        line(&title, "different values in the least diverse class", was, is);
        let (was, is) = of(|column| column.disclosure.highest_confidence, percent);
        line(&title, "highest confidence in one value", was, is);
        let (was, is) = of(|column| column.disclosure.t_equal, figure);
        line(&title, "largest distance of a class from the whole table (0 to 1)", was, is);
    }
    let body = table("compare", "Risk before and after", &["Figure", "Table as read", "Release"], &rows);
    let more = "<p class=\"lead below\">More figures, also on combinations of columns and on the population: <code>paravent risk</code>.</p>";
    section("risk", "Risk before and after", lead, &(body + more))
}
