//! A finished run in words.

use super::light;
use crate::layout::{Columns, count, counted, parameters, share, short};
use crate::paint::Paint;
use paravent_evidence::attack::Outcome;
use paravent_pipeline::register::{EarlierRelease, Relation};
use paravent_pipeline::report::{Document, LeftOutGroup, SolutionFacts, UnchangedFacts};
use paravent_pipeline::run::Finished;
use paravent_pipeline::write::private_of;
use serde_json::{Map, Value};

/// What was promised, what it cost, where it is.
pub fn text(finished: &Finished, paint: Paint) -> String {
    let document = &finished.document;
    let mut text = match &finished.release {
        Some(release) => format!("{} {}\n\n", paint.strong("Release"), release.display()),
        None => format!("{}\n\n", paint.strong("Dry run: nothing was written")),
    };
    text.push_str(&figures(finished).render());
    text.push_str(&format!("\n{}\n", paint.strong("Promises: required → achieved")));
    text.push_str(&promises(document).render());
    text.push_str(&format!("\n{}\n", paint.strong("Generalization")));
    let levels = &document.solution.levels;
    match document.solution.recoding {
        None => {
            text.push_str(&generalization(&document.solution, &finished.max_levels));
        }
        Some(_) => text.push_str(&levels_shown(levels, &finished.max_levels).render()),
    }
    text.push_str(&nobody_left(document, paint));
    if !finished.alternatives.is_empty() {
        text.push_str(&format!(
            "\n{}\n",
            paint.strong("Alternatives that keep the promises, too (--pick N)")
        ));
        text.push_str(&alternatives(finished));
    }
    if document.earlier().next().is_some() {
        text.push_str(&format!("\n{}\n", paint.strong("Earlier releases of the same rows")));
        document.earlier().for_each(|earlier| text.push_str(&self::earlier(earlier).render()));
    }
    text.push_str(&warnings(&document.warnings, paint));
    if let Some(releases) = document.broken_together() {
        text.push_str(&format!("\n{}\n", paint.bad(broken_together(&releases))));
    }
    if let Some(unchanged) = document.unchanged.as_ref().filter(|unchanged| unchanged.too_many()) {
        text.push_str(&format!("\n{} {}.\n", paint.careful("No green verdict:"), singles_out(unchanged)));
    }
    if let (Some(output), Some(release)) = (&document.output, &finished.release) {
        text.push_str(&format!(
            "\n{}\nRead {} next. {} may be handed out, {} stays.\n",
            match output.verified {
                true => paint.good("Verified by the independent checker."),
                false => paint.bad("Not verified."),
            },
            private_of(release).join("report.html").display(),
            release.display(),
            private_of(release).display(),
        ));
    }
    text
}

fn singles_people_out(document: &Document) -> bool {
    document.unchanged.as_ref().is_some_and(UnchangedFacts::too_many)
}

/// Groups of which the release has nobody, the largest first: whoever reads it must not take them for people who do not exist.
fn nobody_left(document: &Document, paint: Paint) -> String {
    const MOST: usize = 8;
    let groups = document.suppressed.iter().flat_map(|left_out| &left_out.groups);
    let mut gone: Vec<&LeftOutGroup> = groups.filter(|group| group.suppressed == group.rows).collect();
    if gone.is_empty() {
        return String::new();
    }
    gone.sort_by(|a, b| (b.rows, &a.column, &a.label).cmp(&(a.rows, &b.column, &b.label)));
    let mut lines = Columns::default();
    for group in gone.iter().take(MOST) {
        let label = group.label.as_deref().unwrap_or("(missing)");
        let all = if group.rows == 1 {
            "its only row".to_owned()
        } else {
            format!("all {} rows", count(group.rows))
        };
        lines.row([group.column.as_str(), label, &all]);
    }
    let more = match gone.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("  and {more} more, in the report\n"),
    };
    format!("\n{}\n{}{more}", paint.careful("Left out altogether"), lines.render())
}

/// Why a release that keeps its promises is not green.
pub fn singles_out(unchanged: &UnchangedFacts) -> String {
    format!("{}. {}", paravent_pipeline::report::singled_out(unchanged), light::ADVICE)
}

/// The verdict over this release and those before it.
pub fn broken_together(releases: &str) -> String {
    format!(
        "Do not hand it out to whoever may have {releases}: together they tell more than was promised. \
         If that one was never handed out, say so: paravent register withdraw NUMBER"
    )
}

