//! Whether what came in can follow from the plan.

use super::Context;
use crate::error::ProtocolError;
use crate::evidence::Reference;
use crate::parties::PartyId;
use crate::plan::{Role, Split};
use crate::table::{Counts, counted_rows};
use crate::wire::{EncryptedPart, SealedColumn, SealedRelease};

/// What a part must carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// Identifiers, in a vertical split.
    Identifiers,
    /// Identifiers in a vertical split, and a counter for every row that the party counts.
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
        if is_membership && carries == Carries::Counters && column.cells.iter().any(|&mark| mark != 0) {
            return unfit("marks that are not encrypted");
        }
        if column.levels.len() != height && !column.values.is_empty() {
            return unfit("a hierarchy of another height");
        }
        if column.level_of_tokens(context.plan.lowest_level(column.column)).is_none() {
            return unfit("labels of one level among those of another, or finer ones than agreed");
        }
        if (column.leaves > 0) != context.plan.sends_lines(column.column) && !column.values.is_empty() {
            return unfit("shares of another kind than the plan's");
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
    let expected = |counts: Counts| match carries {
        Carries::Counters => counted_rows(context.plan, from, part, counts).len(),
        Carries::Identifiers | Carries::RowsOnly => 0,
    };
    let counters = (part.counters.0.len(), part.population.0.len());
    if counters != (expected(Counts::Rows), expected(Counts::Population)) {
        return unfit("counters missing or too many");
    }
    Ok(())
}

/// A release of protocol C as it leaves the helper: with encrypted numbers, and none that can be read.
pub(super) fn counted_release(
    context: &Context<'_>,
    from: PartyId,
    release: &SealedRelease,
) -> Result<(), ProtocolError> {
    let unfit = |why| Err(ProtocolError::Unfit { from, why });
    let plan = context.plan;
    released_columns(context, from, release)?;
    let (rows, sizes) = (release.rows as usize, release.class_sizes.0.len());
    if release.counters.0.len() != rows || sizes != if plan.marks_rows() { rows } else { 0 } {
        return unfit("counters missing or too many");
    }
    let close = plan.close_columns();
    if release.totals.len() != close.len() {
        return unfit("a distribution where there should be none, or none where there should be");
    }
    for (told, &position) in release.totals.iter().zip(&close) {
        let column = release.columns.iter().find(|column| column.column == position);
        let labels = column.map_or(0, |column| column.opened.len() + column.sealed.len());
        let height = plan.reference_height(position).map_or(0, usize::from);
        if told.counters.0.len() < labels || told.levels.len() != height {
            return unfit("a distribution of other values than the plan's");
        }
    }
    if release.population.is_some() || release.columns.iter().any(|column| column.reference.is_some()) {
        return unfit("numbers that are not encrypted");
    }
    Ok(())
}

fn released_columns(
    context: &Context<'_>,
    from: PartyId,
    release: &SealedRelease,
) -> Result<(), ProtocolError> {
    let unfit = |why| Err(ProtocolError::Unfit { from, why });
    let plan = context.plan;
    let released = (0u16..).zip(&plan.columns).filter(|(_, column)| column.role != Role::Membership);
    if !release.columns.iter().map(|column| column.column).eq(released.map(|(position, _)| position)) {
        return unfit("not the columns of the release");
    }
    node(context, from, &release.facts.node)?;
    if release.rows == 0 {
        return unfit("a release without rows");
    }
    Ok(())
}

/// A release over all columns that are released.
pub(super) fn release(
    context: &Context<'_>,
    from: PartyId,
    release: &SealedRelease,
) -> Result<(), ProtocolError> {
    let unfit = |why| Err(ProtocolError::Unfit { from, why });
    let plan = context.plan;
    released_columns(context, from, release)?;
    if !release.counters.0.is_empty() || !release.class_sizes.0.is_empty() || !release.totals.is_empty() {
        return unfit("counters missing or too many");
    }
    let all = u64::from(release.rows) + release.facts.suppressed_rows;
    for column in &release.columns {
        let height = plan.reference_height(column.column);
        match (&column.reference, height) {
            (None, None) => {}
            (Some(found), Some(height)) => reference(column, found, usize::from(height), all)
                .map_err(|why| ProtocolError::Unfit { from, why })?,
            _ => return unfit("a distribution where there should be none, or none where there should be"),
        }
    }
    match (&release.population, plan.marks_rows()) {
        (None, false) => Ok(()),
        (Some(population), true) if u64::from(population.rows) >= all => Ok(()),
        _ => unfit("a population where there should be none, or none where there should be"),
    }
}

/// A distribution over the whole table of `all` rows. A label that no released row shows would name a value that is withheld.
fn reference(
    column: &SealedColumn,
    reference: &Reference,
    height: usize,
    all: u64,
) -> Result<(), &'static str> {
    let mut released = vec![0u32; reference.shown.len()];
    column.cells.iter().for_each(|&cell| released[cell as usize] += 1);
    if released.contains(&0) {
        return Err("a value that no released row shows");
    }
    if reference.shown.iter().zip(&released).any(|(value, &released)| value.rows < released) {
        return Err("a distribution with fewer rows than are released");
    }
    if reference.all().any(|value| value.rows == 0 || value.branches.len() != height) {
        return Err("a value without rows, or outside the hierarchy");
    }
    if reference.rows() != all {
        return Err("a distribution of another number of rows");
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
