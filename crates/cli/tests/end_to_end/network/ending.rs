//! The last exchange: what everybody hears of the release, and says when it does not hear.

use super::federation::{Federation, Split};
use super::proxy::{Fate, Proxy};
use crate::support::Outcome;

/// Kinds of frames.
const CONFIRMED: u8 = 5;
const SETTLED: u8 = 6;

fn run(federation: &Federation, proxy: &Proxy, more: &[&str]) -> Vec<(String, Outcome)> {
    federation.finish(federation.spawn_all(more, std::slice::from_ref(proxy)))
}

fn of(outcomes: Vec<(String, Outcome)>, party: &str) -> Outcome {
    outcomes.into_iter().find(|(name, _)| name == party).unwrap().1
}

#[test]
fn who_does_not_hear_the_last_word_says_so_and_whom_to_ask() {
    let federation = Federation::agreed("b", Split::Vertical);
    let proxy = Proxy::between(&federation, "ann", "cat", |_, frame| match frame[0] {
        SETTLED => Fate::Drop,
        _ => Fate::Pass,
    });
    let outcomes = run(&federation, &proxy, &["--json"]);
    for (name, outcome) in outcomes.iter().filter(|(name, _)| name != "cat") {
        assert_eq!(outcome.code, Some(0), "{name}: {}", outcome.err);
    }
    let cat = of(outcomes, "cat").expect(5).json();
    assert_eq!(cat["error"]["kind"], "outcome-unknown");
    let message = cat["error"]["message"].as_str().unwrap();
    let transcript =
        federation.place.json("ann/release.private/report.json")["federation"]["transcript"].clone();
    for told in ["unknown", "party 1 (ann)", "Ask ann", transcript.as_str().unwrap()] {
        assert!(message.contains(told), "{told:?} is not in {message}");
    }
    federation.is_the_central_release();
}

#[test]
fn who_lost_the_receiver_after_it_confirmed_does_not_claim_that_there_is_no_release() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let proxy = Proxy::between(&federation, "cat", "ann", |_, frame| match frame[0] {
        CONFIRMED => Fate::Last(Vec::new()),
        _ => Fate::Pass,
    });
    let outcomes = run(&federation, &proxy, &[]);
    for (name, outcome) in &outcomes {
        match name.as_str() {
            "cat" => assert!(outcome.code == Some(5) && !outcome.err.contains("there is no release")),
            _ => assert!(outcome.code == Some(4) && outcome.err.contains("there is no release"), "{name}"),
        }
    }
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn a_release_that_cannot_be_put_in_its_place_is_told_to_everybody() {
    let federation = Federation::agreed("c", Split::Horizontal);
    let in_the_way = federation.path("ann/release");
    // Everything is verified when somebody else puts something there.
    let proxy = Proxy::between(&federation, "ben", "ann", {
        let in_the_way = in_the_way.clone();
        move |_, frame| {
            if frame[0] == CONFIRMED {
                std::fs::create_dir(&in_the_way).unwrap();
                std::fs::write(in_the_way.join("data.csv"), "another one").unwrap();
            }
            Fate::Pass
        }
    });
    let outcomes = run(&federation, &proxy, &[]);
    assert_eq!(std::fs::read_dir(&in_the_way).unwrap().count(), 1);
    for (name, outcome) in outcomes {
        let told = if name == "ann" { "is left alone" } else { "could not put the release in its place" };
        outcome.expect(4).says(&[told]);
    }
}

#[test]
fn that_there_is_nothing_to_release_needs_no_last_word() {
    let federation = Federation::agreed("b", Split::Horizontal);
    for name in federation.names() {
        federation.edit(name, "k = 3", "k = 61");
        federation.approve(name);
    }
    let proxy = Proxy::between(&federation, "ann", "hal", |_, frame| match frame[0] {
        SETTLED => Fate::Drop,
        _ => Fate::Pass,
    });
    for (_, outcome) in run(&federation, &proxy, &[]) {
        outcome.expect(3);
    }
}
