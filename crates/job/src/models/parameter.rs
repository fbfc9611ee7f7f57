//! What the keys of a model say.

use super::population::Population;
use crate::decimal::DecimalText;
use serde_json::{Value, json};

/// The value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter<'a> {
    /// A whole number.
    Count(u32),
    /// A threshold, as it was written.
    Decimal(&'a DecimalText),
    /// A name.
    Text(&'a str),
    /// Names or cells.
    List(&'a [String]),
    /// Among whom people could be.
    Population(&'a Population),
}

/// How thresholds are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// As decimal text: what the verifier compares with.
    Text,
    /// As a number: what people and programs like to read.
    Number,
}

impl Parameter<'_> {
    /// As the manifest and reports have it; `None` for what stays at home.
    pub(super) fn to_json(self, exactness: Exactness) -> Option<Value> {
        Some(match (self, exactness) {
            (Parameter::Count(count), _) => json!(count),
            (Parameter::Decimal(text), Exactness::Text) => json!(text.as_str()),
            (Parameter::Decimal(text), Exactness::Number) => {
                text.as_str().parse::<f64>().map_or(Value::Null, |number| json!(number))
            }
            (Parameter::Text(text), _) => json!(text),
            (Parameter::List(list), _) => json!(list),
            (Parameter::Population(_), _) => return None,
        })
    }
}
