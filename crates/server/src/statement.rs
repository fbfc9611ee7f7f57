//! What a statement is about: a question to the processor, the catalog, or the connection itself.
//!
//! Only what is surely none of the processor's matters is kept from it. Whatever cannot be read here is a question, and is judged there.

use crate::fault::Fault;
use sqlparser::ast::{
    CloseCursor, Declare, Expr, FetchDirection, Ident, ObjectName, Query, Set, Statement as Sql, Value,
    ValueWithSpan, visit_expressions, visit_relations,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Token, Tokenizer};
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
    /// A cursor over the answer to a statement of its own.
    Declare(Cursor),
    /// Rows of a cursor: its name, and at most how many.
    Fetch(String, usize),
    /// A cursor is forgotten; all of them.
    Close(Option<String>),
    /// Prepared statements are forgotten.
    Deallocate(Option<String>),
    /// Prepared statements and cursors are forgotten.
    Discard,
    /// Has no effect here.
    Nothing(&'static str),
    /// Is not there.
    Unsupported(&'static str),
}

/// A cursor that is declared.
pub(crate) struct Cursor {
    pub(crate) name: String,
    /// It stays when the transaction ends.
    pub(crate) holds: bool,
    /// The text behind FOR.
    pub(crate) sql: String,
}

/// Whether a text may be read at all: one that is nested too deeply, or has too many operators, would exhaust the stack or take forever.
fn is_readable(sql: &str) -> bool {
    paravent_processor::question::is_readable(&PostgreSqlDialect {}, sql)
}

/// Refuses a text that nobody reads.
pub(crate) fn checked(sql: &str) -> Result<(), Fault> {
    match is_readable(sql) {
        true => Ok(()),
        false => {
            let message = "the statement has too many keywords and operators, or is nested too deeply";
            Err(Fault::new("54001", message))
        }
    }
}

/// Reads the statements of a text.
pub(crate) fn read(sql: &str) -> Vec<Statement> {
    if !is_readable(sql) {
        return vec![Statement::Question];
    }
    let parsed = Parser::new(&PostgreSqlDialect {}).with_recursion_limit(50).try_with_sql(sql);
    let Ok(statements) = parsed.and_then(|mut parser| parser.parse_statements()) else {
        return vec![Statement::Question];
    };
    let is_one = statements.len() == 1;
    if let [Sql::Declare { stmts }] = statements.as_slice() {
        return vec![of_declare(stmts, sql)];
    }
    let read: Vec<Statement> = statements.into_iter().map(of).collect();
    // Questions come one by one: several in a text are one question, which the processor refuses.
    match is_one || !read.iter().any(|statement| matches!(statement, Statement::Question)) {
        true => read,
        false => vec![Statement::Question],
    }
}

/// How many parameters a text has; none where it cannot be read.
pub(crate) fn parameters(sql: &str) -> usize {
    if !is_readable(sql) {
        return 0;
    }
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
        Sql::Discard { .. } => Statement::Discard,
        Sql::Reset(_) => Statement::Nothing("RESET"),
        Sql::UNLISTEN { .. } => Statement::Nothing("UNLISTEN"),
        Sql::Fetch { name, direction, into: None, .. } => match rows_of(&direction) {
            Some(count) => Statement::Fetch(folded(&name), count),
            None => Statement::Unsupported("a cursor that goes back or jumps"),
        },
        Sql::Close { cursor: CloseCursor::Specific { name } } => Statement::Close(Some(folded(&name))),
        Sql::Close { cursor: CloseCursor::All } => Statement::Close(None),
        Sql::Declare { .. } => Statement::Unsupported("a cursor among several statements"),
        Sql::Copy { .. } => Statement::Unsupported("COPY"),
        Sql::Prepare { .. } | Sql::Execute { .. } => Statement::Unsupported("PREPARE as a statement"),
        Sql::LISTEN { .. } | Sql::NOTIFY { .. } => Statement::Unsupported("LISTEN"),
        _ => Statement::Question,
    }
}

fn of_declare(declared: &[Declare], sql: &str) -> Statement {
    match declared {
        [Declare { binary: Some(true), .. }] => Statement::Unsupported("a binary cursor"),
        [Declare { scroll: Some(true), .. }] => Statement::Unsupported("a cursor that goes back or jumps"),
        [Declare { names, hold, for_query: Some(_), .. }] => match (names.as_slice(), behind_for(sql)) {
            ([name], Some(inner)) => Statement::Declare(Cursor {
                name: folded(name),
                holds: *hold == Some(true),
                sql: inner.to_owned(),
            }),
            _ => Statement::Unsupported("a cursor of this kind"),
        },
        _ => Statement::Unsupported("a cursor of this kind"),
    }
}

