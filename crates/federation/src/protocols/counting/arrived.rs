//! Protocol C, the first party: what is left of a release without its made-up rows, and the numbers that prove it.

use super::reader::Judge;
use super::share::Counted;
use crate::crypto::permute;
use crate::error::ProtocolError;
use crate::evidence::{Occurrence, Population, Reference};
use crate::parties::PartyId;
use crate::protocols::{Context, fit};
use crate::wire::{CounterList, ProfileColumn, SealedColumn, SealedRelease};

/// As many copies of each row as its counter says: none of one that is made up, or of the population only.
pub(super) fn real_rows(
    release: &SealedRelease,
    from: PartyId,
    (counted, judge): (&Counted, &Judge),
    context: &Context<'_>,
) -> Result<SealedRelease, ProtocolError> {
    fit::counted_release(context, from, release)?;
    let unfit = |why| ProtocolError::Unfit { from, why };
    let counts = counted.decrypt(&release.counters.0, judge.rows)?;
    let released: u64 = counts.iter().sum();
    if released == 0 || judge.rows.saturating_sub(released) > judge.limit || released > judge.rows {
        return Err(unfit("a release with too few or too many rows"));
    }
    let copies = |(row, &count): (u32, &u64)| std::iter::repeat_n(row, count as usize);
    let real: Vec<u32> = (0..).zip(&counts).flat_map(copies).collect();
    let close = context.plan.close_columns();
    let mut columns = Vec::new();
    for column in &release.columns {
        let told = close.iter().position(|position| *position == column.column);
        let reference = match told.map(|at| (&release.totals[at], &counted.whole()[at])) {
            None => None,
            Some((told, before)) => {
                let totals = counted.decrypt(&told.counters.0, judge.rows)?;
                if sorted(&totals) != sorted(&before.totals) {
                    return Err(unfit("another distribution than before"));
                }
                Some(reference(column, &totals, told))
            }
        };
        columns.push(shown_only(column, reference, &real));
    }
    let mut facts = release.facts.clone();
    facts.suppressed_rows = judge.rows - released;
    let mut population = None;
    if context.plan.marks_rows() {
        let sizes = counted.decrypt(&release.class_sizes.0, judge.population)?;
        let absent = judge.absent_classes.get(&facts.node);
        population = Some(Population {
            rows: judge.population as u32,
            empty_classes: *absent.ok_or_else(|| unfit("a node that was not found to hold"))? as u32,
            of_row: real.iter().map(|&row| sizes[row as usize] as u32).collect(),
        });
    }
    let release = SealedRelease {
        facts,
        rows: real.len() as u32,
        columns,
        counters: CounterList::default(),
        population,
        class_sizes: CounterList::default(),
        totals: Vec::new(),
    };
    fit::release(context, from, &release)?;
    Ok(release)
}

fn sorted(counts: &[u64]) -> Vec<u64> {
    let mut counts = counts.to_vec();
    counts.sort_unstable();
    counts
}

/// Of the labels as they came, and of the values that are not released.
fn reference(column: &SealedColumn, totals: &[u64], told: &ProfileColumn) -> Reference {
    let value = |(value, &rows): (usize, &u64)| Occurrence {
        rows: rows as u32,
        branches: told.levels.iter().map(|level| level[value]).collect(),
    };
    let mut shown: Vec<Occurrence> = totals.iter().enumerate().map(value).collect();
    let withheld = shown.split_off(column.opened.len() + column.sealed.len());
    Reference { shown, withheld }
}

/// These rows of a column, with the labels that they show and no others: labels of made-up rows are nobody's.
fn shown_only(column: &SealedColumn, reference: Option<Reference>, rows: &[u32]) -> SealedColumn {
    let cells = permute(&column.cells, rows);
    let mut shown = vec![false; column.opened.len() + column.sealed.len()];
    cells.iter().for_each(|&cell| shown[cell as usize] = true);
    let mut place = vec![0u32; shown.len()];
    let labels = shown.iter().enumerate().filter(|(_, shown)| **shown).map(|(label, _)| label);
    (0..).zip(labels).for_each(|(next, label)| place[label] = next);
    let (of_opened, of_sealed) = shown.split_at(column.opened.len());
    let kept = |tokens: &[crate::crypto::Token], shown: &[bool]| {
        tokens.iter().zip(shown).filter(|(_, shown)| **shown).map(|(token, _)| token.clone()).collect()
    };
    SealedColumn {
        column: column.column,
        opened: kept(&column.opened, of_opened),
        sealed: kept(&column.sealed, of_sealed),
        cells: cells.iter().map(|&cell| place[cell as usize]).collect(),
        reference: reference.map(|told| {
            let (mut in_place, mut withheld) = (Vec::new(), told.withheld);
            for (value, &shown) in told.shown.into_iter().zip(&shown) {
                if shown { in_place.push(value) } else { withheld.push(value) }
            }
            withheld.retain(|value| value.rows > 0);
            withheld.sort_unstable();
            Reference { shown: in_place, withheld }
        }),
    }
}
