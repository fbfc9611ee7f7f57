//! Treatments of cells beside generalization: rounding, top and bottom coding, microaggregation, pseudonyms, a sample drawn first.

use crate::support::{JOB, Outcome, Place, table};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const KEY: &str = "a secret of the hospital, 32 bytes and more\n";

/// The usual job, with more below the name of a column.
fn job(column: &str, more: &str) -> String {
    let name = format!("name = \"{column}\"\n");
    assert!(JOB.contains(&name));
    unregistered(&JOB.replace(&name, &format!("{name}{more}\n")))
}

/// Several releases of the same rows are made below; the register would say what they tell together.
fn unregistered(job: &str) -> String {
    job.replace("path = \"release\"", "path = \"release\"\nregister = false")
}

/// The usual job with a further number: what a stay cost.
fn costs(more: &str) -> (String, String) {
    let cost = format!(
        "[[attributes]]\nname = \"cost\"\nrole = \"insensitive\"\ntype = \"decimal\"\n{more}\n\n[privacy]"
    );
    let rows = table(90);
    let mut lines = rows.lines();
    let mut text = format!("{},cost\n", lines.next().unwrap());
    for (i, line) in lines.enumerate() {
        text.push_str(&format!("{line},{}.{}\n", 100 + i * 37 % 900, i % 10));
    }
    (unregistered(&JOB.replace("[privacy]", &cost)), text)
}

/// The cells of a released column.
fn cells(place: &Place, release: &str, column: &str) -> Vec<String> {
    let data = place.read(&format!("{release}/data.csv"));
    // Intervals hold a comma, and are quoted.
    let split = |line: &str| -> Vec<String> {
        let (mut cells, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => cells.push(String::new()),
                c => cells.last_mut().unwrap().push(c),
            }
        }
        cells
    };
    let mut lines = data.lines().map(split);
    let header = lines.next().unwrap();
    let at = header.iter().position(|name| name == column).unwrap();
    lines.map(|line| line[at].clone()).collect()
}

fn violated(outcome: &Outcome) -> Vec<String> {
    let json = outcome.json();
    let checks = json["checks"].as_array().unwrap().iter();
    let violated = checks.filter(|check| check["outcome"] == "violated");
    violated.filter_map(|check| check["name"].as_str().map(str::to_owned)).collect()
}

/// Exchanges a text of the data file, and asks the verifier.
fn planted(place: &Place, old: &str, new: &str) -> Vec<String> {
    let data = place.read("release/data.csv");
    assert!(data.contains(old), "{old} is not in the data");
    place.write("release/data.csv", data.replacen(old, new, 1));
    let found = violated(&place.run(&["verify", "release", "--json"]).expect(1));
    place.write("release/data.csv", data);
    place.run(&["verify", "release"]).expect(0);
    found
}

#[test]
fn numbers_are_rounded_and_cut_off_before_anything_else() {
    let (job, rows) = costs("round = 50\nbottom = 200\ntop = 800");
    let place = Place::with(&job, rows);
    let found = place.anonymize(&["--json"]).expect(0).json();
    let told = &found["treatments"]["columns"]["cost"];
    assert_eq!((&told["round"], &told["bottom"], &told["top"]), (&"50".into(), &"200".into(), &"800".into()));
    let shown: BTreeSet<u32> =
        cells(&place, "release", "cost").iter().map(|cell| cell.parse().unwrap()).collect();
    assert!(shown.iter().all(|cost| cost % 50 == 0 && (200..=800).contains(cost)), "{shown:?}");
    assert!(shown.contains(&200) && shown.contains(&800) && shown.len() > 5);
    let report = place.read("release/report.html");
    assert!(
        report
            .contains("rounded to multiples of 50; 200 stands for 200 and less; 800 stands for 800 and more")
    );
    assert_eq!(place.json("release/manifest.json")["attributes"][4]["treatment"]["round"], "50");
    // A cell that no treatment leaves, and one beyond the top.
    assert!(planted(&place, ",200\n", ",217\n").contains(&"treatment".to_owned()));
    assert!(planted(&place, ",800\n", ",850\n").contains(&"treatment".to_owned()));
    // New rows are treated the same way; a job that says otherwise is refused.
    place.anonymize(&["--apply", "release", "--output", "again"]).expect(0);
    assert_eq!(cells(&place, "again", "cost"), cells(&place, "release", "cost"));
    place.write("paravent.toml", job.replace("round = 50", "round = 100"));
    let refusal = ["the transformation to apply treats the cells of \"cost\" differently"];
    place.anonymize(&["--apply", "release", "--output", "third"]).expect(2).says(&refusal);
}

