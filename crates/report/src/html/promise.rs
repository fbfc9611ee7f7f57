//! One promise of the document, read back into something that can be worded and drawn.

use crate::PromiseFacts;
use paravent_job::ModelName;
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
}

/// One threshold of a promise.
pub struct Measure {
    /// The letter the literature uses.
    pub symbol: &'static str,
    /// On which side of the threshold a release has to be.
    pub side: Side,
    /// The threshold.
    pub required: f64,
    /// The figure of the worst released class; infinite when no threshold would do, `None` when it is not known.
    pub achieved: Option<f64>,
    /// The largest figure there can be, if there is one.
    pub largest: Option<f64>,
    /// `%` for percentages.
    pub unit: &'static str,
}

/// On which side of the threshold a release has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Larger is better; the threshold itself is good.
    AtLeast,
    /// Smaller is better; the threshold itself is good.
    AtMost,
    /// Smaller is better; the threshold itself is not good.
    Below,
}

impl<'a> Promise<'a> {
    /// The promise; `None` when the model is not one of the job file's.
    pub fn of(facts: &'a PromiseFacts) -> Option<Self> {
        let model = ModelName::ALL.iter().find(|model| model.name() == facts.model)?;
        Some(Self { model: *model, holds: facts.holds, required: &facts.required, achieved: &facts.achieved })
    }

    /// The same from a document of a joint release.
    pub fn read(entry: &'a Value) -> Option<Self> {
        let model = ModelName::ALL.iter().find(|model| entry["model"] == model.name())?;
        let holds = entry["holds"] == true;
        Some(Self { model: *model, holds, required: &entry["required"], achieved: &entry["achieved"] })
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

    /// The model whose notion of diversity is asked: for several attributes at once, the base.
    pub fn base(&self) -> ModelName {
        match (self.model, self.text("base")) {
            (ModelName::MultiAttributeLDiversity, "entropy") => ModelName::EntropyLDiversity,
            (ModelName::MultiAttributeLDiversity, "recursive") => ModelName::RecursiveLDiversity,
            (ModelName::MultiAttributeLDiversity, _) => ModelName::DistinctLDiversity,
            (model, _) => model,
        }
    }

    /// Its thresholds, in the order in which they are shown.
    pub fn measures(&self) -> Vec<Measure> {
        match self.base() {
            ModelName::KAnonymity | ModelName::KMap => vec![self.measure("k", "k", Side::AtLeast)],
            ModelName::DistinctLDiversity
            | ModelName::EntropyLDiversity
            | ModelName::MultiAttributeLDiversity => vec![self.measure("l", "ℓ", Side::AtLeast)],
            ModelName::RecursiveLDiversity | ModelName::PdRecursiveLDiversity => {
                vec![self.measure("c", "c", Side::Below)]
            }
            ModelName::NpdRecursiveLDiversity => {
                let share = self.measure("c2", "c₂", Side::AtLeast);
                vec![
                    self.measure("c", "c", Side::Below),
                    Measure { largest: Some(100.0), unit: "%", ..share },
                ]
            }
            ModelName::TCloseness => {
                let largest = (self.text("distance") != "kullback-leibler").then_some(1.0);
                vec![Measure { largest, ..self.measure("t", "t", Side::AtMost) }]
            }
            ModelName::DeltaPresence => {
                let max = Measure { largest: Some(1.0), ..self.measure("max", "δ max", Side::AtMost) };
                let min = Measure { largest: Some(1.0), ..self.measure("min", "δ min", Side::AtLeast) };
                if min.required > 0.0 { vec![max, min] } else { vec![max] }
            }
        }
    }

    /// Whether any release would keep it: such a promise protects nobody.
    pub fn is_empty(&self) -> bool {
        match self.base() {
            ModelName::KAnonymity | ModelName::KMap => self.number("k") <= 1.0,
            ModelName::DistinctLDiversity
            | ModelName::EntropyLDiversity
            | ModelName::MultiAttributeLDiversity => self.number("l") <= 1.0,
            ModelName::RecursiveLDiversity => self.number("l") <= 1.0 && self.number("c") > 1.0,
            ModelName::PdRecursiveLDiversity | ModelName::NpdRecursiveLDiversity => false,
            ModelName::TCloseness => self.text("distance") != "kullback-leibler" && self.number("t") >= 1.0,
            ModelName::DeltaPresence => self.number("min") <= 0.0 && self.number("max") >= 1.0,
        }
    }

    /// The class size that the promise implies; 1 when none.
    pub fn class_size(&self) -> u64 {
        match self.base() {
            ModelName::KAnonymity => self.number("k") as u64,
            ModelName::DistinctLDiversity
            | ModelName::EntropyLDiversity
            | ModelName::RecursiveLDiversity
            | ModelName::MultiAttributeLDiversity => self.number("l").ceil() as u64,
            ModelName::PdRecursiveLDiversity
            | ModelName::NpdRecursiveLDiversity
            | ModelName::TCloseness
            | ModelName::DeltaPresence
            | ModelName::KMap => 1,
        }
    }

    fn measure(&self, key: &str, symbol: &'static str, side: Side) -> Measure {
        let (required, achieved) = (self.number(key), self.reached(key));
        Measure { symbol, side, required, achieved, largest: None, unit: "" }
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
