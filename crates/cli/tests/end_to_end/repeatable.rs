//! Same rows, same job: same bytes.

use crate::support::{JOB, Place, table};

/// The files that must not depend on anything but rows and what the job promises: all that are handed out, and the transformation.
fn bytes(place: &Place) -> Vec<Vec<u8>> {
    let files =
        ["data.csv", "manifest.json", "report.html", "report.json"].map(|file| format!("release/{file}"));
    let files = files.into_iter().chain(["release.private/transform.json".to_owned()]);
    files.map(|file| place.bytes(&file)).collect()
}

fn released(job: &str, table: &str) -> Place {
    let place = Place::with(job, table);
    place.anonymize(&[]).expect(0);
    place
}

#[test]
fn threads_change_nothing() {
    let job = |threads: u32| format!("{JOB}\n[search]\nthreads = {threads}\n");
    let table = table(3_000);
    let (one, two) = (released(&job(1), &table), released(&job(2), &table));
    assert_eq!(bytes(&one), bytes(&two));
    assert_eq!(two.json("release.private/report.json")["search"]["threads"], 2);
    assert_eq!(bytes(&released(&job(0), &table)), bytes(&one));
}

#[test]
fn the_order_of_the_input_changes_nothing() {
    let ordered = table(500);
    let (header, rows) = ordered.split_once('\n').unwrap();
    let mut rows: Vec<&str> = rows.lines().collect();
    rows.sort_by_key(|row| {
        row.bytes().fold(17u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()))
    });
    let shuffled = format!("{header}\n{}\n", rows.join("\n"));
    assert_ne!(shuffled, ordered);
    assert_eq!(bytes(&released(JOB, &ordered)), bytes(&released(JOB, &shuffled)));
}

#[test]
fn a_second_run_gives_the_same_files() {
    let place = released(JOB, &table(300));
    let first = bytes(&place);
    place.anonymize(&["--force"]).expect(0);
    assert_eq!(first, bytes(&place));
}

#[test]
fn a_seed_makes_a_shuffle_repeatable() {
    let job = |seed: &str| {
        JOB.replace("path = \"release\"", &format!("path = \"release\"\norder = \"shuffled\"\n{seed}"))
    };
    let table = table(300);
    let data = |job: &str| {
        let place = released(job, &table);
        place.run(&["verify", "release"]).expect(0);
        place.read("release/data.csv")
    };
    let seven = data(&job("seed = 7"));
    assert_eq!(seven, data(&job("seed = 7")));
    assert_ne!(seven, data(&job("seed = 8")));
    assert_ne!(data(&job("")), data(&job("")), "without a seed every run is different");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&seven), sorted(&data(JOB)), "the same rows");
}
