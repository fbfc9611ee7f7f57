//! Random joins under random policies of both tables: every column under the rules of its own table, no denied cell, no cell in a refusal.
//!
//! `PARAVENT_RANDOM=10000 cargo test -p paravent-processor --test policy_random_joins` tries more.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::AskError;
use std::collections::BTreeSet;
use std::fs;
use ward::dice::{Dice, rounds};
use ward::joined;

/// Both tables have an age, and none of them all columns of the other.
const COLUMNS: [(&str, &str); 9] = [
    ("patients", "name"),
    ("patients", "age"),
    ("patients", "sex"),
    ("patients", "zip"),
    ("patients", "salary"),
    ("visits", "age"),
    ("visits", "unit"),
    ("visits", "gait"),
    ("visits", "note"),
];

/// Lowest level, where a column is allowed.
type Rights = Vec<Option<u8>>;

fn policy(dice: &mut Dice) -> (String, Rights) {
    let epsilon = ["20", "15"][dice.below(2)];
    let mut text = format!(
        "version = 1\nname = \"random\"\n[[recipients]]\nrole = \"research\"\npurposes = [\"statistics\"]\nbudget = {{ epsilon = \"1000\", delta = \"0.1\" }}\n\
         [[tables]]\nname = \"patients\"\njob = \"patients.toml\"\nperson = \"id\"\n[tables.domain]\nsalary = {{ min = 0, max = 20000 }}\n\
         [[tables]]\nname = \"visits\"\njob = \"visits.toml\"\nlinks = {{ patient = \"patients.id\" }}\ncontribution = 3\n[tables.domain]\ngait = {{ min = 0, max = 200 }}\n\
         [[rules]]\nid = \"rows\"\ntable = \"patients\"\naggregate = [\"count\"]\nnoise = {{ epsilon = \"{epsilon}\", delta = \"1e-4\" }}\n"
    );
    if dice.below(4) > 0 {
        text.push_str("[[rules]]\nid = \"visit-rows\"\ntable = \"visits\"\naggregate = [\"count\"]\n");
    }
    let mut rights = Vec::new();
    for (table, column) in COLUMNS {
        let head =
            format!("[[rules]]\nid = \"{table}-{column}\"\ntable = \"{table}\"\ncolumns = [\"{column}\"]\n");
        let right = match dice.below(7) {
            0 => None,
            1 => {
                text.push_str(&format!("{head}deny = true\n"));
                None
            }
            _ => {
                let level = match (table, column) {
                    ("patients", "age" | "zip") => dice.below(3) as u8,
                    ("visits", "age") => dice.below(2) as u8,
                    _ => 0,
                };
                text.push_str(&format!(
                    "{head}group = {level}\nfilter = {level}\naggregate = [\"count\", \"sum\", \"avg\"]\n"
                ));
                Some(level)
            }
        };
        rights.push(right);
    }
    (text, rights)
}

fn column(dice: &mut Dice) -> String {
    let (table, column) = COLUMNS[dice.below(COLUMNS.len())];
    format!("{table}.{column}")
}

