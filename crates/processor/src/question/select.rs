//! The clauses of a query.

use super::expression::{condition, groups, item_of};
use super::table::{Names, tables};
use super::{Figure, Question, Shown, unknown};
use crate::refusal::Refusal;
use datafusion::sql::sqlparser::ast::{
    Expr, GroupByExpr, Query, Select, SelectItem, SetExpr, visit_expressions,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

pub(super) fn of_query(query: Query) -> Result<Question, Refusal> {
    let Query {
        with,
        body,
        order_by,
        limit_clause,
        fetch,
        locks,
        for_clause,
        settings,
        format_clause,
        pipe_operators,
    } = query;
    if with.is_some() {
        return Err(unknown("WITH"));
    }
    if order_by.is_some() {
        return Err(Refusal::new("ORDER BY is refused", "Sort the answer where you are"));
    }
    if limit_clause.is_some() || fetch.is_some() {
        return Err(Refusal::new("LIMIT, OFFSET and FETCH are refused", "Ask for the whole answer"));
    }
    if !locks.is_empty()
        || for_clause.is_some()
        || settings.is_some()
        || format_clause.is_some()
        || !pipe_operators.is_empty()
    {
        return Err(unknown("a clause of this kind"));
    }
    match *body {
        SetExpr::Select(select) => of_select(*select),
        SetExpr::SetOperation { .. } => Err(unknown("UNION, EXCEPT and INTERSECT")),
        SetExpr::Values(_) => Err(unknown("VALUES")),
        _ => Err(unknown("a query of this kind")),
    }
}

fn of_select(select: Select) -> Result<Question, Refusal> {
    let Select {
        select_token: _,
        optimizer_hints,
        distinct,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection,
        exclude,
        into,
        from,
        lateral_views,
        prewhere,
        selection,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select;
    if distinct.is_some() {
        let advice = "Which values occur can tell of one person; ask for counts: SELECT diagnosis, count(*) … GROUP BY diagnosis";
        return Err(Refusal::new("DISTINCT is refused", advice));
    }
    if having.is_some() {
        return Err(Refusal::new("HAVING is refused", "Choose groups from the answer, where you are"));
    }
    if top.is_some() {
        return Err(Refusal::new("TOP is refused", "Ask for the whole answer"));
    }
    let other = !optimizer_hints.is_empty()
        || select_modifiers.is_some()
        || exclude.is_some()
        || into.is_some()
        || !lateral_views.is_empty()
        || prewhere.is_some()
        || !connect_by.is_empty()
        || !cluster_by.is_empty()
        || !distribute_by.is_empty()
        || !sort_by.is_empty()
        || !named_window.is_empty()
        || qualify.is_some()
        || value_table_mode.is_some();
    if other {
        return Err(unknown("a clause of this kind"));
    }
    let names = tables(&from)?;
    if names.is_join() && is_bare(&projection, selection.as_ref(), &group_by) {
        return Err(Refusal::new(
            "a column does not say of which table it is",
            "Write the table before every column of a join: patients.age",
        ));
    }
    question_of(names, &projection, selection.as_ref(), &group_by)
}

/// What is shown of which rows.
fn question_of(
    names: Names,
    projection: &[SelectItem],
    selection: Option<&Expr>,
    group_by: &GroupByExpr,
) -> Result<Question, Refusal> {
    let mut conditions = BTreeMap::new();
    if let Some(selection) = selection {
        condition(selection, &names, &mut conditions)?;
    }
    let shown = projection.iter().map(|item| item_of(item, &names)).collect::<Result<Vec<_>, _>>()?;
    let grouped = groups(group_by, &shown, &names)?;
    let asked: BTreeSet<Figure> = shown
        .iter()
        .filter_map(|(_, shown)| match shown {
            Shown::Figure(figure) => Some(figure.clone()),
            Shown::Group(_) => None,
        })
        .collect();
    let columns: BTreeSet<String> = shown
        .iter()
        .filter_map(|(_, shown)| match shown {
            Shown::Group(column) => Some(column.clone()),
            Shown::Figure(_) => None,
        })
        .collect();
    let is_histogram = asked.is_empty();
    let is_rows = is_histogram && grouped.is_empty();
    // Rows are not answered; how many there are of each kind is.
    let (groups, figures, shown) = match is_histogram {
        true => {
            let groups = columns.into_iter().chain(grouped).collect();
            let count = ("count".to_owned(), Shown::Figure(Figure::Count));
            (groups, BTreeSet::from([Figure::Count]), shown.into_iter().chain([count]).collect())
        }
        false => {
            if let Some(column) = columns.iter().find(|column| !grouped.contains(*column)) {
                let advice = format!("Write GROUP BY {column}, or leave it out");
                return Err(Refusal::new(
                    format!("the column {column} is beside figures and not among the groups"),
                    advice,
                ));
            }
            (grouped, asked, shown)
        }
    };
    let mut tables: Vec<String> = names.tables.into_iter().map(|named| named.table).collect();
    tables.sort_unstable();
    Ok(Question { tables, links: names.links, conditions, groups, figures, shown, is_histogram, is_rows })
}

/// Whether some column stands alone.
fn is_bare(projection: &Vec<SelectItem>, selection: Option<&Expr>, group_by: &GroupByExpr) -> bool {
    let bare = |expr: &Expr| match expr {
        Expr::Identifier(_) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    visit_expressions(projection, bare).is_break()
        || selection.is_some_and(|selection| visit_expressions(selection, bare).is_break())
        || visit_expressions(group_by, bare).is_break()
}
