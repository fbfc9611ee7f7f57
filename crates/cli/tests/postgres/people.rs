//! People are counted where the table lives, and no identifier comes here.

use super::server::{Server, server};
use super::twins::Dice;
use super::wire::Proxy;
use super::{done, run, stderr, stdout};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Rows of people, up to four each. The key has two columns; names are written with and without blanks, and in capital letters.
fn table(dice: &mut Dice, people: u64) -> String {
    let mut text = String::from("ward,who,age,zip,illness,drug,inside,note\n");
    for person in 0..people {
        let ward = person % 3;
        let name = format!("who-{}-end", person / 3);
        for row in 0..=dice.roll(4) {
            let spelled = match dice.roll(9) {
                0 => format!("\u{a0}{name} "),
                1 => format!("{name}\t"),
                _ => name.clone(),
            };
            let (age, zip) = (dice.roll(60), format!("8{}{}", dice.roll(4), dice.roll(2)));
            let age = if dice.roll(12) == 0 { String::new() } else { age.to_string() };
            let (illness, drug) = (dice.roll(4), dice.of(&["d0", "d1", "d2"]));
            let inside = u64::from(person == 0 || dice.roll(4) > 0);
            writeln!(text, "{ward},\"{spelled}\",{age},{zip},s{illness},{drug},{inside},note-{person}-{row}")
                .unwrap();
        }
        if person == people - 1 {
            writeln!(text, "{ward},{},1,811,s0,d0,1,last", name.to_uppercase()).unwrap();
        }
    }
    text
}

fn load(server: &Server, database: &str, folder: &Path) {
    server.sql(
        database,
        &format!(
            "DROP TABLE IF EXISTS stays; CREATE TABLE stays (ward smallint, who text, age int, zip char(5), illness text, drug text, \
             inside boolean, note text);\n\\copy stays FROM '{}' (FORMAT csv, HEADER)\n",
            folder.join("table.csv").display()
        ),
    );
}

fn job(dice: &mut Dice, case: usize) -> String {
    let on = "attribute = \"illness\"";
    let models = [
        "model = \"k-anonymity\", k = 3".to_owned(),
        format!("model = \"distinct-l-diversity\", {on}, l = 2"),
        format!("model = \"entropy-l-diversity\", {on}, l = 1.5"),
        format!("model = \"recursive-l-diversity\", {on}, c = 3.0, l = 2"),
        format!("model = \"t-closeness\", {on}, t = 0.6, distance = \"equal\""),
        "model = \"delta-presence\", min = 0.0, max = 0.9, subset = \"inside\"".to_owned(),
        "model = \"k-map\", k = 3, population = \"population.csv\"".to_owned(),
    ];
    let rows = ["apart", "together", "set"][case % 3];
    let note = if case.is_multiple_of(2) { "identifying" } else { "insensitive\"\nrelease = \"as it is" };
    format!(
        r#"version = 1
[input]
SOURCE
[[attributes]]
name = "who"
role = "identifying"
[[attributes]]
name = "ward"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = {{ intervals = {{ widths = [10, 30], min = 0, max = 60 }} }}
[[attributes]]
name = "zip"
role = "quasi-identifier"
hierarchy = {{ redact = {{ from = "right" }} }}
[[attributes]]
name = "illness"
role = "sensitive"
[[attributes]]
name = "drug"
role = "sensitive"
[[attributes]]
name = "note"
role = "{note}"
[privacy]
person = ["ward", "who"]
person_rows = "{rows}"
suppression_limit = {limit}
models = [ {{ model = "k-anonymity", k = 2 }}, {{ {model} }} ]
[output]
path = "OUTPUT"
{order}
register = false
"#,
        model = models[case / 3 % models.len()],
        limit = dice.of(&["0.2", "0.35", "0.6"]),
        order = if case % 4 == 3 { "order = \"shuffled\"\nseed = 7" } else { "order = \"canonical\"" },
    )
}

#[test]
fn releases_about_people_are_the_same_byte_for_byte() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut dice = Dice(23);
    let mut released = 0;
    for case in 0..42 {
        let people = 20 + dice.roll(40);
        let text = table(&mut dice, people);
        fs::write(folder.join("table.csv"), &text).unwrap();
        // All of them, and others who look alike.
        let mut everybody: String =
            text.lines().map(|line| line.split(',').take(4).collect::<Vec<_>>().join(",") + "\n").collect();
        for other in 0..60 {
            writeln!(everybody, "9,other-{},{},8{}{}", other / 2, dice.roll(60), dice.roll(4), dice.roll(2))
                .unwrap();
        }
        fs::write(folder.join("population.csv"), everybody).unwrap();
        load(&server, &database, folder);
        let job = job(&mut dice, case);
        let url = server.url("trusted", &database);
        let remote =
            job.replace("SOURCE", &format!("url = \"{url}\"\ntable = \"stays\"")).replace("OUTPUT", "remote");
        let local = job.replace("SOURCE", "path = \"table.csv\"").replace("OUTPUT", "local");
        fs::write(folder.join("local.toml"), local).unwrap();
        fs::write(folder.join("remote.toml"), remote).unwrap();
        let ran = |job: &str| run(folder, &["anonymize", job, "--force", "--json"]);
        let (here, there) = (ran("local.toml"), ran("remote.toml"));
        assert_eq!(
            here.status.code(),
            there.status.code(),
            "case {case}: {} {}",
            stdout(&here),
            stdout(&there)
        );
        if !here.status.success() {
            // No solution, or a rule about rows that does not go with a model.
            assert!(matches!(here.status.code(), Some(2 | 3)), "case {case}: {}", stdout(&here));
            continue;
        }
        released += 1;
        let read = |name: &str, file: &str| fs::read(folder.join(name).join(file)).unwrap();
        assert!(read("local", "data.csv") == read("remote", "data.csv"), "case {case}: {job}");
        let manifest = |name: &str| {
            let mut manifest: serde_json::Value =
                serde_json::from_slice(&read(name, "manifest.json")).unwrap();
            manifest["reports"] = serde_json::Value::Null;
            manifest
        };
        assert_eq!(manifest("local"), manifest("remote"), "case {case}");
        let told = |output: &std::process::Output| -> serde_json::Value {
            serde_json::from_slice(&output.stdout).unwrap()
        };
        let (here, there) = (told(&here), told(&there));
        assert_eq!(here["solution"]["people"], there["solution"]["people"], "case {case}");
        // A population is read here, and how its keys are written is told only where all of them are.
        if !job.contains("population.csv") {
            assert_eq!(here["warnings"], there["warnings"], "case {case}");
        }
        done(&run(folder, &["verify", "remote"]));
    }
    assert!(released > 20, "only {released} cases have a solution");
}

