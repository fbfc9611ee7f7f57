//! Rows: anonymous in people, unchanged where they are already, and given once.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::{Answered, ask};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use ward::{POLICY, Ward, joined, rows};

/// The policy for recipients who may see rows: classes of ten people, three diagnoses in each.
fn showing() -> String {
    POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("columns = [\"age\"]\n", "columns = [\"age\"]\nshow = 1\n")
        .replace("columns = [\"sex\"]\n", "columns = [\"sex\"]\nshow = true\n")
        .replace("columns = [\"zip\"]\n", "columns = [\"zip\"]\nshow = true\n")
        .replace("columns = [\"diagnosis\"]\n", "columns = [\"diagnosis\"]\nshow = true\n")
        .replace(
            "min_people = 10\n",
            "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 5 }, { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 3 }]\n",
        )
}

/// People by what the quasi-identifiers of an answer show.
fn classes(answer: &Answered, quasi: &[usize]) -> BTreeMap<Vec<String>, usize> {
    let mut classes = BTreeMap::new();
    for row in &answer.rows {
        let key = quasi.iter().map(|place| row[*place].to_string()).collect();
        *classes.entry(key).or_insert(0) += 1;
    }
    classes
}

#[test]
fn rows_leave_in_classes_of_enough_people_and_never_below_their_level() {
    let ward = Ward::with(&showing(), &rows(1_000));
    let answer = ward.answer("SELECT age, zip, diagnosis FROM patients");
    assert_eq!(answer.columns, ["age", "zip", "diagnosis"]);
    // Every tenth row does not exist for the recipient.
    assert_eq!(answer.rows.len(), 900);
    assert!(
        classes(&answer, &[0, 1]).values().all(|people| *people >= 10),
        "min_people is the larger demand"
    );
    assert!(answer.rows.iter().all(|row| row[0].as_str().unwrap().contains('-') || row[0] == json!("*")));
    let mut diagnoses: BTreeMap<String, std::collections::BTreeSet<String>> = BTreeMap::new();
    for row in &answer.rows {
        let class = format!("{} {}", row[0], row[1]);
        diagnoses.entry(class).or_default().insert(row[2].to_string());
    }
    assert!(diagnoses.values().all(|own| own.len() >= 3));
    let annotation = &answer.annotation;
    assert_eq!(annotation["operators"][0]["type"], "generalize");
    assert_eq!(annotation["criteria"][0]["required"]["k"], 10);
    assert!(!annotation.to_string().contains("CANARY"));
}

#[test]
fn rows_that_are_anonymous_already_are_not_changed() {
    let ward = Ward::with(&showing(), &rows(1_000));
    let answer = ward.answer("SELECT sex, diagnosis FROM patients WHERE age IN ('20-29', '30-39')");
    assert_eq!(answer.annotation["criteria"][0]["without_change"], true);
    let plain = |i: usize| {
        (!i.is_multiple_of(10) && 20 + i % 60 < 40)
            .then(|| (["f", "m"][i / 2 % 2], ["flu", "gout", "hiv"][i % 3]))
    };
    let mut want: Vec<Vec<Value>> =
        (0..1_000).filter_map(plain).map(|(sex, diagnosis)| vec![json!(sex), json!(diagnosis)]).collect();
    let mut got = answer.rows.clone();
    let order = |row: &Vec<Value>| row.iter().map(Value::to_string).collect::<Vec<_>>();
    want.sort_by_key(order);
    got.sort_by_key(order);
    assert_eq!(got, want, "equal to the plain result up to order");
}

#[test]
fn classes_count_people_and_not_their_rows() {
    // Six rows of each of four people: no class of ten people can be made of them.
    let mut table = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for i in 0..24 {
        let diagnosis = ["flu", "gout", "hiv"][i % 3];
        table.push_str(&format!("p{},CANARY,30,f,10000,{diagnosis},1,medicine,2026-01-01\n", i % 4));
    }
    let ward = Ward::with(&showing(), &table);
    let answer = ward.answer("SELECT sex, diagnosis FROM patients");
    assert!(answer.rows.is_empty(), "withheld");
    assert_eq!(answer.annotation["operators"][0]["type"], "withheld");
}

