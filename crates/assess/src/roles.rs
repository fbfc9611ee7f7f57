//! What the columns of a table are.

use super::LoadError;
use paravent_core::values::ValueType;
use paravent_job::{Job, Population, Role};
use paravent_prepare::study::value_type;
use paravent_tables::encode::NumberTreatment;

/// The columns to look at, each with its role. Columns that are not listed are never read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roles {
    /// Quasi-identifiers first, in the order in which they were named.
    pub columns: Vec<ColumnRole>,
    /// The column that tells which rows are to be released; the others are only known to the population.
    pub subset: Option<String>,
    /// The columns that say whose row it is; empty: a row is a person. Their cells are not kept.
    pub person: Vec<ColumnRole>,
}

/// One column and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnRole {
    /// Its name.
    pub name: String,
    /// What it can give away; never [`Role::Identifying`].
    pub role: Role,
    /// Its declared type; `None`: what all its cells turn out to be.
    pub value_type: Option<ValueType>,
    /// The declared order of its values.
    pub order: Option<Vec<String>>,
    /// What becomes of its numbers when they are read, so that they compare with those of a release.
    pub treatment: Option<NumberTreatment>,
}

impl ColumnRole {
    /// A column with a role and no type.
    pub fn new(name: impl Into<String>, role: Role) -> ColumnRole {
        ColumnRole { name: name.into(), role, value_type: None, order: None, treatment: None }
    }
}

impl Roles {
    /// The roles that a job gives. Identifying columns are left out: nobody needs to read them.
    pub fn of_job(job: &Job) -> Roles {
        let roles = [Role::QuasiIdentifier, Role::Sensitive, Role::Insensitive];
        let of = |role| {
            job.with_role(role).map(move |attribute| ColumnRole {
                name: attribute.name.clone(),
                role,
                value_type: attribute.data_type.map(value_type),
                order: attribute.order.clone(),
                treatment: None,
            })
        };
        let subset = match job.privacy.population() {
            Some(Population::Subset(name)) => Some(name.clone()),
            Some(Population::Table(_)) | None => None,
        };
        let person = job.privacy.person.iter().map(|name| ColumnRole {
            value_type: job.attribute(name).and_then(|(_, attribute)| attribute.data_type).map(value_type),
            ..ColumnRole::new(name, Role::Insensitive)
        });
        Roles { columns: roles.into_iter().flat_map(of).collect(), subset, person: person.collect() }
    }

    /// Roles by name, as given on a command line.
    pub fn of_names(quasi_identifiers: &[String], sensitive: &[String]) -> Result<Roles, LoadError> {
        let columns = quasi_identifiers.iter().map(|name| ColumnRole::new(name, Role::QuasiIdentifier));
        let columns = columns.chain(sensitive.iter().map(|name| ColumnRole::new(name, Role::Sensitive)));
        Roles { columns: columns.collect(), ..Roles::default() }.checked()
    }

    /// The same with these columns as quasi-identifiers, or as sensitive ones, where any are named; the others keep their role,
    /// unless they were quasi-identifiers (or sensitive) and are no longer.
    pub fn overridden(self, quasi_identifiers: &[String], sensitive: &[String]) -> Result<Roles, LoadError> {
        let named = Roles::of_names(quasi_identifiers, sensitive)?;
        let replaced = |role| match role {
            Role::QuasiIdentifier => !quasi_identifiers.is_empty(),
            Role::Sensitive => !sensitive.is_empty(),
            Role::Identifying | Role::Insensitive => false,
        };
        let typed = |column: &ColumnRole| match self.columns.iter().find(|known| known.name == column.name) {
            Some(known) => ColumnRole { role: column.role, ..known.clone() },
            None => column.clone(),
        };
        let mut columns: Vec<ColumnRole> = named.columns.iter().map(typed).collect();
        let is_named = |name: &str| named.columns.iter().any(|column| column.name == name);
        let kept = self.columns.iter().filter(|column| !replaced(column.role) && !is_named(&column.name));
        columns.extend(kept.cloned());
        columns.sort_by_key(|column| match column.role {
            Role::QuasiIdentifier => 0,
            Role::Sensitive => 1,
            Role::Identifying | Role::Insensitive => 2,
        });
        Ok(Roles { columns, subset: self.subset, person: self.person })
    }

    /// The same with these columns as those that say whose row it is, where any are named.
    #[must_use]
    pub fn of_people(mut self, person: &[String]) -> Roles {
        if !person.is_empty() {
            self.person = person.iter().map(|name| ColumnRole::new(name, Role::Insensitive)).collect();
        }
        self
    }

    /// The names of the columns with that role.
    pub fn names(&self, role: Role) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(move |column| column.role == role).map(|column| column.name.as_str())
    }

    fn checked(self) -> Result<Roles, LoadError> {
        for (position, column) in self.columns.iter().enumerate() {
            if self.columns[..position].iter().any(|known| known.name == column.name) {
                return Err(LoadError::TwoRoles { column: column.name.clone() });
            }
        }
        Ok(self)
    }
}
