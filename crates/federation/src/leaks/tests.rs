//! The guide tells what the program tells.

use super::*;
use crate::{Closeness, JointTable, PseudoRows, Role};

const GUIDE: &str = include_str!("../../../../docs/guide/federation.md");

#[test]
fn the_guide_tells_all_of_it() {
    let counted = |shape| Protocol::C(PseudoRows { percent: 25, shape });
    let protocols = [
        Protocol::A,
        Protocol::B,
        counted(PseudoShape::Copies),
        counted(PseudoShape::Blocks),
        counted(PseudoShape::Flat),
    ];
    for protocol in protocols {
        for (split, column_keys) in
            [(Split::Horizontal, ColumnKeys::Common), (Split::Vertical, ColumnKeys::Private)]
        {
            let mut plan = Plan { column_keys, ..JointTable::example().plan(protocol, split, 3) };
            if protocol == Protocol::B && split == Split::Vertical {
                plan.columns[0].sharers.push(crate::PartyId(1));
            }
            plan.participants = Participants::Curious;
            plan.same_person = SamePerson::Refused;
            plan.suppression_limit = Fraction::ONE;
            plan.algorithm = paravent_core::search::Algorithm::BestFirst;
            plan.criteria.push(Criterion::DistinctLDiversity { column: 0, l: 2 });
            let (t, distance) = (Fraction::ONE, Closeness::Equal);
            plan.criteria.push(Criterion::TCloseness { column: 0, t, distance });
            plan.columns[2].role = Role::Membership;
            is_in_the_guide(&LeakTable::of(&plan));
        }
    }
    is_in_the_guide(&LeakTable::of_matching());
    is_in_the_guide(&LeakTable::of_union());
}

fn is_in_the_guide(table: &LeakTable) {
    let sends = table.sends.iter().map(|s| format!("| {} | {} | {} |", s.from, s.to, s.what));
    let learns = table.learns.iter().map(|l| format!("| {} | {} |", l.who, l.what));
    let leaks = table.leaks.iter().map(|l| format!("| {} | {} | {} |", l.who, l.what, l.against));
    for line in sends.chain(learns).chain(leaks) {
        assert!(GUIDE.contains(&line), "the guide lacks {line}");
    }
}
