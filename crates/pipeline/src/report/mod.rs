//! Reports: one document for programs, one page for people.

mod document;
mod html;
mod view;

pub use document::{
    Document, InputFacts, LatticeFacts, OutputFacts, PromiseFacts, RegisterFacts, SearchFacts, SolutionFacts,
};
pub use html::{AttackPages, attack_pages, render, render_joint, render_risk, render_slice};
pub use view::{AttributeView, Bar, LevelView, View};
