//! Every protocol makes the trusted third party's release.

use super::random::{marked, sensitive, table};
use super::*;
use crate::{Closeness, Criterion, Gaps, PartyColumn, Role};
use paravent_core::criteria::Diversity;
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::{Hierarchy, Ladder};
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;
use proptest::prelude::*;

fn criteria(column: u16) -> impl Strategy<Value = Vec<Criterion>> {
    let tenths = |n| Fraction::new(n, 10).unwrap();
    let more = prop_oneof![
        Just(None),
        (2u64..4).prop_map(move |l| Some(Criterion::DistinctLDiversity { column, l })),
        (10u64..25).prop_map(move |l| Some(Criterion::EntropyLDiversity { column, l: tenths(l) })),
        (10u64..40).prop_map(move |c| Some(Criterion::RecursiveLDiversity { column, c: tenths(c), l: 2 })),
    ];
    (1u64..4, more)
        .prop_map(|(k, more)| [Some(Criterion::KAnonymity { k }), more].into_iter().flatten().collect())
}

/// Criteria that need more than counts of one class.
fn criteria_of_tables(column: u16) -> impl Strategy<Value = Vec<Criterion>> {
    let tenths = |n| Fraction::new(n, 10).unwrap();
    prop_oneof![
        (2u64..8, distances()).prop_map(move |(t, distance)| vec![Criterion::TCloseness {
            column,
            t: tenths(t),
            distance
        }]),
        (1u64..3).prop_map(move |l| vec![Criterion::MultiAttributeLDiversity {
            columns: vec![column],
            diversity: Diversity::Distinct { l },
        }]),
    ]
}

/// The distances that tokens have.
fn distances() -> impl Strategy<Value = Closeness> {
    prop::sample::select(vec![Closeness::Equal, Closeness::Hierarchical, Closeness::KullbackLeibler])
}

fn metrics() -> impl Strategy<Value = Metric> {
    prop::sample::select(Metric::ALL.to_vec())
}

fn plan_of(
    table: &JointTable,
    (protocol, split, parties): (Protocol, Split, u16),
    criteria: Vec<Criterion>,
    metric: Metric,
    tenths: u64,
) -> Plan {
    let mut plan = with_enough_parties(table.plan(protocol, split, parties));
    plan.criteria = criteria;
    plan.metric = metric;
    plan.suppression_limit = Fraction::new(tenths, 10).unwrap();
    plan
}

