//! Attacks on sensitive values.

use super::strength::{ValueAttack, distinct_values, strength};
use super::{Coverage, Threat, nothing_promised};
use crate::html::escape::list;
use crate::html::facts::Facts;
use crate::html::number::{count, figure, percent};
use crate::html::promise::Promise;
use crate::html::wording::{certainty, model_name};
use paravent_job::ModelName;

/// All of them.
pub fn threats(facts: &Facts<'_>) -> [Threat; 5] {
    [
        threat(
            facts,
            ValueAttack::Disclosure,
            "Attribute disclosure",
            "A sensitive value of a person is learnt, or becomes much likelier, without finding the person’s row.",
            "All sensitive columns are declared as such, and attackers do not know their values.",
        ),
        threat(
            facts,
            ValueAttack::Homogeneity,
            "Homogeneity",
            "All rows that fit a person show the same sensitive value, so it is learnt for certain.",
            "Different values have different meanings.",
        ),
        threat(
            facts,
            ValueAttack::BackgroundKnowledge,
            "Background knowledge",
            "Somebody who can rule values out for a person is left with one.",
            "Nobody can rule out more values than stated.",
        ),
        threat(
            facts,
            ValueAttack::Skewness,
            "Skewness",
            "A value that is rare in the table is frequent in a class, which puts its people under suspicion.",
            "What the whole table says about people in general may be known.",
        ),
        threat(
            facts,
            ValueAttack::Similarity,
            "Similarity",
            "The values of a class differ, but all mean much the same, such as several forms of cancer.",
            "The order or hierarchy of the values says which of them are similar.",
        ),
    ]
}

fn threat(
    facts: &Facts<'_>,
    attack: ValueAttack,
    name: &'static str,
    meaning: &'static str,
    assumes: &'static str,
) -> Threat {
    if facts.sensitive.is_empty() {
        let remains =
            "No released column is declared sensitive. If one is, nothing here protects its values.";
        let (by, remains) = (String::new(), remains.to_owned());
        return Threat { name, meaning, coverage: Coverage::None, by, remains, assumes };
    }
    let bests: Vec<(&str, Coverage)> =
        facts.sensitive.iter().map(|&column| (column, best(facts, column, attack))).collect();
    // Of several promises about a column the strongest speaks.
    let useful: Vec<&Promise<'_>> = facts
        .promises
        .iter()
        .filter(|promise| {
            let (worth, about) = (strength(promise, attack), promise.attributes());
            worth > Coverage::None
                && bests.iter().any(|(column, best)| about.contains(column) && worth == *best)
        })
        .collect();
    let open: Vec<&str> =
        bests.iter().filter(|(_, best)| *best == Coverage::None).map(|&(column, _)| column).collect();
    let mut remains: Vec<String> =
        useful.iter().map(|promise| what_remains(facts, promise, attack)).collect();
    remains.extend(if useful.is_empty() { Some(unlimited(facts, attack)) } else { nothing_promised(&open) });
    remains.extend(negative(facts, attack).map(str::to_owned));
    Threat {
        name,
        meaning,
        coverage: overall(&bests),
        by: paragraphs(useful.iter().map(|promise| source(promise))),
        remains: paragraphs(remains),
        assumes,
    }
}

/// Each text once: several promises may say the same.
fn paragraphs(texts: impl IntoIterator<Item = String>) -> String {
    let mut said = Vec::new();
    for text in texts {
        let paragraph = format!("<p>{text}</p>");
        if !said.contains(&paragraph) {
            said.push(paragraph);
        }
    }
    said.concat()
}

/// Full when every sensitive column is covered, none when no column is.
fn overall(bests: &[(&str, Coverage)]) -> Coverage {
    let each = || bests.iter().map(|&(_, best)| best);
    match (each().min(), each().max()) {
        (Some(Coverage::Full), _) => Coverage::Full,
        (_, Some(Coverage::Partly | Coverage::Full)) => Coverage::Partly,
        _ => Coverage::None,
    }
}

fn best(facts: &Facts<'_>, column: &str, attack: ValueAttack) -> Coverage {
    let about = facts.promises.iter().filter(|promise| promise.attributes().contains(&column));
    about.map(|promise| strength(promise, attack)).max().unwrap_or(Coverage::None)
}

fn source(promise: &Promise<'_>) -> String {
    format!("{} of {}", model_name(promise.model), list(&promise.attributes(), 3))
}

/// What a promise leaves open.
fn what_remains(facts: &Facts<'_>, promise: &Promise<'_>, attack: ValueAttack) -> String {
    let column = list(&promise.attributes(), 3);
    match attack {
        ValueAttack::Disclosure => disclosure(promise, &column),
        ValueAttack::Homogeneity => homogeneity(promise, &column),
        ValueAttack::BackgroundKnowledge => background(facts, promise, &column),
        ValueAttack::Skewness | ValueAttack::Similarity if promise.model == ModelName::TCloseness => {
            let reached = promise.reached("t").unwrap_or(promise.number("t"));
            format!("{column}: largest distance of a class from the table {}.", figure(reached))
        }
        ValueAttack::Skewness | ValueAttack::Similarity => {
            format!("{column}: limited within a class, but not compared with the whole table.")
        }
    }
}

