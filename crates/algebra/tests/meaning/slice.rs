//! α^S: every permutation of every group in every bucket.

use super::generalize::{bare_label, levels};
use super::relational::place;
use super::{Meaning, Outcomes, Row, Undefined, add, surely, then};
use datafusion::logical_expr::LogicalPlan;
use paravent_algebra::operator::{Buckets, Overlap, Slice, Slicing};
use paravent_core::exact::Fraction;
use std::collections::BTreeMap;

pub(super) fn sliced(rows: &[Row], node: &Slice) -> Meaning {
    let what = node.what();
    if what.overlap != Overlap::Forbidden {
        return Err(Undefined::Unknown("groups that overlap".to_owned()));
    }
    let mut all = surely(rows.to_vec());
    for bucket in buckets(rows, what, node.input())? {
        if (bucket.len() as u64) < what.least_rows {
            return Err(Undefined::Error("a bucket is too small"));
        }
        for group in &what.groups {
            let columns = group.iter().map(|column| place(node.input(), column));
            let columns = columns.collect::<Result<Vec<usize>, _>>()?;
            all = then(all, |rows| permuted(rows, &bucket, &columns))?;
        }
    }
    Ok(all)
}

/// One group of one bucket in all orders.
fn permuted(rows: &[Row], bucket: &[usize], columns: &[usize]) -> Meaning {
    let orders = orders(bucket)?;
    let each = Fraction::new(1, orders.len() as u64).unwrap();
    let mut all = Outcomes::new();
    for order in orders {
        let mut after = rows.to_vec();
        for (&to, from) in bucket.iter().zip(order) {
            for &column in columns {
                after[to][column] = rows[from][column].clone();
            }
        }
        add(&mut all, after, each)?;
    }
    Ok(all)
}

pub(super) fn in_any_order(rows: &[Row]) -> Meaning {
    let everywhere: Vec<usize> = (0..rows.len()).collect();
    let columns: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).collect();
    permuted(rows, &everywhere, &columns)
}

/// Places of rows, bucket by bucket. The larger windows come first.
fn buckets(rows: &[Row], what: &Slicing, input: &LogicalPlan) -> Result<Vec<Vec<usize>>, Undefined> {
    let few = Undefined::Error("too few rows for a bucket");
    let count = match &what.buckets {
        Buckets::Count(count) => *count as usize,
        Buckets::Size(size) => rows.len() / *size as usize,
        Buckets::By(column) => {
            let at = place(input, column)?;
            return Ok(alike(rows.iter().map(|row| row[at].clone())));
        }
        Buckets::Classes(classes) => {
            let (places, chosen) = levels(rows, classes, input)?;
            let labels = rows.iter().map(|row| {
                let label = |(&at, &level): (&usize, &usize)| bare_label(input, at, &row[at], level);
                places.iter().zip(&chosen).map(label).collect::<Vec<_>>()
            });
            return Ok(alike(labels));
        }
    };
    if count == 0 || rows.len() < count {
        return Err(few);
    }
    let mut next = 0..rows.len();
    let window = |n| next.by_ref().take(rows.len() / count + usize::from(n < rows.len() % count)).collect();
    Ok((0..count).map(window).collect())
}

fn alike<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<Vec<usize>> {
    let mut buckets: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, key) in keys.enumerate() {
        buckets.entry(key).or_default().push(at);
    }
    buckets.into_values().collect()
}

/// All orders of some places; more than six of them have too many.
fn orders(places: &[usize]) -> Result<Vec<Vec<usize>>, Undefined> {
    if places.len() > 6 {
        return Err(Undefined::TooMany);
    }
    if places.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let mut all = Vec::new();
    for (position, &first) in places.iter().enumerate() {
        let rest = [&places[..position], &places[position + 1..]].concat();
        all.extend(orders(&rest)?.into_iter().map(|rest| [vec![first], rest].concat()));
    }
    Ok(all)
}
