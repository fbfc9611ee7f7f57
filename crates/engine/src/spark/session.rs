//! A session, and how one waits for it: the requests run beside this thread, which looks meanwhile whether a stop was requested.

use super::channel::{Meter, connect};
use super::client::Client;
use super::door::Door;
use super::execution::Execution;
use super::failure::{self, Doing};
use super::messages::{
    Analyze, AnalyzedKind, AnalyzedPlan, ArrowBatch, Command, CommandKind, Plan, PlanKind, Relation,
    RelationKind, Sql, SqlCommand,
};
use super::types::Schema;
use crate::statement::{self, Dialect};
use paravent_tables::engine::{Address, EngineError, TableName, Traffic, is_stopped};
use std::future::Future;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tonic::Status;

pub(super) const DIALECT: Dialect = Dialect::SPARK;

/// Interval between looks at whether a stop was requested.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long a statement that must not be left half done may go on after a stop was requested.
pub(super) const GRACE: Duration = Duration::from_secs(30);
/// How long removing tables may take.
const SWEEPING: Duration = Duration::from_secs(30);

/// Without this one, moments would be counted in the server's own time zone.
const ZONE: (&str, &str) = ("spark.sql.session.timeZone", "UTC");
/// Names are taken letter by letter, folders called `year=2024` are columns of texts, and tables are made in the usual format.
const SETTINGS: [(&str, &str); 7] = [
    ZONE,
    ("spark.sql.caseSensitive", "true"),
    ("spark.sql.parser.quotedRegexColumnNames", "false"),
    ("spark.sql.sources.partitionColumnTypeInference.enabled", "false"),
    ("spark.sql.legacy.createHiveTableByDefault", "false"),
    ("spark.sql.execution.arrow.useLargeVarTypes", "false"),
    ("spark.sql.execution.arrow.compression.codec", "none"),
];

/// When a request to stop ends the wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attention {
    /// At once.
    Always,
    /// After so long: until then the answer may come.
    After(Duration),
}

/// A session of the server.
pub(super) struct Session {
    /// Always there until the end.
    runtime: Option<Runtime>,
    pub(super) client: Arc<Client>,
    meter: Arc<Meter>,
    /// Tables that were made and have no name of their own yet.
    staged: Mutex<Vec<TableName>>,
}

impl Session {
    pub(super) fn open(address: &Address) -> Result<Session, EngineError> {
        let door = Door::of(address)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("spark-connect")
            .enable_all()
            .build()
            .map_err(|error| EngineError::Unreachable(error.kind().to_string()))?;
        let meter: Arc<Meter> = Arc::default();
        let (user, headers) = (door.user.clone(), door.headers.clone());
        let channel = wait(&runtime, Attention::Always, connect(door, meter.clone()), is_stopped)??;
        let client = Arc::new(Client::new(channel, unique()?, &user, headers));
        let session = Session { runtime: Some(runtime), client, meter, staged: Mutex::default() };
        let client = session.client.clone();
        let set = session.run(async move {
            // Platforms that allow few settings allow the zone.
            match client.configure(&SETTINGS).await {
                Err(status) if !failure::is_lost(&status) => client.configure(&[ZONE]).await,
                told => told,
            }
        })?;
        set.map_err(|status| failure::meaning(&status, Doing::Connecting, ""))?;
        Ok(session)
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.meter.traffic()
    }

