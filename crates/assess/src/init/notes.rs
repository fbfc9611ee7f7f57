//! What the user should know about a proposal.

use paravent_core::values::ValueType;

use super::combinations::Found;
use super::hierarchies::Hierarchies;
use super::profile::Profile;
use super::roles::Assigned;
use super::words::{counted, listed, number};
use paravent_evidence::columns::{Hint, hint};
use paravent_job::Role;
use paravent_tables::missing_words::{self, reads_like_missing};

/// Quasi-identifiers beyond which a release keeps little detail.
const MANY: usize = 12;

/// Notes on the table, its columns and their hierarchies.
pub(super) fn on(
    profile: &Profile,
    roles: &[Assigned],
    search: &Found,
    hierarchies: &Hierarchies,
) -> Vec<String> {
    let mut notes = Vec::new();
    let named =
        |columns: &[usize]| listed(columns.iter().map(|column| profile.columns[*column].name.as_str()));
    let headers = profile.columns.iter().filter(|column| looks_like_a_cell(&column.name)).count();
    if headers > 0 {
        let names = counted(headers as u64, "column name looks", "column names look");
        notes.push(format!("{names} like a cell. Does the file start with a row of column names?"));
    }
    let is_one_word = |name: &str| name.chars().all(|sign| sign.is_alphanumeric() || "_-. ()".contains(sign));
    if let [column] = &profile.columns[..]
        && !is_one_word(&column.name)
    {
        notes.push(
            "The table has a single column, and its name looks like several. Write the sign between cells as delimiter under [input], or \
             save the table with commas or semicolons between the cells."
                .to_owned(),
        );
    }
    let words: Vec<&str> = profile.missing_words.iter().collect();
    if !words.is_empty() {
        notes.push(format!(
            "Cells with {} count as missing: they stand among numbers or dates.",
            listed(words)
        ));
    }
    for (column, _) in
        profile.columns.iter().zip(roles).filter(|(_, assigned)| assigned.role == Role::Sensitive)
    {
        let values = column.values().into_iter().flatten().map(|(value, _)| value);
        let words: Vec<&str> = values.filter(|value| reads_like_missing(value)).collect();
        notes.extend(missing_words::warning(&column.name, &words));
    }
    notes.extend(repeated(profile).into_iter().map(|column| on_repeated(profile, roles, column)));
    let sampled = profile.sample.len() as u64;
    if sampled < profile.rows {
        notes.push(format!(
            "Combinations of columns were looked at in a sample of {} rows, so shares of unique rows are rather too \
             high than too low.",
            number(sampled)
        ));
    }
    if !search.complete {
        notes.push("There are too many combinations of columns to look at all of them.".to_owned());
    }
    let many = roles.iter().filter(|column| column.role == Role::QuasiIdentifier).count();
    if many > MANY {
        notes.push(format!(
            "{} quasi-identifiers are many: little detail will be left. Columns that are not needed are best \
             left out of the job; those that nobody else can know are best given the role insensitive.",
            number(many as u64)
        ));
    }
    if !hierarchies.simplified.is_empty() {
        let columns = named(&hierarchies.simplified);
        notes.push(format!("To keep the search short, {columns} got fewer levels than possible."));
    }
    if !hierarchies.hidden.is_empty() {
        let columns = named(&hierarchies.hidden);
        notes.push(format!(
            "To keep the search short, {columns} will always be hidden (min_level = 1). \
             Drop other columns to be able to show some of these."
        ));
    }
    notes
}

/// Columns that number people and have the same number in several rows.
fn repeated(profile: &Profile) -> Vec<usize> {
    let numbers_people = |name: &str| hint(name) == Hint::Identifying("a number of a person");
    let repeats = |i: &usize| {
        let column = &profile.columns[*i];
        column.values().is_some() && column.distinct.at_least() < profile.rows - column.missing
    };
    (0..profile.columns.len()).filter(|&i| numbers_people(&profile.columns[i].name)).filter(repeats).collect()
}

/// The column that says whose row it is, where people have several rows: one that is dropped anyway and never empty.
pub(super) fn person(profile: &Profile, roles: &[Assigned]) -> Option<String> {
    let [column] = repeated(profile)[..] else { return None };
    let usable = roles[column].role == Role::Identifying && profile.columns[column].missing == 0;
    usable.then(|| profile.columns[column].name.clone())
}

fn on_repeated(profile: &Profile, roles: &[Assigned], column: usize) -> String {
    let name = profile.columns[column].name.as_str();
    let most = profile.columns[column].values().into_iter().flatten().map(|(_, rows)| rows).max();
    let figures = format!(
        "{} occurs in several rows: {} of {}, up to {} each.",
        listed([name]),
        counted(profile.rows - profile.columns[column].missing, "row", "rows"),
        counted(profile.columns[column].distinct.at_least(), "person", "people"),
        counted(most.unwrap_or_default(), "row", "rows"),
    );
    match person(profile, roles).is_some_and(|person| person == name) {
        true => format!("{figures} The job counts people, not rows (person in [privacy])."),
        false => format!(
            "{figures} The models count rows, not people: name the column that says whose row it is as person in \
             [privacy], or bring the table to one row per person."
        ),
    }
}

fn looks_like_a_cell(name: &str) -> bool {
    [ValueType::Decimal, ValueType::Date, ValueType::DateTime].iter().any(|ty| ty.accepts(name))
}
