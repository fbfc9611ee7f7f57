//! Queries over the lists: nested loops, which is enough for a few dozen rows.

use super::Catalog;
use super::kind::kind;
use super::pattern::Patterns;
use super::tables::Relation;
use super::value::Value;
use crate::answer::oid;
use crate::fault::Fault;
use crate::statement::name as object_name;
use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, Ident, LimitClause, OrderByExpr, OrderByKind, Query, Select, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, SetOperator, SetQuantifier,
};
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// Steps of one statement; tools take some thousands.
const MOST_STEPS: u64 = 300_000;
/// Queries within queries.
const DEEPEST: u32 = 16;

/// Where columns come from.
pub(super) struct Source {
    pub(super) alias: String,
    pub(super) columns: Vec<(String, u32)>,
    pub(super) is_open: bool,
}

/// One row of each source; none where an outer join found nothing.
pub(super) type Row = Vec<Option<Rc<Vec<Value>>>>;

/// What names mean at a place.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) sources: &'s [Source],
    pub(super) row: &'s Row,
    /// The rows of a group.
    pub(super) group: Option<&'s [Row]>,
    /// All rows, and which this is.
    pub(super) all: Option<(&'s [Row], usize)>,
    pub(super) outer: Option<&'s Scope<'s>>,
}

/// Runs one statement.
pub(super) struct Interpreter<'c> {
    pub(super) catalog: &'c Catalog,
    pub(super) parameters: &'c [Option<String>],
    steps: Cell<u64>,
    depth: Cell<u32>,
    pub(super) patterns: Patterns,
}

