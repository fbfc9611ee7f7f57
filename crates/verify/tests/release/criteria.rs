//! The criteria that need more than the example has: evidence, lists of values, several attributes.

use serde_json::{Value, json};

use crate::builder::{Release, rows, violated};

/// One quasi-identifier, one sensitive attribute; a class per letter.
fn release(text: &str, input_rows: u64) -> Release {
    let mut release = Release::example();
    release.header = ["group", "diagnosis"].map(str::to_owned).to_vec();
    release.rows = rows(text);
    release.rows.sort();
    let released = release.rows.len() as u64;
    let mut sizes = std::collections::BTreeMap::new();
    for row in &release.rows {
        *sizes.entry(row[0].clone()).or_insert(0u64) += 1;
    }
    let attributes = json!([
        { "name": "group", "role": "quasi-identifier", "type": "string", "level": 0, "max_level": 1, "hierarchy": { "kind": "whole" } },
        { "name": "diagnosis", "role": "sensitive", "type": "string" }
    ]);
    release
        .with("/attributes", attributes.clone())
        .with("/dropped", json!([]))
        .with_transform("/attributes", attributes)
        .with("/input/rows", input_rows)
        .with("/output/rows", released)
        .with(
            "/suppression",
            json!({ "limit": "1", "limit_rows": input_rows - 1, "rows": input_rows - released }),
        )
        .with("/solution", json!({ "classes": sizes.len(), "smallest_class": sizes.values().min() }))
}

fn promise(model: &str, required: Value, achieved: Value) -> Value {
    json!({ "model": model, "required": required, "achieved": achieved, "holds": true })
}

#[test]
fn harmless_values_may_be_disclosed() {
    let text =
        "a healthy\na healthy\na healthy\na healthy\na healthy\na healthy\na flu\na flu\na cancer\na hiv";
    let pd = |c: &str| {
        let required = json!({ "attribute": "diagnosis", "c": c, "l": 3, "allowed": ["healthy"] });
        release(text, 10).promising(promise("pd-recursive-l-diversity", required, json!({ "c": 1.0 })))
    };
    pd("3").assert_holds();
    pd("1").assert_violates(&["pd-recursive-l-diversity diagnosis"]);
    let npd = |c2: &str, protected: &str| {
        let required = json!({ "attribute": "diagnosis", "c": "3", "c2": c2, "l": 3, "allowed": ["healthy"], "protected": [protected] });
        let achieved = json!({ "c": 1.0, "c2": if protected == "hiv" { 10 } else { 0 } });
        release(text, 10).promising(promise("npd-recursive-l-diversity", required, achieved))
    };
    npd("10", "hiv").assert_holds();
    npd("15", "hiv").assert_violates(&["npd-recursive-l-diversity diagnosis"]);
    npd("1", "plague").assert_violates(&["npd-recursive-l-diversity diagnosis"]);
}

#[test]
fn attributes_together_disclose_more_than_each_alone() {
    let mut two = Release::example();
    two.header = ["s", "v"].map(str::to_owned).to_vec();
    two.rows = rows("s1 v1\ns1 v2\ns2 v3\ns3 v3");
    let attributes = json!([
        { "name": "s", "role": "sensitive", "type": "string" },
        { "name": "v", "role": "sensitive", "type": "string" }
    ]);
    let two = two
        .with("/attributes", attributes.clone())
        .with("/dropped", json!([]))
        .with_transform("/attributes", attributes)
        .with("/input/rows", 4)
        .with("/output/rows", 4)
        .with("/suppression", json!({ "limit": "0", "limit_rows": 0, "rows": 0 }))
        .with("/solution", json!({ "classes": 1, "smallest_class": 4 }));
    let multi = |base: &str, l: Value, achieved: Value| {
        let required = json!({ "attributes": ["s", "v"], "l": l, "base": base, "c": "2" });
        two.clone().promising(promise("multi-attribute-l-diversity", required, achieved))
    };
    multi("distinct", json!(1), json!({ "l": 1 })).assert_holds();
    multi("distinct", json!(2), json!({ "l": 1 })).assert_violates(&["multi-attribute-l-diversity s, v"]);
    multi("entropy", json!("1"), json!({ "l": 1.0 })).assert_holds();
    multi("entropy", json!("1.1"), json!({ "l": 1.0 }))
        .assert_violates(&["multi-attribute-l-diversity s, v"]);
    multi("recursive", json!(1), json!({ "c": 1.0 })).assert_holds();
    multi("recursive", json!(2), json!({ "c": null })).assert_violates(&["multi-attribute-l-diversity s, v"]);
}

/// A class {low, mid} of the table (low 2, mid 2, high 2, two of them suppressed).
fn closeness(distance: &str, t: &str, achieved: f64) -> Release {
    let reference = json!([
        { "value": "low", "count": 2 }, { "value": "mid", "count": 2 }, { "value": null, "count": 1 }, { "missing": true, "count": 1 }
    ]);
    let required = json!({ "attribute": "diagnosis", "t": t, "distance": distance });
    let mut promise = promise("t-closeness", required, json!({ "t": achieved }));
    promise["reference"] = reference;
    promise["tree"] = json!([[1, 0], [1, 0], [2, 0], [2, 0]]);
    release("a low\na mid", 6).promising(promise)
}

