//! The stages in their order.

use crate::adapt::{Adapted, Part, Threshold, Way, adapt, joins};
use crate::asked::{Answered, Asked};
use crate::kept::Form;
use crate::plan::Relation;
use crate::question::{Figure, Kind, Question};
use crate::refusal::{AskError, Refusal};
use crate::state::people::Exact;
use crate::state::{State, today, too_many};
use crate::{annotation, audit, clip, consent, exact, kept, microdata, nodes, plan, view};
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
    /// By table: the conditions of the policy.
    selections: Vec<Vec<Expr>>,
    /// By table: the columns that they read.
    raw: Vec<BTreeSet<String>>,
}

impl Ready<'_> {
    /// The tables of the plan, each as `table` gives it.
    fn relations(
        &self,
        table: impl Fn(&Part<'_>, &BTreeSet<String>, &[Expr]) -> Result<MemTable, AskError>,
    ) -> Result<Vec<Relation>, AskError> {
        let all = self.adapted.parts.iter().zip(&self.raw).zip(&self.selections);
        all.map(|((part, raw), selections)| {
            let table: Arc<dyn TableProvider> = Arc::new(table(part, raw, selections)?);
            Ok(Relation { table, selections: selections.clone() })
        })
        .collect()
    }

    /// The tables with the rows that exist; of a join, those that count.
    fn read(
        &self,
        exists: &dyn Fn(Option<&str>) -> bool,
        watch: &dyn Watch,
    ) -> Result<Vec<Relation>, AskError> {
        self.relations(|part, raw, selections| {
            let rows = view::read(&self.adapted, part, raw, exists, watch)?;
            let rows = match self.adapted.is_join() {
                true => clip::joined_rows(&self.adapted, part, selections, rows, &self.session)?,
                false => rows,
            };
            view::table(rows)
        })
    }

    /// The same tables without rows.
    fn empty(&self) -> Result<Vec<Relation>, AskError> {
        self.relations(|part, raw, _| {
            let schema = Arc::new(view::schema(&self.adapted, part, raw));
            MemTable::try_new(schema, vec![vec![]]).map_err(|_| AlgebraError::Internal.into())
        })
    }
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
    answer_watched(policy, &Asked { role, purpose, sql, parameters: &[], bounds: None }, None, watch)
}

/// What a node works out of an answer, for somebody who has nothing but that and its annotation.
///
/// # Errors
/// A refusal, also where the node cannot do what must be done before anything may leave it; or why nothing can be answered.
pub fn fragment(
    policy: &Policy,
    role: &str,
    purpose: &str,
    sql: &str,
    at: nodes::At<'_>,
) -> Result<Answered, AskError> {
    let asked = Asked { role, purpose, sql, parameters: &[], bounds: None };
    answer_watched(policy, &asked, Some(at), &Unwatched)
}

/// Answers a question with parameters.
///
/// # Errors
/// As [`ask`].
pub fn answer(policy: &Policy, asked: &Asked<'_>) -> Result<Answered, AskError> {
    answer_watched(policy, asked, None, &Unwatched)
}