/// Two views of the same people can be put together: a group gets one, whatever the columns, the conditions or the state of the table.
#[test]
fn a_second_view_of_the_same_people_is_refused() {
    let ward = Ward::with(&showing(), &rows(1_000));
    let first = ward.answer("SELECT age, diagnosis FROM patients");
    assert_eq!(ward.answer("SELECT diagnosis, age FROM patients").annotation["cached"], true);
    for sql in ["SELECT zip, diagnosis FROM patients", "SELECT age, diagnosis FROM patients WHERE sex = 'f'"]
    {
        let refusal = ward.refused(sql);
        assert!(refusal.message.contains("rows of the table"), "{}", refusal.message);
    }
    let colleague = ask(&ward.policy, "students", "statistics", "SELECT sex FROM patients");
    assert!(colleague.is_err(), "recipients of a group are taken to share what they have");
    // Stopped behind the line of the register: the same rows, and no second line.
    fs::remove_dir_all(ward.folder.path().join("state/cache")).unwrap();
    assert_eq!(ward.answer("SELECT age, diagnosis FROM patients").rows, first.rows);
    assert_eq!(fs::read_to_string(ward.folder.path().join("state/exact.jsonl")).unwrap().lines().count(), 2);
    fs::write(ward.folder.path().join("patients.csv"), rows(1_010)).unwrap();
    assert!(ward.refused("SELECT age, diagnosis FROM patients").message.contains("rows of the table"));
    assert!(!first.rows.is_empty());
}

#[test]
fn exact_figures_and_rows_of_one_table_do_not_go_together() {
    let trusted = showing().replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n");
    let ward = Ward::with(&trusted, &rows(1_000));
    ward.answer("SELECT sex, diagnosis FROM patients");
    assert!(ward.refused("SELECT count(*) FROM patients").message.contains("rows of the table"));
    let other = Ward::with(&trusted, &rows(1_000));
    other.answer("SELECT count(*) FROM patients");
    assert!(other.refused("SELECT sex, diagnosis FROM patients").message.contains("exact figures"));
}

#[test]
fn what_may_not_be_shown_is_answered_by_its_histogram_or_not_at_all() {
    let hidden = showing().replace("columns = [\"zip\"]\nshow = true\n", "columns = [\"zip\"]\n");
    let ward = Ward::with(&hidden, &rows(1_000));
    // Without noise there is no histogram for the untrusted.
    assert!(ward.refused("SELECT zip FROM patients").message.contains("noise"));
    let noisy =
        hidden.replace("id = \"rows\"\n", "id = \"rows\"\nnoise = { epsilon = \"0.5\", delta = \"1e-7\" }\n");
    let answer = Ward::with(&noisy, &rows(1_000)).answer("SELECT sex FROM patients");
    assert_eq!(answer.columns, ["sex", "count"], "where a rule asks for noise no rows are shown");
}

/// Whoever is among rows that were chosen by a diagnosis has it, however large the classes are.
#[test]
fn rows_are_not_chosen_by_a_column_that_a_demand_protects() {
    let filtered = showing().replace("filter = false\n", "filter = true\n");
    let ward = Ward::with(&filtered, &rows(1_000));
    for sql in [
        "SELECT age, sex FROM patients WHERE diagnosis = 'hiv'",
        "SELECT age, diagnosis FROM patients WHERE sex = 'f' AND diagnosis IN ('hiv', 'flu')",
    ] {
        let refusal = ward.refused(sql);
        assert!(refusal.message.contains("rows chosen by diagnosis"), "{}", refusal.message);
        assert_eq!(refusal.rules, ["diagnosis"]);
    }
    assert!(!ward.answer("SELECT age, sex FROM patients WHERE sex = 'f'").rows.is_empty());
    // The opposite: nobody demands anything about diagnoses.
    let open =
        filtered.replace(", { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 3 }", "");
    let answer =
        Ward::with(&open, &rows(1_000)).answer("SELECT age, sex FROM patients WHERE diagnosis = 'hiv'");
    assert!(!answer.rows.is_empty());
}

