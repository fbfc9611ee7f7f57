//! Which rules may be used.

use super::{Choice, Direction, Rule, Safe, Way, catalogue};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Whether a rule is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// It is not.
    Off,
    /// As part of the default pipeline.
    Default,
    /// On request; one way, or any that its card allows.
    Chosen(Option<Way>),
}

/// A switch for every rule of the catalogue.
///
/// The default pipeline has all rules that hold and after which the guarantee holds without looking again. In text, `G9,G10` are
/// these rules only, `-S3` is the default without S3, `default,G16` the default and G16; `G` is a family, `all` and `none` are what
/// they say, `G15:right-to-left` names one way, and `DP04` is another name of `D9:right-to-left`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switches {
    switches: BTreeMap<&'static str, Switch>,
}

/// A word that names no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// Neither an id nor a family.
    #[error("{written:?} is no rule{}", hint(.meant.as_deref()))]
    UnknownRule {
        /// What was written.
        written: String,
        /// What was most likely meant.
        meant: Option<&'static str>,
    },
    /// Not one of the two ways.
    #[error("{0:?} is no way to use a rule; write left-to-right or right-to-left")]
    UnknownWay(String),
    /// No place in a plan.
    #[error(
        "{0:?} is no place in a plan; write it as the log does: root.0.1 is the second input of the first input of the root"
    )]
    UnknownPlace(String),
    /// A place where only the whole plan is meant.
    #[error("{0:?}: a place goes with a rule that is applied by name (--rule), not with a switch")]
    MisplacedPlace(String),
    /// A way in a place where it has no meaning.
    #[error("{0:?}: only a single rule that is switched on has a way, and DP01 to DP05 are one way already")]
    MisplacedWay(String),
    /// Nothing is switched.
    #[error("no rule is named; write none to use no rule")]
    Empty,
}

impl Default for Switches {
    fn default() -> Switches {
        let default = |rule: &&dyn Rule| match (rule.card().direction, rule.card().safe) {
            (Direction::None, _) | (_, Safe::AfterCheck | Safe::No) => Switch::Off,
            (_, Safe::Yes) => Switch::Default,
        };
        Switches { switches: catalogue().iter().map(|rule| (rule.card().id, default(rule))).collect() }
    }
}

impl Switches {
    /// No rule.
    pub fn none() -> Switches {
        Switches { switches: catalogue().iter().map(|rule| (rule.card().id, Switch::Off)).collect() }
    }

    /// Every rule, also those that need a check afterwards and those that always refuse.
    pub fn all() -> Switches {
        Switches { switches: catalogue().iter().map(|rule| (rule.card().id, Switch::Chosen(None))).collect() }
    }

    /// One rule, one way.
    pub fn only(rule: &dyn Rule, way: Way) -> Switches {
        Switches::none().with(rule, Switch::Chosen(Some(way)))
    }

    /// The same with one rule switched.
    #[must_use]
    pub fn with(mut self, rule: &dyn Rule, switch: Switch) -> Switches {
        self.switches.insert(rule.card().id, switch);
        self
    }

    /// The switch of a rule.
    pub fn of(&self, rule: &dyn Rule) -> Switch {
        self.switches.get(rule.card().id).copied().unwrap_or(Switch::Off)
    }

    /// The rules that are on, in the catalogue's order.
    pub fn rules(&self) -> Vec<&'static dyn Rule> {
        catalogue().into_iter().filter(|rule| self.of(*rule) != Switch::Off).collect()
    }

    fn apply(&mut self, word: &str) -> Result<(), SwitchError> {
        let (name, switch) = match word.strip_prefix('-') {
            Some(name) => (name, Switch::Off),
            None => (word, Switch::Chosen(None)),
        };
        let everything = name.eq_ignore_ascii_case("all");
        if !everything && !families().iter().any(|family| family.eq_ignore_ascii_case(name)) {
            let choice: Choice = match name.split_once(':') {
                Some((family, _)) if families().iter().any(|known| known.eq_ignore_ascii_case(family)) => {
                    return Err(SwitchError::MisplacedWay(word.to_owned()));
                }
                _ => name.parse()?,
            };
            if choice.within.is_some() {
                return Err(SwitchError::MisplacedPlace(word.to_owned()));
            }
            if switch == Switch::Off && name.contains(':') {
                return Err(SwitchError::MisplacedWay(word.to_owned()));
            }
            self.switches.insert(choice.rule.card().id, self.further(switch, choice));
            return Ok(());
        }
        for (id, old) in &mut self.switches {
            if everything || family(id).eq_ignore_ascii_case(name) {
                *old = switch;
            }
        }
        Ok(())
    }

    /// The switch of a rule that is named once more: two ways of a rule are both.
    fn further(&self, switch: Switch, choice: Choice) -> Switch {
        match (switch, self.of(choice.rule), choice.way) {
            (Switch::Off, _, _) => Switch::Off,
            (_, Switch::Chosen(Some(before)), Some(now)) if before != now => Switch::Chosen(None),
            (_, _, way) => Switch::Chosen(way),
        }
    }
}

/// `G` of `G9`.
fn family(id: &str) -> &str {
    id.trim_end_matches(|digit: char| digit.is_ascii_digit())
}

fn families() -> Vec<String> {
    let mut families: Vec<String> =
        catalogue().iter().map(|rule| family(rule.card().id).to_owned()).collect();
    families.dedup();
    families
}

fn hint(meant: Option<&str>) -> String {
    let meant = meant.map_or_else(|| ".".to_owned(), |meant| format!("; did you mean {meant}?"));
    format!(
        "{meant} The rules are G1 to G19, S1 to S12, D1 to D17, C1 to C7 and DP01 to DP05; paravent rewrite --rules lists them"
    )
}

impl FromStr for Switches {
    type Err = SwitchError;

    fn from_str(text: &str) -> Result<Switches, SwitchError> {
        let mut words =
            text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()).peekable();
        let mut switches = match words.peek() {
            None => return Err(SwitchError::Empty),
            Some(word) if word.starts_with('-') => Switches::default(),
            Some(_) => Switches::none(),
        };
        for word in words {
            match word.to_ascii_lowercase().as_str() {
                "default" => switches = Switches::default(),
                "none" => switches = Switches::none(),
                _ => switches.apply(word)?,
            }
        }
        Ok(switches)
    }
}
