//! Reports: one document for programs, one page for people; each in full for the house, and in a version that may be handed out.

mod about;
mod answer;
mod document;
mod earlier;
mod external;
mod html;
mod joint;
mod noise;
mod opinion;
mod schema;
mod slice;
mod treatments;
mod unchanged;
mod verdict;
mod view;
mod wording;
mod written;

pub use about::AboutFacts;
pub use answer::{
    AnswerDocument, AnswerFacts, KeptAnswer, PrivateAnswer, RequiredModel, RowPromise, ShownColumn,
};
pub use document::{
    Document, InputFacts, LatticeFacts, LeftOut, LeftOutClass, LeftOutGroup, OutputFacts, PeopleFacts,
    RegisterFacts, SearchFacts, SolutionFacts,
};
pub use earlier::{EarlierRelease, HeldAgainst, Relation, Shared, in_words as releases_in_words};
pub use external::{external, external_document, told_loss};
pub use html::{
    AttackPages, attack_pages, render, render_answer, render_joint, render_noise, render_participation,
    render_risk, render_slice,
};
pub use joint::{
    ChannelFacts, ConclusionFacts, FederationFacts, JointDocument, JointOutput, JointSearch, JointSolution,
    LearnedFacts, Levels, ParticipationDocument, PromisedModel, SentFacts, ToldFacts,
};
pub use noise::{ChangedCells, KeptNoise, MeanEstimate, NoiseColumn, NoiseDocument, ValueEstimate};
pub use opinion::OpinionFacts;
pub use paravent_prepare::study::PromiseFacts;
pub use schema::{DocumentKind, schema};
pub use slice::{SliceDiversity, SliceDocument, SliceGroup, SlicePair};
pub use treatments::{SampleFacts, TreatmentFacts};
pub use unchanged::{
    Light, UnchangedColumn, UnchangedFacts, VerdictFacts, singled_out, tells_of_singled_out,
};
pub use verdict::{JointFacts, UNREGISTERED, UNREGISTERED_WARNING, could_not_be_tried};
pub use view::{AttributeView, Audience, Bar, LevelView, View};
pub use wording::{Lang, missing as untranslated, translated};
pub use written::{KeptOutput, ReadTable, RegisteredFacts, WrittenFile};
