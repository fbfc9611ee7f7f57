//! Plans → statements: a rewritten plan as SQL that runs again.
//!
//! Every node becomes a query over the queries of its inputs, and every column gets a name that is its own there, so that names mean the same to the reader of the text
//! as to the plan. What has no form in SQL is refused by name.

mod arguments;
mod names;

use crate::operator::Operator;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, JoinType, NullEquality};
use datafusion::logical_expr::{
    Aggregate, Distinct, Expr, Join, LogicalPlan, Projection, SortExpr, TableScan, Values,
};
use datafusion::sql::unparser::Unparser;
use datafusion::sql::unparser::dialect::DefaultDialect;
use names::{distinct_names, quoted};

/// Why a plan is no statement.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this plan cannot be written as SQL: {0}")]
pub struct SqlTextError(String);

type Result<T> = std::result::Result<T, SqlTextError>;

pub(super) fn unwritable(problem: impl Into<String>) -> SqlTextError {
    SqlTextError(problem.into())
}

/// The statement of a plan.
pub fn write(plan: &LogicalPlan) -> Result<String> {
    let mut writer = Writer { aliases: 0 };
    Ok(writer.query(plan)?.sql)
}

/// A query, and what its columns are called, in the order of the plan's.
struct Query {
    sql: String,
    names: Vec<String>,
}

/// A query in FROM.
struct Source {
    sql: String,
    alias: String,
    names: Vec<String>,
}

impl Source {
    /// The column at a place, as an expression can name it.
    fn column(&self, place: usize) -> String {
        format!("{}.{}", self.alias, quoted(&self.names[place]))
    }

    fn all(&self) -> String {
        (0..self.names.len()).map(|place| self.column(place)).collect::<Vec<_>>().join(", ")
    }
}

struct Writer {
    aliases: usize,
}

impl Writer {
    fn query(&mut self, plan: &LogicalPlan) -> Result<Query> {
        match plan {
            LogicalPlan::TableScan(scan) => self.table(scan),
            // A name for the whole relation: columns are named one by one here.
            LogicalPlan::SubqueryAlias(alias) => self.query(&alias.input),
            LogicalPlan::Projection(node) => self.projection(node),
            LogicalPlan::Filter(filter) => {
                let from = self.source(&filter.input)?;
                let text = expression(&filter.predicate, &[(filter.input.schema(), &from)])?;
                let sql = format!("SELECT {} FROM {} WHERE {text}", from.all(), from.sql);
                Ok(Query { sql, names: from.names })
            }
            LogicalPlan::Sort(sort) => {
                let from = self.source(&sort.input)?;
                let by = sorted(&sort.expr, sort.input.schema(), &from)?;
                let limit = sort.fetch.map_or_else(String::new, |fetch| format!(" LIMIT {fetch}"));
                let sql = format!("SELECT {} FROM {} ORDER BY {by}{limit}", from.all(), from.sql);
                Ok(Query { sql, names: from.names })
            }
            LogicalPlan::Limit(limit) => {
                let from = self.source(&limit.input)?;
                let mut sql = format!("SELECT {} FROM {}", from.all(), from.sql);
                for (word, number) in [("LIMIT", &limit.fetch), ("OFFSET", &limit.skip)] {
                    if let Some(number) = number {
                        sql.push_str(&format!(" {word} {}", expression(number, &[])?));
                    }
                }
                Ok(Query { sql, names: from.names })
            }
            LogicalPlan::Distinct(distinct) => self.distinct(distinct),
            LogicalPlan::Union(union) => {
                let names = distinct_names(&union.schema);
                let mut parts = Vec::new();
                for part in &union.inputs {
                    let from = self.source(part)?;
                    let items = (0..names.len())
                        .map(|place| format!("{} AS {}", from.column(place), quoted(&names[place])));
                    parts.push(format!("SELECT {} FROM {}", items.collect::<Vec<_>>().join(", "), from.sql));
                }
                Ok(Query { sql: parts.join(" UNION ALL "), names })
            }
            LogicalPlan::Join(join) => self.join(join),
            LogicalPlan::Aggregate(aggregate) => self.grouped(aggregate),
            LogicalPlan::Window(window) => {
                let from = self.source(&window.input)?;
                let names = distinct_names(&window.schema);
                let mut items: Vec<String> = (0..from.names.len())
                    .map(|place| format!("{} AS {}", from.column(place), quoted(&names[place])))
                    .collect();
                for (expr, name) in window.window_expr.iter().zip(&names[from.names.len()..]) {
                    items.push(format!(
                        "{} AS {}",
                        expression(expr, &[(window.input.schema(), &from)])?,
                        quoted(name)
                    ));
                }
                Ok(Query { sql: format!("SELECT {} FROM {}", items.join(", "), from.sql), names })
            }
            LogicalPlan::Values(values) => rows(values),
            LogicalPlan::Extension(_) => self.operator(plan),
            LogicalPlan::EmptyRelation(empty) if empty.produce_one_row => {
                Err(unwritable("it has a relation of one row and no column"))
            }
            other => {
                let shown = other.display().to_string();
                let kind = shown.split([':', ' ']).next().unwrap_or_default().to_owned();
                Err(unwritable(format!("there is no form for {kind}")))
            }
        }
    }

