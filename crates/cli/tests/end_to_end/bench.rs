//! `paravent bench` on tiny tables. Figures are looked at, times never.

use crate::support::{Place, keys};
use serde_json::Value;
use std::fs;

const TINY: &[&str] =
    &["bench", "--generate", "rows=400,qi=3,levels=3,distinct=9", "--repeat", "1", "--warm-up", "0"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    TINY.iter().copied().chain(more.iter().copied()).collect()
}

/// A table of two columns in the layout of the data folders.
fn data_folder(place: &Place, name: &str) {
    let hierarchies = place.path(name).join("hierarchies");
    fs::create_dir_all(&hierarchies).unwrap();
    let rows: String = (0..200).map(|i| format!("{};{};{}\n", i % 4, i / 4 % 6, i % 3)).collect();
    place.write(&format!("{name}/{name}.csv"), format!("a;b;occupation\n{rows}"));
    for (column, values) in [("a", 4), ("b", 6), ("occupation", 3)] {
        let lines: String = (0..values).map(|v| format!("{v};{}..;*\n", v / 2 * 2)).collect();
        fs::write(hierarchies.join(format!("{column}.csv")), lines).unwrap();
    }
}

#[test]
fn every_algorithm_finds_the_same_optimum_and_says_how() {
    let place = Place::new();
    let algorithms = "best-first,flash,exhaustive";
    let outcome =
        place.run(&with(&["--workload", "cases,quick", "--algorithms", algorithms, "--json"])).expect(0);
    let document = outcome.json();
    assert_eq!(document["summary"]["agree"], true);
    let cases = document["cases"].as_array().unwrap();
    let numbers: std::collections::BTreeSet<u64> =
        cases.iter().map(|case| case["case"].as_u64().unwrap()).collect();
    assert_eq!(numbers.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    for case in cases {
        let runs = case["runs"].as_array().unwrap();
        assert_eq!(runs.len(), 3);
        assert!(case["hash_aggregation_ms"].as_f64().unwrap() > 0.0);
        for run in runs.iter().filter(|run| run["outcome"] == "found") {
            assert_eq!(run["node"], runs[0]["node"]);
            assert_eq!(
                run["transformation"].as_object().unwrap().len(),
                run["node"].as_array().unwrap().len()
            );
            assert!(
                run["median_ms"].is_number()
                    && run["hash_aggregations"].is_number()
                    && run["loss"].is_number()
            );
        }
        assert_eq!(runs[2]["checks"], case["nodes"], "exhaustive search looks at every node");
    }
    let expected =
        ["paravent", "build", "workloads", "threads", "repeat", "datasets", "cases", "end_to_end", "summary"];
    assert_eq!(keys(&document), expected);
}

#[test]
fn reference_times_are_matched_and_compared() {
    let place = Place::new();
    data_folder(&place, "people");
    let line = |privacy: &str, columns: &str| {
        format!(
            r#"{{"dataset": "people", "rows": 200, "quasi_identifiers": [{columns}], "privacy": "{privacy}", "suppression": 0.05, "metric": "nuem", "other_ms": 500.0, "other_hash_aggregations": 1000000.0, "other_checks": 9, "other_peak_heap_mb": 100}}"#
        )
    };
    let lines = [
        line("k=5", r#""a", "b", "occupation""#),
        line("k=5,lrecursive=4/2", r#""a", "b""#),
        line("k=2,dpresence=0/0.9", r#""a", "b""#),
        line("k=5", r#""a""#).replace("people", "elsewhere"),
    ];
    place.write("times.jsonl", lines.join("\n"));
    place.write("subset-people.txt", (0..100).map(|row| format!("{row}\n")).collect::<String>());
    let args = ["bench", ".", "--baseline", "times.jsonl", "--repeat", "1", "--json"];
    let document = place
        .run(&["bench", "people", "--baseline", "times.jsonl", "--repeat", "1", "--json"])
        .expect(0)
        .json();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 3);
    for case in cases {
        let comparison = &case["comparison"];
        assert_eq!(
            (comparison["program"].as_str(), comparison["algorithm"].as_str()),
            (Some("other"), Some("best-first"))
        );
        assert!(comparison["times_faster"].as_f64().unwrap() > 0.0, "{comparison}");
    }
    assert_eq!(cases[1]["sensitive"], "occupation");
    assert_eq!(document["summary"]["smallest_times_faster"]["of"], 3);
    // The folder above has a job of its own, which the file does not know.
    place.run(&args).expect(2);
}

#[test]
fn results_and_charts_are_written_once() {
    let place = Place::new();
    let args = with(&[
        "--workload",
        "scaling,quick",
        "--max-rows",
        "300",
        "--algorithms",
        "best-first",
        "--out",
        "results",
    ]);
    let text = place.run(&args).expect(0).out;
    assert!(text.contains("nothing could be cross-checked"), "{text}");
    for chart in ["results/comparison.svg", "results/scaling.svg"] {
        let svg = place.read(chart);
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{chart}");
    }
    let document: Value = place.json("results/results.json");
    let scaled = document["cases"].as_array().unwrap().iter().filter(|case| !case["scale"].is_null());
    assert_eq!(scaled.count(), 1 + 7 + 5);
    place.run(&args).expect(4).says(&["results/results.json", "--force"]);
    let again: Vec<&str> = args.iter().copied().chain(["--force"]).collect();
    place.run(&again).expect(0);
}

#[test]
fn the_whole_way_is_measured_on_made_up_tables_folders_and_jobs() {
    let place = Place::new();
    data_folder(&place, "people");
    fs::create_dir(place.path("job")).unwrap();
    fs::rename(place.path("paravent.toml"), place.path("job/paravent.toml")).unwrap();
    fs::rename(place.path("patients.csv"), place.path("job/patients.csv")).unwrap();
    let before = place.names();
    let args = with(&["people", "job", "--workload", "end-to-end", "--json"]);
    let document = place.run(&args).expect(0).json();
    let runs = document["end_to_end"].as_array().unwrap();
    let rows: Vec<u64> = runs.iter().map(|run| run["rows"].as_u64().unwrap()).collect();
    assert_eq!(rows, [200, 60, 400]);
    assert!(
        runs.iter()
            .all(|run| run["times_rewrite"].as_f64().unwrap() > 0.0 && run["bytes"].as_u64().unwrap() > 0)
    );
    assert_eq!(place.names(), before, "nothing is left behind");
    assert!(!place.path("job/release").exists());
}

#[test]
fn a_benchmark_that_is_stopped_leaves_nothing() {
    let place = Place::new();
    let before = place.names();
    let args = ["bench", "--generate", "cup,rows=20000", "--algorithms", "exhaustive", "--out", "results"];
    let mut child = place.command(&args).spawn().unwrap();
    // The directory is made first thing; then Ctrl-C is listened to.
    while !place.path("results").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(700));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap();
    assert!(kill.status.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(place.names(), before);
}

#[test]
fn mistakes_are_told_with_advice() {
    let place = Place::new();
    fs::create_dir(place.path("empty")).unwrap();
    place.run(&["bench", "empty"]).expect(2).says(&["empty", "has no table", "hierarchies/COLUMN.csv"]);
    place.run(&["bench", "--algorithms", "flsh"]).expect(2).says(&["flash"]);
    place.run(&["bench", "--workload", "critera"]).expect(2).says(&["criteria"]);
    place.run(&["bench", "--generate", "rows=0"]).expect(2).says(&["rows must be"]);
    place.run(&["bench", "--suppression", "1.5"]).expect(2).says(&["a share from 0 to below 1"]);
    place.run(&with(&["--sensitive", "sex"])).expect(2).says(&["no column sex", "q1, q2, q3"]);
    place.run(&with(&["--workload", "baseline"])).expect(2).says(&["--baseline"]);
    place.run(&with(&["--baseline", "no.jsonl"])).expect(4).says(&["no.jsonl"]);
    place.write("times.jsonl", "{}\n");
    place
        .run(&with(&["--baseline", "times.jsonl"]))
        .expect(2)
        .says(&["times.jsonl:1", "NAME_hash_aggregations"]);
}
