//! What one connection is about: its user, its purpose, its transaction, its last answer.

use crate::answer::{Column, Formats, Rows, oid};
use crate::catalog::{self, Catalog};
use crate::fault::Fault;
use crate::notice;
use crate::prepared::{Begun, Ending, Life, Portal, Prepared};
use crate::shared::Shared;
use crate::statement::{self, Cursor, Statement};
use crate::users::Found;
use paravent_policy::Recipient;
use paravent_processor::question::Kind;
use paravent_processor::{Answered, Asked, Bounds};
use serde_json::Value;
use sqlparser::ast::Query;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Settings of clients that change nothing here.
const COSMETICS: [&str; 19] = [
    "application_name",
    "bytea_output",
    "client_min_messages",
    "datestyle",
    "default_transaction_isolation",
    "default_transaction_read_only",
    "extra_float_digits",
    "idle_in_transaction_session_timeout",
    "intervalstyle",
    "jit",
    "lock_timeout",
    "search_path",
    "session characteristics",
    "standard_conforming_strings",
    "statement_timeout",
    "timezone",
    "transaction_isolation",
    "transaction_read_only",
    "xmloption",
];

/// Where a transaction stands. It has no effect on answers: each is registered before it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transaction {
    None,
    Open,
    Failed,
}

/// What became of a statement.
pub(crate) enum Outcome {
    /// Rows, and what is said beside them.
    Rows(Rows, Option<String>),
    /// Rows of a cursor.
    Fetched(Rows),
    /// A cursor over an answer, and what is said beside it.
    Declared(Option<String>),
    /// Done, with its tag.
    Done(&'static str),
}

/// One connection that is logged in.
pub(crate) struct Session {
    shared: Arc<Shared>,
    user: Found,
    purpose: Option<String>,
    annotation: Option<Value>,
    pub(crate) transaction: Transaction,
    pub(crate) prepared: Prepared,
    pub(crate) cancelled: Arc<Notify>,
}

impl Session {
    /// Of a user who is logged in. A recipient with one purpose need not say it.
    pub(crate) fn new(shared: Arc<Shared>, user: Found, cancelled: Arc<Notify>) -> Session {
        let mut session = Session {
            shared,
            user,
            purpose: None,
            annotation: None,
            transaction: Transaction::None,
            prepared: Prepared::default(),
            cancelled,
        };
        session.purpose = match session.recipient().map(|recipient| recipient.purposes.as_slice()) {
            Some([only]) => Some(only.clone()),
            _ => None,
        };
        session
    }

    fn recipient(&self) -> Option<&Recipient> {
        self.shared.policy.recipients.iter().find(|recipient| recipient.role == self.user.user.role)
    }

    /// Sets the purpose: one of the recipient's own, and not in the middle of a transaction.
    pub(crate) fn set_purpose(&mut self, purpose: &str) -> Result<(), Fault> {
        if self.transaction != Transaction::None {
            return Err(Fault::new("25001", "the purpose cannot be changed in a transaction"));
        }
        let asker = self.shared.policy.asker(&self.user.user.role, purpose);
        let asker = asker.map_err(|denied| Fault::new("42501", denied.message).hint(denied.advice))?;
        self.purpose = Some(asker.purpose.to_owned());
        Ok(())
    }

    fn purpose(&self) -> Result<&str, Fault> {
        self.purpose.as_deref().ok_or_else(|| {
            let own = self.recipient().map(|recipient| recipient.purposes.join(", ")).unwrap_or_default();
            Fault::new("42501", "no purpose was named")
                .hint(format!("SET paravent.purpose = '…'; purposes: {own}"))
        })
    }

    /// Runs the statements of a text.
    pub(crate) async fn run(
        &mut self,
        sql: &str,
        parameters: &[Option<String>],
    ) -> Result<Vec<Outcome>, Fault> {
        statement::checked(sql)?;
        let mut outcomes = Vec::new();
        for statement in statement::read(sql) {
            let ends = matches!(statement, Statement::Commit | Statement::Rollback | Statement::RollbackTo);
            if self.transaction == Transaction::Failed && !ends {
                let message = "the transaction has failed; statements are ignored until it ends";
                return Err(Fault::new("25P02", message));
            }
            outcomes.push(self.one(statement, sql, parameters).await?);
        }
        Ok(outcomes)
    }

