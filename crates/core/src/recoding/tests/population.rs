//! Boxes and a population: who is counted where, by the definition.

use super::*;
use crate::exact::Fraction;

type Texts = Vec<Option<String>>;

/// By class of equal released labels: rows of the table, rows of the population that are alike with one of them in everything, and rows
/// that are like no row of the table and that no other class covers.
fn shares(task: &Task, levels: &BTreeMap<usize, Vec<u8>>) -> Vec<(u64, u64)> {
    let table = task.tuples().held().unwrap();
    let population = table.population().unwrap();
    let texts = |tuple: usize, levels: &[u8]| -> Texts {
        levels.iter().enumerate().map(|(column, &level)| text(task, column, tuple, level)).collect()
    };
    let mut classes: BTreeMap<Texts, (u64, u64)> = BTreeMap::new();
    let mut shown: BTreeSet<(Vec<u8>, Texts)> = BTreeSet::new();
    for (&tuple, levels) in levels {
        let class = classes.entry(texts(tuple, levels)).or_default();
        class.0 += u64::from(table.rows()[tuple]);
        class.1 += u64::from(population[tuple]);
        shown.insert((levels.clone(), texts(tuple, levels)));
    }
    for tuple in (0..table.tuple_count()).filter(|&tuple| table.rows()[tuple] == 0) {
        let covers: Vec<&(Vec<u8>, Texts)> =
            shown.iter().filter(|(levels, read)| texts(tuple, levels) == *read).collect();
        if let [(_, read)] = covers[..] {
            classes.get_mut(read).unwrap().1 += u64::from(population[tuple]);
        }
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

/// The least loss over all partitions of the tuples, no row left out, with the finest boxes raised to a node, whichever it is.
fn least(task: &Task, k: u64, max: u64) -> Option<f64> {
    let table = task.tuples().held().unwrap();
    let tuples: Vec<usize> = (0..table.tuple_count()).filter(|&tuple| table.rows()[tuple] > 0).collect();
    let nodes: Vec<Vec<u8>> = (0..task.lattice().node_count() as u64)
        .map(|index| task.lattice().node(index).levels().to_vec())
        .collect();
    let mut best: Option<f64> = None;
    partitions(tuples.len(), &mut Vec::new(), 0, &mut |part_of, parts| {
        for node in &nodes {
            let mut levels: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
            for part in 0..parts {
                let members: Vec<usize> =
                    (0..tuples.len()).filter(|&at| part_of[at] == part).map(|at| tuples[at]).collect();
                let finest = finest_box(task, &members);
                let shown: Vec<u8> = finest.iter().zip(node).map(|(a, b)| *a.max(b)).collect();
                members.into_iter().for_each(|tuple| {
                    levels.insert(tuple, shown.clone());
                });
            }
            if keeps(&shares(task, &levels), k, max) {
                let released = rows_of(table).into_iter().map(|tuple| (tuple, levels.get(&tuple).cloned()));
                let loss = loss(task, &released.collect(), &[], 0);
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
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
        prop_assert!(found.is_none() || least.is_some(), "nothing but the whole table as one class is left");
        let Some(found) = found else { return Ok(()) };
        let shown = boxes(&found);
        let levels = (0..shown.box_of.len()).filter_map(|tuple| Some((tuple, shown.of(tuple)?.levels.to_vec())));
        let shares = shares(&task, &levels.collect());
        prop_assert!(keeps(&shares, k, max), "{shares:?}");
        let figure = found.solution.achieved[1].get("max").unwrap();
        let largest = shares.iter().map(|&(rows, population)| rows as f64 / population as f64).fold(0.0, f64::max);
        prop_assert!(close(figure, largest), "{figure} {largest}");
        let mut visited = Vec::new();
        task.visit_boxes(shown, |class| visited.push((class.rows, class.population))).unwrap();
        visited.sort_unstable();
        let mut expected = shares;
        expected.sort_unstable();
        prop_assert_eq!(visited, expected);
        prop_assert!(found.lower_bound <= least.unwrap() + 1e-7, "bound {} {least:?}", found.lower_bound);
        prop_assert!(found.lower_bound <= found.loss + 1e-7);
    }
}

#[test]
fn whoever_only_the_population_has_is_counted_in_the_one_box_that_covers_him() {
    // Two rows of the table and four that only the population has.
    let ladders = vec![ladder(&["a x *", "b x *", "c x *", "d y *", "e y *", "f y *"])];
    let rows: Vec<_> = (0..6).map(|code| (vec![code], 0, code % 3 == 0)).collect();
    let fixture = Fixture::new(ladders, &rows, 1);
    let task = task(&fixture, &[Wish::Presence(0, 4)], Metric::Loss, 0);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    let shown: Vec<u8> = boxes(&found).boxes.iter().map(|shown| shown.levels[0]).collect();
    assert_eq!(shown, [1, 1], "a row of three in x, a row of three in y");
    assert!(close(found.solution.achieved[0].get("max").unwrap(), 1.0 / 3.0));
    assert!(found.lower_bound > 0.0 && found.lower_bound <= found.loss);
}

#[test]
fn a_class_that_only_the_population_has_cannot_be_judged() {
    let fixture = crate::testing::male_patients();
    let task = task(&fixture, &[Wish::Presence(1, 10)], Metric::Loss, 0);
    assert!(matches!(task.recode(&Effort::default()), Err(RecodingError::Population)));
}
