//! The stages in their order.

use crate::adapt::{Adapted, Threshold, Way, adapt};
use crate::question::{Figure, Kind, Question, Shown};
use crate::refusal::{AskError, Refusal};
use crate::state::people::Exact;
use crate::state::{State, today, too_many};
use crate::{annotation, audit, consent, exact, microdata, plan, view};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::{Expr, LogicalPlan};
use paravent_algebra::catalog::Catalog;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::operator::Operator;
use paravent_algebra::session::{Cell, Session};
use paravent_job::{InputSource, Job, Problems};
use paravent_ledger::{Book, BookError};
use paravent_policy::{Policy, check_columns};
use paravent_prepare::study::refuse_treatments;
use paravent_tables::read::digest;
use paravent_tables::watch::{Unwatched, Watch};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

/// An answer with what it says about itself.
pub struct Answered {
    /// The columns, as the statement names them.
    pub columns: Vec<String>,
    /// What their cells are.
    pub kinds: Vec<Kind>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// What was done.
    pub annotation: Value,
}

/// Cells stay out of logs.
impl std::fmt::Debug for Answered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answered")
            .field("columns", &self.columns)
            .field("rows", &self.rows.len())
            .finish_non_exhaustive()
    }
}

/// What would become of a question.
#[derive(Debug)]
pub struct Explained {
    /// What would be changed.
    pub adaptations: Vec<Value>,
    /// The rules that take part.
    pub rules: BTreeSet<String>,
    /// The columns that would be read, with their use and level.
    pub reads: Vec<String>,
    /// The plan, with its guard at the root.
    pub plan: String,
    /// What the answer would cost, if it was not given before.
    pub epsilon: String,
    /// The same.
    pub delta: String,
    /// Figures would have no noise; they are held against earlier answers instead.
    pub is_exact: bool,
}

/// A question that the policy allows, planned and audited. No row has been read.
struct Ready<'p> {
    adapted: Adapted<'p>,
    session: Session,
    selections: Vec<Expr>,
    raw: BTreeSet<String>,
}

/// Answers a question.
///
/// # Errors
/// A refusal, or why nothing can be answered.
pub fn ask(policy: &Policy, role: &str, purpose: &str, sql: &str) -> Result<Answered, AskError> {
    ask_watched(policy, role, purpose, sql, &Unwatched)
}

/// Like [`ask`], for somebody who watches and may stop it while the table is read. Nothing is paid or kept before that, and what is paid for is answered.
///
/// # Errors
/// A refusal, or why nothing can be answered.
pub fn ask_watched(
    policy: &Policy,
    role: &str,
    purpose: &str,
    sql: &str,
    watch: &dyn Watch,
) -> Result<Answered, AskError> {
    answer_watched(policy, &Asked { role, purpose, sql, parameters: &[], bounds: None }, watch)
}

/// A statement, and who puts it.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The recipient.
    pub role: &'a str,
    /// What for.
    pub purpose: &'a str,
    /// The statement.
    pub sql: &'a str,
    /// `$1` is the first of them; none is NULL.
    pub parameters: &'a [Option<String>],
    /// What it may take; the engine's own limits where nothing is said.
    pub bounds: Option<Bounds>,
}

/// Constants may be cells, so they are not shown.
impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("role", &self.role)
            .field("purpose", &self.purpose)
            .finish_non_exhaustive()
    }
}

/// What a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Seconds of the SQL engine; at least 1.
    pub seconds: u64,
    /// MiB that the SQL engine keeps beside the table; at least 1.
    pub mebibytes: u64,
}

/// Answers a question with parameters.
///
/// # Errors
/// As [`ask`].
pub fn answer(policy: &Policy, asked: &Asked<'_>) -> Result<Answered, AskError> {
    answer_watched(policy, asked, &Unwatched)
}