    /// The query in FROM, under a name of its own.
    fn source(&mut self, plan: &LogicalPlan) -> Result<Source> {
        let relation = match named(plan) {
            Some(scan) if plain(scan) => Query {
                sql: scan.table_name.to_quoted_string(),
                names: scan.projected_schema.fields().iter().map(|field| field.name().clone()).collect(),
            },
            _ => {
                let Query { sql, names } = self.query(plan)?;
                Query { sql: format!("({sql})"), names }
            }
        };
        self.aliases += 1;
        let alias = format!("t{}", self.aliases);
        Ok(Source { sql: format!("{} AS {alias}", relation.sql), alias, names: relation.names })
    }

    fn table(&mut self, scan: &TableScan) -> Result<Query> {
        if !plain(scan) {
            return Err(unwritable("a table is scanned in part; write the plan before it is optimized"));
        }
        let from = self.source(&LogicalPlan::TableScan(scan.clone()))?;
        Ok(Query { sql: format!("SELECT {} FROM {}", from.all(), from.sql), names: from.names })
    }

    fn projection(&mut self, node: &Projection) -> Result<Query> {
        let names = distinct_names(&node.schema);
        let one_row = matches!(&*node.input, LogicalPlan::EmptyRelation(empty) if empty.produce_one_row);
        let from = if one_row { None } else { Some(self.source(&node.input)?) };
        let scope: Vec<(&DFSchema, &Source)> =
            from.iter().map(|from| (node.input.schema().as_ref(), from)).collect();
        let mut items = Vec::new();
        for (expr, name) in node.expr.iter().zip(&names) {
            items.push(format!("{} AS {}", expression(expr, &scope)?, quoted(name)));
        }
        let from = from.map_or_else(String::new, |from| format!(" FROM {}", from.sql));
        Ok(Query { sql: format!("SELECT {}{from}", items.join(", ")), names })
    }

    fn distinct(&mut self, distinct: &Distinct) -> Result<Query> {
        match distinct {
            Distinct::All(input) => {
                let from = self.source(input)?;
                Ok(Query {
                    sql: format!("SELECT DISTINCT {} FROM {}", from.all(), from.sql),
                    names: from.names,
                })
            }
            Distinct::On(node) => {
                let from = self.source(&node.input)?;
                let names = distinct_names(&node.schema);
                let scope = [(node.input.schema().as_ref(), &from)];
                let on: Vec<String> =
                    node.on_expr.iter().map(|expr| expression(expr, &scope)).collect::<Result<_>>()?;
                let mut items = Vec::new();
                for (expr, name) in node.select_expr.iter().zip(&names) {
                    items.push(format!("{} AS {}", expression(expr, &scope)?, quoted(name)));
                }
                let by = match &node.sort_expr {
                    Some(by) => format!(" ORDER BY {}", sorted(by, node.input.schema(), &from)?),
                    None => String::new(),
                };
                let sql = format!(
                    "SELECT DISTINCT ON ({}) {} FROM {}{by}",
                    on.join(", "),
                    items.join(", "),
                    from.sql
                );
                Ok(Query { sql, names })
            }
        }
    }

