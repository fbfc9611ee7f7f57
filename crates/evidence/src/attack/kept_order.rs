//! How many rows a kept order links with their source.
//!
//! A correlation of places says little where many rows look alike. So places are compared directly: the j-th released row with the
//! j-th record of the source, in the whole table and among the rows of a class or of a secret, forwards and backwards, and turned round by
//! any number of rows; the share that fits is held against the share that fits by chance. An order that was cut into blocks keeps
//! short sequences of rows: those that the source has too are counted, and held against random orders of the same rows.
//! All of it is sure beyond chance by [`SURE`] deviations, and random orders come from a fixed seed: a table has one answer.

use super::Released;
use super::classes::Classes;
use super::projection::Projection;
use super::sortedness::sorted_runs;
use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;
use rand::seq::SliceRandom;
use std::collections::HashMap;

/// So many deviations above chance. Thousands of comparisons are made; none of them is that far off by chance.
const SURE: f64 = 7.0;
/// Up to here every turn is tried; in a larger table those that a few windows of rows suggest.
const EVERY_TURN: usize = 4_096;
/// Rows of a window, and how many windows.
const WINDOW: usize = 32;
const WINDOWS: usize = 4;
/// Random orders whose sequences are counted.
const ORDERS: usize = 8;
/// Sequences that are looked up at most.
const SEQUENCES: usize = 20_000;
/// Their lengths.
const LENGTHS: [usize; 3] = [2, 3, 4];
/// How far apart the rows of a sequence are, in the release and in the source: neighbours, every other row of one of them.
const STEPS: [(usize, usize); 3] = [(1, 1), (1, 2), (2, 1)];

/// Rows that an order links.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept {
    /// Share of the rows beyond what fits by chance, of what chance leaves.
    pub(super) linked: f64,
    /// How they were found.
    pub(super) how: &'static str,
}

/// The way that links most rows; `None` where no way links more than chance does.
pub(super) fn kept_order(released: &Released, source: &Projection) -> Option<Kept> {
    let contents = Classes::by(&released.table, &source.columns);
    let rows = contents.of_row();
    let records: Vec<u32> = source.classes(&contents).into_iter().flatten().collect();
    let (runs, sorted) = sorted_runs(released);
    if sorted || rows.len() < 2 || records.is_empty() {
        return None;
    }
    // What a content belongs to, the same for rows and records.
    let by_content = |of_row: &[u32]| -> Vec<u32> {
        let mut of = vec![0; contents.len()];
        rows.iter().zip(of_row).for_each(|(&content, &number)| of[content as usize] = number);
        of
    };
    let class = released.classes.of_row();
    let run_of = by_content(&runs);
    let groups = 1 + class.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let is_grouped = 2 * groups <= 3 * released.classes.len() && 2 * groups <= rows.len();
    let class_of = by_content(class);
    let base = if is_grouped { joined(&run_of, &class_of) } else { run_of };
    let mut found: Vec<Kept> = Vec::new();
    let mut strata = vec![("row by row", base.clone()), ("inside the classes", joined(&base, &class_of))];
    for &place in &released.sensitive {
        let of = by_content(released.column(place).codes());
        strata.push(("among rows with the same secret", joined(&base, &of)));
    }
    let turned = turns(rows, &records);
    let backwards: Vec<u32> = records.iter().rev().copied().collect();
    for &(how, ref stratum) in &strata {
        for order in turned.iter().chain([&records, &backwards]) {
            found.extend(aligned(rows, order, stratum, how));
        }
    }
    found.extend(in_sequences(rows, &records, &base));
    found.into_iter().max_by(|a, b| a.linked.total_cmp(&b.linked))
}

/// Numbers for contents that agree in two numberings.
fn joined(one: &[u32], two: &[u32]) -> Vec<u32> {
    let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
    let number = |(&a, &b): (&u32, &u32)| {
        let next = numbers.len() as u32;
        *numbers.entry((a, b)).or_insert(next)
    };
    one.iter().zip(two).map(number).collect()
}

/// Whether a count is surely more than chance explains, and by how much of what chance leaves.
fn beyond(count: f64, chance: f64, all: f64, how: &'static str) -> Option<Kept> {
    let is_sure = count - chance >= SURE * (chance + 1.0).sqrt();
    (is_sure && all > chance).then(|| Kept { linked: ((count - chance) / (all - chance)).min(1.0), how })
}

