//! Hierarchies as `transform.json` has them: what labels depend on.

use super::forms;
use paravent_core::hierarchy::Hierarchy;
use paravent_core::values::Decimal;
use serde_json::{Map, Value, json};

/// Why a JSON value is no hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct JsonError {
    /// Where, spelled like `hierarchy.parts[1].widths[0]`.
    pub place: String,
    /// What is wrong; repeats no value.
    pub reason: String,
}

/// The form of a hierarchy in `transform.json`.
///
/// ```
/// # use paravent_core::hierarchy::Hierarchy;
/// # use paravent_job::{from_json, to_json};
/// assert_eq!(to_json(&Hierarchy::Whole).to_string(), r#"{"kind":"whole"}"#);
/// assert_eq!(from_json(&to_json(&Hierarchy::Whole)), Ok(Hierarchy::Whole));
/// ```
///
/// It holds what labels depend on. The alphabet of a redaction is left out: it only serves to measure loss.
pub fn to_json(hierarchy: &Hierarchy) -> Value {
    match hierarchy {
        Hierarchy::Whole => json!({ "kind": "whole" }),
        hierarchy => forms::to_json(hierarchy),
    }
}

/// Reads what [`to_json`] writes.
///
/// # Errors
/// The first thing that is wrong: a kind or field that is not known, a field that is absent, a value
/// of the wrong type, or values that make no hierarchy.
pub fn from_json(value: &Value) -> Result<Hierarchy, JsonError> {
    hierarchy(&Node { within: None, step: Step::Field("hierarchy"), value })
}

pub(super) fn hierarchy(node: &Node<'_, '_>) -> Result<Hierarchy, JsonError> {
    let kind = node.field("kind")?;
    match kind.text()? {
        "whole" => node.only(&["kind"]).map(|()| Hierarchy::Whole),
        name => forms::from_json(name, node).unwrap_or_else(|| {
            let (last, others) = forms::KINDS.split_last().unwrap_or((&"", &[]));
            Err(kind.wrong(format!("must be whole, {} or {last}", others.join(", "))))
        }),
    }
}

/// A value and where it stands. The place is spelled out only when something is wrong there.
pub(crate) struct Node<'v, 'p> {
    within: Option<&'p Node<'v, 'p>>,
    step: Step<'p>,
    pub(super) value: &'v Value,
}

pub(crate) enum Step<'p> {
    Field(&'p str),
    Item(usize),
}

impl<'v, 'p> Node<'v, 'p> {
    fn place(&self) -> String {
        match (self.within.map(Node::place), &self.step) {
            (None, Step::Field(name)) => (*name).to_owned(),
            (Some(within), Step::Field(name)) => format!("{within}.{name}"),
            (within, Step::Item(i)) => format!("{}[{i}]", within.unwrap_or_default()),
        }
    }

    pub(super) fn wrong(&self, reason: impl ToString) -> JsonError {
        JsonError { place: self.place(), reason: reason.to_string() }
    }

    pub(super) fn object(&self) -> Result<&'v Map<String, Value>, JsonError> {
        self.value.as_object().ok_or_else(|| self.wrong("must be an object"))
    }

    pub(super) fn field(&'p self, name: &'p str) -> Result<Node<'v, 'p>, JsonError> {
        let value = self.object()?.get(name).ok_or_else(|| self.wrong(format!("needs the field {name}")))?;
        Ok(Node { within: Some(self), step: Step::Field(name), value })
    }

    /// A field nobody knows may change what labels mean, so it is not passed over.
    pub(super) fn only(&self, names: &[&str]) -> Result<(), JsonError> {
        match self.object()?.keys().all(|key| names.contains(&key.as_str())) {
            true => Ok(()),
            false => Err(self.wrong(format!("has a field other than {}", names.join(", ")))),
        }
    }

    pub(super) fn items(&'p self) -> Result<impl Iterator<Item = Node<'v, 'p>>, JsonError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("must be a list"))?;
        let item = |(i, value)| Node { within: Some(self), step: Step::Item(i), value };
        Ok(items.iter().enumerate().map(item))
    }

    pub(super) fn text(&self) -> Result<&'v str, JsonError> {
        self.value.as_str().ok_or_else(|| self.wrong("must be a string"))
    }

    pub(super) fn decimal(&self) -> Result<Decimal, JsonError> {
        self.text()?.parse().map_err(|_| self.wrong("must be a decimal number, written as a string"))
    }

    pub(super) fn choice<T: Copy>(
        &self,
        choices: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, JsonError> {
        let text = self.text()?;
        let names = || choices.iter().map(|choice| name(*choice)).collect::<Vec<_>>().join(", ");
        let found = choices.iter().copied().find(|choice| name(*choice) == text);
        found.ok_or_else(|| self.wrong(format!("must be one of: {}", names())))
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
