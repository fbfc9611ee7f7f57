//! Whether a rewrite kept what it says it keeps.

use crate::meaning::{OUTSIDE, Outcomes, Row, Tables, Undefined, bags, classes, columns_of};
use datafusion::common::Column;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::operator::{Draw, Generalization, Operator, Promise};
use paravent_algebra::rules::{Kind, Safe};
use paravent_job::Model;
use std::collections::BTreeSet;

/// What came of comparing two plans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The second keeps what it should.
    Kept,
    /// The first has no meaning (an operator stops with an error, or there are too many outcomes): nothing to compare.
    Undefined,
    /// It does not: why.
    Wrong(String),
}

/// A rewrite, and what it claims.
#[derive(Debug, Clone, Copy)]
pub struct Claim<'a> {
    pub before: &'a LogicalPlan,
    pub after: &'a LogicalPlan,
    pub kind: Kind,
    pub safe: Safe,
    /// Names of columns that may be shown differently, for a partially equivalent generalization.
    pub touched: &'a [String],
    pub columns: Columns,
}

/// How columns are compared where a rewrite is partially equivalent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// All that are not generalized at once; group by group where a slicing is at the root.
    Together,
    OneByOne,
}

impl Claim<'_> {
    /// Compares the meanings of both plans.
    pub fn judge(&self, tables: &Tables) -> Verdict {
        match self.compare(tables) {
            Ok(verdict) => verdict,
            Err(why) => Verdict::Wrong(format!(
                "{why}\nbefore:\n{}\nafter:\n{}\ntables: {tables:?}",
                self.before.display_indent(),
                self.after.display_indent()
            )),
        }
    }

    fn compare(&self, tables: &Tables) -> Result<Verdict, String> {
        same_columns(self.before, self.after)?;
        if own_draws(self.before) && !own_draws(self.after) {
            return Err("two operators share a draw".to_owned());
        }
        let before = match bags(self.before, tables) {
            Ok(before) => before,
            Err(Undefined::Unknown(what)) => return Err(format!("the plan has no meaning here: {what}")),
            Err(_) => return Ok(Verdict::Undefined),
        };
        let after = match bags(self.after, tables) {
            Ok(after) => after,
            Err(Undefined::TooMany) => return Ok(Verdict::Undefined),
            // A part of a relation may not be able to keep what the whole can: then nothing is released.
            Err(Undefined::Error(_)) if self.kind != Kind::Equivalent && protects(self.before) => {
                return Ok(Verdict::Undefined);
            }
            // Noise below a selection or a join meets rows that would not have come so far: it may stop at a value it does not know.
            Err(Undefined::Error(OUTSIDE)) => return Ok(Verdict::Undefined),
            Err(Undefined::Error(what)) => return Err(format!("there is an error now: {what}")),
            Err(Undefined::Unknown(what)) => return Err(format!("the result has no meaning here: {what}")),
        };
        match self.kind {
            Kind::Equivalent if before != after => {
                return Err("other bags, or other probabilities".to_owned());
            }
            Kind::Equivalent => {}
            Kind::PartiallyEquivalent => self.partially(&before, &after)?,
            Kind::EquivalentOrPartially | Kind::None => return Err("the kind is not decided".to_owned()),
        }
        if self.safe == Safe::Yes {
            self.guarantee(&after)?;
        }
        Ok(Verdict::Kept)
    }

    /// Equal numbers of rows, and equal bags of what is not anonymized: outside of X, or group by group.
    fn partially(&self, before: &Outcomes, after: &Outcomes) -> Result<(), String> {
        let mut parts: Vec<Vec<usize>> = vec![Vec::new()];
        let schema = self.after.schema();
        let other = |place: &usize| !self.touched.contains(schema.field(*place).name());
        let others = (0..schema.fields().len()).filter(other);
        match (self.columns, groups(self.after).or_else(|| groups(self.before))) {
            (Columns::OneByOne, _) => parts.extend(others.map(|place| vec![place])),
            (Columns::Together, Some(groups)) => parts.extend(groups),
            (Columns::Together, None) => parts.push(others.collect()),
        }
        for part in parts {
            if columns_of(before, &part) != columns_of(after, &part) {
                return Err(format!("other bags in the columns {part:?}"));
            }
        }
        Ok(())
    }

    /// Every class of every result keeps the promise of the uppermost α^G; no slicing ties columns that were apart.
    fn guarantee(&self, after: &Outcomes) -> Result<(), String> {
        if let Some(what) = uppermost(self.before) {
            let places: Vec<usize> =
                what.quasi.iter().filter_map(|column| found(self.after, column)).collect();
            let keeps = |rows: &Vec<Row>| keeps(rows, &places, &what.promise, self.after);
            if !after.keys().all(keeps) {
                return Err(format!("the result does not keep {}", what.promise));
            }
        }
        let (apart, tied) = (pairs(self.before, false), pairs(self.after, true));
        match apart.intersection(&tied).next() {
            Some((one, other)) => Err(format!("{one} and {other} were apart and are in one group now")),
            None => Ok(()),
        }
    }
}

