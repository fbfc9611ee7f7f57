//! Which attacks the promises answer, and which they do not.

mod disclosure;
mod measured;
mod strength;
mod values;

use super::escape::list;
use super::facts::Facts;
use super::page::{self, section, table};
use super::svg::{Sign, sign};
use crate::AttributeView;

pub use measured::factor;

/// How many different values of a column every class is promised to show, if any.
pub fn promised_values(facts: &Facts<'_>, column: &str) -> Option<u64> {
    let about = facts.effective().filter(|promise| promise.attributes().contains(&column));
    let single = about.filter(|promise| promise.model != paravent_job::ModelName::MultiAttributeLDiversity);
    single.map(strength::promised_values).max().filter(|&values| values >= 2)
}

/// How far a threat is answered. Ordered from weak to strong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Coverage {
    /// Nothing limits it.
    None,
    /// Limited for some columns, some attackers, or indirectly.
    Partly,
    /// A promise limits it.
    Full,
}

/// One row of the table. All texts are HTML.
pub struct Threat {
    /// What experts call it.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// How far it is answered.
    pub coverage: Coverage,
    /// By what.
    pub by: String,
    /// What remains, with figures.
    pub remains: String,
    /// What must be true for that.
    pub assumes: &'static str,
}

/// The table of threats and the assumptions behind it.
pub fn render(facts: &Facts<'_>) -> String {
    let threats = all(facts);
    let rows: String = threats.iter().map(|threat| row(facts, threat)).collect();
    let head = ["Threat", "Covered?", "What remains", "Assumes"];
    let lead = "A promise answers certain attacks and no others. <em>Covered</em>: a promise limits the attack, and the \
                figure says how far. <em>Partly</em>: limited for some columns, some attackers, or only indirectly. \
                <em>Not covered</em>: nothing in this release limits it. Figures in bold were measured on the released rows.";
    let body = table("threats", "Threats and protection", &head, &rows) + &assumptions(facts);
    section("threats", "For the officer: threats, covered and not covered", lead, &body)
}

/// All threats, in the order in which they are shown.
pub fn all(facts: &Facts<'_>) -> Vec<Threat> {
    let mut threats = vec![disclosure::identity(facts)];
    threats.extend(disclosure::identity_in_population(facts));
    threats.extend(values::threats(facts));
    threats.push(disclosure::membership(facts));
    threats.push(disclosure::several_releases(facts));
    threats.push(disclosure::unsorted_matching(facts));
    threats.push(disclosure::false_attribution(facts));
    threats
}

fn row(facts: &Facts<'_>, threat: &Threat) -> String {
    let (tone, symbol, word) = match threat.coverage {
        Coverage::Full => ("good", Sign::Good, "Covered"),
        Coverage::Partly => ("half", Sign::Half, "Partly"),
        Coverage::None => ("open", Sign::Open, "Not covered"),
    };
    // Where nothing is promised, nothing has to be assumed.
    let assumes = match threat.coverage {
        Coverage::None => (r#" class="none" data-label="Assumes""#, "–".to_owned()),
        _ => (r#" data-label="Assumes""#, threat.assumes.to_owned()),
    };
    let head = format!(r#"{}<span class="what">{}</span>"#, threat.name, threat.meaning);
    let protection = format!(r#"<p class="pill {tone}">{}{word}</p>{}"#, sign(symbol), threat.by);
    let remains = match threat.remains.starts_with("<p>") {
        true => threat.remains.clone(),
        false => format!("<p>{}</p>", threat.remains),
    };
    let remains = measured::figures(facts, threat.name) + &remains;
    let cells = [("", protection), (r#" data-label="What remains""#, remains), assumes];
    page::row("", &head, &cells)
}

fn assumptions(facts: &Facts<'_>) -> String {
    let unprotected = |role: &str| -> Vec<&str> {
        let columns = facts.view.attributes.iter().filter(|column| column.role == role && column.released);
        columns.map(|column: &AttributeView| column.name.as_str()).collect()
    };
    let mut items = vec![
        format!(
            "<strong>The roles are right.</strong> An attacker may know {} and nothing else that is in the table. A \
             column that others could look up, but that is not listed here, breaks every promise.",
            list(&facts.quasi_identifiers, 8)
        ),
        "<strong>One row is one person.</strong> Classes are counted in rows. If somebody has several rows, fewer \
         people than the figures say may stand behind a class."
            .to_owned(),
        "<strong>The original stays inside.</strong> So do the rows that were left out, and finer versions of the \
         table."
            .to_owned(),
        "<strong>The promises are about this file alone.</strong> Joined with other data about the same people they \
         have to be looked at again."
            .to_owned(),
    ];
    let plain = unprotected("insensitive");
    if !plain.is_empty() {
        items.insert(
            1,
            format!(
                "<strong>Some columns are neither changed nor protected:</strong> {}. They are assumed to be unknown \
                 to attackers and harmless.",
                list(&plain, 8)
            ),
        );
    }
    let items: String = items.into_iter().map(|item| format!("<li>{item}</li>")).collect();
    format!(r#"<aside class="box"><h3>All of this rests on</h3><ul>{items}</ul></aside>"#)
}

/// `Nothing is promised about income.`, if there are such columns.
fn nothing_promised(columns: &[&str]) -> Option<String> {
    (!columns.is_empty()).then(|| format!("Nothing is promised about {}.", list(columns, 4)))
}
