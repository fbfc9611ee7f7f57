use std::fs;

use super::*;

/// A job with one attribute, its hierarchy on line 7 of the file.
fn job(folder: &Path, hierarchy: &str) -> Job {
    let text = format!(
        "version = 1\ninput.path = \"patients.csv\"\n[[attributes]]\nname = \"age\"\nrole = \
         \"quasi-identifier\"\n\n\
         hierarchy = {hierarchy}\n[privacy]\nmodels = [{{ model = \"k-anonymity\", k = 2 }}]\n"
    );
    Job::parse(&text, &folder.join("job.toml")).unwrap()
}

fn build_as(hierarchy: &str, values: &[&str], ty: ValueType) -> Result<Hierarchy, String> {
    let values: Vec<_> = values.iter().map(|value| Some(*value)).collect();
    build(&job(Path::new("study"), hierarchy), 0, &values, ty).map_err(|problems| problems.to_string())
}

/// The labels of a value from level 1 up.
fn labels(hierarchy: &Hierarchy, value: &str) -> String {
    let label = |level| hierarchy.label(Some(value), level).unwrap().unwrap().into_owned();
    (1..=hierarchy.max_level()).map(label).collect::<Vec<_>>().join(" ")
}

fn labels_as(hierarchy: &str, values: &[&str], ty: ValueType) -> String {
    labels(&build_as(hierarchy, values, ty).unwrap(), values[0])
}

#[test]
fn every_builder_is_built() {
    let intervals = "{ intervals = { widths = [5, 10], min = 0, max = 100 } }";
    assert_eq!(labels_as(intervals, &["34"], ValueType::Integer), "30-34 30-39 *");
    assert_eq!(labels_as(intervals, &["34"], ValueType::Decimal), "[30, 35) [30, 40) *");
    let rounded = "{ intervals = { widths = [5], min = 0, max = 100, rounding = \"up\" } }";
    assert_eq!(labels_as(rounded, &["34.5"], ValueType::Decimal), "35-39 *");
    let redact = "{ redact = { from = \"left\", char = \"x\" } }";
    assert_eq!(labels_as(redact, &["ab", "abc"], ValueType::String), "xb xx xxx");
    assert_eq!(labels_as("{ redact = { length = 2 } }", &["ab", "abc"], ValueType::String), "a* **");
    let dates = "{ dates = [\"month\", \"half-year\", \"century\"] }";
    assert_eq!(labels_as(dates, &["2024-03-09"], ValueType::Date), "2024-03 2024-H1 2000-2099 *");
    let order = "{ order = [[\"single\", \"divorced\"], { label = \"m\", of = [\"married\"] }] }";
    assert_eq!(labels_as(order, &["single"], ValueType::String), "{single, divorced} *");
    assert_eq!(labels_as(order, &["married"], ValueType::String), "m *");
}

#[test]
fn without_a_hierarchy_a_value_is_shown_or_hidden() {
    let mut job = job(Path::new(""), "\"age.csv\"");
    job.attributes[0].hierarchy = None;
    assert_eq!(build(&job, 0, &[], ValueType::String), Ok(Hierarchy::Whole));
}

#[test]
fn neighbours_are_grouped_in_the_order_that_is_known() {
    let values = ["10", "9", "1", "2"];
    let ordering = "{ ordering = { sizes = [2] } }";
    assert_eq!(labels_as(ordering, &values, ValueType::Integer), "9..10 *");
    assert_eq!(labels_as(ordering, &values, ValueType::String), "1..10 *");
    assert_eq!(
        labels_as("{ ordering = { sizes = [2], order = [10, 1] } }", &["10"], ValueType::String),
        "10..1 *"
    );
    let mut job = job(Path::new(""), ordering);
    job.attributes[0].order = Some(vec!["low".into(), "mid".into(), "high".into()]);
    let hierarchy = build(&job, 0, &[Some("high")], ValueType::String).unwrap();
    assert_eq!(labels(&hierarchy, "low"), "low..mid *");
}