#[test]
fn commands_count_people_there_too() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut dice = Dice(5);
    fs::write(folder.join("table.csv"), table(&mut dice, 40)).unwrap();
    load(&server, &database, folder);
    let proxy = Proxy::start(server.port, usize::MAX);
    let url = format!("postgres://trusted@127.0.0.1:{}/{database}", proxy.port);
    let job = job(&mut dice, 0).replace("OUTPUT", "release");
    fs::write(folder.join("job.toml"), job.replace("SOURCE", &format!("url = \"{url}\"\ntable = \"stays\"")))
        .unwrap();
    let figures = |arguments: &[&str], table: &str| {
        let mut arguments = arguments.to_vec();
        arguments[1] = table;
        let output = run(folder, &arguments);
        assert!(output.status.code() < Some(2), "{}{}", stderr(&output), stdout(&output));
        let mut told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        told["path"] = serde_json::Value::Null;
        told["input"] = serde_json::Value::Null;
        told
    };
    for arguments in [
        &["check", "", "--job", "job.toml", "--json"][..],
        &["risk", "", "--job", "job.toml", "--json"],
        &["risk", "", "--quasi-identifiers", "age,zip", "--person", "ward,who", "--json"],
    ] {
        assert_eq!(
            figures(arguments, &format!("{url}#stays")),
            figures(arguments, "table.csv"),
            "{arguments:?}"
        );
    }
    done(&run(folder, &["anonymize", "job.toml"]));
    for person in 0..14 {
        for name in [format!("who-{person}-end"), format!("WHO-{person}-END")] {
            assert!(!proxy.has_heard(&name), "an identifier crossed");
        }
    }
    // The secret of the tokens is in no statement, and so is no name.
    let log = fs::read_to_string(server.log()).unwrap();
    let ours: Vec<&str> = log.lines().filter(|line| line.contains("paravent_people_")).collect();
    assert!(!ours.is_empty() && ours.iter().all(|line| !line.contains("who-")), "a cell is in a statement");
}

#[test]
fn a_connection_that_is_lost_while_people_are_counted_leaves_nothing() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut dice = Dice(11);
    fs::write(folder.join("table.csv"), table(&mut dice, 60)).unwrap();
    load(&server, &database, folder);
    let base = job(&mut dice, 3).replace("OUTPUT", "release");
    for cut_after in [900, 1300, 2500, 5000] {
        let proxy = Proxy::start(server.port, cut_after);
        let url = format!("postgres://trusted@127.0.0.1:{}/{database}", proxy.port);
        fs::write(
            folder.join("job.toml"),
            base.replace("SOURCE", &format!("url = \"{url}\"\ntable = \"stays\"")),
        )
        .unwrap();
        let output = run(folder, &["anonymize", "job.toml"]);
        let said = stderr(&output);
        assert!(
            output.status.code() == Some(4) && said.contains("the connection was lost"),
            "{cut_after}: {said}"
        );
        assert!(
            !said.contains("-end")
                && !folder.join("release").exists()
                && !folder.join("release.private").exists()
        );
    }
    assert_eq!(server.sql(&database, "SELECT count(*) FROM pg_class WHERE relname LIKE 'paravent%'"), "0");
}

#[test]
fn keys_that_cannot_be_compared_there_are_refused() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut dice = Dice(9);
    fs::write(folder.join("table.csv"), table(&mut dice, 30)).unwrap();
    load(&server, &database, folder);
    let url = server.url("trusted", &database);
    let base = job(&mut dice, 0)
        .replace("SOURCE", &format!("url = \"{url}\"\ntable = \"stays\""))
        .replace("OUTPUT", "release");
    let refused = |job: &str, code: i32, words: &str| {
        fs::write(folder.join("job.toml"), job).unwrap();
        let output = run(folder, &["anonymize", "job.toml"]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{said}{}", stdout(&output));
        assert!(said.contains(words) && !said.contains("-end"), "{said}");
        assert!(!folder.join("release").exists());
    };
    refused(
        &base.replace("path = \"release\"", "path = \"release\"\ntable = \"made\""),
        2,
        "cannot count people in a table",
    );
    let typed = base.replace("name = \"who\"\n", "name = \"who\"\ntype = \"integer\"\n");
    refused(&typed, 4, "texts of another type");
    let words = base.replace("table = \"stays\"", "table = \"stays\"\nnull = [\"NA\"]");
    refused(&words, 4, "words for missing cells");
    server.sql(&database, "UPDATE stays SET who = E' \\u00a0\\t' WHERE age = (SELECT max(age) FROM stays)");
    refused(&base, 4, "column who says whose row it is, and it is empty in some rows");
    server.sql(&database, "ALTER TABLE stays ALTER ward TYPE real");
    refused(&base, 4, "floating-point numbers name nobody");
}
