//! Answers that are fetched piece by piece.

use super::cells::{Column, Kind, Wrong};
use super::session::{COUNTING, DIALECT, Session, cells};
use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use paravent_tables::engine::{Answer, EngineError};
use postgres_protocol::message::backend::Message;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows that are fetched at a time.
const FETCHED: usize = 8192;

pub(super) fn locked(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    // What a panic leaves behind is a connection that answers no more questions, not a wrong answer.
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer that is fetched piece by piece.
pub(super) struct Cursor {
    pub(super) session: Arc<Mutex<Session>>,
    pub(super) cursor: String,
    pub(super) kinds: Vec<(String, Kind)>,
    pub(super) schema: SchemaRef,
    pub(super) ended: bool,
}

impl Answer for Cursor {
    fn next(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        if self.ended {
            return Ok(None);
        }
        let mut session = locked(&self.session);
        let cursor = DIALECT.ident(&self.cursor);
        let mut columns: Vec<Column> = self.kinds.iter().map(|(_, kind)| kind.column()).collect();
        let mut rows = 0;
        session.query(&format!("FETCH FORWARD {FETCHED} FROM {cursor}"), &COUNTING, |message| {
            if let Message::DataRow(row) = message {
                let cells = cells(&row)?;
                if cells.len() != columns.len() {
                    return Err(EngineError::Garbled("(a row has other columns)"));
                }
                for ((column, cell), (name, _)) in columns.iter_mut().zip(cells).zip(&self.kinds) {
                    column.push(cell).map_err(|wrong: Wrong| wrong.error(name))?;
                }
                rows += 1;
            }
            Ok(())
        })?;
        if rows < FETCHED {
            self.ended = true;
            session.run(&format!("CLOSE {cursor}"), &COUNTING)?;
        }
        if rows == 0 {
            return Ok(None);
        }
        let columns = columns.iter_mut().map(Column::finish).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns);
        batch.map(Some).map_err(|_| EngineError::Garbled("(columns of different lengths)"))
    }
}
