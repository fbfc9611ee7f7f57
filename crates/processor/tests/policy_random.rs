//! Random questions under random policies: no denied cell, no label below its level, no cell in a refusal.
//!
//! `PARAVENT_RANDOM=10000 cargo test -p paravent-processor --test policy_random` tries more.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use paravent_processor::AskError;
use std::collections::BTreeSet;
use ward::Ward;
use ward::dice::{Dice, rounds};
use ward::random::{COLUMNS, Right, policy, table};

fn question(dice: &mut Dice) -> String {
    let columns: BTreeSet<&str> = (0..dice.below(3)).map(|_| dice.of(&COLUMNS)).collect();
    let figure = dice.of(&[
        "count(*)",
        "sum(salary)",
        "avg(salary)",
        "max(age)",
        "count(name)",
        "sum(age)",
        "upper(name)",
    ]);
    let mut shown: Vec<&str> = columns.iter().copied().collect();
    if dice.below(4) > 0 || shown.is_empty() {
        shown.push(figure);
    }
    let condition = match dice.below(4) {
        0 => format!(" WHERE {} = 'CANARY7'", dice.of(&COLUMNS)),
        1 => format!(" WHERE {} IN ('f', '30-39') AND {} = 'flu'", dice.of(&COLUMNS), dice.of(&COLUMNS)),
        2 if dice.below(3) == 0 => {
            format!(" WHERE {} {} '3'", dice.of(&COLUMNS), dice.of(&["<", "LIKE", "<>", "||"]))
        }
        _ => String::new(),
    };
    let groups = match columns.is_empty() {
        true => String::new(),
        false => format!(" GROUP BY {}", columns.iter().copied().collect::<Vec<_>>().join(", ")),
    };
    let rest =
        if dice.below(8) == 0 { dice.of(&[" LIMIT 1", " ORDER BY 1", " HAVING count(*) > 1"]) } else { "" };
    format!("SELECT {} FROM patients{condition}{groups}{rest}", shown.join(", "))
}

#[test]
fn no_denied_cell_leaves_and_no_refusal_tells_one() {
    let rounds = rounds(60);
    let (mut answered, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut dice = Dice(round);
        let (text, rights) = policy(&mut dice);
        let ward = Ward::with(&text, &table(60));
        let right = |column: &str| rights[COLUMNS.iter().position(|own| *own == column).unwrap()];
        for _ in 0..5 {
            let sql = question(&mut dice);
            match ward.ask(&sql) {
                Ok(answer) => {
                    answered += 1;
                    for column in COLUMNS.iter().filter(|column| sql.contains(*column)) {
                        assert!(
                            matches!(right(column), Right::Level(_)),
                            "round {round}: {sql} uses {column}"
                        );
                    }
                    for (place, column) in answer.columns.iter().enumerate() {
                        let cells = answer.rows.iter().filter_map(|row| row[place].as_str());
                        for cell in cells {
                            // Names may leave only where a rule lets them.
                            assert!(
                                !cell.contains("CANARY")
                                    || column == "name" && right("name") == Right::Level(0),
                                "{sql}"
                            );
                            let raw = column == "zip" && ["54321", "54322"].contains(&cell)
                                || column == "age" && cell.parse::<u32>().is_ok();
                            assert!(
                                !raw || right(column) == Right::Level(0),
                                "round {round}: {sql} shows {column} below its level"
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
    assert!(answered > rounds / 4 && refused > rounds / 4, "{answered} answered, {refused} refused");
}
