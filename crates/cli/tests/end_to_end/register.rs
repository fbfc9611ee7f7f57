//! The register of releases.

use crate::support::{JOB, Place, keys, patients, table};
use paravent_pipeline::register::{Chain, Record};
use serde_json::Value;
use std::fs;

const FILE: &str = "paravent-register.jsonl";

fn released() -> Place {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place
}

fn copy(place: &Place, from: &str, to: &str) {
    fs::create_dir(place.path(to)).unwrap();
    for name in crate::support::names(&place.path(from)) {
        fs::copy(place.path(&format!("{from}/{name}")), place.path(&format!("{to}/{name}"))).unwrap();
    }
}

/// As if the run had ended before it noted that its release appeared.
fn leave_open(place: &Place) {
    let bytes = place.bytes(FILE);
    let mut last = Chain::read(&bytes).lines.pop().unwrap();
    let Record::Release(release) = &mut last.record else { panic!("the last line is of a release") };
    release.appeared = Some(false);
    let text = place.read(FILE);
    let before: String = text.split_inclusive('\n').take(last.sequence as usize).collect();
    place.write(FILE, format!("{before}{}\n", last.sealed().0));
}

fn state(place: &Place, code: i32, number: usize) -> Value {
    place.run(&["register", "verify", "--json"]).expect(code).json()["releases"][number]["state"].clone()
}

#[test]
fn the_first_release_starts_a_register_without_a_cell_in_it() {
    let place = released();
    let text = place.read(FILE);
    assert_eq!(text.lines().count(), 2);
    for cell in ["person", "81660", "flu", "gout", "asthma"] {
        assert!(!text.contains(cell), "{cell}");
    }
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let manifest = place.json("release/manifest.json");
    let report = place.json("release.private/report.json");
    assert_eq!(lines[1]["input"]["sha256"], report["input"]["sha256"]);
    assert_eq!(lines[1]["files"]["data.csv"], manifest["output"]["sha256"]);
    assert_eq!(keys(&lines[1]["files"]), ["data.csv", "manifest.json", "report.html", "report.json"]);
    assert_eq!(keys(&lines[1]["private"]), ["report.html", "report.json", "transform.json"]);
    assert_eq!(lines[1]["previous"], lines[0]["hash"]);
    assert_eq!(
        (&report["register"]["sequence"], &report["register"]["earlier"]),
        (&1.into(), &Value::Array(Vec::new()))
    );
    assert!(report.get("warnings").is_none());
    place.run(&["register", "verify"]).expect(0);
}

#[test]
fn a_dry_run_and_a_job_that_wants_none_leave_no_line() {
    let place = Place::with(&JOB.replace("[output]", "[output]\nregister = false"), patients());
    place.anonymize(&["--dry-run"]).expect(0);
    place.anonymize(&[]).expect(0);
    assert!(place.json("release.private/report.json").get("register").is_none());
    place.write("paravent.toml", JOB);
    place.anonymize(&["--dry-run"]).expect(0);
    assert!(!place.path(FILE).exists());
    place.run(&["register", "list"]).expect(4).says(&[FILE, "no register"]);
}

