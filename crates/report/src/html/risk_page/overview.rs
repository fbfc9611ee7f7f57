//! The main figures, the classes and the population.

use crate::html::bins::bins;
use crate::html::classes::{bin_figures, histogram};
use crate::html::escape::{escape, list};
use crate::html::number::{count, counted, figure, percent};
use crate::html::page::{NUMBER, row, section, table};
use crate::html::svg::{Sign, sign};
use paravent_assess::risk::{JournalistSource, Kind, RiskDocument};
use paravent_evidence::risk::population::Model;

/// One sentence and six figures.
pub fn verdict(document: &RiskDocument) -> String {
    let attacker = &document.prosecutor;
    let (tone, symbol, statement) = match (attacker.rows_above, attacker.share_above) {
        (0, _) => ("good", Sign::Good, "No row is at high risk".to_owned()),
        (_, share) if share <= 0.05 => {
            ("half", Sign::Half, format!("{} of the rows are at high risk", percent(share)))
        }
        (_, share) => ("bad", Sign::Bad, format!("{} of the rows are at high risk", percent(share))),
    };
    let names: Vec<&str> = document.quasi_identifiers.iter().map(String::as_str).collect();
    let what = match document.kind {
        Kind::Table => "this table as it is",
        Kind::Release => "this release",
    };
    let lead = format!(
        "Somebody who knows {} of a person, and that the person is in {what}, finds the right row with a probability of more than {} \
         in {} of {}.",
        list(&names, 10),
        figure(document.threshold),
        counted(attacker.rows_above, "case", "cases"),
        count(document.rows),
    );
    let lead = match document.people {
        None => lead,
        Some(table) => format!(
            "{lead} People are counted, not rows: the table has {} of {}, and who is in several classes counts in each.",
            counted(table.rows, "row", "rows"),
            counted(table.people, "person", "people"),
        ),
    };
    let classes = &document.classes;
    let tiles = [
        (
            "Rows",
            count(document.rows),
            format!(
                "{}, {} on average",
                counted(classes.count, "class", "classes"),
                figure((classes.average * 10.0).round() / 10.0)
            ),
        ),
        ("Smallest class", count(classes.smallest), "rows that look alike".to_owned()),
        (
            "Unique rows",
            percent(classes.unique_rows as f64 / document.rows.max(1) as f64),
            counted(classes.unique_rows, "row", "rows"),
        ),
        ("Highest risk", percent(attacker.highest), "prosecutor".to_owned()),
        ("Mean risk", percent(attacker.mean), "prosecutor, and rows a marketer finds".to_owned()),
        ("At high risk", percent(attacker.share_above), format!("above {}", figure(document.threshold))),
    ];
    let tiles: String = tiles
        .iter()
        .map(|(term, value, what)| {
            format!(r#"<div class="tile"><dt>{term}</dt><dd><span class="value">{value}</span><span class="what">{what}</span></dd></div>"#)
        })
        .collect();
    let notes = match document.warnings.is_empty() {
        true => String::new(),
        false => {
            let items: String =
                document.warnings.iter().map(|text| format!("<li>{}</li>", escape(text))).collect();
            format!(r#"<aside class="notes"><h2>To be noted</h2><ul>{items}</ul></aside>"#)
        }
    };
    format!(
        r#"<section class="verdict {tone}" aria-labelledby="verdict-title"><div class="statement">{}<div><h1 id="verdict-title">{statement}</h1><p class="lead">{lead}</p></div></div>
<dl class="tiles">{tiles}</dl>{notes}</section>"#,
        sign(symbol),
    )
}

/// The histogram and its figures.
pub fn classes(document: &RiskDocument) -> String {
    let bins = bins(&document.classes.sizes);
    let lead = "Rows with the same quasi-identifiers form a class. A guess within a class of <em>n</em> rows is right once in <em>n</em> times.";
    let body = match bins.is_empty() {
        true => "<p>There is no class.</p>".to_owned(),
        false => format!(
            "<figure>{}</figure>{}",
            histogram(&document.classes.sizes, &bins),
            bin_figures(&bins, document.rows)
        ),
    };
    section("classes", "Class sizes", lead, &body)
}

/// The journalist and the estimates.
pub fn population(document: &RiskDocument) -> String {
    let (Some(journalist), Some(uniques)) = (&document.journalist, &document.population_uniques) else {
        let lead = "Nothing was said about the population, so the table is taken to be all of it. With <code>--sampling-fraction</code>, \
                    <code>--population</code> or <code>--population-table</code> this section says how much the uncertainty about who is in \
                    the table protects.";
        return section("population", "Population", lead, "");
    };
    let source = match journalist.source {
        JournalistSource::PopulationTable => "counted in the table of the population",
        JournalistSource::Estimate => "expected, given the sampling fraction (Benedetti &amp; Franconi)",
    };
    let lead = format!(
        "The table is {} of a population of {} people. A <em>journalist</em> does not know whether a person is in the table; what counts is \
         the person’s class in the population, {source}.",
        percent(journalist.sampling_fraction),
        figure(journalist.population.round()),
    );
    let mut rows = String::new();
    let mut line = |title: &str, what: &str, value: String| {
        rows += &row("", &format!(r#"{title}<span class="what">{what}</span>"#), &[(NUMBER, value)]);
    };
    line("Highest risk", "journalist", percent(journalist.attacker.highest));
    line(
        "Mean risk",
        "journalist, and rows a marketer who matches the population finds",
        percent(journalist.attacker.mean),
    );
    line(
        "Rows at high risk",
        &format!("above {}", figure(document.threshold)),
        percent(journalist.attacker.share_above),
    );
    if let Some(known) = &journalist.known {
        line("Smallest class", "people in the population", count(known.smallest_class));
        line("Unique rows", "alone in the population", count(known.unique_rows));
        let range = format!("{} to {}", percent(known.least_presence), percent(known.largest_presence));
        line("Presence", "share of a population class that is in the table", range);
    }
    let estimate = |value: Option<f64>| match value {
        Some(people) => format!("{} ({})", figure(people.round()), percent(people / uniques.population)),
        None => "no estimate".to_owned(),
    };
    let found = &uniques.uniques;
    let models = [
        ("Pitman", "Hoshino 2001", found.pitman, Model::Pitman),
        ("Zayatz", "Zayatz 1991", found.zayatz, Model::Zayatz),
        (
            "Slide negative binomial",
            "Chen &amp; Keller-McNulty 1998",
            found.snb,
            Model::SlideNegativeBinomial,
        ),
    ];
    for (title, what, value, model) in models {
        let mark = if found.model == model { r#"<span class="mark">picked by the rule</span>"# } else { "" };
        line(&format!("Unique people, {title}{mark}"), what, estimate(value));
    }
    line("Unique people", "by the rule of Dankar et al. 2012", estimate(Some(found.estimate)));
    section("population", "Population", &lead, &table("compare", "Population", &["Figure", "Value"], &rows))
}
