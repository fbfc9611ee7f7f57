//! Random tables and jobs about them, to be run wherever the table lives.

use super::program::{done, paravent, run, stderr};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A generator of its own, so that cases can be repeated.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.roll(choices.len() as u64) as usize]
    }
}

/// Names of columns that want quoting.
pub const ZIP: &str = "Zip \"code\"; DROP TABLE people; --";
pub const NOTE: &str = "Bemerkung äöü 'n. d. A.'";

/// A table with missing cells, quotes, unicode, dates and numbers.
pub fn table(dice: &mut Dice, rows: u64) -> String {
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

/// Every model, about the columns of such a table.
fn models() -> Vec<String> {
    let on = "attribute = \"illness\"";
    vec![
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
    ]
}

/// A job about such a table; `SOURCE` and `OUTPUT` stand for its places.
pub fn job(dice: &mut Dice, case: usize) -> String {
    let models = models();
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
        "distortion",
        "loss-maximum",
    ];
    // As many metrics as models: every round has other pairs of them.
    let metric = metrics[(case + case / models.len()) % metrics.len()];
    let ages = [
        "intervals = { widths = [10, 40], min = 0, max = 80 }",
        "breaks = [[18, 30, 45, 65], [18, 65], [65]]",
        "cluster = { sizes = [9, 3] }",
        "ordering = { sizes = [5, 4] }",
    ];
    let sexes =
        [r#"order = [["f", "m"], ["дрг", "o\"x", "a'b"]]"#, r#"lump = { least = [9, 20], label = "other" }"#];
    let zips = [r#"redact = { from = "right" }"#, "codes = { keep = [2, 1], length = 3 }"];
    let births = [
        ("date", r#"dates = ["month", "year", "decade"]"#),
        ("date", r#"chain = [{ age = { on = "2020-12-31" } }, { breaks = [[40, 60], [60]] }]"#),
        ("date", r#"age = { on = "2020-12-31" }"#),
        ("string", r#"parts = { separator = "-" }"#),
    ];
    let (birth_type, birth) = births[case % births.len()];
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
{typed}hierarchy = {{ {age} }}
[[attributes]]
name = "sex"
role = "quasi-identifier"
hierarchy = {{ {sex} }}
[[attributes]]
name = '{ZIP}'
role = "quasi-identifier"
hierarchy = {{ {zip} }}
[[attributes]]
name = "birth"
role = "quasi-identifier"
type = "{birth_type}"
hierarchy = {{ {birth} }}
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
        age = dice.of(&ages),
        sex = dice.of(&sexes),
        zip = dice.of(&zips),
        limit = dice.of(&["0.2", "0.35", "0.6"]),
        format = ["csv", "parquet", "arrow"][case % 3],
    )
}

/// What the hierarchy of illnesses is.
pub const ILLNESSES: &str = "s0;a;*\ns1;a;*\ns2;b;*\ns3;b;*\n";

/// Runs a job about two places of one table, and compares the releases byte for byte. Tells whether there is one.
pub fn same_release(
    folder: &Path,
    case: usize,
    job: &str,
    places: [&str; 2],
    environment: &[(&str, &str)],
) -> bool {
    let names = ["local", "remote"];
    let ran = [0, 1].map(|at| {
        let job = job.replace("SOURCE", places[at]).replace("OUTPUT", names[at]);
        let file = format!("{}.toml", names[at]);
        fs::write(folder.join(&file), job).unwrap();
        let environment = environment.iter().copied();
        paravent(folder).envs(environment).args(["anonymize", &file, "--force", "--quiet"]).output().unwrap()
    });
    let [here, there] = &ran;
    assert_eq!(here.status.code(), there.status.code(), "case {case}: {} {}", stderr(here), stderr(there));
    if !here.status.success() {
        assert_eq!(here.status.code(), Some(3), "case {case}: {}", stderr(here));
        return false;
    }
    let read = |name: &str, file: &str| fs::read(folder.join(name).join(file)).unwrap();
    let data = ["data.csv", "data.parquet", "data.arrow"][case % 3];
    assert!(read("local", data) == read("remote", data), "case {case}: {job}");
    // The reports tell times, so their digests differ.
    let manifest = |name: &str| {
        let mut manifest: serde_json::Value = serde_json::from_slice(&read(name, "manifest.json")).unwrap();
        manifest["reports"] = serde_json::Value::Null;
        manifest
    };
    assert_eq!(manifest("local"), manifest("remote"), "case {case}");
    done(&run(folder, &["verify", "remote"]));
    true
}

/// Writes a made-up table of ADULT's shape: as Parquet into `lake/table`, and as `adult.csv`. Gives jobs about it.
pub fn adult(folder: &Path) -> Vec<String> {
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    done(&run(folder, &["bench", "--generate", "adult,rows=3200", "--write", "lake", "--quiet"]));
    let mut csv = csv::Writer::from_path(folder.join("adult.csv")).unwrap();
    let mut header: Option<Vec<String>> = None;
    for entry in fs::read_dir(folder.join("lake/table")).unwrap() {
        let file = fs::File::open(entry.unwrap().path()).unwrap();
        for batch in ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap() {
            let batch = batch.unwrap();
            let names = batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
            if header.replace(names.clone()).is_none() {
                csv.write_record(&names).unwrap();
            }
            let text = arrow::datatypes::DataType::Utf8;
            let columns: Vec<_> =
                batch.columns().iter().map(|column| arrow::compute::cast(column, &text).unwrap()).collect();
            for row in 0..batch.num_rows() {
                let cells = columns.iter().map(|column| {
                    let texts = column.as_any().downcast_ref::<arrow::array::StringArray>().unwrap();
                    if arrow::array::Array::is_valid(texts, row) { texts.value(row) } else { "" }
                });
                csv.write_record(cells).unwrap();
            }
        }
    }
    csv.flush().unwrap();
    let job = fs::read_to_string(folder.join("lake/paravent.toml")).unwrap();
    let job = job.replace("path = \"table\"", "SOURCE").replace("\"hierarchies/", "\"lake/hierarchies/");
    let job = job.replace("path = \"release\"", "path = \"OUTPUT\"\nregister = false");
    let diverse = ", { model = \"t-closeness\", attribute = \"occupation\", t = 0.5, distance = \"equal\" },";
    let strict = job.replace("k = 5 },", &format!("k = 3 }}{diverse}")).replace("\"loss\"", "\"entropy\"");
    assert!(job.contains("SOURCE") && strict.contains("t-closeness"), "{job}");
    vec![job, strict]
}

/// The case whose release is in Parquet, as these jobs want it.
pub const PARQUET: usize = 1;
