//! Random statements of every family under random policies, asked of two tables that differ by one person: the same refusal in the same words, or
//! an answer to both. No other error, and no cell of a column that is not allowed.
//!
//! `PARAVENT_RANDOM=10000 cargo test -p paravent-processor --test policy_random_statements` tries more.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::{Answered, AskError, Asked, answer, explain};
use serde_json::Value;
use std::fs;
use ward::Ward;
use ward::dice::{Dice, rounds};
use ward::random::{COLUMNS, Right, policy, table};

const FUNCTIONS: [&str; 16] = [
    "upper",
    "length",
    "md5",
    "exp",
    "sqrt",
    "abs",
    "max",
    "min",
    "array_agg",
    "stddev",
    "median",
    "ascii",
    "first_value",
    "to_char",
    "date_trunc",
    "pg_sleep",
];

fn column(dice: &mut Dice) -> String {
    let column = dice.of(&COLUMNS);
    match dice.below(6) {
        0 => format!("patients.{column}"),
        1 => format!("\"{column}\""),
        _ => column.to_owned(),
    }
}

fn constant(dice: &mut Dice) -> &'static str {
    dice.of(&[
        "'CANARY7'",
        "'CANARY-ID7'",
        "'f'",
        "'flu'",
        "34",
        "'30-39'",
        "'54321'",
        "NULL",
        "true",
        "$1",
        "-1",
        "1e308",
    ])
}

fn expression(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || dice.below(3) == 0 {
        return if dice.below(3) == 0 { constant(dice).to_owned() } else { column(dice) };
    }
    let (one, other) = (expression(dice, depth - 1), expression(dice, depth - 1));
    match dice.below(13) {
        0 => format!("{}({one})", dice.of(&FUNCTIONS)),
        1 => format!("CAST({one} AS {})", dice.of(&["INT", "TEXT", "DATE", "BOOLEAN", "DECIMAL(3, 1)"])),
        2 => format!("{one}::{}", dice.of(&["int", "text", "varchar", "bytea"])),
        3 => format!("CASE WHEN {} THEN {one} ELSE 1/0 END", condition(dice, depth - 1)),
        4 => format!("({})", query(dice, depth - 1)),
        5 => format!("sum({one}) OVER (PARTITION BY {other} ORDER BY {one})"),
        6 => format!("row_number() OVER (ORDER BY {one})"),
        7 => format!("({one} {} {other})", dice.of(&["+", "-", "*", "/", "%", "||", "^"])),
        8 => format!("{}(DISTINCT {one})", dice.of(&["count", "sum", "string_agg", "avg"])),
        9 => format!("{}({one}) FILTER (WHERE {})", dice.of(&["count", "avg"]), condition(dice, depth - 1)),
        10 => format!("coalesce({one}, {other})"),
        11 => format!("ARRAY[{one}, {other}]"),
        _ => format!("EXTRACT(YEAR FROM {one})"),
    }
}

fn condition(dice: &mut Dice, depth: usize) -> String {
    let (one, other) = (expression(dice, depth), expression(dice, depth));
    match dice.below(if depth == 0 { 8 } else { 15 }) {
        0 | 1 => format!("{} = {}", column(dice), constant(dice)),
        2 => format!("{} IN ({}, {})", column(dice), constant(dice), constant(dice)),
        3 => format!("{one} {} {other}", dice.of(&["=", "<", ">=", "<>", "~", "LIKE", "IS DISTINCT FROM"])),
        4 => format!("{one} IS {}NULL", dice.of(&["", "NOT "])),
        5 => format!("{one} BETWEEN {other} AND {}", constant(dice)),
        6 => format!("{} NOT IN ({other})", column(dice)),
        7 => dice.of(&["true", "1 = 1", "false"]).to_owned(),
        8 => format!("NOT ({})", condition(dice, depth - 1)),
        9 => format!("({} OR {})", condition(dice, depth - 1), condition(dice, depth - 1)),
        10 | 11 => format!("({} AND {})", condition(dice, depth - 1), condition(dice, depth - 1)),
        12 => format!("EXISTS ({})", query(dice, depth - 1)),
        13 => format!("{one} IN ({})", query(dice, depth - 1)),
        _ => format!("{one} > {} ({})", dice.of(&["ANY", "ALL"]), query(dice, depth - 1)),
    }
}

fn relation(dice: &mut Dice, depth: usize) -> String {
    match dice.below(if depth == 0 { 8 } else { 18 }) {
        0..=6 => "patients".to_owned(),
        7 => dice
            .of(&["nobody", "pg_class", "information_schema.tables", "public.patients", "\"Patients\""])
            .to_owned(),
        8 => format!("({}) AS patients", query(dice, depth - 1)),
        9 => format!("patients JOIN patients q ON {}", condition(dice, depth - 1)),
        10 => {
            format!("patients {} JOIN patients q USING (id)", dice.of(&["LEFT", "FULL", "CROSS", "NATURAL"]))
        }
        11 => "patients, patients q".to_owned(),
        12 => "patients JOIN (VALUES ('CANARY7'), ('CANARY8')) v(n) ON v.n = name".to_owned(),
        13 => format!("patients, LATERAL ({}) l", query(dice, depth - 1)),
        14 => "generate_series(1, 1000000000)".to_owned(),
        15 => "generalize(patients, quasi => (age), k => 2)".to_owned(),
        16 => "private(patients, count => true, epsilon => 100)".to_owned(),
        _ => "patients TABLESAMPLE BERNOULLI (10)".to_owned(),
    }
}

