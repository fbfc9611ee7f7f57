//! The names by which a rewriter of documents calls its rules.

use super::{Rule, Way, catalogue};

/// Name, rule and way: DP01 and DP02 move noise into and out of a union, DP03 to DP05 past a projection.
const REWRITER_NAMES: [(&str, &str, Way); 5] = [
    ("DP01", "D12", Way::LeftToRight),
    ("DP02", "D12", Way::RightToLeft),
    ("DP03", "D8", Way::LeftToRight),
    ("DP04", "D9", Way::RightToLeft),
    ("DP05", "D10", Way::RightToLeft),
];

/// DP01 to DP05, in order.
pub fn rewriter_names() -> impl Iterator<Item = &'static str> {
    REWRITER_NAMES.iter().map(|(name, _, _)| *name)
}

/// The rule behind one of the names, and which way it is used.
pub fn rewriter_rule(name: &str) -> Option<(&'static dyn Rule, Way)> {
    let (_, id, way) = REWRITER_NAMES.iter().find(|(known, _, _)| *known == name)?;
    let rule = catalogue().into_iter().find(|rule| rule.card().id == *id)?;
    Some((rule, *way))
}

/// The name of a rule used one way, where it has one: `DP04` of D9 from right to left.
pub fn rewriter_name(id: &str, way: Way) -> Option<&'static str> {
    REWRITER_NAMES.iter().find(|(_, rule, own)| *rule == id && *own == way).map(|(name, _, _)| *name)
}
