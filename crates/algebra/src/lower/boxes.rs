//! The release of a local α^G as a plain plan: one join with the labels of every combination of cells.

use super::LowerError;
use super::gather::as_text;
use super::recode::{Cell, Labels, strings, with_labels};
use datafusion::common::{Column, JoinType, NullEquality};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

/// Every combination of cells that is released, and its labels.
#[derive(Debug)]
pub(super) struct Boxed {
    /// The quasi-identifiers.
    pub(super) columns: Vec<Column>,
    /// Cells and labels, both in the order of the columns. Combinations that are not here are left out.
    pub(super) shown: Vec<(Vec<Cell>, Vec<Cell>)>,
}

const TABLE: &str = "__paravent_boxes";

impl Boxed {
    /// The relation with labels instead of cells, or beside them, without the rows that no box has.
    pub(super) fn recode(&self, input: LogicalPlan, labels: Labels) -> Result<LogicalPlan, LowerError> {
        let numbers = 0..self.columns.len();
        let text = |number: usize| format!("__paravent_text_{number}");
        let cell = |number: usize| format!("__paravent_cell_{number}");
        let group = |number: usize| format!("__paravent_group_{number}");
        let own = input.schema().columns().into_iter().map(Expr::Column);
        let texts = self.columns.iter().enumerate();
        let texts = texts.map(|(number, column)| as_text(column).alias(text(number)));
        let plan = LogicalPlanBuilder::from(input.clone()).project(own.chain(texts))?;
        let cells = numbers.clone().map(|number| {
            (cell(number), self.shown.iter().map(|(cells, _)| cells[number].clone()).collect())
        });
        let shown = numbers.clone().map(|number| {
            (group(number), self.shown.iter().map(|(_, labels)| labels[number].clone()).collect())
        });
        let table: Vec<(String, Vec<Cell>)> = cells.chain(shown).collect();
        let table: Vec<(&str, Vec<Cell>)> =
            table.iter().map(|(name, cells)| (name.as_str(), cells.clone())).collect();
        let keys = (
            numbers.clone().map(|number| Column::new_unqualified(text(number))).collect::<Vec<_>>(),
            numbers.clone().map(|number| Column::new(Some(TABLE), cell(number))).collect::<Vec<_>>(),
        );
        let table = strings(TABLE, &table)?;
        let plan = plan.join_detailed(table, JoinType::Inner, keys, None, NullEquality::NullEqualsNull)?;
        let released = numbers.map(|number| Expr::Column(Column::new(Some(TABLE), group(number)))).collect();
        let quasi: Vec<&Column> = self.columns.iter().collect();
        with_labels(plan, &input, &quasi, released, labels)
    }
}
