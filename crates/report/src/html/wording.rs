//! What each promise means, in plain words.

use super::escape::{escape, label, list};
use super::number::{count, figure, percent};
use super::promise::Promise;
use paravent_job::ModelName;

/// How a promise is called and explained.
pub struct Wording {
    /// The model with its parameters, as experts write it.
    pub title: String,
    /// A short sentence without its full stop, for lists.
    pub short: String,
    /// One or two sentences for people.
    pub meaning: String,
}

/// The wording of a promise about these quasi-identifiers.
pub fn wording(promise: &Promise<'_>, quasi_identifiers: &[&str]) -> Wording {
    match promise.model {
        ModelName::KAnonymity => k_anonymity(promise, quasi_identifiers),
        ModelName::DistinctLDiversity => distinct(promise),
        ModelName::EntropyLDiversity => entropy(promise),
        ModelName::RecursiveLDiversity => recursive(promise),
        ModelName::PdRecursiveLDiversity => positive_disclosure(promise),
        ModelName::NpdRecursiveLDiversity => negative_disclosure(promise),
        ModelName::MultiAttributeLDiversity => multi_attribute(promise),
        ModelName::TCloseness => t_closeness(promise),
        ModelName::DeltaPresence => delta_presence(promise),
        ModelName::KMap => k_map(promise, quasi_identifiers),
    }
}

fn k_anonymity(promise: &Promise<'_>, quasi_identifiers: &[&str]) -> Wording {
    let k = promise.number("k") as u64;
    let known = list(quasi_identifiers, 5);
    Wording {
        title: format!("k-anonymity, k = {}", count(k)),
        short: format!("Every row looks like at least {} others", count(k.saturating_sub(1))),
        meaning: format!(
            "Every released row agrees with at least {} others in {known}. Whoever knows these facts about a \
             person finds no fewer than {} rows that fit, and picks the right one with a chance of at most {}.",
            count(k.saturating_sub(1)),
            count(k),
            percent(1.0 / k.max(1) as f64),
        ),
    }
}

fn distinct(promise: &Promise<'_>) -> Wording {
    let (column, l) = (column(promise), figure(promise.number("l")));
    Wording {
        title: format!("Distinct ℓ-diversity of {column}, ℓ = {l}"),
        short: format!("Every class shows at least {l} values of {column}"),
        meaning: format!(
            "Rows that look alike show at least {l} different values of {column}. How often each occurs is not \
             looked at: one value may still be far more frequent than the others."
        ),
    }
}

fn entropy(promise: &Promise<'_>) -> Wording {
    let (column, l) = (column(promise), figure(promise.number("l")));
    Wording {
        title: format!("Entropy ℓ-diversity of {column}, ℓ = {l}"),
        short: format!("Every class mixes {column} like {l} equally frequent values or more"),
        meaning: format!(
            "Among rows that look alike, the values of {column} are at least as mixed as {l} equally frequent \
             ones. Rare values count little here: a few odd rows do not make a class diverse."
        ),
    }
}

fn recursive(promise: &Promise<'_>) -> Wording {
    let (column, c, l) = (column(promise), figure(promise.number("c")), promise.number("l") as u64);
    let meaning = if l <= 1 {
        format!(
            "Among rows that look alike, the most frequent value of {column} makes up less than {c} times the \
             rows of the class."
        )
    } else {
        format!(
            "Among rows that look alike, the most frequent value of {column} occurs less than {c} times as often \
             as {}. Its share of a class stays below {}.",
            others(l),
            percent(largest_share(promise)),
        )
    };
    Wording {
        title: format!("Recursive (c, ℓ)-diversity of {column}, c = {c}, ℓ = {l}"),
        short: format!("No value of {column} reaches {} of a class", percent(largest_share(promise))),
        meaning,
    }
}

fn positive_disclosure(promise: &Promise<'_>) -> Wording {
    let (column, c, l) = (column(promise), figure(promise.number("c")), figure(promise.number("l")));
    Wording {
        title: format!("Positive-disclosure recursive (c, ℓ)-diversity of {column}, c = {c}, ℓ = {l}"),
        short: format!(
            "No delicate value of {column} reaches {} of a class",
            percent(largest_share(promise))
        ),
        meaning: format!(
            "Like recursive diversity, but {} may become known. Among rows that look alike, every other value \
             of {column} occurs less than {c} times as often as {}.",
            values(&promise.texts("allowed")),
            others(promise.number("l") as u64),
        ),
    }
}

fn negative_disclosure(promise: &Promise<'_>) -> Wording {
    let (column, c, l) = (column(promise), figure(promise.number("c")), figure(promise.number("l")));
    let c2 = figure(promise.number("c2"));
    Wording {
        title: format!(
            "Negative/positive-disclosure recursive (c, c₂, ℓ)-diversity of {column}, c = {c}, c₂ = {c2}%, ℓ = {l}"
        ),
        short: format!(
            "Delicate values of {column} neither reach {} of a class nor drop out of one",
            percent(largest_share(promise))
        ),
        meaning: format!(
            "Like recursive diversity, but {} may become known, and {} can never be ruled out: every class shows \
             each of them in at least {c2}% of its rows.",
            values(&promise.texts("allowed")),
            values(&promise.texts("protected")),
        ),
    }
}