fn answer_watched(
    policy: &Policy,
    asked: &Asked<'_>,
    at: Option<nodes::At<'_>>,
    watch: &dyn Watch,
) -> Result<Answered, AskError> {
    let Asked { role, purpose, sql, parameters, bounds } = *asked;
    let jobs = jobs(policy)?;
    let mut ready = ready(policy, role, purpose, Question::bound(sql, parameters)?, &jobs)?;
    let form = match at {
        Some(at) => nodes::form(policy, &ready.adapted, at)?,
        None => Form::Whole,
    };
    let here = |mut answered: Answered| {
        if let Some(node) = nodes::told(policy, at) {
            answered.annotation["node"] = json!({ "name": node.name, "zone": node.zone.to_string() });
        }
        answered
    };
    if let Some(bounds) = bounds {
        ready.session.set("seconds", &bounds.seconds.max(1).to_string())?;
        ready.session.set("memory", &format!("{}MiB", bounds.mebibytes.max(1)))?;
    }
    // A plan over an empty table is audited first: what it may do does not depend on rows.
    audited(policy, &ready, form, &ready.empty()?)?;
    let state = State::open(&policy.state_folder())?;
    let files = ready.adapted.parts.iter().map(table_file);
    let data = files.map(|file| digest(file?).map_err(|error| AlgebraError::Read(error).into()));
    let data: Vec<String> = data.collect::<Result<_, AskError>>()?;
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
    let parts =
        [&canonical(&ready.adapted), &data.join(" "), &policy.version(), &recipient.group, &agreement];
    let name = state.name(&parts.map(String::as_str));
    if let Some(earlier) = state.earlier(&name)? {
        return kept::told(&ready.adapted, &earlier, form, asked, true).map(here);
    }
    let mut register = Exact::open(&state)?;
    if let Some(per_day) = recipient.answers_per_day {
        let exact = u32::try_from(register.on_day(&recipient.group, &today())).unwrap_or(u32::MAX);
        if state.answers_today(&recipient.group)?.saturating_add(exact) >= per_day {
            return Err(too_many(per_day).into());
        }
    }
    let data: Vec<String> = data.iter().map(|data| state.name(&["data", data])).collect();
    let group = &recipient.group;
    let (about, kin) = (&ready.adapted.first().known_as, &ready.adapted.first().kin);
    let (rows, annotation) = match ready.adapted.way.clone() {
        Way::Noisy(noise) => {
            let book = Book::on_disk(Some(&state.ledger()), ready.session.catalog().job());
            ready.session.keep_book(book.towards(group));
            // Who cannot pay is told so before a row is read. The payment itself is on disk before the noise is drawn.
            ready.session.would_pay(noise.epsilon.as_str(), plan::delta(&noise)).map_err(spent)?;
            let plan = audited(policy, &ready, form, &ready.read(&exists, watch)?)?;
            let answer = ready.session.run_plan(plan).map_err(spent)?;
            let rows = answer.cells()?.iter().map(|row| row.iter().map(value).collect()).collect();
            let annotation = annotation::noisy(policy, &ready.adapted, &noise, &data, &answer.accounts);
            (without_small(rows, &ready.adapted), annotation)
        }
        Way::Exact(threshold) => {
            exact::room(&register, group, about, kin)?;
            let batches =
                ready.session.read_plan(audited(policy, &ready, form, &ready.read(&exists, watch)?)?)?;
            let released = exact::answer(&ready.adapted, &threshold, &batches, &state, &mut register, &name)?;
            let annotation = annotation::exact(policy, &ready.adapted, &threshold, &data, &released);
            (released.rows, annotation)
        }
        Way::Rows(demand) => {
            microdata::once(&register, group, kin, &name)?;
            let batches =
                ready.session.read_plan(audited(policy, &ready, form, &ready.read(&exists, watch)?)?)?;
            let released = microdata::release(&ready.adapted, &demand, &batches)?;
            if !released.rows.is_empty() && register.rows(group, about).is_none() {
                register.add_rows(&name, group, about)?;
            }
            let annotation = annotation::rows(policy, &ready.adapted, &demand, &data, &released);
            (released.rows, annotation)
        }
    };
    let kept =
        json!({ "columns": plan::answer_columns(&ready.adapted), "rows": rows, "annotation": annotation });
    state.keep(&name, &kept)?;
    kept::told(&ready.adapted, &kept, form, asked, false).map(here)
}

/// Says what would become of a question. No table is read, and nothing is paid.
///
/// # Errors
/// A refusal, as [`ask`] would give it.
pub fn explain(policy: &Policy, role: &str, purpose: &str, sql: &str) -> Result<Explained, AskError> {
    let jobs = jobs(policy)?;
    let ready = ready(policy, role, purpose, Question::read(sql)?, &jobs)?;
    let plan = audited(policy, &ready, Form::Whole, &ready.empty()?)?;
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
    let session = Session::new(catalog(&adapted))?;
    let state = session.context().state();
    let selections: Vec<Vec<Expr>> = adapted
        .parts
        .iter()
        .map(|part| plan::selections(part, policy, &state))
        .collect::<Result<_, AskError>>()?;
    let raw = selections.iter().map(|own| plan::read_by(own)).collect();
    Ok(Ready { adapted, session, selections, raw })
}