fn same_columns(before: &LogicalPlan, after: &LogicalPlan) -> Result<(), String> {
    let columns = |plan: &LogicalPlan| -> Vec<_> {
        let types = plan.schema().fields().iter().map(|field| field.data_type().clone());
        plan.schema().columns().into_iter().zip(types).collect()
    };
    if columns(before) == columns(after) { Ok(()) } else { Err("other columns".to_owned()) }
}

/// Whether no two random operators of a plan share a draw.
fn own_draws(plan: &LogicalPlan) -> bool {
    let (mut all, mut draws) = (0, BTreeSet::<Draw>::new());
    each(plan, |operator| {
        let draw = match operator {
            Operator::Slice(node) => node.what().draw,
            Operator::Randomize(node) => node.what().draw,
            _ => return,
        };
        all += 1;
        draws.insert(draw);
    });
    draws.len() == all
}

fn each(plan: &LogicalPlan, mut look: impl FnMut(Operator<'_>)) {
    plan.apply(|node| {
        Operator::of(node).into_iter().for_each(&mut look);
        Ok(TreeNodeRecursion::Continue)
    })
    .unwrap();
}

/// Whether a promise beyond k-anonymity is made.
fn protects(plan: &LogicalPlan) -> bool {
    let mut protects = false;
    each(plan, |operator| {
        if let Operator::Generalize(node) = operator {
            protects |= !node.what().promise.is_k_anonymity_only();
        }
    });
    protects
}

/// The names of columns that some α^G of a plan generalizes.
pub fn generalized(plan: &LogicalPlan) -> Vec<String> {
    let mut names = Vec::new();
    each(plan, |operator| {
        if let Operator::Generalize(node) = operator {
            names.extend(node.what().quasi.iter().map(|column| column.name.clone()));
        }
    });
    names
}

/// Whether a plan slices.
pub fn slices(plan: &LogicalPlan) -> bool {
    let mut slices = false;
    each(plan, |operator| slices |= matches!(operator, Operator::Slice(_)));
    slices
}

/// The groups of a slicing at the root, by place.
fn groups(plan: &LogicalPlan) -> Option<Vec<Vec<usize>>> {
    let Some(Operator::Slice(node)) = Operator::of(plan) else { return None };
    let place = |column: &Column| plan.schema().index_of_column(column).unwrap();
    Some(node.what().groups.iter().map(|group| group.iter().map(place).collect()).collect())
}

/// Names of columns that the slicings of a plan tie, or set apart.
fn pairs(plan: &LogicalPlan, tied: bool) -> BTreeSet<(String, String)> {
    let mut pairs = BTreeSet::new();
    each(plan, |operator| {
        let Operator::Slice(node) = operator else { return };
        for (first, one) in node.what().groups.iter().enumerate() {
            for (second, other) in node.what().groups.iter().enumerate() {
                if (first == second) == tied {
                    let both =
                        one.iter().flat_map(|a| other.iter().map(move |b| (a.name.clone(), b.name.clone())));
                    pairs.extend(both.filter(|(a, b)| a != b));
                }
            }
        }
    });
    pairs
}

/// What the uppermost α^G promises, where there is one above all other operators.
fn uppermost(plan: &LogicalPlan) -> Option<&Generalization> {
    match Operator::of(plan) {
        Some(Operator::Generalize(node)) => Some(node.what()),
        Some(_) => None,
        None => plan.inputs().into_iter().find_map(uppermost),
    }
}

fn found(plan: &LogicalPlan, column: &Column) -> Option<usize> {
    let exactly = plan.schema().maybe_index_of_column(column);
    exactly.or_else(|| plan.schema().fields().iter().position(|field| *field.name() == column.name))
}

/// Whether every class has enough rows, and enough values of what is protected.
fn keeps(rows: &[Row], places: &[usize], promise: &Promise, plan: &LogicalPlan) -> bool {
    if places.is_empty() {
        return true;
    }
    classes(rows, places).values().all(|class| {
        promise.models.iter().all(|model| match model {
            Model::DistinctLDiversity { attribute, l } => {
                let at = plan.schema().fields().iter().position(|field| field.name() == attribute);
                at.is_none_or(|at| {
                    class.iter().map(|&row| &rows[row][at]).collect::<BTreeSet<_>>().len() >= *l as usize
                })
            }
            _ => class.len() >= promise.k() as usize,
        })
    })
}
