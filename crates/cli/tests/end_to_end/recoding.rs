//! Local recoding from the job to the release: every class has a box of labels of its own.

use crate::support::{JOB, Place, table};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The usual job with `[search]`.
fn job(search: &str) -> String {
    JOB.replace("[output]", &format!("[search]\nmetric = \"loss\"\n{search}\n\n[output]"))
}

fn local() -> String {
    job("recoding = \"local\"")
}

/// By released combination of quasi-identifiers: the diagnoses of its rows.
fn classes(place: &Place, release: &str) -> BTreeMap<String, Vec<String>> {
    let mut classes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in place.read(&format!("{release}/data.csv")).lines().skip(1) {
        let (class, diagnosis) = line.rsplit_once(',').unwrap();
        classes.entry(class.to_owned()).or_default().push(diagnosis.to_owned());
    }
    classes
}

#[test]
fn every_class_keeps_the_promise_and_less_is_lost() {
    let place = Place::with(&local(), table(200));
    let found = place.anonymize(&["--json"]).expect(0).json();
    let solution = &found["solution"];
    assert_eq!(solution["recoding"], "local");
    assert!(solution.get("transformation").is_none());
    for column in ["age", "sex", "zip"] {
        let levels = &solution["levels"][column];
        assert!(levels["lowest"].as_u64() <= levels["highest"].as_u64(), "{levels}");
        assert!(levels["mean"].is_f64());
    }
    let (loss, bound) = (solution["loss"].as_f64().unwrap(), solution["lower_bound"].as_f64().unwrap());
    let gap = solution["gap"].as_f64().unwrap();
    assert!(bound <= loss && ((1.0 + gap) * bound - loss).abs() < 1e-9, "{loss} {bound} {gap}");

    let classes = classes(&place, "release");
    assert_eq!(classes.values().map(Vec::len).sum::<usize>(), 200, "no row is left out");
    for rows in classes.values() {
        assert!(rows.len() >= 3 && rows.iter().collect::<BTreeSet<_>>().len() >= 2, "{rows:?}");
    }
    assert_eq!(solution["classes"], classes.len());
    place.run(&["verify", "release"]).expect(0);

    // The best full-domain release of the same table loses more.
    place.write("paravent.toml", job(""));
    let whole = place.anonymize(&["--dry-run", "--json"]).expect(0).json();
    assert!(loss < whole["solution"]["loss"].as_f64().unwrap());
    assert!(whole["solution"].get("recoding").is_none() && whole["solution"].get("levels").is_none());
}

#[test]
fn the_same_bytes_whatever_the_threads_and_the_order_of_rows() {
    let bytes = |threads: u32, table: &str| {
        let place =
            Place::with(&job(&format!("recoding = \"local\"\nmoves = 500\nthreads = {threads}")), table);
        place.anonymize(&[]).expect(0);
        place.bytes("release/data.csv")
    };
    let rows = table(150);
    let (header, body) = rows.split_once('\n').unwrap();
    let mut reversed: Vec<&str> = body.lines().rev().collect();
    reversed.insert(0, header);
    let reversed = reversed.join("\n") + "\n";
    let first = bytes(1, &rows);
    assert_eq!(first, bytes(3, &rows));
    assert_eq!(first, bytes(2, &reversed));
}

