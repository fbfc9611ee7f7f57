//! Attacks that need more than one answer, over psql: by users of one group, over new connections, and after the server was started again.

use crate::place::{Place, has_clients};
use crate::ward::{POLICY, rows};
use std::fs;

const HEADER: &str = "id,name,age,sex,zip,diagnosis,salary,ward,admitted\n";

/// Rows on labels, in classes of ten people with three diagnoses.
fn showing() -> String {
    without_noise()
        .replace("columns = [\"age\"]\n", "columns = [\"age\"]\nshow = 1\n")
        .replace("columns = [\"sex\"]\n", "columns = [\"sex\"]\nshow = true\n")
        .replace("columns = [\"zip\"]\n", "columns = [\"zip\"]\nshow = true\n")
        .replace("columns = [\"diagnosis\"]\n", "columns = [\"diagnosis\"]\nshow = true\n")
        .replace(
            "min_people = 10\n",
            "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 5 }, { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 3 }]\n",
        )
}

/// Exact figures for both users of the group.
fn trusting() -> String {
    without_noise()
        .replace("trust = \"untrusted\"\n", "")
        .replace("group = \"university\"\n", "group = \"university\"\ntrust = \"trusted\"\n")
        .replace("min_people = 10\n", "min_people = 10\ndominance = 0.5\n")
}

fn without_noise() -> String {
    POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
}

fn served(policy: &str, table: &str) -> Place {
    let mut place = Place::without_server(policy);
    fs::write(place.path("patients.csv"), table).unwrap();
    place.serve(&["--grid", "0"]);
    place
}

fn restart(place: &mut Place) {
    assert_eq!(place.stop(), 0);
    place.serve(&["--grid", "0"]);
}

/// The rows that a user gets, or the words of the refusal.
fn ask(place: &Place, user: &str, sql: &str) -> Result<Vec<String>, String> {
    let told = place.psql(user, &format!("{sql};\n"));
    assert!(!told.out.contains("CANARY") && !told.err.contains("CANARY"), "{sql}");
    match told.err.contains("ERROR") {
        true => Err(told.err),
        false => Ok(told.out.lines().map(str::to_owned).collect()),
    }
}

fn some(rows: &[&str]) -> Result<Vec<String>, String> {
    Ok(rows.iter().map(|row| (*row).to_owned()).collect())
}

/// 30, 31, 32: two views of the same people could be put together.
#[test]
fn a_group_gets_one_view_of_the_rows_whoever_asks_and_however_the_table_grows() {
    if !has_clients() {
        return;
    }
    let mut place = served(&showing(), &rows(1_000));
    let first = ask(&place, "ada", "SELECT age, diagnosis FROM patients").unwrap();
    assert_eq!(first.len(), 900);
    assert_eq!(ask(&place, "bob", "SELECT age, diagnosis FROM patients").unwrap(), first);
    for user in ["ada", "bob"] {
        for sql in [
            "SELECT zip, diagnosis FROM patients",
            "SELECT age, sex, diagnosis FROM patients",
            "SELECT age, diagnosis FROM patients WHERE sex = 'f'",
        ] {
            let refusal = ask(&place, user, sql).unwrap_err();
            assert!(refusal.contains("42501") && refusal.contains("two views"), "{sql}: {refusal}");
        }
        restart(&mut place);
    }
    let grown: String =
        (0..10).map(|i| format!("new{i},CANARY,30,f,10000,hiv,1,medicine,2026-01-01\n")).collect();
    fs::write(place.path("patients.csv"), rows(1_000) + &grown).unwrap();
    assert!(ask(&place, "bob", "SELECT age, diagnosis FROM patients").unwrap_err().contains("42501"));
}

/// 36: six rows of each of four people.
#[test]
fn rows_of_one_person_make_no_class_and_no_group() {
    if !has_clients() {
        return;
    }
    let mut table = HEADER.to_owned();
    for i in 0..24 {
        let diagnosis = ["flu", "gout", "hiv"][i % 3];
        table.push_str(&format!("p{},CANARY,30,f,10000,{diagnosis},1,medicine,2026-01-01\n", i % 4));
    }
    let mut place = served(&showing(), &table);
    assert_eq!(ask(&place, "ada", "SELECT sex, diagnosis FROM patients"), some(&[]));
    restart(&mut place);
    assert_eq!(ask(&place, "bob", "SELECT sex, diagnosis FROM patients"), some(&[]));
    let place = served(&trusting(), &table);
    assert_eq!(ask(&place, "ada", "SELECT count(*) FROM patients"), some(&[]));
    assert_eq!(ask(&place, "bob", "SELECT sex, count(*) FROM patients GROUP BY sex"), some(&[]));
}

