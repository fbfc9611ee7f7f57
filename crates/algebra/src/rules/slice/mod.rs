//! S1–S11: where a slicing may move.

use super::Rule;

/// In the catalogue's order.
pub(super) const RULES: &[&dyn Rule] = &[];
