//! One transaction: questions, mappings, and a table that appears at its end.

use super::cells::{Column, Kind, Wrong};
use super::failure::{self, Doing};
use super::login;
use super::wire::Wire;
use crate::statement::{self, Dialect};
use arrow::array::RecordBatch;
use arrow::datatypes::{Field, Schema, SchemaRef};
use fallible_iterator::FallibleIterator;
use paravent_tables::engine::{
    Address, Answer, EmptyCells, Engine, EngineColumn, EngineError, Grouping, Mapping, Occupied, Question,
    RecodedColumn, Recoding, Relation, Repeats, TableName, Traffic,
};
use postgres_protocol::message::{backend::Message, frontend};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const DIALECT: Dialect = Dialect::POSTGRES;
/// Rows that are fetched at a time.
const FETCHED: usize = 8192;
/// Bytes of a mapping that are sent at a time.
const SENT: usize = 1 << 16;

const COUNTING: Doing<'_> =
    Doing { needs: "read these columns (SELECT)", place: "while rows were counted", table: "" };
const MAPPING: Doing<'_> = Doing {
    needs: "make temporary tables in this database (TEMPORARY)",
    place: "while mappings were uploaded",
    table: "",
};
const CREATING: Doing<'_> =
    Doing { needs: "make tables in this schema (CREATE)", place: "while the result was made", table: "" };

/// A column's name and its type, or what a type is called that cannot be carried.
type Described = (String, Result<Kind, String>);

/// A database, seen in one transaction.
pub struct Postgres {
    session: Arc<Mutex<Session>>,
}

struct Session {
    wire: Wire,
    /// Columns of the tables that were described.
    tables: HashMap<TableName, Vec<Described>>,
    cursors: u64,
    /// Whether the transaction is over.
    over: bool,
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
        let wire = login::connect(address)?;
        let mut session = Session { wire, tables: HashMap::new(), cursors: 0, over: false };
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ", &COUNTING)?;
        Ok(Postgres { session: Arc::new(Mutex::new(session)) })
    }

    fn session(&self) -> MutexGuard<'_, Session> {
        locked(&self.session)
    }
}

fn locked(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    // What a panic leaves behind is a connection that answers no more questions, not a wrong answer.
    session.lock().unwrap_or_else(PoisonError::into_inner)
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
        let table = match &question.from {
            Relation::Table(table) => table,
            Relation::Recoded(recoding) => &recoding.table,
        };
        let statement = format!("DECLARE {} BINARY NO SCROLL CURSOR FOR {query}", DIALECT.ident(&cursor));
        session.run(&statement, &Doing { table: &table.to_string(), ..COUNTING })?;
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
        session.copy_in(&statement::copy_in(DIALECT, name).to_string(), mapping)?;
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
        let tag = session.run(&statement, &Doing { table: &staged.to_string(), ..CREATING })?;
        let rows = tag.rsplit(' ').next().and_then(|rows| rows.parse().ok());
        rows.ok_or(EngineError::Garbled("(no number of rows)"))
    }

    fn publish(&self, staged: &TableName, target: &TableName, occupied: Occupied) -> Result<(), EngineError> {
        let mut session = self.session();
        let shown = target.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        if occupied == Occupied::Replace {
            session.run(&statement::drop(DIALECT, target).to_string(), &doing)?;
        }
        session.run(&statement::rename(DIALECT, staged, target).to_string(), &doing)?;
        session.over = true;
        match session.run("COMMIT", &doing) {
            Ok(tag) if tag == "COMMIT" => Ok(()),
            Ok(_) => Err(EngineError::Conflict),
            Err(EngineError::Lost) => Err(EngineError::OutcomeUnknown { table: shown }),
            Err(other) => Err(other),
        }
    }

    fn withdraw(&self, target: &TableName) -> Result<(), EngineError> {
        let shown = target.to_string();
        let statement = statement::drop(DIALECT, target).to_string();
        self.session().run(&statement, &Doing { table: &shown, ..CREATING }).map(drop)
    }

    fn traffic(&self) -> Traffic {
        self.session().wire.traffic()
    }
}

impl Session {
    /// Runs a statement that gives no rows, and tells its tag.
    fn run(&mut self, statement: &str, doing: &Doing<'_>) -> Result<String, EngineError> {
        let mut told = String::new();
        self.query(statement, doing, |message| {
            if let Message::CommandComplete(body) = message {
                told = body.tag().unwrap_or_default().to_owned();
            }
            Ok(())
        })?;
        Ok(told)
    }

