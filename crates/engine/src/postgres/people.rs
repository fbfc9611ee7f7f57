//! A view of a table that has tokens instead of the columns that name people.

use super::cells::Kind;
use super::copy;
use super::failure::Doing;
use super::session::{COUNTING, DIALECT, MAPPING, Session, cells};
use crate::statement::{self, KeyPart, Keyed};
use paravent_tables::engine::{EngineError, PeopleRequest, PeopleThere, TableName};
use postgres_protocol::message::backend::Message;

impl Session {
    /// Puts the secret beside the table, counts how its keys are written, and makes the view.
    pub(super) fn people(&mut self, request: &PeopleRequest<'_>) -> Result<PeopleThere, EngineError> {
        let key = self.key_parts(request)?;
        self.is_unicode()?;
        self.cursors += 1;
        let (secret, view) =
            (format!("paravent_key_{}", self.cursors), format!("paravent_people_{}", self.cursors));
        let name = DIALECT.session_table(&secret);
        self.run(&format!("CREATE TEMPORARY TABLE {name} (secret bytea NOT NULL)"), &MAPPING)?;
        let copy = statement::copy_in(DIALECT, &secret).to_string();
        self.copy_in(&copy, &MAPPING, &mut copy::of_key(request.tokens.secret()))?;
        let shown = request.table.to_string();
        let doing = Doing { table: &shown, ..COUNTING };
        let keyed = Keyed { table: request.table, key: &key, secret: &secret };
        let nobody = self.numbers(&statement::nobody(DIALECT, keyed).to_string(), &doing)?;
        let mut there = PeopleThere {
            table: TableName::of_session(DIALECT.temporary, &view),
            nobody,
            people: 0,
            padded: 0,
            in_small_letters: 0,
        };
        if there.nobody.iter().any(|rows| *rows > 0) {
            return Ok(there);
        }
        let spellings = {
            let is_text = |column: &str| self.has_collation(request.table, column);
            statement::spellings(DIALECT, keyed, &is_text).to_string()
        };
        if let [people, padded, small] = self.numbers(&spellings, &doing)?.as_slice() {
            (there.people, there.padded, there.in_small_letters) = (*people, *padded, *small);
        }
        let rows = statement::with_tokens(DIALECT, keyed, request.columns, request.token);
        let name = DIALECT.session_table(&view);
        self.run(&format!("CREATE TEMPORARY VIEW {name} AS {rows}"), &doing)?;
        Ok(there)
    }

    /// The columns of the key, if their types have one text for a value.
    fn key_parts(&mut self, request: &PeopleRequest<'_>) -> Result<Vec<KeyPart>, EngineError> {
        let known = self.describe(request.table)?;
        let part = |column: &String| match known.iter().find(|(name, _)| name == column) {
            Some((_, Ok(Kind::Float32 | Kind::Float64))) => Err(EngineError::Key {
                column: column.clone(),
                why: "floating-point numbers name nobody; make a view that casts it",
            }),
            Some((_, Ok(kind))) => Ok(KeyPart { column: column.clone(), is_numeric: *kind == Kind::Numeric }),
            Some((_, Err(kind))) => Err(EngineError::Type { column: column.clone(), kind: kind.clone() }),
            None => Err(EngineError::NoColumn { column: column.clone() }),
        };
        request.key.iter().map(part).collect()
    }

    /// Fails where texts cannot have all the blanks that are taken off.
    fn is_unicode(&mut self) -> Result<(), EngineError> {
        let mut is_unicode = false;
        self.query("SHOW server_encoding", &COUNTING, |message| {
            if let Message::DataRow(row) = message {
                is_unicode = cells(&row)?.first().copied().flatten() == Some(b"UTF8");
            }
            Ok(())
        })?;
        match is_unicode {
            true => Ok(()),
            false => Err(EngineError::Unable {
                what: "tell people apart in a database that is not encoded as UTF8",
            }),
        }
    }

    /// The numbers of a row; missing ones are 0.
    fn numbers(&mut self, statement: &str, doing: &Doing<'_>) -> Result<Vec<u64>, EngineError> {
        let mut told = Vec::new();
        self.query(statement, doing, |message| {
            if let Message::DataRow(row) = message {
                for cell in cells(&row)? {
                    let number = cell.map(|cell| String::from_utf8_lossy(cell).parse());
                    told.push(number.unwrap_or(Ok(0)).map_err(|_| EngineError::Garbled("(no number)"))?);
                }
            }
            Ok(())
        })?;
        Ok(told)
    }
}