fn answer_watched(policy: &Policy, asked: &Asked<'_>, watch: &dyn Watch) -> Result<Answered, AskError> {
    let Asked { role, purpose, sql, parameters, bounds } = *asked;
    let jobs = jobs(policy)?;
    let mut ready = ready(policy, role, purpose, Question::bound(sql, parameters)?, &jobs)?;
    if let Some(bounds) = bounds {
        ready.session.set("seconds", &bounds.seconds.max(1).to_string())?;
        ready.session.set("memory", &format!("{}MiB", bounds.mebibytes.max(1)))?;
    }
    // A plan over an empty table is audited first: what it may do does not depend on rows.
    let empty = MemTable::try_new(Arc::new(view::schema(&ready.adapted, &ready.raw)), vec![vec![]])
        .map_err(|_| AlgebraError::Internal)?;
    audited(policy, &ready, Arc::new(empty))?;
    let state = State::open(&policy.state_folder())?;
    let data = digest(table_file(&ready.adapted)?).map_err(AlgebraError::Read)?;
    let recipient = ready.adapted.asker.recipient;
    let cover = match &ready.adapted.way {
        Way::Noisy(_) => consent::Cover::Noise,
        Way::Exact(_) | Way::Rows(_) => consent::Cover::None,
    };
    let agreed = consent::in_effect(policy, purpose, cover, &state)?;
    let exists = |person: Option<&str>| match (&agreed, person) {
        (None, _) => true,
        (Some(agreed), Some(person)) => agreed.contains(&consent::number(&state, person)),
        (Some(_), None) => false,
    };
    let agreement = state.name(&["agreed", &format!("{agreed:?}")]);
    let parts = [&canonical(&ready.adapted), &data, &policy.version(), &recipient.group, &agreement];
    let name = state.name(&parts.map(String::as_str));
    if let Some(earlier) = state.earlier(&name)? {
        return Ok(told(&ready.adapted, &earlier, role, sql, true));
    }
    let mut register = Exact::open(&state)?;
    if let Some(per_day) = recipient.answers_per_day {
        let exact = u32::try_from(register.on_day(&recipient.group, &today())).unwrap_or(u32::MAX);
        if state.answers_today(&recipient.group)?.saturating_add(exact) >= per_day {
            return Err(too_many(per_day).into());
        }
    }
    let data = state.name(&["data", &data]);
    let (rows, annotation) = match ready.adapted.way.clone() {
        Way::Noisy(noise) => {
            let book = Book::on_disk(Some(&state.ledger()), ready.session.catalog().job());
            ready.session.keep_book(book.towards(&recipient.group));
            let table = Arc::new(view::read(&ready.adapted, &ready.raw, &exists, watch)?);
            let plan = audited(policy, &ready, table)?;
            let answer = ready.session.run_plan(plan).map_err(spent)?;
            let rows = answer.cells()?.iter().map(|row| row.iter().map(value).collect()).collect();
            let annotation = annotation::noisy(policy, &ready.adapted, &noise, &data, &answer.accounts);
            (without_small(rows, &ready.adapted, policy), annotation)
        }
        Way::Exact(threshold) => {
            exact::room(&register, &recipient.group, &ready.adapted.table.name)?;
            let table = Arc::new(view::read(&ready.adapted, &ready.raw, &exists, watch)?);
            let batches = ready.session.read_plan(audited(policy, &ready, table)?)?;
            let released = exact::answer(&ready.adapted, &threshold, &batches, &state, &mut register, &name)?;
            let annotation = annotation::exact(policy, &ready.adapted, &threshold, &data, &released);
            (released.rows, annotation)
        }
        Way::Rows(demand) => {
            microdata::once(&register, &recipient.group, &ready.adapted.table.name, &name)?;
            let table = Arc::new(view::read(&ready.adapted, &ready.raw, &exists, watch)?);
            let batches = ready.session.read_plan(audited(policy, &ready, table)?)?;
            let released = microdata::release(&ready.adapted, &demand, &batches)?;
            if !released.rows.is_empty()
                && register.rows(&recipient.group, &ready.adapted.table.name).is_none()
            {
                register.add_rows(&name, &recipient.group, &ready.adapted.table.name)?;
            }
            let annotation = annotation::rows(policy, &ready.adapted, &demand, &data, &released);
            (released.rows, annotation)
        }
    };
    let kept =
        json!({ "columns": plan::answer_columns(&ready.adapted), "rows": rows, "annotation": annotation });
    state.keep(&name, &kept)?;
    Ok(told(&ready.adapted, &kept, role, sql, false))
}

/// Says what would become of a question. No table is read, and nothing is paid.
///
/// # Errors
/// A refusal, as [`ask`] would give it.
pub fn explain(policy: &Policy, role: &str, purpose: &str, sql: &str) -> Result<Explained, AskError> {
    let jobs = jobs(policy)?;
    let ready = ready(policy, role, purpose, Question::read(sql)?, &jobs)?;
    let empty = MemTable::try_new(Arc::new(view::schema(&ready.adapted, &ready.raw)), vec![vec![]])
        .map_err(|_| AlgebraError::Internal)?;
    let plan = audited(policy, &ready, Arc::new(empty))?;
    let noise = match &ready.adapted.way {
        Way::Noisy(noise) => Some(noise.clone()),
        Way::Exact(_) | Way::Rows(_) => None,
    };
    Ok(Explained {
        reads: plan::view_columns(&ready.adapted, &ready.raw),
        // Constants of conditions are the asker's own.
        plan: plan.display_indent().to_string(),
        epsilon: noise.as_ref().map_or_else(|| "0".to_owned(), |noise| noise.epsilon.to_string()),
        delta: noise.as_ref().map_or_else(|| "0".to_owned(), |noise| noise.delta.to_string()),
        is_exact: matches!(ready.adapted.way, Way::Exact(_)),
        adaptations: ready.adapted.adaptations,
        rules: ready.adapted.rules,
    })
}

