//! Joins along the links of a policy: right figures, people bounded, every column under its own rules, everything else refused.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::{AskError, Asked, Bounds, answer, ask, explain};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use ward::joined::{policy_text, visits, ward};
use ward::{POLICY, Ward, rows};

/// Nearly no noise, so that figures can be held against the plain ones.
fn loud() -> String {
    policy_text()
        .replace("epsilon = \"2\"", "epsilon = \"100000\"")
        .replace("epsilon = \"0.5\", delta = \"1e-7\"", "epsilon = \"2000\", delta = \"1e-7\"")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// Rows of a table by their cells.
fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The joined rows as the recipient may know them, worked out row by row: patients outside psychiatry, and visits that are not secret.
fn joined(visits: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let patients = cells(&rows(1_000));
    let mut all = Vec::new();
    for visit in cells(visits) {
        for patient in &patients {
            if patient[0] == visit[0] && patient[7] != "psychiatry" && visit[4] != "secret" {
                all.push((patient.clone(), visit.clone()));
            }
        }
    }
    all
}

const BY_SEX: &str = "SELECT p.sex, count(*), avg(v.gait) AS gait FROM visits v JOIN patients p ON v.patient = p.id GROUP BY p.sex";

#[test]
fn figures_of_a_join_are_those_of_the_joined_rows() {
    let table = visits(1_000);
    let house = ward(&loud(), &table);
    let answer = house.answer(BY_SEX);
    assert_eq!(answer.columns, ["sex", "count", "gait"]);
    let mut expected: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for (patient, visit) in joined(&table) {
        let entry = expected.entry(patient[3].clone()).or_default();
        entry.0 += 1.0;
        entry.1 += visit[3].parse::<f64>().unwrap();
    }
    assert_eq!(answer.rows.len(), expected.len());
    for row in &answer.rows {
        let (count, sum) = expected[row[0].as_str().unwrap()];
        assert!((number(&row[1]) - count).abs() < 3.0, "{row:?}, {count}");
        assert!((number(&row[2]) - sum / count).abs() < 1.0, "{row:?}, {}", sum / count);
    }
    let tables = answer.annotation["data"]["tables"].as_array().unwrap().len();
    assert_eq!((tables, &answer.annotation["criteria"][0]["contribution"]), (2, &serde_json::json!(3)));
    // Conditions and groups of both tables, columns of one name in both, other words for the join.
    let both = house.answer(
        "SELECT patients.age, visits.age AS then, count(*) FROM patients INNER JOIN visits ON (patients.id = visits.patient) \
         WHERE visits.unit = 'a' AND patients.sex IN ('f') GROUP BY patients.age, visits.age",
    );
    assert_eq!(both.columns, ["age", "then", "count"]);
    let total: f64 = both.rows.iter().map(|row| number(&row[2])).sum();
    let all = joined(&table).into_iter().filter(|(patient, visit)| patient[3] == "f" && visit[1] == "a");
    assert!((total - all.count() as f64).abs() < 12.0, "{total}");
    assert!(both.rows.iter().all(|row| row[0].as_str().unwrap().contains('-')), "labels only");
}

#[test]
fn a_person_counts_as_often_as_the_contributions_allow_and_no_more() {
    // One person has a thousand visits, and everybody else none.
    let mut many = String::from("patient,unit,age,gait,note\n");
    for _ in 0..1_000 {
        many.push_str("p1,a,21,100,plain\n");
    }
    let house = ward(&loud(), &many);
    let count =
        number(&house.answer("SELECT count(*) FROM patients p JOIN visits v ON p.id = v.patient").rows[0][0]);
    assert!((count - 3.0).abs() < 1.5, "{count}");
    // Of three tables: 1 · 2 · 3 rows at most. Both linked tables have the thousand rows, and they are joined without the table between them.
    let noisy = "\n[[rules]]\nid = \"meal-rows\"\ntable = \"meals\"\nnoise = { epsilon = \"2000\" }\n";
    let house = ward(&format!("{}{noisy}", loud()), &many);
    let both = "SELECT count(*) FROM visits v JOIN meals m ON v.patient = m.patient WHERE m.unit = 'a'";
    let count = number(&house.answer(both).rows[0][0]);
    assert!((count - 6.0).abs() < 1.5, "{count}");
}

/// One person with tens of thousands of rows in each of two tables: their product would take all time and memory there is.
#[test]
fn a_join_takes_no_more_of_a_person_than_what_counts() {
    let mut many = String::from("patient,unit,age,gait,note\n");
    // Rows that a condition of the policy or of the question leaves out do not push others out.
    many.push_str(&"p1,a,21,100,secret\n".repeat(10));
    many.push_str(&"p1,b,21,100,plain\n".repeat(10));
    many.push_str(&"p1,a,21,100,plain\n".repeat(40_000));
    many.push_str(&",a,21,100,plain\n".repeat(10));
    let noisy = "\n[[rules]]\nid = \"meal-rows\"\ntable = \"meals\"\nnoise = { epsilon = \"2000\" }\n";
    let house = ward(&format!("{}{noisy}", loud()), &many);
    let sql = "SELECT count(*) FROM visits v JOIN meals m ON v.patient = m.patient WHERE m.unit = 'a' AND v.unit = 'a'";
    let bounds = Some(Bounds { seconds: 20, mebibytes: 64 });
    let asked = Asked { role: "research", purpose: "statistics", sql, parameters: &[], bounds };
    let count = number(&answer(&house.policy, &asked).unwrap().rows[0][0]);
    assert!((count - 6.0).abs() < 1.5, "{count}");
}

#[test]
fn tables_are_joined_with_each_other_in_any_order_for_the_same_answer() {
    let house = Ward { ..ward(&policy_text(), &visits(200)) };
    let first = house
        .answer("SELECT v.unit, count(*) FROM visits v JOIN patients p ON v.patient = p.id GROUP BY v.unit");
    let again = house.answer(
        "SELECT x.unit, count(*) FROM patients JOIN visits x ON patients.id = x.patient AND x.patient = patients.id GROUP BY x.unit",
    );
    assert_eq!((again.rows, &again.annotation["cached"]), (first.rows, &Value::Bool(true)));
    assert_eq!(house.paid(), 1);
}

/// Attacks over joins, and a word of their refusal.
const REFUSED: &[(&str, &str)] = &[
    // rows that would belong to several people
    ("SELECT count(*) FROM patients p JOIN patients q ON p.id = q.id", "joined with itself"),
    ("SELECT count(*) FROM visits v JOIN visits w ON v.patient = w.patient", "joined with itself"),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id JOIN visits w ON w.patient = p.id",
        "joined with itself",
    ),
    ("SELECT count(*) FROM visits v JOIN patients p ON v.unit = p.sex", "no link of the policy"),
    ("SELECT count(*) FROM visits v JOIN patients p ON v.age = p.age", "visits.patient = patients.id"),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id AND v.age = p.age",
        "no link of the policy",
    ),
    ("SELECT count(*) FROM visits v JOIN staff s ON v.patient = s.patient", "different people"),
    ("SELECT count(*) FROM visits v JOIN calendar c ON v.age = c.day", "a table about nobody"),
    ("SELECT count(*) FROM visits CROSS JOIN patients", "only JOIN and INNER JOIN"),
    ("SELECT count(*) FROM visits JOIN patients ON 1 = 1", "and nothing else"),
    ("SELECT count(*) FROM visits JOIN patients", "does not say which rows"),
    ("SELECT count(*) FROM visits NATURAL JOIN patients", "does not say which rows"),
    ("SELECT count(*) FROM visits, patients WHERE visits.patient = patients.id", "a list of tables"),
    ("SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id OR 1 = 1", "and nothing else"),
    ("SELECT count(*) FROM visits v JOIN patients p ON v.patient <> p.id", "and nothing else"),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = v.patient",
        "not joined on the whole person",
    ),
    ("SELECT count(*) FROM visits v JOIN patients p USING (age)", "no link of the policy"),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id JOIN meals m ON v.patient = p.id",
        "whole person",
    ),
    // one person
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id AND p.id = 'p17'",
        "and nothing else",
    ),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id WHERE p.id = 'p17'",
        "conditions on patients.id",
    ),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id WHERE v.patient = 'p17'",
        "visits.patient",
    ),
    (
        "SELECT v.patient, count(*) FROM visits v JOIN patients p ON v.patient = p.id GROUP BY v.patient",
        "groups by visits.patient",
    ),
    ("SELECT count(*) FROM visits v JOIN (VALUES ('p17')) p(id) ON v.patient = p.id", "anything but a table"),
    (
        "SELECT count(*) FROM visits v JOIN (SELECT id FROM patients WHERE name = 'n17') p ON v.patient = p.id",
        "anything but a table",
    ),
    ("SELECT count(*) FROM visits v JOIN LATERAL (SELECT 1) l ON true", "anything but a table"),
    // who has no row
    ("SELECT count(*) FROM patients p LEFT JOIN visits v ON v.patient = p.id", "who has no row"),
    ("SELECT count(*) FROM patients p FULL JOIN visits v ON v.patient = p.id", "who has no row"),
    ("SELECT count(*) FROM patients p LEFT ANTI JOIN visits v ON v.patient = p.id", "who has no row"),
    // each column under its own rules
    ("SELECT p.name, count(*) FROM visits v JOIN patients p ON v.patient = p.id GROUP BY p.name", "no-names"),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id WHERE v.note = 'x'",
        "conditions on visits.note: no rule",
    ),
    (
        "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id WHERE v.age = '20-39'",
        "conditions on visits.age",
    ),
    ("SELECT sum(p.gait) FROM visits v JOIN patients p ON v.patient = p.id", "sum of patients.gait: no rule"),
    (
        "SELECT sum(v.salary) FROM visits v JOIN patients p ON v.patient = p.id",
        "sum of visits.salary: no rule",
    ),
    ("SELECT max(v.gait) FROM visits v JOIN patients p ON v.patient = p.id", "expression of this kind"),
    ("SELECT * FROM visits v JOIN patients p ON v.patient = p.id", "* is refused"),
    ("SELECT v.* FROM visits v JOIN patients p ON v.patient = p.id", "* is refused"),
    ("SELECT sex, count(*) FROM visits v JOIN patients p ON v.patient = p.id GROUP BY sex", "of which table"),
    // a table that nothing is asked of is counted, too
    (
        "SELECT p.sex, count(*) FROM meals m JOIN patients p ON m.patient = p.id GROUP BY p.sex",
        "rows of the table meals",
    ),
    ("SELECT sum(p.salary) FROM meals m JOIN patients p ON m.patient = p.id", "rows of the table meals"),
];

