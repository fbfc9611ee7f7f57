//! Promises that the released rows alone cannot prove, and promises that parties cannot make.

use super::federation::{Federation, HIERARCHY, Pooled, Split};
use super::makes_the_central_release;
use crate::support::{JOB, Outcome};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const DIAGNOSES: &str = "flu,lung,*\nasthma,lung,*\ngout,other,*\nangina,other,*\nlupus,other,*\n";

/// 60 people. One has a rare illness; two in three are in a study.
pub(super) fn pooled(models: &str) -> Pooled {
    let mut table = String::from("name,age,sex,zip,diagnosis,in_study\n");
    for i in 0..60 {
        let mixed = i * 7919 % 10_007;
        let (age, zip) = (20 + mixed % 40, 81_660 + mixed / 3 % 7);
        let sex = ["f", "m"][mixed / 2 % 2];
        let diagnosis = if i == 6 { "lupus" } else { ["flu", "gout", "asthma", "angina"][mixed % 4] };
        let in_study = ["no", "yes", "yes"][mixed % 3];
        table.push_str(&format!("person {i},{age},{sex},{zip},{diagnosis},{in_study}\n"));
    }
    let (head, tail) = JOB.split_once("models = [").unwrap();
    let (_, tail) = tail.split_once("]\n").unwrap();
    let job = format!("{head}models = [\n{models}\n]\n\n[search]\nmetric = \"nuem\"\n{tail}").replace(
        "role = \"sensitive\"",
        &format!("role = \"sensitive\"\nhierarchy = {{ file = \"{HIERARCHY}\" }}"),
    );
    Pooled { job, table, hierarchy: Some(DIAGNOSES.to_owned()), files: Vec::new() }
}

pub(super) fn close(distance: &str, t: &str) -> String {
    format!(
        "  {{ model = \"k-anonymity\", k = 3 }},\n  {{ model = \"t-closeness\", attribute = \"diagnosis\", t = {t}, distance = \"{distance}\" }},"
    )
}

const PRESENT: &str = "  { model = \"k-anonymity\", k = 2 },\n  { model = \"k-map\", k = 4, subset = \"in_study\" },\n  { model = \"delta-presence\", min = 0.4, max = 0.8, subset = \"in_study\" },";

/// A list whose order does not matter.
fn sorted(list: &Value) -> Vec<String> {
    let mut texts: Vec<String> = list.as_array().into_iter().flatten().map(Value::to_string).collect();
    texts.sort();
    texts
}

/// Classes of the population with their sizes; the columns may come in another order.
fn classes(promise: &Value) -> Vec<(Vec<String>, u64)> {
    let class = |entry: &Value| (sorted(&entry["class"]), entry["count"].as_u64().unwrap());
    let mut classes: Vec<_> = promise["population"].as_array().into_iter().flatten().map(class).collect();
    classes.sort();
    classes
}

/// Which values are in one branch, by count of the value: branches have no names.
fn branches(promise: &Value) -> Vec<Vec<u64>> {
    let counts =
        promise["reference"].as_array().into_iter().flatten().map(|entry| entry["count"].as_u64().unwrap());
    let paths = promise["tree"].as_array().into_iter().flatten();
    let mut branches: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    counts.zip(paths).for_each(|(count, path)| branches.entry(path.to_string()).or_default().push(count));
    let mut branches: Vec<Vec<u64>> = branches.into_values().collect();
    branches.iter_mut().for_each(|branch| branch.sort_unstable());
    branches.sort();
    branches
}

/// The joint release has the evidence of the central one, and the same figures.
fn proves_what_the_central_release_proves(federation: &Federation, split: Split) -> Value {
    makes_the_central_release(federation, split);
    let central = federation.place.json("release/manifest.json");
    let joint = federation.place.json(&format!("{}/release/manifest.json", federation.receiver()));
    assert_eq!(joint["suppression"], central["suppression"]);
    assert_eq!(joint["input"]["population_rows"], central["input"]["population_rows"]);
    for (joint, central) in
        joint["privacy"].as_array().unwrap().iter().zip(central["privacy"].as_array().unwrap())
    {
        assert_eq!(joint["required"], central["required"]);
        for (figure, value) in central["achieved"].as_object().unwrap() {
            let (ours, theirs) = (joint["achieved"][figure].as_f64().unwrap(), value.as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-9, "{figure}: {ours}, centrally {theirs}");
        }
        assert_eq!(sorted(&joint["reference"]), sorted(&central["reference"]));
        assert_eq!(branches(joint), branches(central));
        assert_eq!(classes(joint), classes(central));
    }
    joint
}

