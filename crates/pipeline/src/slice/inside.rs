//! A slicing that a database makes: its cells stay there, and only the key goes there.

use super::sliced::{OPERATOR, slice_with};
use super::{Buckets, CodedCells, CodedTable, Request, SliceError, SlicedTable};
use paravent_job::{Job, Release};
use paravent_slicing::statement::{Dialect, StatedBuckets, Statement};
use paravent_slicing::{Secret, key_of};
use paravent_tables::encode::ScanError;
use paravent_tables::engine::{Drawing, EngineError, Occupied, TableName};
use paravent_tables::read::{EngineTable, Input, ReadError};

/// Where the result goes.
#[derive(Debug, Clone)]
pub struct Inside {
    /// The columns by which the database numbers the rows. Windows are cut from this order.
    pub row_key: Vec<String>,
    /// The table that is made.
    pub target: TableName,
    /// Whether it may replace another one.
    pub occupied: Occupied,
}

/// What a database has sliced.
#[derive(Debug)]
pub struct SlicedInside {
    /// Rows of the table that was made.
    pub rows: u64,
    /// The slicing in numbers that stand for cells: what it gives away.
    pub sliced: SlicedTable,
    /// The table before, in these numbers.
    pub table: CodedTable,
}

impl Inside {
    /// Looks at numbers that stand for the cells, and lets the database slice what the limits do not refuse.
    ///
    /// # Errors
    /// If the table is not in a database, the slicing gives too much away or needs cells, or the database refuses. Nothing is made then.
    pub fn slice(
        &self,
        input: &Input,
        job: Option<&Job>,
        request: &Request,
    ) -> Result<SlicedInside, SliceError> {
        let Some(engine_table) = input.engine() else {
            let message = "--into slices inside a database: name the table as postgres://host/database#table";
            return Err(SliceError::Request(message.to_owned()));
        };
        if !engine_table.engine().draws() {
            let message =
                "nothing is sliced at this address: leave --into out, and the rows are read and sliced here";
            return Err(SliceError::Request(message.to_owned()));
        }
        let request = Request { keyed: true, unseen: true, ..request.clone() };
        let statement = self.statement(engine_table, job, &request)?;
        let failed = |error| {
            let path = input.options().shown_path();
            SliceError::Scan(ScanError::Read(ReadError::Engine { path, error }))
        };
        let engine = engine_table.engine();
        engine.refuse_occupied(&self.target, self.occupied).map_err(failed)?;
        let steps = statement.steps();
        let codes = engine.numbered(&steps.rows, &steps.codes).map_err(failed)?;
        let table = coded(engine_table, steps.codes.into_iter().map(|(name, _)| name), codes);
        let secret = match request.seed {
            Some(seed) => Secret::from_seed(seed),
            None => Secret::from_os()?,
        };
        let sliced = slice_with(&table, job, &request, &secret)?;
        let drawing = Drawing {
            key: key_of(&secret, OPERATOR),
            rows: String::new(),
            checks: Vec::new(),
            draws: steps.draws,
        };
        let mut random = [0; 8];
        random.copy_from_slice(&Secret::from_os().map(|secret| key_of(&secret, OPERATOR))?[..8]);
        let staged = self.target.beside(&format!("paravent_staged_{:016x}", u64::from_le_bytes(random)));
        let rows = engine.draw(&staged, &drawing).map_err(failed)?;
        // A row that finds no partner in a join would be missing.
        if rows != table.rows as u64 {
            return Err(failed(EngineError::Changed));
        }
        engine.publish(&staged, &self.target, self.occupied).map_err(failed)?;
        Ok(SlicedInside { rows, sliced, table })
    }

    /// What the database is asked, if it can be.
    fn statement(
        &self,
        table: &EngineTable,
        job: Option<&Job>,
        request: &Request,
    ) -> Result<Statement, SliceError> {
        let wrong = |message: &str| Err(SliceError::Request(message.to_owned()));
        if self.row_key.is_empty() {
            return wrong(
                "by which columns are the rows numbered? --row-key id: an order of the database's own is not the same twice",
            );
        }
        let buckets = match &request.buckets {
            Buckets::Count(count) => StatedBuckets::Count(*count),
            Buckets::Size(rows) => StatedBuckets::Size(*rows),
            Buckets::By(column) => StatedBuckets::By(column.clone()),
            Buckets::Within { .. } => {
                return wrong(
                    "a database makes no classes of a generalization; use --bucket, --buckets or --by",
                );
            }
        };
        if request.shuffle || request.merge || request.overlap.is_some() {
            return wrong(
                "a database cuts buckets by the row key or by a column; leave --shuffle, --merge and --overlap out",
            );
        }
        if job.is_some_and(|job| !job.privacy.person.is_empty()) {
            return wrong(
                "people in a bucket are not counted where the database slices; export the table, or leave --into out",
            );
        }
        let by = if let Buckets::By(column) = &request.buckets { Some(column) } else { None };
        for name in request.groups.iter().flatten().chain(&self.row_key).chain(by) {
            if !table.columns().iter().any(|column| column.name == *name) {
                return Err(SliceError::Request(format!("the table has no column {name:?}")));
            }
        }
        let says_as_it_is = |name: &&String| {
            let attribute = job.and_then(|job| job.attribute(name));
            attribute.is_some_and(|(_, attribute)| attribute.release == Some(Release::AsItIs))
        };
        let unseen = request.groups.iter().flatten().find(|name| !says_as_it_is(name));
        if let Some(name) = unseen.filter(|_| !request.allow_identifying) {
            return Err(SliceError::Request(format!(
                "the cells of {name} stay in the database, so nobody has looked whether they name people; if it may leave, add release = \"as it is\" to it in the job, or allow it"
            )));
        }
        Ok(Statement {
            dialect: Dialect::Postgres,
            table: table.name().parts().to_vec(),
            groups: request.groups.clone(),
            buckets,
            row_key: self.row_key.clone(),
        })
    }
}

/// A table of numbers that stand for cells, with columns in the order of the database.
fn coded(table: &EngineTable, names: impl Iterator<Item = String>, codes: Vec<Vec<u32>>) -> CodedTable {
    let rows = codes.first().map_or(0, Vec::len);
    let columns = names.zip(codes).map(|(name, codes)| {
        let most = codes.iter().max().map_or(0, |&most| most as usize);
        // Without a missing cell, the first number is 1.
        let first = if codes.contains(&0) { 0 } else { 1 };
        let cells = (first..=most).map(|code| (code > 0).then(|| code.to_string())).collect();
        CodedCells { name, codes: codes.into_iter().map(|code| code - first as u32).collect(), cells }
    });
    let mut columns: Vec<CodedCells> = columns.collect();
    columns.sort_by_key(|column| table.columns().iter().position(|known| known.name == column.name));
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    CodedTable { columns, rows, ..CodedTable::without_rows(&names) }
}
