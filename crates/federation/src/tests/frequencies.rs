//! What counting tokens tells: everything in A and B, nothing beyond a guess where made-up rows are flat.

use super::*;
use crate::{
    JointColumn, PartyColumn, Role, Shares, flattening_percent, frequency_attack, frequency_attack_on_average,
};
use paravent_core::hierarchy::Ladder;

/// Skewed columns: values of their own numbers each, the most frequent a third of the rows.
fn skewed() -> JointTable {
    let rows = 120usize;
    let column = |name: &str, role: Role, cells: Vec<u32>, values: usize| {
        let labels = |value: usize| {
            ["".to_owned(), "group ".to_owned(), "*".to_owned()]
                .iter()
                .enumerate()
                .map(|(level, text)| {
                    Some(match level {
                        0 => format!("{name} value {value}"),
                        1 => format!("{text}{}", value / 3),
                        _ => text.clone(),
                    })
                })
                .collect::<Vec<_>>()
        };
        let labels: Vec<Vec<Option<String>>> = (0..values).map(labels).collect();
        let data = PartyColumn::with_ladder(Ladder::from_labels(&labels).unwrap(), cells);
        JointColumn { name: name.to_owned(), role, data, hierarchy: None }
    };
    let quasi = || Role::QuasiIdentifier {
        height: 2,
        lowest: 0,
        highest: 2,
        weight: 1.0,
        shares: Shares::FromLeaves,
    };
    // Row i falls into the n-th value where i lies below the n-th of these.
    let spread = |ends: &'static [usize], step: usize| -> Vec<u32> {
        (0..rows).map(|row| ends.partition_point(|&end| end <= row * step % rows) as u32).collect()
    };
    const SIX: [usize; 6] = [45, 75, 95, 107, 115, 120];
    const EIGHT: [usize; 8] = [40, 64, 80, 93, 103, 111, 117, 120];
    const FOUR: [usize; 4] = [60, 90, 110, 120];
    JointTable {
        columns: vec![
            column("q0", quasi(), spread(&SIX, 1), 6),
            column("q1", quasi(), spread(&EIGHT, 7), 8),
            column("illness", Role::Sensitive { height: 2 }, spread(&FOUR, 11), 4),
        ],
        rows,
        sizes: None,
    }
}

/// Share of all cells read, by who knows the numbers; a blind guess.
fn figure(plan: &Plan, table: &JointTable) -> (f64, f64) {
    let seeds = 12;
    let (mut knowing, mut blind) = (0.0, 0.0);
    for seed in 0..seeds {
        let readings = frequency_attack(plan, table, seed).unwrap();
        let share = 1.0 / (readings.len() as f64 * seeds as f64);
        knowing += share * readings.iter().map(|reading| reading.knowing).sum::<f64>();
        blind += share * readings.iter().map(|reading| reading.blind).sum::<f64>();
    }
    (knowing, blind)
}

/// The same over so many choices of made-up rows that chance is small.
fn averaged(plan: &Plan, table: &JointTable) -> (f64, f64) {
    let readings: Vec<_> =
        (0..12).flat_map(|seed| frequency_attack_on_average(plan, table, seed).unwrap()).collect();
    let mean = |sum: f64| sum / readings.len() as f64;
    let sum = |part: fn(&crate::Reading) -> f64| readings.iter().map(part).sum::<f64>();
    (mean(sum(|reading| reading.knowing)), mean(sum(|reading| reading.blind)))
}

/// What the party takes that takes most.
fn percent_for(plan: &Plan, table: &JointTable) -> u16 {
    let parts = table.deal(plan);
    (0u16..).zip(&parts).map(|(number, part)| flattening_percent(plan, party(number), part)).max().unwrap()
}

/// The plan with as many made-up rows as it takes.
fn flat(table: &JointTable, split: Split) -> Plan {
    let mut plan = table.plan(FLAT, split, 3);
    let percent = percent_for(&plan, table);
    assert!(percent < 1000, "{percent}");
    plan.protocol = Protocol::C(PseudoRows { percent, shape: PseudoShape::Flat });
    plan
}

#[test]
fn tokens_of_rings_and_helpers_are_read_by_their_numbers() {
    let table = skewed();
    for protocol in [Protocol::A, Protocol::B] {
        for split in [Split::Horizontal, Split::Vertical] {
            let plan = table.plan(protocol, split, 3);
            let (knowing, blind) = figure(&plan, &table);
            assert!(knowing > 0.99 && blind < 0.2, "{protocol:?} {split:?}: {knowing} {blind}");
        }
    }
}

