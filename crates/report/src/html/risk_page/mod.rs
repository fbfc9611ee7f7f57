//! The page of `paravent risk`.

mod combinations;
mod curve;
mod overview;
mod values;

use super::escape::escape;
use super::page::{Frame, page};
use paravent_assess::risk::{Kind, RiskDocument};

const CONTENTS: [(&str, &str); 6] = [
    ("classes", "Class sizes"),
    ("threshold", "Risk and threshold"),
    ("population", "Population"),
    ("columns", "Columns"),
    ("values", "Sensitive values"),
    ("practice", "Rules of practice"),
];

/// The figures as one self-contained HTML page: names of columns and numbers, no cells.
pub fn render_risk(document: &RiskDocument) -> String {
    let sections = [
        overview::verdict(document),
        overview::classes(document),
        curve::render(document),
        overview::population(document),
        combinations::render(document),
        values::sensitive(document),
        values::practice(document),
    ];
    let frame = Frame {
        title: match document.kind {
            Kind::Table => "Risk of a table",
            Kind::Release => "Risk of a release",
        },
        contents: &CONTENTS,
        version: &escape(document.paravent),
        footer: "The figures describe this table and these assumptions; they promise nothing.",
    };
    page(&frame, &sections)
}
