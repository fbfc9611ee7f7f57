//! Whether what came in can follow from the plan.

use super::Context;
use crate::error::ProtocolError;
use crate::parties::PartyId;
use crate::plan::{Role, Split};
use crate::wire::{EncryptedPart, SealedRelease};

/// What a part must carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// Identifiers, in a vertical split.
    Identifiers,
    /// Identifiers in a vertical split, and a counter per row where the party counts rows.
    Counters,
    /// Neither.
    RowsOnly,
}

/// A part over exactly these columns of the plan.
pub(super) fn part(
    context: &Context<'_>,
    from: PartyId,
    part: &EncryptedPart,
    columns: &[u16],
    carries: Carries,
) -> Result<(), ProtocolError> {
    let unfit = |why| Err(ProtocolError::Unfit { from, why });
    let rows = part.rows as usize;
    if !part.columns.iter().map(|column| column.column).eq(columns.iter().copied()) {
        return unfit("not the columns of the plan");
    }
    for column in &part.columns {
        let planned = &context.plan.columns[usize::from(column.column)];
        let height = usize::from(planned.height());
        let is_membership = planned.role == Role::Membership;
        if is_membership != column.tokens.is_empty() && rows > 0 {
            return unfit("a column without a dictionary, or a membership with one");
        }
        if column.levels.len() != height && !column.values.is_empty() {
            return unfit("a hierarchy of another height");
        }
        let shares = if context.plan.sends_shares(column.column) { height } else { 0 };
        if column.shares.len() != shares && !column.values.is_empty() {
            return unfit("shares where there should be none, or none where there should be");
        }
    }
    let identifiers =
        if context.plan.split == Split::Vertical && carries != Carries::RowsOnly { rows } else { 0 };
    if part.identifiers.len() != identifiers {
        return unfit("identifiers missing or too many");
    }
    let counts = carries == Carries::Counters && context.plan.counts_rows(from);
    if part.counters.0.len() != if counts { rows } else { 0 } {
        return unfit("counters missing or too many");
    }
    Ok(())
}

/// A release over all columns that are released.
pub(super) fn release(
    context: &Context<'_>,
    from: PartyId,
    release: &SealedRelease,
    counters: bool,
) -> Result<(), ProtocolError> {
    let unfit = |why| Err(ProtocolError::Unfit { from, why });
    let plan = context.plan;
    let released = (0u16..).zip(&plan.columns).filter(|(_, column)| column.role != Role::Membership);
    if !release.columns.iter().map(|column| column.column).eq(released.map(|(position, _)| position)) {
        return unfit("not the columns of the release");
    }
    node(context, from, &release.facts.node)?;
    if (release.counters.0.len() as u64) != if counters { u64::from(release.rows) } else { 0 } {
        return unfit("counters missing or too many");
    }
    if release.rows == 0 {
        return unfit("a release without rows");
    }
    Ok(())
}

/// A node within the levels of the plan.
pub(super) fn node(context: &Context<'_>, from: PartyId, levels: &[u8]) -> Result<(), ProtocolError> {
    let quasi = context.plan.quasi_identifiers();
    let inside = |(&position, &level): (&u16, &u8)| match context.plan.columns[usize::from(position)].role {
        Role::QuasiIdentifier { lowest, highest, .. } => (lowest..=highest).contains(&level),
        _ => false,
    };
    if quasi.len() == levels.len() && quasi.iter().zip(levels).all(inside) {
        Ok(())
    } else {
        Err(ProtocolError::Unfit { from, why: "a node outside the levels of the plan" })
    }
}
