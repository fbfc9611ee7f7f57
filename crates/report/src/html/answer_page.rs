//! The page of a released answer.

use super::escape::{escape, name};
use super::light::yellow_of;
use super::number::count;
use super::page::{Frame, page, row, section, table};
use super::parts::{Statement, closing, promises};
use super::svg::Sign;
use crate::wording::translated;
use crate::{AnswerDocument, Lang};

const CONTENTS: [(&str, &str); 3] =
    [("promises", "Promises"), ("columns", "Columns"), ("closing", "Signatures")];

/// How to repeat the check.
const CHECK: &str =
    "Whoever has the release can repeat the check from its files alone with <code>paravent verify</code>.";

/// The facts of `report.json` as one self-contained HTML page: names of columns and numbers; no cells. The version that stays has the statement, too.
pub fn render_answer(document: &AnswerDocument, lang: Lang) -> String {
    let facts = &document.facts;
    let told: Vec<&String> = document.notes.iter().chain(&document.warnings).collect();
    let mut sections = vec![
        verdict(document),
        promises("What the operators of the query did.", &facts.promised, &facts.not_promised, &told),
        columns(document),
    ];
    sections.extend(statement(document));
    sections.push(closing(document.output.as_ref().map_or("", |output| &output.sha256), CHECK));
    let frame = Frame {
        title: "Report on a released answer",
        contents: &CONTENTS,
        version: &escape(facts.paravent),
        footer: "The promises are about this release alone.",
    };
    translated(&page(&frame, &sections), lang)
}

fn verdict(document: &AnswerDocument) -> String {
    let checked = !document.facts.privacy.is_empty();
    let verified = document.output.as_ref().is_some_and(|output| output.verified);
    let yellow = yellow_of(&document.verdict);
    let doubtful = yellow.as_ref().map(|yellow| format!("This answer is as it says, {}", yellow.but));
    let (tone, symbol, headline) = match (verified, document.facts.seeded) {
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
    Statement {
        tone: (tone, symbol),
        eyebrow: "Verdict",
        headline,
        lead: &format!("{lead}{}", yellow.map(|yellow| yellow.words).unwrap_or_default()),
        more: "",
        tiles: &[("Released", count(document.rows), "rows")],
    }
    .render()
}

fn columns(document: &AnswerDocument) -> String {
    let rows = document
        .facts
        .columns
        .iter()
        .map(|column| row("", &name(&column.name), &[("", escape(column.shown))]));
    let body = table("answer-columns", "Columns", &["Column", "Cells"], &rows.collect::<String>());
    section("columns", "Columns", "What became of the cells of every column.", &body)
}

/// In the version that stays.
fn statement(document: &AnswerDocument) -> Option<String> {
    let kept = document.kept.as_ref()?;
    let body = format!("<pre><code>{}</code></pre>", escape(&kept.private.statement));
    Some(section("statement", "Statement", "Not handed out: a statement may hold cells.", &body))
}
