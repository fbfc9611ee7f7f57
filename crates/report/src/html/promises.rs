//! What is promised, criterion by criterion.

use super::facts::Facts;
use super::gauge;
use super::page::section;
use super::promise::{Measure, Promise};
use super::svg::{Sign, sign};
use super::wording::wording;

/// One card per promise.
pub fn render(facts: &Facts<'_>) -> String {
    let cards: String = facts.promises.iter().map(|promise| card(facts, promise)).collect();
    let lead = "Every released class of rows keeps every promise below; a class that would break one is left out as a \
                whole. The figure is that of the worst released class.";
    section("promises", "What is promised", lead, &format!(r#"<div class="cards">{cards}</div>"#))
}

fn card(facts: &Facts<'_>, promise: &Promise<'_>) -> String {
    let words = wording(promise, &facts.quasi_identifiers);
    let (tone, symbol, state) = match (promise.holds, promise.is_empty()) {
        (false, _) => ("bad", Sign::Bad, "not kept"),
        (true, true) => ("open", Sign::Open, "kept, but says nothing"),
        (true, false) => ("good", Sign::Good, "kept"),
    };
    let remark = if promise.is_empty() {
        r#"<p class="remark">With this parameter every table keeps the promise. It protects nobody.</p>"#
    } else {
        ""
    };
    let measures: String = promise.measures().iter().map(measure).collect();
    format!(
        r#"<article class="card promise"><header><h3>{}</h3><p class="pill {tone}">{}{state}</p></header>
<p>{}</p>{remark}
{measures}</article>"#,
        words.title,
        sign(symbol),
        words.meaning,
    )
}

fn measure(measure: &Measure) -> String {
    let term = |name: &str, text: &str| format!("<div><dt>{name}</dt><dd>{text}</dd></div>");
    format!(
        r#"<div class="measure">{}<dl>{}{}{}</dl></div>
"#,
        gauge::draw(measure),
        term("Required", &format!("{} {}", measure.symbol, gauge::required(measure))),
        term("Achieved", &gauge::achieved(measure)),
        term("Room", &gauge::room(measure)),
    )
}
