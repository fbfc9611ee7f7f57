//! The page of a sliced release.

use super::closing::{breakable, signature};
use super::escape::{escape, name};
use super::light::yellow;
use super::number::{count, figure};
use super::page::{Frame, NUMBER, page, row, section, table};
use super::svg::{Sign, sign};
use serde_json::Value;

const CONTENTS: [(&str, &str); 4] = [
    ("promises", "Promises"),
    ("groups", "Groups"),
    ("pairs", "Pairs of columns"),
    ("closing", "Signatures"),
];

/// The facts of `report.json` as one self-contained HTML page: names of columns and numbers; no cells.
pub fn render_slice(document: &Value) -> String {
    let sections =
        [verdict(document), promises(document), groups(document), pairs(document), closing(document)];
    let frame = Frame {
        title: "Sliced release report",
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

fn names(value: &Value) -> String {
    list(value).iter().map(|column| name(text(column))).collect::<Vec<_>>().join(", ")
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn verdict(document: &Value) -> String {
    let seeded = document["seeded"] == true;
    let yellow = yellow(document);
    let (tone, symbol, headline) = match (document["output"]["verified"] == true, seeded) {
        (true, false) if yellow.is_some() => {
            ("half", Sign::Half, "This sliced release is as it says, and yet singles people out")
        }
        (true, false) => ("good", Sign::Good, "This sliced release is as it says"),
        (true, true) => ("bad", Sign::Bad, "Drawn from a seed: good for a test, not for a release"),
        (false, _) => ("bad", Sign::Bad, "This sliced release was not verified"),
    };
    let tile = |term: &str, value: String, what: &str| {
        format!(
            r#"<div class="tile"><dt>{term}</dt><dd><span class="value">{value}</span><span class="what">{what}</span></dd></div>"#
        )
    };
    format!(
        r#"<section class="verdict {tone}" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Verdict</p><h1 id="verdict-title">{headline}</h1>
<p class="lead">Every cell is as it was. Which cells belong together is exact inside a group of columns, and blurred between groups: inside hidden buckets of rows
each group was put into a random order of its own.{}</p></div></div>
<dl class="tiles">{}{}{}</dl>
</section>"#,
        sign(symbol),
        yellow.unwrap_or_default(),
        tile("Released", count(whole(&document["rows"])), "rows"),
        tile("Groups", count(list(&document["groups"]).len() as u64), "of columns"),
        tile(
            "Smallest bucket",
            count(whole(&document["smallest_bucket"])),
            "rows mixed with each other, at least"
        ),
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

fn groups(document: &Value) -> String {
    let rows = list(&document["groups"]).iter().enumerate().map(|(number, group)| {
        let alone = group["unique_percent"]
            .as_f64()
            .map_or_else(|| "a single column".to_owned(), |percent| format!("{} %", figure(percent)));
        row("", &format!("Group {}", number + 1), &[("", names(&group["columns"])), (NUMBER, alone)])
    });
    let limit = text(&document["unique_limit"]).parse::<f64>().unwrap_or(1.0);
    let lead = format!(
        "Columns of a group stay together. Rows that are alone with their values inside a group could be found by whoever knows these values; at most {} % may be.",
        figure(100.0 * limit)
    );
    let body = table("slice-groups", "Groups", &["", "Columns", "Rows alone"], &rows.collect::<String>());
    let known = match list(&document["known"]).is_empty() {
        true => String::new(),
        false => format!(
            "<p>Buckets were made by {}, which therefore counts as a column of every group.</p>",
            names(&document["known"])
        ),
    };
    section("groups", "Groups", &lead, &format!("{body}{known}"))
}

fn pairs(document: &Value) -> String {
    let rows = list(&document["pairs"]).iter().map(|pair| {
        let kept = if pair["kept"] == true { "exact" } else { "blurred inside buckets" };
        row("", &names(&pair["columns"]), &[("", kept.to_owned())])
    });
    section(
        "pairs",
        "Pairs of columns",
        "What an analysis of two columns gets from this table.",
        &table("slice-pairs", "Pairs", &["Columns", "Figures over both"], &rows.collect::<String>()),
    )
}

fn closing(document: &Value) -> String {
    let body = format!(
        r#"<div class="signatures">{}{}</div>
<dl class="terms digests"><div><dt>Data file (SHA-256)</dt><dd><code>{}</code></dd></div></dl>
<p>Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>; whoever has the original as well, with <code>paravent slice check</code>.</p>"#,
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
