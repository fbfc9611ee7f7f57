//! The same job gives the same release, whether the table is a file or stays in the database.

use super::server::{Server, server};
use super::{done, run};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A generator of its own, so that cases can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len() as u64) as usize]
    }
}

/// Names of columns that want quoting.
const ZIP: &str = "Zip \"code\"; DROP TABLE people; --";
const NOTE: &str = "Bemerkung äöü 'n. d. A.'";

/// A table with missing cells, quotes, unicode, dates and numbers.
fn table(dice: &mut Dice, rows: u64) -> String {
    let mut text =
        format!("name,age,sex,\"{}\",birth,score,illness,drug,inside,\"{NOTE}\"\n", ZIP.replace('"', "\"\""));
    for row in 0..rows {
        let age = match dice.roll(12) {
            0 => String::new(),
            _ => dice.roll(80).to_string(),
        };
        let sex = dice.of(&["", "f", "m", "f", "m", "дрг", "o\"x", "a'b"]);
        let zip = format!("8{}{}", dice.roll(6), dice.roll(3));
        let birth = match dice.roll(9) {
            0 => String::new(),
            _ => format!("{}-{:02}-{:02}", 1940 + dice.roll(60), 1 + dice.roll(12), 1 + dice.roll(28)),
        };
        let score = dice.of(&["", "0.5", "1.25", "-3", "1000000.75"]);
        let illness = format!("s{}", dice.roll(4));
        let drug = dice.of(&["d0", "d1", "", "d,2", "d\\3"]);
        let note = dice.of(&["", "plain", "two\nlines", "tab\there", "\\N", "ÄÖ\"ü", "=1+1", "NULL"]);
        let inside = u64::from(row == 0 || dice.roll(4) > 0);
        let quoted = |cell: &str| match cell.is_empty() {
            true => String::new(),
            false => format!("\"{}\"", cell.replace('"', "\"\"")),
        };
        writeln!(
            text,
            "Person {row},{age},{},{zip},{birth},{score},{illness},{},{inside},{}",
            quoted(sex),
            quoted(drug),
            quoted(note)
        )
        .unwrap();
    }
    text
}