fn figures(finished: &Finished) -> Columns {
    let Document { input, lattice, search, solution, .. } = &finished.document;
    let released = input.rows - solution.suppressed_rows;
    let mut figures = Columns::default();
    figures.row(["Rows", &format!("{} read, {} released", count(input.rows), count(released))]);
    let allowed = count(finished.suppression_limit);
    let suppressed = share(solution.suppressed_rows, input.rows);
    let rows = counted(solution.suppressed_rows, "row");
    match solution.people {
        None => figures.row(["Suppressed", &format!("{rows} ({suppressed}), at most {allowed} allowed")]),
        Some(people) => {
            let losing = share(people.losing, people.read);
            let rule = match people.rows {
                "together" => "; whoever loses a row loses all of them",
                "set" => "; alike are those with the same rows",
                _ => "",
            };
            figures.row(["People", &format!("{}, class sizes count them{rule}", count(people.read))]);
            figures.row([
                "Suppressed",
                &format!("{rows}; {} lose one ({losing}), at most {allowed} may", count(people.losing)),
            ])
        }
    };
    let average = short(solution.average_class);
    figures.row([
        "Classes",
        &format!(
            "{}, smallest {}, average {average}",
            count(solution.classes),
            count(solution.smallest_class)
        ),
    ]);
    if let Some(unchanged) = &finished.document.unchanged {
        figures.row([
            "As it is",
            &format!(
                "{}; {} of {} are singled out ({})",
                counted(unchanged.columns.len() as u64, "column"),
                count(unchanged.singled_out),
                count(unchanged.people),
                share(unchanged.singled_out, unchanged.people)
            ),
        ]);
    }
    let verdict = finished.document.verdict.as_ref();
    figures.row([
        "Verdict",
        light::words(verdict.map(|verdict| verdict.light), singles_people_out(&finished.document)),
    ]);
    if finished.document.register.as_ref().is_some_and(|register| register.sequence <= 1) {
        figures.row([
            "Register",
            "begins with this release; releases made before it or elsewhere are not known",
        ]);
    }
    figures.row(["Loss", &format!("{} ({})", short(solution.loss), solution.metric)]);
    if solution.recoding.is_some() {
        let moves = count(search.moves.unwrap_or(0));
        let proof = match (solution.lower_bound, solution.gap) {
            (Some(bound), Some(gap)) => {
                format!("no local recoding goes below {}: the gap is {:.1} %", short(bound), gap * 100.0)
            }
            (Some(_), None) => "the lower bound is 0".to_owned(),
            (None, _) => "the boxes of an earlier release".to_owned(),
        };
        let how = format!("local recoding, {moves} moves in {:.2} s", search.seconds);
        figures.row(["Solution", &format!("{proof}; {how}")]);
        return figures;
    }
    let proof = match (search.optimal, search.gap_percent) {
        (true, _) => "optimal".to_owned(),
        (false, Some(gap)) => format!("not proven optimal, at most {gap:.1} % above the best possible loss"),
        (false, None) => "not proven optimal".to_owned(),
    };
    // Picked by hand, or by a job that leaves no choice.
    if lattice.nodes == 1 {
        let given = format!("the only transformation that was allowed, checked in {:.2} s", search.seconds);
        figures.row(["Solution", &given]);
        return figures;
    }
    let considered =
        format!("{} transformations considered, {} checked", count(lattice.nodes), count(search.checks));
    figures.row(["Solution", &format!("{proof}: {considered} in {:.2} s", search.seconds)]);
    figures
}

fn promises(document: &Document) -> Columns {
    let mut promises = Columns::default();
    for promise in &document.privacy {
        let verdict = if promise.holds { "holds" } else { "BROKEN" };
        promises.row([
            promise.model,
            &parameters(&promise.required),
            "→",
            &parameters(&promise.achieved),
            verdict,
        ]);
    }
    promises
}

/// Columns of a terminal that everybody has.
const WIDTH: usize = 80;

/// Each level with the labels it shows; a line of at most 80 columns each, unless a name is very long.
fn generalization(solution: &SolutionFacts, max_levels: &[u8]) -> String {
    let mut levels = Columns::default();
    let longest = solution.transformation.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for ((name, level), max) in solution.transformation.iter().zip(max_levels) {
        let level = level.as_u64().unwrap_or_default();
        let place = format!("level {level} of {max}");
        let room = WIDTH.saturating_sub(longest + place.len() + 6);
        let labels = solution.labels.get(name).unwrap_or(&Value::Null);
        let meaning = match (level, u64::from(*max)) {
            (0, _) => "as it is".to_owned(),
            (level, max) if level == max => "fully generalized".to_owned(),
            _ => shown(labels, room),
        };
        levels.row([name, &place, &meaning]);
    }
    levels.render()
}