fn tampered(federation: &Federation, manifest: &Value) -> Outcome {
    let file = format!("{}/release/manifest.json", federation.receiver());
    let bytes = format!("{manifest:#}\n");
    federation.place.write(&file, &bytes);
    // Whoever tampers with everything makes the private folder fit, too.
    let private = format!("{}/release.private/transform.json", federation.receiver());
    let mut transform = federation.place.json(&private);
    transform["release"]["manifest_sha256"] = json!(sha256(bytes.as_bytes()));
    federation.place.write(&private, transform.to_string());
    federation.place.run(&["verify", &format!("{}/release", federation.receiver())])
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hierarchical(protocol: &str, split: Split) {
    let federation = Federation::of(&pooled(&close("hierarchical", "0.3")), protocol, split, &[]);
    let manifest = proves_what_the_central_release_proves(&federation, split);
    // The rare illness was suppressed: it is counted, and not named.
    let reference = manifest["privacy"][1]["reference"].as_array().unwrap();
    assert!(reference.contains(&json!({ "value": null, "count": 1 })), "{reference:?}");
    let all: u64 = reference.iter().map(|entry| entry["count"].as_u64().unwrap()).sum();
    assert_eq!(all, 60);
    let release = federation.path(&format!("{}/release", federation.receiver()));
    for file in std::fs::read_dir(release).unwrap() {
        assert!(!std::fs::read_to_string(file.unwrap().path()).unwrap().contains("lupus"));
    }
    let report = federation.place.json(&format!("{}/release.private/report.json", federation.receiver()));
    let learned = report["federation"]["what_each_party_learned"].to_string();
    assert!(learned.contains("suppressed ones included"), "{learned}");
    assert!(report["privacy"][1].get("reference").is_none(), "the report is for people");
    // Another distribution is noticed, and so is another tree.
    let mut moved = manifest.clone();
    let counts = moved["privacy"][1]["reference"].as_array_mut().unwrap();
    let (first, second) = (counts[0]["count"].as_u64().unwrap(), counts[1]["count"].as_u64().unwrap());
    (counts[0]["count"], counts[1]["count"]) = (json!(first + second - 1), json!(1));
    tampered(&federation, &moved).expect(1);
    let mut more = manifest.clone();
    more["privacy"][1]["reference"][0]["count"] = json!(first + 1);
    tampered(&federation, &more).expect(1);
    let mut flat = manifest.clone();
    for path in flat["privacy"][1]["tree"].as_array_mut().unwrap() {
        path[0] = json!(0);
    }
    tampered(&federation, &flat).expect(1);
    let mut without = manifest.clone();
    without["privacy"][1].as_object_mut().unwrap().remove("tree");
    assert_ne!(tampered(&federation, &without).code, Some(0));
    // Other rows are noticed, too, even by whoever forgets to compare the digest.
    let data = format!("{}/release/data.csv", federation.receiver());
    let changed = federation.read(&data).replace("asthma", "gout");
    federation.place.write(&data, &changed);
    tampered(&federation, &manifest).expect(1);
    let mut forged = manifest;
    forged["output"]["sha256"] = json!(sha256(changed.as_bytes()));
    let refuted = tampered(&federation, &forged).expect(1).out;
    assert!(refuted.contains("VIOLATED  reference") && !refuted.contains("VIOLATED  digest"), "{refuted}");
}

#[test]
fn a_ring_of_rows_is_close_by_a_hierarchy() {
    hierarchical("a", Split::Horizontal);
}

#[test]
fn a_ring_of_columns_is_close_by_a_hierarchy() {
    hierarchical("a", Split::Vertical);
}

#[test]
fn a_helper_and_rows_are_close_by_a_hierarchy() {
    hierarchical("b", Split::Horizontal);
}

#[test]
fn a_helper_and_columns_are_close_by_a_hierarchy() {
    hierarchical("b", Split::Vertical);
}

#[test]
fn counted_rows_are_close_by_a_hierarchy() {
    hierarchical("c", Split::Horizontal);
}

#[test]
fn counted_columns_are_close_by_a_hierarchy() {
    hierarchical("c", Split::Vertical);
}

#[test]
fn other_distances_work_with_and_without_suppression() {
    for (distance, t) in [("equal", "0.35"), ("kullback-leibler", "0.3"), ("hierarchical", "0.3")] {
        for (protocol, split) in [("a", Split::Vertical), ("b", Split::Horizontal), ("c", Split::Horizontal)]
        {
            let mut pooled = pooled(&close(distance, t));
            if distance == "hierarchical" {
                pooled.job = pooled.job.replace("suppression_limit = 0.1", "suppression_limit = 0.0");
            }
            proves_what_the_central_release_proves(&Federation::of(&pooled, protocol, split, &[]), split);
        }
    }
}

#[test]
fn a_tree_survives_private_keys() {
    let pooled = pooled(&close("hierarchical", "0.3"));
    let federation = Federation::of(&pooled, "b", Split::Vertical, &["--private-keys"]);
    proves_what_the_central_release_proves(&federation, Split::Vertical);
}

fn present(protocol: &str, split: Split) {
    let federation = Federation::of(&pooled(PRESENT), protocol, split, &[]);
    let shown = federation.party("ben", &["--preview"]).expect(0).out;
    assert!(shown.contains("in_study (marks the rows to release"), "{shown}");
    let manifest = proves_what_the_central_release_proves(&federation, split);
    assert_eq!(manifest["input"], json!({ "rows": 39, "population_rows": 60 }));
    assert_eq!(manifest["suppression"]["rows"], 1);
    let mut fewer = manifest.clone();
    fewer["privacy"][1]["population"][0]["count"] = json!(3);
    tampered(&federation, &fewer).expect(1);
    let mut more = manifest;
    more["privacy"][2]["population"][0]["count"] = json!(59);
    tampered(&federation, &more).expect(1);
}

#[test]
fn a_ring_of_rows_counts_in_a_population() {
    present("a", Split::Horizontal);
}

#[test]
fn a_ring_of_columns_counts_in_a_population() {
    present("a", Split::Vertical);
}

#[test]
fn a_helper_and_rows_count_in_a_population() {
    present("b", Split::Horizontal);
}

#[test]
fn a_helper_and_columns_count_in_a_population() {
    present("b", Split::Vertical);
}

#[test]
fn counted_rows_count_in_a_population() {
    present("c", Split::Horizontal);
}

#[test]
fn counted_columns_count_in_a_population() {
    present("c", Split::Vertical);
}

#[test]
fn copies_and_a_population_do_not_go_together() {
    let job = pooled(PRESENT).job;
    let federation =
        Federation::of(&pooled("  { model = \"k-anonymity\", k = 3 },"), "b", Split::Horizontal, &[]);
    federation.place.write("ben/other.toml", job);
    let mut args =
        vec!["party", "invite", "ben/other.toml", "--run", "test", "--me", "ben", "--helper", "hal"];
    args.extend(["--protocol", "c", "--pseudo-shape", "copies", "--output", "new.toml"]);
    args.extend(["--party", "ann", "--party", "ben", "--party", "cat"]);
    federation.place.run(&args).expect(2).says(&[
        "made-up rows",
        "must be of the population",
        "flat or blocks",
    ]);
    assert!(!federation.path("new.toml").exists());
}

#[test]
fn classes_without_a_row_count_for_the_least_share() {
    let mut pooled = pooled(&PRESENT.replace("min = 0.4, max = 0.8", "min = 0.0, max = 1.0"));
    pooled.job = pooled.job.replace("type = \"integer\"", "type = \"integer\"\nmax_level = 2");
    // Nobody below 30 is in the study.
    let cells = |line: &str| line.split(',').nth(1).and_then(|age| age.parse::<u32>().ok());
    let lines = pooled.table.lines().map(|line| match cells(line) {
        Some(..30) => line.replace("yes", "no"),
        _ => line.to_owned(),
    });
    pooled.table = lines.map(|line| line + "\n").collect();
    let federation = Federation::of(&pooled, "b", Split::Horizontal, &[]);
    let manifest = proves_what_the_central_release_proves(&federation, Split::Horizontal);
    assert_eq!(manifest["privacy"][2]["achieved"]["min"], 0.0);
}

/// Every promise that is refused, with what is said of it.
fn refused() -> Vec<(&'static str, &'static str, &'static [&'static str])> {
    let ordered = "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.9, distance = \"ordered\" },";
    let named = "{ model = \"pd-recursive-l-diversity\", attribute = \"diagnosis\", c = 4, l = 2, allowed = [\"flu\"] },";
    let ruled_out = "{ model = \"npd-recursive-l-diversity\", attribute = \"diagnosis\", c = 4, c2 = 0, l = 2, allowed = [\"flu\"], protected = [\"gout\"] },";
    let file = "{ model = \"k-map\", k = 2, population = \"people.csv\" },";
    let mut all: Vec<(&str, &str, &[&str])> = Vec::new();
    for protocol in ["a", "b", "c"] {
        all.push((protocol, ordered, &["t-closeness", "order of the values", "hierarchical distance"]));
        all.push((protocol, named, &["pd-recursive-l-diversity", "names or computes with values"]));
        all.push((protocol, ruled_out, &["npd-recursive-l-diversity", "names or computes with values"]));
        all.push((protocol, file, &["k-map", "a population that is a file of its own", "subset = "]));
    }
    all
}

