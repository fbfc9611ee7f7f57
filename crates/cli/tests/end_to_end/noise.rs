//! `noise`, which needs no SQL engine.

use super::support::{JOB, Outcome, Place, keys, names};
use serde_json::Value;

pub(super) fn rich(place: &Place) {
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "100"]).expect(0);
}

pub(super) fn noise(place: &Place, more: &[&str]) -> Outcome {
    place.run(&[&["--json", "noise", "patients.csv"], more].concat())
}

fn column<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let at = text.lines().next().unwrap().split(',').position(|own| own == name).unwrap();
    text.lines().skip(1).map(|line| line.split(',').nth(at).unwrap()).collect()
}

#[test]
fn cells_are_redrawn_with_the_given_probability_and_every_copy_is_paid_for() {
    let place = Place::new();
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "3"]).expect(0);
    let noise = |column: &str, output: &str| noise(&place, &["--column", column, "--output", output]);
    let document = noise("sex=0.5:uniform('f', 'm')", "noisy.csv").expect(0).json();
    assert_eq!(document["rows"], 60);
    assert_eq!(document["operators"][0]["operator"], "randomize");
    let others = |text: String| {
        let pair = |(age, zip): (&&str, &&str)| format!("{age},{zip}");
        let mut others: Vec<String> =
            column(&text, "age").iter().zip(&column(&text, "zip")).map(pair).collect();
        others.sort();
        others
    };
    assert_eq!(others(place.read("noisy.csv")), others(place.read("patients.csv")), "other columns stay");
    // ε = ln 3 is charged; a copy that changes nothing has no ε at all.
    assert_eq!(document["operators"][0]["epsilon"], "1.098613");
    noise("sex=0.5:uniform('f', 'm')", "again.csv").expect(0);
    let third = noise("sex=0.5:uniform('f', 'm')", "third.csv").expect(2).json();
    assert!(third["error"]["message"].as_str().unwrap().contains("left ε = 0.802774"), "{third}");
    let free = noise("sex=0", "same.csv").expect(2).json();
    assert!(free["error"]["message"].as_str().unwrap().contains("--allow-unbounded"), "{free}");
    place
        .run(&["noise", "patients.csv", "--column", "sex=0", "--output", "same.csv", "--allow-unbounded"])
        .expect(0);
    noise("sex=2", "none.csv").expect(2);
    noise("sex", "none.csv").expect(2);
    noise("sexx=0.1", "none.csv").expect(2);
    assert!(!place.names().contains(&"none.csv".to_owned()));
    let list = place.run(&["--json", "ledger", "list", "patients.csv"]).expect(0).json();
    assert_eq!(list["recipients"][0]["epsilon"], "2.197226");
    assert_eq!(list["recipients"][0]["unbounded"], 1);
    // Where there is a place already, nothing is paid.
    let before = place.read("patients.ledger.jsonl");
    noise("sex=0.9:uniform('f', 'm')", "noisy.csv").expect(4);
    assert_eq!(place.read("patients.ledger.jsonl"), before);
}

#[test]
fn a_job_keeps_its_identifying_columns_and_its_quasi_identifiers() {
    let place = Place::new();
    let noise = |more: &[&str]| {
        let start = ["noise", "patients.csv", "--job", "paravent.toml", "--output", "noisy.csv", "--force"];
        place.run(&[&start[..], more].concat())
    };
    noise(&["--column", "sex=0.2"]).expect(2).says(&["\"age\"", "stays exact", "release = \"as it is\""]);
    noise(&["--column", "name=0.9"]).expect(2).says(&["\"name\"", "identifying"]);
    assert!(!place.names().contains(&"noisy.csv".to_owned()), "nothing is written");
    let with_budget =
        place.read("paravent.toml").replace("[privacy]\n", "[privacy]\nbudget = { epsilon = 100 }\n");
    place.write("paravent.toml", with_budget);
    noise(&["--column", "sex=0.2", "--column", "age=0.5", "--column", "zip=0.5"]).expect(0);
    assert_eq!(place.read("noisy.csv").lines().next(), Some("age,sex,zip,diagnosis"));
    let released = place
        .read("paravent.toml")
        .replace("name = \"age\"\n", "name = \"age\"\nrelease = \"as it is\"\n")
        .replace("name = \"zip\"\n", "name = \"zip\"\nrelease = \"as it is\"\n");
    place.write("paravent.toml", released);
    noise(&["--column", "sex=0.2"]).expect(0);
    // A column that the job does not mention does not leave.
    let unmentioned = place
        .read("paravent.toml")
        .replace("[[attributes]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n", "");
    let unmentioned = unmentioned
        .replace("  { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 },\n", "");
    place.write("paravent.toml", unmentioned);
    let told = noise(&["--column", "sex=0.2"]).expect(0).out;
    assert!(told.contains("Left out: diagnosis (not mentioned in the job)"), "{told}");
    assert_eq!(place.read("noisy.csv").lines().next(), Some("age,sex,zip"));
}

