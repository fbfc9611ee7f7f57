//! Does every attack work? Each is run on a planted weak release, and on a strong one.

use super::planted::Plant;
use super::{Attack, Outcome};
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

/// One attack on both releases.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Which attack.
    pub attack: Attack,
    /// Its outcome on the release made to be broken.
    pub planted: Outcome,
    /// Its outcome on the strong one.
    pub strong: Outcome,
}

impl Trial {
    /// The attack succeeds where it must and fails where it must.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.planted.succeeded() && !self.strong.succeeded()
    }
}

/// Runs every attack on both releases; the same seed gives the same trials.
#[must_use]
pub fn self_test(seed: u64) -> Vec<Trial> {
    let trial = |attack: Attack| {
        let planted = attack.on_planted(Plant::Weak, &mut ChaCha20Rng::seed_from_u64(seed));
        let strong = attack.on_planted(Plant::Strong, &mut ChaCha20Rng::seed_from_u64(seed));
        Trial { attack, planted, strong }
    };
    Attack::ALL.into_iter().map(trial).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attack_succeeds_on_the_planted_release_and_fails_on_the_strong_one() {
        for seed in [1, 2, 3] {
            for trial in self_test(seed) {
                let name = trial.attack.name();
                assert!(trial.planted.succeeded(), "{name}, seed {seed}: {}", trial.planted.result);
                assert!(!trial.strong.succeeded(), "{name}, seed {seed}: {}", trial.strong.result);
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_trials() {
        assert_eq!(self_test(7), self_test(7));
    }
}
