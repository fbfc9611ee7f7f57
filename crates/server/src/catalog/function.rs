//! Functions of the catalog. The list is closed: what is not on it is refused.

use super::SERVER_VERSION;
use super::expression::unknown;
use super::kind as kinds;
use super::select::{Interpreter, Row, Scope};
use super::value::Value;
use crate::answer::oid;
use crate::fault::Fault;
use crate::statement::name as object_name;
use sqlparser::ast::{Expr, Function, FunctionArguments, WindowType};
use std::cmp::Ordering;

const AGGREGATES: [&str; 7] = ["count", "min", "max", "array_agg", "string_agg", "bool_or", "bool_and"];

fn plain(name: &str) -> &str {
    name.strip_prefix("pg_catalog.").unwrap_or(name)
}

/// Whether an expression is a figure over rows.
pub(super) fn is_aggregate(expr: &Expr) -> bool {
    match expr {
        Expr::Function(function) => {
            function.over.is_none() && AGGREGATES.contains(&plain(&object_name(&function.name)))
        }
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_aggregate(inner),
        _ => false,
    }
}

/// The type of a function's value.
pub(super) fn kind(name: &str) -> u32 {
    match plain(name) {
        "count" | "pg_total_relation_size" | "pg_relation_size" | "pg_table_size" | "row_number" => oid::INT8,
        "pg_backend_pid" | "length" | "array_length" | "array_upper" | "cardinality" => oid::INT4,
        "current_schema" | "current_database" | "current_user" | "session_user" | "pg_get_userbyid" => {
            oid::NAME
        }
        "current_schemas" | "array_agg" => oid::TEXT_ARRAY,
        "to_regtype" | "to_regclass" => oid::OID,
        name if name.starts_with("has_") || name.ends_with("_is_visible") || name.starts_with("pg_is_") => {
            oid::BOOL
        }
        _ => oid::TEXT,
    }
}

