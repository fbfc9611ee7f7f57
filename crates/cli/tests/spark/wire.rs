//! What crosses the wire: counts of the columns that the search needs, and rows that are released. Nothing else.

use super::lake::to_parquet;
use super::program::same_figures;
use super::proxy::Proxy;
use super::server::{server, url};
use super::{done, run, small};
use arrow::datatypes::DataType;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the small table as a file of Spark's, and gives its name there.
pub fn write_table(folder: &Path) -> (PathBuf, String) {
    fs::write(folder.join("table.csv"), small::fifty_people()).unwrap();
    let file = folder.join("people.parquet");
    to_parquet(&folder.join("table.csv"), &file, &[("age", DataType::Int32)]);
    let name = format!("parquet:{}", file.display());
    (file, name)
}

#[test]
fn only_counts_and_released_rows_cross_the_wire() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (_, table) = write_table(folder);
    for (note, notes_cross) in [("identifying", false), ("insensitive", true)] {
        let proxy = Proxy::start(server.port, usize::MAX);
        let job = small::job(&url(proxy.port), &table, note);
        let job = if notes_cross { job } else { job.replace("release = \"as it is\"\n", "") };
        fs::write(folder.join("job.toml"), job).unwrap();
        let told = done(&run(folder, &["anonymize", "job.toml", "--force", "--json"]));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["solution"]["suppressed_rows"], 1);
        let received = told["input"]["received_bytes"].as_u64().unwrap();
        assert!(received > 0 && received <= proxy.heard.lock().unwrap().len() as u64);
        assert!(
            proxy.has_heard("illness-1"),
            "answers are not in clear, so nothing is shown by what follows"
        );
        for row in 0..50 {
            assert!(!proxy.has_heard(&format!("name-{row}-end")), "an identifier crossed");
            assert_eq!(proxy.has_heard(&format!("note-{row}-end")), notes_cross, "note {row}");
        }
        // Whoever is left out stays there with all that no promise needs.
        assert!(!proxy.has_heard("note-alone-end") && !proxy.has_heard("name-alone-end"));
    }
}

#[test]
fn commands_say_the_same_of_a_table_and_of_its_file() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (file, table) = write_table(folder);
    let address = format!("{}#{table}", server.url());
    fs::write(folder.join("job.toml"), small::job(&server.url(), &table, "insensitive")).unwrap();
    same_figures(folder, &address, file.to_str().unwrap());
    // A proposal names the address, and can be run.
    done(&run(folder, &["init", &address, "--output", "proposed.toml"]));
    let proposed = fs::read_to_string(folder.join("proposed.toml")).unwrap();
    assert!(
        proposed.contains(&format!("url = \"{}\"", server.url()))
            && proposed.contains(&format!("table = \"{table}\"")),
        "{proposed}"
    );
    done(&run(folder, &["anonymize", "proposed.toml", "--dry-run"]));
}
