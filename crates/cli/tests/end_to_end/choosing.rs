//! Looking around before a release is chosen: labels, alternatives, the lattice, curves, two results side by side; and what becomes
//! of suppressed rows.

use crate::support::{JOB, Place, patients, table};
use serde_json::Value;

#[test]
fn levels_are_shown_by_their_labels_in_eighty_columns() {
    let place = Place::with(JOB, table(300));
    let run = place.anonymize(&["--dry-run", "--set", "search.metric=loss"]).expect(0);
    let levels = run.out.split("Generalization").nth(1).unwrap().split("\n\n").next().unwrap().to_owned();
    assert!(levels.contains("level 2 of 4  20-29, 30-39, 40-49, 50-59"), "{}", run.out);
    assert!(run.out.contains("(--pick N)\n   1  loss "), "{}", run.out);
    assert!(run.out.contains(" instead of "), "{}", run.out);
    let tables = run.out.split("Generalization").nth(1).unwrap().split("warning:").next().unwrap();
    assert!(tables.lines().all(|line| line.chars().count() <= 80), "{tables}");
    let document = place.anonymize(&["--dry-run", "--json", "--set", "search.metric=loss"]).expect(0).json();
    assert_eq!(document["solution"]["labels"]["age"]["shown"][0], "20-29");
    assert!(document["alternatives"][0]["labels"].as_object().is_some_and(|labels| !labels.is_empty()));
}

#[test]
fn an_alternative_can_be_picked() {
    let place = Place::with(JOB, table(300));
    let dry = place.anonymize(&["--dry-run", "--json"]).expect(0).json();
    let second = &dry["alternatives"][1];
    let made = place.anonymize(&["--json", "--pick", "2"]).expect(0).json();
    assert_eq!(made["solution"]["transformation"], second["transformation"]);
    assert_eq!(made["solution"]["suppressed_rows"], second["suppressed_rows"]);
    assert_ne!(made["solution"]["transformation"], dry["solution"]["transformation"]);
    place.run(&["verify", "release"]).expect(0);
    place.anonymize(&["--dry-run", "--pick", "999"]).expect(2).says(&["--pick 999: there are"]);
    place.anonymize(&["--dry-run", "--pick", "0"]).expect(2).says(&["counted from 1"]);
}

#[test]
fn levels_can_be_given() {
    let place = Place::with(JOB, table(300));
    let made = place.anonymize(&["--json", "--node", "zip=5,sex=1"]).expect(0).json();
    let levels = &made["solution"]["transformation"];
    assert_eq!((&levels["zip"], &levels["sex"]), (&5.into(), &1.into()));
    place
        .anonymize(&["-n", "--node", "zpi=5"])
        .expect(2)
        .says(&["zpi is not a quasi-identifier", "Did you mean zip?"]);
    place.anonymize(&["-n", "--node", "zip=9"]).expect(2).says(&["ends at 5"]);
    place.anonymize(&["-n", "--node", "zip"]).expect(2).says(&["age=2,zip=3"]);
    let none = place.anonymize(&["-n", "--node", "age=0,sex=0,zip=0"]);
    assert!(none.code == Some(3), "{}", none.err);
    place
        .anonymize(&["-n", "--node", "zip=5", "--set", "search.recoding=local"])
        .expect(2)
        .says(&["no column has one level"]);
}

#[test]
fn the_classified_lattice_agrees_with_the_search() {
    let place = Place::new();
    let dry = place.anonymize(&["--dry-run", "--json", "--lattice", "lattice.json"]).expect(0).json();
    let lattice: Value = place.json("lattice.json");
    let nodes = lattice["nodes"].as_array().unwrap();
    assert_eq!(lattice["node_count"], nodes.len().to_string());
    assert_eq!((nodes.len(), &lattice["complete"]), (5 * 2 * 6, &true.into()));
    let sizes: usize = lattice["level_sizes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|size| size.as_str().unwrap().parse::<usize>().unwrap())
        .sum();
    assert_eq!(sizes, nodes.len());
    let anonymous = nodes.iter().filter(|node| node["class"] == "anonymous");
    let best = anonymous.map(|node| node["loss"].as_f64().unwrap()).fold(f64::INFINITY, f64::min);
    assert!((best - dry["solution"]["loss"].as_f64().unwrap()).abs() <= 1e-9 * best);
    let chosen: Vec<&Value> = nodes.iter().filter(|node| node["chosen"] == true).collect();
    let levels: Vec<Value> =
        dry["solution"]["transformation"].as_object().unwrap().values().cloned().collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["levels"], Value::from(levels));
    // Each verdict is what a job that allows this node alone finds.
    for node in nodes.iter().step_by(17) {
        let levels: Vec<u64> =
            node["levels"].as_array().unwrap().iter().map(|level| level.as_u64().unwrap()).collect();
        let given = format!("age={},sex={},zip={}", levels[0], levels[1], levels[2]);
        let alone = place.anonymize(&["--dry-run", "--json", "--node", &given]);
        assert_eq!(alone.code == Some(0), node["class"] == "anonymous", "{given}");
    }
    // Values as they came in are not in it.
    assert!(!place.read("lattice.json").contains("81660"));
    place.anonymize(&["--dry-run", "--lattice", "lattice.json"]).expect(4).says(&["is there already"]);
    place.anonymize(&["--lattice", "other.json"]).expect(2).says(&["--dry-run"]);
}

