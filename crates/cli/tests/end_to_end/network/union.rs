//! Values that real parties put together: everybody has all of them, and a hierarchy made of them serves a joint run.

use super::federation::{Federation, Pooled, Split};
use super::makes_the_central_release;
use crate::support::{JOB, Outcome, patients};

const INTERVALS: &str = "hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }\n";

fn pooled(age: &str, files: Vec<(String, String)>) -> Pooled {
    let job = JOB.replace(INTERVALS, age);
    let job = job.replace("[output]", "[search]\nmetric = \"nuem\"\nalgorithm = \"flash\"\n\n[output]");
    Pooled { job, table: patients(), hierarchy: None, files }
}

/// Everybody but the helper.
fn unite(federation: &Federation, more: &[&str]) -> Vec<(String, Outcome)> {
    let args = [&["--yes", "--connect-timeout", "30"], more].concat();
    let parties = federation.names().into_iter().filter(|&name| name != "hal");
    let running = parties.map(|name| (name.to_owned(), federation.spawn_command(name, "union", &args)));
    let running = running.collect();
    federation.finish(running)
}

/// Different ages of some rows, ascending.
fn ages(table: &str) -> Vec<u32> {
    let column = table.lines().next().unwrap().split(',').position(|name| name == "age").unwrap();
    let cells = table.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse().unwrap());
    let mut ages: Vec<u32> = cells.collect();
    ages.sort_unstable();
    ages.dedup();
    ages
}

fn written(ages: &[u32]) -> String {
    let lines: Vec<String> = ages.iter().map(u32::to_string).collect();
    format!("age\n{}\n", lines.join("\n"))
}

#[test]
fn a_hierarchy_of_the_values_of_all_serves_a_joint_run() {
    for (protocol, more) in [("a", &["--identifier", "name"][..]), ("b", &[])] {
        let federation = Federation::of(&pooled("", Vec::new()), protocol, Split::Horizontal, more);
        let all = ages(&patients());
        for (name, outcome) in unite(&federation, &["--column", "age"]) {
            let outcome = outcome.expect(0);
            let ends = format!("from {} to {}", all[0], all[all.len() - 1]);
            assert!(outcome.out.contains(&ends), "{}", outcome.out);
            assert_eq!(federation.read(&format!("{name}/age.values.csv")), written(&all));
            // Nobody had all of them.
            assert_ne!(ages(&federation.read(&format!("{name}/patients.csv"))), all);
        }
        let build = ["hierarchy", "build", "--data", "ann/age.values.csv", "--column", "age"];
        let build = [&build[..], &["--type", "integer", "--sizes", "4,3", "--output", "age.csv"]].concat();
        federation.place.run(&build).expect(0);
        let files = vec![("age.csv".to_owned(), federation.read("age.csv"))];
        let hierarchy = "hierarchy = { file = \"age.csv\" }\n";
        let again = Federation::of(&pooled(hierarchy, files), protocol, Split::Horizontal, more);
        makes_the_central_release(&again, Split::Horizontal);
    }
}

#[test]
fn rare_values_and_fine_ones_can_stay_at_home() {
    let lowest = INTERVALS.to_owned() + "min_level = 2\n";
    let federation = Federation::of(&pooled(&lowest, Vec::new()), "b", Split::Horizontal, &[]);
    unite(&federation, &["--column", "age"]).into_iter().for_each(|(_, outcome)| {
        outcome.expect(0);
    });
    let look =
        federation.spawn_command("ben", "union", &["--column", "age", "--output", "x.csv", "--preview"]);
    let look = federation.outcome(look).expect(0).out;
    assert!(look.contains("of one row only") && look.contains("could conclude"), "{look}");
    assert!(!federation.path("ben/x.csv").exists());
    // Decades, not years.
    let decades = federation.read("ann/age.values.csv");
    assert!(decades.lines().skip(1).all(|line| line.contains('-')), "{decades}");
    for (_, outcome) in unite(&federation, &["--column", "diagnosis", "--least", "1000"]) {
        let told = outcome.expect(0).out;
        assert!(told.contains("0 values of diagnosis"), "{told}");
    }
    assert_eq!(federation.read("ben/diagnosis.values.csv"), "diagnosis\n");
}

#[test]
fn what_cannot_be_put_together_is_refused_before_anybody_connects() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let refused = |name: &str, more: &[&str], why: &str| {
        let more = [&["--yes"], more].concat();
        let outcome = federation.outcome(federation.spawn_command(name, "union", &more)).expect(2);
        assert!(outcome.err.contains(why), "{why:?} is not in {}", outcome.err);
    };
    refused("ann", &["--column", "agee"], "nobody agreed on a column \"agee\"");
    refused("hal", &["--column", "age"], "the helper holds no values");
    federation.place.write("ann/old.csv", "mine\n");
    let over = federation.spawn_command("ann", "union", &["--yes", "--column", "age", "--output", "old.csv"]);
    federation.outcome(over).expect(4).says(&["is there already"]);
    assert_eq!(federation.read("ann/old.csv"), "mine\n");
    let long = federation.read("ben/patients.csv").replacen("flu", &"f".repeat(40), 1);
    federation.place.write("ben/patients.csv", long);
    let outcome =
        federation.outcome(federation.spawn_command("ben", "union", &["--yes", "--column", "diagnosis"]));
    let outcome = outcome.expect(2).says(&["\"diagnosis\" has values of more than 29 bytes here, 1 in all"]);
    assert!(!outcome.err.contains("ffff"), "{}", outcome.err);

    let columns = Federation::agreed("b", Split::Vertical);
    let alone = columns.spawn_command("ann", "union", &["--yes", "--column", "age"]);
    columns.outcome(alone).expect(2).says(&["one party has all values of \"age\""]);
}

#[test]
fn only_those_who_came_for_the_same_column_talk_to_each_other() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let wait = ["--yes", "--connect-timeout", "3", "--column"];
    let columns = [("ann", "age"), ("ben", "zip"), ("cat", "age")];
    let running: Vec<_> = columns
        .into_iter()
        .map(|(name, column)| federation.spawn_command(name, "union", &[&wait[..], &[column]].concat()))
        .collect();
    for child in running {
        federation.outcome(child).expect(4);
    }
    assert!(!federation.path("ann/age.values.csv").exists());
}