/// The j-th row of each stratum beside the j-th record of it. By chance a record of content c stands beside one with the share of c.
fn aligned(rows: &[u32], records: &[u32], stratum: &[u32], how: &'static str) -> Option<Kept> {
    let count = stratum.iter().max().map_or(0, |&last| last as usize + 1);
    let mut records_of: Vec<Vec<u32>> = vec![Vec::new(); count];
    records.iter().for_each(|&content| records_of[stratum[content as usize] as usize].push(content));
    let mut next = vec![0usize; count];
    let (mut fits, mut all) = (0u64, 0u64);
    for &content in rows {
        let of = stratum[content as usize] as usize;
        if let Some(&record) = records_of[of].get(next[of]) {
            fits += u64::from(record == content);
            all += 1;
        }
        next[of] += 1;
    }
    let contents = stratum.len();
    let (mut in_rows, mut in_records) = (vec![0u64; contents], vec![0u64; contents]);
    rows.iter().for_each(|&content| in_rows[content as usize] += 1);
    records.iter().for_each(|&content| in_records[content as usize] += 1);
    let mut chance = 0.0;
    for content in 0..contents {
        let of = stratum[content] as usize;
        let most = next[of].max(records_of[of].len()).max(1);
        chance += in_rows[content] as f64 * in_records[content] as f64 / most as f64;
    }
    beyond(fits as f64, chance, all as f64, how)
}

/// The source turned round so that most rows fit, and the same backwards; nothing where no turn is sure.
fn turns(rows: &[u32], records: &[u32]) -> Vec<Vec<u32>> {
    let backwards: Vec<u32> = records.iter().rev().copied().collect();
    let best = |records: &[u32]| -> Option<Vec<u32>> {
        let fits = |turn: usize| {
            let order = records[turn..].iter().chain(&records[..turn]);
            rows.iter().zip(order).filter(|(row, record)| row == record).count()
        };
        let candidates: Vec<usize> = match records.len() {
            0..=EVERY_TURN => (0..records.len()).collect(),
            _ => suggested(rows, records),
        };
        let best = candidates.into_iter().max_by_key(|&turn| (fits(turn), std::cmp::Reverse(turn)))?;
        Some(records[best..].iter().chain(&records[..best]).copied().collect())
    };
    [records, &backwards].into_iter().filter_map(best).collect()
}

/// The turns that bring windows of rows to where most of them fit.
fn suggested(rows: &[u32], records: &[u32]) -> Vec<usize> {
    let window = WINDOW.min(rows.len());
    let starts = (0..WINDOWS).map(|number| number * (rows.len() - window) / WINDOWS);
    let turn = |start: usize| {
        let fits = |place: &usize| {
            let at = |offset: usize| records[(place + offset) % records.len()];
            (0..window).filter(|&offset| rows[start + offset] == at(offset)).count()
        };
        let best = (0..records.len()).max_by_key(|place| (fits(place), std::cmp::Reverse(*place)));
        best.map(|place| (place + records.len() - start % records.len()) % records.len())
    };
    starts.filter_map(turn).collect()
}

/// Short sequences of the release that the source has too. Random orders are drawn inside the strata.
fn in_sequences(rows: &[u32], records: &[u32], stratum: &[u32]) -> Option<Kept> {
    let mut random = ChaCha20Rng::seed_from_u64(0x6b65_7074);
    let mut places_of: Vec<Vec<usize>> = Vec::new();
    for (row, &content) in rows.iter().enumerate() {
        let of = stratum[content as usize] as usize;
        if places_of.len() <= of {
            places_of.resize(of + 1, Vec::new());
        }
        places_of[of].push(row);
    }
    let orders: Vec<Vec<u32>> = (0..ORDERS)
        .map(|_| {
            let mut order = rows.to_vec();
            for places in &places_of {
                let mut own: Vec<u32> = places.iter().map(|&place| rows[place]).collect();
                own.shuffle(&mut random);
                places.iter().zip(own).for_each(|(&place, content)| order[place] = content);
            }
            order
        })
        .collect();
    let backwards: Vec<u32> = records.iter().rev().copied().collect();
    let mut found: Vec<Kept> = Vec::new();
    for (length, (step, source_step)) in
        LENGTHS.into_iter().flat_map(|length| STEPS.map(|steps| (length, steps)))
    {
        let of = |order: &[u32]| sequences(order, length, step);
        let (own, random) = (of(rows), orders.iter().map(|order| of(order)).collect::<Vec<_>>());
        for source in [records, &backwards] {
            let common = |wanted: &[u64]| in_common(wanted, source, length, source_step);
            let chance = random.iter().map(|order| common(order) as f64).sum::<f64>() / ORDERS as f64;
            found.extend(beyond(common(&own) as f64, chance, own.len() as f64, "in pieces of the order"));
        }
    }
    found.into_iter().max_by(|a, b| a.linked.total_cmp(&b.linked))
}

/// The sequences of an order as numbers, at most [`SEQUENCES`] of them, evenly spread.
fn sequences(order: &[u32], length: usize, step: usize) -> Vec<u64> {
    let count = order.len().saturating_sub((length - 1) * step);
    (0..count)
        .step_by(count.div_ceil(SEQUENCES).max(1))
        .map(|start| sequence(order, start, length, step))
        .collect()
}