    /// Runs a statement and shows what it answers.
    fn query(
        &mut self,
        statement: &str,
        doing: &Doing<'_>,
        visit: impl FnMut(Message) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let unsendable = |_| EngineError::Garbled("(a name cannot be sent)");
        frontend::query(statement, &mut self.wire.outgoing).map_err(unsendable)?;
        self.wire.send()?;
        self.answer(doing, visit)
    }

    /// Everything up to the point where the server is ready again. The first failure counts.
    fn answer(
        &mut self,
        doing: &Doing<'_>,
        mut visit: impl FnMut(Message) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        let mut failed = Ok(());
        loop {
            match self.wire.next() {
                Ok(Message::ReadyForQuery(_)) => return failed,
                Ok(Message::ErrorResponse(body)) => {
                    failed = failed.and(Err(failure::meaning(failure::code(&body), doing)));
                }
                Ok(message) => failed = failed.and_then(|()| visit(message)),
                // A server that ends says why, and is gone.
                Err(lost) => return failed.and(Err(lost)),
            }
        }
    }

    /// Names and types of a table. Only described: nobody needs a privilege for that.
    fn describe(&mut self, table: &TableName) -> Result<&[Described], EngineError> {
        if !self.tables.contains_key(table) {
            let columns = self.described(table)?;
            self.tables.insert(table.clone(), columns);
        }
        Ok(self.tables.get(table).map_or(&[], Vec::as_slice))
    }

    fn described(&mut self, table: &TableName) -> Result<Vec<Described>, EngineError> {
        let statement = statement::described(DIALECT, table).to_string();
        let out = &mut self.wire.outgoing;
        frontend::parse("", &statement, [], out)
            .and_then(|()| frontend::describe(b'S', "", out))
            .map_err(|_| EngineError::Garbled("(a name cannot be sent)"))?;
        frontend::sync(out);
        self.wire.send()?;
        let mut found: Vec<(String, u32)> = Vec::new();
        let shown = table.to_string();
        self.answer(&Doing { table: &shown, ..COUNTING }, |message| {
            if let Message::RowDescription(body) = message {
                let mut fields = body.fields();
                while let Some(field) = fields.next().map_err(|_| EngineError::Garbled("(columns)"))? {
                    found.push((field.name().to_owned(), field.type_oid()));
                }
            }
            Ok(())
        })?;
        let unknown: Vec<u32> =
            found.iter().map(|column| column.1).filter(|oid| Kind::of(*oid).is_none()).collect();
        let types = self.types(&unknown)?;
        let kind = |oid: u32| match (Kind::of(oid), types.get(&oid)) {
            (Some(kind), _) => Ok(kind),
            (None, Some((true, _))) => Ok(Kind::Enumeration),
            (None, Some((false, name))) => Err(name.clone()),
            (None, None) => Err("unknown".to_owned()),
        };
        Ok(found.into_iter().map(|(name, oid)| (name, kind(oid))).collect())
    }

    /// Whether types are enumerations, and what they are called.
    fn types(&mut self, oids: &[u32]) -> Result<HashMap<u32, (bool, String)>, EngineError> {
        let mut types = HashMap::new();
        if oids.is_empty() {
            return Ok(types);
        }
        let numbers: Vec<String> = oids.iter().map(u32::to_string).collect();
        let statement = format!(
            "SELECT oid, typtype, typname FROM pg_catalog.pg_type WHERE oid IN ({})",
            numbers.join(", ")
        );
        self.query(&statement, &COUNTING, |message| {
            if let Message::DataRow(row) = message {
                let cells = cells(&row)?;
                let cell = |at: usize| {
                    let bytes = cells.get(at).copied().flatten().unwrap_or_default();
                    String::from_utf8_lossy(bytes).into_owned()
                };
                if let Ok(oid) = cell(0).parse() {
                    types.insert(oid, (cell(1) == "e", cell(2)));
                }
            }
            Ok(())
        })?;
        Ok(types)
    }

    fn has_collation(&self, table: &TableName, column: &str) -> bool {
        let columns = self.tables.get(table).into_iter().flatten();
        let kind = columns.into_iter().find(|(name, _)| name == column).map(|(_, kind)| kind);
        matches!(kind, Some(Ok(kind)) if kind.has_collation())
    }

