//! What a client may take, each limit with its opposite, and how a server ends.
//!
//! A question takes as long as the test wants: it waits for the lock of the state, which the test holds.

use crate::place::{PASSWORD, Place, Told, has_clients, program};
use crate::ward::{POLICY, rows};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

const QUESTION: &str = "SELECT count(*) FROM patients WHERE sex = 'f'";

fn served(options: &[&str]) -> Place {
    let mut place = Place::without_server(POLICY);
    place.serve(options);
    place
}

/// Nobody gets an answer while this is there.
fn held(place: &Place) -> File {
    fs::create_dir_all(place.path("state")).unwrap();
    let lock = File::create(place.path("state/lock")).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    lock
}

/// A psql that stays, with what it prints.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    out: BufReader<std::process::ChildStdout>,
}

impl Client {
    fn of(place: &Place, more: &str) -> Client {
        let mut child = Command::new(program("psql"))
            .args(["-X", "-q", "-A", "-t", "-v", "VERBOSITY=verbose"])
            .arg(place.connection("bob", more))
            .env("PGPASSWORD", PASSWORD)
            .env("HOME", place.folder())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut client = Client { child, input, out };
        client.say("SELECT 1;");
        assert_eq!(client.line(), "1", "logged in");
        client
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Everything until it ends, without further input.
    fn end(mut self) -> Told {
        drop(self.input.take());
        let mut out = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut out).unwrap();
        let told = Told::from(self.child.wait_with_output().unwrap());
        Told { out, ..told }
    }

    /// Ctrl-C: psql asks the server to stop its question.
    fn interrupt(&self) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), Signal::SIGINT).unwrap();
    }
}

