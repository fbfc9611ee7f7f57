//! The attack queries: each is refused by name, or harmless. Those about exact answers, rows and the server have nothing to attack yet: neither
//! is answered.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::{AskError, ask};
use std::fs;
use ward::refused::REFUSED;
use ward::{POLICY, Ward, rows};

#[test]
fn attacks_are_refused_by_name_before_anything_is_read() {
    let ward = Ward::new();
    // Without the table, a refusal cannot depend on it.
    fs::remove_file(ward.folder.path().join("patients.csv")).unwrap();
    for (sql, word) in REFUSED {
        let refusal = ward.refused(sql);
        let told = format!("{} {} {:?}", refusal.message, refusal.advice, refusal.rules);
        assert!(told.contains(word), "{sql}: {told}");
        assert!(!told.contains("CANARY") && !told.contains("n17"), "{sql}: {told}");
    }
    assert!(!ward.folder.path().join("state").exists(), "a refusal leaves no trace");
}

#[test]
fn strangers_and_foreign_purposes_are_refused() {
    let ward = Ward::new();
    for (role, purpose) in [("nobody", "statistics"), ("research", "advertising"), ("students", "gait-study")]
    {
        let refused = ask(&ward.policy, role, purpose, "SELECT count(*) FROM patients");
        assert!(matches!(refused, Err(AskError::Refused(_))), "{role} {purpose}");
    }
    // 28: a rule by purpose does not help another purpose.
    let other = ask(
        &ward.policy,
        "research",
        "gait-study",
        "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis",
    );
    assert!(matches!(other, Err(AskError::Refused(_))));
}

#[test]
fn the_same_question_in_other_words_has_the_same_answer_and_costs_once() {
    let ward = Ward::new();
    let first = ward.answer("SELECT count(*) FROM patients WHERE sex = 'f' AND age = '30-39'");
    assert_eq!(ward.paid(), 1);
    for sql in [
        "SELECT count(*) FROM patients WHERE sex = 'f' AND age = '30-39'",
        "select COUNT(*) AS n from Patients p where 'f' = p.sex and p.age in ('30-39') -- again",
        "SELECT count(1) FROM patients WHERE (age = '30-39') AND sex IN ('f', 'f') AND sex IN ('f', 'm')",
    ] {
        let again = ward.answer(sql);
        assert_eq!(again.rows, first.rows, "{sql}");
        assert_eq!(again.annotation["cached"], true);
    }
    assert_eq!(ward.paid(), 1, "one answer, paid once");
    // 12: another recipient of the group, and a new process, which begins with nothing but the folder.
    let colleague = ask(
        &ward.policy,
        "students",
        "statistics",
        "SELECT count(*) FROM patients WHERE age = '30-39' AND sex = 'f'",
    )
    .unwrap();
    assert_eq!((colleague.rows, ward.paid()), (first.rows, 1));
}

#[test]
fn all_questions_of_a_group_together_stay_within_its_budget() {
    let ward = Ward::new();
    // ε = 0.5 each, and 2 in all.
    for decade in ["20-29", "30-39"] {
        ward.answer(&format!("SELECT count(*) FROM patients WHERE age = '{decade}'"));
    }
    for decade in ["40-49", "50-59"] {
        ask(
            &ward.policy,
            "students",
            "statistics",
            &format!("SELECT count(*) FROM patients WHERE age = '{decade}'"),
        )
        .unwrap();
    }
    let refusal = ward.refused("SELECT count(*) FROM patients WHERE age = '60-69'");
    assert!(refusal.message.contains("budget"), "{}", refusal.message);
    assert_eq!(ward.paid(), 4);
    // What was answered stays answered.
    ward.answer("SELECT count(*) FROM patients WHERE age = '20-29'");
}

#[test]
fn refusals_are_the_same_on_neighbouring_tables() {
    let (one, other) = (Ward::new(), Ward::with(POLICY, &rows(999)));
    for (sql, _) in REFUSED {
        assert_eq!(one.refused(sql), other.refused(sql), "{sql}");
    }
}

#[test]
fn bounds_of_sums_are_the_owners_and_groups_without_a_declaration_need_a_delta() {
    let unbounded = Ward::with(&POLICY.replace("salary = { min = 0, max = 20000 }\n", ""), &rows(50));
    assert!(unbounded.refused("SELECT sum(salary) FROM patients").message.contains("declared bounds"));
    let pure = Ward::with(&POLICY.replace(", delta = \"1e-7\"", ""), &rows(50));
    assert!(
        pure.refused("SELECT age, count(*) FROM patients GROUP BY age")
            .message
            .contains("not declared in advance")
    );
    let silent =
        Ward::with(&POLICY.replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", ""), &rows(50));
    assert!(
        silent.refused("SELECT sex, count(*) FROM patients GROUP BY sex").message.contains("how much noise")
    );
}

/// The largest statements that are read are walked by recursion; threads of servers and tests have little room for that.
#[test]
fn large_statements_are_read_with_little_room_or_refused() {
    let ward = Ward::new();
    let many = format!("SELECT count(*) FROM patients WHERE sex = 'f'{}", " AND sex = 'f'".repeat(950));
    let one = ward.answer("SELECT count(*) FROM patients WHERE sex = 'f'");
    assert_eq!(ward.answer(&many).rows, one.rows, "the same question");
    for sql in [
        format!("SELECT 1{} FROM patients", " + 1".repeat(1_900)),
        format!("SELECT 1{} FROM patients", " + 1".repeat(9_000)),
        format!("SELECT count(*) FROM patients{}", " UNION SELECT 1".repeat(600)),
        format!("SELECT {}5 5", "ARRAY[".repeat(40)),
        format!("SELECT {}5 5", "NOT (".repeat(40)),
        format!("SELECT {}true FROM patients", "NOT ".repeat(1_900)),
    ] {
        ward.refused(&sql);
    }
}
