//! What a policy means for a question.

use super::{WARD, read};
use crate::{Aggregate, Extent, remarks};
use std::collections::BTreeSet;

#[test]
fn the_strictest_rule_of_a_column_holds() {
    let more = format!(
        "{WARD}\n[[rules]]\nid = \"age-2\"\nfor = {{ purpose = \"statistics\" }}\ntable = \"patients\"\ncolumns = [\"age\"]\ngroup = 2\naggregate = [\"count\"]\n"
    );
    let policy = read(&more);
    let asker = policy.asker("research", "statistics").unwrap();
    let age = policy.column(&asker, "patients", "age");
    assert_eq!(
        (age.access.show, age.access.filter, age.access.group),
        (Extent::From(1), Extent::From(1), Extent::From(2))
    );
    assert_eq!(age.access.aggregate, BTreeSet::from([Aggregate::Count]));
    assert_eq!(age.rules.iter().map(|rule| rule.id.as_str()).collect::<Vec<_>>(), ["age", "age-2"]);
    let other = policy.asker("research", "gait-study").unwrap();
    assert_eq!(policy.column(&other, "patients", "age").access.group, Extent::From(1));
}

#[test]
fn whoever_and_whatever_is_not_mentioned_gets_nothing() {
    let policy = read(WARD);
    let asker = policy.asker("research", "gait-study").unwrap();
    for (table, column) in
        [("patients", "zip"), ("patients", "diagnosis"), ("vitals", "pulse"), ("nothing", "age")]
    {
        assert!(policy.column(&asker, table, column).access.is_nothing(), "{table}.{column}");
    }
    for (table, column) in [("patients", "name"), ("patients", "id"), ("vitals", "patient")] {
        assert!(policy.column(&asker, table, column).access.is_nothing(), "{table}.{column}");
    }
    assert!(policy.rows(&asker, "nothing").denied);
    let denied = policy.asker("reserch", "statistics").unwrap_err();
    assert_eq!(denied.advice, "Did you mean \"research\"? Recipients: research");
    assert!(policy.asker("research", "advertising").is_err());
}

#[test]
fn a_person_who_wants_less_changes_it_for_everybody_where_the_policy_says_so() {
    let strict = WARD.replace("conflict = \"leave-out\"", "conflict = \"strictest\"");
    let policy = read(&strict);
    let asker = policy.asker("research", "statistics").unwrap();
    assert_eq!(policy.column(&asker, "patients", "age").access.show, Extent::From(3));
    // Nobody else allows weight, and a claim grants nothing.
    assert!(policy.column(&asker, "patients", "weight").access.is_nothing());
    assert!(!format!("{policy:?}").contains("p17"), "a person is a cell");
}

#[test]
fn rows_and_demands_add_up() {
    let more = format!(
        "{WARD}\n[[rules]]\nid = \"rows-2\"\ntable = \"patients\"\nwhere = \"age > 17\"\ntimes = {{ column = \"admitted\", grain = \"year\" }}\n[[demands]]\ntable = \"patients\"\nmin_people = 20\n"
    );
    let policy = read(&more);
    let asker = policy.asker("research", "statistics").unwrap();
    let rows = policy.rows(&asker, "patients");
    assert_eq!(rows.rows.conditions.len(), 2);
    assert_eq!(rows.rows.times["admitted"].to_string(), "year");
    let demand = policy.demand("patients");
    assert_eq!((demand.min_people, demand.models.len()), (Some(20), 2));
    assert_eq!(policy.demand("vitals"), Default::default());
}

#[test]
fn the_version_is_of_what_is_said_not_of_how() {
    let version = read(WARD).version();
    let (head, rules) = WARD.split_at(WARD.find("[[rules]]\nid = \"rows\"").unwrap());
    let end = rules.find("[[rules]]\nid = \"no-names\"").unwrap();
    let turned = format!("# a remark\n{head}{}{}", &rules[end..], &rules[..end]);
    assert_eq!(read(&turned).version(), version);
    assert_ne!(read(&WARD.replace("show = 1", "show = 2")).version(), version);
}

#[test]
fn rules_without_effect_and_rules_that_leave_nothing_are_told() {
    assert_eq!(remarks(&read(WARD)), []);
    let idle = format!(
        "{WARD}\n[[rules]]\nid = \"idle\"\ntable = \"patients\"\ncolumns = [\"name\"]\nshow = true\n"
    );
    let found = remarks(&read(&idle));
    assert_eq!((found.len(), found[0].rules.as_slice()), (1, &["idle".to_owned()][..]));
    let against = format!(
        "{WARD}\n[[rules]]\nid = \"x\"\ntable = \"patients\"\ncolumns = [\"zip\"]\naggregate = [\"sum\"]\n[[rules]]\nid = \"y\"\ntable = \"patients\"\ncolumns = [\"zip\"]\naggregate = [\"avg\"]\n"
    );
    let found = remarks(&read(&against));
    assert!(
        found.iter().any(|remark| remark.rules == ["x", "y"] && remark.message.contains("patients.zip")),
        "{found:?}"
    );
}
