//! What was done to each column.

use super::escape::{escape, label, name};
use super::facts::Facts;
use super::number::{count, round_percent, whole_percent};
use super::page::{NUMBER, row, section, table};
use super::svg::bar;
use crate::{AttributeView, Bar, LevelView, TreatmentFacts};

/// Most examples shown for a level.
const MOST_EXAMPLES: usize = 4;

/// A card per quasi-identifier, one for each sensitive column, and a list of all other columns.
pub fn render(facts: &Facts<'_>) -> String {
    let quasi = |column: &&AttributeView| column.role == "quasi-identifier";
    let columns = &facts.view.attributes;
    let external = facts.is_external();
    let cards: String = columns
        .iter()
        .filter(quasi)
        .map(|column| quasi_identifier(column, external, &facts.document.treatments))
        .collect();
    let others: String = columns
        .iter()
        .filter(|column| !quasi(column))
        .map(|column| other(column, &facts.document.treatments))
        .collect();
    let shown = |column: &&AttributeView| column.role == "sensitive" && !column.distribution.is_empty();
    let sensitive: String = columns
        .iter()
        .filter(shown)
        .map(|column| sensitive(column, external, &facts.document.treatments))
        .collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        let head = ["Column", "Role", "Type", "What became of it"];
        format!("<h3>Other columns</h3>{}", table("columns", "Other columns", &head, &others))
    };
    let sample = facts.document.treatments.told_sample();
    let sample = sample.map_or_else(String::new, |told| format!("<p>{}</p>", escape(&told)));
    let local = facts.document.solution.recoding.is_some();
    let lead = match external {
        _ if local => {
            "Every class has a box of labels of its own: the labels of one column come from different levels of its hierarchy, and \
             they overlap. A row that shows a wide label is not in the class of a row that shows a narrow one inside it, so counts \
             of single labels must not be added up level by level. Shares are those of the released rows, in whole percent."
        }
        true => {
            "Each quasi-identifier was coarsened to one level of its hierarchy, for all rows alike. Labels and shares are those of \
             the released rows; shares are given in whole percent."
        }
        false => {
            "Each quasi-identifier was coarsened to one level of its hierarchy, for all rows alike. Higher levels tell \
             less; loss is the share of the column’s values that a label leaves open, in the mean over all rows. Labels \
             finer than the release are not shown here, and shares are given in whole percent."
        }
    };
    section(
        "changes",
        "What was changed",
        lead,
        &format!(r#"{sample}<div class="columns-cards">{cards}{sensitive}</div>{others}"#),
    )
}

fn sensitive(column: &AttributeView, external: bool, treatments: &TreatmentFacts) -> String {
    let done = treatments.words(&column.name).unwrap_or_else(|| "values unchanged".to_owned());
    format!(
        r#"<article class="card"><header><h3>{}</h3><p class="tag">sensitive · {}</p></header>
{}</article>
"#,
        name(&column.name),
        escape(&done),
        distribution(column, external),
    )
}

fn quasi_identifier(column: &AttributeView, external: bool, treatments: &TreatmentFacts) -> String {
    let top = column.levels.iter().map(|level| level.level).max().unwrap_or(0);
    let chosen = column.levels.iter().find(|level| level.chosen).map_or(0, |level| level.level);
    let highest = column.levels.iter().rfind(|level| level.chosen).map_or(0, |level| level.level);
    let summary = match chosen {
        level if level < highest => format!("levels {level} to {highest}"),
        0 => "values unchanged".to_owned(),
        level if external => format!("level {level}"),
        level if level == top => "fully hidden".to_owned(),
        level => format!("level {level} of {top}"),
    };
    let done = treatments.words(&column.name);
    let summary = match (&done, column.levels.is_empty()) {
        (Some(done), true) => escape(done),
        (Some(done), false) => format!("{}; {summary}", escape(done)),
        (None, _) => summary,
    };
    if column.levels.is_empty() {
        return format!(
            r#"<article class="card"><header><h3>{}</h3><p class="tag">{} · {summary}</p></header>
{}</article>
"#,
            name(&column.name),
            escape(column.data_type),
            distribution(column, external),
        );
    }
    // A ladder is climbed: the top stands at the top.
    let rungs: String = column.levels.iter().rev().map(|level| rung(level, top, external)).collect();
    let head: &[&str] =
        if external { &["Level", "Groups", "Labels"] } else { &["Level", "Groups", "Labels", "Loss"] };
    let caption = match external {
        true => format!("The level of {}", name(&column.name)),
        false => format!("Levels of {}, from the most general to the original", name(&column.name)),
    };
    format!(
        r#"<article class="card"><header><h3>{}</h3><p class="tag">{} · {summary}</p></header>
{}
{}</article>
"#,
        name(&column.name),
        escape(column.data_type),
        table("ladder", &caption, head, &rungs),
        distribution(column, external),
    )
}