    /// The statement of a question, and what its columns are.
    fn statement(&mut self, question: &Question) -> Result<(Vec<(String, Kind)>, String), EngineError> {
        let table = match &question.from {
            Relation::Table(table) => table.clone(),
            Relation::Recoded(recoding) => recoding.table.clone(),
        };
        self.describe(&table)?;
        let known = self.tables.get(&table).map_or(&[][..], Vec::as_slice);
        let of_table = |column: &str| match known.iter().find(|(name, _)| name == column) {
            Some((_, Ok(kind))) => Ok(*kind),
            Some((_, Err(kind))) => Err(EngineError::Type { column: column.to_owned(), kind: kind.clone() }),
            None => Err(EngineError::NoColumn { column: column.to_owned() }),
        };
        let kind = |column: &String| match &question.from {
            Relation::Table(_) => of_table(column),
            Relation::Recoded(recoding) => {
                match recoding.columns.iter().find(|known| known.name() == column) {
                    Some(RecodedColumn::Label { .. }) => Ok(Kind::Text),
                    Some(RecodedColumn::AsItIs { name }) => of_table(name),
                    None => Err(EngineError::NoColumn { column: column.clone() }),
                }
            }
        };
        let mut kinds = Vec::new();
        for column in &question.columns {
            kinds.push((column.clone(), kind(column)?));
        }
        if question.grouping == Grouping::Counted {
            kinds.push(("count".to_owned(), Kind::Int64));
        }
        let is_text = |column: &str| self.has_collation(&table, column);
        let statement = statement::question(DIALECT, question, &is_text).to_string();
        Ok((kinds, statement))
    }

    /// Sends the lines of a mapping.
    fn copy_in(&mut self, statement: &str, mapping: &Mapping) -> Result<(), EngineError> {
        let unsendable = |_| EngineError::Garbled("(a mapping cannot be sent)");
        frontend::query(statement, &mut self.wire.outgoing).map_err(unsendable)?;
        self.wire.send()?;
        match self.wire.next()? {
            Message::CopyInResponse(_) => {}
            Message::ErrorResponse(body) => {
                let failed = failure::meaning(failure::code(&body), &MAPPING);
                self.answer(&MAPPING, |_| Ok(()))?;
                return Err(failed);
            }
            _ => return Err(EngineError::Garbled("(no copying)")),
        }
        let mut lines = Vec::with_capacity(2 * SENT);
        let line = |bytes: &mut Vec<u8>, wire: &mut Wire, last: bool| -> Result<(), EngineError> {
            if bytes.len() >= SENT || (last && !bytes.is_empty()) {
                let data = frontend::CopyData::new(bytes.as_slice()).map_err(unsendable)?;
                data.write(&mut wire.outgoing);
                bytes.clear();
                wire.send()?;
            }
            Ok(())
        };
        match mapping {
            Mapping::Values { lines: values, .. } => {
                for value in values {
                    field(value.value.as_deref(), &mut lines);
                    lines.extend_from_slice(format!("\t{}\t", value.code).as_bytes());
                    field(value.label.as_deref(), &mut lines);
                    lines.push(b'\n');
                    line(&mut lines, &mut self.wire, false)?;
                }
            }
            Mapping::Codes { width, codes, labels, .. } => {
                for (at, codes) in codes.chunks((*width).max(1)).enumerate() {
                    let numbers: Vec<String> = codes.iter().map(u32::to_string).collect();
                    lines.extend_from_slice(numbers.join("\t").as_bytes());
                    for label in labels.iter().skip(at * width).take(*width) {
                        lines.push(b'\t');
                        field(label.as_deref(), &mut lines);
                    }
                    lines.push(b'\n');
                    line(&mut lines, &mut self.wire, false)?;
                }
            }
        }
        line(&mut lines, &mut self.wire, true)?;
        frontend::copy_done(&mut self.wire.outgoing);
        self.wire.send()?;
        self.answer(&MAPPING, |_| Ok(()))
    }
}

/// A cell in COPY's text format.
fn field(cell: Option<&str>, out: &mut Vec<u8>) {
    let Some(cell) = cell else { return out.extend_from_slice(b"\\N") };
    for byte in cell.bytes() {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            byte => out.push(byte),
        }
    }
}

type Cells<'a> = Vec<Option<&'a [u8]>>;

fn cells(row: &postgres_protocol::message::backend::DataRowBody) -> Result<Cells<'_>, EngineError> {
    let mut ranges = row.ranges();
    let mut cells = Vec::new();
    while let Some(range) = ranges.next().map_err(|_| EngineError::Garbled("(a row)"))? {
        cells.push(range.and_then(|range| row.buffer().get(range)));
    }
    Ok(cells)
}

/// The server ends the transaction when the connection ends; saying so spares it the wait.
impl Drop for Session {
    fn drop(&mut self) {
        frontend::terminate(&mut self.wire.outgoing);
        let _ = self.wire.send();
    }
}

/// An answer that is fetched piece by piece.
struct Cursor {
    session: Arc<Mutex<Session>>,
    cursor: String,
    kinds: Vec<(String, Kind)>,
    schema: SchemaRef,
    ended: bool,
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