#[test]
fn every_distance_is_computed_afresh() {
    for (distance, t, achieved) in [
        ("equal", "0.333333333333333333333334", 1.0 / 3.0),
        ("variation", "0.333333333333333333333334", 1.0 / 3.0),
        // Cumulated differences 1/6, 1/3, 1/6 over 3 steps.
        ("ordered", "0.222222222222222222222223", 2.0 / 9.0),
        // All of 1/3 has to cross the root.
        ("hierarchical", "0.333333333333333333333334", 1.0 / 3.0),
        ("kullback-leibler", "0.41", 1.5f64.ln()),
    ] {
        closeness(distance, t, achieved).assert_holds();
        let far = closeness(distance, "0.2", achieved);
        far.assert_violates(&["t-closeness diagnosis"]);
        closeness(distance, t, achieved * 1.001).assert_violates(&["t-closeness diagnosis"]);
    }
    let tight = closeness("equal", "0.333333333333333333333333", 1.0 / 3.0);
    tight.assert_violates(&["t-closeness diagnosis"]);
}

#[test]
fn a_tree_that_is_none_is_no_evidence() {
    let crossed = closeness("hierarchical", "1", 1.0 / 3.0)
        .with("/privacy/0/tree", json!([[1, 0], [1, 1], [2, 0], [2, 0]]));
    assert!(violated(&crossed.verify()).contains("reference diagnosis"));
    let short = closeness("hierarchical", "1", 1.0 / 3.0).with("/privacy/0/tree", json!([[1, 0]]));
    assert!(short.try_verify().is_err());
}

fn with_population(model: &str, required: Value, achieved: Value, population: Value) -> Release {
    let mut promise = promise(model, required, achieved);
    promise["population"] = population;
    release("a flu\na flu\nb flu\n- flu", 9).promising(promise).with("/input/population_rows", 20)
}

fn population() -> Value {
    json!([{ "class": ["a"], "count": 4 }, { "class": ["b"], "count": 4 }, { "class": [null], "count": 2 }])
}

#[test]
fn presence_is_counted_in_the_population() {
    let presence = |min: &str, max: &str, population| {
        with_population(
            "delta-presence",
            json!({ "min": min, "max": max }),
            json!({ "min": 0.25, "max": 0.5 }),
            population,
        )
    };
    presence("0", "0.5", population()).assert_holds();
    presence("0.25", "0.5", population()).assert_holds();
    presence("0.26", "0.5", population()).assert_violates(&["delta-presence"]);
    presence("0.25", "0.49", population()).assert_violates(&["delta-presence"]);
    // A class of the population without any released row.
    let mut wider = population();
    wider.as_array_mut().unwrap().push(json!({ "class": ["c"], "count": 4 }));
    presence("0", "0.5", wider.clone()).assert_holds();
    presence("0.25", "0.5", wider.clone()).assert_violates(&["delta-presence"]);
    // Unless its rows were suppressed, and no more than were.
    wider[3]["suppressed"] = json!(5);
    presence("0.25", "0.5", wider.clone()).assert_holds();
    wider[3]["suppressed"] = json!(6);
    presence("0.25", "0.5", wider).assert_violates(&["population"]);
}

#[test]
fn a_population_must_cover_the_release() {
    let k_map = |population| with_population("k-map", json!({ "k": 2 }), json!({ "k": 2 }), population);
    k_map(population()).assert_holds();
    k_map(population()).with("/privacy/0/required/k", 3).assert_violates(&["k-map"]);
    let absent = json!([{ "class": ["a"], "count": 4 }, { "class": ["b"], "count": 4 }]);
    k_map(absent).with("/privacy/0/achieved/k", 4).assert_violates(&["population", "k-map"]);
    let small = json!([{ "class": ["a"], "count": 1 }, { "class": ["b"], "count": 4 }, { "class": [null], "count": 2 }]);
    assert!(violated(&k_map(small).verify()).contains("population"));
    let mut doubled = population();
    doubled.as_array_mut().unwrap().push(json!({ "class": ["a"], "count": 4 }));
    k_map(doubled).assert_violates(&["population"]);
    k_map(population()).with("/input/population_rows", 9).assert_violates(&["population"]);
}

#[test]
fn a_column_of_labels_is_checked_for_every_hierarchy() {
    let kinds = [
        ("string", "whole", json!({ "kind": "whole" }), 1, "*", "a"),
        (
            "integer",
            "intervals",
            json!({ "kind": "intervals", "widths": ["5"], "min": "0", "max": "100", "outliers": "refuse", "rounding": "none", "grid": "integer" }),
            1,
            "20-24",
            "21-25",
        ),
        (
            "string",
            "redact",
            json!({ "kind": "redact", "char": "x", "from": "left", "length": 3 }),
            2,
            "xx1",
            "x11",
        ),
        (
            "date",
            "dates",
            json!({ "kind": "dates", "levels": ["month", "quarter"] }),
            2,
            "2024-Q1",
            "2024-03",
        ),
        (
            "date",
            "chain",
            json!({ "kind": "chain", "parts": [{ "kind": "dates", "levels": ["year"] }, { "kind": "table", "rows": [["2024", "now", "*"]] }] }),
            2,
            "now",
            "2024",
        ),
    ];
    for (kind, _, hierarchy, level, good, bad) in kinds {
        for (label, sound) in [(good, true), (bad, false)] {
            let k = promise("k-anonymity", json!({ "k": 2 }), json!({ "k": 2 }));
            let mut release = release(&format!("{label} flu\n{label} flu"), 2).promising(k);
            for document in [&mut release.manifest, &mut release.transform] {
                let group = &mut document["attributes"][0];
                (group["type"], group["level"], group["max_level"]) =
                    (kind.into(), level.into(), level.into());
                group["hierarchy"] = hierarchy.clone();
            }
            if sound { release.assert_holds() } else { release.assert_violates(&["labels group"]) }
        }
    }
}
