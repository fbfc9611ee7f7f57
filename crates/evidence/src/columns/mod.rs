//! What a column is by its name and its cells: a guess that errs on the side of people.

mod hint_words;
mod hints;

pub use hints::{Hint, hint};
