//! The page of a noisy release.

use super::closing::{breakable, signature};
use super::escape::{escape, name};
use super::light::yellow;
use super::number::{count, counted, figure};
use super::page::{Frame, NUMBER, page, row, section, table};
use super::svg::{Sign, sign};
use serde_json::Value;

const CONTENTS: [(&str, &str); 4] =
    [("promises", "Promises"), ("noise", "Noise"), ("estimates", "Estimates"), ("closing", "Signatures")];

/// Estimates of more values are in `report.json`.
const MOST_SHOWN: usize = 40;

/// The facts of `report.json` as one self-contained HTML page. Values are those of the noise, which the manifest names; no row is shown.
pub fn render_noise(document: &Value) -> String {
    let sections =
        [verdict(document), promises(document), noise(document), estimates(document), closing(document)];
    let frame = Frame {
        title: "Noisy release report",
        contents: &CONTENTS,
        version: &escape(text(&document["paravent"])),
        footer: "The promises are about this release alone; the ε of several releases add up.",
    };
    page(&frame, &sections)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn names(value: &Value) -> String {
    list(value).iter().map(|column| name(text(column))).collect::<Vec<_>>().join(", ")
}

/// `ε = 1, δ = 0.000001`
fn cost(epsilon: &Value, delta: &Value) -> String {
    match (epsilon.as_str(), delta.as_str()) {
        (None, _) => "no bound".to_owned(),
        (Some(epsilon), None | Some("0")) => escape(epsilon),
        (Some(epsilon), Some(delta)) => format!("{}, δ {}", escape(epsilon), escape(delta)),
    }
}

fn verdict(document: &Value) -> String {
    let (seeded, bounded) = (document["seeded"] == true, document["bounded"] == true);
    let yellow = yellow(document);
    let doubtful = yellow.as_ref().map(|yellow| format!("This noisy release is as it says, {}", yellow.but));
    let (tone, symbol, headline) = match (document["output"]["verified"] == true, seeded, bounded) {
        (true, false, true) if doubtful.is_some() => {
            ("half", Sign::Half, doubtful.as_deref().unwrap_or_default())
        }
        (true, false, true) => ("good", Sign::Good, "This noisy release is as it says"),
        (true, true, _) => ("bad", Sign::Bad, "Drawn from a seed: good for a test, not for a release"),
        (true, false, false) => ("bad", Sign::Bad, "No ε bounds what this noise gives away"),
        (false, ..) => ("bad", Sign::Bad, "This noisy release was not verified"),
    };
    let tile = |term: &str, value: String, what: &str| {
        format!(
            r#"<div class="tile"><dt>{term}</dt><dd><span class="value">{value}</span><span class="what">{what}</span></dd></div>"#
        )
    };
    let epsilon = match bounded {
        true => cost(&document["epsilon"], &document["delta"]),
        false => "no bound".to_owned(),
    };
    format!(
        r#"<section class="verdict {tone}" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Verdict</p><h1 id="verdict-title">{headline}</h1>
<p class="lead">Cells of some columns were drawn for: no single one of them can be believed, but counts over many rows can be estimated. How much
a shown cell can speak for one true value against another is bounded by ε; smaller is safer.{}</p></div></div>
<dl class="tiles">{}{}{}{}</dl>
</section>"#,
        sign(symbol),
        yellow.map(|yellow| yellow.words).unwrap_or_default(),
        tile("Released", count(document["rows"].as_u64().unwrap_or_default()), "rows"),
        tile("Noisy", count(list(&document["columns"]).len() as u64), "columns"),
        tile("Without noise", count(list(&document["exact"]).len() as u64), "columns, as they were"),
        match document["rows_per_person"].as_u64() {
            None => tile("ε of a row", epsilon, "all noisy columns together"),
            Some(rows) => {
                let what = format!("all noisy columns, up to {} of one person", counted(rows, "row", "rows"));
                tile("ε of a person", epsilon, &what)
            }
        },
    )
}

fn promises(document: &Value) -> String {
    let items = |value: &Value| -> String {
        list(value).iter().map(|item| format!("<li>{}</li>", escape(text(item)))).collect()
    };
    let warnings = match list(&document["warnings"]).is_empty() {
        true => String::new(),
        false => format!("<h3>To be known</h3><ul>{}</ul>", items(&document["warnings"])),
    };
    let body = format!(
        "<ul>{}</ul><h3>What is not promised</h3><ul>{}</ul>{warnings}",
        items(&document["promised"]),
        items(&document["not_promised"])
    );
    section("promises", "Promises", "What holds for this release.", &body)
}

/// What is drawn, in words.
fn law(column: &Value) -> String {
    let p = column["probability"].as_str().map(escape);
    let redrawn = |from: &str| match &p {
        Some(p) => format!("redrawn with probability {p}, {from}"),
        None => format!("redrawn {from}"),
    };
    let bounds = || {
        format!(
            "from {} to {} in steps of {}",
            escape(text(&column["min"])),
            escape(text(&column["max"])),
            escape(text(&column["step"]))
        )
    };
    let words = match text(&column["law"]) {
        "uniform" => redrawn("every value equally likely"),
        "given" => redrawn("by given weights"),
        "steps" => redrawn("by distance in the order of the values"),
        "kernel" => redrawn("by a table of probabilities"),
        "laplace" => format!("Laplace noise added, {}", bounds()),
        "geometric" => format!("geometric noise added, {}", bounds()),
        "gaussian" => format!("Gaussian noise added, {}", bounds()),
        other => escape(other),
    };
    match column["by"].as_str() {
        Some(by) => format!("{words}; depends on {}", name(by)),
        None => words,
    }
}

fn noise(document: &Value) -> String {
    let changed = |column: &str| {
        let found = list(&document["changed"]).iter().find(|entry| entry["column"] == column);
        found.and_then(|entry| entry["rows"].as_u64()).map(count)
    };
    let internal = document["changed"].is_array();
    let rows = list(&document["columns"]).iter().map(|column| {
        let own = text(&column["column"]);
        let values = column["values"].as_u64().map_or_else(|| "–".to_owned(), count);
        let mut cells =
            vec![("", law(column)), (NUMBER, values), (NUMBER, cost(&column["epsilon"], &column["delta"]))];
        if internal {
            cells.push((NUMBER, changed(own).unwrap_or_default()));
        }
        row("", &name(own), &cells)
    });
    let mut head = vec!["Column", "Noise", "Values", "ε"];
    if internal {
        head.push("Cells changed");
    }
    let exact = match list(&document["exact"]).is_empty() {
        true => "<p>Every released column has noise.</p>".to_owned(),
        false => format!("<p>Without noise: {}.</p>", names(&document["exact"])),
    };
    let dropped = match list(&document["dropped"]).is_empty() {
        true => String::new(),
        false => format!("<p>Left out as identifying: {}.</p>", names(&document["dropped"])),
    };
    section(
        "noise",
        "Noise",
        "The probabilities are part of the release: whoever knows them can undo the noise in counts, and never in a row.",
        &format!("{}{exact}{dropped}", table("noise-columns", "Noise", &head, &rows.collect::<String>())),
    )
}

fn estimates(document: &Value) -> String {
    let mut body = String::new();
    for column in list(&document["columns"]) {
        let own = name(text(&column["column"]));
        if let Some(mean) = column["mean"].as_object() {
            let number = |key: &str| figure(mean[key].as_f64().unwrap_or_default());
            body.push_str(&format!(
                "<h3>{own}</h3><p>Mean of the true numbers: {} ± {} (the shown ones have {}).</p>",
                number("estimate"),
                number("standard_error"),
                number("observed")
            ));
            continue;
        }
        let all = list(&column["estimates"]);
        if all.is_empty() {
            body.push_str(&format!("<h3>{own}</h3><p>No estimate: this noise is not undone here.</p>"));
            continue;
        }
        let rows = all.iter().take(MOST_SHOWN).map(|estimate| {
            let value = estimate["value"].as_str().map_or_else(|| "missing".to_owned(), name);
            let number = |key: &str| figure(estimate[key].as_f64().unwrap_or_default());
            row(
                "",
                &value,
                &[
                    (NUMBER, count(estimate["observed"].as_u64().unwrap_or_default())),
                    (NUMBER, number("estimate")),
                    (NUMBER, number("standard_error")),
                ],
            )
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
        body.push_str(&format!("<h3>{own}</h3>{shown}{more}"));
    }
    section(
        "estimates",
        "Estimates",
        "What the noisy rows tell about the true ones: unbiased, so a small count may come out negative. The standard error is that of the noise.",
        &body,
    )
}

fn closing(document: &Value) -> String {
    let body = format!(
        r#"<div class="signatures">{}{}</div>
<dl class="terms digests"><div><dt>Data file (SHA-256)</dt><dd><code>{}</code></dd></div></dl>
<p>Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>: every cell is a value of its noise, and every ε is computed again from the stated probabilities.</p>"#,
        signature("Data protection officer"),
        signature("Data manager"),
        breakable(text(&document["output"]["sha256"])),
    );
    section(
        "closing",
        "Signatures and references",
        "By signing, the signatories confirm that they have read this report and accept what is not promised.",
        &body,
    )
}
