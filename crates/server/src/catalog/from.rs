//! FROM: the lists of a query and their joins.

use super::select::{Interpreter, Row, Scope, Source, folded};
use super::tables::Relation;
use super::value::Value;
use crate::answer::oid;
use crate::fault::Fault;
use crate::statement::name as object_name;
use sqlparser::ast::{
    FunctionArg, JoinConstraint, JoinOperator, ObjectName, Query, TableAlias, TableFactor, TableWithJoins,
};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Interpreter<'_> {
    pub(super) fn from(
        &self,
        from: &TableWithJoins,
        sources: &mut Vec<Source>,
        rows: &mut Vec<Row>,
        with: &BTreeMap<String, &Query>,
        outer: Option<&Scope<'_>>,
    ) -> Result<(), Fault> {
        self.join(&from.relation, None, false, sources, rows, with, outer)?;
        for join in &from.joins {
            let (constraint, is_left) = match &join.join_operator {
                JoinOperator::Join(on) | JoinOperator::Inner(on) | JoinOperator::CrossJoin(on) => (on, false),
                JoinOperator::Left(on) | JoinOperator::LeftOuter(on) => (on, true),
                _ => return Err(Fault::unsupported("a join of this kind on the catalog")),
            };
            self.join(&join.relation, Some(constraint), is_left, sources, rows, with, outer)?;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the state of one FROM clause, which lives for one call")]
    fn join(
        &self,
        factor: &TableFactor,
        constraint: Option<&JoinConstraint>,
        is_left: bool,
        sources: &mut Vec<Source>,
        rows: &mut Vec<Row>,
        with: &BTreeMap<String, &Query>,
        outer: Option<&Scope<'_>>,
    ) -> Result<(), Fault> {
        if let TableFactor::NestedJoin { table_with_joins, alias: None } = factor
            && constraint.is_none_or(|on| !is_left || matches!(on, JoinConstraint::None))
        {
            self.from(table_with_joins, sources, rows, with, outer)?;
            return self.keep(constraint, sources, rows, outer);
        }
        let is_lateral =
            matches!(factor, TableFactor::Derived { lateral: true, .. } | TableFactor::Function { .. });
        let mut fixed = None;
        let mut joined = Vec::new();
        let known = sources.len();
        for left in rows.iter() {
            let relation = match &fixed {
                Some(relation) => Rc::clone(relation),
                None => {
                    let scope =
                        Scope { sources: &sources[..known], row: left, group: None, all: None, outer };
                    let inner = if is_lateral { Some(&scope) } else { outer };
                    let made = Rc::new(self.factor(factor, with, inner)?);
                    fixed = (!is_lateral).then(|| Rc::clone(&made));
                    made
                }
            };
            if sources.len() == known {
                sources.push(source(factor, &relation));
            }
            let mut found = false;
            for row in &relation.rows {
                self.step()?;
                let mut whole = left.clone();
                whole.push(Some(Rc::new(row.clone())));
                if self.matches(constraint, sources, &whole, outer)? {
                    joined.push(whole);
                    found = true;
                }
            }
            if is_left && !found {
                let mut whole = left.clone();
                whole.push(None);
                joined.push(whole);
            }
        }
        if sources.len() == known {
            // No row on the left: the names are still needed.
            let relation = if is_lateral { Relation::default() } else { self.factor(factor, with, outer)? };
            sources.push(Source { is_open: is_lateral || relation.is_open, ..source(factor, &relation) });
        }
        *rows = joined;
        Ok(())
    }

    fn keep(
        &self,
        constraint: Option<&JoinConstraint>,
        sources: &[Source],
        rows: &mut Vec<Row>,
        outer: Option<&Scope<'_>>,
    ) -> Result<(), Fault> {
        let mut kept = Vec::new();
        for row in rows.drain(..) {
            if self.matches(constraint, sources, &row, outer)? {
                kept.push(row);
            }
        }
        *rows = kept;
        Ok(())
    }

    fn matches(
        &self,
        constraint: Option<&JoinConstraint>,
        sources: &[Source],
        row: &Row,
        outer: Option<&Scope<'_>>,
    ) -> Result<bool, Fault> {
        match constraint {
            None | Some(JoinConstraint::None) => Ok(true),
            Some(JoinConstraint::On(on)) => {
                let scope = Scope { sources, row, group: None, all: None, outer };
                Ok(self.eval(on, &scope)?.truth() == Some(true))
            }
            Some(JoinConstraint::Using(columns)) => {
                let Some((last, before)) = sources.split_last() else { return Ok(true) };
                let of = |sources: &[Source], first: usize, name: &str| {
                    sources.iter().enumerate().find_map(|(place, source)| {
                        let column = source.columns.iter().position(|(known, _)| known == name)?;
                        let row = row.get(first + place).and_then(Option::as_ref);
                        Some(row.and_then(|row| row.get(column)).cloned().unwrap_or(Value::Null))
                    })
                };
                for column in columns {
                    let name = object_name(column);
                    let here = of(std::slice::from_ref(last), before.len(), &name);
                    let pair = of(before, 0, &name).zip(here);
                    let (one, other) = pair
                        .ok_or_else(|| Fault::new("42703", "USING names a column that only one side has"))?;
                    if one.compare(&other) != Some(Ordering::Equal) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Some(_) => Err(Fault::unsupported("NATURAL on the catalog")),
        }
    }

    /// Whether a list has no row, so that nothing can be joined with it.
    pub(super) fn is_empty(&self, factor: &TableFactor, with: &BTreeMap<String, &Query>) -> bool {
        let TableFactor::Table { name, args: None, .. } = factor else { return false };
        let name = object_name(name);
        !with.contains_key(&name) && self.catalog.relation(&name).is_ok_and(|list| list.rows.is_empty())
    }

    fn factor(
        &self,
        factor: &TableFactor,
        with: &BTreeMap<String, &Query>,
        outer: Option<&Scope<'_>>,
    ) -> Result<Relation, Fault> {
        match factor {
            TableFactor::Table { name, args: None, .. } => {
                let name = object_name(name);
                match with.get(&name) {
                    Some(query) => self.query(query, outer),
                    None => self.catalog.relation(&name).cloned(),
                }
            }
            TableFactor::Derived { subquery, .. } => self.query(subquery, outer),
            TableFactor::Table { name, args: Some(args), .. } => self.listed(name, &args.args, outer),
            TableFactor::Function { name, args, .. } => self.listed(name, args, outer),
            _ => Err(Fault::unsupported("this in FROM on the catalog")),
        }
    }

    /// A list as a table: `unnest(ARRAY[…])`.
    fn listed(
        &self,
        name: &ObjectName,
        args: &[FunctionArg],
        outer: Option<&Scope<'_>>,
    ) -> Result<Relation, Fault> {
        let name = object_name(name);
        let (name, nothing) = (name.strip_prefix("pg_catalog.").unwrap_or(&name).to_owned(), Vec::new());
        let scope = Scope { sources: &[], row: &nothing, group: None, all: None, outer };
        let arguments = self.arguments(args, &scope)?;
        let rows = match (name.as_str(), arguments.as_slice()) {
            ("unnest", [Value::List(values)]) => values.iter().map(|value| vec![value.clone()]).collect(),
            ("generate_series", [from, to]) => {
                let (Some(from), Some(to)) = (from.number(), to.number()) else {
                    return Ok(empty(name.clone()));
                };
                if to.checked_sub(from).is_none_or(|length| length >= LONGEST) {
                    return Err(Fault::new("54000", format!("a series has at most {LONGEST} numbers here")));
                }
                (from..=to).map(|number| vec![Value::Int(number)]).collect()
            }
            ("pg_get_keywords", _) => {
                let columns = [("word", oid::TEXT), ("catcode", oid::CHAR), ("catdesc", oid::TEXT)];
                let rows = KEYWORDS.iter().map(|word| {
                    let texts = [*word, "R", "reserved"];
                    texts.iter().map(|text| Value::Text((*text).to_owned())).collect()
                });
                return Ok(Relation::open(&columns, rows.collect()));
            }
            ("unnest" | "aclexplode" | "pg_options_to_table", _) => Vec::new(),
            _ => return Err(Fault::new("42883", "there is no such function in FROM")),
        };
        let kind = if name == "generate_series" { oid::INT4 } else { oid::TEXT };
        Ok(Relation { columns: vec![(name, kind)], rows, is_open: true })
    }
}

/// The longest series of numbers: tools count the parts of a key.
const LONGEST: i64 = 1_000;

/// Words that a tool should not take for names, beyond those of the standard.
const KEYWORDS: [&str; 8] =
    ["analyse", "analyze", "ilike", "isnull", "limit", "notnull", "offset", "returning"];

fn empty(name: String) -> Relation {
    Relation { columns: vec![(name, oid::INT4)], rows: Vec::new(), is_open: true }
}

fn source(factor: &TableFactor, relation: &Relation) -> Source {
    let (own, alias): (String, Option<&TableAlias>) = match factor {
        TableFactor::Table { name, alias, .. } | TableFactor::Function { name, alias, .. } => {
            let name = object_name(name);
            (name.rsplit('.').next().unwrap_or_default().to_owned(), alias.as_ref())
        }
        TableFactor::Derived { alias, .. } => (String::new(), alias.as_ref()),
        _ => (String::new(), None),
    };
    let mut columns = relation.columns.clone();
    let is_function =
        matches!(factor, TableFactor::Function { .. } | TableFactor::Table { args: Some(_), .. });
    // A function with one column: the name of the function is that of the column, too.
    if let (true, Some(alias), [only]) = (is_function, alias, columns.as_mut_slice()) {
        only.0 = folded(&alias.name);
    }
    for (column, renamed) in columns.iter_mut().zip(alias.into_iter().flat_map(|alias| &alias.columns)) {
        column.0 = folded(&renamed.name);
    }
    Source { alias: alias.map_or(own, |alias| folded(&alias.name)), columns, is_open: relation.is_open }
}
