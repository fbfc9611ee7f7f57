//! What one node keeps, boxes keep; and what fewer rows keep.

use super::*;
use crate::criteria::Suppression;

/// δ-presence from below needs one class for everybody of the population: boxes are not asked for it.
fn from_above(wishes: Vec<Wish>) -> Vec<Wish> {
    let above = |wish| match wish {
        Wish::Presence(_, max) => Wish::Presence(0, max),
        other => other,
    };
    wishes.into_iter().map(above).collect()
}

/// The metric of a node, lower is better.
fn loss_of(metric: Metric, solution: &crate::release::Solution) -> f64 {
    let figure = solution.losses.iter().find(|(of, _)| *of == metric).map_or(f64::NAN, |&(_, loss)| loss);
    metric.as_defined(figure)
}

/// Suppressed rows are not charged in boxes as they are in a node, where they have labels and classes.
const CHARGES_OTHERWISE: [Metric; 3] =
    [Metric::NonUniformEntropy, Metric::NonMonotoneNonUniformEntropy, Metric::MonotoneDiscernibility];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(random_tables(1500)))]

    #[test]
    fn no_node_loses_less(
        fixture in small_table(), wishes in wishes(), metric in 0..METRICS.len(), limit in 0u64..8,
        moves in prop::sample::select(vec![0u64, 100]), uniform: bool,
    ) {
        let metric = METRICS[metric];
        let task = task(&fixture, &from_above(wishes), metric, limit);
        let best = task.solve(Algorithm::BestFirst, &crate::solve::Effort::default()).unwrap();
        let Some(best) = best else { return Ok(()) };
        let effort = Effort { moves: Some(moves), ..Effort::default() };
        let most = vec![uniform.then_some(1); task.ladders().len()];
        let found = if uniform { task.recode_limited(&most, &effort) } else { task.recode(&effort) };
        let found = found.unwrap();
        prop_assert!(found.is_some(), "what one node keeps, boxes keep");
        let found = found.unwrap();
        prop_assert!(found.solution.holds && covers(&task, boxes(&found)));
        prop_assert!(found.lower_bound <= found.loss + 1e-7 * (1.0 + found.loss));
        if limit == 0 || !CHARGES_OTHERWISE.contains(&metric) {
            let node = loss_of(metric, &best);
            prop_assert!(found.loss <= node + 1e-7 * (1.0 + node), "{} {} {node}", metric.name(), found.loss);
        }
    }

    #[test]
    fn no_node_of_the_ends_loses_less_than_single_cells(
        fixture in small_table(), wishes in wishes(), limit in 0u64..8,
    ) {
        let task = task(&fixture, &from_above(wishes), Metric::Loss, limit);
        let ends: Vec<Vec<u8>> = task.ladders().iter()
            .map(|ladder| if ladder.max_level() == 0 { vec![0] } else { vec![0, ladder.max_level()] }).collect();
        let found = task.recode_within(&ends, &Effort { moves: Some(50), ..Effort::default() }).unwrap();
        let checker = task.checker(1 << 20);
        for index in 0..task.lattice().node_count() as u64 {
            let node = task.lattice().node(index);
            let is_allowed = node.levels().iter().zip(&ends).all(|(level, ends)| ends.contains(level));
            if is_allowed && checker.check(&node).unwrap().holds {
                let loss = loss_of(Metric::Loss, &checker.solution(&node).unwrap());
                prop_assert!(found.is_some(), "what one node keeps, boxes keep");
                prop_assert!(found.as_ref().unwrap().loss <= loss + 1e-7);
            }
        }
    }

    #[test]
    fn rows_are_left_out_where_the_others_hold_together(
        fixture in tiny_table(), entropy in 12u64..25, limit in 1u64..8, which: bool,
    ) {
        let wish = if which { Wish::Entropy(entropy) } else { Wish::Recursive(entropy / 2, 2) };
        let task = task(&fixture, &[wish], Metric::Loss, limit);
        let table = task.tuples().held().unwrap();
        let tuples: Vec<usize> = (0..table.tuple_count()).filter(|&tuple| table.rows()[tuple] > 0).collect();
        let criteria = crate::testing::criteria(&[wish], table, limit);
        // Any set of tuples that holds as one class.
        let holds = (1u32..1 << tuples.len()).any(|set| {
            let mut dense = vec![0u32; 4];
            let kept = tuples.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
            let mut rows = 0u64;
            for (_, &tuple) in kept {
                let (values, counts) = table.sensitive()[0].histograms.entry(tuple);
                values.iter().zip(counts).for_each(|(&value, &count)| dense[value as usize] += count);
                rows += u64::from(table.rows()[tuple]);
            }
            let present: Vec<u32> = (0..4).filter(|&value| dense[value as usize] > 0).collect();
            let distributions = [Distribution::of_rows(&dense, &present, rows)];
            let class = Class { rows, population: rows, distributions: &distributions };
            table.row_count() - rows <= task.suppression_limit() && criteria.hold(&class)
        });
        let found = task.recode(&Effort { moves: Some(20), ..Effort::default() }).unwrap();
        prop_assert!(found.is_some() || !holds);
        if let Some(found) = found {
            prop_assert!(judge(&task, &released(&task, &found)).is_ok());
        }
    }
}