#[test]
fn a_curve_shows_what_other_parameters_cost() {
    let place = Place::with(JOB, table(300));
    let before = place.names();
    let document = place
        .run(&["curve", "paravent.toml", "--json", "--k", "2,3,500", "--limits", "0,0.1,1"])
        .expect(0)
        .json();
    assert_eq!(place.names(), before);
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    let of = |over: &str, value: &str| {
        points.iter().find(|point| point["over"] == over && point["value"] == value).unwrap()
    };
    let own = place.anonymize(&["--dry-run", "--json"]).expect(0).json();
    for own_point in [of("k", "3"), of("suppression-limit", "0.1")] {
        assert_eq!(own_point["of_the_job"], true);
        assert_eq!(own_point["loss"], own["solution"]["loss"]);
        assert_eq!(own_point["transformation"], own["solution"]["transformation"]);
    }
    assert_eq!(of("k", "500")["feasible"], false);
    // More suppression and smaller classes never cost more where the metric does not charge them.
    let loss = |over: &str, value: &str| of(over, value)["loss"].as_f64().unwrap();
    assert!(loss("k", "2") <= loss("k", "3"));
    assert!(loss("suppression-limit", "1") <= loss("suppression-limit", "0"));
    let run = place
        .run(&["curve", "paravent.toml", "--k", "2,3,500", "--limits", "0,0.1", "--svg", "curve.svg"])
        .expect(0);
    assert!(
        run.out.contains("no release")
            && run.out.contains("the job")
            && run.out.contains("Drawn in curve.svg"),
        "{}",
        run.out
    );
    let svg = place.read("curve.svg");
    assert!(
        svg.starts_with("<svg ")
            && svg.contains("k = 2")
            && svg.contains("no release: 500")
            && svg.ends_with("</svg>\n")
    );
    place.run(&["curve", "paravent.toml", "--limits", "1.1"]).expect(2).says(&["between 0 and 1"]);
}

#[test]
fn two_results_are_compared() {
    let place = Place::with(JOB, table(300));
    place.anonymize(&["--set", "search.metric=loss"]).expect(0);
    let local = ["--dry-run", "--json", "--set", "search.metric=loss", "--set", "search.recoding=local"];
    // Whoever has the first would learn more than was promised from both.
    place.write("local.json", place.anonymize(&local).expect(6).out);
    let both = place.run(&["compare", "release", "local.json", "--json"]).expect(0).json();
    assert_eq!((&both["a"]["kind"], &both["a"]["recoding"]), (&"release".into(), &"global".into()));
    assert_eq!((&both["b"]["kind"], &both["b"]["recoding"]), (&"dry-run".into(), &"local".into()));
    let figure = |name: &str| {
        both["figures"].as_array().unwrap().iter().find(|figure| figure["name"] == name).unwrap()
    };
    assert_eq!(figure("metric loss")["better"], "b", "boxes lose less");
    assert_eq!(figure("rows read")["a"], 300.0);
    let text = place.run(&["compare", "release", "local.json"]).expect(0).out;
    assert!(
        text.contains("B is better") && text.contains("level 2: 20-29") && text.contains("    B: level"),
        "{text}"
    );
    // What was handed out alone is enough.
    std::fs::remove_dir_all(place.path("release.private")).unwrap();
    place.run(&["compare", "release", "release"]).expect(0);
    place.run(&["compare", "release", "patients.csv"]).expect(4).says(&["is neither a release nor"]);
    place.run(&["compare", "release", "nowhere"]).expect(4);
}

