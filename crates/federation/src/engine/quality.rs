//! What the reader of the counters needs to compute losses: value counts without values.

use super::ladder_of;
use crate::error::ProtocolError;
use crate::plan::{Plan, Role};
use paravent_core::hierarchy::Ladder;
use paravent_core::quality::QualityModel;
use paravent_core::table::FrequencyTable;

/// A column of the profile, decrypted.
pub(crate) struct Margin {
    pub(crate) levels: Vec<Vec<u32>>,
    pub(crate) shares: Vec<Vec<f64>>,
    pub(crate) counts: Vec<u64>,
}

/// The engine's model of quality from the counts of each column alone: metrics of cells never look at two columns at once, so any
/// table with these margins does. Without a profile each column is one value; metrics of levels and class sizes need no more.
pub(crate) fn holder_model(
    plan: &Plan,
    profile: Option<&[Margin]>,
    rows: u64,
    least_class_size: u64,
) -> Result<QualityModel, ProtocolError> {
    let (mut ladders, mut weights, mut margins): (Vec<Ladder>, Vec<f64>, Vec<Vec<u64>>) = Default::default();
    for (number, position) in plan.quasi_identifiers().into_iter().enumerate() {
        let Role::QuasiIdentifier { height, weight, .. } = plan.columns[usize::from(position)].role else {
            continue;
        };
        weights.push(weight);
        match profile.and_then(|columns| columns.get(number)) {
            Some(margin) => {
                ladders.push(ladder_of(margin.counts.len(), &margin.levels, &margin.shares)?);
                margins.push(margin.counts.clone());
            }
            None => {
                ladders.push(ladder_of(1, &vec![vec![0]; usize::from(height)], &[])?);
                margins.push(vec![rows]);
            }
        }
    }
    let table = table_with_margins(&margins, rows)?;
    Ok(QualityModel::new(&table, &ladders, &weights, least_class_size))
}

/// Any table whose columns have these value counts, each of which sums to `rows`: rows are laid end to end in every column.
fn table_with_margins(margins: &[Vec<u64>], rows: u64) -> Result<FrequencyTable, ProtocolError> {
    let mut ends: Vec<Vec<u64>> = Vec::new();
    for counts in margins {
        let mut reached = 0;
        ends.push(
            counts
                .iter()
                .map(|&count| {
                    reached += count;
                    reached
                })
                .collect(),
        );
    }
    let mut cuts: Vec<u64> = ends.iter().flatten().copied().filter(|&end| end > 0 && end <= rows).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); margins.len()];
    let mut counts = Vec::new();
    let mut start = 0;
    for cut in cuts {
        for (column, ends) in columns.iter_mut().zip(&ends) {
            let value = ends.partition_point(|&end| end <= start);
            column.push(value.min(ends.len().saturating_sub(1)) as u32);
        }
        counts.push(u32::try_from(cut - start).map_err(|_| paravent_core::table::TableError::TooManyRows)?);
        start = cut;
    }
    Ok(FrequencyTable::new(columns, counts, None, Vec::new())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_table_with_given_margins_has_them(a in prop::collection::vec(0u64..5, 1..6), b in prop::collection::vec(0u64..5, 1..6)) {
            let rows: u64 = a.iter().sum();
            let mut b = b;
            let rest = rows.saturating_sub(b.iter().sum());
            b.push(rest);
            prop_assume!(rows > 0 && b.iter().sum::<u64>() == rows);
            let table = table_with_margins(&[a.clone(), b.clone()], rows).unwrap();
            for (column, margin) in [a, b].iter().enumerate() {
                let mut counted = vec![0u64; margin.len()];
                for (code, &rows) in table.column(column).iter().zip(table.rows()) {
                    counted[code as usize] += u64::from(rows);
                }
                prop_assert_eq!(&counted, margin);
            }
        }
    }
}
