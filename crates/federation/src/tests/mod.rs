//! Whole runs, in one process.

mod baselines;
mod equality;
mod faults;
mod messages;
mod participants;
mod random;
mod refusals;
mod transcript;
mod vector;

use crate::baselines::{Central, integrate_and_anonymize};
use crate::{
    ColumnKeys, Holds, JointTable, Member, PartyId, Plan, Protocol, PseudoRows, PseudoShape, Run, Simulation,
    Split,
};

const COPIES: Protocol = Protocol::C(PseudoRows { percent: 25, shape: PseudoShape::Copies });
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
        }
        (central, ours) => panic!("central {:?}, ours {:?}", central.is_some(), ours.is_some()),
    }
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
