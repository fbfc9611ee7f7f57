//! Several rows per person: what is promised is promised to people.

use crate::support::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const JOB: &str = r#"version = 1

[input]
path = "patients.csv"

[[attributes]]
name = "patient"
role = "identifying"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }

[[attributes]]
name = "ward"
role = "quasi-identifier"

[[attributes]]
name = "finding"
role = "sensitive"

[privacy]
person = "patient"
suppression_limit = 0.1
models = [
  { model = "k-anonymity", k = 6 },
  { model = "distinct-l-diversity", attribute = "finding", l = 3 },
]

[search]
metric = "loss"

[output]
path = "release"
"#;

/// 40 people with six visits each; some visit two wards.
fn visits(step: usize) -> String {
    let mut text = String::from("patient,age,ward,finding\n");
    for row in (0..240).map(|row| row * step % 240) {
        let (person, visit) = (row / 6, row % 6);
        let age = 20 + person * 7 % 60;
        let ward = ["a", "b"][(person / 3 + usize::from(visit == 0 && person % 5 == 0)) % 2];
        let finding = ["flu", "gout", "asthma", "angina", "burn"][(person + visit) % 5];
        text.push_str(&format!("p{person},{age},{ward},{finding}\n"));
    }
    text
}

/// By class of the release: the people, and the values each shows.
fn classes(place: &Place) -> BTreeMap<String, BTreeMap<String, BTreeSet<String>>> {
    let data = fs::read_to_string(place.path("release/data.csv")).unwrap();
    let tokens = fs::read_to_string(place.path("release.private/people.txt")).unwrap();
    let rows: Vec<&str> = data.lines().skip(1).collect();
    assert_eq!(rows.len(), tokens.lines().count());
    let mut classes: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
    for (row, token) in rows.iter().zip(tokens.lines()) {
        let (class, finding) = row.rsplit_once(',').unwrap();
        let people = classes.entry(class.to_owned()).or_default();
        people.entry(token.to_owned()).or_default().insert(finding.to_owned());
    }
    classes
}

#[test]
fn every_class_has_k_people_and_not_k_rows() {
    let place = Place::with(JOB, visits(1));
    let document = place.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    let classes = classes(&place);
    let smallest = classes.values().map(BTreeMap::len).min().unwrap();
    assert!(smallest >= 6, "{smallest} people");
    assert_eq!(document["solution"]["smallest_class"], smallest);
    assert_eq!(document["solution"]["people"]["read"], 40);
    assert_eq!(document["privacy"][0]["achieved"]["k"], smallest);
    assert!(document["search"]["optimal"].as_bool().unwrap());
    for page in ["release/report.html", "release.private/report.html"] {
        let page = place.read(page);
        assert!(
            page.contains("People are counted, not rows") && page.contains("of 40 people lose one or more")
        );
    }

    // The same rows without the key: six visits of one person are taken for six people.
    let rows = Place::with(&JOB.replace("person = \"patient\"\n", ""), visits(1));
    let counted = rows.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    let (with, without) = (&document["solution"]["losses"]["loss"], &counted["solution"]["losses"]["loss"]);
    assert!(without.as_f64() < with.as_f64(), "{without} {with}");
}

#[test]
fn the_order_of_the_rows_and_the_threads_change_no_byte() {
    let bytes = |step, threads: &str| {
        let job = JOB.replace("[search]", &format!("[search]\nthreads = {threads}"));
        let place = Place::with(&job, visits(step));
        place.run(&["anonymize", "paravent.toml"]).expect(0);
        fs::read(place.path("release/data.csv")).unwrap()
    };
    let first = bytes(1, "1");
    assert_eq!(first, bytes(7, "1"));
    assert_eq!(first, bytes(101, "2"));
}

