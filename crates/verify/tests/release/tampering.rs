//! Every way of tampering that can be thought of, one at a time: each is found, or the verdict itself names what it rests on.
//!
//! Four situations: the files as they were left; with every digest made to fit and the private folder as it was; with the digest in the private
//! folder made to fit as well; and for a recipient, who has no private folder. With a signature and the key, everything is found.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use paravent_verify::{Verification, verify, verify_signed};
use serde_json::{Value, json};

use crate::builder::{Release, digest, put};
use crate::canonical;
use crate::handed_out::{HandedOut, key, pretty};

/// What one verification came to.
#[derive(Debug, PartialEq)]
enum Result {
    /// A violation, or nothing that can be examined.
    Found,
    /// All held; what it rests on.
    Held { trusted: Vec<(String, Value)>, not_checked: Vec<String> },
}

fn result(verification: std::result::Result<Verification, paravent_verify::VerifyError>) -> Result {
    match verification {
        Err(_) => Result::Found,
        Ok(verification) if !verification.holds() => Result::Found,
        Ok(verification) => Result::Held {
            trusted: verification.trusted.iter().map(|t| (t.what.to_owned(), t.said.clone())).collect(),
            not_checked: verification
                .not_checked
                .iter()
                .map(|open| format!("{} {:?}", open.name, open.subject))
                .collect(),
        },
    }
}

/// Pointers to all values of a document below the root.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |key: String, value: &Value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        found.push(pointer.clone());
        pointers(value, &pointer, found);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| below(index.to_string(), value))
        }
        _ => {}
    }
}

/// Other values in place of one.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => match number.as_u64() {
            Some(number) => vec![json!(number + 1), json!(number.saturating_sub(1)), json!(1u64 << 30)],
            None => vec![json!(number.as_f64().unwrap() + 0.25), json!(0.0)],
        },
        Value::String(text) => vec![json!(format!("{text}x")), json!(""), json!("0.5"), json!("string")],
        Value::Bool(yes) => vec![json!(!yes)],
        Value::Null => vec![json!(7), json!("x")],
        Value::Array(items) => {
            let mut longer = items.clone();
            longer.extend(items.first().cloned());
            let mut shorter = items.clone();
            shorter.pop();
            vec![json!(longer), json!(shorter), json!([])]
        }
        Value::Object(object) => {
            let mut larger = object.clone();
            larger.insert("note".to_owned(), json!("Ada Lovelace"));
            vec![json!(larger), json!({})]
        }
    }
    .into_iter()
    .filter(|other| other != value)
    .collect()
}

/// Every edit of one value of a document, and every key taken out.
fn edits(document: &Value) -> Vec<(String, Value)> {
    let mut found = vec![String::new()];
    pointers(document, "", &mut found);
    let mut edits = Vec::new();
    for pointer in found {
        for other in others(document.pointer(&pointer).unwrap()) {
            let mut edited = document.clone();
            *edited.pointer_mut(&pointer).unwrap() = other.clone();
            edits.push((format!("{pointer} = {other}"), edited));
        }
        if let Some((parent, key)) = pointer.rsplit_once('/') {
            let mut edited = document.clone();
            if let Some(object) = edited.pointer_mut(parent).unwrap().as_object_mut() {
                object.shift_remove(key);
                edits.push((format!("{pointer} taken out"), edited));
            }
        }
    }
    edits
}

fn example() -> HandedOut {
    HandedOut::example()
}

fn manifest_of(made: &HandedOut) -> Value {
    serde_json::from_slice(&made.manifest()).unwrap()
}

#[test]
fn every_edit_of_the_manifest_is_found_or_shows_in_what_is_trusted() {
    let (secret, public) = key(1);
    let sound = example();
    let document = manifest_of(&sound);
    let with_private = result(verify(&sound.dir()));
    let alone = result(verify(&example().alone().dir()));
    assert!(with_private != Result::Found && alone != Result::Found);
    let edits = edits(&document);
    assert!(edits.len() > 300, "{} edits", edits.len());
    for (name, edited) in edits {
        let made = example();
        made.sign(&secret);
        put(&made.dir(), "manifest.json", &pretty(&edited));
        assert_eq!(
            result(verify(&made.dir())),
            Result::Found,
            "{name}: the private folder knows the manifest"
        );
        assert_eq!(
            result(verify_signed(&made.dir(), Some(&public))),
            Result::Found,
            "{name}: so does the signature"
        );
        fs::remove_file(made.dir().join("manifest.sig")).unwrap();
        made.write_manifest(&pretty(&edited));
        assert_ne!(result(verify(&made.dir())), with_private, "{name}: with all digests made to fit");
        assert_ne!(result(verify(&made.alone().dir())), alone, "{name}: for a recipient");
    }
}

