//! One folder to hand out, one that stays; keys and signatures.

use crate::support::{JOB, Place, keys};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn released() -> Place {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place
}

fn mode(place: &Place, name: &str) -> u32 {
    fs::metadata(place.path(name)).unwrap().mode() & 0o777
}

#[test]
fn the_private_folder_is_the_owners_alone() {
    let place = released();
    assert_eq!(mode(&place, "release.private"), 0o700);
    for file in ["transform.json", "report.html", "report.json"] {
        assert_eq!(mode(&place, &format!("release.private/{file}")), 0o600, "{file}");
    }
    assert_eq!(mode(&place, "release") & 0o500, 0o500);
    let manifest = place.json("release/manifest.json");
    assert_eq!(manifest["format"], 2);
    for absent in ["job", "transform"] {
        assert!(manifest.get(absent).is_none(), "{absent}");
    }
    assert!(manifest["input"].get("sha256").is_none() && manifest["output"].get("seed").is_none());
    let outside = place.json("release/report.json");
    assert_eq!(keys(&outside), ["paravent", "input", "solution", "privacy", "output", "unchanged", "risk"]);
    assert_eq!((keys(&outside["input"]), keys(&outside["risk"])), (vec!["rows"], vec!["threshold", "after"]));
    let run = place.anonymize(&["--force"]).expect(0);
    assert!(
        run.out.contains("release.private/report.html") && run.out.contains("may be handed out"),
        "{}",
        run.out
    );
}

#[test]
fn a_recipient_verifies_what_was_handed_out() {
    let place = released();
    fs::rename(place.path("release"), place.path("handed-out")).unwrap();
    let run = place.run(&["verify", "handed-out"]).expect(0);
    for told in [
        "Every promise holds",
        "Not checked",
        "labels (age)",
        "on trust",
        "k-anonymity (k = 3)",
        "60 rows were read",
    ] {
        assert!(run.out.contains(told), "{told}: {}", run.out);
    }
    let json = place.run(&["verify", "handed-out", "--json"]).expect(0).json();
    assert!(json["not_checked"].as_array().unwrap().iter().any(|open| open["name"] == "transform"));
    assert!(json["trusted"].as_array().unwrap().iter().any(|trusted| trusted["what"] == "roles"));
    // The private folder is beside it again under the name that goes with it.
    fs::rename(place.path("release.private"), place.path("handed-out.private")).unwrap();
    let json = place.run(&["verify", "handed-out", "--json"]).expect(0).json();
    assert_eq!(json["not_checked"].as_array().unwrap().len(), 1, "the signature");
    std::os::unix::fs::symlink("handed-out", place.path("latest")).unwrap();
    assert_eq!(place.run(&["verify", "latest", "--json"]).expect(0).json(), json);
    place.anonymize(&["--apply", "latest", "--dry-run"]).expect(0);
}

