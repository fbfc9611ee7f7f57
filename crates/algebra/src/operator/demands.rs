//! What a slicing is held to when it is drawn.

use paravent_slicing::Limits;

/// Whether buckets are taken together until each shows enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd)]
pub enum Merge {
    /// A bucket with too few rows or values is refused.
    #[default]
    Refuse,
    /// Neighbours are taken together.
    Neighbours,
}

/// What a slicing may give away, and what its buckets must show. Columns are known by their name alone: rules that rename or drop one refuse.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Demands {
    /// How much it may give away.
    pub limits: Limits,
    /// Sensitive columns, of which every bucket must show [`Limits::diversity`] values.
    pub sensitive: Vec<String>,
    /// Whether buckets are merged.
    pub merge: Merge,
}

impl Default for Demands {
    /// Nothing is demanded: the operator of the algebra, as its rules speak of it.
    fn default() -> Demands {
        Demands { limits: Limits::NONE, sensitive: Vec::new(), merge: Merge::Refuse }
    }
}

impl Demands {
    /// What every slicing of a statement is held to.
    pub fn standard() -> Demands {
        Demands { limits: Limits::STANDARD, ..Demands::default() }
    }

    /// Whether the buckets, or what they must show, depend on columns by name.
    pub fn of_values(&self) -> bool {
        self.limits.diversity > 1 || self.merge == Merge::Neighbours
    }
}
