//! Whom the register takes for the same people.

use super::support::{JOB, Place};

/// A table of few different rows: whoever draws another one of the kind has many of them again.
fn few_kinds(seed: usize, names: impl Fn(usize) -> String) -> String {
    let row = |n: usize| {
        let mixed = (n * 7919 + seed * 104_729) % 10_007;
        let place = (mixed / 7 % 13, mixed / 3 % 5, mixed % 4);
        let illness = ["flu", "gout", "asthma", "angina"][place.2];
        format!("{},{},{},{},{illness}\n", names(n), 20 + 3 * place.0, ["f", "m"][n % 2], 81_660 + place.1)
    };
    "name,age,sex,zip,diagnosis\n".to_owned() + &(0..300).map(row).collect::<String>()
}

#[test]
fn strangers_with_rows_that_look_alike_raise_no_alarm_and_the_same_people_under_other_names_do() {
    let relations = |second: String| -> Vec<String> {
        let place = Place::with(JOB, few_kinds(1, |n| format!("Person {n}")));
        place.anonymize(&[]).expect(0);
        place.write("patients.csv", second);
        let run = place.anonymize(&["--json", "--output", "second", "--set", "privacy.models[0].k=4"]);
        let earlier = run.json()["register"]["earlier"].as_array().unwrap().clone();
        earlier.iter().map(|earlier| earlier["relation"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(relations(few_kinds(2, |n| format!("Somebody else {n}"))), Vec::<String>::new());
    // New numbers for everybody, and the rows they had.
    assert_eq!(relations(few_kinds(1, |n| format!("P-{}", 5000 + n))), ["overlap"]);
    // Names that were typed with more blanks, and nothing else as it was.
    assert_eq!(relations(few_kinds(2, |n| format!(" person   {n} "))), ["same-people"]);
}

/// Every row twice, so that none is rare.
fn twice(table: &str) -> String {
    let mut lines = table.lines();
    let header = lines.next().unwrap();
    let rows = lines.flat_map(|line| [format!("{line}\n"), format!("again {line}\n")]);
    format!("{header}\n") + &rows.collect::<String>()
}

#[test]
fn people_whose_rows_all_stand_there_again_are_no_strangers_however_often_they_do() {
    let table = |names: fn(usize) -> String| twice(&few_kinds(1, names));
    let place = Place::with(JOB, table(|n| format!("Person {n}")));
    place.anonymize(&[]).expect(0);
    place.write("patients.csv", table(|n| format!("P-{}", 5000 + n)));
    let run = place.anonymize(&["--json", "--output", "second", "--set", "privacy.models[0].k=4"]).json();
    assert_eq!(run["register"]["earlier"][0]["relation"], "overlap", "{}", run["register"]);
}

#[test]
fn slices_ask_the_same_question() {
    let told = |second: String| {
        let place = Place::with(JOB, few_kinds(1, |n| format!("Person {n}")));
        place.anonymize(&[]).expect(0);
        place.write("patients.csv", second);
        let slice = "slice patients.csv --job paravent.toml --groups age;sex;zip;diagnosis --bucket 20 --release sliced --json";
        let document = place.run(&slice.split(' ').collect::<Vec<_>>()).expect(0).json();
        let warnings = document["release"]["warnings"].as_array().unwrap().clone();
        warnings.iter().any(|warning| warning.as_str().unwrap().contains("released before"))
    };
    assert!(!told(few_kinds(2, |n| format!("Somebody else {n}"))));
    assert!(told(few_kinds(1, |n| format!("P-{}", 5000 + n))));
    assert!(told(few_kinds(2, |n| format!(" person   {n} "))));
}
