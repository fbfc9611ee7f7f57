//! Does the order of the rows tell nothing?

use super::Release;
use crate::Check;
use crate::data::Column;

/// `canonical`: sorted by the cells as text, byte by byte, column by column in file order, a missing value first.
/// A shuffled order cannot be told from any other, and `input` promises nothing.
pub(super) fn check(release: &Release<'_>) -> Check {
    of(&release.manifest.output.order, &release.data.columns)
}

/// The same for any columns.
pub(crate) fn of(order: &str, columns: &[Column]) -> Check {
    let check = |problems: &[String], fine: &str| {
        Check::new("order", None, problems, fine).comparing(order, serde_json::Value::Null)
    };
    match order {
        "canonical" => match first_out_of_order(columns) {
            Some(row) => check(&[format!("row {} belongs before row {}", row + 1, row)], ""),
            None => check(&[], "sorted, so the order of the input is gone"),
        },
        "shuffled" => check(&[], "shuffled: any order will do"),
        "none" => check(&[], "a table has no order"),
        "input" => check(&[], "the order of the input, as announced"),
        _ => check(&["an order this verifier does not know".to_owned()], ""),
    }
}

/// The first row (from 0) that is smaller than the row before it.
fn first_out_of_order(columns: &[Column]) -> Option<usize> {
    let ranks: Vec<Vec<u32>> = columns.iter().map(ranks).collect();
    let first = columns.first()?;
    let found = (1..first.codes.len()).find(|&row| {
        let mut steps = columns.iter().zip(&ranks).map(|(column, ranks)| {
            ranks[column.codes.at(row - 1) as usize].cmp(&ranks[column.codes.at(row) as usize])
        });
        steps.find(|step| step.is_ne()).is_some_and(std::cmp::Ordering::is_gt)
    });
    found.map(|stretch| first.rows_before(stretch))
}

/// The place of each code in the sorted dictionary.
fn ranks(column: &Column) -> Vec<u32> {
    let mut codes: Vec<u32> = (0..column.codes_in_use() as u32).collect();
    // `None` sorts before every text, and `str` compares by bytes.
    codes.sort_unstable_by_key(|&code| column.text(code));
    let mut ranks = vec![0; codes.len()];
    for (rank, &code) in codes.iter().enumerate() {
        ranks[code as usize] = rank as u32;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(rows: &[(Option<&str>, Option<&str>)]) -> Option<usize> {
        let (a, b): (Vec<_>, Vec<_>) = rows.iter().copied().unzip();
        first_out_of_order(&[Column::of("a", &a), Column::of("b", &b)])
    }

    #[test]
    fn text_is_compared_by_bytes_and_missing_comes_first() {
        assert_eq!(
            first(&[(None, Some("z")), (Some(""), None), (Some("10"), None), (Some("9"), None)]),
            None
        );
        assert_eq!(first(&[(Some("Z"), None), (Some("a"), None), (Some("ä"), None)]), None);
        assert_eq!(first(&[(Some("9"), None), (Some("10"), None)]), Some(1));
        assert_eq!(first(&[(Some("a"), Some("x")), (Some("a"), None)]), Some(1));
        assert_eq!(first(&[(Some("a"), Some("x")), (Some("b"), None)]), None);
        assert_eq!(first(&[]), None);
    }
}
