//! Every edit of the manifest, for releases of every kind: found, or named by the verdict as what it takes on trust.

use crate::support::{Place, names};
use paravent_verify::verify;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What one verification came to: `None` if something was found, else what it rests on.
fn rests_on(release: &Path) -> Option<String> {
    let verification = verify(release).ok().filter(|verification| verification.holds())?;
    let document = json!(verification);
    Some(format!("{} {}", document["trusted"], document["not_checked"]))
}

fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |key: String, value: &Value| {
        let pointer = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
        found.push(pointer.clone());
        pointers(value, &pointer, found);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| below(key.clone(), value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, value)| below(at.to_string(), value)),
        _ => {}
    }
}

fn others(value: &Value) -> Vec<Value> {
    let others = match value {
        Value::Number(number) => match number.as_u64() {
            Some(number) => vec![json!(number + 1), json!(number.saturating_sub(1)), json!(1u64 << 30)],
            None => vec![json!(number.as_f64().unwrap() + 0.25)],
        },
        Value::String(text) => vec![json!(format!("{text}x")), json!(""), json!("0.5")],
        Value::Bool(yes) => vec![json!(!yes)],
        Value::Null => vec![json!(7)],
        Value::Array(items) => vec![json!([&items[..], &items[..items.len().min(1)]].concat()), json!([])],
        Value::Object(object) => {
            let mut larger = object.clone();
            larger.insert("note".to_owned(), json!("Ada Lovelace"));
            vec![json!(larger), json!({})]
        }
    };
    others.into_iter().filter(|other| other != value).collect()
}

/// Every edit of one value, and every key taken out.
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

fn sha256(bytes: &[u8]) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for name in names(from) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// Makes the private folder fit the manifest that is there.
fn fit(place: &Place, release: &str) {
    let file = format!("{release}.private/transform.json");
    if place.path(&file).exists() {
        let mut transform = place.json(&file);
        transform["release"]["manifest_sha256"] =
            sha256(&place.bytes(&format!("{release}/manifest.json"))).into();
        place.write(&file, format!("{transform:#}\n"));
    }
}

/// All edits, in three situations: as they are, with all digests made to fit, and for a recipient who has no private folder.
pub fn all_are_found_or_told(place: &Place, release: &str) -> usize {
    let dir = place.path(release);
    let manifest = format!("{release}/manifest.json");
    let original = place.bytes(&manifest);
    let private = place.path(&format!("{release}.private"));
    copy(&dir, &place.path("alone"));
    let (with_private, alone) = (rests_on(&dir), rests_on(&place.path("alone")));
    assert!(with_private.is_some() && alone.is_some(), "the release itself is sound");
    let edits = edits(&serde_json::from_slice(&original).unwrap());
    let transform = private.join("transform.json");
    let before = transform.exists().then(|| fs::read(&transform).unwrap());
    for (name, edited) in &edits {
        let bytes = format!("{edited:#}\n");
        place.write(&manifest, &bytes);
        if let Some(before) = &before {
            assert_eq!(rests_on(&dir), None, "{name}: the private folder knows the manifest");
            fit(place, release);
            assert_ne!(rests_on(&dir), with_private, "{name}: with all digests made to fit");
            fs::write(&transform, before).unwrap();
        }
        place.write("alone/manifest.json", &bytes);
        assert_ne!(rests_on(&place.path("alone")), alone, "{name}: for a recipient");
    }
    place.write(&manifest, original);
    edits.len()
}

