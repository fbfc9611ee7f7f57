//! What data engineers expect: jobs checked without data, keys set, streams, a log.

use crate::conform;
use crate::support::{JOB, Place, keys, patients};
use serde_json::Value;

#[test]
fn a_table_named_as_a_job_is_recognised() {
    let place = Place::new();
    let run = place.run(&["anonymize", "patients.csv"]).expect(2);
    assert_eq!(
        run.err,
        "error: patients.csv: is a table, not a job file\n  Propose a job for it: paravent init patients.csv\n"
    );
    place.write("patients", patients());
    place.run(&["anonymize", "patients"]).expect(2).says(&["is a table, not a job file"]);
    place.run_with(&["anonymize", "-"], patients().as_bytes()).expect(2).says(&["is a table", "--input -"]);
}

#[test]
fn a_folder_named_as_a_job_is_answered_with_the_job_in_it() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place.run(&["anonymize", "."]).expect(4).says(&["is a folder, not a job file", "./paravent.toml"]);
    place.run(&["anonymize", "release"]).expect(4).says(&["is a release, not a job file", "paravent verify"]);
}

#[test]
fn at_most_twenty_problems_are_told() {
    let many: String = (0..500).map(|i| format!("key{i} = 1\n")).collect();
    let place = Place::with(&format!("{many}{JOB}"), patients());
    let run = place.anonymize(&[]).expect(2);
    assert_eq!(run.err.matches("error: ").count(), 21, "{}", run.err);
    run.says(&["error: and 480 more problems"]);
    let error = &place.anonymize(&["--json"]).expect(2).json()["error"];
    assert_eq!(error["problems"].as_array().unwrap().len(), 20);
    assert_eq!(error["more_problems"], 480);
}

#[test]
fn a_job_is_checked_without_its_table() {
    let place = Place::new();
    std::fs::remove_file(place.path("patients.csv")).unwrap();
    let run = place.run(&["check", "--job-only", "--job", "paravent.toml"]).expect(0);
    assert!(
        run.out.contains("5 attributes") && run.out.contains("its table was not looked at"),
        "{}",
        run.out
    );
    let uneven = "attributes.age.hierarchy={ breaks = [[30, 55], [50]] }";
    place
        .run(&["check", "--job-only", "--job", "paravent.toml", "--set", uneven])
        .expect(2)
        .says(&["is no break point of level 1"]);
    let ages = "{ age = { on = \"2024-12-31\" } }";
    for (parts, problem) in [
        (format!("{ages}, {{ breaks = [[10, 20], [15]] }}"), "chain[1].breaks[1]"),
        (format!("{ages}, {{ breaks = [[10.5]] }}"), "chain[1].breaks"),
        (format!("{ages}, {{ file = \"none.csv\" }}"), "none.csv cannot be read"),
        (
            "{ breaks = [[10]] }, { intervals = { widths = [5, 7], min = 0, max = 70 } }".to_owned(),
            "widths[1]",
        ),
    ] {
        let chain = format!("attributes.sex.hierarchy={{ chain = [{parts}] }}");
        let run = place.run(&["check", "--job-only", "--job", "paravent.toml", "--set", &chain]);
        run.expect(2).says(&[problem]);
    }
    let nested = format!("attributes.sex.hierarchy={{ chain = [{ages}, {{ breaks = [[10, 20], [20]] }}] }}");
    place.run(&["check", "--job-only", "--job", "paravent.toml", "--set", &nested]).expect(0);
    place.run(&["anonymize", "paravent.toml", "--output", "data.csv"]).expect(2).says(&[
        "a release is a folder",
        "--output data,",
        "--output - prints",
    ]);
    for ending in ["ods", "dta", "xlsm", "ndjson", "feather", "ipc", "TXT"] {
        let output = format!("data.{ending}");
        place.run(&["anonymize", "paravent.toml", "--output", &output]).expect(2).says(&["--output data,"]);
    }
    let wanted = [
        "output.path: a release is a folder\n",
        "Name one, as in path = \"data\",",
        "--output - prints the data",
    ];
    for dry in [None, Some("--dry-run")] {
        let arguments =
            ["anonymize", "paravent.toml", "--set", "output.path=data.csv"].into_iter().chain(dry);
        place.run(&arguments.collect::<Vec<_>>()).expect(2).says(&wanted);
    }
    assert!(!place.path("data.csv").exists());
    let wrong = ["check", "--job-only", "--job", "paravent.toml", "--set", "privacy.models[0].k=0"];
    place.run(&wrong).expect(2).says(&["--set: privacy.models[0].k: must be at least 1"]);
    let job = JOB.replace("{ redact = { from = \"right\" } }", "\"zip.csv\"");
    place.write("paravent.toml", job);
    place
        .run(&["check", "--job-only", "--job", "paravent.toml"])
        .expect(2)
        .says(&["zip.csv", "cannot be read"]);
    place.write("zip.csv", "1;a;*\n2;a;+\n");
    place.run(&["check", "--job-only", "--job", "paravent.toml"]).expect(2).says(&["zip.csv:2"]);
    place.run(&["check", "--job", "paravent.toml"]).expect(2).says(&["<DATA>"]);
}

