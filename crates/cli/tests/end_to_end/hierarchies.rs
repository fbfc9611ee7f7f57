//! Hierarchies that people need, from the job to a verified release and to new rows.

use crate::support::Place;

fn job(hierarchies: [&str; 5]) -> String {
    let [age, icd, plz, born, land] = hierarchies;
    format!(
        r#"version = 1
[input]
path = "patients.csv"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = {{ {age} }}
min_level = 1
[[attributes]]
name = "icd"
role = "quasi-identifier"
type = "string"
hierarchy = {{ {icd} }}
min_level = 2
[[attributes]]
name = "plz"
role = "quasi-identifier"
type = "string"
hierarchy = {{ {plz} }}
min_level = 1
[[attributes]]
name = "born"
role = "quasi-identifier"
type = "date"
hierarchy = {{ {born} }}
min_level = 2
[[attributes]]
name = "land"
role = "quasi-identifier"
type = "string"
hierarchy = {{ {land} }}
min_level = 1
[privacy]
suppression_limit = 0.2
models = [{{ model = "k-anonymity", k = 3 }}]
[search]
metric = "loss"
[output]
path = "release"
"#
    )
}

const ALL: [&str; 5] = [
    "breaks = [[18, 40, 65], { at = [65], labels = [\"younger\", \"older\"] }]",
    "codes = \"icd-10\"",
    "codes = \"plz\"",
    "chain = [{ age = { on = \"2024-12-31\" } }, { breaks = [[30, 60]] }]",
    "lump = { least = [20] }",
];

fn table(rows: usize) -> String {
    let mut text = String::from("age,icd,plz,born,land\n");
    for i in 0..rows {
        let age = 20 + i % 60;
        let icd = ["E11.90", "E11.9", "E11", "E10.1", "I10.00", "I11"][i % 6];
        let plz = ["1067", "01069", "81667", "81669"][i / 6 % 4];
        let land = ["DE", "AT", "DE", "DE", "FR"][i % 5];
        let land = if i == 7 { "VA" } else { land };
        text.push_str(&format!("{age},{icd},{plz},{:04}-{:02}-11,{land}\n", 2024 - age, 1 + i % 12));
    }
    text
}

#[test]
fn breaks_codes_ages_and_lumps_are_released_verified_and_applied_again() {
    let place = Place::with(&job(ALL), "");
    place.write("patients.csv", table(600));
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    let data = place.read("release/data.csv");
    assert!(data.contains("E10-E14") && data.contains("I10-I15") && !data.contains("E11.9"), "{data}");
    assert!(data.contains("0****") || data.contains("010**") || data.contains("0106*") || data.contains("*"));
    assert!(!data.contains("VA"), "a rare value is named");
    // New rows, with codes and ages never seen before.
    place.write("patients.csv", format!("{}77,E12.3,81671,1947-02-03,DE\n", table(600)));
    place
        .run(&[
            "anonymize",
            "paravent.toml",
            "--apply",
            "release.private/transform.json",
            "--output",
            "again",
        ])
        .expect(0);
    place.run(&["verify", "again"]).expect(0);
    place.run(&["risk", "release"]).expect(0);
}

#[test]
fn paths_are_released_verified_and_applied_again() {
    let places =
        ["Europe/Italy/Rome", "Europe/Italy/Milan", "Europe/France", "Asia/Japan/Tokyo", "Asia/Japan"];
    let rows = |rows: usize| -> String {
        (0..rows)
            .map(|i| format!("{},{},{}\n", places[i % 5], i / 5 % 2, ["flu", "gout"][i / 3 % 2]))
            .collect()
    };
    let job = "version = 1\ninput.path = \"patients.csv\"\noutput.path = \"release\"\n\
               privacy = { models = [{ model = \"k-anonymity\", k = 5 }] }\n\
               [[attributes]]\nname = \"town\"\nrole = \"quasi-identifier\"\nmin_level = 1\n\
               hierarchy = { parts = { separator = \"/\" } }\n\
               [[attributes]]\nname = \"sex\"\nrole = \"quasi-identifier\"\n\
               [[attributes]]\nname = \"diagnosis\"\nrole = \"sensitive\"\n";
    let place = Place::with(job, format!("town,sex,diagnosis\n{}", rows(100)));
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    let data = place.read("release/data.csv");
    assert!(data.contains("Europe/Italy,") && !data.contains("Rome") && !data.contains("Tokyo"), "{data}");
    assert!(data.contains("Europe/France,"), "a path that is short stays: {data}");
    place.write("patients.csv", format!("town,sex,diagnosis\n{}", rows(150)));
    place.anonymize(&["--apply", "release", "--output", "again"]).expect(0);
    place.run(&["verify", "again"]).expect(0);
    assert_eq!(place.read("again/data.csv").lines().count(), 151);
    assert!(!place.read("again/data.csv").contains("Rome"));
}

