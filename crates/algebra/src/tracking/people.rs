//! The properties of relations.

use datafusion::common::Column;
use datafusion::logical_expr::{Expr, LogicalPlan, Projection};
use std::sync::Arc;

/// Whom a relation is about.
#[derive(Debug, Clone)]
pub enum Property {
    /// Nobody: what it is, in words.
    Public(&'static str),
    /// People.
    People(Box<People>),
    /// Nobody any more: it went through `private`.
    Released,
}

/// A relation about people, as a plan that carries them along.
#[derive(Debug, Clone)]
pub struct People {
    /// The columns of the relation, then the hidden ones.
    pub(super) plan: LogicalPlan,
    /// The columns of `plan` that say whose row it is, as texts and never NULL; none where a row is a person.
    pub(super) hidden: Vec<Column>,
    /// By column of the person: columns of the relation that are equal to it in every row.
    pub(super) visible: Vec<Vec<Column>>,
    /// Most rows of one person; `None` if unknown.
    pub(super) most: Option<u64>,
}

impl From<People> for Property {
    fn from(people: People) -> Property {
        Property::People(Box::new(people))
    }
}

impl People {
    /// The relation with the hidden columns behind its own.
    pub fn plan(&self) -> &LogicalPlan {
        &self.plan
    }

    /// The hidden columns, which say whose row it is. None where a row of a table is a person.
    pub fn hidden(&self) -> &[Column] {
        &self.hidden
    }

    /// Most rows of one person in the relation. Always known where a row of a table is a person.
    pub fn most_rows(&self) -> Option<u64> {
        self.most
    }

    /// The same people over another plan, in which `columns` are the columns of the relation. The hidden columns have kept their names.
    pub(super) fn over(self, plan: LogicalPlan, columns: Vec<Column>) -> Result<People, super::Mixed> {
        let kept = columns.iter().chain(&self.hidden).cloned().map(Expr::Column).collect();
        let plan = LogicalPlan::Projection(Projection::try_new(kept, Arc::new(plan))?);
        Ok(People { plan, ..self })
    }

    /// Whether these expressions hold every column of the person.
    pub(super) fn all_among(&self, expressions: &[Expr]) -> bool {
        self.visible.iter().all(|columns| {
            expressions.iter().any(|expr| match bare(expr) {
                Expr::Column(column) => columns.contains(column),
                _ => false,
            })
        })
    }
}

/// The expression behind its new name.
pub(super) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Alias(alias) => bare(&alias.expr),
        other => other,
    }
}
