//! What a statement asks for. Only reading is possible: nothing is created, changed or written by SQL.

use super::function::FUNCTIONS;
use super::limits::{DEEPEST, tokens};
use super::relations;
use super::wording::problem;
use datafusion::common::{DataFusionError, Result};
use datafusion::sql::parser::{DFParserBuilder, ExplainStatement, Statement};
use datafusion::sql::sqlparser::ast::{Expr, Set, Statement as Sql, Value as Literal};

/// A statement that was understood.
#[derive(Debug, Clone)]
pub enum Request {
    /// SELECT, VALUES, WITH, SHOW, DESCRIBE
    Rows(Statement),
    /// EXPLAIN of one of them
    Explain(Statement),
    /// `SET paravent.partial = true`
    Set {
        /// The name behind `paravent.`, in lower case.
        name: String,
        /// As written, without quotes.
        value: String,
    },
}

impl Request {
    /// Reads one statement; a semicolon at its end is fine.
    pub fn parse(sql: &str) -> Result<Request> {
        let mut parser = DFParserBuilder::new(tokens(sql)?).with_recursion_limit(DEEPEST).build()?;
        let mut statements = parser.parse_statements().map_err(|error| hinted(error, sql))?;
        match (statements.pop_front(), statements.is_empty()) {
            (None, _) => Err(problem("there is no statement")),
            (Some(_), false) => Err(problem("more than one statement; send them one after the other")),
            (Some(statement), true) => Request::of(statement),
        }
    }

    fn of(statement: Statement) -> Result<Request> {
        match statement {
            Statement::Explain(ExplainStatement { options, statement }) => {
                if options.analyze {
                    return Err(problem(
                        "EXPLAIN ANALYZE shows exact row counts of the data and is not available; use EXPLAIN",
                    ));
                }
                match Request::of(*statement)? {
                    Request::Rows(statement) => Ok(Request::Explain(statement)),
                    Request::Explain(_) | Request::Set { .. } => Err(problem("EXPLAIN is for queries")),
                }
            }
            Statement::Statement(sql) => match *sql {
                Sql::Set(set) => setting(set),
                mut sql @ (Sql::Query(_)
                | Sql::ShowTables { .. }
                | Sql::ShowColumns { .. }
                | Sql::ExplainTable { .. }) => {
                    relations::into_queries(&mut sql)?;
                    Ok(Request::Rows(Statement::Statement(Box::new(sql))))
                }
                other => Err(read_only(&other.to_string())),
            },
            other @ (Statement::CreateExternalTable(_) | Statement::CopyTo(_) | Statement::Reset(_)) => {
                Err(read_only(&other.to_string()))
            }
        }
    }
}

/// A query as the first argument needs parentheses of its own; the parser does not say so.
fn hinted(error: DataFusionError, sql: &str) -> DataFusionError {
    let plain: String =
        sql.to_lowercase().split_whitespace().collect::<Vec<&str>>().join(" ").replace("( ", "(");
    let bare = FUNCTIONS.iter().find(|function| {
        let opens = |word: &str| {
            plain.contains(&format!("{}({word} ", function.name))
                || plain.contains(&format!("{} ({word} ", function.name))
        };
        ["select", "with", "values"].into_iter().any(opens)
    });
    match bare {
        Some(function) => problem(format!(
            "a query as the first argument stands in parentheses of its own: {}((SELECT …), …)",
            function.name
        )),
        None => error,
    }
}

fn read_only(statement: &str) -> DataFusionError {
    let verb = statement.split_whitespace().next().unwrap_or_default().to_uppercase();
    problem(format!(
        "{verb} is not available: SQL reads tables here and writes nothing. Use SELECT, WITH, EXPLAIN, SHOW TABLES, DESCRIBE, or SET paravent.…"
    ))
}

fn setting(set: Set) -> Result<Request> {
    let usage = "write e.g. SET paravent.partial = true; the settings are paravent.rules, paravent.partial, paravent.seed, paravent.seconds, paravent.memory and paravent.answer";
    let Set::SingleAssignment { variable, values, .. } = set else { return Err(problem(usage)) };
    let names: Vec<String> = variable
        .0
        .iter()
        .filter_map(|part| part.as_ident())
        .map(|ident| ident.value.to_lowercase())
        .collect();
    let [family, name] = names.as_slice() else { return Err(problem(usage)) };
    if family != "paravent" {
        return Err(problem(format!("the settings of {family} cannot be changed here; {usage}")));
    }
    let value = match values.as_slice() {
        [Expr::Value(literal)] => match &literal.value {
            Literal::Number(text, _) | Literal::SingleQuotedString(text) => text.clone(),
            Literal::Boolean(truth) => truth.to_string(),
            _ => return Err(problem(usage)),
        },
        [Expr::Identifier(name)] => name.value.clone(),
        _ => return Err(problem(usage)),
    };
    Ok(Request::Set { name: name.clone(), value })
}
