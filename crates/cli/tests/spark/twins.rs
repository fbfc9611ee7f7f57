//! The same job gives the same release, whether the table is a file here or stays in Spark.

use super::cases::{Dice, ILLNESSES, PARQUET, adult, job, same_release, table};
use super::lake::{to_folder, to_parquet, types_of_cases};
use super::server::server;
use super::{done, run};
use std::fs;

#[test]
fn releases_are_the_same_byte_for_byte() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let types = types_of_cases();
    let mut dice = Dice(20);
    let mut released = 0;
    for case in 0..39 {
        let rows = 30 + dice.roll(60);
        fs::write(folder.join("table.csv"), table(&mut dice, rows)).unwrap();
        fs::write(folder.join("illness.csv"), ILLNESSES).unwrap();
        let _ = fs::remove_dir_all(folder.join("lake"));
        let place = match case % 2 {
            0 => folder.join("lake"),
            _ => folder.join("lake/people.parquet"),
        };
        match case % 2 {
            0 => to_folder(&folder.join("table.csv"), &place, &types, 3),
            _ => {
                fs::create_dir(folder.join("lake")).unwrap();
                to_parquet(&folder.join("table.csv"), &place, &types);
            }
        }
        let there = format!("url = \"{}\"\ntable = \"parquet:{}\"", server.url(), place.display());
        let job = job(&mut dice, case);
        released += usize::from(same_release(folder, case, &job, ["path = \"table.csv\"", &there], &[]));
    }
    assert!(released > 20, "only {released} cases have a solution");
    assert_eq!(server.stored(), Vec::<String>::new());
}

#[test]
fn a_large_table_has_the_same_releases() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let there =
        format!("url = \"{}\"\ntable = \"parquet:{}\"", server.url(), folder.join("lake/table").display());
    for job in adult(folder) {
        assert!(same_release(folder, PARQUET, &job, ["path = \"lake/table\"", &there], &[]));
    }
}

#[test]
fn bench_compares_the_places_and_leaves_nothing() {
    let Some(server) = server() else { return };
    let folder = tempfile::tempdir().unwrap();
    let url = server.url();
    let engines =
        ["bench", "--engine", "embedded,spark", "--generate", "adult,rows=2000", "--repeat", "1", "--url"];
    let told = done(&run(folder.path(), &[&engines[..], &[url.as_str(), "--json"]].concat()));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["same_release"], &told["rows"]), (&true.into(), &2000.into()), "{told}");
    assert!(told["engines"][1]["received_bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{told}");
    assert_eq!(server.stored(), Vec::<String>::new());
}
