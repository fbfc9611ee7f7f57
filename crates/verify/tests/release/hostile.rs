//! Whatever the files hold, the answer is a verdict or an error, never a panic.

use paravent_verify::{VerifyError, verify};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::builder::{Release, put};

fn error_of(release: &Release, data: &[u8]) -> String {
    verify(release.write_with(data).path()).unwrap_err().to_string()
}

#[test]
fn absent_files_are_named() {
    let nowhere = tempfile::tempdir().unwrap();
    assert!(verify(nowhere.path()).unwrap_err().to_string().starts_with("manifest.json: cannot be read"));
    assert!(verify(&nowhere.path().join("nowhere")).is_err());
    for file in ["data.csv", "transform.json"] {
        let dir = Release::example().write();
        std::fs::remove_file(dir.path().join(file)).unwrap();
        assert!(verify(dir.path()).unwrap_err().to_string().starts_with(file));
        std::fs::create_dir(dir.path().join(file)).unwrap();
        assert!(matches!(verify(dir.path()), Err(VerifyError::Io { .. })));
    }
}

#[test]
fn every_key_that_is_needed_is_missed() {
    let required = [
        "/format",
        "/input",
        "/input/rows",
        "/transform/file",
        "/transform/sha256",
        "/output/file",
        "/output/format",
        "/output/sha256",
        "/output/rows",
        "/output/order",
        "/output/delimiter",
        "/output/null",
        "/output/spreadsheet_safe",
        "/suppression/limit",
        "/suppression/limit_rows",
        "/suppression/rows",
        "/attributes",
        "/attributes/0/name",
        "/attributes/0/role",
        "/attributes/0/type",
        "/attributes/0/level",
        "/attributes/0/max_level",
        "/dropped",
        "/privacy",
        "/privacy/0/model",
        "/privacy/0/required",
        "/privacy/0/required/k",
        "/privacy/0/achieved",
        "/privacy/0/achieved/k",
        "/privacy/0/holds",
        "/privacy/4/reference",
        "/privacy/4/reference/0/count",
        "/solution",
        "/solution/classes",
    ];
    for pointer in required {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        let mut release = Release::example();
        release.manifest.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(key);
        // The builder fills in digests, so take them out of the written file where they are the point.
        let dir = if key == "sha256"
            || parent.is_empty()
            || key == "file"
            || key == "format"
            || key == "delimiter"
            || key == "null"
        {
            let dir = Release::example().write();
            put(dir.path(), "manifest.json", &serde_json::to_vec(&release.manifest).unwrap());
            dir
        } else {
            release.write()
        };
        let message = verify(dir.path()).unwrap_err().to_string();
        assert!(message.contains(key) && message.contains("missing"), "{pointer}: {message}");
    }
}

#[test]
fn other_versions_are_refused() {
    let release = Release::example().with("/format", 3);
    assert!(release.try_verify().unwrap_err().to_string().contains("`format`"));
    assert!(Release::example().with_transform("/format", 0).try_verify().is_err());
}

#[test]
fn a_file_outside_the_directory_is_not_opened() {
    for name in ["../data.csv", "/dev/zero", "sub/data.csv", "..", ""] {
        let mut manifest = Release::example().manifest;
        manifest["output"]["file"] = name.into();
        let dir = Release::example().write();
        put(dir.path(), "manifest.json", &serde_json::to_vec(&manifest).unwrap());
        assert!(matches!(verify(dir.path()), Err(VerifyError::BadKey { .. })));
    }
}

#[test]
fn truncated_documents_are_no_json() {
    for file in ["manifest.json", "transform.json"] {
        let dir = Release::example().write();
        let bytes = std::fs::read(dir.path().join(file)).unwrap();
        for length in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            put(dir.path(), file, &bytes[..length]);
            assert!(matches!(verify(dir.path()), Err(VerifyError::NotJson { .. })));
        }
        put(dir.path(), file, b"\xff\xfe\0");
        assert!(matches!(verify(dir.path()), Err(VerifyError::NotJson { .. })));
        put(dir.path(), file, "[".repeat(100_000).as_bytes());
        assert!(matches!(verify(dir.path()), Err(VerifyError::NotJson { .. })));
    }
}

#[test]
fn broken_csv_is_named_by_place() {
    let release = Release::example();
    assert_eq!(error_of(&release, b""), "data.csv: there is no header");
    assert_eq!(
        error_of(&release, b"age;sex;zip;diagnosis\n20-60;M;82***;flu\n20-60;M\n"),
        "data.csv, row 2: 2 cells, but the header has 4"
    );
    assert_eq!(
        error_of(&release, b"age;sex;zip;diagnosis\n20-60;M;\xff;flu\n"),
        "data.csv, row 1, column 3: not UTF-8"
    );
    assert_eq!(error_of(&release, b"age;\xff\n"), "data.csv, row 0, column 2: not UTF-8");
    // NUL bytes are odd, but they are text.
    let with_nul = verify(release.write_with(b"age;sex;zip;diagnosis\n\0;M;82***;flu\n").path()).unwrap();
    assert!(!with_nul.holds());
    let only_header = verify(release.write_with(b"age;sex;zip;diagnosis\n").path()).unwrap();
    assert!(!only_header.holds());
}

