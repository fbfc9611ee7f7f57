//! What became of the attacks: a page for the officer, a page for the engineer.

use super::escape::{escape, label};
use super::number::{count, counted, figure, percent};
use super::page::{self, Frame, page, section, table};
use super::svg::{Sign, sign};
use paravent_assess::attack::Attacked;
use paravent_evidence::attack::{Finding, Outcome, Severity, Unit};

/// Name of the officer's page.
pub const OFFICER: &str = "attacks.html";

/// Name of the engineer's page.
pub const ENGINEER: &str = "attacks-details.html";

/// Both pages. They show released labels and figures only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttackPages {
    /// Threat by threat: covered or not, what remains, what is assumed.
    pub officer: String,
    /// Every figure, interval and parameter.
    pub engineer: String,
}

impl AttackPages {
    /// The pages by file name.
    pub fn files(&self) -> [(&'static str, &str); 2] {
        [(OFFICER, &self.officer), (ENGINEER, &self.engineer)]
    }
}

/// Draws the pages.
pub fn attack_pages(attacked: &Attacked) -> AttackPages {
    let version = escape(env!("CARGO_PKG_VERSION"));
    let footer = format!("Chance came from seed {}; the same seed gives the same page.", attacked.seed);
    let framed = |title: &str, contents: &[(&str, &str)], sections: &[String]| {
        page(&Frame { title, contents, version: &version, footer: &footer }, sections)
    };
    let officer = framed(
        "Attack report",
        &[("threats", "Threats"), ("untried", "Not tried")],
        &[verdict(attacked), threats(attacked), untried(attacked)],
    );
    let engineer = framed(
        "Attack details",
        &[("parameters", "Parameters"), ("attacks", "Attacks")],
        &[parameters(attacked), details(attacked)],
    );
    AttackPages { officer, engineer }
}

fn look(severity: Severity) -> (&'static str, Sign, &'static str) {
    match severity {
        Severity::Covered => ("good", Sign::Good, "Covered"),
        Severity::NothingFound => ("good", Sign::Good, "Nothing found"),
        Severity::Residual => ("half", Sign::Half, "Remains"),
        Severity::NotCompared => ("bad", Sign::Bad, "Not compared"),
        Severity::Broken => ("bad", Sign::Bad, "Broken"),
    }
}

/// The judgement as a sign and a word.
pub(super) fn pill(severity: Severity) -> String {
    let (tone, symbol, word) = look(severity);
    format!(r#"<p class="pill {tone}">{}{word}</p>"#, sign(symbol))
}

/// A figure as it is shown.
pub(super) fn value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share => percent(value),
        Unit::Count => figure(value),
        Unit::Factor => figure((value * 100.0).round() / 100.0),
    }
}

fn verdict(attacked: &Attacked) -> String {
    let (broken, residual) = (attacked.count(Severity::Broken), attacked.count(Severity::Residual));
    let blind = attacked.count(Severity::NotCompared);
    let (tone, symbol, headline) = match (broken, blind, residual) {
        (0, 0, 0) => ("good", Sign::Good, "No attack got anywhere"),
        (0, 0, _) => ("half", Sign::Half, "No promise is broken, but something remains"),
        (0, _, _) => ("bad", Sign::Bad, "A comparison could not be made"),
        _ => ("bad", Sign::Bad, "An attack breaks a promise"),
    };
    let lead = match (broken, blind) {
        (0, 1..) => {
            "In at least one comparison nothing fits, so nobody knows what it would tell. Find out why before this release is handed out."
        }
        (0, 0) => {
            "Every attack that could be tried stays within what was promised. What nobody promised to hide is listed as remaining."
        }
        _ => "At least one attack learns more than was promised. Do not hand this release out.",
    };
    let tile = |term: &str, value: String, what: &str| {
        format!(
            r#"<div class="tile"><dt>{term}</dt><dd><span class="value">{value}</span> <span class="what">{what}</span></dd></div>"#
        )
    };
    let promise = attacked.k.map_or_else(
        || "no class size was promised".to_owned(),
        |k| format!("promised: no class below {k} rows"),
    );
    let tiles = [
        tile(
            "Attacks tried",
            count(attacked.outcomes.len() as u64),
            "each on its own question, column or table",
        ),
        tile("Broken", count(broken as u64), "learn more than was promised"),
        tile("Remaining", count(residual as u64), "learn what nobody promised to hide"),
        tile("Rows", count(attacked.rows), "in the release"),
        tile("Classes", count(attacked.classes), &promise),
        tile("Not tried", count(attacked.not_run.len() as u64), "for want of what they need; see below"),
    ];
    format!(
        r#"<section class="verdict {tone}" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Verdict</p><h1 id="verdict-title">{headline}</h1><p class="lead">{lead}</p></div></div>
<dl class="tiles">{}</dl>
</section>"#,
        sign(symbol),
        tiles.concat(),
    )
}

