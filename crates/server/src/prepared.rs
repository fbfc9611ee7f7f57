//! Statements and portals of the extended protocol, and cursors, which are portals with a name in SQL.

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
    pub(crate) begun: Option<Begun>,
    pub(crate) life: Life,
}

/// A finished answer that leaves in parts. It was registered as a whole before its first row left.
pub(crate) struct Begun {
    pub(crate) rows: Rows,
    /// How many rows have left.
    pub(crate) sent: usize,
    /// What the end of it is called.
    pub(crate) verb: &'static str,
}

/// How long a portal is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// As long as its transaction.
    Transaction,
    /// `WITH HOLD`, in a transaction that has not ended yet: it stays if that one succeeds.
    Held,
    /// As long as the connection.
    Connection,
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Commit,
    Rollback,
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

    /// A cursor, which must not be there yet.
    pub(crate) fn declare(&mut self, name: String, portal: Portal) -> Result<(), Fault> {
        if self.portals.contains_key(&name) {
            return Err(Fault::new("42P03", "there is a cursor of that name"));
        }
        self.bind(Some(name), portal)
    }

    /// The names of all portals that have one.
    pub(crate) fn cursors(&self) -> Vec<String> {
        let mut names: Vec<String> = self.portals.keys().filter(|name| !name.is_empty()).cloned().collect();
        names.sort();
        names
    }

    /// `CLOSE`
    pub(crate) fn close_cursor(&mut self, name: &str) -> Result<(), Fault> {
        let unknown = || Fault::new("34000", "there is no cursor of that name");
        self.portals.remove(name).map(|_| ()).ok_or_else(unknown)
    }

    /// `CLOSE ALL`
    pub(crate) fn close_all(&mut self) {
        self.portals.clear();
    }

    /// Portals end with their transaction, unless they are held.
    pub(crate) fn end_transaction(&mut self, ending: Ending) {
        self.portals.retain(|_, portal| match (portal.life, ending) {
            (Life::Transaction, _) | (Life::Held, Ending::Rollback) => false,
            (Life::Held, Ending::Commit) => {
                portal.life = Life::Connection;
                true
            }
            (Life::Connection, _) => true,
        });
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