/// Until the server waits for the lock; where the system does not tell, for a while.
fn until_it_waits(place: &Place) {
    let inode = fs::metadata(place.path("state/lock")).unwrap().ino().to_string();
    for _ in 0..100 {
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        if locks.lines().any(|line| line.contains("->") && line.contains(&inode)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_answer_that_takes_too_long_is_told_and_kept_for_whoever_asks_again() {
    if !has_clients() {
        return;
    }
    let place = served(&["--grid", "0", "--seconds", "1"]);
    let lock = held(&place);
    let told = place.psql("ada", &format!("{QUESTION};\n"));
    assert!(told.err.contains("57014") && told.out.is_empty(), "{} {}", told.out, told.err);
    drop(lock);
    // It was worked on all the while; on a slow machine it may take another second or two.
    let mut told = place.psql("ada", &format!("{QUESTION};\n"));
    while told.err.contains("57014") {
        told = place.psql("ada", &format!("{QUESTION};\n"));
    }
    assert_eq!((told.out.lines().count(), place.paid()), (1, 1), "{}", told.err);
}

#[test]
fn whoever_knows_the_secret_of_a_connection_stops_its_question_and_nobody_else() {
    if !has_clients() {
        return;
    }
    let place = served(&["--grid", "0"]);
    let lock = held(&place);
    let mut client = Client::of(&place, "");
    client.say(&format!("{QUESTION};"));
    client.say("SELECT 2;");
    until_it_waits(&place);
    // Strangers guess: every number of a connection, with a secret of nobody.
    for number in 1_u32..20 {
        let mut stream = TcpStream::connect(("127.0.0.1", place.port)).unwrap();
        let words = [16_u32, 80_877_102, number, 0x7f_ed_cb_a9];
        stream.write_all(&words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>()).unwrap();
    }
    std::thread::sleep(Duration::from_millis(300));
    drop(lock);
    let answer = client.line();
    assert!(answer.parse::<i64>().is_ok_and(|count| count > 2), "{answer}");
    assert_eq!(client.line(), "2");
    assert_eq!(client.end().code, 0);
    // The client itself, with its own secret: it is told while the lock is still held.
    let lock = held(&place);
    let mut client = Client::of(&place, "");
    client.say("SELECT count(*) FROM patients WHERE sex = 'm';");
    until_it_waits(&place);
    client.interrupt();
    let told = client.end();
    assert!(told.err.contains("57014") && told.err.contains("stopped on request"), "{}", told.err);
    drop(lock);
    // It was finished and kept all the same.
    assert_eq!(place.psql("ada", "SELECT count(*) FROM patients WHERE sex = 'm';\n").out.lines().count(), 1);
    assert_eq!(place.paid(), 2);
}

/// Clients before PostgreSQL 17 send the wish to stop in the clear.
#[test]
fn a_question_over_tls_can_be_stopped() {
    if !has_clients() {
        return;
    }
    let place = crate::tls::encrypted();
    let lock = held(&place);
    let mut client = Client::of(&place, "sslmode=require");
    client.say(&format!("{QUESTION};"));
    until_it_waits(&place);
    client.interrupt();
    let told = client.end();
    assert!(told.err.contains("stopped on request"), "{}", told.err);
    drop(lock);
}

#[test]
fn a_silent_connection_ends_and_one_that_talks_does_not() {
    if !has_clients() {
        return;
    }
    let script = "SELECT 1;\n\\! sleep 2.5\nSELECT 2;\n";
    let place = served(&["--grid", "0", "--idle", "1s"]);
    let told = place.psql("ada", script);
    assert!(told.err.contains("57P05") && told.out == "1\n", "{} {}", told.out, told.err);
    let talks = "SELECT 1;\n\\! sleep 0.4\n".repeat(4);
    assert_eq!(place.psql("ada", &talks).out, "1\n".repeat(4));
    let place = served(&["--grid", "0", "--idle", "1"]);
    assert_eq!(place.psql("ada", script).out, "1\n2\n", "a minute is long enough");
    let told = place.command(&["serve", "policy.toml", "--idle", "0s"], "");
    assert_eq!(told.code, 2, "{}", told.err);
}

#[test]
fn statements_up_to_the_limit_are_read_and_longer_ones_end_the_connection() {
    if !has_clients() {
        return;
    }
    let place = served(&["--grid", "0", "--statement", "4"]);
    let of = |length: usize| {
        let (head, tail) = ("SELECT count(*) FROM patients WHERE sex = '", "'");
        format!("{head}{}{tail};\nSELECT 1;\n", "x".repeat(length - head.len() - tail.len()))
    };
    let short = place.psql("ada", &of(4_000));
    assert!(short.out.ends_with("1\n") && !short.err.contains("54000"), "{}", short.err);
    let long = place.psql("ada", &of(4_200));
    assert!(long.err.contains("54000") && long.out.is_empty(), "{} {}", long.out, long.err);
}

#[test]
fn connections_up_to_the_limit_are_served_and_the_next_when_one_ends() {
    if !has_clients() {
        return;
    }
    let place = served(&["--grid", "0", "--connections", "3"]);
    let mut clients: Vec<Client> = (0..3).map(|_| Client::of(&place, "")).collect();
    let refused = place.psql("ada", "SELECT 1;\n");
    assert!(refused.code != 0 && refused.err.contains("too many connections"), "{}", refused.err);
    assert_eq!(clients.pop().unwrap().end().code, 0);
    // The place is free a moment after the client is gone.
    while place.psql("ada", "SELECT 1;\n").out != "1\n" {}
    for client in &mut clients {
        client.say("SELECT 5;");
        assert_eq!(client.line(), "5", "others have not noticed");
    }
}

#[test]
fn a_question_beyond_the_memory_is_told_without_a_word_about_rows_and_answered_with_more() {
    if !has_clients() {
        return;
    }
    // Some thousand groups of one person each, none of which may be shown.
    let mut place =
        Place::without_server(&POLICY.replace("filter = 3\ngroup = 3", "filter = true\ngroup = true"));
    let mut table = rows(0);
    for i in 0..12_000 {
        table.push_str(&format!("p{i},CANARY,30,f,{:05},flu,1,medicine,2026-01-01\n", i * 8));
    }
    fs::write(place.path("patients.csv"), table).unwrap();
    let question = "SELECT zip, age, sex, count(*) FROM patients GROUP BY zip, age, sex;\n";
    place.serve(&["--grid", "0", "--memory", "1"]);
    let told = place.psql("ada", question);
    // In the words of every other failure: which it was would tell of the rows.
    assert!(told.err.contains("XX000: this question could not be answered"), "{} {}", told.out, told.err);
    assert!(
        told.out.is_empty() && !told.err.contains("memory") && !told.err.contains("12000"),
        "{}",
        told.err
    );
    assert_eq!(place.stop(), 0);
    place.serve(&["--grid", "0"]);
    let told = place.psql("ada", question);
    assert!(told.err.contains("NOTICE") && !told.err.contains("ERROR"), "{}", told.err);
}

#[test]
fn a_server_that_stops_finishes_its_question_tells_the_others_and_ends_well() {
    if !has_clients() {
        return;
    }
    let mut place = served(&["--grid", "0"]);
    let lock = held(&place);
    let mut idle = Client::of(&place, "");
    let mut asking = Client::of(&place, "");
    asking.say(&format!("{QUESTION};"));
    until_it_waits(&place);
    let stopping = std::thread::spawn(move || (place.stop(), place));
    // Whoever does nothing is told at once.
    std::thread::sleep(Duration::from_millis(300));
    idle.say("SELECT 1;");
    let told = idle.end();
    assert!(told.err.contains("57P01") && told.out.is_empty(), "{} {}", told.out, told.err);
    drop(lock);
    let answer = asking.line();
    assert!(answer.parse::<i64>().is_ok_and(|count| count > 0), "{answer}");
    asking.say("SELECT 1;");
    let told = asking.end();
    assert!(told.err.contains("57P01"), "{}", told.err);
    let (code, mut place) = stopping.join().unwrap();
    assert_eq!((code, place.paid()), (0, 1));
    // The opposite: a server that is killed says nothing.
    place.serve(&["--grid", "0"]);
    let mut client = Client::of(&place, "");
    place.kill();
    client.say("SELECT 1;");
    let told = client.end();
    assert!(!told.err.contains("57P01") && told.out.is_empty(), "{}", told.err);
}

/// One client must not end the server, or keep it from others: by trees that are deeper than its stack, by words that are tried 2^n times, or by
/// texts that are made of texts.
#[test]
fn statements_that_would_exhaust_the_server_are_told_and_others_are_served() {
    if !has_clients() {
        return;
    }
    let mut place = served(&["--grid", "0"]);
    let text = "a".repeat(30_000);
    let told = |sql: &str| place.psql("ada", &format!("{sql};\nSELECT 5;\n"));
    for (sql, code) in [
        (format!("SELECT 1{}", " + 1".repeat(15_000)), "54001"),
        (format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(3_000)), "54001"),
        (format!("SELECT {}1 +{}", "NOT (".repeat(45), ")".repeat(45)), "54001"),
        (format!("SELECT {}1 +", "ARRAY[".repeat(45)), "54001"),
        (format!("SELECT count(*) FROM patients WHERE {}true", "NOT ".repeat(9_000)), "54001"),
        (format!("SELECT {}1{}", "(".repeat(30_000), ")".repeat(30_000)), "42501"),
        (format!("SELECT '{text}' FROM pg_database, generate_series(1, 1000) n"), "54001"),
    ] {
        let told = told(&sql);
        assert!(told.err.contains(code) && told.out == "5\n", "{}: {} {}", &sql[..40], told.out, told.err);
    }
    // As large as may be: read, and answered.
    let sum = told(&format!("SELECT 1{}", " + 1".repeat(1_900)));
    assert_eq!((sum.out.as_str(), sum.err.as_str()), ("1901\n5\n", ""));
    let question = format!("{QUESTION}{}", " AND sex = 'f'".repeat(950));
    assert_eq!(told(&question).out.lines().count(), 2);
    assert_eq!((place.paid(), place.stop()), (1, 0));
}
