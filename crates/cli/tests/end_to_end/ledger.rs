//! The ledger of noisy answers: over processes, recipients, kills and torn lines.
//!
//! `PARAVENT_RACERS=2000 cargo test --release --features sql --test end_to_end ledger::` lets more processes race.

use super::support::{JOB, Place};
use std::process::Child;
use std::time::Duration;

const QUESTION: &str = "SELECT * FROM private(patients, count => true, epsilon => 0.1)";

fn ask<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["--json", "sql", QUESTION, "--file", "patients.csv"].into_iter().chain(more.iter().copied()).collect()
}

/// Lines of grants.
fn grants(place: &Place, ledger: &str) -> usize {
    place.read(ledger).lines().filter(|line| line.contains("\"kind\":\"grant\"")).count()
}

#[test]
fn racing_processes_do_not_spend_more_than_the_limit() {
    let place = Place::new();
    let racers: usize =
        std::env::var("PARAVENT_RACERS").ok().and_then(|text| text.parse().ok()).unwrap_or(50);
    let (mut running, mut answered, mut refused): (Vec<Child>, usize, usize) = (Vec::new(), 0, 0);
    let mut ended = |child: Child| {
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => answered += 1,
            Some(2) => refused += 1,
            code => panic!("{code:?}: {}", String::from_utf8_lossy(&output.stdout)),
        }
    };
    for _ in 0..racers {
        if running.len() == 20 {
            ended(running.remove(0));
        }
        running.push(place.command(&ask(&[])).spawn().unwrap());
    }
    running.into_iter().for_each(&mut ended);
    assert_eq!((answered, refused), (10, racers - 10), "ten tenths are one");
    assert_eq!(grants(&place, "patients.ledger.jsonl"), 10);
    place.run(&["ledger", "verify", "patients.csv"]).expect(0);
}

