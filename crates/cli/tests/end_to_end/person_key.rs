//! The columns that say whose row it is may have other roles as well.

use crate::people::{JOB, visits};
use crate::support::Place;
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
