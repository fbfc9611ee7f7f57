//! What is known about columns: roles, types and hierarchies, from a job file.

use crate::origin::{Maker, makers};
use datafusion::common::Column;
use datafusion::logical_expr::LogicalPlan;
use paravent_job::{Attribute, HierarchySpec, Job, Problems, Role};
use paravent_prepare::study::refuse_treatments;
use std::collections::BTreeMap;
use std::path::Path;

/// Roles and hierarchies by column name, for every relation of a session.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    job: Option<Job>,
    links: BTreeMap<String, Vec<String>>,
}

impl Catalog {
    /// Knows nothing: no roles, no hierarchies.
    pub fn empty() -> Catalog {
        Catalog::default()
    }

    /// What a job file says about its attributes.
    pub fn of_job(job: Job) -> Catalog {
        Catalog { job: Some(job), links: BTreeMap::new() }
    }

    /// The same, with a table that calls the columns of the person by other names: foreign keys, in the order of the job's `person`.
    #[must_use]
    pub fn with_link(mut self, table: &str, columns: Vec<String>) -> Catalog {
        self.links.insert(table.to_owned(), columns);
        self
    }

    /// By table: what the columns of the person are called there, where that is not what the job says.
    pub(crate) fn links(&self) -> &BTreeMap<String, Vec<String>> {
        &self.links
    }

    /// The same, read from a file.
    pub fn load(path: &Path) -> Result<Catalog, Problems> {
        let job = Job::load(path)?;
        // A statement could ask for the cells as they are.
        refuse_treatments(&job, "SQL")?;
        Ok(Catalog::of_job(job))
    }

    /// The job behind it.
    pub fn job(&self) -> Option<&Job> {
        self.job.as_ref()
    }

    /// What is known about a column.
    pub fn attribute(&self, column: &str) -> Option<&Attribute> {
        self.job.as_ref()?.attribute(column).map(|(_, attribute)| attribute)
    }

    /// What is known about a column of a relation: by its name, or by the name it has in the table that its cells come from.
    pub fn attribute_of(&self, relation: &LogicalPlan, column: &Column) -> Option<&Attribute> {
        if let Some(known) = self.attribute(&column.name) {
            return Some(known);
        }
        let place = relation.schema().maybe_index_of_column(column)?;
        let mut found: Option<&Attribute> = None;
        for maker in makers(relation, place) {
            let Maker::Table(table, place) = maker else { return None };
            let known = self.attribute(table.schema().field(place).name())?;
            match found {
                Some(other) if !std::ptr::eq(other, known) => return None,
                _ => found = Some(known),
            }
        }
        found
    }

    /// Whether the labels of a column are formed from the values that occur in a relation. Such labels name frequent values only, so
    /// they depend on its rows and on the promise.
    pub fn is_made_from_data(&self, relation: &LogicalPlan, column: &Column) -> bool {
        self.attribute_of(relation, column).is_some_and(|attribute| {
            let made =
                |spec: &HierarchySpec| spec.is_counted() || spec.is_made_from_data(attribute.order.is_some());
            attribute.hierarchy.as_ref().is_some_and(made)
        })
    }

    /// Names of the columns with that role, in job order.
    pub fn with_role(&self, role: Role) -> Vec<&str> {
        let attributes = self.job.iter().flat_map(|job| job.with_role(role));
        attributes.map(|attribute| attribute.name.as_str()).collect()
    }
}