#[test]
fn clusters_of_numbers_and_texts_make_levels() {
    let mut hierarchies = ALL;
    hierarchies[0] = "cluster = { sizes = [6, 3] }";
    hierarchies[4] = "cluster = { sizes = [2] }";
    let place = Place::with(
        &job(hierarchies).replace("type = \"string\"\nhierarchy = { cluster", "hierarchy = { cluster"),
        "",
    );
    place.write("patients.csv", table(600));
    place.anonymize(&[]).expect(0);
    place.run(&["verify", "release"]).expect(0);
    assert!(!place.read("release/data.csv").contains("VA"), "a rare value is named");
}

#[test]
fn hierarchies_that_make_no_sense_are_told_with_what_to_write() {
    let wrong = [
        ("breaks = [[18, 40], [20]]", "point 1 of level 2 is no break point of level 1"),
        ("breaks = [[40, 18]]", "must be above the point before it, 40"),
        ("breaks = [{ at = [18], labels = [\"one\"] }]", "must have at least 2 entries"),
        ("codes = \"icd-11\"", "Did you mean \"icd-10\"?"),
        ("codes = { keep = [2, 3] }", "level 2 must keep fewer characters"),
        ("codes = { keep = [3], align = \"right\" }", "Write e.g. length = 5"),
        ("codes = { ranges = [[\"A09-A00\"]] }", "must be a range of codes"),
        ("age = { on = \"yesterday\" }", "must be a day"),
        ("lump = { least = [5, 3] }", "must be more than before, 5"),
        ("cluster = { sizes = [3, 8] }", "must be less than before, 3"),
        ("chain = [{ lump = { least = [5] } }, { codes = \"plz\" }]", "cannot hold what is counted"),
    ];
    for (hierarchy, told) in wrong {
        let mut hierarchies = ALL;
        hierarchies[4] = hierarchy;
        let job = job(hierarchies).replace(
            "name = \"land\"\nrole = \"quasi-identifier\"\ntype = \"string\"",
            "name = \"land\"\nrole = \"quasi-identifier\"",
        );
        let place = Place::with(&job, "");
        place.write("patients.csv", table(60));
        let run = place.anonymize(&[]).expect(2);
        assert!(run.err.contains(told), "{hierarchy}: {}", run.err);
    }
}

/// Groups of neighbours are called by their ends, also where they are parts of a chain: a value that only one person has must be no end.
#[test]
fn no_rare_value_lives_on_in_a_label() {
    let towns = ["Aach", "Berg", "Calw", "Dorn", "Enz", "Furt", "Gau"];
    let row = |n: usize| format!("{},{}\n", towns[n * 5 % 7], if n.is_multiple_of(3) { "x" } else { "y" });
    let table: String = (0..400).map(row).collect();
    let table = format!("town,kind\n{table}Zzrare,x\nAaarare,y\n");
    for hierarchy in [
        "ordering = { sizes = [2, 2] }",
        "chain = [{ ordering = { sizes = [2] } }, { ordering = { sizes = [2] } }]",
        "chain = [{ redact = { length = 7 } }, { ordering = { sizes = [2] } }]",
        "chain = [{ ordering = { sizes = [2, 2] } }, { redact = { length = 40 } }]",
    ] {
        let job = format!(
            "version = 1\ninput.path = \"patients.csv\"\noutput.path = \"release\"\n\
             [[attributes]]\nname = \"town\"\nrole = \"quasi-identifier\"\nhierarchy = {{ {hierarchy} }}\nmin_level = 1\n\
             [[attributes]]\nname = \"kind\"\nrole = \"quasi-identifier\"\n\
             [privacy]\nsuppression_limit = 0.05\nmodels = [{{ model = \"k-anonymity\", k = 40 }}]\n"
        );
        let place = Place::with(&job, "");
        place.write("patients.csv", &table);
        place.anonymize(&[]).expect(0);
        let data = place.read("release/data.csv");
        assert!(data.contains("Berg") || data.contains("Calw") || data.contains('*'), "{hierarchy}: {data}");
        assert!(!data.contains("Aaa") && !data.contains("Zzr"), "{hierarchy}: {data}");
        place.run(&["verify", "release"]).expect(0);
    }
}
