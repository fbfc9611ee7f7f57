//! The attack queries over a real connection.

use crate::place::{PASSWORD, Place, has_clients, program};
use crate::ward::refused::REFUSED;
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// On a connection these are about the catalog, the session or nothing at all: static, and without a row of anybody.
const HARMLESS: [&str; 4] = [
    "SELECT reltuples FROM pg_catalog.pg_class",
    "SELECT table_name FROM information_schema.tables",
    "SELECT 1",
    "VALUES (1)",
];

#[test]
fn every_attack_is_refused_over_psql_without_a_row_or_a_trace() {
    if !has_clients() {
        return;
    }
    let place = Place::new();
    // Without the table, nothing can depend on it.
    fs::remove_file(place.path("patients.csv")).unwrap();
    let mut script = String::new();
    for (number, (sql, _)) in REFUSED.iter().enumerate() {
        // Two statements in one message, as a program would send them; psql would send them one by one.
        let sql = sql.replace("; ", " \\; ");
        script.push_str(&format!("\\warn === {number}\n{sql};\n"));
    }
    script.push_str("\\warn === end\n");
    let told = place.psql("ada", &script);
    let blocks: Vec<&str> = told.err.split("=== ").skip(1).collect();
    assert_eq!(blocks.len(), REFUSED.len() + 1, "{}", told.err);
    for ((sql, word), block) in REFUSED.iter().zip(&blocks) {
        if HARMLESS.contains(sql) {
            continue;
        }
        assert!(block.contains("ERROR"), "{sql}: {block}");
        let is_refusal = block.contains("42501") && block.contains(word);
        // The session, the catalog and the parser have words of their own.
        let is_other = ["42704", "42P01", "42883", "0A000", "42703"].iter().any(|code| block.contains(code));
        assert!(is_refusal || is_other || block.contains("42501"), "{sql}: {block}");
        assert!(!block.contains("CANARY"), "{sql}: {block}");
    }
    // What is harmless shows the one table that may be asked about, and no number of rows.
    let shown: BTreeSet<&str> = told.out.lines().collect();
    assert_eq!(shown, BTreeSet::from(["-1", "1", "patients"]), "{}", told.out);
    assert!(!place.path("state").exists(), "a refusal leaves no trace");
}

#[test]
fn averaging_over_reconnects_users_of_a_group_and_restarts_has_one_answer_that_is_paid_once() {
    if !has_clients() {
        return;
    }
    let mut place = Place::new();
    let question = "SELECT count(*) FROM patients WHERE sex = 'f' AND age = '30-39';\n";
    let again = "SELECT count(1) AS n FROM public.patients p WHERE p.age IN ('30-39') AND 'f' = p.sex;\n";
    let mut answers = BTreeSet::new();
    answers.insert(place.psql("ada", question).out);
    answers.insert(place.psql("ada", again).out);
    answers.insert(place.psql("bob", question).out);
    assert_eq!(place.stop(), 0);
    place.serve(&["--grid", "0"]);
    answers.insert(place.psql("bob", again).out);
    assert_eq!((answers.len(), place.paid()), (1, 1), "{answers:?}");
    // ε = 0.5 each and 2 in all, for both users together.
    for (user, decade) in [("ada", "20-29"), ("bob", "40-49"), ("ada", "50-59")] {
        place.psql(user, &format!("SELECT count(*) FROM patients WHERE age = '{decade}';\n"));
    }
    let spent = place.psql("bob", "SELECT count(*) FROM patients WHERE age = '60-69';\n");
    assert!(spent.err.contains("42501") && spent.err.contains("budget"), "{}", spent.err);
    assert_eq!(place.paid(), 4);
}

#[test]
fn parameters_of_the_extended_protocol_are_constants_and_nothing_else() {
    if !has_clients()
        || !Command::new(program("pgbench")).arg("--version").output().is_ok_and(|told| told.status.success())
    {
        return;
    }
    let place = Place::new();
    let first = place.psql("ada", "SELECT count(*) FROM patients WHERE sex = 'f';\n");
    fs::write(place.path("bench.sql"), "SELECT count(*) FROM patients WHERE sex = :sex;\n").unwrap();
    for (mode, sex) in
        [("extended", "f"), ("prepared", "f"), ("prepared", "f' OR '1'='1"), ("prepared", "\\' OR 1=1 --")]
    {
        let told = Command::new(program("pgbench"))
            .args(["-n", "-M", mode, "-t", "3", "-f", "bench.sql", "-D", &format!("sex={sex}")])
            .arg(place.connection("ada", "options='-c paravent.purpose=statistics'"))
            .current_dir(place.folder())
            .env("PGPASSWORD", PASSWORD)
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
        assert!(told.status.success() && out.contains("3/3"), "{mode} {sex}: {out} {err}");
    }
    // The label f, and two that nobody has: three questions, whatever was in the parameter.
    assert_eq!(place.paid(), 3);
    assert_eq!(place.psql("bob", "SELECT count(*) FROM patients WHERE sex = 'f';\n").out, first.out);
}
