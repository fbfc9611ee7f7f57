//! Exact answers: right where they are given, and never about few people, alone or together.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::exact::REMAINDER;
use paravent_processor::{Answered, AskError, ask};
use serde_json::{Value, json};
use std::fs;
use ward::{POLICY, Ward, rows};

/// The policy for recipients who are trusted with exact figures.
fn trusting() -> String {
    POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n")
        .replace("role = \"students\"\n", "role = \"students\"\ntrust = \"trusted\"\n")
        .replace(
            "columns = [\"zip\"]\nfilter = 3\ngroup = 3",
            "columns = [\"zip\"]\nfilter = true\ngroup = true",
        )
        .replace("min_people = 10\n", "min_people = 10\ndominance = 0.5\n")
}

/// So many people of each postcode, with a salary of 1,000.
fn by_zip(zips: &[(&str, usize)]) -> String {
    let mut text = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for (zip, people) in zips {
        for i in 0..*people {
            text.push_str(&format!("{zip}-{i},CANARY{i},30,f,{zip},flu,1000,medicine,2026-01-01\n"));
        }
    }
    text
}

fn is_withheld(answer: &Answered) -> bool {
    answer.rows.is_empty()
}

#[test]
fn figures_are_the_true_ones() {
    let ward = Ward::with(&trusting(), &rows(1_000));
    let all = ward.answer("SELECT count(*), sum(salary), avg(salary) FROM patients");
    let shown: Vec<usize> = (0..1_000).filter(|i| i % 10 != 0).collect();
    let sum: usize = shown.iter().map(|i| 1_000 + i % 50 * 10).sum();
    assert_eq!(all.rows, [[json!(900), json!(sum), json!(sum as f64 / 900.0)]]);
    assert_eq!(all.annotation["truthful"], true);
    assert_eq!(all.annotation["criteria"][0]["without_change"], true);
    let by_sex = ward.answer("SELECT sex, count(*) FROM patients GROUP BY sex");
    let of = |sex: usize| shown.iter().filter(|i| *i / 2 % 2 == sex).count();
    assert_eq!(by_sex.rows, [[json!("f"), json!(of(0))], [json!("m"), json!(of(1))]]);
    assert!(!ward.folder.path().join("state/ledger.jsonl").exists(), "no noise, no cost");
    // The same again is the same answer, and no further line.
    assert_eq!(
        ward.answer("SELECT count(*) AS n, sex FROM patients GROUP BY sex").annotation["cached"],
        true
    );
}

#[test]
fn groups_with_few_people_are_folded_into_a_remainder_that_has_enough() {
    let ward = Ward::with(&trusting(), &by_zip(&[("10001", 30), ("10002", 20), ("10003", 12), ("10004", 3)]));
    let answer = ward.answer("SELECT zip, count(*) FROM patients GROUP BY zip");
    // Three people alone would be the difference to the whole table: the smallest other group goes with them.
    let want = [[json!("10001"), json!(30)], [json!("10002"), json!(20)], [json!(REMAINDER), json!(15)]];
    assert_eq!(answer.rows, want);
    assert_eq!(answer.annotation["operators"][0]["folded"], true);
}

#[test]
fn what_a_condition_leaves_out_has_enough_people_too() {
    let ward = Ward::with(&trusting(), &by_zip(&[("10001", 30), ("10002", 20), ("10003", 3)]));
    assert!(is_withheld(&ward.answer("SELECT count(*) FROM patients WHERE zip = '10003'")));
    assert!(is_withheld(&ward.answer("SELECT count(*) FROM patients WHERE zip IN ('10001', '10002')")));
    assert!(!is_withheld(&ward.answer("SELECT count(*) FROM patients WHERE zip = '10001'")));
}

