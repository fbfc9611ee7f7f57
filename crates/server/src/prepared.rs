//! Statements and portals of the extended protocol.

use crate::answer::{Formats, Rows};
use crate::fault::Fault;
use crate::limits::PREPARED;
use std::collections::HashMap;

/// A statement that was sent ahead.
#[derive(Clone)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    /// What the client says of its parameters; 0 is nothing.
    pub(crate) types: Vec<u32>,
}

/// A statement with its parameters.
pub(crate) struct Portal {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Option<String>>,
    pub(crate) formats: Formats,
    /// The finished answer, and how many of its rows have left. It was registered as a whole before the first left.
    pub(crate) begun: Option<(Rows, usize)>,
}

/// What a connection has prepared.
#[derive(Default)]
pub(crate) struct Prepared {
    statements: HashMap<String, Statement>,
    portals: HashMap<String, Portal>,
}

impl Prepared {
    pub(crate) fn put(&mut self, name: Option<String>, statement: Statement) -> Result<(), Fault> {
        let name = name.unwrap_or_default();
        if !name.is_empty() && self.statements.contains_key(&name) {
            return Err(Fault::new("42P05", "there is a prepared statement of that name"));
        }
        full(self.statements.len())?;
        self.statements.insert(name, statement);
        Ok(())
    }

    pub(crate) fn statement(&self, name: Option<&str>) -> Result<&Statement, Fault> {
        let unknown = || Fault::new("26000", "there is no prepared statement of that name");
        self.statements.get(name.unwrap_or_default()).ok_or_else(unknown)
    }

    pub(crate) fn bind(&mut self, name: Option<String>, portal: Portal) -> Result<(), Fault> {
        full(self.portals.len())?;
        self.portals.insert(name.unwrap_or_default(), portal);
        Ok(())
    }

    pub(crate) fn portal(&mut self, name: Option<&str>) -> Result<&mut Portal, Fault> {
        let unknown = || Fault::new("34000", "there is no portal of that name");
        self.portals.get_mut(name.unwrap_or_default()).ok_or_else(unknown)
    }

    pub(crate) fn close_statement(&mut self, name: Option<&str>) {
        self.statements.remove(name.unwrap_or_default());
    }

    pub(crate) fn close_portal(&mut self, name: Option<&str>) {
        self.portals.remove(name.unwrap_or_default());
    }

    /// Portals end with their transaction.
    pub(crate) fn close_portals(&mut self) {
        self.portals.clear();
    }

    /// `DEALLOCATE ALL`
    pub(crate) fn close_statements(&mut self) {
        self.statements.clear();
    }
}

fn full(count: usize) -> Result<(), Fault> {
    match count < PREPARED {
        true => Ok(()),
        false => Err(Fault::new(
            "54000",
            format!("a connection has at most {PREPARED} prepared statements and portals"),
        )),
    }
}
