//! Who gets in, what they get, and how it ends.

use crate::place::{PASSWORD, Place, has_clients};
use crate::ward::POLICY;
use serde_json::Value;
use std::fs;
use std::process::Stdio;

const QUESTION: &str = "SELECT sex, count(*) FROM patients GROUP BY sex";

#[test]
fn an_answer_over_the_wire_is_the_answer_of_ask_with_its_annotation() {
    if !has_clients() {
        return;
    }
    let mut place = Place::new();
    let told = place.psql("ada", &format!("{QUESTION};\nSELECT annotation FROM paravent.annotation;\n"));
    let lines: Vec<&str> = told.out.lines().collect();
    assert_eq!(lines.len(), 3, "{} {}", told.out, told.err);
    assert!(told.err.contains("NOTICE") && told.err.contains("cost ε = 0.5"), "{}", told.err);
    let annotation: Value = serde_json::from_str(lines[2]).unwrap();
    assert_eq!(annotation["recipient"]["role"], "research");
    assert_eq!(place.paid(), 1);
    let asked = place.command(
        &["--json", "ask", "policy.toml", "--as", "students", "--purpose", "statistics", QUESTION],
        "",
    );
    let asked: Value = serde_json::from_str(&asked.out).unwrap();
    let rows: Vec<String> = asked["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| format!("{}|{}", row[0].as_str().unwrap(), row[1]))
        .collect();
    assert_eq!(
        (rows.as_slice(), place.paid()),
        (lines[..2].iter().map(|line| (*line).to_owned()).collect::<Vec<_>>().as_slice(), 1)
    );
    assert_eq!(place.stop(), 0);
}

#[test]
fn wrong_passwords_and_strange_names_are_told_alike_and_nothing_is_asked() {
    if !has_clients() {
        return;
    }
    let place = Place::new();
    let wrong = place.psql_as(&place.connection("ada", ""), "another password!", QUESTION);
    let strange = place.psql_as(&place.connection("eve", ""), PASSWORD, QUESTION);
    for told in [&wrong, &strange] {
        assert_eq!(told.code, 2, "{}", told.err);
        assert!(told.err.contains("name or password is wrong") && told.out.is_empty(), "{}", told.err);
    }
    let text = fs::read_to_string(place.path("policy.users.toml")).unwrap();
    assert!(!text.contains("password of") && text.contains("SCRAM-SHA-256$"));
    assert!(!place.path("state").exists());
}

#[test]
fn a_purpose_is_one_of_the_recipients_own_and_fixed_in_a_transaction() {
    if !has_clients() {
        return;
    }
    let place = Place::new();
    let told = place.psql_as(&place.connection("ada", ""), PASSWORD, &format!("{QUESTION};\n"));
    assert!(told.err.contains("42501") && told.err.contains("no purpose was named"), "{}", told.err);
    let told = place.psql_as(
        &place.connection("ada", ""),
        PASSWORD,
        &format!("SET paravent.purpose = 'advertising';\nSET paravent.purpose = 'statistics';\nBEGIN;\nSET paravent.purpose = 'gait-study';\nROLLBACK;\n{QUESTION};\n"),
    );
    assert!(told.err.contains("no purpose of the recipient") && told.err.contains("25001"), "{}", told.err);
    assert_eq!(told.out.lines().count(), 2, "{}", told.out);
    // Bob has one purpose, and need not say it.
    let told = place.psql_as(&place.connection("bob", ""), PASSWORD, &format!("{QUESTION};\n"));
    assert_eq!(told.out.lines().count(), 2, "{}", told.err);
    let foreign = place.psql_as(
        &place.connection("bob", "options='-c paravent.purpose=gait-study'"),
        PASSWORD,
        "SELECT 1;\n",
    );
    assert!(foreign.code != 0 && foreign.err.contains("no purpose of the recipient"), "{}", foreign.err);
}

#[test]
fn limits_on_statements_and_connections_are_told_and_a_removed_user_gets_nothing_more() {
    if !has_clients() {
        return;
    }
    let mut place = Place::without_server(POLICY);
    place.serve(&["--grid", "0", "--connections", "1", "--statement", "4"]);
    let long = format!("SELECT count(*) FROM patients WHERE sex = '{}';\n", "x".repeat(5_000));
    let told = place.psql("ada", &long);
    assert!(told.err.contains("54000"), "{}", told.err);
    // The place is free again a moment after the client is gone.
    while place.psql("ada", "SELECT 1;\n").code != 0 {}
    std::thread::sleep(std::time::Duration::from_millis(500));
    // One place: while it is taken, nobody else comes in.
    let mut held = std::process::Command::new(crate::place::program("psql"))
        .args(["-X", "-q", "-A", "-t", &place.connection("bob", "")])
        .env("PGPASSWORD", PASSWORD)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::{BufRead, BufReader, Write};
    let mut stdin = held.stdin.take().unwrap();
    let mut out = BufReader::new(held.stdout.take().unwrap());
    writeln!(stdin, "SELECT 1;").unwrap();
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "1\n");
    let refused = place.psql("ada", "SELECT 1;\n");
    assert!(refused.code != 0 && refused.err.contains("too many connections"), "{}", refused.err);
    assert_eq!(place.command(&["user", "remove", "policy.toml", "bob"], "").code, 0);
    writeln!(stdin, "{QUESTION};").unwrap();
    drop(stdin);
    let told = held.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&told.stderr).contains("log in again"));
    assert_eq!(place.paid(), 0);
}

#[test]
fn a_server_that_stops_says_so_and_ends_well() {
    if !has_clients() {
        return;
    }
    let mut place = Place::new();
    assert_eq!(place.psql("ada", "SELECT 1;\n").out, "1\n");
    assert_eq!(place.stop(), 0);
    assert!(place.psql("ada", "SELECT 1;\n").code != 0);
}

#[test]
fn other_machines_need_tls_and_a_users_file_that_others_can_read_stops_the_server() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::without_server(POLICY);
    let told = place.command(&["serve", "policy.toml", "--listen", "0.0.0.0:0"], "");
    assert_eq!(told.code, 2, "{}", told.err);
    assert!(told.err.contains("--tls"), "{}", told.err);
    fs::set_permissions(place.path("policy.users.toml"), fs::Permissions::from_mode(0o644)).unwrap();
    let told = place.command(&["serve", "policy.toml", "--listen", "127.0.0.1:0"], "");
    assert!(told.code == 4 && told.err.contains("chmod 600"), "{} {}", told.code, told.err);
}
