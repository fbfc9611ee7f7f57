//! What is answered, and what an answer says about itself.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::state::{State, look};
use paravent_processor::{AskError, ask_watched};
use paravent_tables::read::digest;
use paravent_tables::watch::{Phase, Watch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicU32, Ordering};
use ward::{POLICY, Ward, rows};

/// So far from the truth that noise of scale 2 does not get there.
const FAR: f64 = 200.0;

/// A policy whose noise is small enough to see the truth through it.
fn precise() -> String {
    let loud = POLICY
        .replace("epsilon = \"0.5\"", "epsilon = \"40\"")
        .replace("epsilon = \"0.25\"", "epsilon = \"20\"");
    loud.replace("epsilon = \"2\"", "epsilon = \"400\"")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

#[test]
fn figures_are_close_to_the_truth_of_the_rows_that_exist() {
    let ward = Ward::with(&precise(), &rows(1_000));
    let count = ward.answer("SELECT count(*) AS n FROM patients");
    assert_eq!(count.columns, ["n"]);
    // Every tenth row is hidden by the policy; noise of scale 1/40 is below 5 but for e^-200.
    assert!((number(&count.rows[0][0]) - 900.0).abs() < 5.0, "the condition of the policy holds");
    let by_sex = ward.answer("SELECT count(*), sex FROM patients GROUP BY sex");
    assert_eq!(by_sex.columns, ["count", "sex"]);
    let sexes: BTreeSet<&str> = by_sex.rows.iter().map(|row| row[1].as_str().unwrap()).collect();
    assert_eq!(sexes, BTreeSet::from(["f", "m"]));
    let total: f64 = by_sex.rows.iter().map(|row| number(&row[0])).sum();
    assert!((total - 900.0).abs() < 10.0, "{total}");
    let mean = ward.answer("SELECT avg(salary), sum(salary) FROM patients");
    assert!(
        (number(&mean.rows[0][0]) - 1_250.0).abs() < FAR
            && (number(&mean.rows[0][1]) - 1_125_000.0).abs() < 100_000.0
    );
}

/// Asks to stop.
struct Stops;

impl Watch for Stops {
    fn stop(&self) -> bool {
        true
    }
}

#[test]
fn a_question_that_is_stopped_is_neither_paid_nor_kept() {
    let ward = Ward::new();
    let question = "SELECT count(*) FROM patients";
    let stopped = ask_watched(&ward.policy, "research", "statistics", question, &Stops);
    assert!(matches!(stopped, Err(AskError::Stopped)));
    let kept = |ward: &Ward| look(&ward.policy.state_folder()).unwrap().unwrap_or_default();
    assert_eq!((ward.paid(), kept(&ward).answers), (0, 0));
    ward.answer(question);
    assert_eq!((ward.paid(), kept(&ward).answers), (1, 1));
    // An earlier answer is not stopped: it reads nothing and costs nothing.
    let again = ask_watched(&ward.policy, "research", "statistics", question, &Stops).unwrap();
    assert_eq!(again.annotation["cached"], true);
}

#[test]
fn labels_leave_and_values_do_not() {
    let ward = Ward::with(&precise(), &rows(1_000));
    let answer = ward.answer("SELECT age, count(*) FROM patients GROUP BY age");
    assert!(answer.rows.len() >= 6, "{}", answer.rows.len());
    for row in &answer.rows {
        let label = row[0].as_str().unwrap();
        assert!(label.contains('-') || label.contains('–') || label.contains('['), "{label} is no interval");
    }
    // A value is compared with labels, never with cells: nobody has it.
    let raw = ward.answer("SELECT count(*) FROM patients WHERE age = 34");
    assert!(number(&raw.rows[0][0]).abs() < 5.0);
    let rows = ward.answer("SELECT sex, age FROM patients");
    assert_eq!(
        (rows.columns.as_slice(), rows.annotation["adaptations"][0]["kind"].as_str()),
        (&["sex".to_owned(), "age".into(), "count".into()][..], Some("histogram"))
    );
}

#[test]
fn an_answer_says_what_was_done_and_the_state_stays_private() {
    let ward = Ward::new();
    let answer = ward.answer("SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis");
    let annotation = &answer.annotation;
    let rules: Vec<&str> = annotation["policy"]["rules_used"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule.as_str().unwrap())
        .collect();
    assert_eq!(rules, ["diagnosis", "rows"]);
    assert_eq!(annotation["criteria"][0]["required"]["epsilon"], "0.25", "the smaller of two rules");
    assert_eq!(annotation["policy"]["version"].as_str(), Some(ward.policy.version().as_str()));
    assert_eq!(annotation["cached"], false);
    let kinds: Vec<&str> = annotation["adaptations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert!(
        kinds.contains(&"selection") && kinds.contains(&"noisy-aggregate") && kinds.contains(&"withheld"),
        "{kinds:?}"
    );
    let state = ward.folder.path().join("state");
    assert_eq!(fs::metadata(&state).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(fs::metadata(state.join("key")).unwrap().permissions().mode() & 0o077 == 0);
    assert!(!annotation.to_string().contains("CANARY") && !annotation.to_string().contains("psychiatry"));
}

#[test]
fn groups_are_withheld_below_the_demand() {
    // 30 people of one sex, 3 of the other: noise of scale 1/40.
    let mut table = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for i in 0..33 {
        let sex = if i < 3 { "m" } else { "f" };
        table.push_str(&format!("p{i},CANARY{i},30,{sex},10000,flu,1000,medicine,2026-01-01\n"));
    }
    let ward = Ward::with(&precise(), &table);
    let answer = ward.answer("SELECT sex, count(*) FROM patients GROUP BY sex");
    assert_eq!(answer.rows.len(), 1);
    assert_eq!(answer.rows[0][0], "f");
}

#[test]
fn people_count_once_however_many_rows_they_have() {
    let mut table = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for i in 0..1_000 {
        table.push_str(&format!("p{},CANARY{i},30,f,10000,flu,1000,medicine,2026-01-01\n", i % 20));
    }
    let ward = Ward::with(&precise(), &table);
    let answer = ward.answer("SELECT count(*) FROM patients");
    assert!((number(&answer.rows[0][0]) - 20.0).abs() < 5.0, "20 people, 1,000 rows");
}

#[test]
fn people_who_want_less_are_left_out_of_what_goes_against_them() {
    let claims = format!(
        "{}\n[[subjects]]\nperson = \"p1\"\nrules = [{{ columns = [\"sex\"], deny = true }}]\n",
        precise()
    );
    let mut table = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for i in 0..40 {
        // Of one person there are many rows, so that it shows.
        table.push_str(&format!(
            "p{},CANARY{i},30,f,10000,flu,1000,medicine,2026-01-01\n",
            if i < 20 { 1 } else { i }
        ));
    }
    let ward = Ward::with(
        &claims
            .replace("contribution = 1\n", "contribution = 100\n")
            .replace("\"40\"", "\"4000\"")
            .replace("\"400\"", "\"40000\""),
        &table,
    );
    let all = ward.answer("SELECT count(*) FROM patients");
    let by_sex = ward.answer("SELECT count(*) FROM patients WHERE sex = 'f'");
    assert!((number(&all.rows[0][0]) - 40.0).abs() < 5.0 && (number(&by_sex.rows[0][0]) - 20.0).abs() < 5.0);
    assert!(by_sex.annotation.to_string().contains("left-out"));
}

/// A count of a label tells the label, whether it stands in GROUP BY or in WHERE.
#[test]
fn what_a_person_says_of_cells_holds_for_groups_and_conditions() {
    let claim = |person: &str, conflict: &str| {
        let own = format!(
            "[[subjects]]\nperson = \"{person}\"\nrules = [{{ columns = [\"age\"], show = 2 }}]\nconflict = \"{conflict}\"\n"
        );
        Ward::with(&format!("{}\n{own}", precise()), &rows(400))
    };
    let told = |ward: &Ward, sql: &str| ward.answer(sql).annotation["adaptations"].to_string();
    let ward = claim("p1", "leave-out");
    for sql in [
        "SELECT age, count(*) FROM patients GROUP BY age",
        "SELECT count(*) FROM patients WHERE age = '20-29'",
        "SELECT sex, count(*) FROM patients WHERE age IN ('20-29', '30-39') GROUP BY sex",
    ] {
        assert!(told(&ward, sql).contains("left-out"), "{sql}");
    }
    assert!(!told(&ward, "SELECT sex, count(*) FROM patients GROUP BY sex").contains("left-out"));
    let all = claim("p1", "strictest");
    for row in all.answer("SELECT age, count(*) FROM patients GROUP BY age").rows {
        assert!(["20-39", "40-59", "60-79"].contains(&row[0].as_str().unwrap()), "{row:?}");
    }
    let count = all.answer("SELECT count(*) FROM patients WHERE age = '20-29'");
    assert!(number(&count.rows[0][0]) < 5.0, "no label of the second level");
}

#[test]
fn changed_data_or_another_policy_is_another_question() {
    let ward = Ward::new();
    ward.answer("SELECT count(*) FROM patients");
    fs::write(ward.folder.path().join("patients.csv"), rows(1_001)).unwrap();
    let again = ward.answer("SELECT count(*) FROM patients");
    assert_eq!((again.annotation["cached"].as_bool(), ward.paid()), (Some(false), 2));
}

#[test]
fn so_many_answers_a_day_and_no_more() {
    let ward = Ward::with(
        &POLICY.replace("group = \"university\"\n", "group = \"university\"\nanswers = { per_day = 1 }\n"),
        &rows(100),
    );
    ward.answer("SELECT count(*) FROM patients");
    assert!(ward.refused("SELECT count(*) FROM patients WHERE sex = 'f'").message.contains("answers a day"));
    ward.answer("SELECT count(*) FROM patients");
}

#[test]
fn people_who_did_not_agree_are_not_there_and_answers_with_noise_follow_at_once() {
    let policy = format!("{}\n[consent]\ntable = \"consents.csv\"\nbatch = 3\n", precise());
    let ward = Ward::with(&policy, &rows(1_000));
    let agree = |people: &dyn Fn(usize) -> bool| {
        let mut text = String::from("person,purpose,from,until\n");
        (0..1_000)
            .filter(|i| people(*i))
            .for_each(|i| text.push_str(&format!("p{i},statistics,2020-01-01,\n")));
        // Another purpose, too early, too late, and no date at all.
        text.push_str("p901,gait-study,,\np902,statistics,2999-01-01,\np903,statistics,2020-01-01,2020-12-31\np904,statistics,soon,\n");
        fs::write(ward.folder.path().join("consents.csv"), text).unwrap();
    };
    let count = || number(&ward.answer("SELECT count(*) FROM patients").rows[0][0]);
    agree(&|i| i < 500);
    assert!((count() - 450.0).abs() < 5.0, "500 agreed, every tenth is hidden by the policy");
    let paid = ward.paid();
    count();
    assert_eq!(ward.paid(), paid, "the same people, the same answer");
    agree(&|i| i < 500 && i != 1);
    count();
    assert_eq!(ward.paid(), paid + 1, "noise covers a single withdrawal, so it does not wait for others");
    agree(&|i| i < 400);
    assert!((count() - 360.0).abs() < 5.0);
    assert!(ward.answer("SELECT count(*) FROM patients").annotation.to_string().contains("consent"));
    fs::remove_file(ward.folder.path().join("consents.csv")).unwrap();
    assert!(
        ward.ask("SELECT count(*) FROM patients").is_err(),
        "without the file nobody agreed, and nothing is answered"
    );
}

/// An answer that a state has kept since before joins is found again under its old name.
#[test]
fn answers_that_were_kept_by_earlier_versions_are_found_again() {
    let forms = [
        (
            POLICY.to_owned(),
            "SELECT sex, count(*), sum(salary) FROM patients WHERE zip = '10***' GROUP BY sex",
            r#"[null,"patients",{"zip":["10***"]},{"zip":3},{"sex":0},["count","sum_salary"]]"#,
        ),
        (
            POLICY
                .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
                .replace("columns = [\"sex\"]\n", "columns = [\"sex\"]\nshow = true\n")
                .replace(
                    "min_people = 10\n",
                    "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 10 }]\n",
                ),
            "SELECT sex FROM patients",
            r#"["rows","patients",{},{},{"sex":0},[]]"#,
        ),
    ];
    for (policy, sql, form) in forms {
        let ward = Ward::with(&policy, &rows(300));
        ward.answer(sql);
        let state = State::open(&ward.policy.state_folder()).unwrap();
        let data = digest(ward.folder.path().join("patients.csv")).unwrap();
        let agreement = state.name(&["agreed", "None"]);
        let name = state.name(&[form, &data, &ward.policy.version(), "university", &agreement]);
        assert!(state.earlier(&name).unwrap().is_some(), "{sql}");
    }
}

/// Nobody who cannot pay makes the table be read.
#[test]
fn the_budget_is_looked_at_before_the_table() {
    struct Reads(AtomicU32);
    impl Watch for Reads {
        fn begin(&self, _: Phase) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let poor =
        POLICY.replace("budget = { epsilon = \"2\", delta = \"1e-6\" }", "budget = { epsilon = \"0.6\" }");
    let ward = Ward::with(&poor, &rows(300));
    let reads = Reads(AtomicU32::new(0));
    let ask = |sql: &str| ask_watched(&ward.policy, "research", "statistics", sql, &reads);
    assert!(ask("SELECT count(*) FROM patients").is_ok() && reads.0.load(Ordering::Relaxed) > 0);
    let before = reads.0.load(Ordering::Relaxed);
    let refused = ask("SELECT count(*) FROM patients WHERE sex = 'f'");
    assert!(matches!(refused, Err(AskError::Refused(_))), "{refused:?}");
    assert_eq!((reads.0.load(Ordering::Relaxed), ward.paid()), (before, 1));
}