fn disclosure(promise: &Promise<'_>, column: &str) -> String {
    match promise.base() {
        ModelName::DistinctLDiversity => format!(
            "{column}: at least {} values in every class, but one may be far more frequent than the others.",
            count(distinct_values(promise))
        ),
        ModelName::EntropyLDiversity => format!(
            "{column}: as uncertain as {} equally frequent values, or more.",
            figure(promise.reached("l").unwrap_or(promise.number("l")))
        ),
        ModelName::RecursiveLDiversity if promise.number("l") < 2.0 => {
            format!("{column}: no value makes up {} of a class or more.", percent(promise.number("c")))
        }
        ModelName::RecursiveLDiversity => {
            let c = promise.reached("c").unwrap_or(promise.number("c"));
            format!("{column}: certainty about a value at most {}.", percent(certainty(c)))
        }
        ModelName::PdRecursiveLDiversity | ModelName::NpdRecursiveLDiversity => {
            let c = promise.reached("c").unwrap_or(promise.number("c"));
            format!(
                "{column}: certainty about a delicate value at most {}; values declared harmless may be learnt.",
                percent(certainty(c))
            )
        }
        _ => closeness(promise, column),
    }
}

/// What a distance means for a single value.
fn closeness(promise: &Promise<'_>, column: &str) -> String {
    let reached = promise.reached("t").unwrap_or(promise.number("t"));
    let points = match promise.text("distance") {
        "ordered" | "hierarchical" => {
            return format!(
                "{column}: a class differs from the table by at most {} as a whole; a single value may differ more.",
                figure(reached)
            );
        }
        // Pinsker's inequality.
        "kullback-leibler" => (reached / 2.0).sqrt(),
        _ => reached,
    };
    format!(
        "{column}: in no class is a value’s share more than {} percentage points above its share of the table.",
        figure((points.min(1.0) * 1000.0).ceil() / 10.0)
    )
}

fn homogeneity(promise: &Promise<'_>, column: &str) -> String {
    match promise.base() {
        ModelName::PdRecursiveLDiversity | ModelName::NpdRecursiveLDiversity => {
            format!("{column}: a class may consist of values declared harmless.")
        }
        ModelName::TCloseness => match promise.text("distance") {
            "equal" | "variation" => format!(
                "{column}: a class with a single value passes only if that value makes up at least {} of the table.",
                percent(1.0 - promise.number("t"))
            ),
            _ => format!(
                "{column}: a class with a single value passes only if it is close enough to the table."
            ),
        },
        _ => {
            format!("{column}: at least {} different values in every class.", count(distinct_values(promise)))
        }
    }
}

fn background(facts: &Facts<'_>, promise: &Promise<'_>, column: &str) -> String {
    let values = distinct_values(promise);
    let joint = if facts.sensitive.len() > 1 && promise.model != ModelName::MultiAttributeLDiversity {
        " Knowing another sensitive column may tell more."
    } else {
        ""
    };
    match values {
        0 | 1 => format!("{column}: limited only indirectly.{joint}"),
        2 => format!("{column}: whoever can rule out one value may learn it.{joint}"),
        _ => format!(
            "{column}: nobody learns it for certain who cannot rule out {} values or more.{joint}",
            count(values - 1)
        ),
    }
}

fn unlimited(facts: &Facts<'_>, attack: ValueAttack) -> String {
    let columns = list(&facts.sensitive, 4);
    match attack {
        ValueAttack::Disclosure => format!("What a class tells about {columns} is not limited."),
        ValueAttack::Homogeneity => format!("A class may show a single value of {columns}."),
        ValueAttack::BackgroundKnowledge => format!("Ruling out one value of {columns} may be enough."),
        ValueAttack::Skewness => {
            format!("How far a class departs from the whole table in {columns} is not limited.")
        }
        ValueAttack::Similarity => format!("A class may hold only closely related values of {columns}."),
    }
}

/// Whether it is said that values can be ruled out.
fn negative(facts: &Facts<'_>, attack: ValueAttack) -> Option<&'static str> {
    let protects = facts.effective().any(|promise| promise.model == ModelName::NpdRecursiveLDiversity);
    match (attack, protects) {
        (ValueAttack::Disclosure, true) => {
            Some("That somebody does <em>not</em> have a value is hidden only for the protected values.")
        }
        (ValueAttack::Disclosure, false) => {
            Some("That somebody does <em>not</em> have a certain value may be learnt.")
        }
        _ => None,
    }
}
