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
            Some(_) => Err(Fault::unsupported("USING and NATURAL on the catalog")),
        }
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
            ("unnest" | "pg_get_keywords" | "aclexplode" | "pg_options_to_table", _) => Vec::new(),
            _ => return Err(Fault::new("42883", "there is no such function in FROM")),
        };
        Ok(Relation { columns: vec![(name, oid::TEXT)], rows, is_open: true })
    }
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
    for (column, renamed) in columns.iter_mut().zip(alias.into_iter().flat_map(|alias| &alias.columns)) {
        column.0 = folded(&renamed.name);
    }
    Source { alias: alias.map_or(own, |alias| folded(&alias.name)), columns, is_open: relation.is_open }
}