#[test]
fn numbers_get_noise_within_their_bounds() {
    let place = Place::new();
    rich(&place);
    let drawn = |law: &str, output: &str| {
        noise(
            &place,
            &["--column", &format!("age=epsilon(2):{law}"), "--output", output, "--seed", "1", "--force"],
        )
    };
    for law in ["laplace", "geometric"] {
        let document = drawn(&format!("{law}(min => 0, max => 100)"), "n.csv").expect(0).json();
        // The rounding of Laplace noise to steps takes a little off what it gives away.
        let epsilon = document["operators"][0]["columns"][0]["epsilon"].as_f64().unwrap();
        assert!(epsilon <= 2.0 && epsilon > 1.99, "{document}");
        assert!(law == "laplace" || epsilon > 1.999_999, "{document}");
        let text = place.read("n.csv");
        let ages: Vec<i64> = column(&text, "age").iter().map(|age| age.parse().unwrap()).collect();
        assert!(ages.iter().all(|age| (0..=100).contains(age)));
        assert_ne!(column(&text, "age"), column(&place.read("patients.csv"), "age"));
    }
    let stepped = drawn("laplace(min => 20, max => 60, step => 5)", "n.csv").expect(0).json();
    assert_eq!(stepped["operators"][0]["columns"][0]["values"], 9);
    assert!(column(&place.read("n.csv"), "age").iter().all(|age| age.parse::<i64>().unwrap() % 5 == 0));
    let mean = &stepped["operators"][0]["columns"][0]["mean"];
    assert!(mean["estimate"].is_number() && mean["standard_error"].as_f64().unwrap() > 0.0, "{stepped}");
    let gaussian = ["--column", "age=epsilon(2, 1e-6):gaussian(min => 0, max => 100)", "--output", "g.csv"];
    let document = noise(&place, &gaussian).expect(0).json();
    let delta = document["operators"][0]["delta"].as_str().unwrap();
    assert!(["0", "0.000001"].contains(&delta), "{document}");
    // Outside of the bounds: refused with the row, or clamped.
    let told = drawn("laplace(min => 30, max => 50)", "no.csv").expect(2).json();
    let message = told["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("row ") && message.contains("\"age\"") && message.contains("clamp"),
        "{message}"
    );
    drawn("laplace(min => 30, max => 50, outside => clamp)", "c.csv").expect(0);
    let told = drawn("laplace(min => 0, max => 100, step => 7)", "no.csv").expect(2).json();
    assert!(told.to_string().contains("whole number of steps"), "{told}");
    noise(&place, &["--column", "age=0.5:laplace(min => 0, max => 9)", "--output", "no.csv"]).expect(2);
    assert!(!place.names().contains(&"no.csv".to_owned()));
}

