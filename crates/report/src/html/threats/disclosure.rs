//! Attacks on identity, on presence in the table, and across releases.

use super::{Coverage, Threat};
use crate::RegisterFacts;
use crate::html::attacks::prose;
use crate::html::escape::escape;
use crate::html::facts::Facts;
use crate::html::number::{count, counted, percent, whole_percent};
use crate::{EarlierRelease, Relation};
use paravent_evidence::attack::Severity;
use paravent_job::ModelName;

/// Somebody known to be in the table is looked for.
pub fn identity(facts: &Facts<'_>) -> Threat {
    let source = facts.effective().max_by_key(|promise| promise.class_size());
    let promised = source.filter(|promise| promise.class_size() >= 2);
    let figures = format!(
        "<strong>{}</strong> best chance of a right match, {} on average.",
        percent(facts.highest_risk()),
        percent(facts.average_risk())
    );
    let (coverage, by, remains) = match promised {
        Some(promise) => {
            let size = count(promise.class_size());
            let by = match promise.model {
                ModelName::KAnonymity => format!("<p>k-anonymity: classes of {size} rows or more</p>"),
                model => format!("<p>{} implies classes of {size} rows or more</p>", model.card().title),
            };
            (Coverage::Full, by, figures)
        }
        None if facts.effective().any(|promise| promise.model == ModelName::KMap) => {
            let by = "<p>k-map, but only while presence in the table is not known</p>".to_owned();
            (Coverage::Partly, by, figures)
        }
        None => (Coverage::None, String::new(), format!("No class size is promised. {figures}")),
    };
    Threat {
        name: "Identity disclosure",
        meaning: "Somebody who knows that a person is in the table finds the person’s row (“prosecutor”).",
        coverage,
        by,
        remains,
        assumes: "The quasi-identifiers are complete, and every row is another person.",
    }
}

/// Somebody of the population is looked for; only where a population is known.
pub fn identity_in_population(facts: &Facts<'_>) -> Option<Threat> {
    let promise = facts.effective().find(|promise| promise.model == ModelName::KMap)?;
    let reached = promise.reached("k").unwrap_or(promise.number("k")).max(1.0);
    Some(Threat {
        name: "Identity disclosure through a register",
        meaning: "A released row is looked up in a register of the whole population (“journalist”).",
        coverage: Coverage::Full,
        by: format!("<p>k-map: {} people or more fit every row</p>", count(promise.number("k") as u64)),
        remains: format!("Highest risk of a correct match {}.", percent(1.0 / reached)),
        assumes: "The population table is right, and attackers do not know who is in the release.",
    })
}

/// That a person is in the table at all is learnt.
pub fn membership(facts: &Facts<'_>) -> Threat {
    let promise = facts.effective().find(|promise| promise.model == ModelName::DeltaPresence);
    let (coverage, by, remains) = match promise {
        None => (
            Coverage::None,
            String::new(),
            "Whoever fits no released class is known to be absent or left out; whoever is alone in the population \
             with a released combination is known to be present."
                .to_owned(),
        ),
        Some(promise) => {
            let max = promise.reached("max").unwrap_or(promise.number("max"));
            let certain = format!("Certainty that a person of the population is in the table: at most {}.", percent(max));
            let open = match (promise.number("min") > 0.0, promise.number("max") < 1.0) {
                (true, true) => "",
                (false, _) => " That somebody is <em>not</em> in the table can be learnt.",
                (true, false) => " That somebody <em>is</em> in the table can be learnt.",
            };
            let coverage = if promise.number("max") < 1.0 { Coverage::Full } else { Coverage::Partly };
            (coverage, "<p>δ-presence</p>".to_owned(), certain + open)
        }
    };
    Threat {
        name: "Membership disclosure",
        meaning: "It is learnt that a person is in the table, which may be telling by itself.",
        coverage,
        by,
        remains,
        assumes: "The population table lists those among whom attackers would search.",
    }
}

/// Several releases about the same people are put together.
pub fn several_releases(facts: &Facts<'_>) -> Threat {
    let (coverage, by, remains) = match &facts.document.register {
        None => (
            Coverage::None,
            String::new(),
            "This release was judged by itself. Check any further release about the same people against it before it is \
             handed out."
                .to_owned(),
        ),
        Some(register) => registered(register),
    };
    Threat {
        name: "Linking of several releases",
        meaning: "Versions or extracts of the same table are put side by side (temporal and complementary attacks).",
        coverage,
        by,
        remains,
        assumes: "All releases about these people are in the register of this job’s folder.",
    }
}

