//! Small relations, facts about them, and how a rule is tried at the root of a plan.
#![allow(dead_code, reason = "every test file uses its own part")]

use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::{Column, JoinType};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, table_scan};
use paravent_algebra::operator::{
    Buckets, Distribution, Draw, Noise, Overlap, Probability, Randomize, Slice, Slicing,
};
use paravent_algebra::rules::{Attempt, Facts, Rewrite, Rule, Way, catalogue};
use std::collections::BTreeMap;

pub use Way::{LeftToRight, RightToLeft};

/// A relation without data; `"r: A B C"`.
pub fn relation(text: &str) -> LogicalPlan {
    let (name, columns) = text.split_once(": ").unwrap();
    let fields: Vec<Field> = columns.split(' ').map(|name| Field::new(name, DataType::Utf8, true)).collect();
    table_scan(Some(name), &Schema::new(fields), None).unwrap().build().unwrap()
}

pub fn named(text: &str) -> Column {
    match text.split_once('.') {
        Some((relation, name)) => Column::new(Some(relation), name),
        None => Column::new_unqualified(text),
    }
}

fn quoted(text: &str) -> Expr {
    Expr::Column(named(text))
}

/// π; `"r.A r.B"`.
pub fn project(plan: LogicalPlan, columns: &str) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).project(columns.split(' ').map(quoted)).unwrap().build().unwrap()
}

pub fn distinct(plan: LogicalPlan) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).distinct().unwrap().build().unwrap()
}

pub fn filter(plan: LogicalPlan, predicate: Expr) -> LogicalPlan {
    LogicalPlanBuilder::from(plan).filter(predicate).unwrap().build().unwrap()
}

pub fn union(left: LogicalPlan, right: LogicalPlan) -> LogicalPlan {
    LogicalPlanBuilder::from(left).union(right).unwrap().build().unwrap()
}

/// ⋈ on one column of each side.
pub fn join(left: LogicalPlan, right: LogicalPlan, on: (&str, &str)) -> LogicalPlan {
    let on = (vec![named(on.0)], vec![named(on.1)]);
    LogicalPlanBuilder::from(left).join(right, JoinType::Inner, on, None).unwrap().build().unwrap()
}

/// A fixed static distribution.
pub fn uniform() -> Distribution {
    Distribution::Uniform { domain: Some(vec!["00".to_owned(), "A0".to_owned()]) }
}

pub fn noise_of(p: &str, distribution: Distribution) -> Noise {
    Noise { probability: Probability::parse(p).unwrap(), distribution }
}

/// α^D with a distribution; `"r.A 0.16, r.B 0.5"`.
pub fn randomize_from(plan: LogicalPlan, noise: &str, distribution: Distribution, draw: u64) -> LogicalPlan {
    let noise = noise.split(", ").filter(|pair| !pair.is_empty()).map(|pair| {
        let (column, p) = pair.split_once(' ').unwrap();
        (named(column), noise_of(p, distribution.clone()))
    });
    Randomize::plan(plan, noise.collect(), Draw::numbered(draw)).unwrap()
}

pub fn randomize(plan: LogicalPlan, noise: &str) -> LogicalPlan {
    randomize_from(plan, noise, uniform(), 7)
}

/// α^S; `"r.A | r.B r.C"`.
pub fn slice(plan: LogicalPlan, groups: &str, buckets: Buckets) -> LogicalPlan {
    let groups = groups.split(" | ").map(|group| group.split(' ').map(named).collect()).collect();
    let what = Slicing {
        groups,
        buckets,
        least_rows: 2,
        overlap: Overlap::Forbidden,
        draw: Draw::numbered(7),
        demands: Default::default(),
    };
    Slice::plan(plan, what).unwrap()
}

/// The plan as lines, indented.
pub fn shown(plan: &LogicalPlan) -> String {
    plan.display_indent().to_string()
}

pub fn rule(id: &str) -> &'static dyn Rule {
    catalogue().into_iter().find(|rule| rule.card().id == id).unwrap()
}

/// What is known about base relations by name.
#[derive(Debug, Default)]
pub struct Known {
    pub rows: BTreeMap<&'static str, u64>,
    /// Relations whose join columns are keys.
    pub keys: Vec<&'static str>,
    /// Whether all relations have the same IDs.
    pub same_ids: bool,
    /// Rows without an ID.
    pub missing: u64,
}

fn base(plan: &LogicalPlan) -> String {
    match plan {
        LogicalPlan::TableScan(scan) => scan.table_name.table().to_owned(),
        other => base(other.inputs()[0]),
    }
}

impl Facts for Known {
    fn labels_from_data(&self, _relation: &LogicalPlan, _column: &Column) -> Option<bool> {
        Some(false)
    }

    fn rows(&self, relation: &LogicalPlan) -> Option<u64> {
        match relation {
            LogicalPlan::Filter(_) => Some(self.missing),
            other => self.rows.get(base(other).as_str()).copied(),
        }
    }

    fn is_key(&self, relation: &LogicalPlan, _columns: &[Column]) -> Option<bool> {
        Some(self.keys.contains(&base(relation).as_str()))
    }

    fn contained(&self, _left: (&LogicalPlan, &[Column]), _right: (&LogicalPlan, &[Column])) -> Option<bool> {
        Some(self.same_ids)
    }
}

pub fn facts(rows: &[(&'static str, u64)], keys: &[&'static str], same_ids: bool) -> Known {
    Known { rows: rows.iter().copied().collect(), keys: keys.to_vec(), same_ids, missing: 0 }
}

/// Tries a rule and expects this plan.
#[track_caller]
pub fn rewrites(id: &str, way: Way, facts: &dyn Facts, before: &LogicalPlan, after: &str) -> Rewrite {
    match rule(id).attempt(before, way, facts).unwrap() {
        Attempt::Rewritten(rewrite) => {
            let expected: Vec<&str> = after.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let found = shown(&rewrite.plan);
            let found: Vec<&str> = found.lines().map(str::trim).collect();
            assert_eq!(found, expected, "{id}: {}", rewrite.because);
            assert_eq!(rewrite.plan.schema().columns(), before.schema().columns(), "{id} keeps the schema");
            assert_eq!(rewrite.plan.schema().fields(), before.schema().fields(), "{id} keeps the types");
            rewrite
        }
        other => panic!("{id} does not rewrite: {other:?}"),
    }
}

/// Tries a rule and expects a refusal that says this.
#[track_caller]
pub fn refuses(id: &str, way: Way, facts: &dyn Facts, plan: &LogicalPlan, why: &str) {
    match rule(id).attempt(plan, way, facts).unwrap() {
        Attempt::Refused(reason) => assert!(reason.contains(why), "{id} refuses because: {reason}"),
        other => panic!("{id} does not refuse: {other:?}"),
    }
}

/// Tries a rule and expects that the plan does not look like that side.
#[track_caller]
pub fn ignores(id: &str, way: Way, facts: &dyn Facts, plan: &LogicalPlan) {
    assert_eq!(rule(id).attempt(plan, way, facts).unwrap(), Attempt::NoMatch, "{id}");
}

pub fn column_is(name: &str, value: &str) -> Expr {
    quoted(name).not_eq(datafusion::logical_expr::lit(value.to_owned()))
}

pub fn volatile() -> Expr {
    use datafusion::functions::math::expr_fn::random;
    random().gt(datafusion::logical_expr::lit(0.5))
}

pub fn any(name: &str) -> Expr {
    quoted(name)
}
