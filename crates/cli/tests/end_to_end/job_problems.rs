//! Mistakes in job files and hierarchies: exit 2, with place and advice.

use crate::support::{JOB, Outcome, Place, patients};

fn failed(job: &str) -> Outcome {
    Place::with(job, patients()).anonymize(&[]).expect(2)
}

#[test]
fn a_misspelt_key_is_answered_with_the_right_one() {
    let run = failed(&JOB.replace("suppression_limit", "supression_limit"));
    run.says(&["error: paravent.toml:31: privacy.supression_limit: ", "suppression_limit", "\n  "]);
}

#[test]
fn several_problems_are_told_together_and_as_json() {
    let job = JOB.replace("suppression_limit", "supression_limit").replace("k = 3", "k = 0");
    let run = failed(&job);
    assert_eq!(run.err.matches("error: ").count(), 2, "{}", run.err);
    let run = Place::with(&job, patients()).anonymize(&["--json"]).expect(2);
    assert_eq!(run.err, "");
    let error = &run.json()["error"];
    assert_eq!(error["kind"], "configuration");
    assert!(error["message"].is_string());
    let problems = error["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 2);
    assert_eq!(crate::support::keys(&problems[0]), ["file", "line", "key", "message", "advice"]);
    assert_eq!((&problems[0]["file"], &problems[0]["line"]), (&"paravent.toml".into(), &31.into()));
    assert_eq!(problems[1]["key"], "privacy.models[0].k");
}

#[test]
fn an_unknown_column_is_named_with_its_line() {
    let job = JOB.replace("name = \"zip\"", "name = \"zpi\"");
    failed(&job).says(&["paravent.toml:21: attributes[3]", "zpi", "Did you mean \"zip\"?"]);
    // The first line of a file without a header is a person: only who asks sees it.
    let place = crate::support::Place::with(&job, crate::support::patients());
    place.anonymize(&["--show-values"]).expect(2).says(&["name, age, sex, zip, diagnosis"]);
}

#[test]
fn an_unknown_attribute_of_a_model_is_named() {
    failed(&JOB.replace("attribute = \"diagnosis\"", "attribute = \"diagnose\""))
        .says(&["paravent.toml:34", "diagnose"]);
}

#[test]
fn text_that_is_not_toml_has_a_line() {
    failed(&JOB.replace("version = 1", "version = ")).says(&["paravent.toml:1"]);
}

#[test]
fn k_beyond_the_table_is_a_mistake_not_a_hard_problem() {
    failed(&JOB.replace("k = 3", "k = 61")).says(&["privacy.models[0].k", "60 rows", "k = 60"]);
}

#[test]
fn an_algorithm_that_may_miss_the_best_release_has_to_be_insisted_on() {
    let with = |search: &str| JOB.replace("[output]", &format!("[search]\n{search}\n[output]"));
    let run = failed(&with("algorithm = \"samarati\""));
    run.says(&["search.algorithm: samarati cannot guarantee the best release", "\"auto\"", "force = true"]);
    let place = Place::with(&with("algorithm = \"samarati\"\nforce = true"), patients());
    let document = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(document["search"]["optimal"], false);
    assert_eq!(document["output"]["verified"], true);
    let warnings = document["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|warning| warning.as_str().unwrap().starts_with("samarati may have missed")));
}

fn with_hierarchy(file: &str) -> Place {
    let job =
        JOB.replace("hierarchy = { redact = { from = \"right\" } }", "hierarchy = { file = \"zip.csv\" }");
    let place = Place::with(&job, patients());
    place.write("zip.csv", file);
    place
}

fn zips(label: impl Fn(u32) -> &'static str) -> String {
    (81_660..81_667).map(|zip| format!("{zip};{};*\n", label(zip))).collect()
}

#[test]
fn a_hierarchy_file_is_used() {
    let place = with_hierarchy(&zips(|zip| if zip < 81_663 { "south" } else { "north" }));
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn serialized_hierarchies_of_arx_are_answered_with_how_to_export_them() {
    let place = with_hierarchy("");
    place.write("zip.csv", [0xAC, 0xED, 0, 5, 0x73, 0x72]);
    place.anonymize(&[]).expect(2).says(&["zip.csv", "serialized Java objects", "File > Export hierarchy"]);
}

#[test]
fn a_value_missing_in_a_hierarchy_is_counted_and_placed() {
    let file = zips(|_| "here").replace("81665;here;*\n", "");
    let place = with_hierarchy(&file);
    let run = place.anonymize(&[]).expect(2).says(&["zip.csv", "zip", "hierarchy repair"]);
    assert!(!run.err.contains("81665"), "{}", run.err);
    let shown = place.anonymize(&["--show-values"]).expect(2);
    assert!(shown.err.contains("81665"), "{}", shown.err);
}

#[test]
fn the_advised_repair_works() {
    let place = with_hierarchy(&zips(|_| "here").replace("81665;here;*\n", ""));
    place.anonymize(&[]).expect(2);
    place.run(&["hierarchy", "repair", "zip.csv", "--data", "patients.csv", "--column", "zip"]).expect(0);
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn a_hierarchy_that_is_not_monotone_names_the_lines() {
    let file =
        zips(|zip| if zip < 81_663 { "south" } else { "north" }).replace("81666;north;*", "81666;north;+");
    with_hierarchy(&file).anonymize(&[]).expect(2).says(&["zip.csv:7"]);
}

#[test]
fn differing_heights_name_the_line() {
    let file = zips(|_| "here").replace("81664;here;*", "81664;here");
    with_hierarchy(&file).anonymize(&[]).expect(2).says(&["zip.csv:5"]);
}

#[test]
fn a_hierarchy_file_that_is_not_there_is_named() {
    let place = with_hierarchy("");
    std::fs::remove_file(place.path("zip.csv")).unwrap();
    place.anonymize(&[]).expect(2).says(&["zip.csv", "cannot be read"]);
}

#[test]
fn levels_above_the_hierarchy_are_refused() {
    failed(&JOB.replace("name = \"sex\"", "name = \"sex\"\nmax_level = 7"))
        .says(&["attributes[2].max_level"]);
}

#[test]
fn l_diversity_means_the_distinct_one() {
    failed(&JOB.replace("\"distinct-l-diversity\"", "\"l-diversity\""))
        .says(&["Did you mean \"distinct-l-diversity\"?"]);
}

#[test]
fn a_repair_is_advised_only_where_it_works() {
    let place = Place::new();
    for (file, works) in [("a;x;*\nb;x;+\n", false), ("a;x;*\nb;x\nc;y;*\n", true)] {
        place.write("h.csv", file);
        let told = place.run(&["hierarchy", "validate", "h.csv"]).expect(1).out;
        assert_eq!(told.contains("paravent hierarchy repair"), works, "{told}");
        assert_eq!(place.run(&["hierarchy", "repair", "h.csv"]).code == Some(0), works);
    }
}
