//! One session: questions, mappings, and a table that gets its name at the end.
//!
//! There is no transaction: a table that was made and not published is dropped when the session ends.

use super::failure::{self, Doing};
use super::messages as m;
use super::wire::{Failed, Wire};
use super::{login, mapping};
use crate::statement::{self, Dialect};
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use arrow::ipc::reader::StreamReader;
use paravent_tables::engine::{
    Address, Answer, EmptyCells, Engine, EngineColumn, EngineError, Mapping, Occupied, Question, Recoding,
    Repeats, TableName, Traffic,
};
use paravent_tables::read::is_supported;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tonic::{Code, Streaming};

const EXECUTE: &str = "/spark.connect.SparkConnectService/ExecutePlan";
const ANALYZE: &str = "/spark.connect.SparkConnectService/AnalyzePlan";
const REATTACH: &str = "/spark.connect.SparkConnectService/ReattachExecute";
const RELEASE: &str = "/spark.connect.SparkConnectService/ReleaseExecute";
const RELEASE_SESSION: &str = "/spark.connect.SparkConnectService/ReleaseSession";

/// How often an answer that broke off is taken up again, without a row in between.
const ATTEMPTS: u32 = 5;

const COUNTING: Doing<'_> =
    Doing { needs: "read these columns (SELECT)", place: "while rows were counted", table: "" };
const MAPPING: Doing<'_> =
    Doing { needs: "make temporary views", place: "while mappings were uploaded", table: "" };
const CREATING: Doing<'_> =
    Doing { needs: "make tables in this schema (CREATE)", place: "while the result was made", table: "" };

/// Spark, or another server that speaks Spark Connect.
pub struct Spark {
    session: Arc<Session>,
}

struct Session {
    wire: Wire,
    id: String,
    user: m::UserContext,
    dialect: Dialect,
    tables: Mutex<HashMap<TableName, Vec<EngineColumn>>>,
    /// Tables that were made and have no name of their own yet.
    staged: Mutex<Vec<TableName>>,
}

/// Cells and credentials stay out of logs.
impl fmt::Debug for Spark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spark(..)")
    }
}

impl Spark {
    /// Connects and begins a session.
    pub fn connect(address: &Address) -> Result<Spark, EngineError> {
        let login = login::connect(address)?;
        let session = Session {
            wire: login.wire,
            id: random_id()?,
            user: m::UserContext { user_id: login.user.clone(), user_name: login.user },
            dialect: Dialect { version: login.version, ..Dialect::SPARK },
            tables: Mutex::default(),
            staged: Mutex::default(),
        };
        Ok(Spark { session: Arc::new(session) })
    }
}

fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine for Spark {
    fn columns(&self, table: &TableName) -> Result<Vec<EngineColumn>, EngineError> {
        self.session.columns(table)
    }

    fn ask(&self, question: &Question) -> Result<Box<dyn Answer>, EngineError> {
        let query = statement::question(self.session.dialect, question, &|_: &str| false).to_string();
        Ok(Box::new(self.session.query(query, &question.from.table().to_string())?))
    }

    fn repeats(
        &self,
        table: &TableName,
        columns: &[String],
        empty: EmptyCells,
    ) -> Result<Repeats, EngineError> {
        let query = statement::repeats(self.session.dialect, table, columns, empty, &|_: &str| false);
        let numbers = self.session.numbers(query.to_string(), &table.to_string(), 4)?;
        match numbers.as_slice() {
            [rows, values, most, once] => {
                Ok(Repeats { rows: *rows, values: *values, most: *most, once: *once })
            }
            _ => Err(EngineError::Garbled("(no numbers)")),
        }
    }

    fn upload(&self, mapping: &Mapping) -> Result<(), EngineError> {
        let (name, kind) = match mapping {
            Mapping::Values { name, of: (table, column), .. } => {
                let columns = self.session.columns(table)?;
                let column = columns.into_iter().find(|known| known.name == *column);
                let kind = column.and_then(|column| column.kind.ok()).ok_or(EngineError::Changed)?;
                (name, kind)
            }
            Mapping::Codes { name, .. } => (name, DataType::Null),
        };
        let pieces = mapping::pieces(mapping, &kind)?;
        if let [only] = pieces.as_slice() {
            return self.session.view(name, only.clone());
        }
        let mut names = Vec::new();
        for (number, piece) in pieces.into_iter().enumerate() {
            names.push(format!("{name}_piece_{number}"));
            self.session.view(&names[number], piece)?;
        }
        let whole = statement::view_of_all(self.session.dialect, name, &names);
        self.session.run(whole.to_string(), &MAPPING)
    }

    fn create(&self, staged: &TableName, recoding: &Recoding) -> Result<u64, EngineError> {
        let shown = staged.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        let dialect = self.session.dialect;
        let statement = statement::create(dialect, staged, recoding, &|_: &str| false).to_string();
        // Whatever becomes of it: what is half made is dropped as well.
        locked(&self.session.staged).push(staged.clone());
        self.session.run(statement, &doing)?;
        let count = statement::number_of_rows(Dialect::SPARK, staged).to_string();
        let rows = self.session.numbers(count, &shown, 1)?;
        rows.first().copied().ok_or(EngineError::Garbled("(no number of rows)"))
    }

    fn publish(&self, staged: &TableName, target: &TableName, occupied: Occupied) -> Result<(), EngineError> {
        let shown = target.to_string();
        let doing = Doing { table: &shown, ..CREATING };
        match (occupied, self.session.described(target)) {
            (Occupied::Refuse, Ok(_)) => return Err(EngineError::Occupied { table: shown }),
            (Occupied::Replace, Ok(_)) => {
                self.session.run(statement::drop(Dialect::SPARK, target).to_string(), &doing)?;
            }
            (_, Err(EngineError::NoTable { .. })) => {}
            (_, Err(other)) => return Err(other),
        }
        let renamed = self.session.run(statement::rename(Dialect::SPARK, staged, target).to_string(), &doing);
        match renamed {
            Ok(()) => {}
            Err(EngineError::Lost) => return Err(EngineError::OutcomeUnknown { table: shown }),
            // Not every catalogue can rename.
            Err(EngineError::Failed { .. }) => {
                let copy = statement::copy(Dialect::SPARK, staged, target).to_string();
                self.session.run(copy, &doing)?;
                return Ok(());
            }
            Err(other) => return Err(other),
        }
        locked(&self.session.staged).retain(|known| known != staged);
        Ok(())
    }

    fn withdraw(&self, target: &TableName) -> Result<(), EngineError> {
        let shown = target.to_string();
        let statement = statement::drop(Dialect::SPARK, target).to_string();
        self.session.run(statement, &Doing { table: &shown, ..CREATING })
    }

    fn state(&self, table: &TableName) -> Result<Vec<String>, EngineError> {
        let query = statement::described(self.session.dialect, table).to_string();
        let request = m::AnalyzePlanRequest {
            input_files: Some(m::OfPlan { plan: Some(rows_of(query)) }),
            ..self.session.analyze()
        };
        match self.session.wire.unary::<_, m::AnalyzePlanResponse>(ANALYZE, request) {
            Ok(answer) => {
                let mut files = answer.input_files.unwrap_or_default().files;
                files.sort();
                Ok(files)
            }
            // A server need not know the files of a table.
            Err(Failed::Status(status)) if !matches!(status.code(), Code::Unavailable | Code::Unauthenticated) => {
                Ok(Vec::new())
            }
            Err(failed) => Err(told(failed, &Doing { table: &table.to_string(), ..COUNTING })),
        }
    }

    fn traffic(&self) -> Traffic {
        self.session.wire.traffic()
    }
}

impl Session {
    fn columns(self: &Arc<Self>, table: &TableName) -> Result<Vec<EngineColumn>, EngineError> {
        if let Some(known) = locked(&self.tables).get(table) {
            return Ok(known.clone());
        }
        let columns = self.described(table)?;
        locked(&self.tables).insert(table.clone(), columns.clone());
        Ok(columns)
    }

    /// Names and types as an empty answer has them.
    fn described(self: &Arc<Self>, table: &TableName) -> Result<Vec<EngineColumn>, EngineError> {
        let query = statement::no_rows(self.dialect, table).to_string();
        let mut answer = self.query(query, &table.to_string())?;
        while answer.next()?.is_some() {}
        let schema = answer.schema.ok_or(EngineError::Garbled("(no columns)"))?;
        let collations = self.collations(table);
        let column = |field: &arrow::datatypes::FieldRef| {
            let kind = match collations.get(field.name()) {
                Some(collation) => Err(format!("STRING COLLATE {collation}")),
                None if is_supported(field.data_type()) => Ok(field.data_type().clone()),
                None => Err(field.data_type().to_string()),
            };
            EngineColumn { name: field.name().clone(), kind }
        };
        Ok(schema.fields().iter().map(column).collect())
    }