fn threats(attacked: &Attacked) -> String {
    let rows: String = attacked.outcomes.iter().map(threat).collect();
    let head = ["Threat", "Result", "What remains", "Assumes"];
    let lead = "Each attack was really run. <em>Covered</em>: it stays within the promise, or learns nothing worth telling. \
                <em>Remains</em>: it learns something that nobody promised to hide. <em>Broken</em>: it learns more than was promised.";
    section(
        "threats",
        "What attackers would find",
        lead,
        &table("threats", "Attacks and their results", &head, &rows),
    )
}

fn threat(outcome: &Outcome) -> String {
    let subject =
        outcome.subject.as_ref().map_or_else(String::new, |subject| format!(" ({})", label(subject)));
    let head = format!(
        r#"{}{subject}<span class="what">{}</span>"#,
        capital(outcome.attack.name()),
        escape(outcome.attack.question())
    );
    let figure = format!(
        "<p><strong>{}</strong> {}</p>",
        value(outcome.figure.value, outcome.figure.unit),
        outcome.figure.what
    );
    let bound = outcome.bound.as_ref().map_or_else(
        || "<p class=\"what\">Nothing was promised.</p>".to_owned(),
        |bound| {
            format!(
                r#"<p class="what">Held against {}: {}.</p>"#,
                value(bound.value, outcome.figure.unit),
                prose(&bound.from)
            )
        },
    );
    let cells = [
        ("", pill(outcome.severity) + &figure),
        (r#" data-label="What remains""#, format!("<p>{}</p>{bound}", prose(&outcome.result))),
        (r#" data-label="Assumes""#, escape(outcome.assumption)),
    ];
    page::row("", &head, &cells)
}

fn untried(attacked: &Attacked) -> String {
    let lead = "An attack that was not tried proves nothing. These need more than was given.";
    let items: String = attacked
        .not_run
        .iter()
        .map(|missing| {
            format!(
                "<div><dt>{}</dt><dd>{}</dd></div>",
                capital(missing.attack.name()),
                escape(missing.needs)
            )
        })
        .collect();
    let body = match items.is_empty() {
        true => "<p>Every attack was tried.</p>".to_owned(),
        false => format!(r#"<dl class="terms">{items}</dl>"#),
    };
    let more = format!(
        r#"<p>Every figure, interval and parameter: <a href="{ENGINEER}">details for engineers</a>.</p>"#
    );
    section("untried", "Not tried", lead, &(body + &more))
}

fn parameters(attacked: &Attacked) -> String {
    let mut given: Vec<String> = attacked.given.iter().map(|text| escape(text)).collect();
    if given.is_empty() {
        given.push("the release alone".to_owned());
    }
    let k = attacked.k.map_or_else(|| "none".to_owned(), count);
    let known: Vec<String> = attacked.quasi_identifiers.iter().map(|name| label(name)).collect();
    let term = |name: &str, text: &str| format!("<div><dt>{name}</dt><dd>{text}</dd></div>");
    let terms = [
        term(
            "Rows and classes",
            &format!(
                "{} in {}",
                counted(attacked.rows, "row", "rows"),
                counted(attacked.classes, "class", "classes")
            ),
        ),
        term("Quasi-identifiers", &known.join(", ")),
        term("Promised k", &k),
        term("The attacker was given", &given.join("; ")),
        term("Seed of all chance", &attacked.seed.to_string()),
        term("Intervals", "95%, Wilson; excess over a control: (attack − control) / (1 − control)"),
    ];
    let lead = format!(
        r#"Every figure can be repeated: the same files, options and seed give the same page. <a href="{OFFICER}">Summary for officers</a>."#
    );
    section("parameters", "Parameters", &lead, &format!(r#"<dl class="terms">{}</dl>"#, terms.concat()))
}

fn details(attacked: &Attacked) -> String {
    let cards: String = attacked.outcomes.iter().map(card).collect();
    let lead = "Classes are named by their released labels; at most ten per attack, worst first.";
    section("attacks", "Attacks", lead, &format!(r#"<div class="cards">{cards}</div>"#))
}

fn card(outcome: &Outcome) -> String {
    let subject =
        outcome.subject.as_ref().map_or_else(String::new, |subject| format!(": {}", label(subject)));
    let mut terms =
        vec![(capital_first(outcome.figure.what), value(outcome.figure.value, outcome.figure.unit))];
    if let Some(bound) = &outcome.bound {
        let text = format!(
            "{} <span class=\"what\">{}</span>",
            value(bound.value, outcome.figure.unit),
            prose(&bound.from)
        );
        terms.push(("Held against".to_owned(), text));
    }
    terms.extend(outcome.details.iter().map(|(name, value)| (capital_first(&escape(name)), prose(value))));
    terms.push(("Assumption".to_owned(), escape(outcome.assumption)));
    terms.push(("Source".to_owned(), escape(outcome.attack.source())));
    let terms: String =
        terms.iter().map(|(name, text)| format!("<div><dt>{name}</dt><dd>{text}</dd></div>")).collect();
    format!(
        r#"<article class="card"><header><h3>{}{subject}</h3>{}</header><p>{}</p><dl class="terms">{terms}</dl>{}</article>"#,
        capital(outcome.attack.name()),
        pill(outcome.severity),
        prose(&outcome.result),
        findings(&outcome.findings),
    )
}

fn findings(findings: &[Finding]) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let row = |finding: &Finding| {
        let class: Vec<String> = finding.class.iter().map(|cell| label(cell)).collect();
        page::row("", &class.join(", "), &[("", prose(&finding.text))])
    };
    let rows: String = findings.iter().map(row).collect();
    table("findings", "Worst places", &["Worst places", "What is learnt"], &rows)
}

/// A sentence of an outcome, with percent signs as the page sets them.
pub(super) fn prose(text: &str) -> String {
    escape(&text.replace(" %", "%"))
}

/// `row-order` → `Row order`.
pub(super) fn capital(name: &str) -> String {
    capital_first(&name.replace('-', " "))
}

fn capital_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use paravent_assess::attack::NotRun;
    use paravent_evidence::attack::{Attack, Bound, Figure};

    fn attacked() -> Attacked {
        let figure = Figure { what: "best chance of a right link", value: 0.2, unit: Unit::Share };
        let outcome = Outcome::new(Attack::Linking, Severity::Broken, figure, "Found <b>it</b>.")
            .about("<script>alert(1)</script>")
            .against(Some(Bound { value: 0.1, from: "a & b".into() }))
            .with("pairs", "a<b")
            .at([Finding { class: vec!["zip = \"><img>".into()], value: 1.0, text: "one <row>".into() }]);
        Attacked {
            outcomes: vec![outcome],
            not_run: vec![NotRun { attack: Attack::Membership, needs: "a population" }],
            rows: 1_000,
            classes: 10,
            quasi_identifiers: vec!["<age>".into()],
            k: Some(10),
            seed: 7,
            warnings: Vec::new(),
            given: vec!["the original table".into()],
        }
    }

    #[test]
    fn labels_are_inert_and_figures_are_there() {
        let pages = attack_pages(&attacked());
        for page in [&pages.officer, &pages.engineer] {
            assert!(
                !page.contains("<script>") && !page.contains("<img>") && !page.contains("<b>it"),
                "{page}"
            );
            assert!(page.contains("20%") && page.contains("10%") && page.contains("a &amp; b"), "{page}");
            assert!(page.contains("seed 7"));
        }
        assert!(
            pages.officer.contains("An attack breaks a promise") && pages.officer.contains("a population")
        );
        assert!(pages.engineer.contains("Sweeney"));
    }
}
