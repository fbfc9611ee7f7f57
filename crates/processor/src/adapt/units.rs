//! Times that are no finer than a rule about the rows says.

use super::{Adapted, Way, ids};
use crate::question::Figure;
use crate::refusal::Refusal;
use paravent_job::DataType;
use paravent_policy::{Effective, EffectiveRows};
use serde_json::json;
use std::collections::BTreeMap;

impl Adapted<'_> {
    /// Groups and conditions by times are on their unit. A condition on a day is one on its month, where that is the unit: so two answers cannot
    /// differ by a day.
    pub(super) fn on_units_of_time(
        &mut self,
        effective: &BTreeMap<String, Effective<'_>>,
        about_rows: &[EffectiveRows<'_>],
    ) -> Result<(), Refusal> {
        let is_rows = matches!(self.way, Way::Rows(_));
        for place in 0..self.parts.len() {
            let about_rows = &about_rows[place];
            for (own, grain) in &about_rows.rows.times {
                let column = self.spelled(&self.parts[place], own);
                if !effective.contains_key(&column) {
                    continue;
                }
                let refused = |what: &str, advice: &str| {
                    let message =
                        format!("{what} of {column}: the policy says how fine its times are ({grain})");
                    Err(Refusal::new(message, advice).by(ids(&about_rows.rules)))
                };
                let figures = &self.question.figures;
                if figures.iter().filter_map(Figure::column).any(|measured| measured == column) {
                    return refused("figures", "Ask for counts of its units");
                }
                if is_rows {
                    return refused("rows with cells", "Leave the column out, or ask for counts");
                }
                let typed =
                    self.parts[place].job.attribute(own).and_then(|(_, attribute)| attribute.data_type);
                if !matches!(typed, Some(DataType::Date | DataType::DateTime)) {
                    return refused("times", "The owner declares in the job that it is a date or a time");
                }
                let used = self.groups.get(&column).into_iter().chain(self.conditions.get(&column));
                if used.copied().any(|level| level > 0) {
                    return refused(
                        "labels of a level",
                        "The owner writes group = true, and the unit is what is shown",
                    );
                }
                let rules: Vec<String> = ids(&about_rows.rules);
                self.adaptations.push(
                    json!({ "kind": "times", "column": column, "grain": grain.to_string(), "rules": rules }),
                );
                self.parts[place].times.insert(own.clone(), *grain);
            }
        }
        Ok(())
    }
}