/// `20-39, 40-59, … (5)`, as many labels as there is room for.
fn shown(labels: &Value, room: usize) -> String {
    let distinct = labels["distinct"].as_u64().unwrap_or(0);
    let named: Vec<&str> =
        labels["shown"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let text = |most: usize| {
        let listed = named[..most].join(", ");
        match distinct > most as u64 {
            true => format!("{listed}, … ({})", count(distinct)),
            false => listed,
        }
    };
    let fitting = (1..=named.len()).rev().map(text).find(|text| text.chars().count() <= room);
    fitting.unwrap_or_else(|| format!("{} labels", count(distinct)))
}

/// The levels that the labels of each column come from.
fn levels_shown(levels: &Map<String, Value>, max_levels: &[u8]) -> Columns {
    let mut shown = Columns::default();
    for ((name, level), max) in levels.iter().zip(max_levels) {
        let (lowest, highest) = (&level["lowest"], &level["highest"]);
        let mean = short(level["mean"].as_f64().unwrap_or_default());
        let range = match lowest == highest {
            true => format!("level {lowest} of {max}"),
            false => format!("levels {lowest} to {highest} of {max}, on average {mean}"),
        };
        shown.row([name.clone(), range]);
    }
    shown
}

/// What each alternative does otherwise than the solution: neighbours differ in one column or two.
fn alternatives(finished: &Finished) -> String {
    let now = &finished.document.solution.transformation;
    let mut text = String::new();
    for (number, alternative) in finished.alternatives.iter().enumerate() {
        let suppressed = counted(alternative.suppressed_rows, "row");
        text.push_str(&format!(
            "  {:>2}  loss {}, {suppressed} suppressed\n",
            number + 1,
            short(alternative.loss)
        ));
        for (name, level) in
            alternative.transformation.iter().filter(|(name, level)| now.get(*name) != Some(level))
        {
            let start =
                format!("      {name}: level {level} instead of {}", now.get(name).unwrap_or(&Value::Null));
            let room = WIDTH.saturating_sub(start.chars().count() + 2);
            text.push_str(&format!(
                "{start}  {}\n",
                shown(alternative.labels.get(name).unwrap_or(&Value::Null), room)
            ));
        }
    }
    text
}

/// An earlier release, and what both tell together.
fn earlier(earlier: &EarlierRelease) -> Columns {
    let mut lines = Columns::default();
    let rows = match (earlier.relation, earlier.shared) {
        (Relation::SameRelease, _) => "the same data file".to_owned(),
        (Relation::SameInput, _) => "made of the same table".to_owned(),
        (Relation::Unknown, _) => "cannot be compared".to_owned(),
        (Relation::SamePeople, Some(shared)) => {
            format!("about {} in common ({} %)", counted_people(shared.rows), short(shared.share * 100.0))
        }
        (Relation::SamePeople, None) => "has people in common".to_owned(),
        (Relation::Overlap, Some(shared)) => {
            format!("about {} in common ({} %)", counted(shared.rows, "row"), short(shared.share * 100.0))
        }
        (Relation::Overlap, None) => "has rows in common".to_owned(),
    };
    lines.row([format!("{}", earlier.sequence), earlier.release.clone(), earlier.time.clone(), rows]);
    for Outcome { attack, severity, result, .. } in &earlier.attacks {
        let word =
            if severity.is_alarm() { severity.name().to_uppercase() } else { severity.name().to_owned() };
        lines.row([String::new(), attack.name().to_owned(), word, result.clone()]);
    }
    if let Some(reason) = &earlier.not_attacked {
        lines.row(["", "attacks", "not tried", reason]);
    }
    lines
}

fn counted_people(people: u64) -> String {
    if people == 1 { "1 person".to_owned() } else { format!("{} people", count(people)) }
}

/// What the user should know.
pub fn warnings(warnings: &[String], paint: Paint) -> String {
    let list: String =
        warnings.iter().map(|warning| format!("{} {warning}\n", paint.careful("warning:"))).collect();
    if list.is_empty() { list } else { format!("\n{list}") }
}