    async fn one(
        &mut self,
        statement: Statement,
        sql: &str,
        parameters: &[Option<String>],
    ) -> Result<Outcome, Fault> {
        Ok(match statement {
            Statement::Question => return self.question(sql, parameters).await,
            Statement::Catalog(query) => Outcome::Rows(self.of_catalog(&query, parameters)?, None),
            Statement::Set(name, value) => self.set(&name, &value)?,
            Statement::Show(name) => Outcome::Rows(self.show(&name)?, None),
            Statement::Begin => {
                self.transaction = Transaction::Open;
                Outcome::Done("BEGIN")
            }
            Statement::Commit | Statement::Rollback => {
                let failed = self.transaction == Transaction::Failed;
                self.transaction = Transaction::None;
                let is_commit = matches!(statement, Statement::Commit) && !failed;
                self.prepared.end_transaction(if is_commit { Ending::Commit } else { Ending::Rollback });
                Outcome::Done(if is_commit { "COMMIT" } else { "ROLLBACK" })
            }
            Statement::RollbackTo => {
                self.transaction = Transaction::Open;
                Outcome::Done("ROLLBACK")
            }
            Statement::Savepoint(tag) | Statement::Nothing(tag) => Outcome::Done(tag),
            Statement::Declare(cursor) => return self.declare(cursor, parameters).await,
            Statement::Fetch(name, count) => Outcome::Fetched(self.fetch(&name, count)?),
            Statement::Close(name) => {
                match name {
                    Some(name) => self.prepared.close_cursor(&name)?,
                    None => self.prepared.close_all(),
                }
                Outcome::Done("CLOSE CURSOR")
            }
            Statement::Deallocate(name) => {
                match name {
                    Some(name) => self.prepared.close_statement(Some(&name)),
                    None => self.prepared.close_statements(),
                }
                Outcome::Done("DEALLOCATE")
            }
            Statement::Discard => {
                self.prepared.close_all();
                self.prepared.close_statements();
                Outcome::Done("DISCARD ALL")
            }
            Statement::Unsupported(what) => return Err(Fault::unsupported(what)),
        })
    }

    /// A cursor. The whole answer is made, paid and registered here: how it is fetched changes nothing.
    async fn declare(&mut self, cursor: Cursor, parameters: &[Option<String>]) -> Result<Outcome, Fault> {
        let Cursor { name, holds, sql } = cursor;
        let life = match (self.transaction, holds) {
            (Transaction::None, false) => {
                return Err(Fault::new("25P01", "a cursor without WITH HOLD needs a transaction"));
            }
            (Transaction::None, true) => Life::Connection,
            (_, true) => Life::Held,
            (_, false) => Life::Transaction,
        };
        if self.prepared.cursors().contains(&name) {
            return Err(Fault::new("42P03", "there is a cursor of that name"));
        }
        let (rows, said) = match statement::read(&sql).pop() {
            Some(Statement::Catalog(query)) => (self.of_catalog(&query, parameters)?, None),
            Some(Statement::Question) => match self.question(&sql, parameters).await? {
                Outcome::Rows(rows, said) => (rows, said),
                _ => return Err(Fault::unsupported("a cursor over this")),
            },
            _ => return Err(Fault::unsupported("a cursor over this")),
        };
        let begun = Some(Begun { rows, sent: 0, verb: "FETCH" });
        let parameters = parameters.to_owned();
        self.prepared.declare(name, Portal { sql, parameters, formats: Formats::default(), begun, life })?;
        Ok(Outcome::Declared(said))
    }