#[test]
fn other_bytes_of_the_same_manifest_are_found() {
    let text = String::from_utf8(example().manifest()).unwrap();
    let twice = text.replacen("\"format\": 2,", "\"format\": 2,\n  \"format\": 2,", 1);
    let forms = [
        ("compact", serde_json::to_string(&manifest_of(&example())).unwrap()),
        ("a blank more", text.replacen(": 2,", ":  2,", 1)),
        ("no line end", text.trim_end().to_owned()),
        ("two line ends", format!("{text}\n")),
        ("a key twice", twice),
        ("an escape", text.replacen("age", "\\u0061ge", 1)),
        ("a longer number", text.replacen("\"loss\": 1.0", "\"loss\": 1.00", 1)),
        ("carriage returns", text.replace('\n', "\r\n")),
    ];
    for (name, form) in forms {
        assert_ne!(form, text, "{name}");
        let made = example();
        made.write_manifest(form.as_bytes());
        assert_eq!(result(verify(&made.dir())), Result::Found, "{name}");
        assert_eq!(result(verify(&made.alone().dir())), Result::Found, "{name}");
    }
}

/// Rows with one thing changed, and whether somebody without the hierarchies can tell.
fn edited_rows() -> Vec<(String, Release, bool)> {
    let sound = Release::example();
    let mut edits = Vec::new();
    let mut add = |name: String, release: Release, told: bool| edits.push((name, release, told));
    for row in 0..sound.rows.len() {
        for column in 0..sound.header.len() {
            for text in ["zzz", "", "34"] {
                add(
                    format!("row {row}, column {column} = {text:?}"),
                    sound.clone().with_cell(row, column, text),
                    true,
                );
            }
            let mut missing = sound.clone();
            missing.rows[row][column] = None;
            add(format!("row {row}, column {column} missing"), missing, true);
        }
        let mut shorter = sound.clone();
        shorter.rows.remove(row);
        add(format!("row {row} taken out"), shorter.clone(), true);
        let fitted = shorter.with("/output/rows", 5).with("/suppression/rows", 3).with("/input/rows", 8);
        add(format!("row {row} taken out, numbers made to fit"), fitted, true);
        let mut longer = sound.clone();
        longer.rows.insert(row, sound.rows[row].clone());
        add(format!("row {row} twice"), longer, true);
        let mut moved = sound.clone();
        moved.rows.swap(row, (row + 2) % 6);
        add(format!("row {row} moved"), moved, true);
    }
    for column in 0..3 {
        let mut renamed = sound.clone();
        let label = sound.rows[0][column].clone();
        renamed
            .rows
            .iter_mut()
            .filter(|row| row[column] == label)
            .for_each(|row| row[column] = Some("ZZ".to_owned()));
        add(format!("a label of column {column} for all its rows"), renamed.sorted(), false);
    }
    let mut swapped = sound.clone();
    swapped.header.swap(0, 1);
    swapped.rows.iter_mut().for_each(|row| row.swap(0, 1));
    add("columns in another order".to_owned(), swapped, true);
    let mut named = sound.clone();
    named.header[0] = "years".to_owned();
    add("a column renamed".to_owned(), named, true);
    let mut more = sound.clone();
    more.header.push("name".to_owned());
    more.rows.iter_mut().for_each(|row| row.push(Some("Ada".to_owned())));
    add("an identifier more".to_owned(), more, true);
    edits
}

#[test]
fn every_edit_of_the_rows_is_found_or_named_as_open() {
    let (secret, public) = key(1);
    let kinds = edited_rows();
    assert!(kinds.len() > 100, "{} kinds", kinds.len());
    for (name, release, told) in kinds {
        let made = example();
        made.sign(&secret);
        put(&made.dir(), "data.csv", &canonical::data(&release));
        assert_eq!(result(verify(&made.dir())), Result::Found, "{name}: as left");
        let mut manifest = manifest_of(&HandedOut::of(release.clone()));
        manifest["output"]["sha256"] = digest(&canonical::data(&release)).into();
        put(&made.dir(), "manifest.json", &pretty(&manifest));
        assert_eq!(result(verify(&made.dir())), Result::Found, "{name}: digests made to fit");
        assert_eq!(result(verify_signed(&made.dir(), Some(&public))), Result::Found, "{name}: signed");
        fs::remove_file(made.dir().join("manifest.sig")).unwrap();
        made.write_manifest(&pretty(&manifest));
        let column_one = name.contains("column 1 for all");
        if !column_one {
            assert_eq!(result(verify(&made.dir())), Result::Found, "{name}: all digests made to fit");
        }
        match result(verify(&made.alone().dir())) {
            Result::Found => assert!(told, "{name}"),
            Result::Held { trusted, not_checked } => {
                assert!(!told, "{name}: for a recipient");
                let open = not_checked.iter().any(|open| open.starts_with("labels"));
                assert!(open && trusted.iter().any(|(what, _)| what == "truth"), "{name}");
            }
        }
    }
}

