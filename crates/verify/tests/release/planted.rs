//! One violation each, digests re-computed: only a look at what the files say can find it.

use paravent_verify::verify;
use serde_json::json;

use crate::builder::{Release, put, rows, violated};

#[test]
fn a_changed_file_is_found_by_its_digest() {
    let release = Release::example();
    let dir = release.write();
    let mut data = release.data();
    data.extend_from_slice(b"\n"); // an empty line changes no row
    put(dir.path(), "data.csv", &data);
    let found = verify(dir.path()).unwrap();
    assert_eq!(violated(&found), ["digest data.csv".to_owned()].into());
    put(dir.path(), "transform.json", &serde_json::to_vec(&release.transform).unwrap());
    assert_eq!(violated(&verify(dir.path()).unwrap()).len(), 2);
}

#[test]
fn one_cell_left_as_it_was() {
    for (column, original) in [(0, "21"), (2, "82451")] {
        let release = Release::example().with_cell(0, column, original).sorted();
        let found = violated(&release.verify());
        assert!(found.contains(if column == 0 { "labels age" } else { "labels zip" }));
        assert!(found.contains("k-anonymity"));
    }
}

#[test]
fn a_whole_column_at_another_level() {
    let mut release = Release::example();
    for row in &mut release.rows {
        row[2] = row[2].as_ref().map(|zip| format!("{}4**", &zip[..2]));
    }
    release.assert_violates(&["labels zip"]);
}

#[test]
fn a_level_that_only_the_manifest_has() {
    Release::example().with("/attributes/2/level", 2).assert_violates(&["transform"]);
    Release::example().with("/attributes/2/level", 4).assert_violates(&["transform", "labels zip"]);
    Release::example().with_transform("/attributes/3/level", 4).assert_violates(&["transform"]);
    Release::example().with("/attributes/2/max_level", 6).assert_violates(&["transform"]);
}

#[test]
fn a_role_that_only_the_manifest_has() {
    let release = Release::example()
        .with("/attributes/1", json!({ "name": "sex", "role": "insensitive", "type": "string" }));
    assert!(violated(&release.verify()).contains("transform"));
    Release::example()
        .with("/attributes/3/type", "integer")
        .assert_violates(&["transform", "types diagnosis"]);
}

#[test]
fn one_class_made_too_small() {
    let release = Release::example().with_cell(0, 1, "F").sorted();
    release.assert_violates(&[
        "classes",
        "k-anonymity",
        "distinct-l-diversity diagnosis",
        "entropy-l-diversity diagnosis",
        "recursive-l-diversity diagnosis",
        "t-closeness diagnosis",
    ]);
}

#[test]
fn a_suppressed_row_added_again() {
    let mut release = Release::example();
    release.rows.extend(rows("20-60 F 81*** pneumonia"));
    let release = release.sorted();
    assert!(violated(&release.verify()).contains("rows"));
    // Even if every number that describes it is made to fit.
    let fitted = release
        .with("/output/rows", 7)
        .with("/suppression/rows", 1)
        .with("/solution", json!({ "classes": 4, "smallest_class": 1 }));
    let found = violated(&fitted.verify());
    assert!(found.contains("k-anonymity") && !found.contains("rows"));
}

#[test]
fn a_row_taken_out() {
    let mut release = Release::example();
    release.rows.pop();
    let found = violated(&release.verify());
    assert!(found.contains("rows") && found.contains("suppression"));
}

#[test]
fn an_identifier_left_in() {
    let mut release = Release::example();
    release.header.push("name".to_owned());
    for (index, row) in release.rows.iter_mut().enumerate() {
        row.push(Some(format!("person {index}")));
    }
    release.clone().assert_violates(&["columns", "identifiers"]);
    // And if the manifest pretends that it belongs there:
    let mut pretended = release.with("/dropped", json!([]));
    let name = json!({ "name": "name", "role": "insensitive", "type": "string" });
    pretended.manifest["attributes"].as_array_mut().unwrap().push(name);
    pretended.assert_violates(&["identifiers", "transform"]);
}

#[test]
fn a_column_nobody_announced_is_named_by_position() {
    let mut release = Release::example();
    release.header[3] = "secret-cell".to_owned();
    let verification = release.verify();
    let columns = verification.checks.iter().find(|check| check.name == "columns").unwrap();
    assert_eq!(
        columns.detail,
        "column diagnosis is not in the file; column 4 of the file is not in the manifest"
    );
}

#[test]
fn columns_in_another_order_or_twice() {
    let mut release = Release::example().with("/output/order", "shuffled");
    release.header.swap(0, 1);
    release.rows.iter_mut().for_each(|row| row.swap(0, 1));
    release.assert_violates(&["columns"]);
    let mut doubled = Release::example();
    doubled.header.push("sex".to_owned());
    doubled.rows.iter_mut().for_each(|row| row.push(row[1].clone()));
    doubled.assert_violates(&["columns"]);
}

