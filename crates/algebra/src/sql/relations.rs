//! Tables and calls as arguments become queries.
//!
//! The SQL engine collects the tables of a statement before it plans it, and does not look for names among the arguments of a function. So
//! `generalize(patients, …)` becomes `generalize((SELECT * FROM patients), …)`, and a call inside a call becomes a query over that call; in
//! CTEs, joins and subqueries as well.

use super::function::RelationFunction;
use super::wording::problem;
use datafusion::common::{DataFusionError, Result};
use datafusion::sql::sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, ObjectName, Query, Select, SetExpr,
    Statement, TableFactor, TableFunctionArgs, VisitMut, VisitorMut,
};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// More relations in one FROM than anybody joins; each is a level of the plan.
const MOST_RELATIONS: usize = 200;

/// Rewrites the relations of all calls in a statement.
pub(super) fn into_queries(statement: &mut Statement) -> Result<()> {
    match statement.visit(&mut Relations) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Relations;

impl VisitorMut for Relations {
    type Break = DataFusionError;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<DataFusionError> {
        match select.from.len() > MOST_RELATIONS {
            true => ControlFlow::Break(problem(format!("more than {MOST_RELATIONS} relations in one FROM"))),
            false => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<DataFusionError> {
        // The engine reads over it and takes all rows.
        if let TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } =
            factor
        {
            return ControlFlow::Break(problem(
                "TABLESAMPLE is not available; choose rows by a condition, such as WHERE id % 10 = 0"
                    .to_owned(),
            ));
        }
        let TableFactor::Table { name, args: Some(arguments), .. } = factor else {
            return ControlFlow::Continue(());
        };
        if RelationFunction::called(name).is_none() {
            return ControlFlow::Continue(());
        }
        let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(relation))) = arguments.args.first_mut() else {
            return ControlFlow::Continue(());
        };
        match query_of(relation) {
            Ok(Some(query)) => *relation = Expr::Subquery(query),
            Ok(None) => {}
            Err(error) => return ControlFlow::Break(error),
        }
        ControlFlow::Continue(())
    }
}

/// The query that a table's name or a call stands for.
fn query_of(relation: &Expr) -> Result<Option<Box<Query>>> {
    match relation {
        Expr::Identifier(name) => everything_from(ObjectName::from(vec![name.clone()]), None).map(Some),
        Expr::CompoundIdentifier(names) => everything_from(ObjectName::from(names.clone()), None).map(Some),
        Expr::Function(Function { name, args: FunctionArguments::List(list), .. })
            if RelationFunction::called(name).is_some() =>
        {
            everything_from(name.clone(), Some(TableFunctionArgs { args: list.args.clone(), settings: None }))
                .map(Some)
        }
        // Parentheses around a name, or one more pair around a query.
        Expr::Nested(inner) => match query_of(inner)? {
            Some(query) => Ok(Some(query)),
            None => match &**inner {
                Expr::Subquery(query) => Ok(Some(query.clone())),
                _ => Ok(None),
            },
        },
        _ => Ok(None),
    }
}

/// `SELECT * FROM name` or `SELECT * FROM name(…)`
fn everything_from(table: ObjectName, arguments: Option<TableFunctionArgs>) -> Result<Box<Query>> {
    let failed = || DataFusionError::Internal("a query for a table's name".to_owned());
    let mut query = Parser::new(&GenericDialect {})
        .try_with_sql("SELECT * FROM t")
        .and_then(|mut parser| parser.parse_query())
        .map_err(|_| failed())?;
    let SetExpr::Select(select) = &mut *query.body else { return Err(failed()) };
    let Some(TableFactor::Table { name, args, .. }) = select.from.first_mut().map(|from| &mut from.relation)
    else {
        return Err(failed());
    };
    *name = table;
    *args = arguments;
    Ok(query)
}
