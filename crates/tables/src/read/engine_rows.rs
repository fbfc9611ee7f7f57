//! The rows of a table that lives elsewhere: asked for column by column, and counted there where that is enough.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{Array, AsArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use sha2::{Digest, Sha256};

use super::record_batches::RecordBatches;
use super::source::{Opened, Rows};
use super::{Batch, Dialect, Format, ReadError, ReadOptions, Source};
use crate::engine::{
    self, Address, Answer, Engine, EngineColumn, EngineError, Grouping, PeopleRequest, PeopleThere,
    PersonTokens, Question, RecodedColumn, Recoding, Relation, TableName,
};
use paravent_core::values::ValueType;

/// A table that lives elsewhere, and the session in which it is looked at.
#[derive(Clone)]
pub struct EngineTable {
    engine: Arc<dyn Engine>,
    name: TableName,
    columns: Arc<[EngineColumn]>,
    /// What the first complete pass has told.
    digest: Arc<Mutex<Option<String>>>,
    /// The column of tokens that stand for people, where there is one.
    token: Option<Arc<str>>,
}

/// A table of which it is known whose row each row is.
#[derive(Clone, Debug)]
pub struct PeopleTable {
    /// The same rows with a token in the place of the columns that name people.
    pub table: EngineTable,
    /// The column of the tokens.
    pub token: String,
    /// How the keys are written there.
    pub there: PeopleThere,
}

/// Cells, and how many rows show them.
pub type CountedLine = (Vec<Option<String>>, u64);

/// Cells stay out of logs.
impl fmt::Debug for EngineTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EngineTable({})", self.name)
    }
}

impl EngineTable {
    /// Opens the engine at an address and looks up the table.
    pub(super) fn open(address: &Address) -> Result<EngineTable, EngineError> {
        let engine = engine::open(address)?;
        let columns = engine.columns(&address.table)?;
        Ok(EngineTable {
            engine,
            name: address.table.clone(),
            columns: columns.into(),
            digest: Arc::new(Mutex::new(None)),
            token: None,
        })
    }

    /// The same rows with tokens of the people behind them: `key` names people, with the types that are declared for its columns, and
    /// `columns` are those that are looked at. Nobody's cell of the key comes here, unless its column is also looked at.
    ///
    /// # Errors
    /// If a row is nobody's, or equal keys could not be told from different ones there.
    pub fn with_people(
        &self,
        key: &[(String, ValueType)],
        columns: &[String],
        tokens: &PersonTokens,
        options: &ReadOptions,
    ) -> Result<PeopleTable, ReadError> {
        self.people_there(key, columns, tokens, options).map_err(|error| self.failed_at(options, error))
    }

    fn failed_at(&self, options: &ReadOptions, error: EngineError) -> ReadError {
        ReadError::Engine { path: options.shown_path(), error }
    }

    fn people_there(
        &self,
        key: &[(String, ValueType)],
        columns: &[String],
        tokens: &PersonTokens,
        options: &ReadOptions,
    ) -> Result<PeopleTable, EngineError> {
        let refused = |column: &str, why| Err(EngineError::Key { column: column.to_owned(), why });
        for (column, value_type) in key {
            let known = self.columns.iter().find(|known| known.name == *column);
            let known = known.ok_or_else(|| EngineError::NoColumn { column: column.clone() })?;
            if *value_type != ValueType::String && known.kind == Ok(DataType::Utf8) {
                return refused(
                    column,
                    "texts of another type are not read inside the database; leave its type out",
                );
            }
            if options.spellings.iter().any(|(name, _)| name == column) {
                return refused(
                    column,
                    "a spelling of its own is not read inside the database; leave it out",
                );
            }
            if options.null.is_some() {
                return refused(
                    column,
                    "words for missing cells are not read inside the database; leave null out",
                );
            }
        }
        let mut token = "paravent_person".to_owned();
        while self.columns.iter().any(|column| column.name == token) {
            token.push('_');
        }
        let names: Vec<String> = key.iter().map(|(column, _)| column.clone()).collect();
        let there = self.engine.people(&PeopleRequest {
            table: &self.name,
            key: &names,
            columns,
            token: &token,
            tokens,
        })?;
        if let Some((column, _)) = names.iter().zip(&there.nobody).find(|(_, rows)| **rows > 0) {
            return refused(
                column,
                "it is empty in some rows, so nobody knows whose they are; fill it in, or make a view without these rows",
            );
        }
        let known = self.engine.columns(&there.table)?;
        let table = EngineTable {
            engine: self.engine.clone(),
            name: there.table.clone(),
            columns: known.into(),
            digest: self.digest.clone(),
            token: Some(token.as_str().into()),
        };
        Ok(PeopleTable { table, token, there })
    }

