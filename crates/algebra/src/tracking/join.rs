//! Joins: of one person's rows with the same person's rows.

use super::relation::Tracker;
use super::{Mixed, People, Unit};
use datafusion::common::{Column, JoinType, NullEquality};
use datafusion::functions::core::expr_fn::coalesce;
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, Filter, Join, LogicalPlan, Operator, Projection,
};
use std::sync::Arc;

impl Tracker<'_> {
    pub(super) fn join(&mut self, join: &Join) -> Result<People, Mixed> {
        let kind = match join.join_type {
            JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => "a join",
            JoinType::LeftSemi | JoinType::RightSemi | JoinType::LeftMark | JoinType::RightMark => {
                return Err(Mixed::new(
                    "a SEMI JOIN or INTERSECT",
                    "whether a row is left depends on other rows; join on the person and GROUP BY the person",
                ));
            }
            JoinType::LeftAnti | JoinType::RightAnti => {
                return Err(Mixed::new(
                    "an ANTI JOIN or EXCEPT",
                    "whether a row is left depends on other rows; take a LEFT JOIN on the person and GROUP BY the person",
                ));
            }
        };
        if join.null_equality != NullEquality::NullEqualsNothing {
            return Err(Mixed::new("a join in which NULL equals NULL", "join with ="));
        }
        let join = &with_equalities(join)?;
        let left = self.of_people(&join.left, kind)?;
        let right = self.of_people(&join.right, kind)?;
        let Unit::Columns(person) = self.unit else {
            return Err(Mixed::new(
                "a join",
                "every row is a person here, and a joined row belongs to two; let the job say whose rows they are: [privacy] person",
            ));
        };
        let on_person = (0..person.columns().len()).all(|key| {
            join.on.iter().any(|(one, other)| match (one, other) {
                (Expr::Column(one), Expr::Column(other)) => {
                    left.visible[key].contains(one)
                        && right.visible[key].contains(other)
                        && same_type(join, one, other)
                }
                _ => false,
            })
        });
        if !on_person {
            let what =
                if join.on.is_empty() { "a CROSS JOIN, or a join without equality," } else { "a join" };
            return Err(Mixed::new(
                what,
                format!(
                    "a joined row would belong to two people; join on the person of both tables, unchanged and of the same type: {}",
                    person
                        .columns()
                        .iter()
                        .map(|column| format!("a.{column} = b.{column}"))
                        .collect::<Vec<_>>()
                        .join(" AND ")
                ),
            ));
        }
        self.of_one_person(join, left, right)
    }

    fn of_one_person(&mut self, join: &Join, left: People, right: People) -> Result<People, Mixed> {
        let most = match (left.most, right.most) {
            (Some(left), Some(right)) => left.max(1).checked_mul(right.max(1)),
            _ => None,
        };
        // The side that is filled up with NULL says nothing about whose row it is.
        let (hidden, visible) = match join.join_type {
            JoinType::Right => (right.hidden.clone(), right.visible.clone()),
            JoinType::Left => (left.hidden.clone(), left.visible.clone()),
            JoinType::Full => (Vec::new(), vec![Vec::new(); left.hidden.len()]),
            _ => {
                let both = left.visible.iter().zip(&right.visible);
                let both = both.map(|(left, right)| left.iter().chain(right).cloned().collect()).collect();
                (left.hidden.clone(), both)
            }
        };
        // The engine loses rows of a right join whose left side is asked to be missing (`WHERE a.id IS NULL`); of the same left join it does not.
        let turned = join.join_type == JoinType::Right;
        let (first, second) = if turned { (right.plan, left.plan) } else { (left.plan, right.plan) };
        let on = join.on.iter().cloned();
        let joined = Join::try_new(
            Arc::new(first),
            Arc::new(second),
            on.map(|(one, other)| if turned { (other, one) } else { (one, other) }).collect(),
            join.filter.clone(),
            if turned { JoinType::Left } else { join.join_type },
            join.join_constraint,
            NullEquality::NullEqualsNothing,
            false,
        )?;
        let (mut plan, mut hidden) = (LogicalPlan::Join(joined), hidden);
        let shown = join.schema.columns();
        if join.join_type == JoinType::Full {
            let mut all: Vec<Expr> = shown.iter().cloned().map(Expr::Column).collect();
            for (left, right) in left.hidden.iter().zip(&right.hidden) {
                let name = self.fresh();
                let either = coalesce(vec![Expr::Column(left.clone()), Expr::Column(right.clone())]);
                all.push(either.alias(name.clone()));
                hidden.push(Column::new_unqualified(name));
            }
            plan = LogicalPlan::Projection(Projection::try_new(all, Arc::new(plan))?);
        }
        let people = People { plan: plan.clone(), hidden, visible, most };
        people.over(plan, shown)
    }
}

