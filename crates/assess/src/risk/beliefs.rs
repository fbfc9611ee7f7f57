//! Beliefs of an attacker with a prior, after a table or a release.

use super::assess::subject;
use super::{RiskError, RiskRequest};
use paravent_evidence::information::beliefs::{BeliefError, ClassBelief, beliefs, excluding, together};
use paravent_evidence::risk::DistinctRows;
use paravent_evidence::risk::disclosure::ClassValues;
use paravent_tables::watch::Watch;
use serde::Serialize;
use std::path::Path;

/// What an attacker, or several together, knew before.
#[derive(Debug, Clone, Default)]
pub struct Prior {
    /// By attacker: probabilities of values; values that are not named have probability 0. None: the column itself is the prior.
    pub attackers: Vec<Vec<(String, f64)>>,
    /// Values that are ruled out.
    pub excluded: Vec<String>,
}

/// Beliefs about one sensitive column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnBeliefs {
    /// The column.
    pub column: String,
    /// Its values, in the order of all lists here.
    pub values: Vec<String>,
    /// `B₀`: before anything is seen, all attackers together.
    pub prior: Vec<f64>,
    /// `B₁`: the share of each value in the whole column.
    pub overall: Vec<f64>,
    /// `B₂`, class by class.
    pub classes: Vec<ClassBelief>,
    /// By class: its quasi-identifiers.
    pub labels: Vec<Vec<String>>,
}

/// Why there are no beliefs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BeliefsError {
    /// The table cannot be read.
    #[error(transparent)]
    Risk(#[from] RiskError),
    /// The prior is no probability distribution.
    #[error("{column}: {problem}")]
    Belief {
        /// The column.
        column: String,
        /// What is wrong.
        problem: BeliefError,
    },
    /// A value that the column does not have.
    #[error("{column}: a value of the {what} does not occur in the column")]
    UnknownValue {
        /// The column.
        column: String,
        /// Where it was named.
        what: &'static str,
    },
}

/// The beliefs about every sensitive column of a table or a release. An empty cell is no value.
pub fn assess_beliefs(
    path: &Path,
    request: &RiskRequest,
    prior: &Prior,
    watch: &dyn Watch,
) -> Result<Vec<ColumnBeliefs>, BeliefsError> {
    let table = subject(path, request, watch)?;
    let classes = DistinctRows::of(&table.data, &table.quasi_identifiers);
    let mut found = Vec::new();
    for &place in &table.sensitive {
        let column = &table.data.columns()[place];
        let shown =
            ClassValues::of_people(&classes, column.codes(), column.labels().len(), table.data.people());
        let valued =
            shown.classes().flatten().copied().filter(|&(_, code, _)| Some(code) != column.missing());
        let values = ClassValues::counted(valued, column.labels().len());
        let totals = values.totals();
        let all: u64 = totals.iter().sum();
        let overall: Vec<f64> = totals.iter().map(|&rows| rows as f64 / all.max(1) as f64).collect();
        let problem = |problem| BeliefsError::Belief { column: column.name().to_owned(), problem };
        let code = |value: &String, what: &'static str| {
            let place = column.labels().iter().position(|label| label == value);
            place.ok_or_else(|| BeliefsError::UnknownValue { column: column.name().to_owned(), what })
        };
        let mut priors = Vec::new();
        for attacker in &prior.attackers {
            let mut belief = vec![0.0; overall.len()];
            for (value, probability) in attacker {
                belief[code(value, "prior")?] = *probability;
            }
            priors.push(belief);
        }
        if priors.is_empty() {
            priors.push(overall.clone());
        }
        let mut excluded = Vec::new();
        for value in &prior.excluded {
            excluded.push(code(value, "list of excluded values")? as u32);
        }
        let before = together(&priors, &overall).map_err(problem)?;
        let before = excluding(&before, &excluded).map_err(problem)?;
        // The first row of each class names it.
        let numbers: Vec<u32> = values.classes().map(|entries| entries[0].0).collect();
        let label = |number: &u32| -> Vec<String> {
            let row = classes.class_of().iter().position(|class| class == number).unwrap_or_default();
            let named = table.quasi_identifiers.iter().map(|&place| {
                let column = &table.data.columns()[place];
                format!("{} = {}", column.name(), column.cell(column.codes()[row]).unwrap_or("(missing)"))
            });
            named.collect()
        };
        found.push(ColumnBeliefs {
            column: column.name().to_owned(),
            values: column.labels().to_vec(),
            classes: beliefs(&values, &before),
            labels: numbers.iter().map(label).collect(),
            prior: before,
            overall,
        });
    }
    Ok(found)
}
