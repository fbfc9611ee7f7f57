//! For those who have to repeat it: parameters, figures, and what was not tested.

use super::attacks::{capital, pill, prose, value};
use super::escape::{escape, label, list};
use super::facts::Facts;
use super::number::{count, counted, figure, percent};
use super::page::{NUMBER, row, section, table};
use super::threats::{factor, promised_values};
use paravent_assess::risk::SensitiveSummary;
use paravent_evidence::attack::{Attack, Outcome, Tried};
use paravent_job::ModelName;

/// What is tried with what only the house has: the three risks of WP 216, and two that look into sensitive columns.
const INSIDE: [Attack; 5] =
    [Attack::SinglingOut, Attack::Linkability, Attack::Inference, Attack::Similarity, Attack::Proximity];

/// The section.
pub fn render(facts: &Facts<'_>) -> String {
    let lead = "What the figures above were computed with, each figure beside the bound it is held against, and which attacks \
                nobody has tried.";
    let body = format!(
        "<h3>Parameters</h3>{}<h3>Figures and bounds</h3>{}{}<h3>Not tested</h3>{}",
        parameters(facts),
        figures(facts),
        together(facts),
        not_tested(facts)
    );
    section("engineer", "For the engineer", lead, &body)
}

fn terms(terms: &[(&str, String)]) -> String {
    let terms: String =
        terms.iter().map(|(term, text)| format!("<div><dt>{term}</dt><dd>{text}</dd></div>")).collect();
    format!(r#"<dl class="terms">{terms}</dl>"#)
}

fn parameters(facts: &Facts<'_>) -> String {
    let solution = &facts.document.solution;
    let one = solution.transformation.iter().map(|(name, level)| format!("{} {level}", label(name)));
    let several = solution
        .levels
        .iter()
        .map(|(name, levels)| format!("{} {} to {}", label(name), levels["lowest"], levels["highest"]));
    let levels = one.chain(several);
    let mut shown = vec![
        ("Quasi-identifiers", list(&facts.quasi_identifiers, 20)),
        ("Levels", levels.collect::<Vec<_>>().join(", ")),
        (
            "Sensitive columns",
            if facts.sensitive.is_empty() { "none".to_owned() } else { list(&facts.sensitive, 20) },
        ),
        (
            "Metric",
            match solution.loss.is_nan() {
                // What is handed out tells no loss that does not follow from the released rows.
                true => format!("<code>{}</code>", escape(solution.metric)),
                false => format!("{}, {}", escape(solution.metric), figure(solution.loss)),
            },
        ),
        ("Order of rows", escape(facts.view.row_order)),
        (
            "Suppression",
            format!(
                "{} of at most {}",
                count(solution.suppressed_rows),
                counted(facts.view.suppression_limit_rows, "row", "rows")
            ),
        ),
    ];
    if let Some(risk) = &facts.document.risk {
        shown.push(("High risk", format!("above {}", figure(risk.threshold))));
        shown.push((
            "Classes are compared with",
            match facts.is_external() {
                true => "the released rows as a whole".to_owned(),
                false => "the whole table as read, rows that were left out included".to_owned(),
            },
        ));
    }
    if let Some(register) = &facts.document.register {
        let before = counted(register.releases_before, "release", "releases");
        shown.push((
            "Register of releases",
            format!("release {}; {before} before it", count(register.sequence)),
        ));
    }
    terms(&shown)
}

/// A figure, what it is held against, and its formula.
fn figures(facts: &Facts<'_>) -> String {
    let Some(risk) = &facts.document.risk else { return "<p>No risk was measured.</p>".to_owned() };
    let mut rows = String::new();
    let mut line = |name: &str, what: String, value: String, bound: Option<String>| {
        let head = format!(r#"{}<span class="what">{what}</span>"#, capital(name));
        rows += &row("", &head, &[(NUMBER, value), (NUMBER, bound.unwrap_or_else(|| "–".to_owned()))]);
    };
    let size = facts.effective().map(|promise| promise.class_size()).max().filter(|&size| size >= 2);
    let bound = size.map(|size| percent(1.0 / size as f64));
    line(
        Attack::Linking.name(),
        "1 / rows of the smallest class".to_owned(),
        percent(risk.after.prosecutor.highest),
        bound,
    );
    for column in &risk.after.sensitive {
        let SensitiveSummary { column, disclosure } = column;
        let of = |text: &str| format!("{}: {text}", label(column));
        let promised = promised_values(facts, column);
        let homogeneous = disclosure.homogeneous_rows as f64 / risk.after.rows.max(1) as f64;
        let none = promised.map(|_| percent(0.0));
        line(
            Attack::Homogeneity.name(),
            of("share of rows in classes with one value"),
            percent(homogeneous),
            none,
        );
        line(
            Attack::BackgroundKnowledge.name(),
            of("different values of the least diverse class − 1"),
            count(disclosure.distinct_l.saturating_sub(1)),
            promised.map(|values| format!("at least {}", count(values - 1))),
        );
        line(
            Attack::PositiveDisclosure.name(),
            of("max p(E,v)"),
            percent(disclosure.highest_confidence),
            None,
        );
        line(Attack::Skewness.name(), of("max p(E,v) / q(v)"), factor(disclosure.highest_factor), None);
        let t = facts.effective().filter(|promise| {
            promise.model == ModelName::TCloseness
                && matches!(promise.text("distance"), "equal" | "variation")
                && promise.attributes().contains(&column.as_str())
        });
        let t = t
            .map(|promise| promise.number("t"))
            .fold(None, |least: Option<f64>, t| Some(least.map_or(t, |known| known.min(t))));
        line("distance", of("max ½ Σ |p − q|"), figure(disclosure.t_equal), t.map(figure));
    }
    let looked_into = facts.document.opinion.iter().flat_map(|opinion| &opinion.attacks);
    for outcome in
        looked_into.filter(|outcome| matches!(outcome.attack, Attack::Similarity | Attack::Proximity))
    {
        let column = outcome.subject.as_deref().map_or_else(String::new, label);
        let what = format!("{column}: {}", looked_at(outcome));
        line(outcome.attack.name(), what, value(outcome.figure.value, outcome.figure.unit), None);
    }
    let order = match facts.view.row_order {
        "canonical" => "sorted by content",
        "shuffled" => "random",
        _ => "that of the input",
    };
    line(Attack::RowOrder.name(), "order of the released rows".to_owned(), order.to_owned(), None);
    table("compare plain", "Figures and bounds", &["Attack and figure", "Measured", "Bound"], &rows)
}

/// What a figure about a sensitive column counts.
fn looked_at(outcome: &Outcome) -> String {
    let level = outcome.details.iter().find(|(name, _)| name == "level").map(|(_, level)| level.as_str());
    let number =
        level.and_then(|level| level.split(' ').next()).filter(|number| number.parse::<u8>().is_ok());
    match (outcome.attack, number, level) {
        (Attack::Proximity, ..) => "share of rows in classes with nearly equal numbers".to_owned(),
        (_, Some(number), _) => format!("share of rows in classes with one group of level {number}"),
        (_, None, Some("of equal spelling")) => {
            "share of rows in classes with one value, whatever its spelling".to_owned()
        }
        _ => "share of rows in classes with one group of codes".to_owned(),
    }
}

/// The attacks with earlier releases.
fn together(facts: &Facts<'_>) -> String {
    let earlier = facts.document.earlier();
    let outcomes: Vec<&Outcome> = earlier.flat_map(|earlier| &earlier.attacks).collect();
    if outcomes.is_empty() {
        return String::new();
    }
    let rows: String = outcomes
        .iter()
        .map(|outcome| {
            let subject = outcome.subject.as_deref().map_or_else(String::new, label);
            let head =
                format!(r#"{}<span class="what">with {subject}</span>"#, capital(outcome.attack.name()));
            let figure = format!(
                "{}<p><strong>{}</strong> {}</p>",
                pill(outcome.severity),
                value(outcome.figure.value, outcome.figure.unit),
                outcome.figure.what
            );
            let bound = outcome.bound.as_ref().map_or_else(String::new, |bound| {
                format!("<p>Bound {}: {}.</p>", value(bound.value, outcome.figure.unit), prose(&bound.from))
            });
            let result = format!("<p>{}</p>{bound}", prose(&outcome.result));
            let cells = [
                ("", figure),
                (r#" data-label="Result""#, result),
                (r#" data-label="Assumes""#, escape(outcome.assumption)),
            ];
            row("", &head, &cells)
        })
        .collect();
    let head = ["Attack", "Measured", "Result", "Assumes"];
    format!(
        "<h3>Together with earlier releases</h3>{}",
        table("threats", "Attacks with earlier releases", &head, &rows)
    )
}

fn not_tested(facts: &Facts<'_>) -> String {
    let tried = |attack: Attack| {
        let together = facts.document.earlier();
        let mut outcomes = together.flat_map(|earlier| &earlier.attacks);
        let counted = facts.document.risk.as_ref().is_some_and(|risk| !risk.after.sensitive.is_empty());
        let always = match attack.card().tried {
            Tried::Always => true,
            Tried::WithSecrets => counted,
            Tried::WithEarlierReleases | Tried::OnRequest => false,
        };
        let mut opinion = facts.document.opinion.iter().flat_map(|opinion| &opinion.attacks);
        always
            || outcomes.any(|outcome| outcome.attack == attack)
            || opinion.any(|outcome| outcome.attack == attack)
            || (facts.is_external() && INSIDE.contains(&attack))
    };
    let missing: Vec<(Attack, &str)> = Attack::ALL
        .into_iter()
        .filter(|&attack| !tried(attack))
        .map(|attack| (attack, attack.needs()))
        .collect();
    let items: String = missing
        .iter()
        .map(|(attack, needs)| {
            let head = format!(
                r#"{}<span class="what">{}</span>"#,
                capital(attack.name()),
                escape(attack.question())
            );
            row("", &head, &[("", escape(needs))])
        })
        .collect();
    let lead = "<p class=\"lead\">An attack that was not tried proves nothing. <code>paravent attack</code> runs these with what they need.</p>";
    let inside = match facts.is_external() {
        true => {
            "<p class=\"lead\">What needs the original or more about a sensitive column is told to the house alone.</p>"
        }
        false => "",
    };
    format!(
        "{lead}{inside}{}",
        table("untested", "Attacks that were not tried", &["Attack", "Needs"], &items)
    )
}