/// A byte of every file changed, at places all over it: found at once; with all digests made to fit, it is found or nothing but what is trusted.
fn every_file_is_guarded(place: &Place, release: &str) -> usize {
    let dir = place.path(release);
    let manifest = format!("{release}/manifest.json");
    let original = place.bytes(&manifest);
    let document: Value = serde_json::from_slice(&original).unwrap();
    let data = document["output"]["file"].as_str().unwrap().to_owned();
    let transform = format!("{release}.private/transform.json");
    let (before, sound) = (place.bytes(&transform), rests_on(&dir));
    assert!(sound.is_some(), "the release itself is sound");
    let mut edits = 0;
    for file in ["report.html", "report.json", &data] {
        let name = format!("{release}/{file}");
        let bytes = place.bytes(&name);
        for at in (0..bytes.len()).step_by(bytes.len().div_ceil(50)) {
            let mut changed = bytes.clone();
            changed[at] = if changed[at] == b'7' { b'8' } else { b'7' };
            place.write(&name, &changed);
            assert_eq!(rests_on(&dir), None, "{file}, byte {at}");
            let mut fitting = document.clone();
            let listed = match file == data {
                true => &mut fitting["output"]["sha256"],
                false => {
                    let mut reports = fitting["reports"].as_array_mut().unwrap().iter_mut();
                    &mut reports.find(|report| report["file"] == file).unwrap()["sha256"]
                }
            };
            *listed = sha256(&changed).into();
            place.write(&manifest, format!("{fitting:#}\n"));
            assert_eq!(rests_on(&dir), None, "{file}, byte {at}: the private folder knows the manifest");
            fit(place, release);
            let rests = rests_on(&dir);
            let on_trust = |rests: &str| {
                let rows = ["that the rows come from the original", "that the rows are the answer"];
                rows.iter().any(|words| rests.contains(words))
            };
            match file == data {
                true => assert!(rests.as_deref().is_none_or(on_trust), "{file}, byte {at}: {rests:?}"),
                false => assert_ne!(rests, sound, "{file}, byte {at}"),
            }
            place.write(&manifest, &original);
            place.write(&transform, &before);
            edits += 1;
        }
        place.write(&name, bytes);
    }
    edits
}

/// 60 people with three visits each.
fn visits() -> (String, String) {
    let job = "version = 1\n[input]\npath = \"patients.csv\"\n[[attributes]]\nname = \"pid\"\nrole = \"identifying\"\n\
               [[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\ntype = \"integer\"\n\
               hierarchy = { intervals = { widths = [10, 20], min = 0, max = 100 } }\n\
               [[attributes]]\nname = \"s\"\nrole = \"sensitive\"\n\
               [privacy]\nperson = \"pid\"\nsuppression_limit = 0.1\nmodels = [{ model = \"k-anonymity\", k = 4 }, \
               { model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }]\n[output]\npath = \"release\"\nregister = false\n";
    let row = |row: usize| {
        format!("p{},{},{}\n", row / 3, 20 + row / 3 * 7 % 60, ["flu", "gout", "burn"][(row + row / 9) % 3])
    };
    (job.to_owned(), format!("pid,age,s\n{}", (0..180).map(row).collect::<String>()))
}

#[test]
fn releases_that_count_people() {
    let (job, table) = visits();
    let place = Place::with(&job, table);
    place.anonymize(&[]).expect(0);
    assert!(all_are_found_or_told(&place, "release") > 100);

    // Other tokens with every digest made to fit: fewer people are too few, and more of them are what is trusted.
    let transform = place.json("release.private/transform.json");
    let tokens = place.read("release.private/people.txt");
    let lines: Vec<&str> = tokens.lines().collect();
    let forged = |lines: Vec<String>| {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let mut transform = transform.clone();
        transform["release"]["people_sha256"] = sha256(text.as_bytes()).into();
        place.write("release.private/people.txt", &text);
        place.write("release.private/transform.json", format!("{transform:#}\n"));
        rests_on(&place.path("release"))
    };
    assert!(
        forged(lines.iter().map(|line| (*line).to_owned()).collect())
            .unwrap()
            .contains("whose row each row is")
    );
    assert_eq!(forged(lines.iter().map(|_| lines[0].to_owned()).collect()), None, "everybody is one person");
    assert_eq!(
        forged(lines[1..].iter().map(|line| (*line).to_owned()).collect()),
        None,
        "a token is missing"
    );
    let all_different = forged((0..lines.len()).map(|row| format!("{row:016x}")).collect());
    assert!(all_different.is_none_or(|rests| rests.contains("whose row each row is")));
}

