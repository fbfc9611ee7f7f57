//! Promises that forbid little or nothing on the table they are made about.

use super::Study;
use paravent_core::criteria::{Allowed, Excludes, MOST, excludes};
use paravent_job::Model;
use paravent_job::models::Sensitive;
use paravent_tables::encode::SensitiveView;
use schemars::JsonSchema;
use serde::Serialize;

/// A promise that is worth little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loose {
    /// What it is worth.
    pub promises: Worth,
    /// A class that keeps it and should not.
    pub because: String,
}

/// What a promise is worth on a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Worth {
    /// Whatever is released keeps it.
    Nothing,
    /// It lets nearly everybody's value be told, or told with next to no doubt.
    Little,
}

impl Study {
    /// By model: whether it says little or nothing about this table.
    pub fn loose(&self) -> Vec<Option<Loose>> {
        let members = self.task.criteria().members().iter();
        let loose = |(criterion, model)| {
            let criterion: &dyn paravent_core::criteria::ClassCriterion = criterion;
            let view = criterion.needs().sensitive;
            let totals = view.map(|view| match &self.people {
                Some(counted) => counted.people.totals(view),
                None => self.table.totals(view),
            });
            let missing = view.and_then(|view| match self.sensitive_views().get(view)? {
                SensitiveView::Single(column) => {
                    let column = &self.counted.columns[self.counted.quasi_identifiers + column];
                    column.dictionary.code(None)
                }
                SensitiveView::Joint(_) => None,
            });
            told(excludes(criterion, &totals.unwrap_or_default(), missing), model)
        };
        members.zip(&self.job.privacy.models).map(|(criterion, model)| loose((&**criterion, model))).collect()
    }
}

fn told(found: Excludes, model: &Model) -> Option<Loose> {
    let (promises, allowed) = match found {
        Excludes::Something => return None,
        Excludes::Nothing(allowed) => (Worth::Nothing, allowed),
        Excludes::Little(allowed) => (Worth::Little, allowed),
    };
    let what = match model.sensitive() {
        Sensitive::Joint(_) => "combination of values",
        Sensitive::One(_) | Sensitive::None => "value",
    };
    let because = match allowed {
        Allowed::OnePerson => "a class of one person keeps it".to_owned(),
        Allowed::OneValue => {
            format!("a class in which everybody has the same {what} keeps it, whichever that is")
        }
        Allowed::MostValues => {
            format!(
                "a class in which everybody has the same {what} keeps it, for the values of {MOST} % of the people"
            )
        }
        // That ones are different is all that distinct values promise; whoever asks for them knows.
        Allowed::AllButOne if counts_values_only(model) => return None,
        Allowed::AllButOne => format!("a class in which all but one person have the same {what} keeps it"),
    };
    Some(Loose { promises, because })
}

/// Whether a model asks for different values, however many people have each.
fn counts_values_only(model: &Model) -> bool {
    matches!(model, Model::DistinctLDiversity(_) | Model::MultiAttributeLDiversity(_))
}