#[test]
fn every_machine_writes_the_same_bytes() {
    use sha2::{Digest, Sha256};
    let digest = |metric: &str| -> String {
        let local = local().replace("metric = \"loss\"", &format!("metric = \"{metric}\""));
        let place = Place::with(&local, table(200));
        place.anonymize(&[]).expect(0);
        let data = Sha256::digest(place.bytes("release/data.csv"));
        data.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    // A change of the search may change them: then they are stored anew. A machine may not.
    let stored = [
        ("loss", "239e822289437386533831665b9e586f3c99a250bdf4581394f4652777d717cd"),
        ("nuem", "98a136c9efb5a15f0b59b9788c381bedfeaae8964f9aaccc8763097f37659802"),
    ];
    for (metric, expected) in stored {
        assert_eq!(digest(metric), expected, "{metric}");
    }
}

#[test]
fn a_planted_row_is_found_by_the_verifier() {
    let place = Place::with(&local(), table(120));
    place.anonymize(&[]).expect(0);
    let transform = place.json("release.private/transform.json");
    assert_eq!(transform["recoding"], "local");
    let boxes = transform["boxes"].as_array().unwrap().len();
    assert_eq!(boxes, classes(&place, "release").len());
    // A row moves to another box: every label is one of its hierarchy, and no class need be too small.
    let data = place.read("release/data.csv");
    let lines: Vec<&str> = data.lines().collect();
    let (from, to) =
        (lines[1].rsplit_once(',').unwrap().0, lines[lines.len() - 1].rsplit_once(',').unwrap().0);
    place.write("release/data.csv", data.replacen(from, to, 1));
    let outcome = place.run(&["verify", "release", "--json"]).expect(1).json();
    let violated: Vec<&str> = outcome["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["outcome"] == "violated")
        .filter_map(|check| check["name"].as_str())
        .collect();
    assert!(violated.contains(&"boxes"), "{violated:?}");
}

#[test]
fn new_rows_get_the_finest_box_that_covers_them() {
    // Two releases of the same rows tell more than one: the register would say so.
    let unregistered = local().replace("path = \"release\"", "path = \"release\"\nregister = false");
    let place = Place::with(&unregistered, table(200));
    place.anonymize(&[]).expect(0);
    let boxes: BTreeSet<String> = classes(&place, "release").into_keys().collect();
    // The same rows again: all of them are covered.
    let args = ["--apply", "release", "--output", "again", "--json"];
    let again = place.anonymize(&args).expect(0).json();
    assert_eq!(again["solution"]["recoding"], "local");
    assert!(again["solution"].get("lower_bound").is_none());
    let shown: BTreeSet<String> = classes(&place, "again").into_keys().collect();
    assert!(shown.is_subset(&boxes));
    place.run(&["verify", "again"]).expect(0);
    // A row that no box covers is left out, if the limit allows it.
    place.write("new.csv", format!("{}person x,99,f,11111,flu\n", table(200)));
    let args = ["--apply", "release", "--input", "new.csv", "--output", "later", "--json"];
    let later = place.anonymize(&args).expect(0).json();
    assert!(later["solution"]["suppressed_rows"].as_u64().unwrap() >= 1);
    let shown: BTreeSet<String> = classes(&place, "later").into_keys().collect();
    assert!(shown.is_subset(&boxes));
}

#[test]
fn too_few_new_rows_for_the_boxes_are_told_what_would_help() {
    let unregistered = local().replace("path = \"release\"", "path = \"release\"\nregister = false");
    let place = Place::with(&unregistered, table(200));
    place.anonymize(&[]).expect(0);
    place.write("few.csv", table(150));
    let args = ["--apply", "release", "--input", "few.csv", "--output", "few", "--json"];
    let refused = place.anonymize(&args).expect(3).json();
    // The labels are given: only leaving out more rows helps, and it does.
    let [only] = &refused["relaxations"].as_array().unwrap()[..] else { panic!("{refused}") };
    assert_eq!(only["key"], "privacy.suppression_limit");
    let limit = only["to"].as_str().unwrap();
    let now = "suppression_limit = 0.1";
    place.write("paravent.toml", unregistered.replace(now, &format!("suppression_limit = {limit}")));
    let applied = place.anonymize(&args).expect(0).json();
    assert!(applied["solution"]["suppressed_rows"].as_u64().unwrap() > 15);
}

#[test]
fn a_uniform_column_shows_one_level() {
    let uniform = local().replace("name = \"sex\"\n", "name = \"sex\"\nrecoding = \"uniform\"\n");
    let uniform = uniform.replace("name = \"zip\"\n", "name = \"zip\"\nmost_levels = 2\n");
    let place = Place::with(&uniform, table(200));
    let solution = place.anonymize(&["--json"]).expect(0).json()["solution"].clone();
    assert_eq!(solution["levels"]["sex"]["lowest"], solution["levels"]["sex"]["highest"]);
    let lengths: BTreeSet<usize> = classes(&place, "release")
        .keys()
        .map(|class| class.rsplit(',').next().unwrap().matches('*').count())
        .collect();
    assert!(lengths.len() <= 2, "{lengths:?}");
}

#[test]
fn people_are_counted_in_boxes() {
    let with_person = local()
        .replace("[privacy]\n", "[privacy]\nperson = \"name\"\n")
        .replace("suppression_limit = 0.1", "suppression_limit = 0");
    let mut rows = table(120);
    // Everybody has a second row.
    for line in table(120).lines().skip(1) {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        cells[4] = "burn".to_owned();
        rows.push_str(&(cells.join(",") + "\n"));
    }
    let place = Place::with(&with_person, rows);
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert!(found["solution"]["smallest_class"].as_u64().unwrap() >= 3);
    let tokens = place.read("release.private/people.txt");
    let mut people: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (row, token) in place.read("release/data.csv").lines().skip(1).zip(tokens.lines()) {
        let class = row.rsplit_once(',').unwrap().0.to_owned();
        people.entry(class).or_default().insert(token.to_owned());
    }
    assert!(people.values().all(|people| people.len() >= 3));
    place.run(&["verify", "release"]).expect(0);
}

#[test]
fn other_formats_and_a_dry_run() {
    for format in ["parquet", "arrow"] {
        let job =
            local().replace("path = \"release\"", &format!("path = \"release\"\nformat = \"{format}\""));
        let place = Place::with(&job, table(90));
        place.anonymize(&[]).expect(0);
        place.run(&["verify", "release"]).expect(0);
    }
    let place = Place::with(&local(), table(90));
    let outcome = place.anonymize(&["--dry-run"]).expect(0);
    for text in ["no local recoding goes below", "the gap is", "levels 0 to"] {
        assert!(outcome.out.contains(text), "{text:?} is not in {}", outcome.out);
    }
    assert_eq!(place.names(), ["paravent.toml", "patients.csv"]);
}

#[test]
fn the_report_says_that_labels_overlap() {
    let place = Place::with(&local(), table(120));
    place.anonymize(&[]).expect(0);
    for page in ["release/report.html", "release.private/report.html"] {
        let page = place.read(page);
        assert!(page.contains("a box of labels of its own") && page.contains("overlap"));
        assert!(!page.contains("for all rows alike"));
    }
    let outside = place.json("release/report.json");
    assert_eq!(outside["solution"]["recoding"], "local");
    assert!(
        outside["solution"].get("lower_bound").is_none(),
        "it is computed over rows that may be left out"
    );
    let manifest = place.json("release/manifest.json");
    assert_eq!(manifest["solution"]["recoding"], "local");
    assert_eq!(manifest["attributes"][0]["levels"].as_array().map(Vec::len), Some(2));
    assert_eq!(manifest["attributes"][0].get("level"), None);
    assert_ne!(manifest["attributes"], json!([]));
}

#[test]
fn what_boxes_do_not_have_is_refused_before_anything_is_read() {
    let refused = |job: String, texts: &[&str]| {
        let place = Place::with(&job, "not a table");
        place.anonymize(&["--dry-run"]).expect(2).says(texts);
    };
    for metric in ["height", "precision-m", "entropy"] {
        let job = local().replace("metric = \"loss\"", &format!("metric = \"{metric}\""));
        refused(job, &["search.metric", metric, "several levels"]);
    }
    refused(job("recoding = \"local\"\nalgorithm = \"flash\""), &["search.algorithm", "global recoding"]);
    refused(job("recoding = \"local\"\nforce = true"), &["search.force"]);
    refused(job("moves = 5"), &["search.moves", "is for local recoding"]);
    refused(job("recoding = \"lokal\""), &["search.recoding", "Did you mean \"local\"?"]);
    let sensitive = local().replace("role = \"sensitive\"", "role = \"sensitive\"\nrecoding = \"uniform\"");
    refused(sensitive, &["attributes[4].recoding", "quasi-identifiers"]);
    let kmap = local().replace(
        "{ model = \"k-anonymity\", k = 3 }",
        "{ model = \"k-map\", k = 3, population = \"patients.csv\" }",
    );
    let people = kmap.replace("[privacy]\n", "[privacy]\nperson = \"name\"\n");
    refused(people, &["privacy.models[0].model", "boxes overlap"]);
    let presence = local().replace(
        "{ model = \"k-anonymity\", k = 3 }",
        "{ model = \"delta-presence\", min = 0.1, max = 0.5, population = \"patients.csv\" }",
    );
    refused(presence, &["privacy.models[0].min", "boxes overlap"]);
}

#[test]
fn boxes_are_held_against_a_population() {
    // Half of the people of a town are in the study.
    let everybody = table(400);
    let study: Vec<&str> =
        everybody.lines().enumerate().filter(|(row, _)| row % 2 == 0).map(|(_, line)| line).collect();
    let models = "{ model = \"k-map\", k = 6, population = \"town.csv\" },\n  \
                  { model = \"delta-presence\", min = 0.0, max = 0.8, population = \"town.csv\" }";
    let text = local().replace("{ model = \"k-anonymity\", k = 3 }", models);
    let place = Place::with(&text, study.join("\n") + "\n");
    place.write("town.csv", &everybody);
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(found["privacy"][0]["model"], "k-map");
    assert!(found["privacy"][0]["achieved"]["k"].as_u64().unwrap() >= 6);
    assert!(found["privacy"][1]["achieved"]["max"].as_f64().unwrap() <= 0.8);
    let manifest = place.read("release/manifest.json");
    let classes = place.json("release/manifest.json")["privacy"][0]["population"].as_array().unwrap().len();
    assert_eq!(found["solution"]["classes"], classes);
    place.run(&["verify", "release"]).expect(0);
    // A class of the population that is too small breaks both promises.
    let at = manifest.find("\"count\": ").unwrap() + "\"count\": ".len();
    let end = at + manifest[at..].find(|c: char| !c.is_ascii_digit()).unwrap();
    place.write("release/manifest.json", format!("{}1{}", &manifest[..at], &manifest[end..]));
    place.run(&["verify", "release"]).expect(1);
}

#[test]
fn cells_stay_as_they_are_or_tell_nothing() {
    let place = Place::with(&job("recoding = \"cells\""), table(200));
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(found["solution"]["recoding"], "cells");
    let (loss, bound) = (&found["solution"]["loss"], &found["solution"]["lower_bound"]);
    assert!(bound.as_f64().unwrap() <= loss.as_f64().unwrap());
    let (mut cells, mut suppressed) = (0usize, 0usize);
    for (class, rows) in classes(&place, "release") {
        assert!(rows.len() >= 3 && rows.iter().collect::<BTreeSet<_>>().len() >= 2);
        for cell in class.split(',') {
            let is_suppressed = cell.chars().all(|c| c == '*');
            assert!(is_suppressed || !cell.contains(['*', '-']), "{cell}");
            cells += rows.len();
            suppressed += if is_suppressed { rows.len() } else { 0 };
        }
    }
    // With weights of 1 and the metric loss, the loss is the share of suppressed cells.
    assert!((suppressed as f64 / cells as f64 - loss.as_f64().unwrap()).abs() < 1e-9);
    place.run(&["verify", "release"]).expect(0);
    let uniform =
        job("recoding = \"cells\"").replace("name = \"sex\"\n", "name = \"sex\"\nrecoding = \"uniform\"\n");
    Place::with(&uniform, "x").anonymize(&[]).expect(2).says(&["attributes[2].recoding"]);
}

/// The checks that fail.
fn violated(place: &Place) -> BTreeSet<String> {
    let outcome = place.run(&["verify", "release", "--json"]).expect(1).json();
    let checks = outcome["checks"].as_array().unwrap().iter();
    let violated = checks.filter(|check| check["outcome"] == "violated");
    violated.filter_map(|check| check["name"].as_str().map(str::to_owned)).collect()
}

#[test]
fn planted_violations_are_found_by_the_verifier() {
    let place = Place::with(&local(), table(120));
    place.anonymize(&[]).expect(0);
    let data = place.read("release/data.csv");
    let (header, body) = data.split_once('\n').unwrap();
    let all = classes(&place, "release");
    let plant = |edit: &dyn Fn(&str) -> String| {
        let mut rows: Vec<String> = body.lines().map(edit).collect();
        rows.sort();
        place.write("release/data.csv", format!("{header}\n{}\n", rows.join("\n")));
        violated(&place)
    };
    let class_of = |row: &str| row.rsplit_once(',').unwrap().0.to_owned();
    let (first, rows) = all.iter().next().unwrap();
    let other = all.keys().nth(1).unwrap();
    // A class that is too small: all but two of its rows show the labels of another box.
    let seen = std::cell::Cell::new(0);
    let found = plant(&|row| {
        let (class, value) = row.rsplit_once(',').unwrap();
        if class == first {
            seen.set(seen.get() + 1);
        }
        if class == first && seen.get() > 2 { format!("{other},{value}") } else { row.to_owned() }
    });
    assert!(rows.len() >= 3 && found.contains("k-anonymity") && found.contains("boxes"), "{found:?}");
    // Two boxes that are merged by equal labels: no class is too small, but no rows were put into such a box.
    let found = plant(&|row| match class_of(row) == *other {
        true => format!("{first},{}", row.rsplit_once(',').unwrap().1),
        false => row.to_owned(),
    });
    assert!(found.contains("boxes") && found.contains("classes"), "{found:?}");
    // The same where the rows that read alike have one diagnosis.
    let found = plant(&|row| match class_of(row) == *other || class_of(row) == *first {
        true => format!("{first},flu"),
        false => row.to_owned(),
    });
    assert!(found.contains("distinct-l-diversity"), "{found:?}");
    // A label of the right hierarchy that does not cover the row.
    let age = |row: &str| row.split(',').next().unwrap().to_owned();
    let strange = body.lines().map(age).find(|label| *label != age(first)).unwrap();
    let found = plant(&|row| match class_of(row) == *first {
        true => format!("{strange}{}", &row[age(first).len()..]),
        false => row.to_owned(),
    });
    assert!(found.contains("boxes"), "{found:?}");
}

/// By every two of the three quasi-identifiers: the diagnoses of the rows that agree in them.
fn pairs(place: &Place) -> Vec<Vec<String>> {
    let data = place.read("release/data.csv");
    let mut sets: BTreeMap<(usize, usize, String, String), Vec<String>> = BTreeMap::new();
    for line in data.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let key = (a, b, cells[a].to_owned(), cells[b].to_owned());
            sets.entry(key).or_default().push(cells[3].to_owned());
        }
    }
    sets.into_values().collect()
}