#[test]
fn a_missing_cell_is_a_value_or_is_replaced_or_refused() {
    let place =
        Place::with(JOB, "name,age,sex,zip,diagnosis\na,30,f,81667,flu\nb,,,81667,gout\nc,40,m,81668,flu\n");
    rich(&place);
    let drawn =
        |column: &str| noise(&place, &["--column", column, "--output", "n.csv", "--force", "--seed", "3"]);
    let told = drawn("sex=0.5:uniform('f', 'm')").expect(2).json().to_string();
    assert!(told.contains("row 2") && told.contains("NULL"), "{told}");
    let document = drawn("sex=0.5:uniform('f', 'm', NULL)").expect(0).json();
    assert_eq!(document["operators"][0]["columns"][0]["values"], 3);
    assert_eq!(document["operators"][0]["columns"][0]["estimates"][2]["value"], Value::Null);
    drawn("sex=0.5:uniform('f', 'm', missing => draw)").expect(0);
    assert!(column(&place.read("n.csv"), "sex").iter().all(|sex| *sex == "f" || *sex == "m"));
    drawn("age=epsilon(1):laplace(min => 0, max => 100)").expect(2);
    drawn("age=epsilon(1):laplace(min => 0, max => 100, missing => draw)").expect(0);
    assert!(column(&place.read("n.csv"), "age").iter().all(|age| !age.is_empty()));
    let told = drawn("diagnosis=0.5:uniform('flu', 'angina')").expect(2).json().to_string();
    assert!(told.contains("row 2") && !told.contains("gout"), "no cell is told: {told}");
    drawn("diagnosis=0.5:uniform('flu', 'angina', other => 'angina')").expect(0);
    assert!(!place.read("n.csv").contains("gout"));
}

#[test]
fn a_kernel_may_be_a_table_and_a_wrong_one_is_refused() {
    let place = Place::new();
    rich(&place);
    let drawn = |column: &str| noise(&place, &["--column", column, "--output", "n.csv", "--force"]);
    place.write("kernel.csv", "from,f,m\nf,0.75,0.25\nm,0.25,0.75\n");
    let document = drawn("sex=1:kernel('kernel.csv')").expect(0).json();
    assert_eq!(document["operators"][0]["epsilon"], "1.098613", "two fair coins, as a table");
    place.write("wrong.csv", "from,f,m\nf,0.75,0.25\nm,0.25,0.76\n");
    let told = drawn("sex=1:kernel('wrong.csv')").expect(2).json().to_string();
    assert!(told.contains("line 3") && told.contains("1.01"), "{told}");
    // An ε that is claimed for a table is computed, not believed.
    let told = drawn("sex=epsilon(1):kernel('kernel.csv')").expect(2).json().to_string();
    assert!(told.contains("ε = 1 is not kept") && told.contains("ln 3"), "{told}");
    drawn("sex=epsilon(1.1):kernel('kernel.csv')").expect(0);
    drawn("sex=1:kernel('absent.csv')").expect(2);
}

#[test]
fn noise_may_depend_on_another_column() {
    let place = Place::new();
    rich(&place);
    let by = "sex=0.5:uniform('f', 'm', by => diagnosis, cases => (('flu', 0.2), ('gout', 1)))";
    let document = noise(&place, &["--column", by, "--output", "n.csv", "--seed", "2"]).expect(0).json();
    // The rows of flu are the dearest: 0.9 against 0.1.
    assert_eq!(document["operators"][0]["epsilon"], "2.197225", "{document}");
    let without = "sex=0.5:uniform('f', 'm', by => diagnosis)";
    noise(&place, &["--column", without, "--output", "no.csv"]).expect(2);
}

pub(super) const NOISY_JOB: &str = r#"version = 1

[input]
path = "patients.csv"

[[attributes]]
name = "name"
role = "identifying"

[[attributes]]
name = "age"
role = "quasi-identifier"
noise = { law = "laplace", epsilon = "0.5", min = "0", max = "100", step = "5" }

[[attributes]]
name = "sex"
role = "quasi-identifier"
noise = { epsilon = "1", values = ["f", "m"] }

[[attributes]]
name = "zip"
role = "insensitive"

[[attributes]]
name = "diagnosis"
role = "sensitive"
noise = { kernel = [["", "flu", "gout", "asthma", "angina"], ["flu", 0.4, 0.2, 0.2, 0.2], ["gout", 0.2, 0.4, 0.2, 0.2], ["asthma", 0.2, 0.2, 0.4, 0.2], ["angina", 0.2, 0.2, 0.2, 0.4]] }

[privacy]
budget = { epsilon = "5", delta = "1e-6" }
models = [{ model = "k-anonymity", k = 3 }]

