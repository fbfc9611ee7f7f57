//! Exact figures for trusted recipients, with what keeps them from telling of few people.
//!
//! A figure leaves only if its group has enough people and no person dominates a sum. What does not is folded into one remainder, with as many
//! of the smallest groups as it takes. Then the sets of all figures are held against each other, against the whole table, and against all earlier
//! exact answers to the recipient's group ([`linear`]). Which groups are folded depends on the data; therefore it has one form, and untrusted
//! recipients get no exact figure at all.

pub mod linear;
mod release;
mod rows;

use crate::adapt::{Adapted, Threshold};
use crate::question::Figure;
use crate::refusal::{AskError, Refusal};
use crate::state::State;
use crate::state::people::Exact;
use datafusion::arrow::array::RecordBatch;
use paravent_job::DecimalText;
use release::Group;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Exact answers about a table that a group of recipients can have in all: beyond, holding them against each other takes too long.
pub const MOST_ANSWERS: usize = 2_000;
/// More groups than this are no answer that anybody reads.
const MOST_GROUPS: usize = 10_000;
/// The label of the remainder.
pub const REMAINDER: &str = "(remainder)";

/// An exact answer that may leave.
pub struct Released {
    /// Groups in the order of their keys, the remainder last. Columns: groups, then figures.
    pub rows: Vec<Vec<Value>>,
    /// Earlier answers that it was held against.
    pub compared: usize,
    /// Something was folded or withheld.
    pub is_folded: bool,
}

/// Refuses what the register has no room for. Decided from the number of answers. `kin` are the tables about the same people.
///
/// # Errors
/// A refusal.
pub fn room(register: &Exact<'_>, group: &str, table: &str, kin: &BTreeSet<String>) -> Result<(), Refusal> {
    if kin.iter().any(|table| register.rows(group, table).is_some()) {
        return Err(Refusal::new(
            "the group has rows of the table or of another one about the same people, and exact figures beside them could tell of single people",
            "The owner can allow noise",
        ));
    }
    match register.answers(group, table) < MOST_ANSWERS {
        true => Ok(()),
        false => Err(Refusal::new(
            format!("the group has had {MOST_ANSWERS} exact answers about the table, and no more are given"),
            "Answers that were given before are given again; the owner can allow noise",
        )),
    }
}

/// Figures of the rows below the threshold, registered under `name` before they are given back.
///
/// # Errors
/// If the state cannot be kept.
pub fn answer(
    adapted: &Adapted<'_>,
    threshold: &Threshold,
    batches: &[RecordBatch],
    state: &State,
    register: &mut Exact<'_>,
    name: &str,
) -> Result<Released, AskError> {
    let measured: Vec<&str> = adapted
        .question
        .figures
        .iter()
        .filter_map(Figure::column)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let rows = rows::of(batches, adapted, &measured, state)?;
    let mut groups: BTreeMap<Vec<Option<String>>, Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate().filter(|(_, row)| row.is_selected) {
        groups.entry(row.key.clone()).or_default().push(place);
    }
    if groups.len() > MOST_GROUPS {
        groups.clear();
    }
    let whole: usize = groups.values().map(Vec::len).sum();
    let group_of_recipient = &adapted.asker.recipient.group;
    let mut known = release::Known::open(
        register,
        group_of_recipient,
        &adapted.first().known_as,
        &rows,
        &measured,
        state,
    )?;
    let groups: Vec<Group> = groups
        .into_iter()
        .map(|(key, members)| Group::of(Some(key), members, &rows, measured.len()))
        .collect();
    let (kept, remainder) = known.releasable(groups, &rows, threshold, !adapted.groups.is_empty());
    let shown: usize = kept.iter().map(|group| group.members.len()).sum();
    let is_folded = shown < whole || remainder.is_some();
    let all: Vec<Group> = kept.into_iter().chain(remainder).collect();
    let compared = known.compared();
    if !all.is_empty() {
        known.register(register, name, group_of_recipient, &adapted.first().known_as, &all, &rows)?;
    }
    let rows = all.iter().map(|group| cells(group, adapted, &measured)).collect();
    Ok(Released { rows, compared, is_folded })
}

fn cells(group: &Group, adapted: &Adapted<'_>, measured: &[&str]) -> Vec<Value> {
    let places: HashMap<&str, usize> =
        measured.iter().zip(0..).map(|(column, place)| (*column, place)).collect();
    let labels: Vec<Value> = match &group.key {
        Some(key) => key.iter().map(|label| json!(label)).collect(),
        None => adapted.groups.keys().map(|_| json!(REMAINDER)).collect(),
    };
    let figure = |figure: &Figure| match figure {
        Figure::Count => json!(group.members.len()),
        Figure::Sum(column) => group.totals[places[column.as_str()]].1.map_or(Value::Null, decimal),
        // Sum and number of values: the division comes last.
        Figure::Avg(column) => {
            let (count, total) = group.totals[places[column.as_str()]];
            match total {
                Some(total) => json!(format!("{total}/{count}")),
                // Too large to be worked out, which is not the same as no value.
                None => Value::Null,
            }
        }
    };
    labels.into_iter().chain(adapted.question.figures.iter().map(figure)).collect()
}

/// A number in units of 10^-12 as it is: as text where a reader of JSON would round it.
pub(crate) fn decimal(units: i128) -> Value {
    let one = DecimalText::from(1).scaled();
    let (sign, size) = (if units < 0 { "-" } else { "" }, units.unsigned_abs());
    let (whole, fraction) = (size / one.unsigned_abs(), size % one.unsigned_abs());
    let fraction = format!("{fraction:012}");
    let fraction = fraction.trim_end_matches('0');
    let text = match fraction.is_empty() {
        true => format!("{sign}{whole}"),
        false => format!("{sign}{whole}.{fraction}"),
    };
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    match digits <= 15 {
        true => serde_json::from_str(&text).unwrap_or(Value::Null),
        false => json!(text),
    }
}
