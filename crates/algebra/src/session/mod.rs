//! Tables, settings and the way of a statement to its answer.
//!
//! ```no_run
//! use paravent_algebra::catalog::Catalog;
//! use paravent_algebra::session::Session;
//!
//! let mut session = Session::new(Catalog::empty())?;
//! session.register_file(None, "patients.csv".as_ref())?;
//! let answer = session.run("SELECT * FROM slice(patients, groups => ((age, sex), (diagnosis)), bucket => 10)")?;
//! println!("{} rows; {}", answer.rows(), answer.accounts[0]);
//! # Ok::<(), paravent_algebra::error::AlgebraError>(())
//! ```

mod answer;
mod cell;
mod counted_again;
mod created;
mod facts;
mod grouped;
mod notes;
mod order;
mod people;
mod recheck;
mod rewrite;
mod run;
mod selection;
mod settings;
mod sources;
mod table;
mod told;
mod types;
mod unchanged;

pub use crate::bounded::Limits;
pub use answer::{Answer, Explanation, GroupedRows, ShownPromise, Told};
pub use cell::Cell;
pub use facts::MeasuredFacts;
pub use rewrite::{Rewriting, Wish, Written};
pub use settings::Settings;
pub use table::name_of;

use crate::bounded::{Bounds, collect_in_order, environment, replace_functions};
use crate::catalog::Catalog;
use crate::error::AlgebraError;
use crate::ledger::Book;
use crate::lower::{Compare, Key, Truth, World};
use crate::operator::Operator;
use crate::rules::Choice;
use crate::sql::{Draws, Exact, OperatorPlanner, Request};
use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::FutureExt;
use paravent_noise::budget::Cost;
use paravent_prepare::threads::can_be_made;
use run::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Deep plans are walked by recursion; a statement that the limits let through must not exhaust the stack.
const STACK: usize = 256 << 20;

/// What the threads of a session are called. A panic on one of them is the engine's and becomes an error of the statement.
pub const THREAD: &str = "paravent-sql";

/// How long work that does not look at the clock is waited for beyond its time.
const GRACE: Duration = Duration::from_secs(2);

/// Tables to ask questions about, and how to answer them.
pub struct Session {
    /// Taken only when the session ends.
    runtime: Option<Runtime>,
    context: SessionContext,
    catalog: Arc<Catalog>,
    draws: Arc<Draws>,
    world: Arc<World>,
    settings: Settings,
    bounds: Arc<Bounds>,
    tables: BTreeMap<String, Vec<String>>,
    /// Names of the table that the job is about.
    own: BTreeSet<String>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("tables", &self.tables)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session without tables.
    pub fn new(catalog: Catalog) -> Result<Session, AlgebraError> {
        let failed = |_| AlgebraError::Failed("the operating system gives no threads".to_owned());
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        // The runtime would panic. One more thread does what may block.
        can_be_made(workers + 1, Some(STACK)).map_err(failed)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .thread_name(THREAD)
            .thread_stack_size(STACK)
            .enable_time()
            .build()
            .map_err(failed)?;
        let catalog = Arc::new(catalog);
        let draws = Arc::new(Draws::default());
        let planner = OperatorPlanner { catalog: Arc::clone(&catalog), draws: Arc::clone(&draws) };
        // One partition: sums of floating-point numbers and ties do not depend on threads. Counts do not either, and are made on all cores.
        let bounds = Arc::new(Bounds::new(Settings::default().limits));
        let mut config = SessionConfig::new()
            .with_target_partitions(1)
            .with_information_schema(true)
            .with_extension(Arc::clone(&bounds));
        let planning = |error| AlgebraError::planning(&error);
        // A slicing cuts its relation into windows of its order, so an order inside parentheses has a meaning.
        config.options_mut().sql_parser.enable_subquery_sort_elimination = false;
        let state = SessionStateBuilder::new()
            .with_config(config)
            .with_runtime_env(environment(&bounds).map_err(planning)?)
            .with_default_features()
            .with_relation_planners(vec![Arc::new(planner)])
            .build();
        // A state that is derived from this one must not make a second, empty catalog in its place.
        let mut state = SessionStateBuilder::new_from_existing(state).build();
        replace_functions(&mut state).map_err(planning)?;
        let context = SessionContext::new_with_state(state);
        let ledger = Book::of_job_in_memory(catalog.job());
        let world = Arc::new(World {
            context: context.clone(),
            catalog: catalog.as_ref().clone(),
            key: Key::random()?,
            ledger: Mutex::new(ledger),
            compare: Compare::default(),
        });
        let (settings, tables, own) = (Settings::default(), BTreeMap::new(), BTreeSet::new());
        Ok(Session { runtime: Some(runtime), context, catalog, draws, world, settings, bounds, tables, own })
    }

