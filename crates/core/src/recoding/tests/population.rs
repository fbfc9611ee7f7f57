//! Boxes and a population: the rows of a tuple there belong to the class of its rows here.

use super::*;
use crate::exact::Fraction;

/// By class of equal released labels: rows of the table, rows of the population that are alike with one of them in everything.
fn shares(task: &Task, levels: &BTreeMap<usize, Vec<u8>>) -> Vec<(u64, u64)> {
    let table = task.tuples().held().unwrap();
    let mut classes: BTreeMap<Vec<Option<String>>, (u64, u64)> = BTreeMap::new();
    for (&tuple, levels) in levels {
        let texts = levels.iter().enumerate().map(|(column, &level)| text(task, column, tuple, level));
        let class = classes.entry(texts.collect()).or_default();
        class.0 += u64::from(table.rows()[tuple]);
        class.1 += u64::from(table.population().unwrap()[tuple]);
    }
    classes.into_values().collect()
}

fn keeps(shares: &[(u64, u64)], k: u64, max: u64) -> bool {
    let max = Fraction::new(max, 10).unwrap();
    let within = |&(rows, population): &(u64, u64)| {
        max.compare_with(u128::from(rows), u128::from(population)) != std::cmp::Ordering::Greater
    };
    shares.iter().all(|share| share.0 >= k && within(share))
}

/// The least loss over all partitions of the tuples, no row left out.
fn least(task: &Task, k: u64, max: u64) -> Option<f64> {
    let table = task.tuples().held().unwrap();
    let tuples: Vec<usize> = (0..table.tuple_count()).filter(|&tuple| table.rows()[tuple] > 0).collect();
    let mut best: Option<f64> = None;
    partitions(tuples.len(), &mut Vec::new(), 0, &mut |part_of, parts| {
        let mut levels: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
        for part in 0..parts {
            let members: Vec<usize> =
                (0..tuples.len()).filter(|&at| part_of[at] == part).map(|at| tuples[at]).collect();
            let shown = finest_box(task, &members);
            members.into_iter().for_each(|tuple| {
                levels.insert(tuple, shown.clone());
            });
        }
        if keeps(&shares(task, &levels), k, max) {
            let released = rows_of(table).into_iter().map(|tuple| (tuple, levels.get(&tuple).cloned()));
            let loss = loss(task, &released.collect(), &[], 0);
            best = Some(best.map_or(loss, |best| best.min(loss)));
        }
    });
    best
}

proptest! {
    #[test]
    fn shares_of_the_population_are_kept_and_bounded(fixture in tiny_table(), k in 1u64..4, max in 4u64..11) {
        prop_assume!(fixture.table.population().is_some() && fixture.table.row_count() > 0);
        let task = task(&fixture, &[Wish::K(k), Wish::Presence(0, max)], Metric::Loss, 0);
        let least = least(&task, k, max);
        let found = task.recode(&Effort { moves: Some(40), ..Effort::default() }).unwrap();
        prop_assert!(found.is_none() || least.is_some());
        let Some(found) = found else { return Ok(()) };
        let shown = boxes(&found);
        let levels = (0..shown.box_of.len()).filter_map(|tuple| Some((tuple, shown.of(tuple)?.levels.to_vec())));
        let shares = shares(&task, &levels.collect());
        prop_assert!(keeps(&shares, k, max), "{shares:?}");
        let least = least.unwrap();
        prop_assert!(found.lower_bound <= least + 1e-7, "bound {} optimum {least}", found.lower_bound);
        prop_assert!(least <= found.loss + 1e-7, "optimum {least} found {}", found.loss);
    }
}

#[test]
fn a_class_that_only_the_population_has_cannot_be_judged() {
    let fixture = crate::testing::male_patients();
    let task = task(&fixture, &[Wish::Presence(1, 10)], Metric::Loss, 0);
    assert!(matches!(task.recode(&Effort::default()), Err(RecodingError::Population)));
}
