//! Many clients at once, and a server that is killed under them.
//!
//! `PARAVENT_LOAD="200 300 100" cargo test --release --package paravent-cli --features serve --test serve load` is the long run: clients, seconds, kills.
//! Without it, a short sample.

use crate::place::{PASSWORD, Place, Told, has_clients, program};
use crate::ward::POLICY;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// Clients, seconds, kills.
fn plan() -> (usize, u64, u32) {
    let text = std::env::var("PARAVENT_LOAD").unwrap_or_else(|_| "6 8 4".to_owned());
    let numbers: Vec<u64> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    (usize::try_from(numbers[0]).unwrap(), numbers[1], u32::try_from(numbers[2]).unwrap())
}

fn questions() -> Vec<String> {
    let mut all = Vec::new();
    for sex in ["f", "m"] {
        for decade in 2..8 {
            all.push(format!(
                "SELECT count(*) FROM patients WHERE sex = '{sex}' AND age = '{decade}0-{decade}9'"
            ));
        }
    }
    all.push("SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis".to_owned());
    all.push("SELECT name FROM patients".to_owned());
    all
}

fn psql(port: u16, user: &str, script: &str) -> Told {
    let connection = format!(
        "host=127.0.0.1 port={port} user={user} dbname=ward-7 connect_timeout=20 options='-c paravent.purpose=statistics'"
    );
    let output = Command::new(program("psql"))
        .args(["-X", "-q", "-A", "-t", "-c", script, &connection])
        .env("PGPASSWORD", PASSWORD)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    output.into()
}

#[test]
fn answers_are_neither_mixed_nor_lost_and_the_ledger_is_exact_however_often_the_server_is_killed() {
    if !has_clients() {
        return;
    }
    let (clients, seconds, kills) = plan();
    // Twelve counts and a histogram: 12 × 0.5 + 0.25, and what kills between paying and answering cost on top.
    let mut place = Place::without_server(&POLICY.replace("epsilon = \"2\"", "epsilon = \"1000\""));
    let options = ["--grid", "0", "--connections", "400"];
    place.serve(&options);
    let (port, done) = (AtomicU16::new(place.port), AtomicBool::new(false));
    let seen: Mutex<BTreeMap<String, BTreeSet<String>>> = Mutex::default();
    let questions = questions();
    let deadline = Instant::now() + Duration::from_secs(seconds);
    std::thread::scope(|scope| {
        for client in 0..clients {
            let (port, done, seen, questions) = (&port, &done, &seen, &questions);
            scope.spawn(move || {
                let user = ["ada", "bob"][client % 2];
                let mut next = client * 5;
                while !done.load(Ordering::Relaxed) {
                    next += 1;
                    let question = &questions[next % questions.len()];
                    let told = psql(port.load(Ordering::Relaxed), user, question);
                    match question.contains("name") {
                        true => assert!(told.out.is_empty(), "{}", told.out),
                        false if told.code == 0 => {
                            seen.lock().unwrap().entry(question.clone()).or_default().insert(told.out);
                        }
                        false => {}
                    }
                }
            });
        }
        for kill in 0..kills {
            let pause = Duration::from_secs(seconds) / (kills + 1);
            // Not always at the same moment of a question.
            std::thread::sleep(pause + Duration::from_millis(u64::from(kill) * 37 % 100));
            place.kill();
            place.serve(&options);
            port.store(place.port, Ordering::Relaxed);
        }
        std::thread::sleep(deadline.saturating_duration_since(Instant::now()));
        done.store(true, Ordering::Relaxed);
    });
    let seen = seen.into_inner().unwrap();
    assert!(!seen.is_empty(), "nobody got an answer");
    for (question, answers) in &seen {
        assert_eq!(answers.len(), 1, "two answers to one question: {question}");
    }
    // The account is whole, every answer was paid, and nothing was paid twice but what a kill has taken.
    let verified = place.command(&["ledger", "verify", "--ledger", "state/ledger.jsonl"], "");
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
    let kept = std::fs::read_dir(place.path("state/cache")).unwrap().filter_map(Result::ok);
    let kept = kept.filter(|entry| entry.file_name().to_string_lossy().ends_with(".json")).count();
    let paid = place.paid();
    assert!(
        seen.len() <= kept && kept <= paid && paid <= kept + kills as usize,
        "{} {kept} {paid} {kills}",
        seen.len()
    );
    // Whoever asks now gets what was answered then, and pays nothing.
    for (question, answers) in &seen {
        assert_eq!(Some(&psql(place.port, "ada", question).out), answers.first(), "{question}");
    }
    assert_eq!(place.paid(), paid);
}
