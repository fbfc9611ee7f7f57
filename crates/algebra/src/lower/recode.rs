//! The release of α^G as a plain plan: a join with each column's labels, and a filter for suppressed classes.

use super::LowerError;
use super::boxes::Boxed;
use super::gather::as_text;
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::MemTable;
use datafusion::common::{Column, JoinType, NullEquality};
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, lit};
use std::sync::Arc;

/// A cell; missing is one, too.
pub(super) type Cell = Option<String>;

/// How the cells of one column become labels.
#[derive(Debug)]
pub(super) struct Relabel {
    pub(super) column: Column,
    /// Every cell that occurs, and its label.
    pub(super) labels: Vec<(Cell, Cell)>,
}

/// Classes that are left out, by their labels in the order of the columns.
pub(super) type Suppressed = Vec<Vec<Cell>>;

/// How cells become labels.
#[derive(Debug)]
pub(super) enum Recoding {
    /// Column by column, with the classes that are left out.
    ByColumn(Vec<Relabel>, Suppressed),
    /// By combination of cells: every class has labels of its own.
    ByTuple(Boxed),
}

/// How labels leave the recoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Labels {
    /// In the place of the cells.
    Replace,
    /// Behind all columns, which stay as they are.
    Append,
}

/// The relation with labels instead of cells, or beside them, without the suppressed classes.
pub(super) fn recode(
    input: LogicalPlan,
    recoding: &Recoding,
    labels: Labels,
) -> Result<LogicalPlan, LowerError> {
    match recoding {
        Recoding::ByColumn(relabels, suppressed) => by_column(input, relabels, suppressed, labels),
        Recoding::ByTuple(boxed) => boxed.recode(input, labels),
    }
}

fn by_column(
    input: LogicalPlan,
    relabels: &[Relabel],
    suppressed: &Suppressed,
    labels: Labels,
) -> Result<LogicalPlan, LowerError> {
    let own: Vec<Expr> = input.schema().columns().into_iter().map(Expr::Column).collect();
    let text = |number: usize| format!("__paravent_text_{number}");
    let texts =
        relabels.iter().enumerate().map(|(number, relabel)| as_text(&relabel.column).alias(text(number)));
    let mut plan = LogicalPlanBuilder::from(input.clone()).project(own.into_iter().chain(texts))?;
    let mut released: Vec<Expr> = Vec::new();
    for (number, relabel) in relabels.iter().enumerate() {
        let label = match constant(&relabel.labels) {
            Some(Some(label)) => lit(label.as_str()),
            Some(None) => lit(datafusion::common::ScalarValue::Utf8(None)),
            None => {
                let name = format!("__paravent_labels_{number}");
                let (value, label) =
                    (format!("__paravent_cell_{number}"), format!("__paravent_group_{number}"));
                let cells = relabel.labels.iter();
                let columns = [
                    (value.as_str(), cells.clone().map(|(cell, _)| cell.clone()).collect()),
                    (label.as_str(), cells.map(|(_, label)| label.clone()).collect()),
                ];
                let keys = (
                    vec![Column::new_unqualified(text(number))],
                    vec![Column::new(Some(name.as_str()), value.as_str())],
                );
                let table = strings(&name, &columns)?;
                plan =
                    plan.join_detailed(table, JoinType::Inner, keys, None, NullEquality::NullEqualsNull)?;
                Expr::Column(Column::new(Some(name), label))
            }
        };
        released.push(label);
    }
    if !suppressed.is_empty() {
        // The labels get names of their own first: the filter compares columns.
        let own = input.schema().columns().into_iter().map(Expr::Column);
        let shown = released.iter().enumerate().map(|(number, label)| label.clone().alias(hidden(number)));
        plan = plan.project(own.chain(shown).collect::<Vec<_>>())?;
        released =
            (0..relabels.len()).map(|number| Expr::Column(Column::new_unqualified(hidden(number)))).collect();
        let name = "__paravent_suppressed";
        let names: Vec<String> =
            (0..relabels.len()).map(|number| format!("__paravent_left_out_{number}")).collect();
        let column = |number: usize| suppressed.iter().map(|class| class[number].clone()).collect();
        let columns: Vec<(&str, Vec<Cell>)> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), column(number))).collect();
        let keys = (
            (0..relabels.len()).map(|number| Column::new_unqualified(hidden(number))).collect(),
            names.iter().map(|column| Column::new(Some(name), column)).collect::<Vec<Column>>(),
        );
        let table = strings(name, &columns)?;
        plan = plan.join_detailed(table, JoinType::LeftAnti, keys, None, NullEquality::NullEqualsNull)?;
    }
    let quasi: Vec<&Column> = relabels.iter().map(|relabel| &relabel.column).collect();
    with_labels(plan, &input, &quasi, released, labels)
}

/// The relation's columns with the labels of some of them, of a plan that has both.
pub(super) fn with_labels(
    plan: LogicalPlanBuilder,
    input: &LogicalPlan,
    quasi: &[&Column],
    released: Vec<Expr>,
    labels: Labels,
) -> Result<LogicalPlan, LowerError> {
    let place = |column: &Column| quasi.iter().position(|quasi| *quasi == column);
    let mut columns: Vec<Expr> = Vec::new();
    for (qualifier, field) in input.schema().iter() {
        let column = Column::new(qualifier.cloned(), field.name());
        columns.push(match place(&column).filter(|_| labels == Labels::Replace) {
            Some(number) => released[number].clone().alias_qualified(qualifier.cloned(), field.name()),
            None => Expr::Column(column),
        });
    }
    if labels == Labels::Append {
        columns.extend(released.into_iter().enumerate().map(|(number, label)| label.alias(appended(number))));
    }
    Ok(plan.project(columns)?.build()?)
}

/// Name of an appended column of labels.
pub(super) fn appended(number: usize) -> String {
    format!("__paravent_class_{number}")
}

fn hidden(number: usize) -> String {
    format!("__paravent_label_{number}")
}

/// The one label of a column, where all cells have the same.
fn constant(labels: &[(Cell, Cell)]) -> Option<&Cell> {
    let (_, first) = labels.first()?;
    labels.iter().all(|(_, label)| label == first).then_some(first)
}

/// A small table of texts.
pub(super) fn strings(name: &str, columns: &[(&str, Vec<Cell>)]) -> Result<LogicalPlan, LowerError> {
    let fields: Vec<Field> =
        columns.iter().map(|(name, _)| Field::new(*name, DataType::Utf8, true)).collect();
    let schema = Arc::new(Schema::new(fields));
    let arrays =
        columns.iter().map(|(_, cells)| Arc::new(StringArray::from_iter(cells)) as ArrayRef).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays)
        .map_err(|error| LowerError::Engine(error.into()))?;
    let table = MemTable::try_new(schema, vec![vec![batch]])?;
    Ok(LogicalPlanBuilder::scan(name, provider_as_source(Arc::new(table)), None)?.build()?)
}
