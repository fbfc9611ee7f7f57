//! Random small tables with random promises.

use proptest::prelude::*;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A table of three quasi-identifiers (one of them with missing values), two sensitive columns, one insensitive, one identifying.
#[derive(Debug, Clone)]
pub struct Case {
    pub rows: Vec<[u8; 6]>,
    pub models: Vec<String>,
    pub limit: &'static str,
    pub metric: &'static str,
    pub format: &'static str,
    /// By row: whose it is. Empty: a row is a person.
    pub persons: Vec<u8>,
    /// `person_rows`, where people are counted.
    pub person_rows: &'static str,
}

pub fn case() -> impl Strategy<Value = Case> {
    let row = [0u8..80, 0u8..3, 0u8..6, 0u8..4, 0u8..3, 0u8..2];
    let decimal = |low: u32, high: u32| (low..high).prop_map(|n| format!("{}.{}", n / 10, n % 10));
    let on = "attribute = \"illness\"";
    let model = prop_oneof![
        (1u32..5).prop_map(|k| format!("model = \"k-anonymity\", k = {k}")),
        (1u32..4).prop_map(move |l| format!("model = \"distinct-l-diversity\", {on}, l = {l}")),
        decimal(10, 25).prop_map(move |l| format!("model = \"entropy-l-diversity\", {on}, l = {l}")),
        (decimal(10, 50), 1u32..4)
            .prop_map(move |(c, l)| format!("model = \"recursive-l-diversity\", {on}, c = {c}, l = {l}")),
        (decimal(10, 50), 1u32..4).prop_map(move |(c, l)| {
            format!("model = \"pd-recursive-l-diversity\", {on}, c = {c}, l = {l}, allowed = [\"s0\"]")
        }),
        (decimal(10, 50), 0u32..20).prop_map(move |(c, c2)| {
            format!(
                "model = \"npd-recursive-l-diversity\", {on}, c = {c}, c2 = {c2}, l = 2, allowed = [\"s0\"], protected = [\"s1\"]"
            )
        }),
        (1u32..3).prop_map(|l| format!(
            "model = \"multi-attribute-l-diversity\", attributes = [\"illness\", \"drug\"], base = \"distinct\", l = {l}"
        )),
        (decimal(1, 8), prop::sample::select(vec!["equal", "ordered", "hierarchical", "variation", "kullback-leibler"]))
            .prop_map(move |(t, distance)| format!("model = \"t-closeness\", {on}, t = {t}, distance = {distance:?}")),
        decimal(5, 10).prop_map(|max| format!("model = \"delta-presence\", min = 0.0, max = {max}, subset = \"inside\"")),
        (1u32..6).prop_map(|k| format!("model = \"k-map\", k = {k}, subset = \"inside\"")),
    ];
    (
        prop::collection::vec(row, 1..40),
        prop::collection::vec(model, 1..4),
        prop::sample::select(vec!["0", "0.1", "0.35"]),
        prop::sample::select(vec![
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
        ]),
        prop::sample::select(vec!["csv", "parquet", "arrow"]),
    )
        .prop_map(|(rows, models, limit, metric, format)| Case {
            rows,
            models,
            limit,
            metric,
            format,
            persons: Vec::new(),
            person_rows: "apart",
        })
}

impl Case {
    /// Writes table and job into a folder.
    pub fn write(&self, folder: &Path, reversed: bool, threads: u32, search: &str) {
        let mut table = String::from("name;age;sex;zip;illness;drug;inside;visits\n");
        let mut lines: Vec<String> = Vec::new();
        for (number, [age, sex, zip, illness, drug, inside]) in self.rows.iter().enumerate() {
            let sex = ["", "f", "m"][usize::from(*sex)];
            // The first row is always inside, so that there is something to release.
            let inside = u8::from(number == 0 || *inside > 0);
            let visits = (u32::from(*age) * 7 + u32::from(*zip)) % 5;
            let person = self.persons.get(number).map_or(number, |&person| usize::from(person));
            lines.push(format!(
                "Person {person};{age};{sex};8{zip}{};s{illness};d{drug};{inside};{visits}",
                age % 3
            ));
        }
        if reversed {
            lines.reverse();
        }
        lines.iter().for_each(|line| writeln!(table, "{line}").unwrap());
        fs::write(folder.join("table.csv"), table).unwrap();
        fs::write(folder.join("illness.csv"), "s0;a;*\ns1;a;*\ns2;b;*\ns3;b;*\n").unwrap();
        let models: String = self.models.iter().map(|model| format!("  {{ {model} }},\n")).collect();
        let job = format!(
            r#"version = 1
[input]
path = "table.csv"
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = {{ intervals = {{ widths = [10, 40], min = 0, max = 80 }} }}
[[attributes]]
name = "sex"
role = "quasi-identifier"
[[attributes]]
name = "zip"
role = "quasi-identifier"
hierarchy = {{ redact = {{ from = "right" }} }}
[[attributes]]
name = "illness"
role = "sensitive"
hierarchy = "illness.csv"
[[attributes]]
name = "drug"
role = "sensitive"
[[attributes]]
name = "visits"
role = "insensitive"
type = "integer"
[privacy]
{person}suppression_limit = {limit}
models = [
{models}]
[search]
metric = "{metric}"
{search}
threads = {threads}
[output]
format = "{format}"
"#,
            person = match self.persons.is_empty() {
                true => String::new(),
                false => format!("person = \"name\"\nperson_rows = {:?}\n", self.person_rows),
            },
            limit = self.limit,
            metric = self.metric,
            format = self.format,
        );
        fs::write(folder.join("paravent.toml"), job).unwrap();
    }
}