fn question(dice: &mut Dice) -> String {
    let columns: BTreeSet<String> = (0..dice.below(3)).map(|_| column(dice)).collect();
    let measured = column(dice);
    let figure = dice
        .of(&["count(*)", "count(*)", "count(*)", "sum({})", "avg({})", "max({})", "count({})"])
        .replace("{}", &measured);
    let mut shown: Vec<String> = columns.iter().cloned().collect();
    if dice.below(4) > 0 || shown.is_empty() {
        shown.push(figure);
    }
    let on = dice.of(&[
        "visits.patient = patients.id",
        "visits.patient = patients.id",
        "visits.patient = patients.id",
        "patients.id = visits.patient",
        "visits.patient = patients.id AND patients.id = visits.patient",
        "visits.age = patients.age",
        "visits.patient = patients.name",
        "visits.patient = patients.id OR true",
    ]);
    let from = match dice.below(12) {
        0 => "visits, patients".to_owned(),
        1 => format!("visits LEFT JOIN patients ON {on}"),
        2 => "visits JOIN patients USING (age)".to_owned(),
        3 => format!("visits JOIN patients ON {on} JOIN patients q ON q.id = visits.patient"),
        _ => format!("visits JOIN patients ON {on}"),
    };
    let condition = match dice.below(6) {
        0 => format!(" WHERE {} = 'CANARY7'", column(dice)),
        1 => format!(" WHERE {} IN ('f', 'a', '20-39') AND {} = 'CANARY-NOTE'", column(dice), column(dice)),
        _ => String::new(),
    };
    let groups = match columns.is_empty() {
        true => String::new(),
        false => format!(" GROUP BY {}", columns.iter().cloned().collect::<Vec<_>>().join(", ")),
    };
    format!("SELECT {} FROM {from}{condition}{groups}", shown.join(", "))
}

/// Sixty people with two visits each; names and notes can be recognised, and so can ages and postcodes.
fn tables() -> (String, String) {
    let mut patients = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    let mut visits = String::from("patient,unit,age,gait,note\n");
    for i in 0..60 {
        patients.push_str(&format!(
            "CANARY-ID{i},CANARY{i},{},f,{:05},flu,1000,medicine,2026-01-01\n",
            33 + i % 2,
            54_321 + i % 2
        ));
        for visit in 0..2 {
            visits.push_str(&format!("CANARY-ID{i},{},{},100,CANARY-NOTE\n", ["a", "b"][visit], 35 + i % 2));
        }
    }
    (patients, visits)
}

#[test]
fn joins_keep_every_column_under_the_rules_of_its_table() {
    let rounds = rounds(40);
    let (patients, visits) = tables();
    let (mut answered, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut dice = Dice(round);
        let (text, rights) = policy(&mut dice);
        let ward = joined::ward(&text, &visits);
        fs::write(ward.folder.path().join("patients.csv"), &patients).unwrap();
        let right = |name: &str| {
            let place = COLUMNS.iter().position(|(table, column)| format!("{table}.{column}") == name);
            place.and_then(|place| rights[place])
        };
        for _ in 0..5 {
            let sql = question(&mut dice);
            match ward.ask(&sql) {
                Ok(answer) => {
                    answered += 1;
                    assert!(
                        sql.contains("ON visits.patient = patients.id") || sql.contains("ON patients.id"),
                        "{sql}"
                    );
                    for (table, column) in COLUMNS {
                        let name = format!("{table}.{column}");
                        assert!(
                            !sql.contains(&name) || right(&name).is_some(),
                            "round {round}: {sql} uses {name}"
                        );
                    }
                    let shown = sql.split_once(" FROM ").unwrap().0.trim_start_matches("SELECT ").split(", ");
                    for (place, name) in shown.enumerate() {
                        for cell in answer.rows.iter().filter_map(|row| row[place].as_str()) {
                            assert!(
                                !cell.contains("CANARY") || right(name) == Some(0),
                                "round {round}: {sql}"
                            );
                            let raw = name.ends_with(".age") && cell.parse::<u32>().is_ok()
                                || name.ends_with(".zip") && cell.parse::<u32>().is_ok();
                            assert!(
                                !raw || right(name) == Some(0),
                                "round {round}: {sql} shows {name} below its level"
                            );
                        }
                    }
                    assert!(!answer.annotation.to_string().contains("CANARY"), "{sql}");
                }
                Err(AskError::Refused(refusal)) => {
                    refused += 1;
                    assert!(!format!("{refusal:?}").contains("CANARY"), "{sql}: {refusal:?}");
                }
                Err(other) => panic!("round {round}: {sql}: {other}"),
            }
        }
    }
    assert!(answered > rounds / 8 && refused > rounds / 4, "{answered} answered, {refused} refused");
}
