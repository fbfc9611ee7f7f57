//! Relations, promises and facts that tests of rules share.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test may stop where something is missing, and no test file uses everything"
)]

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, col, lit, table_scan};
use paravent_algebra::operator::{Generalize, Promise};
use paravent_algebra::rules::{Attempt, Facts, Rewrite, Rule, Way};
use paravent_job::{DecimalText, Model, Search};

/// donors(day, group, rhesus, age)
pub fn donors() -> LogicalPlan {
    relation("donors", &["day", "group", "rhesus", "age"])
}

/// A relation of text columns; `age`, `id` and `v` are whole numbers.
pub fn relation(name: &str, columns: &[&str]) -> LogicalPlan {
    let field = |column: &&str| match *column {
        "age" | "id" | "v" => Field::new(*column, DataType::Int64, true),
        other => Field::new(other, DataType::Utf8, true),
    };
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<Field>>());
    table_scan(Some(name), &schema, None).unwrap().build().unwrap()
}

/// The columns of a plan with these names.
pub fn columns(plan: &LogicalPlan, names: &[&str]) -> Vec<Column> {
    let find =
        |name: &&str| plan.schema().columns().into_iter().find(|column| column.name == **name).unwrap();
    names.iter().map(find).collect()
}

/// α^G[X, k](r)
pub fn alpha(quasi: &[&str], k: u32, plan: LogicalPlan) -> LogicalPlan {
    alpha_with(quasi, Promise::k_anonymity(k), plan)
}

/// α^G[X, promise](r)
pub fn alpha_with(quasi: &[&str], promise: Promise, plan: LogicalPlan) -> LogicalPlan {
    let quasi = columns(&plan, quasi);
    Generalize::plan(plan, quasi, promise).unwrap()
}

/// π
pub fn pi(names: &[&str], plan: LogicalPlan) -> LogicalPlan {
    let columns = columns(&plan, names).into_iter().map(Expr::Column);
    LogicalPlanBuilder::from(plan).project(columns).unwrap().build().unwrap()
}

/// π that removes duplicates.
pub fn pi_distinct(names: &[&str], plan: LogicalPlan) -> LogicalPlan {
    LogicalPlanBuilder::from(pi(names, plan)).distinct().unwrap().build().unwrap()
}

/// σ: the column is not this text.
pub fn sigma(column: &str, text: &str, plan: LogicalPlan) -> LogicalPlan {
    let column = col(columns(&plan, &[column]).remove(0));
    LogicalPlanBuilder::from(plan).filter(column.not_eq(lit(text))).unwrap().build().unwrap()
}

/// ∪ that keeps duplicates.
pub fn union(left: LogicalPlan, right: LogicalPlan) -> LogicalPlan {
    LogicalPlanBuilder::from(left).union(right).unwrap().build().unwrap()
}

/// ⋈ on a column that both have.
pub fn join(on: &str, left: LogicalPlan, right: LogicalPlan) -> LogicalPlan {
    let keys = (columns(&left, &[on]), columns(&right, &[on]));
    LogicalPlanBuilder::from(left).join(right, JoinType::Inner, keys, None).unwrap().build().unwrap()
}

/// k-anonymity and others, without suppression.
pub fn promise(k: u32, others: Vec<Model>) -> Promise {
    let models =
        others.into_iter().chain([Model::KAnonymity(paravent_job::models::KAnonymity { k })]).collect();
    Promise::new(models, DecimalText::from(0), Promise::k_anonymity(k).search)
}

/// k-anonymity; a tenth of the rows may be left out.
pub fn suppressing(k: u32) -> Promise {
    let plain = Promise::k_anonymity(k);
    Promise::new(plain.models, decimal("0.1"), plain.search)
}

/// k-anonymity by a search that a clock stops.
pub fn hurried(k: u32) -> Promise {
    let plain = Promise::k_anonymity(k);
    Promise::new(plain.models, DecimalText::from(0), Search { seconds: 1.0, ..plain.search })
}