/// 33: one person has nearly all of a group's sum.
#[test]
fn a_sum_that_one_person_dominates_is_not_told() {
    if !has_clients() {
        return;
    }
    let mut table = rows(1_000);
    for i in 0..30 {
        let salary = if i == 0 { 60_000 } else { 1_000 };
        table.push_str(&format!("rich{i},CANARY,85,f,10000,flu,{salary},medicine,2026-01-01\n"));
    }
    let mut place = served(&trusting(), &table);
    let told = ask(&place, "ada", "SELECT age, sum(salary) FROM patients GROUP BY age").unwrap();
    assert!(told.len() > 2 && !told.iter().any(|row| row.starts_with("80-89")), "{told:?}");
    restart(&mut place);
    assert_eq!(ask(&place, "bob", "SELECT sum(salary) FROM patients WHERE age = '80-89'"), some(&[]));
    // The opposite: without the dominating person the group is told.
    let place = served(&trusting(), &table.replace("60000", "1000"));
    let told = ask(&place, "ada", "SELECT age, sum(salary) FROM patients GROUP BY age").unwrap();
    assert!(told.iter().any(|row| row == "80-89|30000"), "{told:?}");
}

/// 9: A, B, and both with one person more.
#[test]
fn a_tracker_over_three_connections_finds_nothing() {
    if !has_clients() {
        return;
    }
    let table = rows(1_000) + "one,CANARY,85,f,10000,flu,1,medicine,2026-01-01\n";
    let mut place = served(&trusting(), &table);
    let count = |place: &Place, user: &str, ages: &str| {
        ask(place, user, &format!("SELECT count(*) FROM patients WHERE age IN ({ages})")).unwrap()
    };
    assert_eq!(count(&place, "ada", "'20-29'").len(), 1);
    assert_eq!(count(&place, "bob", "'30-39'").len(), 1);
    restart(&mut place);
    assert_eq!(count(&place, "ada", "'20-29', '30-39', '80-89'").len(), 0, "withheld");
    assert_eq!(
        count(&place, "bob", "'20-29', '30-39', '40-49'").len(),
        1,
        "the opposite: enough people more"
    );
}

/// 29: people withdraw between two answers.
#[test]
fn withdrawals_take_effect_when_their_difference_tells_of_nobody() {
    if !has_clients() {
        return;
    }
    let policy = trusting() + "\n[consent]\ntable = \"consents.csv\"\nwithout = \"out\"\nbatch = 10\n";
    let consents = |without: usize| {
        // Every tenth is on a ward that does not exist for the recipients.
        let gone: Vec<usize> = (1..1_000).filter(|i| i % 10 != 0).take(without).collect();
        let lines = (0..1_000).filter(|i| !gone.contains(i)).map(|i| format!("p{i},statistics,,\n"));
        std::iter::once("person,purpose,from,until\n".to_owned()).chain(lines).collect::<String>()
    };
    let mut place = Place::without_server(&policy);
    fs::write(place.path("consents.csv"), consents(0)).unwrap();
    place.serve(&["--grid", "0"]);
    let count = "SELECT count(*) FROM patients";
    assert_eq!(ask(&place, "ada", count), some(&["900"]));
    for (without, told) in [(1, "900"), (9, "900"), (10, "890")] {
        fs::write(place.path("consents.csv"), consents(without)).unwrap();
        restart(&mut place);
        assert_eq!(ask(&place, "bob", count), some(&[told]), "{without} have withdrawn");
    }
    // The opposite: at once, exact figures would differ by one person, so the second is withheld.
    let mut place = Place::without_server(&policy.replace("batch = 10\n", ""));
    fs::write(place.path("consents.csv"), consents(0)).unwrap();
    place.serve(&["--grid", "0"]);
    assert_eq!(ask(&place, "ada", count), some(&["900"]));
    fs::write(place.path("consents.csv"), consents(1)).unwrap();
    assert_eq!(ask(&place, "bob", count), some(&[]));
}
