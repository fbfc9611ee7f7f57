//! Answers that arrive part by part.

use super::columns::Columns;
use super::engine::Table;
use super::execution::Execution;
use super::failure::Doing;
use super::session::Session;
use arrow::array::RecordBatch;
use paravent_tables::engine::{Answer, EngineError, TableName};
use std::collections::VecDeque;
use std::sync::Arc;

/// An answer on its way.
pub(super) struct Rows {
    pub(super) session: Arc<Session>,
    pub(super) operation: String,
    /// Gone after the last part, or after a failure.
    pub(super) execution: Option<Execution>,
    pub(super) columns: Columns,
    pub(super) pending: VecDeque<RecordBatch>,
    /// What is asked about, to be looked at again at the end.
    pub(super) about: (TableName, Arc<Table>),
}

impl Answer for Rows {
    fn next(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        loop {
            if let Some(batch) = self.pending.pop_front() {
                return Ok(Some(batch));
            }
            let Some(mut execution) = self.execution.take() else { return Ok(None) };
            let told = self.session.run(async move {
                let told = execution.next().await;
                (execution, told)
            });
            let (execution, told) = told.inspect_err(|_| self.session.interrupt(self.operation.clone()))?;
            let (name, table) = &self.about;
            match told {
                Ok(Some(part)) => {
                    self.execution = Some(execution);
                    self.pending.extend(self.columns.decode(&[part])?);
                }
                Ok(None) => table.check(&self.session, name)?,
                Err(status) => return Err(self.session.failed(&status, Doing::Counting, name)),
            }
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        if self.execution.is_some() {
            self.session.interrupt(self.operation.clone());
        }
    }
}