impl<'c> Interpreter<'c> {
    pub(super) fn new(catalog: &'c Catalog, parameters: &'c [Option<String>]) -> Interpreter<'c> {
        Interpreter {
            catalog,
            parameters,
            steps: Cell::new(0),
            depth: Cell::new(0),
            patterns: Patterns::default(),
        }
    }

    /// Counts a step.
    pub(super) fn step(&self) -> Result<(), Fault> {
        self.steps(1)
    }

    /// Counts what is as much work as so many steps.
    pub(super) fn steps(&self, count: u64) -> Result<(), Fault> {
        self.steps.set(self.steps.get().saturating_add(count));
        match self.steps.get() < MOST_STEPS {
            true => Ok(()),
            false => Err(Fault::new("54001", "this statement on the catalog takes too long")),
        }
    }

    pub(super) fn query(&self, query: &Query, outer: Option<&Scope<'_>>) -> Result<Relation, Fault> {
        self.depth.set(self.depth.get() + 1);
        if self.depth.get() > DEEPEST {
            return Err(Fault::new("54001", "queries are nested too deeply"));
        }
        let with: BTreeMap<String, &Query> = match &query.with {
            Some(with) if with.recursive => return Err(Fault::unsupported("WITH RECURSIVE on the catalog")),
            Some(with) => {
                with.cte_tables.iter().map(|cte| (folded(&cte.alias.name), cte.query.as_ref())).collect()
            }
            None => BTreeMap::new(),
        };
        let order: &[OrderByExpr] = match query.order_by.as_ref().map(|order| &order.kind) {
            Some(OrderByKind::Expressions(expressions)) => expressions,
            Some(OrderByKind::All(_)) => return Err(Fault::unsupported("ORDER BY ALL")),
            None => &[],
        };
        let mut relation = self.body(&query.body, order, &with, outer)?;
        if let Some(limit) = &query.limit_clause {
            self.cut(&mut relation, limit, outer)?;
        }
        self.depth.set(self.depth.get() - 1);
        Ok(relation)
    }

    fn cut(
        &self,
        relation: &mut Relation,
        limit: &LimitClause,
        outer: Option<&Scope<'_>>,
    ) -> Result<(), Fault> {
        let LimitClause::LimitOffset { limit, offset, .. } = limit else {
            return Err(Fault::unsupported("this LIMIT"));
        };
        let nothing = Vec::new();
        let scope = Scope { sources: &[], row: &nothing, group: None, all: None, outer };
        let count = |expr: &Expr| -> Result<Option<usize>, Fault> {
            Ok(self.eval(expr, &scope)?.number().and_then(|number| usize::try_from(number).ok()))
        };
        if let Some(offset) = offset {
            let skipped = count(&offset.value)?.unwrap_or(0).min(relation.rows.len());
            relation.rows.drain(..skipped);
        }
        if let Some(limit) = limit
            && let Some(most) = count(limit)?
        {
            relation.rows.truncate(most);
        }
        Ok(())
    }

    fn body(
        &self,
        body: &SetExpr,
        order: &[OrderByExpr],
        with: &BTreeMap<String, &Query>,
        outer: Option<&Scope<'_>>,
    ) -> Result<Relation, Fault> {
        match body {
            SetExpr::Select(select) => self.select(select, order, with, outer),
            SetExpr::Query(query) => self.query(query, outer),
            SetExpr::SetOperation { left, op: SetOperator::Union, set_quantifier, right } => {
                let mut all = self.body(left, &[], with, outer)?;
                all.rows.extend(self.body(right, &[], with, outer)?.rows);
                if !matches!(set_quantifier, SetQuantifier::All) {
                    distinct(&mut all.rows);
                }
                let places: Vec<Option<usize>> =
                    order.iter().map(|by| output(&by.expr, &all.columns)).collect();
                let keys = |row: &Vec<Value>| -> Vec<Value> {
                    places.iter().map(|place| place.map_or(Value::Null, |place| row[place].clone())).collect()
                };
                all.rows.sort_by(|one, other| compare(&keys(one), &keys(other), order));
                Ok(all)
            }
            SetExpr::Values(values) => {
                let nothing = Vec::new();
                let scope = Scope { sources: &[], row: &nothing, group: None, all: None, outer };
                let row = |row: &sqlparser::ast::Parens<Vec<Expr>>| {
                    row.content.iter().map(|expr| self.eval(expr, &scope)).collect::<Result<Vec<_>, _>>()
                };
                let rows = values.rows.iter().map(row).collect::<Result<Vec<_>, _>>()?;
                let width = rows.first().map_or(0, Vec::len);
                let columns = (1..=width).map(|place| (format!("column{place}"), oid::TEXT)).collect();
                Ok(Relation { columns, rows, is_open: false })
            }
            _ => Err(Fault::unsupported("a query of this kind on the catalog")),
        }
    }

    fn select(
        &self,
        select: &Select,
        order: &[OrderByExpr],
        with: &BTreeMap<String, &Query>,
        outer: Option<&Scope<'_>>,
    ) -> Result<Relation, Fault> {
        let mut sources = Vec::new();
        // Lists of constraints and keys are empty here, and tools put them behind many others: no row is made that they would end.
        let is_empty = select.from.iter().any(|from| self.is_empty(&from.relation, with));
        let mut rows: Vec<Row> = if is_empty { Vec::new() } else { vec![Vec::new()] };
        for from in &select.from {
            self.from(from, &mut sources, &mut rows, with, outer)?;
        }
        if let Some(condition) = &select.selection {
            let mut kept = Vec::new();
            for row in rows {
                self.step()?;
                let scope = Scope { sources: &sources, row: &row, group: None, all: None, outer };
                if self.eval(condition, &scope)?.truth() == Some(true) {
                    kept.push(row);
                }
            }
            rows = kept;
        }
        let items = items(&select.projection, &sources)?;
        let columns: Vec<(String, u32)> =
            items.iter().map(|(name, expr)| (name.clone(), kind(expr, &sources, outer))).collect();
        let groups = self.groups(select, &items, &sources, &rows, outer)?;
        let mut out: Vec<(Vec<Value>, Vec<Value>)> = Vec::new();
        let mut project = |scope: &Scope<'_>| -> Result<(), Fault> {
            self.step()?;
            let values =
                items.iter().map(|(_, expr)| self.eval(expr, scope)).collect::<Result<Vec<_>, _>>()?;
            let key = |by: &OrderByExpr| match output(&by.expr, &columns) {
                Some(place) => Ok(values[place].clone()),
                None => self.eval(&by.expr, scope),
            };
            let keys = order.iter().map(key).collect::<Result<Vec<_>, _>>()?;
            out.push((keys, values));
            Ok(())
        };
        match groups {
            Some(groups) => {
                let none: Row = sources.iter().map(|_| None).collect();
                for group in &groups {
                    let row = group.first().unwrap_or(&none);
                    let scope = Scope { sources: &sources, row, group: Some(group), all: None, outer };
                    let holds = match &select.having {
                        Some(having) => self.eval(having, &scope)?.truth() == Some(true),
                        None => true,
                    };
                    if holds {
                        project(&scope)?;
                    }
                }
            }
            None => {
                for (place, row) in rows.iter().enumerate() {
                    let all = Some((rows.as_slice(), place));
                    project(&Scope { sources: &sources, row, group: None, all, outer })?;
                }
            }
        }
        out.sort_by(|(one, _), (other, _)| compare(one, other, order));
        let mut rows: Vec<Vec<Value>> = out.into_iter().map(|(_, values)| values).collect();
        if let Some(Distinct::Distinct | Distinct::On(_)) = &select.distinct {
            distinct(&mut rows);
        }
        Ok(Relation { columns, rows, is_open: false })
    }

    /// The groups, where there are any: by GROUP BY, or one for figures without it.
    fn groups(
        &self,
        select: &Select,
        items: &[(String, Expr)],
        sources: &[Source],
        rows: &[Row],
        outer: Option<&Scope<'_>>,
    ) -> Result<Option<Vec<Vec<Row>>>, Fault> {
        let by = match &select.group_by {
            GroupByExpr::Expressions(by, _) => by.as_slice(),
            GroupByExpr::All(_) => return Err(Fault::unsupported("GROUP BY ALL")),
        };
        if by.is_empty() {
            let figures = items.iter().any(|(_, expr)| super::function::is_aggregate(expr));
            return Ok(figures.then(|| vec![rows.to_vec()]));
        }
        let (mut groups, mut places): (Vec<Vec<Row>>, HashMap<Vec<Value>, usize>) = Default::default();
        let columns: Vec<(String, u32)> = items.iter().map(|(name, _)| (name.clone(), oid::TEXT)).collect();
        for row in rows {
            let scope = Scope { sources, row, group: None, all: None, outer };
            let key = |expr: &Expr| match (matches!(expr, Expr::Value(_)), output(expr, &columns)) {
                (true, Some(place)) => self.eval(&items[place].1, &scope),
                _ => self.eval(expr, &scope),
            };
            let key = by.iter().map(key).collect::<Result<Vec<_>, _>>()?;
            let place = *places.entry(key).or_insert(groups.len());
            match groups.get_mut(place) {
                Some(members) => members.push(row.clone()),
                None => groups.push(vec![row.clone()]),
            }
        }
        Ok(Some(groups))
    }
}