#[test]
fn diversity_is_judged_by_what_is_released() {
    // Stays of 1 to 4 days; all of them round to 0 or 10.
    let days = |more: &str| {
        let job = JOB.replace(
            "name = \"diagnosis\"\nrole = \"sensitive\"",
            &format!("name = \"diagnosis\"\nrole = \"sensitive\"\ntype = \"integer\"\n{more}"),
        );
        let rows = table(60);
        let rows = ["flu", "gout", "asthma", "angina"]
            .iter()
            .zip(["1", "2", "3", "4"])
            .fold(rows, |rows, (word, days)| rows.replace(word, days));
        Place::with(&unregistered(&job), rows)
    };
    days("").anonymize(&[]).expect(0);
    // Two values that round to one are one value: nothing is diverse any more.
    days("round = 10").anonymize(&[]).expect(3);
}

#[test]
fn ages_are_top_coded_before_they_are_generalized() {
    let place = Place::with(&job("age", "top = 22\nmax_level = 0"), table(200));
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(found["treatments"]["columns"]["age"]["top"], "22");
    let ages: BTreeSet<u32> =
        cells(&place, "release", "age").iter().map(|cell| cell.parse().unwrap()).collect();
    assert_eq!(ages.last(), Some(&22));
    assert!(planted(&place, "\n22,", "\n57,").contains(&"treatment".to_owned()));
    // Fewer different ages: less must be left out.
    let plain = Place::with(&job("age", "max_level = 0"), table(200));
    let plain = plain.anonymize(&["--json"]);
    if plain.code == Some(0) {
        let left_out = |found: &Value| found["solution"]["suppressed_rows"].as_u64().unwrap();
        assert!(left_out(&found) <= left_out(&plain.json()));
    }
}

#[test]
fn every_class_shows_one_figure_of_an_aggregated_column() {
    let hierarchy = "hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }\n";
    for recoding in ["", "recoding = \"local\"\n"] {
        for (aggregate, kind) in [("mean", "decimal"), ("median", "integer"), ("interval", "string")] {
            let job = job("age", &format!("aggregate = \"{aggregate}\"")).replace(hierarchy, "");
            let job = job.replace("[output]", &format!("[search]\nmetric = \"loss\"\n{recoding}\n[output]"));
            let place = Place::with(&job, table(200));
            let found = place.anonymize(&["--json"]).expect(0).json();
            let told = &found["treatments"]["columns"]["age"];
            assert_eq!(told["aggregate"], aggregate);
            assert!(told["lost"].as_f64().is_some_and(|lost| (0.0..=1.0).contains(&lost)), "{told}");
            let manifest = place.json("release/manifest.json");
            let age = &manifest["attributes"][0];
            assert_eq!((age["type"].as_str(), age.get("level")), (Some(kind), None));
            // One figure per class of the others, and of the rows behind it.
            let ages = cells(&place, "release", "age");
            let others: Vec<(String, String)> =
                cells(&place, "release", "sex").into_iter().zip(cells(&place, "release", "zip")).collect();
            let mut figures: BTreeMap<&(String, String), BTreeSet<&String>> = BTreeMap::new();
            others.iter().zip(&ages).for_each(|(class, age)| {
                figures.entry(class).or_default().insert(age);
            });
            assert!(figures.values().all(|figures| figures.len() == 1), "{figures:?}");
            if aggregate == "interval" {
                assert!(ages.iter().all(|age| age.starts_with('[') && age.ends_with(']')), "{ages:?}");
            } else {
                let first = &ages[0];
                let found = planted(&place, &format!("\n{first},"), "\n19,");
                assert!(found.contains(&"treatment".to_owned()), "{found:?}");
            }
            place.anonymize(&["--apply", "release", "--output", "again"]).expect(0);
            assert_eq!(cells(&place, "again", "age"), ages);
            place.run(&["attack", "release", "--against", "patients.csv"]);
        }
    }
}

