//! A table with more quasi-identifiers than a machine word has bits.

use crate::support::Place;
use std::fmt::Write;

const COLUMNS: usize = 70;

/// 200 people whose answers follow one hidden trait; all columns have values 0 to 7 and three steps to the top.
fn table() -> String {
    let names: Vec<String> = (0..COLUMNS).map(|column| format!("q{column}")).collect();
    let mut text = names.join(",") + "\n";
    for person in 0..200usize {
        let answers = (0..COLUMNS).map(|column| {
            let noise = person * 31 + column * 17 + person * column % 11;
            ((person % 4) * 2 + usize::from(noise % 9 == 0)).min(7).to_string()
        });
        writeln!(text, "{}", answers.collect::<Vec<_>>().join(",")).unwrap();
    }
    text
}

fn job(seconds: &str) -> String {
    let mut job = String::from("version = 1\n[input]\npath = \"patients.csv\"\n");
    for column in 0..COLUMNS {
        writeln!(
            job,
            "[[attributes]]\nname = \"q{column}\"\nrole = \"quasi-identifier\"\ntype = \"integer\""
        )
        .unwrap();
        writeln!(job, "hierarchy = {{ intervals = {{ widths = [2, 4], min = 0, max = 8 }} }}").unwrap();
    }
    job += "[privacy]\nsuppression_limit = 0.02\nmodels = [{ model = \"k-anonymity\", k = 3 }]\n";
    job += &format!("[search]\nmetric = \"nuem\"\nseconds = {seconds}\n[output]\npath = \"release\"\n");
    job
}

#[test]
fn seventy_columns_make_a_verified_release_and_a_gap() {
    let place = Place::new();
    place.write("patients.csv", table());
    place.write("paravent.toml", job("1"));
    let document = place.anonymize(&["--json"]).expect(0).json();
    assert!(document["lattice"]["nodes"].as_f64().unwrap() > 1e38, "more than any integer holds");
    assert_eq!(document["output"]["verified"], true);
    let (loss, bound) =
        (document["solution"]["loss"].as_f64().unwrap(), document["search"]["bound"].as_f64().unwrap());
    assert!(bound <= loss * (1.0 + 1e-9));
    let gap = document["search"]["gap_percent"].as_f64().unwrap();
    assert!((0.0..=100.0).contains(&gap));
    if document["search"]["optimal"] == false {
        assert!((gap - 100.0 * (loss - bound) / loss).abs() < 1e-6);
        assert!(document["warnings"].to_string().contains("a better release may exist"));
    }
}

#[test]
fn an_algorithm_that_writes_the_lattice_down_refuses_it() {
    let place = Place::new();
    place.write("patients.csv", table());
    place.write("paravent.toml", job("1").replace("[search]", "[search]\nalgorithm = \"flash\""));
    let refused = place.anonymize(&[]).expect(2);
    assert!(refused.err.contains("more than"), "{}", refused.err);
}
