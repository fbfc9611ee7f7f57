//! The page of a noisy release.

use super::escape::{escape, name};
use super::light::yellow_of;
use super::number::{count, counted, figure};
use super::page::{Frame, NUMBER, page, row, section, table};
use super::parts::{Statement, closing, promises};
use super::svg::Sign;
use crate::wording::translated;
use crate::{Lang, NoiseColumn, NoiseDocument};

const CONTENTS: [(&str, &str); 4] =
    [("promises", "Promises"), ("noise", "Noise"), ("estimates", "Estimates"), ("closing", "Signatures")];

/// Estimates of more values are in `report.json`.
const MOST_SHOWN: usize = 40;

/// How to repeat the check.
const CHECK: &str = "Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>: every cell is a value of its noise, and every ε is computed again from the stated probabilities.";

/// The facts of `report.json` as one self-contained HTML page. Values are those of the noise, which the manifest names; no row is shown.
pub fn render_noise(document: &NoiseDocument, lang: Lang) -> String {
    let told: Vec<&String> = document.warnings.iter().collect();
    let sections = [
        verdict(document),
        promises("What holds for this release.", &document.promised, &document.not_promised, &told),
        noise(document),
        estimates(document),
        closing(document.output.as_ref().map_or("", |output| &output.sha256), CHECK),
    ];
    let frame = Frame {
        title: "Noisy release report",
        contents: &CONTENTS,
        version: &escape(document.paravent),
        footer: "The promises are about this release alone; the ε of several releases add up.",
    };
    translated(&page(&frame, &sections), lang)
}

fn names(columns: &[String]) -> String {
    columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ")
}

/// `1, δ 0.000001`
fn cost(epsilon: Option<&str>, delta: Option<&str>) -> String {
    match (epsilon, delta) {
        (None, _) => "no bound".to_owned(),
        (Some(epsilon), None | Some("0")) => escape(epsilon),
        (Some(epsilon), Some(delta)) => format!("{}, δ {}", escape(epsilon), escape(delta)),
    }
}

fn verdict(document: &NoiseDocument) -> String {
    let bounded = document.bounded;
    let verified = document.output.as_ref().is_some_and(|output| output.verified);
    let yellow = yellow_of(&document.verdict);
    let doubtful = yellow.as_ref().map(|yellow| format!("This noisy release is as it says, {}", yellow.but));
    let (tone, symbol, headline) = match (verified, document.seeded, bounded) {
        (true, false, true) if doubtful.is_some() => {
            ("half", Sign::Half, doubtful.as_deref().unwrap_or_default())
        }
        (true, false, true) => ("good", Sign::Good, "This noisy release is as it says"),
        (true, true, _) => ("bad", Sign::Bad, "Drawn from a seed: good for a test, not for a release"),
        (true, false, false) => ("bad", Sign::Bad, "No ε bounds what this noise gives away"),
        (false, ..) => ("bad", Sign::Bad, "This noisy release was not verified"),
    };
    let epsilon = match bounded {
        true => cost(Some(&document.epsilon), Some(&document.delta)),
        false => "no bound".to_owned(),
    };
    let (whose, which) = match document.rows_per_person {
        None => ("ε of a row", "all noisy columns together".to_owned()),
        Some(rows) => {
            let rows = counted(rows, "row", "rows");
            ("ε of a person", format!("all noisy columns, up to {rows} of one person"))
        }
    };
    let lead = format!(
        "Cells of some columns were drawn for: no single one of them can be believed, but counts over many rows can be estimated. How much a shown cell can speak for one true value against another is bounded by ε; smaller is safer.{}",
        yellow.map(|yellow| yellow.words).unwrap_or_default()
    );
    Statement {
        tone: (tone, symbol),
        eyebrow: "Verdict",
        headline,
        lead: &lead,
        more: "",
        tiles: &[
            ("Released", count(document.rows), "rows"),
            ("Noisy", count(document.columns.len() as u64), "columns"),
            ("Without noise", count(document.exact.len() as u64), "columns, as they were"),
            (whose, epsilon, &which),
        ],
    }
    .render()
}

