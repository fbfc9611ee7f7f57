//! Noisy or exact: by trust, and by what the rules say of noise.

use super::{Adapted, Threshold, Way};
use crate::refusal::Refusal;
use paravent_policy::{Effective, EffectiveRows, Noise, Policy, Trust};
use serde_json::json;
use std::collections::BTreeMap;

impl Adapted<'_> {
    /// Untrusted recipients get noise, whatever the rules leave open. Others get exact figures where no rule asks for noise and the owner
    /// demands how many people a figure is about.
    pub(super) fn chosen_way(
        &mut self,
        policy: &Policy,
        effective: &BTreeMap<String, Effective<'_>>,
        about_rows: &[EffectiveRows<'_>],
    ) -> Result<Way, Refusal> {
        let of_rows = about_rows.iter().map(|rows| &rows.access);
        let noises = effective.values().map(|one| &one.access).chain(of_rows);
        let noise = noises.filter_map(|access| access.noise.clone()).reduce(|one, other| one.meet(&other));
        match (noise, self.asker.recipient.trust) {
            (Some(noise), _) => self.paid(noise, policy).map(Way::Noisy),
            (None, Trust::Untrusted) => Err(Refusal::new(
                "no rule says how much noise an answer has, and the recipient is not trusted with exact figures",
                "The owner writes a rule without columns: noise = { epsilon = \"0.1\", delta = \"1e-8\" }",
            )),
            (None, Trust::Trusted | Trust::Owner) => self.exact().map(Way::Exact),
        }
    }

    fn paid(&mut self, noise: Noise, policy: &Policy) -> Result<Noise, Refusal> {
        if self.asker.recipient.budget.is_none() {
            return Err(Refusal::new(
                "the recipient has no budget, so nothing noisy is answered",
                "The owner writes budget = { epsilon = \"1\" }",
            ));
        }
        self.with_noise(noise, policy)
    }

    fn exact(&mut self) -> Result<Threshold, Refusal> {
        if self.is_join() {
            return Err(Refusal::new(
                "exact figures over a join are refused: beside figures about one of its tables they could tell of single people",
                "Ask about one table, or the owner allows noise: noise = { epsilon = \"0.1\" } in a rule about rows",
            ));
        }
        let demand = self.demand.clone();
        let Some(people) = demand.min_people else {
            return Err(Refusal::new(
                "nobody has demanded how many people an exact figure must be about",
                "The owner writes [[demands]] min_people = 10, or noise = { epsilon = \"0.1\" } in a rule",
            ));
        };
        self.adaptations.push(json!({ "kind": "remainder", "min_people": people }));
        if let Some(share) = &demand.dominance {
            self.adaptations.push(json!({ "kind": "dominance", "largest_share": share.as_str() }));
        }
        Ok(Threshold { people, dominance: demand.dominance })
    }
}