/// The join with the equalities of its condition where the engine looks for them.
fn with_equalities(join: &Join) -> Result<Join, Mixed> {
    let (mut on, mut rest) = (join.on.clone(), Vec::new());
    for part in join.filter.iter().flat_map(|filter| split_conjunction_owned(filter.clone())) {
        match equality(join, &part) {
            Some(pair) => on.push(pair),
            None => rest.push(part),
        }
    }
    let (left, right) = (Arc::clone(&join.left), Arc::clone(&join.right));
    let (filter, kind) = (conjunction(rest), join.join_type);
    Ok(Join::try_new(
        left,
        right,
        on,
        filter,
        kind,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )?)
}

/// A conversion between the two sides could make two people equal.
fn same_type(join: &Join, left: &Column, right: &Column) -> bool {
    let of = |plan: &LogicalPlan, column: &Column| {
        Expr::Column(column.clone()).get_type(plan.schema().as_ref()).ok()
    };
    matches!((of(&join.left, left), of(&join.right, right)), (Some(left), Some(right)) if left == right)
}

/// `σ_p(a × b)` as a join on the equalities in p. What p asks of one side alone goes to that side, which may be such a product itself; the rest
/// stays a condition of the join. None where p has no equality of the two sides.
pub(super) fn with_condition(join: &Join, predicate: &Expr) -> Result<Option<Join>, Mixed> {
    if join.join_type != JoinType::Inner {
        return Ok(None);
    }
    let (mut on, mut rest) = (join.on.clone(), Vec::new());
    let (mut of_left, mut of_right) = (Vec::new(), Vec::new());
    let within = |part: &Expr, side: &LogicalPlan| {
        part.column_refs().iter().all(|column| side.schema().has_column(column))
    };
    for part in split_conjunction_owned(predicate.clone()) {
        match equality(join, &part) {
            Some(pair) => on.push(pair),
            None if within(&part, &join.left) => of_left.push(part),
            None if within(&part, &join.right) => of_right.push(part),
            None => rest.push(part),
        }
    }
    if on.len() == join.on.len() {
        return Ok(None);
    }
    let side = |plan: &Arc<LogicalPlan>, parts: Vec<Expr>| -> Result<Arc<LogicalPlan>, Mixed> {
        match conjunction(parts) {
            Some(condition) => {
                Ok(Arc::new(LogicalPlan::Filter(Filter::try_new(condition, Arc::clone(plan))?)))
            }
            None => Ok(Arc::clone(plan)),
        }
    };
    let joined = Join::try_new(
        side(&join.left, of_left)?,
        side(&join.right, of_right)?,
        on,
        conjunction(rest.into_iter().chain(join.filter.clone())),
        join.join_type,
        join.join_constraint,
        join.null_equality,
        join.null_aware,
    )?;
    Ok(Some(joined))
}

/// The two columns of `left.x = right.y`, the left one first.
fn equality(join: &Join, part: &Expr) -> Option<(Expr, Expr)> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = part else { return None };
    let (Expr::Column(one), Expr::Column(other)) = (left.as_ref(), right.as_ref()) else { return None };
    let (a, b) = (join.left.schema(), join.right.schema());
    if a.has_column(one) && b.has_column(other) {
        return Some((Expr::Column(one.clone()), Expr::Column(other.clone())));
    }
    (a.has_column(other) && b.has_column(one))
        .then(|| (Expr::Column(other.clone()), Expr::Column(one.clone())))
}
