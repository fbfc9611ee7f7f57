//! Wrong rules: each forgets one condition of a rule. The harness must find every one of them by what its rewrites mean.

use crate::workshop::project;
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Distinct, Filter, Join, LogicalPlan, Union};
use paravent_algebra::operator::{Generalization, Generalize, Operator, Randomize, Slice, Slicing};
use paravent_algebra::rules::{Attempt, Card, Direction, Facts, Kind, Rewrite, Rule, Safe, Way};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A rule that forgets a condition, and the rule whose plans it is tried on.
#[derive(Debug)]
pub struct Planted {
    pub of: &'static str,
    pub forgets: &'static str,
    card: &'static Card,
    kind: Kind,
    rewrite: fn(&LogicalPlan, Way) -> Option<LogicalPlan>,
}

impl Rule for Planted {
    fn card(&self) -> &'static Card {
        self.card
    }

    fn attempt(&self, plan: &LogicalPlan, way: Way, _facts: &dyn Facts) -> Result<Attempt> {
        Ok(match (self.rewrite)(plan, way) {
            None => Attempt::NoMatch,
            Some(plan) => Attempt::Rewritten(Rewrite {
                plan,
                kind: self.kind,
                safe: Safe::Yes,
                because: "planted".to_owned(),
            }),
        })
    }
}

static CARD: Card = Card {
    id: "planted",
    statement: "",
    direction: Direction::Both,
    kind: Kind::Equivalent,
    safe: Safe::Yes,
    condition: "",
    source: "",
    example: "",
};

const fn planted(
    of: &'static str,
    forgets: &'static str,
    kind: Kind,
    rewrite: fn(&LogicalPlan, Way) -> Option<LogicalPlan>,
) -> Planted {
    Planted { of, forgets, card: &CARD, kind, rewrite }
}

/// All of them.
pub static ALL: &[Planted] = &[
    planted("S2", "that the buckets are the same", Kind::Equivalent, sliced_once),
    planted("S3", "that the groups overlap without a cycle", Kind::Equivalent, refined),
    planted("S7", "that the selection is constant on buckets", Kind::Equivalent, slice_past_selection),
    planted("S8", "that parts end where windows end", Kind::Equivalent, slice_parts),
    planted("G6", "that X is one column", Kind::Equivalent, stronger_only),
    planted("G7", "that the stronger promise stays", Kind::PartiallyEquivalent, weaker_only),
    planted("G10", "that X comes out", Kind::Equivalent, generalize_what_comes_out),
    planted("G11", "that rows may be left out", Kind::Equivalent, without_operator),
    planted("G14", "that a late selection takes rows out of classes", Kind::PartiallyEquivalent, select_late),
    planted("G15", "that parts have enough rows", Kind::PartiallyEquivalent, generalize_parts),
    planted("G16", "that rows without a partner vanish", Kind::PartiallyEquivalent, generalize_below_join),
    planted("D4", "that noise adds up", Kind::Equivalent, randomized_once),
    planted("D7", "that the noise is static", Kind::Equivalent, noise_together),
    planted("D11", "that the selection reads a randomised column", Kind::Equivalent, noise_past_selection),
    planted("D12", "that the union removes duplicates", Kind::Equivalent, noise_into_any_union),
    planted("D13", "that a row may have several partners", Kind::Equivalent, noise_below_any_join),
    planted("D16", "that the grouping reads a randomised column", Kind::Equivalent, group_without_noise),
    planted("S12", "that the grouping reads two groups", Kind::Equivalent, group_without_slicing),
    planted("C1", "that duplicates are removed in between", Kind::Equivalent, project_once),
    planted("C4", "that the parts are selected differently", Kind::Equivalent, select_by_the_first),
];

fn project_once(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let LogicalPlan::Projection(outer) = plan else { return None };
    let LogicalPlan::Distinct(Distinct::All(inner)) = &*outer.input else { return None };
    let LogicalPlan::Projection(inner) = &**inner else { return None };
    Some(project(inner.input.as_ref().clone(), outer.schema.columns()))
}

fn select_by_the_first(plan: &LogicalPlan, way: Way) -> Option<LogicalPlan> {
    let (LogicalPlan::Union(union), Way::RightToLeft) = (plan, way) else { return None };
    let mut parts = Vec::new();
    let mut first = None;
    for part in &union.inputs {
        let LogicalPlan::Filter(filter) = &**part else { return None };
        first = first.or(Some(filter.predicate.clone()));
        parts.push(Arc::clone(&filter.input));
    }
    // Columns of the first part are called as in the union but for their table.
    let bare = datafusion::common::tree_node::TreeNode::transform(first?, |part| {
        use datafusion::common::tree_node::Transformed;
        Ok(match part {
            datafusion::logical_expr::Expr::Column(column) => {
                let own = union.schema.columns().into_iter().find(|own| own.name == column.name);
                Transformed::yes(datafusion::logical_expr::Expr::Column(own.unwrap_or(column)))
            }
            other => Transformed::no(other),
        })
    });
    let whole = LogicalPlan::Union(Union { inputs: parts, schema: Arc::clone(&union.schema) });
    Some(LogicalPlan::Filter(Filter::try_new(bare.ok()?.data, Arc::new(whole)).ok()?))
}