[output]
path = "release"
"#;

pub(super) fn released(place: &Place, more: &[&str]) -> Outcome {
    noise(place, &[&["--job", "paravent.toml", "--release", "noisy"], more].concat())
}

#[test]
fn a_release_has_two_folders_a_manifest_a_report_and_a_register_line() {
    let place = Place::with(NOISY_JOB, super::support::patients());
    let document = released(&place, &[]).expect(0).json();
    assert_eq!(document["release"]["output"]["verified"], true);
    assert_eq!(names(&place.path("noisy")), ["data.csv", "manifest.json", "report.html", "report.json"]);
    assert_eq!(names(&place.path("noisy.private")), ["report.html", "report.json", "transform.json"]);
    let manifest = place.json("noisy/manifest.json");
    assert_eq!((&manifest["kind"], &manifest["seeded"]), (&Value::from("noise"), &Value::from(false)));
    assert_eq!(manifest["columns"], serde_json::json!(["age", "sex", "zip", "diagnosis"]));
    assert_eq!(manifest["dropped"], serde_json::json!(["name"]));
    let epsilons: Vec<&str> = manifest["noise"]
        .as_array()
        .unwrap()
        .iter()
        .map(|noise| noise["epsilon"].as_str().unwrap())
        .collect();
    assert_eq!(epsilons[1..], ["0.693148", "1"], "{manifest}");
    assert!(
        epsilons[0].starts_with("0.49") && manifest["epsilon"].as_str().unwrap().starts_with("2.19"),
        "{manifest}"
    );
    assert_eq!(manifest["ledger"]["lines"][0]["line"], 2);
    // What is handed out says nothing of the original, of the budget or of earlier releases.
    let handed_out = place.read("noisy/report.json") + &place.read("noisy/manifest.json");
    for word in ["\"input\"", "\"changed\"", "\"left\"", "\"spent\"", "\"register\"", "\"seed\"", "person"] {
        assert!(!handed_out.contains(word), "{word}");
    }
    let private = place.json("noisy.private/report.json");
    assert!(keys(&private).contains(&"changed") && private["input"]["rows"] == 60, "{private}");
    assert!(place.read("noisy/report.html").contains("ε of a row"));
    let verified = place.run(&["--json", "verify", "noisy"]).expect(0).json();
    let checks: Vec<&str> =
        verified["checks"].as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    for name in ["digest", "bytes", "manifest", "order", "files", "domain", "epsilon", "budget", "ledger"] {
        assert!(checks.contains(&name), "{name}: {checks:?}");
    }
    let register = place.run(&["register", "list"]).expect(0).out;
    assert!(register.contains("noisy"), "{register}");
    place.run(&["register", "verify"]).expect(0);
    // Again: the place is taken; with force, the second release of the same people is told.
    released(&place, &[]).expect(4);
    let again = released(&place, &["--force"]).expect(0).json();
    assert!(again["release"]["warnings"][0].as_str().unwrap().contains("released before"), "{again}");
    // The third is beyond the owner's limit, and leaves the second where it was.
    let before = place.bytes("noisy/data.csv");
    released(&place, &["--force"]).expect(2);
    assert_eq!(place.bytes("noisy/data.csv"), before);
}

