//! The relation functions by name.

use super::call::{Argument, Call};
use super::draws::Draws;
use super::{generalize, private, randomize, slice};
use crate::catalog::Catalog;
use crate::operator::Draw;
use datafusion::common::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::sqlparser::ast::ObjectName;
use std::fmt;

/// A function that stands in FROM and takes a relation first.
#[derive(Clone, Copy)]
pub struct RelationFunction {
    /// Its name in SQL.
    pub name: &'static str,
    /// What it gives out.
    pub about: &'static str,
    /// Its arguments after the relation, all named.
    pub arguments: &'static [Argument],
    /// Makes the operator over the planned relation.
    pub(super) plan: fn(&Call, LogicalPlan, &Known<'_>) -> Result<LogicalPlan>,
}

impl fmt::Debug for RelationFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelationFunction").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All of them: a file each.
pub static FUNCTIONS: [RelationFunction; 4] =
    [generalize::FUNCTION, slice::FUNCTION, randomize::FUNCTION, private::FUNCTION];

/// What a function may look up while it is planned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// Roles and hierarchies.
    pub(super) catalog: &'a Catalog,
    /// How draws are numbered.
    pub(super) draws: &'a Draws,
}

impl Known<'_> {
    /// The draw of the operator that is being planned.
    pub(super) fn draw(&self) -> Draw {
        self.draws.next()
    }
}

impl RelationFunction {
    /// The function of that name; names are read like keywords.
    pub(super) fn called(name: &ObjectName) -> Option<&'static RelationFunction> {
        let [part] = name.0.as_slice() else { return None };
        let ident = part.as_ident()?;
        FUNCTIONS.iter().find(|function| ident.value.eq_ignore_ascii_case(function.name))
    }
}
