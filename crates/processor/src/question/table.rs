//! The table of a query, and the names of its columns.

use super::unknown;
use crate::refusal::Refusal;
use datafusion::sql::sqlparser::ast::{Expr, Ident, ObjectName, TableFactor, TableWithJoins};

/// The table, and what its columns may be qualified with.
pub(super) struct Names {
    pub(super) table: String,
    pub(super) alias: String,
}

pub(super) fn one_table(from: &[TableWithJoins]) -> Result<Names, Refusal> {
    let [TableWithJoins { relation, joins }] = from else {
        return Err(match from.is_empty() {
            true => unknown("a statement without a table"),
            false => unknown("a join"),
        });
    };
    if !joins.is_empty() {
        return Err(unknown("a join"));
    }
    let TableFactor::Table {
        name,
        alias,
        args,
        with_hints,
        version,
        with_ordinality,
        partitions,
        json_path,
        sample,
        index_hints,
    } = relation
    else {
        return Err(unknown("anything but a table in FROM"));
    };
    if args.is_some() {
        return Err(unknown("a function in FROM"));
    }
    let plain = with_hints.is_empty()
        && version.is_none()
        && !with_ordinality
        && partitions.is_empty()
        && json_path.is_none()
        && sample.is_none()
        && index_hints.is_empty();
    if !plain {
        return Err(unknown("a table with options"));
    }
    let ObjectName(parts) = name;
    // Tools write the schema, too; there is one.
    let part = match parts.as_slice() {
        [part] => part,
        [schema, part] if schema.as_ident().is_some_and(|schema| folded(schema) == "public") => part,
        _ => {
            return Err(Refusal::new(
                "the catalog is not shown",
                "Use `paravent policy explain` to see tables and columns",
            ));
        }
    };
    let Some(ident) = part.as_ident() else { return Err(unknown("a table of this kind")) };
    let table = folded(ident);
    let alias = match alias {
        Some(alias) if !alias.columns.is_empty() || alias.at.is_some() => {
            return Err(unknown("an alias of columns"));
        }
        Some(alias) => folded(&alias.name),
        None => table.clone(),
    };
    Ok(Names { table, alias })
}

/// As SQL reads a name: in lower case unless it is quoted.
pub(super) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    }
}

pub(super) fn column(expr: &Expr, names: &Names) -> Option<String> {
    match expr {
        Expr::Identifier(ident) => Some(folded(ident)),
        Expr::CompoundIdentifier(idents) => match idents.as_slice() {
            [table, column] if folded(table) == names.alias => Some(folded(column)),
            _ => None,
        },
        Expr::Nested(inner) => column(inner, names),
        _ => None,
    }
}
