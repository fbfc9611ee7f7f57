//! A release together with others.

use serde::Serialize;

/// The joint run in the project folder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointView {
    /// Name of the federation file or of the invitation.
    pub file: String,
    /// Whether it is an invitation that nobody has unpacked yet.
    pub packed: bool,
    /// What the run is called.
    pub run: String,
    /// Digest of everything that was agreed on so far.
    pub digest: String,
    /// `A`, `B` or `C`.
    pub protocol: char,
    /// `horizontal`, `vertical` or `hybrid`.
    pub split: String,
    /// The party where the release arrives.
    pub receiver: String,
    /// The column that rows or people are matched by.
    pub identifier: Option<String>,
    /// The promises and the search, a line each.
    pub promises: Vec<String>,
    /// The columns of the release.
    pub columns: Vec<JointColumn>,
    /// Which party this is, where that is known.
    pub me: Option<String>,
    /// Everybody, in order.
    pub parties: Vec<JointParty>,
    /// Whether nothing is missing.
    pub complete: bool,
    /// What has to be mended first.
    pub problems: Vec<String>,
    /// What is next, as `paravent party status` says it.
    pub next: String,
    /// What came back from parties.
    pub answers: Vec<JointAnswer>,
    /// Who sends what to whom.
    pub sent: Vec<JointSent>,
    /// What each party learns by design.
    pub learned: Vec<JointLearned>,
    /// What could be concluded, and what stands against it.
    pub concluded: Vec<JointConcluded>,
    /// What this party does, in order.
    pub steps: Vec<JointStep>,
}

/// A column of the release.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointColumn {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: String,
    /// Who holds it; nobody by name where all parties do.
    pub held_by: Vec<String>,
}

/// A party.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointParty {
    /// Its name.
    pub name: String,
    /// `primary`, `without-data` or `helper`.
    pub part: String,
    /// `invited`, `joined`, `approved` or `approved another version`.
    pub stage: String,
    /// Where it listens.
    pub address: Option<String>,
    /// Fingerprint of its certificate.
    pub fingerprint: Option<String>,
    /// What it counted of the people in common.
    pub matched: Option<String>,
}

/// A file that a party sent back.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointAnswer {
    /// Its name.
    pub file: String,
    /// Parties that join in it.
    pub parties: Vec<String>,
    /// Whether the federation file has it.
    pub merged: bool,
    /// Why it is of no use.
    pub problem: Option<String>,
}

/// A message.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointSent {
    /// Who sends.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What.
    pub what: String,
}

/// What a party learns.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointLearned {
    /// Who.
    pub party: String,
    /// What.
    pub what: String,
}

/// What could be concluded.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointConcluded {
    /// By whom.
    pub who: String,
    /// What.
    pub what: String,
    /// What stands against it.
    pub against: String,
}

/// A thing to do.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct JointStep {
    /// `unpack`, `keygen`, `join`, `merge`, `match`, `approve`, `preview` or `run`.
    pub kind: String,
    /// `done`, `next` or `later`.
    pub state: String,
    /// The command that does it, in the project folder.
    pub command: String,
}