    /// In how many partitions rows are counted for α^G: those of the machine unless said otherwise. It changes no answer.
    pub fn set_partitions(&mut self, partitions: usize) {
        self.bounds.set_partitions(partitions);
    }

    /// Reads a file and makes it a table, called as given or else after the file. Gives back the name.
    pub fn register_file(&mut self, name: Option<&str>, path: &Path) -> Result<String, AlgebraError> {
        let name = name.map_or_else(|| name_of(path), str::to_lowercase);
        let table = table::read(path, &self.catalog)?;
        self.register(&name, Arc::new(table))?;
        self.book().add_table((path.as_os_str() != "-").then_some(path));
        if table::is_own(path, &self.catalog) {
            self.own.insert(name.clone());
        }
        Ok(name)
    }

    /// Makes anything that the engine can scan a table.
    pub fn register(&mut self, name: &str, table: Arc<dyn TableProvider>) -> Result<(), AlgebraError> {
        if self.tables.contains_key(name) {
            return Err(AlgebraError::statement(format!(
                "there are two tables called {name}; name one of them: other={name}.csv"
            )));
        }
        let columns = table.schema().fields().iter().map(|field| field.name().clone()).collect();
        // In quotes: whatever the name holds, it is one name.
        let quoted = format!("\"{}\"", name.replace('"', "\"\""));
        self.context.register_table(quoted, table).map_err(|error| AlgebraError::planning(&error))?;
        self.tables.insert(name.to_owned(), columns);
        Ok(())
    }

    /// From now on these rules are applied to every statement, one after the other, each wherever it fits; no others are. What one of them
    /// owes is checked before anybody sees a row.
    pub fn apply_in_turn(&mut self, rules: Vec<Choice>) {
        self.settings.in_turn = rules;
    }

    /// From now on no quasi-identifier of the job leaves as it is, whichever operator is beside it.
    pub fn release_nothing_exact(&mut self) {
        self.settings.exact = Exact::Nowhere;
    }

    /// Says in which place a relation of plans lives. Relations that are not named live with whoever asks.
    pub fn live_at(&mut self, relation: &str, place: &str) {
        Arc::make_mut(&mut self.settings.sites).insert(relation.to_owned(), place.to_owned());
    }

    /// Whether a table is the one that the job is about.
    pub fn is_own(&self, table: &str) -> bool {
        self.own.contains(table)
    }

    /// The tables with their columns.
    pub fn tables(&self) -> &BTreeMap<String, Vec<String>> {
        &self.tables
    }

    /// What is known about columns.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// The engine behind it, with the tables of this session.
    pub fn context(&self) -> &SessionContext {
        &self.context
    }