    /// Whether the cells of a column are texts, whole numbers or truth values, which files write in one way.
    pub fn is_text_or_whole(&self, column: &str) -> bool {
        let column = self.columns.iter().find(|known| known.name == column);
        column
            .and_then(|column| column.kind.as_ref().ok())
            .is_some_and(|kind| kind.is_integer() || matches!(kind, DataType::Utf8 | DataType::Boolean))
    }

    /// The rows, from the first.
    pub fn source(&self, options: &ReadOptions) -> Source {
        Source::open_engine(self, options)
    }

    /// Where it lives.
    pub fn engine(&self) -> &Arc<dyn Engine> {
        &self.engine
    }

    /// Its name there.
    pub fn name(&self) -> &TableName {
        &self.name
    }

    /// Its columns.
    pub fn columns(&self) -> &[EngineColumn] {
        &self.columns
    }

    /// The rows as they would be released, equal ones together.
    pub fn recoded(&self, recoding: &Recoding, options: &ReadOptions) -> Source {
        let mut rows = EngineRows::new(self.clone(), options.clone());
        rows.recoding = Some(recoding.clone());
        rows.grouping = Grouping::Counted;
        rows.selected = Vec::new();
        let columns = recoding.columns.iter().map(|column| column.name().to_owned()).collect();
        Source::of_engine(
            options,
            Opened { dialect: Dialect::columnar(Format::Arrow), columns, rows: Box::new(rows) },
        )
    }

    /// The different values of a column, as the engine hands them out.
    pub fn values(&self, column: &str, options: &ReadOptions) -> Result<Vec<Option<String>>, ReadError> {
        let plain = ReadOptions { null: None, ..options.clone() };
        let mut rows = EngineRows::new(self.clone(), plain);
        let place = self.columns.iter().position(|known| known.name == column);
        let missing = || EngineError::NoColumn { column: column.to_owned() };
        rows.select_grouped(&[place.ok_or_else(missing).map_err(|error| rows.failed(error))?])?;
        let mut values = Vec::new();
        let mut batch = Batch::default();
        loop {
            batch.start(1);
            batch.columns.resize_with(1, Default::default);
            rows.fill(&mut batch)?;
            if batch.rows == 0 {
                return Ok(values);
            }
            values.extend(batch.columns[0].iter().map(|cell| cell.map(str::to_owned)));
        }
    }

    /// Names of the columns of another table of the same engine, and its equal rows in some of them, counted.
    pub fn counted(
        &self,
        name: &TableName,
        columns: &[String],
        options: &ReadOptions,
    ) -> Result<(Vec<String>, Vec<CountedLine>), ReadError> {
        let failed = |error| ReadError::Engine { path: options.shown_path(), error };
        let known = self.engine.columns(name).map_err(failed)?;
        let header: Vec<String> = known.iter().map(|column| column.name.clone()).collect();
        let table = EngineTable {
            engine: self.engine.clone(),
            name: name.clone(),
            columns: known.into(),
            digest: Arc::default(),
            token: None,
        };
        let mut places = Vec::new();
        for column in columns {
            let place = header.iter().position(|known| known == column);
            places.push(place.ok_or_else(|| failed(EngineError::NoColumn { column: column.clone() }))?);
        }
        let mut rows = EngineRows::new(table, ReadOptions { null: None, ..options.clone() });
        rows.select_grouped(&places)?;
        let mut lines = Vec::new();
        let mut batch = Batch::default();
        loop {
            batch.start(1);
            batch.columns.resize_with(places.len(), Default::default);
            rows.fill(&mut batch)?;
            if batch.rows == 0 {
                return Ok((header, lines));
            }
            for row in 0..batch.rows {
                let cells = batch.columns.iter().map(|column| column.get(row).map(str::to_owned)).collect();
                lines.push((cells, batch.counts().map_or(1, |counts| counts[row])));
            }
        }
    }

