//! Made-up rows that hide how often values occur: as many as the columns of all parties take, or else everybody is told.

use super::federation::{Federation, Pooled, Split};
use super::makes_the_central_release;
use crate::support::{JOB, Outcome, Place};

/// 60 people of four ages, nearly all with the first of so many zip codes.
fn skewed(zips: usize) -> Pooled {
    let mut table = String::from("name,age,sex,zip,diagnosis\n");
    for i in 0..60 {
        let (age, sex) = (20 + i % 4 * 10, ["f", "m"][i / 2 % 2]);
        let (zip, diagnosis) =
            (81_660 + if i < zips { i } else { 0 }, ["flu", "gout", "asthma", "angina"][i / 15]);
        table.push_str(&format!("person {i},{age},{sex},{zip},{diagnosis}\n"));
    }
    let job = JOB.replace("[output]", "[search]\nmetric = \"nuem\"\n\n[output]");
    Pooled { job, table, hierarchy: None, files: Vec::new() }
}

/// What the party needs that has ages, sexes or diagnoses, and what the one with five zip codes needs.
const EVEN: &str = "pseudo_percent = 125\n";
const SKEWED: &str = "pseudo_percent = 525\n";

/// The columns go to the parties as in a federation.
const COLUMNS: [&str; 6] = ["--columns", "age", "--columns", "sex,diagnosis", "--columns", "zip"];

fn simulate(place: &Place, more: &[&str]) -> Outcome {
    place.run(&[&["party", "simulate", "paravent.toml", "--protocol", "c"], more].concat()).expect(0)
}

/// An invitation of the party whose columns are even, in a file of its own.
fn invited(federation: &Federation, more: &[&str]) -> Outcome {
    let mut args = vec!["party", "invite", "ben/paravent.toml", "--run", "again", "--protocol", "c"];
    args.extend(["--split", "vertical", "--identifier", "name", "--me", "ben", "--helper", "hal"]);
    args.extend(["--party", "ann", "--party", "ben", "--party", "cat", "--output", "again.toml"]);
    federation.place.run(&[&args[..], more].concat()).expect(0)
}

fn joined(federation: &Federation, name: &str, more: &[&str]) -> Outcome {
    let (job, certificate) = (format!("{name}/paravent.toml"), format!("{name}/{name}.cert.pem"));
    let address = federation.address(name);
    let mut args = vec!["party", "join", "again.toml", &job, "--me", name, "--address", &address];
    args.extend(["--certificate", &certificate]);
    federation.place.run(&[&args[..], more].concat()).expect(0)
}

#[test]
fn the_most_skewed_column_of_all_parties_decides_as_in_a_simulation() {
    let federation = Federation::of(&skewed(5), "c", Split::Vertical, &[]);
    assert!(federation.read("federation.toml").contains(SKEWED), "{}", federation.read("federation.toml"));
    let columns = [&["--split", "vertical", "--json"], &COLUMNS[..]].concat();
    let simulated = simulate(&federation.place, &columns).json();
    assert_eq!((&simulated["pseudo_percent"], &simulated["not_flat"]), (&525.into(), &serde_json::json!([])));
    makes_the_central_release(&federation, Split::Vertical);
}

#[test]
fn answers_raise_the_number_in_any_order() {
    let federation = Federation::of(&skewed(5), "c", Split::Vertical, &["--pseudo-shape", "copies"]);
    invited(&federation, &[]);
    assert!(federation.read("again.toml").contains(EVEN));
    for name in ["cat", "ann", "ben"] {
        joined(&federation, name, &["--answer", &format!("{name}.answer.toml")]);
    }
    assert!(federation.read("ann.answer.toml").contains(EVEN));
    assert!(federation.read("cat.answer.toml").contains(SKEWED));
    for answers in [["cat.answer.toml", "ann.answer.toml"], ["ben.answer.toml", "ann.answer.toml"]] {
        federation.place.run(&[&["party", "merge", "again.toml"], &answers[..]].concat()).expect(0);
        assert!(federation.read("again.toml").contains(SKEWED));
    }
}

#[test]
fn a_number_that_somebody_gave_stays_and_whose_column_shows_is_told() {
    let wishes = ["--pseudo-percent", "200"];
    let federation = Federation::of(&skewed(5), "c", Split::Vertical, &wishes);
    assert!(federation.read("federation.toml").contains("pseudo_percent = 200\n"));
    let said = ["zip is not flat: 200 made-up rows per 100 rows, and it takes 525", "min_level"];
    let told = |outcome: &Outcome| said.iter().all(|text| outcome.out.contains(text));
    invited(&federation, &wishes);
    let approve = |name: &str| {
        let (file, job) = (format!("{name}/federation.toml"), format!("{name}/paravent.toml"));
        federation.place.run(&["party", "approve", &file, &job, "--me", name]).expect(0)
    };
    for (name, shows) in [("ann", false), ("ben", false), ("cat", true)] {
        assert_eq!(told(&joined(&federation, name, &[])), shows, "{name} joins");
        assert_eq!(told(&approve(name)), shows, "{name} approves");
        assert_eq!(told(&federation.party(name, &["--preview"]).expect(0)), shows, "{name} looks");
    }
    let json = joined(&federation, "cat", &["--json"]).json();
    let expected = serde_json::json!([{ "column": "zip", "needed_percent": 525, "agreed_percent": 200 }]);
    assert_eq!(json["not_flat"], expected);
}

#[test]
fn a_column_that_takes_more_than_anybody_adds_unasked_is_told_with_the_number() {
    let Pooled { job, table, .. } = skewed(30);
    let place = Place::with(&job, &table);
    // The zip code that 31 of 60 people have, and 29 others.
    let said = "zip is not flat: 1000 made-up rows per 100 rows, and it takes 2350";
    let columns = [&["--split", "vertical"], &COLUMNS[..]].concat();
    let shown = simulate(&place, &columns).out;
    assert!(shown.contains(said), "{shown}");
    let asked = simulate(&place, &[&columns[..], &["--pseudo", "23.5"]].concat()).out;
    assert!(!asked.contains("is not flat"), "{asked}");
    let mut invite = vec!["party", "invite", "paravent.toml", "--run", "test", "--protocol", "c"];
    invite.extend(["--party", "ann", "--party", "ben", "--helper", "hal", "--me", "ann"]);
    let invited = place.run(&invite).expect(0).out;
    assert!(invited.contains(said), "{invited}");
    // A lowest level is counted from: its labels are few.
    place.write("paravent.toml", job.replace("name = \"zip\"", "name = \"zip\"\nmin_level = 2"));
    let lifted = simulate(&place, &[&columns[..], &["--json"]].concat()).json();
    assert_eq!((&lifted["pseudo_percent"], &lifted["not_flat"]), (&125.into(), &serde_json::json!([])));
}
