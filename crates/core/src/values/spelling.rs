//! How people write numbers and times, and back: `8.123,4`, `09.03.2024 14:05`, `03/09/2024`.
//!
//! Cells are brought to the engine's own spelling when they are read (`8123.4`, `2024-03-09T14:05`) and to the column's
//! spelling when they are written. In between nobody has to know. Both ways change signs and order only: digits stay, so a cell
//! that nothing else touches comes out as it went in.

use std::borrow::Cow;

mod number;
mod pattern;
mod truth;

pub use number::{NumberSpelling, NumberSpellingError};
pub use pattern::{Pattern, PatternError};
pub use truth::{TruthSpelling, TruthSpellingError};

/// How the values of one column are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelling {
    /// Numbers with signs of their own.
    Number(NumberSpelling),
    /// Dates or times in a fixed form.
    Moment(Pattern),
    /// Truth values in two words.
    Truth(TruthSpelling),
}

impl Spelling {
    /// The engine's spelling of a cell; `None` if the cell is not written this way.
    ///
    /// ```
    /// # use paravent_core::values::{Pattern, Spelling};
    /// let german = Spelling::Moment(Pattern::new("dd.MM.yyyy HH:mm").unwrap());
    /// assert_eq!(german.read("09.03.2024 14:05").as_deref(), Some("2024-03-09T14:05"));
    /// assert_eq!(german.read("2024-03-09"), None);
    /// assert_eq!(german.write("2024-03-09T14:05"), "09.03.2024 14:05");
    /// ```
    pub fn read<'a>(&self, cell: &'a str) -> Option<Cow<'a, str>> {
        match self {
            Spelling::Number(number) => number.read(cell),
            Spelling::Moment(pattern) => pattern.read(cell).map(Cow::Owned),
            Spelling::Truth(truth) => truth.read(cell).map(Cow::Borrowed),
        }
    }

    /// The column's spelling of a value. A text that is no value, such as the label of an interval, stays as it is.
    pub fn write<'a>(&self, value: &'a str) -> Cow<'a, str> {
        match self {
            Spelling::Number(number) => number.write(value),
            Spelling::Moment(pattern) => pattern.write(value).map_or(Cow::Borrowed(value), Cow::Owned),
            Spelling::Truth(truth) => truth.write(value),
        }
    }

    /// Whether a text comes back after it was written and read. A label that is no value but reads like one does not.
    pub fn keeps(&self, value: &str) -> bool {
        let written = self.write(value);
        match self.read(&written) {
            Some(read) => read == value,
            None => written == value,
        }
    }
}
