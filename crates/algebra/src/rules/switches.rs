//! Which rules may be used.

use super::{Direction, Rule, Safe, Way, catalogue};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Whether a rule is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// It is not.
    Off,
    /// As part of the default pipeline.
    Default,
    /// Because somebody asked for it; one way, or any that its card allows.
    Chosen(Option<Way>),
}

/// A switch for every rule of the catalogue.
///
/// The default pipeline has all rules that hold and after which the guarantee holds without looking again. In text, `G9,G10` are
/// these rules only, `-S3` is the default without S3, `default,G16` the default and G16; `G` is a family, `all` and `none` are what
/// they say, and `G15:right-to-left` names one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switches {
    switches: BTreeMap<&'static str, Switch>,
}

/// A word that names no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SwitchError {
    /// Neither an id nor a family.
    #[error(
        "{0:?} is no rule; write an id ({1}), a family ({2}), all, none or default, and a minus sign to leave one out"
    )]
    UnknownRule(String, String, String),
    /// Not one of the two ways.
    #[error("{0:?} is no way to use a rule; write left-to-right or right-to-left")]
    UnknownWay(String),
    /// A way in a place where it has no meaning.
    #[error("{0:?}: only a single rule that is switched on has a way")]
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
        let (name, way) = match name.split_once(':') {
            Some((name, way)) => (name, Some(parse_way(way)?)),
            None => (name, None),
        };
        let known = |id: &&'static str| id.eq_ignore_ascii_case(name);
        if let Some(id) = self.switches.keys().find(|id| known(id)).copied() {
            let switch = match (switch, way) {
                (Switch::Off, Some(_)) => return Err(SwitchError::MisplacedWay(word.to_owned())),
                (Switch::Off, None) => Switch::Off,
                (_, way) => Switch::Chosen(way),
            };
            self.switches.insert(id, switch);
            return Ok(());
        }
        let everything = name.eq_ignore_ascii_case("all");
        let families: Vec<String> = families();
        if !everything && !families.iter().any(|family| family.eq_ignore_ascii_case(name)) {
            let ids: Vec<&str> = catalogue().iter().map(|rule| rule.card().id).collect();
            return Err(SwitchError::UnknownRule(name.to_owned(), ids.join(" "), families.join(" ")));
        }
        if way.is_some() {
            return Err(SwitchError::MisplacedWay(word.to_owned()));
        }
        for (id, old) in &mut self.switches {
            if everything || family(id).eq_ignore_ascii_case(name) {
                *old = switch;
            }
        }
        Ok(())
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

fn parse_way(text: &str) -> Result<Way, SwitchError> {
    match text.to_ascii_lowercase().as_str() {
        "left-to-right" | "lr" => Ok(Way::LeftToRight),
        "right-to-left" | "rl" => Ok(Way::RightToLeft),
        _ => Err(SwitchError::UnknownWay(text.to_owned())),
    }
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
