//! The recoded table: joins with mappings, and suppressed rows left out.

use super::tree::{Dialect, Parts, all_of, either, equal, inner_join, left_join, number};
use super::{Texts, table};
use paravent_tables::engine::{Fates, RecodedColumn, Recoding};
use sqlparser::ast::{Expr, Query};

/// The rows as they would be released.
///
/// An inner query gives every quasi-identifier its code and label, an outer one leaves out what is suppressed:
///
/// ```sql
/// SELECT q.l0 AS age, q.o0 AS diagnosis FROM (
///   SELECT CASE WHEN p.age IS NULL THEN (SELECT n.c FROM m0 n WHERE n.v IS NULL) ELSE m0.c END AS c0, … AS l0, p.diagnosis AS o0
///   FROM patients p LEFT JOIN m0 ON m0.v = p.age) q
/// WHERE NOT EXISTS (SELECT 1 FROM x WHERE x.c0 = q.c0)
/// ```
pub(super) fn query(dialect: Dialect, recoding: &Recoding, texts: &dyn Texts) -> Query {
    let mut inner = Parts { from: Some(table(dialect, &recoding.table, texts)), ..Parts::default() };
    let joined = |column: &str, alias: &str| {
        let is_text = texts.is_text(column);
        equal(
            dialect.bytewise(dialect.column(alias, "v"), is_text),
            dialect.bytewise(dialect.column("p", column), is_text),
        )
    };
    for (at, (column, mapping)) in recoding.mapped.iter().enumerate() {
        let alias = format!("m{at}");
        inner.joins.push(left_join(
            dialect.relation(dialect.session_table(mapping), &alias),
            joined(column, &alias),
        ));
        for (what, name) in [("c", format!("c{at}")), ("l", format!("l{at}"))] {
            let mapped = either(
                Expr::IsNull(Box::new(dialect.column("p", column))),
                of_missing(dialect, mapping, what),
                dialect.column(&alias, what),
            );
            inner.projection.push(dialect.aliased(mapped, &name));
        }
    }
    let others = recoding.columns.iter().filter_map(|column| match column {
        RecodedColumn::AsItIs { name } => Some(name),
        _ => None,
    });
    for (at, name) in others.enumerate() {
        inner.projection.push(dialect.aliased(dialect.column("p", name), &format!("o{at}")));
    }
    let mut chosen = Vec::new();
    for (at, (column, mapping)) in recoding.subset.iter().enumerate() {
        let alias = format!("s{at}");
        inner.joins.push(left_join(
            dialect.relation(dialect.session_table(mapping), &alias),
            joined(column, &alias),
        ));
        let flag = either(
            Expr::IsNull(Box::new(dialect.column("p", column))),
            of_missing(dialect, mapping, "c"),
            dialect.column(&alias, "c"),
        );
        chosen.push(equal(flag, number(1)));
    }
    inner.selection = all_of(chosen);
    let mut outer = Parts { from: Some(dialect.subquery(inner.query(), "q")), ..Parts::default() };
    let same = || {
        let codes = (0..recoding.mapped.len()).map(|at| format!("c{at}"));
        all_of(codes.map(|code| equal(dialect.column("x", &code), dialect.column("q", &code))))
    };
    let mut labels = "q";
    match &recoding.fates {
        Fates::AllStay => {}
        Fates::AllBut(mapping) => {
            let found = Parts {
                projection: vec![sqlparser::ast::SelectItem::UnnamedExpr(number(1))],
                from: Some(dialect.relation(dialect.session_table(mapping), "x")),
                selection: same(),
                ..Parts::default()
            };
            outer.selection = Some(Expr::Exists { subquery: Box::new(found.query()), negated: true });
        }
        Fates::Listed(mapping) => {
            let listed = dialect.relation(dialect.session_table(mapping), "x");
            if let Some(same) = same() {
                outer.joins.push(inner_join(listed, same));
            }
            labels = "x";
        }
    }
    let mut others = 0;
    for column in &recoding.columns {
        let expr = match column {
            RecodedColumn::Label { mapped, .. } => dialect.column(labels, &format!("l{mapped}")),
            RecodedColumn::AsItIs { .. } => {
                others += 1;
                dialect.column("q", &format!("o{}", others - 1))
            }
        };
        outer.projection.push(dialect.aliased(expr, column.name()));
    }
    outer.query()
}

/// Whether a column of the recoded table is text.
pub(super) fn is_text(recoding: &Recoding, column: &str, texts: &dyn Texts) -> bool {
    match recoding.columns.iter().find(|known| known.name() == column) {
        Some(RecodedColumn::Label { .. }) => true,
        None => false,
        Some(RecodedColumn::AsItIs { name }) => texts.is_text(name),
    }
}

/// `(SELECT n.c FROM mapping n WHERE n.v IS NULL)`: plain equality finds no missing value.
fn of_missing(dialect: Dialect, mapping: &str, what: &str) -> Expr {
    let line = Parts {
        projection: vec![sqlparser::ast::SelectItem::UnnamedExpr(dialect.column("n", what))],
        from: Some(dialect.relation(dialect.session_table(mapping), "n")),
        selection: Some(Expr::IsNull(Box::new(dialect.column("n", "v")))),
        ..Parts::default()
    };
    Expr::Subquery(Box::new(line.query()))
}