fn query(dice: &mut Dice, depth: usize) -> String {
    let inner = depth.min(1);
    let mut items: Vec<String> = (0..dice.below(3)).map(|_| expression(dice, inner)).collect();
    let grouped: Vec<String> =
        items.iter().filter(|item| COLUMNS.contains(&item.as_str())).cloned().collect();
    if dice.below(3) > 0 || items.is_empty() {
        items.push(match dice.below(6) {
            0 => "sum(salary)".to_owned(),
            1 => "avg(salary)".to_owned(),
            2 => expression(dice, depth),
            3 if dice.below(3) == 0 => "*".to_owned(),
            _ => "count(*)".to_owned(),
        });
    }
    let mut text = match dice.below(20) {
        0 => format!("WITH patients AS ({}) SELECT ", query(dice, depth.saturating_sub(1))),
        1 => "WITH RECURSIVE c AS (SELECT 1 UNION ALL SELECT * FROM c) SELECT ".to_owned(),
        2 => "SELECT DISTINCT ".to_owned(),
        _ => "SELECT ".to_owned(),
    };
    text.push_str(&format!("{} FROM {}", items.join(", "), relation(dice, depth)));
    if dice.below(2) == 0 {
        text.push_str(&format!(" WHERE {}", condition(dice, depth)));
    }
    match dice.below(12) {
        0 => text.push_str(&format!(" GROUP BY {}", expression(dice, depth))),
        1 => text.push_str(&format!(" GROUP BY {} ({})", dice.of(&["ROLLUP", "CUBE"]), column(dice))),
        _ if !grouped.is_empty() => text.push_str(&format!(" GROUP BY {}", grouped.join(", "))),
        _ => {}
    }
    match dice.below(24) {
        0 => text.push_str(" HAVING max(salary) > 10"),
        1 => text.push_str(&format!(
            " {} {}",
            dice.of(&["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]),
            query(dice, depth.saturating_sub(1))
        )),
        2 => text.push_str(&format!(" ORDER BY {}", expression(dice, depth))),
        3 => text.push_str(&format!(" LIMIT {}", dice.below(3))),
        4 => text.push_str(" OFFSET 1"),
        5 => text.push_str(" FETCH FIRST 1 ROWS ONLY"),
        6 => text.push_str(" FOR UPDATE"),
        _ => {}
    }
    text
}

fn statement(dice: &mut Dice) -> String {
    let depth = dice.below(4);
    let query = query(dice, depth);
    match dice.below(30) {
        0 => format!("EXPLAIN ANALYZE {query}"),
        1 => format!("{query}; {query}"),
        2 => format!("CREATE TABLE t AS {query}"),
        3 => format!("COPY ({query}) TO '/tmp/CANARY'"),
        4 => format!("{query} -- '"),
        5 => format!("/* {query} */"),
        6 => query.get(..query.len() / 2).unwrap_or_default().to_owned(),
        7 => format!("DECLARE c CURSOR FOR {query}"),
        _ => query,
    }
}

/// What of an annotation must not differ between neighbours: all but what names the table, and what was found.
fn steady(answered: &Answered) -> (Vec<String>, Value) {
    let mut annotation = answered.annotation.clone();
    for key in ["data", "result"] {
        annotation[key] = Value::Null;
    }
    (answered.columns.clone(), annotation)
}

#[test]
fn statements_of_every_family_are_judged_alike_on_neighbouring_tables() {
    let rounds = rounds(60);
    let (mut answered, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut dice = Dice(round ^ 0x5eed);
        let (text, rights) = policy(&mut dice);
        let right = |column: &str| rights[COLUMNS.iter().position(|own| *own == column).unwrap()];
        let is_noisy = !text.contains("trusted");
        let neighbours = [60, 59].map(|people| Ward::with(&text, &table(people)));
        for _ in 0..5 {
            let sql = statement(&mut dice);
            let parameters = [Some(dice.of(&["f", "CANARY7", "f' OR '1' = '1", "30-39"]).to_owned())];
            let told = neighbours.each_ref().map(|ward| {
                // Each statement is the first: what a group knows already is no part of this.
                let _ = fs::remove_dir_all(ward.folder.path().join("state"));
                let (role, purpose) = ("research", "statistics");
                let asked = Asked { role, purpose, sql: &sql, parameters: &parameters, bounds: None };
                (answer(&ward.policy, &asked), explain(&ward.policy, role, purpose, &sql))
            });
            let [(one, plan), (other, same)] = &told;
            assert_eq!(format!("{plan:?}"), format!("{same:?}"), "round {round}: {sql}");
            assert!(!matches!(plan, Err(AskError::Audit(_) | AskError::Engine(_))), "round {round}: {sql}");
            match (one, other) {
                (Ok(one), Ok(other)) => {
                    answered += 1;
                    if is_noisy {
                        assert_eq!(steady(one), steady(other), "round {round}: {sql}");
                    }
                    for column in COLUMNS.iter().filter(|column| sql.contains(*column)) {
                        assert!(
                            matches!(right(column), Right::Level(_)),
                            "round {round}: {sql} uses {column}"
                        );
                    }
                    let told = format!("{:?}{}", one.rows, one.annotation);
                    assert!(
                        !told.contains("CANARY") || right("name") == Right::Level(0) && sql.contains("name"),
                        "round {round}: {sql}"
                    );
                }
                (Err(AskError::Refused(one)), Err(AskError::Refused(other))) => {
                    refused += 1;
                    assert_eq!(one, other, "round {round}: {sql}");
                    assert!(!format!("{one:?}").contains("CANARY"), "round {round}: {sql}: {one:?}");
                }
                (one, other) => {
                    panic!("round {round}: {sql}: {:?} and {:?}", one.as_ref().err(), other.as_ref().err())
                }
            }
        }
    }
    assert!(answered > rounds / 20 && refused > rounds, "{answered} answered, {refused} refused");
}