    fn join(&mut self, join: &Join) -> Result<Query> {
        let (left, right) = (self.source(&join.left)?, self.source(&join.right)?);
        let scope = [(join.left.schema().as_ref(), &left), (join.right.schema().as_ref(), &right)];
        let same = match join.null_equality {
            NullEquality::NullEqualsNull => "IS NOT DISTINCT FROM",
            NullEquality::NullEqualsNothing => "=",
        };
        let mut conditions = Vec::new();
        for (one, other) in &join.on {
            // Each key belongs to its side, whatever the other one calls its columns.
            conditions.push(format!(
                "{} {same} {}",
                expression(one, &scope[..1])?,
                expression(other, &scope[1..])?
            ));
        }
        if let Some(filter) = &join.filter {
            conditions.push(format!("({})", expression(filter, &scope)?));
        }
        let kind = match (join.join_type, conditions.is_empty()) {
            (JoinType::Inner, true) => "CROSS JOIN",
            (JoinType::Inner, false) => "JOIN",
            (JoinType::Left, _) => "LEFT JOIN",
            (JoinType::Right, _) => "RIGHT JOIN",
            (JoinType::Full, _) => "FULL JOIN",
            (JoinType::LeftSemi, _) => "LEFT SEMI JOIN",
            (JoinType::RightSemi, _) => "RIGHT SEMI JOIN",
            (JoinType::LeftAnti, _) => "LEFT ANTI JOIN",
            (JoinType::RightAnti, _) => "RIGHT ANTI JOIN",
            (JoinType::LeftMark | JoinType::RightMark, _) => return Err(unwritable("a join marks its rows")),
        };
        let sides: &[&Source] = match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti => &[&left],
            JoinType::RightSemi | JoinType::RightAnti => &[&right],
            _ => &[&left, &right],
        };
        let names = distinct_names(&join.schema);
        let columns = sides.iter().flat_map(|side| (0..side.names.len()).map(|place| side.column(place)));
        let items: Vec<String> =
            columns.zip(&names).map(|(column, name)| format!("{column} AS {}", quoted(name))).collect();
        let on = match conditions.is_empty() {
            true if kind == "CROSS JOIN" => String::new(),
            true => " ON true".to_owned(),
            false => format!(" ON {}", conditions.join(" AND ")),
        };
        Ok(Query {
            sql: format!("SELECT {} FROM {} {kind} {}{on}", items.join(", "), left.sql, right.sql),
            names,
        })
    }

    fn grouped(&mut self, aggregate: &Aggregate) -> Result<Query> {
        if aggregate.group_expr.iter().any(|expr| matches!(expr, Expr::GroupingSet(_))) {
            return Err(unwritable("rows are grouped in several ways at once"));
        }
        let from = self.source(&aggregate.input)?;
        let names = distinct_names(&aggregate.schema);
        let scope = [(aggregate.input.schema().as_ref(), &from)];
        let (mut items, mut groups) = (Vec::new(), Vec::new());
        for (expr, name) in aggregate.group_expr.iter().chain(&aggregate.aggr_expr).zip(&names) {
            let text = expression(expr, &scope)?;
            items.push(format!("{text} AS {}", quoted(name)));
            if groups.len() < aggregate.group_expr.len() {
                groups.push(text);
            }
        }
        let by = match groups.is_empty() {
            true => String::new(),
            false => format!(" GROUP BY {}", groups.join(", ")),
        };
        Ok(Query { sql: format!("SELECT {} FROM {}{by}", items.join(", "), from.sql), names })
    }

    fn operator(&mut self, plan: &LogicalPlan) -> Result<Query> {
        let operator = Operator::of(plan).ok_or_else(|| unwritable("it has an operator of somebody else"))?;
        let input = self.query(operator.input())?;
        let called = |column: &Column| {
            let place = operator.input().schema().maybe_index_of_column(column);
            place
                .map(|place| quoted(&input.names[place]))
                .ok_or_else(|| unwritable("an operator names an unknown column"))
        };
        let call = arguments::call(operator, &called)?;
        self.aliases += 1;
        let alias = format!("t{}", self.aliases);
        // Operators keep the names of their relation; columns that they add have names of their own.
        let width = input.names.len();
        let given: Vec<String> = plan.schema().fields().iter().map(|field| field.name().clone()).collect();
        let names: Vec<String> = match operator {
            Operator::Private(_) => given,
            _ => input.names.iter().cloned().chain(given.into_iter().skip(width)).collect(),
        };
        let items: Vec<String> = names.iter().map(|name| format!("{alias}.{}", quoted(name))).collect();
        let sql = format!(
            "SELECT {} FROM {}(({}), {}) AS {alias}",
            items.join(", "),
            call.function,
            input.sql,
            call.arguments.join(", ")
        );
        Ok(Query { sql, names })
    }
}

