//! Others write while a run is on its way.

use super::faults::await_busy;
use super::server::server;
use super::wire::{job, write_table};
use super::{done, paravent, stderr};
use std::fs;
use std::process::Stdio;

/// Every statement about the table takes a second, so that there is time to interfere.
const SLOW: &str = "ALTER TABLE people RENAME TO quick; CREATE VIEW people AS SELECT quick.* FROM quick, (SELECT pg_sleep(1)) AS slow";

#[test]
fn a_table_that_changes_meanwhile_is_released_as_it_was() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    fs::write(folder.join("job.toml"), job(&server.url("trusted", &database), "insensitive")).unwrap();
    done(&super::run(folder, &["anonymize", "job.toml"]));
    let before = fs::read(folder.join("release/data.csv")).unwrap();
    server.sql(&database, SLOW);
    let child = paravent(folder)
        .args(["anonymize", "job.toml", "--force"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_busy(&server, &database);
    // Counts are on their way; notes are read after them. Half of the rows go, new ones come, others become somebody else's.
    server.sql(
        &database,
        "DELETE FROM quick WHERE age = 31; UPDATE quick SET illness = 'illness-7', note = 'note-other-end';
         INSERT INTO quick SELECT 'name-new-end', 55, 'illness-1', 'note-new-end' FROM generate_series(1, 20)",
    );
    done(&child.wait_with_output().unwrap());
    assert!(fs::read(folder.join("release/data.csv")).unwrap() == before, "the release is of two states");
}

#[test]
fn a_table_that_takes_the_name_meanwhile_stays() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    server.sql(&database, SLOW);
    let job = job(&server.url("trusted", &database), "insensitive")
        .replace("path = \"release\"\n", "path = \"release\"\ntable = \"released\"\n")
        .replace("k = 5 }", "k = 5 }, { model = \"distinct-l-diversity\", attribute = \"illness\", l = 2 }");
    fs::write(folder.join("job.toml"), job).unwrap();
    let child = paravent(folder)
        .args(["anonymize", "job.toml"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    await_busy(&server, &database);
    server.sql(&database, "CREATE TABLE released AS SELECT 'mine' AS whose");
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("released is there already") && !said.contains("-end"), "{said}");
    assert_eq!(server.sql(&database, "SELECT whose FROM released"), "mine");
    assert_eq!(server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent%'"), "0");
    assert!(!folder.join("release").exists() && !folder.join("release.private").exists());
}
