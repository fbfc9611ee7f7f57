//! The kernel against the definition: same invariants, same distribution, and faults that are noticed.
#![allow(clippy::unwrap_used, reason = "tables are made here")]

mod common;

use std::collections::BTreeMap;

use common::{columns, of};
use paravent_slicing::checks::{Fault, Sliced, invariants, suspicions};
use paravent_slicing::outcomes::{Outcomes, Ratio};
use paravent_slicing::reference::{Row, slice, transposed, with_copies};
use paravent_slicing::utility::{Fate, NumericColumn, coded_pairs, numeric_pairs};
use paravent_slicing::{
    ColumnGroups, Draw, Gathers, Layout, MinimumSize, Operator, Overlap, RowOrder, Secret, SmallBuckets,
    permute,
};
use proptest::prelude::*;
use rand::rngs::ChaCha20Rng;
use rand::{Rng, SeedableRng};

fn named(columns: usize, groups: &[Vec<usize>], overlap: Overlap) -> ColumnGroups {
    let columns: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let groups: Vec<Vec<&String>> =
        groups.iter().map(|group| group.iter().map(|&column| &columns[column]).collect()).collect();
    ColumnGroups::new(&columns, &groups, overlap).unwrap()
}

fn layout(buckets: &[Vec<usize>]) -> Layout {
    let buckets: Vec<Vec<u32>> =
        buckets.iter().map(|bucket| bucket.iter().map(|&row| row as u32).collect()).collect();
    Layout::from_buckets(&buckets, MinimumSize::TWO).unwrap()
}

fn draw(layout: &Layout, groups: usize, seed: u64, order: RowOrder) -> Gathers {
    permute(layout, groups, &Draw { secret: &Secret::from_seed(seed), operator: Operator(1), order })
}

/// The rows a kernel makes of a table.
fn released(rows: &[Row], groups: &ColumnGroups, gathers: &Gathers) -> Vec<Row> {
    let columns = gathers.gather(groups, &of(&columns(rows)));
    transposed(&columns, rows.len())
}

/// Does the kernel draw results with these probabilities? Pearson's χ² at α = 10⁻⁶; a result that is not listed fails at once.
fn fits(expected: &BTreeMap<Vec<Row>, Ratio>, draws: u64, mut result: impl FnMut(u64) -> Vec<Row>) -> bool {
    let mut counts: BTreeMap<&Vec<Row>, u64> = expected.keys().map(|rows| (rows, 0)).collect();
    for seed in 0..draws {
        let rows = result(seed);
        let Some((rows, _)) = expected.get_key_value(&rows) else { return false };
        *counts.get_mut(rows).unwrap() += 1;
    }
    let terms = counts.iter().map(|(rows, &count)| {
        let mean = expected[*rows].to_f64() * draws as f64;
        (count as f64 - mean).powi(2) / mean
    });
    let freedom = (expected.len() - 1) as f64;
    // Wilson and Hilferty's quantile of χ²; 4.7534 is the normal one of 10⁻⁶.
    let spread = 2.0 / (9.0 * freedom);
    terms.sum::<f64>() <= freedom * (1.0 - spread + 4.753_424 * spread.sqrt()).powi(3)
}

/// Five rows in buckets of three and two, three columns in two groups.
fn tiny() -> (Vec<Row>, ColumnGroups, Vec<Vec<usize>>) {
    let rows = vec![vec![1, 1, 7], vec![2, 1, 8], vec![3, 2, 9], vec![4, 2, 7], vec![5, 3, 8]];
    (rows, named(3, &[vec![0, 1], vec![2]], Overlap::Forbidden), vec![vec![0, 2, 4], vec![1, 3]])
}

fn carried_fit(kernel: impl Fn(&[Row], u64) -> Vec<Row>) -> bool {
    let (rows, groups, buckets) = tiny();
    let expected = Outcomes::certain(rows.clone()).slice(groups.groups(), &buckets).unwrap();
    fits(expected.ranked(), 20_000, |seed| kernel(&rows, seed))
}

/// A kernel made of one order per bucket and group, in rank order.
fn by_orders(rows: &[Row], orders: &mut dyn FnMut(usize, usize, usize) -> Vec<usize>) -> Vec<Row> {
    let (_, groups, buckets) = tiny();
    let mut result = rows.to_vec();
    for (number, bucket) in buckets.iter().enumerate() {
        for (group, members) in groups.groups().iter().enumerate() {
            for (ord, &from) in orders(number, group, bucket.len()).iter().enumerate() {
                members.iter().for_each(|&column| result[bucket[ord]][column] = rows[bucket[from]][column]);
            }
        }
    }
    result
}