#[test]
fn whoever_is_killed_has_paid_for_what_was_shown() {
    let place = Place::with(
        &JOB.replace("[privacy]", "[privacy]\nbudget = { epsilon = \"100\" }"),
        super::support::patients(),
    );
    let mut shown = 0;
    for round in 0..12u64 {
        let mut child =
            place.command(&["--json", "sql", QUESTION, "--job", "paravent.toml"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(60 + round * round * 12));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        shown += usize::from(!output.stdout.is_empty());
        if place.path("paravent.ledger.jsonl").exists() {
            place.run(&["ledger", "verify", "--job", "paravent.toml"]).expect(0);
            assert!(shown <= grants(&place, "paravent.ledger.jsonl"));
        }
    }
    place.run(&["--json", "sql", QUESTION, "--job", "paravent.toml"]).expect(0);
    assert!(shown < grants(&place, "paravent.ledger.jsonl"));
}

#[test]
fn the_limit_is_the_owners() {
    let place = Place::with(
        &JOB.replace("[privacy]", "[privacy]\nbudget = { epsilon = \"0.3\" }"),
        super::support::patients(),
    );
    let sql = |more: &[&str]| {
        let start = ["--json", "sql", QUESTION, "--job", "paravent.toml"];
        place.run(&start.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
    };
    let raised = sql(&["--budget", "1000"]).expect(2).json();
    let message = raised["error"]["message"].as_str().unwrap();
    assert!(message.contains("can only be lowered") && message.contains("[privacy] budget"), "{message}");
    assert!(!place.names().contains(&"paravent.ledger.jsonl".to_owned()));
    sql(&["--budget", "0.05"]).expect(2);
    let first = sql(&["--budget", "0.3"]).expect(0).json();
    assert_eq!(first["operators"][0]["spent"], "ε = 0.1");
    assert_eq!(sql(&[]).expect(0).json()["operators"][0]["left"], "ε = 0.1");
    sql(&[]).expect(0);
    let over = sql(&[]).expect(2).json();
    assert!(over["error"]["message"].as_str().unwrap().contains("left ε = 0 of ε = 0.3"), "{over}");
    assert_eq!(sql(&["--recipient", "press"]).expect(0).json()["operators"][0]["spent"], "ε = 0.1");
    let other = sql(&["--ledger", "other.jsonl"]).expect(0).json();
    assert_eq!(other["operators"][0]["spent"], "ε = 0.1");
    let listed = place.run(&["--json", "ledger", "list", "--job", "paravent.toml"]).expect(0).json();
    assert_eq!(listed["grants"].as_array().unwrap().len(), 4);
    assert_eq!(listed["recipients"][0]["epsilon"], "0.3");
    assert_eq!(listed["recipients"][1]["recipient"], "press");
    assert!(!place.read("paravent.ledger.jsonl").contains("patients,"), "no statement, no cell");
    let text = place.run(&["ledger", "list", "--job", "paravent.toml"]).expect(0).out;
    assert!(text.contains("anyone: ε = 0.3 in all") && text.contains("private: count"), "{text}");
}

#[test]
fn edits_and_torn_lines_are_told_and_refused() {
    let place = Place::new();
    place.run(&ask(&[])).expect(0);
    let head = place.run(&["--json", "ledger", "list", "patients.csv"]).expect(0).json()["head"]
        .as_str()
        .unwrap()
        .to_owned();
    place.run(&ask(&[])).expect(0);
    let ledger = "patients.ledger.jsonl";
    let whole = place.read(ledger);
    place.write(ledger, whole.replace("\"epsilon\":\"0.1\"", "\"epsilon\":\"0.0\""));
    place.run(&["ledger", "verify", "patients.csv"]).expect(1);
    let refused = place.run(&ask(&[])).expect(1).json();
    assert!(refused["error"]["message"].as_str().unwrap().contains("not as it was written"), "{refused}");
    place.write(ledger, &whole[..whole.len() - 9]);
    let torn = place.run(&ask(&[])).expect(1).json();
    assert!(torn["error"]["message"].as_str().unwrap().contains("paravent ledger mend"), "{torn}");
    place.run(&["ledger", "verify", "patients.csv"]).expect(1);
    place.run(&["ledger", "mend", "patients.csv", "--recipient", "anyone", "--spent", "0.5"]).expect(0);
    place.run(&["ledger", "verify", "patients.csv", "--head", &head]).expect(0);
    let left = place.run(&ask(&[])).expect(0).json();
    assert_eq!(left["operators"][0]["spent"], "ε = 0.7");
    // The end cut off: only a head that was kept elsewhere shows it.
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    place.write(ledger, lines[..1].concat());
    let honest = place.run(&["ledger", "verify", "patients.csv"]).expect(0).out;
    assert!(honest.contains("cannot be seen from the file alone"), "{honest}");
    place.run(&["ledger", "verify", "patients.csv", "--head", &head]).expect(1);
}

#[test]
fn a_ledger_that_cannot_be_written_is_an_error_before_anything_is_drawn() {
    let place = Place::new();
    let refused = place.run(&ask(&["--ledger", "/proc/none.jsonl"])).expect(4).json();
    assert!(refused["error"]["message"].as_str().unwrap().contains("nothing was drawn"), "{refused}");
    place.run(&ask(&["--ledger", "absent/folder/l.jsonl"])).expect(4);
    place.run(&ask(&["--ledger", "."])).expect(4);
    let question = QUESTION.replace("patients", "p");
    let piped = place.run_with(&["sql", &question, "--file", "p=-"], place.read("patients.csv").as_bytes());
    piped.expect(2).says(&["--ledger FILE"]);
    place.run(&["ledger", "list", "patients.csv"]).expect(4).says(&["no ledger is there"]);
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "2"]).expect(0);
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "200"]).expect(4).says(&["started already"]);
}

#[test]
fn statements_have_limits_and_no_panic_is_seen() {
    let place = Place::new();
    let sql = |statement: &str, more: &[&str]| {
        let start = ["sql", statement, "--file", "patients.csv"];
        place.run(&start.into_iter().chain(more.iter().copied()).collect::<Vec<_>>()).expect(2)
    };
    let endless = "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r";
    sql(endless, &["--seconds", "2"]).says(&["longer than it may", "--seconds"]);
    sql("SELECT repeat('x', 100000000) FROM patients", &[]).says(&["texts or lists"]);
    sql(
        "SELECT a.name FROM patients a, patients b, patients c, patients d, patients e",
        &["--memory", "100MiB", "--seconds", "20"],
    )
    .says(&["answer is larger"]);
    sql("SELECT * FROM generate_series(1, 1000000000000)", &[]).says(&["more than"]);
}