    fn fetch(&mut self, name: &str, count: usize) -> Result<Rows, Fault> {
        let unknown = || Fault::new("34000", "there is no cursor of that name");
        let portal = self.prepared.portal(Some(name)).map_err(|_| unknown())?;
        let Begun { rows, sent, .. } = portal.begun.as_mut().ok_or_else(unknown)?;
        let end = rows.rows.len().min(sent.saturating_add(count));
        let part = Rows { columns: rows.columns.clone(), rows: rows.rows[*sent..end].to_vec() };
        *sent = end;
        Ok(part)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<Outcome, Fault> {
        match name {
            "paravent.purpose" => self.set_purpose(value)?,
            "client_encoding" | "names" => {
                let plain: String =
                    value.to_lowercase().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
                if !matches!(plain.as_str(), "utf8" | "unicode" | "default") {
                    return Err(Fault::new("22023", "the encoding is UTF8"));
                }
            }
            name if COSMETICS.contains(&name) => {}
            _ => {
                return Err(
                    Fault::new("42704", "there is no such setting").hint("SET paravent.purpose = '…'")
                );
            }
        }
        Ok(Outcome::Done("SET"))
    }

    fn show(&self, name: &str) -> Result<Rows, Fault> {
        let value = match name {
            "paravent.purpose" => self.purpose.clone(),
            name => catalog::setting(name).map(str::to_owned),
        };
        let value = value.ok_or_else(|| Fault::new("42704", "there is no such setting"))?;
        let column = Column { name: name.to_owned(), oid: oid::TEXT };
        Ok(Rows { columns: vec![column], rows: vec![vec![Some(value)]] })
    }

    fn catalog(&self) -> Result<Catalog, Fault> {
        let name = &self.user.user.name;
        let asker =
            self.purpose.as_deref().map(|purpose| self.shared.policy.asker(&self.user.user.role, purpose));
        // Without a purpose nothing is visible yet.
        let asker = asker.and_then(Result::ok);
        Ok(Catalog::of(
            &self.shared.policy,
            asker.as_ref(),
            &self.shared.jobs,
            name,
            self.annotation.as_ref(),
        )
        .with_cursors(&self.prepared.cursors()))
    }

    /// Others are served meanwhile.
    fn of_catalog(&self, query: &Query, parameters: &[Option<String>]) -> Result<Rows, Fault> {
        tokio::task::block_in_place(|| self.catalog()?.answer(query, parameters))
    }

    /// The columns that a text would answer with, before its parameters are known: they do not depend on them.
    pub(crate) fn describe_unbound(&mut self, sql: &str, count: usize) -> Result<Option<Vec<Column>>, Fault> {
        let is_catalog = matches!(statement::read(sql).first(), Some(Statement::Catalog(_)));
        // A condition of a question needs a constant; a cast of the catalog fails on an empty text, and not on NULL.
        let parameter = if is_catalog { None } else { Some(String::new()) };
        self.describe(sql, &vec![parameter; count])
    }

    /// The columns that a text would answer with; none where it has no rows. Nothing is run.
    pub(crate) fn describe(
        &mut self,
        sql: &str,
        parameters: &[Option<String>],
    ) -> Result<Option<Vec<Column>>, Fault> {
        statement::checked(sql)?;
        let Some(statement) = statement::read(sql).into_iter().next() else { return Ok(None) };
        match statement {
            Statement::Question => {
                let asked = self.asked(sql, parameters)?;
                let shape = paravent_processor::shape(&self.shared.policy, &asked)?;
                Ok(Some(shape.into_iter().map(|(name, kind)| Column { name, oid: type_of(kind) }).collect()))
            }
            Statement::Catalog(query) => Ok(Some(self.of_catalog(&query, parameters)?.columns)),
            Statement::Show(name) => Ok(Some(vec![Column { name, oid: oid::TEXT }])),
            Statement::Fetch(name, _) => {
                let begun = self.prepared.portal(Some(&name))?.begun.as_ref();
                Ok(begun.map(|begun| begun.rows.columns.clone()))
            }
            _ => Ok(None),
        }
    }

    fn asked<'a>(&'a self, sql: &'a str, parameters: &'a [Option<String>]) -> Result<Asked<'a>, Fault> {
        let limits = &self.shared.limits;
        let bounds = Bounds { seconds: limits.time.as_secs(), mebibytes: limits.memory >> 20 };
        Ok(Asked {
            role: &self.user.user.role,
            purpose: self.purpose()?,
            sql,
            parameters,
            bounds: Some(bounds),
        })
    }