/// Two sequences have the same number only by a chance of one in 2⁶⁴.
fn sequence(order: &[u32], start: usize, length: usize, step: usize) -> u64 {
    (0..length).fold(0x9e37_79b9_7f4a_7c15_u64, |number, at| {
        let mixed = (number ^ u64::from(order[start + at * step])).wrapping_mul(0xff51_afd7_ed55_8ccd);
        mixed ^ (mixed >> 32)
    })
}

/// How many of the sequences the source has, each as often as both have it.
fn in_common(wanted: &[u64], source: &[u32], length: usize, step: usize) -> u64 {
    let mut left: HashMap<u64, u64> = HashMap::new();
    wanted.iter().for_each(|&number| *left.entry(number).or_insert(0) += 1);
    let count = source.len().saturating_sub((length - 1) * step);
    let mut common = 0;
    for start in 0..count {
        if let Some(left) = left.get_mut(&sequence(source, start, length, step)).filter(|left| **left > 0) {
            *left -= 1;
            common += 1;
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::testing::table;
    use rand::RngExt;

    type Rows = Vec<(u32, u32)>;

    /// Classes and secrets of people in the order of admission, without a pattern.
    fn admitted(rows: u32, secrets: u32, seed: u64) -> Rows {
        let mut random = ChaCha20Rng::seed_from_u64(seed);
        (0..rows).map(|_| (random.random_range(0..6), random.random_range(0..secrets))).collect()
    }

    fn found(rows: &Rows, source: &Rows) -> Option<Kept> {
        let text: String = rows.iter().map(|(class, secret)| format!("\nc{class} s{secret:03}")).collect();
        let released = Released::new(table(&format!("class secret{text}")), vec![0], vec![1]);
        let code = |place: usize, cell: String| {
            released.column(place).labels().iter().position(|label| *label == cell).map(|code| code as u32)
        };
        let codes = vec![
            source.iter().map(|row| code(0, format!("c{}", row.0))).collect(),
            source.iter().map(|row| code(1, format!("s{:03}", row.1))).collect(),
        ];
        kept_order(&released, &Projection::new(vec![0, 1], codes))
    }

    fn shuffled_blocks(source: &Rows, size: usize, seed: u64) -> Rows {
        let mut blocks: Vec<&[(u32, u32)]> = source.chunks(size).collect();
        blocks.shuffle(&mut ChaCha20Rng::seed_from_u64(seed));
        blocks.concat()
    }

    #[test]
    fn orders_that_were_kept_in_any_way_are_found() {
        for secrets in [2, 6, 30] {
            let source = admitted(300, secrets, u64::from(secrets));
            let mut by_class = source.clone();
            by_class.sort_by_key(|row| row.0);
            let mut by_secret = source.clone();
            by_secret.sort_by_key(|row| row.1);
            let mut hashed = source.clone();
            hashed.sort_by_key(|row| (row.0 * 5 + 2) % 7);
            let mut turned = source.clone();
            turned.rotate_left(100);
            let backwards: Rows = source.iter().rev().copied().collect();
            for (way, rows) in [
                ("as it was", source.clone()),
                ("backwards", backwards),
                ("turned", turned),
                ("by class", by_class),
                ("by secret", by_secret),
                ("classes in another order", hashed),
                ("blocks of ten", shuffled_blocks(&source, 10, 4)),
            ] {
                let found = found(&rows, &source);
                assert!(found.is_some_and(|found| found.linked > 0.2), "{way}, {secrets} secrets: {found:?}");
            }
            let three = found(&shuffled_blocks(&source, 3, 4), &source);
            assert!(secrets == 2 || three.is_some_and(|found| found.linked > 0.2), "{secrets}: {three:?}");
        }
    }

    #[test]
    fn random_and_sorted_orders_link_nobody() {
        for seed in 0..12 {
            let source = admitted(300, [2, 6, 30, 300][seed as usize % 4], seed);
            let mut sorted_source = source.clone();
            sorted_source.sort_unstable();
            let mut random = source.clone();
            random.shuffle(&mut ChaCha20Rng::seed_from_u64(seed + 100));
            let mut by_class = random.clone();
            by_class.sort_by_key(|row| row.0);
            let mut grouped = random.clone();
            grouped.sort_by_key(|row| (row.0 * 5 + 2) % 7);
            for rows in [random, by_class, grouped, sorted_source.clone()] {
                assert_eq!(found(&rows, &source), None, "{seed}");
                assert_eq!(found(&rows, &sorted_source), None, "{seed}, a sorted source");
            }
        }
    }

    #[test]
    fn a_large_table_that_was_turned_is_found() {
        let source = admitted(9_000, 6, 1);
        let mut turned = source.clone();
        turned.rotate_left(3_333);
        assert!(found(&turned, &source).is_some_and(|found| found.linked > 0.99));
        turned.shuffle(&mut ChaCha20Rng::seed_from_u64(3));
        assert_eq!(found(&turned, &source), None);
    }
}
