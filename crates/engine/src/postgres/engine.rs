//! The engine: what is asked of all of them, in one transaction.

use super::cells::Kind;
use super::copy;
use super::cursor::{Cursor, locked};
use super::failure::Doing;
use super::session::{COUNTING, CREATING, DIALECT, Described, MAPPING, Session, cells, rows_of};
use crate::statement;
use arrow::datatypes::{Field, Schema};
use paravent_tables::engine::{
    Address, Answer, Drawing, EmptyCells, Engine, EngineColumn, EngineError, Mapping, Occupied,
    PeopleRequest, PeopleThere, Question, Recoding, Repeats, TableName, Traffic,
};
use postgres_protocol::message::backend::Message;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};

/// A database, seen in one transaction.
pub struct Postgres {
    session: Arc<Mutex<Session>>,
}

/// Cells and credentials stay out of logs.
impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Postgres(..)")
    }
}

impl Postgres {
    /// Logs in and begins the transaction.
    pub fn connect(address: &Address) -> Result<Postgres, EngineError> {
        Ok(Postgres { session: Arc::new(Mutex::new(Session::open(address)?)) })
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        locked(&self.session)
    }
}

impl Engine for Postgres {
    fn columns(&self, table: &TableName) -> Result<Vec<EngineColumn>, EngineError> {
        let mut session = self.session();
        let columns = session.describe(table)?;
        let column = |(name, kind): &Described| EngineColumn {
            name: name.clone(),
            kind: kind.clone().map(Kind::data_type),
        };
        Ok(columns.iter().map(column).collect())
    }