    /// A question, through the stages of the processor. Answers and refusals leave on a grid of time.
    async fn question(&mut self, sql: &str, parameters: &[Option<String>]) -> Result<Outcome, Fault> {
        let since = Instant::now();
        let answered = self.answered(sql, parameters).await;
        on_grid(since, self.shared.limits.grid).await;
        let answered = answered?;
        let notice = notice::summary(&answered.annotation, answered.rows.len());
        self.annotation = Some(answered.annotation);
        let columns = answered.columns.into_iter().zip(&answered.kinds);
        let columns = columns.map(|(name, kind)| Column { name, oid: type_of(*kind) }).collect();
        let rows = answered.rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        Ok(Outcome::Rows(Rows { columns, rows }, Some(notice)))
    }

    async fn answered(&self, sql: &str, parameters: &[Option<String>]) -> Result<Answered, Fault> {
        self.still_known()?;
        self.asked(sql, parameters)?;
        let too_long = || {
            Fault::new("57014", "the answer takes too long")
                .hint("Ask again later: what is finished by then is given, and costs nothing more")
        };
        let work = async {
            // Whoever waits holds no memory. The permit goes with the work, which ends by itself even if nobody waits for it any more.
            let permit = Arc::clone(&self.shared.working).acquire_owned().await;
            let permit = permit.map_err(|_| Fault::fatal("57P01", "the server is stopping"))?;
            let (shared, user) = (Arc::clone(&self.shared), self.user.user.clone());
            let purpose = self.purpose()?.to_owned();
            let (sql, parameters) = (sql.to_owned(), parameters.to_owned());
            let bounds =
                Bounds { seconds: shared.limits.time.as_secs(), mebibytes: shared.limits.memory >> 20 };
            let done = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                let asked = Asked {
                    role: &user.role,
                    purpose: &purpose,
                    sql: &sql,
                    parameters: &parameters,
                    bounds: Some(bounds),
                };
                paravent_processor::answer(&shared.policy, &asked)
            });
            match done.await {
                Ok(answered) => answered.map_err(Fault::from),
                Err(_) => Err(Fault::new("XX000", "internal error; nothing was answered")),
            }
        };
        let answered = tokio::select! {
            answered = tokio::time::timeout(self.shared.limits.time, work) => answered.unwrap_or_else(|_| Err(too_long())),
            () = self.cancelled.notified() => Err(Fault::new("57014", "stopped on request")),
        };
        if let Err(Fault { log: Some(log), .. }) = &answered {
            (self.shared.log)(log);
        }
        answered
    }

    /// Whoever was removed, or has a new password or recipient, has to log in again.
    fn still_known(&self) -> Result<(), Fault> {
        match self.shared.users.find(&self.user.user.name) {
            Ok(Some(known)) if known == self.user => Ok(()),
            _ => Err(Fault::fatal("28000", "the user has changed; log in again")),
        }
    }
}

/// Waits for the next multiple of a time since the beginning, so that the time of an answer tells little about its work.
async fn on_grid(since: Instant, grid: Duration) {
    let Some(grid) = u64::try_from(grid.as_micros()).ok().filter(|grid| *grid > 0) else { return };
    let taken = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
    let leave = since + Duration::from_micros((taken / grid + 1).saturating_mul(grid));
    tokio::time::sleep_until(leave.into()).await;
}

fn type_of(kind: Kind) -> u32 {
    match kind {
        Kind::Label => oid::TEXT,
        Kind::Count => oid::INT8,
        Kind::Number => oid::NUMERIC,
    }
}

fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(truth) => Some(if *truth { "t" } else { "f" }.to_owned()),
        // Without an exponent, which the binary form of numbers does not have.
        Value::Number(number) if number.to_string().contains(['e', 'E']) => {
            Some(number.as_f64().map_or_else(|| number.to_string(), |number| format!("{number}")))
        }
        other => Some(other.to_string()),
    }
}
