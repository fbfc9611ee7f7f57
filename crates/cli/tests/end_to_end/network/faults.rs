//! Every fault in every phase: what a network, or who sits in it, can do to each kind of message, between processes.

use super::federation::{Federation, Split};
use super::promises;
use super::proxy::{Fate, Kind, Proxy, kind_of};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// Seconds; a fault that can only be waited for takes as long, and a machine at work on all lanes must not be taken for one.
const PATIENCE: [&str; 4] = ["--phase-timeout", "4", "--idle-timeout", "12"];
/// Runs of a test at the same time: most of a faulty one is waiting.
const LANES: usize = 4;

const FINISHED: Kind = (4, 0);
const CONFIRMED: Kind = (5, 0);
const SETTLED: Kind = (6, 0);

const fn message(kind: u8) -> Kind {
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
    let mut running = federation.spawn_all(&PATIENCE, std::slice::from_ref(&proxy));
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
    let said: Vec<_> = outcomes.iter().map(|(name, outcome)| (name, outcome.code, &outcome.err)).collect();
    let all_well = outcomes.iter().all(|(_, outcome)| outcome.code == Some(0));
    // Late is no fault; what is said twice at the very end may be heard once.
    let at_the_end = [FINISHED, CONFIRMED, SETTLED].contains(&kind);
    let harmless = fault == Fault::Late || (fault == Fault::Repeated && at_the_end);
    assert!(all_well || fault != Fault::Late, "{what}: {said:#?}");
    assert!(!all_well || harmless, "{what}: nobody noticed");
    let receiver = federation.receiver();
    let released = federation.path(receiver).join("release").exists();
    for (name, outcome) in &outcomes {
        // What everybody says is true, wherever the release is.
        let rightly = match outcome.code {
            Some(0) => released,
            Some(2 | 4) => !released && !outcome.err.is_empty(),
            Some(5) => at_the_end && name != receiver && outcome.err.contains("is a release is unknown"),
            Some(_) => false,
            None => fault == Fault::Killed && name == from,
        };
        assert!(rightly, "{what}: {name}, released: {released}\n{said:#?}");
    }
    // Whose message it was, everybody who ended for it says, at whomever it came to light. Of a lost one nobody can tell which end lost it.
    let ended = outcomes.iter().filter(|(_, outcome)| matches!(outcome.code, Some(2 | 4)));
    for (name, outcome) in ended.filter(|_| !matches!(fault, Fault::Lost | Fault::Late)) {
        let named = |party: &str| outcome.err.contains(&format!("({party})"));
        // A channel that breaks has two ends, and each names the other. Digests of two others that differ say not whose are wrong, and
        // who finds a connection closed may not have heard why.
        let nobody = ["do not tell the same", "the connection to"];
        let rightly = named(from)
            || (fault == Fault::BrokenOff && named(to))
            || nobody.iter().any(|text| outcome.err.contains(text));
        assert!(rightly, "{what}: {name} blames another\n{said:#?}");
    }
    if released {
        assert!(at_the_end || all_well, "{what}: released all the same\n{said:#?}");
        federation.is_the_central_release();
        return;
    }
    if fault == Fault::Killed {
        // What is not yet in its place has another name, and the next run starts afresh.
        federation.forget_what_was_staged(from);
    }
    federation.nobody_has_a_release(outcomes);
}

/// A kind of message, and two parties between which it travels.
type Way = (&'static str, &'static str, Kind);

/// Every fault to every one of these, each lane in a federation of its own.
fn all_faults(protocol: &str, split: Split, wishes: &[&str], ways: &[Way]) {
    all_faults_in(|| Federation::agreed_on(protocol, split, wishes), ways);
}

fn all_faults_in(agreed: impl Fn() -> Federation + Sync, ways: &[Way]) {
    let cases: Vec<(Way, Fault)> =
        ways.iter().flat_map(|&way| FAULTS.into_iter().map(move |fault| (way, fault))).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                let federation = agreed();
                while let Some(&((from, to, kind), fault)) = cases.get(next.fetch_add(1, Ordering::SeqCst)) {
                    suffers(&federation, from, to, kind, fault);
                }
            });
        }
    });
}

/// The kinds of all frames that anybody sends in a run without faults, but for greetings and signs of life.
fn kinds_sent(protocol: &str, split: Split, wishes: &[&str]) -> BTreeSet<Kind> {
    kinds_sent_in(&Federation::agreed_on(protocol, split, wishes))
}

fn kinds_sent_in(federation: &Federation) -> BTreeSet<Kind> {
    // Of two parties the later one of the list is called.
    let called = federation.names().into_iter().skip(1);
    let proxies: Vec<Proxy> =
        called.map(|name| Proxy::between(federation, "ann", name, |_, _| Fate::Pass)).collect();
    for (_, outcome) in federation.finish(federation.spawn_all(&[], &proxies)) {
        outcome.expect(0);
    }
    let kinds = proxies.iter().flat_map(Proxy::kinds);
    kinds.filter(|kind| ![0, 2].contains(&kind.0)).collect()
}

const RING: [Way; 11] = [
    ("ann", "ben", message(1)),
    ("cat", "ben", message(2)),
    ("ann", "ben", message(4)),
    ("cat", "ben", message(5)),
    ("ann", "ben", message(11)),
    ("cat", "ann", message(12)),
    ("ben", "cat", FINISHED),
    ("cat", "ben", FINISHED),
    ("ann", "cat", FINISHED),
    ("ann", "ben", CONFIRMED),
    ("ben", "cat", SETTLED),
];

