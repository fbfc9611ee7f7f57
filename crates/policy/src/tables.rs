//! `[[tables]]`: what can be asked about, and whose rows they are.

use paravent_job::DecimalText;
use paravent_job::keys::{Key, Takes, key, needed};
use paravent_job::walk::{Item, Section, Walk};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(crate) const KEYS: &[Key] = &[
    needed("name", Takes::Text, "What the table is called in questions"),
    key("job", Takes::Text, "The job file with its input, roles, types and hierarchies"),
    key("path", Takes::Text, "The table itself, where no job describes it"),
    key(
        "person",
        Takes::Either(&[Takes::Text, Takes::List(&Takes::Text)]),
        "The columns that say whose row it is",
    ),
    key(
        "links",
        Takes::Named(&Takes::Text),
        "Foreign keys to the person of another table: column = \"table.column\"",
    ),
    key("contribution", Takes::Whole(1, u32::MAX as u64), "Most rows of one person that count in an answer"),
    key("domain", Takes::Named(&Takes::Table(DOMAIN)), "What is known of a column before anybody looks"),
    key("public", Takes::Truth, "About nobody"),
];

const DOMAIN: &[Key] = &[
    key("min", Takes::Decimal, "Smallest value that counts"),
    key("max", Takes::Decimal, "Largest value that counts"),
    key("step", Takes::Decimal, "Distance of values"),
    key(
        "values",
        Takes::Either(&[Takes::Text, Takes::List(&Takes::Cell)]),
        "The values, or a file with one in each line",
    ),
];

/// A table of the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it is called in questions.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Whose rows they are.
    pub whose: Whose,
    /// Most rows of one person that count in an answer.
    pub contribution: u32,
    /// By column: what is known before anybody looks.
    pub domain: BTreeMap<String, Domain>,
}

/// Where a table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A job describes it.
    Job(PathBuf),
    /// The file alone.
    File(PathBuf),
}

/// Whose rows a table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Nobody's.
    Nobody,
    /// These columns together are the person.
    Person(Vec<String>),
    /// The person of another table, through foreign keys: column → (table, column).
    Links(BTreeMap<String, (String, String)>),
}

impl Whose {
    /// The columns of the person.
    pub fn person(&self) -> Vec<String> {
        match self {
            Whose::Nobody => Vec::new(),
            Whose::Person(columns) => columns.clone(),
            Whose::Links(links) => links.keys().cloned().collect(),
        }
    }
}

/// What is known of a column before anybody looks. Bounds and groups are never taken from the data or from a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Numbers are cut to these bounds.
    Range {
        /// Smallest.
        min: DecimalText,
        /// Largest.
        max: DecimalText,
        /// Distance of values.
        step: Option<DecimalText>,
    },
    /// These values.
    Values(Vec<String>),
    /// The values in a file, one in each line.
    ValuesFile(PathBuf),
}

impl Table {
    /// Whether rows of it belong to people.
    pub fn is_personal(&self) -> bool {
        self.whose != Whose::Nobody
    }

    pub(crate) fn read(walk: &mut Walk, item: &Item<'_>) -> Option<Table> {
        let section = &item.section(walk)?;
        section.allow_keys(walk, KEYS);
        let name = section.require(walk, "name", "\"patients\"").and_then(|item| table_name(walk, &item));
        let place = place(walk, section);
        let whose = whose(walk, section);
        let contribution = match section.get(walk, "contribution", "1") {
            Some(item) => item.u32(walk, 1),
            None => Some(1),
        };
        let domain = match section.get(walk, "domain", "{ salary = { min = 0, max = 20000 } }") {
            Some(item) => item.section(walk).and_then(|section| domains(walk, &section)),
            None => Some(BTreeMap::new()),
        };
        Some(Table {
            name: name?,
            place: place?,
            whose: whose?,
            contribution: contribution?,
            domain: domain?,
        })
    }
}

/// Lower case, as SQL reads names that are not quoted.
fn table_name(walk: &mut Walk, item: &Item<'_>) -> Option<String> {
    let name = item.name(walk)?;
    let plain = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !plain || name.starts_with(|c: char| c.is_ascii_digit()) {
        let advice = "Write small letters, digits and _, as in name = \"patients\"";
        walk.report(item.line, &item.key, "is no name that a question can use", advice);
        return None;
    }
    Some(name.to_owned())
}

