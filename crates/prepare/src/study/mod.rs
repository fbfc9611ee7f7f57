//! A job brought to the point where the search can start: columns matched, table counted, hierarchies climbed, promises
//! translated.

mod again;
mod columns;
mod count;
mod counted;
mod levels;
mod local;
mod loose;
mod models;
mod people;
mod prepare;
mod question;
mod rare;
mod reference;
mod relax;
mod search;
mod settle;
mod task;
mod treatments;
mod truths;

pub use columns::{ColumnPlan, InputColumn, Treatment};
pub use count::{budget_of, null_texts, read_options, says_yes};
pub use levels::value_type;
pub use local::{LocalFacts, refuse};
pub use loose::{Loose, Worth};
pub use models::{Exactness, PromiseFacts, achieved, required};
pub use people::{KeySpellings, PeopleElsewhere, TablePeople};
pub use prepare::{Study, StudyError};
pub use question::{Counting, Question};
pub use reference::{population_classes, reference};
pub use relax::{Relaxation, relaxations, relaxations_of_boxes};
pub use search::{Found, gap};
pub use treatments::{coded_column, pseudonym_key, refuse_treatments, sampled, treatment_json};
