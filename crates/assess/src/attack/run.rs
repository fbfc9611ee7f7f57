//! Which attacks are run, and with what.

use super::given::{Given, on_release};
use super::{AttackError, AttackOptions, without_release};
use paravent_evidence::attack::means::Means;
use paravent_evidence::attack::{Attack, Outcome, Severity};
use paravent_tables::watch::Watch;
use rayon::prelude::*;

/// What became of the attacks.
#[derive(Debug)]
pub struct Attacked {
    /// In the order of [`Attack::ALL`].
    pub outcomes: Vec<Outcome>,
    /// What was not run.
    pub not_run: Vec<NotRun>,
    /// Rows of the release.
    pub rows: u64,
    /// Its classes.
    pub classes: u64,
    /// Its quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The k it promises.
    pub k: Option<u64>,
    /// Where chance came from.
    pub seed: u64,
    /// What the attacker was given, in words.
    pub given: Vec<String>,
    /// What the reader should know before believing the outcomes.
    pub warnings: Vec<String>,
}

/// An attack that was not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotRun {
    /// Which.
    pub attack: Attack,
    /// What it needs.
    pub needs: &'static str,
}

impl Attacked {
    /// Whether every attack stays within what was promised, and every comparison could be made.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| !outcome.severity.is_alarm())
    }

    /// How many outcomes are as severe as that.
    pub fn count(&self, severity: Severity) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.severity == severity).count()
    }
}

/// Runs every attack that the attacker has the means for.
pub fn attack(options: &AttackOptions, watch: &dyn Watch) -> Result<Attacked, AttackError> {
    let mut attacked = Attacked {
        outcomes: Vec::new(),
        not_run: Vec::new(),
        rows: 0,
        classes: 0,
        quasi_identifiers: Vec::new(),
        k: options.k,
        seed: options.seed,
        given: Vec::new(),
        warnings: Vec::new(),
    };
    let given = match &options.release {
        Some(dir) => Some(on_release(dir, options, watch, &mut attacked)?),
        None => None,
    };
    let sliced =
        options.sliced.as_ref().map(|sliced| without_release::load(sliced, options, watch)).transpose()?;
    let means = Means {
        target: given.as_ref().map(Given::target).transpose()?,
        sliced: sliced.as_ref().map(without_release::Slices::means),
        queries: without_release::queries(options, attacked.k)?,
        threshold: options.threshold,
        attempts: options.attempts,
        seed: options.seed,
    };
    let attacks: Vec<Attack> = Attack::ALL.into_iter().filter(|&attack| wanted(options, attack)).collect();
    // Each draws its chance from the seed alone, so that threads change nothing.
    attacked.outcomes = attacks.into_par_iter().flat_map_iter(|attack| attack.run(&means)).collect();
    for attack in Attack::ALL.into_iter().filter(|&attack| wanted(options, attack)) {
        if attacked.outcomes.iter().all(|outcome| outcome.attack != attack) {
            attacked.not_run.push(NotRun { attack, needs: attack.needs() });
        }
    }
    match attacked.not_run.iter().find(|missing| options.only.contains(&missing.attack)) {
        Some(missing) => Err(AttackError::Options(format!(
            "the attack {} cannot be run: it needs {}",
            missing.attack.name(),
            missing.needs
        ))),
        None => Ok(attacked),
    }
}

pub(super) fn wanted(options: &AttackOptions, attack: Attack) -> bool {
    options.only.is_empty() || options.only.contains(&attack) || options.also.contains(&attack)
}
