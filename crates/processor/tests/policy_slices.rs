//! Rows for a declared regression: column groups are mixed, and the pairs of the regression are those of the table.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::Answered;
use std::collections::BTreeMap;
use ward::{POLICY, Ward, rows};

const ROWS: &str = "SELECT age, salary, sex, zip FROM patients";

/// Rows of ten people who are alike; who asks has declared a regression of salary on age.
fn policy() -> String {
    let showing = POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("columns = [\"age\"]\nfilter = 1\n", "columns = [\"age\"]\nshow = true\nfilter = 1\n")
        .replace("columns = [\"zip\"]\n", "columns = [\"zip\"]\nshow = true\n")
        .replace("columns = [\"sex\"]\n", "columns = [\"sex\"]\nshow = true\n")
        .replace("columns = [\"salary\"]\n", "columns = [\"salary\"]\nshow = true\n")
        .replace("columns = [\"diagnosis\"]\n", "columns = [\"diagnosis\"]\nshow = true\n")
        .replace("min_people = 10\n", "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 10 }]\n");
    format!(
        "{showing}\n[[analyses]]\nfor = {{ purpose = \"statistics\" }}\nregression = [[\"age\", \"salary\"]]\n"
    )
}

type Row = BTreeMap<String, String>;

fn shown(answer: &Answered) -> Vec<Row> {
    let cell = |row: &[serde_json::Value], place: usize| row[place].as_str().unwrap_or("NULL").to_owned();
    let row = |row: &Vec<serde_json::Value>| {
        answer.columns.iter().enumerate().map(|(place, name)| (name.clone(), cell(row, place))).collect()
    };
    answer.rows.iter().map(row).collect()
}

/// The rows of the table that exist for the recipient.
fn existing(table: &str) -> Vec<Row> {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| -> Row {
        names.iter().zip(line.split(',')).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).filter(|row| row["ward"] != "psychiatry").collect()
}

fn bag(rows: &[Row], columns: &[&str]) -> BTreeMap<Vec<String>, usize> {
    let mut bag = BTreeMap::new();
    for row in rows {
        *bag.entry(columns.iter().map(|column| row[*column].clone()).collect()).or_insert(0) += 1;
    }
    bag
}

/// n, Σx, Σy, Σxy, Σx²: what slope and intercept are made of, in whole numbers.
fn sums(rows: &[Row], x: &str, y: &str) -> [i128; 5] {
    let mut sums = [0; 5];
    for row in rows {
        let (x, y): (i128, i128) = (row[x].parse().unwrap(), row[y].parse().unwrap());
        for (sum, part) in sums.iter_mut().zip([1, x, y, x * y, x * x]) {
            *sum += part;
        }
    }
    sums
}

#[test]
fn the_pairs_of_a_declared_regression_are_those_of_the_table() {
    let table = rows(1_000);
    let ward = Ward::with(&policy(), &table);
    let answer = ward.answer(ROWS);
    let (before, after) = (existing(&table), shown(&answer));
    assert_eq!(after.len(), before.len(), "nobody is left out");
    assert_eq!(
        bag(&after, &["age", "salary"]),
        bag(&before, &["age", "salary"]),
        "pairs, as often as before"
    );
    let [n, x, y, xy, xx] = sums(&after, "age", "salary");
    assert_eq!([n, x, y, xy, xx], sums(&before, "age", "salary"));
    // Slope and intercept are quotients of these sums, so they are equal to the last digit.
    let slope = (n * xy - x * y) as f64 / (n * xx - x * x) as f64;
    assert!(slope.is_finite());
    for column in ["age", "salary", "sex", "zip"] {
        assert_eq!(bag(&after, &[column]), bag(&before, &[column]), "{column}");
    }
    // Other columns were mixed: few people stand with their own postcode.
    assert_ne!(bag(&after, &["age", "zip"]), bag(&before, &["age", "zip"]));
    let operator = &answer.annotation["operators"][0];
    assert_eq!(operator["type"], "slice");
    assert_eq!(operator["kept"], serde_json::json!([["age", "salary"]]));
    assert_eq!(operator["lost"], serde_json::json!([]));
    let groups: Vec<Vec<String>> = serde_json::from_value(operator["groups"].clone()).unwrap();
    let with_age = groups.iter().find(|group| group.contains(&"age".to_owned())).unwrap();
    assert!(with_age.contains(&"salary".to_owned()) && !with_age.contains(&"zip".to_owned()), "{groups:?}");
    // Ten people at least share the quasi-identifiers of every group.
    for group in groups.iter().filter(|group| group.len() > 1) {
        let quasi: Vec<&str> = group.iter().map(String::as_str).filter(|name| *name != "salary").collect();
        assert!(bag(&after, &quasi).values().all(|people| *people >= 10), "{quasi:?}");
    }
    assert_eq!(answer.annotation["truthful"], false);
    // Once, and the same again: another draw would let the two be held against each other.
    assert_eq!(ward.answer(ROWS).rows, answer.rows);
    assert!(
        ward.refused("SELECT age, salary, diagnosis FROM patients").message.contains("has rows of the table")
    );
}

#[test]
fn rows_that_are_anonymous_already_leave_unchanged() {
    let table = rows(1_000);
    let ward = Ward::with(&policy(), &table);
    let answer = ward.answer("SELECT age, salary FROM patients");
    assert_eq!(answer.annotation["criteria"][0]["without_change"], true);
    assert_eq!(answer.annotation["operators"][0]["type"], "generalize");
    assert_eq!(answer.annotation["truthful"], true);
    let columns = ["age", "salary"];
    assert_eq!(bag(&shown(&answer), &columns), bag(&existing(&table), &columns));
}

