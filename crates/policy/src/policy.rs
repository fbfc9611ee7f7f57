//! A policy as a whole.

use crate::demands::{Analysis, Demand};
use crate::nodes::Node;
use crate::people::{Consent, Subject};
use crate::recipients::Recipient;
use crate::rules::Rule;
use crate::tables::Table;
use paravent_job::Source;
use std::path::PathBuf;

/// Who may ask what about whom.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// What can be asked about; names are unique.
    pub tables: Vec<Table>,
    /// Who may ask; roles are unique.
    pub recipients: Vec<Recipient>,
    /// What columns may be used for; ids are unique.
    pub rules: Vec<Rule>,
    /// By table: what every answer must keep.
    pub demands: Vec<(String, Demand)>,
    /// What answers are for.
    pub analyses: Vec<Analysis>,
    /// Who agreed to what.
    pub consent: Option<Consent>,
    /// Claims of single people.
    pub subjects: Vec<Subject>,
    /// Machines that work on questions; names are unique.
    pub nodes: Vec<Node>,
    /// Where accounts and earlier answers are kept.
    pub state: PathBuf,
    /// The file and its lines.
    pub source: Source,
}

impl Policy {
    /// The table of that name.
    pub fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.name == name)
    }

    /// Where accounts and earlier answers are kept, seen from where the program runs.
    pub fn state_folder(&self) -> PathBuf {
        self.source.resolve(&self.state)
    }
}
