//! Vertical splits: whose rows belong together, and who promises what.

use super::federation::{Federation, Split};
use super::makes_the_central_release;
use crate::support::{JOB, Outcome, Place, patients};

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

/// What a command prints, whatever its exit code.
fn tells(outcome: &Outcome, code: i32, texts: &[&str]) {
    assert_eq!(outcome.code, Some(code), "{}{}", outcome.out, outcome.err);
    texts.iter().for_each(|text| assert!(outcome.out.contains(text), "{text:?} is not in {}", outcome.out));
}

#[test]
fn people_in_common_are_counted_before_anybody_approves() {
    let federation = Federation::agreed("b", Split::Vertical);
    rename(&federation, "cat", "person 7", None);
    rename(&federation, "ann", "person 31", None);
    for (name, outcome) in federation.match_all() {
        // Nobody agreed to fill gaps, so the run would end; told in numbers, not in names.
        tells(&outcome, 1, &["every party", "58", "all", "60", "the run would end"]);
        let noted = federation.read(&format!("{name}/federation.toml"));
        assert!(noted.contains("at every party"), "{noted}");
        assert!(!format!("{}{}", outcome.out, outcome.err).contains("person "), "{}", outcome.out);
    }
    // The count is no part of what is approved, and `approve` tells it.
    let approve = ["party", "approve", "cat/federation.toml", "cat/paravent.toml", "--me", "cat"];
    tells(&federation.place.run(&approve), 0, &["58 at every party"]);
    let digest = |name: &str| {
        let json = federation.place.run(&["party", "status", &format!("{name}/federation.toml"), "--json"]);
        json.out.split("\"digest\": \"").nth(1).unwrap()[..64].to_owned()
    };
    assert_eq!(digest("cat"), digest("hal"));
    let helper = ["party", "match", "hal/federation.toml", "--me", "hal", "--key", "hal/hal.key.pem"];
    let helper = [&helper[..], &["--certificate", "hal/hal.cert.pem", "--yes"]].concat();
    federation.place.run(&helper).expect(2).says(&["the helper holds nobody"]);
}

#[test]
fn who_counts_and_who_runs_do_not_talk_to_each_other() {
    let federation = Federation::agreed("a", Split::Vertical);
    let wait = ["--yes", "--connect-timeout", "3"];
    let counts: Vec<_> =
        ["ann", "ben"].into_iter().map(|name| federation.spawn_command(name, "match", &wait)).collect();
    let runs = federation.spawn("cat", &wait);
    for child in counts.into_iter().chain([runs]) {
        federation.outcome(child).expect(4);
    }
}

#[test]
fn with_nobody_at_two_sites_the_release_is_the_central_one() {
    let federation = Federation::agreed_on("a", Split::Horizontal, &["--identifier", "name"]);
    for (_, outcome) in federation.match_all() {
        tells(&outcome, 0, &["every party", "0", "paravent party approve"]);
    }
    makes_the_central_release(&federation, Split::Horizontal);
}

#[test]
fn the_same_person_at_two_sites_is_noticed_before_the_run_and_in_it() {
    let federation = Federation::agreed_on("b", Split::Horizontal, &["--identifier", "name"]);
    // Row 0 is ann's, row 1 is ben's.
    rename(&federation, "ben", "person 1", Some("person 0"));
    for (_, outcome) in federation.match_all() {
        tells(&outcome, 1, &["ann and ben", "at two parties"]);
    }
    let outcomes = federation.run_all(&[]);
    let all: String = outcomes.iter().map(|(_, outcome)| outcome.err.as_str()).collect();
    assert!(all.contains("1 people of party 1 (ann) are at party 2 (ben), too"), "{all}");
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn the_same_person_at_two_sites_counts_twice_where_all_agreed_to_it() {
    let wishes = ["--identifier", "name", "--same-person", "accepted"];
    let federation = Federation::agreed_on("b", Split::Horizontal, &wishes);
    rename(&federation, "ben", "person 1", Some("person 0"));
    federation.match_all().iter().for_each(|(_, outcome)| tells(outcome, 0, &["ann and ben"]));
    makes_the_central_release(&federation, Split::Horizontal);
}

#[test]
fn an_identifier_that_has_another_task_is_refused_when_inviting() {
    let marked = |job: &str| {
        let model = "{ model = \"k-map\", k = 3, subset = \"name\" },\n]";
        job.replacen("]\n\n[output]", &format!("  {model}\n\n[output]"), 1)
    };
    for (job, identifier, split, refusal) in [
        (JOB.to_owned(), "age", "vertical", "\"age\" is released, too"),
        (JOB.to_owned(), "diagnosis", "horizontal", "\"diagnosis\" is released, too"),
        (JOB.to_owned(), "number", "vertical", "no identifying column \"number\""),
        (marked(JOB), "name", "horizontal", "\"name\" marks the rows to release, too"),
    ] {
        let place = Place::with(&job, patients());
        for protocol in ["b", "c"] {
            let args = ["party", "invite", "paravent.toml", "--run", "x", "--protocol", protocol];
            let args = [&args[..], &["--split", split, "--identifier", identifier, "--me", "ann"]].concat();
            let args = [&args[..], &["--party", "ann", "--party", "ben", "--helper", "hal"]].concat();
            let refused = place.run(&args).expect(2);
            assert!(refused.err.contains(refusal), "{protocol} {identifier}: {}", refused.err);
            assert!(!place.path("federation.toml").exists());
        }
    }
}

#[test]
fn an_identifier_that_became_a_column_of_the_release_is_refused_by_every_command() {
    let federation = Federation::agreed("b", Split::Vertical);
    // Who edits the file and the jobs alike.
    federation.edit("ann", "identifier = \"name\"", "identifier = \"age\"");
    let address = federation.address("ann");
    let file = ["ann/federation.toml", "ann/paravent.toml", "--me", "ann"];
    let join = ["--address", &address, "--certificate", "ann/ann.cert.pem"];
    for (command, more) in [("approve", &[][..]), ("join", &join)] {
        let args = [&["party", command][..], &file, more].concat();
        federation.place.run(&args).expect(2).says(&["identifier", "\"age\" is released, too"]);
    }
    federation.party("ann", &["--yes"]).expect(2).says(&["\"age\" is released, too"]);
    let counted = federation.outcome(federation.spawn_command("ann", "match", &["--yes"]));
    counted.expect(2).says(&["\"age\" is released, too"]);
}

#[test]
fn people_that_do_not_go_together_are_told_as_such_by_everybody() {
    // Columns: the helper or the master finds that a party lacks somebody.
    for protocol in ["a", "b"] {
        let federation = Federation::agreed(protocol, Split::Vertical);
        rename(&federation, "cat", "person 7", None);
        blames_nobody(&federation);
    }
    // Rows: every party finds that somebody is at two of them.
    let federation = Federation::agreed_on("b", Split::Horizontal, &["--identifier", "name"]);
    let row = federation.read("ann/patients.csv").lines().nth(1).unwrap().to_owned();
    federation.place.write("ben/patients.csv", federation.read("ben/patients.csv") + &row + "\n");
    blames_nobody(&federation);
}

/// It is nobody's message that was wrong.
fn blames_nobody(federation: &Federation) {
    let outcomes = federation.run_all(&[]);
    let told = ["the people of the parties do not go together", "same tuple identifiers", "counted twice"];
    for (name, outcome) in &outcomes {
        assert!(told.iter().any(|text| outcome.err.contains(text)), "{name}: {}", outcome.err);
        assert!(!outcome.err.contains("was not due"), "{name}: {}", outcome.err);
    }
    federation.nobody_has_a_release(outcomes);
}