#[test]
fn every_edit_of_the_transformation_is_found_or_the_hierarchies_are_named() {
    let sound = example();
    let document: Value =
        serde_json::from_slice(&fs::read(sound.private().join("transform.json")).unwrap()).unwrap();
    let mut open = 0;
    for (name, edited) in edits(&document) {
        put(&sound.private(), "transform.json", &pretty(&edited));
        if let Result::Held { trusted, .. } = result(verify(&sound.dir())) {
            open += 1;
            assert!(
                name.contains("hierarchy") || name.starts_with("/paravent") || name.contains("note"),
                "{name}"
            );
            assert!(trusted.iter().any(|(what, _)| what == "hierarchies"), "{name}");
        }
    }
    assert!(open < 150, "{open} edits show nowhere but in what is trusted");
}

/// A change of the folder.
type Change = fn(&HandedOut);

const FILES: [(&str, Change); 24] = [
    ("data as a link", |made| relink(made, "data.csv")),
    ("manifest as a link", |made| relink(made, "manifest.json")),
    ("page as a link", |made| relink(made, "report.html")),
    ("document as a link", |made| relink(made, "report.json")),
    ("data with a second name", |made| second_name(made, "data.csv")),
    ("manifest with a second name", |made| second_name(made, "manifest.json")),
    ("page with a second name", |made| second_name(made, "report.html")),
    ("document with a second name", |made| second_name(made, "report.json")),
    ("data as a folder", |made| folder(made, "data.csv")),
    ("manifest as a folder", |made| folder(made, "manifest.json")),
    ("page as a folder", |made| folder(made, "report.html")),
    ("document as a folder", |made| folder(made, "report.json")),
    ("signature as a folder", |made| fs::create_dir(made.dir().join("manifest.sig")).unwrap()),
    ("data as a pipe", |made| pipe(made, "data.csv")),
    ("page as a pipe", |made| pipe(made, "report.html")),
    ("no page", |made| fs::remove_file(made.dir().join("report.html")).unwrap()),
    ("no document", |made| fs::remove_file(made.dir().join("report.json")).unwrap()),
    ("another page", |made| put(&made.dir(), "report.html", b"all is well")),
    ("another document", |made| put(&made.dir(), "report.json", b"{}")),
    ("a file more", |made| put(&made.dir(), "names.csv", b"Ada")),
    ("a hidden file more", |made| put(&made.dir(), ".names.csv", b"Ada")),
    ("a folder more", |made| fs::create_dir(made.dir().join("more")).unwrap()),
    ("the transformation in it", |made| put(&made.dir(), "transform.json", b"{}")),
    ("a signature that is none", |made| put(&made.dir(), "manifest.sig", b"Ada Lovelace")),
];

fn relink(made: &HandedOut, file: &str) {
    fs::rename(made.dir().join(file), made.parent.path().join(file)).unwrap();
    symlink(made.parent.path().join(file), made.dir().join(file)).unwrap();
}

fn second_name(made: &HandedOut, file: &str) {
    fs::hard_link(made.dir().join(file), made.parent.path().join(file)).unwrap();
}

fn folder(made: &HandedOut, file: &str) {
    fs::remove_file(made.dir().join(file)).unwrap();
    fs::create_dir(made.dir().join(file)).unwrap();
}

fn pipe(made: &HandedOut, file: &str) {
    fs::remove_file(made.dir().join(file)).unwrap();
    assert!(Command::new("mkfifo").arg(made.dir().join(file)).status().unwrap().success());
}

#[test]
fn every_change_of_the_folder_is_found() {
    for (name, change) in FILES {
        let made = example();
        change(&made);
        assert_eq!(result(verify(&made.dir())), Result::Found, "{name}");
        assert_eq!(result(verify(&made.alone().dir())), Result::Found, "{name}, for a recipient");
    }
}
