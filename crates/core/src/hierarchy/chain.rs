//! One hierarchy on top of another.

use super::ShareBasis;
use super::kind::Kind;
use super::ladder::NewGroup;
use super::ladder::categorical_loss;
use std::borrow::Cow;

use super::{Hierarchy, Unplaced};

/// Several hierarchies on top of each other: the labels right below the top of one part are the values of the
/// next, and only the last part's top is a level. Dates by year and then a table of epochs, say.
///
/// Loss: leaves are the values present, whatever the parts are, since bounds of one part mean nothing in the
/// next; a chain of a single part is that part.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    parts: Vec<Hierarchy>,
}

/// Why hierarchies make no chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// No part at all.
    #[error("a chain needs at least one hierarchy")]
    NoParts,
    /// The levels of the parts add up to more than 255.
    #[error("a chain has at most 255 levels")]
    TooTall,
}

impl Chain {
    /// From the lowest part up.
    pub fn new(parts: Vec<Hierarchy>) -> Result<Chain, ChainError> {
        let chain = Chain { parts };
        if chain.parts.is_empty() {
            return Err(ChainError::NoParts);
        }
        if chain.steps().map(usize::from).sum::<usize>() > usize::from(u8::MAX) {
            return Err(ChainError::TooTall);
        }
        Ok(chain)
    }

    /// The parts, from the lowest up.
    pub fn parts(&self) -> &[Hierarchy] {
        &self.parts
    }

    pub(super) fn max_level(&self) -> u8 {
        self.steps().sum()
    }

    pub(super) fn only(&self) -> Option<&Hierarchy> {
        if let [part] = self.parts.as_slice() { Some(part) } else { None }
    }

    /// Walks through all parts, whatever the level: a value needs a place in each of them.
    pub(super) fn label<'a>(
        &'a self,
        value: Option<&'a str>,
        level: u8,
    ) -> Result<Option<Cow<'a, str>>, Unplaced> {
        let mut value = value.map(Cow::Borrowed);
        let mut answer = None;
        let mut below = 0;
        for (part, steps) in self.parts.iter().zip(self.steps()) {
            if answer.is_none() && level <= below + steps {
                answer = Some(lift(part, value.clone(), level - below)?);
            }
            value = lift(part, value, steps)?;
            below += steps;
        }
        answer.ok_or(Unplaced::NoSuchLevel)
    }

    /// How many levels each part contributes: all but the top, which only the last one shows.
    pub fn steps(&self) -> impl Iterator<Item = u8> + '_ {
        let last = self.parts.len().saturating_sub(1);
        self.parts.iter().enumerate().map(move |(position, part)| match part.max_level() {
            levels if position == last => levels,
            levels => levels.saturating_sub(1),
        })
    }
}

impl Kind for Chain {
    fn in_words(&self) -> &'static str {
        "a chain of hierarchies"
    }

    fn max_level(&self) -> u8 {
        Chain::max_level(self)
    }

    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced> {
        Chain::label(self, value, level)
    }

    // A single part is that part; a longer chain has no domain of its own.
    fn share_basis(&self) -> ShareBasis {
        self.only().map_or(ShareBasis::ValuesPresent, Hierarchy::share_basis)
    }

    fn leaves(&self, values: &[Option<&str>]) -> usize {
        self.only().map_or(values.len(), |part| part.leaves(values))
    }

    fn loss(&self, group: &NewGroup<'_>, all: usize) -> f64 {
        self.only().map_or_else(|| categorical_loss(group.leaves, all), |part| part.loss(group, all))
    }
}

fn lift<'a>(
    part: &'a Hierarchy,
    value: Option<Cow<'a, str>>,
    level: u8,
) -> Result<Option<Cow<'a, str>>, Unplaced> {
    match value {
        None => part.label(None, level),
        Some(Cow::Borrowed(value)) => part.label(Some(value), level),
        Some(Cow::Owned(value)) => {
            let label = part.label(Some(&value), level)?;
            Ok(label.map(|label| Cow::Owned(label.into_owned())))
        }
    }
}