/// The columns that an answer would have, from statement and policy alone. Nothing is planned, run or paid.
///
/// # Errors
/// A refusal, as [`answer`] would give it.
pub fn shape(policy: &Policy, asked: &Asked<'_>) -> Result<Vec<(String, Kind)>, AskError> {
    let Asked { role, purpose, sql, parameters, .. } = *asked;
    let jobs = jobs(policy)?;
    let asker = policy.asker(role, purpose).map_err(|denied| Refusal::new(denied.message, denied.advice))?;
    let adapted = adapt(policy, asker, Question::bound(sql, parameters)?, &jobs)?;
    Ok(adapted.question.shown.iter().map(|(name, shown)| (name.clone(), shown.kind())).collect())
}

fn jobs(policy: &Policy) -> Result<BTreeMap<String, Job>, AskError> {
    let jobs = check_columns(policy)?;
    for job in jobs.values() {
        refuse_treatments(job, "ask")?;
    }
    Ok(jobs)
}

/// Reading, comparing, adapting. May refuse; has seen no row.
fn ready<'p>(
    policy: &'p Policy,
    role: &str,
    purpose: &str,
    question: Question,
    jobs: &'p BTreeMap<String, Job>,
) -> Result<Ready<'p>, AskError> {
    let asker = policy.asker(role, purpose).map_err(|denied| Refusal::new(denied.message, denied.advice))?;
    let adapted = adapt(policy, asker, question, jobs)?;
    let mut job = adapted.job.clone();
    job.privacy.person = view::person(&adapted.table.whose);
    job.privacy.budget = asker.recipient.budget.as_ref().map(|budget| budget.limit.clone());
    let session = Session::new(Catalog::of_job(job))?;
    let selections = plan::selections(&adapted, policy, &session.context().state())?;
    let raw = plan::read_by(&selections);
    Ok(Ready { adapted, session, selections, raw })
}

/// The plan over a table, looked at by the auditor.
fn audited(
    policy: &Policy,
    ready: &Ready<'_>,
    table: Arc<dyn TableProvider>,
) -> Result<LogicalPlan, AskError> {
    let asker = ready.adapted.asker;
    let case = audit::Case {
        policy,
        role: &asker.recipient.role,
        purpose: asker.purpose,
        table: &ready.adapted.table.name,
    };
    let state = ready.session.context().state();
    match &ready.adapted.way {
        Way::Noisy(noise) => {
            let plan = plan::guarded(&ready.adapted, noise, &ready.selections, table)?;
            let Some(guard) = Operator::of(&plan) else {
                return Err(AskError::Audit("no guard at the root"));
            };
            let physical = ready.session.physical(guard.input().clone())?;
            audit::audit(case, &plan, &physical, &state).map_err(AskError::Audit)?;
            Ok(plan)
        }
        Way::Exact(threshold) => {
            let plan = plan::existing(&ready.adapted, &ready.selections, table)?;
            let physical = ready.session.physical(plan.clone())?;
            let figures = exact_figures(&ready.adapted, threshold);
            audit::audit_exact(case, &figures, &plan, &physical, &state).map_err(AskError::Audit)?;
            Ok(plan)
        }
        Way::Rows(demand) => {
            let plan = plan::existing(&ready.adapted, &ready.selections, table)?;
            let physical = ready.session.physical(plan.clone())?;
            let rows = audit::ShownRows {
                k: demand.k,
                models: demand.models.clone(),
                together: demand.together.clone(),
            };
            audit::audit_rows(case, &rows, &plan, &physical, &state).map_err(AskError::Audit)?;
            Ok(plan)
        }
    }
}

/// How a question would be answered, and whether a sum or mean is in it. Nothing is read.
pub(crate) fn way(policy: &Policy, role: &str, purpose: &str, sql: &str) -> Result<(Way, bool), AskError> {
    let jobs = jobs(policy)?;
    let ready = ready(policy, role, purpose, Question::read(sql)?, &jobs)?;
    let sums = ready.adapted.question.figures.iter().any(|figure| figure.column().is_some());
    Ok((ready.adapted.way, sums))
}

