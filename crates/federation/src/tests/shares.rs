//! Shares of the domain: whoever holds which values, the joint optimum is the central one.

use super::*;
use crate::{Criterion, JointColumn, PartyColumn, PartyTable, Role, Shares};
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::{
    Chain, DatePart, Dates, Grid, Hierarchy, Intervals, IntervalsSpec, Outliers, Redaction, Rounding, Side,
    TableHierarchy, TableRow,
};
use paravent_core::quality::Metric;
use proptest::prelude::*;

/// All kinds of hierarchies.
const KINDS: usize = 9;

fn table_of(rows: &[(Option<&str>, &[&str])]) -> Hierarchy {
    let row = |(value, labels): &(Option<&str>, &[&str])| TableRow {
        value: value.map(str::to_owned),
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
    };
    Hierarchy::Table(TableHierarchy::new(rows.iter().map(row).collect()).unwrap())
}

/// A hierarchy and seven values it has a place for, the last one missing.
fn of_kind(kind: usize) -> (Hierarchy, [Option<&'static str>; 7]) {
    let days = [
        Some("2020-01-03"),
        Some("2020-01-17"),
        Some("2020-02-01"),
        Some("2021-05-05"),
        Some("2021-05-06"),
        Some("2022-12-31"),
        None,
    ];
    let zips = [Some("1234"), Some("1235"), Some("1244"), Some("2234"), Some("2235"), Some("9999"), None];
    let numbers = [Some("3"), Some("4"), Some("17"), Some("18"), Some("55"), Some("99"), None];
    let words = [Some("a"), Some("b"), Some("c"), Some("d"), Some("e"), Some("f"), None];
    let dates = || Hierarchy::Dates(Dates::new(vec![DatePart::Month, DatePart::Year]).unwrap());
    let redaction = |alphabet| Hierarchy::Redaction(Redaction::new('*', Side::Right, 4, alphabet).unwrap());
    let intervals = || {
        let decimal = |text: &str| text.parse().unwrap();
        Hierarchy::Intervals(
            Intervals::new(IntervalsSpec {
                widths: vec![decimal("10"), decimal("50")],
                min: decimal("0"),
                max: decimal("100"),
                outliers: Outliers::Label,
                rounding: Rounding::None,
                grid: Grid::Integer,
            })
            .unwrap(),
        )
    };
    // Most lines are of values that nobody holds; a missing value has none.
    let file = || {
        table_of(&[
            (Some("a"), &["x", "*"]),
            (Some("b"), &["x", "*"]),
            (Some("c"), &["y", "*"]),
            (Some("d"), &["y", "*"]),
            (Some("e"), &["y", "*"]),
            (Some("f"), &["z", "*"]),
            (Some("g"), &["z", "*"]),
            (Some("h"), &["z", "*"]),
            (Some("i"), &["z", "*"]),
        ])
    };
    // Two tops: a missing value gets a third.
    let two_tops = || {
        table_of(&[
            (Some("a"), &["x", "p"]),
            (Some("b"), &["x", "p"]),
            (Some("c"), &["y", "p"]),
            (Some("d"), &["y", "p"]),
            (Some("e"), &["v", "q"]),
            (Some("f"), &["v", "q"]),
            (Some("g"), &["v", "q"]),
        ])
    };
    match kind {
        0 => (Hierarchy::Whole, words),
        1 => (dates(), days),
        2 => (redaction(None), zips),
        3 => (redaction(Some(10)), zips),
        4 => (intervals(), numbers),
        5 => (file(), words),
        6 => (Hierarchy::Chain(Chain::new(vec![dates(), Hierarchy::Whole]).unwrap()), days),
        7 => (Hierarchy::Chain(Chain::new(vec![file()]).unwrap()), words),
        _ => (two_tops(), words),
    }
}

fn column(name: String, kind: usize, codes: &[usize], weight: f64) -> JointColumn {
    let (hierarchy, values) = of_kind(kind);
    let mut used: Vec<usize> = codes.to_vec();
    used.sort_unstable();
    used.dedup();
    let present: Vec<Option<&str>> = used.iter().map(|&value| values[value]).collect();
    let ladder = hierarchy.ladder(&present).unwrap();
    let height = ladder.max_level();
    let shares = Shares::of(&hierarchy);
    let role = Role::QuasiIdentifier { height, lowest: 0, highest: height, weight, shares };
    let rows = codes.iter().map(|code| used.partition_point(|known| known < code) as u32).collect();
    let data = PartyColumn::with_hierarchy(&hierarchy, ladder, rows);
    JointColumn { name, role, data, hierarchy: Some(hierarchy) }
}

/// Tables of two or three columns with hierarchies of any kind.
fn tables() -> impl Strategy<Value = JointTable> {
    (6usize..22, 2usize..4).prop_flat_map(|(rows, columns)| {
        let draft = (0..KINDS, prop::collection::vec(0usize..7, rows), 1u8..3);
        prop::collection::vec(draft, columns).prop_map(move |drafts| {
            let columns = drafts.iter().enumerate().map(|(number, (kind, codes, weight))| {
                column(format!("q{number}"), *kind, codes, f64::from(*weight))
            });
            JointTable { columns: columns.collect(), rows, sizes: None }
        })
    })
}

fn metrics() -> impl Strategy<Value = Metric> {
    prop_oneof![
        3 => Just(Metric::Loss),
        3 => Just(Metric::GeometricLoss),
        1 => prop::sample::select(Metric::ALL.to_vec()),
    ]
}

fn plan_of(table: &JointTable, protocol: Protocol, split: Split, metric: Metric, tenths: u64) -> Plan {
    let parties = table.columns.len() as u16;
    let mut plan = with_enough_parties(table.plan(protocol, split, parties));
    plan.metric = metric;
    plan.suppression_limit = Fraction::new(tenths, 10).unwrap();
    if plan.validate().is_err() {
        plan.suppression_limit = Fraction::ZERO;
    }
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn the_joint_optimum_is_the_central_one_whatever_the_hierarchies(
        table in tables(), metric in metrics(), k in 1u64..5, tenths in 0u64..4, lowest in prop::collection::vec(0u8..3, 3),
        protocol in prop::sample::select(vec![Protocol::A, Protocol::B, COPIES]), vertical in any::<bool>(),
    ) {
        let split = if vertical { Split::Vertical } else { Split::Horizontal };
        let mut plan = plan_of(&table, protocol, split, metric, tenths);
        plan.criteria = vec![Criterion::KAnonymity { k }];
        for (column, level) in plan.columns.iter_mut().zip(lowest) {
            if let Role::QuasiIdentifier { lowest, highest, .. } = &mut column.role {
                *lowest = level.saturating_sub(1).min(*highest);
            }
        }
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}

/// Three parties, each with values of its own, the first with one only.
fn apart(kind: usize) -> JointTable {
    let codes = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5];
    let other = [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3];
    JointTable {
        columns: vec![column("q0".into(), kind, &codes, 1.0), column("q1".into(), 5, &other, 1.0)],
        rows: 12,
        sizes: None,
    }
}

#[test]
fn shares_that_parties_counted_by_themselves_would_be_noticed() {
    // The defect: dates and values without a hierarchy, each party's shares over its own values, sent as if the hierarchy had said so.
    for kind in [0, 1, 2, 6] {
        let mut table = apart(kind);
        let (Role::QuasiIdentifier { shares, .. }, own) = (&mut table.columns[0].role, Shares::Travel) else {
            unreachable!()
        };
        *shares = own;
        let mut plan = with_enough_parties(table.plan(Protocol::B, Split::Horizontal, 3));
        plan.metric = Metric::Loss;
        let central = integrate_and_anonymize(&table, &plan).unwrap().unwrap();
        match Simulation::seeded(11).run(&plan, table.deal(&plan)) {
            Err(error) => assert!(error.to_string().contains("hierarchies of column"), "{error}"),
            Ok(run) => {
                let facts = run.release.unwrap().facts;
                assert!(
                    facts.node != central.release.facts.node
                        || (facts.loss - central.release.facts.loss).abs() > 1e-9,
                    "kind {kind}"
                );
            }
        }
    }
}

#[test]
fn a_missing_value_counts_as_a_leaf_at_whomever_it_is() {
    // Only one party has the missing value, and the file has no line for it.
    for kind in [5, 8] {
        let codes = [0, 1, 6, 6, 2, 3, 4, 5, 0, 1, 2, 3];
        let table =
            JointTable { columns: vec![column("q0".into(), kind, &codes, 1.0)], rows: 12, sizes: None };
        for protocol in [Protocol::A, Protocol::B, COPIES] {
            let mut plan = with_enough_parties(table.plan(protocol, Split::Horizontal, 3));
            plan.metric = Metric::Loss;
            let parts: Vec<PartyTable> = table.deal(&plan);
            let leaves: Vec<u32> = parts.iter().map(|part| part.columns[0].leaves).collect();
            assert!(leaves.windows(2).any(|pair| pair[0] != pair[1]), "{leaves:?}");
            assert_equals_central(&plan, &table, &run(&plan, &table));
        }
    }
}