fn splits() -> impl Strategy<Value = (Split, u16)> {
    prop_oneof![(2u16..6).prop_map(|n| (Split::Horizontal, n)), (2u16..6).prop_map(|n| (Split::Vertical, n))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn tokens_lead_to_the_central_release(
        (table, criteria) in table(6..24).prop_flat_map(|t| { let s = sensitive(&t); (Just(t), prop_oneof![criteria(s), criteria_of_tables(s)]) }),
        (split, parties) in splits(), metric in metrics(), tenths in 0u64..4, ring in any::<bool>(), own_keys in any::<bool>(),
    ) {
        let protocol = if ring { Protocol::A } else { Protocol::B };
        let plan = plan_of(&table, (protocol, split, parties), criteria, metric, tenths);
        let plan = if own_keys && !ring { private(plan) } else { plan };
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }

    #[test]
    fn counters_lead_to_the_central_release(
        (table, criteria) in table(6..24).prop_flat_map(|t| { let s = sensitive(&t); (Just(t), criteria(s)) }),
        (split, parties) in splits(), metric in metrics(), tenths in 0u64..4, shape in 0usize..3, own_keys in any::<bool>(),
    ) {
        let protocol = [COPIES, BLOCKS, FLAT][shape];
        let plan = plan_of(&table, (protocol, split, parties), criteria, metric, tenths);
        let plan = if own_keys { private(plan) } else { plan };
        // What charges for suppressed values is refused with suppression, and works without.
        let plan = if plan.validate().is_err() { Plan { suppression_limit: Fraction::ZERO, ..plan } } else { plan };
        for algorithm in [Algorithm::Flash, Algorithm::BestFirst] {
            let plan = Plan { algorithm, ..plan.clone() };
            let run = run(&plan, &table);
            assert_equals_central(&plan, &table, &run);
            if let Some(release) = &run.release {
                prop_assert_eq!(run.round_trips, release.facts.checks + release.facts.subset_tests);
            }
        }
    }

    #[test]
    fn closeness_with_suppression_works_on_tokens(
        table in table(6..24), distance in distances(), (split, parties) in splits(), metric in metrics(),
        t in 2u64..8, tenths in 1u64..5, ring in any::<bool>(), own_keys in any::<bool>(),
    ) {
        let column = sensitive(&table);
        let criteria = vec![Criterion::TCloseness { column, t: Fraction::new(t, 10).unwrap(), distance }];
        let protocol = if ring { Protocol::A } else { Protocol::B };
        let plan = plan_of(&table, (protocol, split, parties), criteria, metric, tenths);
        let plan = if own_keys && !ring { private(plan) } else { plan };
        let run = run(&plan, &table);
        assert_equals_central(&plan, &table, &run);
        if let Some(release) = run.release {
            let reference = release.columns.iter().find_map(|column| column.reference.as_ref()).unwrap();
            prop_assert_eq!(reference.rows(), table.rows as u64, "suppressed rows are counted");
        }
    }

    #[test]
    fn presence_in_a_population_works_on_tokens(
        table in table(6..24), bits in prop::collection::vec(0u32..2, 24), (split, parties) in splits(), ring in any::<bool>(),
        least in prop_oneof![Just(0u64), 1u64..4], closeness in prop::option::of(distances()), own_keys in any::<bool>(),
    ) {
        let table = marked(table, &bits);
        let tenths = |n| Fraction::new(n, 10).unwrap();
        let mut criteria = vec![Criterion::DeltaPresence { min: tenths(least), max: tenths(9) }, Criterion::KMap { k: 2 }];
        let column = table.columns.len() as u16 - 2;
        criteria.extend(closeness.map(|distance| Criterion::TCloseness { column, t: tenths(5), distance }));
        let protocol = if ring { Protocol::A } else { Protocol::B };
        let plan = plan_of(&table, (protocol, split, parties), criteria, Metric::Loss, 3);
        let plan = if own_keys && !ring { private(plan) } else { plan };
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn closeness_is_counted_too(
        table in table(6..20), distance in distances(), (split, parties) in splits(), metric in metrics(),
        t in 2u64..8, tenths in 0u64..4, shape in 0usize..3, own_keys in any::<bool>(), diverse in any::<bool>(),
    ) {
        let column = sensitive(&table);
        let mut criteria = vec![Criterion::TCloseness { column, t: Fraction::new(t, 10).unwrap(), distance }];
        if diverse {
            criteria.extend([Criterion::KAnonymity { k: 2 }, Criterion::DistinctLDiversity { column, l: 2 }]);
        }
        let protocol = [COPIES, BLOCKS, FLAT][shape];
        let plan = plan_of(&table, (protocol, split, parties), criteria, metric, tenths);
        let plan = if own_keys { private(plan) } else { plan };
        let plan = if plan.validate().is_err() { Plan { suppression_limit: Fraction::ZERO, ..plan } } else { plan };
        let run = run(&plan, &table);
        assert_equals_central(&plan, &table, &run);
        if let Some(release) = run.release {
            let reference = release.columns.iter().find_map(|column| column.reference.as_ref()).unwrap();
            prop_assert_eq!(reference.rows(), table.rows as u64, "suppressed rows are counted, made-up ones are not");
        }
    }

    #[test]
    fn presence_in_a_population_is_counted_too(
        table in table(6..20), bits in prop::collection::vec(0u32..2, 24), (split, parties) in splits(), shape in 0usize..2,
        least in prop_oneof![Just(0u64), 1u64..4], closeness in prop::option::of(distances()), own_keys in any::<bool>(), tenths in 0u64..4,
    ) {
        let table = marked(table, &bits);
        let share = |n| Fraction::new(n, 10).unwrap();
        let mut criteria = vec![Criterion::DeltaPresence { min: share(least), max: share(9) }, Criterion::KMap { k: 2 }];
        let column = table.columns.len() as u16 - 2;
        criteria.extend(closeness.map(|distance| Criterion::TCloseness { column, t: share(5), distance }));
        let metric = if tenths == 0 { Metric::Loss } else { Metric::NonUniformEntropy };
        let plan = plan_of(&table, ([BLOCKS, FLAT][shape], split, parties), criteria, metric, tenths);
        let plan = if own_keys { private(plan) } else { plan };
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}

#[test]
fn shares_of_a_hierarchy_file_travel() {
    // A file with lines for values that nobody holds: leaves present would say another loss.
    let example = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        for split in [Split::Horizontal, Split::Vertical] {
            let mut table = example.clone();
            for column in &mut table.columns {
                if let Role::QuasiIdentifier { shares, .. } = &mut column.role {
                    *shares = crate::Shares::Travel;
                }
                let mut rungs = column.data.ladder.as_ref().unwrap().rungs().to_vec();
                rungs[1..]
                    .iter_mut()
                    .for_each(|rung| rung.loss.iter_mut().for_each(|share| *share = 0.5 + *share / 2.0));
                column.data.ladder = Some(Ladder::from_rungs(rungs).unwrap());
            }
            let mut plan = with_enough_parties(table.plan(protocol, split, 3));
            plan.metric = Metric::Loss;
            let run = run(&plan, &table);
            assert_equals_central(&plan, &table, &run);
            let as_leaves = integrate_and_anonymize(&example, &plan).unwrap().unwrap();
            assert_ne!(run.release.unwrap().facts.loss, as_leaves.release.facts.loss);
        }
    }
}

#[test]
fn persons_that_a_party_does_not_know_have_missing_values() {
    let example = JointTable::example();
    let mut plan = example.plan(Protocol::B, Split::Vertical, 3);
    plan.gaps = Gaps::Placeholders;
    // The whole table, with missing ages for persons 2 and 6.
    let mut table = example.clone();
    let ages = ["34", "45", "66", "70", "35", "21", "18", "17"];
    let missing = [2, 6];
    let mut values: Vec<Option<&str>> = vec![None];
    values.extend((0..8).filter(|row| !missing.contains(row)).map(|row| Some(ages[row])));
    let ladder = Hierarchy::Whole.ladder(&values).unwrap();
    let code = |row: usize| values.iter().position(|value| *value == Some(ages[row])).unwrap_or(0) as u32;
    let rows: Vec<u32> = (0..8).map(code).collect();
    table.columns[1].data = PartyColumn::with_ladder(ladder, rows.clone());
    let whole = Role::QuasiIdentifier {
        height: 1,
        lowest: 0,
        highest: 1,
        weight: 1.0,
        shares: crate::Shares::FromLeaves,
    };
    table.columns[1].role = whole.clone();
    plan.columns[1].role = whole;
    // The party that holds the ages has never heard of these two persons.
    let mut parts = table.deal(&plan);
    let ages = &mut parts[1];
    let keep = |row: &usize| !missing.contains(row);
    ages.identifiers = (0..8).filter(keep).map(|row| ages.identifiers[row].clone()).collect();
    ages.columns[0].rows = (0..8).filter(keep).map(|row| rows[row]).collect();
    ages.columns[0].placeholder = Some(0);
    ages.rows = 6;
    let run = Simulation::seeded(3).run(&plan, parts.clone()).unwrap();
    assert_equals_central(&plan, &table, &run);
    // Without placeholders the run is aborted.
    parts[1].columns[0].placeholder = None;
    plan.gaps = Gaps::Refused;
    let refused = Simulation::seeded(3).run(&plan, parts).unwrap_err();
    assert!(refused.to_string().contains("tuple identifiers"), "{refused}");
}

/// Two parties hold the first columns, each of other people; a third holds the rest of everybody.
pub(super) fn hybrid(table: &JointTable) -> Plan {
    let mut plan = table.plan(Protocol::B, Split::Vertical, 3);
    let last = plan.columns.len() - 1;
    for (position, column) in plan.columns.iter_mut().enumerate() {
        let (owner, sharers) = if position < last { (0, vec![party(1)]) } else { (2, Vec::new()) };
        (column.owner, column.sharers) = (party(owner), sharers);
    }
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn rows_and_columns_at_once_lead_to_the_central_release(
        (table, criteria) in table(6..24).prop_flat_map(|t| { let s = sensitive(&t); (Just(t), prop_oneof![criteria(s), criteria_of_tables(s)]) }),
        metric in metrics(), tenths in 0u64..4,
    ) {
        let suppression_limit = Fraction::new(tenths, 10).unwrap();
        let plan = Plan { criteria, metric, suppression_limit, ..hybrid(&table) };
        assert_equals_central(&plan, &table, &run(&plan, &table));
    }
}

#[test]
fn in_a_hybrid_split_nobody_is_twice_or_missing() {
    let table = JointTable::example();
    let plan = hybrid(&table);
    let parts = table.deal(&plan);
    assert_eq!(parts.iter().map(|part| part.rows).collect::<Vec<_>>(), [4, 4, 8]);
    let ends = |change: &dyn Fn(&mut Vec<crate::PartyTable>)| {
        let mut parts = parts.clone();
        change(&mut parts);
        Simulation::seeded(3).run(&plan, parts).unwrap_err().to_string()
    };
    // The same person at both parties that hold rows.
    let twice = ends(&|parts| parts[1].identifiers[0] = parts[0].identifiers[0].clone());
    assert!(twice.contains("the same column at two parties"), "{twice}");
    let missing = ends(&|parts| parts[1].identifiers[0] = "somebody else".to_owned());
    assert!(missing.contains("a party lacks some"), "{missing}");
    // Equal values have equal labels at all parties that hold a column.
    let contradicting = ends(&|parts| {
        let rows = vec![
            vec![Some("F".to_owned()), Some("person".to_owned())],
            vec![Some("M".to_owned()), Some("other".to_owned())],
        ];
        let column = &mut parts[1].columns[0];
        *column = PartyColumn::with_ladder(Ladder::from_labels(&rows).unwrap(), column.rows.clone());
    });
    assert!(contradicting.contains("hierarchies of column sex"), "{contradicting}");
}

#[test]
fn parties_with_different_persons_are_noticed_on_a_ring() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        let plan = table.plan(protocol, Split::Vertical, 3);
        let mut parts = table.deal(&plan);
        parts[1].identifiers[3] = "somebody else".to_owned();
        let error = Simulation::seeded(3).run(&plan, parts).unwrap_err();
        assert!(error.to_string().contains("tuple identifiers"), "{error}");
    }
}

