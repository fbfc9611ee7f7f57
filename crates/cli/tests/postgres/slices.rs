//! Slicing that the database makes: the same cells as here, no cell on the wire, and the key in no statement.

use super::server::server;
use super::wire::Proxy;
use super::{done, run, stderr};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const JOB: &str = r#"version = 1
[input]
path = "table.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "sex"
role = "quasi-identifier"
release = "as it is"
[[attributes]]
name = "age"
role = "quasi-identifier"
release = "as it is"
[[attributes]]
name = "grade"
role = "insensitive"
release = "as it is"
[[attributes]]
name = "diagnosis"
role = "sensitive"
release = "as it is"
[privacy]
models = [ { model = "k-anonymity", k = 2 } ]
"#;

/// Rows with missing cells and quotes; texts that a collation might hold to be equal.
fn table() -> String {
    let mut text = String::from("id,sex,age,grade,diagnosis\n");
    for id in 0..403_u32 {
        let sex = ["f", "m", ""][(id * 7 % 11 % 3) as usize];
        let grade = ["low", "\"it's \"\"middle\"\"\"", "high", "Low"][(id * 5 % 13 % 4) as usize];
        writeln!(text, "{id},{sex},{},{grade},illness-{}-end", 20 + id * 7 % 10, id * 3 % 7 % 5).unwrap();
    }
    text
}

fn slice(folder: &Path, table: &str, more: &[&str]) -> std::process::Output {
    fs::write(folder.join("job.toml"), JOB).unwrap();
    let fixed = ["--groups", "age;sex,grade;diagnosis", "--job", "job.toml", "--seed", "7"];
    run(folder, &[&["slice", table][..], &fixed, more].concat())
}

#[test]
fn the_database_makes_the_same_rows() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), table()).unwrap();
    server.sql(
        &database,
        &format!(
            "CREATE TABLE people (id int, sex text, age int, grade text, diagnosis text);\n\\copy people FROM '{}' (FORMAT csv, HEADER)\n\
             -- Stored in another order than the key's.\n\
             CREATE TABLE mixed AS SELECT * FROM people ORDER BY md5(id::text); DROP TABLE people; ALTER TABLE mixed RENAME TO people",
            folder.join("table.csv").display()
        ),
    );
    let proxy = Proxy::start(server.port, usize::MAX);
    let address = format!("postgres://trusted@127.0.0.1:{}/{database}#people", proxy.port);
    for (number, buckets) in [
        &["--bucket", "20"][..],
        &["--bucket", "50"],
        &["--buckets", "7"],
        &["--buckets", "100", "--minimum", "4", "--most-constant", "1"],
        &["--by", "grade", "--most-constant", "1"],
    ]
    .into_iter()
    .enumerate()
    {
        let here = format!("here{number}.csv");
        done(&slice(folder, "table.csv", &[buckets, &["--keyed", "--output", &here]].concat()));
        let into = format!("sliced{number}");
        let told = done(&slice(folder, &address, &[buckets, &["--row-key", "id", "--into", &into]].concat()));
        assert!(told.contains("403 rows, sliced where they are"), "{told}");
        let differing = server.sql(
            &database,
            &format!(
                "CREATE TEMP TABLE here (sex text, age int, grade text, diagnosis text);\n\\copy here FROM '{}' (FORMAT csv, HEADER)\n\
                 SELECT count(*) FROM (SELECT sex, age, grade, diagnosis FROM here EXCEPT ALL SELECT sex, age, grade, diagnosis FROM {into}) d;",
                folder.join(&here).display()
            ),
        );
        assert_eq!(differing, "0", "cells differ: {buckets:?}");
        assert_eq!(server.sql(&database, &format!("SELECT count(*) FROM {into}")), "403");
    }
    assert!(!proxy.has_heard("-end") && !proxy.has_heard("middle"), "a cell crossed");
    // Without the flag the kernel draws, in another way.
    done(&slice(folder, "table.csv", &["--bucket", "20", "--output", "kernel.csv"]));
    assert!(fs::read(folder.join("kernel.csv")).unwrap() != fs::read(folder.join("here0.csv")).unwrap());
    // What is there stays unless somebody says otherwise.
    let again = ["--bucket", "20", "--row-key", "id", "--into", "sliced0"];
    assert!(stderr(&slice(folder, &address, &again)).contains("is there already"));
    done(&slice(folder, &address, &[&again[..], &["--force"]].concat()));
    let log = fs::read_to_string(server.log()).unwrap();
    assert!(log.lines().any(|line| line.contains("paravent_ord")), "statements are logged");
    let ours = log.lines().filter(|line| line.contains("paravent_key"));
    assert!(ours.filter(|line| line.contains("\\x")).count() == 0, "a key is in a statement");
    let left = server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent%'");
    assert_eq!(left, "0", "nothing else stays");
}

#[test]
fn what_the_guard_refuses_is_not_made() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("table.csv"), table()).unwrap();
    server.sql(
        &database,
        &format!(
            "CREATE TABLE people (id int, sex text, age int, grade text, diagnosis text);\n\\copy people FROM '{}' (FORMAT csv, HEADER)\n",
            folder.join("table.csv").display()
        ),
    );
    let address = format!("{}#people", server.url("trusted", &database));
    let into = ["--row-key", "id", "--into", "sliced"];
    for (more, words) in [
        (&["--bucket", "1"][..], "2"),
        (&["--bucket", "20", "--diversity", "6"], "diagnosis"),
        (&["--bucket", "20", "--shuffle"], "leave --shuffle"),
        (&["--within", "3"], "no classes of a generalization"),
    ] {
        let output = slice(folder, &address, &[more, &into].concat());
        let said = stderr(&output);
        assert!(
            !output.status.success() && said.contains(words) && !said.contains("-end"),
            "{more:?}: {said}"
        );
    }
    // Nobody has looked at the cells, and nobody says that they may leave.
    fs::write(folder.join("job.toml"), JOB.replacen("release = \"as it is\"\n", "", 1)).unwrap();
    let fixed =
        ["slice", &address, "--groups", "age;sex,grade;diagnosis", "--job", "job.toml", "--bucket", "20"];
    let said = stderr(&run(folder, &[&fixed[..], &into].concat()));
    assert!(said.contains("the cells of sex stay in the database"), "{said}");
    let said = stderr(&slice(folder, "table.csv", &[&["--bucket", "20"][..], &into].concat()));
    assert!(said.contains("inside a database"), "{said}");
    let numbered = ["--bucket", "20", "--row-key", "id", "--output", "here.csv"];
    assert!(stderr(&slice(folder, "table.csv", &numbered)).contains("--row-key is for --sql and --into"));
    assert_eq!(server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'sliced%'"), "0");
}