proptest! {
    #[test]
    fn what_is_left_step_by_step_holds(fixture in small_table(), entropy in 12u64..25, which: bool) {
        let wish = if which { Wish::Entropy(entropy) } else { Wish::Recursive(entropy / 2, 2) };
        let task = task(&fixture, &[wish], Metric::Loss, 1);
        let space = space::Space::new(&task, &all_levels(&task)).unwrap();
        let mut judge = super::super::judge::Judge::new(&space);
        let kept = reduce::step_by_step(&space, &mut judge, space.tuples.clone());
        let rows: u64 = kept.iter().map(|&tuple| space.rows(tuple)).sum();
        prop_assert!(kept.is_empty() || judge.holds(rows, kept.iter().copied()));
    }
}

#[test]
fn a_long_table_loses_as_few_rows_as_entropy_asks_for() {
    // 60 combinations: 40 rows show the value 0, and ten each the values 1 and 2.
    let lines: Vec<String> = (0..60).map(|code| format!("v{code} *")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let rows: Vec<_> = (0..60u32).map(|code| (vec![code], (code / 10).saturating_sub(3), true)).collect();
    let fixture = Fixture::new(vec![ladder(&lines)], &rows, 3);
    let task = task(&fixture, &[Wish::Entropy(29)], Metric::Loss, 40);
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    // With 16 rows of the first value exp(H) is 2.92, with 17 it is 2.89.
    assert_eq!(found.solution.suppressed_rows, 24);
}

#[test]
fn frequent_values_are_left_out_until_entropy_is_large_enough() {
    // Two of three rows show the value 0: all rows together have too little entropy, and so has every node.
    let ladders = vec![ladder(&["a x *", "b x *", "c y *", "d y *", "e z *", "f z *"])];
    let rows = [0, 0, 0, 0, 1, 2].into_iter().enumerate();
    let rows: Vec<_> = rows.map(|(code, value)| (vec![code as u32], value, true)).collect();
    let fixture = Fixture::new(ladders, &rows, 3);
    let wishes = [Wish::Entropy(29)];
    for limit in 0..3 {
        let task = task(&fixture, &wishes, Metric::Loss, limit);
        assert!(task.recode(&Effort::default()).unwrap().is_none(), "three rows must go");
    }
    let task = task(&fixture, &wishes, Metric::Loss, 3);
    assert!(task.solve(Algorithm::BestFirst, &crate::solve::Effort::default()).unwrap().is_none());
    let found = task.recode(&Effort::default()).unwrap().unwrap();
    assert_eq!(found.solution.suppressed_rows, 3);
    assert!(judge(&task, &released(&task, &found)).is_ok());
    assert!(!task.criteria().members()[0].is_monotone(Suppression::Allowed));
}
