//! What a rule says about itself.

use super::Way;
use serde::Serialize;

/// A rule in words, as the catalogue and the documentation show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Card {
    /// `G9`
    pub id: &'static str,
    /// Both sides in the algebra's notation.
    pub statement: &'static str,
    /// Which side may be replaced by which.
    pub direction: Direction,
    /// What is the same on both sides.
    pub kind: Kind,
    /// Whether the guarantee holds again after the rewrite.
    pub safe: Safe,
    /// When it holds; empty where it always does.
    pub condition: &'static str,
    /// Where it comes from, with corrections.
    pub source: &'static str,
    /// A worked example; for a rule that does not hold, the counter-example.
    pub example: &'static str,
}

/// Which side may be replaced by which.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The left side by the right one.
    LeftToRight,
    /// The right side by the left one.
    RightToLeft,
    /// Either by the other.
    Both,
    /// Neither.
    None,
}

impl Direction {
    /// The ways that are allowed, left to right first.
    pub fn ways(self) -> &'static [Way] {
        match self {
            Direction::LeftToRight => &[Way::LeftToRight],
            Direction::RightToLeft => &[Way::RightToLeft],
            Direction::Both => &[Way::LeftToRight, Way::RightToLeft],
            Direction::None => &[],
        }
    }

    /// `→`
    pub fn sign(self) -> &'static str {
        match self {
            Direction::LeftToRight => "→",
            Direction::RightToLeft => "←",
            Direction::Both => "↔",
            Direction::None => "none",
        }
    }

    /// `→, the left side may be replaced by the right one`
    pub fn in_words(self) -> &'static str {
        match self {
            Direction::LeftToRight => "→, the left side may be replaced by the right one",
            Direction::RightToLeft => "←, the right side may be replaced by the left one",
            Direction::Both => "↔, either side may be replaced by the other",
            Direction::None => "none",
        }
    }
}

/// What is the same on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The bags; for random operators their distributions.
    Equivalent,
    /// Schema, number of rows, and all that is not generalized (all column groups by themselves, for slicing).
    PartiallyEquivalent,
    /// Equivalent under a stricter condition, else partially.
    EquivalentOrPartially,
    /// Nothing: the rule does not hold.
    None,
}

impl Kind {
    /// `⇔`
    pub fn sign(self) -> &'static str {
        match self {
            Kind::Equivalent => "⇔",
            Kind::PartiallyEquivalent => "≈",
            Kind::EquivalentOrPartially => "⇔ or ≈",
            Kind::None => "≠",
        }
    }

    /// `equivalent`
    pub fn in_words(self) -> &'static str {
        match self {
            Kind::Equivalent => "equivalent",
            Kind::PartiallyEquivalent => "partially equivalent",
            Kind::EquivalentOrPartially => "equivalent or partially equivalent",
            Kind::None => "does not hold",
        }
    }
}

/// Whether the required guarantee holds after the rewrite without looking again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Safe {
    /// It does.
    Yes,
    /// Only after checking the result again.
    AfterCheck,
    /// It does not.
    No,
}

impl Safe {
    /// `after a check`
    pub fn in_words(self) -> &'static str {
        match self {
            Safe::Yes => "yes",
            Safe::AfterCheck => "after a check",
            Safe::No => "no",
        }
    }
}