fn uniform(random: &mut impl Rng, length: usize) -> Vec<usize> {
    let mut keyed: Vec<(u64, usize)> = (0..length).map(|item| (random.next_u64(), item)).collect();
    keyed.sort_unstable();
    keyed.into_iter().map(|(_, item)| item).collect()
}

#[test]
fn ranked_tables_come_out_as_often_as_the_definition_says() {
    let (_, groups, buckets) = tiny();
    let layout = layout(&buckets);
    assert!(carried_fit(|rows, seed| released(rows, &groups, &draw(&layout, 2, seed, RowOrder::Carried))));
}

#[test]
fn operators_under_one_secret_draw_anew() {
    let (_, groups, buckets) = tiny();
    let layout = layout(&buckets);
    let secret = Secret::from_seed(99);
    assert!(carried_fit(|rows, number| {
        let draw = Draw { secret: &secret, operator: Operator(number), order: RowOrder::Carried };
        released(rows, &groups, &permute(&layout, 2, &draw))
    }));
}

#[test]
fn a_slicing_of_a_slicing_keeps_the_hidden_rank() {
    let (rows, inner, buckets) = tiny();
    let outer = named(3, &[vec![0], vec![1, 2]], Overlap::Forbidden);
    for second in [buckets.clone(), vec![vec![0, 1], vec![2, 3, 4]]] {
        let sliced = Outcomes::certain(rows.clone()).slice(inner.groups(), &buckets).unwrap();
        let bags = sliced.slice(outer.groups(), &second).unwrap().bags().unwrap();
        let expected = bags.iter().map(|(bag, probability)| (bag.to_vec(), probability)).collect();
        let (first, second) = (layout(&buckets), layout(&second));
        assert!(fits(&expected, 20_000, |seed| {
            let secret = Secret::from_seed(seed);
            let draw = |operator, order| Draw { secret: &secret, operator: Operator(operator), order };
            let once = released(&rows, &inner, &permute(&first, 2, &draw(0, RowOrder::Carried)));
            let mut bag = released(&once, &outer, &permute(&second, 2, &draw(1, RowOrder::Random)));
            bag.sort();
            bag
        }));
    }
}

#[test]
fn the_random_order_is_uniform_over_whole_tables() {
    // Two buckets of two different rows: four bags, each in any of 4! orders, all equally likely.
    let rows = vec![vec![1, 1], vec![2, 2], vec![3, 3], vec![4, 4]];
    let groups = named(2, &[vec![0], vec![1]], Overlap::Forbidden);
    let buckets = vec![vec![0, 3], vec![1, 2]];
    let bags = Outcomes::certain(rows.clone()).slice(groups.groups(), &buckets).unwrap().bags().unwrap();
    let mut expected = BTreeMap::new();
    for (bag, _) in bags.iter() {
        // All orders of a bag are what slicing it in one group and one bucket can give.
        let orders = Outcomes::certain(bag.to_vec()).slice(&[vec![0, 1]], &[vec![0, 1, 2, 3]]).unwrap();
        expected.extend(orders.ranked().keys().map(|rows| (rows.clone(), Ratio::new(1, 96).unwrap())));
    }
    assert_eq!(expected.len(), 96);
    let layout = layout(&buckets);
    assert!(fits(&expected, 40_000, |seed| released(
        &rows,
        &groups,
        &draw(&layout, 2, seed, RowOrder::Random)
    )));
    // Bucket after bucket would be a fault.
    assert!(!fits(&expected, 40_000, |seed| {
        let gathers = draw(&layout, 2, seed, RowOrder::Random);
        let order = gathers.layout(&layout);
        let rows = released(&rows, &groups, &gathers);
        order.order().iter().map(|&position| rows[position as usize].clone()).collect()
    }));
}

#[test]
fn distinct_rows_have_factorial_many_outcomes_that_all_occur() {
    for (size, group_count, outcomes) in [(3_usize, 2, 6), (3, 3, 36), (4, 2, 24), (2, 4, 8)] {
        let rows: Vec<Row> = (0..size as u32).map(|row| vec![row; group_count]).collect();
        let alone: Vec<Vec<usize>> = (0..group_count).map(|column| vec![column]).collect();
        let groups = named(group_count, &alone, Overlap::Forbidden);
        let bucket = [(0..size).collect::<Vec<_>>()];
        let bags = Outcomes::certain(rows.clone()).slice(&alone, &bucket).unwrap().bags().unwrap();
        assert_eq!(bags.len(), outcomes);
        let expected: BTreeMap<Vec<Row>, Ratio> =
            bags.iter().map(|(bag, probability)| (bag.to_vec(), probability)).collect();
        let layout = layout(&bucket);
        assert!(fits(&expected, 10_000, |seed| {
            let mut bag = released(&rows, &groups, &draw(&layout, group_count, seed, RowOrder::Random));
            bag.sort();
            bag
        }));
    }
}

