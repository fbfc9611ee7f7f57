//! Singling out, linkability, inference: on the first page, because officers are asked for them.

use super::attacks::{prose, value};
use super::escape::label;
use super::facts::Facts;
use super::number::figure;
use super::svg::{Sign, sign};
use crate::OpinionFacts;
use paravent_evidence::attack::{Attack, Outcome, Severity};

const RISKS: [(Attack, &str, &str); 3] = [
    (Attack::SinglingOut, "Singling out", "Can a person be isolated in the release?"),
    (Attack::Linkability, "Linkability", "Can rows of one person be linked?"),
    (Attack::Inference, "Inference", "Can a value of a person be deduced?"),
];

/// A card per risk; empty on the page that is handed out, since the figures need the original.
pub fn render(facts: &Facts<'_>) -> String {
    let Some(opinion) = facts.document.opinion.as_ref().filter(|_| !facts.is_external()) else {
        return String::new();
    };
    let cards: String = RISKS.iter().map(|risk| card(opinion, risk)).collect();
    format!(
        r#"<h2 class="small">Opinion 05/2014 (WP 216): the three risks, measured against the original</h2>
<div class="three">{cards}</div>"#
    )
}

fn card(opinion: &OpinionFacts, (attack, name, question): &(Attack, &str, &str)) -> String {
    let outcomes: Vec<&Outcome> =
        opinion.attacks.iter().filter(|outcome| outcome.attack == *attack).collect();
    let worst = outcomes
        .iter()
        .max_by(|a, b| a.severity.cmp(&b.severity).then_with(|| a.figure.value.total_cmp(&b.figure.value)));
    let (tone, symbol, word, told) = match worst {
        None => {
            let why = match &opinion.not_tested {
                Some(why) => prose(why),
                None => "There is nothing to try it on.".to_owned(),
            };
            ("open", Sign::Open, "Not tested", format!("<p>{why}</p>"))
        }
        Some(outcome) => {
            let (tone, symbol, word) = match outcome.severity {
                Severity::Covered => ("good", Sign::Good, "Within the promise"),
                Severity::NothingFound => ("good", Sign::Good, "Nothing found"),
                Severity::Residual => ("half", Sign::Half, "Residual risk"),
                Severity::NotCompared => ("open", Sign::Open, "Not compared"),
                Severity::Broken => ("bad", Sign::Bad, "Broken"),
            };
            // A word of the attack's own is no text of the data.
            let subject = outcome.subject.as_deref().map_or_else(String::new, |of| match of {
                "all columns" => r#" <span class="what">(all columns)</span>"#.to_owned(),
                column => format!(" ({})", label(column)),
            });
            let figure = format!(
                r#"<p><strong>{}</strong> <span class="what">{}</span>{subject}</p>"#,
                value(outcome.figure.value, outcome.figure.unit),
                outcome.figure.what,
            );
            let bound = outcome.bound.as_ref().map_or_else(String::new, |bound| {
                format!(r#"<p class="what">Bound {}</p>"#, value(bound.value, outcome.figure.unit))
            });
            (tone, symbol, word, figure + &bound)
        }
    };
    let tried = outcomes.len();
    let several = if tried > 1 {
        format!(r#"<p class="what">The worst of {} attempts</p>"#, figure(tried as f64))
    } else {
        String::new()
    };
    format!(
        r#"<article class="card"><h3>{name}</h3><p class="what">{question}</p><p class="pill {tone}">{}{word}</p>{told}{several}</article>"#,
        sign(symbol)
    )
}
