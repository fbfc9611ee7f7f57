//! The way of all depth-first searches: up from a node, the first successor in the node order first.

use super::survey::{Halt, Survey};
use super::tags::fact;

/// Calls `visit` for a node and everything above it that is neither checked nor ruled out.
///
/// A node that is ruled out by its criteria is passed through, not turned away from: a node may be reachable through such ones
/// only. Above an excluded node everything is excluded, so that is where the ascent ends.
pub(super) fn ascend<'a>(
    survey: &mut Survey<'a>,
    start: u64,
    mut visit: impl FnMut(&mut Survey<'a>, u64) -> Result<(), Halt>,
) -> Result<(), Halt> {
    let lattice = survey.problem.lattice;
    let mut stack = vec![start];
    while let Some(node) = stack.pop() {
        if survey.tags.has(node, fact::EXPANDED) {
            continue;
        }
        survey.tags.add(node, fact::EXPANDED);
        if !survey.tags.has(node, fact::CHECKED | fact::PART_FAILS | fact::EXCLUDED) {
            visit(survey, node)?;
        }
        if !survey.tags.has(node, fact::EXCLUDED) {
            let above = survey.without(fact::EXPANDED | fact::EXCLUDED, lattice.successors(node).collect());
            stack.extend(above.into_iter().rev());
        }
    }
    Ok(())
}
