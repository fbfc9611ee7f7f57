//! The job file as it is promised to users.

use std::path::{Path, PathBuf};

use super::{RIGHT, parse, problems};
use crate::*;

const CONTRACT: &str = r##"version = 1

[input]
path = "patients.csv"            # .csv .tsv .parquet .arrow .json(l); or url = "postgres://…", table = "…"
delimiter = ","                  # csv only; also: quote, encoding, null = ["", "NA"]

[[attributes]]
name = "age"
role = "quasi-identifier"        # identifying | quasi-identifier | sensitive | insensitive
type = "integer"                 # string | integer | decimal | date | datetime | boolean
hierarchy = { file = "hierarchies/age.csv" }          # value;level1;…;* per line, delimiter auto-detected
# or:        { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }
# or:        { redact = { alphabet = 10, from = "right", char = "*" } }
# or:        { dates = ["month", "quarter", "year", "decade"] }
# or:        { order = [["single", "divorced"], ["married"]] }   # grouped by hand, more levels by nesting
min_level = 0
max_level = 3
weight = 1.0

[privacy]
suppression_limit = 0.05         # share of rows
models = [
  { model = "k-anonymity", k = 5 },
  { model = "distinct-l-diversity",  attribute = "diagnosis", l = 3 },
  { model = "entropy-l-diversity",   attribute = "diagnosis", l = 2.5 },
  { model = "recursive-l-diversity", attribute = "diagnosis", c = 3.0, l = 4 },
  { model = "t-closeness", attribute = "diagnosis", t = 0.2, distance = "hierarchical" },  # equal | ordered
  { model = "delta-presence", min = 0.0, max = 0.2, population = "population.csv" },        # or subset = "in_study"
]

[search]
metric = "nuem"
algorithm = "auto"
threads = 0           # 0: all cores
memory = "4GiB"
seconds = 0

[output]
path = "release"
format = "csv"        # csv | parquet | arrow
order = "canonical"   # canonical (sorted; hides the input order) | shuffled | input (warns)
"##;

const DIAGNOSIS: &str = "[[attributes]]\nname = \"diagnosis\"\nrole = \"sensitive\"\nhierarchy = \"diagnosis.csv\"\n\n[privacy]\n";

fn number(text: &str) -> DecimalText {
    DecimalText::new(text).unwrap()
}

#[test]
fn every_key_of_the_contract_is_read() {
    let job = parse(&CONTRACT.replace("[privacy]\n", DIAGNOSIS)).unwrap();
    assert_eq!(job.input.source, InputSource::File("patients.csv".into()));
    assert_eq!(job.input.delimiter, Some(AsciiChar::COMMA));
    assert_eq!(job.input.null, [""]);
    let age = &job.attributes[0];
    assert_eq!(
        (age.name.as_str(), age.role, age.data_type),
        ("age", Role::QuasiIdentifier, Some(DataType::Integer))
    );
    let file = HierarchyFile { path: "hierarchies/age.csv".into(), delimiter: None };
    assert_eq!(age.hierarchy, Some(HierarchySpec::File(file)));
    assert_eq!((age.min_level, age.max_level, age.weight), (Some(0), Some(3), 1.0));
    assert_eq!(job.privacy.suppression_limit.as_str(), "0.05");
    let attribute = || "diagnosis".to_owned();
    let population = Population::Table("population.csv".into());
    assert_eq!(
        job.privacy.models,
        [
            Model::KAnonymity { k: 5 },
            Model::DistinctLDiversity { attribute: attribute(), l: 3 },
            Model::EntropyLDiversity { attribute: attribute(), l: number("2.5") },
            Model::RecursiveLDiversity { attribute: attribute(), c: number("3"), l: 4 },
            Model::TCloseness { attribute: attribute(), t: number("0.2"), distance: Distance::Hierarchical },
            Model::DeltaPresence { min: number("0"), max: number("0.2"), population: population.clone() },
        ]
    );
    assert_eq!(job.privacy.population(), Some(&population));
    assert_eq!(job.search, Search { memory: Memory::from_bytes(4 << 30), ..Search::default() });
    assert_eq!(job.search.time_limit(), None);
    assert_eq!(job.output, Output::default());
    assert_eq!(parse(&job.to_toml()).unwrap(), job);
}

#[test]
fn a_model_of_an_undeclared_attribute_is_a_problem() {
    let found = problems(CONTRACT);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(
        found[0],
        "job.toml:24: privacy.models[1].attribute: \"diagnosis\" is not declared as an attribute. \
         Add [[attributes]] with name = \"diagnosis\" and role = \"sensitive\""
    );
}

