//! A release as an attacker holds it.

use super::classes::Classes;
use crate::microdata::{Column, Microdata};

/// The released table, what its columns are, and its classes.
#[derive(Clone, Debug)]
pub struct Released {
    /// The rows.
    pub table: Microdata,
    /// Places of the quasi-identifiers.
    pub quasi_identifiers: Vec<usize>,
    /// Places of the sensitive columns.
    pub sensitive: Vec<usize>,
    /// The classes by all quasi-identifiers.
    pub classes: Classes,
}

impl Released {
    /// A release with these roles.
    #[must_use]
    pub fn new(table: Microdata, quasi_identifiers: Vec<usize>, sensitive: Vec<usize>) -> Released {
        let classes = Classes::by(&table, &quasi_identifiers);
        Released { table, quasi_identifiers, sensitive, classes }
    }

    /// The column at a place.
    #[must_use]
    pub fn column(&self, place: usize) -> &Column {
        &self.table.columns()[place]
    }

    /// Members of all classes: rows, or people as often as they are in a class.
    #[must_use]
    pub fn members(&self) -> u64 {
        self.classes.sizes().iter().sum()
    }

    /// So many members in words: `5 rows`, `5 people`.
    #[must_use]
    pub fn counted(&self, members: u64) -> String {
        match (self.table.people(), members) {
            (None, _) => paravent_core::words::counted(members, "row"),
            (Some(_), 1) => "1 person".to_owned(),
            (Some(_), _) => format!("{members} people"),
        }
    }

    /// The smallest class; 0 without rows.
    #[must_use]
    pub fn smallest_class(&self) -> u64 {
        self.classes.sizes().iter().copied().min().unwrap_or(0)
    }
}