/// Without the analysis, for another purpose, or where the owner does not have slicing among the means, the pairs are not kept.
#[test]
fn without_a_declared_analysis_rows_are_generalized() {
    let table = rows(1_000);
    let generalized = [
        policy().replace("purpose = \"statistics\" }\nregression", "purpose = \"gait-study\" }\nregression"),
        policy().replace("min_people = 10\n", "min_people = 10\noperators = [\"generalize\"]\n"),
        policy().replace("[[\"age\", \"salary\"]]", "[[\"age\", \"diagnosis\"]]"),
        // What slices cannot keep.
        policy().replace(
            "k = 10 }]",
            "k = 10 }, { model = \"t-closeness\", attribute = \"diagnosis\", t = 0.9, distance = \"equal\" }]",
        ),
    ];
    for policy in generalized {
        let answer = Ward::with(&policy, &table).answer(ROWS);
        assert_eq!(answer.annotation["operators"][0]["type"], "generalize", "{policy}");
        let levels: BTreeMap<String, u8> =
            serde_json::from_value(answer.annotation["operators"][0]["levels"].clone()).unwrap();
        assert!(levels.values().any(|level| *level > 0), "labels instead of values");
    }
}

/// An analysis that cannot be kept without giving people away is not: rows are generalized, or withheld where that is no means.
#[test]
fn an_analysis_over_rare_quasi_identifiers_is_not_kept() {
    let table = rows(300);
    let rare = policy().replace("[[\"age\", \"salary\"]]", "[[\"zip\", \"age\"]]");
    let answer = Ward::with(&rare, &table).answer(ROWS);
    assert_eq!(answer.annotation["operators"][0]["type"], "generalize");
    let sliced_only = rare.replace("min_people = 10\n", "min_people = 10\noperators = [\"slice\"]\n");
    let answer = Ward::with(&sliced_only, &table).answer(ROWS);
    assert_eq!(answer.annotation["operators"][0]["type"], "withheld");
    assert!(answer.rows.is_empty());
    // Of two analyses the one that can be kept is, and the other is named.
    let both = policy().replace("[[\"age\", \"salary\"]]", "[[\"age\", \"zip\"], [\"sex\", \"salary\"]]");
    let answer = Ward::with(&both, &rows(1_000)).answer(ROWS);
    let operator = &answer.annotation["operators"][0];
    assert_eq!(operator["kept"], serde_json::json!([["sex", "salary"]]), "{operator}");
    assert_eq!(operator["lost"], serde_json::json!([["age", "zip"]]));
}

/// Different values of a secret that are demanded are there in every group of its quasi-identifiers and in every bucket.
#[test]
fn different_values_are_kept() {
    // A diagnosis that follows from nothing else.
    let mut mixed = String::new();
    for (i, line) in rows(1_000).lines().enumerate() {
        let mut cells: Vec<&str> = line.split(',').collect();
        if i > 0 {
            cells[5] = ["flu", "gout", "hiv"][(i as u32).wrapping_mul(2_654_435_761) as usize / 65_536 % 3];
        }
        mixed.push_str(&format!("{}\n", cells.join(",")));
    }
    let diverse = policy()
        .replace(
            "k = 10 }]",
            "k = 10 }, { model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 }]",
        )
        .replace("[[\"age\", \"salary\"]]", "[[\"sex\", \"diagnosis\"]]");
    let sql = "SELECT age, sex, zip, diagnosis FROM patients";
    let answer = Ward::with(&diverse, &mixed).answer(sql);
    let operator = &answer.annotation["operators"][0];
    assert_eq!(operator["type"], "slice", "{operator}");
    let (before, after) = (existing(&mixed), shown(&answer));
    assert_eq!(bag(&after, &["sex", "diagnosis"]), bag(&before, &["sex", "diagnosis"]));
    let groups: Vec<Vec<String>> = serde_json::from_value(operator["groups"].clone()).unwrap();
    let with = groups.iter().find(|group| group.contains(&"diagnosis".to_owned())).unwrap();
    let quasi: Vec<&str> = with.iter().map(String::as_str).filter(|name| *name != "diagnosis").collect();
    for class in bag(&after, &quasi).keys() {
        let own = after.iter().filter(|row| quasi.iter().zip(class).all(|(name, cell)| row[*name] == *cell));
        let secrets: std::collections::BTreeSet<&String> = own.map(|row| &row["diagnosis"]).collect();
        assert!(secrets.len() >= 2, "{class:?}");
    }
    // Where a diagnosis follows from an age, two groups would tell each other: nothing is sliced.
    let answer = Ward::with(&diverse, &rows(1_000)).answer(sql);
    assert_eq!(answer.annotation["operators"][0]["type"], "generalize");
}

/// Labels of the policy's level stay labels.
#[test]
fn slices_show_labels_where_the_policy_shows_labels() {
    let coarse = policy().replace("columns = [\"age\"]\nshow = true\n", "columns = [\"age\"]\nshow = 1\n");
    let answer = Ward::with(&coarse, &rows(300)).answer("SELECT age, salary, zip, sex FROM patients");
    assert!(!answer.rows.is_empty());
    for row in shown(&answer) {
        assert!(row["age"].parse::<u32>().is_err(), "an age below its level");
    }
}
