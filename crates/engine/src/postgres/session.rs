//! One transaction: what is sent in it, and what comes back.

use super::cells::Kind;
use super::copy::Lines;
use super::failure::{self, Doing};
use super::login;
use super::wire::Wire;
use crate::statement::{self, Dialect};
use fallible_iterator::FallibleIterator;
use paravent_tables::engine::{
    Address, EngineError, Grouping, MARK, Question, RecodedColumn, Relation, TableName,
};
use postgres_protocol::message::{backend::Message, frontend};
use std::collections::HashMap;
use std::time::Duration;

pub(super) const DIALECT: Dialect = Dialect::POSTGRES;
/// Bytes that are sent at a time.
const SENT: usize = 1 << 16;
/// How long a statement that must not be left half done may go on after a stop was requested.
const GRACE: Duration = Duration::from_secs(30);

pub(super) const COUNTING: Doing<'_> =
    Doing { needs: "read these columns (SELECT)", place: "while rows were counted", table: "" };
pub(super) const MAPPING: Doing<'_> = Doing {
    needs: "make temporary tables in this database (TEMPORARY)",
    place: "while mappings were uploaded",
    table: "",
};
pub(super) const CREATING: Doing<'_> =
    Doing { needs: "make tables in this schema (CREATE)", place: "while the result was made", table: "" };

/// A column's name and its type, or what a type is called that cannot be carried.
pub(super) type Described = (String, Result<Kind, String>);

/// A column: its name, and the numbers of its type and of its table in the catalogue.
struct Field {
    name: String,
    kind: u32,
    table: u32,
}

/// A connection in its transaction.
pub(super) struct Session {
    pub(super) wire: Wire,
    /// Columns of the tables that were described.
    tables: HashMap<TableName, Vec<Described>>,
    pub(super) cursors: u64,
}

impl Session {
    /// Logs in and begins the transaction.
    pub(super) fn open(address: &Address) -> Result<Session, EngineError> {
        let wire = login::connect(address)?;
        let mut session = Session { wire, tables: HashMap::new(), cursors: 0 };
        session.run("BEGIN ISOLATION LEVEL REPEATABLE READ", &COUNTING)?;
        // Dates become text in one way. Said here and not at the login, where it would also change whether 01/02 is read as a day in January.
        session.run("SET LOCAL DateStyle = 'ISO'", &COUNTING)?;
        Ok(session)
    }

    /// Runs a statement that gives no rows, and tells its tag.
    pub(super) fn run(&mut self, statement: &str, doing: &Doing<'_>) -> Result<String, EngineError> {
        let mut told = String::new();
        self.query(statement, doing, |message| {
            if let Message::CommandComplete(body) = message {
                told = body.tag().unwrap_or_default().to_owned();
            }
            Ok(())
        })?;
        Ok(told)
    }

    /// The same for a statement that must not be left half done: whoever asks to stop is let wait a while.
    pub(super) fn run_to_its_end(
        &mut self,
        statement: &str,
        doing: &Doing<'_>,
    ) -> Result<String, EngineError> {
        self.wire.grace = GRACE;
        let ran = self.run(statement, doing);
        self.wire.grace = Duration::ZERO;
        ran
    }

