//! Times on the unit that the policy says: in groups and conditions, whatever the day is and however it is written.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod planned;
mod ward;

use paravent_policy::Policy;
use paravent_processor::audit::{Case, audit};
use paravent_processor::kept::Form;
use planned::planned;
use std::collections::BTreeSet;
use ward::{POLICY, Ward, rows};

const BY_TIME: &str = "SELECT admitted, count(*) FROM patients GROUP BY admitted";

/// Admissions may be counted by a unit of time.
fn by(grain: &str) -> String {
    let times = format!(
        "id = \"rows\"\ntable = \"patients\"\ntimes = {{ column = \"admitted\", grain = \"{grain}\" }}\n"
    );
    POLICY.replace("id = \"rows\"\ntable = \"patients\"\n", &times)
        + "[[rules]]\nid = \"admitted\"\ntable = \"patients\"\ncolumns = [\"admitted\"]\nfilter = true\ngroup = true\naggregate = [\"count\"]\n"
}

fn trusting(policy: &str) -> String {
    policy
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n")
}

fn labels(ward: &Ward) -> BTreeSet<String> {
    let answer = ward.answer(BY_TIME);
    assert!(answer.annotation["adaptations"].to_string().contains("\"kind\":\"times\""));
    answer.rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
}

#[test]
fn groups_are_units_of_time_and_never_finer() {
    for (grain, first, count) in [("month", "2026-01", 12), ("quarter", "2026-Q1", 4), ("year", "2026", 1)] {
        for policy in [by(grain), trusting(&by(grain))] {
            let found = labels(&Ward::with(&policy, &rows(1_000)));
            assert_eq!((found.len(), found.first().map(String::as_str)), (count, Some(first)), "{grain}");
        }
    }
    // Of several rules the coarsest unit holds.
    let both = by("month")
        + "[[rules]]\nid = \"years\"\ntable = \"patients\"\ntimes = { column = \"admitted\", grain = \"year\" }\n";
    assert_eq!(labels(&Ward::with(&both, &rows(1_000))), BTreeSet::from(["2026".to_owned()]));
}

/// Two answers whose difference is one day of one person: both are about the month.
#[test]
fn what_happens_inside_a_unit_changes_nothing() {
    let table = rows(1_000);
    let later = table.replacen("2026-03-01\n", "2026-03-31\n", 1);
    let german = table.replace("2026-03-01\n", "01.03.2026\n");
    assert_ne!(table, later);
    let policy = trusting(&by("month"));
    let answers = [&table, &later, &german].map(|table| Ward::with(&policy, table).answer(BY_TIME).rows);
    assert!(answers[0] == answers[1] && answers[0] == answers[2] && answers[0].len() == 12);
    let ward = Ward::with(&policy, &table);
    let march = ward.answer("SELECT count(*) FROM patients WHERE admitted = '2026-03'");
    assert_eq!(march.rows.len(), 1);
    // A day is no label of a month, so it is nobody's.
    for day in ["2026-03-01", "01.03.2026"] {
        let answer = ward.answer(&format!("SELECT count(*) FROM patients WHERE admitted = '{day}'"));
        assert!(answer.rows.is_empty());
    }
    for range in ["admitted < '2026-03-02'", "admitted BETWEEN '2026-03-01' AND '2026-03-02'"] {
        ward.refused(&format!("SELECT count(*) FROM patients WHERE {range}"));
    }
}

#[test]
fn rows_figures_levels_and_what_is_no_time_are_refused() {
    let shown = trusting(&by("month"))
        .replace(
            "columns = [\"admitted\"]\nfilter = true\ngroup = true\naggregate = [\"count\"]\n",
            "columns = [\"admitted\"]\nshow = true\nfilter = true\ngroup = true\naggregate = [\"count\", \"avg\"]\n",
        )
        .replace("min_people = 10\n", "min_people = 10\nmodels = [{ model = \"k-anonymity\", k = 5 }]\n");
    let ward = Ward::with(&shown, &rows(1_000));
    for (sql, what) in [
        ("SELECT admitted FROM patients", "rows with cells of admitted"),
        ("SELECT avg(admitted) FROM patients", "figures of admitted"),
    ] {
        assert!(ward.refused(sql).message.contains(what), "{sql}");
    }
    let of_sex = by("month").replace("column = \"admitted\"", "column = \"sex\"");
    let refusal = Ward::with(&of_sex, &rows(50)).refused("SELECT sex, count(*) FROM patients GROUP BY sex");
    assert!(refusal.message.contains("times of sex") && refusal.rules.contains(&"rows".to_owned()));
    let of_age = by("month").replace("column = \"admitted\"", "column = \"age\"");
    Ward::with(&of_age, &rows(50)).refused("SELECT age, count(*) FROM patients GROUP BY age");
}

/// A condition of the owner on a date, a number or a truth holds however the cell is written.
#[test]
fn conditions_of_the_owner_read_values_and_not_spellings() {
    let policy = trusting(POLICY).replace(
        "where = \"ward <> 'psychiatry'\"",
        "where = \"admitted >= DATE '2026-03-01' AND age >= 30\"",
    );
    let table = rows(1_000);
    let plain = Ward::with(&policy, &table).answer("SELECT sex, count(*) FROM patients GROUP BY sex").rows;
    let spelled: String = table
        .lines()
        .map(|line| {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            if let [year, month, day] = cells[8].split('-').collect::<Vec<_>>()[..] {
                (cells[8], cells[2]) = (format!("{day}.{month}.{year}"), format!("+0{}", cells[2]));
            }
            cells.join(",") + "\n"
        })
        .collect();
    assert_ne!(table, spelled);
    let other = Ward::with(&policy, &spelled).answer("SELECT sex, count(*) FROM patients GROUP BY sex").rows;
    assert!(plain == other && plain.len() == 2, "{plain:?} {other:?}");
}

/// Wrong rewriters: one that forgets the unit, and one that takes a finer one.
#[test]
fn the_auditor_stops_times_that_are_too_fine() {
    let verdict = |lax: &str, strict: &Policy| {
        let lax = Ward::with(lax, "");
        let plan = planned(&lax.policy, "research", "statistics", BY_TIME);
        let case = Case {
            policy: strict,
            role: "research",
            purpose: "statistics",
            tables: &["patients"],
            form: Form::Whole,
        };
        audit(case, &plan.plan, &plan.physical, &plan.session.context().state())
    };
    let strict = Ward::with(&by("quarter"), "");
    let forgotten = by("quarter").replace("times = { column = \"admitted\", grain = \"quarter\" }\n", "");
    for lax in [forgotten, by("day"), by("month")] {
        let found = verdict(&lax, &strict.policy);
        assert_eq!(found, Err("times that are finer than a rule allows"));
    }
    for right in ["quarter", "year"] {
        assert_eq!(verdict(&by(right), &strict.policy), Ok(()), "{right}");
    }
}