#[test]
fn sliced_releases() {
    let mut table = String::from("age,sex,ward,diagnosis\n");
    for row in 0..120usize {
        let mixed = (row + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17;
        let ward = ["north", "south", "east"][mixed / 7 % 3];
        let diagnosis = ["flu", "gout", "asthma", "burn"][mixed / 3 % 4];
        table.push_str(&format!("{},{},{ward},{diagnosis}\n", 30 + mixed % 5, ["f", "m"][mixed / 2 % 2]));
    }
    let place = Place::with("", "");
    place.write("wards.csv", table);
    let sliced = "slice wards.csv --groups age,sex;ward;diagnosis --bucket 12 --diversity 2 --sensitive diagnosis --release sliced";
    place.run(&sliced.split(' ').collect::<Vec<_>>()).expect(0);
    assert!(all_are_found_or_told(&place, "sliced") > 100);
    assert!(every_file_is_guarded(&place, "sliced") > 100);
}

#[test]
fn noisy_releases() {
    let place = Place::with(super::noise::NOISY_JOB, super::support::patients());
    super::noise::released(&place, &[]).expect(0);
    assert!(all_are_found_or_told(&place, "noisy") > 100);
    assert!(every_file_is_guarded(&place, "noisy") > 100);
}

#[cfg(feature = "sql")]
#[test]
fn released_answers() {
    let generalized = "SELECT age, sex, zip, diagnosis FROM generalize(patients, k => 3)";
    let sliced = "SELECT * FROM slice(patients, groups => ((age), (sex), (zip), (diagnosis)), bucket => 20)";
    for statement in [generalized, sliced] {
        let place = Place::new();
        place.run(&["sql", statement, "--job", "paravent.toml", "--release", "answer"]).expect(0);
        assert!(all_are_found_or_told(&place, "answer") > 100, "{statement}");
        assert!(every_file_is_guarded(&place, "answer") > 100, "{statement}");
    }
}

/// What an engine would release that counts rows where the job says that people are counted: 40 people with six rows each, as they came.
/// The key is told to be the number of the row, so that this engine makes the release; then every row gets the token of its real owner, and
/// every digest fits.
#[test]
fn a_search_that_counts_rows_for_people_is_refused() {
    let job = "version = 1\n[input]\npath = \"patients.csv\"\n[[attributes]]\nname = \"row\"\nrole = \"identifying\"\n\
               [[attributes]]\nname = \"pid\"\nrole = \"identifying\"\n\
               [[attributes]]\nname = \"town\"\nrole = \"quasi-identifier\"\n[[attributes]]\nname = \"s\"\nrole = \"sensitive\"\n\
               [privacy]\nperson = \"KEY\"\nmodels = [{ model = \"k-anonymity\", k = 6 }, \
               { model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }]\n[output]\npath = \"release\"\nregister = false\n";
    let row =
        |row: usize| format!("r{row},p{},town {},{}\n", row / 6, row / 6, ["flu", "gout", "burn"][row % 3]);
    let table = format!("row,pid,town,s\n{}", (0..240).map(row).collect::<String>());
    let place = Place::with(&job.replace("KEY", "row"), &table);
    place.anonymize(&[]).expect(0);
    assert!(rests_on(&place.path("release")).is_some(), "240 people in classes of six keep the promise");
    let data = place.read("release/data.csv");
    assert!(data.contains("town 39"), "nothing had to be generalized");
    let owners: Vec<String> = data
        .lines()
        .skip(1)
        .map(|line| {
            format!("{:016x}", line["town ".len()..].split(',').next().unwrap().parse::<u64>().unwrap())
        })
        .collect();
    let text = owners.iter().map(|token| format!("{token}\n")).collect::<String>();
    // The numbers of people as that engine would have to write them.
    let mut manifest = place.json("release/manifest.json").to_string().replace("240", "40");
    manifest = manifest.replace("\"rows\":40", "\"rows\":240");
    place
        .write("release/manifest.json", format!("{:#}\n", serde_json::from_str::<Value>(&manifest).unwrap()));
    let mut transform = place.json("release.private/transform.json");
    transform["release"]["people_sha256"] = sha256(text.as_bytes()).into();
    place.write("release.private/people.txt", &text);
    place.write("release.private/transform.json", format!("{transform:#}\n"));
    fit(&place, "release");
    let verification = verify(&place.path("release")).unwrap();
    let refused: Vec<&str> = verification.violations().map(|check| check.name.as_str()).collect();
    assert!(refused.contains(&"k-anonymity") && refused.contains(&"distinct-l-diversity"), "{refused:?}");
    // The engine itself does better: with the owner as the key there is no such release.
    let place = Place::with(&job.replace("KEY", "pid"), &table);
    place.anonymize(&["--json"]).expect(0);
    assert!(!place.read("release/data.csv").contains("town 1"), "the towns are hidden");
}
