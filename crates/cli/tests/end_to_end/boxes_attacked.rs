//! Attacks on releases in which every class has a box of its own: on planted weak ones they succeed, on strong ones they do not.

use crate::support::Place;
use serde_json::{Value, json};

const ATTRIBUTES: &str = r#"version = 1
input.path = "patients.csv"
[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
[[attributes]]
name = "smoker"
role = "quasi-identifier"
[[attributes]]
name = "illness"
role = "sensitive"
"#;

fn job(recoding: &str, models: &str, more: &str) -> String {
    let job = format!(
        "{ATTRIBUTES}[privacy]\nsuppression_limit = 0.0\nmodels = [ {models} ]\n[search]\nmetric = \"loss\"\nrecoding = \"{recoding}\"\n\
         [output]\npath = \"release\"\nregister = false\n"
    );
    job.replacen("name = \"zip\"\n", &format!("name = \"zip\"\n{more}"), 1)
}

/// In each of 22 towns five people; in the last two one of them smokes.
fn towns() -> String {
    let mut rows = "zip,smoker,illness\n".to_owned();
    for town in 0..22 {
        for person in 0..5 {
            let smoker = if town >= 20 && person == 4 { "yes" } else { "no" };
            let illness = ["flu", "gout", "asthma", "angina", "cough"][person];
            rows.push_str(&format!("8{town:04},{smoker},{illness}\n"));
        }
    }
    rows
}

fn attack(place: &Place, more: &[&str]) -> (Option<i32>, Value) {
    let args = [&["attack", "release", "--against", "patients.csv", "--seed", "1", "--json"], more].concat();
    let outcome = place.run(&args);
    assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.err);
    (outcome.code, outcome.json())
}

fn severity<'a>(found: &'a Value, attack: &str) -> &'a str {
    let attacks = found["attacks"].as_array().unwrap();
    let found = attacks.iter().find(|outcome| outcome["attack"] == attack);
    found
        .and_then(|outcome| outcome["severity"].as_str())
        .unwrap_or_else(|| panic!("{attack} is not in {attacks:?}"))
}

#[test]
fn minimal_boxes_are_brought_back_to_finer_labels() {
    let k = "{ model = \"k-anonymity\", k = 5 }";
    let weak = Place::with(&job("local", k, ""), towns());
    weak.anonymize(&[]).expect(0);
    // The towns with a smoker hide who smokes; all others show that nobody does, so it must be one of five.
    let data = weak.read("release/data.csv");
    assert_eq!(data.lines().filter(|line| line.contains(",*,")).count(), 10, "{data}");
    // Everybody knows that one in a hundred smokes.
    let everybody: String = (0..22)
        .flat_map(|town| {
            (0..200).map(move |person| format!("8{town:04},{}\n", if person < 2 { "yes" } else { "no" }))
        })
        .collect();
    let known = format!("zip,smoker\n{everybody}");
    let population = ["--population", "everybody.csv"];
    weak.write("everybody.csv", &known);
    let (_, found) = attack(&weak, &population);
    assert_ne!(severity(&found, "downcoding"), "covered", "{found}");
    let strong = Place::with(&job("global", k, ""), towns());
    strong.anonymize(&[]).expect(0);
    strong.write("everybody.csv", &known);
    assert_eq!(severity(&attack(&strong, &population).1, "downcoding"), "covered");
}

#[test]
fn a_row_in_a_box_of_its_own_is_linked() {
    let place = Place::with(&job("local", "{ model = \"k-anonymity\", k = 5 }", ""), towns());
    place.anonymize(&[]).expect(0);
    let (_, found) = attack(&place, &[]);
    assert_eq!(severity(&found, "linking"), "covered");
    // The smoker of a town gets a box of his own, with the finest labels, in data and transformation.
    let data = place.read("release/data.csv").replacen("80020,*,cough", "80020,yes,cough", 1);
    place.write("release/data.csv", data);
    let mut transform = place.json("release.private/transform.json");
    let boxes = transform["boxes"].as_array_mut().unwrap();
    boxes.push(json!({ "levels": [0, 0], "labels": ["80020", "yes"], "rows": 1 }));
    place.write("release.private/transform.json", transform.to_string());
    let (code, found) = attack(&place, &[]);
    assert_eq!((code, severity(&found, "linking")), (Some(1), "broken"));
}

#[test]
fn two_local_recodings_of_the_same_rows_are_intersected() {
    // Everybody of a row of ten towns and of a column of ten ages: each release alone hides one of five.
    let rows: String = (0..100)
        .map(|i| {
            format!(
                "8{:04},{},{}\n",
                i % 10,
                20 + i / 10,
                ["flu", "gout", "asthma", "angina", "cough"][i % 5]
            )
        })
        .collect();
    let place = Place::with("", format!("zip,age,illness\n{rows}"));
    let job = |uniform: &str| {
        let text = job("local", "{ model = \"k-anonymity\", k = 5 }", "");
        let text = text.replace("name = \"smoker\"\n", "name = \"age\"\n");
        text.replacen(
            &format!("name = \"{uniform}\"\n"),
            &format!("name = \"{uniform}\"\nmax_level = 0\n"),
            1,
        )
    };
    for (uniform, release) in [("zip", "first"), ("age", "release")] {
        place.write("paravent.toml", job(uniform));
        place.anonymize(&["--output", release]).expect(0);
        place.run(&["verify", release]).expect(0);
    }
    let (code, found) = attack(&place, &["--previous", "first"]);
    assert_eq!((code, severity(&found, "composition")), (Some(1), "broken"), "{found}");
}

#[test]
fn boxes_that_are_just_diverse_enough_tell_who_made_them_wide() {
    // Without diversity all towns would show who smokes; the towns that do not can only be those with one illness.
    let mut rows = "zip,smoker,illness\n".to_owned();
    for town in 0..40 {
        for person in 0..16 {
            let smoker = if person < 4 { "yes" } else { "no" };
            let illness =
                if town < 2 && person < 4 { "hiv" } else { ["flu", "gout", "asthma", "cough"][person % 4] };
            rows.push_str(&format!("8{town:04},{smoker},{illness}\n"));
        }
    }
    let models = "{ model = \"k-anonymity\", k = 4 }, { model = \"distinct-l-diversity\", attribute = \"illness\", l = 2 }";
    let weak = Place::with(&job("local", models, "max_level = 0\n"), rows);
    weak.anonymize(&[]).expect(0);
    let data = weak.read("release/data.csv");
    assert_eq!(data.lines().filter(|line| line.contains(",*,")).count(), 32, "{data}");
    let (_, found) = attack(&weak, &[]);
    assert_ne!(severity(&found, "minimality"), "covered", "{found}");
}
