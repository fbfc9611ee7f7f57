//! Parameters take their places in the syntax tree: no text of theirs is ever read as SQL.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::question::Question;
use paravent_processor::{Asked, answer, shape};
use std::collections::BTreeSet;
use ward::Ward;

#[test]
fn a_parameter_is_the_same_constant_whatever_is_in_it() {
    let sql = "SELECT count(*) FROM patients WHERE sex = $1 AND age IN ($2, '30-39')";
    for nasty in [
        "f",
        "",
        "f' OR '1'='1",
        "\\' OR 1=1 --",
        "''",
        "f''",
        "$2",
        "'; DROP TABLE patients; --",
        "\u{1F600}",
    ] {
        let question = Question::bound(sql, &[Some(nasty.to_owned()), Some("20-29".to_owned())]).unwrap();
        assert_eq!(question.conditions["sex"], BTreeSet::from([nasty.to_owned()]), "{nasty}");
        assert_eq!(question.conditions["age"].len(), 2);
        assert_eq!(question.conditions.len(), 2, "{nasty}");
    }
    // Where there is no value, there is no answer.
    assert!(Question::bound(sql, &[None, Some("20-29".to_owned())]).is_err());
    assert!(Question::bound(sql, &[Some("f".to_owned())]).is_err());
    assert!(Question::bound(sql, &[]).is_err());
}

#[test]
fn what_a_driver_says_of_types_changes_nothing() {
    let read = |sql: &str| Question::bound(sql, &[Some("34".to_owned())]).unwrap().conditions;
    let plain = read("SELECT count(*) FROM patients WHERE age = $1");
    for sql in [
        "SELECT count(*) FROM patients WHERE age = $1::VARCHAR",
        "SELECT count(*) FROM public.patients WHERE age = CAST($1 AS TEXT)",
        "SELECT count(*) FROM patients WHERE age = $1::INTEGER",
    ] {
        assert_eq!(read(sql), plain, "{sql}");
    }
    // A column is no constant, and a text is no number.
    for sql in [
        "SELECT count(*) FROM patients WHERE age::TEXT = $1",
        "SELECT count(*) FROM patients WHERE age = 'x'::INTEGER",
    ] {
        assert!(Question::bound(sql, &[Some("34".to_owned())]).is_err(), "{sql}");
    }
}

#[test]
fn parameters_and_constants_are_one_question_and_shapes_cost_nothing() {
    let ward = Ward::new();
    let first = ward.answer("SELECT count(*) AS n FROM patients WHERE sex = 'f'");
    let parameters = [Some("f".to_owned())];
    let sql = "SELECT count(*) FROM patients WHERE sex = $1";
    let asked = Asked { role: "students", purpose: "statistics", sql, parameters: &parameters, bounds: None };
    assert_eq!(answer(&ward.policy, &asked).unwrap().rows, first.rows);
    assert_eq!(ward.paid(), 1);
    let shape = shape(
        &ward.policy,
        &Asked { sql: "SELECT sex, count(*), avg(salary) FROM patients GROUP BY sex", ..asked },
    );
    let names: Vec<String> = shape.unwrap().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        (names.as_slice(), ward.paid()),
        (["sex", "count", "mean_salary"].map(str::to_owned).as_slice(), 1)
    );
}
