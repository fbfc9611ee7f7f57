//! Sound releases are found sound, in every format.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array, Int64Array,
    StringArray, TimestampMicrosecondArray,
};
use arrow::datatypes::Int32Type;
use serde_json::json;

use crate::builder::{Release, rows};

#[test]
fn the_example_holds_in_every_format() {
    for format in ["csv", "parquet", "arrow"] {
        let release = match format {
            "csv" => Release::example(),
            other => Release::example().in_format(other),
        };
        release.assert_holds();
        let verification = release.verify();
        assert_eq!((verification.rows, verification.classes), (6, 3));
    }
}

#[test]
fn every_promise_gets_a_check_of_its_own() {
    let verification = Release::example().verify();
    let names: Vec<&str> = verification.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "digest",
            "digest",
            "columns",
            "identifiers",
            "transform",
            "rows",
            "suppression",
            "labels",
            "labels",
            "labels",
            "types",
            "residue",
            "order",
            "classes",
            "files",
            "k-anonymity",
            "distinct-l-diversity",
            "entropy-l-diversity",
            "recursive-l-diversity",
            "reference",
            "t-closeness"
        ]
    );
    let json = serde_json::to_value(&verification).unwrap();
    assert_eq!(json["holds"], true);
    assert_eq!(json["checks"][15]["required"], json!({ "k": 2 }));
    assert_eq!(json["checks"][15]["achieved"], json!({ "k": 2 }));
}

#[test]
fn a_shuffled_release_may_have_any_order() {
    let mut release = Release::example().with("/output/order", "shuffled");
    release.rows.swap(0, 5);
    release.assert_holds();
}

#[test]
fn csv_cells_may_hold_delimiters_quotes_and_lines() {
    let odd = "a;\"b\"\r\nc";
    let mut release = Release::example();
    for row in &mut release.rows {
        if row[3].as_deref() == Some("gastritis") {
            row[3] = Some(odd.to_owned());
        }
    }
    release.with("/privacy/4/reference/0/value", odd).assert_holds();
}

#[test]
fn spreadsheet_safe_cells_are_read_without_their_quote() {
    let safe = Release::example().with("/output/spreadsheet_safe", true);
    let mut escaped = safe.clone();
    let mut bare = safe;
    for (index, value) in [(1, "=1+1"), (3, "=1+1"), (5, "=1+1")] {
        escaped.rows[index][3] = Some(format!("'{value}"));
        bare.rows[index][3] = Some(value.to_owned());
    }
    let renamed = |release: Release| {
        release.with("/privacy/4/reference/1/value", "=1+1").with("/output/order", "shuffled")
    };
    renamed(escaped).assert_holds();
    renamed(bare).assert_violates(&["spreadsheet"]);
}

/// Every quasi-identifier at level 0, so that typed columns meet their hierarchies.
fn typed() -> Release {
    let mut release = Release::example();
    release.header = ["age", "weight", "dose", "born", "seen", "adult"].map(str::to_owned).to_vec();
    release.rows = rows(
        "17 60.5 1.25 2007-03-09 2024-03-09T14:05:00 false\n17 60.5 1.25 2007-03-09 2024-03-09T14:05:00 false\n\
         34 60.5 1.25 1990-01-31 2024-03-09T14:05:00 true\n34 60.5 1.25 1990-01-31 2024-03-09T14:05:00 true\n\
         - - - - - -\n- - - - - -",
    );
    release.rows.sort();
    let kinds = ["integer", "decimal", "decimal", "date", "datetime", "boolean"];
    let hierarchies = [
        json!({ "kind": "intervals", "widths": ["5"], "min": "0", "max": "100", "outliers": "label", "rounding": "none", "grid": "integer" }),
        json!({ "kind": "table", "rows": [["60.50", "*"]] }),
        json!({ "kind": "whole" }),
        json!({ "kind": "dates", "levels": ["month"] }),
        json!({ "kind": "dates", "levels": ["day"] }),
        json!({ "kind": "whole" }),
    ];
    let (mut released, mut recoded) = (vec![], vec![]);
    for ((name, kind), hierarchy) in release.header.iter().zip(kinds).zip(hierarchies) {
        released.push(
            json!({ "name": name, "role": "quasi-identifier", "type": kind, "level": 0, "max_level": 1 }),
        );
        recoded.push(json!({ "name": name, "role": "quasi-identifier", "type": kind, "level": 0, "hierarchy": hierarchy }));
    }
    release
        .with("/attributes", released)
        .with("/dropped", json!([]))
        .with_transform("/attributes", recoded)
        .promising(
            json!({ "model": "k-anonymity", "required": { "k": 2 }, "achieved": { "k": 2 }, "holds": true }),
        )
}