#[test]
fn a_private_folder_without_its_release_is_not_overwritten() {
    let place = released();
    fs::remove_dir_all(place.path("release")).unwrap();
    place.anonymize(&[]).expect(4).says(&["release.private", "--force"]);
    place.anonymize(&["--force"]).expect(0);
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn a_key_beside_the_job_signs_and_others_do_not() {
    let place = Place::new();
    let made = place.run(&["keygen"]).expect(0);
    assert!(made.out.contains("paravent.key.pub"), "{}", made.out);
    assert_eq!(mode(&place, "paravent.key"), 0o600);
    place.run(&["keygen"]).expect(4).says(&["paravent.key"]);
    let secret = place.read("paravent.key");
    let secret = secret.split_whitespace().nth(1).unwrap();
    let document = place.anonymize(&["--json"]).expect(0).json();
    let public = document["output"]["signed_by"].as_str().unwrap().to_owned();
    assert!(place.read("paravent.key.pub").contains(&public));
    for file in [
        "release/manifest.json",
        "release/manifest.sig",
        "release/report.json",
        "release.private/report.json",
    ] {
        assert!(!place.read(file).contains(secret), "{file}");
    }
    place.run(&["verify", "release"]).expect(0);
    for key in ["paravent.key.pub", &public] {
        let json = place.run(&["verify", "release", "--key", key, "--json"]).expect(0).json();
        assert_eq!(
            (json["signer"].as_str(), json["not_checked"].as_array().unwrap().len()),
            (Some(public.as_str()), 0)
        );
    }
    let other = place.run(&["keygen", "other.key", "--json"]).expect(0).json();
    place.run(&["verify", "release", "--key", other["public"].as_str().unwrap()]).expect(1);
    place.run(&["verify", "release", "--key", "paravent.toml"]).expect(2);
    place.anonymize(&["--force", "--sign", "other.key"]).expect(0);
    place.run(&["verify", "release", "--key", "other.key.pub"]).expect(0);
    fs::set_permissions(place.path("other.key"), fs::Permissions::from_mode(0o644)).unwrap();
    place.anonymize(&["--force", "--sign", "other.key"]).expect(4).says(&["others can read"]);
    place.anonymize(&["--force", "--sign", "paravent.key.pub"]).expect(4);
    fs::remove_file(place.path("paravent.key")).unwrap();
    place.anonymize(&["--force"]).expect(0);
    place.run(&["verify", "release", "--key", &public]).expect(1);
}

#[test]
fn an_edit_of_a_signed_release_is_seen_whatever_was_made_to_fit() {
    let place = Place::new();
    place.run(&["keygen"]).expect(0);
    place.anonymize(&[]).expect(0);
    fs::remove_dir_all(place.path("release.private")).unwrap();
    let manifest = place.read("release/manifest.json");
    let lowered = manifest.replacen("\"k\": 3", "\"k\": 2", 1);
    assert_ne!(lowered, manifest);
    place.write("release/manifest.json", lowered);
    place.run(&["verify", "release", "--key", "paravent.key.pub"]).expect(1);
    fs::remove_file(place.path("release/manifest.sig")).unwrap();
    place.run(&["verify", "release", "--key", "paravent.key.pub"]).expect(1);
    let run = place.run(&["verify", "release"]).expect(0);
    assert!(run.out.contains("k-anonymity (k = 2)") && run.out.contains("not signed"), "{}", run.out);
}

#[test]
fn releases_with_everything_in_one_folder_stay_readable() {
    let place = released();
    let mut manifest = place.json("release/manifest.json");
    let transform = place.bytes("release.private/transform.json");
    let digest: String = {
        use sha2::{Digest, Sha256};
        Sha256::digest(&transform).iter().map(|byte| format!("{byte:02x}")).collect()
    };
    manifest["format"] = 1.into();
    manifest["transform"] = serde_json::json!({ "file": "transform.json", "sha256": digest });
    for attribute in manifest["attributes"].as_array_mut().unwrap() {
        if attribute["role"] == "quasi-identifier" {
            attribute["max_level"] = attribute["level"].clone();
        }
    }
    fs::rename(place.path("release.private/transform.json"), place.path("release/transform.json")).unwrap();
    place.write("release/manifest.json", manifest.to_string());
    fs::remove_dir_all(place.path("release.private")).unwrap();
    let run = place.run(&["verify", "release"]).expect(0);
    assert!(run.out.contains("format 1"), "{}", run.out);
    place.run(&["risk", "release"]).expect(0);
    place.run(&["attack", "release", "--against", "patients.csv"]);
    // It is not as it was registered; whoever made it anew says so.
    place.anonymize(&["--force"]).expect(1);
    place.anonymize(&["--apply", "release", "--dry-run"]).expect(1);
    place.run(&["register", "withdraw", "1"]).expect(0);
    place.anonymize(&["--apply", "release", "--dry-run"]).expect(0);
    place.write("paravent.toml", JOB.replace("k = 3", "k = 4"));
    place.anonymize(&["--force"]).expect(0);
    assert!(
        !place.path("release/transform.json").exists()
            && place.path("release.private/transform.json").exists()
    );
}

/// The type of a column that nobody declared is read off released cells: the odd one of a person who was left out does not change it.
#[test]
fn a_type_that_is_handed_out_tells_nothing_of_rows_that_were_left_out() {
    let job = "version = 1\n[input]\npath = \"patients.csv\"\n\
               [[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\ntype = \"integer\"\n\
               [[attributes]]\nname = \"ward\"\nrole = \"quasi-identifier\"\n\
               [[attributes]]\nname = \"s\"\nrole = \"sensitive\"\n\
               [privacy]\nsuppression_limit = 0.1\nmodels = [{ model = \"k-anonymity\", k = 5 }, \
               { model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }]\n[output]\npath = \"release\"\nregister = false\n";
    let released = |ward: &str, secret: &str, format: &str| {
        let row = |row: usize| format!("{},{},{}\n", 30 + row % 3, 1 + row / 3 % 2, 7 + row / 6 % 3);
        let rows: String = (0..60).map(row).collect();
        let job = job.replace("path = \"release\"", &format!("path = \"release\"\nformat = \"{format}\""));
        let place = Place::with(&job, format!("age,ward,s\n{rows}99,{ward},{secret}\n"));
        let document = place.anonymize(&["--json"]).expect(0).json();
        assert_eq!(document["solution"]["suppressed_rows"], 1);
        let files = [
            "manifest.json".to_owned(),
            format!("data.{format}"),
            "report.html".to_owned(),
            "report.json".to_owned(),
        ];
        (place.json("release/manifest.json"), files.map(|file| place.bytes(&format!("release/{file}"))))
    };
    for format in ["csv", "parquet"] {
        let (manifest, bytes) = released("3", "9", format);
        assert_eq!(manifest["attributes"][1]["type"], "integer");
        for (ward, secret) in [("x", "9"), ("3", "none"), ("2.5", "2024-03-09")] {
            assert_eq!(released(ward, secret, format).1, bytes, "{format} {ward} {secret}");
        }
    }
}