#[test]
fn a_release_that_was_tampered_with_is_found_out() {
    let place = Place::with(NOISY_JOB, super::support::patients());
    released(&place, &["--seed", "5"]).expect(0);
    assert_eq!(place.json("noisy/manifest.json")["seeded"], true);
    let (data, manifest) = (place.read("noisy/data.csv"), place.read("noisy/manifest.json"));
    let violated = |what: &str| {
        let verified = place.run(&["--json", "verify", "noisy"]).expect(1).json();
        let found = verified["checks"]
            .as_array()
            .unwrap()
            .iter()
            .any(|check| check["outcome"] == "violated" && check["name"] == what);
        assert!(found, "{what}: {verified}");
    };
    place.write("noisy/manifest.json", manifest.replace("\"epsilon\": \"1\"", "\"epsilon\": \"0.9\""));
    violated("epsilon");
    violated("budget");
    place.write(
        "noisy/manifest.json",
        manifest.replace("\"0.4\"", "\"0.5\"").replacen("\"0.2\"", "\"0.1\"", 1),
    );
    place.run(&["verify", "noisy"]).expect(4);
    place.write("noisy/manifest.json", manifest.replace("\"f\",", "\"g\","));
    violated("domain");
    place.write("noisy/manifest.json", &manifest);
    place.write("noisy/data.csv", data.replacen(",f,", ",x,", 1));
    violated("digest");
    violated("domain");
    place.write("noisy/data.csv", &data);
    place.run(&["verify", "noisy"]).expect(0);
    // A ledger line that paid for less.
    let private = place.read("noisy.private/transform.json");
    place.write(
        "noisy.private/transform.json",
        private.replace("\\\"epsilon\\\":\\\"2.", "\\\"epsilon\\\":\\\"0."),
    );
    violated("ledger");
}

#[test]
fn a_release_says_which_values_its_noise_has() {
    let place = Place::new();
    rich(&place);
    let before = place.read("patients.ledger.jsonl");
    let told =
        noise(&place, &["--column", "zip=0.5:learnt", "--release", "noisy"]).expect(2).json().to_string();
    assert!(told.contains("name them"), "{told}");
    assert_eq!(place.read("patients.ledger.jsonl"), before, "nothing was paid");
}

/// Without a job nobody knows which columns name people: all of them would leave.
#[test]
fn a_release_needs_a_job_that_says_who_is_who() {
    let place = Place::new();
    rich(&place);
    let before = place.read("patients.ledger.jsonl");
    let told =
        noise(&place, &["--column", "sex=0.5:uniform('f', 'm')", "--release", "noisy"]).expect(2).json();
    assert!(told.to_string().contains("needs a job file"), "{told}");
    assert_eq!(place.read("patients.ledger.jsonl"), before, "nothing was paid");
}

#[test]
fn a_wrong_key_of_the_job_is_told_with_its_line() {
    let job = |noise: &str| NOISY_JOB.replace("noise = { epsilon = \"1\", values = [\"f\", \"m\"] }", noise);
    for (noise, told) in [
        ("noise = { epsilom = \"1\" }", "epsilom"),
        ("noise = { values = [\"f\", \"m\"] }", "how strong"),
        ("noise = { probability = \"0.2\", epsilon = \"1\" }", "cannot be together"),
        ("noise = { epsilon = \"1\", values = [\"f\", \"m\"], weights = [\"0.5\", \"0.6\"] }", "1.1"),
        ("noise = { probability = \"2\", values = [\"f\", \"m\"] }", "not a probability"),
        ("noise = { law = \"laplace\", epsilon = \"1\" }", "min"),
        ("noise = { epsilon = \"1\", values = [\"f\", \"m\"], outside = \"clamp\" }", "numbers"),
    ] {
        let place = Place::with(&job(noise), super::support::patients());
        let failed =
            place.run(&["noise", "patients.csv", "--job", "paravent.toml", "--output", "n.csv"]).expect(2);
        assert!(
            failed.err.contains("paravent.toml:18") && failed.err.contains(told),
            "{noise}: {}",
            failed.err
        );
    }
}

#[test]
fn the_statement_for_a_database_has_no_key() {
    let place = Place::new();
    let args = ["noise", "clinic.patients", "--sql", "postgres", "--column", "sex=0.2:uniform('f', 'm')"];
    place.run(&args).expect(2).says(&["--row-key"]);
    let text = place.run(&[&args[..], &["--row-key", "id", "--keep", "diagnosis"]].concat()).expect(0).out;
    assert!(
        text.contains("\"clinic\".\"patients\"") && text.contains("row_number() OVER (ORDER BY \"id\")"),
        "{text}"
    );
    assert!(text.contains("SELECT d0.shown AS \"sex\", r.\"diagnosis\""), "{text}");
    assert!(!text.contains("paravent noise, seeded"));
    assert!(
        !place.names().iter().any(|name| name.contains("ledger")),
        "nothing was drawn, nothing is charged"
    );
}