fn place(walk: &mut Walk, section: &Section<'_>) -> Option<Place> {
    section.exclusive(walk, "job", "path");
    let job = section.get(walk, "job", "\"patients.toml\"");
    match (job, section.get(walk, "path", "\"vitals.parquet\"")) {
        (Some(item), _) => item.path(walk).map(Place::Job),
        (None, Some(item)) => item.path(walk).map(Place::File),
        (None, None) => {
            section.require(walk, "job", "\"patients.toml\", or path = \"patients.csv\"");
            None
        }
    }
}

fn whose(walk: &mut Walk, section: &Section<'_>) -> Option<Whose> {
    section.exclusive(walk, "person", "links");
    section.exclusive(walk, "person", "public");
    section.exclusive(walk, "links", "public");
    if let Some(item) = section.get(walk, "person", "\"id\"") {
        return match item.is_text() {
            true => item.name(walk).map(|name| Whose::Person(vec![name.to_owned()])),
            false => names(walk, &item).map(Whose::Person),
        };
    }
    if let Some(item) = section.get(walk, "links", "{ patient = \"patients.id\" }") {
        let mut links = BTreeMap::new();
        for (column, item) in item.section(walk)?.named(walk, "\"patients.id\"") {
            let target = item.name(walk)?;
            let Some((table, key)) =
                target.split_once('.').filter(|(table, key)| !table.is_empty() && !key.is_empty())
            else {
                item.report(walk, "must name a table and its column");
                return None;
            };
            links.insert(column, (table.to_owned(), key.to_owned()));
        }
        if links.is_empty() {
            item.report(walk, "must not be empty");
            return None;
        }
        return Some(Whose::Links(links));
    }
    match section.get(walk, "public", "true") {
        Some(item) => match item.truth(walk)? {
            true => Some(Whose::Nobody),
            false => {
                let advice = "Name the person: person = \"id\", or links to the person of another table";
                walk.report(item.line, &item.key, "nobody says whose rows they are", advice);
                None
            }
        },
        None => {
            let advice = "Write person = \"id\", links = { patient = \"patients.id\" }, or public = true for a table about nobody";
            if walk.complete() {
                walk.report(section.line, &section.path, "nobody says whose rows they are", advice);
            }
            None
        }
    }
}

/// Names without repetitions.
pub(crate) fn names(walk: &mut Walk, item: &Item<'_>) -> Option<Vec<String>> {
    let names = item.cells(walk, 1)?;
    if names.iter().any(String::is_empty) {
        item.report(walk, "has an entry without a name");
        return None;
    }
    Some(names)
}

fn domains(walk: &mut Walk, section: &Section<'_>) -> Option<BTreeMap<String, Domain>> {
    let entries = section.named(walk, "{ min = 0, max = 20000 }");
    let read: Vec<Option<(String, Domain)>> =
        entries.into_iter().map(|(name, item)| Some((name, domain(walk, &item)?))).collect();
    read.into_iter().collect()
}

fn domain(walk: &mut Walk, item: &Item<'_>) -> Option<Domain> {
    let section = &item.section(walk)?;
    section.allow_keys(walk, DOMAIN);
    section.exclusive(walk, "values", "min");
    section.exclusive(walk, "values", "max");
    if let Some(values) = section.get(walk, "values", "[\"f\", \"m\"]") {
        return match values.is_text() {
            true => values.path(walk).map(Domain::ValuesFile),
            false => values.cells(walk, 1).map(Domain::Values),
        };
    }
    let bound = |walk: &mut Walk, key: &'static str, example: &str| {
        section.require(walk, key, example).and_then(|item| item.decimal(walk))
    };
    let (min, max) = (bound(walk, "min", "0"), bound(walk, "max", "20000"));
    let step = match section.get(walk, "step", "1") {
        Some(item) => item.decimal_in(walk, "above 0", |step| step.scaled() > 0).map(Some),
        None => Some(None),
    };
    let (min, max, step) = (min?, max?, step?);
    if min > max {
        item.report(walk, "the bounds are the wrong way round");
        return None;
    }
    Some(Domain::Range { min, max, step })
}