fn load(server: &Server, database: &str, folder: &Path) {
    let zip = ZIP.replace('"', "\"\"");
    server.sql(
        database,
        &format!(
            "DROP TABLE IF EXISTS \"odd.people\"; CREATE TABLE \"odd.people\" (name text, age smallint, sex varchar(10), \"{zip}\" char(8), \
             birth date, score numeric, illness text, drug text, inside boolean, \"{NOTE}\" text);\n\
             \\copy \"odd.people\" FROM '{}' (FORMAT csv, HEADER)\n",
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
        format!("model = \"pd-recursive-l-diversity\", {on}, c = 3.0, l = 2, allowed = [\"s0\"]"),
        format!("model = \"npd-recursive-l-diversity\", {on}, c = 3.0, c2 = 9, l = 2, allowed = [\"s0\"], protected = [\"s1\"]"),
        "model = \"multi-attribute-l-diversity\", attributes = [\"illness\", \"drug\"], base = \"distinct\", l = 2".to_owned(),
        format!("model = \"t-closeness\", {on}, t = 0.4, distance = \"equal\""),
        format!("model = \"t-closeness\", {on}, t = 0.4, distance = \"ordered\""),
        format!("model = \"t-closeness\", {on}, t = 0.4, distance = \"hierarchical\""),
        format!("model = \"beta-likeness\", {on}, beta = 2.5, form = \"enhanced\""),
        "model = \"delta-presence\", min = 0.0, max = 0.95, subset = \"inside\"".to_owned(),
        "model = \"k-map\", k = 3, subset = \"inside\"".to_owned(),
    ];
    let metrics = [
        "height",
        "precision",
        "precision-m",
        "loss",
        "loss-geometric",
        "aecs",
        "discernibility",
        "discernibility-m",
        "entropy",
        "nuem",
        "nmnuem",
    ];
    let metric = metrics[case % metrics.len()];
    // Boxes have no height, and overlap where a population would have to be counted.
    let boxes = !["height", "precision-m", "entropy"].contains(&metric) && case % models.len() < 11;
    let recoding = if case % 5 == 4 && boxes { "recoding = \"local\"\n" } else { "" };
    let typed = if case.is_multiple_of(2) { "type = \"integer\"\n" } else { "" };
    let note = if case.is_multiple_of(3) { "identifying" } else { "insensitive" };
    format!(
        r#"version = 1
[input]
SOURCE
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
{typed}hierarchy = {{ intervals = {{ widths = [10, 40], min = 0, max = 80 }} }}
[[attributes]]
name = "sex"
role = "quasi-identifier"
hierarchy = {{ order = [["f", "m"], ["дрг", "o\"x", "a'b"]] }}
[[attributes]]
name = '{ZIP}'
role = "quasi-identifier"
hierarchy = {{ redact = {{ from = "right" }} }}
[[attributes]]
name = "birth"
role = "quasi-identifier"
type = "date"
hierarchy = {{ dates = ["month", "year", "decade"] }}
[[attributes]]
name = "illness"
role = "sensitive"
hierarchy = "illness.csv"
[[attributes]]
name = "drug"
role = "sensitive"
[[attributes]]
name = "score"
role = "insensitive"
type = "decimal"
[[attributes]]
name = "{NOTE}"
role = "{note}"
[privacy]
suppression_limit = {limit}
models = [ {{ model = "k-anonymity", k = 2 }}, {{ {model} }} ]
[search]
metric = "{metric}"
{recoding}[output]
path = "OUTPUT"
format = "{format}"
register = false
"#,
        model = models[case % models.len()],
        limit = dice.of(&["0.2", "0.35", "0.6"]),
        format = ["csv", "parquet", "arrow"][case % 3],
    )
}

#[test]
fn releases_are_the_same_byte_for_byte() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(20);
    let mut released = 0;
    for case in 0..39 {
        let rows = 30 + dice.roll(60);
        fs::write(folder.path().join("table.csv"), table(&mut dice, rows)).unwrap();
        fs::write(folder.path().join("illness.csv"), "s0;a;*\ns1;a;*\ns2;b;*\ns3;b;*\n").unwrap();
        load(&server, &database, folder.path());
        let job = job(&mut dice, case);
        let local = job.replace("SOURCE", "path = \"table.csv\"").replace("OUTPUT", "local");
        let url = server.url("trusted", &database);
        let remote = job
            .replace("SOURCE", &format!("url = \"{url}\"\ntable = '\"odd.people\"'"))
            .replace("OUTPUT", "remote");
        fs::write(folder.path().join("local.toml"), local).unwrap();
        fs::write(folder.path().join("remote.toml"), remote).unwrap();
        let ran = |job: &str| run(folder.path(), &["anonymize", job, "--force", "--quiet"]);
        let (here, there) = (ran("local.toml"), ran("remote.toml"));
        assert_eq!(
            here.status.code(),
            there.status.code(),
            "case {case}: {} {}",
            super::stderr(&here),
            super::stderr(&there)
        );
        if !here.status.success() {
            assert_eq!(here.status.code(), Some(3), "case {case}: {}", super::stderr(&here));
            continue;
        }
        released += 1;
        let read = |name: &str, file: &str| fs::read(folder.path().join(name).join(file)).unwrap();
        let data = ["data.csv", "data.parquet", "data.arrow"][case % 3];
        assert!(read("local", data) == read("remote", data), "case {case}: {job}");
        // The reports tell times, so their digests differ.
        let manifest = |name: &str| {
            let mut manifest: serde_json::Value =
                serde_json::from_slice(&read(name, "manifest.json")).unwrap();
            manifest["reports"] = serde_json::Value::Null;
            manifest
        };
        assert_eq!(manifest("local"), manifest("remote"), "case {case}");
        done(&run(folder.path(), &["verify", "remote"]));
    }
    assert!(released > 20, "only {released} cases have a solution");
}