#[test]
fn the_mean_is_that_of_the_released_rows() {
    let hierarchy = "hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }\n";
    let job = job("age", "aggregate = \"mean\"").replace(hierarchy, "");
    let job =
        job.replace("hierarchy = { redact = { from = \"right\" } }\n", "max_level = 1\nmin_level = 1\n");
    let place = Place::with(&job, table(200));
    place.anonymize(&[]).expect(0);
    // All zips are hidden: the classes are the sexes.
    let (mut sums, mut count) = (BTreeMap::<String, u64>::new(), BTreeMap::<String, u64>::new());
    for line in table(200).lines().skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        *sums.entry(row[2].to_owned()).or_default() += row[1].parse::<u64>().unwrap();
        *count.entry(row[2].to_owned()).or_default() += 1;
    }
    let shown: BTreeSet<(String, String)> =
        cells(&place, "release", "sex").into_iter().zip(cells(&place, "release", "age")).collect();
    assert_eq!(shown.len(), 2);
    for (sex, mean) in shown {
        let expected = sums[&sex] as f64 / count[&sex] as f64;
        assert!((mean.parse::<f64>().unwrap() - expected).abs() <= 0.005, "{sex} {mean} {expected}");
    }
}

#[test]
fn pseudonyms_are_stable_keyed_and_told() {
    let text = job("name", "pseudonym = { key = \"secret.key\" }");
    let place = Place::with(&text, table(60));
    place.anonymize(&[]).expect(2).says(&["attributes[0].pseudonym", "secret.key"]);
    place.write("secret.key", "short");
    place.anonymize(&[]).expect(2).says(&["can be guessed"]);
    place.write("secret.key", KEY);
    let found = place.anonymize(&["--json"]).expect(0).json();
    let warned = found["warnings"].as_array().unwrap().iter().any(|warning| {
        let warning = warning.as_str().unwrap();
        warning.contains("name is released as pseudonyms") && warning.contains("personal data")
    });
    assert!(warned, "{}", found["warnings"]);
    assert!(place.read("release.private/report.html").contains("keyed pseudonyms instead of the cells"));
    let pseudonyms = cells(&place, "release", "name");
    assert!(pseudonyms.iter().all(|cell| cell.len() == 32));
    assert_eq!(pseudonyms.iter().collect::<BTreeSet<_>>().len(), pseudonyms.len());
    for name in
        ["release/data.csv", "release/manifest.json", "release/report.html", "release.private/transform.json"]
    {
        let text = place.read(name);
        assert!(
            !text.contains("person 1") && !text.contains(KEY.trim()) && !text.contains("secret.key"),
            "{name}"
        );
    }
    // The same with the same key, others with another one.
    place.anonymize(&["--output", "again"]).expect(0);
    assert_eq!(cells(&place, "again", "name"), pseudonyms);
    place.write("secret.key", format!("another {KEY}"));
    place.anonymize(&["--output", "third"]).expect(0);
    assert!(cells(&place, "third", "name").iter().all(|cell| !pseudonyms.contains(cell)));
    // A name in their place is found, and so is a column that is not said to be pseudonyms.
    assert!(planted(&place, &pseudonyms[0], "person 7").contains(&"treatment".to_owned()));
    let manifest = place.read("release/manifest.json");
    let start = manifest.find("\"treatment\"").unwrap();
    let end = start + manifest[start..].find('}').unwrap() + 1;
    let without = format!("{}{}", manifest[..start].trim_end().trim_end_matches(','), &manifest[end..]);
    place.write("release/manifest.json", without);
    let found = violated(&place.run(&["verify", "release", "--json"]).expect(1));
    assert!(found.contains(&"identifiers".to_owned()), "{found:?}");
}