    /// Digest of the rows in the columns that were read first, whatever their order; of the names alone before anything was read.
    pub(super) fn digest(&self) -> String {
        let known = self.digest.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone().unwrap_or_else(|| {
            RowsDigest::new(self.columns.iter().map(|column| column.name.as_str())).finish()
        })
    }
}

/// The rows of such a table.
pub(super) struct EngineRows {
    table: EngineTable,
    options: ReadOptions,
    selected: Vec<usize>,
    grouping: Grouping,
    /// The rows as they would be released, instead of the table.
    recoding: Option<Recoding>,
    open: Option<Open>,
}

/// An answer on its way.
struct Open {
    batches: RecordBatches,
    answer: Box<dyn Answer>,
    /// Rows of the lines that are still to be delivered.
    counts: VecDeque<u64>,
    digest: RowsDigest,
}

impl EngineRows {
    fn new(table: EngineTable, options: ReadOptions) -> EngineRows {
        let selected = (0..table.columns.len()).collect();
        EngineRows { table, options, selected, grouping: Grouping::Each, recoding: None, open: None }
    }

    pub(super) fn open(table: &EngineTable, options: &ReadOptions) -> Opened {
        let columns = table.columns.iter().map(|column| column.name.clone()).collect();
        let rows = Box::new(EngineRows::new(table.clone(), options.clone()));
        Opened { dialect: Dialect::columnar(Format::Arrow), columns, rows }
    }

    fn failed(&self, error: EngineError) -> ReadError {
        ReadError::Engine { path: self.options.shown_path(), error }
    }

    fn kind(&self, name: &str) -> Result<DataType, EngineError> {
        let column = self.table.columns.iter().find(|known| known.name == name);
        let column = column.ok_or_else(|| EngineError::NoColumn { column: name.to_owned() })?;
        column.kind.clone().map_err(|kind| EngineError::Type { column: name.to_owned(), kind })
    }

    fn ask(&self) -> Result<Open, ReadError> {
        let columns: Vec<RecodedColumn> = match &self.recoding {
            Some(recoding) => recoding.columns.clone(),
            None => {
                let selected = self.selected.iter().map(|&at| self.table.columns[at].name.clone());
                selected.map(|name| RecodedColumn::AsItIs { name }).collect()
            }
        };
        let mut fields = Vec::new();
        for column in &columns {
            let kind = match column {
                RecodedColumn::Label { .. } => DataType::Utf8,
                RecodedColumn::AsItIs { name } => self.kind(name).map_err(|error| self.failed(error))?,
            };
            fields.push(Field::new(column.name(), kind, true));
        }
        let question = Question {
            from: match &self.recoding {
                Some(recoding) => Relation::Recoded(recoding.clone()),
                None => Relation::Table(self.table.name.clone()),
            },
            columns: columns.iter().map(|column| column.name().to_owned()).collect(),
            grouping: self.grouping,
        };
        let is_label = columns.iter().map(|column| matches!(column, RecodedColumn::Label { .. })).collect();
        let batches =
            RecordBatches::new(&Schema::new(fields), Format::Arrow, &self.options)?.with_labels(is_label);
        let answer = self.table.engine.ask(&question).map_err(|error| self.failed(error))?;
        let token = self.table.token.as_deref();
        let digest = RowsDigest::of_columns(question.columns.iter().map(String::as_str), token);
        Ok(Open { batches, answer, counts: VecDeque::new(), digest })
    }
}

impl Rows for EngineRows {
    fn select(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.selected = columns.to_vec();
        self.grouping = Grouping::Each;
        Ok(())
    }

    fn select_grouped(&mut self, columns: &[usize]) -> Result<(), ReadError> {
        self.selected = columns.to_vec();
        self.grouping = Grouping::Counted;
        Ok(())
    }

