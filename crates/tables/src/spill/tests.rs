//! Tuples in files against tuples in memory.

use super::*;
use crate::tuples::Tuples;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

type Bag = BTreeMap<Vec<u32>, u64>;

fn sorted(tuples: &SortedTuples) -> Vec<(Vec<u32>, u64)> {
    let mut found = Vec::new();
    tuples
        .each(|codes, count| -> Result<_, SpillError> {
            found.push((codes.to_vec(), count));
            Ok(ControlFlow::Continue(()))
        })
        .unwrap();
    found
}

fn counted(rows: &[(Vec<u32>, u64)], width: usize, budget: u64) -> CountedOff {
    let mut tuples = CountingTuples::new(width, Budget::of_bytes(budget));
    rows.iter().for_each(|(row, count)| tuples.add(row, *count).unwrap());
    assert_eq!(tuples.rows(), rows.iter().map(|(_, count)| count).sum::<u64>());
    tuples.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn runs_sorted_and_merged_are_the_bag(
        (codes, rows) in (1usize..5).prop_flat_map(|width| {
            let codes = prop::collection::vec(Just((0u32..40).collect::<Vec<u32>>()).prop_shuffle(), width);
            let row = (prop::collection::vec(0u32..40, width), 1u64..4);
            (codes, prop::collection::vec(row, 1..400))
        }),
        budget in prop_oneof![Just(1u64), 500u64..20_000],
    ) {
        let width = codes.len();
        let mut bag = Bag::new();
        for (row, count) in &rows {
            let new = row.iter().zip(&codes).map(|(&code, new)| new[code as usize]).collect();
            *bag.entry(new).or_default() += count;
        }
        match counted(&rows, width, budget) {
            CountedOff::Held(tally) => {
                let tuples = tally.into_sorted(&codes, &vec![40; width]);
                let mut found = Vec::new();
                let each = tuples.each(|_, codes, count| {
                    found.push((codes.to_vec(), count));
                    Ok::<(), ()>(())
                });
                prop_assert_eq!(each, Ok(()));
                prop_assert_eq!(found, bag.into_iter().collect::<Vec<_>>());
            }
            CountedOff::Spilled(runs) => {
                let tuples = runs.sorted(&codes, &vec![40; width]).unwrap();
                prop_assert_eq!(tuples.len() as usize, bag.len());
                prop_assert_eq!(sorted(&tuples), bag.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn packed_tuples_compare_as_the_tuples_do(
        (cardinalities, tuples) in prop::collection::vec(prop_oneof![1usize..4, 1000usize..1_000_000, Just(1usize << 32)], 1..9)
            .prop_flat_map(|cardinalities| {
                let code = cardinalities.iter().map(|&codes| 0..=(codes - 1) as u32).collect::<Vec<_>>();
                (Just(cardinalities), prop::collection::vec(code, 2..20))
            }),
    ) {
        let packing = Packing::new(&cardinalities);
        let packed = |tuple: &Vec<u32>| {
            let mut words = vec![0; packing.words()];
            packing.pack(tuple.iter().copied(), &mut words);
            words
        };
        for pair in tuples.windows(2) {
            prop_assert_eq!(packed(&pair[0]).cmp(&packed(&pair[1])), pair[0].cmp(&pair[1]));
            let mut codes = vec![0; pair[0].len()];
            packing.unpack(&packed(&pair[0]), &mut codes);
            prop_assert_eq!(&codes, &pair[0]);
        }
    }

    #[test]
    fn a_log_gives_back_what_it_was_told(rows in (1usize..5).prop_flat_map(|width| {
        prop::collection::vec(prop::collection::vec(any::<u32>(), width), 0..50).prop_map(move |rows| (width, rows))
    })) {
        let (width, rows) = rows;
        let mut log = TupleLogWriter::create(width).unwrap();
        rows.iter().for_each(|row| log.push(row).unwrap());
        let mut found = Vec::new();
        log.finish().unwrap().each(|row| -> Result<(), SpillError> {
            found.push(row.to_vec());
            Ok(())
        }).unwrap();
        prop_assert_eq!(found, rows);
    }
}

#[test]
fn more_runs_than_are_merged_at_a_time() {
    let rows: Vec<(Vec<u32>, u64)> = (0..1000u32).rev().map(|n| (vec![n % 700, n % 3], 1)).collect();
    let CountedOff::Spilled(runs) = counted(&rows, 2, 1) else { panic!("a byte is not enough") };
    let same: Vec<Vec<u32>> = vec![(0..700).collect(), (0..3).collect()];
    let tuples = runs.sorted(&same, &[700, 3]).unwrap();
    let mut bag = Tuples::new(2);
    rows.iter().for_each(|(row, count)| {
        bag.add(row, *count);
    });
    let held: Vec<_> = bag.sorted().into_iter().map(|n| (bag.tuple(n).to_vec(), bag.count(n))).collect();
    assert_eq!(sorted(&tuples), held);
}

#[test]
fn files_have_no_name_and_one_owner() {
    let folder = tempfile::tempdir().unwrap();
    let file = SpillFile::create_in(folder.path().to_owned()).unwrap();
    assert_eq!((std::fs::read_dir(folder.path()).unwrap().count(), file.mode()), (0, 0o600));
    let gone = SpillFile::create_in(folder.path().join("gone")).unwrap_err().to_string();
    assert!(gone.contains("gone: the tuples that memory cannot hold"), "{gone}");
}
