//! A relation with a further column that says whose row it is.
//!
//! Operators count rows. Whether a row is a person depends on what is below: a join, a union or a series may give one person many rows.
//! So a column with the person (or the number of the row in its table) is carried from the tables up to the relation, where its values
//! can be counted.

use crate::operator::Operator;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result, ScalarValue};
use datafusion::functions_aggregate::expr_fn::min;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Cast, Distinct, DistinctOn, Expr, JoinType, LogicalPlan, LogicalPlanBuilder, Subquery, TableScan, Union,
    cast, lit,
};
use std::sync::Arc;

/// What tells people apart in a part of a plan.
pub(crate) trait People {
    /// The tables of this part, or of this part of a union, that have people in their rows; the column is theirs.
    fn tables(&self, part: &LogicalPlan) -> Vec<String>;

    /// The person of a row of such a table; nothing where every row is one.
    fn person(&self, scan: &TableScan) -> Option<Vec<Column>>;
}

/// A relation with such columns, one for each time that a table of people occurs in it.
pub(crate) struct Carried {
    pub(crate) plan: LogicalPlan,
    pub(crate) names: Vec<String>,
}

/// The relation with its people. Nothing where they cannot be followed.
pub(crate) fn carried(plan: &LogicalPlan, people: &dyn People) -> Result<Option<Carried>> {
    let tables = people.tables(plan);
    Carrier { people, next: 0 }.node(plan, &tables)
}

/// The people that the job declares with `[privacy] person`: rows of tables that have these columns.
pub(crate) struct Declared<'a>(pub(crate) &'a [String]);

impl People for Declared<'_> {
    fn tables(&self, part: &LogicalPlan) -> Vec<String> {
        let mut tables = Vec::new();
        // The visitor never fails: it only looks.
        let _ = part.apply(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                let has =
                    |name: &String| scan.projected_schema.fields().iter().any(|field| field.name() == name);
                if self.0.iter().all(has) && !tables.iter().any(|known| known == scan.table_name.table()) {
                    tables.push(scan.table_name.table().to_owned());
                }
            }
            Ok(TreeNodeRecursion::Continue)
        });
        tables
    }

    fn person(&self, scan: &TableScan) -> Option<Vec<Column>> {
        Some(self.0.iter().map(|name| Column::new(Some(scan.table_name.clone()), name)).collect())
    }
}

struct Carrier<'a> {
    people: &'a dyn People,
    next: usize,
}

impl Carrier<'_> {
    fn node(&mut self, plan: &LogicalPlan, tables: &[String]) -> Result<Option<Carried>> {
        match plan {
            LogicalPlan::TableScan(scan) if tables.iter().any(|name| name == scan.table_name.table()) => {
                self.scan(scan, plan).map(Some)
            }
            LogicalPlan::Union(union) => self.union(union),
            LogicalPlan::RecursiveQuery(_) => match self.people.tables(plan).is_empty() {
                true => Ok(Some(Carried { plan: plan.clone(), names: Vec::new() })),
                false => Ok(None),
            },
            _ if plan.inputs().is_empty() => Ok(Some(Carried { plan: plan.clone(), names: Vec::new() })),
            _ => {
                let mut inputs = Vec::new();
                for input in plan.inputs() {
                    let Some(input) = self.node(input, tables)? else { return Ok(None) };
                    inputs.push(input);
                }
                over(plan, inputs)
            }
        }
    }

    fn scan(&mut self, scan: &TableScan, plan: &LogicalPlan) -> Result<Carried> {
        let name = format!("__paravent_person_{}", self.next);
        self.next += 1;
        let table = scan.table_name.table().to_owned();
        let own: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
        let (plan, person) = match self.people.person(scan) {
            // The same person in two tables is one person.
            Some(columns) => (LogicalPlanBuilder::from(plan.clone()), spelled(&columns)),
            None => {
                let number = row_number();
                let column = Expr::Column(Column::new_unqualified(number.schema_name().to_string()));
                let numbered = LogicalPlanBuilder::from(plan.clone()).window(vec![number])?;
                (numbered, joined(vec![lit(format!("{table} ")), text(column)]))
            }
        };
        let plan = plan.project(own.into_iter().chain([person.alias(&name)]))?.build()?;
        Ok(Carried { plan, names: vec![name] })
    }

    /// Every part has its own people. Parts with fewer columns repeat one of theirs; rows of a part without people belong to nobody.
    fn union(&mut self, union: &Union) -> Result<Option<Carried>> {
        let mut parts = Vec::new();
        for part in &union.inputs {
            let tables = self.people.tables(part);
            let Some(carried) = self.node(part, &tables)? else { return Ok(None) };
            parts.push((part, carried));
        }
        let most = parts.iter().map(|(_, carried)| carried.names.len()).max().unwrap_or(0);
        let names: Vec<String> = (0..most).map(|_| format!("__paravent_person_{}", self.number())).collect();
        let mut inputs = Vec::new();
        for (part, carried) in parts {
            let own = part.schema().columns().into_iter().map(Expr::Column);
            let people = names.iter().enumerate().map(|(place, name)| {
                let person = carried.names.get(place).or(carried.names.first());
                let nobody = || lit(ScalarValue::Utf8(None));
                person.map_or_else(nobody, |person| by_name(&carried.plan, person)).alias(name)
            });
            let exprs: Vec<Expr> = own.chain(people).collect();
            inputs.push(Arc::new(LogicalPlanBuilder::from(carried.plan.clone()).project(exprs)?.build()?));
        }
        let plan = LogicalPlan::Union(Union::try_new_with_loose_types(inputs)?);
        Ok(Some(Carried { plan, names }))
    }

    fn number(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
}