#[test]
fn any_two_known_columns_keep_the_promise() {
    for recoding in ["cells", "local"] {
        let text = job(&format!("recoding = \"{recoding}\""));
        let known = text.replace("[privacy]\n", "[privacy]\nmost_known = 2\n");
        let place = Place::with(&known, table(300));
        let found = place.anonymize(&["--json"]).expect(0).json();
        let solution = &found["solution"];
        assert_eq!(solution["most_known"], 2);
        let (loss, bound) = (solution["loss"].as_f64().unwrap(), solution["lower_bound"].as_f64().unwrap());
        assert!(bound <= loss, "{bound} {loss}");
        for rows in pairs(&place) {
            assert!(rows.len() >= 3 && rows.iter().collect::<BTreeSet<_>>().len() >= 2, "{rows:?}");
        }
        place.run(&["verify", "release"]).expect(0);
        let page = place.read("release.private/report.html");
        assert!(page.contains("whoever knows at most 2 of the 3 quasi-identifiers"));
        // Against somebody who knows all three more is lost; of single cells here just as much, and both are the optimum.
        let whole = Place::with(&text, table(300));
        let all = whole.anonymize(&["--dry-run", "--json"]).expect(0).json();
        let all = all["solution"]["loss"].as_f64().unwrap();
        assert!(loss <= all && (loss < all || recoding == "cells"), "{recoding}: {loss} {all}");
        // One row that differs in one cell is alone with it.
        let data = place.read("release/data.csv");
        let line = data.lines().nth(1).unwrap();
        let (_, rest) = line.split_once(',').unwrap();
        place.write("release/data.csv", data.replacen(line, &format!("99,{rest}"), 1));
        place.run(&["verify", "release"]).expect(1);
    }
}

#[test]
fn known_columns_do_not_go_with_everything() {
    let cells = job("recoding = \"cells\"").replace("[privacy]\n", "[privacy]\nmost_known = 2\n");
    let refused = |job: String, texts: &[&str]| {
        Place::with(&job, "not a table").anonymize(&["--dry-run"]).expect(2).says(texts);
    };
    refused(cells.replace("recoding = \"cells\"", ""), &["privacy.most_known", "recoding = \"cells\""]);
    refused(cells.replace("metric = \"loss\"", "metric = \"aecs\""), &["search.metric", "every choice"]);
    refused(
        cells.replace("most_known = 2", "most_known = 2\nperson = \"name\""),
        &["counts rows, not people"],
    );
    refused(cells.replace("most_known = 2", "most_known = 0"), &["privacy.most_known"]);
    let entropy = cells.replace("distinct-l-diversity", "entropy-l-diversity");
    refused(entropy, &["privacy.models[1].model", "choices of columns"]);
    let place = Place::with(&cells, table(120));
    place.anonymize(&[]).expect(0);
    place
        .anonymize(&["--apply", "release", "--output", "again"])
        .expect(2)
        .says(&["privacy.most_known", "without --apply"]);
}
