//! Which columns may leave: identifying ones never do, and beside a generalization or a randomisation no quasi-identifier does as it is.
//!
//! What `*` stands for leaves out the identifying columns. Whoever names one, in whatever disguise, is refused and told its name.

use super::wording::problem;
use crate::catalog::Catalog;
use crate::origin::{Flow, Origin, Shown, flow};
use datafusion::common::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};
use datafusion::sql::sqlparser::ast::{Query, Select, SelectItem, SetExpr};
use paravent_job::Role;
use std::collections::BTreeSet;

/// What lifts it.
const WORD: &str = " (the owner may lift this with release = \"as it is\" in the job file)";

/// Where quasi-identifiers of the job must not be shown as they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Exact {
    /// Beside a generalization or a randomisation, which promises something about them.
    #[default]
    BesideGeneralize,
    /// In no answer at all.
    Nowhere,
}

/// A relation without the identifying columns that its `*` stands for; an error where one is named.
///
/// `place` is the function whose relation it is, for the message; nothing for the answer itself.
pub(crate) fn without_identifying(
    plan: LogicalPlan,
    query: &Query,
    place: Option<&str>,
    catalog: &Catalog,
) -> Result<LogicalPlan> {
    let told = flow(&plan)?.columns;
    let held: Vec<Option<&Origin>> = told.iter().map(|origins| held_back(origins, catalog)).collect();
    if held.iter().all(Option::is_none) {
        return Ok(plan);
    }
    let columns = plan.schema().columns();
    let mut kept = Vec::new();
    for (position, (column, held)) in columns.iter().zip(&held).enumerate() {
        match held {
            None => kept.push(Expr::Column(column.clone())),
            Some(origin) if !from_star(&query.body, position, &column.name, columns.len()) => {
                return Err(named(place, &column.name, origin));
            }
            Some(_) => {}
        }
    }
    match kept.is_empty() {
        true => Err(problem(format!("{}all columns are identifying, and nothing is left", before(place)))),
        false => LogicalPlanBuilder::from(plan).project(kept)?.build(),
    }
}

/// Refuses an answer that shows what must not leave.
pub fn may_leave(plan: &LogicalPlan, catalog: &Catalog, exact: Exact) -> Result<()> {
    if catalog.job().is_none() {
        return Ok(());
    }
    let told = flow(plan)?;
    for (column, origins) in plan.schema().columns().iter().zip(&told.columns) {
        if let Some(origin) = held_back(origins, catalog) {
            return Err(named(None, &column.name, origin));
        }
    }
    if let Some(origin) = held_back(&told.sorted, catalog) {
        return Err(problem(format!(
            "ORDER BY: column {:?} is identifying, and the place of a row would tell it; sort by another one",
            origin.column
        )));
    }
    if let Some((column, origin)) = bare_beside_noise(&told, plan) {
        return Err(problem(format!(
            "column {column:?} tells {:?} of {} as it is, and its noise beside it would be in vain; leave it out",
            origin.column, origin.table
        )));
    }
    match told.generalized || told.randomized || exact == Exact::Nowhere {
        true => protected_or_absent(&told, plan, catalog),
        false => Ok(()),
    }
}

/// A column of the answer that tells exactly what another one tells with noise.
fn bare_beside_noise(told: &Flow, plan: &LogicalPlan) -> Option<(String, Origin)> {
    let all = told.columns.iter().flatten();
    let noisy: Vec<&Origin> = all.filter(|origin| origin.shown == Shown::Redrawn).collect();
    let bare = |origin: &&Origin| {
        origin.shown == Shown::Exactly
            && noisy.iter().any(|other| (&other.table, &other.column) == (&origin.table, &origin.column))
    };
    let columns = plan.schema().columns();
    let mut found = columns.iter().zip(&told.columns);
    found.find_map(|(column, origins)| Some((column.name.clone(), origins.iter().find(bare)?.clone())))
}

/// Every quasi-identifier that the answer tells must have been generalized or randomized.
fn protected_or_absent(told: &Flow, plan: &LogicalPlan, catalog: &Catalog) -> Result<()> {
    let (beside, remedy) = match (told.generalized, told.randomized) {
        (true, _) => (" beside generalize", "put it into quasi => (…), or do not select it"),
        (false, true) => (" beside randomize", "give it noise in columns => (…), or do not select it"),
        (false, false) => ("", "generalize, slice or randomize it, or do not select it"),
    };
    for (column, origins) in plan.schema().columns().iter().zip(&told.columns) {
        if let Some(origin) = exact(origins, told, catalog) {
            let shown = match column.name == origin.column {
                true => format!("column {:?}", column.name),
                false => format!("column {:?} tells {:?}, which", column.name, origin.column),
            };
            return Err(problem(format!(
                "{shown} is a quasi-identifier of the job and stays exact{beside}; {remedy}{WORD}",
            )));
        }
    }
    let (how, origin) = match (exact(&told.picked, told, catalog), exact(&told.sorted, told, catalog)) {
        (Some(origin), _) => ("rows are picked", origin),
        (None, Some(origin)) => ("rows are sorted", origin),
        (None, None) => return Ok(()),
    };
    Err(problem(format!(
        "{how} by {:?} above generalize, a quasi-identifier of the job that stays exact there: every row of the answer would tell it; \
         put it into quasi => (…), or pick inside the parentheses: generalize((SELECT … WHERE …), …){WORD}",
        origin.column
    )))
}

