//! Treatments beside generalization and suppression: what was done, in figures and in words.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What was done besides; all of it absent where nothing was.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct TreatmentFacts {
    /// The sample that was drawn first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleFacts>,
    /// The balance of generalization and suppression, 0.5 where it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gs_factor: Option<String>,
    /// By column: what was done to its cells.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub columns: Map<String, Value>,
}

/// A sample of the table.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SampleFacts {
    /// With which probability a row stayed, or a person.
    pub share: String,
    /// `rows` or `people`.
    pub of: &'static str,
    /// Rows of the whole table; absent in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_of_table: Option<u64>,
}

impl TreatmentFacts {
    /// Whether nothing was done.
    pub fn is_empty(&self) -> bool {
        self.sample.is_none() && self.gs_factor.is_none() && self.columns.is_empty()
    }

    /// What may be handed out.
    pub fn external(&self) -> TreatmentFacts {
        let mut external = self.clone();
        external.sample.iter_mut().for_each(|sample| sample.rows_of_table = None);
        for treatment in external.columns.values_mut().filter_map(Value::as_object_mut) {
            treatment.remove("lost");
        }
        external
    }

    /// What was done to a column, in words.
    pub fn words(&self, column: &str) -> Option<String> {
        let treatment = self.columns.get(column)?;
        let text = |key: &str| treatment.get(key).and_then(Value::as_str);
        let mut words = Vec::new();
        words.extend(text("round").map(|step| format!("rounded to multiples of {step}")));
        words.extend(text("bottom").map(|bottom| format!("{bottom} stands for {bottom} and less")));
        words.extend(text("top").map(|top| format!("{top} stands for {top} and more")));
        words.extend(text("aggregate").map(
            |aggregate| match treatment.get("lost").and_then(Value::as_f64) {
                Some(lost) => format!(
                    "the {aggregate} of each class; {:.1} % of the variance is inside classes and lost",
                    100.0 * lost
                ),
                None => format!("the {aggregate} of each class"),
            },
        ));
        words.extend(text("pseudonyms").map(|_| "keyed pseudonyms instead of the cells".to_owned()));
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// The sample in a sentence.
    pub fn told_sample(&self) -> Option<String> {
        let SampleFacts { share, of, rows_of_table } = self.sample.as_ref()?;
        let all = rows_of_table.map_or_else(String::new, |rows| format!(" of {rows} rows"));
        Some(format!(
            "A random sample was drawn first: each of the {of} stayed with probability {share}{all}. Class sizes are those of the \
             sample. Whoever is looked for may not be in it; that is not promised, unless k-map or δ-presence is."
        ))
    }
}