/// The statement of a cursor as it was written. It is not printed from the syntax tree: the printer does not keep every quote.
fn behind_for(sql: &str) -> Option<&str> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, sql).tokenize_with_location().ok()?;
    let is = |token: &Token, keyword: &str| matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(keyword));
    let mut tokens = tokens.iter().skip_while(|token| !is(&token.token, "cursor"));
    let end = tokens.find(|token| is(&token.token, "for"))?.span.end;
    sql.get(offset(sql, end)?..)
}

/// Where a line and column are, in bytes.
fn offset(sql: &str, place: Location) -> Option<usize> {
    let (mut line, mut column) = (1, 1);
    for (bytes, c) in sql.char_indices() {
        if (line, column) == (place.line, place.column) {
            return Some(bytes);
        }
        (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    None
}

/// How many rows FETCH asks for; none where it goes another way than forward.
fn rows_of(direction: &FetchDirection) -> Option<usize> {
    let number = |limit: &ValueWithSpan| limit.value.to_string().parse().ok();
    match direction {
        FetchDirection::Next | FetchDirection::Forward { limit: None } => Some(1),
        FetchDirection::Count { limit } | FetchDirection::Forward { limit: Some(limit) } => number(limit),
        FetchDirection::All | FetchDirection::ForwardAll => Some(usize::MAX),
        _ => None,
    }
}

/// As SQL reads a name.
fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_exhaust_the_stack_or_never_end_is_not_read() {
        let nested = |head: &str, count: usize, tail: &str| format!("SELECT {}1 +{tail}", head.repeat(count));
        let long = |operator: &str| format!("SELECT 1{}", format!(" {operator} 1").repeat(5_000));
        for sql in [
            long("+"),
            long("OR"),
            long("UNION ALL SELECT"),
            nested("NOT (", 40, ""),
            nested("CAST (", 40, ""),
            nested("CASE (", 40, ""),
            format!("SELECT 1 WHERE {}true", "NOT ".repeat(5_000)),
            format!("SELECT $$ $$ {}", "- ".repeat(5_000)),
            format!("SELECT '\\'{} -- '", "||1".repeat(5_000)),
        ] {
            assert!(checked(&sql).is_err(), "{}", &sql[..40]);
            assert!(matches!(read(&sql).as_slice(), [Statement::Question]));
            assert_eq!(parameters(&sql), 0);
        }
        // What tools send is far below.
        let wide = format!("SELECT relname FROM pg_class WHERE oid IN ({})", vec!["1"; 5_000].join(", "));
        assert!(checked(&wide).is_ok() && matches!(read(&wide).as_slice(), [Statement::Catalog(_)]));
    }

    fn declared(sql: &str) -> Option<(String, bool, String)> {
        match read(sql).pop() {
            Some(Statement::Declare(Cursor { name, holds, sql })) => Some((name, holds, sql)),
            _ => None,
        }
    }

    #[test]
    fn the_statement_of_a_cursor_is_its_own_text() {
        let is = |name: &str, holds, sql: &str| Some((name.to_owned(), holds, sql.to_owned()));
        assert_eq!(
            declared("DECLARE c NO SCROLL CURSOR FOR\nSELECT 'it''s \\' FROM t"),
            is("c", false, "\nSELECT 'it''s \\' FROM t")
        );
        assert_eq!(
            declared("/* for */ DECLARE \"For ß\" CURSOR WITH HOLD FOR SELECT sex FROM t -- for"),
            is("For ß", true, " SELECT sex FROM t -- for")
        );
        assert_eq!(declared("DECLARE cursor CURSOR FOR SELECT 1"), is("cursor", false, " SELECT 1"));
        for other in [
            "DECLARE c BINARY CURSOR FOR SELECT 1",
            "DECLARE c SCROLL CURSOR FOR SELECT 1",
            "DECLARE c CURSOR FOR SELECT 1; SELECT name FROM t",
        ] {
            assert_eq!(declared(other), None, "{other}");
        }
    }

    #[test]
    fn cursors_go_forward_only() {
        let count = |sql: &str| match read(sql).pop() {
            Some(Statement::Fetch(name, count)) => Some((name, count)),
            _ => None,
        };
        let some = |count| Some(("c".to_owned(), count));
        assert_eq!(count("FETCH FORWARD 10 FROM c"), some(10));
        assert_eq!((count("FETCH NEXT FROM C"), count("FETCH ALL IN c")), (some(1), some(usize::MAX)));
        assert_eq!((count("FETCH PRIOR FROM c"), count("FETCH BACKWARD 2 FROM c")), (None, None));
    }
}
