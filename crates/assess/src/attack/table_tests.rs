//! Attacks on tables of a few lines, made into releases here or brought by somebody else.

use super::*;
use paravent_evidence::attack::{Attack, Outcome, Severity};
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Twelve people in the order of the source; nobody declares a type, and postal codes begin with a zero.
fn people() -> String {
    let mut table = String::from("race,zip,illness\n");
    for (number, race) in ["Asian", "Black", "White"].iter().enumerate() {
        for zip in ["02138", "02139", "02141", "02142"] {
            writeln!(table, "{race},{zip},i{number}").unwrap();
        }
    }
    table
}

/// Releases a table with the levels that `race` and `zip` allow.
fn release(folder: &Path, name: &str, table: &str, race: (u8, u8), zip: &str, more: &str) -> PathBuf {
    fs::write(folder.join(format!("{name}.csv")), table).unwrap();
    let job = format!(
        r#"version = 1
[input]
path = "{name}.csv"
[[attributes]]
name = "race"
role = "quasi-identifier"
hierarchy = {{ order = [["Asian", "Black", "White"]] }}
min_level = {}
max_level = {}
[[attributes]]
name = "zip"
role = "quasi-identifier"
{zip}
[[attributes]]
name = "illness"
role = "sensitive"
[privacy]
suppression_limit = 0.0
models = [{{ model = "k-anonymity", k = 2 }}]
[output]
path = "{name}"
order = "input"
{more}
"#,
        race.0, race.1
    );
    let path = folder.join(format!("{name}.toml"));
    fs::write(&path, job).unwrap();
    anonymize(&path, &RunOptions::default(), &Unwatched).unwrap();
    folder.join(name)
}

const EXACT: &str = "hierarchy = { redact = { char = \"*\" } }\nmin_level = 0\nmax_level = 0";
const MASKED: &str = "hierarchy = { redact = { char = \"*\" } }\nmin_level = 1\nmax_level = 1";

fn options(release: &Path) -> AttackOptions {
    AttackOptions {
        release: Some(release.to_owned()),
        threshold: 0.8,
        attempts: 100,
        seed: 1,
        ..AttackOptions::default()
    }
}

fn of(attacked: &Attacked, attack: Attack) -> &Outcome {
    attacked.outcomes.iter().find(|outcome| outcome.attack == attack).unwrap()
}

#[test]
fn a_code_that_begins_with_a_zero_is_spelled_alike_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let one = release(folder.path(), "one", &people(), (1, 1), EXACT, "");
    let two = release(folder.path(), "two", &people(), (0, 0), MASKED, "");
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(two.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["attributes"][1]["type"], "string", "as a number 02138 would be spelled 2138");
    let attacked = attack(&AttackOptions { previous: vec![one], ..options(&two) }, &Unwatched).unwrap();
    let matched = of(&attacked, Attack::UnsortedMatching);
    assert_eq!((matched.severity, matched.figure.value), (Severity::Broken, 1.0), "{}", matched.result);
    assert!(!attacked.holds());
    let original = AttackOptions { original: Some(folder.path().join("two.csv")), ..options(&two) };
    let attacked = attack(&original, &Unwatched).unwrap();
    assert_eq!(of(&attacked, Attack::Linking).figure.value, 0.5, "every record fits a class of two");
}

#[test]
fn numbers_keep_their_type() {
    let folder = tempfile::tempdir().unwrap();
    let table = people().replace(",0", ",1");
    let release = release(folder.path(), "release", &table, (0, 0), MASKED, "");
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(release.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["attributes"][1]["type"], "integer");
}

#[test]
fn releases_in_which_nothing_fits_are_an_alarm() {
    let folder = tempfile::tempdir().unwrap();
    let one = release(folder.path(), "one", &people(), (1, 1), EXACT, "");
    // The same people, with another spelling of their postal codes.
    let table = people().replace(",0", ",US-0");
    let two = release(folder.path(), "two", &table, (0, 0), MASKED, "");
    let attacked = attack(&AttackOptions { previous: vec![one], ..options(&two) }, &Unwatched).unwrap();
    for name in [Attack::UnsortedMatching, Attack::Composition, Attack::ReleaseDifference] {
        let outcome = of(&attacked, name);
        assert_eq!(outcome.severity, Severity::NotCompared, "{}: {}", name.name(), outcome.result);
        assert!(outcome.result.contains("in zip"), "{}", outcome.result);
    }
    assert!(!attacked.holds());
    assert_eq!(document(&attacked)["not_compared"], 3);
}

#[test]
fn masks_of_two_hierarchies_are_compared_by_what_is_behind_them() {
    let folder = tempfile::tempdir().unwrap();
    let table = format!("{}{}", people(), people().split_once('\n').unwrap().1);
    let one = release(folder.path(), "one", &table, (1, 1), MASKED, "");
    // 02138 is 0213* in one and **138 in the other, which crosses it.
    let other = "hierarchy = { redact = { char = \"*\", from = \"left\" } }\nmin_level = 2\nmax_level = 2";
    let two = release(folder.path(), "two", &table, (0, 0), other, "");
    let attacked = attack(&AttackOptions { previous: vec![one], ..options(&two) }, &Unwatched).unwrap();
    let composed = of(&attacked, Attack::Composition);
    let pairs = composed.details.iter().find(|detail| detail.0 == "pairs of classes that fit").unwrap();
    // Each of the twelve classes of the second fits one of the two of the first, not both.
    assert_eq!(pairs.1, "12", "{composed:?}");
}

