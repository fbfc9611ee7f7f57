//! Noise that the database draws: the same cells as here, and the key in no statement.

use super::server::server;
use super::{done, run, stderr};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A value may end with a backslash, and a day is a value, whatever the database is used to.
const COLUMNS: [&str; 4] = [
    "sex=0.4:uniform('f', 'm', NULL)",
    "age=epsilon(0.5):laplace(min => 0, max => 90, step => 10, outside => clamp)",
    "grade=0.5:uniform('low', 'it''s \"middle\"', 'high\\')",
    "seen=0.5:uniform('2024-01-31', '2024-02-01')",
];

const JOB: &str = r#"version = 1
[input]
path = "table.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "sex"
role = "quasi-identifier"
[[attributes]]
name = "age"
role = "quasi-identifier"
[[attributes]]
name = "grade"
role = "quasi-identifier"
[[attributes]]
name = "seen"
role = "quasi-identifier"
[[attributes]]
name = "diagnosis"
role = "sensitive"
[privacy]
budget = { epsilon = "100", delta = "1e-6" }
models = [ { model = "k-anonymity", k = 2 } ]
"#;

fn table() -> String {
    let mut text = String::from("id,sex,age,grade,seen,diagnosis\n");
    for id in 0..400_u32 {
        let sex = ["f", "m", ""][id as usize % 3];
        let grade = ["low", "\"it's \"\"middle\"\"\"", "high\\"][id as usize % 3];
        let seen = ["2024-01-31", "2024-02-01"][id as usize % 2];
        writeln!(text, "{id},{sex},{},{grade},{seen},illness-{}", id * 7 % 100, id % 5).unwrap();
    }
    text
}

fn noise(folder: &Path, table: &str, more: &[&str]) -> std::process::Output {
    fs::write(folder.join("job.toml"), JOB).unwrap();
    let mut arguments = vec!["noise", table, "--seed", "7", "--job", "job.toml"];
    COLUMNS.iter().for_each(|column| arguments.extend(["--column", column]));
    arguments.extend(more);
    run(folder, &arguments)
}

#[test]
fn the_database_draws_the_same_cells() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), table()).unwrap();
    server.sql(
        &database,
        &format!(
            "CREATE TABLE people (id int, sex text, age int, grade text, seen date, diagnosis text);\n\\copy people FROM '{}' (FORMAT csv, HEADER)\n",
            folder.join("table.csv").display()
        ),
    );
    // Backslashes that keep a quote open, and days written the other way round.
    server.sql(
        "postgres",
        &format!(
            "ALTER DATABASE {database} SET standard_conforming_strings = off; ALTER DATABASE {database} SET DateStyle = 'German'"
        ),
    );
    done(&noise(folder, "table.csv", &["--output", "here.csv"]));
    let address = format!("{}#people", server.url("trusted", &database));
    let there = ["--row-key", "id", "--keep", "diagnosis", "--into", "noisy"];
    let told = done(&noise(folder, &address, &there));
    assert!(told.contains("noisy: 400 rows"), "{told}");
    // Columns are sorted by name here, and the noisy ones come first there.
    let here = server.sql(
        &database,
        &format!(
            "CREATE TEMP TABLE here (sex text, age text, grade text, seen text, diagnosis text);\n\\copy here FROM '{}' (FORMAT csv, HEADER)\n\
             SELECT count(*) FROM (SELECT sex, age, grade, seen, diagnosis FROM here EXCEPT ALL SELECT sex, age, grade, seen, diagnosis FROM noisy) d;",
            folder.join("here.csv").display()
        ),
    );
    assert_eq!(here, "0", "cells differ");
    assert_eq!(server.sql(&database, "SELECT count(*) FROM noisy"), "400");
    // What is there stays unless somebody says otherwise, and nothing is paid for it.
    let again = noise(folder, &address, &there);
    assert!(stderr(&again).contains("is there already"), "{}", stderr(&again));
    done(&noise(folder, &address, &[&there[..], &["--force"]].concat()));
    // No statement has the key: neither as text nor as digits.
    let log = fs::read_to_string(server.log()).unwrap();
    assert!(log.contains("paravent_rows"), "statements are logged");
    let seeded: String = b"paravent noise, seeded..".iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!log.contains(&seeded) && !log.contains("noise, seeded"));
    let left = server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent%'");
    assert_eq!(left, "0", "nothing else stays");
}

#[test]
fn what_the_noise_does_not_know_is_told_without_a_cell() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(
        &database,
        "CREATE TABLE people (id int, sex text, age int, grade text, seen date, diagnosis text);\n\
         INSERT INTO people VALUES (1, 'secret-cell', 30, 'low', '2024-02-01', 'illness-1');",
    );
    let address = format!("{}#people", server.url("trusted", &database));
    let output = noise(folder, &address, &["--row-key", "id", "--into", "noisy"]);
    let said = stderr(&output);
    assert!(said.contains("column sex has cells outside the values of its noise"), "{said}");
    assert!(!said.contains("secret-cell"), "{said}");
    assert_eq!(server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'noisy%'"), "0");
    for (more, words) in [
        (&["--row-key", "nobody", "--into", "noisy"][..], "no column \"nobody\""),
        (&["--into", "noisy"][..], "--row-key"),
    ] {
        let said = stderr(&noise(folder, &address, more));
        assert!(said.contains(words), "{said}");
    }
    fs::write(folder.join("table.csv"), table()).unwrap();
    let said = stderr(&noise(folder, "table.csv", &["--row-key", "id", "--into", "noisy"]));
    assert!(said.contains("inside a database"), "{said}");
}