impl Interpreter<'_> {
    /// Words that are functions without parentheses.
    pub(super) fn word(&self, name: &str, scope: &Scope<'_>) -> Result<Value, Fault> {
        let _ = scope;
        match self.named(name, &[]) {
            Err(_) => Err(Fault::new("42703", "there is no such column in the catalog")),
            known => known,
        }
    }

    pub(super) fn function(&self, function: &Function, scope: &Scope<'_>) -> Result<Value, Fault> {
        let name = object_name(&function.name);
        let name = plain(&name);
        let arguments: &[sqlparser::ast::FunctionArg] = match &function.args {
            FunctionArguments::None => &[],
            FunctionArguments::List(list) => &list.args,
            FunctionArguments::Subquery(query) if name == "array" => {
                let rows = self.query(query, Some(scope))?.rows;
                return Ok(Value::List(rows.into_iter().filter_map(|row| row.into_iter().next()).collect()));
            }
            FunctionArguments::Subquery(_) => return Err(unknown()),
        };
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            return match name {
                "row_number" => self.row_number(window, scope),
                _ => Err(unknown()),
            };
        }
        if let (Some(group), true) = (scope.group, AGGREGATES.contains(&name)) {
            return self.figure(name, arguments, group, scope);
        }
        self.named(name, &self.arguments(arguments, scope)?)
    }

    /// How many rows of the same part come before.
    fn row_number(&self, window: &sqlparser::ast::WindowSpec, scope: &Scope<'_>) -> Result<Value, Fault> {
        let Some((all, own)) = scope.all else { return Err(unknown()) };
        let keys = |row: &Row| -> Result<(Vec<Value>, Vec<Value>), Fault> {
            let here = Scope { row, all: None, ..*scope };
            let part = window.partition_by.iter().map(|expr| self.eval(expr, &here));
            let order = window.order_by.iter().map(|by| self.eval(&by.expr, &here));
            Ok((part.collect::<Result<_, _>>()?, order.collect::<Result<_, _>>()?))
        };
        let (part, order) = keys(&all[own])?;
        let mut number = 1;
        for (place, row) in all.iter().enumerate().filter(|(place, _)| *place != own) {
            let (other_part, other_order) = keys(row)?;
            let pairs = other_order.iter().zip(&order).zip(&window.order_by);
            let mut each = pairs.map(|((other, mine), by)| match by.options.asc {
                Some(false) => mine.order(other),
                _ => other.order(mine),
            });
            let ordering = each.find(|ordering| *ordering != Ordering::Equal).unwrap_or(place.cmp(&own));
            number += i64::from(other_part == part && ordering == Ordering::Less);
        }
        Ok(Value::Int(number))
    }

    fn figure(
        &self,
        name: &str,
        arguments: &[sqlparser::ast::FunctionArg],
        group: &[Row],
        scope: &Scope<'_>,
    ) -> Result<Value, Fault> {
        let is_star = matches!(
            arguments,
            [sqlparser::ast::FunctionArg::Unnamed(sqlparser::ast::FunctionArgExpr::Wildcard)]
        );
        if name == "count" && is_star {
            return Ok(Value::Int(group.len() as i64));
        }
        let mut values = Vec::new();
        let mut between = String::new();
        for row in group {
            let here = Scope { row, group: None, all: None, ..*scope };
            let given = self.arguments(arguments, &here)?;
            between = given.get(1).and_then(Value::text).unwrap_or_default();
            values.extend(given.into_iter().next());
        }
        if name != "array_agg" {
            values.retain(|value| *value != Value::Null);
        }
        Ok(match name {
            "count" => Value::Int(values.len() as i64),
            "min" => values.into_iter().min_by(Value::order).unwrap_or(Value::Null),
            "max" => values.into_iter().max_by(Value::order).unwrap_or(Value::Null),
            "bool_or" => Value::Bool(values.iter().any(|value| value.truth() == Some(true))),
            "bool_and" => Value::Bool(values.iter().all(|value| value.truth() == Some(true))),
            _ if values.is_empty() => Value::Null,
            "string_agg" => joined(&values, &between),
            _ => Value::List(values),
        })
    }

    fn named(&self, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
        let text = |text: &str| Value::Text(text.to_owned());
        let first = arguments.first();
        let first_text = || first.and_then(Value::text);
        Ok(match name {
            "version" => text(&format!("PostgreSQL {SERVER_VERSION}")),
            "current_schema" => text("public"),
            "current_schemas" => Value::List(vec![text("pg_catalog"), text("public")]),
            "current_database" | "current_catalog" => text(&self.catalog.database),
            "current_user" | "session_user" | "user" | "current_role" => text(&self.catalog.user),
            "pg_backend_pid" => Value::Int(0),
            "pg_is_in_recovery" | "pg_is_other_temp_schema" => Value::Bool(false),
            "pg_get_userbyid" => text("paravent"),
            "pg_encoding_to_char" => text("UTF8"),
            "pg_my_temp_schema" => Value::Int(0),
            "format_type" => match first.and_then(Value::number) {
                Some(number) => text(kinds::name(number)),
                None => Value::Null,
            },
            "to_regtype" => {
                let number = first_text().and_then(|name| kinds::of_name(&name));
                number.map_or(Value::Null, |number| Value::Int(i64::from(number)))
            }
            "to_regclass" => {
                let name = first_text().unwrap_or_default();
                let name = name.strip_prefix("public.").unwrap_or(&name).to_owned();
                self.catalog.class(&name).map_or(Value::Null, |number| Value::Named(number, name))
            }
            "current_setting" => match first_text().and_then(|name| super::setting(&name.to_lowercase())) {
                Some(value) => text(value),
                None => Value::Null,
            },
            "set_config" => arguments.get(1).cloned().unwrap_or(Value::Null),
            "coalesce" => {
                arguments.iter().find(|value| **value != Value::Null).cloned().unwrap_or(Value::Null)
            }
            "nullif" => match arguments {
                [one, other] if one.compare(other) == Some(Ordering::Equal) => Value::Null,
                [one, _] => one.clone(),
                _ => return Err(unknown()),
            },
            "lower" | "upper" | "length" | "quote_ident" | "concat" | "replace" | "array_to_string"
            | "array_length" | "array_upper" | "cardinality" => of_texts(name, arguments),
            "has_schema_privilege"
            | "has_table_privilege"
            | "has_column_privilege"
            | "has_any_column_privilege"
            | "has_database_privilege"
            | "has_function_privilege"
            | "has_type_privilege" => {
                let wanted = arguments.last().and_then(Value::text).unwrap_or_default().to_lowercase();
                Value::Bool(matches!(wanted.as_str(), "select" | "usage" | "connect"))
            }
            name if name.ends_with("_is_visible") && name.starts_with("pg_") => Value::Bool(true),
            "obj_description"
            | "col_description"
            | "shobj_description"
            | "pg_get_expr"
            | "pg_get_indexdef"
            | "pg_get_constraintdef"
            | "pg_get_viewdef"
            | "pg_get_serial_sequence"
            | "pg_get_partkeydef"
            | "pg_get_statisticsobjdef_columns"
            | "pg_get_triggerdef"
            | "pg_get_ruledef"
            | "pg_relation_size"
            | "pg_total_relation_size"
            | "pg_table_size"
            | "pg_size_pretty"
            | "pg_stat_get_numscans"
            | "pg_relation_filenode"
            | "inet_server_addr"
            | "inet_server_port"
            | "inet_client_addr"
            | "pg_tablespace_location"
            | "pg_relation_is_publishable"
            | "generate_subscripts"
            | "unnest"
            | "information_schema._pg_expandarray"
            | "pg_get_function_arguments"
            | "pg_get_function_identity_arguments"
            | "pg_get_function_result"
            | "array_remove"
            | "pg_postmaster_start_time" => Value::Null,
            _ => return Err(Fault::new("42883", "there is no such function in the catalog")),
        })
    }
}