/// Visits have people of their own, who are those of the patients: rows of both tables can be put together.
#[test]
fn a_view_of_another_table_about_the_same_people_is_refused() {
    let show = |text: &str| text.replace("columns = [\"unit\"]\n", "columns = [\"unit\"]\nshow = true\n");
    let linked = show(joined::LINKED).replace(
        "min_people = 5\n",
        "min_people = 5\nmodels = [{ model = \"k-anonymity\", k = 5 }]\n[[demands]]\ntable = \"staff\"\nmodels = [{ model = \"k-anonymity\", k = 5 }]\n",
    );
    let staff = "[[rules]]\nid = \"staff-unit\"\ntable = \"staff\"\ncolumns = [\"unit\"]\nshow = true\n";
    let policy = format!("{}{linked}{staff}", showing()).replace("\"untrusted\"", "\"trusted\"");
    let first = |sql: &str, second: &str| {
        let ward = joined::ward(&policy, &joined::visits(1_000));
        assert!(!ward.answer(sql).rows.is_empty(), "{sql}");
        ward.ask(second).map(|_| ()).map_err(|error| error.to_string())
    };
    let (patients, visits) = ("SELECT age, diagnosis FROM patients", "SELECT unit FROM visits");
    for (one, other) in [
        (patients, visits),
        (visits, patients),
        (visits, "SELECT sex, count(*) FROM patients GROUP BY sex"),
        ("SELECT sex, count(*) FROM patients GROUP BY sex", visits),
        // The same file under another name has the same rows.
        (visits, "SELECT unit FROM staff"),
        ("SELECT unit, count(*) FROM visits GROUP BY unit", "SELECT unit FROM staff"),
    ] {
        let told = first(one, other).unwrap_err();
        assert!(told.contains("about the same people"), "{one}; {other}: {told}");
    }
}

/// What is no value of its type, or has no place in a hierarchy, counts as missing: no error tells of a cell.
#[test]
fn odd_cells_make_no_error() {
    let mut table = rows(1_000);
    for i in 0..30 {
        table.push_str(&format!("odd{i},CANARY,CANARY{i},f,?,flu,1,medicine,2026-01-01\n"));
    }
    let ward = Ward::with(&showing(), &table);
    let answer = ward.answer("SELECT age, zip, diagnosis FROM patients");
    assert!(!answer.rows.is_empty() || answer.annotation["operators"][0]["type"] == "withheld");
    assert!(!answer.rows.iter().any(|row| row[0].to_string().contains("CANARY")));
}

/// A value against the few words of JSON Schema that the schema uses.
fn fits(value: &Value, schema: &Value, path: &str) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(schema["type"].as_str().is_none_or(|wanted| wanted == kind), "{path} is {kind}");
    assert!(schema["const"].is_null() || schema["const"] == *value, "{path}: {value}");
    for key in schema["required"].as_array().into_iter().flatten() {
        assert!(value.get(key.as_str().unwrap()).is_some(), "{path} has no {key}");
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(key) {
            Some(known) => fits(inner, known, &format!("{path}.{key}")),
            None => assert!(schema["additionalProperties"] != json!(false), "{path}.{key} is unknown"),
        }
    }
    for inner in value.as_array().into_iter().flatten() {
        fits(inner, &schema["items"], &format!("{path}[]"));
    }
}

#[test]
fn annotations_of_every_kind_fit_their_schema() {
    let schema = paravent_policy::annotation_schema();
    let noisy = Ward::new().answer("SELECT sex, count(*) FROM patients GROUP BY sex");
    let shown = Ward::with(&showing(), &rows(1_000)).answer("SELECT sex, diagnosis FROM patients");
    let trusted = showing().replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n");
    let exact = Ward::with(&trusted, &rows(1_000)).answer("SELECT sex, count(*) FROM patients GROUP BY sex");
    for answer in [noisy, shown, exact] {
        fits(&answer.annotation, &schema, "annotation");
    }
}