/// No two of the three answers differ by few people, and together they tell of one.
#[test]
fn a_tracker_of_three_is_stopped_over_users_of_a_group() {
    let table = by_zip(&[("10001", 20), ("10002", 20), ("10003", 1), ("10004", 40)]);
    let ward = Ward::with(&trusting(), &table);
    let last = "SELECT count(*) FROM patients WHERE zip IN ('10001', '10002', '10003')";
    assert!(!is_withheld(&Ward::with(&trusting(), &table).answer(last)), "alone it is harmless");
    assert!(!is_withheld(&ward.answer("SELECT count(*) FROM patients WHERE zip = '10001'")));
    let colleague =
        ask(&ward.policy, "students", "statistics", "SELECT count(*) FROM patients WHERE zip = '10002'");
    assert!(!is_withheld(&colleague.unwrap()));
    assert!(is_withheld(&ward.answer(last)));
    let sum = ward.answer("SELECT sum(salary) FROM patients WHERE zip IN ('10001', '10002', '10003')");
    assert!(is_withheld(&sum), "a sum over the same people tells as much");
}

#[test]
fn answers_before_and_after_a_change_do_not_differ_by_few_people() {
    let ward = Ward::with(&trusting(), &by_zip(&[("10001", 30), ("10002", 30)]));
    let count = "SELECT count(*) FROM patients WHERE zip = '10001'";
    let sum = "SELECT sum(salary) FROM patients";
    assert!(!is_withheld(&ward.answer(count)) && !is_withheld(&ward.answer(sum)));
    let path = ward.folder.path().join("patients.csv");
    fs::write(&path, by_zip(&[("10001", 33), ("10002", 30)])).unwrap();
    assert!(is_withheld(&ward.answer(count)), "three came");
    fs::write(&path, by_zip(&[("10001", 30), ("10002", 30)]).replacen(",1000,", ",9000,", 1)).unwrap();
    assert!(is_withheld(&ward.answer(sum)), "the salary of one changed");
    fs::write(&path, by_zip(&[("10001", 45), ("10002", 30)])).unwrap();
    assert!(!is_withheld(&ward.answer(count)), "fifteen came");
}

#[test]
fn nobody_dominates_a_sum() {
    let table = by_zip(&[("10001", 20), ("10002", 20), ("10003", 20)]).replacen(",1000,", ",200000,", 1);
    let ward = Ward::with(&trusting(), &table);
    let answer = ward.answer("SELECT zip, sum(salary) FROM patients GROUP BY zip");
    let zips: Vec<&Value> = answer.rows.iter().map(|row| &row[0]).collect();
    assert!(!zips.contains(&&json!("10001")), "{zips:?}");
    assert!(!answer.rows.iter().any(|row| row[1] == json!(219_000)), "not as a remainder either");
    let lax = Ward::with(&trusting().replace("dominance = 0.5\n", ""), &table);
    assert_eq!(lax.answer("SELECT zip, sum(salary) FROM patients GROUP BY zip").rows.len(), 3);
}

#[test]
fn people_are_counted_and_not_their_rows() {
    let policy = trusting().replace("contribution = 1\n", "contribution = 50\n");
    let mut table = by_zip(&[("10001", 30)]);
    for _ in 0..12 {
        table.push_str("many,CANARY,30,f,10002,flu,1000,medicine,2026-01-01\n");
    }
    let ward = Ward::with(&policy, &table);
    let answer = ward.answer("SELECT zip, count(*) FROM patients GROUP BY zip");
    assert_eq!(answer.rows, [[json!(REMAINDER), json!(42)]], "twelve rows of one person");
    // The same people twice, but one of them with a row that the second answer does not have.
    let mut table = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for person in 0..40 {
        for zip in ["10001", "10002"] {
            table.push_str(&format!("p{person},CANARY,30,f,{zip},flu,1000,medicine,2026-01-01\n"));
        }
    }
    table.push_str("p7,CANARY,30,f,10003,flu,1000,medicine,2026-01-01\n");
    let ward = Ward::with(&policy, &table);
    assert!(!is_withheld(&ward.answer("SELECT sum(salary) FROM patients WHERE zip IN ('10001', '10003')")));
    let other = ward.answer("SELECT sum(salary) FROM patients WHERE zip = '10001'");
    assert!(is_withheld(&other), "the difference is one row of one person");
}

