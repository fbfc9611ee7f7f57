//! Vertical splits: whose rows belong together, and who promises what.

use super::federation::{Federation, Split};
use super::makes_the_central_release;

/// A party's table without the row of one person, or with another name for it.
fn rename(federation: &Federation, name: &str, person: &str, to: Option<&str>) {
    let file = format!("{name}/patients.csv");
    let table = federation.read(&file);
    let mut lines: Vec<String> = Vec::new();
    for line in table.lines() {
        match (line.strip_prefix(&format!("{person},")), to) {
            (Some(_), None) => {}
            (Some(rest), Some(to)) => lines.push(format!("{to},{rest}")),
            (None, _) => lines.push(line.to_owned()),
        }
    }
    assert_ne!(lines.join("\n"), table.trim_end(), "{person} is not there");
    federation.place.write(&file, lines.join("\n") + "\n");
}

#[test]
fn identifiers_that_match_nothing_are_told_before_anybody_waits() {
    let federation = Federation::agreed("b", Split::Vertical);
    let approve = ["party", "approve", "cat/federation.toml", "cat/paravent.toml", "--me", "cat"];
    let address = federation.address("cat");
    let join =
        ["party", "join", "cat/federation.toml", "cat/paravent.toml", "--me", "cat", "--address", &address];
    let join = [&join[..], &["--certificate", "cat/cat.cert.pem"]].concat();
    rename(&federation, "cat", "person 3", Some("person 4"));
    for command in [&approve[..], &join] {
        federation.place.run(command).expect(2).says(&["1 rows have the identifier of another row"]);
    }
    federation.party("cat", &["--yes"]).expect(2).says(&["identifier of another row"]);
    rename(&federation, "cat", "person 5", Some(""));
    for command in [&approve[..], &join] {
        federation.place.run(command).expect(2).says(&["a row has no identifier"]);
    }
}

#[test]
fn persons_that_a_party_does_not_know_have_missing_values_where_all_agreed_to_it() {
    let federation = Federation::agreed_on("b", Split::Vertical, &["--fill-gaps"]);
    rename(&federation, "cat", "person 7", None);
    rename(&federation, "cat", "person 20", None);
    rename(&federation, "ann", "person 31", None);
    // One place would have empty cells.
    let blank = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        match cells[0] {
            "person 7" | "person 20" => cells[3] = "",
            "person 31" => cells[1] = "",
            _ => {}
        }
        cells.join(",")
    };
    let table: Vec<String> = federation.read("patients.csv").lines().map(blank).collect();
    federation.place.write("patients.csv", table.join("\n") + "\n");
    federation.place.anonymize(&["--force"]).expect(6);
    makes_the_central_release(&federation, Split::Vertical);
}

#[test]
fn a_gap_ends_the_run_where_nobody_agreed_to_it() {
    let federation = Federation::agreed("b", Split::Vertical);
    rename(&federation, "cat", "person 7", None);
    let outcomes = federation.run_all(&[]);
    let all: String = outcomes.iter().map(|(_, outcome)| outcome.err.as_str()).collect();
    assert!(all.contains("do not hold the same tuple identifiers"), "{all}");
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn gaps_are_for_helpers_that_can_fill_them() {
    let federation = Federation::agreed("b", Split::Vertical);
    for (protocol, split) in [("c", "vertical"), ("b", "horizontal")] {
        let invite =
            ["party", "invite", "ben/paravent.toml", "--run", "x", "--me", "ben", "--output", "other.toml"];
        let parties = ["--party", "ann", "--party", "ben", "--helper", "hal", "--identifier", "name"];
        let wishes = ["--protocol", protocol, "--split", split, "--fill-gaps"];
        federation.place.run(&[&invite[..], &parties, &wishes].concat()).expect(2).says(&["placeholders"]);
    }
}

#[test]
fn whoever_holds_a_column_can_promise_something_of_it() {
    let federation = Federation::agreed("b", Split::Vertical);
    // Ann invites, who holds ages only; ben brings the diagnoses and what is promised of them.
    let invite =
        ["party", "invite", "ann/paravent.toml", "--run", "x", "--me", "ann", "--output", "new.toml"];
    let parties = ["--party", "ann", "--party", "ben", "--party", "cat", "--helper", "hal"];
    let wishes = ["--protocol", "b", "--split", "vertical", "--identifier", "name"];
    federation.place.run(&[&invite[..], &parties, &wishes].concat()).expect(0);
    assert!(!federation.read("new.toml").contains("distinct-l-diversity"));
    for name in ["ann", "ben", "cat", "hal"] {
        let (job, certificate) = (format!("{name}/paravent.toml"), format!("{name}/{name}.cert.pem"));
        let address = federation.address(name);
        let mut args = vec!["party", "join", "new.toml"];
        args.extend((name != "hal").then_some(job.as_str()));
        args.extend(["--me", name, "--address", &address, "--certificate", &certificate]);
        federation.place.run(&args).expect(0);
    }
    let agreed = federation.read("new.toml");
    assert_eq!(agreed.matches("distinct-l-diversity").count(), 1, "{agreed}");
    for name in ["ann", "ben", "cat", "hal"] {
        federation.place.write(&format!("{name}/federation.toml"), &agreed);
        federation.approve(name);
    }
    makes_the_central_release(&federation, Split::Vertical);
}
