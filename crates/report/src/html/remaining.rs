//! What an attacker could do with the table as it was, and can do with the release.

use super::escape::name;
use super::facts::Facts;
use super::number::{count, figure, percent, whole_percent};
use super::page::{NUMBER, row, section, table};
use paravent_assess::risk::{RiskSummary, SensitiveSummary};

/// The comparison, or the release alone where the original is none of the reader's business.
pub fn render(facts: &Facts<'_>) -> String {
    let Some(risk) = &facts.document.risk else { return String::new() };
    let rows: String = lines(&risk.before, &risk.after, risk.threshold)
        .into_iter()
        .map(|Line { title, what, before, after }| {
            let head = format!(r#"{title}<span class="what">{what}</span>"#);
            let figures = if facts.is_external() { vec![after] } else { vec![before, after] };
            let cells: Vec<_> = figures.into_iter().map(|figure| (NUMBER, figure)).collect();
            row("", &head, &cells)
        })
        .collect();
    let who = "A <em>prosecutor</em> knows that a person is in the table and looks for the row; a <em>marketer</em> matches everybody and counts \
               the hits.";
    let more = "<p class=\"lead below\">More figures, also on combinations of columns and on the population: <code>paravent risk</code>.</p>";
    if facts.is_external() {
        let lead = format!(
            "Figures of the released rows; classes are compared with the released rows as a whole. {who}"
        );
        let body = table("compare plain", "Risk of the release", &["Figure", "Release"], &rows);
        return section("risk", "Risk that remains", &lead, &(body + more));
    }
    let lead = format!("The same figures for the table as it was read and for the released rows. {who}");
    let body = table("compare", "Risk before and after", &["Figure", "Table as read", "Release"], &rows);
    section("risk", "Risk before and after", &lead, &(body + more))
}

/// A figure of both tables.
struct Line {
    title: String,
    what: String,
    before: String,
    after: String,
}

/// Shares of the original are whole percents, as everywhere on this page.
fn lines(before: &RiskSummary, after: &RiskSummary, threshold: f64) -> Vec<Line> {
    let line = |title: &str, what: &str, before: String, after: String| Line {
        title: title.to_owned(),
        what: what.to_owned(),
        before,
        after,
    };
    let alone = |summary: &RiskSummary| summary.unique_rows as f64 / summary.rows.max(1) as f64;
    let mut lines = vec![
        line(
            "Smallest class",
            "rows that look alike",
            count(before.smallest_class),
            count(after.smallest_class),
        ),
        line(
            "Highest risk",
            "prosecutor: one row of the smallest class",
            percent(before.prosecutor.highest),
            percent(after.prosecutor.highest),
        ),
        line(
            "Mean risk",
            "prosecutor on average; share of rows a marketer finds",
            whole_percent(before.prosecutor.mean),
            percent(after.prosecutor.mean),
        ),
        line(
            "Rows at high risk",
            &format!("share of the rows with a risk above {}", figure(threshold)),
            whole_percent(before.prosecutor.share_above),
            percent(after.prosecutor.share_above),
        ),
        line(
            "Unique rows",
            "share of the rows that are alone in their class",
            whole_percent(alone(before)),
            percent(alone(after)),
        ),
    ];
    for (before, after) in before.sensitive.iter().zip(&after.sensitive) {
        let title = name(&after.column);
        let of = |what: &str, pick: fn(&SensitiveSummary) -> f64, show: fn(f64) -> String| {
            line(&title, what, show(pick(before)), show(pick(after)))
        };
        lines.push(of(
            "different values in the least diverse class",
            |column| column.disclosure.distinct_l as f64,
            figure,
        ));
        lines.push(of(
            "highest confidence in one value",
            |column| column.disclosure.highest_confidence,
            percent,
        ));
        lines.push(of(
            "largest distance of a class from the whole table (0 to 1)",
            |column| column.disclosure.t_equal,
            figure,
        ));
    }
    lines
}
