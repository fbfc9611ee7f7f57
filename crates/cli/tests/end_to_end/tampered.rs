//! `verify` on releases that are not what was written.

use crate::support::Place;

fn released() -> Place {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place
}

#[test]
fn a_changed_cell_is_found() {
    let place = released();
    place.write("release/data.csv", place.read("release/data.csv").replacen(",flu\n", ",gout\n", 1));
    let run = place.run(&["verify", "release"]).expect(1);
    assert!(run.out.contains("VIOLATED") && run.out.contains("digest"), "{}", run.out);
    let json = place.run(&["verify", "release", "--json"]).expect(1).json();
    assert_eq!(json["holds"], false);
    assert_eq!(
        crate::support::keys(&json),
        ["holds", "rows", "classes", "checks", "trusted", "not_checked", "signer"]
    );
}

#[test]
fn a_missing_row_is_found() {
    let place = released();
    let data = place.read("release/data.csv");
    let shorter = &data[..data.trim_end().rfind('\n').unwrap() + 1];
    place.write("release/data.csv", shorter);
    let run = place.run(&["verify", "release"]).expect(1);
    assert!(run.out.contains("rows"));
}

#[test]
fn a_weaker_promise_in_the_manifest_is_found() {
    let place = released();
    let manifest = place.read("release/manifest.json");
    assert!(manifest.contains("\"k\": 3"));
    place.write("release/manifest.json", manifest.replace("\"k\": 3", "\"k\": 30"));
    place.run(&["verify", "release"]).expect(1);
}

#[test]
fn what_cannot_be_examined_is_no_verdict() {
    let place = released();
    std::fs::remove_file(place.path("release/data.csv")).unwrap();
    place.run(&["verify", "release"]).expect(4).says(&["data.csv"]);
    let place = released();
    place.write("release/manifest.json", "{");
    place.run(&["verify", "release"]).expect(4).says(&["manifest.json"]);
    let json = place.run(&["verify", "release", "--json"]).expect(4);
    assert_eq!(json.err, "");
    assert_eq!(json.json()["error"]["kind"], "input-output");
}
