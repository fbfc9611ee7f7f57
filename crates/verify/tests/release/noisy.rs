//! Noisy releases: sound ones hold, planted defects are found.

use super::builder::{digest, put, violated};
use paravent_verify::{VerifyError, verify};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const DATA: &str = "age,sex,ward\n,f,a\n10,f,a\n10,m,b\n20,m,b\n";

/// Thresholds of a number with three values: 2⁶⁰ divided by 4 and by 8.
const TAILS: [u64; 2] = [1 << 58, 1 << 57];

fn noise() -> Value {
    json!([
        // Three values, one of them missing: 0.5 + 1/6 against 1/6.
        { "column": "age", "law": "uniform", "outside": "refuse", "missing": "value", "values": ["10", "20", null],
          "response": { "probability": "0.5", "weights": ["1/3", "1/3", "1/3"] }, "epsilon": "1.386295", "delta": "0" },
        // Two fair coins, as a table.
        { "column": "sex", "law": "kernel", "outside": "refuse", "missing": "refuse", "values": ["f", "m"],
          "response": { "probability": "1", "kernel": [[[0, "0.75"], [1, "0.25"]], [[0, "0.25"], [1, "0.75"]]] },
          "epsilon": "1.098613", "delta": "0" },
    ])
}

fn manifest() -> Value {
    json!({
        "format": 1,
        "kind": "noise",
        "paravent": env!("CARGO_PKG_VERSION"),
        "output": { "file": "data.csv", "format": "csv", "sha256": "", "rows": 4, "order": "canonical",
                    "delimiter": ",", "null": "", "spreadsheet_safe": false },
        "columns": ["age", "sex", "ward"],
        "noise": noise(),
        "epsilon": "2.484908",
        "delta": "0",
        "bounded": true,
        "ledger": { "recipient": "anyone", "lines": [{ "line": 2, "hash": "ab".repeat(32) }] },
        "dropped": ["name"],
        "seeded": false,
        "promised": [],
        "not_promised": [],
        "reports": [],
    })
}

fn found(data: &str, change: impl FnOnce(&mut Value)) -> Result<BTreeSet<String>, VerifyError> {
    let dir = tempfile::tempdir().unwrap();
    let release = dir.path().join("release");
    std::fs::create_dir(&release).unwrap();
    let mut manifest = manifest();
    manifest["output"]["sha256"] = digest(data.as_bytes()).into();
    manifest["reports"] = json!([
        { "file": "report.html", "sha256": digest(b"page") },
        { "file": "report.json", "sha256": digest(b"{}") },
    ]);
    change(&mut manifest);
    put(&release, "data.csv", data.as_bytes());
    put(&release, "report.html", b"page");
    put(&release, "report.json", b"{}");
    put(&release, "manifest.json", format!("{manifest:#}\n").as_bytes());
    verify(&release).map(|verification| violated(&verification))
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
fn a_stated_epsilon_is_computed_again() {
    // A millionth less than ln 4 and ln 3 is too little.
    violates(DATA, &["budget", "epsilon age"], |manifest| {
        manifest["noise"][0]["epsilon"] = "1.386294".into()
    });
    violates(DATA, &["budget", "epsilon sex"], |manifest| {
        manifest["noise"][1]["epsilon"] = "1.098612".into()
    });
    violates(DATA, &["epsilon sex"], |manifest| {
        manifest["noise"][1]["response"]["kernel"][0] = json!([[0, "0.8"], [1, "0.2"]]);
    });
    // Probabilities with a value that can never be shown have no ε.
    violates(DATA, &["epsilon sex"], |manifest| {
        manifest["noise"][1]["response"]["kernel"][0] = json!([[0, "1"]])
    });
    violates(DATA, &["epsilon age"], |manifest| {
        manifest["noise"][0]["response"]["probability"] = "0.4".into()
    });
    violates(DATA, &["budget"], |manifest| manifest["epsilon"] = "2.4849".into());
    violates(DATA, &["budget"], |manifest| manifest["bounded"] = false.into());
}

#[test]
fn a_stated_delta_is_computed_again() {
    // With ε = 1 two fair coins have δ = 3/4 − e/4 = 0.0704…
    let with = |delta: &'static str| {
        move |manifest: &mut Value| {
            manifest["noise"][1]["epsilon"] = "1".into();
            manifest["noise"][1]["delta"] = delta.into();
            manifest["epsilon"] = "2.386295".into();
            manifest["delta"] = delta.into();
        }
    };
    violates(DATA, &[], with("0.0705"));
    violates(DATA, &["epsilon sex"], with("0.0704"));
}

/// Numbers 10, 20, 30 with thresholds: at the bounds 3/4 against 1/8, between them 1/2 against 1/8.
fn numbers(epsilon: &'static str) -> impl Fn(&mut Value) {
    move |manifest| {
        manifest["noise"][0] = json!({
            "column": "age", "law": "laplace", "outside": "clamp", "missing": "draw", "min": "10", "max": "30", "step": "10",
            "tails": TAILS.map(|tail| tail.to_string()), "epsilon": epsilon, "delta": "0",
        });
        manifest["epsilon"] = format!("{:.6}", 1.098613 + epsilon.parse::<f64>().unwrap()).into();
    }
}

