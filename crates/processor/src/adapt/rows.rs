//! Rows: answered as they are where that is anonymous, else in mixed column groups for a declared analysis, or on coarser labels.

use super::{Adapted, RowDemand, Way, ids};
use crate::question::Shown;
use crate::refusal::Refusal;
use paravent_job::models::KAnonymity;
use paravent_job::{DecimalText, Model, Role};
use paravent_policy::{Demand, Effective, EffectiveRows, Extent, Means, Policy};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

impl Adapted<'_> {
    /// Turns a question for rows into one that is answered by rows: every column may be shown, no rule asks for noise, and the owner demands
    /// what rows keep. Otherwise nothing is changed, and the histogram is answered.
    pub(super) fn rows_way(
        &mut self,
        policy: &Policy,
        effective: &BTreeMap<String, Effective<'_>>,
        about_rows: &[EffectiveRows<'_>],
    ) -> Result<Option<Way>, Refusal> {
        let [part] = self.parts.as_slice() else { return Ok(None) };
        let job = part.job;
        let demand = self.demand.clone();
        let of_rows = about_rows.iter().map(|rows| &rows.access);
        let noisy =
            effective.values().map(|one| &one.access).chain(of_rows).any(|access| access.noise.is_some());
        let allowed = |means: Means| demand.operators.as_ref().is_none_or(|all| all.contains(&means));
        let generalizes = allowed(Means::Generalize);
        let together = if allowed(Means::Slice) { self.declared(policy, &demand) } else { Vec::new() };
        let is_possible = generalizes || !together.is_empty();
        if !self.question.is_rows || noisy || !is_possible || demand.models.is_empty() {
            return Ok(None);
        }
        let mut levels = BTreeMap::new();
        for column in &self.question.groups {
            let Extent::From(level) = effective[column].access.show else { return Ok(None) };
            let role = job.attribute(column).map(|(_, attribute)| attribute.role);
            if role.is_none_or(|role| role == Role::Identifying) {
                return Ok(None);
            }
            levels.insert(column.clone(), level);
        }
        let mut conditions = BTreeMap::new();
        for column in self.question.conditions.keys() {
            let Extent::From(level) = effective[column].access.filter else { return Ok(None) };
            conditions.insert(column.clone(), level);
        }
        self.chosen_by_no_secret(&demand, effective)?;
        // A model about a column that is not shown has nothing to say of these rows.
        let is_about = |model: &Model| model.attributes().iter().all(|column| levels.contains_key(*column));
        let mut models: Vec<Model> = demand.models.iter().filter(|model| is_about(model)).cloned().collect();
        let ks = models.iter().filter_map(|model| match model {
            Model::KAnonymity(KAnonymity { k }) => Some(*k),
            _ => None,
        });
        let Some(k) = ks.chain(demand.min_people).max() else { return Ok(None) };
        let k = k.max(2);
        models.retain(|model| !matches!(model, Model::KAnonymity(_)));
        models.insert(0, Model::KAnonymity(KAnonymity { k }));
        for (column, level) in levels.iter().chain(&conditions).filter(|(_, level)| **level > 0) {
            let note = json!({ "kind": "level", "column": column, "to": level });
            if !self.adaptations.contains(&note) {
                self.adaptations.push(note);
            }
        }
        self.adaptations.push(json!({ "kind": "one-row-per-person" }));
        if !together.is_empty() {
            self.adaptations.push(json!({ "kind": "analysis", "regression": together }));
        }
        (self.groups, self.conditions) = (levels, conditions);
        self.question.figures.clear();
        self.question.shown.retain(|(_, shown)| matches!(shown, Shown::Group(_)));
        Ok(Some(Way::Rows(RowDemand {
            k,
            models,
            suppression_limit: demand.suppression_limit.unwrap_or_else(|| DecimalText::from(0)),
            metric: demand.metric,
            together,
            generalizes,
        })))
    }

    /// Whoever is in rows that were chosen by a value is known to have it, however many they are. So no condition is about a column that a demanded
    /// model protects, whether it is shown or not.
    fn chosen_by_no_secret(
        &self,
        demand: &Demand,
        effective: &BTreeMap<String, Effective<'_>>,
    ) -> Result<(), Refusal> {
        let protected: BTreeSet<&str> = demand.models.iter().flat_map(Model::attributes).collect();
        match self.question.conditions.keys().find(|column| protected.contains(column.as_str())) {
            Some(column) => Err(Refusal::new(
                format!(
                    "rows chosen by {column} tell its value of everybody in them, and a demand on the table protects it"
                ),
                "Leave the condition out and choose from the answer, or ask for figures",
            )
            .by(ids(&effective[column].rules))),
            None => Ok(()),
        }
    }

    /// What the recipient has declared to do with these columns. A slicing keeps numbers of people and of different values; where more is
    /// demanded, nothing is sliced.
    fn declared(&self, policy: &Policy, demand: &Demand) -> Vec<Vec<String>> {
        if !demand.models.iter().all(is_kept_by_slices) {
            return Vec::new();
        }
        let (role, purpose) = (&self.asker.recipient.role, self.asker.purpose);
        let own = policy.analyses.iter().filter(|analysis| analysis.whom.covers(role, purpose));
        let is_shown =
            |columns: &&Vec<String>| columns.iter().all(|column| self.question.groups.contains(column));
        let all: BTreeSet<&Vec<String>> = own.flat_map(|one| &one.regression).filter(is_shown).collect();
        all.into_iter().cloned().collect()
    }
}

/// Whether column groups and buckets can keep a model.
fn is_kept_by_slices(model: &Model) -> bool {
    matches!(model, Model::KAnonymity(_) | Model::DistinctLDiversity(_))
}