#[test]
fn what_parties_cannot_promise_is_refused_by_every_command() {
    let anonymous = "  { model = \"k-anonymity\", k = 3 },";
    for split in [Split::Horizontal, Split::Vertical] {
        for protocol in ["a", "b", "c"] {
            let federation = Federation::of(&pooled(anonymous), protocol, split, &[]);
            let job = federation.read("ben/paravent.toml");
            for (_, promise, said) in refused().into_iter().filter(|(letter, _, _)| *letter == protocol) {
                // Whoever invites is told where it stands in the job, and nothing is written.
                federation.place.write("ben/other.toml", job.replace(anonymous, promise));
                let split_name = if split == Split::Vertical { "vertical" } else { "horizontal" };
                let mut args = vec!["party", "invite", "ben/other.toml", "--run", "test", "--me", "ben"];
                args.extend(["--protocol", protocol, "--split", split_name, "--output", "new.toml"]);
                args.extend(["--party", "ann", "--party", "ben", "--party", "cat"]);
                args.extend((protocol != "a").then_some(["--helper", "hal"]).into_iter().flatten());
                args.extend(
                    (split == Split::Vertical).then_some(["--identifier", "name"]).into_iter().flatten(),
                );
                federation.place.run(&args).expect(2).says(said).says(&["other.toml:", "privacy.models[0]"]);
                assert!(!federation.path("new.toml").exists());
                // Whoever gets a file that says it all the same is told as well.
                let agreed = federation.read("cat/federation.toml");
                let models =
                    agreed.split_once("models = [").unwrap().1.split_once("]\n").unwrap().0.to_owned();
                federation
                    .place
                    .write("cat/federation.toml", agreed.replace(&models, &format!("\n{promise}\n")));
                let (address, cat) = (federation.address("cat"), ["--me", "cat"]);
                let join =
                    ["party", "join", "cat/federation.toml", "cat/paravent.toml", "--address", &address];
                let join = [&join[..], &cat, &["--certificate", "cat/cat.cert.pem"]].concat();
                federation.place.run(&join).expect(2).says(said).says(&["privacy.models[0]"]);
                let approve = ["party", "approve", "cat/federation.toml", "cat/paravent.toml"];
                federation.place.run(&[&approve[..], &cat].concat()).expect(2).says(said);
                federation.party("cat", &["--yes"]).expect(2).says(said);
                federation.place.write("cat/federation.toml", agreed);
            }
        }
    }
}