#[test]
fn typed_columns_are_compared_as_text() {
    let csv = typed();
    csv.assert_holds();
    let seen = 1_709_993_100_000_000;
    let arrays: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![None, None, Some(17), Some(17), Some(34), Some(34)])),
        Arc::new(Float64Array::from(vec![None, None, Some(60.5), Some(60.5), Some(60.5), Some(60.5)])),
        Arc::new(
            Decimal128Array::from(vec![None, None, Some(1250), Some(1250), Some(1250), Some(1250)])
                .with_precision_and_scale(10, 3)
                .unwrap(),
        ),
        Arc::new(Date32Array::from(vec![None, None, Some(13_581), Some(13_581), Some(7_335), Some(7_335)])),
        Arc::new(TimestampMicrosecondArray::from(vec![
            None,
            None,
            Some(seen),
            Some(seen),
            Some(seen),
            Some(seen),
        ])),
        Arc::new(BooleanArray::from(vec![None, None, Some(false), Some(false), Some(true), Some(true)])),
    ];
    for format in ["parquet", "arrow"] {
        let mut release = csv.clone().in_format(format);
        release.typed = arrays.iter().cloned().enumerate().collect();
        release.assert_holds();
    }
}

#[test]
fn dictionary_columns_hold_nothing_but_their_rows() {
    let mut release = Release::example().in_format("arrow");
    let texts: Vec<&str> = release.rows.iter().map(|row| row[3].as_deref().unwrap()).collect();
    let clean: DictionaryArray<Int32Type> = texts.iter().copied().collect();
    release.typed = vec![(3, Arc::new(clean.clone()))];
    release.assert_holds();
    // An entry that no row uses: the diagnosis of somebody who was suppressed.
    let entries = StringArray::from(vec!["gastritis", "pneumonia", "plague"]);
    let leaking = DictionaryArray::new(clean.keys().clone(), Arc::new(entries));
    release.typed = vec![(3, Arc::new(leaking))];
    release.assert_violates(&["residue"]);
}

#[test]
fn a_missing_value_is_a_value_of_its_own() {
    let mut release = Release::example();
    for row in &mut release.rows {
        if row[0].as_deref() == Some("<=19") {
            row[0] = None;
        }
    }
    release.clone().sorted().assert_holds();
    release.sorted().with("/output/null", "NA").assert_holds();
}

#[test]
fn a_release_without_quasi_identifiers_is_one_class() {
    let mut release = Release::example();
    release.header = vec!["diagnosis".to_owned()];
    release.rows = rows("gastritis\npneumonia\npneumonia");
    release
        .with("/attributes", json!([{ "name": "diagnosis", "role": "sensitive", "type": "string" }]))
        .with("/dropped", json!([]))
        .with_transform(
            "/attributes",
            json!([{ "name": "diagnosis", "role": "sensitive", "type": "string" }]),
        )
        .with("/input/rows", 3)
        .with("/output/rows", 3)
        .with("/suppression", json!({ "limit": "0.999", "limit_rows": 2, "rows": 0 }))
        .with("/solution", json!({ "classes": 1, "smallest_class": 3 }))
        .promising(
            json!({ "model": "k-anonymity", "required": { "k": 3 }, "achieved": { "k": 3 }, "holds": true }),
        )
        .assert_holds();
}
