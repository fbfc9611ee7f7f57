//! How many messages each protocol takes.

use super::*;
use crate::Phase;
use paravent_core::quality::Metric;

fn messages(run: &Run, phase: Phase) -> u64 {
    run.phases.get(&phase).map_or(0, |cost| cost.messages)
}

#[test]
fn a_ring_takes_the_published_number_of_messages() {
    let table = JointTable::example();
    for n in 2..=5u64 {
        for split in [Split::Horizontal, Split::Vertical] {
            if (split == Split::Horizontal && n < 3) || (split == Split::Vertical && n > 3) {
                continue;
            }
            let run = run(&table.plan(Protocol::A, split, n as u16), &table);
            assert_eq!(messages(&run, Phase::Agree), 2 * n * (n - 1));
            assert_eq!(messages(&run, Phase::Encrypt), n * (n - 1));
            assert_eq!(messages(&run, Phase::Integrate), n * (n - 1) / 2);
            assert_eq!(messages(&run, Phase::Search), 0);
            assert_eq!(messages(&run, Phase::Release), n - 1);
            assert_eq!(messages(&run, Phase::Decode), n - 1);
            assert_eq!(run.receiver, Some(party(n as u16 - 2)));
        }
    }
}

#[test]
fn a_helper_takes_a_message_of_each_party_and_one_back() {
    let table = JointTable::example();
    for (split, n) in [(Split::Horizontal, 2), (Split::Horizontal, 5), (Split::Vertical, 3)] {
        let plan = table.plan(Protocol::B, split, n);
        let n = u64::from(n);
        let common = run(&plan, &table);
        assert_eq!(messages(&common, Phase::Encrypt) + messages(&common, Phase::Release), n + 1);
        assert_eq!(messages(&common, Phase::Decode), 0);
        assert_eq!(common.receiver, Some(party(0)));
        if split == Split::Vertical {
            let private = run(&private(plan), &table);
            assert_eq!(messages(&private, Phase::Decode), n - 1);
            assert_eq!(private.receiver, Some(party(n as u16 - 1)));
        }
    }
}

#[test]
fn counters_take_a_round_trip_per_check() {
    let table = JointTable::example();
    for split in [Split::Horizontal, Split::Vertical] {
        let mut plan = table.plan(COPIES, split, 3);
        let run_nuem = run(&plan, &table);
        let checks = run_nuem.release.as_ref().unwrap().facts.checks;
        // The published search takes more: what the helper sees to be too small it need not ask about. NUEM takes one more message, the
        // value counts.
        let central = integrate_and_anonymize(&table, &plan).unwrap().unwrap();
        assert_eq!((checks, central.release.facts.checks), (5, 12));
        assert_eq!(run_nuem.round_trips, checks);
        // A share of every question to each of three parties, sums of two of them, an answer; at the end two hear that it is over.
        assert_eq!(messages(&run_nuem, Phase::Search), 6 * checks + 2 + 1);
        assert_eq!(messages(&run_nuem, Phase::Release), 1);
        plan.metric = Metric::Height;
        let run_height = run(&plan, &table);
        let checks = run_height.release.as_ref().unwrap().facts.checks;
        assert_eq!(messages(&run_height, Phase::Search), 6 * checks + 2);
        plan.suppression_limit = paravent_core::exact::Fraction::new(1, 4).unwrap();
        assert_eq!(messages(&run(&plan, &table), Phase::Release), 7);
    }
}
