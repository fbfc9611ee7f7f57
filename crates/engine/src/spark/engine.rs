//! The engine: what is asked of all of them, in one session.

use super::columns::Columns;
use super::execution::Execution;
use super::failure::{self, Doing};
use super::mapping;
use super::publication::{Former, Naming, Publication};
use super::rows::Rows;
use super::session::{Attention, DIALECT, GRACE, Session, sql, unique};
use super::snapshot::Snapshot;
use crate::statement::{self, Texts};
use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Int64Type};
use paravent_tables::engine::{
    Address, Answer, EmptyCells, Engine, EngineColumn, EngineError, Grouping, MARK, Mapping, Occupied,
    Question, RecodedColumn, Recoding, Relation, Repeats, TableName, Traffic,
};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A server of Spark Connect, seen in one session.
pub struct Spark {
    session: Arc<Session>,
    tables: Mutex<HashMap<TableName, Arc<Table>>>,
}

/// Cells and credentials stay out of logs.
impl fmt::Debug for Spark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spark(..)")
    }
}

/// A table that was asked about.
pub(super) struct Table {
    columns: Vec<EngineColumn>,
    /// Its state, from the first question about its rows.
    snapshot: OnceLock<Snapshot>,
}

impl Table {
    fn kind(&self, column: &str) -> Result<DataType, EngineError> {
        let found = self.columns.iter().find(|known| known.name == column);
        let found = found.ok_or_else(|| EngineError::NoColumn { column: column.to_owned() })?;
        found.kind.clone().map_err(|kind| EngineError::Type { column: column.to_owned(), kind })
    }

    fn look(&self, session: &Session, name: &TableName) -> Result<(), EngineError> {
        if self.snapshot.get().is_none() {
            let taken = Snapshot::take(session, name)?;
            self.snapshot.get_or_init(|| taken);
        }
        Ok(())
    }

    /// Whether the table is still what it was.
    pub(super) fn check(&self, session: &Session, name: &TableName) -> Result<(), EngineError> {
        match self.snapshot.get() {
            Some(snapshot) => snapshot.check(session, name),
            None => Ok(()),
        }
    }
}

impl Texts for Table {
    /// Columns with a collation of their own are not carried, so texts are compared as they are.
    fn is_text(&self, _: &str) -> bool {
        false
    }

    fn version(&self) -> Option<u64> {
        self.snapshot.get().and_then(Snapshot::version)
    }
}

impl Spark {
    /// Opens a session.
    pub fn connect(address: &Address) -> Result<Spark, EngineError> {
        Ok(Spark { session: Arc::new(Session::open(address)?), tables: Mutex::default() })
    }

    fn table(&self, name: &TableName) -> Result<Arc<Table>, EngineError> {
        let known = self.tables.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(table) = known {
            return Ok(table);
        }
        let schema = self.session.schema(name)?;
        let fields = schema.schema.as_ref().map_or(&[][..], |schema| schema.fields());
        // A path without files is a table without columns to some servers.
        if fields.is_empty() {
            return Err(EngineError::NoTable { table: name.to_string() });
        }
        let column = |field: &super::types::Field| EngineColumn {
            name: field.name.clone(),
            kind: field.kind.as_ref().map_or_else(|| Err("unknown".to_owned()), |kind| kind.carried()),
        };
        let table =
            Arc::new(Table { columns: fields.iter().map(column).collect(), snapshot: OnceLock::new() });
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), table.clone());
        Ok(table)
    }

    fn forget(&self, name: &TableName) {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// The table, at its state from now on.
    fn held(&self, name: &TableName) -> Result<Arc<Table>, EngineError> {
        let table = self.table(name)?;
        table.look(&self.session, name)?;
        Ok(table)
    }

    /// A statement that must not be left half done.
    fn command_to_its_end(&self, statement: String, table: &TableName) -> Result<(), EngineError> {
        let ran = self.session.command(statement, Attention::After(GRACE))?;
        ran.map_err(|status| self.session.failed(&status, Doing::Creating, table))
    }

    /// A table gets its name at the end, by a statement that not every server knows. Asked about a table that is not there, it changes nothing.
    fn refuse_without_renaming(&self, staged: &TableName) -> Result<(), EngineError> {
        let nothing = staged.beside(&format!("{}_none", staged.table()));
        let statement = statement::rename(DIALECT, &nothing, staged).to_string();
        let renamed = self.session.command(statement, Attention::Always)?;
        match renamed {
            Err(status) if failure::is_unsupported(&status) => Err(EngineError::Unable {
                what: "give a table its name, so no table is made there (leave table out of [output] to get files)",
            }),
            _ => Ok(()),
        }
    }

    fn numbers(&self, query: String, table: &TableName, width: usize) -> Result<Vec<u64>, EngineError> {
        let columns = Columns::new((0..width).map(|at| (format!("n{at}"), DataType::Int64)));
        let told = self.session.collect(sql(query))?;
        let parts = told.map_err(|status| self.session.failed(&status, Doing::Counting, table))?;
        let batches = columns.decode(&parts)?;
        let garbled = || EngineError::Garbled("(no number)");
        let batch = batches.first().ok_or_else(garbled)?;
        let number = |at: usize| {
            let column = batch.column(at).as_primitive::<Int64Type>();
            // A sum over nothing is missing.
            if column.is_null(0) { Ok(0) } else { u64::try_from(column.value(0)).map_err(|_| garbled()) }
        };
        (0..width).map(number).collect()
    }
}

