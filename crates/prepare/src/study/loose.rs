//! Promises that forbid little or nothing on the table they are made about.

use super::Study;
use paravent_core::criteria::{Allowed, ClassCriterion, Excludes, MOST, OUT_OF, excludes};
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
            let criterion: &dyn ClassCriterion = criterion;
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
            Loose::of(model, criterion, &totals.unwrap_or_default(), missing)
        };
        members.zip(&self.job.privacy.models).map(|(criterion, model)| loose((&**criterion, model))).collect()
    }
}

impl Loose {
    /// Asks the criterion of a model. `totals` has how many people, or rows, of the table show each value of the column that it reads; `missing`
    /// is the code of the empty cell.
    pub fn of(
        model: &Model,
        criterion: &dyn ClassCriterion,
        totals: &[u64],
        missing: Option<u32>,
    ) -> Option<Loose> {
        told(excludes(criterion, totals, missing), model)
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
        // That values are different is all that distinct values promise; whoever asks for them knows.
        Allowed::NearlyAll if model.counts_values_only() => return None,
        Allowed::NearlyAll => {
            format!("a class in which {} of {OUT_OF} people have the same {what} keeps it", OUT_OF - 1)
        }
        Allowed::NearlyAllPresent => {
            format!(
                "a class keeps it of which {} of {OUT_OF} people of the population are in the table",
                OUT_OF - 1
            )
        }
        Allowed::WhatItsFormAllows => {
            "its number forbids nothing, or nearly nothing; only the limit does that its form has anyway"
                .to_owned()
        }
    };
    Some(Loose { promises, because })
}