fn registered(register: &RegisterFacts) -> (Coverage, String, String) {
    let compared = |relation: Relation| !matches!(relation, Relation::SameRelease | Relation::Unknown);
    let related: Vec<&EarlierRelease> =
        register.earlier.iter().filter(|earlier| compared(earlier.relation)).collect();
    let by = format!(
        "<p>register of releases: compared with {}</p>",
        counted(register.releases_before, "earlier release", "earlier releases")
    );
    if related.is_empty() {
        let is_same = |earlier: &EarlierRelease| earlier.relation == Relation::SameRelease;
        let remains = match register.earlier.iter().any(is_same) {
            true => {
                "An earlier release has the same data file: whoever has both learns no more than from one. Others of the same rows \
                 are not known, nor are those that were made elsewhere."
            }
            false => "No other release of the same rows is known. Releases that were made elsewhere are not.",
        };
        return (Coverage::Partly, by, remains.to_owned());
    }
    let remains: String = related.iter().map(|earlier| format!("<p>{}</p>", together(earlier))).collect();
    let all = || related.iter().flat_map(|earlier| &earlier.attacks);
    let tried = related.iter().all(|earlier| !earlier.attacks.is_empty());
    let within = tried && all().all(|outcome| !outcome.severity.is_alarm());
    (if within { Coverage::Partly } else { Coverage::None }, by, remains)
}

/// What somebody learns who has an earlier release as well.
fn together(earlier: &EarlierRelease) -> String {
    let of = if earlier.relation == Relation::SamePeople { "people" } else { "rows" };
    let shared = earlier
        .shared
        .map_or_else(String::new, |shared| format!(" (about {} of the {of})", whole_percent(shared.share)));
    let worst = earlier.attacks.iter().map(|outcome| outcome.severity).max();
    let told = match worst {
        None => {
            format!(
                "could not be tried: {}.",
                escape(earlier.not_attacked.as_deref().unwrap_or("no attack fits"))
            )
        }
        Some(Severity::Covered) => "no more than was promised.".to_owned(),
        Some(Severity::NothingFound) => {
            "nothing that is worth telling, though nothing was promised.".to_owned()
        }
        Some(worst) => {
            let results = earlier.attacks.iter().filter(|outcome| outcome.severity == worst);
            let results: Vec<String> = results.map(|outcome| prose(&outcome.result)).collect();
            let much =
                if worst == Severity::Broken { "<strong>more than was promised:</strong> " } else { "" };
            format!("{much}{}", results.join(" "))
        }
    };
    format!("Together with release {}{shared}: {told}", count(earlier.sequence))
}

/// Rows of two releases are matched by their position.
pub fn unsorted_matching(facts: &Facts<'_>) -> Threat {
    let (coverage, by, remains) = match facts.view.row_order {
        "canonical" => {
            (Coverage::Full, "<p>rows are sorted by their released values</p>", "The order tells nothing.")
        }
        "shuffled" => (Coverage::Full, "<p>rows are in random order</p>", "The order tells nothing."),
        _ => (
            Coverage::None,
            "",
            "Rows keep the order of the original. Whoever knows that order, or has another extract of it, can match \
             rows by position.",
        ),
    };
    Threat {
        name: "Unsorted matching",
        meaning: "The position of a row gives it away.",
        coverage,
        by: by.to_owned(),
        remains: remains.to_owned(),
        assumes: "The file is handed out as it was written.",
    }
}

/// Somebody is believed to be or to have what is not true.
pub fn false_attribution(facts: &Facts<'_>) -> Threat {
    let wrong = 1.0 - facts.highest_risk();
    let remains = if wrong > 0.0 && wrong.is_finite() {
        format!(
            "Whoever picks one row for a person all the same is wrong in at least {} of the cases, and the person may \
             bear the consequences.",
            percent(wrong)
        )
    } else {
        "A row may still be taken for somebody who is not in the table.".to_owned()
    };
    Threat {
        name: "False attribution",
        meaning: "A person is believed to have a value that is not theirs.",
        coverage: Coverage::Partly,
        by: "<p>values are coarsened or left out, never invented</p>".to_owned(),
        remains,
        assumes: "Recipients know that a class is not a person.",
    }
}