#[test]
fn a_limit_of_one_is_as_many_as_it_takes() {
    let job = JOB.replace("suppression_limit = 0.1", "suppression_limit = 1.0");
    let place = Place::with(&job, patients());
    let made = place.anonymize(&["--json", "--node", "age=1,sex=0,zip=1"]).expect(0).json();
    let suppressed = made["solution"]["suppressed_rows"].as_u64().unwrap();
    assert!(suppressed > 6 && suppressed < 60, "{suppressed}");
    place.run(&["verify", "release"]).expect(0);
    // Never all: an empty release is no release.
    place
        .anonymize(&[
            "-n",
            "--set",
            "attributes.age.max_level=0",
            "--set",
            "privacy.models[0].k=9",
            "--set",
            "attributes.zip.max_level=0",
        ])
        .expect(3);
    let above = job.replace("1.0", "1.01");
    Place::with(&above, patients()).anonymize(&[]).expect(2).says(&["must be between 0 and 1"]);
}

/// A release with suppressed rows, once left out and once as stars.
fn starred(format: &str) -> (Place, u64) {
    let place = Place::new();
    let format = format!("output.format={format}");
    let same = ["--node", "age=1,sex=0,zip=1", "--set", "privacy.suppression_limit=0.9", "--set", &format];
    let plain = place.anonymize(&[&same[..], &["--output", "plain", "--json"]].concat()).expect(0).json();
    let suppressed = plain["solution"]["suppressed_rows"].as_u64().unwrap();
    assert!(suppressed > 0);
    // The same rows twice: the register says so.
    place
        .anonymize(
            &[&same[..], &["--set", "output.suppressed=star", "--set", "output.register=false"]].concat(),
        )
        .expect(0);
    (place, suppressed)
}

#[test]
fn suppressed_rows_may_be_shown_as_stars() {
    let (place, suppressed) = starred("csv");
    let (plain, stars) = (place.read("plain/data.csv"), place.read("release/data.csv"));
    assert_eq!(stars, format!("{plain}{}", "*,*,*,*\n".repeat(suppressed as usize)));
    assert_eq!(place.json("release/manifest.json")["suppression"]["shown"], "star");
    let told = place.run(&["verify", "release", "--json"]).expect(0).json();
    assert_eq!(told["rows"], 60 - suppressed);
    // The risk and the attacks see the rows that are there, and no class of stars.
    for command in ["risk", "attack"] {
        let of = |release: &str| {
            let mut document = place.run(&[command, release, "--json"]).json();
            document.as_object_mut().unwrap().remove("source");
            document
        };
        let (a, b) = (of("plain"), of("release"));
        assert_eq!(a["classes"], b["classes"], "{command}");
        assert_eq!(a["attacks"], b["attacks"], "{command}");
    }
}

#[test]
fn stars_are_counted_by_the_verifier() {
    let (place, _) = starred("csv");
    let honest = place.read("release/data.csv");
    for (what, forged) in [
        ("one star less", honest.strip_suffix("*,*,*,*\n").unwrap().to_owned()),
        ("one star more", format!("{honest}*,*,*,*\n")),
        ("a star that shows something", format!("{}*,*,*,flu\n", honest.strip_suffix("*,*,*,*\n").unwrap())),
        (
            "stars that are not the last",
            honest.replacen('\n', "\n*,*,*,*\n", 1).strip_suffix("*,*,*,*\n").unwrap().to_owned(),
        ),
    ] {
        place.write("release/data.csv", &forged);
        assert_ne!(place.run(&["verify", "release"]).code, Some(0), "{what}");
    }
    place.write("release/data.csv", &honest);
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn stars_go_into_columnar_files_as_well() {
    for format in ["parquet", "arrow"] {
        let (place, _) = starred(format);
        place.run(&["verify", "release"]).expect(0);
        place.run(&["risk", "release"]).expect(0);
    }
}

#[test]
fn stars_have_no_person() {
    let job = JOB.replace("[privacy]", "[privacy]\nperson = \"name\"");
    let place = Place::with(&job, patients());
    place
        .anonymize(&[
            "--set",
            "output.suppressed=star",
            "--node",
            "age=1,sex=0,zip=1",
            "--set",
            "privacy.suppression_limit=0.9",
        ])
        .expect(0);
    place.run(&["verify", "release"]).expect(0);
    place.run(&["attack", "release"]);
}