#[test]
fn the_definition_with_uniform_orders_fits_too() {
    let (rows, groups, buckets) = tiny();
    let bags = Outcomes::certain(rows.clone()).slice(groups.groups(), &buckets).unwrap().bags().unwrap();
    let expected = bags.iter().map(|(bag, probability)| (bag.to_vec(), probability)).collect();
    assert!(fits(&expected, 10_000, |seed| {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        let mut bag = slice(&rows, &buckets, &groups, &mut |length| uniform(&mut random, length));
        bag.sort();
        bag
    }));
}

#[test]
fn planted_faults_do_not_fit() {
    let sound = |rows: &[Row], seed| {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        by_orders(rows, &mut |_, _, length| uniform(&mut random, length))
    };
    assert!(carried_fit(sound));
    // Swapping every place with any place: the classic biased shuffle.
    assert!(!carried_fit(|rows, seed| {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        by_orders(rows, &mut |_, _, length| {
            let mut order: Vec<usize> = (0..length).collect();
            (0..length).for_each(|place| order.swap(place, (random.next_u64() % length as u64) as usize));
            order
        })
    }));
    // Sattolo's shuffle, one off: cycles only.
    assert!(!carried_fit(|rows, seed| {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        by_orders(rows, &mut |_, _, length| {
            let mut order: Vec<usize> = (0..length).collect();
            (1..length).rev().for_each(|last| order.swap(last, (random.next_u64() % last as u64) as usize));
            order
        })
    }));
    // One order for all groups of a bucket.
    assert!(!carried_fit(|rows, seed| {
        by_orders(rows, &mut |bucket, _, length| {
            uniform(&mut ChaCha20Rng::seed_from_u64(seed << 8 | bucket as u64), length)
        })
    }));
    // Sorted groups, and no permutation at all.
    assert!(!carried_fit(|rows, _| by_orders(rows, &mut |_, _, length| (0..length).rev().collect())));
    assert!(!carried_fit(|rows, _| rows.to_vec()));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let codes: Vec<u32> = (0..60_000_u32).map(|row| row * 7919 % 37).collect();
    for layout in [
        Layout::by_value(&codes, SmallBuckets::Refuse, MinimumSize::TWO).unwrap(),
        Layout::undivided(60_000).unwrap(),
    ] {
        for order in [RowOrder::Random, RowOrder::Carried] {
            let with = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| draw(&layout, 3, 5, order))
            };
            let one = with(1);
            assert!(one == with(2) && one == with(7));
            assert!(one != draw(&layout, 3, 6, order));
        }
    }
}

#[test]
fn no_permutation_and_a_shared_one_are_noticed_on_a_release() {
    let rows: Vec<Row> = (0..200).map(|row| vec![row % 50, row * 3 % 71, row * 5 % 83]).collect();
    let groups = named(3, &[vec![0], vec![1], vec![2]], Overlap::Forbidden);
    let layout = layout(&[(0..100).collect(), (100..200).collect()]);
    let old = columns(&rows);
    let before = Sliced { columns: &of(&old), layout: &layout };
    let look = |gathers: &[&[u32]; 3]| {
        let new: Vec<Vec<u32>> = old
            .iter()
            .zip(gathers)
            .map(|(codes, gather)| gather.iter().map(|&row| codes[row as usize]).collect())
            .collect();
        let after = Sliced { columns: &of(&new), layout: &layout };
        assert_eq!(invariants(&groups, before, after), Ok(()));
        let found = suspicions(&groups, before, after);
        assert!(found.iter().all(|suspicion| suspicion.fault == Fault::Unchanged && suspicion.buckets == 2));
        found.iter().map(|suspicion| suspicion.groups).collect::<Vec<_>>()
    };
    let drawn = draw(&layout, 3, 11, RowOrder::Carried);
    assert_eq!(look(&[drawn.group(0), drawn.group(1), drawn.group(2)]), []);
    assert_eq!(look(&[drawn.group(0), drawn.group(1), drawn.group(0)]), [(1, 3)]);
    let identity: Vec<u32> = (0..200).collect();
    assert_eq!(look(&[&identity, &identity, &identity]), [(1, 2), (1, 3), (2, 3)]);
}