#[test]
fn attacks_over_joins_are_refused_by_name_before_anything_is_read() {
    let (house, other) = (ward(&policy_text(), &visits(200)), ward(&policy_text(), &visits(199)));
    for file in ["patients.csv", "visits.csv"] {
        fs::remove_file(house.folder.path().join(file)).unwrap();
    }
    for (sql, word) in REFUSED {
        let refusal = house.refused(sql);
        let told = format!("{} {} {:?}", refusal.message, refusal.advice, refusal.rules);
        assert!(told.contains(word), "{sql}: {told}");
        assert!(!told.contains("p17") && !told.contains("n17"), "{sql}: {told}");
        assert_eq!(other.refused(sql), refusal, "neighbouring tables: {sql}");
    }
    assert!(!house.folder.path().join("state").exists(), "a refusal leaves no trace");
}

/// The strictest of both tables holds: noise, people per group, denied tables.
#[test]
fn the_rules_of_both_tables_hold_together() {
    let table = visits(300);
    let stricter = loud().replace(
        "where = \"note <> 'secret'\"\n",
        "where = \"note <> 'secret'\"\nnoise = { epsilon = \"7\", delta = \"1e-8\" }\n",
    );
    let told = explain(&ward(&stricter, &table).policy, "research", "statistics", BY_SEX).unwrap();
    assert_eq!(told.epsilon, "7");
    assert!(
        ["rows", "visit-rows", "sex", "gait"].iter().all(|rule| told.rules.contains(*rule)),
        "{:?}",
        told.rules
    );
    assert!(told.reads.contains(&"visits.patient".to_owned()), "{:?}", told.reads);
    let closed = format!("{}\n[[rules]]\nid = \"closed\"\ntable = \"visits\"\ndeny = true\n", policy_text());
    assert!(ward(&closed, &table).refused(BY_SEX).message.contains("nothing of the table visits"));
    // 10 people per group by the demand on patients, whatever that on visits says: ten patients, none of them in both groups.
    let few = format!("{}\n[[demands]]\ntable = \"visits\"\nmin_people = 2000\n", loud());
    assert!(ward(&few, &table).answer(BY_SEX).rows.is_empty());
    // Whoever made no claim on either table is there; whoever did on one is in neither.
    let claimed = format!(
        "{}\n[[subjects]]\nperson = \"p1\"\nrules = [{{ columns = [\"gait\"], deny = true }}]\n",
        loud()
    );
    let one = "patient,unit,age,gait,note\np1,a,21,100,plain\np1,b,21,100,plain\n";
    let count = |policy: &str, sql: &str| number(&ward(policy, one).answer(sql).rows[0][0]);
    let gait = "SELECT sum(v.gait) FROM visits v JOIN patients p ON p.id = v.patient";
    assert!((count(&loud(), gait) - 200.0).abs() < 5.0);
    assert!(count(&claimed, gait).abs() < 5.0);
    assert!(
        (count(&claimed, "SELECT count(*) FROM visits v JOIN patients p ON p.id = v.patient") - 2.0).abs()
            < 1.5
    );
}

