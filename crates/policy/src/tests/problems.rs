//! What is wrong is told at once, with its place.

use super::{WARD, complaints, read};
use crate::check_columns;
use std::fs;

#[test]
fn a_whole_policy_is_read() {
    let policy = read(WARD);
    assert_eq!((policy.tables.len(), policy.rules.len(), policy.subjects.len()), (3, 4, 1));
}

#[test]
fn the_example_of_the_guide_is_a_policy() {
    let guide = include_str!("../../../../docs/guide/policy.md");
    let (_, rest) = guide.split_once("```toml\n").unwrap();
    let policy = read(rest.split_once("```").unwrap().0);
    assert_eq!((policy.tables.len(), policy.rules.len()), (3, 4));
}

#[test]
fn all_problems_come_at_once_with_line_key_and_advice() {
    let text = WARD
        .replace("trust = \"untrusted\"", "trust = \"untrustd\"")
        .replace("show = 1\n", "show = \"1\"\n")
        .replace("aggregate = [\"count\", \"avg\"]", "aggregate = [\"count\", \"max\"]")
        .replace("min_people = 10", "min_people = 1")
        .replace("batch = 10", "batchs = 10");
    let told = complaints(&text);
    let expected = [
        (
            "untrustd",
            "recipients[0].trust: \"untrustd\" is not a degree of trust. Did you mean \"untrusted\"?",
        ),
        ("show = \"1\"", "rules[0].show: must be a whole number, not a string"),
        (
            "\"max\"",
            "rules[0].aggregate[1]: \"max\" is not a figure that is answered. Possible: count, sum, avg",
        ),
        ("min_people = 1", "demands[0].min_people: must be at least 2"),
        ("batchs", "consent.batchs: unknown key. Did you mean batch?"),
    ];
    assert_eq!(told.lines().count(), expected.len(), "{told}");
    for (line, (place, expected)) in told.lines().zip(expected) {
        let number = 1 + text.lines().position(|line| line.contains(place)).unwrap();
        let expected = format!("policy.toml:{number}: {expected}");
        assert!(line.starts_with(&expected), "{line}\n{expected}");
    }
}

#[test]
fn names_that_lead_nowhere_are_found() {
    let text = WARD
        .replace("table = \"patients\"\ncolumns = [\"age\"]", "table = \"patient\"\ncolumns = [\"age\"]")
        .replace("for = { role = \"research\" }", "for = { role = \"reserch\" }")
        .replace("for = { purpose = \"gait-study\" }", "for = { purpose = \"gait\" }")
        .replace("patients.id", "patients.name");
    let told = complaints(&text);
    for expected in [
        "rules[0].table: the policy has no table \"patient\". Did you mean \"patients\"?",
        "rules[0].for.role: \"reserch\" is unknown, so this concerns nobody. Did you mean \"research\"?",
        "analyses[0].for.purpose: \"gait\" is unknown",
        "tables[1].links: the links do not lead to the person of \"patients\"",
    ] {
        assert!(told.contains(expected), "{told}\n{expected}");
    }
}

#[test]
fn what_would_let_people_out_is_refused() {
    let shown = WARD.replace("columns = [\"age\"]", "columns = [\"age\", \"id\"]");
    assert!(
        complaints(&shown)
            .contains("rules[0].columns: \"id\" says whose row it is, and that never leaves the house")
    );
    let nobodys = WARD.replace("public = true\n", "");
    assert!(complaints(&nobodys).contains("tables[2]: nobody says whose rows they are. Write person = "));
    let undone = WARD.replace("deny = true\n", "deny = false\n");
    assert!(complaints(&undone).contains("no rule can undo a deny"));
    let two = WARD.replace("[[rules]]\nid = \"age\"", "[[recipients]]\nrole = \"students\"\npurposes = [\"statistics\"]\ngroup = \"university\"\n\n[[rules]]\nid = \"age\"");
    assert!(complaints(&two).contains("recipients[1].budget: differs from that of \"research\""));
    let shape = WARD.replace("where = \"admitted", "columns = [\"ward\"]\nwhere = \"admitted");
    assert!(complaints(&shape).contains("rules[2].where: is about rows, and the rule names columns"));
}

const JOB: &str = r#"version = 1
input.path = "patients.csv"
attributes = [
  { name = "id", role = "identifying" },
  { name = "name", role = "identifying" },
  { name = "age", role = "quasi-identifier", hierarchy = { intervals = { widths = [5, 10], min = 0, max = 100 } } },
  { name = "town", role = "quasi-identifier", hierarchy = { lump = { least = [5] } } },
  { name = "zip", role = "quasi-identifier" },
  { name = "place", role = "quasi-identifier", hierarchy = { parts = { separator = "/" } } },
  { name = "code", role = "quasi-identifier", hierarchy = { chain = [{ redact = { length = 5 } }, { ordering = { sizes = [2] } }] } },
]
privacy.models = [{ model = "k-anonymity", k = 5 }]
privacy.person = "id"
"#;

#[test]
fn rules_are_held_against_the_columns_of_the_job() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("patients.toml"), JOB).unwrap();
    let policy = |rules: &str| {
        let text = format!(
            "version = 1\nname = \"w\"\n[[tables]]\nname = \"patients\"\njob = \"patients.toml\"\nperson = \"id\"\n[[recipients]]\nrole = \"r\"\npurposes = [\"p\"]\n{rules}"
        );
        crate::Policy::parse(&text, &folder.path().join("policy.toml")).unwrap()
    };
    let rule = |column: &str, level: &str| {
        format!(
            "[[rules]]\nid = \"{column}\"\ntable = \"patients\"\ncolumns = [\"{column}\"]\ngroup = {level}\n"
        )
    };
    assert!(check_columns(&policy(&rule("age", "2"))).is_ok());
    let columns = ["aeg", "zip", "town", "place", "code"];
    let wrong: String = columns.iter().map(|column| rule(column, "1")).collect();
    let told = check_columns(&policy(&wrong)).unwrap_err().to_string();
    for expected in [
        "rules[0].columns: the job of the table does not declare \"aeg\". Did you mean \"age\"?",
        "rules[1].group: \"zip\" has no hierarchy in the job, so there is no level 1",
        "rules[2].group: the labels of \"town\" are formed from the values that occur",
        "rules[3].group: the labels of \"place\" are formed from the values that occur",
        "rules[4].group: the labels of \"code\" are formed from the values that occur",
    ] {
        assert!(told.contains(expected), "{told}\n{expected}");
    }
    assert!(!told.contains("rules[5]"));
}
