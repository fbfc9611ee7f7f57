//! The figures for people.

use crate::commands::summary;
use crate::layout::{Columns, count, counted, share, short};
use crate::paint::Paint;
use paravent_pipeline::evidence::risk::{CombinationFacts, JournalistSource, RiskDocument};
use std::path::{Path, PathBuf};

/// Sets of columns shown.
const MOST_SETS: usize = 8;

/// All sections.
pub fn text(found: &RiskDocument, data: &Path, written: &[PathBuf], paint: Paint) -> String {
    let rows = found.rows;
    let mut sections = vec![
        match found.people {
            None => format!(
                "{}: {} rows in {}\n",
                paint.strong(data.display()),
                count(rows),
                counted(found.classes.count, "class")
            ),
            Some(table) => format!(
                "{}: {} rows of {} people in {}. Figures count people, not rows: who is in several classes counts in each ({} in all)\n",
                paint.strong(data.display()),
                count(table.rows),
                count(table.people),
                counted(found.classes.count, "class"),
                count(rows)
            ),
        },
        format!("{}\n{}", paint.strong("Who can find a row?"), attackers(found).render()),
    ];
    if let Some(uniques) = population(found) {
        sections.push(format!("{}\n{}", paint.strong("Unique in the population"), uniques.render()));
    }
    sections.push(format!("{}\n{}", paint.strong("Columns"), columns(found).render()));
    sections.push(combinations(found, paint));
    if !found.sensitive.is_empty() {
        sections.push(format!(
            "{}\n{}",
            paint.strong("Sensitive values, in the worst class"),
            sensitive(found).render()
        ));
    }
    sections.push(practice(found, paint));
    if !written.is_empty() {
        let list: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
        sections.push(format!("Written: {}\n", list.join(", ")));
    }
    sections.join("\n") + &summary::warnings(&found.warnings, paint)
}

fn percent(part: f64) -> String {
    format!("{} %", short(part * 100.0))
}

fn attackers(found: &RiskDocument) -> Columns {
    let mut table = Columns::default();
    let above = format!("rows above {}", short(found.threshold));
    table.row(["", "highest", "mean", &above]);
    let risk = &found.prosecutor;
    let high = |rows_above: u64| format!("{} ({})", count(rows_above), share(rows_above, found.rows));
    table.row([
        "prosecutor (knows who is in the table)".to_owned(),
        percent(risk.highest),
        percent(risk.mean),
        high(risk.rows_above),
    ]);
    if let Some(journalist) = &found.journalist {
        let title = match journalist.source {
            JournalistSource::PopulationTable => "journalist (does not know it; counted)",
            JournalistSource::Estimate => "journalist (does not know it; estimated)",
        };
        let risk = &journalist.attacker;
        table.row([title.to_owned(), percent(risk.highest), percent(risk.mean), high(risk.rows_above)]);
    }
    let marketer =
        found.journalist.as_ref().map_or(found.prosecutor.mean, |journalist| journalist.attacker.mean);
    table.row(["marketer (matches everybody): share of rows found", "", &percent(marketer)]);
    let unique = found.classes.unique_rows;
    let classes = format!(
        "smallest {}, largest {}, average {}; {} alone ({})",
        count(found.classes.smallest),
        count(found.classes.largest),
        short(found.classes.average),
        counted(unique, "row"),
        share(unique, found.rows)
    );
    table.row(["classes", &classes]);
    table
}

fn population(found: &RiskDocument) -> Option<Columns> {
    let facts = found.population_uniques.as_ref()?;
    let mut table = Columns::default();
    let shown = |people: Option<f64>| match people {
        Some(people) => format!("{} ({})", count(people.round() as u64), percent(people / facts.population)),
        None => "no estimate".to_owned(),
    };
    let uniques = &facts.uniques;
    let of = format!(
        "of {} people, sampling fraction {}",
        count(facts.population.round() as u64),
        short(facts.sampling_fraction)
    );
    table.row([
        "rule of Dankar et al.".to_owned(),
        shown(Some(uniques.estimate)),
        format!("by {}, {of}", uniques.model.name()),
    ]);
    table.row(["Pitman", &shown(uniques.pitman)]);
    table.row(["Zayatz", &shown(uniques.zayatz)]);
    table.row(["slide negative binomial", &shown(uniques.snb)]);
    if let Some(known) = found.journalist.as_ref().and_then(|journalist| journalist.known) {
        table.row(["counted among the rows", &count(known.unique_rows)]);
    }
    Some(table)
}

fn columns(found: &RiskDocument) -> Columns {
    let mut table = Columns::default();
    table.row(["", "distinction", "separation", "unique rows", "in minimal sets"]);
    for column in &found.columns {
        table.row([
            column.column.clone(),
            percent(column.distinction),
            percent(column.separation),
            count(column.unique_rows),
            column.contribution.map_or_else(String::new, percent),
        ]);
    }
    table
}

fn combinations(found: &RiskDocument, paint: Paint) -> String {
    let combinations = &found.combinations;
    let mut sets: Vec<&CombinationFacts> =
        combinations.subsets.iter().filter(|set| set.minimal_unique_rows > 0).collect();
    sets.sort_by_key(|set| (std::cmp::Reverse(set.minimal_unique_rows), set.columns.len()));
    let title =
        paint.strong(format!("Combinations of up to {}", counted(combinations.largest as u64, "column")));
    let singled = format!("{} of the rows are singled out", share(combinations.rows_singled_out, found.rows));
    let mut table = Columns::default();
    for set in sets.iter().take(MOST_SETS) {
        let unique = format!("{} unique", share(set.unique_rows, found.rows));
        let minimal = format!("{} by no smaller set", share(set.minimal_unique_rows, found.rows));
        table.row([set.columns.join(" + "), unique, minimal]);
    }
    let more = match sets.len().saturating_sub(MOST_SETS) {
        0 => String::new(),
        more => format!("  … and {}\n", counted(more as u64, "more set")),
    };
    format!("{title}: {singled}\n{}{more}", table.render())
}

fn sensitive(found: &RiskDocument) -> Columns {
    let mut table = Columns::default();
    table.row(["", "different", "exp(H)", "confidence", "t equal", "t ordered", "rows that share one value"]);
    for column in &found.sensitive {
        let worst = &column.disclosure;
        table.row([
            column.column.clone(),
            count(worst.distinct_l),
            short(worst.entropy_l),
            percent(worst.highest_confidence),
            short(worst.t_equal),
            worst.t_ordered.map_or_else(|| "–".to_owned(), short),
            format!("{} ({})", count(worst.homogeneous_rows), share(worst.homogeneous_rows, found.rows)),
        ]);
    }
    table
}

fn practice(found: &RiskDocument, paint: Paint) -> String {
    let mut table = Columns::default();
    for threshold in &found.thresholds {
        let verdict = match threshold.holds {
            true => "met".to_owned(),
            false => format!("{} in smaller classes", counted(threshold.rows_below, "row")),
        };
        let source = threshold.source.split(';').next().unwrap_or_default();
        table.row([format!("k = {} ({source})", threshold.k), verdict]);
    }
    for hint in &found.safe_harbor {
        table.row([format!("HIPAA safe harbour: {}", hint.column), hint.advice.to_owned()]);
    }
    format!("{}\n{}", paint.strong("Rules of practice"), table.render())
}
