//! `slice`, which needs no SQL engine.

use super::support::{Place, names};
use serde_json::Value;

/// Numbers without an order, the same every time.
fn mixed(row: u32, salt: u32) -> usize {
    let mut hash = (row + 1).wrapping_mul(0x9e37_79b9) ^ salt.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2c1b_3c6d);
    hash ^= hash >> 12;
    (hash.wrapping_mul(0x297a_2d39) >> 8) as usize
}

/// People of four wards; `code` says the same as `diagnosis`.
fn wards(rows: u32) -> String {
    let mut text = String::from("name,age,sex,ward,diagnosis,code\n");
    for row in 0..rows {
        let diagnosis = mixed(row, 4) % 6;
        text.push_str(&format!(
            "person {row},{},{},{},{},{}\n",
            30 + mixed(row, 1) % 10,
            ["f", "m"][mixed(row, 2) % 2],
            ["north", "south", "east", "west"][mixed(row, 3) % 4],
            ["flu", "gout", "asthma", "angina", "burn", "cold"][diagnosis],
            100 + 7 * diagnosis,
        ));
    }
    text
}

const JOB: &str = r#"version = 1

[input]
path = "wards.csv"

[[attributes]]
name = "name"
role = "identifying"

[[attributes]]
name = "age"
role = "quasi-identifier"

[[attributes]]
name = "sex"
role = "quasi-identifier"

[[attributes]]
name = "ward"
role = "quasi-identifier"

[[attributes]]
name = "diagnosis"
role = "sensitive"

[privacy]
models = [{ model = "k-anonymity", k = 3 }]

[output]
path = "release"
"#;

fn place() -> Place {
    let place = Place::with(JOB, "");
    place.write("wards.csv", wards(400));
    place
}

fn slice(place: &Place, more: &[&str]) -> super::support::Outcome {
    let args: Vec<&str> = ["slice", "wards.csv"].into_iter().chain(more.iter().copied()).collect();
    place.run(&args)
}

/// Pairs of cells of two columns, in order.
fn pairs(text: &str, columns: [&str; 2]) -> Vec<(String, String)> {
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let at = columns.map(|name| header.iter().position(|own| *own == name).unwrap());
    let cells = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let mut pairs: Vec<(String, String)> =
        cells.map(|cells| (cells[at[0]].to_owned(), cells[at[1]].to_owned())).collect();
    pairs.sort();
    pairs
}

#[test]
fn groups_stay_together_and_a_file_is_written_or_nothing() {
    let place = place();
    let groups = ["--groups", "age,sex;ward;diagnosis", "--bucket", "20", "--output", "sliced.csv"];
    let told = slice(&place, &groups).expect(0).out;
    assert!(told.contains("A bare table is no release"), "{told}");
    let (source, sliced) = (place.read("wards.csv"), place.read("sliced.csv"));
    assert_eq!(sliced.lines().next(), Some("age,sex,ward,diagnosis"));
    assert_eq!(pairs(&sliced, ["age", "sex"]), pairs(&source, ["age", "sex"]));
    assert_ne!(pairs(&sliced, ["age", "diagnosis"]), pairs(&source, ["age", "diagnosis"]));
    slice(&place, &groups).expect(4).says(&["is there already"]);
    let again: Vec<&str> = groups.iter().copied().chain(["--force", "--compare", "--json"]).collect();
    let document = slice(&place, &again).expect(0).json();
    let figures = document["operators"][0]["utility"]["pairs"].as_array().unwrap();
    assert_eq!(figures.len(), 6);
    for pair in figures.iter().filter(|pair| pair["kept"] == true) {
        assert_eq!(pair["mutual_information"]["before"], pair["mutual_information"]["after"]);
    }
    let before = place.names();
    let no = ["--output", "no.csv"];
    let tried = |more: &[&str]| slice(&place, &[more, &no[..]].concat());
    tried(&["--groups", "age;sex"]).expect(2).says(&["--bucket"]);
    tried(&["--groups", "age;sex", "--bucket", "10", "--by", "ward"]).expect(2);
    tried(&["--groups", "agee;sex", "--bucket", "5"]).expect(2).says(&["agee", "did you mean \"age\"?"]);
    slice(&place, &["--groups", "age;sex", "--bucket", "5", "--output", "no.xlsx"]).expect(2).says(&[".csv"]);
    assert_eq!(place.names(), before, "no partial output");
}

