//! The other commands take an address wherever they take a file.

use super::program::same_figures;
use super::server::server;
use super::wire::{job, write_table};
use super::{done, run};
use std::fs;

#[test]
fn commands_say_the_same_of_a_table_and_of_its_file() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    let url = server.url("trusted", &database);
    let address = format!("{url}#people");
    fs::write(folder.join("job.toml"), job(&url, "insensitive")).unwrap();
    same_figures(folder, &address, "table.csv");
    // A proposal names the address, and can be run.
    done(&run(folder, &["init", &address, "--output", "proposed.toml"]));
    let proposed = fs::read_to_string(folder.join("proposed.toml")).unwrap();
    assert!(
        proposed.contains(&format!("url = \"{url}\"")) && proposed.contains("table = \"people\""),
        "{proposed}"
    );
    done(&run(folder, &["anonymize", "proposed.toml", "--dry-run"]));
}

#[test]
fn bench_compares_the_places_and_leaves_nothing() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("trusted", &database);
    let engines =
        ["bench", "--engine", "embedded,postgres", "--generate", "adult,rows=2000", "--repeat", "1", "--url"];
    let told = done(&run(folder.path(), &[&engines[..], &[url.as_str(), "--json"]].concat()));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["same_release"], &told["rows"]), (&true.into(), &2000.into()), "{told}");
    assert!(told["engines"][1]["received_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{told}");
    assert_eq!(server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent%'"), "0");
}