#[test]
fn flat_made_up_rows_leave_a_blind_guess() {
    let table = skewed();
    for split in [Split::Horizontal, Split::Vertical] {
        let plan = flat(&table, split);
        let (knowing, blind) = figure(&plan, &table);
        assert!((knowing - blind).abs() < 0.08, "{split:?}: {knowing} is not near {blind}");
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}

#[test]
fn made_up_rows_that_follow_the_real_frequencies_are_caught() {
    // The defect: however many there are, ranks stay what they were.
    let table = skewed();
    for shape in [PseudoShape::Copies, PseudoShape::Blocks] {
        for split in [Split::Horizontal, Split::Vertical] {
            let plan = table.plan(Protocol::C(PseudoRows { percent: 1000, shape }), split, 3);
            let (knowing, blind) = figure(&plan, &table);
            assert!(knowing > 0.6 && knowing > blind + 0.3, "{shape:?} {split:?}: {knowing} {blind}");
        }
    }
}

#[test]
fn too_few_flat_rows_are_told_from_enough() {
    let table = skewed();
    let mut plan = flat(&table, Split::Horizontal);
    plan.protocol = Protocol::C(PseudoRows { percent: 25, shape: PseudoShape::Flat });
    let (knowing, blind) = figure(&plan, &table);
    assert!(knowing > blind + 0.2, "{knowing} {blind}");
}

/// Labels of level 1 in every column that has levels to choose, and as many made-up rows as these take.
fn lifted_and_flat(table: &JointTable, split: Split) -> Plan {
    let mut plan = flat(table, split);
    let before = plan.protocol;
    for column in &mut plan.columns {
        if let Role::QuasiIdentifier { lowest, .. } = &mut column.role {
            *lowest = 1;
        }
    }
    let percent = percent_for(&plan, table);
    let Protocol::C(PseudoRows { percent: finer, .. }) = before else { unreachable!() };
    assert!(percent < finer, "{percent} is not below {finer}");
    plan.protocol = Protocol::C(PseudoRows { percent, shape: PseudoShape::Flat });
    plan
}

#[test]
fn lowest_levels_leave_less_to_read() {
    let mut table = skewed();
    // Every party has every label.
    let rows = &mut table.columns[0].data.rows;
    *rows = (0..rows.len()).map(|row| rows[row * 7 % rows.len()]).collect();
    for split in [Split::Horizontal, Split::Vertical] {
        let mut plan = lifted_and_flat(&table, split);
        assert_equals_central(&plan, &table, &run(&plan, &table));
        // Of two or three values one choice reads nearly all or nearly nothing, so many are averaged.
        let (knowing, blind) = averaged(&plan, &table);
        assert!((knowing - blind).abs() < 0.05, "{split:?}: {knowing} is not near {blind}");
        // Too few of them, and the same labels are read.
        plan.protocol = Protocol::C(PseudoRows { percent: 25, shape: PseudoShape::Flat });
        let (knowing, _) = averaged(&plan, &table);
        assert!(knowing > blind + 0.2, "{split:?}: {knowing} is near {blind}");
    }
}

#[test]
fn a_label_that_one_party_alone_has_is_read_and_that_is_admitted() {
    // The rarer label of the first column is at the last party only.
    let table = skewed();
    let plan = lifted_and_flat(&table, Split::Horizontal);
    let (knowing, blind) = averaged(&plan, &table);
    assert!(knowing > blind + 0.1, "{knowing} is near {blind}");
    let admitted = crate::leaks::LeakTable::of(&plan);
    assert!(admitted.leaks.iter().any(|leak| leak.what.contains("at how many parties a value occurs")));
}

#[test]
fn a_column_that_takes_more_made_up_rows_than_usual_is_known_with_the_number() {
    let table = skewed();
    let plan = table.plan(FLAT, Split::Vertical, 3);
    let parts = table.deal(&plan);
    // As the countries of a census: nearly everybody has one of many values.
    let mut alone = parts[0].clone();
    let values = alone.columns[0].cells.len() as u64;
    let (rare, rows) = (values - 1, alone.rows as u64);
    alone.columns[0].rows = (0..rows).map(|row| if row < rare { row as u32 + 1 } else { 0 }).collect();
    let needed = crate::flattening_percents(&plan, party(0), &alone);
    let exact = (((rows - rare + 12) * values - rows) * 100).div_ceil(rows);
    assert_eq!(needed, [(0, exact.next_multiple_of(25))]);
    // Lowest levels with fewer labels take fewer.
    let mut coarse = plan.clone();
    if let Role::QuasiIdentifier { lowest, .. } = &mut coarse.columns[0].role {
        *lowest = 1;
    }
    assert!(crate::flattening_percents(&coarse, party(0), &alone)[0].1 < exact / 2);
    // However many, no more are taken unasked.
    let most = crate::MOST_FLATTENING_PERCENT;
    let demanding = Plan { criteria: vec![crate::Criterion::KAnonymity { k: 500 }], ..plan };
    assert!(crate::flattening_percents(&demanding, party(0), &alone)[0].1 > u64::from(most));
    assert_eq!(flattening_percent(&demanding, party(0), &alone), most);
}

#[test]
fn many_choices_average_to_what_runs_show() {
    let table = skewed();
    for shape in [PseudoShape::Flat, PseudoShape::Copies] {
        for split in [Split::Horizontal, Split::Vertical] {
            let plan = Plan {
                protocol: Protocol::C(PseudoRows { percent: 600, shape }),
                ..table.plan(Protocol::B, split, 3)
            };
            let (of_runs, _) = figure(&plan, &table);
            let readings = frequency_attack_on_average(&plan, &table, 1).unwrap();
            let mean = readings.iter().map(|reading| reading.knowing).sum::<f64>() / readings.len() as f64;
            assert!((mean - of_runs).abs() < 0.12, "{shape:?} {split:?}: {mean} is not near {of_runs}");
        }
    }
}
