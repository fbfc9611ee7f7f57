//! Before tables are joined: of each, the rows of a person that count.
//!
//! A person with `n` rows in one table and `m` in another has `n · m` joined rows, and what a join needs would tell of that person. So each table is
//! cut first: of the rows that fulfil the conditions of policy and question, the first `contribution` of each person stay, in the order of the
//! table.
//!
//! *Why the promise stays.* Whether a row stays depends on rows of the same person alone. So adding or removing a person adds or removes that
//! person's joined rows and no other, and those are at most the product of the contributions: what the noise is made for.

use crate::adapt::{Adapted, Part, joins};
use crate::refusal::AskError;
use crate::view::Source;
use datafusion::arrow::array::{Array, AsArray, BooleanArray, RecordBatch, StringArray};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use datafusion::logical_expr::expr_rewriter::unnormalize_col;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::session::Session;
use std::collections::{BTreeSet, HashMap};

/// The rows of a table that take part in a join.
pub(crate) fn joined_rows(
    adapted: &Adapted<'_>,
    part: &Part<'_>,
    selections: &[Expr],
    rows: RecordBatch,
    session: &Session,
) -> Result<RecordBatch, AskError> {
    let text = |name: String| -> Result<StringArray, AskError> {
        let column = rows.column_by_name(&name).and_then(|column| column.as_string_opt::<i32>());
        column.cloned().ok_or_else(|| AlgebraError::Internal.into())
    };
    let person = joins::key_columns(part.table).into_iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let own =
        adapted.conditions.iter().filter(|(column, _)| adapted.of(column).0.table.name == part.table.name);
    let conditions = own
        .map(|(column, level)| {
            let labels = text(Source::Filter(column.clone(), adapted.coarse(column, *level)).name())?;
            Ok((labels, &adapted.question.conditions[column]))
        })
        .collect::<Result<Vec<(StringArray, &BTreeSet<String>)>, AskError>>()?;
    let selected = selected(selections, &rows, session)?;
    let mut seen: HashMap<Vec<&str>, u32> = HashMap::new();
    let mut stays = |row: usize| {
        let holds = |(labels, wanted): &(StringArray, &BTreeSet<String>)| {
            labels.is_valid(row) && wanted.contains(labels.value(row))
        };
        let exists = |mask: &BooleanArray| mask.is_valid(row) && mask.value(row);
        // Whose key has a gap is joined with nobody.
        let has_key = person.iter().all(|key| key.is_valid(row));
        if !has_key || !selected.iter().all(exists) || !conditions.iter().all(holds) {
            return false;
        }
        let count = seen.entry(person.iter().map(|key| key.value(row)).collect()).or_insert(0);
        *count = count.saturating_add(1);
        *count <= part.table.contribution
    };
    let mask: BooleanArray = (0..rows.num_rows()).map(|row| Some(stays(row))).collect();
    filter_record_batch(&rows, &mask).map_err(|_| AlgebraError::Internal.into())
}

/// By condition of the policy: for which rows it holds.
fn selected(
    selections: &[Expr],
    rows: &RecordBatch,
    session: &Session,
) -> Result<Vec<BooleanArray>, AskError> {
    // Whatever goes wrong has one wording: an error must not tell of a cell.
    let failed =
        || AskError::from(AlgebraError::Failed("the rows could not be read within the limits".to_owned()));
    let schema = DFSchema::try_from(rows.schema().as_ref().clone()).map_err(|_| AlgebraError::Internal)?;
    let state = session.context().state();
    let mask = |condition: &Expr| {
        let condition = unnormalize_col(condition.clone());
        let physical = state.create_physical_expr(condition, &schema).map_err(|_| AlgebraError::Internal)?;
        let found = physical.evaluate(rows).and_then(|found| found.into_array(rows.num_rows()));
        let found = found.map_err(|_| failed())?;
        found.as_boolean_opt().cloned().ok_or_else(|| AskError::from(AlgebraError::Internal))
    };
    selections.iter().map(mask).collect()
}