    /// Runs a statement and shows what it answers.
    pub(super) fn query(
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
    pub(super) fn describe(&mut self, table: &TableName) -> Result<&[Described], EngineError> {
        if !self.tables.contains_key(table) {
            let columns = self.described(table)?;
            self.tables.insert(table.clone(), columns);
        }
        Ok(self.tables.get(table).map_or(&[], Vec::as_slice))
    }

    pub(super) fn described(&mut self, table: &TableName) -> Result<Vec<Described>, EngineError> {
        let found = self.fields(table)?;
        let unknown: Vec<u32> =
            found.iter().map(|field| field.kind).filter(|oid| Kind::of(*oid).is_none()).collect();
        let types = self.types(&unknown)?;
        let kind = |oid: u32| match (Kind::of(oid), types.get(&oid)) {
            (Some(kind), _) => Ok(kind),
            (None, Some((true, _))) => Ok(Kind::Enumeration),
            (None, Some((false, name))) => Err(name.clone()),
            (None, None) => Err("unknown".to_owned()),
        };
        Ok(found.into_iter().map(|field| (field.name, kind(field.kind))).collect())
    }

    /// Whether a table has the mark of those that are made here.
    pub(super) fn is_ours(&mut self, table: &TableName) -> Result<bool, EngineError> {
        let Some(number) = self.fields(table)?.first().map(|field| field.table) else { return Ok(false) };
        let question = format!("SELECT pg_catalog.obj_description({number}, 'pg_class') = '{MARK}'");
        let mut is_ours = false;
        self.query(&question, &Doing { table: &table.to_string(), ..COUNTING }, |message| {
            if let Message::DataRow(row) = message {
                is_ours = cells(&row)?.first().is_some_and(|cell| *cell == Some(b"t"));
            }
            Ok(())
        })?;
        Ok(is_ours)
    }

    /// The columns of a table as the server describes them.
    fn fields(&mut self, table: &TableName) -> Result<Vec<Field>, EngineError> {
        let statement = statement::described(DIALECT, table).to_string();
        let out = &mut self.wire.outgoing;
        frontend::parse("", &statement, [], out)
            .and_then(|()| frontend::describe(b'S', "", out))
            .map_err(|_| EngineError::Garbled("(a name cannot be sent)"))?;
        frontend::sync(out);
        self.wire.send()?;
        let mut found: Vec<Field> = Vec::new();
        let shown = table.to_string();
        self.answer(&Doing { table: &shown, ..COUNTING }, |message| {
            if let Message::RowDescription(body) = message {
                let mut fields = body.fields();
                while let Some(field) = fields.next().map_err(|_| EngineError::Garbled("(columns)"))? {
                    let name = field.name().to_owned();
                    found.push(Field { name, kind: field.type_oid(), table: field.table_oid() });
                }
            }
            Ok(())
        })?;
        Ok(found)
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

    pub(super) fn has_collation(&self, table: &TableName, column: &str) -> bool {
        let columns = self.tables.get(table).into_iter().flatten();
        let kind = columns.into_iter().find(|(name, _)| name == column).map(|(_, kind)| kind);
        matches!(kind, Some(Ok(kind)) if kind.has_collation())
    }

    /// The statement of a question, and what its columns are.
    pub(super) fn statement(
        &mut self,
        question: &Question,
    ) -> Result<(Vec<(String, Kind)>, String), EngineError> {
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

    /// Runs a COPY … FROM STDIN and sends its lines.
    pub(super) fn copy_in(
        &mut self,
        statement: &str,
        doing: &Doing<'_>,
        next: &mut Lines<'_>,
    ) -> Result<(), EngineError> {
        let unsendable = |_| EngineError::Garbled("(rows cannot be sent)");
        frontend::query(statement, &mut self.wire.outgoing).map_err(unsendable)?;
        self.wire.send()?;
        match self.wire.next()? {
            Message::CopyInResponse(_) => {}
            Message::ErrorResponse(body) => {
                let failed = failure::meaning(failure::code(&body), doing);
                self.answer(doing, |_| Ok(()))?;
                return Err(failed);
            }
            _ => return Err(EngineError::Garbled("(no copying)")),
        }
        let mut bytes = Vec::with_capacity(2 * SENT);
        loop {
            let more = next(&mut bytes);
            if bytes.len() >= SENT || (!more && !bytes.is_empty()) {
                let data = frontend::CopyData::new(bytes.as_slice()).map_err(unsendable)?;
                data.write(&mut self.wire.outgoing);
                bytes.clear();
                self.wire.send()?;
            }
            if !more {
                break;
            }
        }
        frontend::copy_done(&mut self.wire.outgoing);
        self.wire.send()?;
        self.answer(doing, |_| Ok(()))
    }
}

/// The number in `SELECT 17`.
pub(super) fn rows_of(tag: &str) -> Result<u64, EngineError> {
    let rows = tag.rsplit(' ').next().and_then(|rows| rows.parse().ok());
    rows.ok_or(EngineError::Garbled("(no number of rows)"))
}

pub(super) type Cells<'a> = Vec<Option<&'a [u8]>>;

pub(super) fn cells(
    row: &postgres_protocol::message::backend::DataRowBody,
) -> Result<Cells<'_>, EngineError> {
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
