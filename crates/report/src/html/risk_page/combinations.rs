//! Which columns single people out.

use crate::html::escape::{list, name};
use crate::html::number::{count, figure, percent, round_percent};
use crate::html::page::{NUMBER, row, section, table};
use crate::html::svg::bar;
use paravent_assess::risk::{CombinationFacts, RiskDocument};

/// Sets shown; the document has all.
const MOST_SETS: usize = 15;

/// Columns one by one, then the sets that matter most.
pub fn render(document: &RiskDocument) -> String {
    let combinations = &document.combinations;
    let rows = document.rows.max(1) as f64;
    let lead = format!(
        "<em>Distinction</em> is the number of different values by rows, <em>separation</em> the share of pairs of rows that a column tells \
         apart. Up to {} columns together single out {} of the rows.",
        combinations.largest,
        percent(combinations.rows_singled_out as f64 / rows),
    );
    let head = ["Column", "Distinction", "Separation", "Unique rows", "In minimal sets"];
    let columns: String = document
        .columns
        .iter()
        .map(|column| {
            let cells = [
                (NUMBER, percent(column.distinction)),
                (NUMBER, percent(column.separation)),
                (NUMBER, count(column.unique_rows)),
                (NUMBER, column.contribution.map_or_else(|| "–".to_owned(), percent)),
            ];
            row("", &name(&column.column), &cells)
        })
        .collect();
    let columns = table("figures", "Quasi-identifiers one by one", &head, &columns);
    let mut sets: Vec<&CombinationFacts> =
        combinations.subsets.iter().filter(|set| set.minimal_unique_rows > 0).collect();
    sets.sort_by_key(|set| (std::cmp::Reverse(set.minimal_unique_rows), set.columns.len()));
    let more = sets.len().saturating_sub(MOST_SETS);
    // Bars are drawn relative to the longest: shares of single sets are small.
    let longest = sets.iter().take(MOST_SETS).map(|set| set.unique_rows).max().unwrap_or(1).max(1) as f64;
    let shown: String = sets.iter().take(MOST_SETS).map(|set| combination(set, rows, longest)).collect();
    let body = match sets.is_empty() {
        true => format!(
            "{columns}<h3>Combinations</h3><p>No set of up to {} columns makes a row unique.</p>",
            figure(combinations.largest as f64)
        ),
        false => {
            let head = [
                "Columns",
                r#"<span class="key before"></span>unique &ensp;<span class="key after"></span>minimal"#,
                "Unique rows",
                "Minimal",
            ];
            let rest = if more > 0 {
                format!("<p class=\"lead below\">{} more sets single rows out.</p>", count(more as u64))
            } else {
                String::new()
            };
            format!(
                "{columns}<h3>Minimal unique combinations</h3><p class=\"lead\">Rows that are unique by these columns, and among them those \
                 that no smaller set of the columns singles out.</p>{}{rest}",
                table("sets", "Minimal unique combinations", &head, &shown)
            )
        }
    };
    section("columns", "Columns and their combinations", &lead, &body)
}

fn combination(set: &CombinationFacts, rows: f64, longest: f64) -> String {
    let names: Vec<&str> = set.columns.iter().map(String::as_str).collect();
    let share = |part: u64| part as f64 / rows;
    let bars = format!(
        "{}{}",
        bar("before", round_percent(set.unique_rows as f64 / longest)),
        bar("after", round_percent(set.minimal_unique_rows as f64 / longest))
    );
    let cells = [
        (r#" class="pair""#, bars),
        (NUMBER, percent(share(set.unique_rows))),
        (NUMBER, percent(share(set.minimal_unique_rows))),
    ];
    row("", &list(&names, 8), &cells)
}