impl Naming for Spark {
    fn rename(&self, from: &TableName, to: &TableName) -> Result<(), EngineError> {
        self.forget(from);
        self.forget(to);
        self.command_to_its_end(statement::rename(DIALECT, from, to).to_string(), to)
    }

    fn drop_table(&self, table: &TableName) -> Result<(), EngineError> {
        self.forget(table);
        self.command_to_its_end(statement::drop(DIALECT, table).to_string(), table)
    }
}

impl Engine for Spark {
    fn columns(&self, table: &TableName) -> Result<Vec<EngineColumn>, EngineError> {
        Ok(self.table(table)?.columns.clone())
    }

    fn ask(&self, question: &Question) -> Result<Box<dyn Answer>, EngineError> {
        let name = question.from.table().clone();
        let table = self.held(&name)?;
        let mut kinds = Vec::new();
        for column in &question.columns {
            let kind = match &question.from {
                Relation::Table(_) => table.kind(column)?,
                Relation::Recoded(recoding) => {
                    match recoding.columns.iter().find(|known| known.name() == column) {
                        Some(RecodedColumn::Label { .. }) => DataType::Utf8,
                        Some(RecodedColumn::AsItIs { name }) => table.kind(name)?,
                        None => return Err(EngineError::NoColumn { column: column.clone() }),
                    }
                }
            };
            kinds.push((column.clone(), kind));
        }
        if question.grouping == Grouping::Counted {
            kinds.push(("count".to_owned(), DataType::Int64));
        }
        let query = statement::question(DIALECT, question, table.as_ref()).to_string();
        let operation = unique()?;
        let execution = Execution::new(self.session.client.clone(), operation.clone(), sql(query));
        Ok(Box::new(Rows {
            session: self.session.clone(),
            operation,
            execution: Some(execution),
            columns: Columns::new(kinds),
            pending: VecDeque::new(),
            about: (name, table),
        }))
    }

    fn repeats(
        &self,
        table: &TableName,
        columns: &[String],
        empty: EmptyCells,
    ) -> Result<Repeats, EngineError> {
        let known = self.held(table)?;
        let query = statement::repeats(DIALECT, table, columns, empty, known.as_ref()).to_string();
        match self.numbers(query, table, 4)?.as_slice() {
            [rows, values, most, once] => {
                Ok(Repeats { rows: *rows, values: *values, most: *most, once: *once })
            }
            _ => Err(EngineError::Garbled("(no numbers)")),
        }
    }

    fn upload(&self, mapping: &Mapping) -> Result<(), EngineError> {
        let kind = match mapping {
            Mapping::Values { of: (table, column), .. } => Some(self.table(table)?.kind(column)?),
            Mapping::Codes { .. } => None,
        };
        mapping::upload(&self.session, mapping, kind.as_ref())
    }

    fn create(&self, staged: &TableName, recoding: &Recoding) -> Result<u64, EngineError> {
        let table = self.held(&recoding.table)?;
        self.refuse_without_renaming(staged)?;
        let statement = statement::create(DIALECT, staged, recoding, table.as_ref()).to_string();
        self.session.staged().push(staged.clone());
        let made = self.session.command(statement, Attention::Always)?;
        made.map_err(|status| self.session.failed(&status, Doing::Creating, staged))?;
        table.check(&self.session, &recoding.table)?;
        let count = self.numbers(statement::count_of(DIALECT, staged).to_string(), staged, 1)?;
        Ok(count.first().copied().unwrap_or_default())
    }

    fn publish(&self, staged: &TableName, target: &TableName, occupied: Occupied) -> Result<(), EngineError> {
        self.forget(target);
        self.refuse_occupied(target, occupied)?;
        let is_occupied = self.has(target)?;
        let former = staged.beside(&format!("{}_former", staged.table()));
        let left = Publication { staged, target, former: is_occupied.then_some(&former) }.publish(self)?;
        let mut sweepings = self.session.staged();
        sweepings.retain(|table| table != staged);
        // Tried again at the end.
        sweepings.extend((left == Former::Left).then_some(former));
        Ok(())
    }

    fn is_ours(&self, table: &TableName) -> Result<bool, EngineError> {
        let texts = ["name", "value", "comment"].map(|name| (name.to_owned(), DataType::Utf8));
        let described = sql(format!("DESCRIBE TABLE EXTENDED {}", DIALECT.table(table)));
        let told = self.session.collect(described)?;
        let parts = told.map_err(|status| self.session.failed(&status, Doing::Counting, table))?;
        let batches = Columns::new(texts).decode(&parts)?;
        let is_mark = |batch: &RecordBatch| {
            let (names, values) = (batch.column(0).as_string::<i32>(), batch.column(1).as_string::<i32>());
            names.iter().zip(values).any(|line| line == (Some("Comment"), Some(MARK)))
        };
        Ok(batches.iter().any(is_mark))
    }

    fn withdraw(&self, target: &TableName) -> Result<(), EngineError> {
        self.drop_table(target)
    }

    fn fill(
        &self,
        _: &TableName,
        _: &[String],
        _: &mut dyn Iterator<Item = Vec<Option<String>>>,
    ) -> Result<(), EngineError> {
        Err(EngineError::Unable { what: "be filled with rows from here" })
    }

    fn traffic(&self) -> Traffic {
        self.session.traffic()
    }
}
