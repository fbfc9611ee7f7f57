//! One promise of the document, read back into something that can be worded and drawn.

use super::escape::{label, list};
use super::number::{count, figure, percent};
use crate::PromiseFacts;
use paravent_job::ModelName;
pub use paravent_job::models::{Measure, Side};
use paravent_job::models::{Telling, Wording, Words};
use serde_json::Value;

/// A promise and its model.
#[derive(Clone, Copy)]
pub struct Promise<'a> {
    /// Which model it is.
    pub model: ModelName,
    /// Whether it is kept.
    pub holds: bool,
    required: &'a Value,
    achieved: &'a Value,
    /// Known while it is worded.
    quasi_identifiers: &'a [&'a str],
}

impl<'a> Promise<'a> {
    /// The promise; `None` when the model is not one of the job file's.
    pub fn of(facts: &'a PromiseFacts) -> Option<Self> {
        let model = ModelName::ALL.iter().find(|model| model.name() == facts.model)?;
        Some(Self {
            model: *model,
            holds: facts.holds,
            required: &facts.required,
            achieved: &facts.achieved,
            quasi_identifiers: &[],
        })
    }

    /// How the promise about these quasi-identifiers is called and explained.
    pub fn wording(&self, quasi_identifiers: &[&str]) -> Wording {
        let known = Promise { quasi_identifiers, ..*self };
        self.telling().wording(&known)
    }

    /// A parameter as a number; 0 when it is not there.
    pub fn number(&self, key: &str) -> f64 {
        self.required.get(key).and_then(number).unwrap_or(0.0)
    }

    /// The worst class's figure. JSON has no infinity and writes `null`.
    pub fn reached(&self, key: &str) -> Option<f64> {
        self.achieved.get(key).map(|value| number(value).unwrap_or(f64::INFINITY))
    }

    /// A parameter as text.
    pub fn text(&self, key: &str) -> &'a str {
        self.required.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// A parameter that is a list of texts.
    pub fn texts(&self, key: &str) -> Vec<&'a str> {
        let list = self.required.get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The sensitive columns it is about.
    pub fn attributes(&self) -> Vec<&'a str> {
        match self.required.get("attribute").and_then(Value::as_str) {
            Some(attribute) => vec![attribute],
            None => self.texts("attributes"),
        }
    }

    /// Its thresholds, in the order in which they are shown.
    pub fn measures(&self) -> Vec<Measure> {
        self.telling().measures(self)
    }

    /// Whether any release would keep it: such a promise protects nobody.
    pub fn is_empty(&self) -> bool {
        self.telling().is_empty(self)
    }

    /// The class size that the promise implies; 1 when none.
    pub fn class_size(&self) -> u64 {
        self.telling().class_size(self)
    }

    /// What reports say about promises of this model.
    pub fn telling(&self) -> &'static dyn Telling {
        self.model.card().telling
    }
}

/// The ways in which this report writes things.
impl Words for Promise<'_> {
    fn number(&self, key: &str) -> f64 {
        Promise::number(self, key)
    }

    fn reached(&self, key: &str) -> Option<f64> {
        Promise::reached(self, key)
    }

    fn text(&self, key: &str) -> &str {
        Promise::text(self, key)
    }

    fn columns(&self) -> String {
        list(&self.attributes(), 4)
    }

    fn quasi_identifiers(&self) -> String {
        list(self.quasi_identifiers, 5)
    }

    fn values(&self, key: &str) -> String {
        values(&self.texts(key))
    }

    fn count(&self, number: u64) -> String {
        count(number)
    }

    fn figure(&self, number: f64) -> String {
        figure(number)
    }

    fn percent(&self, share: f64) -> String {
        percent(share)
    }
}

/// `“healthy” and “cold”`; long lists are counted.
fn values(labels: &[&str]) -> String {
    match labels {
        [] => "no value".to_owned(),
        [only] => format!("the value “{}”", label(only)),
        [first, second] => format!("the values “{}” and “{}”", label(first), label(second)),
        [first, second, rest @ ..] => {
            format!("the values “{}”, “{}” and {} more", label(first), label(second), rest.len())
        }
    }
}

/// Counts are numbers, thresholds decimal strings.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