#[test]
fn what_gives_people_away_is_refused_with_the_figure() {
    let place = place();
    let refused = |more: &[&str]| slice(&place, &[more, &["--output", "no.csv"][..]].concat()).expect(2).err;
    // The buckets fix what the other group holds.
    let told = refused(&["--groups", "age,sex;diagnosis", "--by", "diagnosis"]);
    assert!(told.contains("every row would leave as it came"), "{told}");
    let told = refused(&["--groups", "age,sex;diagnosis", "--by", "code"]);
    assert!(
        told.contains("column diagnosis (group 2) is constant") && told.contains("400 of 400 rows"),
        "{told}"
    );
    // Groups that determine each other.
    let told = refused(&["--groups", "age,code;sex,diagnosis", "--bucket", "8"]);
    assert!(told.contains("code (group 1) tells diagnosis (group 2)"), "{told}");
    // Rows that are alone inside a group, with and without a job.
    let told = refused(&["--groups", "name,age;diagnosis", "--bucket", "8"]);
    assert!(told.contains("group 1 singles people out") && told.contains("400 of 400 rows"), "{told}");
    let job = ["--job", "paravent.toml", "--bucket", "8"];
    let told = refused(&[&job[..], &["--groups", "name;diagnosis"]].concat());
    assert!(told.contains("\"name\" is identifying"), "{told}");
    let told = refused(&[&job[..], &["--groups", "age,sex,ward;diagnosis"]].concat());
    assert!(told.contains("age, sex, ward"), "{told}");
    // A known column completes a quasi-identifier.
    let told = refused(&["--job", "paravent.toml", "--groups", "age,sex;ward;diagnosis", "--by", "ward"]);
    assert!(told.contains("age, sex, ward"), "{told}");
    let told = refused(&["--job", "paravent.toml", "--groups", "age;sex;diagnosis", "--by", "diagnosis"]);
    assert!(told.contains("which is sensitive"), "{told}");
    // Too few values in a bucket.
    let demand = ["--groups", "age,sex;diagnosis", "--bucket", "4", "--diversity", "4"];
    let told = refused(&demand);
    assert!(told.contains("of which column?"), "{told}");
    let demand = [&demand[..], &["--sensitive", "diagnosis"]].concat();
    let told = refused(&demand);
    assert!(told.contains("not every bucket has 4 different values of diagnosis"), "{told}");
    let merged = slice(&place, &[&demand[..], &["--merge", "--output", "yes.csv"]].concat()).expect(0).out;
    assert!(merged.contains("every bucket has at least 4 values of diagnosis"), "{merged}");
}

#[test]
fn a_folder_is_a_release_that_verifies_and_is_registered() {
    let place = place();
    let made = ["--groups", "age,sex;diagnosis", "--bucket", "20", "--release", "sliced"];
    let told = slice(&place, &made).expect(0).out;
    assert!(told.contains("a sliced release of 400 rows, verified"), "{told}");
    assert_eq!(names(&place.path("sliced")), ["data.csv", "manifest.json", "report.html", "report.json"]);
    let manifest: Value = place.json("sliced/manifest.json");
    assert_eq!((&manifest["kind"], &manifest["seeded"]), (&Value::from("slice"), &Value::from(false)));
    let text = place.run(&["verify", "sliced"]).expect(0).out;
    assert!(text.contains("Taken from the manifest"), "{text}");
    let register = place.read("paravent-register.jsonl");
    assert_eq!(register.lines().count(), 2, "{register}");
    assert!(register.contains("\"model\":\"slicing\"") && !register.contains("asthma"));
    place.run(&["register", "verify"]).expect(0);
    slice(&place, &made).expect(4).says(&["exists already"]);
    let again = slice(&place, &[&made[..], &["--force"]].concat()).expect(0).out;
    assert!(again.contains("this table was released before"), "{again}");
    let page = place.read("sliced/report.html");
    assert!(page.contains("Sliced release report") && !page.contains("asthma"));
    // A cell that was changed, a row that is gone, a column that should not be there.
    let data = place.read("sliced/data.csv");
    place.write("sliced/data.csv", data.replacen("asthma", "gout", 1));
    place.run(&["verify", "sliced"]).expect(1);
    place.write("sliced/data.csv", &data);
    place.run(&["verify", "sliced"]).expect(0);
    let mut planted = manifest.clone();
    planted["unique"]["limit"] = "0".into();
    place.write("sliced/manifest.json", planted.to_string());
    place.run(&["verify", "sliced"]).expect(1);
    planted["unique"]["limit"] = "0.1".into();
    planted["dropped"] = serde_json::json!(["age"]);
    place.write("sliced/manifest.json", planted.to_string());
    place.run(&["verify", "sliced"]).expect(1);
}