/// A table, its groups (with copies now and then) and its buckets.
fn table() -> impl Strategy<Value = (Vec<Row>, ColumnGroups, Layout)> {
    (2..6_usize, 2..60_usize).prop_flat_map(|(width, length)| {
        let rows = prop::collection::vec(prop::collection::vec(0..6_u32, width), length);
        let first = prop::collection::vec(0..width, width);
        let second = prop::collection::vec(prop::option::weighted(0.2, 0..width), width);
        let buckets = prop::collection::vec(0..4_u32, length);
        (rows, first, second, buckets).prop_map(move |(rows, first, second, buckets)| {
            let mut groups: Vec<Vec<usize>> = vec![Vec::new(); width];
            for column in 0..width {
                groups[first[column]].push(column);
                if let Some(other) = second[column].filter(|&other| other != first[column]) {
                    groups[other].push(column);
                }
            }
            groups.retain(|group| !group.is_empty());
            let layout = Layout::by_value(&buckets, SmallBuckets::Merge, MinimumSize::TWO).unwrap();
            (rows, named(width, &groups, Overlap::Copies), layout)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn slicing_keeps_its_invariants((rows, groups, layout) in table(), seed in 0..1000_u64, carried in any::<bool>()) {
        let order = if carried { RowOrder::Carried } else { RowOrder::Random };
        let gathers = draw(&layout, groups.len(), seed, order);
        let old = columns(&rows);
        let new = gathers.gather(&groups, &of(&old));
        let after = gathers.layout(&layout);
        let (before, after) =
            (Sliced { columns: &of(&old), layout: &layout }, Sliced { columns: &of(&new), layout: &after });
        prop_assert_eq!(invariants(&groups, before, after), Ok(()));
        prop_assert_eq!(suspicions(&groups, before, after), []);
        for group in 0..groups.len() {
            let mut all = gathers.group(group).to_vec();
            all.sort_unstable();
            prop_assert_eq!(all, (0..rows.len() as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_kernel_is_the_definition_with_its_own_orders((rows, groups, layout) in table(), seed in 0..1000_u64) {
        let gathers = draw(&layout, groups.len(), seed, RowOrder::Random);
        let after = gathers.layout(&layout);
        let buckets: Vec<Vec<usize>> =
            layout.iter().map(|bucket| bucket.iter().map(|&row| row as usize).collect()).collect();
        // The orders that were drawn, as places in the bucket.
        let mut orders = Vec::new();
        for number in 0..layout.buckets() {
            for group in 0..groups.len() {
                let place = |row: u32| layout.bucket(number).iter().position(|&other| other == row).unwrap();
                orders.push(after.bucket(number).iter().map(|&p| place(gathers.group(group)[p as usize])).collect());
            }
        }
        let mut orders = orders.into_iter();
        let expected = slice(&rows, &buckets, &groups, &mut |_| orders.next().unwrap());
        let new = transposed(&gathers.gather(&groups, &of(&columns(&rows))), rows.len());
        let in_buckets: Vec<Row> = after.order().iter().map(|&position| new[position as usize].clone()).collect();
        prop_assert_eq!(in_buckets, expected);
    }

    #[test]
    fn figures_inside_a_group_are_equal_to_the_last_bit((rows, groups, layout) in table(), seed in 0..1000_u64) {
        let gathers = draw(&layout, groups.len(), seed, RowOrder::Random);
        let old = columns(&rows);
        let new = gathers.gather(&groups, &of(&old));
        for pair in coded_pairs(&groups, &of(&old), &of(&new)) {
            if pair.fate == Fate::Kept {
                prop_assert_eq!(pair.cramers_v.before, pair.cramers_v.after);
                prop_assert_eq!(pair.mutual_information.before, pair.mutual_information.after);
            }
        }
        let number = |codes: &Vec<u32>| codes.iter().map(|&code| f64::from(code).sqrt() * 0.1).collect::<Vec<f64>>();
        let (old, new): (Vec<_>, Vec<_>) = (old.iter().map(number).collect(), new.iter().map(number).collect());
        let copies: Vec<Vec<&[f64]>> = (0..old.len())
            .map(|column| {
                let released = groups.released();
                (0..new.len()).filter(|&place| released[place].source == column).map(|place| new[place].as_slice()).collect()
            })
            .collect();
        let numeric: Vec<NumericColumn<'_>> = (0..old.len())
            .map(|column| NumericColumn { column, before: &old[column], after: &copies[column] })
            .collect();
        for pair in numeric_pairs(&groups, &numeric).iter().filter(|pair| pair.fate == Fate::Kept) {
            prop_assert_eq!(pair.correlation.before, pair.correlation.after);
            prop_assert_eq!(pair.regression.before, pair.regression.after);
        }
    }

    #[test]
    fn copies_are_sliced_as_columns_of_their_own((rows, groups, _) in table()) {
        let released = groups.released_groups();
        let wide = with_copies(&rows, &groups);
        let mut seen: Vec<usize> = released.concat();
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..wide[0].len()).collect::<Vec<_>>());
    }
}