#[test]
fn rows_out_of_order() {
    let mut release = Release::example();
    release.rows.swap(2, 3);
    release.assert_violates(&["order"]);
    let found = release.verify();
    let order = found.violations().next().unwrap();
    assert_eq!(order.detail, "row 4 belongs before row 3");
    Release::example().with("/output/order", "by magic").assert_violates(&["order"]);
}

#[test]
fn more_rows_suppressed_than_allowed() {
    Release::example().with("/suppression/limit", "0.2").assert_violates(&["suppression"]);
    Release::example()
        .with("/suppression", json!({ "limit": "0.2", "limit_rows": 1, "rows": 2 }))
        .assert_violates(&["suppression"]);
    // All rows may never be suppressed, whatever the share.
    Release::example()
        .with("/suppression", json!({ "limit": "1", "limit_rows": 8, "rows": 2 }))
        .assert_violates(&["suppression"]);
    Release::example()
        .with("/suppression", json!({ "limit": "1", "limit_rows": 7, "rows": 2 }))
        .assert_holds();
    Release::example().with("/input/rows", 9).assert_violates(&[
        "rows",
        "suppression",
        "reference diagnosis",
    ]);
}

#[test]
fn an_achieved_value_that_is_not_achieved() {
    for (promise, key, value) in [
        (0, "k", json!(3)),
        (1, "l", json!(3)),
        (2, "l", json!(1.99)),
        (3, "c", json!(0.9)),
        (4, "t", json!(0.1)),
    ] {
        let release = Release::example().with(&format!("/privacy/{promise}/achieved/{key}"), value);
        assert_eq!(release.verify().violations().count(), 1);
    }
    Release::example().with("/privacy/0/holds", false).assert_violates(&["k-anonymity"]);
}

#[test]
fn a_threshold_that_is_not_met() {
    Release::example().with("/privacy/0/required/k", 3).assert_violates(&["k-anonymity"]);
    Release::example()
        .with("/privacy/2/required/l", "2.00001")
        .assert_violates(&["entropy-l-diversity diagnosis"]);
    Release::example()
        .with("/privacy/3/required/c", "1")
        .assert_violates(&["recursive-l-diversity diagnosis"]);
    Release::example()
        .with("/privacy/4/required/t", "0.1249999999999999999999")
        .assert_violates(&["t-closeness diagnosis"]);
}

#[test]
fn a_wrong_reference() {
    let with = |reference| Release::example().with("/privacy/4/reference", reference);
    // Fewer than are released; the sum is right.
    assert!(
        violated(
            &with(json!([{ "value": "gastritis", "count": 2 }, { "value": "pneumonia", "count": 6 }]))
                .verify()
        )
        .contains("reference diagnosis")
    );
    // A value that is released, withheld.
    assert!(
        violated(
            &with(json!([{ "value": null, "count": 3 }, { "value": "pneumonia", "count": 5 }])).verify()
        )
        .contains("reference diagnosis")
    );
    // Not the rows of the input.
    assert!(
        violated(&with(json!([{ "value": "gastritis", "count": 4 }, { "value": "pneumonia", "count": 4 }, { "value": null, "count": 1 }])).verify())
            .contains("reference diagnosis")
    );
    assert!(violated(&with(json!([])).verify()).contains("t-closeness diagnosis"));
}

#[test]
fn wrong_class_figures() {
    Release::example().with("/solution/classes", 4).assert_violates(&["classes"]);
    Release::example().with("/solution/smallest_class", 5).assert_violates(&["classes"]);
}

#[test]
fn a_promise_nobody_can_check() {
    let mut release = Release::example();
    let magic = json!({ "model": "magic", "required": {}, "achieved": {}, "holds": true });
    release.manifest["privacy"].as_array_mut().unwrap().push(magic);
    release.assert_violates(&["magic"]);
    Release::example().with("/privacy", json!([])).assert_violates(&["privacy"]);
}

#[test]
fn a_promise_about_a_column_that_is_not_there() {
    Release::example()
        .with("/privacy/1/required/attribute", "name")
        .assert_violates(&["distinct-l-diversity name"]);
    Release::example()
        .with("/privacy/4/required/attribute", "name")
        .assert_violates(&["reference name", "t-closeness name"]);
}

#[test]
fn violations_are_found_in_columnar_files_too() {
    for format in ["parquet", "arrow"] {
        let release = Release::example().in_format(format).with_cell(0, 2, "82451").sorted();
        let found = violated(&release.verify());
        assert!(found.contains("labels zip") && found.contains("k-anonymity"));
    }
}

#[test]
fn no_message_shows_a_cell() {
    let mut release =
        Release::example().with_cell(0, 0, "SECRET").with_cell(1, 3, "SECRET").with_cell(2, 1, "SECRET");
    release.header[2] = "SECRET".to_owned();
    let verification = release.verify();
    assert!(!verification.holds());
    assert!(!serde_json::to_string(&verification).unwrap().contains("SECRET"));
}

#[test]
fn a_file_that_nobody_has_looked_at() {
    let release = Release::example();
    let dir = release.write();
    put(dir.path(), "raw.csv", b"name,diagnosis\n");
    assert_eq!(violated(&verify(dir.path()).unwrap()), ["files".to_owned()].into());
}
