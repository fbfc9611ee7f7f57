//! What is handed out does not depend on anybody who was left out.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const JOB: &str = r#"version = 1
[input]
path = "t.csv"
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }
[[attributes]]
name = "town"
role = "quasi-identifier"
hierarchy = { ordering = { sizes = [2, 3] } }
[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
hierarchy = { redact = { from = "right" } }
[[attributes]]
name = "illness"
role = "sensitive"
[[attributes]]
name = "days"
role = "insensitive"
type = "integer"
[privacy]
suppression_limit = 0.01
models = [ { model = "k-anonymity", k = 4 }, { model = "distinct-l-diversity", attribute = "illness", l = 2 } ]
[search]
metric = "loss"
[output]
path = "release"
register = REGISTER
format = "FORMAT"
"#;

/// 600 people who can be released, and one who cannot.
fn table(outsider: &str) -> String {
    let mut text = String::from("name,age,town,zip,illness,days\n");
    for i in 0..600 {
        let town = ["Aachen", "Bonn", "Celle", "Dachau", "Essen", "Fulda"][i % 6];
        let illness = ["flu", "gout", "asthma"][i / 7 % 3];
        text.push_str(&format!("person {i},{},{town},{},{illness},{}\n", 20 + i % 10, 52000 + i % 4, i % 9));
    }
    text + outsider + "\n"
}

/// The files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Both folders of a release.
fn released(
    outsider: &str,
    format: &str,
    register: bool,
) -> (BTreeMap<String, Vec<u8>>, BTreeMap<String, Vec<u8>>) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), table(outsider)).unwrap();
    let job = JOB.replace("FORMAT", format).replace("REGISTER", &register.to_string());
    fs::write(folder.path().join("paravent.toml"), job).unwrap();
    let finished =
        anonymize(&folder.path().join("paravent.toml"), &RunOptions::default(), &Unwatched).unwrap();
    assert_eq!(finished.document.solution.suppressed_rows, 1, "{:?}", finished.document.solution);
    let private = folder.path().join("release.private");
    assert_eq!(fs::metadata(&private).unwrap().mode() & 0o777, 0o700);
    for name in files(&private).keys() {
        assert_eq!(fs::metadata(private.join(name)).unwrap().mode() & 0o777, 0o600, "{name}");
    }
    (files(&folder.path().join("release")), files(&private))
}

const OUTSIDERS: [&str; 4] = [
    "Zoe,97,Zwickau,99999,flu,3",
    "Yan,96,Zwolle,98999,flu,4",
    "Xia,91,Vaduz,99899,gout,8",
    "Wim,88,Aachen,99998,asthma,700",
];

#[test]
fn nobody_who_was_left_out_changes_a_byte() {
    for format in ["csv", "parquet", "arrow"] {
        let (sound, private) = released(OUTSIDERS[0], format, false);
        for outsider in &OUTSIDERS[1..] {
            let (other, other_private) = released(outsider, format, true);
            for (name, bytes) in sound.iter().rev() {
                let (ours, theirs) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&other[name]));
                let differ = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
                assert!(bytes == &other[name], "{format}, {outsider}: {name} differs: {differ:?}");
            }
            assert_eq!(sound.len(), other.len());
            assert_ne!(private["report.json"], other_private["report.json"], "the full report tells more");
        }
    }
}

#[test]
fn no_digest_of_the_original_is_handed_out_and_only_losses_of_the_release_are() {
    let (release, private) = released(OUTSIDERS[0], "csv", true);
    let full: Value = serde_json::from_slice(&private["report.json"]).unwrap();
    let digests =
        [&full["input"]["sha256"], &full["job_sha256"]].map(|digest| digest.as_str().unwrap().to_owned());
    for (name, bytes) in &release {
        let text = String::from_utf8_lossy(bytes).replace("<wbr>", "");
        for digest in &digests {
            assert!(!text.contains(digest), "{name}");
        }
        for cell in ["Zoe", "Zwickau", "99999"] {
            assert!(!text.contains(cell), "{name}: {cell}");
        }
    }
    let document: Value = serde_json::from_slice(&release["report.json"]).unwrap();
    let exact = full["solution"]["losses"].as_object().unwrap();
    let told: Vec<&String> = document["solution"]["losses"].as_object().unwrap().keys().collect();
    assert_eq!(told, ["height", "aecs", "discernibility"], "what follows from the released rows");
    assert!(document["solution"]["loss"].is_null() && full["solution"]["loss"].is_f64());
    let manifest: Value = serde_json::from_slice(&release["manifest.json"]).unwrap();
    assert!(manifest["solution"]["loss"].is_null());
    for (metric, loss) in document["solution"]["losses"].as_object().unwrap() {
        let (told, exact) = (loss.as_f64().unwrap(), exact[metric].as_f64().unwrap());
        assert!((told - exact).abs() <= exact.abs() * 0.005 + 1e-12, "{metric}");
        assert!(
            format!("{told:e}").split('e').next().unwrap().trim_start_matches('-').replace('.', "").len()
                <= 3,
            "{told}"
        );
    }
    let text = String::from_utf8_lossy(&private["transform.json"]).into_owned();
    assert!(text.contains("Zwickau"), "the values of an ordering stay at home");
    let page = String::from_utf8_lossy(&release["report.html"]).into_owned();
    assert!(
        page.contains("external version") && !page.contains("id=\"search\"") && !page.contains(">Before<")
    );
    assert!(String::from_utf8_lossy(&private["report.html"]).contains("internal version"));
}