#[test]
fn truncated_columnar_files_are_refused() {
    for format in ["parquet", "arrow"] {
        let release = Release::example().in_format(format);
        let bytes = release.data();
        for length in (0..bytes.len()).step_by(29).chain([bytes.len() - 1]) {
            assert!(verify(release.write_with(&bytes[..length]).path()).is_err(), "{format} cut at {length}");
        }
    }
}

#[test]
fn columns_of_odd_types_are_refused() {
    use std::sync::Arc;
    let mut release = Release::example().in_format("arrow");
    release.typed = vec![(1, Arc::new(arrow::array::BinaryArray::from(vec![b"M".as_slice(); 6])))];
    let error = release.try_verify().unwrap_err();
    assert_eq!(error.to_string(), "data.arrow, column 2: a column type that no release has");
}

#[test]
fn absurd_numbers_are_refused_or_violated() {
    for (pointer, value) in [
        ("/input/rows", json!(u64::MAX)),
        ("/input/rows", json!(-1)),
        ("/output/rows", json!(1e300)),
        ("/suppression/limit", json!("1e99999")),
        ("/suppression/limit", json!(0.05)),
        ("/privacy/4/reference/0/count", json!(u64::MAX)),
        ("/privacy/3/required/c", json!("9".repeat(10_000))),
    ] {
        assert!(matches!(
            Release::example().with(pointer, value).try_verify(),
            Err(VerifyError::BadKey { .. })
        ));
    }
    for (pointer, value) in [
        ("/attributes/0/level", json!(u64::MAX)),
        ("/attributes/2/max_level", json!(u64::MAX)),
        ("/suppression/limit", json!("-1")),
        ("/suppression/limit", json!("1e300")),
        ("/privacy/0/required/k", json!(u64::MAX)),
        ("/privacy/1/required/l", json!(u64::MAX)),
        ("/privacy/2/required/l", json!("1e300")),
        ("/privacy/3/required/l", json!(u64::MAX)),
        ("/privacy/4/required/t", json!("-1e300")),
        ("/solution/classes", json!(1u64 << 39)),
    ] {
        let found = Release::example().with(pointer, value).verify();
        assert!(!found.holds(), "{pointer}");
    }
}

/// Replaces the `index`-th value of a document, counted depth first.
fn replace(value: &mut Value, index: &mut usize, with: &Value) {
    if *index == 0 {
        *value = with.clone();
        *index = usize::MAX;
        return;
    }
    *index -= 1;
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, index, with)),
        Value::Object(map) => map.values_mut().for_each(|item| replace(item, index, with)),
        _ => {}
    }
}

fn odd_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[-+]?[0-9]{0,5}(\\.[0-9]{0,5})?(e-?[0-9]{1,3})?".prop_map(Value::from),
        Just(json!([])),
        Just(json!({})),
        Just(json!([[], {}, null, 1])),
        Just(json!({ "kind": "chain", "parts": [] })),
    ]
}

fn example_in(format: usize) -> Release {
    match ["csv", "parquet", "arrow"][format] {
        "csv" => Release::example(),
        other => Release::example().in_format(other),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), format in 0usize..3) {
        let release = example_in(format);
        let _ = verify(release.write_with(&bytes).path());
        let dir = release.write();
        put(dir.path(), "transform.json", &bytes);
        prop_assert!(verify(dir.path()).is_err());
        put(dir.path(), "manifest.json", &bytes);
        prop_assert!(verify(dir.path()).is_err());
    }

    #[test]
    fn flipped_bytes_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), format in 0usize..3) {
        let release = example_in(format);
        let mut bytes = release.data();
        for (index, byte) in flips {
            let at = index.index(bytes.len());
            bytes[at] ^= byte;
        }
        let _ = verify(release.write_with(&bytes).path());
    }

    #[test]
    fn odd_documents_never_panic(index in 0usize..120, with in odd_value(), transform in any::<bool>()) {
        let mut release = Release::example();
        let (mut manifest, mut at) = (release.manifest.clone(), index);
        replace(if transform { &mut release.transform } else { &mut manifest }, &mut at, &with);
        let dir = release.write();
        if !transform {
            put(dir.path(), "manifest.json", &serde_json::to_vec(&manifest).unwrap());
        }
        let _ = verify(dir.path());
    }
}
