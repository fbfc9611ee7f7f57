//! Sliced releases: sound ones hold, planted defects are found.

use super::builder::{digest, put, violated};
use super::handed_out::pretty;
use paravent_verify::{VerifyError, verify};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Eight rows, two groups; two rows of group 1 are alone.
const DATA: &str = "age,sex,ward,disease\n30,f,a,flu\n30,f,a,gout\n30,m,b,flu\n30,m,b,gout\n31,f,a,cold\n31,f,b,flu\n32,f,a,gout\n33,m,b,flu\n";

fn manifest() -> Value {
    json!({
        "format": 1,
        "kind": "slice",
        "paravent": env!("CARGO_PKG_VERSION"),
        "output": { "file": "data.csv", "format": "csv", "sha256": "", "rows": 8, "order": "canonical",
                    "delimiter": ",", "null": "", "spreadsheet_safe": false },
        "groups": [["age", "sex"], ["ward"], ["disease"]],
        "copies": [],
        "known": [],
        "dropped": ["name"],
        "buckets": { "required": { "rows": 2 }, "achieved": { "rows": 4 }, "merged": false },
        "unique": { "limit": "0.25" },
        "diversity": [{ "attribute": "disease", "required": { "l": 2 }, "achieved": { "l": 2 } }],
        "seeded": false,
        "promised": [],
        "not_promised": [],
        "reports": [
            { "file": "report.html", "sha256": digest(b"page") },
            { "file": "report.json", "sha256": digest(b"{}") },
        ],
    })
}

fn found(data: &str, change: impl FnOnce(&mut Value)) -> Result<BTreeSet<String>, VerifyError> {
    let dir = tempfile::tempdir().unwrap();
    let mut manifest = manifest();
    manifest["output"]["sha256"] = digest(data.as_bytes()).into();
    change(&mut manifest);
    put(dir.path(), "data.csv", data.as_bytes());
    put(dir.path(), "report.html", b"page");
    put(dir.path(), "report.json", b"{}");
    put(dir.path(), "manifest.json", &pretty(&manifest));
    verify(dir.path()).map(|verification| violated(&verification))
}

#[track_caller]
fn violates(data: &str, expected: &[&str], change: impl FnOnce(&mut Value)) {
    let expected: BTreeSet<String> = expected.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(found(data, change).unwrap(), expected);
}

#[test]
fn a_sound_one_holds() {
    violates(DATA, &[], |_| {});
}

#[test]
fn planted_defects_are_found() {
    violates(DATA, &["digest data.csv"], |manifest| manifest["output"]["sha256"] = "0".into());
    violates(DATA, &["rows"], |manifest| manifest["output"]["rows"] = 9.into());
    violates(DATA, &["columns"], |manifest| manifest["groups"] = json!([["age", "sex"], ["disease"]]));
    violates(DATA, &["columns", "unique group 3"], |manifest| {
        manifest["groups"] = json!([["age", "sex"], ["ward"], ["disease", "age"]])
    });
    violates(DATA, &["columns"], |manifest| manifest["dropped"] = json!(["ward"]));
    violates(DATA, &["unique group 1"], |manifest| manifest["unique"]["limit"] = "0.2".into());
    violates(DATA, &["buckets"], |manifest| manifest["buckets"]["achieved"]["rows"] = 1.into());
    violates(DATA, &["buckets"], |manifest| manifest["buckets"]["achieved"]["rows"] = 9.into());
    violates(DATA, &["diversity disease"], |manifest| {
        manifest["diversity"][0]["required"]["l"] = 4.into();
        manifest["diversity"][0]["achieved"]["l"] = 4.into();
    });
    violates(DATA, &["diversity disease"], |manifest| manifest["diversity"][0]["achieved"]["l"] = 1.into());
    let shuffled = DATA.replace("33,m,b,flu\n", "").replace("30,f,a,flu\n", "33,m,b,flu\n30,f,a,flu\n");
    violates(&shuffled, &["order"], |_| {});
}

#[test]
fn a_known_column_counts_in_every_group() {
    // (31, f) is twice there, but once in each ward.
    violates(DATA, &["unique group 1", "unique group 3"], |manifest| manifest["known"] = json!(["ward"]));
    violates(DATA, &[], |manifest| {
        manifest["known"] = json!(["ward"]);
        manifest["buckets"]["merged"] = true.into();
    });
}

#[test]
fn what_this_version_always_says_is_not_left_out() {
    for key in ["reports", "seeded", "promised", "not_promised", "copies"] {
        let lacking = |manifest: &mut Value| drop(manifest.as_object_mut().unwrap().shift_remove(key));
        violates(DATA, &["manifest"], lacking);
        // Older versions may not have said it; that their reports are not listed is told.
        violates(DATA, &[], |manifest| {
            lacking(manifest);
            manifest["paravent"] = "0.0.9".into();
        });
    }
    violates(DATA, &["digest report.json"], |manifest| {
        manifest["reports"].as_array_mut().unwrap().pop();
    });
}

#[test]
fn hostile_manifests_are_errors() {
    for change in [
        |manifest: &mut Value| manifest["groups"] = json!("age"),
        |manifest: &mut Value| manifest["unique"]["limit"] = json!(0.1),
        |manifest: &mut Value| manifest["output"]["file"] = json!("../data.csv"),
        |manifest: &mut Value| manifest["format"] = json!(7),
        |manifest: &mut Value| manifest["buckets"] = Value::Null,
    ] {
        assert!(found(DATA, change).is_err());
    }
}