/// What is drawn, in words.
fn law(column: &NoiseColumn) -> String {
    let p = column.probability.as_deref().map(escape);
    let redrawn = |from: &str| match &p {
        Some(p) => format!("redrawn with probability {p}, {from}"),
        None => format!("redrawn {from}"),
    };
    let bounds = || {
        let of = |text: &Option<String>| escape(text.as_deref().unwrap_or_default());
        format!("from {} to {} in steps of {}", of(&column.min), of(&column.max), of(&column.step))
    };
    let words = match column.law {
        "uniform" => redrawn("every value equally likely"),
        "given" => redrawn("by given weights"),
        "steps" => redrawn("by distance in the order of the values"),
        "kernel" => redrawn("by a table of probabilities"),
        "laplace" => format!("Laplace noise added, {}", bounds()),
        "geometric" => format!("geometric noise added, {}", bounds()),
        "gaussian" => format!("Gaussian noise added, {}", bounds()),
        other => escape(other),
    };
    match &column.by {
        Some(by) => format!("{words}; depends on {}", name(by)),
        None => words,
    }
}

fn noise(document: &NoiseDocument) -> String {
    let changed = document.kept.as_ref().map(|kept| &kept.changed);
    let rows = document.columns.iter().map(|column| {
        let values = column.values.map_or_else(|| "–".to_owned(), count);
        let cost = cost(column.epsilon.as_deref(), column.delta.as_deref());
        let mut cells = vec![("", law(column)), (NUMBER, values), (NUMBER, cost)];
        if let Some(changed) = changed {
            let found = changed.iter().find(|entry| entry.column == column.column);
            cells.push((NUMBER, found.map(|entry| count(entry.rows)).unwrap_or_default()));
        }
        row("", &name(&column.column), &cells)
    });
    let mut head = vec!["Column", "Noise", "Values", "ε"];
    if changed.is_some() {
        head.push("Cells changed");
    }
    let exact = match document.exact.is_empty() {
        true => "<p>Every released column has noise.</p>".to_owned(),
        false => format!("<p>Without noise: {}.</p>", names(&document.exact)),
    };
    let dropped = match document.dropped.is_empty() {
        true => String::new(),
        false => format!("<p>Left out as identifying: {}.</p>", names(&document.dropped)),
    };
    section(
        "noise",
        "Noise",
        "The probabilities are part of the release: whoever knows them can undo the noise in counts, and never in a row.",
        &format!("{}{exact}{dropped}", table("noise-columns", "Noise", &head, &rows.collect::<String>())),
    )
}

fn estimates(document: &NoiseDocument) -> String {
    let body: String = document.columns.iter().map(estimated).collect();
    section(
        "estimates",
        "Estimates",
        "What the noisy rows tell about the true ones: unbiased, so a small count may come out negative. The standard error is that of the noise.",
        &body,
    )
}

fn estimated(column: &NoiseColumn) -> String {
    let own = name(&column.column);
    if let Some(mean) = &column.mean {
        return format!(
            "<h3>{own}</h3><p>Mean of the true numbers: {} ± {} (the shown ones have {}).</p>",
            figure(mean.estimate),
            figure(mean.standard_error),
            figure(mean.observed)
        );
    }
    let all = column.estimates.as_deref().unwrap_or_default();
    if all.is_empty() {
        return format!("<h3>{own}</h3><p>No estimate: this noise is not undone here.</p>");
    }
    let rows = all.iter().take(MOST_SHOWN).map(|estimate| {
        let value = estimate.value.as_deref().map_or_else(|| "missing".to_owned(), name);
        let cells = [count(estimate.observed), figure(estimate.estimate), figure(estimate.standard_error)];
        row("", &value, &cells.map(|cell| (NUMBER, cell)))
    });
    let shown = table(
        "noise-estimates",
        &own,
        &["Value", "Rows shown", "Rows, estimated", "Standard error"],
        &rows.collect::<String>(),
    );
    let more = match all.len() > MOST_SHOWN {
        true => format!("<p>{} more in report.json.</p>", count((all.len() - MOST_SHOWN) as u64)),
        false => String::new(),
    };
    format!("<h3>{own}</h3>{shown}{more}")
}
