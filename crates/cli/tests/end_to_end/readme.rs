//! The first screen of README and the run that the guide shows, command by command, with the output that stands there.

use crate::support::Place;
use std::fs;
use std::path::Path;

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)).unwrap()
}

/// The code block of a page in which a line begins like this.
fn block<'p>(page: &'p str, begins: &str) -> &'p str {
    let mut blocks = page.split("```").skip(1).step_by(2);
    let has = |block: &&str| block.lines().any(|line| line.starts_with(begins));
    blocks.find(has).unwrap_or_else(|| panic!("no block with {begins:?}")).split_once('\n').unwrap().1
}

/// Calls of the program in a block, without remarks.
fn calls(block: &str) -> Vec<Vec<&str>> {
    let call = |line: &'_ str| -> Option<_> { line.strip_prefix("paravent ").map(str::len) };
    let lines = block.lines().filter(|line| call(line).is_some());
    lines.map(|line| line.split('#').next().unwrap_or(line).split_whitespace().skip(1).collect()).collect()
}

/// Without figures of the clock, and without those that depend on the number of threads.
fn timeless(line: &str) -> String {
    match line.split_once(" considered, ") {
        Some((before, _)) => format!("{before} considered"),
        None => line.trim_end().to_owned(),
    }
}

#[test]
fn the_tour_of_the_readme_ends_as_it_says() {
    let (place, page) = (Place::new(), page("README.md"));
    let told = place.run(&["demo"]).expect(0).out;
    for line in block(&page, "Made").lines().filter(|line| !line.trim().is_empty()) {
        assert!(told.contains(line.trim_end()), "{line:?} is not in: {told}");
    }
    assert!(place.path("paravent-demo/release.private/report.html").exists());
    // Then with a table of one's own: here that of the tour.
    let own = Place::new();
    fs::remove_file(own.path("paravent.toml")).unwrap();
    fs::copy(place.path("paravent-demo/patients.csv"), own.path("patients.csv")).unwrap();
    let mut ran = Vec::new();
    for call in calls(block(&page, "paravent init patients.csv")).iter().filter(|call| call[0] != "ui") {
        let run = own.run(call);
        // A table as it is need not keep a promise.
        let fine = run.code == Some(0) || (call[0] == "check" && run.code == Some(1));
        assert!(fine, "{call:?}: {:?} {}", run.code, run.err);
        ran.push(call[0]);
    }
    assert_eq!(ran, ["init", "check", "anonymize", "anonymize", "verify"]);
    // What the page says about the release afterwards.
    place.run(&["risk", "paravent-demo/release"]).expect(0);
    place.run(&["register", "verify", "paravent-demo"]).expect(0);
    place
        .run(&[
            "slice",
            "paravent-demo/patients.csv",
            "--groups",
            "age,sex;zip;diagnosis",
            "--bucket",
            "50",
            "--release",
            "sliced",
        ])
        .expect(0);
}

#[test]
fn the_run_of_the_guide_ends_as_it_says() {
    let (place, page) = (Place::new(), page("docs/guide/cli.md"));
    place.run(&["demo"]).expect(0);
    let shown = block(&page, "$ paravent anonymize paravent-demo/paravent.toml --force");
    let told = place.run(&["anonymize", "paravent-demo/paravent.toml", "--force"]).expect(0).out;
    let told: Vec<String> = told.lines().map(timeless).collect();
    for line in shown.lines().skip(1).map(timeless).filter(|line| !line.is_empty()) {
        assert!(told.contains(&line), "{line:?} is not in: {}", told.join("\n"));
    }
}
