//! Reports: one document for programs, one page for people; each in full for the house, and in a version that may be handed out.

mod document;
mod external;
mod html;
mod verdict;
mod view;

pub use document::{
    Document, InputFacts, LatticeFacts, LeftOut, LeftOutClass, OutputFacts, PeopleFacts, PromiseFacts,
    RegisterFacts, SearchFacts, SolutionFacts,
};
pub(crate) use external::three_digits;
pub use external::{external, external_document, joint_external};
pub use html::{AttackPages, attack_pages, render, render_joint, render_risk, render_slice};
pub use verdict::{Light, UnchangedColumn, UnchangedFacts, VerdictFacts, singled_out};
pub use view::{AttributeView, Audience, Bar, LevelView, View};
