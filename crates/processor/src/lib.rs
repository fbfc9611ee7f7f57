//! The privacy-aware query processor: a policy, a question, an annotated answer.
//!
//! ```text
//! SQL ─► read ─► compare ─► adapt ─► audit ─► pay ─► execute ─► annotate ─► rows
//!        └── statement, schema, policy, account: may refuse ──┘
//! ```
//!
//! What is answered are counts, sums and means of groups of one table, or of tables that are joined along their links: with noise, or exact for recipients that are trusted ([`exact`]). Rows are
//! answered once, on labels that make them anonymous ([`microdata`]). The forms of a question that are known are few
//! ([`question`]); everything else is refused by its name, with the rules that say so. Refusals are decided before a row is read.
//! The auditor ([`audit`]) shares no code with what makes the plan ([`adapt`], [`plan`]) and looks at the finished one.

pub mod adapt;
pub mod annotation;
pub mod ask;
pub mod asked;
pub mod attack;
pub mod audit;
mod clip;
pub mod coarse;
pub mod consent;
pub mod exact;
pub mod fragment;
pub mod kept;
pub mod microdata;
pub mod nodes;
pub mod plan;
pub mod question;
pub mod refusal;
pub mod remainder;
pub mod state;
pub mod view;

pub use ask::{Explained, answer, ask, ask_watched, explain, fragment, shape};
pub use asked::{Answered, Asked, Bounds};
pub use attack::{Attempt, Verdict, attack};
pub use refusal::{AskError, Refusal};
