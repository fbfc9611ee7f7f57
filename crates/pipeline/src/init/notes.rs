//! What the user should know about a proposal.

use paravent_core::values::ValueType;

use super::combinations::Found;
use super::hierarchies::Hierarchies;
use super::profile::Profile;
use super::roles::{Assigned, almost_unique};
use super::words::{counted, listed, number};
use crate::job::Role;
use crate::missing_words::{self, reads_like_missing};
use paravent_evidence::columns::{Hint, hint};

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
    let repeated = repeated(profile, roles);
    if !repeated.is_empty() {
        notes.push(format!(
            "{} occurs in several rows, so a person may have more than one. The models count rows, not people: \
             bring the table to one row per person, or choose a larger k.",
            named(&repeated)
        ));
    }
    let telling: Vec<usize> = (0..roles.len())
        .filter(|&i| roles[i].role == Role::Sensitive && almost_unique(&profile.columns[i], profile.rows))
        .collect();
    if !telling.is_empty() {
        notes.push(format!(
            "Almost every row has its own value of {}, which is released as it is: whoever knows the value finds \
             the row. Round the values first, or give the column the role quasi-identifier.",
            named(&telling)
        ));
    }
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
             given the role identifying, which drops them; those that nobody else can know, the role insensitive.",
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
fn repeated(profile: &Profile, roles: &[Assigned]) -> Vec<usize> {
    let numbers_people = |name: &str| hint(name) == Hint::Identifying("a number of a person");
    let repeats = |i: &usize| {
        let column = &profile.columns[*i];
        column.values().is_some() && column.distinct.at_least() < profile.rows - column.missing
    };
    (0..roles.len()).filter(|&i| numbers_people(&profile.columns[i].name)).filter(repeats).collect()
}

fn looks_like_a_cell(name: &str) -> bool {
    [ValueType::Decimal, ValueType::Date, ValueType::DateTime].iter().any(|ty| ty.accepts(name))
}
