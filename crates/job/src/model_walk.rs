//! Reads `[privacy]` and its models.

use super::attribute_walk::Declarations;
use super::decimal::DecimalText;
use super::keys::{Key, Takes, key, needed, words};
use super::models::Model;
use super::models::reading::Reading;
use super::privacy::{BudgetLimit, PersonRows, Privacy};
use super::suggest::shortened;
use super::walk::{Item, Section, Walk};

/// The keys.
pub(crate) const KEYS: &[Key] = &[
    key("suppression_limit", Takes::Decimal, "Share of rows that may be left out, from 0 to 1"),
    needed("models", Takes::Models, "What every class of the release keeps"),
    key(
        "person",
        Takes::Either(&[Takes::Text, Takes::List(&Takes::Text)]),
        "The columns that say whose row it is",
    ),
    key("person_rows", Takes::Choice(words::<PersonRows>), "What becomes of a person's other rows"),
    key("most_known", Takes::Whole(1, 1000), "Most quasi-identifiers of a person that anybody knows"),
    key("budget", Takes::Table(BUDGET), "What all noisy answers together may cost"),
];

pub(crate) const BUDGET: &[Key] =
    &[needed("epsilon", Takes::Decimal, "Above 0"), key("delta", Takes::Decimal, "At least 0 and below 1")];

const MODELS: &str = "[{ model = \"k-anonymity\", k = 5 }]";

/// Reads `[privacy]` of a job.
pub(super) fn privacy(walk: &mut Walk, section: &Section<'_>, declared: &Declarations) -> Option<Privacy> {
    section.allow_keys(walk, KEYS);
    let person = match section.get(walk, "person", "\"patient_id\"") {
        Some(item) => person(walk, &item, declared),
        None => Some(Vec::new()),
    };
    let budget = match section.get(walk, "budget", "{ epsilon = \"1\", delta = \"1e-6\" }") {
        Some(item) => item.section(walk).and_then(|section| budget(walk, &section)).map(Some),
        None => Some(None),
    };
    let most_known = section.get(walk, "most_known", "3").and_then(|item| item.whole(walk, 1..=1000));
    let most_known = most_known.and_then(|columns| u32::try_from(columns).ok());
    let rows = section.get(walk, "person_rows", "\"together\"");
    let promised = promised(walk, section, declared);
    let person_rows = match &rows {
        Some(item) => item.choice(walk, "a rule about a person's rows"),
        None => Some(PersonRows::default()),
    };
    let read =
        Privacy { person: person?, budget: budget?, person_rows: person_rows?, most_known, ..promised? };
    if let Some(item) = &rows {
        rows_of_a_person(walk, item, &read);
    }
    Some(read)
}

/// A rule about the rows of a person goes with a key, and with models for which it says whose rows are left out.
fn rows_of_a_person(walk: &mut Walk, item: &Item<'_>, read: &Privacy) {
    if read.person.is_empty() {
        let advice = "Name the columns that say whose row it is: person = \"patient_id\"";
        walk.report(item.line, &item.key, "nobody knows whose rows belong together", advice);
    }
    let (refused, why): (fn(&Model) -> bool, _) = match read.person_rows {
        PersonRows::Apart => return,
        PersonRows::Together => (
            |model| !model.more_people_never_hurt(),
            "may be kept by two sets of people and not by both together, so nobody knows whose rows to remove",
        ),
        PersonRows::Set => {
            (|model| model.population().is_some(), "counts people whose other rows nobody knows")
        }
    };
    for model in read.models.iter().filter(|&model| refused(model)) {
        let name = model.name().name();
        let message = format!("{name} {why}");
        let advice = format!("Leave out {name}, or write person_rows = \"apart\"");
        walk.report(item.line, &item.key, message, &advice);
    }
}

/// Reads `[privacy]` of what several parties agree on: limit and models only.
pub(super) fn terms(walk: &mut Walk, section: &Section<'_>) -> Option<Privacy> {
    section.allow(walk, &["suppression_limit", "models"]);
    promised(walk, section, &Declarations::unknown())
}

/// Reads a list of models whose columns are declared elsewhere.
pub fn models(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<Model>> {
    let declared = Declarations::unknown();
    let mut models = Reading::new(&declared);
    item.list(walk, 1, |walk, entry| models.model(walk, entry))
}

fn promised(walk: &mut Walk, section: &Section<'_>, declared: &Declarations) -> Option<Privacy> {
    let limit = section.get(walk, "suppression_limit", "0.05");
    let limit = limit.and_then(|item| {
        item.decimal_in(walk, "between 0 and 1", |s| 0 <= s.scaled() && *s <= DecimalText::from(1))
    });
    let mut models = Reading::new(declared);
    let list = section.require(walk, "models", MODELS);
    let list = list.and_then(|item| item.list(walk, 1, |walk, entry| models.model(walk, entry)));
    let suppression_limit = limit.unwrap_or_else(|| DecimalText::from(0));
    Some(Privacy {
        suppression_limit,
        models: list?,
        person: Vec::new(),
        person_rows: PersonRows::default(),
        most_known: None,
        budget: None,
    })
}

/// One column, or a list that is one composite key.
fn person(walk: &mut Walk, item: &Item<'_>, declared: &Declarations) -> Option<Vec<String>> {
    if item.value.get_ref().is_str() {
        return Some(vec![declared.known(walk, item)?]);
    }
    let mut seen: Vec<String> = Vec::new();
    item.list(walk, 1, |walk, entry| {
        let name = declared.known(walk, entry)?;
        if seen.contains(&name) {
            let message = format!("{} is listed twice", shortened(&name));
            walk.report(entry.line, &entry.key, message, "List each column once");
        }
        seen.push(name.clone());
        Some(name)
    })
}

fn budget(walk: &mut Walk, section: &Section<'_>) -> Option<BudgetLimit> {
    section.allow_keys(walk, BUDGET);
    let epsilon = section
        .require(walk, "epsilon", "\"1\"")
        .and_then(|item| item.decimal_in(walk, "above 0", |epsilon| epsilon.scaled() > 0));
    let delta = match section.get(walk, "delta", "\"1e-6\"") {
        Some(item) => item.decimal_in(walk, "at least 0 and below 1", |delta| {
            0 <= delta.scaled() && *delta < DecimalText::from(1)
        }),
        None => Some(DecimalText::from(0)),
    };
    Some(BudgetLimit { epsilon: epsilon?, delta: delta? })
}