#[test]
fn a_second_release_of_the_same_table_is_told_and_attacked() {
    let place = released();
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    let run = place.anonymize(&["--output", "second"]).expect(6);
    for told in [
        "Earlier releases of the same rows",
        "made of the same table",
        "composition",
        "warning: this table was released before",
    ] {
        assert!(run.out.contains(told), "{told:?} is not in {}", run.out);
    }
    let report = place.json("second.private/report.json");
    let earlier = &report["register"]["earlier"][0];
    assert_eq!((&earlier["sequence"], &earlier["relation"]), (&1.into(), &"same-input".into()));
    let attacks: Vec<&str> = earlier["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attack| attack["attack"].as_str().unwrap())
        .collect();
    assert_eq!(
        attacks,
        ["unsorted-matching", "composition", "composition", "release-difference"],
        "people, then values"
    );
    let page = place.read("second.private/report.html");
    assert!(page.contains("release 1") && page.contains("Composition"), "the page tells it, too");
    place.run(&["register", "verify"]).expect(0);
}

#[test]
fn overlapping_rows_are_found_and_others_are_not() {
    let place = Place::with(JOB, table(3_000));
    place.anonymize(&[]).expect(0);
    // Half of the rows, and as many new ones of another town.
    let text = table(3_000);
    let mut mixed: String = text.lines().take(1_501).map(|line| format!("{line}\n")).collect();
    text.lines().skip(1_501).for_each(|line| {
        mixed.push_str(&format!("{}\n", line.replace(",816", ",917").replace("person", "newcomer")))
    });
    place.write("mixed.csv", &mixed);
    let document = place.anonymize(&["--input", "mixed.csv", "--output", "mixed", "--json"]).expect(0).json();
    let earlier = &document["register"]["earlier"];
    assert_eq!((earlier.as_array().unwrap().len(), &earlier[0]["relation"]), (1, &"overlap".into()));
    let share = earlier[0]["shared"]["share"].as_f64().unwrap();
    assert!((share - 0.5).abs() < 0.2, "{share}");
    assert!(!earlier[0]["attacks"].as_array().unwrap().is_empty());
    // Other places alone do not make other people.
    place.write("moved.csv", text.replace(",816", ",448"));
    let document = place.anonymize(&["--input", "moved.csv", "--output", "moved", "--json"]).expect(0).json();
    let relations = document["register"]["earlier"].as_array().unwrap();
    assert!(relations.iter().all(|earlier| earlier["relation"] == "same-people"), "{relations:?}");
    place.write("others.csv", text.replace(",816", ",559").replace("person", "somebody"));
    let document =
        place.anonymize(&["--input", "others.csv", "--output", "others", "--json"]).expect(0).json();
    assert_eq!(document["register"]["earlier"], Value::Array(Vec::new()));
    assert_eq!(document["register"]["sequence"], 4);
}

#[test]
fn a_table_with_other_roles_is_recognized() {
    let place = released();
    let fewer =
        JOB.replace("name = \"sex\"\nrole = \"quasi-identifier\"", "name = \"sex\"\nrole = \"insensitive\"");
    assert_ne!(fewer, JOB);
    place.write("paravent.toml", fewer);
    place.write("more.csv", patients() + "late,33,f,81661,flu\n");
    let document = place.anonymize(&["--input", "more.csv", "--output", "second", "--json"]).expect(6).json();
    let earlier = &document["register"]["earlier"][0];
    assert_eq!(earlier["relation"], "overlap", "{document:#}");
    assert!(earlier["shared"]["share"].as_f64().unwrap() > 0.8);
}

#[test]
fn an_earlier_release_that_is_gone_cannot_be_attacked() {
    let place = released();
    fs::remove_dir_all(place.path("release")).unwrap();
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    let run = place.anonymize(&["--output", "second"]).expect(0);
    assert!(run.out.contains("not tried") && run.out.contains("no longer where they were"), "{}", run.out);
    assert_eq!(state(&place, 0, 0), "gone");
}

#[test]
fn the_same_release_again_is_no_news() {
    let place = released();
    let run = place.anonymize(&["--force"]).expect(0);
    assert!(!run.out.contains("warning:") && run.out.contains("the same data file"), "{}", run.out);
    // The reports differ: they say which line is theirs.
    assert_eq!((state(&place, 0, 0), state(&place, 0, 1)), ("replaced".into(), "in-place".into()));
}

#[test]
fn a_changed_line_is_named_and_nothing_is_added_to_it() {
    let place = released();
    place.anonymize(&["--force"]).expect(0);
    let text = place.read(FILE);
    place.write(FILE, text.replacen("\"rows\":60", "\"rows\":61", 1));
    let run = place.run(&["register", "verify"]).expect(1);
    assert!(run.out.contains("Line 2: the line was changed"), "{}", run.out);
    let json = place.run(&["register", "verify", "--json"]).expect(1).json();
    assert_eq!(keys(&json), ["holds", "register", "lines", "broken", "unregistered", "releases"]);
    assert_eq!((&json["holds"], &json["broken"]["line"]), (&false.into(), &2.into()));
    place.anonymize(&["--force"]).expect(1).says(&["paravent-register.jsonl:2:", "register verify"]);

    let lines: Vec<&str> = text.lines().collect();
    place.write(FILE, format!("{}\n{}\n", lines[0], lines[2]));
    let run = place.run(&["register", "verify"]).expect(1);
    assert!(run.out.contains("Line 2:") && run.out.contains("removed, added or moved"), "{}", run.out);
}

#[test]
fn a_line_that_is_missing_at_the_end_is_named() {
    let place = released();
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    place.anonymize(&["--output", "second"]).expect(6);
    let text = place.read(FILE);
    let lines: Vec<&str> = text.lines().collect();
    place.write(FILE, format!("{}\n{}\n", lines[0], lines[1]));
    let run = place.run(&["register", "verify"]).expect(1);
    assert!(run.out.contains("Line 3:") && run.out.contains("second"), "{}", run.out);
    // Nothing is added to it, wherever the release would go.
    for to in ["release", "second", "third"] {
        place
            .anonymize(&["--force", "--output", to])
            .expect(1)
            .says(&[":3:", "second is missing at the end"]);
    }
    assert_eq!(place.read(FILE).lines().count(), 2);
}

#[test]
fn a_register_that_was_removed_is_missed() {
    let place = released();
    let text = place.read(FILE);
    fs::remove_file(place.path(FILE)).unwrap();
    place.anonymize(&["--force"]).expect(1).says(&[FILE, "was removed", "release is line 2"]);
    place.anonymize(&["--output", "second"]).expect(1).says(&["was removed"]);
    place.run(&["register", "verify"]).expect(1).says(&["was removed"]);
    assert!(!place.path("second").exists() && !place.path(FILE).exists());
    place.write(FILE, text);
    place.anonymize(&["--force"]).expect(0);
}

#[test]
fn an_older_release_that_was_put_back_is_named() {
    let place = released();
    copy(&place, "release", ".kept");
    copy(&place, "release.private", ".kept.private");
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    place.anonymize(&["--force"]).expect(6);
    for (from, to) in [(".kept", "release"), (".kept.private", "release.private")] {
        fs::remove_dir_all(place.path(to)).unwrap();
        fs::rename(place.path(from), place.path(to)).unwrap();
    }
    assert_eq!((state(&place, 1, 0), state(&place, 1, 1)), ("in-place".into(), "put-back".into()));
    let run = place.run(&["register", "verify"]).expect(1);
    assert!(
        run.out.contains("Line 3: in release, release 1, which it had replaced, was put back"),
        "{}",
        run.out
    );
}

#[test]
fn what_was_never_handed_out_is_withdrawn() {
    let place = released();
    place.run(&["register", "withdraw", "1", "--reason", "a draft"]).expect(0);
    place.run(&["register", "withdraw", "1"]).expect(2).says(&["no release 1"]);
    assert!(place.read(FILE).contains("a draft"));
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    let document = place.anonymize(&["--output", "second", "--json"]).expect(0).json();
    assert_eq!(document["register"]["earlier"], Value::Array(Vec::new()));
    place.run(&["register", "verify"]).expect(0);
}

#[test]
fn a_register_elsewhere_is_found_from_the_job() {
    let job = JOB.replace("[output]", "[output]\nregister = \"books/study.jsonl\"");
    let place = Place::with(&job, patients());
    fs::create_dir(place.path("books")).unwrap();
    place.anonymize(&[]).expect(0);
    assert!(!place.path(FILE).exists());
    for at in ["paravent.toml", "books/study.jsonl"] {
        let json = place.run(&["register", "verify", at, "--json"]).expect(0).json();
        assert_eq!(json["releases"][0]["state"], "in-place");
    }
}

#[test]
fn a_promise_that_breaks_together_with_an_earlier_release_is_not_silent() {
    let place = released();
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    let run = place.anonymize(&["--output", "second", "-q"]).expect(6).says(&["more than was promised"]);
    assert_eq!(run.out, "");
    let page = place.read("second.private/report.html");
    assert!(page.contains("Together with an earlier release, this one breaks its promises"));
    // Where nobody has the earlier one, the same job is fine.
    place.run(&["register", "withdraw", "1"]).expect(0);
    let run = place.anonymize(&["--output", "third", "-q"]).expect(0);
    assert_eq!(run.err, "");
}

#[test]
fn changed_files_of_a_release_are_named() {
    for path in [
        "release/data.csv",
        "release/report.html",
        "release/manifest.json",
        "release.private/transform.json",
        "release.private/report.json",
    ] {
        let place = released();
        place.write(path, place.read(path) + " ");
        let run = place.run(&["register", "verify", "."]).expect(1);
        let file = path.split_once('/').unwrap().1;
        assert!(run.out.contains("Line 2:") && run.out.contains(file), "{}", run.out);
    }
    let place = released();
    fs::rename(place.path("release.private"), place.path("safe")).unwrap();
    let run = place.run(&["register", "verify", "."]).expect(0);
    assert!(run.out.contains("its private folder is not beside it"), "{}", run.out);
}

#[test]
fn a_run_that_ended_between_line_and_release_is_explained() {
    let place = released();
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    copy(&place, "release", "kept");
    copy(&place, "release.private", "kept.private");
    place.anonymize(&["--force"]).expect(6);
    // As if the new release had not appeared: the old one is still there.
    leave_open(&place);
    let hidden = ".release.paravent-0123456789abcdef";
    fs::rename(place.path("release"), place.path(hidden)).unwrap();
    fs::rename(place.path("release.private"), place.path(&format!("{hidden}.private"))).unwrap();
    assert_eq!(state(&place, 0, 1), "never-appeared", "its files wait beside its place");
    fs::rename(place.path("kept"), place.path("release")).unwrap();
    fs::rename(place.path("kept.private"), place.path("release.private")).unwrap();
    assert_eq!((state(&place, 0, 0), state(&place, 0, 1)), ("in-place".into(), "never-appeared".into()));
    let run = place.run(&["register", "verify"]).expect(0);
    assert!(run.out.contains("release 1 is still there"), "{}", run.out);
}

#[test]
fn releases_are_listed() {
    let place = released();
    place.anonymize(&["--output", "second"]).expect(0);
    for at in [&["register", "list"][..], &["register", "list", "."], &["register", "list", "paravent.toml"]]
    {
        let run = place.run(at).expect(0);
        assert!(run.out.contains("second") && run.out.contains("k-anonymity (k = 3)"), "{}", run.out);
    }
    let json = place.run(&["register", "list", "--json"]).expect(0).json();
    assert_eq!(keys(&json), ["register", "releases", "withdrawn", "broken"]);
    assert_eq!(
        (&json["releases"][1]["sequence"], &json["releases"][1]["release"]),
        (&2.into(), &"second".into())
    );
    assert!(json["releases"][0]["input"].get("sketch").is_none());
}

#[test]
fn runs_at_the_same_time_keep_the_chain() {
    let place = Place::new();
    let runs: Vec<_> = ["a", "b", "c", "d"]
        .iter()
        .map(|name| place.command(&["anonymize", "paravent.toml", "--output", name]).spawn().unwrap())
        .collect();
    for run in runs {
        assert!(run.wait_with_output().unwrap().status.success());
    }
    assert_eq!(place.read(FILE).lines().count(), 5);
    place.run(&["register", "verify"]).expect(0);
}

#[test]
fn a_changed_release_is_found_behind_one_that_never_appeared() {
    let place = released();
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    copy(&place, "release", "kept");
    copy(&place, "release.private", "kept.private");
    place.anonymize(&["--force"]).expect(6);
    leave_open(&place);
    fs::remove_dir_all(place.path("release")).unwrap();
    fs::remove_dir_all(place.path("release.private")).unwrap();
    fs::rename(place.path("kept"), place.path("release")).unwrap();
    fs::rename(place.path("kept.private"), place.path("release.private")).unwrap();
    place.write("release/data.csv", place.read("release/data.csv") + " ");
    assert_eq!((state(&place, 1, 0), state(&place, 1, 1)), ("changed".into(), "never-appeared".into()));
}

#[test]
fn releases_without_a_common_column_are_not_attacked_and_no_place_is_told() {
    let place = released();
    let other = r#"version = 1
[input]
path = "patients.csv"
[[attributes]]
name = "diagnosis"
role = "quasi-identifier"
[privacy]
models = [ { model = "k-anonymity", k = 2 } ]
"#;
    place.write("paravent.toml", other);
    let run = place.anonymize(&["--output", "second"]).expect(0);
    assert!(run.out.contains("no quasi-identifier in common"), "{}", run.out);
    let verdict = place.json("second.private/report.json")["verdict"].clone();
    assert_eq!(verdict["light"], "yellow", "{verdict}");
    let page = place.read("second.private/report.html");
    assert!(page.contains("could not be tried") && !page.contains(&place.path("").display().to_string()));
}

/// Eight kinds of people, four of each, with an illness of their own. Each release shows one of three columns.
fn cube(shown: usize, same: bool) -> (String, String) {
    let level = |at: usize| if at == shown { "max_level = 0" } else { "min_level = 1" };
    let attribute = |name: &str, at: usize| {
        format!("[[attributes]]\nname = \"{name}\"\nrole = \"quasi-identifier\"\n{}\n", level(at))
    };
    let job = format!(
        "version = 1\n[input]\npath = \"patients.csv\"\n{}{}{}[[attributes]]\nname = \"s\"\nrole = \"sensitive\"\n\
         [privacy]\nsuppression_limit = 0\nmodels = [{{ model = \"k-anonymity\", k = 4 }}, \
         {{ model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }}]\n[output]\npath = \"release\"\n",
        attribute("a", 0),
        attribute("b", 1),
        attribute("c", 2)
    );
    let mut text = String::from("a,b,c,s\n");
    for person in 0..32 {
        let kind = person / 4;
        let illness = ["flu", "gout", "burn", "rash", "hiv", "cold", "mumps", "ulcer"];
        let illness = illness[if same { person * 3 % 8 } else { kind }];
        text.push_str(&format!("a{},b{},c{},{illness}\n", kind & 1, kind >> 1 & 1, kind >> 2 & 1));
    }
    (job, text)
}

#[test]
fn three_releases_are_tried_together() {
    let together = |document: &Value| -> Vec<Value> {
        let earlier = document["register"]["earlier"].as_array().unwrap().clone();
        let attacks = earlier
            .into_iter()
            .flat_map(|earlier| earlier["attacks"].as_array().cloned().unwrap_or_default());
        let of_all = |outcome: &Value| {
            outcome["subject"].as_str().is_some_and(|about| about.starts_with("all releases"))
        };
        attacks.filter(of_all).collect()
    };
    for (same, severity, code) in [(false, "broken", 6), (true, "covered", 0)] {
        let place = Place::new();
        let mut last = Value::Null;
        for shown in 0..3 {
            let (job, table) = cube(shown, same);
            place.write("paravent.toml", job);
            place.write("patients.csv", table);
            let run = place.anonymize(&["--json", "--output", &format!("r{shown}")]);
            // Any two of them leave two illnesses.
            assert_eq!(run.code, Some(if shown < 2 { 0 } else { code }), "{} {}", run.out, run.err);
            last = run.json();
        }
        let found = together(&last);
        assert!(
            !found.is_empty() && found.iter().all(|outcome| outcome["severity"] == severity),
            "{found:?}"
        );
        assert_eq!(last["verdict"]["light"], if same { "green" } else { "red" });
    }
}

#[test]
fn nothing_is_added_while_an_earlier_release_is_not_what_was_handed_out() {
    let place = released();
    let data = place.read("release/data.csv");
    let mut lines: Vec<&str> = data.lines().collect();
    lines.pop();
    place.write("release/data.csv", lines.join("\n") + "\n");
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    let run = place.anonymize(&["--output", "second"]).expect(1);
    run.says(&["release 1", "not as it was registered", "data.csv", "register withdraw 1"]);
    assert!(!place.path("second").exists());
    // Whose release was never handed out says so; what is as it was is held against the new one.
    place.write("release/data.csv", data);
    place.anonymize(&["--output", "second"]).expect(6);
    place.write("release/report.html", "");
    place.anonymize(&["--output", "third"]).expect(1);
    place.run(&["register", "withdraw", "1"]).expect(0);
    place.anonymize(&["--output", "third"]).expect(0);
}

#[test]
fn a_release_that_is_gone_leaves_a_doubt() {
    let place = released();
    for name in ["release", "release.private"] {
        fs::remove_dir_all(place.path(name)).unwrap();
    }
    place.write("paravent.toml", JOB.replace("k = 3", "k = 8"));
    place.anonymize(&["--output", "second"]).expect(0);
    let verdict = place.json("second.private/report.json")["verdict"].clone();
    assert_eq!(verdict["light"], "yellow", "{verdict}");
    place.run(&["register", "withdraw", "1"]).expect(0);
    place.run(&["register", "withdraw", "2"]).expect(0);
    place.anonymize(&["--output", "third"]).expect(0);
    assert_eq!(place.json("third.private/report.json")["verdict"]["light"], "green");
}
