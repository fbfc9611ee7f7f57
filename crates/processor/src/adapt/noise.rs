//! Noisy figures: how much noise, which bounds, and which groups.

use super::{Adapted, Bounds};
use crate::question::Figure;
use crate::refusal::Refusal;
use paravent_job::DecimalText;
use paravent_policy::{Domain, Noise, Policy};
use serde_json::json;
use std::collections::BTreeSet;

/// Beyond so many declared groups nobody reads the answer.
const MOST_KEYS: usize = 10_000;

impl Adapted<'_> {
    /// The figures with their noise, and the groups.
    pub(super) fn with_noise(&mut self, noise: Noise, policy: &Policy) -> Result<Noise, Refusal> {
        self.figures(&noise)?;
        self.groups_in_advance(noise, policy)
    }

    /// Bounds of sums and means are the owner's word, never the asker's.
    fn figures(&mut self, noise: &Noise) -> Result<(), Refusal> {
        for figure in &self.question.figures {
            self.adaptations.push(json!({
                "kind": "noisy-aggregate",
                "function": figure.aggregate().to_string(),
                "column": figure.column(),
                "epsilon": noise.epsilon.as_str(),
            }));
            let Some(column) = figure.column() else { continue };
            let (part, own) = self.of(column);
            let Some(Domain::Range { min, max, step }) = part.table.domain.get(own) else {
                let advice = format!(
                    "The owner writes them into the policy: [tables.domain] {own} = {{ min = 0, max = 20000 }}"
                );
                return Err(Refusal::new(format!("nobody has declared bounds of {column}"), advice));
            };
            let Some(bounds) = units(min, max, step.as_ref()) else {
                return Err(Refusal::new(
                    format!("the bounds of {column} have too many digits"),
                    "The owner declares a larger step",
                ));
            };
            self.bounds.insert(column.to_owned(), bounds);
        }
        if let (Some(people), true) = (self.demand.min_people, self.question.figures.contains(&Figure::Count))
        {
            self.adaptations.push(json!({ "kind": "withheld", "below": people, "by": "noisy count" }));
        }
        Ok(())
    }

    /// Groups that nobody declared are found by a noisy threshold, which needs a δ.
    fn groups_in_advance(&mut self, noise: Noise, policy: &Policy) -> Result<Noise, Refusal> {
        if self.groups.is_empty() {
            // There is one group, whatever the rows are.
            return Ok(Noise { delta: DecimalText::from(0), ..noise });
        }
        let mut keys: Vec<Vec<String>> = vec![Vec::new()];
        for (column, level) in &self.groups {
            let (part, own) = self.of(column);
            let values = match (level, part.table.domain.get(own)) {
                (0, Some(Domain::Values(values))) => Some(values.clone()),
                (0, Some(Domain::ValuesFile(path))) => {
                    let text = std::fs::read_to_string(policy.source.resolve(path));
                    let text = text.map_err(|_| {
                        Refusal::new(
                            format!("the declared values of {column} cannot be read"),
                            "Ask the owner of the data",
                        )
                    })?;
                    let values: BTreeSet<String> = text
                        .lines()
                        .map(str::trim)
                        .filter(|line| !line.is_empty())
                        .map(str::to_owned)
                        .collect();
                    Some(values.into_iter().collect())
                }
                _ => None,
            };
            let Some(values) = values else {
                return match noise.delta.scaled() > 0 {
                    true => Ok(noise),
                    false => Err(Refusal::new(
                        format!(
                            "the groups of {column} are not declared in advance, and that a group exists can tell of one person"
                        ),
                        "The owner declares its values ([tables.domain]), or allows a δ: noise = { epsilon = \"0.1\", delta = \"1e-8\" }",
                    )),
                };
            };
            if keys.len().saturating_mul(values.len()) > MOST_KEYS {
                return Err(Refusal::new("the groups are too many", "Ask for fewer columns at once"));
            }
            keys = keys
                .iter()
                .flat_map(|key| {
                    values.iter().map(move |value| key.iter().cloned().chain([value.clone()]).collect())
                })
                .collect();
        }
        self.keys = Some(keys);
        // Declared groups are answered all, so nothing has to be found.
        Ok(Noise { delta: DecimalText::from(0), ..noise })
    }
}

fn units(min: &DecimalText, max: &DecimalText, step: Option<&DecimalText>) -> Option<Bounds> {
    let digits =
        |number: &DecimalText| number.as_str().split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let decimals = digits(min).max(digits(max)).max(step.map_or(0, digits));
    let unit =
        10_i128.checked_pow(u32::try_from(DecimalText::FRACTION_DIGITS.checked_sub(decimals)?).ok()?)?;
    let whole = |number: &DecimalText| i64::try_from(number.scaled() / unit).ok();
    Some(Bounds { lower: whole(min)?, upper: whole(max)?, decimals: u8::try_from(decimals).ok()? })
}