    /// Columns whose texts are not compared byte by byte; a server that knows no collations tells none.
    fn collations(&self, table: &TableName) -> HashMap<String, String> {
        let query = statement::described(self.dialect, table).to_string();
        let request = m::AnalyzePlanRequest {
            schema: Some(m::OfPlan { plan: Some(rows_of(query)) }),
            ..self.analyze()
        };
        let Ok(answer) = self.wire.unary::<_, m::AnalyzePlanResponse>(ANALYZE, request) else {
            return HashMap::new();
        };
        let structure = answer.schema.and_then(|schema| schema.schema).and_then(|schema| schema.structure);
        let fields = structure.map(|structure| structure.fields).unwrap_or_default().into_iter();
        let collation = |field: m::StructureField| {
            let collation = field.data_type?.string?.collation;
            let is_bytewise = collation.is_empty() || collation == "UTF8_BINARY";
            (!is_bytewise).then_some((field.name, collation))
        };
        fields.filter_map(collation).collect()
    }

    fn analyze(&self) -> m::AnalyzePlanRequest {
        m::AnalyzePlanRequest {
            session_id: self.id.clone(),
            user_context: Some(self.user.clone()),
            client_type: client(),
            ..Default::default()
        }
    }

    /// Runs a statement that gives no rows.
    fn run(self: &Arc<Self>, statement: String, doing: &Doing<'_>) -> Result<(), EngineError> {
        let sql = m::Relation { sql: Some(m::Sql { query: statement.clone() }), ..Default::default() };
        let command = m::SqlCommand { sql: statement, input: Some(sql) };
        self.command(m::Command { sql_command: Some(command), ..Default::default() }, doing)
    }

    /// Puts rows into a view that only this session sees.
    fn view(self: &Arc<Self>, name: &str, data: Vec<u8>) -> Result<(), EngineError> {
        let local = m::LocalRelation { data: Some(data) };
        let view = m::CreateDataFrameView {
            input: Some(m::Relation { local_relation: Some(local), ..Default::default() }),
            name: name.to_owned(),
            is_global: false,
            replace: true,
        };
        self.command(m::Command { create_dataframe_view: Some(view), ..Default::default() }, &MAPPING)
    }

    fn command(self: &Arc<Self>, command: m::Command, doing: &Doing<'_>) -> Result<(), EngineError> {
        let plan = m::Plan { command: Some(command), ..Default::default() };
        let mut answer = self.execute(plan, doing)?;
        while answer.next()?.is_some() {}
        Ok(())
    }

    fn query(self: &Arc<Self>, query: String, table: &str) -> Result<Rows, EngineError> {
        self.execute(rows_of(query), &Doing { table, ..COUNTING })
    }

    /// The first row of an answer, as whole numbers.
    fn numbers(
        self: &Arc<Self>,
        query: String,
        table: &str,
        width: usize,
    ) -> Result<Vec<u64>, EngineError> {
        let garbled = || EngineError::Garbled("(no numbers)");
        let mut answer = self.query(query, table)?;
        let mut numbers = Vec::new();
        while let Some(batch) = answer.next()? {
            if batch.num_rows() == 0 || !numbers.is_empty() {
                continue;
            }
            for column in batch.columns() {
                let column = cast(column, &DataType::Int64).map_err(|_| garbled())?;
                let column = column.as_primitive::<Int64Type>();
                // The sum of no rows is nothing.
                let number = if column.is_null(0) { 0 } else { column.value(0) };
                numbers.push(u64::try_from(number).map_err(|_| garbled())?);
            }
        }
        if numbers.len() == width { Ok(numbers) } else { Err(garbled()) }
    }

    fn execute(self: &Arc<Self>, plan: m::Plan, doing: &Doing<'_>) -> Result<Rows, EngineError> {
        let operation = random_id()?;
        let reattach = m::ReattachOptions { reattachable: true };
        let request = m::ExecutePlanRequest {
            session_id: self.id.clone(),
            user_context: Some(self.user.clone()),
            plan: Some(plan),
            client_type: client(),
            request_options: vec![m::RequestOption { reattach_options: Some(reattach) }],
            operation_id: Some(operation.clone()),
        };
        let answers = self.wire.streaming(EXECUTE, request).map_err(|failed| told(failed, doing))?;
        Ok(Rows {
            session: self.clone(),
            answers,
            operation,
            last: None,
            is_complete: false,
            attempts: 0,
            ready: VecDeque::new(),
            schema: None,
            table: doing.table.to_owned(),
            doing: Doing { table: "", ..*doing },
        })
    }
}

