//! The tables of a query, and the names of their columns.

use super::unknown;
use crate::refusal::Refusal;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, TableFactor, TableWithJoins,
};
use std::collections::BTreeSet;

/// A table of the statement, and what its columns may be qualified with.
pub(super) struct Named {
    pub(super) table: String,
    alias: String,
}

/// All tables of the statement. In a join, a column is called `table.column`; the name of a table has no dot in it.
pub(super) struct Names {
    pub(super) tables: Vec<Named>,
    /// The columns that are equal in every joined row.
    pub(super) links: BTreeSet<(String, String)>,
}

impl Names {
    pub(super) fn is_join(&self) -> bool {
        self.tables.len() > 1
    }

    fn column(&self, alias: &str, column: String) -> Option<String> {
        let named = self.tables.iter().find(|named| named.alias == alias)?;
        Some(match self.is_join() {
            true => format!("{}.{column}", named.table),
            false => column,
        })
    }
}

const JOIN: &str =
    "Join along the links of the policy: FROM vitals JOIN patients ON vitals.patient = patients.id";

/// The tables of FROM.
pub(super) fn tables(from: &[TableWithJoins]) -> Result<Names, Refusal> {
    let [TableWithJoins { relation, joins }] = from else {
        return Err(match from.is_empty() {
            true => unknown("a statement without a table"),
            false => {
                Refusal::new("a list of tables is refused: which rows belong together is not said", JOIN)
            }
        });
    };
    let mut names = Names { tables: vec![named(relation)?], links: BTreeSet::new() };
    for join in joins {
        let other = named(&join.relation)?;
        if names.tables.iter().any(|known| known.table == other.table) {
            return Err(Refusal::new(
                "a table is joined with itself: a joined row would belong to two people",
                JOIN,
            ));
        }
        if names.tables.iter().any(|known| known.alias == other.alias) {
            return Err(Refusal::new("two tables have one name", "Give them different names"));
        }
        names.tables.push(other);
    }
    // All tables are named by now; each condition may speak of those before it.
    for (place, join) in joins.iter().enumerate() {
        let links = links(join, &names, place + 2)?;
        names.links.extend(links);
    }
    Ok(names)
}

/// `ON a.x = b.y AND …` or `USING (x)`, of a join that drops what has no partner.
fn links(join: &Join, names: &Names, known: usize) -> Result<Vec<(String, String)>, Refusal> {
    let Join { relation: _, global: false, join_operator } = join else {
        return Err(unknown("a join of this kind"));
    };
    let (JoinOperator::Join(constraint) | JoinOperator::Inner(constraint)) = join_operator else {
        return Err(Refusal::new(
            "only JOIN and INNER JOIN are answered: another join would show who has no row in a table",
            JOIN,
        ));
    };
    let visible = &names.tables[..known];
    match constraint {
        JoinConstraint::On(condition) => {
            let mut found = Vec::new();
            equalities(condition, names, visible, &mut found)?;
            Ok(found)
        }
        JoinConstraint::Using(columns) if known == 2 => columns
            .iter()
            .map(|ObjectName(parts)| match parts.as_slice() {
                [part] => {
                    let column =
                        part.as_ident().map(folded).ok_or_else(|| unknown("a column of this kind"))?;
                    let [one, other] = [0, 1].map(|place| format!("{}.{column}", visible[place].table));
                    Ok(sorted(one, other))
                }
                _ => Err(unknown("a column of this kind")),
            })
            .collect(),
        JoinConstraint::Using(_) => Err(Refusal::new("USING in a join of three tables is refused", JOIN)),
        JoinConstraint::Natural | JoinConstraint::None => {
            Err(Refusal::new("a join does not say which rows belong together", JOIN))
        }
    }
}

fn equalities(
    condition: &Expr,
    names: &Names,
    visible: &[Named],
    found: &mut Vec<(String, String)>,
) -> Result<(), Refusal> {
    match condition {
        Expr::Nested(inner) => equalities(inner, names, visible, found),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            equalities(left, names, visible, found)?;
            equalities(right, names, visible, found)
        }
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            let own = |expr: &Expr| {
                column(expr, names).filter(|column| {
                    visible
                        .iter()
                        .any(|named| column.split_once('.').is_some_and(|(table, _)| table == named.table))
                })
            };
            let Some((one, other)) = own(left).zip(own(right)) else { return Err(not_a_link()) };
            found.push(sorted(one, other));
            Ok(())
        }
        _ => Err(not_a_link()),
    }
}

fn not_a_link() -> Refusal {
    Refusal::new(
        "a join compares columns of its tables, each with the table before it, and nothing else",
        JOIN,
    )
}

fn sorted(one: String, other: String) -> (String, String) {
    if one <= other { (one, other) } else { (other, one) }
}

fn named(relation: &TableFactor) -> Result<Named, Refusal> {
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
    Ok(Named { table, alias })
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
        Expr::Identifier(ident) if !names.is_join() => Some(folded(ident)),
        Expr::CompoundIdentifier(idents) => match idents.as_slice() {
            [table, column] => names.column(&folded(table), folded(column)),
            _ => None,
        },
        Expr::Nested(inner) => column(inner, names),
        _ => None,
    }
}
