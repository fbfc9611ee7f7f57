//! What every kind of hierarchy can tell.

use super::ladder::{NewGroup, categorical_loss};
use super::{ShareBasis, Unplaced};
use std::borrow::Cow;

/// A kind of hierarchy: its file has all there is to know about it.
///
/// Labels must be *total* over the values that have a place, and *monotone*: values with equal labels on one level have equal labels
/// on all higher ones.
pub(super) trait Kind {
    /// What its labels are, in the plural.
    fn in_words(&self) -> &'static str;
    /// The level of the top; level 0 is the value as it came in.
    fn max_level(&self) -> u8;
    /// The label of a value on a level that exists.
    fn label<'a>(&'a self, value: Option<&'a str>, level: u8) -> Result<Option<Cow<'a, str>>, Unplaced>;
    /// What the shares in its ladders depend on.
    fn share_basis(&self) -> ShareBasis {
        ShareBasis::ValuesPresent
    }
    /// Leaves of the whole hierarchy.
    fn leaves(&self, values: &[Option<&str>]) -> usize {
        values.len()
    }
    /// The share of its domain that a group covers; `all` are the leaves.
    fn loss(&self, group: &NewGroup<'_>, all: usize) -> f64 {
        categorical_loss(group.leaves, all)
    }
}