#[test]
fn untrusted_recipients_and_owners_without_a_demand_get_nothing_exact() {
    let untrusted = trusting().replace("trust = \"trusted\"\n", "");
    let refusal = Ward::with(&untrusted, &rows(100)).refused("SELECT count(*) FROM patients");
    assert!(refusal.message.contains("not trusted"), "{}", refusal.message);
    let no_demand = trusting().replace("min_people = 10\n", "");
    let refusal = Ward::with(&no_demand, &rows(100)).refused("SELECT count(*) FROM patients");
    assert!(refusal.message.contains("how many people"), "{}", refusal.message);
    // One rule with noise is enough.
    let noisy =
        trusting().replace("columns = [\"sex\"]\n", "columns = [\"sex\"]\nnoise = { epsilon = \"1\" }\n");
    let answer = Ward::with(&noisy, &rows(1_000)).answer("SELECT sex, count(*) FROM patients GROUP BY sex");
    assert_eq!(answer.annotation["truthful"], false);
}

#[test]
fn so_many_exact_answers_a_day() {
    let policy =
        trusting().replace("group = \"university\"\n", "group = \"university\"\nanswers = { per_day = 1 }\n");
    let ward = Ward::with(&policy, &rows(1_000));
    ward.answer("SELECT count(*) FROM patients");
    assert!(
        ward.refused("SELECT sex, count(*) FROM patients GROUP BY sex").message.contains("answers a day")
    );
}

/// Lists and sets come before the line, the line before the answer. So what is torn was never told, and what is told is never lost.
#[test]
fn the_register_survives_a_crash_and_shows_a_change() {
    let table = by_zip(&[("10001", 30), ("10002", 30), ("10003", 3)]);
    let ward = Ward::with(&trusting(), &table);
    let state = ward.folder.path().join("state");
    ward.answer("SELECT count(*) FROM patients WHERE zip = '10001'");
    let register = state.join("exact.jsonl");
    let sound = fs::read(&register).unwrap();
    // A line that was being written, with sets and rows that were already there.
    fs::write(&register, [sound.as_slice(), b"{\"sequence\":2,\"time\""].concat()).unwrap();
    for entry in fs::read_dir(state.join("people")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "rows") {
            let list = fs::read(&path).unwrap();
            fs::write(&path, [list.as_slice(), &[7; 24]].concat()).unwrap();
        }
    }
    fs::write(state.join("people/2-0.sets"), "half").unwrap();
    fs::remove_dir_all(state.join("cache")).unwrap();
    assert!(!is_withheld(&ward.answer("SELECT count(*) FROM patients WHERE zip = '10001'")));
    assert!(is_withheld(&ward.answer("SELECT count(*) FROM patients WHERE zip IN ('10001', '10003')")));
    // Whatever was changed: nothing is answered any more.
    let asked = || ward.ask("SELECT count(*) FROM patients WHERE zip = '10002'");
    for path in [register.clone(), state.join("people/1-0.sets")] {
        let sound = fs::read(&path).unwrap();
        let mut changed = sound.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(matches!(asked(), Err(AskError::State { .. })), "{}", path.display());
        fs::write(&path, sound).unwrap();
    }
    assert!(asked().is_ok());
}

#[test]
fn no_person_and_no_cell_is_in_the_state() {
    let ward = Ward::with(&trusting(), &rows(200));
    ward.answer("SELECT sex, count(*), sum(salary) FROM patients GROUP BY sex");
    let mut files = vec![ward.folder.path().join("state/exact.jsonl")];
    files.extend(
        fs::read_dir(ward.folder.path().join("state/people")).unwrap().map(|entry| entry.unwrap().path()),
    );
    assert!(files.len() > 2);
    for file in files {
        let bytes = fs::read(&file).unwrap();
        assert!(
            !bytes.windows(6).any(|part| part == b"CANARY") && !bytes.windows(4).any(|part| part == b"p123")
        );
    }
}