#[test]
fn a_file_is_found_beside_the_job_and_its_problems_name_it() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path(), "{ file = \"h/age.csv\" }");
    let shown = |folder: &Path| format!("{}/", folder.display());
    let build = || {
        build(&job, 0, &[], ValueType::Integer)
            .map_err(|problems| problems.to_string().replace(&shown(folder.path()), ""))
    };
    assert_eq!(
        build().unwrap_err(),
        "job.toml:7: attributes[0].hierarchy: the hierarchy file h/age.csv cannot be read: no such file. \
         Paths start at the folder of the job file. Write e.g. hierarchy = { file = \"hierarchies/age.csv\" }"
    );
    fs::create_dir(folder.path().join("h")).unwrap();
    let path = folder.path().join("h/age.csv");
    fs::write(&path, "34;20-60;*\n45;20-60\n34;20-60;*\n").unwrap();
    assert_eq!(
        build().unwrap_err(),
        "h/age.csv:2: has 2 columns, but most lines have 3. Write a label for each level, or run \
         `paravent hierarchy repair h/age.csv --data patients.csv --column age`\n\
         h/age.csv:3: repeats the value of line 1. Delete one of the two lines"
    );
    fs::write(&path, "34;20-60;*\n;unknown;*\n").unwrap();
    let hierarchy = build().unwrap();
    assert_eq!(labels(&hierarchy, "34"), "20-60 *");
    assert_eq!(hierarchy.label(None, 1).unwrap().as_deref(), Some("unknown"));
}

#[test]
fn the_delimiter_and_the_null_texts_of_the_job_count() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("age.csv"), "34:x;y:*\nNA:?:*\n").unwrap();
    let mut job = job(folder.path(), "{ file = \"age.csv\", delimiter = \":\" }");
    job.input.null = vec!["NA".into()];
    let hierarchy = build(&job, 0, &[], ValueType::String).unwrap();
    assert_eq!(labels(&hierarchy, "34"), "x;y *");
    assert_eq!(hierarchy.label(None, 1).unwrap().as_deref(), Some("?"));
}

#[test]
fn what_makes_no_hierarchy_is_told_at_its_key() {
    for (hierarchy, ty, expected) in [
        (
            "{ intervals = { widths = [\n0.5, 1], min = 0, max = 100 } }",
            ValueType::Integer,
            "study/job.toml:8: attributes[0].hierarchy.intervals.widths[0]: must be a whole number, since \
             the column holds integers. Write a whole number, or give the attribute type = \"decimal\"",
        ),
        (
            "{ intervals = { widths = [5], min = 0, max = 99.5, rounding = \"down\" } }",
            ValueType::Decimal,
            "study/job.toml:7: attributes[0].hierarchy.intervals.max: must be a whole number, since \
             values are rounded to whole numbers. Write a whole number, or leave out rounding",
        ),
        (
            "{ ordering = { sizes = [2] } }",
            ValueType::Integer,
            "study/job.toml:7: attributes[0].hierarchy.ordering: 1 value of the column cannot be put in \
             order as integers. Write the order down, as in order = [\"low\", \"mid\", \"high\"], or \
             declare type = \"string\"",
        ),
    ] {
        assert_eq!(build_as(hierarchy, &["secret", "5"], ty).unwrap_err(), expected);
    }
    assert!(
        build_as("{ ordering = { sizes = [2] } }", &[], ValueType::String).unwrap_err().contains("no values")
    );
    assert_eq!(
        build_as("{ parts = {} }", &[], ValueType::String).unwrap_err(),
        "study/job.toml:7: attributes[0].hierarchy.parts: the column has no values that could be taken apart. \
         Leave the hierarchy out, or write it into a file"
    );
    let deep = ["/"; 255].concat();
    assert!(build_as("{ parts = {} }", &["a/b", &deep[1..]], ValueType::String).is_ok());
    let error = build_as("{ parts = {} }", &["a/b", &deep], ValueType::String).unwrap_err();
    assert!(error.contains("a value has 256 parts, and a hierarchy has at most 255 levels"), "{error}");
}

