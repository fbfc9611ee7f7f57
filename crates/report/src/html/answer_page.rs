//! The page of a released answer.

use super::closing::{breakable, signature};
use super::escape::{escape, name};
use super::light::yellow;
use super::number::count;
use super::page::{Frame, page, row, section, table};
use super::svg::{Sign, sign};
use serde_json::Value;

const CONTENTS: [(&str, &str); 3] =
    [("promises", "Promises"), ("columns", "Columns"), ("closing", "Signatures")];

/// The facts of `report.json` as one self-contained HTML page: names of columns and numbers; no cells. The version that stays has the statement, too.
pub fn render_answer(document: &Value) -> String {
    let mut sections = vec![verdict(document), promises(document), columns(document)];
    sections.extend(statement(document));
    sections.push(closing(document));
    let frame = Frame {
        title: "Report on a released answer",
        contents: &CONTENTS,
        version: &escape(text(&document["paravent"])),
        footer: "The promises are about this release alone.",
    };
    page(&frame, &sections)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn verdict(document: &Value) -> String {
    let checked = !list(&document["privacy"]).is_empty();
    let yellow = yellow(document);
    let doubtful = yellow.as_ref().map(|yellow| format!("This answer is as it says, {}", yellow.but));
    let (tone, symbol, headline) = match (document["output"]["verified"] == true, document["seeded"] == true)
    {
        (true, false) if doubtful.is_some() => ("half", Sign::Half, doubtful.as_deref().unwrap_or_default()),
        (true, false) if checked => ("good", Sign::Good, "This answer keeps what it promises about its rows"),
        (true, false) => ("good", Sign::Good, "This answer is as it says"),
        (true, true) => ("bad", Sign::Bad, "Drawn from a seed: good for a test, not for a release"),
        (false, _) => ("bad", Sign::Bad, "This answer was not verified"),
    };
    let lead = match checked {
        true => "The rows are those of a generalization: its promise was counted again on this file.",
        false => {
            "The rows are figures, or were permuted or redrawn: the promise lies in how they were made, and cannot be seen in them."
        }
    };
    let rows = document["rows"].as_u64().unwrap_or_default();
    format!(
        r#"<section class="verdict {tone}" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Verdict</p><h1 id="verdict-title">{headline}</h1>
<p class="lead">{lead}{}</p></div></div>
<dl class="tiles"><div class="tile"><dt>Released</dt><dd><span class="value">{}</span><span class="what">rows</span></dd></div></dl>
</section>"#,
        sign(symbol),
        yellow.map(|yellow| yellow.words).unwrap_or_default(),
        count(rows),
    )
}

fn promises(document: &Value) -> String {
    let items = |value: &Value| -> String {
        list(value).iter().map(|item| format!("<li>{}</li>", escape(text(item)))).collect()
    };
    let told: Vec<Value> = [&document["notes"], &document["warnings"]]
        .into_iter()
        .flat_map(|value| list(value).iter().cloned())
        .collect();
    let warnings = match told.is_empty() {
        true => String::new(),
        false => format!("<h3>To be known</h3><ul>{}</ul>", items(&Value::Array(told))),
    };
    let body = format!(
        "<ul>{}</ul><h3>What is not promised</h3><ul>{}</ul>{warnings}",
        items(&document["promised"]),
        items(&document["not_promised"])
    );
    section("promises", "Promises", "What the operators of the query did.", &body)
}

fn columns(document: &Value) -> String {
    let rows = list(&document["columns"])
        .iter()
        .map(|column| row("", &name(text(&column["name"])), &[("", escape(text(&column["shown"])))]));
    let body = table("answer-columns", "Columns", &["Column", "Cells"], &rows.collect::<String>());
    section("columns", "Columns", "What became of the cells of every column.", &body)
}

/// In the version that stays.
fn statement(document: &Value) -> Option<String> {
    let statement = document["private"]["statement"].as_str()?;
    let body = format!("<pre>{}</pre>", escape(statement));
    Some(section("statement", "Statement", "Not handed out: a statement may hold cells.", &body))
}

fn closing(document: &Value) -> String {
    let body = format!(
        r#"<div class="signatures">{}{}</div>
<dl class="terms digests"><div><dt>Data file (SHA-256)</dt><dd><code>{}</code></dd></div></dl>
<p>Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>.</p>"#,
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
