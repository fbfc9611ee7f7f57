//! What a column is by its name and its cells: a guess that errs on the side of people.

mod codes;
mod given_names;
mod hint_words;
mod hints;
mod identifying;
mod personal_names;
mod repeated;
pub(crate) mod shapes;
mod texts;

pub use hints::{Hint, hint};
pub use identifying::{ColumnCells, Telling, identifying};
pub use repeated::{Repeated, Repeats, may_repeat};
