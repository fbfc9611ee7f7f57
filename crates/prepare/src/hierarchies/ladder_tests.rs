use std::fs;
use std::path::Path;

use paravent_core::values::ValueType;

use super::*;
use crate::hierarchies::build;

fn job(folder: &Path, hierarchy: &str) -> Job {
    let text = format!(
        "version = 1\ninput.path = \"patients.csv\"\n[[attributes]]\nname = \"age\"\nrole = \
         \"quasi-identifier\"\n\
         min_level = 0\nmax_level = 2\nhierarchy = {hierarchy}\n[privacy]\nmodels = [{{ model = \
         \"k-anonymity\", k = 2 }}]\n"
    );
    Job::parse(&text, &folder.join("job.toml")).unwrap()
}

fn told(hierarchy: &str, values: &[Option<&str>], show_values: bool) -> String {
    let job = job(Path::new("study"), hierarchy);
    let hierarchy = build(&job, 0, values, ValueType::String).unwrap();
    ladder(&job, 0, &hierarchy, values, show_values).unwrap_err().to_string()
}

const REFUSING: &str = "{ intervals = { widths = [5], min = 0, max = 100, outliers = \"refuse\" } }";

#[test]
fn values_present_are_climbed() {
    let values = [Some("34"), None, Some("36")];
    let job = job(Path::new(""), REFUSING);
    let hierarchy = build(&job, 0, &values, ValueType::Integer).unwrap();
    let ladder = ladder(&job, 0, &hierarchy, &values, false).unwrap();
    assert_eq!(ladder.rung(1).labels, [Some("30-34".into()), None, Some("35-39".into())]);
}

#[test]
fn values_without_a_line_are_counted_and_the_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("age.csv"), "34;20-60;*\n45;20-60;*\n").unwrap();
    let job = job(folder.path(), "\"age.csv\"");
    let values = [Some("34"), Some("secret"), None, Some(" 45")];
    let hierarchy = build(&job, 0, &values, ValueType::String).unwrap();
    let told = |show| {
        let problems = ladder(&job, 0, &hierarchy, &values, show).unwrap_err();
        assert_eq!(problems.len(), 1);
        problems.to_string().replace(&format!("{}/", folder.path().display()), "")
    };
    let message = "job.toml:8: attributes[0].hierarchy: 2 values of column `age` have no place in the \
    hierarchy (age.csv): the hierarchy has no row for the value; 1 of them only for spaces at the ends";
    let advice = "Add a line for each of them, or run `paravent hierarchy repair age.csv --data patients.csv \
                  --column age`";
    assert_eq!(told(false), format!("{message}. {advice}"));
    assert_eq!(told(true), format!("{message}: \"secret\", \" 45\". {advice}"));
}

#[test]
fn reasons_are_told_apart() {
    assert_eq!(
        told(REFUSING, &[Some("old"), Some("300"), Some("5"), Some("young")], false),
        "study/job.toml:8: attributes[0].hierarchy: 3 values of column `age` have no place in the \
         hierarchy: the value is not a number (2), the number is outside the bounds of the hierarchy (1). \
         Correct the cells, or list their texts in null = [\"\", \"NA\"] of [input]"
    );
    assert_eq!(
        told(REFUSING, &[Some("300")], false),
        "study/job.toml:8: attributes[0].hierarchy: 1 value of column `age` has no place in the \
         hierarchy: the number is outside the bounds of the hierarchy. Write a lower min or a higher max, \
         or outliers = \"label\" or \"clamp\""
    );
    let hours = told("{ dates = [\"hour\", \"day\"] }", &[Some("2024-03-09")], false);
    assert!(hours.ends_with(
        "the date has no time of day. Start with \"day\" or a longer unit, as in dates = [\"day\", \"month\"]"
    ));
    assert!(told("{ order = [[\"a\"]] }", &[Some("b")], false).ends_with(". List all values of the column"));
}

#[test]
fn a_few_values_are_listed_when_asked_for() {
    let long = "x".repeat(50);
    let values = ["a", "b", "c\n", "d", long.as_str(), "e"].map(Some);
    let told = told(REFUSING, &values, true);
    assert!(
        told.contains(&format!(": \"a\", \"b\", \"c\\n\", \"d\", \"{}…\", …. Correct", "x".repeat(40))),
        "{told}"
    );
}

#[test]
fn the_part_of_a_chain_is_named() {
    let chain = "{ chain = [{ dates = [\"month\"] },\n{ order = [[\"2024-03\"]] }] }";
    let told = told(chain, &[Some("2024-03-09"), Some("2024-04-09")], false);
    assert!(
        told.starts_with("study/job.toml:9: attributes[0].hierarchy.chain[1]: 1 value of column `age` has"),
        "{told}"
    );
}

#[test]
fn levels_above_the_top_are_told_together_with_the_rest() {
    let mut job = job(Path::new("study"), "{ order = [[\"a\"]] }");
    (job.attributes[0].min_level, job.attributes[0].max_level) = (Some(3), Some(4));
    let hierarchy = build(&job, 0, &[], ValueType::String).unwrap();
    let told = ladder(&job, 0, &hierarchy, &[Some("secret")], false).unwrap_err().to_string();
    let expected = "\
        study/job.toml:6: attributes[0].min_level: is 3, but the highest level of the hierarchy is 2. \
        Write min_level = 2 or less, or leave it out\n\
        study/job.toml:7: attributes[0].max_level: is 4, but the highest level of the hierarchy is 2. \
        Write max_level = 2 or less, or leave it out\n\
        study/job.toml:8: ";
    assert!(told.starts_with(expected), "{told}");
    assert!(!told.contains("secret"));
    assert!(ladder(&job, 0, &hierarchy, &[], false).is_err());
}