#[test]
fn a_tree_must_be_the_same_everywhere() {
    let federation = Federation::of(&pooled(&close("hierarchical", "0.3")), "b", Split::Horizontal, &[]);
    federation.place.write(&format!("cat/{HIERARCHY}"), DIAGNOSES.replace("gout,other", "gout,lung"));
    federation.party("cat", &["--yes"]).expect(2).says(&["columns[3].hierarchy", "is another one"]);
    federation.place.write(&format!("cat/{HIERARCHY}"), DIAGNOSES.replace(",*", ""));
    federation.party("cat", &["--yes"]).expect(2).says(&["ends in one value"]);
}

#[test]
fn rows_must_be_marked_by_somebody() {
    let federation = Federation::of(&pooled(PRESENT), "b", Split::Horizontal, &[]);
    let table = federation.read("cat/patients.csv");
    federation.place.write("cat/patients.csv", table.replace("in_study", "in_trial"));
    federation.party("cat", &["--yes"]).expect(2).says(&["in_study", "mark the rows"]);
    let federation = Federation::of(&pooled(PRESENT), "b", Split::Vertical, &[]);
    assert!(federation.read("federation.toml").contains("marked_by = \"ben\""));
    federation.edit("cat", "marked_by = \"ben\"\n", "");
    federation.party("cat", &["--yes"]).expect(2).says(&["marked_by", "nobody marks the rows"]);
    federation.edit("ann", "marked_by = \"ben\"", "marked_by = \"eve\"");
    federation.party("ann", &["--yes"]).expect(2).says(&["marked_by", "primary party of a vertical split"]);
}