/// Drops what was made and not published, and ends the session.
impl Drop for Session {
    fn drop(&mut self) {
        let staged = std::mem::take(&mut *locked(&self.staged));
        for table in staged {
            let statement = statement::drop(Dialect::SPARK, &table).to_string();
            let sql = m::Relation { sql: Some(m::Sql { query: statement.clone() }), ..Default::default() };
            let command = m::SqlCommand { sql: statement, input: Some(sql) };
            let command = m::Command { sql_command: Some(command), ..Default::default() };
            let request = m::ExecutePlanRequest {
                session_id: self.id.clone(),
                user_context: Some(self.user.clone()),
                plan: Some(m::Plan { command: Some(command), ..Default::default() }),
                client_type: client(),
                ..Default::default()
            };
            self.wire.to_the_end(EXECUTE, request);
        }
        let request = m::ReleaseSessionRequest {
            session_id: self.id.clone(),
            user_context: Some(self.user.clone()),
            client_type: client(),
        };
        let _ = self.wire.unary::<_, m::Released>(RELEASE_SESSION, request);
    }
}

/// Rows on their way. An answer that breaks off is taken up where it did.
struct Rows {
    session: Arc<Session>,
    answers: Streaming<m::ExecutePlanResponse>,
    operation: String,
    /// The last answer that arrived.
    last: Option<String>,
    is_complete: bool,
    attempts: u32,
    ready: VecDeque<RecordBatch>,
    schema: Option<arrow::datatypes::SchemaRef>,
    table: String,
    doing: Doing<'static>,
}

impl Rows {
    fn take_up_again(&mut self) -> Result<(), EngineError> {
        self.attempts += 1;
        if self.attempts > ATTEMPTS {
            return Err(EngineError::Lost);
        }
        let request = m::ReattachExecuteRequest {
            session_id: self.session.id.clone(),
            user_context: Some(self.session.user.clone()),
            operation_id: self.operation.clone(),
            client_type: client(),
            last_response_id: self.last.clone(),
        };
        let answers = self.session.wire.streaming(REATTACH, request);
        self.answers = answers.map_err(|failed| told(failed, &self.doing()))?;
        Ok(())
    }

    fn doing(&self) -> Doing<'_> {
        Doing { table: &self.table, ..self.doing }
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        let garbled = |_| EngineError::Garbled("(rows)");
        let reader = StreamReader::try_new(bytes, None).map_err(garbled)?;
        self.schema = Some(reader.schema());
        for batch in reader {
            self.ready.push_back(batch.map_err(garbled)?);
        }
        Ok(())
    }
}

impl Answer for Rows {
    fn next(&mut self) -> Result<Option<RecordBatch>, EngineError> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            if self.is_complete {
                return Ok(None);
            }
            match self.session.wire.next(&mut self.answers) {
                Ok(Some(answer)) => {
                    self.attempts = 0;
                    self.last = Some(answer.response_id).filter(|id| !id.is_empty()).or(self.last.take());
                    self.is_complete |= answer.result_complete.is_some();
                    if let Some(batch) = answer.arrow_batch {
                        self.keep(&batch.data)?;
                    }
                }
                Ok(None) => self.take_up_again()?,
                Err(Failed::Status(status)) if status.code() == Code::Unavailable => self.take_up_again()?,
                Err(failed) => return Err(told(failed, &self.doing())),
            }
        }
    }
}

/// The server may forget the answer.
impl Drop for Rows {
    fn drop(&mut self) {
        let request = m::ReleaseExecuteRequest {
            session_id: self.session.id.clone(),
            user_context: Some(self.session.user.clone()),
            operation_id: std::mem::take(&mut self.operation),
            client_type: client(),
            release_all: Some(m::ReleaseAll {}),
        };
        let _ = self.session.wire.unary::<_, m::Released>(RELEASE, request);
    }
}

fn rows_of(query: String) -> m::Plan {
    let sql = m::Relation { sql: Some(m::Sql { query }), ..Default::default() };
    m::Plan { root: Some(sql), ..Default::default() }
}

fn client() -> Option<String> {
    Some(concat!("paravent/", env!("CARGO_PKG_VERSION")).to_owned())
}

fn told(failed: Failed, doing: &Doing<'_>) -> EngineError {
    match failed {
        Failed::Stopped => EngineError::Stopped,
        Failed::Status(status) => failure::meaning(&status, doing),
    }
}

/// A random UUID, as servers want their names.
fn random_id() -> Result<String, EngineError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| EngineError::Garbled("(no randomness)"))?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(parts.join("-"))
}