#[test]
fn hierarchies_that_contradict_each_other_are_noticed() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        let plan = table.plan(protocol, Split::Horizontal, 3);
        let mut parts = table.deal(&plan);
        let rows: Vec<Vec<Option<String>>> = vec![
            vec![Some("F".into()), Some("female".into())],
            vec![Some("M".into()), Some("female".into())],
        ];
        let ladder = Ladder::from_labels(&rows).unwrap();
        let column = &mut parts[1].columns[0];
        *column = PartyColumn::with_ladder(ladder, column.rows.clone());
        let error = Simulation::seeded(3).run(&plan, parts).unwrap_err();
        assert!(error.to_string().contains("hierarchies of column sex"), "{error}");
    }
}

#[test]
fn an_impossible_promise_ends_without_a_release_everywhere() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES] {
        for split in [Split::Horizontal, Split::Vertical] {
            let mut plan = private(table.plan(protocol, split, 3));
            if protocol == Protocol::A {
                plan.column_keys = ColumnKeys::Common;
            }
            plan.criteria = vec![Criterion::KAnonymity { k: 9 }];
            let run = run(&plan, &table);
            assert!(run.release.is_none());
            assert!(run.outcomes.contains(&crate::Outcome::Infeasible));
        }
    }
}

#[test]
fn random_numbers_change_no_result() {
    let table = JointTable::example();
    for protocol in [Protocol::A, Protocol::B, COPIES, BLOCKS, FLAT] {
        let plan = table.plan(protocol, Split::Vertical, 3);
        let release = |seed| Simulation::seeded(seed).run(&plan, table.deal(&plan)).unwrap().release.unwrap();
        let (one, other) = (release(1), release(2));
        assert_eq!(one.multiset(), other.multiset());
        assert_eq!(one.facts.node, other.facts.node);
    }
}
