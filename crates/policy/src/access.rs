//! What one column may be used for, and how several claims become one.
//!
//! Claims form a meet semilattice, component by component. A use that a claim does not mention is left to the others; a use that no claim
//! mentions is denied. So one claim grants, and every further one can only take away from what was granted.

use crate::choice::words;
use paravent_job::DecimalText;
use std::collections::BTreeSet;
use std::fmt;

/// From which level of its hierarchy on a column may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// Not at all.
    Denied,
    /// On this level or above; 0 is the value as it is.
    From(u8),
}

impl Extent {
    /// The stricter of two: denied, or else the higher level.
    #[must_use]
    pub fn meet(self, other: Extent) -> Extent {
        match (self, other) {
            (Extent::From(one), Extent::From(other)) => Extent::From(one.max(other)),
            _ => Extent::Denied,
        }
    }

    /// The lowest level, where there is one.
    pub fn level(self) -> Option<u8> {
        match self {
            Extent::Denied => None,
            Extent::From(level) => Some(level),
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Denied => f.write_str("no"),
            Extent::From(0) => f.write_str("yes"),
            Extent::From(level) => write!(f, "from level {level}"),
        }
    }
}

/// A figure of a group. Extremes are not among them: each is the value of one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Aggregate {
    /// Number of rows.
    Count,
    /// Sum.
    Sum,
    /// Mean.
    Avg,
}
words!(Aggregate { Count: "count", Sum: "sum", Avg: "avg" });

/// `noise = { epsilon = "0.1", delta = "1e-8" }`: the most that one answer may tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// ε > 0 of an answer.
    pub epsilon: DecimalText,
    /// δ of an answer; 0: only groups that are declared in advance.
    pub delta: DecimalText,
}

impl Noise {
    /// The smaller of both figures.
    #[must_use]
    pub fn meet(&self, other: &Noise) -> Noise {
        Noise {
            epsilon: self.epsilon.clone().min(other.epsilon.clone()),
            delta: self.delta.clone().min(other.delta.clone()),
        }
    }
}

/// What one rule says about a column. `None`: it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Nothing is allowed, whatever else is said.
    pub deny: bool,
    /// Cells in the answer.
    pub show: Option<Extent>,
    /// Conditions.
    pub filter: Option<Extent>,
    /// Groups.
    pub group: Option<Extent>,
    /// Figures.
    pub aggregate: Option<BTreeSet<Aggregate>>,
    /// Noise.
    pub noise: Option<Noise>,
}

impl Claim {
    /// The strictest of two, component by component.
    ///
    /// Associative, commutative and idempotent, so the order of rules says nothing. A claim that mentions nothing is its neutral element.
    #[must_use]
    pub fn meet(&self, other: &Claim) -> Claim {
        let extent = |one: Option<Extent>, other: Option<Extent>| both(one, other, Extent::meet);
        Claim {
            deny: self.deny || other.deny,
            show: extent(self.show, other.show),
            filter: extent(self.filter, other.filter),
            group: extent(self.group, other.group),
            aggregate: both(self.aggregate.clone(), other.aggregate.clone(), |one, other| {
                one.intersection(&other).copied().collect()
            }),
            noise: both(self.noise.clone(), other.noise.clone(), |one, other| one.meet(&other)),
        }
    }

    /// A claim of a person about themselves: what is said of cells holds for groups and conditions as well, since both tell the label of whoever
    /// is in them.
    #[must_use]
    pub fn of_person(&self) -> Claim {
        let stricter = |own: Option<Extent>| both(own, self.show, Extent::meet);
        Claim { group: stricter(self.group), filter: stricter(self.filter), ..self.clone() }
    }

    /// What may be done in the end: what nobody mentioned is denied.
    pub fn settled(&self) -> Access {
        if self.deny {
            return Access::nothing();
        }
        Access {
            show: self.show.unwrap_or(Extent::Denied),
            filter: self.filter.unwrap_or(Extent::Denied),
            group: self.group.unwrap_or(Extent::Denied),
            aggregate: self.aggregate.clone().unwrap_or_default(),
            noise: self.noise.clone(),
        }
    }
}

fn both<T>(one: Option<T>, other: Option<T>, meet: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(meet(one, other)),
        (one, other) => one.or(other),
    }
}

/// What may be done with a column in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Cells in the answer.
    pub show: Extent,
    /// Conditions.
    pub filter: Extent,
    /// Groups.
    pub group: Extent,
    /// Figures.
    pub aggregate: BTreeSet<Aggregate>,
    /// The most that one answer may tell; none where no rule says so.
    pub noise: Option<Noise>,
}

impl Access {
    /// The bottom: nothing.
    pub fn nothing() -> Access {
        Claim::default().settled()
    }

    /// Whether no use at all is left.
    pub fn is_nothing(&self) -> bool {
        self.show == Extent::Denied
            && self.filter == Extent::Denied
            && self.group == Extent::Denied
            && self.aggregate.is_empty()
    }
}
