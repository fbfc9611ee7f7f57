//! The first thing a reader sees: are the promises kept, and what did that cost?

use super::escape::{escape, list, note};
use super::facts::Facts;
use super::number::{count, counted, figure, grouped, percent};
use super::svg::{Sign, sign};
use super::{about, by_group, opinion};
use crate::{Light, VerdictFacts, tells_of_singled_out};

/// What can be said of a release as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    /// Written, verified, and every promise kept.
    Kept,
    /// Every promise kept, nothing written yet.
    WouldBeKept,
    /// Written, but the independent check did not accept it.
    NotVerified,
    /// At least one promise is broken.
    Broken,
    /// A promise is broken for whoever has an earlier release as well.
    BrokenTogether,
    /// Every table would keep what is promised.
    Empty,
    /// Every promise kept, but columns that no promise speaks of single people out.
    SinglesOut,
    /// Every promise kept, but something is not known, or a promise is worth little.
    Doubtful,
}

/// Lines to sign on, at the end of the first printed page. On a screen they stand at the end of the report.
const SIGN_HERE: &str = r#"<div class="sign-here"><p>By signing, the signatories confirm what stands under “Signatures and references”.</p>
<div class="line"><span>Data protection officer: name, place and date, signature</span></div>
<div class="line"><span>Data manager: name, place and date, signature</span></div></div>"#;

/// Headline, summary and key figures.
pub fn render(facts: &Facts<'_>) -> String {
    let verdict = verdict(facts);
    let (tone, symbol, headline) = match verdict {
        Verdict::Kept => ("good", Sign::Good, "This release keeps its promises"),
        Verdict::WouldBeKept => ("half", Sign::Half, "This release would keep its promises"),
        Verdict::NotVerified => ("bad", Sign::Bad, "This release has not been verified"),
        Verdict::Broken => ("bad", Sign::Bad, "This release does not keep its promises"),
        Verdict::BrokenTogether => {
            ("bad", Sign::Bad, "Together with an earlier release, this one breaks its promises")
        }
        Verdict::Empty => ("bad", Sign::Open, "This release promises nothing"),
        Verdict::SinglesOut => {
            ("half", Sign::Half, "This release keeps its promises, and yet singles people out")
        }
        Verdict::Doubtful => ("half", Sign::Half, "This release keeps its promises, with reservations"),
    };
    format!(
        r#"<section class="verdict {tone}" id="verdict" aria-labelledby="verdict-title">
<div class="statement">{}<div><p class="eyebrow">Verdict</p><h1 id="verdict-title">{headline}</h1>{}</div></div>
{}{}{}{}{}{}
{SIGN_HERE}
</section>"#,
        sign(symbol),
        summary(facts, verdict),
        about::render(facts),
        promises(facts),
        figures(facts),
        opinion::render(facts),
        by_group::render(facts),
        notes(facts),
    )
}

fn verdict(facts: &Facts<'_>) -> Verdict {
    let kept = facts.document.privacy.iter().all(|promise| promise.holds);
    let together = facts.document.broken_together().is_some();
    let doubtful = facts.document.verdict.as_ref().is_some_and(|verdict| verdict.light == Light::Yellow);
    match &facts.document.output {
        _ if !kept => Verdict::Broken,
        _ if together => Verdict::BrokenTogether,
        _ if facts.effective().next().is_none() => Verdict::Empty,
        Some(output) if output.verified && facts.singles_out() => Verdict::SinglesOut,
        None => Verdict::WouldBeKept,
        Some(output) if output.verified && doubtful => Verdict::Doubtful,
        Some(output) if output.verified => Verdict::Kept,
        Some(_) => Verdict::NotVerified,
    }
}

