//! Grouping by order: neighbours belong together.

use super::{TOP, TableError, TableHierarchy, TableLines};
use crate::values::ValueType;

/// Why an order makes no hierarchy. Positions count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderingError {
    /// A fan-out of 0 or 1 would not change anything.
    #[error("fan-out {position} has to be at least 2")]
    FanOut {
        /// Position of the fan-out.
        position: usize,
    },
    /// A value that is not of the type it should be sorted by.
    #[error("value {position} is not of the type of the column")]
    NotOfType {
        /// Position of the value.
        position: usize,
    },
    /// No value, a value twice, or labels that fall together. Lines are values in their order.
    #[error(transparent)]
    Table(#[from] TableError),
}

/// Puts consecutive values together, `fan_outs[0]` of them on level 1, `fan_outs[1]` of those groups on level 2,
/// and all under `*`. A group is called `first..last`, a group of one by its value.
///
/// ```
/// # use paravent_core::hierarchy::group_by_order;
/// let table = group_by_order(&["xs", "s", "m", "l", "xl"], &[3]).unwrap();
/// assert!(table.lines().get(1).unwrap().labels().eq(["xs..m", "*"]));
/// assert!(table.lines().get(4).unwrap().labels().eq(["l..xl", "*"]));
/// ```
pub fn group_by_order(values: &[&str], fan_outs: &[usize]) -> Result<TableHierarchy, OrderingError> {
    if let Some(position) = fan_outs.iter().position(|fan_out| *fan_out < 2) {
        return Err(OrderingError::FanOut { position: position + 1 });
    }
    let spans: Vec<usize> = (fan_outs.iter())
        .scan(1usize, |span, fan_out| {
            *span = span.saturating_mul(*fan_out);
            Some(*span)
        })
        .collect();
    let mut lines = TableLines::default();
    for (position, value) in values.iter().enumerate() {
        let groups = spans.iter().map(|span| {
            let first = position - position % span;
            let last = first.saturating_add(span - 1).min(values.len() - 1);
            if first == last {
                values[first].to_string()
            } else {
                format!("{}..{}", values[first], values[last])
            }
        });
        lines.push(Some(value), groups.chain([TOP.to_string()]));
    }
    Ok(TableHierarchy::from_lines(lines)?)
}

/// [`group_by_order`] in the order of the type.
pub fn group_sorted(
    values: &[&str],
    ty: ValueType,
    fan_outs: &[usize],
) -> Result<TableHierarchy, OrderingError> {
    if let Some(position) = values.iter().position(|value| !ty.accepts(value)) {
        return Err(OrderingError::NotOfType { position: position + 1 });
    }
    let mut sorted = values.to_vec();
    ty.sort(&mut sorted);
    group_by_order(&sorted, fan_outs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_size() {
        let table =
            group_sorted(&["10", "9", "1", "2", "11", "30", "4"], ValueType::Integer, &[3, 2]).unwrap();
        let labels: Vec<_> = table.lines().to_rows().iter().map(|row| row.labels.join(" ")).collect();
        assert_eq!(labels[0], "1..4 1..11 *");
        assert_eq!(labels[3], "9..11 1..11 *");
        assert_eq!(labels[6], "30 30 *");
    }

    #[test]
    fn what_cannot_be_grouped_is_refused() {
        assert_eq!(group_by_order(&["a"], &[2, 1]), Err(OrderingError::FanOut { position: 2 }));
        let words = group_sorted(&["1", "one"], ValueType::Integer, &[2]);
        assert_eq!(words, Err(OrderingError::NotOfType { position: 2 }));
        assert!(matches!(group_by_order(&[], &[2]), Err(OrderingError::Table(_))));
        assert!(matches!(group_by_order(&["a", "a"], &[]), Err(OrderingError::Table(_))));
        assert!(group_by_order(&["a", "b"], &[usize::MAX, usize::MAX]).is_ok());
    }
}
