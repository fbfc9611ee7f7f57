//! G1–G19: where a generalization may move.

use super::Rule;

/// In the catalogue's order.
pub(super) const RULES: &[&dyn Rule] = &[];
