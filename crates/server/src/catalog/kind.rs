//! Types of expressions, known before there is a row.

use super::select::{Scope, Source, folded};
use crate::answer::oid;
use crate::statement::name as object_name;
use sqlparser::ast::{DataType, Expr, Ident, Value as Literal};

/// What `format_type` says of a number.
pub(super) fn name(oid: i64) -> &'static str {
    match u32::try_from(oid).unwrap_or(0) {
        oid::BOOL => "boolean",
        oid::CHAR => "\"char\"",
        oid::NAME => "name",
        oid::INT8 => "bigint",
        oid::INT2 => "smallint",
        oid::INT4 => "integer",
        oid::TEXT => "text",
        oid::OID => "oid",
        oid::JSON => "json",
        oid::FLOAT4 => "real",
        oid::FLOAT8 => "double precision",
        oid::TEXT_ARRAY => "text[]",
        oid::VARCHAR => "character varying",
        oid::DATE => "date",
        oid::NUMERIC => "numeric",
        oid::UNKNOWN => "unknown",
        _ => "???",
    }
}

/// The type that a name means: `int4`, `integer`.
pub(super) fn of_name(text: &str) -> Option<u32> {
    Some(match text.trim_matches('"').to_lowercase().as_str() {
        "bool" | "boolean" => oid::BOOL,
        "char" => oid::CHAR,
        "name" => oid::NAME,
        "int8" | "bigint" => oid::INT8,
        "int2" | "smallint" => oid::INT2,
        "int4" | "int" | "integer" => oid::INT4,
        "text" => oid::TEXT,
        "oid" => oid::OID,
        "json" => oid::JSON,
        "float4" | "real" => oid::FLOAT4,
        "float8" | "double precision" => oid::FLOAT8,
        "varchar" | "character varying" => oid::VARCHAR,
        "date" => oid::DATE,
        "numeric" | "decimal" => oid::NUMERIC,
        _ => return None,
    })
}

/// The name of a type as it was written, without the catalog's own schema.
pub(super) fn written(data_type: &DataType) -> String {
    let text = data_type.to_string().to_lowercase().replace('"', "");
    text.strip_prefix("pg_catalog.").unwrap_or(&text).to_owned()
}

/// The type of an expression; text if it is unknown.
pub(super) fn kind(expr: &Expr, sources: &[Source], outer: Option<&Scope<'_>>) -> u32 {
    match expr {
        Expr::Identifier(ident) => column(None, ident, sources, outer),
        Expr::CompoundIdentifier(idents) => match idents.as_slice() {
            [.., table, own] => column(Some(&folded(table)), own, sources, outer),
            _ => oid::TEXT,
        },
        Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => kind(inner, sources, outer),
        Expr::Value(value) => match &value.value {
            Literal::Number(..) => oid::INT4,
            Literal::Boolean(_) => oid::BOOL,
            _ => oid::TEXT,
        },
        Expr::Cast { data_type, .. } => match written(data_type).as_str() {
            text if text.ends_with("[]") => oid::TEXT_ARRAY,
            text => of_name(text).unwrap_or(oid::TEXT),
        },
        Expr::BinaryOp { left, op, right } => {
            use sqlparser::ast::BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus, StringConcat};
            match op {
                StringConcat => oid::TEXT,
                Plus | Minus | Multiply | Divide | Modulo => {
                    let (left, right) = (kind(left, sources, outer), kind(right, sources, outer));
                    if left == oid::INT8 || right == oid::INT8 { oid::INT8 } else { oid::INT4 }
                }
                _ => oid::BOOL,
            }
        }
        Expr::UnaryOp { expr, op: sqlparser::ast::UnaryOperator::Minus } => kind(expr, sources, outer),
        Expr::UnaryOp { .. }
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNotFalse(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::ILike { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. }
        | Expr::Exists { .. } => oid::BOOL,
        Expr::Case { conditions, .. } => {
            conditions.first().map_or(oid::TEXT, |first| kind(&first.result, sources, outer))
        }
        Expr::Array(_) => oid::TEXT_ARRAY,
        Expr::Function(function) => super::function::kind(&object_name(&function.name)),
        _ => oid::TEXT,
    }
}

fn column(table: Option<&str>, own: &Ident, sources: &[Source], outer: Option<&Scope<'_>>) -> u32 {
    let own_name = folded(own);
    let here = sources.iter().filter(|source| table.is_none_or(|table| source.alias == table));
    let found = here.flat_map(|source| &source.columns).find(|(name, _)| *name == own_name);
    match (found, outer) {
        (Some((_, oid)), _) => *oid,
        (None, Some(outer)) => column(table, own, outer.sources, outer.outer),
        (None, None) => oid::TEXT,
    }
}
