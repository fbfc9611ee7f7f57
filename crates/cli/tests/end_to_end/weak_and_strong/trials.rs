//! What must become of an attack on files, and which attacks a test tries.

use crate::support::Place;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Names of attacks, and whether they were tried on a strong table.
type Tried = BTreeSet<(String, bool)>;

thread_local! {
    /// While tests are asked what they try instead of trying it.
    static NOTED: RefCell<Option<Tried>> = const { RefCell::new(None) };
}

/// What these tests would try.
pub(super) fn tried_by(tests: &[fn()]) -> Tried {
    NOTED.set(Some(Tried::new()));
    tests.iter().for_each(|test| test());
    NOTED.take().unwrap_or_default()
}

/// Notes a trial where that is all that is asked for.
pub(super) fn noted(attack: &str, is_strong: bool) -> bool {
    NOTED.with_borrow_mut(|noted| {
        noted.as_mut().is_some_and(|noted| {
            noted.insert((attack.to_owned(), is_strong));
            true
        })
    })
}

/// What an attack says of `t.csv` beside other files.
fn severities(attack: &str, files: &[(&str, &str)], more: &[&str]) -> Vec<String> {
    let place = Place::with("", "");
    files.iter().for_each(|(name, text)| place.write(name, text));
    let table: &[&str] = match files.iter().any(|(name, _)| *name == "t.csv") {
        true => &["t.csv", "--quasi-identifiers", "age,zip", "--sensitive", "s"],
        false => &[],
    };
    let fixed = ["attack", "--only", attack, "--seed", "1", "--k", "3", "--json"];
    let document = place.run(&[&fixed[..], table, more].concat()).json();
    let outcomes = document["attacks"].as_array().unwrap_or_else(|| panic!("{document}"));
    outcomes.iter().map(|outcome| outcome["severity"].as_str().unwrap().to_owned()).collect()
}

/// Says what must become of an attack on files, with more arguments.
pub(super) type Judge = fn(&str, &[(&str, &str)], &[&str]);

pub(super) fn weak(attack: &str, files: &[(&str, &str)], more: &[&str]) {
    if noted(attack, false) {
        return;
    }
    let found = severities(attack, files, more);
    assert!(found.iter().any(|word| word == "residual" || word == "broken"), "{attack}: {found:?}");
}

pub(super) fn strong(attack: &str, files: &[(&str, &str)], more: &[&str]) {
    if noted(attack, true) {
        return;
    }
    let found = severities(attack, files, more);
    assert!(!found.is_empty(), "{attack} was not run");
    assert!(found.iter().all(|word| word == "covered" || word == "nothing found"), "{attack}: {found:?}");
}