fn multi_attribute(promise: &Promise<'_>) -> Wording {
    let columns = list(&promise.attributes(), 4);
    let l = figure(promise.number("l"));
    let (base, what) = match promise.base() {
        ModelName::EntropyLDiversity => {
            (format!("entropy, ℓ = {l}"), format!("is at least as mixed as {l} equally frequent values"))
        }
        ModelName::RecursiveLDiversity => (
            format!("recursive, c = {}, ℓ = {l}", figure(promise.number("c"))),
            format!("has no value that reaches {}", percent(largest_share(promise))),
        ),
        _ => (format!("distinct, ℓ = {l}"), format!("shows at least {l} different values")),
    };
    Wording {
        title: format!("Multi-attribute ℓ-diversity of {columns} ({base})"),
        short: format!("Each of {columns} stays diverse even when the others are known ({base})"),
        meaning: format!(
            "Even for somebody who already knows all but one of {columns}, the remaining column {what} among rows \
             that look alike."
        ),
    }
}

fn t_closeness(promise: &Promise<'_>) -> Wording {
    let (column, t) = (column(promise), figure(promise.number("t")));
    let distance = match promise.text("distance") {
        "kullback-leibler" => "Kullback-Leibler".to_owned(),
        other => escape(other),
    };
    let measured = match promise.text("distance") {
        "ordered" => {
            "Values that lie close together in their order count as similar, so a class of neighbouring \
             values counts as far from the table."
        }
        "hierarchical" => {
            "Values of the same branch of their hierarchy count as similar, so a class of closely \
             related values counts as far from the table."
        }
        "kullback-leibler" => {
            "The distance is the Kullback-Leibler divergence of the class from the table, in nats; all values \
             count as equally different."
        }
        "variation" => {
            "The distance is the share of rows that would have to change their value; all values count as \
             equally different."
        }
        _ => {
            "The distance is the share of rows that would have to change their value (earth mover’s distance); \
             all values count as equally different."
        }
    };
    Wording {
        title: format!("t-closeness of {column}, t = {t}, {} distance", distance),
        short: format!(
            "Every class shows {column} much as the whole table does, at a distance of {t} at most"
        ),
        meaning: format!(
            "In every class {column} is distributed much like in the whole original table: the distance is at \
             most {t}. Knowing somebody’s class tells little more than the table as a whole. {measured}"
        ),
    }
}

fn delta_presence(promise: &Promise<'_>) -> Wording {
    let (min, max) = (promise.number("min"), promise.number("max"));
    let floor = if min > 0.0 {
        format!(" It is at least {} as well, so that nobody can be ruled out.", percent(min))
    } else {
        String::new()
    };
    Wording {
        title: format!("δ-presence, δ from {} to {}", figure(min), figure(max)),
        short: format!("Presence in the table stays at most {} certain", percent(max)),
        meaning: format!(
            "For anyone in the known population, the chance to be in this table can be narrowed down to no more \
             than {}.{floor}",
            percent(max),
        ),
    }
}

fn k_map(promise: &Promise<'_>, quasi_identifiers: &[&str]) -> Wording {
    let k = count(promise.number("k") as u64);
    Wording {
        title: format!("k-map, k = {k}"),
        short: format!("Every row fits at least {k} people of the population"),
        meaning: format!(
            "Every released combination of {} fits at least {k} people of the known population. This holds against \
             somebody who does not know whether the person sought is in the table.",
            list(quasi_identifiers, 5),
        ),
    }
}

/// The share of a class that no value reaches under a promise of a recursive model.
pub fn largest_share(promise: &Promise<'_>) -> f64 {
    let c = promise.number("c");
    match promise.base() {
        ModelName::RecursiveLDiversity if promise.number("l") < 2.0 => c.min(1.0),
        _ => certainty(c),
    }
}

/// The largest share of a value that occurs `c` times as often as all others together.
pub fn certainty(c: f64) -> f64 {
    if c.is_finite() { c / (1.0 + c) } else { 1.0 }
}

fn column(promise: &Promise<'_>) -> String {
    list(&promise.attributes(), 4)
}

/// `“healthy” and “cold”`; long lists are counted.
fn values(labels: &[&str]) -> String {
    match labels {
        [] => "no value".to_owned(),
        [only] => format!("the value “{}”", label(only)),
        [first, second] => format!("the values “{}” and “{}”", label(first), label(second)),
        [first, second, rest @ ..] => {
            format!("the values “{}”, “{}” and {} more", label(first), label(second), rest.len())
        }
    }
}

/// What the recursive models compare a value with.
fn others(l: u64) -> String {
    match l {
        0..=2 => "all other values together".to_owned(),
        3 => "all other values together, the most frequent of them set aside".to_owned(),
        _ => format!("all other values together, the {} most frequent of them set aside", l - 2),
    }
}

/// The model without its parameters.
pub fn model_name(model: ModelName) -> &'static str {
    match model {
        ModelName::KAnonymity => "k-anonymity",
        ModelName::DistinctLDiversity => "distinct ℓ-diversity",
        ModelName::EntropyLDiversity => "entropy ℓ-diversity",
        ModelName::RecursiveLDiversity => "recursive ℓ-diversity",
        ModelName::PdRecursiveLDiversity => "pd-recursive ℓ-diversity",
        ModelName::NpdRecursiveLDiversity => "npd-recursive ℓ-diversity",
        ModelName::MultiAttributeLDiversity => "multi-attribute ℓ-diversity",
        ModelName::TCloseness => "t-closeness",
        ModelName::DeltaPresence => "δ-presence",
        ModelName::KMap => "k-map",
    }
}