fn summary(facts: &Facts<'_>, verdict: Verdict) -> String {
    let known = list(&facts.quasi_identifiers, 5);
    let hidden = match facts.smallest_class() {
        0 => "No row is released.".to_owned(),
        1 => format!("At least one row is unique in {known}."),
        smallest => format!(
            "Whoever knows a person’s {known} finds at least <strong>{} {}</strong> that fit, if any.",
            count(smallest),
            members(facts)
        ),
    };
    let checked = match verdict {
        Verdict::Kept => "An independent check re-read the finished files and found every promise kept.",
        Verdict::WouldBeKept => {
            "This is a dry run: nothing has been written, and no finished file was checked."
        }
        Verdict::NotVerified => {
            "The independent check did not accept the finished files. Do not hand them out."
        }
        Verdict::Broken => "At least one promise below is not kept. Do not hand this table out.",
        Verdict::BrokenTogether => {
            "Alone it keeps every promise. Whoever also has an earlier release of the register learns more than was promised: see the \
             points to note. Do not hand it out to them."
        }
        Verdict::Doubtful => "An independent check re-read the finished files and found every promise kept.",
        Verdict::Empty => "The parameters are so weak that every table keeps them. Nobody is protected.",
        Verdict::SinglesOut => {
            "An independent check found every promise kept. But the promises speak of the columns that are generalized, and others are \
             released as they are."
        }
    };
    let doubts = match (&facts.document.verdict, verdict) {
        (Some(told), Verdict::Doubtful | Verdict::SinglesOut | Verdict::Empty) => reasons(told),
        _ => String::new(),
    };
    let version = match facts.is_external() {
        true => {
            "This is the external version: it tells what the released rows tell and what the promises need, and may be handed out."
        }
        false => {
            "This is the internal version: it also tells of rows that were left out. It stays in the house, with the private folder."
        }
    };
    let counted = match facts.document.solution.people {
        Some(people) => {
            let rule = match people.rows {
                "together" => " Whoever loses a row loses all of them.",
                "set" => {
                    " A class is a row of people who are alike in all their rows, and people are released with all their rows or not at all."
                }
                _ => "",
            };
            format!(
                " People are counted, not rows: where this page says how many rows a class has, they belong to so many different \
                 people.{rule}"
            )
        }
        None => String::new(),
    };
    let unchanged = match &facts.document.unchanged {
        Some(unchanged) if unchanged.too_many() => format!(
            " <strong>{} of {} people ({}) are singled out by what is released as it is: {}.</strong> Whoever knows these values of a person \
             finds the row. Leave the columns out, or make them coarser.",
            count(unchanged.singled_out),
            count(unchanged.people),
            percent(unchanged.share()),
            list(&unchanged.most_telling(), 4),
        ),
        _ => String::new(),
    };
    format!(r#"<p class="lead">{hidden} {checked}{unchanged} {version}{counted}</p>{doubts}"#)
}

/// What keeps a verdict from being green, but for the people who are singled out, of whom the summary speaks.
fn reasons(verdict: &VerdictFacts) -> String {
    let reasons = verdict.reasons.iter().filter(|reason| !tells_of_singled_out(reason));
    let told: Vec<String> = reasons.map(|reason| note(reason)).collect();
    match told.is_empty() {
        true => String::new(),
        false => format!(r#"<p class="lead"><strong>{}</strong></p>"#, told.join("; ")),
    }
}

/// What classes are counted in.
fn members(facts: &Facts<'_>) -> &'static str {
    if facts.document.solution.people.is_some() { "people" } else { "rows" }
}

fn promises(facts: &Facts<'_>) -> String {
    let items = facts.promises.iter().map(|promise| {
        let symbol = if promise.holds { Sign::Good } else { Sign::Bad };
        let short = promise.wording(&facts.quasi_identifiers).short;
        let word = if promise.holds { "" } else { "<b>Not kept:</b> " };
        format!("<li>{}<span>{word}{short}</span></li>", sign(symbol))
    });
    format!(r#"<ul class="kept">{}</ul>"#, items.collect::<String>())
}

fn figures(facts: &Facts<'_>) -> String {
    let solution = &facts.document.solution;
    let rows = facts.document.input.rows;
    let suppressed = solution.suppressed_rows;
    let limit = match facts.view.suppression_limit.parse::<f64>() {
        Ok(share) => format!("{}%", figure(share * 100.0)),
        Err(_) => escape(&facts.view.suppression_limit),
    };
    let members = members(facts);
    let columns = &facts.view.attributes;
    let released = columns.iter().filter(|column| column.released).count();
    let tiles = [
        tile(
            "Rows released",
            &count(facts.released_rows()),
            &match released == columns.len() {
                true => format!("of {} in the table", count(rows)),
                false => format!(
                    "of {} in the table, in {} of {} columns; losses do not count the others",
                    count(rows),
                    count(released as u64),
                    count(columns.len() as u64)
                ),
            },
        ),
        tile(
            "Rows left out",
            &count(suppressed),
            &match solution.people {
                Some(people) => format!(
                    "{} of {} people lose one or more; up to {limit} ({}) may",
                    count(people.losing),
                    count(people.read),
                    count(people.limit)
                ),
                None => format!(
                    "{} of the table; up to {limit} ({}) allowed",
                    percent(facts.share_of_rows(suppressed)),
                    count(facts.view.suppression_limit_rows)
                ),
            },
        ),
        tile("Classes", &count(solution.classes), "groups of rows that look alike"),
        tile(
            "Smallest class",
            &count(facts.smallest_class()),
            &format!("{members}: a guess is right at most {} of the time", percent(facts.highest_risk())),
        ),
        tile(
            "Average class",
            &figure((solution.average_class * 10.0).round() / 10.0),
            &format!("{members}: an average risk of {}", percent(facts.average_risk())),
        ),
        optimal(facts),
    ];
    format!(r#"<dl class="tiles">{}</dl>"#, tiles.concat())
}

fn optimal(facts: &Facts<'_>) -> String {
    let solution = &facts.document.solution;
    if solution.recoding.is_some() {
        return match solution.gap {
            Some(gap) => tile("Gap", &percent(gap), "above a bound that no release of this kind goes below"),
            None => tile("Recoding", "Local", "every class has a box of labels of its own"),
        };
    }
    // Picked by hand, or by a job that leaves no choice: there is nothing that it could be better than.
    if facts.document.lattice.nodes == 1 {
        return tile("Transformation", "Given", "the only one that the job and the command allowed");
    }
    let (among, exist) = match facts.is_external() {
        true => ("all transformations that were allowed".to_owned(), String::new()),
        false => {
            let nodes = count(facts.document.lattice.nodes);
            (format!("{nodes} transformations"), format!(" among the {nodes}"))
        }
    };
    if facts.document.search.optimal {
        tile("Optimal", "Yes", &format!("provably the least information loss among {among}"))
    } else {
        let text =
            format!("a transformation that loses less may exist{exist}; the promises do not depend on it");
        tile("Optimal", "Not proven", &text)
    }
}

fn tile(term: &str, value: &str, explanation: &str) -> String {
    format!(
        r#"<div class="tile"><dt>{term}</dt><dd><span class="value">{value}</span> <span class="what">{explanation}</span></dd></div>"#
    )
}

fn notes(facts: &Facts<'_>) -> String {
    // The tile of rows and the table of columns tell what is left out; the first page is short.
    let told_elsewhere = |warning: &&String| !warning.contains("not in the job file, so");
    let warnings: Vec<&String> = facts.document.warnings.iter().filter(told_elsewhere).collect();
    if warnings.is_empty() {
        return String::new();
    }
    let items: String = warnings
        .iter()
        .map(|warning| format!(r#"<li><bdi class="note">{}</bdi></li>"#, grouped(&escape(warning))))
        .collect();
    let heading = counted(warnings.len() as u64, "point to note", "points to note");
    format!(r#"<div class="notes"><h2>{heading}</h2><ul>{items}</ul></div>"#)
}
