//! Every fault in every phase: what a network, or who sits in it, can do to each kind of message, between processes.

use super::federation::{Federation, Split};
use super::proxy::{Fate, Proxy};
use crate::support::Outcome;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What happens to the first frame of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Lost,
    Repeated,
    Late,
    Cut,
    BrokenOff,
    Damaged,
    Replayed,
    OtherVersion,
    AbsurdLength,
    /// The sender is killed instead.
    Killed,
}

const FAULTS: [Fault; 10] = [
    Fault::Lost,
    Fault::Repeated,
    Fault::Late,
    Fault::Cut,
    Fault::BrokenOff,
    Fault::Damaged,
    Fault::Replayed,
    Fault::OtherVersion,
    Fault::AbsurdLength,
    Fault::Killed,
];

/// A frame on its way: by kind of frame, and for messages of the protocol by kind of message.
type Kind = (u8, u8);

const FINISHED: Kind = (4, 0);
const CONFIRMED: Kind = (5, 0);

fn kind_of(frame: &[u8]) -> Kind {
    // Behind the header of the frame: magic, version, digest of the plan, sender, receiver, number, kind.
    (frame[0], if frame[0] == 1 { frame[9 + 30] } else { 0 })
}

fn message(kind: u8) -> Kind {
    (1, kind)
}

impl Fault {
    fn fate(self, frame: &[u8], before: &[u8]) -> Fate {
        let with_length = |mut frame: Vec<u8>| {
            let length = (frame.len() - 9) as u64;
            frame[1..9].copy_from_slice(&length.to_le_bytes());
            frame
        };
        let changed = |at: usize, bit: u8| {
            let mut frame = frame.to_vec();
            frame[at] ^= bit;
            Fate::Replace(vec![frame])
        };
        match self {
            Fault::Lost | Fault::Killed => Fate::Drop,
            Fault::Repeated => Fate::Replace(vec![frame.to_vec(), frame.to_vec()]),
            Fault::Late => Fate::Delay(Duration::from_millis(700)),
            Fault::Cut => Fate::Replace(vec![with_length(frame[..frame.len() - 5].to_vec())]),
            Fault::BrokenOff => Fate::Last(frame[..frame.len() / 2].to_vec()),
            Fault::Damaged => changed(frame.len() - 1, 1),
            Fault::Replayed => Fate::Replace(vec![before.to_vec(), frame.to_vec()]),
            // Of messages: the two bytes after the magic. Control frames have no version of their own: another kind.
            Fault::OtherVersion if frame[0] == 1 => changed(9 + 4, 0x40),
            Fault::OtherVersion => changed(0, 0x40),
            Fault::AbsurdLength => {
                let mut frame = frame[..9].to_vec();
                frame[1..9].copy_from_slice(&u64::MAX.to_le_bytes());
                Fate::Replace(vec![frame])
            }
        }
    }
}