    fn fill(&mut self, batch: &mut Batch) -> Result<(), ReadError> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.ask()?,
        };
        let (answer, counts, grouping) = (&mut open.answer, &mut open.counts, self.grouping);
        let failed = |error: EngineError| ReadError::Engine { path: self.options.shown_path(), error };
        open.batches.fill(batch, || {
            let Some(mut records) = answer.next().map_err(failed)? else { return Ok(None) };
            if grouping == Grouping::Counted {
                let garbled = || failed(EngineError::Garbled("(no counts)"));
                let last = records.num_columns().checked_sub(1).ok_or_else(garbled)?;
                let column = records.remove_column(last);
                if column.data_type() != &DataType::Int64 || column.null_count() > 0 {
                    return Err(garbled());
                }
                for count in column.as_primitive::<Int64Type>().values() {
                    counts.push_back(u64::try_from(*count).map_err(|_| garbled())?);
                }
            }
            Ok(Some(records))
        })?;
        let told: Vec<u64> = open.counts.drain(..batch.rows.min(open.counts.len())).collect();
        open.digest.add(batch, (grouping == Grouping::Counted).then_some(told.as_slice()));
        if batch.rows == 0 && self.recoding.is_none() {
            let mut known = self.table.digest.lock().unwrap_or_else(PoisonError::into_inner);
            known.get_or_insert_with(|| {
                std::mem::replace(&mut open.digest, RowsDigest::new([].into_iter())).finish()
            });
        }
        batch.set_counts(if grouping == Grouping::Counted { told } else { Vec::new() });
        self.open = Some(open);
        Ok(())
    }
}

/// A digest of rows that does not depend on their order, or on whether equal ones come together: the sum of their hashes.
struct RowsDigest {
    names: Sha256,
    rows: u64,
    sum: [u64; 4],
    /// The place of the tokens of people, which are others in every run.
    token: Option<usize>,
}

impl RowsDigest {
    fn new<'a>(names: impl Iterator<Item = &'a str>) -> RowsDigest {
        RowsDigest::of_columns(names, None)
    }

    /// Of these columns, without that of the tokens.
    fn of_columns<'a>(names: impl Iterator<Item = &'a str>, token: Option<&str>) -> RowsDigest {
        let mut hash = Sha256::new();
        let mut place = None;
        hash.update(b"rows in any order");
        for (at, name) in names.enumerate() {
            if Some(name) == token {
                place = Some(at);
                continue;
            }
            hash.update((name.len() as u64).to_le_bytes());
            hash.update(name);
        }
        RowsDigest { names: hash, rows: 0, sum: [0; 4], token: place }
    }

    fn add(&mut self, batch: &Batch, counts: Option<&[u64]>) {
        let mut text = Vec::new();
        for row in 0..batch.rows {
            text.clear();
            let counted = batch.columns.iter().enumerate().filter(|(at, _)| Some(*at) != self.token);
            for (_, column) in counted {
                match column.get(row) {
                    None => text.push(0),
                    Some(cell) => {
                        text.push(1);
                        text.extend_from_slice(&(cell.len() as u64).to_le_bytes());
                        text.extend_from_slice(cell.as_bytes());
                    }
                }
            }
            let count = counts.map_or(1, |counts| counts.get(row).copied().unwrap_or(0));
            self.rows = self.rows.wrapping_add(count);
            let hash = Sha256::digest(&text);
            let mut carry = 0u128;
            for (limb, bytes) in self.sum.iter_mut().zip(hash.chunks_exact(8)) {
                let mut word = [0; 8];
                word.copy_from_slice(bytes);
                let total =
                    u128::from(u64::from_le_bytes(word)) * u128::from(count) + u128::from(*limb) + carry;
                *limb = total as u64;
                carry = total >> 64;
            }
        }
    }

    fn finish(self) -> String {
        let mut hash = self.names;
        hash.update(self.rows.to_le_bytes());
        self.sum.iter().for_each(|limb| hash.update(limb.to_le_bytes()));
        hex::encode(hash.finalize())
    }
}
