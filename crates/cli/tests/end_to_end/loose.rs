//! Promises that forbid little or nothing on the table they are made about, and other things that must not pass in silence.

use crate::support::{JOB, Place, table};
use serde_json::Value;

/// The verdict on a release that promises this about the diagnosis, and k-anonymity where `k` is asked for.
fn verdict(model: &str, k: Option<u64>) -> (String, String) {
    let start = JOB.find("models = [").unwrap();
    let end = JOB.find("\n]\n").unwrap();
    let k = k.map_or_else(String::new, |k| format!("{{ model = \"k-anonymity\", k = {k} }}, "));
    let job = format!("{}models = [ {k}{model}{}", &JOB[..start], &JOB[end..]);
    let place = Place::with(&job, table(120));
    let run = place.anonymize(&["--json"]).expect(0);
    let dry = place.anonymize(&["--dry-run", "--json"]).expect(0).json();
    let document = run.json();
    let light = |document: &Value| document["verdict"]["light"].as_str().unwrap().to_owned();
    assert_eq!(light(&dry), light(&document), "a dry run tells the same");
    let outside = place.json("release/report.json").to_string();
    assert!(!outside.contains("\"loose\""), "what was asked about the original stays inside");
    (light(&document), document["verdict"]["reasons"].to_string())
}

#[test]
fn bounds_above_every_figure_of_the_data_are_no_promise() {
    let all = "[\"flu\", \"gout\", \"asthma\", \"angina\"]";
    let vacuous = [
        "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.99 }".to_owned(),
        "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 1000, distance = \"kullback-leibler\" }"
            .to_owned(),
        "{ model = \"beta-likeness\", attribute = \"diagnosis\", beta = 1000, form = \"basic\" }".to_owned(),
        format!(
            "{{ model = \"pd-recursive-l-diversity\", attribute = \"diagnosis\", c = 2, l = 2, allowed = {all} }}"
        ),
    ];
    for model in &vacuous {
        let (alone, reasons) = verdict(model, None);
        assert_eq!(alone, "red", "{model}: {reasons}");
        // Beside a promise that says something it is worth nothing all the same.
        let (light, reasons) = verdict(model, Some(3));
        assert_eq!(light, "yellow", "{model}: {reasons}");
        assert!(reasons.contains("of diagnosis promises nothing on this table"), "{reasons}");
    }
}

#[test]
fn bounds_just_short_of_that_promise_little() {
    for model in [
        "{ model = \"recursive-l-diversity\", attribute = \"diagnosis\", c = 1000, l = 2 }",
        "{ model = \"recursive-l-diversity\", attribute = \"diagnosis\", c = 1000, l = 3 }",
        "{ model = \"entropy-l-diversity\", attribute = \"diagnosis\", l = 1.001 }",
        "{ model = \"beta-likeness\", attribute = \"diagnosis\", beta = 1000 }",
        "{ model = \"beta-likeness\", attribute = \"diagnosis\", beta = 1000, form = \"enhanced\" }",
    ] {
        let (light, reasons) = verdict(model, Some(3));
        assert_eq!(light, "yellow", "{model}: {reasons}");
        assert!(reasons.contains("promises little on this table"), "{reasons}");
    }
    for model in [
        "{ model = \"recursive-l-diversity\", attribute = \"diagnosis\", c = 3, l = 2 }",
        "{ model = \"entropy-l-diversity\", attribute = \"diagnosis\", l = 1.5 }",
        "{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 }",
        "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.5 }",
        "{ model = \"beta-likeness\", attribute = \"diagnosis\", beta = 2 }",
        "{ model = \"pd-recursive-l-diversity\", attribute = \"diagnosis\", c = 3, l = 2, allowed = [\"flu\"] }",
    ] {
        let (light, reasons) = verdict(model, Some(3));
        assert_eq!(light, "green", "{model}: {reasons}");
    }
}

#[test]
fn check_says_what_promises_are_worth() {
    let place = Place::with(&JOB.replace("l = 2 }", "l = 1 }"), table(120));
    let told = place.run(&["check", "patients.csv", "--job", "paravent.toml"]);
    assert!(told.out.contains("promises nothing on this table"), "{}{}", told.out, told.err);
}

#[test]
fn keys_that_differ_by_blanks_are_one_person_and_capitals_are_told() {
    // Thirty people with two rows each; the second row of ten has a blank behind the key, of five another letter.
    let mut rows = String::from("name,age,sex,zip,diagnosis\n");
    for person in 0..30 {
        for visit in 0..2 {
            let key = match (visit, person) {
                (1, 0..10) => format!("P{person:02} "),
                (1, 10..15) => format!("p{person:02}"),
                _ => format!("P{person:02}"),
            };
            rows.push_str(&format!("{key},{},f,81660,{}\n", 20 + person % 3, ["flu", "gout"][visit]));
        }
    }
    let job = JOB.replace("[privacy]", "[privacy]\nperson = \"name\"");
    let place = Place::with(&job, rows);
    let document = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(document["solution"]["people"]["read"], 35, "five write themselves in another way");
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("the key of 10 people is written with and without blanks"), "{warnings}");
    assert!(warnings.contains("5 keys of privacy.person look like another one"), "{warnings}");
    let risk = place.run(&["risk", "patients.csv", "--job", "paravent.toml", "--json"]).expect(0).json();
    assert_eq!(risk["people"]["people"], 35);
    // A key of blanks is nobody's.
    place.write("patients.csv", format!("{}   ,30,f,81660,flu\n", place.read("patients.csv")));
    place.anonymize(&["--force"]).expect(2).says(&["nobody knows whose row it is"]);
}

