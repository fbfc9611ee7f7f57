//! Do the numbers of rows add up?

use serde_json::json;

use super::Release;
use crate::Check;
use crate::manifest::{PeopleCounts, PersonRows};

/// Rows in the file = rows announced = rows of the input − suppressed rows; where these are shown as stars, they are in the file, too.
pub(super) fn check(release: &Release<'_>) -> Check {
    let manifest = release.manifest;
    let stars = manifest.suppression.stars();
    let found = (release.data.rows as u64).saturating_add(release.data.stars);
    let (announced, input, suppressed) =
        (manifest.output.rows, manifest.input_rows, manifest.suppression.rows);
    let mut problems = Vec::new();
    if found != announced {
        problems.push(format!("{found} rows in the file, {announced} in the manifest"));
    }
    if release.data.stars != stars {
        problems.push(format!("{stars} suppressed rows should be the last, but {} are", release.data.stars));
    }
    if announced.checked_add(suppressed - stars) != Some(input) {
        problems.push(format!(
            "{announced} released and {suppressed} suppressed rows do not make {input} rows of input"
        ));
    }
    let released = release.data.rows;
    let fine = format!("{released} rows released, {suppressed} suppressed, {input} in the input");
    Check::new("rows", None, &problems, fine).comparing(announced, found)
}

/// Suppressed rows ≤ min(⌊limit · rows⌋, rows − 1): a share of the rows, and never all of them. Where people are counted: people who lose
/// a row, of all people.
pub(super) fn check_suppression(release: &Release<'_>) -> Check {
    if let Some(people) = &release.manifest.people {
        return check_people(release, people);
    }
    let (suppression, input) = (&release.manifest.suppression, release.manifest.input_rows);
    let mut problems = Vec::new();
    let share = suppression.limit.floor_of_product(input);
    let limit = share.map(|share| share.min(input.saturating_sub(1)));
    match limit {
        None => problems.push("the limit is no share of the rows".to_owned()),
        Some(limit) if limit != suppression.limit_rows => {
            problems.push(format!("the limit comes to {limit} rows, not {}", suppression.limit_rows));
        }
        Some(_) => {}
    }
    let allowed = limit.unwrap_or(0).min(suppression.limit_rows);
    if suppression.rows > allowed {
        problems.push(format!("{} rows suppressed, {allowed} allowed", suppression.rows));
    }
    // What the file itself says, should the manifest lie about both numbers.
    let absent = input.saturating_sub(release.data.rows as u64);
    if absent > allowed && absent != suppression.rows {
        problems.push(format!("{absent} rows are absent, {allowed} allowed"));
    }
    Check::new(
        "suppression",
        None,
        &problems,
        format!("{} rows suppressed, {allowed} allowed", suppression.rows),
    )
    .comparing(json!({ "rows": suppression.limit_rows }), json!({ "rows": suppression.rows }))
}

fn check_people(release: &Release<'_>, people: &PeopleCounts) -> Check {
    let suppression = &release.manifest.suppression;
    let mut problems = Vec::new();
    let share = suppression.limit.floor_of_product(people.read);
    let limit = share.map(|share| share.min(people.read.saturating_sub(1)));
    match limit {
        None => problems.push("the limit is no share of the people".to_owned()),
        Some(limit) if limit != people.limit => {
            problems.push(format!("the limit comes to {limit} people, not {}", people.limit));
        }
        Some(_) => {}
    }
    if suppression.limit_rows != people.limit {
        problems.push(format!(
            "the limit is {} people, and {} where rows are told of",
            people.limit, suppression.limit_rows
        ));
    }
    let allowed = limit.unwrap_or(0).min(people.limit);
    if people.losing > allowed {
        problems.push(format!("{} people lose a row, {allowed} may", people.losing));
    }
    // Nobody who is not in the file at all has kept his rows.
    if let Some(released) = release.people {
        let absent = people.read.saturating_sub(released);
        // Where people are kept or left out as a whole, who loses a row is not in the file.
        let fits = match people.rows {
            PersonRows::Apart => absent <= people.losing,
            PersonRows::Together | PersonRows::Set => absent == people.losing,
        };
        if released > people.read || !fits {
            problems.push(format!(
                "{released} of {} people are in the file, and {} lose a row",
                people.read, people.losing
            ));
        }
    }
    Check::new("suppression", None, &problems, format!("{} people lose a row, {allowed} may", people.losing))
        .comparing(json!({ "people": people.limit }), json!({ "people": people.losing }))
}
