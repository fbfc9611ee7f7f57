//! D1–D15: where a randomisation may move.

use super::Rule;

/// In the catalogue's order.
pub(super) const RULES: &[&dyn Rule] = &[];