#[test]
fn every_hierarchy_builder_is_read() {
    let read = |line: &str| {
        let line = format!("role = \"quasi-identifier\"\nhierarchy = {line}\n");
        let text = RIGHT.replace("role = \"quasi-identifier\"\ntype = \"integer\"\n", &line);
        parse(&text).unwrap().attributes[0].hierarchy.clone().unwrap()
    };
    let file = |path: &str, delimiter| HierarchySpec::File(HierarchyFile { path: path.into(), delimiter });
    assert_eq!(read("'age.csv'"), file("age.csv", None));
    assert_eq!(read("{ file = 'age.csv', delimiter = 'tab' }"), file("age.csv", Some(AsciiChar::TAB)));
    let intervals = Intervals {
        widths: vec![number("2.5"), number("5")],
        min: number("-10"),
        max: number("100"),
        outliers: Outliers::Label,
        rounding: Rounding::None,
    };
    assert_eq!(
        read("{ intervals = { widths = [2.50, 5], min = -1e1, max = 100 } }"),
        HierarchySpec::Intervals(intervals)
    );
    assert_eq!(
        read("{ redact = { alphabet = 10, from = \"right\", char = \"*\" } }"),
        HierarchySpec::Redact(Redact { alphabet: Some(10), from: Side::Right, fill: '*', length: None })
    );
    assert_eq!(
        read("{ dates = [\"month\", \"half-year\"] }"),
        HierarchySpec::Dates(vec![DateUnit::Month, DateUnit::HalfYear])
    );
    assert_eq!(
        read("{ ordering = { sizes = [2, 3], order = ['a', 'b'] } }"),
        HierarchySpec::Ordering(Ordering { sizes: vec![2, 3], order: Some(vec!["a".into(), "b".into()]) })
    );
    let values = |label: Option<&str>, values: &[&str]| Group {
        label: label.map(str::to_owned),
        members: Members::Values(values.iter().map(|&value| value.to_owned()).collect()),
    };
    assert_eq!(
        read("{ order = [[\"single\", \"divorced\"], { label = \"bound\", of = [\"married\", 7] }] }"),
        HierarchySpec::Order(vec![
            values(None, &["single", "divorced"]),
            values(Some("bound"), &["married", "7"])
        ])
    );
    let nested = |groups| Group { label: None, members: Members::Groups(groups) };
    assert_eq!(
        read("{ order = [[[\"a\"], [\"b\"]], [[\"c\"]]] }"),
        HierarchySpec::Order(vec![
            nested(vec![values(None, &["a"]), values(None, &["b"])]),
            nested(vec![values(None, &["c"])])
        ])
    );
    assert_eq!(
        read("{ chain = ['a.csv', { file = 'b.csv' }] }"),
        HierarchySpec::Chain(vec![file("a.csv", None), file("b.csv", None)])
    );
}

#[test]
fn what_is_left_out_has_a_default() {
    let job = parse(RIGHT).unwrap();
    assert_eq!(job.search, Search::default());
    assert_eq!(job.output, Output::default());
    assert_eq!(job.input, Input::file("patients.csv"));
    let quiet = RIGHT.replace("suppression_limit = 0.05\n", "");
    assert_eq!(parse(&quiet).unwrap().privacy.suppression_limit.as_str(), "0");
}

#[test]
fn a_job_knows_its_file_and_lines() {
    let job = Job::parse(RIGHT, Path::new("study/job.toml")).unwrap();
    assert_eq!(job.resolve(Path::new("patients.csv")), PathBuf::from("study/patients.csv"));
    let (index, _) = job.attribute("diagnosis").unwrap();
    let problem = job.problem(&format!("attributes[{index}].name"), "is not in the data");
    assert_eq!(problem.to_string(), "study/job.toml:9: attributes[1].name: is not in the data");
    assert_eq!(job.source.line("privacy.models[1].l"), Some(15));
    assert_eq!(job.with_role(Role::Sensitive).count(), 1);
}

#[test]
fn a_password_is_not_shown() {
    let text = RIGHT.replace("path = \"patients.csv\"", "url = \"postgres://me:secret@db/x\"\ntable = \"t\"");
    let job = parse(&text).unwrap();
    assert!(!format!("{job:?}").contains("secret"));
    assert!(job.to_toml().contains("secret"));
}

#[test]
fn files_are_loaded_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.toml");
    let missing = Job::load(&path).unwrap_err();
    assert_eq!((missing.len(), missing.0[0].line), (1, None));
    std::fs::write(&path, format!("\u{feff}{RIGHT}")).unwrap();
    assert_eq!(Job::load(&path).unwrap(), parse(RIGHT).unwrap());
    std::fs::write(&path, b"version = 1\n# \xff\n").unwrap();
    assert_eq!(Job::load(&path).unwrap_err().0[0].line, Some(2));
}
