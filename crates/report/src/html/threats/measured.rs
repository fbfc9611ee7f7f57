//! How far the attacks get that need nothing but the release: read off the classes that were counted anyway.

use crate::html::escape::name;
use crate::html::facts::Facts;
use crate::html::number::{count, figure, percent};
use paravent_assess::risk::SensitiveSummary;

/// The figures of a threat, one paragraph each; empty where nothing was measured.
pub fn figures(facts: &Facts<'_>, threat: &str) -> String {
    let Some(risk) = &facts.document.risk else { return String::new() };
    let after = &risk.after;
    let per_column = |show: &dyn Fn(&SensitiveSummary) -> (String, &'static str)| -> String {
        let paragraph = |column: &SensitiveSummary| {
            let (value, what) = show(column);
            format!("<p><strong>{value}</strong> {what} ({})</p>", name(&column.column))
        };
        after.sensitive.iter().map(paragraph).collect()
    };
    match threat {
        "Attribute disclosure" => per_column(&|column| {
            (percent(column.disclosure.highest_confidence), "largest share of one value in a class")
        }),
        "Homogeneity" => per_column(&|column| {
            let share = column.disclosure.homogeneous_rows as f64 / after.rows.max(1) as f64;
            (percent(share), "of the rows are in classes with a single value")
        }),
        "Background knowledge" => per_column(&|column| {
            let values = column.disclosure.distinct_l.saturating_sub(1);
            (count(values), if values == 1 { "value must be ruled out" } else { "values must be ruled out" })
        }),
        "Skewness" => per_column(&|column| {
            (
                factor(column.disclosure.highest_factor),
                "times as frequent in a class as in the table, at most",
            )
        }),
        _ => String::new(),
    }
}

/// One digit after the point.
pub fn factor(value: f64) -> String {
    figure((value * 10.0).round() / 10.0)
}