    /// How statements are run.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes a setting, as `SET paravent.name = value` does.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), AlgebraError> {
        let before = self.settings.seed;
        self.settings.set(name, value)?;
        self.bounds.set(self.settings.limits);
        if self.settings.seed != before {
            let key = self.settings.seed.map_or_else(Key::random, |seed| Ok(Key::from_seed(seed)))?;
            self.remake(key, self.world.compare);
        }
        Ok(())
    }

    /// Lets slicings say what they kept of every two columns, with figures of the table before: for the house, not for a reader of the result. No statement can ask for it.
    pub fn compare_slicings(&mut self) {
        self.remake(self.world.key.clone(), Compare::Pairs);
    }

    fn remake(&mut self, key: Key, compare: Compare) {
        let (context, catalog) = (self.context.clone(), self.catalog.as_ref().clone());
        // What was spent stays spent.
        let ledger = Mutex::new(self.take_book());
        self.world = Arc::new(World { context, catalog, key, ledger, compare });
    }

    /// Where noisy answers are paid from. Belongs before the tables; unless it is called, costs are counted for the length of the session.
    pub fn keep_book(&mut self, book: Book) {
        *self.book() = book;
    }

    /// Whether an answer of so much could be paid now. Writes nothing, and nothing may be drawn on it.
    ///
    /// # Errors
    /// Where there would be no grant.
    pub fn would_pay(&self, epsilon: &str, delta: Option<&str>) -> Result<(), AlgebraError> {
        let cost = Cost::parse(epsilon, delta).map_err(|_| AlgebraError::Internal)?;
        match self.book().would_grant(&cost) {
            Ok(_) => Ok(()),
            Err(error) => Err(AlgebraError::Ledger(Box::new(error))),
        }
    }

    /// Spends less than the owner allows, all statements together; without δ, the owner's stays.
    ///
    /// # Errors
    /// If it is more.
    pub fn lower_budget(&mut self, epsilon: &str, delta: Option<&str>) -> Result<(), AlgebraError> {
        self.book().lower(epsilon, delta).map_err(|error| AlgebraError::Ledger(Box::new(error)))
    }

    fn book(&self) -> std::sync::MutexGuard<'_, Book> {
        self.world.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_book(&self) -> Book {
        std::mem::replace(&mut *self.book(), Book::in_memory(Cost::nothing()))
    }

    /// Runs a statement.
    pub fn run(&mut self, sql: &str) -> Result<Answer, AlgebraError> {
        match self.parse(sql)? {
            Request::Set { name, value } => {
                self.set(&name, &value)?;
                run::lines("setting", &format!("paravent.{name} = {value}"))
            }
            Request::Rows(statement) => {
                let run = self.start();
                self.wait(async move { run.rows(run.plan(statement).await?).await })
            }
            Request::Explain(statement) => {
                let run = self.start();
                let explanation = self.wait(async move { run.explain(run.plan(statement).await?).await })?;
                let answer = run::lines("plan", &explanation.to_string())?;
                Ok(Answer { trace: explanation.trace, ..answer })
            }
        }
    }

    /// Says how a query would be run. Shows no number that comes from the data.
    pub fn explain(&mut self, sql: &str) -> Result<Explanation, AlgebraError> {
        match self.parse(sql)? {
            Request::Rows(statement) | Request::Explain(statement) => {
                let run = self.start();
                self.wait(async move { run.explain(run.plan(statement).await?).await })
            }
            Request::Set { .. } => Err(AlgebraError::statement("EXPLAIN is for queries")),
        }
    }

    /// The plan of a query as it is written, with the operators in it.
    pub fn plan(&mut self, sql: &str) -> Result<LogicalPlan, AlgebraError> {
        match self.parse(sql)? {
            Request::Rows(statement) | Request::Explain(statement) => {
                let run = self.start();
                self.wait(async move { run.plan(statement).await })
            }
            Request::Set { .. } => Err(AlgebraError::statement("a setting has no plan")),
        }
    }

    /// The true figures behind the one `private` of a query, without paying for them: for an [audit](crate::audit), which draws many answers and
    /// shows none.
    pub fn audit(&mut self, sql: &str) -> Result<Truth, AlgebraError> {
        match self.parse(sql)? {
            Request::Rows(statement) => {
                let run = self.start();
                self.wait(async move { run.truth(run.plan(statement).await?).await })
            }
            _ => Err(AlgebraError::statement("an audit is for queries")),
        }
    }

    /// How the engine would run a plan without operators of ours: for an auditor, who looks at what is read.
    pub fn physical(&self, plan: LogicalPlan) -> Result<Arc<dyn ExecutionPlan>, AlgebraError> {
        let state = self.context.state();
        self.wait(async move {
            state.create_physical_plan(&plan).await.map_err(|error| AlgebraError::planning(&error))
        })
    }

    /// Runs a plan over tables of this session.
    pub fn run_plan(&mut self, plan: LogicalPlan) -> Result<Answer, AlgebraError> {
        let run = self.start();
        self.wait(async move { run.rows(plan).await })
    }

    /// The rows of a plan without operators of ours, in their order, for the house itself: nothing here asks what may leave it.
    pub fn read_plan(&self, plan: LogicalPlan) -> Result<Vec<RecordBatch>, AlgebraError> {
        let context = self.context.clone();
        // Whatever goes wrong has one wording: an error must not tell of a cell.
        self.wait(async move {
            collect_in_order(&context, plan)
                .await
                .map_err(|_| AlgebraError::Failed("the rows could not be read within the limits".to_owned()))
        })
    }

    /// Whether a statement, or a plan in XML, draws noise, which is paid for.
    ///
    /// # Errors
    /// If it has no plan.
    pub fn draws_noise(&mut self, statement: &str) -> Result<bool, AlgebraError> {
        let plan = match statement.trim_start().starts_with('<') {
            true => {
                let (document, tables) = (statement.to_owned(), self.tables.clone());
                self.wait(async move { rewrite::document(&document, &tables) })?
            }
            false => self.plan(statement)?,
        };
        let mut draws = false;
        let looked = plan.apply_with_subqueries(|node| {
            draws |= matches!(Operator::of(node), Some(Operator::Randomize(_) | Operator::Private(_)));
            Ok(if draws { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        });
        looked.map(|_| draws).map_err(|error| AlgebraError::planning(&error))
    }

    /// Runs a plan that is written as a document, over the tables of this session that its relations are called after.
    pub fn run_xml(&mut self, document: &str) -> Result<Answer, AlgebraError> {
        let (document, tables) = (document.to_owned(), self.tables.clone());
        let run = self.start();
        self.wait(async move {
            let plan = rewrite::document(&document, &tables)?;
            let plan = sources::with_rows(plan, &run.world.context).await;
            run.rows(plan.map_err(|error| AlgebraError::planning(&error))?).await
        })
    }

    fn parse(&self, sql: &str) -> Result<Request, AlgebraError> {
        let sql = sql.to_owned();
        self.wait(async move { Request::parse(&sql).map_err(|error| AlgebraError::planning(&error)) })
    }

    fn start(&self) -> Run {
        match self.settings.seed {
            Some(_) => self.draws.restart(),
            None => self.draws.fresh(),
        }
        Run {
            world: Arc::clone(&self.world),
            catalog: Arc::clone(&self.catalog),
            settings: self.settings.clone(),
            own: self.own.clone(),
        }
    }

    /// Hands work over to the session's own threads and waits, so that it makes no difference on which thread the session is used.
    fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, AlgebraError>> + Send + 'static,
    ) -> Result<T, AlgebraError> {
        let Some(runtime) = &self.runtime else { return Err(AlgebraError::Internal) };
        let (done, outcome) = mpsc::channel();
        let time = self.bounds.time();
        runtime.spawn(async move {
            // Dropping the work when its time is up takes its queries with it.
            let ended = match AssertUnwindSafe(tokio::time::timeout(time, work)).catch_unwind().await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => Err(AlgebraError::out_of_time()),
                Err(_) => Err(AlgebraError::panicked()),
            };
            // Nobody waits any more only if the waiting thread has ended, or gave up.
            let _ = done.send(ended);
        });
        match outcome.recv_timeout(time.saturating_add(GRACE)) {
            Ok(outcome) => outcome,
            Err(mpsc::RecvTimeoutError::Timeout) => Err(AlgebraError::out_of_time()),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(AlgebraError::panicked()),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