    fn ask(&self, question: &Question) -> Result<Box<dyn Answer>, EngineError> {
        let mut session = self.session();
        let (kinds, query) = session.statement(question)?;
        session.cursors += 1;
        let cursor = format!("paravent_{}", session.cursors);
        let statement = format!("DECLARE {} BINARY NO SCROLL CURSOR FOR {query}", DIALECT.ident(&cursor));
        session.run(&statement, &Doing { table: &question.from.table().to_string(), ..COUNTING })?;
        let fields = kinds.iter().map(|(name, kind)| Field::new(name, kind.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        drop(session);
        Ok(Box::new(Cursor { session: self.session.clone(), cursor, kinds, schema, ended: false }))
    }

    fn repeats(
        &self,
        table: &TableName,
        columns: &[String],
        empty: EmptyCells,
    ) -> Result<Repeats, EngineError> {
        let mut session = self.session();
        session.describe(table)?;
        let statement = {
            let is_text = |column: &str| session.has_collation(table, column);
            statement::repeats(DIALECT, table, columns, empty, &is_text).to_string()
        };
        // Whoever may not read this column may still read the others.
        session.run("SAVEPOINT repeats", &COUNTING)?;
        let mut told = [0u64; 4];
        let asked = session.query(&statement, &Doing { table: &table.to_string(), ..COUNTING }, |message| {
            if let Message::DataRow(row) = message {
                for (told, cell) in told.iter_mut().zip(cells(&row)?) {
                    let number = cell.map(|cell| String::from_utf8_lossy(cell).parse());
                    *told = number.unwrap_or(Ok(0)).map_err(|_| EngineError::Garbled("(no number)"))?;
                }
            }
            Ok(())
        });
        if asked.is_err() {
            session.run("ROLLBACK TO SAVEPOINT repeats", &COUNTING)?;
        }
        asked?;
        let [rows, values, most, once] = told;
        Ok(Repeats { rows, values, most, once })
    }

    fn upload(&self, mapping: &Mapping) -> Result<(), EngineError> {
        let (name, create) = match mapping {
            Mapping::Values { name, of: (table, column), .. } => {
                (name, statement::mapping_of_values(DIALECT, name, (table, column)))
            }
            Mapping::Codes { name, width, labels, .. } => {
                (name, statement::mapping_of_codes(DIALECT, name, *width, !labels.is_empty()))
            }
        };
        let mut session = self.session();
        session.run(&create.to_string(), &MAPPING)?;
        let copy = statement::copy_in(DIALECT, name).to_string();
        session.copy_in(&copy, &MAPPING, &mut copy::of_mapping(mapping))?;
        let name = DIALECT.session_table(name);
        session.run(&format!("ANALYZE {name}"), &MAPPING).map(drop)
    }

    fn create(&self, staged: &TableName, recoding: &Recoding) -> Result<u64, EngineError> {
        let mut session = self.session();
        session.describe(&recoding.table)?;
        let statement = {
            let is_text = |column: &str| session.has_collation(&recoding.table, column);
            statement::create(DIALECT, staged, recoding, &is_text).to_string()
        };
        let shown = staged.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        let tag = session.run(&statement, &doing)?;
        session.run(&statement::mark(DIALECT, staged).to_string(), &doing)?;
        rows_of(&tag)
    }

    fn publish(&self, staged: &TableName, target: &TableName, occupied: Occupied) -> Result<(), EngineError> {
        if occupied == Occupied::Replace {
            self.refuse_occupied(target, occupied)?;
        }
        let mut session = self.session();
        let shown = target.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        if occupied == Occupied::Replace {
            session.run(&statement::drop(DIALECT, target).to_string(), &doing)?;
        }
        session.run(&statement::rename(DIALECT, staged, target).to_string(), &doing)?;
        let told = session.run_to_its_end("COMMIT", &doing);
        committed(told, &shown)
    }

    fn is_ours(&self, table: &TableName) -> Result<bool, EngineError> {
        self.session().is_ours(table)
    }

    fn withdraw(&self, target: &TableName) -> Result<(), EngineError> {
        let shown = target.to_string();
        let statement = statement::drop(DIALECT, target).to_string();
        self.session().run_to_its_end(&statement, &Doing { table: &shown, ..CREATING }).map(drop)
    }

    fn has(&self, table: &TableName) -> Result<bool, EngineError> {
        let mut session = self.session();
        // A failure would end the transaction.
        session.run("SAVEPOINT has", &COUNTING)?;
        match session.described(table) {
            Ok(_) => Ok(true),
            Err(EngineError::NoTable { .. }) => {
                session.run("ROLLBACK TO SAVEPOINT has", &COUNTING).map(|_| false)
            }
            Err(other) => Err(other),
        }
    }

    fn draws(&self) -> bool {
        true
    }

    fn draw(&self, staged: &TableName, drawing: &Drawing) -> Result<u64, EngineError> {
        self.session().draw(staged, drawing)
    }

    fn numbered(&self, rows: &str, codes: &[(String, String)]) -> Result<Vec<Vec<u32>>, EngineError> {
        self.session().numbered(rows, codes)
    }

    fn people(&self, request: &PeopleRequest<'_>) -> Result<PeopleThere, EngineError> {
        self.session().people(request)
    }

    fn fill(
        &self,
        table: &TableName,
        columns: &[String],
        rows: &mut dyn Iterator<Item = Vec<Option<String>>>,
    ) -> Result<(), EngineError> {
        let shown = table.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        let mut session = self.session();
        session.run(&statement::table_of_texts(DIALECT, table, columns).to_string(), &doing)?;
        session.copy_in(
            &statement::copy_into(DIALECT, table).to_string(),
            &doing,
            &mut copy::of_rows(rows),
        )?;
        session.run("COMMIT", &doing)?;
        let name = DIALECT.table(table);
        session.run(&format!("ANALYZE {name}"), &doing).map(drop)
    }

    fn traffic(&self) -> Traffic {
        self.session().wire.traffic()
    }
}

/// How a COMMIT ended. Whoever hears no answer does not know whether the table is there.
fn committed(told: Result<String, EngineError>, table: &str) -> Result<(), EngineError> {
    match told {
        Ok(tag) if tag == "COMMIT" => Ok(()),
        Ok(_) => Err(EngineError::Conflict),
        Err(
            EngineError::Lost | EngineError::Stopped | EngineError::Ended { .. } | EngineError::Garbled(_),
        ) => Err(EngineError::OutcomeUnknown { table: table.to_owned() }),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_without_an_answer_may_have_happened() {
        assert_eq!(committed(Ok("COMMIT".to_owned()), "t"), Ok(()));
        assert_eq!(committed(Ok("ROLLBACK".to_owned()), "t"), Err(EngineError::Conflict));
        let unknown = EngineError::OutcomeUnknown { table: "t".to_owned() };
        let ended = EngineError::Ended { code: "57P02".to_owned() };
        for silent in [EngineError::Lost, EngineError::Stopped, ended, EngineError::Garbled("")] {
            assert_eq!(committed(Err(silent), "t"), Err(unknown.clone()));
        }
        assert!(!unknown.to_string().contains("nothing was written"));
        // These are answers.
        for refused in [EngineError::Conflict, EngineError::Full, EngineError::TooSlow] {
            assert_eq!(committed(Err(refused.clone()), "t"), Err(refused));
        }
    }
}