#[test]
fn a_later_release_of_the_same_table_is_told_of_it() {
    let place = Place::new();
    let groups = ["--groups", "age;sex;zip;diagnosis", "--bucket", "20", "--job", "paravent.toml"];
    place.run(&[&["slice", "patients.csv"][..], &groups, &["--release", "sliced"]].concat()).expect(0);
    place.anonymize(&[]).expect(0);
    assert!(place.read("release.private/report.json").contains("released before"));
    place.run(&["register", "verify"]).expect(0);
}

#[test]
fn a_column_that_names_people_is_not_sliced_unless_the_owner_says_so() {
    let place = place();
    let table = (0..400).fold("contact,job\n".to_owned(), |text, row| {
        text + &format!("p{}@example.org,job {}\n", row / 2, mixed(row, 5) % 8)
    });
    place.write("mails.csv", table);
    let sliced = [
        "slice",
        "mails.csv",
        "--groups",
        "contact;job",
        "--bucket",
        "40",
        "--no-register",
        "--release",
        "out",
    ];
    place.run(&sliced).expect(2).says(&["contact", "its cells look like e-mail addresses"]);
    assert!(!place.path("out").exists());
    place.run(&[&sliced[..], &["--allow-identifying"]].concat()).expect(0);
    // With a job, its word counts.
    let job = |more: &str| {
        format!(
            "version = 1\n[input]\npath = \"mails.csv\"\n[[attributes]]\nname = \"contact\"\nrole = \"insensitive\"\n{more}\
             [[attributes]]\nname = \"job\"\nrole = \"quasi-identifier\"\n\
             [privacy]\nmodels = [{{ model = \"k-anonymity\", k = 3 }}]\n[output]\npath = \"release\"\n"
        )
    };
    let with_job = [
        "slice",
        "mails.csv",
        "--groups",
        "contact;job",
        "--bucket",
        "40",
        "--no-register",
        "--job",
        "mails.toml",
        "--output",
        "o.csv",
    ];
    place.write("mails.toml", job(""));
    place.run(&with_job).expect(2).says(&["mails.toml", "contact is released as it is"]);
    place.write("mails.toml", job("release = \"as it is\"\n"));
    place.run(&with_job).expect(0);
}

#[test]
fn an_attack_needs_no_bucket_column() {
    let place = place();
    place.write(
        "unique.csv",
        (0..400).fold("id,job\n".to_owned(), |text, row| {
            text + &format!("{},job {}\n", 1000 + row, mixed(row, 5) % 8)
        }),
    );
    let made = |bucket: &str, folder: &str| {
        place
            .run(&[
                "slice",
                "unique.csv",
                "--groups",
                "id;job",
                "--bucket",
                bucket,
                "--no-register",
                "--allow-identifying",
                "--release",
                folder,
            ])
            .expect(0)
            .out
    };
    let told = made("2", "small");
    assert!(told.contains("attack: whoever knows group 1 reads job off rightly for "), "{told}");
    made("200", "large");
    let attacked = |folder: &str| place.run(&["attack", folder, "--against", "unique.csv"]);
    let told = attacked("small").expect(1).out;
    assert!(told.contains("job is read off by whoever knows group 1"), "{told}");
    attacked("large").expect(0);
    place.run(&["attack", "small"]).expect(2).says(&["--against"]);
}

