//! Releases without a common quasi-identifier, and honest releases with a box for every class: weak ones and strong ones of the same look.

use crate::support::Place;
use serde_json::Value;

/// A job that generalizes one of two columns and leaves the other out.
fn job(quasi: &str, other: &str, more: &str) -> String {
    format!(
        "version = 1\ninput.path = \"patients.csv\"\n[[attributes]]\nname = \"pid\"\nrole = \"identifying\"\n[[attributes]]\nname = \"{quasi}\"\n\
         role = \"quasi-identifier\"\n[[attributes]]\nname = \"{other}\"\nrole = \"identifying\"\n[[attributes]]\nname = \"days\"\n\
         role = \"sensitive\"\ntype = \"integer\"\nrelease = \"as it is\"\n[privacy]\nsuppression_limit = 0.0\nmodels = [ {{ model = \"k-anonymity\", k = 5 }} ]\n\
         [search]\nmetric = \"loss\"\n{more}[output]\npath = \"{quasi}\"\n"
    )
}

/// 120 people in six age groups and ten towns, two of each kind; `days` is a stay that everybody has alone, or one of three.
fn stays(days: impl Fn(usize) -> usize) -> String {
    let mut rows = String::from("pid,age,town,days\n");
    for person in 0..120 {
        rows.push_str(&format!("p{person},g{},T{},{}\n", person % 6, person / 6 % 10, days(person)));
    }
    rows
}

fn second(days: impl Fn(usize) -> usize) -> (Option<i32>, Value) {
    let place = Place::with("", stays(days));
    place.write("age.toml", job("age", "town", ""));
    place.write("town.toml", job("town", "age", ""));
    place.run(&["anonymize", "age.toml"]).expect(0);
    let run = place.run(&["anonymize", "town.toml", "--json"]);
    (run.code, run.json())
}

#[test]
fn a_secret_that_is_a_fingerprint_joins_releases_without_a_common_column() {
    let (code, weak) = second(|person| 100 + person);
    let told = weak["register"]["earlier"][0]["attacks"].to_string();
    assert_eq!((code, weak["verdict"]["light"].as_str()), (Some(6), Some("red")), "{told}");
    assert!(told.contains("In 60 pairs of classes fewer than 5 people can be in both releases"), "{told}");
    // The same look: stays that many share in every class.
    let (code, strong) = second(|person| 3 + person / 40);
    let told = strong["register"]["earlier"][0].to_string();
    assert_eq!((code, strong["verdict"]["light"].as_str()), (Some(0), Some("green")), "{told}");
    assert!(told.contains("no quasi-identifier"), "{told}");
}

/// Ages and towns of people, many of them alike.
fn towns(rows: usize, seed: usize) -> String {
    let mut text = String::from("age,town,sex,illness\n");
    for row in 0..rows {
        let mixed = (row + seed) * 7919 % 10_007;
        let (age, town) = (20 + mixed % 17, mixed / 17 % 5);
        let sex = ["f", "m"][mixed / 90 % 2];
        text.push_str(&format!("{age},T{town},{sex},{}\n", ["flu", "gout", "asthma"][mixed % 3]));
    }
    text
}

#[test]
fn honest_boxes_raise_no_alarm() {
    for (k, seed) in [(2, 1), (4, 2), (4, 77)] {
        let job = format!(
            "version = 1\ninput.path = \"patients.csv\"\n[[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\ntype = \"integer\"\n\
             hierarchy = {{ intervals = {{ widths = [5, 10, 20], min = 0, max = 100 }} }}\n[[attributes]]\nname = \"town\"\n\
             role = \"quasi-identifier\"\n[[attributes]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n[[attributes]]\nname = \"illness\"\n\
             role = \"sensitive\"\n[privacy]\nsuppression_limit = 0.1\nmodels = [ {{ model = \"k-anonymity\", k = {k} }} ]\n\
             [search]\nmetric = \"loss\"\nrecoding = \"local\"\n[output]\npath = \"release\"\n"
        );
        let place = Place::with(&job, towns(200, seed));
        place.anonymize(&[]).expect(0);
        let found = place.run(&["attack", "release", "--against", "patients.csv", "--seed", "1", "--json"]);
        let alarms: Vec<Value> = found.json()["attacks"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|told| told["severity"] == "broken" || told["severity"] == "not-compared")
            .cloned()
            .collect();
        assert!(alarms.is_empty(), "k = {k}, {seed}: {alarms:#?}");
        found.expect(0);
    }
}
