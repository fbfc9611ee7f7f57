//! Syntax, unknown, missing and mistyped keys, and many problems at once.

use super::*;

#[test]
fn the_right_job_is_right() {
    assert_eq!(problems(RIGHT), [] as [String; 0]);
}

#[test]
fn syntax_errors_have_a_line() {
    let found = problems(&with("role = \"sensitive\"", "role = \"sensitive"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("job.toml:10: not valid TOML: "), "{found:?}");
    let found = problems(&with("name = \"diagnosis\"", "name = \"diagnosis\"\nname = \"other\""));
    assert_eq!(found, ["job.toml:10: not valid TOML: duplicate key. Keep one of the two"]);
}

#[test]
fn the_usual_slips_have_advice() {
    assert_problem(
        &with("role = \"sensitive\"", "role = sensitive"),
        "job.toml:10: not valid TOML: string values must be quoted. \
         Put texts into quotes, as in role = \"sensitive\"",
    );
    let found = problems(&with("patients.csv", "C:\\patients.csv"));
    let advice = r"Write \\ for each \, or put the text into single quotes, as in 'C:\data\patients.csv'";
    assert!(
        found.len() == 1 && found[0].starts_with("job.toml:3: ") && found[0].ends_with(advice),
        "{found:?}"
    );
    assert_problem(
        "version = 1\ninput.path = 'a'\nprivacy.models = [{ model = 'k-anonymity', k = 2 }]\n[attributes]\nname = 'a'",
        "job.toml:4: attributes: must be a list, not a table. \
         Write [[attributes]] with two brackets, once for each column",
    );
}

#[test]
fn what_seems_to_be_missing_below_a_syntax_error_is_not_told() {
    let found = problems(&with("k = 5 }", "k = 5"));
    assert!(!found.is_empty() && found.iter().all(|problem| problem.contains("not valid TOML")), "{found:?}");
}

#[test]
fn an_open_bracket_is_not_told_line_by_line() {
    let found = problems(&with("path = \"patients.csv\"", "path = [ \"patients.csv\""));
    let syntax: Vec<&String> = found.iter().filter(|problem| problem.contains("not valid TOML")).collect();
    assert_eq!(syntax.len(), 3, "{found:?}");
    assert!(syntax[0].starts_with("job.toml:4: "), "{found:?}");
}

#[test]
fn what_stands_above_a_syntax_error_is_checked_too() {
    let text = with("path", "pahts").replace("role = \"quasi-identifier\"", "role = \"boss\"");
    let found = problems(&text.replace("role = \"sensitive\"", "role = sensitive"));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("job.toml:3: input.pahts: unknown key"));
    assert!(found[1].starts_with("job.toml:6: attributes[0].role: \"boss\" is not a role"));
    assert!(found[2].starts_with("job.toml:10: not valid TOML"));
}

#[test]
fn unknown_keys_are_compared_with_the_known_ones() {
    assert_problem(
        &with("suppression_limit", "supression_limit"),
        "job.toml:12: privacy.supression_limit: unknown key. \
         Did you mean suppression_limit? Allowed here: suppression_limit, models, person, person_rows, most_known, budget",
    );
    assert_problem(
        &and("[reports]\nx = 1"),
        "job.toml:17: reports: unknown key. Allowed here: version, about, input, attributes, privacy, search, output",
    );
    assert_problem(
        &with("k = 5 }", "k = 5, l = 2 }"),
        "job.toml:14: privacy.models[0].l: unknown key. Allowed here: model, k",
    );
    assert_problem(
        &age_with("\"no\\nbare key\" = 1"),
        "job.toml:8: attributes[0].\"no\\nbare key\": unknown key. \
         Allowed here: name, role, type, format, decimal, grouping, hierarchy, min_level, max_level, recoding, most_levels, weight, order, release, missing, \
         unknown, noise, round, bottom, top, aggregate, pseudonym",
    );
}

#[test]
fn a_misspelled_model_is_recognised_as_one() {
    let found = problems(&with("model = \"k-anonymity\"", "modle = \"k-anonymity\""));
    let says = |found: &[String], text: &str| found.iter().any(|problem| problem.contains(text));
    assert!(
        says(&found, "job.toml:14: privacy.models[0].modle: unknown key. Did you mean model?"),
        "{found:?}"
    );
    let found = problems(&with("k = 5 }", "kk = 5 }"));
    assert!(says(&found, "privacy.models[0].kk: unknown key. Did you mean k?"), "{found:?}");
}