#[test]
fn the_original_is_held_against_the_release_first() {
    let folder = tempfile::tempdir().unwrap();
    let two = release(folder.path(), "two", &people(), (0, 0), MASKED, "");
    let table = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        AttackOptions { original: Some(path), ..options(&two) }
    };
    let part: String = people().lines().take(5).fold(String::new(), |text, line| text + line + "\n");
    let refused = attack(&table("part.csv", &part), &Unwatched).unwrap_err().to_string();
    assert!(refused.contains("has 4 rows, but the release was made from 12"), "{refused}");
    // As many rows, but not these people.
    let others = people().replace("Asian,02138", "White,02138");
    let refused = attack(&table("others.csv", &others), &Unwatched).unwrap_err().to_string();
    assert!(refused.contains("not the table this release was made from"), "{refused}");
    // The same rows in another order are another file, and the same table.
    let mut lines: Vec<String> = people().lines().map(str::to_owned).collect();
    lines[1..].reverse();
    let attacked = attack(&table("turned.csv", &(lines.join("\n") + "\n")), &Unwatched).unwrap();
    assert!(attacked.given[0].contains("its rows can be made of them"), "{:?}", attacked.given);
    let attacked = attack(&table("two.csv", &people()), &Unwatched).unwrap();
    assert!(attacked.given[0].contains("the file the release was made from"), "{:?}", attacked.given);
}

fn foreign(folder: &Path, text: &str) -> AttackOptions {
    let path = folder.join("table.csv");
    fs::write(&path, text).unwrap();
    AttackOptions {
        quasi_identifiers: vec!["age".into(), "zip".into()],
        sensitive: vec!["illness".into()],
        ..options(&path)
    }
}

const FOREIGN: &str = "age,zip,illness\n20-39,021**,flu\n20-39,021**,flu\n40-59,021**,flu\n40-59,021**,hiv\n";

#[test]
fn a_table_of_any_tool_is_attacked_by_the_names_of_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let attacked = attack(&foreign(folder.path(), FOREIGN), &Unwatched).unwrap();
    let outcome = of(&attacked, Attack::Homogeneity);
    assert_eq!((outcome.severity, outcome.figure.value), (Severity::Residual, 0.5));
    assert_eq!(outcome.findings[0].class, ["age = 20-39", "zip = 021**"]);
    let strong = FOREIGN.replacen("021**,flu\n40-59", "021**,hiv\n40-59", 1);
    let attacked = attack(&foreign(folder.path(), &strong), &Unwatched).unwrap();
    assert_eq!(of(&attacked, Attack::Homogeneity).severity, Severity::NothingFound);
    let unnamed = AttackOptions { quasi_identifiers: vec![], ..foreign(folder.path(), FOREIGN) };
    assert!(attack(&unnamed, &Unwatched).unwrap_err().to_string().contains("--quasi-identifiers"));
    // Two such tables are compared by equal labels.
    let earlier = folder.path().join("earlier.csv");
    fs::write(&earlier, FOREIGN.replace("hiv", "cold")).unwrap();
    let both = AttackOptions { previous: vec![earlier], k: Some(2), ..foreign(folder.path(), FOREIGN) };
    let attacked = attack(&both, &Unwatched).unwrap();
    assert_eq!(of(&attacked, Attack::ReleaseDifference).severity, Severity::Broken, "one left, one came");
}

#[test]
fn an_empty_cell_is_no_illness_and_words_for_it_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = "age,zip,illness\n1,2,\n1,2,NA\n1,2,B25.66\n3,4,B25.66\n3,4,C1\n3,4,\n";
    let attacked = attack(&foreign(folder.path(), text), &Unwatched).unwrap();
    assert_eq!(of(&attacked, Attack::BackgroundKnowledge).figure.value, 1.0, "NA and B25.66 in one class");
    assert_eq!(attacked.warnings.len(), 1);
    assert!(attacked.warnings[0].contains("\"NA\""), "{:?}", attacked.warnings);
    // With the word declared, the class has one illness.
    let job = folder.path().join("job.toml");
    let attributes: String =
        [("age", "quasi-identifier"), ("zip", "quasi-identifier"), ("illness", "sensitive")]
            .iter()
            .map(|(name, role)| format!("[[attributes]]\nname = \"{name}\"\nrole = \"{role}\"\n"))
            .collect();
    let head = "version = 1\n[input]\npath = \"table.csv\"\nnull = [\"\", \"NA\"]\n";
    let models = "[privacy]\nmodels = [{ model = \"k-anonymity\", k = 2 }]\n";
    fs::write(&job, format!("{head}{attributes}{models}")).unwrap();
    let named = AttackOptions {
        quasi_identifiers: vec![],
        sensitive: vec![],
        job: Some(job),
        ..foreign(folder.path(), text)
    };
    let attacked = attack(&named, &Unwatched).unwrap();
    let outcome = of(&attacked, Attack::Homogeneity);
    assert_eq!((outcome.figure.value, attacked.warnings.len()), (0.5, 0), "{}", outcome.result);
}
