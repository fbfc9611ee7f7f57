//! What a generalization promises, and what it calls best.

use paravent_job::{DecimalText, Metric, Model, Recoding, Search};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The privacy models, the suppression limit and the measure of loss of α^G.
#[derive(Debug, Clone)]
pub struct Promise {
    /// What every class must keep; k-anonymity is one of them.
    pub models: Vec<Model>,
    /// Share of rows that may be left out.
    pub suppression_limit: DecimalText,
    /// What is best, and how hard to look for it.
    pub search: Search,
    /// The same as text; two promises are the same promise when their texts are.
    canonical: String,
}

impl Promise {
    /// Any models, as in a job file.
    pub fn new(models: Vec<Model>, suppression_limit: DecimalText, search: Search) -> Promise {
        let mut parts: Vec<String> = models.iter().map(|model| format!("{model:?}")).collect();
        parts.sort();
        let canonical = format!("{parts:?} {suppression_limit:?} {search:?}");
        Promise { models, suppression_limit, search, canonical }
    }

    /// k-anonymity without suppression; the smallest sum of levels is best.
    pub fn k_anonymity(k: u32) -> Promise {
        Promise::k_anonymity_by(k, Metric::Height)
    }

    /// k-anonymity without suppression; the least loss by a metric is best.
    pub fn k_anonymity_by(k: u32, metric: Metric) -> Promise {
        let search = Search { metric, ..Search::default() };
        Promise::new(
            vec![Model::KAnonymity(paravent_job::models::KAnonymity { k })],
            DecimalText::from(0),
            search,
        )
    }

    /// The k of k-anonymity; 1 where the promise has none.
    pub fn k(&self) -> u32 {
        let ks = self.models.iter().filter_map(|model| match model {
            Model::KAnonymity(paravent_job::models::KAnonymity { k }) => Some(*k),
            _ => None,
        });
        ks.max().unwrap_or(1)
    }

    /// Whether k-anonymity is all that is promised.
    pub fn is_k_anonymity_only(&self) -> bool {
        self.models.iter().all(|model| matches!(model, Model::KAnonymity(_)))
    }

    /// Whether rows may be left out.
    pub fn may_suppress(&self) -> bool {
        self.suppression_limit != DecimalText::from(0)
    }

    /// Whether every class has labels of its own, instead of one level per column for all rows.
    pub fn is_local(&self) -> bool {
        self.search.recoding != Recoding::Global
    }

    /// The same promise with another k.
    pub fn with_k(&self, k: u32) -> Promise {
        let others = self.models.iter().filter(|model| !matches!(model, Model::KAnonymity(_))).cloned();
        let models = others.chain([Model::KAnonymity(paravent_job::models::KAnonymity { k })]).collect();
        Promise::new(models, self.suppression_limit.clone(), self.search.clone())
    }

    /// Whether two promises differ in k at most.
    pub fn same_but_for_k(&self, other: &Promise) -> bool {
        self.with_k(1) == other.with_k(1)
    }

    /// Columns that the models speak of.
    pub fn sensitive(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for model in &self.models {
            names.extend(model.attributes());
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl PartialEq for Promise {
    fn eq(&self, other: &Promise) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for Promise {}

impl Hash for Promise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical.hash(state);
    }
}

impl PartialOrd for Promise {
    fn partial_cmp(&self, other: &Promise) -> Option<Ordering> {
        Some(self.canonical.cmp(&other.canonical))
    }
}

/// `k = 5, distinct-l-diversity`
impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, model) in self.models.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            match model {
                Model::KAnonymity(paravent_job::models::KAnonymity { k }) => write!(f, "{comma}k = {k}")?,
                other => write!(f, "{comma}{}", other.name().name())?,
            }
        }
        if self.may_suppress() {
            write!(f, ", suppression = {}", self.suppression_limit.as_str())?;
        }
        if self.is_local() {
            write!(f, ", recoding = {}", self.search.recoding.name())?;
        }
        Ok(())
    }
}
