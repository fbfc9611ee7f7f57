//! Where codes and texts are cut.

use super::names::names;

/// An end of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first character.
    Left,
    /// The last character.
    #[default]
    Right,
}
names!(Side { Left: "left", Right: "right" });
