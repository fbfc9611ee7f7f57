//! What a statement is about: a question to the processor, the catalog, or the connection itself.
//!
//! Only what is surely none of the processor's matters is kept from it. Whatever cannot be read here is a question, and is judged there.

use sqlparser::ast::{
    Expr, ObjectName, Query, Set, Statement as Sql, Value, visit_expressions, visit_relations,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

/// A statement.
pub(crate) enum Statement {
    /// For the processor.
    Question,
    /// For the catalog.
    Catalog(Box<Query>),
    /// A setting of the connection.
    Set(String, String),
    /// The same, to be shown.
    Show(String),
    /// A transaction begins.
    Begin,
    /// It ends.
    Commit,
    /// It ends, too.
    Rollback,
    /// Points in a transaction: there is nothing to go back to.
    Savepoint(&'static str),
    /// `ROLLBACK TO`
    RollbackTo,
    /// Prepared statements are forgotten.
    Deallocate(Option<String>),
    /// Has no effect here.
    Nothing(&'static str),
    /// Is not there.
    Unsupported(&'static str),
}

/// Reads the statements of a text.
pub(crate) fn read(sql: &str) -> Vec<Statement> {
    let parsed = Parser::new(&PostgreSqlDialect {}).with_recursion_limit(50).try_with_sql(sql);
    let Ok(statements) = parsed.and_then(|mut parser| parser.parse_statements()) else {
        return vec![Statement::Question];
    };
    let is_one = statements.len() == 1;
    let read: Vec<Statement> = statements.into_iter().map(of).collect();
    // Questions come one by one: several in a text are one question, which the processor refuses.
    match is_one || !read.iter().any(|statement| matches!(statement, Statement::Question)) {
        true => read,
        false => vec![Statement::Question],
    }
}

/// How many parameters a text has.
pub(crate) fn parameters(sql: &str) -> usize {
    let parsed = Parser::new(&PostgreSqlDialect {}).with_recursion_limit(50).try_with_sql(sql);
    let Ok(statements) = parsed.and_then(|mut parser| parser.parse_statements()) else { return 0 };
    let mut most = 0;
    let _ = visit_expressions(&statements, |expr| {
        if let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &value.value
        {
            let number = name.strip_prefix('$').and_then(|number| number.parse::<usize>().ok());
            most = most.max(number.unwrap_or(0));
        }
        ControlFlow::<()>::Continue(())
    });
    most.min(usize::from(u16::MAX))
}

fn of(statement: Sql) -> Statement {
    match statement {
        Sql::Query(query) => match is_catalog(&query) {
            true => Statement::Catalog(query),
            false => Statement::Question,
        },
        Sql::Set(set) => of_set(set),
        Sql::ShowVariable { variable } => {
            let words: Vec<String> = variable.iter().map(|ident| ident.value.to_lowercase()).collect();
            Statement::Show(match words.join(" ").as_str() {
                "transaction isolation level" => "transaction_isolation".to_owned(),
                "time zone" => "timezone".to_owned(),
                _ => words.join("."),
            })
        }
        Sql::StartTransaction { statements, .. } if statements.is_empty() => Statement::Begin,
        Sql::Commit { .. } => Statement::Commit,
        Sql::Rollback { savepoint: None, .. } => Statement::Rollback,
        Sql::Rollback { savepoint: Some(_), .. } => Statement::RollbackTo,
        Sql::Savepoint { .. } => Statement::Savepoint("SAVEPOINT"),
        Sql::ReleaseSavepoint { .. } => Statement::Savepoint("RELEASE"),
        Sql::Deallocate { name, .. } => {
            let is_all = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all");
            Statement::Deallocate((!is_all).then_some(name.value))
        }
        Sql::Discard { .. } => Statement::Nothing("DISCARD ALL"),
        Sql::Reset(_) => Statement::Nothing("RESET"),
        Sql::UNLISTEN { .. } => Statement::Nothing("UNLISTEN"),
        Sql::Declare { .. } | Sql::Fetch { .. } | Sql::Close { .. } => Statement::Unsupported("a cursor"),
        Sql::Copy { .. } => Statement::Unsupported("COPY"),
        Sql::Prepare { .. } | Sql::Execute { .. } => Statement::Unsupported("PREPARE as a statement"),
        Sql::LISTEN { .. } | Sql::NOTIFY { .. } => Statement::Unsupported("LISTEN"),
        _ => Statement::Question,
    }
}

fn of_set(set: Set) -> Statement {
    let text = |expr: &Expr| match expr {
        Expr::Value(value) => value.value.clone().into_string().unwrap_or_else(|| value.value.to_string()),
        Expr::Identifier(ident) => ident.value.clone(),
        other => other.to_string(),
    };
    match set {
        Set::SingleAssignment { variable, values, .. } => {
            let words: Vec<String> = values.iter().map(text).collect();
            Statement::Set(name(&variable), words.join(", "))
        }
        Set::SetTimeZone { value, .. } => Statement::Set("timezone".to_owned(), text(&value)),
        Set::SetNames { charset_name, .. } => {
            Statement::Set("client_encoding".to_owned(), charset_name.value)
        }
        Set::SetTransaction { .. } | Set::SetNamesDefault {} => Statement::Nothing("SET"),
        Set::SetRole { .. } | Set::SetSessionAuthorization(_) => Statement::Unsupported("another role"),
        _ => Statement::Unsupported("SET of this kind"),
    }
}

pub(crate) fn name(name: &ObjectName) -> String {
    let parts = name
        .0
        .iter()
        .map(|part| part.as_ident().map_or_else(|| part.to_string(), |ident| ident.value.clone()));
    parts.collect::<Vec<_>>().join(".").to_lowercase()
}

/// No table at all, or one of the catalog somewhere. The catalog knows no table of people, so a statement that mixes both fails there.
fn is_catalog(query: &Query) -> bool {
    let (mut any, mut catalog) = (false, false);
    let _ = visit_relations(query, |relation| {
        any = true;
        let relation = name(relation);
        let schema = relation.split_once('.').map(|(schema, _)| schema);
        catalog |= matches!(schema, Some("pg_catalog" | "information_schema" | "paravent"))
            || schema.is_none() && relation.starts_with("pg_");
        ControlFlow::<()>::Continue(())
    });
    catalog || !any
}