const HELPER: [Way; 7] = [
    ("ben", "ann", message(1)),
    ("ann", "cat", message(2)),
    ("ben", "hal", message(4)),
    ("hal", "ann", message(11)),
    ("hal", "ann", FINISHED),
    ("ben", "ann", CONFIRMED),
    ("ann", "hal", SETTLED),
];

const COUNTING_HELPER: [Way; 15] = [
    ("ben", "cat", message(1)),
    ("cat", "ann", message(2)),
    ("ann", "hal", message(3)),
    ("cat", "hal", message(4)),
    ("hal", "ann", message(6)),
    ("hal", "ben", message(7)),
    ("cat", "ann", message(15)),
    ("ann", "hal", message(8)),
    ("hal", "ann", message(9)),
    ("ben", "hal", message(10)),
    ("hal", "cat", message(16)),
    ("hal", "ann", message(11)),
    ("ann", "hal", FINISHED),
    ("hal", "ann", CONFIRMED),
    ("ann", "ben", SETTLED),
];

/// Flat made-up rows are many, and change nothing of what is tried here but how long it takes.
const FEW_ROWS: [&str; 2] = ["--pseudo-shape", "copies"];

/// Where column keys are private the release goes round; all else is as without.
const PRIVATE_KEYS: [Way; 3] =
    [("hal", "ann", message(11)), ("ann", "ben", message(12)), ("ben", "cat", message(12))];

/// Where t-closeness is promised and a helper counts.
const DISTRIBUTIONS: [Way; 1] = [("hal", "cat", message(17))];

/// Made-up rows that are copies, and a promise about how values spread.
fn close(split: Split) -> Federation {
    Federation::of(&promises::pooled(&promises::close("hierarchical", "0.3")), "c", split, &FEW_ROWS)
}

/// Where the run counts the people in common first.
const PEOPLE: [Way; 2] = [("ann", "ben", message(13)), ("cat", "ben", message(14))];

#[test]
fn no_fault_where_people_are_counted_makes_a_wrong_release() {
    all_faults("b", Split::Horizontal, &["--identifier", "name"], &PEOPLE);
}

#[test]
fn no_fault_on_a_ring_of_rows_makes_a_wrong_release() {
    all_faults("a", Split::Horizontal, &[], &RING);
}

#[test]
fn no_fault_on_a_ring_of_columns_makes_a_wrong_release() {
    all_faults("a", Split::Vertical, &[], &RING);
}

#[test]
fn no_fault_with_a_helper_and_rows_makes_a_wrong_release() {
    all_faults("b", Split::Horizontal, &[], &HELPER);
}

#[test]
fn no_fault_with_a_helper_and_columns_makes_a_wrong_release() {
    all_faults("b", Split::Vertical, &[], &HELPER);
}

#[test]
fn no_fault_with_a_counting_helper_and_rows_makes_a_wrong_release() {
    all_faults("c", Split::Horizontal, &FEW_ROWS, &COUNTING_HELPER);
}

#[test]
fn no_fault_with_a_counting_helper_and_columns_makes_a_wrong_release() {
    all_faults("c", Split::Vertical, &FEW_ROWS, &COUNTING_HELPER);
}

#[test]
fn no_fault_where_distributions_are_counted_makes_a_wrong_release() {
    for split in [Split::Horizontal, Split::Vertical] {
        all_faults_in(|| close(split), &DISTRIBUTIONS);
    }
}

#[test]
fn no_fault_with_private_keys_makes_a_wrong_release() {
    for protocol in ["b", "c"] {
        let wishes = [&["--private-keys"][..], if protocol == "c" { &FEW_ROWS } else { &[] }].concat();
        all_faults(protocol, Split::Vertical, &wishes, &PRIVATE_KEYS);
    }
}

#[test]
fn every_kind_of_message_meets_every_fault() {
    for split in [Split::Horizontal, Split::Vertical] {
        for (protocol, ways) in [("a", &RING[..]), ("b", &HELPER), ("c", &COUNTING_HELPER)] {
            let tried: BTreeSet<Kind> = ways.iter().map(|way| way.2).collect();
            assert_eq!(kinds_sent(protocol, split, &[]), tried, "{protocol} {split:?}");
        }
    }
    let counted: BTreeSet<Kind> = HELPER.iter().chain(&PEOPLE).map(|way| way.2).collect();
    assert_eq!(kinds_sent("b", Split::Horizontal, &["--identifier", "name"]), counted);
    for split in [Split::Horizontal, Split::Vertical] {
        let tried: BTreeSet<Kind> = COUNTING_HELPER.iter().chain(&DISTRIBUTIONS).map(|way| way.2).collect();
        assert_eq!(kinds_sent_in(&close(split)), tried, "{split:?}");
    }
    for (protocol, ways) in [("b", &HELPER[..]), ("c", &COUNTING_HELPER)] {
        let tried: BTreeSet<Kind> = ways.iter().chain(&PRIVATE_KEYS).map(|way| way.2).collect();
        assert_eq!(kinds_sent(protocol, Split::Vertical, &["--private-keys"]), tried, "{protocol}");
    }
}