#[test]
fn a_foreign_slicing_is_judged() {
    let place = place();
    slice(&place, &["--groups", "age,sex;diagnosis", "--bucket", "40", "--output", "good.csv"]).expect(0);
    let check = |after: &str| {
        place.run(&[
            "slice",
            "check",
            "wards.csv",
            after,
            "--groups",
            "age,sex;diagnosis",
            "--sensitive",
            "diagnosis",
        ])
    };
    let told = check("good.csv").expect(0).out;
    assert!(told.contains("pairs kept: age–sex") && told.contains("6 different values"), "{told}");
    assert!(check("wards.csv").expect(1).out.contains("came out unchanged"));
    slice(&place, &["--groups", "age,sex;diagnosis", "--bucket", "40", "--release", "sliced"]).expect(0);
    place.run(&["slice", "check", "wards.csv", "sliced"]).expect(0);
    place.run(&["slice", "check", "wards.csv", "good.csv"]).expect(2).says(&["--groups"]);
    place.write("less.csv", place.read("good.csv").lines().take(400).collect::<Vec<_>>().join("\n"));
    assert!(check("less.csv").expect(1).out.contains("400 rows, the sliced one 399"));
}

#[test]
fn groups_are_planned_and_statements_are_printed() {
    let place = place();
    let planned = slice(&place, &["--plan", "--pairs", "age,diagnosis;age,name", "--job", "paravent.toml"]);
    planned.expect(2).says(&["\"name\" is identifying"]);
    let planned = slice(&place, &["--plan", "--pairs", "age,diagnosis", "--job", "paravent.toml", "--json"]);
    let planned = planned.expect(0).json();
    let groups: Vec<Vec<String>> = serde_json::from_value(planned["groups"].clone()).unwrap();
    let with = |name: &str| groups.iter().find(|group| group.iter().any(|own| own == name));
    assert!(with("age").unwrap().contains(&"diagnosis".to_owned()) && with("name").is_none());
    assert!(
        !groups.iter().any(|group| ["age", "sex", "ward"].iter().all(|own| group.iter().any(|g| g == own)))
    );
    let proposed = groups.iter().map(|group| group.join(",")).collect::<Vec<_>>().join(";");
    slice(&place, &["--groups", &proposed, "--bucket", "20", "--job", "paravent.toml", "--output", "p.csv"])
        .expect(0);
    let sql = ["slice", "clinic.patients", "--groups", "age,sex;diagnosis", "--bucket", "50", "--sql"];
    let text = place.run(&[&sql[..], &["postgres"]].concat()).expect(0).out;
    assert!(
        text.contains("\"clinic\".\"patients\"") && text.contains("row_number() OVER (PARTITION BY"),
        "{text}"
    );
    assert!(place.run(&[&sql[..], &["mysql"]].concat()).expect(0).out.contains("RANDOM_BYTES(32)"));
    let timed = slice(&place, &["--groups", "age,sex;diagnosis", "--timing", "--json"]).expect(0).json();
    // 400 rows make at most 200 buckets.
    assert_eq!(timed["phases"].as_array().unwrap().len(), 9);
}

#[cfg(feature = "sql")]
#[test]
fn a_seed_draws_the_same_as_in_sql() {
    let place = place();
    let bag = |text: &str| {
        let mut rows: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
        rows.sort();
        rows
    };
    for (own, sql) in [
        (&["--bucket", "20"][..], "bucket => 20"),
        (&["--buckets", "7"], "buckets => 7"),
        (&["--by", "ward"], "by => ward"),
        (&["--within", "5", "--quasi", "age,sex"], "within => 5, quasi => (age, sex)"),
    ] {
        let groups = ["--groups", "age,sex;ward;diagnosis", "--seed", "11", "--output", "-"];
        let mine = slice(&place, &[&groups[..], own].concat()).expect(0).out;
        let statement = format!(
            "SELECT * FROM slice((SELECT age, sex, ward, diagnosis FROM wards), groups => ((age, sex), (ward), (diagnosis)), {sql})"
        );
        let theirs = place
            .run(&["sql", &statement, "--file", "wards.csv", "--seed", "11", "--format", "csv"])
            .expect(0)
            .out;
        assert_eq!(bag(&mine), bag(&theirs), "{sql}");
    }
}