#[test]
fn schemas_describe_jobs_and_reports() {
    let place = Place::new();
    let job: Value = place.run(&["schema"]).expect(0).json();
    let report: Value = place.run(&["schema", "report", "--quiet"]).expect(0).json();
    let demo: Value = place.run(&["demo", "--json"]).expect(0).json();
    let text = place.read("paravent-demo/paravent.toml");
    for text in [text.as_str(), JOB] {
        let document: Value = toml::from_str(text).unwrap();
        assert_eq!(conform::problems(&job, &document), Vec::<String>::new());
    }
    assert_eq!(conform::problems(&report, &demo["report"]), Vec::<String>::new());
    let dry = place.anonymize(&["--json", "--set", "search.metric=loss"]).expect(0).json();
    assert_eq!(conform::problems(&report, &dry), Vec::<String>::new());
    // Every key of the document is described.
    for key in keys(&demo["report"]) {
        assert!(report["properties"][key].is_object(), "{key}");
    }
    let mut broken = demo["report"].clone();
    broken["input"]["rows"] = "many".into();
    assert!(!conform::problems(&report, &broken).is_empty());
    place.run(&["init", "patients.csv", "--force"]).expect(0);
    assert!(place.read("paravent.toml").starts_with("#:schema paravent-job.schema.json\n"));
}

#[test]
fn keys_of_the_job_are_set_on_the_command_line() {
    let place = Place::new();
    let plain = place.anonymize(&["--dry-run", "--json"]).expect(0).json();
    let set =
        place.anonymize(&["--dry-run", "--json", "--set", "privacy.models.k-anonymity.k=6"]).expect(0).json();
    assert_eq!(set["privacy"][0]["required"]["k"], 6);
    assert_ne!(set["job_sha256"], plain["job_sha256"]);
    place.anonymize(&["--set", "privacy.models[7].k=6"]).expect(2).says(&["there is no entry 7"]);
    place.anonymize(&["--set", "k"]).expect(2).says(&["is not key=value"]);
    place
        .run(&["check", "patients.csv", "--job", "paravent.toml", "--set", "privacy.models[0].k=1"])
        .expect(1);
}

#[test]
fn the_job_comes_from_standard_input() {
    let place = Place::new();
    place.run_with(&["anonymize", "-"], JOB.as_bytes()).expect(0);
    place.run(&["verify", "release"]).expect(0);
    let wrong = JOB.replace("k = 3", "k = 0");
    place
        .run_with(&["anonymize", "-"], wrong.as_bytes())
        .expect(2)
        .says(&["<stdin>:33: privacy.models[0].k"]);
    let both = place.run_with(&["anonymize", "-", "--input", "-"], JOB.as_bytes()).expect(2);
    both.says(&["cannot both be on standard input"]);
}

