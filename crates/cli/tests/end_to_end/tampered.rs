//! `verify` on releases that are not what was written.

use crate::support::{JOB, Place, patients};

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

/// Puts another manifest in place and makes the private folder fit.
fn fit(place: &Place, manifest: &serde_json::Value) {
    let bytes = format!("{manifest:#}\n");
    place.write("release/manifest.json", &bytes);
    let mut transform = place.json("release.private/transform.json");
    transform["release"]["manifest_sha256"] = sha256(bytes.as_bytes()).into();
    place.write("release.private/transform.json", format!("{transform:#}\n"));
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn bytes_that_hide_in_a_columnar_file_are_found_even_if_every_digest_fits() {
    for (format, trailer) in [("parquet", 8), ("arrow", 10)] {
        let place =
            Place::with(&JOB.replace("[output]", &format!("[output]\nformat = \"{format}\"")), patients());
        place.anonymize(&[]).expect(0);
        let file = format!("release/data.{format}");
        let bytes = place.bytes(&file);
        let end = bytes.len() - trailer;
        let footer = end - u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
        let hidden = [&bytes[..footer], b"person 17 has gout", &bytes[footer..]].concat();
        place.write(&file, &hidden);
        let mut manifest = place.json("release/manifest.json");
        manifest["output"]["sha256"] = sha256(&hidden).into();
        fit(&place, &manifest);
        let run = place.run(&["verify", "release"]);
        assert!(matches!(run.code, Some(1 | 4)), "{format}: {}", run.out);
        assert!(run.code == Some(4) || run.out.contains("VIOLATED  bytes"), "{}", run.out);
    }
}

#[test]
fn a_release_is_made_of_plain_files() {
    let place = released();
    std::fs::rename(place.path("release/data.csv"), place.path("data.csv")).unwrap();
    std::os::unix::fs::symlink("../data.csv", place.path("release/data.csv")).unwrap();
    place.run(&["verify", "release"]).expect(4).says(&["data.csv", "plain file"]);
    let place = released();
    std::fs::remove_file(place.path("release/report.html")).unwrap();
    std::fs::create_dir(place.path("release/report.html")).unwrap();
    let run = place.run(&["verify", "release"]).expect(1);
    assert!(run.out.contains("report.html is a directory"), "{}", run.out);
    let place = released();
    std::fs::hard_link(place.path("release/data.csv"), place.path("other")).unwrap();
    place.run(&["verify", "release"]).expect(1);
}

#[test]
fn a_promise_that_was_weakened_everywhere_is_there_to_be_read() {
    let place = released();
    let mut manifest = place.json("release/manifest.json");
    manifest["privacy"][0]["required"]["k"] = 2.into();
    place.write("release/manifest.json", format!("{manifest:#}\n"));
    let run = place.run(&["verify", "release"]).expect(1);
    assert!(
        run.out.contains("VIOLATED  digest (manifest.json)"),
        "the private folder knows better: {}",
        run.out
    );
    fit(&place, &manifest);
    let run = place.run(&["verify", "release"]).expect(0);
    assert!(run.out.contains("on trust") && run.out.contains("k-anonymity (k = 2)"), "{}", run.out);
}
