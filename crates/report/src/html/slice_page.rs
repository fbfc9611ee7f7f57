//! The page of a sliced release.

use super::escape::{escape, name};
use super::light::yellow_of;
use super::number::{count, figure};
use super::page::{Frame, NUMBER, page, row, section, table};
use super::parts::{Statement, closing, promises};
use super::svg::Sign;
use crate::wording::translated;
use crate::{Lang, SliceDocument};

const CONTENTS: [(&str, &str); 4] = [
    ("promises", "Promises"),
    ("groups", "Groups"),
    ("pairs", "Pairs of columns"),
    ("closing", "Signatures"),
];

/// How to repeat the check.
const CHECK: &str = "Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>; whoever has the original as well, with <code>paravent slice check</code>.";

/// The facts of `report.json` as one self-contained HTML page: names of columns and numbers; no cells.
pub fn render_slice(document: &SliceDocument, lang: Lang) -> String {
    let told: Vec<&String> = document.warnings.iter().collect();
    let sections = [
        verdict(document),
        promises("What holds for this release.", &document.promised, &document.not_promised, &told),
        groups(document),
        pairs(document),
        closing(document.output.as_ref().map_or("", |output| &output.sha256), CHECK),
    ];
    let frame = Frame {
        title: "Sliced release report",
        contents: &CONTENTS,
        version: &escape(document.paravent),
        footer: "The promises are about this release alone.",
    };
    translated(&page(&frame, &sections), lang)
}

fn names(columns: &[String]) -> String {
    columns.iter().map(|column| name(column)).collect::<Vec<_>>().join(", ")
}

fn verdict(document: &SliceDocument) -> String {
    let verified = document.output.as_ref().is_some_and(|output| output.verified);
    let yellow = yellow_of(&document.verdict);
    let doubtful = yellow.as_ref().map(|yellow| format!("This sliced release is as it says, {}", yellow.but));
    let (tone, symbol, headline) = match (verified, document.seeded) {
        (true, false) if doubtful.is_some() => ("half", Sign::Half, doubtful.as_deref().unwrap_or_default()),
        (true, false) => ("good", Sign::Good, "This sliced release is as it says"),
        (true, true) => ("bad", Sign::Bad, "Drawn from a seed: good for a test, not for a release"),
        (false, _) => ("bad", Sign::Bad, "This sliced release was not verified"),
    };
    let lead = format!(
        "Every cell is as it was. Which cells belong together is exact inside a group of columns, and blurred between groups: inside hidden buckets of rows each group was put into a random order of its own.{}",
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
            ("Groups", count(document.groups.len() as u64), "of columns"),
            ("Smallest bucket", count(document.smallest_bucket), "rows mixed with each other, at least"),
        ],
    }
    .render()
}

fn groups(document: &SliceDocument) -> String {
    let rows = document.groups.iter().enumerate().map(|(number, group)| {
        let alone = group
            .unique_percent
            .map_or_else(|| "a single column".to_owned(), |percent| format!("{} %", figure(percent)));
        row("", &format!("Group {}", number + 1), &[("", names(&group.columns)), (NUMBER, alone)])
    });
    let limit = document.unique_limit.parse::<f64>().unwrap_or(1.0);
    let lead = format!(
        "Columns of a group stay together. Rows that are alone with their values inside a group could be found by whoever knows these values; at most {} % may be.",
        figure(100.0 * limit)
    );
    let body = table("slice-groups", "Groups", &["", "Columns", "Rows alone"], &rows.collect::<String>());
    let known = match document.known.is_empty() {
        true => String::new(),
        false => format!(
            "<p>Buckets were made by {}, which therefore counts as a column of every group.</p>",
            names(&document.known)
        ),
    };
    section("groups", "Groups", &lead, &format!("{body}{known}"))
}

fn pairs(document: &SliceDocument) -> String {
    let rows = document.pairs.iter().map(|pair| {
        let kept = if pair.kept { "exact" } else { "blurred inside buckets" };
        row("", &names(&pair.columns), &[("", kept.to_owned())])
    });
    section(
        "pairs",
        "Pairs of columns",
        "What an analysis of two columns gets from this table.",
        &table("slice-pairs", "Pairs", &["Columns", "Figures over both"], &rows.collect::<String>()),
    )
}