/// The node over inputs that carry people.
fn over(plan: &LogicalPlan, inputs: Vec<Carried>) -> Result<Option<Carried>> {
    let lost = match plan {
        LogicalPlan::Join(join) => match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => Some(1),
            JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => Some(0),
            _ => None,
        },
        _ => None,
    };
    let kept = inputs.iter().enumerate().filter(|(side, _)| Some(*side) != lost);
    let names: Vec<String> = kept.flat_map(|(_, input)| input.names.clone()).collect();
    let mut below: Vec<LogicalPlan> = inputs.into_iter().map(|input| input.plan).collect();
    let plan = match (plan, Operator::of(plan)) {
        (_, Some(operator)) => {
            let Some(input) = below.pop() else { return Ok(None) };
            match like_operator(operator, plan, input, &names)? {
                Some(plan) => plan,
                None => return Ok(None),
            }
        }
        (LogicalPlan::Projection(projection), _) => {
            let Some(input) = below.pop() else { return Ok(None) };
            let people: Vec<Expr> = names.iter().map(|name| by_name(&input, name)).collect();
            let exprs: Vec<Expr> = projection.expr.iter().cloned().chain(people).collect();
            LogicalPlanBuilder::from(input).project(exprs)?.build()?
        }
        (LogicalPlan::Aggregate(aggregate), _) => {
            let Some(input) = below.pop() else { return Ok(None) };
            // Groups have different people where each is represented by another one.
            let people = names.iter().map(|name| min(by_name(&input, name)).alias(name));
            let figures: Vec<Expr> = aggregate.aggr_expr.iter().cloned().chain(people).collect();
            LogicalPlanBuilder::from(input.clone())
                .aggregate(aggregate.group_expr.clone(), figures)?
                .build()?
        }
        (LogicalPlan::Distinct(Distinct::All(old)), _) => {
            let Some(input) = below.pop() else { return Ok(None) };
            let groups: Vec<Expr> = old.schema().columns().into_iter().map(Expr::Column).collect();
            let people: Vec<Expr> = names.iter().map(|name| min(by_name(&input, name)).alias(name)).collect();
            LogicalPlanBuilder::from(input).aggregate(groups, people)?.build()?
        }
        (LogicalPlan::Distinct(Distinct::On(distinct)), _) => {
            let Some(input) = below.pop() else { return Ok(None) };
            let people: Vec<Expr> = names.iter().map(|name| by_name(&input, name)).collect();
            let shown = distinct.select_expr.iter().cloned().chain(people).collect();
            let (on, sorted) = (distinct.on_expr.clone(), distinct.sort_expr.clone());
            LogicalPlan::Distinct(Distinct::On(DistinctOn::try_new(on, shown, sorted, Arc::new(input))?))
        }
        (LogicalPlan::Subquery(subquery), _) => {
            let Some(input) = below.pop() else { return Ok(None) };
            LogicalPlan::Subquery(Subquery { subquery: Arc::new(input), ..subquery.clone() })
        }
        (
            LogicalPlan::Filter(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Unnest(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::Repartition(_),
            _,
        ) => plan.with_new_exprs(plan.expressions(), below)?,
        _ => return Ok(None),
    };
    Ok(Some(Carried { plan, names }))
}

/// A relation with as many rows of everybody as the operator gives, in columns of the same types.
fn like_operator(
    operator: Operator<'_>,
    plan: &LogicalPlan,
    input: LogicalPlan,
    names: &[String],
) -> Result<Option<LogicalPlan>> {
    if matches!(operator, Operator::Private(_)) {
        return Ok(None);
    }
    let mut exprs: Vec<Expr> = Vec::new();
    for (qualifier, field) in plan.schema().iter() {
        let column = Column::new(qualifier.cloned(), field.name());
        let Some(place) = input.schema().maybe_index_of_column(&column) else { return Ok(None) };
        let same = input.schema().field(place).data_type() == field.data_type();
        exprs.push(match same {
            true => Expr::Column(column),
            false => cast(Expr::Column(column), field.data_type().clone())
                .alias_qualified(qualifier.cloned(), field.name()),
        });
    }
    exprs.extend(names.iter().map(|name| by_name(&input, name)));
    Ok(Some(LogicalPlanBuilder::from(input).project(exprs)?.build()?))
}

/// The column of that name, however it is qualified by now.
pub(crate) fn by_name(plan: &LogicalPlan, name: &str) -> Expr {
    let found = plan.schema().columns().into_iter().find(|column| column.name == name);
    Expr::Column(found.unwrap_or_else(|| Column::new_unqualified(name)))
}

/// One text for the values of several columns, different where they are: every value is preceded by its length.
fn spelled(columns: &[Column]) -> Expr {
    let spelled = columns.iter().flat_map(|column| {
        let value = || text(Expr::Column(column.clone()));
        let length = datafusion::functions::expr_fn::character_length(value());
        let none = || lit("-");
        let or_none = |expr: Expr| datafusion::functions::expr_fn::coalesce(vec![expr, none()]);
        [or_none(text(length)), lit(":"), or_none(value())]
    });
    joined(spelled.collect())
}

fn joined(parts: Vec<Expr>) -> Expr {
    datafusion::functions::expr_fn::concat(parts)
}

fn text(expr: Expr) -> Expr {
    Expr::Cast(Cast::new(Box::new(expr), DataType::Utf8))
}