#[test]
fn what_does_not_wait_for_values_is_checked_without_them() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("flat.csv"), "a;*\nb;*\n").unwrap();
    let checked = |hierarchy: &str| {
        check_early(&job(folder.path(), hierarchy), 0).map_err(|problems| problems.to_string())
    };
    for (hierarchy, place) in [
        ("\"none.csv\"", "none.csv cannot be read"),
        ("{ breaks = [[10, 20], [15]] }", "hierarchy.breaks[1]: "),
        ("{ chain = [{ redact = {} }, \"none.csv\"] }", "none.csv cannot be read"),
        ("{ chain = [\"flat.csv\", { redact = {} }] }", "chain[0]: this part has nothing between its values"),
        (
            "{ chain = [{ age = { on = \"2024-12-31\" } }, { breaks = [[10, 20], [15]] }] }",
            "chain[1].breaks[1]: ",
        ),
        ("{ chain = [{ age = { on = \"2024-12-31\" } }, { breaks = [[10.5]] }] }", "chain[1].breaks: "),
    ] {
        let error = checked(hierarchy).unwrap_err();
        assert!(error.contains(place), "{error}");
    }
    for hierarchy in [
        "{ redact = {} }",
        "{ parts = {} }",
        "{ lump = { least = [5] } }",
        "{ ordering = { sizes = [2] } }",
        "{ breaks = [[0.5]] }",
        "{ chain = [{ redact = {} }, { breaks = [[0.5]] }] }",
    ] {
        assert_eq!(checked(hierarchy), Ok(()), "{hierarchy}");
    }
}

#[test]
fn the_labels_of_one_part_are_the_values_of_the_next() {
    let years = "{ chain = [{ dates = [\"month\", \"year\"] }, { intervals = { widths = [5], min = 2000, max = 2030 } }] }";
    assert_eq!(labels_as(years, &["2024-03-09"], ValueType::Date), "2024-03 2024 2020-2024 *");
    let grouped = "{ chain = [{ dates = [\"year\"] }, { ordering = { sizes = [2] } }] }";
    assert_eq!(
        labels_as(grouped, &["2023-03-09", "2024-01-01", "2025-01-01"], ValueType::Date),
        "2023 2023..2024 *"
    );
    let masked = "{ chain = [{ dates = [\"year\"] }, { redact = {} }] }";
    assert_eq!(labels_as(masked, &["2024-03-09"], ValueType::Date), "2024 202* 20** 2*** ****");
}

#[test]
fn all_parts_of_a_chain_are_checked() {
    let chain = "{ chain = [\"none.csv\",\n{ order = [[\"a\"]] },\n{ redact = {} },\n\"gone.csv\"] }";
    let told = build_as(chain, &["a"], ValueType::String).unwrap_err();
    let places: Vec<_> =
        told.lines().map(|line| line.split(": ").take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(
        places,
        [
            "study/job.toml:7 attributes[0].hierarchy.chain[0]",
            "study/job.toml:10 attributes[0].hierarchy.chain[3]"
        ]
    );
    let idle = "{ chain = [{ redact = { length = 1 } }, { order = [[\"a\"]] }] }";
    let told = build_as(idle, &["a"], ValueType::String).unwrap_err();
    assert!(
        told.starts_with("study/job.toml:7: attributes[0].hierarchy.chain[0]: this part has nothing between")
    );
}

/// Blood donors: genotype by hand, age by intervals of 14 and 28 years.
#[test]
fn the_donors_of_the_literature_get_their_hierarchies() {
    let genotype = "{ order = [{ label = \"A\", of = [\"AA\", \"A0\"] }, { label = \"B\", of = [\"BB\", \
    \"B0\"] }, { label = \"AB\", of = [\"AB\"] }, { label = \"0\", of = [\"00\"] }] }";
    assert_eq!(labels_as(genotype, &["B0"], ValueType::String), "B *");
    let age = "{ intervals = { widths = [14, 28], min = 18, max = 73 } }";
    assert_eq!(labels_as(age, &["45"], ValueType::Integer), "32-45 18-45 *");
    assert_eq!(labels_as(age, &["73"], ValueType::Integer), "60-73 46-73 *");
}
