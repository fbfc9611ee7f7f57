//! The columns that say whose row it is may have other roles as well.

use crate::people::{JOB, visits};
use crate::support::{self, Place};
use std::collections::BTreeSet;

#[test]
fn a_part_of_the_key_may_be_a_quasi_identifier() {
    // Numbers repeat in the other ward: only both columns together say who it is.
    let key = JOB.replace("person = \"patient\"", "person = [\"ward\", \"patient\"]");
    let place = Place::with(&key, visits(1));
    let check = place.run(&["check", "patients.csv", "--job", "paravent.toml"]).expect(1);
    assert!(check.out.contains("BROKEN"), "{}", check.out);
    let document = place.run(&["anonymize", "paravent.toml", "--json"]).expect(0).json();
    let expected: BTreeSet<String> = visits(1)
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect::<Vec<_>>())
        .map(|cells| format!("{} {}", cells[0], cells[2]))
        .collect();
    assert_eq!(document["solution"]["people"]["read"], expected.len());
    place.run(&["verify", "release"]).expect(0);
    // The whole key, and a sensitive column in it.
    for person in ["\"ward\"", "[\"finding\", \"patient\"]"] {
        let job = JOB.replace("person = \"patient\"", &format!("person = {person}"));
        let place = Place::with(&job.replace("k = 6", "k = 1").replace("l = 3", "l = 1"), visits(1));
        let run = place.anonymize(&["--dry-run"]);
        assert!(matches!(run.code, Some(0 | 3)), "{:?} {}", run.code, run.err);
    }
}

/// One class of people with these keys, two rows each.
fn keyed(key: impl Fn(usize, usize) -> String) -> Place {
    let mut rows = String::from("name,age,sex,zip,diagnosis\n");
    for person in 0..12 {
        for visit in 0..2 {
            rows.push_str(&format!("{},40,f,81660,{}\n", key(person, visit), ["flu", "gout"][visit]));
        }
    }
    Place::with(&support::JOB.replace("[privacy]", "[privacy]\nperson = \"name\""), rows)
}

#[test]
fn keys_that_only_a_program_can_tell_apart_and_words_for_nobody_are_told() {
    // An accent written in two ways, a sign without a width, a number without its zeros; of one person in twelve each, and others stay quiet.
    for (one, other) in [("S\u{fc}d", "Su\u{308}d"), ("Q1", "Q\u{200b}1"), ("0007", "7")] {
        let place = keyed(|person, visit| match (person, visit) {
            (3, 0) => one.to_owned(),
            (3, _) => other.to_owned(),
            _ => format!("P{person:02}"),
        });
        let document = place.anonymize(&["--json"]).expect(0).json();
        assert_eq!(document["solution"]["people"]["read"], 13);
        let warnings = document["warnings"].to_string();
        assert!(warnings.contains("1 keys of privacy.person look like another one"), "{one:?}: {warnings}");
    }
    let place = keyed(|person, _| if person == 3 { "unknown".to_owned() } else { format!("P{person:02}") });
    let warnings = place.anonymize(&["--json"]).expect(0).json()["warnings"].to_string();
    assert!(warnings.contains("1 keys of privacy.person read like a missing value"), "{warnings}");
    let warnings =
        keyed(|person, _| format!("P{person:02}")).anonymize(&["--json"]).expect(0).json()["warnings"]
            .to_string();
    assert!(!warnings.contains("keys of privacy.person"), "{warnings}");
}

#[test]
fn a_key_is_not_released_unless_the_owner_says_so() {
    // Few people with many rows: nothing about the cells looks like a number of a person.
    let job =
        support::JOB.replace("[privacy]", "[privacy]\nperson = \"diagnosis\"").replace("l = 2", "l = 1");
    let place = Place::with(&job, support::patients());
    let told = place.anonymize(&[]).expect(2);
    told.says(&["diagnosis is released as it is, but privacy.person says that it numbers people"]);
    assert!(!place.path("release").exists());
    let word = "role = \"sensitive\"\nrelease = \"as it is\"";
    place.write("paravent.toml", job.replace("role = \"sensitive\"", word));
    place.anonymize(&[]).expect(0);
    // A part of the key may leave.
    let part = job.replace("person = \"diagnosis\"", "person = [\"name\", \"diagnosis\"]");
    Place::with(&part, support::patients()).anonymize(&[]).expect(0);
}
