//! What there is to know about an attack.

use super::means::Means;
use super::planted::Plant;
use super::{Attack, Outcome};
use rand::rngs::ChaCha20Rng;

/// What users read about an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its name on the command line and in JSON.
    pub name: &'static str,
    /// The question a data-protection officer would ask.
    pub question: &'static str,
    /// What the attacker is taken to know and to do.
    pub assumption: &'static str,
    /// Where the attack is described.
    pub source: &'static str,
    /// What it needs, as the sentence "it needs …" goes on.
    pub needs: &'static str,
    /// When the report of a release has tried it.
    pub tried: Tried,
}

/// When the report of a release has tried an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// In every report.
    Always,
    /// From the classes that were counted, if there is a sensitive column.
    WithSecrets,
    /// Together with each earlier release.
    WithEarlierReleases,
    /// Only on request.
    OnRequest,
}

/// How an attack is run with what the attacker has; no outcome where that is not enough.
pub(super) type Run = fn(&Means<'_>) -> Vec<Outcome>;
/// How it is run on a release made to be broken, and on a strong one.
pub(super) type PlantedRun = fn(Plant, &mut ChaCha20Rng) -> Outcome;

impl Attack {
    /// Its name on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.card().name
    }

    /// The attack of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Attack> {
        Attack::ALL.into_iter().find(|attack| attack.name() == name)
    }

    /// The question a data-protection officer would ask.
    #[must_use]
    pub fn question(self) -> &'static str {
        self.card().question
    }

    /// What the attacker is taken to know and to do.
    #[must_use]
    pub fn assumption(self) -> &'static str {
        self.card().assumption
    }

    /// Where the attack is described.
    #[must_use]
    pub fn source(self) -> &'static str {
        self.card().source
    }

    /// What it needs, as the sentence "it needs …" goes on.
    #[must_use]
    pub fn needs(self) -> &'static str {
        self.card().needs
    }

    /// Runs it with what the attacker has; no outcome where that is not enough.
    #[must_use]
    pub fn run(self, means: &Means<'_>) -> Vec<Outcome> {
        self.unit().0(means)
    }

    /// Runs it on a release made to be broken, or on a strong one.
    pub(super) fn on_planted(self, plant: Plant, random: &mut ChaCha20Rng) -> Outcome {
        self.unit().1(plant, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for attack in Attack::ALL {
            assert_eq!(Attack::named(attack.name()), Some(attack));
        }
        assert_eq!(Attack::named("magic"), None);
        let distinct: std::collections::BTreeSet<Attack> = Attack::ALL.into_iter().collect();
        assert_eq!(distinct.len(), Attack::ALL.len());
    }
}
