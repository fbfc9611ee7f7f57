//! Where in a plan a node stands.

use datafusion::logical_expr::LogicalPlan;
use serde::Serialize;
use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// A node of a plan: which input to take at every node, from the root.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Place(Vec<usize>);

impl Place {
    /// The root.
    pub fn root() -> Place {
        Place::default()
    }

    /// The place of one of the inputs of the node here.
    #[must_use]
    pub fn input(&self, position: usize) -> Place {
        Place(self.0.iter().copied().chain([position]).collect())
    }

    /// Which input to take at every node, from the root.
    pub fn steps(&self) -> &[usize] {
        &self.0
    }

    /// The node of a plan at this place.
    pub fn of<'a>(&self, plan: &'a LogicalPlan) -> Option<&'a LogicalPlan> {
        self.0.iter().try_fold(plan, |node, &position| node.inputs().get(position).copied())
    }

    /// Whether the other place is this one, or below it.
    pub fn covers(&self, other: &Place) -> bool {
        other.0.starts_with(&self.0)
    }
}

/// `root.0.1` or `0.1`
impl FromStr for Place {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Place, ParseIntError> {
        let steps = match text.strip_prefix("root") {
            Some("") => return Ok(Place::root()),
            Some(rest) => rest.strip_prefix('.').unwrap_or(rest),
            None => text,
        };
        steps.split('.').map(str::parse).collect::<Result<_, _>>().map(Place)
    }
}

/// `root`, `root.0.1`
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("root")?;
        self.0.iter().try_for_each(|position| write!(f, ".{position}"))
    }
}