fn slice_of(plan: &LogicalPlan) -> Option<&Slice> {
    match Operator::of(plan)? {
        Operator::Slice(node) => Some(node),
        _ => None,
    }
}

fn noise_of(plan: &LogicalPlan) -> Option<&Randomize> {
    match Operator::of(plan)? {
        Operator::Randomize(node) => Some(node),
        _ => None,
    }
}

fn generalized(plan: &LogicalPlan) -> Option<(&Generalization, &LogicalPlan)> {
    match Operator::of(plan)? {
        Operator::Generalize(node) => Some((node.what(), node.input())),
        _ => None,
    }
}

fn projected(plan: &LogicalPlan) -> Option<(Vec<Column>, &LogicalPlan)> {
    let LogicalPlan::Projection(node) = plan else { return None };
    Some((node.schema.columns(), &node.input))
}

fn sliced_once(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let outer = slice_of(plan)?;
    let inner = slice_of(outer.input())?;
    Slice::plan(inner.input().clone(), outer.what().clone()).ok()
}

fn refined(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let outer = slice_of(plan)?;
    let inner = slice_of(outer.input())?;
    if outer.what().buckets != inner.what().buckets {
        return None;
    }
    let mut groups = Vec::new();
    for one in &outer.what().groups {
        for other in &inner.what().groups {
            let both: Vec<Column> = one.iter().filter(|column| other.contains(column)).cloned().collect();
            groups.extend((!both.is_empty()).then_some(both));
        }
    }
    Slice::plan(inner.input().clone(), Slicing { groups, ..outer.what().clone() }).ok()
}

fn slice_past_selection(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    match plan {
        LogicalPlan::Filter(filter) => {
            let node = slice_of(&filter.input)?;
            Slice::plan(selected(filter, node.input())?, node.what().clone()).ok()
        }
        _ => {
            let node = slice_of(plan)?;
            let LogicalPlan::Filter(filter) = node.input() else { return None };
            selected(filter, &Slice::plan((*filter.input).clone(), node.what().clone()).ok()?)
        }
    }
}

fn selected(filter: &Filter, input: &LogicalPlan) -> Option<LogicalPlan> {
    let filter = Filter::try_new(filter.predicate.clone(), Arc::new(input.clone())).ok()?;
    Some(LogicalPlan::Filter(filter))
}

/// The same place in a part of a union.
fn moved(column: &Column, from: &LogicalPlan, to: &LogicalPlan) -> Option<Column> {
    Some(to.schema().columns()[from.schema().maybe_index_of_column(column)?].clone())
}

fn slice_parts(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let node = slice_of(plan)?;
    let LogicalPlan::Union(union) = node.input() else { return None };
    let parts = union.inputs.iter().zip(0..).map(|(part, number)| {
        let group = |group: &Vec<Column>| group.iter().map(|column| moved(column, plan, part)).collect();
        let groups = node.what().groups.iter().map(group).collect::<Option<Vec<Vec<Column>>>>()?;
        let draw = node.what().draw.part(number);
        Slice::plan((**part).clone(), Slicing { groups, draw, ..node.what().clone() }).ok().map(Arc::new)
    });
    let inputs = parts.collect::<Option<Vec<_>>>()?;
    Some(LogicalPlan::Union(Union { inputs, schema: Arc::clone(&union.schema) }))
}

fn stronger_only(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let (outer, below) = generalized(plan)?;
    let (_, relation) = generalized(below)?;
    Generalize::plan(relation.clone(), outer.quasi.clone(), outer.promise.clone()).ok()
}

fn weaker_only(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let (_, below) = generalized(plan)?;
    generalized(below)?;
    Some(below.clone())
}

fn generalize_what_comes_out(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let (columns, below) = projected(plan)?;
    let (what, relation) = generalized(below)?;
    let quasi: Vec<Column> = what.quasi.iter().filter(|column| columns.contains(column)).cloned().collect();
    let narrow = project(relation.clone(), columns);
    Generalize::plan(narrow, quasi, what.promise.clone()).ok()
}

fn without_operator(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let (columns, below) = projected(plan)?;
    let (what, relation) = generalized(below)?;
    if what.quasi.iter().any(|column| columns.contains(column)) {
        return None;
    }
    Some(project(relation.clone(), columns))
}

fn select_late(plan: &LogicalPlan, way: Way) -> Option<LogicalPlan> {
    let (what, LogicalPlan::Filter(filter)) = generalized(plan)? else { return None };
    if way == Way::RightToLeft {
        return None;
    }
    let early = Generalize::plan((*filter.input).clone(), what.quasi.clone(), what.promise.clone()).ok()?;
    selected(filter, &early)
}

