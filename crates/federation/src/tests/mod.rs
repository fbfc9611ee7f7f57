//! Whole runs, in one process.

mod admitted;
mod algorithms;
mod baselines;
mod equality;
mod evidence;
mod faults;
mod frequencies;
mod lowest_levels;
mod masters;
mod matching;
mod messages;
mod participants;
mod random;
mod refusals;
mod shared_counting;
mod shares;
mod transcript;
mod union;
mod vector;

use crate::baselines::{Central, integrate_and_anonymize};
use crate::{
    ColumnKeys, Holds, JointTable, Member, Occurrence, PartyId, Plan, Protocol, PseudoRows, PseudoShape,
    Release, Run, Simulation, Split,
};

const COPIES: Protocol = Protocol::C(PseudoRows { percent: 25, shape: PseudoShape::Copies });
const FLAT: Protocol = Protocol::C(PseudoRows { percent: 300, shape: PseudoShape::Flat });
const BLOCKS: Protocol = Protocol::C(PseudoRows { percent: 100, shape: PseudoShape::Blocks });

/// The same plan with a master that holds nothing, where protocol A needs one.
fn with_enough_parties(mut plan: Plan) -> Plan {
    if plan.protocol == Protocol::A && plan.split == Split::Horizontal && plan.members.len() == 2 {
        plan.members.insert(0, Member { name: "without data".into(), holds: Holds::Nothing });
    }
    plan
}

fn run(plan: &Plan, table: &JointTable) -> Run {
    Simulation::seeded(11).run(plan, table.deal(plan)).unwrap()
}

/// The run's release is the trusted third party's, row for row.
fn assert_equals_central(plan: &Plan, table: &JointTable, run: &Run) {
    let central = integrate_and_anonymize(table, plan).unwrap();
    match (&central, &run.release) {
        (None, None) => {}
        (Some(Central { release: central, .. }), Some(release)) => {
            assert_eq!(release.facts.node, central.facts.node);
            let (ours, theirs) = (release.facts.loss, central.facts.loss);
            assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{ours} is not {theirs}");
            assert_eq!(release.facts.suppressed_rows, central.facts.suppressed_rows);
            assert!(release.facts.optimal);
            assert_eq!(release.multiset(), central.multiset());
            assert_same_evidence(plan, release, central);
        }
        (central, ours) => panic!("central {:?}, ours {:?}", central.is_some(), ours.is_some()),
    }
}

/// The numbers that prove both releases are the same. Branches that only withheld values have may be numbered in another order.
fn assert_same_evidence(plan: &Plan, ours: &Release, central: &Release) {
    for (ours, central) in ours.columns.iter().zip(&central.columns) {
        let promised = plan.reference_height(ours.column).is_some();
        assert_eq!((ours.reference.is_some(), central.reference.is_some()), (promised, promised));
        if let (Some(ours), Some(central)) = (&ours.reference, &central.reference) {
            assert_eq!(ours.shown, central.shown);
            let withheld = |values: &[Occurrence]| {
                values.iter().map(|value| (value.rows, value.branches.len())).collect::<Vec<_>>()
            };
            assert_eq!(withheld(&ours.withheld), withheld(&central.withheld));
        }
    }
    let sizes = |release: &Release| {
        let population = release.population.as_ref()?;
        let rows = (0..release.rows).map(|row| (release.row(row), population.of_row[row]));
        let mut sizes: Vec<_> = rows
            .map(|(row, size)| (row.iter().map(|cell| cell.map(str::to_owned)).collect::<Vec<_>>(), size))
            .collect();
        sizes.sort();
        Some((population.rows, population.empty_classes, sizes))
    };
    assert_eq!(sizes(ours), sizes(central));
    assert_eq!(ours.population.is_some(), plan.marks_rows());
}

/// All columns with keys of their own, where that is possible.
fn private(mut plan: Plan) -> Plan {
    if plan.split == Split::Vertical {
        plan.column_keys = ColumnKeys::Private;
    }
    plan
}

fn party(number: u16) -> PartyId {
    PartyId(number)
}
