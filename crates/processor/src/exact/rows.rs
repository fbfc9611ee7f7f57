//! The rows that an exact answer is about, with whose they are.

use crate::adapt::Adapted;
use crate::refusal::AskError;
use crate::state::State;
use crate::view::Source;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Decimal128Type, Int64Type};
use paravent_algebra::error::AlgebraError;
use std::collections::HashMap;

/// A row that exists for the recipient.
pub(super) struct Row {
    /// Keyed number of its person.
    pub(super) person: u64,
    /// Which of the person's rows it is, in the order of the table.
    pub(super) place: i64,
    /// Whether the conditions of the question hold.
    pub(super) is_selected: bool,
    /// Labels of the groups.
    pub(super) key: Vec<Option<String>>,
    /// By measured column: its value in units of 10^-12.
    pub(super) values: Vec<Option<i128>>,
}

/// All rows, with at most `contribution` selected ones of each person: the first by what the answer sees of them, so that their order in the
/// table does not matter.
pub(super) fn of(
    batches: &[RecordBatch],
    adapted: &Adapted<'_>,
    measured: &[&str],
    state: &State,
) -> Result<Vec<Row>, AskError> {
    let mut rows = Vec::new();
    for batch in batches {
        read(batch, adapted, measured, state, &mut rows)?;
    }
    let mut order: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].is_selected).collect();
    let content = |row: &usize| -> (u64, &[Option<String>], &[Option<i128>], i64) {
        let row: &Row = &rows[*row];
        (row.person, &row.key, &row.values, row.place)
    };
    order.sort_unstable_by(|one, other| content(one).cmp(&content(other)));
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let mut beyond = Vec::new();
    for row in order {
        let count = seen.entry(rows[row].person).or_insert(0);
        *count += 1;
        if *count > adapted.contribution {
            beyond.push(row);
        }
    }
    beyond.into_iter().for_each(|row| rows[row].is_selected = false);
    Ok(rows)
}

fn read(
    batch: &RecordBatch,
    adapted: &Adapted<'_>,
    measured: &[&str],
    state: &State,
    rows: &mut Vec<Row>,
) -> Result<(), AskError> {
    let column = |source: Source| -> Result<&ArrayRef, AskError> {
        batch.column_by_name(&source.name()).ok_or_else(|| AlgebraError::Internal.into())
    };
    let texts = |sources: Vec<Source>| sources.into_iter().map(column).collect::<Result<Vec<_>, AskError>>();
    let people = texts(adapted.first().table.whose.person().into_iter().map(Source::Raw).collect())?;
    let groups =
        adapted.groups.iter().map(|(of, level)| Source::Group(of.clone(), adapted.coarse(of, *level)));
    let groups = texts(groups.collect())?;
    let conditions =
        adapted.conditions.iter().map(|(of, level)| Source::Filter(of.clone(), adapted.coarse(of, *level)));
    let conditions = texts(conditions.collect())?;
    let wanted: Vec<_> = adapted.conditions.keys().map(|of| &adapted.question.conditions[of]).collect();
    let values = texts(measured.iter().map(|of| Source::Measure((*of).to_owned())).collect())?;
    let places = column(Source::Place)?.as_primitive_opt::<Int64Type>().ok_or(AlgebraError::Internal)?;
    for row in 0..batch.num_rows() {
        let key: Vec<Option<String>> = people.iter().map(|column| text(column, row)).collect();
        let key: Vec<String> = key
            .into_iter()
            .map(|part| part.map_or_else(|| "-".to_owned(), |part| format!("+{part}")))
            .collect();
        let parts: Vec<&str> = ["person"].into_iter().chain(key.iter().map(String::as_str)).collect();
        let is_selected = conditions
            .iter()
            .zip(&wanted)
            .all(|(column, wanted)| text(column, row).is_some_and(|label| wanted.contains(&label)));
        let value = |column: &&ArrayRef| {
            let numbers = column.as_primitive_opt::<Decimal128Type>()?;
            numbers.is_valid(row).then(|| numbers.value(row))
        };
        rows.push(Row {
            person: state.number(&parts),
            place: places.value(row),
            is_selected,
            key: groups.iter().map(|column| text(column, row)).collect(),
            values: values.iter().map(value).collect(),
        });
    }
    Ok(())
}

fn text(column: &ArrayRef, row: usize) -> Option<String> {
    let texts = column.as_string_opt::<i32>()?;
    texts.is_valid(row).then(|| texts.value(row).to_owned())
}
