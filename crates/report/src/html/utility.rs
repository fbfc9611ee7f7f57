//! What the release is still good for: on the page that stays in the house, since the figures need the original.

use super::escape::name;
use super::facts::Facts;
use super::number::{count, figure, percent};
use super::page::{NUMBER, row, section, table};
use paravent_assess::utility::{Kind, Method};

/// Pairs on the page; the document has more.
const MOST_PAIRS: usize = 10;

/// Means, associations and predictions before and after; empty where nothing was compared.
pub fn render(facts: &Facts<'_>) -> String {
    let Some(told) = facts.document.utility.as_ref().filter(|_| !facts.is_external()) else {
        return String::new();
    };
    let utility = &told.utility;
    let mut body = String::new();
    if !utility.numbers.is_empty() {
        let lines: String = utility
            .numbers
            .iter()
            .flat_map(|column| {
                let line = |what: &str, before: f64, after: f64| {
                    let head = format!(r#"{}<span class="what">{what}</span>"#, name(&column.column));
                    row("", &head, &[(NUMBER, figure(before)), (NUMBER, figure(after))])
                };
                [
                    line("mean", column.before.mean, column.after.mean),
                    line("standard deviation", column.before.deviation, column.after.deviation),
                    line("median", column.before.quantiles[2], column.after.quantiles[2]),
                ]
            })
            .collect();
        body += "<h3>Numbers</h3>";
        body +=
            &table("compare", "Numbers before and after", &["Figure", "Table as read", "Release"], &lines);
    }
    if !utility.pairs.is_empty() {
        let lines: String = utility
            .pairs
            .iter()
            .take(MOST_PAIRS)
            .map(|pair| {
                let kind = match pair.kind {
                    Kind::Correlation => "correlation, −1 to 1",
                    Kind::CramersV => "Cramér’s V, 0 to 1",
                };
                let head =
                    format!(r#"{} · {}<span class="what">{kind}</span>"#, name(&pair.a), name(&pair.b));
                row("", &head, &[(NUMBER, figure(pair.before.value)), (NUMBER, figure(pair.after.value))])
            })
            .collect();
        body += "<h3>How columns go together</h3>";
        body +=
            &table("compare", "Associations before and after", &["Pair", "Table as read", "Release"], &lines);
    }
    if !utility.learned.is_empty() {
        let lines: String = utility
            .learned
            .iter()
            .map(|found| {
                let (what, show): (&str, fn(f64) -> String) = match found.method {
                    Method::Classification => ("share of right guesses", percent),
                    Method::Regression => ("R²", figure),
                };
                let head = format!(r#"{}<span class="what">{what}</span>"#, name(&found.target));
                row(
                    "",
                    &head,
                    &[
                        (NUMBER, show(found.original)),
                        (NUMBER, show(found.release)),
                        (NUMBER, show(found.baseline)),
                    ],
                )
            })
            .collect();
        let head = ["Column", "Table as read", "Release", "Without other columns"];
        body += "<h3>Predicted from the other columns</h3>";
        body += &table("compare", "Predictions before and after", &head, &lines);
    }
    let sampled = told.sample_of.map_or_else(String::new, |of| {
        format!(
            " The table is large, so they are of {} of its {} rows and of {} of the {} released ones, at even distances.",
            count(utility.rows),
            count(of.rows),
            count(utility.released_rows),
            count(of.released_rows)
        )
    });
    let lead = format!(
        "The same statistics of the table as it was read and of the released rows; intervals are taken for their middle.{sampled} \
         Decision trees predict, cross-validated. More: <code>paravent utility</code>."
    );
    section("utility", "What the release is good for", &lead, &body)
}