fn generalize_parts(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let (what, below) = generalized(plan)?;
    let LogicalPlan::Union(union) = below else { return None };
    let parts = union.inputs.iter().map(|part| {
        let quasi = what.quasi.iter().map(|column| moved(column, below, part)).collect::<Option<Vec<_>>>()?;
        Generalize::plan((**part).clone(), quasi, what.promise.clone()).ok().map(Arc::new)
    });
    let inputs = parts.collect::<Option<Vec<_>>>()?;
    Some(LogicalPlan::Union(Union { inputs, schema: Arc::clone(plan.schema()) }))
}

fn joined(node: &Join, left: LogicalPlan, right: LogicalPlan) -> Option<LogicalPlan> {
    let Join { on, filter, join_type, join_constraint, null_equality, null_aware, .. } = node.clone();
    let (left, right) = (Arc::new(left), Arc::new(right));
    let join = Join::try_new(left, right, on, filter, join_type, join_constraint, null_equality, null_aware);
    join.ok().map(LogicalPlan::Join)
}

fn generalize_below_join(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let (what, LogicalPlan::Join(join)) = generalized(plan)? else { return None };
    let over = |relation: &LogicalPlan| {
        Generalize::plan(relation.clone(), what.quasi.clone(), what.promise.clone()).ok()
    };
    match over(&join.left) {
        Some(left) => joined(join, left, (*join.right).clone()),
        None => joined(join, (*join.left).clone(), over(&join.right)?),
    }
}

fn randomized_once(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let outer = noise_of(plan)?;
    noise_of(outer.input())?;
    Some(outer.input().clone())
}

fn noise_together(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let outer = noise_of(plan)?;
    let inner = noise_of(outer.input())?;
    let mut noise = inner.what().noise.clone();
    for (column, own) in &outer.what().noise {
        match noise.iter_mut().find(|(other, _)| other == column) {
            Some((_, first)) => first.probability = first.probability.either(&own.probability)?,
            None => noise.push((column.clone(), own.clone())),
        }
    }
    Randomize::plan(inner.input().clone(), noise, outer.what().draw).ok()
}

fn noise_past_selection(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    match plan {
        LogicalPlan::Filter(filter) => {
            let node = noise_of(&filter.input)?;
            let early = selected(filter, node.input())?;
            Randomize::plan(early, node.what().noise.clone(), node.what().draw).ok()
        }
        _ => {
            let node = noise_of(plan)?;
            let LogicalPlan::Filter(filter) = node.input() else { return None };
            let below = Randomize::plan((*filter.input).clone(), node.what().noise.clone(), node.what().draw);
            selected(filter, &below.ok()?)
        }
    }
}

fn noise_into_any_union(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let node = noise_of(plan)?;
    let (union, set) = match node.input() {
        LogicalPlan::Union(union) => (union, false),
        LogicalPlan::Distinct(Distinct::All(input)) => match &**input {
            LogicalPlan::Union(union) => (union, true),
            _ => return None,
        },
        _ => return None,
    };
    let whole = node.input();
    let parts = union.inputs.iter().zip(0..).map(|(part, number)| {
        let noise = node
            .what()
            .noise
            .iter()
            .map(|(column, noise)| Some((moved(column, whole, part)?, noise.clone())));
        let noise = noise.collect::<Option<Vec<_>>>()?;
        Randomize::plan((**part).clone(), noise, node.what().draw.part(number)).ok().map(Arc::new)
    });
    let inputs = parts.collect::<Option<Vec<_>>>()?;
    let parts = LogicalPlan::Union(Union { inputs, schema: Arc::clone(&union.schema) });
    Some(if set { LogicalPlan::Distinct(Distinct::All(Arc::new(parts))) } else { parts })
}

fn noise_below_any_join(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let node = noise_of(plan)?;
    let (columns, below) = match projected(node.input()) {
        Some((columns, below)) => (Some(columns), below),
        None => (None, node.input()),
    };
    let LogicalPlan::Join(join) = below else { return None };
    let side = |relation: &LogicalPlan, part: u64| {
        let known: BTreeSet<Column> = relation.schema().columns().into_iter().collect();
        let own = node.what().noise.iter().filter(|(column, _)| known.contains(column)).cloned().collect();
        Randomize::plan(relation.clone(), own, node.what().draw.part(part)).ok()
    };
    let whole = joined(join, side(&join.left, 0)?, side(&join.right, 1)?)?;
    Some(columns.map_or(whole.clone(), |columns| project(whole, columns)))
}

fn group_without_noise(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let LogicalPlan::Aggregate(aggregate) = plan else { return None };
    let Some(Operator::Randomize(node)) = Operator::of(&aggregate.input) else { return None };
    plan.with_new_exprs(plan.expressions(), vec![node.input().clone()]).ok()
}

fn group_without_slicing(plan: &LogicalPlan, _way: Way) -> Option<LogicalPlan> {
    let LogicalPlan::Aggregate(aggregate) = plan else { return None };
    let Some(Operator::Slice(node)) = Operator::of(&aggregate.input) else { return None };
    plan.with_new_exprs(plan.expressions(), vec![node.input().clone()]).ok()
}
