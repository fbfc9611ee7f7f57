//! Sensitive values, and what rules of practice would say.

use crate::html::escape::name;
use crate::html::number::{count, figure, percent};
use crate::html::page::{NUMBER, row, section, table};
use paravent_assess::risk::{RiskDocument, SensitiveFacts};
use paravent_evidence::risk::safe_harbor::{Because, Looks};

/// A table per sensitive column.
pub fn sensitive(document: &RiskDocument) -> String {
    let lead = "A class can tell a value without telling whose row is whose: all its rows may share it. Distances compare every class with \
                the whole column; 0 means that the class tells nothing new.";
    let body: String = match document.sensitive.is_empty() {
        true => "<p>No column was said to be sensitive.</p>".to_owned(),
        false => document.sensitive.iter().map(column).collect(),
    };
    section("values", "Sensitive values", lead, &body)
}

fn column(column: &SensitiveFacts) -> String {
    let (found, bits) = (&column.disclosure, &column.information);
    let mut rows = String::new();
    let mut line = |title: &str, what: &str, worst: String, mean: String| {
        let head = format!(r#"{title}<span class="what">{what}</span>"#);
        rows += &row("", &head, &[(NUMBER, worst), (NUMBER, mean)]);
    };
    let none = || "–".to_owned();
    line("Different values", "distinct ℓ", count(found.distinct_l), none());
    line(
        "Effective number of values",
        "entropy ℓ, exp(H)",
        figure(found.entropy_l),
        figure(found.mean_entropy_l),
    );
    let known = format!(
        "share of the most frequent value; {} over the whole column",
        percent(found.confidence_without_classes)
    );
    line("Confidence", &known, percent(found.highest_confidence), percent(found.mean_confidence));
    let homogeneous =
        format!("{} in {} classes", count(found.homogeneous_rows), count(found.homogeneous_classes));
    line("Rows in classes with one value", "homogeneous classes", homogeneous, none());
    line("Distance, equal", "t of t-closeness", figure(found.t_equal), figure(found.mean_t_equal));
    if let Some(t) = found.t_ordered {
        line("Distance, ordered", "t of t-closeness, values in their order", figure(t), none());
    }
    line("Surprise", "Kullback–Leibler divergence, bits", figure(bits.t), figure(bits.value_told));
    line(
        "Values by information",
        &format!(
            "ℓ = 2<sup>H</sup>; no table with these values has more than {} in all classes",
            figure(bits.l_max)
        ),
        figure(bits.l),
        none(),
    );
    format!(
        "<h3>{}</h3>{}",
        name(&column.column),
        table("compare plain", "Sensitive column", &["Figure", "Worst class", "Mean over rows"], &rows)
    )
}

/// Thresholds and safe-harbour hints.
pub fn practice(document: &RiskDocument) -> String {
    let lead = "Conventions, not laws: which threshold suits depends on who gets the data. Hints about columns are guesses from names and \
                shapes; a table without hints need not be safe.";
    let thresholds: String = document
        .thresholds
        .iter()
        .map(|threshold| {
            let verdict = if threshold.holds {
                "met".to_owned()
            } else {
                format!("{} rows below", count(threshold.rows_below))
            };
            row("", &format!("k = {}", threshold.k), &[(NUMBER, verdict), ("", threshold.source.to_owned())])
        })
        .collect();
    let thresholds =
        table("losses", "Thresholds", &["Smallest class", "This table", "Who asks for it"], &thresholds);
    let hints: String = document
        .safe_harbor
        .iter()
        .map(|hint| {
            let because = match hint.because {
                Because::Name => "by its name",
                Because::Cells => "by its cells",
            };
            row(
                "",
                &name(&hint.column),
                &[("", format!("{}, {because}", looks(hint.looks))), ("", hint.advice.to_owned())],
            )
        })
        .collect();
    let hints = match hints.is_empty() {
        true => "<p>No column looks like one of the identifiers of the HIPAA safe-harbour rule (45 CFR 164.514(b)(2)).</p>".to_owned(),
        false => table("hints", "Safe-harbour hints", &["Column", "Looks like", "The rule asks"], &hints),
    };
    section("practice", "Rules of practice", lead, &format!("{thresholds}<h3>HIPAA safe harbour</h3>{hints}"))
}

fn looks(looks: Looks) -> &'static str {
    match looks {
        Looks::Name => "a name",
        Looks::FineGeography => "a small area",
        Looks::ExactDate => "an exact date",
        Looks::HighAge => "an age above 89",
        Looks::Telephone => "a telephone number",
        Looks::Email => "an e-mail address",
        Looks::Number => "a personal number",
        Looks::InternetAddress => "an internet address",
    }
}