#[test]
fn the_verifier_counts_people() {
    let place = Place::with(JOB, visits(1));
    place.run(&["anonymize", "paravent.toml"]).expect(0);
    let verified = place.run(&["verify", "release", "--json"]).expect(0).json();
    let check = |verified: &serde_json::Value, name: &str| {
        let checks = verified["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == name).unwrap_or_default()
    };
    assert!(check(&verified, "k-anonymity")["detail"].as_str().unwrap().contains("people"));

    // All rows of a class belong to one person, and all digests were computed again: it is seen all the same.
    let tokens = fs::read_to_string(place.path("release.private/people.txt")).unwrap();
    let first = tokens.lines().next().unwrap();
    let forged = format!("{first}\n").repeat(tokens.lines().count());
    place.write("release.private/people.txt", &forged);
    let refused = place.run(&["verify", "release", "--json"]).expect(1).json();
    assert_eq!(check(&refused, "people")["outcome"], "violated");
    assert_eq!(check(&refused, "k-anonymity")["outcome"], "violated");
    assert_eq!(check(&refused, "distinct-l-diversity")["outcome"], "violated");

    // Without the private folder nobody can tell, and that is said.
    fs::remove_dir_all(place.path("release.private")).unwrap();
    let alone = place.run(&["verify", "release", "--json"]).expect(0).json();
    let open: Vec<&str> =
        alone["not_checked"].as_array().unwrap().iter().filter_map(|open| open["name"].as_str()).collect();
    assert!(open.contains(&"k-anonymity") && open.contains(&"distinct-l-diversity"), "{open:?}");
}

#[test]
fn a_row_of_nobody_is_refused() {
    let table = visits(1).replacen("p0,", ",", 1);
    let place = Place::with(JOB, table);
    place.run(&["anonymize", "paravent.toml"]).expect(2).says(&["patients.csv", "2", "patient", "whose row"]);
}

#[test]
fn promises_that_count_no_people_are_refused() {
    let job = JOB.replace(
        "{ model = \"k-anonymity\", k = 6 }",
        "{ model = \"k-map\", k = 6, population = \"patients.csv\" }",
    );
    let place = Place::with(&job, visits(1));
    place.run(&["anonymize", "paravent.toml"]).expect(2).says(&["k-map", "person"]);
}

#[test]
fn risk_counts_people() {
    // 40 people with six visits each: rows look safe, people are alone.
    let place = Place::with(JOB, visits(1));
    let rows =
        place.run(&["risk", "patients.csv", "--quasi-identifiers", "age,ward", "--json"]).expect(0).json();
    let people = place
        .run(&["risk", "patients.csv", "--quasi-identifiers", "age,ward", "--person", "patient", "--json"])
        .expect(0)
        .json();
    let by_job = place.run(&["risk", "patients.csv", "--job", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(people["people"], serde_json::json!({ "people": 40, "rows": 240 }));
    assert_eq!(people["prosecutor"], by_job["prosecutor"]);
    // The twin: a table with one line per person and class, counted as rows.
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for row in visits(1).lines().skip(1) {
        lines.insert(row.rsplit_once(',').unwrap().0.to_owned() + ",x\n");
    }
    let table = format!("patient,age,ward,finding\n{}", lines.into_iter().collect::<String>());
    place.write("once.csv", table);
    let twin = place.run(&["risk", "once.csv", "--quasi-identifiers", "age,ward", "--json"]).expect(0).json();
    assert_eq!(people["prosecutor"], twin["prosecutor"]);
    assert_eq!(people["classes"], twin["classes"]);
    assert!(rows["classes"]["average"].as_f64() > people["classes"]["average"].as_f64());
    let text = place.run(&["risk", "patients.csv", "--job", "paravent.toml"]).expect(0).out;
    assert!(text.contains("240 rows of 40 people"), "{text}");
    place
        .run(&["risk", "patients.csv", "--quasi-identifiers", "age", "--person", "patiend"])
        .expect(2)
        .says(&["did you mean"]);
    place.write("hole.csv", visits(1).replacen("p0,", ",", 1));
    let hole = place.run(&["risk", "hole.csv", "--quasi-identifiers", "age", "--person", "patient"]);
    assert!(
        hole.code != Some(0) && hole.err.contains("whose row") && hole.err.contains("row 1"),
        "{}",
        hole.err
    );
}

#[test]
fn the_report_counts_people_before_and_after() {
    let place = Place::with(JOB, visits(1));
    let document = place.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    let risk = place.run(&["risk", "patients.csv", "--job", "paravent.toml", "--json"]).expect(0).json();
    let before = &document["risk"]["before"];
    assert_eq!(before["smallest_class"], risk["classes"]["smallest"]);
    assert_eq!(before["prosecutor"]["highest"], risk["prosecutor"]["highest"]);
    let alone = |facts: &serde_json::Value| {
        facts["columns"].as_array().unwrap().iter().map(|c| c["unique_rows"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(alone(before), alone(&risk));
    // And the release, measured from its files and the tokens of the private folder.
    let released = place.run(&["risk", "release", "--json"]).expect(0).json();
    let after = &document["risk"]["after"];
    assert_eq!(after["smallest_class"], released["classes"]["smallest"]);
    assert_eq!(after["prosecutor"]["highest"], released["prosecutor"]["highest"]);
    assert_eq!(after["sensitive"][0]["distinct_l"], released["sensitive"][0]["distinct_l"]);
    assert_eq!(alone(after), alone(&released));
    // Without the private folder nobody knows whose rows they are, and that is said.
    fs::rename(place.path("release.private"), place.path("elsewhere")).unwrap();
    fs::create_dir(place.path("release.private")).unwrap();
    fs::copy(place.path("elsewhere/transform.json"), place.path("release.private/transform.json")).unwrap();
    let garbled = place.run(&["risk", "release"]);
    assert!(garbled.code != Some(0) && garbled.err.contains("people.txt"), "{}", garbled.err);
}

#[test]
fn attacks_count_people() {
    // Six rows of one person are a class of six rows, and nobody to hide among.
    let mut table = String::from("pid,q,s\n");
    for person in 0..8 {
        for visit in 0..6 {
            table.push_str(&format!(
                "{person},{},{}\n",
                person / 2,
                ["flu", "gout", "burn"][(person + visit) % 3]
            ));
        }
    }
    let place = Place::with(JOB, &table);
    place.write("list.csv", "name,q\nAnn,0\n");
    let attack = |more: &[&str]| {
        let fixed = [
            "attack",
            "patients.csv",
            "--quasi-identifiers",
            "q",
            "--sensitive",
            "s",
            "--k",
            "6",
            "--external",
            "list.csv",
            "--json",
        ];
        let args: Vec<&str> = fixed.into_iter().chain(more.iter().copied()).collect();
        place.run(&args)
    };
    let outcome = |document: &serde_json::Value, name: &str| {
        document["attacks"]
            .as_array()
            .unwrap()
            .iter()
            .find(|outcome| outcome["attack"] == name)
            .unwrap()
            .clone()
    };
    let rows = attack(&[]).expect(0).json();
    assert_eq!(outcome(&rows, "linking")["severity"], "covered");
    let people = attack(&["--person", "pid"]).expect(1).json();
    let linking = outcome(&people, "linking");
    assert_eq!(
        (linking["severity"].as_str(), linking["figure"]["value"].as_f64()),
        (Some("broken"), Some(0.5))
    );
}

#[test]
fn check_counts_people() {
    let place = Place::with(JOB, visits(1));
    let checked = place.run(&["check", "patients.csv", "--job", "paravent.toml", "--json"]).expect(1).json();
    assert_eq!((checked["people"].as_u64(), checked["rows"].as_u64()), (Some(40), Some(240)));
    let risk = place.run(&["risk", "patients.csv", "--job", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(checked["smallest_class"], risk["classes"]["smallest"]);
    assert_eq!(checked["average_class"], risk["classes"]["average"]);
}
