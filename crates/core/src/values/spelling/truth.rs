//! Truth values in words of one's own.

use std::borrow::Cow;

use crate::values::ValueType;

/// How truth values are written: `ja` and `nein`, `1` and `0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthSpelling {
    yes: String,
    no: String,
}

/// Why two words are no way to write truth values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is no pair of words for true and false")]
pub struct TruthSpellingError;

impl TruthSpelling {
    /// The word for true, then the one for false.
    ///
    /// # Errors
    /// If one of them is not read as what it stands for.
    ///
    /// ```
    /// # use paravent_core::values::TruthSpelling;
    /// let german = TruthSpelling::new("ja", "nein").unwrap();
    /// assert_eq!((german.read("nein"), german.write("true").as_ref()), (Some("false"), "ja"));
    /// assert!(TruthSpelling::new("nein", "ja").is_err());
    /// ```
    pub fn new(yes: &str, no: &str) -> Result<TruthSpelling, TruthSpellingError> {
        match (ValueType::Boolean.canonical(yes).as_ref(), ValueType::Boolean.canonical(no).as_ref()) {
            ("true", "false") => Ok(TruthSpelling { yes: yes.to_owned(), no: no.to_owned() }),
            _ => Err(TruthSpellingError),
        }
    }

    /// The word for true.
    pub fn yes(&self) -> &str {
        &self.yes
    }

    /// The word for false.
    pub fn no(&self) -> &str {
        &self.no
    }

    /// Whether these are the engine's own words.
    pub fn is_plain(&self) -> bool {
        (self.yes.as_str(), self.no.as_str()) == ("true", "false")
    }

    /// The engine's word; `None` if the cell is no truth value. Other words than these two are understood as well.
    pub fn read(&self, cell: &str) -> Option<&'static str> {
        match ValueType::Boolean.canonical(cell).as_ref() {
            "true" => Some("true"),
            "false" => Some("false"),
            _ => None,
        }
    }

    /// The column's word; a label stays as it is.
    pub fn write<'a>(&self, value: &'a str) -> Cow<'a, str> {
        match value {
            "true" => Cow::Owned(self.yes.clone()),
            "false" => Cow::Owned(self.no.clone()),
            label => Cow::Borrowed(label),
        }
    }
}