/// Somebody does this to the first frame of a kind from one party to another.
fn suffers(federation: &Federation, from: &str, to: &str, kind: Kind, fault: Fault) {
    let what = format!("{fault:?} {kind:?} from {from} to {to}");
    let met = Arc::new(Mutex::new((false, Vec::new())));
    let meeting = Arc::clone(&met);
    let proxy = Proxy::between(federation, from, to, move |_, frame| {
        let (done, before) = &mut *meeting.lock().unwrap();
        if kind_of(frame) == kind && !*done {
            *done = true;
            return fault.fate(frame, before);
        }
        if frame[0] != 2 {
            *before = frame.to_vec();
        }
        Fate::Pass
    });
    let started = Instant::now();
    let mut running = federation.spawn_all(&["--phase-timeout", "3", "--idle-timeout", "10"], &proxy);
    if fault == Fault::Killed {
        while !met.lock().unwrap().0 {
            assert!(started.elapsed() < Duration::from_secs(60), "{what}: never sent");
            std::thread::sleep(Duration::from_millis(2));
        }
        let victim = running.iter_mut().find(|(name, _)| name == from).unwrap();
        victim.1.kill().unwrap();
    }
    let outcomes = federation.finish(running);
    assert!(started.elapsed() < Duration::from_secs(90), "{what}: somebody hung");
    assert!(met.lock().unwrap().0, "{what}: never sent");
    let all_well = outcomes.iter().all(|(_, outcome)| outcome.code == Some(0));
    if all_well {
        // Late is no fault; what was said twice at the very end may be heard once.
        assert!(fault == Fault::Late || kind == CONFIRMED, "{what}: nobody noticed");
        federation.is_the_central_release();
        return;
    }
    assert_ne!(fault, Fault::Late, "{what}: {:?}", outcomes.iter().map(|(_, o)| &o.err).collect::<Vec<_>>());
    let receiver = federation.receiver();
    let at_the_end = [FINISHED, CONFIRMED].contains(&kind);
    if at_the_end && federation.path(receiver).join("release").exists() {
        // All had confirmed when somebody said something odd: too late to matter for the release.
        assert!(outcomes.iter().any(|(name, outcome)| name == receiver && outcome.code == Some(0)), "{what}");
        federation.is_the_central_release();
        return;
    }
    for (name, outcome) in &outcomes {
        let killed = fault == Fault::Killed && name == from;
        assert!(killed || !outcome.err.is_empty(), "{what}: {name} says nothing");
    }
    if fault == Fault::Killed {
        // What is not yet in its place has another name, and the next run starts afresh.
        federation.forget_what_was_staged(from);
    }
    // The last word has no answer: who has heard everybody's may believe that all is well, and the receiver knows better.
    let excused = |name: &str, outcome: &Outcome| at_the_end && name != receiver && outcome.code == Some(0);
    for (name, outcome) in &outcomes {
        let failed = excused(name, outcome) || outcome.code != Some(0);
        let all: Vec<_> = outcomes.iter().map(|(name, outcome)| (name, outcome.code, &outcome.err)).collect();
        assert!(failed, "{what}: {name} noticed nothing\n{all:#?}");
    }
    federation.nobody_has_a_release(
        outcomes.into_iter().filter(|(name, outcome)| !excused(name, outcome)).collect(),
    );
}

fn all_faults(protocol: &str, kinds: &[(&str, &str, Kind)]) {
    let federation = Federation::agreed(protocol, Split::Horizontal);
    for &(from, to, kind) in kinds {
        for fault in FAULTS {
            suffers(&federation, from, to, kind, fault);
        }
    }
}

#[test]
fn no_fault_on_a_ring_makes_a_wrong_release() {
    all_faults(
        "a",
        &[
            ("ann", "ben", message(1)),
            ("cat", "ben", message(2)),
            ("ann", "ben", message(4)),
            ("cat", "ben", message(5)),
            ("ann", "ben", message(11)),
            ("cat", "ann", message(12)),
            ("ben", "cat", FINISHED),
            ("ann", "ben", CONFIRMED),
        ],
    );
}

#[test]
fn no_fault_with_a_helper_makes_a_wrong_release() {
    all_faults(
        "b",
        &[
            ("ben", "ann", message(1)),
            ("ann", "cat", message(2)),
            ("ben", "hal", message(4)),
            ("hal", "ann", message(11)),
            ("hal", "ann", FINISHED),
            ("ben", "ann", CONFIRMED),
        ],
    );
}

#[test]
fn no_fault_with_a_counting_helper_makes_a_wrong_release() {
    all_faults(
        "c",
        &[
            ("ann", "ben", message(3)),
            ("cat", "hal", message(4)),
            ("hal", "ann", message(6)),
            ("hal", "ann", message(7)),
            ("ann", "hal", message(8)),
            ("hal", "ann", message(9)),
            ("ann", "hal", message(10)),
            ("hal", "ann", message(11)),
            ("ann", "hal", FINISHED),
        ],
    );
}