/// The one form that a question has, however it was written.
pub(crate) fn canonical_form(
    policy: &Policy,
    role: &str,
    purpose: &str,
    sql: &str,
) -> Result<String, AskError> {
    let jobs = jobs(policy)?;
    Ok(canonical(&ready(policy, role, purpose, Question::read(sql)?, &jobs)?.adapted))
}

/// What the auditor is told of exact figures.
pub fn exact_figures(adapted: &Adapted<'_>, threshold: &Threshold) -> audit::ExactFigures {
    let figures = adapted.question.figures.iter();
    audit::ExactFigures {
        figures: figures.map(|figure| (figure.aggregate(), figure.column().map(str::to_owned))).collect(),
        people: threshold.people,
        dominance: threshold.dominance.clone(),
        contribution: adapted.table.contribution,
    }
}

fn table_file(adapted: &Adapted<'_>) -> Result<PathBuf, AskError> {
    match &adapted.job.input.source {
        InputSource::File(path) => Ok(adapted.job.resolve(path)),
        InputSource::Stdin | InputSource::Postgres { .. } => {
            let problem = adapted.job.problem("input", "only a table in a file is answered about yet");
            Err(Problems::from(problem).into())
        }
    }
}

/// A question in one form, however it was written. Names and order of the answer's columns are not part of it.
fn canonical(adapted: &Adapted<'_>) -> String {
    let figures: Vec<String> = adapted.question.figures.iter().map(Figure::name).collect();
    let kind = matches!(adapted.way, Way::Rows(_)).then_some("rows");
    json!([
        kind,
        adapted.table.name,
        adapted.question.conditions,
        adapted.conditions,
        adapted.groups,
        figures
    ])
    .to_string()
}

/// Nothing left to spend is a refusal: it is decided from the account.
fn spent(error: AlgebraError) -> AskError {
    match &error {
        AlgebraError::Ledger(book) => match book.as_ref() {
            BookError::Overspent { .. } => Refusal::new(
                "the budget of the recipient's group does not reach for this answer",
                "Answers that were given before cost nothing",
            )
            .into(),
            _ => error.into(),
        },
        _ => error.into(),
    }
}

/// Groups whose noisy count is below the demand. Noisy figures may be looked at for free.
fn without_small(rows: Vec<Vec<Value>>, adapted: &Adapted<'_>, policy: &Policy) -> Vec<Vec<Value>> {
    let place = adapted.question.figures.iter().position(|figure| *figure == Figure::Count);
    let (Some(place), Some(people)) = (place, policy.demand(&adapted.table.name).min_people) else {
        return rows;
    };
    if adapted.groups.is_empty() {
        return rows;
    }
    let enough = |row: &Vec<Value>| {
        row[adapted.groups.len() + place].as_i64().is_some_and(|count| count >= i64::from(people))
    };
    rows.into_iter().filter(enough).collect()
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Missing => Value::Null,
        Cell::Truth(truth) => json!(truth),
        Cell::Text(text) => json!(text),
        Cell::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
    }
}

/// A kept answer with the columns of this statement.
fn told(adapted: &Adapted<'_>, kept: &Value, role: &str, sql: &str, cached: bool) -> Answered {
    let own: Vec<&str> = kept["columns"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let groups = adapted.groups.len();
    let place = |shown: &Shown| match shown {
        Shown::Group(column) => own[..groups.min(own.len())].iter().position(|name| name == column),
        Shown::Figure(figure) => {
            own.iter().skip(groups).position(|name| *name == figure.name()).map(|place| place + groups)
        }
    };
    let places: Vec<Option<usize>> = adapted.question.shown.iter().map(|(_, shown)| place(shown)).collect();
    let row = |row: &Value| -> Vec<Value> {
        places.iter().map(|place| place.map_or(Value::Null, |place| row[place].clone())).collect()
    };
    let rows: Vec<Vec<Value>> = kept["rows"].as_array().into_iter().flatten().map(row).collect();
    let mut annotation = kept["annotation"].clone();
    annotation["recipient"]["role"] = json!(role);
    annotation["query"] = json!({ "sha256": annotation::digest(sql) });
    annotation["cached"] = json!(cached);
    annotation["result"] = json!({ "rows": rows.len() });
    Answered {
        columns: adapted.question.shown.iter().map(|(name, _)| name.clone()).collect(),
        kinds: adapted.question.shown.iter().map(|(_, shown)| shown.kind()).collect(),
        rows,
        annotation,
    }
}