    /// Waits for something that is sent.
    pub(super) fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.run_with(Attention::Always, future)
    }

    fn run_with<T: Send + 'static>(
        &self,
        attention: Attention,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        match &self.runtime {
            Some(runtime) => wait(runtime, attention, future, is_stopped),
            None => Err(EngineError::Lost),
        }
    }

    /// The same at the end of everything: not stopped by anybody, and not for long.
    fn run_briefly<T: Send + 'static>(
        &self,
        limit: Duration,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = sync_channel(1);
        self.runtime.as_ref()?.spawn(async move { tell.send(future.await) });
        told.recv_timeout(limit).ok()
    }

    /// A failed request in our words.
    pub(super) fn failed(&self, status: &Status, doing: Doing, table: &TableName) -> EngineError {
        let error = failure::meaning(status, doing, &table.to_string());
        match (&error, self.staged().first()) {
            // Whoever is gone cannot be asked to clean up.
            (EngineError::Lost | EngineError::Ended { .. }, Some(staged)) => {
                EngineError::LeftBehind { table: staged.to_string() }
            }
            _ => error,
        }
    }

    /// Names and types of the columns of a table.
    pub(super) fn schema(&self, table: &TableName) -> Result<Schema, EngineError> {
        let plan = sql(statement::described(DIALECT, table).to_string());
        let analyze = Analyze::Schema(AnalyzedPlan { plan: Some(plan) });
        let client = self.client.clone();
        let told = self.run(async move { client.analyze(analyze).await })?;
        match told.map_err(|status| self.failed(&status, Doing::Counting, table))? {
            Some(AnalyzedKind::Schema(schema)) => Ok(schema),
            _ => Err(EngineError::Garbled("(no columns)")),
        }
    }

    /// Carries out a plan whose answer is small, and gives all parts of it.
    pub(super) fn collect(&self, plan: Plan) -> Result<Result<Vec<ArrowBatch>, Status>, EngineError> {
        self.collect_with(Attention::Always, plan)
    }

    fn collect_with(
        &self,
        attention: Attention,
        plan: Plan,
    ) -> Result<Result<Vec<ArrowBatch>, Status>, EngineError> {
        let operation = unique()?;
        let mut execution = Execution::new(self.client.clone(), operation.clone(), plan);
        let ran = self.run_with(attention, async move {
            let mut parts = Vec::new();
            while let Some(part) = execution.next().await? {
                parts.push(part);
            }
            Ok(parts)
        });
        if ran.is_err() {
            self.interrupt(operation);
        }
        ran
    }

    /// Carries out a statement that changes something.
    pub(super) fn command(
        &self,
        statement: String,
        attention: Attention,
    ) -> Result<Result<(), Status>, EngineError> {
        let command = Command { kind: Some(CommandKind::Sql(SqlCommand { sql: statement })) };
        self.command_of(command, attention)
    }

    pub(super) fn command_of(
        &self,
        command: Command,
        attention: Attention,
    ) -> Result<Result<(), Status>, EngineError> {
        let plan = Plan { kind: Some(PlanKind::Command(command)) };
        // Whatever it answers is not looked at.
        Ok(self.collect_with(attention, plan)?.map(drop))
    }

    /// Ends an operation that nobody waits for any longer.
    pub(super) fn interrupt(&self, operation: String) {
        let client = self.client.clone();
        self.run_briefly(FAREWELL, async move { client.interrupt(operation).await });
    }

    pub(super) fn staged(&self) -> std::sync::MutexGuard<'_, Vec<TableName>> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes tables that never got their names.
    pub(super) fn sweep(&self) {
        let staged = std::mem::take(&mut *self.staged());
        let client = self.client.clone();
        let drops: Vec<String> =
            staged.iter().map(|table| statement::drop(DIALECT, table).to_string()).collect();
        if drops.is_empty() {
            return;
        }
        self.run_briefly(SWEEPING, async move {
            for statement in drops {
                let command = Command { kind: Some(CommandKind::Sql(SqlCommand { sql: statement })) };
                let Ok(operation) = unique() else { return };
                let plan = Plan { kind: Some(PlanKind::Command(command)) };
                let mut execution = Execution::new(client.clone(), operation, plan);
                while let Ok(Some(_)) = execution.next().await {}
            }
        });
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.sweep();
        let client = self.client.clone();
        self.run_briefly(FAREWELL, async move { client.end().await });
        if let Some(runtime) = self.runtime.take() {
            // Not waited for: whoever drops this may be a task of another runtime.
            runtime.shutdown_background();
        }
    }
}

fn wait<T: Send + 'static>(
    runtime: &Runtime,
    attention: Attention,
    future: impl Future<Output = T> + Send + 'static,
    is_stopped: impl Fn() -> bool,
) -> Result<T, EngineError> {
    let (tell, told) = sync_channel(1);
    let task = runtime.spawn(async move { tell.send(future.await) });
    let mut stopped: Option<Instant> = None;
    let mut is_over = || {
        let since = is_stopped().then(|| stopped.get_or_insert_with(Instant::now).elapsed());
        since.is_some_and(|since| match attention {
            Attention::Always => true,
            Attention::After(grace) => since >= grace,
        })
    };
    loop {
        match told.recv_timeout(PAUSE) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Timeout) if is_over() => {
                task.abort();
                return Err(EngineError::Stopped);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(EngineError::Lost),
        }
    }
}

/// A query as a plan.
pub(super) fn sql(query: String) -> Plan {
    Plan { kind: Some(PlanKind::Root(relation(query))) }
}

/// A query as a relation.
pub(super) fn relation(query: String) -> Relation {
    Relation { kind: Some(RelationKind::Sql(Sql { query })) }
}

/// A name that nobody else has, in the form that the protocol wants: a UUID of random bytes.
pub(super) fn unique() -> Result<String, EngineError> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|_| EngineError::Credentials("this system gives no random bytes, which a session needs"))?;
    bytes[6] = bytes[6] & 0x0F | 0x40;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let digits = hex::encode(bytes);
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    Ok(parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_waits_for_what_must_not_be_left_half_done() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let slow = || async { tokio::time::sleep(Duration::from_millis(700)).await };
        let waited = |attention| wait(&runtime, attention, slow(), || true);
        assert_eq!(waited(Attention::Always), Err(EngineError::Stopped));
        assert_eq!(waited(Attention::After(GRACE)), Ok(()));
        // It has an end.
        assert_eq!(waited(Attention::After(Duration::from_millis(100))), Err(EngineError::Stopped));
    }
}
