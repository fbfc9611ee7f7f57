//! `SET paravent.…`

use crate::bounded::Limits;
use crate::error::AlgebraError;
use crate::rules::{Choice, Consent, Switches};
use crate::sql::Exact;
use paravent_job::{Memory, closest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How statements are run.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Which rewrite rules may be used.
    pub rules: Switches,
    /// Whether rewrites may choose other labels or another mixture.
    pub partial: bool,
    /// Random numbers that can be repeated; without one they come from the operating system.
    pub seed: Option<u64>,
    /// What one statement may take.
    pub limits: Limits,
    /// Rules that are applied by name, one after the other, instead of those that pay.
    pub(super) in_turn: Vec<Choice>,
    /// Where quasi-identifiers of the job must not be shown as they are.
    pub(super) exact: Exact,
    /// By relation: the place where it lives, if that is another one.
    pub(super) sites: Arc<BTreeMap<String, String>>,
}

/// Behind `paravent.`.
const NAMES: [&str; 6] = ["rules", "partial", "seed", "seconds", "memory", "answer"];

impl Settings {
    /// Changes a setting by its name behind `paravent.`.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), AlgebraError> {
        match name {
            "rules" => {
                self.rules = value
                    .parse()
                    .map_err(|error| AlgebraError::statement(format!("paravent.rules: {error}")))?;
            }
            "partial" => {
                self.partial = match value.to_lowercase().as_str() {
                    "true" | "on" => true,
                    "false" | "off" => false,
                    _ => {
                        return Err(AlgebraError::statement(format!(
                            "paravent.partial: {value:?} is neither true nor false"
                        )));
                    }
                };
            }
            "seed" => {
                self.seed = match value.to_lowercase().as_str() {
                    "none" => None,
                    number => match number.parse() {
                        Ok(seed) => Some(seed),
                        Err(_) => {
                            return Err(AlgebraError::statement(format!(
                                "paravent.seed: {value:?} is no whole number; none takes it back"
                            )));
                        }
                    },
                };
            }
            "seconds" => match value.parse() {
                Ok(seconds) if seconds > 0 => self.limits.seconds = seconds,
                _ => {
                    return Err(AlgebraError::statement(format!(
                        "paravent.seconds: {value:?} is no whole number above 0"
                    )));
                }
            },
            "memory" => self.limits.memory = size(name, value)?,
            "answer" => self.limits.answer = size(name, value)?,
            other => {
                let meant = closest(other, NAMES)
                    .map_or_else(|| ".".to_owned(), |meant| format!("; did you mean paravent.{meant}?"));
                return Err(AlgebraError::statement(format!(
                    "there is no setting paravent.{other}{meant} The settings are paravent.{}",
                    NAMES.join(", paravent.")
                )));
            }
        }
        Ok(())
    }

    /// As the rewriter wants it.
    pub(super) fn consent(&self) -> Consent {
        if self.partial { Consent::Partial } else { Consent::EquivalentOnly }
    }
}

/// `4GiB`
fn size(name: &str, value: &str) -> Result<u64, AlgebraError> {
    Memory::parse_bytes(value).filter(|bytes| *bytes >= Memory::LEAST.bytes()).ok_or_else(|| {
        AlgebraError::statement(format!(
            "paravent.{name}: {value:?} is no amount of memory of at least 1 MiB; write e.g. '4GiB'"
        ))
    })
}
