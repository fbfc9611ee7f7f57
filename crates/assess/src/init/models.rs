//! What to promise: k-anonymity, and diversity of what is sensitive.

use super::InitOptions;
use super::profile::{Column, Profile};
use super::roles::Assigned;
use super::words::{counted, listed, number};
use paravent_job::{DecimalText, Model, PersonRows, Privacy, Role};

/// Share of rows that may be suppressed.
const SUPPRESSION_LIMIT: &str = "0.05";
/// So many rows must have another value than the most frequent one: there are never more classes than that.
const ENOUGH_OTHERS: u64 = 20;

/// The promise, and notes on what could not be promised.
pub(super) fn propose(
    profile: &Profile,
    roles: &[Assigned],
    options: &InitOptions,
) -> (Privacy, Vec<String>) {
    let mut notes = Vec::new();
    let k = u32::try_from(profile.rows).unwrap_or(u32::MAX).min(options.k).max(2);
    if k < options.k || u64::from(k) > profile.rows {
        let rows = counted(profile.rows, "row", "rows");
        notes.push(format!("The table has only {rows}, which is too few to hide anybody: k is {k}."));
    }
    let mut models = vec![Model::KAnonymity(paravent_job::models::KAnonymity { k })];
    let mut sensitive = 0;
    for (column, _) in
        profile.columns.iter().zip(roles).filter(|(_, assigned)| assigned.role == Role::Sensitive)
    {
        sensitive += 1;
        match diversity(column, profile.rows) {
            Some(l) => models.push(Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity {
                attribute: column.name.clone(),
                l,
            })),
            None => notes.push(format!(
                "{} has almost the same value in every row, so classes cannot be made diverse: \
                 only k-anonymity guards it.",
                listed([column.name.as_str()])
            )),
        }
    }
    if sensitive == 0 {
        notes.push(
            "No column seems to be sensitive, so only k-anonymity is promised. If one is, give it the role \
             sensitive and add a model such as distinct-l-diversity."
                .to_owned(),
        );
    }
    if models.len() > 2 {
        let all = number(models.len() as u64 - 1);
        notes
            .push(format!("All {all} sensitive columns must be diverse in every class, which costs detail."));
    }
    let suppression_limit = DecimalText::new(SUPPRESSION_LIMIT).unwrap_or_else(|_| DecimalText::from(0));
    (
        Privacy {
            suppression_limit,
            models,
            person: Vec::new(),
            person_rows: PersonRows::default(),
            most_known: None,
            budget: None,
        },
        notes,
    )
}

/// Different values that every class can be asked to show: 3 if a tenth of the rows has neither of the two most frequent
/// ones, else 2. `None` if the most frequent one leaves too few rows.
fn diversity(column: &Column, rows: u64) -> Option<u32> {
    let Some(values) = column.values() else { return Some(3) };
    let mut counts: Vec<u64> = values.map(|(_, count)| count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let beyond = |values: usize| counts.iter().skip(values).sum::<u64>();
    if counts.len() > 2 && beyond(2) * 10 >= rows {
        Some(3)
    } else if beyond(1) >= ENOUGH_OTHERS || (beyond(1) > 0 && beyond(1) * 20 >= rows) {
        Some(2)
    } else {
        None
    }
}
