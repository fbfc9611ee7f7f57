//! Noise that a database draws by itself: its rows stay there, and only the key goes there.

use super::NoiseError;
use super::account::Charge;
use super::prepare::{Prepared, Request};
use super::statement::{Unknown, of};
use paravent_job::Job;
use paravent_ledger::Book;
use paravent_noise::draw::{NoRandomness, Secret};
use paravent_tables::encode::ScanError;
use paravent_tables::engine::{Drawing, EmptyCells, EngineError, Occupied, TableName};
use paravent_tables::read::{EngineTable, Input, ReadError};
use rand::rngs::{ChaCha20Rng, SysRng};
use rand::{Rng, SeedableRng};

/// What is drawn, and where it goes.
#[derive(Debug, Clone)]
pub struct Inside {
    /// The columns by which the database numbers the rows.
    pub row_key: Vec<String>,
    /// Columns that are shown without noise.
    pub keep: Vec<String>,
    /// The table that is made.
    pub target: TableName,
    /// Whether it may replace another one.
    pub occupied: Occupied,
}

/// What a database has drawn.
#[derive(Debug, Clone)]
pub struct DrawnInside {
    /// Rows of the table that was made.
    pub rows: u64,
    /// Its columns.
    pub columns: Vec<String>,
    /// What was paid.
    pub charge: Charge,
    /// Whether the key comes from a seed.
    pub is_seeded: bool,
}

impl Inside {
    /// Looks, pays, and lets the database draw.
    ///
    /// # Errors
    /// If the table is not in a database, the noise is not understood, too little is left, or the database refuses. Nothing is made then.
    pub fn draw(
        &self,
        input: &Input,
        job: Option<&Job>,
        request: &Request,
        book: &mut Book,
    ) -> Result<DrawnInside, NoiseError> {
        let Some(table) = input.engine() else {
            return Err(wrong(
                "--into draws inside a database: name the table as postgres://host/database#table",
            ));
        };
        // Looked at before anything is paid.
        if !table.engine().draws() {
            return Err(wrong(
                "nothing is drawn at this address: leave --into out, and the rows are read and drawn for here",
            ));
        }
        let failed = |error| failed(input, error);
        let (mut prepared, columns) = self.prepared(table, job, request)?;
        if let Some(job) = job {
            prepared.rows_per_person = rows_per_person(table, job).map_err(failed)??;
        }
        let engine = table.engine();
        engine.refuse_occupied(&self.target, self.occupied).map_err(failed)?;
        let steps = of(table.name().parts(), &self.row_key, &prepared, &columns).steps();
        let seed = request.seed;
        let paid = prepared.pay(book)?;
        let secret = match seed {
            Some(seed) => Secret::from_seed(seed),
            None => Secret::random()?,
        };
        let drawing =
            Drawing { key: secret.into_key(), rows: steps.rows, checks: steps.checks, draws: steps.draws };
        let staged = self.target.beside(&format!("paravent_staged_{:016x}", random()?));
        let rows = engine.draw(&staged, &drawing).map_err(failed)?;
        engine.publish(&staged, &self.target, self.occupied).map_err(failed)?;
        Ok(DrawnInside { rows, columns, charge: paid.charge, is_seeded: seed.is_some() })
    }

    /// The noise, and the columns of the result: the noisy ones, then those that stay.
    fn prepared(
        &self,
        table: &EngineTable,
        job: Option<&Job>,
        request: &Request,
    ) -> Result<(Prepared, Vec<String>), NoiseError> {
        let named = request.columns.iter().map(|(name, _)| name.clone());
        let of_job = job.iter().flat_map(|job| &job.attributes).filter(|attribute| attribute.noise.is_some());
        let mut noisy: Vec<String> = Vec::new();
        for name in named.chain(of_job.map(|attribute| attribute.name.clone())) {
            if !noisy.contains(&name) {
                noisy.push(name);
            }
        }
        for name in noisy.iter().chain(&self.keep).chain(&self.row_key) {
            if !table.columns().iter().any(|column| column.name == *name) {
                return Err(NoiseError::Request(format!("the table has no column {name:?}")));
            }
        }
        if self.row_key.is_empty() {
            return Err(wrong(
                "by which columns are the rows numbered? --row-key id: an order of the database's own is not the same twice",
            ));
        }
        let unknown = Unknown { columns: self.keep.clone() };
        let prepared = Prepared::new(&unknown.table(&noisy), job, request)?;
        prepared.may_be_released()?;
        let mut columns: Vec<String> =
            prepared.mechanisms.iter().map(|mechanism| mechanism.column.clone()).collect();
        columns.extend(self.keep.iter().filter(|name| !noisy.contains(name)).cloned());
        if let Some(name) = prepared.dropped.iter().find(|name| columns.contains(name)) {
            return Err(NoiseError::Request(format!(
                "column {name:?} is identifying by the job, which never leaves"
            )));
        }
        Ok((prepared, columns))
    }
}

/// The largest number of rows of one person, where the job says whose row it is; the database counts.
fn rows_per_person(table: &EngineTable, job: &Job) -> Result<Result<Option<u64>, NoiseError>, EngineError> {
    let key = job.privacy.person.as_slice();
    if key.is_empty() {
        return Ok(Ok(None));
    }
    let named = table.engine().repeats(table.name(), key, EmptyCells::AreLeftOut)?;
    let all = table.engine().repeats(table.name(), key, EmptyCells::AreValues)?;
    Ok(match named.rows == all.rows {
        true => Ok(Some(named.most.max(1))),
        false => Err(wrong(
            "a column that says whose row it is has empty cells, so nobody knows whose rows they are",
        )),
    })
}

fn wrong(message: &str) -> NoiseError {
    NoiseError::Request(message.to_owned())
}

fn failed(input: &Input, error: EngineError) -> NoiseError {
    let path = input.options().shown_path();
    NoiseError::Scan(ScanError::Read(ReadError::Engine { path, error }))
}

fn random() -> Result<u64, NoiseError> {
    let random = ChaCha20Rng::try_from_rng(&mut SysRng);
    random.map(|mut random| random.next_u64()).map_err(|_| NoiseError::Secret(NoRandomness))
}