fn rung(level: &LevelView, top: u8, external: bool) -> String {
    let (class, mark) = match (level.chosen, level.cells) {
        (true, Some(cells)) => {
            ("chosen", format!(r#"<span class="mark">{} of cells</span>"#, whole_percent(cells)))
        }
        (true, None) => ("chosen", r#"<span class="mark">chosen</span>"#.to_owned()),
        (false, _) => ("", String::new()),
    };
    let examples = if !level.examples.is_empty() {
        let shown: Vec<String> = level.examples.iter().take(MOST_EXAMPLES).map(|text| label(text)).collect();
        let more = if level.groups > shown.len() { ", …" } else { "" };
        shown.join(", ") + more
    } else if level.cells.is_some() {
        "<i>not shown</i>".to_owned()
    } else if level.level == 0 {
        "<i>as in the original</i>".to_owned()
    } else if level.level == top {
        "<i>no distinction</i>".to_owned()
    } else {
        "<i>finer than the release</i>".to_owned()
    };
    let mut cells = vec![(NUMBER, count(level.groups as u64)), (r#" class="labels""#, examples)];
    if !external {
        let loss = bar("lost", round_percent(level.relative_loss));
        cells
            .push((r#" class="loss""#, format!("{loss}<span>{}</span>", whole_percent(level.relative_loss))));
    }
    row(class, &format!(r#"<span class="rung">{}</span>{mark}"#, level.level), &cells)
}

fn distribution(column: &AttributeView, external: bool) -> String {
    if column.distribution.is_empty() {
        return String::new();
    }
    let rows: String = column.distribution.iter().map(|bar| shares(bar, external)).collect();
    let before = r#"<span class="key before" aria-hidden="true"></span>Before"#;
    let after = r#"<span class="key after" aria-hidden="true"></span>After"#;
    match external {
        true => {
            let caption = format!("Shares of the released labels of {}", name(&column.name));
            table("shares", &caption, &["Label", "Share of rows", "Released"], &rows)
        }
        false => {
            let caption = format!("Shares of the labels of {} before and after", name(&column.name));
            table("shares", &caption, &["Label", "Share of rows", before, after], &rows)
        }
    }
}

fn shares(shown: &Bar, external: bool) -> String {
    let text = match &shown.label {
        _ if shown.is_rest => "<i>all others</i>".to_owned(),
        None => "<i>missing</i>".to_owned(),
        Some(text) => label(text),
    };
    // Drawn from the rounded figures: a length must not tell more than the number beside it.
    let drawn =
        |kind, share: Option<f64>| share.map_or_else(String::new, |share| bar(kind, round_percent(share)));
    let bars = drawn("before", shown.before) + &drawn("after", Some(shown.after));
    let mut cells = vec![(r#" class="pair""#, bars)];
    if !external {
        cells.push((NUMBER, shown.before.map_or_else(|| "not shown".to_owned(), whole_percent)));
    }
    cells.push((NUMBER, whole_percent(shown.after)));
    row("", &text, &cells)
}

fn other(column: &AttributeView, treatments: &TreatmentFacts) -> String {
    let done = treatments.words(&column.name).map(|done| escape(&done));
    let fate = match (column.released, column.role) {
        (false, "identifying") => "removed: it names people",
        (false, "not in the job") => "left out: the job does not mention it",
        (false, _) => "left out",
        (true, _) => done.as_deref().unwrap_or("released unchanged"),
    };
    // Nobody has said what a column is that the job does not mention.
    let data_type = if column.role == "not in the job" { "–" } else { column.data_type };
    let cells = [("", escape(column.role)), ("", escape(data_type)), ("", fate.to_owned())];
    row("", &name(&column.name), &cells)
}