/// k-anonymity in which every class has labels of its own.
pub fn local(k: u32) -> Promise {
    let plain = Promise::k_anonymity_by(k, paravent_job::Metric::Loss);
    let search = Search { recoding: paravent_job::Recoding::Local, ..plain.search };
    Promise::new(plain.models, DecimalText::from(0), search)
}

/// Distinct diversity of a column.
pub fn diverse(column: &str) -> Model {
    Model::DistinctLDiversity(paravent_job::models::DistinctLDiversity { attribute: column.to_owned(), l: 2 })
}

/// t-closeness of a column.
pub fn close(column: &str) -> Model {
    let t = decimal("0.2");
    Model::TCloseness(paravent_job::models::TCloseness {
        attribute: column.to_owned(),
        t,
        distance: Default::default(),
    })
}

/// A number as written.
pub fn decimal(text: &str) -> DecimalText {
    DecimalText::new(text).unwrap()
}

/// The same answer for every relation.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    pub rows: Option<u64>,
    pub key: Option<bool>,
    pub contained: Option<bool>,
}

/// Six rows, keys are keys, every row has a partner.
pub const TOLD: Told = Told { rows: Some(6), key: Some(true), contained: Some(true) };

impl Facts for Told {
    fn labels_from_data(&self, _relation: &LogicalPlan, _column: &Column) -> Option<bool> {
        Some(false)
    }

    fn rows(&self, _relation: &LogicalPlan) -> Option<u64> {
        self.rows
    }

    fn is_key(&self, _relation: &LogicalPlan, _columns: &[Column]) -> Option<bool> {
        self.key
    }

    fn contained(&self, _left: (&LogicalPlan, &[Column]), _right: (&LogicalPlan, &[Column])) -> Option<bool> {
        self.contained
    }

    fn least_level(&self, _column: &Column) -> Option<u32> {
        Some(0)
    }
}

pub fn rule(id: &str) -> &'static dyn Rule {
    paravent_algebra::rules::rule(id).unwrap()
}

/// The plan as lines.
pub fn lines(plan: &LogicalPlan) -> String {
    plan.display_indent().to_string()
}

pub fn rewritten(id: &str, way: Way, plan: &LogicalPlan, facts: &dyn Facts) -> Rewrite {
    match rule(id).attempt(plan, way, facts).unwrap() {
        Attempt::Rewritten(rewrite) => rewrite,
        other => panic!("{id} {way}: {other:?} for\n{}", lines(plan)),
    }
}

pub fn refusal(id: &str, way: Way, plan: &LogicalPlan, facts: &dyn Facts) -> String {
    match rule(id).attempt(plan, way, facts).unwrap() {
        Attempt::Refused(because) => because,
        other => panic!("{id} {way}: {other:?} for\n{}", lines(plan)),
    }
}

pub fn fits_not(id: &str, way: Way, plan: &LogicalPlan) {
    assert_eq!(
        rule(id).attempt(plan, way, &TOLD).unwrap(),
        Attempt::NoMatch,
        "{id} {way} for\n{}",
        lines(plan)
    );
}

/// Asserts that a rule turns one plan into another; plans are shown as their lines without indentation marks.
#[track_caller]
pub fn becomes(id: &str, way: Way, plan: &LogicalPlan, before: &str, after: &str) -> Rewrite {
    assert_eq!(lines(plan), tidy(before), "the plan before");
    let rewrite = rewritten(id, way, plan, &TOLD);
    assert_eq!(lines(&rewrite.plan), tidy(after), "the plan after {id} {way}");
    let columns = |plan: &LogicalPlan| -> Vec<(Column, DataType)> {
        let types = plan.schema().fields().iter().map(|field| field.data_type().clone());
        plan.schema().columns().into_iter().zip(types).collect()
    };
    assert_eq!(columns(plan), columns(&rewrite.plan), "the columns after {id} {way}");
    rewrite
}

/// Lines without the indentation that they have in the test.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let margin = lines.iter().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let lines: Vec<&str> = lines.into_iter().map(|line| &line[margin..]).collect();
    lines.join("\n")
}