/// The identifying columns that a projection leaves out of everything that is below it: what a reader of the answer should know.
pub(crate) fn left_out(plan: &LogicalPlan, catalog: &Catalog) -> Result<Vec<String>> {
    let LogicalPlan::Projection(projection) = plan else { return Ok(Vec::new()) };
    let below = projection.input.schema().columns();
    let mut gone = Vec::new();
    let mut kept = projection.expr.iter().peekable();
    for (column, origins) in below.iter().zip(flow(&projection.input)?.columns) {
        match kept.peek() {
            Some(Expr::Column(own)) if own == column => drop(kept.next()),
            _ if held_back(&origins, catalog).is_some() => gone.push(column.name.clone()),
            _ => return Ok(Vec::new()),
        }
    }
    Ok(if kept.next().is_none() { gone } else { Vec::new() })
}

/// What to say of a column that an argument names and that was left out before.
pub(super) fn absent(place: &str, error: DataFusionError, gone: &[String]) -> DataFusionError {
    let told = error.strip_backtrace();
    let named = |name: &&String| told.to_lowercase().contains(&format!("no column {name:?};").to_lowercase());
    match gone.iter().find(named) {
        Some(name) => {
            problem(format!("{}column {name:?} is identifying and does not leave{WORD}", before(Some(place))))
        }
        None => error,
    }
}

/// An identifying column among them that the owner has not released.
fn held_back<'a>(origins: &'a BTreeSet<Origin>, catalog: &Catalog) -> Option<&'a Origin> {
    origins.iter().find(|origin| has(origin, Role::Identifying, catalog))
}

/// A quasi-identifier among them that is still exact and that the owner has not released. Beside a generalization, a slicing or a group is no protection.
fn exact<'a>(origins: &'a BTreeSet<Origin>, told: &Flow, catalog: &Catalog) -> Option<&'a Origin> {
    let is_exact = |shown: Shown| match shown {
        Shown::Exactly => true,
        Shown::Sliced | Shown::Grouped => told.generalized,
        Shown::Generalized | Shown::Redrawn => false,
    };
    origins.iter().find(|origin| is_exact(origin.shown) && has(origin, Role::QuasiIdentifier, catalog))
}

fn has(origin: &Origin, role: Role, catalog: &Catalog) -> bool {
    catalog
        .attribute(&origin.column)
        .is_some_and(|attribute| attribute.role == role && attribute.release.is_none())
}

fn before(place: Option<&str>) -> String {
    place.map_or_else(String::new, |function| format!("{function}: "))
}

fn named(place: Option<&str>, shown: &str, origin: &Origin) -> DataFusionError {
    let what = match shown == origin.column {
        true => format!("column {shown:?} is identifying"),
        false => {
            format!("column {shown:?} tells {:?} of {}, which is identifying", origin.column, origin.table)
        }
    };
    problem(format!("{}{what} and does not leave; do not select it{WORD}", before(place)))
}

/// Whether the output column at a place is one of those that a `*` stands for.
fn from_star(body: &SetExpr, position: usize, name: &str, width: usize) -> bool {
    match body {
        SetExpr::Select(select) => star_in(select, position, name, width),
        SetExpr::Query(query) => from_star(&query.body, position, name, width),
        SetExpr::SetOperation { left, right, .. } => {
            from_star(left, position, name, width) && from_star(right, position, name, width)
        }
        SetExpr::Table(_) => true,
        _ => false,
    }
}

fn star_in(select: &Select, position: usize, name: &str, width: usize) -> bool {
    let is_star =
        |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    let items = &select.projection;
    let Some(first) = items.iter().position(is_star) else { return false };
    let behind = items.iter().rev().position(is_star).unwrap_or(0);
    if position < first || position + behind >= width {
        return false;
    }
    // Between two stars nobody can count; there the name decides.
    let called = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) => {
            let written = expr.to_string();
            written.rsplit('.').next().is_some_and(|last| last.trim_matches('"').eq_ignore_ascii_case(name))
        }
        SelectItem::ExprWithAlias { alias, .. } => alias.value.eq_ignore_ascii_case(name),
        _ => false,
    };
    !items[first..items.len() - behind].iter().any(called)
}
