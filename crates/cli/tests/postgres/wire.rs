//! What crosses the wire: counts of the columns that the search needs, and rows that are released. Nothing else.

pub use super::proxy::Proxy;
use super::server::server;
use super::{done, run, small};
use std::fs;
use std::path::Path;

/// Writes the small table, and tells how PostgreSQL gets it.
pub fn write_table(folder: &Path) -> String {
    fs::write(folder.join("table.csv"), small::fifty_people()).unwrap();
    format!(
        "CREATE TABLE people (name text, age int, illness text, note text);\n\\copy people FROM '{}' (FORMAT csv, HEADER)\n",
        folder.join("table.csv").display()
    )
}

/// The job about it.
pub fn job(url: &str, note: &str) -> String {
    small::job(url, "people", note)
}

#[test]
fn only_counts_and_released_rows_cross_the_wire() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    server.sql(&database, &write_table(folder.path()));
    for (note, notes_cross) in [("identifying", false), ("insensitive", true)] {
        let proxy = Proxy::start(server.port, usize::MAX);
        let url = format!("postgres://trusted@127.0.0.1:{}/{database}", proxy.port);
        let job = job(&url, note);
        let job = if notes_cross { job } else { job.replace("release = \"as it is\"\n", "") };
        fs::write(folder.path().join("job.toml"), job).unwrap();
        let told = done(&run(folder.path(), &["anonymize", "job.toml", "--force", "--json"]));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["solution"]["suppressed_rows"], 1);
        let received = told["input"]["received_bytes"].as_u64().unwrap();
        assert!(received > 0 && received <= proxy.heard.lock().unwrap().len() as u64);
        for row in 0..50 {
            assert!(!proxy.has_heard(&format!("name-{row}-end")), "an identifier crossed");
            assert_eq!(proxy.has_heard(&format!("note-{row}-end")), notes_cross, "note {row}");
        }
        // Whoever is left out stays there with all that no promise needs.
        assert!(!proxy.has_heard("note-alone-end") && !proxy.has_heard("name-alone-end"));
    }
    // The server writes down every statement; no cell is in one.
    let log = fs::read_to_string(server.log()).unwrap();
    let ours: Vec<&str> =
        log.lines().filter(|line| line.contains("paravent_") && !line.contains("registry")).collect();
    assert!(ours.iter().any(|line| line.contains("DECLARE")), "no statement was logged");
    assert!(
        ours.iter().all(|line| !line.contains("-end") && !line.contains("illness-")),
        "a cell is in a statement"
    );
}
