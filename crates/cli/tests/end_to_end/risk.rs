//! `paravent risk` and `paravent measure`.

use crate::support::{JOB, Place, keys, patients, table};

#[test]
fn a_table_and_its_release_are_measured() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let table = place.run(&["risk", "patients.csv", "--job", "paravent.toml", "--json"]).expect(0).json();
    let release = place.run(&["risk", "release", "--json"]).expect(0).json();
    assert_eq!((table["kind"].as_str(), release["kind"].as_str()), (Some("table"), Some("release")));
    assert_eq!(table["rows"], 60);
    assert!(release["classes"]["smallest"].as_u64().unwrap() >= 3);
    assert!(release["sensitive"][0]["distinct_l"].as_u64().unwrap() >= 2);
    assert!(release["prosecutor"]["mean"].as_f64() < table["prosecutor"]["mean"].as_f64());
    assert!(release.get("journalist").is_none(), "nothing is known of a population");

    let report = place.json("release.private/report.json");
    let after = &report["risk"]["after"];
    assert_eq!(keys(&report["risk"]), ["threshold", "before", "after"]);
    assert_eq!((&after["rows"], &after["classes"]), (&release["rows"], &release["classes"]["count"]));
    assert_eq!(after["prosecutor"], release["prosecutor"]);
    assert_eq!(report["risk"]["before"]["unique_rows"], table["classes"]["unique_rows"]);
    assert!(place.read("release.private/report.html").contains("Risk before and after"));
}

#[test]
fn roles_can_be_named_on_the_command_line() {
    let place = Place::new();
    let args =
        ["risk", "patients.csv", "--quasi-identifiers", "age,sex", "--sensitive", "diagnosis", "--json"];
    let found = place.run(&args).expect(0).json();
    assert_eq!(found["quasi_identifiers"], serde_json::json!(["age", "sex"]));
    assert_eq!(found["combinations"]["subsets"].as_array().unwrap().len(), 3);
    let text = place.run(&args[..args.len() - 1]).expect(0);
    assert!(text.out.contains("prosecutor") && text.out.contains("diagnosis"), "{}", text.out);
    assert!(
        place
            .run(&["risk", "patients.csv", "--quasi-identifiers", "age", "--quiet"])
            .expect(0)
            .out
            .is_empty()
    );
}

#[test]
fn populations_give_a_journalist() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    place.write("everybody.csv", table(600));
    let known =
        place.run(&["risk", "release", "--population-table", "everybody.csv", "--json"]).expect(0).json();
    assert_eq!(known["journalist"]["source"], "population-table");
    assert_eq!(known["journalist"]["known"]["rows_not_covered"], 0);
    let guessed = place.run(&["risk", "release", "--population", "600", "--json"]).expect(0).json();
    assert_eq!(guessed["journalist"]["source"], "estimate");
    assert!(guessed["population_uniques"]["estimate"].as_f64().unwrap() >= 0.0);
    // Raw values that the hierarchies have never seen are nobody of the release.
    place.write("strangers.csv", "age,sex,zip\n30,f,1\nold,x,81660\n");
    let strangers =
        place.run(&["risk", "release", "--population-table", "strangers.csv", "--json"]).expect(0).json();
    assert_eq!(strangers["journalist"]["known"]["rows_not_covered"], strangers["rows"]);
}

#[test]
fn pages_and_documents_are_written_once() {
    let place = Place::new();
    let args = ["risk", "patients.csv", "--job", "paravent.toml", "--html", "page.html", "--out", "risk"];
    place.run(&args).expect(0);
    let page = place.read("page.html");
    assert!(page.contains("Risk of a table") && page.contains("<svg") && !page.contains("<script"));
    assert_eq!(page, place.read("risk/risk.html"));
    assert_eq!(place.json("risk/risk.json")["rows"], 60);
    place.run(&args).expect(4).says(&["page.html: is there already", "--force"]);
    place.run(&[&args[..], &["--force"]].concat()).expect(0);
}