/// As SQL reads a name.
pub(super) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        Some(_) => ident.value.clone(),
        None => ident.value.to_lowercase(),
    }
}

/// The columns of an answer by name.
fn items(projection: &[SelectItem], sources: &[Source]) -> Result<Vec<(String, Expr)>, Fault> {
    let mut items = Vec::new();
    for item in projection {
        match item {
            SelectItem::Wildcard(_) => items.extend(sources.iter().flat_map(whole)),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                let name = object_name(name);
                items.extend(sources.iter().filter(|source| source.alias == name).flat_map(whole));
            }
            SelectItem::UnnamedExpr(expr) => items.push((name_of(expr), expr.clone())),
            SelectItem::ExprWithAlias { expr, alias } => items.push((folded(alias), expr.clone())),
            _ => return Err(Fault::unsupported("a column of this kind")),
        }
    }
    Ok(items)
}

/// All columns of a source.
fn whole(source: &Source) -> Vec<(String, Expr)> {
    let column = |(name, _): &(String, u32)| {
        let parts = vec![Ident::with_quote('"', &source.alias), Ident::with_quote('"', name)];
        (name.clone(), Expr::CompoundIdentifier(parts))
    };
    source.columns.iter().map(column).collect()
}

/// What PostgreSQL calls a column without a name.
fn name_of(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(ident) => folded(ident),
        Expr::CompoundIdentifier(idents) => idents.last().map(folded).unwrap_or_default(),
        Expr::Function(function) => {
            let name = object_name(&function.name);
            name.rsplit('.').next().unwrap_or_default().to_owned()
        }
        Expr::Cast { expr, data_type, .. } => match name_of(expr).as_str() {
            "?column?" => data_type.to_string().to_lowercase(),
            name => name.to_owned(),
        },
        Expr::Nested(inner) => name_of(inner),
        Expr::Case { .. } => "case".to_owned(),
        Expr::Exists { .. } => "exists".to_owned(),
        Expr::Array(_) => "array".to_owned(),
        _ => "?column?".to_owned(),
    }
}

/// The column of the answer that an expression of ORDER BY means.
fn output(expr: &Expr, columns: &[(String, u32)]) -> Option<usize> {
    match expr {
        Expr::Value(value) => {
            let place = value.value.to_string().parse::<usize>().ok()?;
            place.checked_sub(1).filter(|place| *place < columns.len())
        }
        Expr::Identifier(ident) => columns.iter().position(|(name, _)| *name == folded(ident)),
        _ => None,
    }
}

fn compare(one: &[Value], other: &[Value], order: &[OrderByExpr]) -> Ordering {
    let each = one.iter().zip(other).zip(order).map(|((one, other), by)| match by.options.asc {
        Some(false) => other.order(one),
        _ => one.order(other),
    });
    each.into_iter().find(|ordering| *ordering != Ordering::Equal).unwrap_or(Ordering::Equal)
}

fn distinct(rows: &mut Vec<Vec<Value>>) {
    let mut seen = HashSet::new();
    rows.retain(|row| seen.insert(row.clone()));
}