#[test]
fn the_data_goes_to_standard_output_once_it_is_verified() {
    let place = Place::new();
    let before = place.names();
    let run = place.anonymize(&["--output", "-"]).expect(0);
    assert_eq!(place.names(), before, "nothing is left");
    place.anonymize(&[]).expect(0);
    assert_eq!(run.out, place.read("release/data.csv"));
    run.says(&["the register has no line of it"]);
    let quiet = place.anonymize(&["-o", "-", "-q"]).expect(0);
    assert_eq!((quiet.out, quiet.err.as_str()), (place.read("release/data.csv"), ""));
    let none = place.anonymize(&[
        "-o",
        "-",
        "--set",
        "privacy.models[0].k=60",
        "--set",
        "attributes.age.max_level=0",
    ]);
    assert_eq!(none.expect(3).out, "");
    place.anonymize(&["-o", "-", "--json"]).expect(2);
    let binary = place
        .command(&["anonymize", "paravent.toml", "-o", "-", "--set", "output.format=parquet"])
        .output()
        .unwrap();
    assert!(binary.stdout.starts_with(b"PAR1") && binary.stdout.ends_with(b"PAR1"));
}

#[test]
fn values_that_a_hierarchy_does_not_know_may_have_the_top_label() {
    let hierarchy = "hierarchy = { file = \"zip.csv\" }";
    let job = JOB.replace("hierarchy = { redact = { from = \"right\" } }", hierarchy);
    let place = Place::with(&job, patients());
    let lines: String =
        (81_660..81_667).filter(|zip| *zip != 81_665).map(|zip| format!("{zip};here;*\n")).collect();
    place.write("zip.csv", lines);
    place.anonymize(&[]).expect(2).says(&["zip.csv"]);
    let top = ["--set", "attributes.zip.unknown=top"];
    place.anonymize(&top).expect(0);
    place.run(&["verify", "release"]).expect(0);
    // Also where an earlier transformation is repeated on a table with a new value.
    let new = patients().replace("81664", "99999");
    place.write("new.csv", new);
    let again = ["--apply", "release", "--input", "new.csv", "--output", "again"];
    place.anonymize(&[&again[..], &["--set", "privacy.suppression_limit=0.5"]].concat()).expect(2);
    place.anonymize(&[&again[..], &top, &["--set", "privacy.suppression_limit=0.5"]].concat()).expect(0);
    place.run(&["verify", "again"]).expect(0);
}

#[test]
fn the_log_tells_what_happened_and_no_cell() {
    let place = Place::new();
    place.anonymize(&["--log", "run.log"]).expect(0);
    place.anonymize(&["--log", "run.log"]).expect(4);
    place.write("paravent.toml", JOB.replace("name = \"zip\"", "name = \"zpi\""));
    place.anonymize(&["--log", "run.log", "--force", "--show-values"]).expect(2);
    let log = place.read("run.log");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<&str> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!((events[0], *events.last().unwrap()), ("began", "ended"));
    let ends: Vec<&Value> = lines.iter().filter(|line| line["event"] == "ended").collect();
    let exits: Vec<u64> = ends.iter().map(|line| line["exit"].as_u64().unwrap()).collect();
    assert_eq!(exits, [0, 4, 2]);
    assert_eq!(ends[0]["output"]["verified"], true);
    assert!(ends[1]["message"].as_str().unwrap().contains("release"));
    assert_eq!((&ends[2]["error"], ends[2].get("message")), (&Value::from("configuration"), None));
    assert!(lines.iter().any(|line| line["phase"] == "searching"));
    assert!(!log.contains("person 1") && !log.contains("81660"), "{log}");
    place.anonymize(&["--log", "no/such/folder/log"]).expect(4).says(&["the log cannot be written"]);
}