#[test]
fn what_is_wrong_is_said() {
    let place = Place::new();
    place.run(&["risk", "patients.csv"]).expect(2).says(&["patients.csv", "--quasi-identifiers a,b,c"]);
    let unknown = ["risk", "patients.csv", "--quasi-identifiers", "age,sexx"];
    place.run(&unknown).expect(2).says(&["no column \"sexx\"", "did you mean \"sex\"?"]);
    place
        .run(&["risk", "patients.csv", "--quasi-identifiers", "age", "--sensitive", "age"])
        .expect(2)
        .says(&["named twice"]);
    std::fs::create_dir(place.path("empty")).unwrap();
    place.run(&["risk", "empty"]).expect(4).says(&["empty: not a release", "manifest.json"]);
    place.run(&["risk", "none.csv", "--quasi-identifiers", "a"]).expect(4).says(&["none.csv: no such file"]);
    place.run(&["risk", "patients.csv", "--job", "none.toml"]).expect(4).says(&["none.toml"]);
    let with =
        |more: &[&str]| place.run(&[&["risk", "patients.csv", "--job", "paravent.toml"], more].concat());
    for fraction in ["0", "1.01", "-1", "nan"] {
        with(&[&format!("--sampling-fraction={fraction}")]).expect(2).says(&["above 0 and at most 1"]);
    }
    with(&["--population", "59"]).expect(2).says(&["59 people", "60 rows"]);
    with(&["--threshold", "0"]).expect(2).says(&["threshold"]);
    with(&["--population", "600", "--sampling-fraction", "0.1"]).expect(2);
    place.write("others.csv", "age,sex\n1,f\n");
    with(&["--population-table", "others.csv"]).expect(2).says(&["others.csv", "no column \"zip\""]);
}

#[test]
fn a_release_that_was_tampered_with_is_an_error_not_a_panic() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let manifest = place.read("release/manifest.json");
    for (from, to) in
        [("\"format\": 2", "\"format\": 3"), ("\"quasi-identifier\"", "\"identifying\""), ("{", "[")]
    {
        place.write("release/manifest.json", manifest.replacen(from, to, 1));
        place.run(&["risk", "release"]).expect(4).says(&["manifest.json"]);
    }
    place.write("release/manifest.json", manifest);
    std::fs::remove_file(place.path("release.private/transform.json")).unwrap();
    place.run(&["risk", "release"]).expect(4).says(&["transform.json"]);
}

#[test]
fn no_cell_is_told() {
    let rows = "SECRET7,30,f,SECRET7,SECRET7\nSECRET7,30,SECRET7,81660,SECRET7\n";
    let place = Place::with(&JOB.replace("l = 2", "l = 1"), patients() + rows);
    let args = ["risk", "patients.csv", "--job", "paravent.toml", "--html", "page.html"];
    for args in [&args[..], &["risk", "patients.csv", "--job", "paravent.toml", "--json"]] {
        let run = place.run(args).expect(0);
        assert!(!run.out.contains("SECRET7") && !run.err.contains("SECRET7"));
    }
    assert!(!place.read("page.html").contains("SECRET7"));
    let headless = Place::with(JOB, "SECRET7,30,f,81660,flu\n");
    let run = headless.run(&["risk", "patients.csv", "--job", "paravent.toml"]).expect(2);
    assert!(!run.err.contains("SECRET7"), "{}", run.err);
}

#[test]
fn measures_give_the_figures_of_the_literature() {
    let place = Place::new();
    let near = |value: &serde_json::Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-5;
    let found = place.run(&["measure", "anonymity", "0.7", "0.1", "1/10", "0.1", "--json"]).expect(0).json();
    assert!(near(&found["degree"], 0.67839) && near(&found["entropy"], 1.35678));
    let found =
        place.run(&["measure", "unlinkability", "0.25", "--before", "0.5", "--json"]).expect(0).json();
    assert!(near(&found["degree"], 0.811_278) && found["existential_break"] == true);
    place.write("ways.csv", "grouping,probability\na b c,0.2\na b|c,0.2\na c|b,0.2\nb c|a,0.2\na|b|c,0.2\n");
    let found =
        place.run(&["measure", "unlinkability", "--groupings", "ways.csv", "--json"]).expect(0).json();
    assert!(near(&found["degree"], 1.0) && found["relations"] == 5);
    place.write("starts.csv", "who,home,work\nann,0.4,0.4\n");
    place.write("trips.csv", "from,shop,gym\nhome,0.5,0.5\nwork,0.25,0.75\n");
    place.write("arrivals.csv", "to,ann\nshop,0.5\ngym,1\n");
    let args = ["measure", "trips", "starts.csv", "trips.csv", "arrivals.csv"];
    let found = place.run(&[&args[..], &["--json"]].concat()).expect(0).json();
    assert!(near(&found["individuals"][0]["percent"], 91.144_06));
    assert!(place.run(&args).expect(0).out.contains("91.14 %"));

    place.write("heights.csv", HEIGHTS);
    let args = [
        "measure",
        "information",
        "heights.csv",
        "--quasi-identifiers",
        "height",
        "--sensitive",
        "has",
        "--json",
    ];
    let found = place.run(&args).expect(0).json();
    let info = &found["sensitive"][0]["information"];
    assert!(
        near(&info["identity_told"], 1.918_296)
            && near(&info["value_told"], 0.540_852)
            && near(&info["l_max"], 1.754_765)
    );
    assert_eq!(found["sensitive"][0]["classes"].as_array().unwrap().len(), 4);
}

