use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

fn sizes(layout: &Layout) -> Vec<usize> {
    layout.iter().map(<[u32]>::len).collect()
}

#[test]
fn windows_spread_the_remainder() {
    let ten = |windows| Layout::by_rank(10, windows, MinimumSize::TWO).map(|layout| sizes(&layout));
    assert_eq!(ten(Windows::Count(3)).unwrap(), [4, 3, 3]);
    assert_eq!(ten(Windows::Size(3)).unwrap(), [4, 3, 3]);
    assert_eq!(ten(Windows::Size(4)).unwrap(), [5, 5]);
    assert_eq!(ten(Windows::Size(100)).unwrap(), [10]);
    assert_eq!(ten(Windows::Count(5)).unwrap(), [2; 5]);
}

#[test]
fn buckets_of_one_row_are_refused() {
    let message = |result: Result<Layout, BucketError>| result.unwrap_err().to_string();
    assert!(MinimumSize::new(1).unwrap_err().to_string().contains("at least 2"));
    assert!(message(Layout::by_rank(10, Windows::Count(6), MinimumSize::TWO)).contains("ask for at most 5"));
    assert!(message(Layout::by_rank(10, Windows::Size(1), MinimumSize::TWO)).contains("ask for at least 2"));
    assert!(message(Layout::by_rank(1, Windows::Count(1), MinimumSize::TWO)).contains("too few"));
    assert!(message(Layout::by_rank(0, Windows::Size(2), MinimumSize::TWO)).contains("too few"));
    assert!(message(Layout::by_rank(9, Windows::Count(0), MinimumSize::TWO)).contains("at least 1"));
    assert!(
        message(Layout::by_rank(u32::MAX as usize + 1, Windows::Count(1), MinimumSize::TWO))
            .contains("too many")
    );
}

#[test]
fn small_values_are_counted_or_merged() {
    let codes = [7, 1, 1, 9, 7, 3, 1, 7];
    let error = Layout::by_value(&codes, SmallBuckets::Refuse, MinimumSize::TWO).unwrap_err();
    assert!(
        error.to_string().starts_with("2 of 4 buckets have fewer than 2 rows (2 rows in all)"),
        "{error}"
    );
    let merged = Layout::by_value(&codes, SmallBuckets::Merge, MinimumSize::TWO).unwrap();
    // 1 has enough, 3 waits for 7, 9 is left over.
    assert_eq!(merged.iter().collect::<Vec<_>>(), [&[1, 2, 6][..], &[5, 0, 4, 7, 3]]);
    assert!(Layout::by_classes(&[0, 0, 1, 1, 1], MinimumSize::TWO).is_ok());
    assert!(Layout::by_classes(&[0, 0, 1], MinimumSize::TWO).is_err());
}

#[test]
fn given_buckets_must_be_a_partition() {
    let two = MinimumSize::TWO;
    assert_eq!(sizes(&Layout::from_buckets(&[vec![3, 0], vec![1, 2]], two).unwrap()), [2, 2]);
    for buckets in [vec![vec![0, 0], vec![1, 2]], vec![vec![0, 1], vec![3, 4]]] {
        assert_eq!(Layout::from_buckets(&buckets, two), Err(BucketError::NotAPartition { rows: 4 }));
    }
    assert!(Layout::from_buckets(&[], two).is_err());
    assert!(Layout::from_buckets(&[vec![0, 1], vec![]], two).is_err());
    assert!(Layout::by_order(vec![1, 0, 2, 2], Windows::Count(2), two).is_err());
}

proptest! {
    #[test]
    fn windows_cover_all_rows_evenly(rows in 2..5000_usize, size in 2..60_u32) {
        let layout = Layout::by_rank(rows, Windows::Size(size), MinimumSize::TWO).unwrap();
        prop_assert_eq!(layout.order().to_vec(), (0..rows as u32).collect::<Vec<_>>());
        prop_assert!(layout.smallest() >= (size as usize).min(rows));
        prop_assert!(layout.largest() - layout.smallest() <= 1);
        let by_count = Layout::by_rank(rows, Windows::Count(layout.buckets() as u32), MinimumSize::TWO);
        prop_assert_eq!(by_count.unwrap(), layout);
    }

    #[test]
    fn values_are_bucketed_as_a_map_would(codes in prop::collection::vec(0..6_u32, 2..40), spread in 1..1000_u32) {
        let codes: Vec<u32> = codes.iter().map(|code| code * spread).collect();
        let mut map: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        codes.iter().enumerate().for_each(|(row, &code)| map.entry(code).or_default().push(row as u32));
        let merged = Layout::by_value(&codes, SmallBuckets::Merge, MinimumSize::TWO).unwrap();
        prop_assert_eq!(merged.order().to_vec(), map.values().flatten().copied().collect::<Vec<_>>());
        prop_assert!(merged.smallest() >= 2);
        match Layout::by_value(&codes, SmallBuckets::Refuse, MinimumSize::TWO) {
            Ok(layout) => prop_assert!(layout.iter().eq(map.values().map(Vec::as_slice))),
            Err(_) => prop_assert!(map.values().any(|rows| rows.len() < 2)),
        }
        prop_assert_eq!(sparse_by_code(&codes), counted_by_code(&codes, 6 * spread as usize));
    }
}