#[test]
fn noise_that_is_added_is_computed_again() {
    let data = "age,sex,ward\n10,f,a\n10,m,b\n20,m,b\n30,f,a\n";
    violates(data, &[], numbers("1.8"));
    violates(data, &["epsilon age"], numbers("1.79"));
    violates(data, &["epsilon age"], |manifest| {
        numbers("1.8")(manifest);
        manifest["noise"][0]["tails"][1] = (TAILS[1] / 2).to_string().into();
    });
    violates(&data.replace("20,m,b", "25,m,b"), &["domain age"], numbers("1.8"));
    violates(DATA, &["domain age"], numbers("1.8"));
    let wrong = |change: fn(&mut Value)| {
        found(data, |manifest| {
            numbers("1.8")(manifest);
            change(manifest);
        })
    };
    assert!(wrong(|manifest| manifest["noise"][0]["max"] = "40".into()).is_err());
    assert!(wrong(|manifest| manifest["noise"][0]["step"] = "0".into()).is_err());
    assert!(wrong(|manifest| manifest["noise"][0]["tails"] = json!(["5", "6"])).is_err());
}

#[test]
fn cases_are_judged_together() {
    let case = |value: &str, weights: [&str; 2]| json!({ "value": value, "response": { "probability": "0.9", "weights": weights } });
    let with = |epsilon: &'static str| {
        move |manifest: &mut Value| {
            manifest["noise"][1] = json!({
                "column": "sex", "law": "given", "outside": "refuse", "missing": "refuse", "values": ["f", "m"], "by": "ward",
                "cases": [case("a", ["0.9", "0.1"]), case("b", ["0.1", "0.9"])], "epsilon": epsilon, "delta": "0",
            });
            manifest["epsilon"] = format!("{:.6}", 1.386295 + epsilon.parse::<f64>().unwrap()).into();
        }
    };
    // ln (0.91 / 0.09) = 2.3136…; each case alone has ln (0.19 / 0.09) = 0.7472….
    violates(DATA, &[], with("2.3137"));
    violates(DATA, &["epsilon sex"], with("2.3136"));
    violates(DATA, &["epsilon sex"], with("0.75"));
}

#[test]
fn planted_defects_are_found() {
    violates(DATA, &["digest data.csv"], |manifest| manifest["output"]["sha256"] = "0".into());
    violates(DATA, &["rows"], |manifest| manifest["output"]["rows"] = 5.into());
    violates(DATA, &["columns"], |manifest| manifest["dropped"] = json!(["ward"]));
    violates(DATA, &["columns"], |manifest| manifest["columns"] = json!(["age", "sex"]));
    violates(&DATA.replace(",m,", ",x,"), &["domain sex"], |_| {});
    violates(&DATA.replace(",f,a\n10,f,a\n", "10,f,a\n,f,a\n"), &["order"], |_| {});
    violates(&DATA.replace("20,m,b", "\"20\",m,b"), &["bytes data.csv"], |_| {});
    violates(DATA, &["digest report.html"], |manifest| manifest["reports"][0]["sha256"] = "0".into());
    violates(DATA, &["ledger"], |manifest| manifest["ledger"]["lines"] = json!([]));
    violates(DATA, &["ledger"], |manifest| manifest["ledger"]["lines"][0]["hash"] = "12".into());
    violates(DATA, &["manifest"], |manifest| manifest["hidden"] = "a note".into());
    violates(DATA, &["manifest"], |manifest| manifest["noise"][0]["hidden"] = "a note".into());
}

#[test]
fn hostile_manifests_are_errors() {
    for change in [
        |manifest: &mut Value| manifest["noise"] = json!("age"),
        |manifest: &mut Value| manifest["noise"][0]["epsilon"] = json!(1.4),
        |manifest: &mut Value| manifest["noise"][0]["values"] = json!(["10", "10", null]),
        |manifest: &mut Value| manifest["noise"][0]["response"]["weights"] = json!(["1/3", "1/3", "1/2"]),
        |manifest: &mut Value| manifest["noise"][0]["response"]["probability"] = json!("1.5"),
        |manifest: &mut Value| {
            manifest["noise"][1]["response"]["kernel"][0] = json!([[1, "0.75"], [0, "0.25"]])
        },
        |manifest: &mut Value| {
            manifest["noise"][1]["response"]["kernel"][0] = json!([[0, "0.75"], [9, "0.25"]])
        },
        |manifest: &mut Value| manifest["output"]["file"] = json!("../data.csv"),
        |manifest: &mut Value| manifest["format"] = json!(7),
        |manifest: &mut Value| manifest["ledger"] = Value::Null,
    ] {
        assert!(found(DATA, change).is_err());
    }
}