#[test]
fn a_sample_is_drawn_first_and_told() {
    let sampled =
        |drawn: &str| unregistered(&JOB.replace("[input]\n", &format!("[input]\nsample = {{ {drawn} }}\n")));
    let place = Place::with(&sampled("share = 0.5, key = \"sample.key\""), table(400));
    place.anonymize(&[]).expect(2).says(&["input.sample", "sample.key"]);
    place.write("sample.key", KEY);
    let found = place.anonymize(&["--json"]).expect(0).json();
    let rows = found["input"]["rows"].as_u64().unwrap();
    assert!((150..250).contains(&rows), "{rows}");
    let sample = &found["treatments"]["sample"];
    assert_eq!(
        (&sample["share"], &sample["of"], &sample["rows_of_table"]),
        (&"0.5".into(), &"rows".into(), &400.into())
    );
    let warned = found["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|warning| warning.as_str().unwrap().contains("k-map"));
    assert!(warned, "{}", found["warnings"]);
    assert_eq!(place.json("release/manifest.json")["input"]["sample"]["share"], "0.5");
    assert_eq!(place.json("release/report.json")["treatments"]["sample"].get("rows_of_table"), None);
    let verdict = place.run(&["verify", "release"]).expect(0);
    assert!(verdict.out.contains("was drawn with probability 0.5"), "{}", verdict.out);
    // The same key draws the same rows, another one others; a seed is told to be one.
    let first = place.bytes("release/data.csv");
    place.anonymize(&["--output", "again"]).expect(0);
    assert_eq!(place.bytes("again/data.csv"), first);
    place.write("paravent.toml", sampled("share = 0.5, seed = 3"));
    let seeded = place.anonymize(&["--output", "third", "--json"]).expect(0).json();
    assert_ne!(place.bytes("third/data.csv"), first);
    assert!(seeded["warnings"].to_string().contains("drawn by a seed"));
    // The subset says already which rows leave.
    let subset = "{ model = \"delta-presence\", min = 0.0, max = 0.9, subset = \"in\" },\n]";
    place.write("paravent.toml", sampled("share = 0.5, seed = 3").replace(",\n]", &format!(",\n  {subset}")));
    place.anonymize(&["--force"]).expect(2).says(&["input.sample", "the subset says already"]);
}

#[test]
fn people_are_drawn_with_all_their_rows() {
    let text = JOB
        .replace("[input]\n", "[input]\nsample = { share = 0.5, seed = 1 }\n")
        .replace("[privacy]\n", "[privacy]\nperson = \"name\"\n");
    // Three rows of everybody.
    let rows = table(90);
    let mut text_rows: Vec<&str> = rows.lines().collect();
    text_rows.extend(rows.lines().skip(1));
    text_rows.extend(rows.lines().skip(1));
    let place = Place::with(&unregistered(&text), text_rows.join("\n") + "\n");
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(found["treatments"]["sample"]["of"], "people");
    assert_eq!(found["input"]["rows"].as_u64().unwrap() % 3, 0);
    let people = found["solution"]["people"]["read"].as_u64().unwrap();
    assert_eq!(found["input"]["rows"], 3 * people);
    assert!((25..65).contains(&people), "{people}");
}

#[test]
fn suppression_that_counts_less_is_used_more() {
    let run = |more: &str| {
        let job =
            unregistered(JOB).replace("[output]", &format!("[search]\nmetric = \"loss\"\n{more}\n[output]"));
        let place = Place::with(&job, table(200));
        let found = place.anonymize(&["--json"]).expect(0).json();
        place.run(&["verify", "release"]).expect(0);
        found
    };
    let suppressed = |found: &Value| found["solution"]["suppressed_rows"].as_u64().unwrap();
    let loss = |found: &Value| found["solution"]["loss"].as_f64().unwrap();
    for recoding in ["", "recoding = \"local\""] {
        let even = run(recoding);
        let cheap = run(&format!("{recoding}\ngs_factor = 0.0"));
        assert_eq!(cheap["treatments"]["gs_factor"], "0");
        assert!(
            suppressed(&cheap) >= suppressed(&even),
            "{recoding}: {} {}",
            suppressed(&cheap),
            suppressed(&even)
        );
        assert!(loss(&cheap) <= loss(&even));
        // The published figures are not rescaled.
        assert!(cheap["solution"]["losses"]["loss"].as_f64().unwrap() >= loss(&cheap));
        let dear = run(&format!("{recoding}\ngs_factor = 1"));
        assert!(suppressed(&dear) <= suppressed(&cheap));
    }
    let place = Place::with(
        &JOB.replace("[output]", "[search]\nmetric = \"height\"\ngs_factor = 0.2\n[output]"),
        table(60),
    );
    place.anonymize(&[]).expect(2).says(&["search.gs_factor", "height has no balance"]);
}

#[test]
fn treatments_that_nobody_would_do_are_refused() {
    let (job, rows) = costs("round = 50");
    let place = Place::with(&job, rows);
    for more in [&["slice", "--groups", "age,sex;diagnosis", "--bucket", "5"][..], &["noise"]] {
        let args =
            [&more[..1], &["patients.csv", "--job", "paravent.toml", "-o", "out.csv"], &more[1..]].concat();
        place.run(&args).expect(2).says(&[&format!("{} does not treat cells", more[0])]);
        assert!(!place.path("out.csv").exists());
    }
    let intervals = "hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }";
    for (old, new, says) in [
        (
            intervals,
            format!("{intervals}\naggregate = \"mean\""),
            "classes are made of the other quasi-identifiers",
        ),
        ("name = \"sex\"", "name = \"sex\"\naggregate = \"mean\"".to_owned(), "is for numbers"),
        ("name = \"age\"", "name = \"age\"\nround = 5\ntop = 93".to_owned(), "is no multiple of round"),
        ("name = \"age\"", "name = \"age\"\nbottom = 90\ntop = 10".to_owned(), "must be above bottom"),
        ("name = \"age\"", "name = \"age\"\nround = 0".to_owned(), "must be above 0"),
        ("name = \"age\"", "name = \"age\"\nround = 2.5".to_owned(), "whole number"),
        (
            "name = \"age\"",
            "name = \"age\"\npseudonym = { key = \"k\" }".to_owned(),
            "is for identifying columns",
        ),
        ("name = \"name\"", "name = \"name\"\nround = 5".to_owned(), "the column is left out"),
        ("[input]\n", "[input]\nsample = { share = 1.5, seed = 1 }\n".to_owned(), "above 0 and below 1"),
        ("[input]\n", "[input]\nsample = { share = 0.5 }\n".to_owned(), "sample.key"),
    ] {
        let place = Place::with(&JOB.replace(old, &new), table(60));
        place.anonymize(&[]).expect(2).says(&[says]);
    }
}

#[test]
fn boxes_go_with_all_treatments_at_once() {
    let (job, rows) = costs("round = 50\nbottom = 200\ntop = 800");
    let job = job
        .replace("[input]\n", "[input]\nsample = { share = 0.9, key = \"sample.key\" }\n")
        .replace("name = \"name\"\n", "name = \"name\"\npseudonym = { key = \"secret.key\" }\n")
        .replace("name = \"age\"\n", "name = \"age\"\nbottom = 25\ntop = 50\n")
        .replace("[output]", "[search]\nmetric = \"loss\"\nrecoding = \"local\"\ngs_factor = 0.25\n[output]");
    let place = Place::with(&job, rows);
    place.write("sample.key", KEY);
    place.write("secret.key", KEY);
    let found = place.anonymize(&["--json"]).expect(0).json();
    assert_eq!(found["solution"]["recoding"], "local");
    let (loss, bound) = (&found["solution"]["loss"], &found["solution"]["lower_bound"]);
    assert!(bound.as_f64().unwrap() <= loss.as_f64().unwrap(), "{bound} {loss}");
    let allowed = |cost: &String| {
        cost.parse::<f64>().is_ok_and(|cost| cost % 50.0 == 0.0 && (200.0..=800.0).contains(&cost))
    };
    assert!(cells(&place, "release", "cost").iter().all(allowed));
    let exact = |age: &String| age.parse::<u32>().is_ok_and(|age| !(25..=50).contains(&age));
    assert!(!cells(&place, "release", "age").iter().any(exact));
    assert!(cells(&place, "release", "name").iter().all(|name| name.len() == 32));
    place.run(&["verify", "release"]).expect(0);
    let cost = cells(&place, "release", "cost")[0].clone();
    assert!(planted(&place, &format!(",{cost}\n"), ",810\n").contains(&"treatment".to_owned()));
    // The same rows again: the same boxes, and what was done to the other columns.
    place.anonymize(&["--apply", "release", "--output", "again"]).expect(0);
    place.run(&["verify", "again"]).expect(0);
    let both = place.run(&["compare", "release", "again", "--json"]).expect(0).json();
    assert_eq!(both["a"]["recoding"], "local");
}