#[test]
fn words_that_cannot_be_printed_do_not_undo_a_release() {
    let place = Place::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = place.command(&["anonymize", "paravent.toml"]).stdout(full).output().unwrap();
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert!(told.contains("standard output") && told.contains("what was made is in place"), "{told}");
    place.run(&["verify", "release"]).expect(0);
    // Where nothing was made, nothing is done.
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run = place.command(&["risk", "release"]).stdout(full).output().unwrap();
    assert_eq!(run.status.code(), Some(4));
}

#[test]
fn the_release_knows_which_values_the_job_calls_similar() {
    // Every class has two diagnoses of one kind.
    let mut rows = String::from("age,dx\n");
    for (age, values) in [("20", ["E11.0", "E11.9"]), ("40", ["I10.1", "I10.2"]), ("60", ["J45.0", "I10.1"])]
    {
        (0..12).for_each(|i| rows.push_str(&format!("{age},{}\n", values[i % 2])));
    }
    let order = "{ order = [[\"E11.0\", \"E11.9\"], [\"I10.1\", \"I10.2\"], [\"J45.0\"]] }";
    for hierarchy in [order, "{ redact = { from = \"right\" } }", "{ codes = { keep = [3] } }"] {
        let job = format!(
            "version = 1\ninput.path = \"patients.csv\"\n[[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\n\
             [[attributes]]\nname = \"dx\"\nrole = \"sensitive\"\nhierarchy = {hierarchy}\n[privacy]\nsuppression_limit = 0.0\n\
             models = [ {{ model = \"k-anonymity\", k = 5 }}, {{ model = \"distinct-l-diversity\", attribute = \"dx\", l = 2 }} ]\n\
             [output]\npath = \"release\"\n"
        );
        let place = Place::with(&job, &rows);
        place.anonymize(&[]).expect(0);
        place.run(&["verify", "release"]).expect(0);
        let found = place.run(&["attack", "release", "--only", "similarity", "--seed", "1", "--json"]);
        let json = found.json();
        let told = json["attacks"].to_string();
        assert!(told.contains("of the release's hierarchy"), "{hierarchy}: {told}");
    }
}

#[test]
fn reasons_are_told_in_the_language_of_the_report() {
    let german = |job: &str| job.replace("[output]", "[output]\nlang = \"de\"");
    let page = |place: &Place| place.read("release.private/report.html");
    // A promise that says nothing beside one that does, and no line in a register.
    let loose = "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.99 },\n]";
    let job = german(&JOB.replacen("\n]", &format!("\n  {loose}"), 1));
    let place = Place::with(&job.replace("[output]", "[output]\nregister = false"), table(120));
    place.anonymize(&[]).expect(0);
    let told = page(&place);
    for words in [
        "mit Vorbehalt",
        "t-closeness von diagnosis sagt über diese Tabelle nichts zu: eine Klasse, in der alle denselben Wert haben",
        "kein Register hat eine Zeile dieser Freigabe",
    ] {
        assert!(told.contains(words), "{words}");
    }
    // Red: together with an earlier release.
    let place = Place::with(&german(JOB), table(60));
    place.anonymize(&[]).expect(0);
    place.write("paravent.toml", german(&JOB.replace("k = 3", "k = 8")));
    place.anonymize(&["--output", "second"]).expect(6);
    let told = place.read("second.private/report.html");
    let words = "diese Tabelle wurde schon einmal freigegeben, als Freigabe 1 des Registers; beide zusammen sagen MEHR ALS ZUGESAGT";
    assert!(told.contains("bricht diese ihre Zusagen") && told.contains(words));
    // Yellow: the earlier one is gone.
    std::fs::remove_dir_all(place.path("release")).unwrap();
    place.run(&["register", "withdraw", "2"]).expect(0);
    place.anonymize(&["--output", "third"]).expect(0);
    let told = place.read("third.private/report.html");
    assert!(
        told.contains("was sie zusammen mit Freigabe 1 des Registers sagt, konnte nicht versucht werden")
    );
    assert!(told.contains("ihre Dateien sind nicht mehr, wo sie waren"));
    for english in ["could not be tried", "promises nothing", "was released before", "no register has"] {
        assert!(!told.contains(english), "{english}");
    }
}