#[test]
fn exact_figures_and_rows_over_joins_are_refused_by_name() {
    let trusting = policy_text()
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n")
        .replace("columns = [\"sex\"]\n", "columns = [\"sex\"]\nshow = true\n");
    let house = ward(&trusting, &visits(200));
    for sql in [BY_SEX, "SELECT p.sex FROM visits v JOIN patients p ON v.patient = p.id"] {
        assert!(house.refused(sql).message.contains("exact figures over a join"), "{sql}");
    }
    house.answer("SELECT sex, count(*) FROM patients GROUP BY sex");
}

#[test]
fn withdrawn_consent_counts_in_every_table_of_a_join() {
    let policy = format!("{}\n[consent]\ntable = \"consents.csv\"\n", loud());
    let house = ward(&policy, &visits(1_000));
    let consents: String = (0..500).map(|i| format!("p{i},statistics,,\n")).collect();
    fs::write(house.folder.path().join("consents.csv"), format!("person,purpose,from,until\n{consents}"))
        .unwrap();
    let sql = "SELECT count(*) FROM visits v JOIN patients p ON v.patient = p.id";
    let agreed = joined(&visits(1_000))
        .into_iter()
        .filter(|(patient, _)| patient[0][1..].parse::<u32>().unwrap() < 500)
        .count();
    let count = number(&house.answer(sql).rows[0][0]);
    assert!((count - agreed as f64).abs() < 3.0, "{count}, {agreed}");
}

/// Two columns that lead to one key are two people in a row.
#[test]
fn a_policy_whose_rows_are_linked_to_two_people_is_none() {
    let twice = policy_text().replacen(
        "links = { patient = \"patients.id\" }",
        "links = { patient = \"patients.id\", doctor = \"patients.id\" }",
        1,
    );
    let problems = paravent_policy::Policy::parse(&twice, "policy.toml".as_ref()).unwrap_err().to_string();
    assert!(problems.contains("two columns lead to"), "{problems}");
}

#[test]
fn a_table_that_is_missing_is_an_error_and_not_an_answer() {
    let house = ward(&policy_text(), &visits(100));
    fs::remove_file(house.folder.path().join("visits.csv")).unwrap();
    assert!(!matches!(
        ask(&house.policy, "research", "statistics", BY_SEX),
        Ok(_) | Err(AskError::Refused(_))
    ));
    assert_eq!(house.paid(), 0, "nothing was paid for");
    let alone = Ward::with(POLICY, &rows(50));
    alone.refused("SELECT count(*) FROM patients p JOIN visits v ON v.patient = p.id");
}
