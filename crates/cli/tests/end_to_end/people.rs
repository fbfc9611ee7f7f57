//! Several rows per person: what is promised is promised to people.

use crate::support::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

pub const JOB: &str = r#"version = 1

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
pub fn visits(step: usize) -> String {
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
fn people_who_do_not_fit_into_memory_are_refused_with_what_to_do() {
    let mut text = visits(1).lines().next().unwrap().to_owned() + "\n";
    let columns = text.split(',').count();
    for row in 0..60_000u32 {
        let cells: Vec<String> =
            (0..columns).map(|column| format!("{}", 20 + row % (40 + column as u32))).collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    let place = Place::with(&JOB.replace("[search]", "[search]\nmemory = \"1MiB\""), &text);
    let run = place.run(&["anonymize", "paravent.toml"]).expect(2);
    run.says(&["privacy.person", "counted in memory", "Raise memory in [search]"]);
    assert!(!place.path("release").exists());
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

/// A job about `patients.csv` with one quasi-identifier that is never generalized.
fn fixed(privacy: &str) -> String {
    format!(
        r#"version = 1
[input]
path = "patients.csv"
[[attributes]]
name = "patient"
role = "identifying"
[[attributes]]
name = "ward"
role = "quasi-identifier"
max_level = 0
[[attributes]]
name = "finding"
role = "sensitive"
[[attributes]]
name = "drug"
role = "sensitive"
[privacy]
person = "patient"
{privacy}
[output]
path = "release"
"#
    )
}

/// Rows of (patient, ward); findings and drugs differ.
fn wards(rows: &[(&str, &str)]) -> String {
    let mut text = String::from("patient,ward,finding,drug\n");
    for (number, (patient, ward)) in rows.iter().enumerate() {
        text.push_str(&format!("{patient},{ward},f{},d{}\n", number % 3, number % 2));
    }
    text
}

/// By person: the wards of the released rows.
fn released(place: &Place) -> Vec<Vec<String>> {
    let data = fs::read_to_string(place.path("release/data.csv")).unwrap();
    let tokens = fs::read_to_string(place.path("release.private/people.txt")).unwrap();
    let mut people: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (row, token) in data.lines().skip(1).zip(tokens.lines()) {
        people.entry(token).or_default().push(row.split(',').next().unwrap().to_owned());
    }
    let mut people: Vec<Vec<String>> = people.into_values().collect();
    people.iter_mut().for_each(|wards| wards.sort());
    people.sort();
    people
}

/// Ward d has one patient. Without him ward c has one, and without her ward b.
const CHAIN: [(&str, &str); 7] =
    [("p0", "d"), ("p0", "c"), ("p1", "c"), ("p1", "b"), ("p2", "b"), ("p3", "a"), ("p4", "a")];

#[test]
fn whoever_loses_a_row_loses_all_of_them() {
    let job = |rule: &str| {
        fixed(&format!("{rule}suppression_limit = 0.6\nmodels = [ {{ model = \"k-anonymity\", k = 2 }} ]"))
    };
    let apart = Place::with(&job(""), wards(&CHAIN));
    let document = apart.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(document["solution"]["people"]["losing"], 1);
    assert_eq!(released(&apart), [vec!["a"], vec!["a"], vec!["b"], vec!["b", "c"], vec!["c"]]);

    let together = Place::with(&job("person_rows = \"together\"\n"), wards(&CHAIN));
    let document = together.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(document["solution"]["people"]["losing"], 3);
    assert_eq!(document["solution"]["suppressed_rows"], 5);
    assert_eq!(released(&together), [vec!["a"], vec!["a"]]);
    together.run(&["verify", "release"]).expect(0);
    assert!(together.read("release/report.html").contains("loses all of them"));

    // Somebody whose rows are in the file did not lose any: other tokens do not fit.
    let tokens = fs::read_to_string(together.path("release.private/people.txt")).unwrap();
    let first = tokens.lines().next().unwrap();
    together.write("release.private/people.txt", format!("{first}\n{first}\n"));
    let refused = together.run(&["verify", "release", "--json"]).expect(1).json();
    let violated: Vec<&str> = refused["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["outcome"] == "violated")
        .filter_map(|check| check["name"].as_str())
        .collect();
    assert!(violated.contains(&"suppression") && violated.contains(&"k-anonymity"), "{violated:?}");
}

#[test]
fn people_are_alike_by_all_their_rows() {
    // Each ward has three patients, but only p0 and p1 were in the same two.
    let rows = [
        ("p0", "a"),
        ("p0", "b"),
        ("p1", "b"),
        ("p1", "a"),
        ("p2", "a"),
        ("p2", "c"),
        ("p3", "b"),
        ("p3", "c"),
        ("p4", "c"),
    ];
    let job = fixed(
        "person_rows = \"set\"\nsuppression_limit = 0.6\nmodels = [ { model = \"k-anonymity\", k = 2 } ]",
    );
    let place = Place::with(&job, wards(&rows));
    let document = place.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(released(&place), [vec!["a", "b"], vec!["a", "b"]]);
    assert_eq!(document["solution"]["people"]["losing"], 3);
    assert_eq!(document["solution"]["smallest_class"], 2);
    place.run(&["verify", "release"]).expect(0);
    assert!(place.read("release/report.html").contains("all their rows"));

    // Both rows of ward a are one person's, and both of ward b another's: nobody is like anybody.
    let tokens = fs::read_to_string(place.path("release.private/people.txt")).unwrap();
    let mut two: Vec<&str> = tokens.lines().collect();
    two.sort_unstable();
    two.dedup();
    place.write("release.private/people.txt", format!("{0}\n{0}\n{1}\n{1}\n", two[0], two[1]));
    let refused = place.run(&["verify", "release"]).expect(1);
    assert!(refused.out.contains("smaller than 2 people"), "{}", refused.out);

    // Without the private folder nobody can tell, and that is said.
    fs::remove_dir_all(place.path("release.private")).unwrap();
    let alone = place.run(&["verify", "release", "--json"]).expect(0).json();
    assert!(alone["not_checked"].as_array().unwrap().iter().any(|open| open["name"] == "k-anonymity"));
}

#[test]
fn a_population_is_counted_in_people() {
    let table = wards(&[("p0", "a"), ("p0", "a"), ("p1", "b"), ("p1", "b")]);
    let job = |model: &str| fixed(&format!("models = [ {{ {model}, population = \"all.csv\" }} ]"));
    let map = "model = \"k-map\", k = 3";
    // Three rows of p0 in ward a are one person; with two more people there are three.
    let few = "patient,ward\np0,a\np0,a\np0,a\np1,b\np2,b\np3,b\n";
    let place = Place::with(&job(map), &table);
    place.write("all.csv", few);
    place.run(&["anonymize", "paravent.toml"]).expect(3);
    place.write("all.csv", format!("{few}p4,a\np5,a\n"));
    let document = place.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(document["privacy"][0]["achieved"]["k"], 3);
    let verified = place.run(&["verify", "release"]).expect(0);
    assert!(verified.out.contains("people"), "{}", verified.out);

    // One of three in each ward.
    let share = |max: &str| job(&format!("model = \"delta-presence\", min = 0.2, max = {max}"));
    place.write("paravent.toml", share("0.4"));
    let document = place.run(&["anonymize", "paravent.toml", "--force", "--json"]).expect(0).json();
    let achieved = &document["privacy"][0]["achieved"];
    assert!((achieved["max"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12, "{achieved}");
    place.run(&["verify", "release"]).expect(0);
    place.write("paravent.toml", share("0.3"));
    place.run(&["anonymize", "paravent.toml", "--force"]).expect(3);

    // Everybody must be in the population with his own rows, and it must say whose they are.
    place.write("all.csv", "patient,ward\np0,a\np7,b\np8,b\np9,b\np4,a\np5,a\n");
    place.run(&["anonymize", "paravent.toml", "--force"]).expect(2).says(&["population does not contain"]);
    place.write("all.csv", "ward\na\na\nb\n");
    place.run(&["anonymize", "paravent.toml", "--force"]).expect(2).says(&[
        "all.csv",
        "no column",
        "patient",
    ]);
}

#[test]
fn one_person_does_not_make_several_columns_diverse() {
    let models = "models = [ { model = \"multi-attribute-l-diversity\", attributes = [\"finding\", \"drug\"], \
                  base = \"distinct\", l = 2 } ]";
    let table = |people: [&str; 4]| {
        let shown = ["x,m", "x,n", "y,m", "y,n"];
        let lines: Vec<String> =
            people.iter().zip(shown).map(|(person, shown)| format!("{person},a,{shown}")).collect();
        format!("patient,ward,finding,drug\n{}\n", lines.join("\n"))
    };
    // Given either drug, two people show two findings.
    let fine = Place::with(&fixed(models), table(["p0", "p1", "p2", "p3"]));
    fine.run(&["anonymize", "paravent.toml"]).expect(0);
    fine.run(&["verify", "release"]).expect(0);
    // The findings under drug m are one person's.
    let alone = Place::with(&fixed(models), table(["p0", "p1", "p0", "p3"]));
    alone.run(&["anonymize", "paravent.toml"]).expect(3);
}

#[test]
fn rules_that_do_not_say_whose_rows_are_left_out_are_refused() {
    let refused = |rule: &str, model: &str, words: &[&str]| {
        let models = format!("person_rows = \"{rule}\"\nmodels = [ {{ {model} }} ]");
        let place = Place::with(&fixed(&models), wards(&CHAIN));
        place.run(&["anonymize", "paravent.toml"]).expect(2).says(words);
    };
    let close = "model = \"t-closeness\", attribute = \"finding\", t = 0.3";
    refused("together", close, &["person_rows", "t-closeness", "two sets of people"]);
    refused("set", "model = \"k-map\", k = 2, population = \"all.csv\"", &["person_rows", "k-map"]);
    refused("togehter", "model = \"k-anonymity\", k = 2", &["person_rows", "together"]);
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
    let told = place.run(&["check", "patients.csv", "--job", "paravent.toml"]).expect(1).out;
    assert!(told.contains("Classes of one person") && told.contains("40, class sizes count them"), "{told}");
    assert!(!told.contains("Rows that are alone") && told.contains(" people\n"), "{told}");
}