/// Twelve people in classes of 10 cm.
const HEIGHTS: &str = "height,has\n160-170,N\n160-170,N\n160-170,N\n160-170,N\n170-180,N\n170-180,Y\n170-180,N\n170-180,N\n\
                       180-190,N\n180-190,N\n190-200,Y\n190-200,Y\n";

#[test]
fn probabilities_that_are_none_are_refused() {
    let place = Place::new();
    place.run(&["measure", "anonymity", "0.5", "0.6"]).expect(2).says(&["sum to 1.1"]);
    place.run(&["measure", "anonymity", "often"]).expect(2).says(&["0.25 or 1/4"]);
    place.run(&["measure", "unlinkability"]).expect(2);
    place.run(&["measure", "unlinkability", "--groupings", "none.csv"]).expect(4).says(&["none.csv"]);
    place.write("ways.csv", "grouping,probability\na|b,0.5\nb|a,0.5\n");
    place
        .run(&["measure", "unlinkability", "--groupings", "ways.csv"])
        .expect(2)
        .says(&["grouping 2 was listed before"]);
    place
        .run(&["measure", "information", "patients.csv", "--quasi-identifiers", "age"])
        .expect(2)
        .says(&["--sensitive"]);
    // Whoever arrives is one person at most.
    place.write("starts.csv", "who,home,work\nann,0.4,0.4\nbob,0.5,0.5\n");
    place.write("trips.csv", "from,shop,gym\nhome,0.5,0.5\nwork,0.25,0.75\n");
    place.write("arrivals.csv", "to,ann,bob\nshop,0.7,0.7\ngym,0.5,0.5\n");
    place
        .run(&["measure", "trips", "starts.csv", "trips.csv", "arrivals.csv"])
        .expect(4)
        .says(&["arrivals.csv"]);
    place.write("arrivals.csv", "to,ann,bob\nshop,0.5,0.5\ngym,0.5,0.4\n");
    place.run(&["measure", "trips", "starts.csv", "trips.csv", "arrivals.csv"]).expect(0);
}

#[test]
fn beliefs_distances_consent_and_assignments_are_measured() {
    let place = Place::new();
    place.write("who.csv", "grouping,probability\nann buys|bob sells,0.5\nbob buys|ann sells,0.5\n");
    let args = ["measure", "unlinkability", "--groupings", "who.csv", "--users", "ann,bob", "--json"];
    assert_eq!(place.run(&args).expect(0).json()["degree"], 1.0);
    place.write("amounts.csv", "place,before,after\n0,1,0\n1,0,1\n10,0.2,0\n14,0,0.2\n20,0.5,0\n23,0,0.5\n");
    let work = place.run(&["measure", "distance", "amounts.csv", "--json"]).expect(0).json();
    assert!((work["work"].as_f64().unwrap() - 3.3).abs() < 1e-9, "{work}");
    place.write("few.csv", "place,before,after\na,1,0\nb,0,1\n");
    place.write("odd.csv", "place,a,b\na,0,1\nb,2,0\n");
    place.run(&["measure", "distance", "few.csv", "--ground", "odd.csv"]).expect(2).says(&["both ways"]);
    place.write("t.csv", "age,illness\n1,flu\n1,flu\n1,hiv\n2,flu\n2,hiv\n2,hiv\n");
    let table = ["t.csv", "--quasi-identifiers", "age", "--sensitive", "illness"];
    place.write("prior.csv", "value,probability\nflu,0.8\nhiv,0.2\n");
    let beliefs = [&["measure", "beliefs"], &table[..], &["--prior", "prior.csv", "--json"]].concat();
    let found = place.run(&beliefs).expect(0).json();
    let after = found["sensitive"][0]["classes"][0]["posterior"][0].as_f64().unwrap();
    assert!((after - 0.8 * 2.0 / (0.8 * 2.0 + 0.2)).abs() < 1e-9, "{found}");
    let excluded = [&["measure", "beliefs"], &table[..], &["--exclude", "flu,hiv"]].concat();
    place.run(&excluded).expect(2).says(&["every value is ruled out"]);
    let given = [&["measure", "information"], &table[..], &["--t", "0.2", "--json"]].concat();
    let l_t = place.run(&given).expect(0).json()["sensitive"][0]["given"]["l_t"].as_f64().unwrap();
    assert!((l_t - 2f64.powf(0.8)).abs() < 1e-9, "one bit of entropy");
    place.write("consents.csv", "person,purpose,until\n1,research,2024-12-31\n");
    let args = [
        "measure",
        "consent",
        "t.csv",
        "--person",
        "age",
        "--columns",
        "illness",
        "--consents",
        "consents.csv",
    ];
    let on = |day: &'static str| [&args[..], &["--purpose", "research", "--on", day, "--json"]].concat();
    assert_eq!(place.run(&on("2024-06-30")).expect(0).json()["rows_covered"], 3);
    assert_eq!(place.run(&on("2025-06-30")).expect(0).json()["rows_covered"], 0);
}
