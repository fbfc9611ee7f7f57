//! The policy file: who may ask what about whom.
//!
//! A policy stands between people's data and whoever asks about them. Its rules say per column what an answer may show, which conditions may
//! be put, which groups and figures may be asked for, and with how much noise. Rules are combined as a *meet*: the strictest of all that apply,
//! component by component, so their order says nothing. What nobody allows is denied: an unknown recipient, a purpose that is not theirs, a table
//! or a column without a rule, a use that no rule mentions.
//!
//! Reading goes like that of a job: all problems at once, with file, line, key and advice.
//!
//! ```
//! use paravent_policy::{Extent, Policy};
//!
//! let text = r#"
//! version = 1
//! name = "ward-7"
//! tables = [{ name = "patients", job = "patients.toml", person = "id" }]
//! recipients = [{ role = "research", purposes = ["statistics"] }]
//! [[rules]]
//! id = "age"
//! table = "patients"
//! columns = ["age"]
//! group = 1
//! [[rules]]
//! id = "coarse"
//! for = { purpose = "statistics" }
//! table = "patients"
//! columns = ["age"]
//! group = 2
//! "#;
//! let policy = Policy::parse(text, "policy.toml".as_ref()).unwrap();
//! let asker = policy.asker("research", "statistics").unwrap();
//! let age = policy.column(&asker, "patients", "age");
//! assert_eq!((age.access.group, age.access.show), (Extent::From(2), Extent::Denied));
//! assert!(policy.column(&asker, "patients", "zip").access.is_nothing());
//! ```

mod access;
mod annotation_schema;
mod canonical;
mod check;
mod choice;
mod columns;
mod demands;
mod effective;
mod nodes;
mod people;
mod policy;
mod proposal;
mod read;
mod recipients;
mod rules;
mod tables;
#[cfg(test)]
mod tests;

pub use access::{Access, Aggregate, Claim, Extent, Noise};
pub use annotation_schema::annotation_schema;
pub use check::{Remark, remarks};
pub use columns::{check_columns, mentioned_columns};
pub use demands::{Analysis, Demand, Means};
pub use effective::{Asker, Denied, Effective, EffectiveRows};
pub use nodes::{Node, Operation, Zone};
pub use people::{Conflict, Consent, Subject, Without};
pub use policy::Policy;
pub use proposal::{Proposed, propose};
pub use read::schema;
pub use recipients::{Budget, Recipient, Trust};
pub use rules::{For, Grain, Rows, Rule};
pub use tables::{Domain, Place, Table, Whose};