/// The table behind names for it.
fn named(plan: &LogicalPlan) -> Option<&TableScan> {
    match plan {
        LogicalPlan::TableScan(scan) => Some(scan),
        LogicalPlan::SubqueryAlias(alias) => named(&alias.input),
        _ => None,
    }
}

fn plain(scan: &TableScan) -> bool {
    scan.projection.is_none()
        && scan.filters.is_empty()
        && scan.fetch.is_none()
        && !scan.table_name.table().ends_with("()")
}

fn rows(values: &Values) -> Result<Query> {
    let names = distinct_names(&values.schema);
    let mut rows = Vec::new();
    for row in &values.values {
        let cells: Vec<String> = row.iter().map(|cell| expression(cell, &[])).collect::<Result<_>>()?;
        rows.push(format!("({})", cells.join(", ")));
    }
    let columns: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let sql = format!("SELECT * FROM (VALUES {}) AS v({})", rows.join(", "), columns.join(", "));
    Ok(Query { sql, names })
}

fn sorted(by: &[SortExpr], schema: &DFSchema, from: &Source) -> Result<String> {
    let keys = by.iter().map(|key| {
        let way = if key.asc { "ASC" } else { "DESC" };
        let nulls = if key.nulls_first { "FIRST" } else { "LAST" };
        Ok(format!("{} {way} NULLS {nulls}", expression(&key.expr, &[(schema, from)])?))
    });
    Ok(keys.collect::<Result<Vec<_>>>()?.join(", "))
}

/// An expression whose columns are called as the queries in FROM call them.
fn expression(expr: &Expr, scope: &[(&DFSchema, &Source)]) -> Result<String> {
    let asks = |expr: &Expr| {
        Ok(matches!(
            expr,
            Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::ScalarSubquery(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(..)
        ))
    };
    if expr.exists(asks).unwrap_or(true) {
        return Err(unwritable("an expression asks another query"));
    }
    let mut unknown = false;
    let renamed = expr.clone().unalias_nested().data.transform_up(|expr| {
        let Expr::Column(column) = &expr else { return Ok(Transformed::no(expr)) };
        let found = scope.iter().find_map(|(schema, from)| {
            Some(Column::new(
                Some(from.alias.clone()),
                from.names[schema.maybe_index_of_column(column)?].clone(),
            ))
        });
        unknown |= found.is_none();
        Ok(Transformed::yes(Expr::Column(found.unwrap_or_else(|| column.clone()))))
    });
    let renamed = renamed.map_err(|_| unwritable("an expression cannot be walked"))?.data;
    if unknown {
        return Err(unwritable("an expression names a column that its relation does not have"));
    }
    let dialect = DefaultDialect {};
    let text = Unparser::new(&dialect).expr_to_sql(&renamed);
    text.map(|text| text.to_string()).map_err(|_| unwritable("an expression has no form in SQL"))
}