/// Two letters changed places, in every key that has two.
#[test]
fn every_misspelled_key_is_recognised() {
    fn look(schema: &serde_json::Value, seen: &mut usize) {
        if let Some(properties) = schema["properties"].as_object() {
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            for name in &names {
                let mut letters: Vec<char> = name.chars().collect();
                let last = letters.len() - 1;
                if last < 3 || letters[last] == letters[last - 1] {
                    continue;
                }
                letters.swap(last, last - 1);
                let misspelled: String = letters.into_iter().collect();
                assert_eq!(crate::suggest::closest(&misspelled, names.iter().copied()), Some(*name));
                *seen += 1;
            }
        }
        match schema {
            serde_json::Value::Object(parts) => parts.values().for_each(|part| look(part, seen)),
            serde_json::Value::Array(parts) => parts.iter().for_each(|part| look(part, seen)),
            _ => {}
        }
    }
    let mut seen = 0;
    look(&crate::schema(), &mut seen);
    assert!(seen > 60, "{seen}");
}

#[test]
fn missing_keys_are_named_where_they_belong() {
    assert_problem(&with("version = 1\n", ""), "job.toml:1: version: is missing. Write e.g. version = 1");
    assert_problem(
        &with("name = \"age\"\n", ""),
        "job.toml:4: attributes[0].name: is missing. Write e.g. name = \"age\"",
    );
    assert_problem(
        &with("role = \"sensitive\"\n", ""),
        "job.toml:8: attributes[1].role: is missing. Write e.g. role = \"quasi-identifier\"",
    );
    assert_problem(&with(", l = 3", ""), "job.toml:15: privacy.models[1].l: is missing. Write e.g. l = 3");
    assert_problem(
        &with("path = \"patients.csv\"\n", ""),
        "job.toml:2: input.path: is missing. Write e.g. path = \"patients.csv\"",
    );
    assert_problem(
        &with("model = \"k-anonymity\", ", ""),
        "job.toml:14: privacy.models[0].model: is missing. Write e.g. model = \"k-anonymity\"",
    );
    let found = problems("");
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(
        found[1],
        "job.toml:1: input: is missing. Write e.g. [input] and below it path = \"patients.csv\""
    );
}

#[test]
fn wrong_types_name_the_right_one() {
    let cases = [
        (
            with("version = 1", "version = \"1\""),
            "1: version: must be a whole number, not a string. Write e.g. version = 1",
        ),
        (
            with("k = 5", "k = 5.0"),
            "14: privacy.models[0].k: must be a whole number, not a decimal number. Write e.g. k = 5",
        ),
        (
            with("\"age\"", "42"),
            "5: attributes[0].name: must be a string, not a whole number. Write e.g. name = \"age\"",
        ),
        (
            with("0.05", "true"),
            "12: privacy.suppression_limit: must be a decimal number, not true or false. Write e.g. suppression_limit = 0.05",
        ),
        (
            and("[output]\nspreadsheet_safe = 1"),
            "18: output.spreadsheet_safe: must be true or false, not a whole number. Write e.g. spreadsheet_safe = true",
        ),
        (
            age_with("order = \"low\""),
            "8: attributes[0].order: must be a list, not a string. Write e.g. order = [\"low\", \"mid\", \"high\"]",
        ),
        (
            age_with("order = [\"low\", []]"),
            "8: attributes[0].order[1]: must be a value, written as a string, not a list. Write e.g. order = [\"low\", \"mid\", \"high\"]",
        ),
        (
            age_with("hierarchy = 3"),
            "8: attributes[0].hierarchy: must be a table or a file name, not a whole number. Write e.g. hierarchy = { file = \"age.csv\" }",
        ),
        (
            with("[input]\npath", "input"),
            "2: input: must be a table, not a string. Write e.g. [input] and below it path = \"patients.csv\"",
        ),
    ];
    for (text, expected) in cases {
        assert_problem(&text, &format!("job.toml:{expected}"));
    }
}

#[test]
fn only_version_one_is_known() {
    assert_problem(
        &with("version = 1", "version = 2"),
        "job.toml:1: version: version 2 is not known here. \
         Write version = 1, or run a newer release of paravent",
    );
}

#[test]
fn all_problems_come_together_sorted_by_line() {
    let text = with("version = 1", "version = 3")
        .replace("patients.csv", "")
        .replace("\"quasi-identifier\"", "\"qausi-identifier\"")
        .replace("0.05", "2")
        .replace("k = 5", "k = 0")
        .replace("l = 3", "l = -1")
        + "[search]\nmetric = \"best\"\nthreads = 5000\n[output]\nformat = \"docx\"\n";
    let found = parse(&text).unwrap_err();
    let lines: Vec<Option<usize>> = found.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [1, 3, 6, 12, 14, 15, 18, 19, 21].map(Some), "{found}");
    let keys: Vec<&str> = found.iter().filter_map(|problem| problem.key.as_deref()).collect();
    let expected = [
        "version",
        "input.path",
        "attributes[0].role",
        "privacy.suppression_limit",
        "privacy.models[0].k",
        "privacy.models[1].l",
        "search.metric",
        "search.threads",
        "output.format",
    ];
    assert_eq!(keys, expected);
}