#[cfg(feature = "sql")]
#[test]
fn sql_refuses_the_same_without_a_figure() {
    let place = place();
    let told = |relation: &str, arguments: &str, job: bool| {
        let statement = format!("SELECT * FROM slice(({relation}), {arguments})");
        let from: &[&str] = if job { &["--job", "paravent.toml"] } else { &["--file", "wards.csv"] };
        let outcome = place.run(&[&["sql", &statement][..], from].concat());
        assert_eq!(outcome.code, Some(2), "{} {}", outcome.out, outcome.err);
        assert!(!outcome.err.contains("400"), "{}", outcome.err);
        outcome.err
    };
    let all = "SELECT age, sex, diagnosis, code FROM wards";
    let by_code = told(all, "groups => ((age, sex), (diagnosis), (code)), by => code", false);
    assert!(
        by_code.contains("column diagnosis (group 2) is constant") || by_code.contains("diagnosis"),
        "{by_code}"
    );
    let own = "SELECT age, sex, diagnosis FROM wards";
    assert!(
        told(own, "groups => ((age, sex), (diagnosis)), by => diagnosis", false).contains("leave as it came")
    );
    assert!(told(own, "groups => ((age), (sex), (diagnosis)), by => diagnosis", true).contains("sensitive"));
    assert!(told(all, "groups => ((age, code), (sex, diagnosis)), bucket => 8", false).contains("tells"));
    let named = "SELECT upper(name) AS n, age, diagnosis FROM wards";
    assert!(told(named, "groups => ((n), (age), (diagnosis)), bucket => 8", true).contains("identifying"));
    assert!(
        told(named, "groups => ((n, age), (diagnosis)), bucket => 8", false).contains("singles people out")
    );
    // A projection to one group mixes nothing, and is looked at all the same.
    let statement = "SELECT n, age FROM slice((SELECT upper(name) AS n, age, diagnosis FROM wards), groups => ((n, age), (diagnosis)), bucket => 8)";
    place.run(&["sql", statement, "--file", "wards.csv"]).expect(2).says(&["singles people out"]);
    assert!(
        told(own, "groups => ((age), (sex), (diagnosis)), bucket => 4, l => 4", true)
            .contains("4 different values")
    );
    // Identifying columns are refused by name, and a demand that merging meets is met.
    let by_name = "SELECT * FROM slice((SELECT name, age, diagnosis FROM wards), groups => ((age), (diagnosis)), bucket => 8)";
    place.run(&["sql", by_name, "--job", "paravent.toml"]).expect(2).says(&["identifying"]);
    let fine = "SELECT * FROM slice((SELECT age, sex, diagnosis FROM wards), groups => ((age), (sex), (diagnosis)), \
                bucket => 4, l => 4, merge => true)";
    let text = place.run(&["sql", fine, "--job", "paravent.toml", "--format", "csv"]).expect(0).out;
    assert!(!text.contains("person") && text.lines().count() == 401);
}

#[test]
fn a_sliced_release_is_signed_and_the_signature_covers_every_file() {
    let place = place();
    place.run(&["keygen"]).expect(0);
    place.run(&["keygen", "other.key"]).expect(0);
    let args = ["--json", "--job", "paravent.toml", "--groups", "age;sex;diagnosis", "--bucket", "20"];
    let sliced = slice(&place, &[&args[..], &["--release", "sliced"]].concat()).expect(0).json();
    assert!(sliced["release"]["output"]["signed_by"].is_string(), "{sliced}");
    place.run(&["verify", "sliced", "--key", "paravent.key.pub"]).expect(0);
    place.run(&["verify", "sliced", "--key", "other.key.pub"]).expect(1);
    for file in ["sliced/manifest.json", "sliced/report.json", "sliced/report.html", "sliced/data.csv"] {
        let text = place.read(file);
        place.write(file, text.replacen("1", "2", 1));
        let code = place.run(&["verify", "sliced", "--key", "paravent.key.pub"]).code;
        assert!(matches!(code, Some(1 | 4)), "{file} was changed: {code:?}");
        place.write(file, text);
    }
    // Without a key nothing is signed, and whoever asks for a signature is told.
    std::fs::remove_file(place.path("paravent.key")).unwrap();
    slice(&place, &[&args[..], &["--release", "plain"]].concat()).expect(0);
    place.run(&["verify", "plain"]).expect(0);
    place.run(&["verify", "plain", "--key", "paravent.key.pub"]).expect(1);
}