/// What the engine knows of the columns: whose rows the tables have, and what the recipient may spend.
pub fn catalog(adapted: &Adapted<'_>) -> Catalog {
    let mut job = adapted.first().job.clone();
    job.privacy.person = joins::key_columns(adapted.first().table);
    job.privacy.budget = adapted.asker.recipient.budget.as_ref().map(|budget| budget.limit.clone());
    adapted.parts.iter().skip(1).fold(Catalog::of_job(job), |all, part| {
        all.with_link(&part.table.name, joins::key_columns(part.table))
    })
}

/// The plan over tables, looked at by the auditor.
fn audited(
    policy: &Policy,
    ready: &Ready<'_>,
    form: Form,
    relations: &[Relation],
) -> Result<LogicalPlan, AskError> {
    let asker = ready.adapted.asker;
    let tables: Vec<&str> = ready.adapted.question.tables.iter().map(String::as_str).collect();
    let case =
        audit::Case { policy, role: &asker.recipient.role, purpose: asker.purpose, tables: &tables, form };
    let state = ready.session.context().state();
    match &ready.adapted.way {
        Way::Noisy(noise) => {
            let plan = plan::guarded(&ready.adapted, noise, relations)?;
            let Some(guard) = Operator::of(&plan) else {
                return Err(AskError::Audit("no guard at the root"));
            };
            let physical = ready.session.physical(guard.input().clone())?;
            audit::audit(case, &plan, &physical, &state).map_err(AskError::Audit)?;
            Ok(plan)
        }
        Way::Exact(threshold) => {
            let plan = plan::existing(&ready.adapted, relations)?;
            let physical = ready.session.physical(plan.clone())?;
            let figures = exact_figures(&ready.adapted, threshold);
            audit::audit_exact(case, &figures, &plan, &physical, &state).map_err(AskError::Audit)?;
            Ok(plan)
        }
        Way::Rows(demand) => {
            let plan = plan::existing(&ready.adapted, relations)?;
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
        contribution: adapted.contribution,
    }
}

fn table_file(part: &Part<'_>) -> Result<PathBuf, AskError> {
    match &part.job.input.source {
        InputSource::File(path) => Ok(part.job.resolve(path)),
        InputSource::Stdin | InputSource::Engine { .. } => {
            let problem = part.job.problem("input", "only a table in a file is answered about yet");
            Err(Problems::from(problem).into())
        }
    }
}

/// A question in one form, however it was written. Names and order of the answer's columns are not part of it.
fn canonical(adapted: &Adapted<'_>) -> String {
    let figures: Vec<String> = adapted.question.figures.iter().map(Figure::name).collect();
    let kind = matches!(adapted.way, Way::Rows(_)).then_some("rows");
    // Answers that are kept as they always were are found under the name that they always had.
    let has_halves = adapted.question.figures.iter().any(|figure| matches!(figure, Figure::Avg(_)));
    if !adapted.is_join() && !has_halves {
        let (table, conditions) = (&adapted.first().table.name, &adapted.question.conditions);
        return json!([kind, table, conditions, adapted.conditions, adapted.groups, figures]).to_string();
    }
    json!([
        // How answers are kept: another form is never taken for this one.
        2,
        kind,
        adapted.question.tables,
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
fn without_small(rows: Vec<Vec<Value>>, adapted: &Adapted<'_>) -> Vec<Vec<Value>> {
    let place = adapted.question.figures.iter().position(|figure| *figure == Figure::Count);
    let (Some(place), Some(people)) = (place, adapted.demand.min_people) else {
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