/// Longest text that is made, in bytes.
pub(super) const LONGEST: usize = 1 << 20;

/// All texts with something between them; NULL where that is too long to be made.
fn joined(values: &[Value], between: &str) -> Value {
    let texts: Vec<String> = values.iter().filter_map(Value::text).collect();
    let length = texts.iter().map(|text| text.len().saturating_add(between.len()));
    match length.fold(0, usize::saturating_add) < LONGEST {
        true => Value::Text(texts.join(between)),
        false => Value::Null,
    }
}

/// Functions of texts and lists.
fn of_texts(name: &str, arguments: &[Value]) -> Value {
    let first = arguments.first();
    let first_text = || first.and_then(Value::text);
    match name {
        "lower" => first_text().map_or(Value::Null, |text| Value::Text(text.to_lowercase())),
        "upper" => first_text().map_or(Value::Null, |text| Value::Text(text.to_uppercase())),
        "length" => first_text().map_or(Value::Null, |text| Value::Int(text.chars().count() as i64)),
        "quote_ident" => first.cloned().unwrap_or(Value::Null),
        "concat" => joined(arguments, ""),
        "replace" => match arguments.iter().map(Value::text).collect::<Option<Vec<String>>>().as_deref() {
            Some([text, from, to]) if !from.is_empty() => {
                let found = text.matches(from.as_str()).count();
                match text.len().saturating_add(found.saturating_mul(to.len())) < LONGEST {
                    true => Value::Text(text.replace(from.as_str(), to)),
                    false => Value::Null,
                }
            }
            Some([text, ..]) => Value::Text(text.clone()),
            _ => Value::Null,
        },
        "array_to_string" => match (first, arguments.get(1).and_then(Value::text)) {
            (Some(Value::List(values)), Some(between)) => joined(values, &between),
            _ => Value::Null,
        },
        "array_length" | "array_upper" | "cardinality" => match first {
            Some(Value::List(values)) => Value::Int(values.len() as i64),
            _ => Value::Null,
        },
        _ => Value::Null,
    }
}
