//! Files as tables, statements to answers, and errors that show no cell.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Column;
use paravent_algebra::catalog::Catalog;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::rules::Facts;
use paravent_algebra::session::{Answer, MeasuredFacts, Session, name_of};
use std::collections::BTreeMap;
use std::fs;
use tempfile::TempDir;

const JOB: &str = r#"
version = 1
input.path = "patients.csv"
attributes = [
  { name = "name", role = "identifying" },
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } } },
  { name = "sex", role = "quasi-identifier", hierarchy = { order = [["f", "m"]] } },
  { name = "zip", role = "quasi-identifier", type = "string", hierarchy = { redact = { from = "right" } } },
  { name = "diagnosis", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 3 }]
"#;

/// So many people, in an order that is not the canonical one. The text `hidden…` is in no statement.
fn patients(rows: usize) -> String {
    let mut text = String::from("name,age,sex,zip,diagnosis,secret\n");
    for i in 0..rows {
        let mixed = i * 7919 % 10_007;
        let (age, zip) = (20 + mixed % 40, 81_660 + mixed / 3 % 7);
        let sex = ["f", "m"][mixed / 2 % 2];
        let diagnosis = ["flu", "gout", "asthma", "angina"][mixed % 4];
        text.push_str(&format!("person {i},{age},{sex},{zip},{diagnosis},hidden{i}\n"));
    }
    text
}

struct Place {
    folder: TempDir,
    session: Session,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("paravent.toml"), JOB).unwrap();
    fs::write(folder.path().join("patients.csv"), patients(60)).unwrap();
    let catalog = Catalog::load(&folder.path().join("paravent.toml")).unwrap();
    let mut session = Session::new(catalog).unwrap();
    let limit = paravent_noise::budget::Cost::parse("1000", None).unwrap();
    session.keep_book(paravent_algebra::ledger::Book::in_memory(limit));
    assert_eq!(session.register_file(None, &folder.path().join("patients.csv")).unwrap(), "patients");
    Place { folder, session }
}

fn cells(answer: &Answer) -> Vec<Vec<String>> {
    let row = |batch: &RecordBatch, row: usize| {
        let options = FormatOptions::default().with_null("∅");
        let cell = |column| ArrayFormatter::try_new(column, &options).unwrap().value(row).to_string();
        batch.columns().iter().map(|column| cell(column)).collect()
    };
    answer.batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |at| row(batch, at))).collect()
}

fn failure(session: &mut Session, sql: &str) -> AlgebraError {
    match session.run(sql) {
        Ok(answer) => panic!("{sql} gave {answer:?}"),
        Err(error) => error,
    }
}

#[test]
fn a_file_has_types_and_missing_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Some Values.txt");
    fs::write(&path, "id;price;born;zip;mixed\n1;1.50;2001-02-03;01234;1.5\n2;;2002-03-04;99999;x\n")
        .unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    assert_eq!(session.register_file(None, &path).unwrap(), "some_values");
    let answer =
        session.run("SELECT * FROM some_values WHERE price > 1 OR price IS NULL ORDER BY id DESC").unwrap();
    let types: Vec<&DataType> = answer.schema.fields().iter().map(|field| field.data_type()).collect();
    let expected =
        [DataType::Int64, DataType::Decimal128(18, 2), DataType::Date32, DataType::Utf8, DataType::Utf8];
    assert_eq!(types, expected.iter().collect::<Vec<_>>());
    assert_eq!(
        cells(&answer),
        [["2", "∅", "2002-03-04", "99999", "x"], ["1", "1.50", "2001-02-03", "01234", "1.5"]]
    );
    assert!(answer.accounts.is_empty() && answer.notes.is_empty());
    let twice = session.register_file(Some("Some_Values"), &path).unwrap_err();
    assert!(twice.to_string().contains("two tables called some_values"), "{twice}");
    assert_eq!(name_of("2024.csv".as_ref()), "t_2024");
}

#[test]
fn tables_that_stay_elsewhere_do_not_travel_into_statements() {
    let mut session = Session::new(Catalog::empty()).unwrap();
    for address in ["postgres://db.example/registry#patients", "sc://spark.example#lake.patients"] {
        let refused = session.register_file(Some("patients"), address.as_ref()).unwrap_err();
        assert!(refused.to_string().contains("all its rows would travel"), "{refused}");
    }
    assert!(session.tables().is_empty());
}

#[test]
fn json_lines_are_read_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.jsonl");
    fs::write(&path, "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": null}\n").unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    session.register_file(Some("p"), &path).unwrap();
    assert_eq!(cells(&session.run("SELECT sum(a), count(b) FROM p").unwrap()), [["3", "1"]]);
    let tables = session.run("SHOW TABLES").unwrap();
    assert!(cells(&tables).iter().any(|row| row.contains(&"p".to_owned())));
    assert_eq!(cells(&session.run("DESCRIBE p").unwrap()).len(), 2);
}

#[test]
fn hostile_files_are_errors_and_show_no_cell() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [
        ("garbled.parquet", &b"PAR1 hidden"[..]),
        ("garbled.arrow", b"ARROW1\0\0hidden\xff\xff\xff\xff\x10\0\0\0"),
        ("ragged.csv", b"a,b\nhidden,2,3\n"),
        ("empty.csv", b""),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let error =
            Session::new(Catalog::empty()).unwrap().register_file(None, &path).unwrap_err().to_string();
        assert!(!error.contains("hidden"), "{error}");
    }
}

#[test]
fn generalize_keeps_k_and_says_what_it_did() {
    let Place { mut session, folder: _folder } = place();
    let answer = session.run("SELECT age, sex, zip, diagnosis FROM generalize((SELECT age, sex, zip, diagnosis FROM patients))").unwrap();
    let rows = cells(&answer);
    assert_eq!(rows.len(), 60);
    let mut classes: BTreeMap<&[String], usize> = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(&row[..3]).or_default() += 1);
    assert!(classes.values().all(|&rows| rows >= 3), "{classes:?}");
    assert_eq!(answer.accounts.len(), 1);
    assert!(answer.accounts[0].to_string().starts_with("generalize (k = 3)"), "{}", answer.accounts[0]);
    let mut sorted = rows.clone();
    sorted.sort();
    assert_eq!(rows, sorted, "not the order of the source");
}

#[test]
fn rows_picked_after_a_generalization_are_counted_again() {
    let Place { folder: _folder, mut session } = place();
    let mut remarked = |sql: &str| {
        let notes = session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).notes;
        notes.iter().find(|note| note.starts_with("Rows are picked")).cloned()
    };
    let of =
        |rest: &str| format!("SELECT sex FROM generalize(patients, quasi => (age, sex), k => 3) AS g {rest}");
    let by_value = remarked(&of("WHERE diagnosis = 'flu'")).unwrap();
    assert!(by_value.contains("by diagnosis after generalize (k = 3)"), "{by_value}");
    let by_join =
        remarked(&of("JOIN (SELECT DISTINCT diagnosis FROM patients) AS d ON g.diagnosis = d.diagnosis"))
            .unwrap();
    assert!(by_join.contains("by a join"), "{by_join}");
    // Whole classes, or nothing left out.
    for rest in ["", "WHERE sex = 'f'", "LEFT JOIN (SELECT 1 AS one) AS o ON g.sex = o.one::text"] {
        assert_eq!(remarked(&of(rest)), None, "{rest}");
    }
    let inside = "SELECT sex FROM generalize((SELECT * FROM patients WHERE diagnosis = 'flu'), quasi => (age, sex), k => 3)";
    assert_eq!(remarked(inside), None);
    let groups = "SELECT sex, n FROM (SELECT sex, count(*) AS n FROM generalize(patients, quasi => (age, sex), k => 3) GROUP BY sex) WHERE n > 1";
    assert_eq!(remarked(groups), None, "groups are picked, not rows");
}

#[test]
fn ties_and_limits_do_not_follow_the_source_either() {
    let Place { mut session, folder } = place();
    let mut lines: Vec<String> = patients(60).lines().map(str::to_owned).collect();
    lines[1..].reverse();
    fs::write(folder.path().join("reversed.csv"), lines.join("\n")).unwrap();
    session.register_file(None, &folder.path().join("reversed.csv")).unwrap();
    for sql in [
        "SELECT age, diagnosis FROM generalize((SELECT age, sex, diagnosis FROM $)) ORDER BY age",
        "SELECT age, diagnosis FROM generalize((SELECT age, sex, diagnosis FROM $)) LIMIT 7",
        "SELECT diagnosis FROM generalize((SELECT age, sex, diagnosis FROM $)) ORDER BY age DESC LIMIT 5",
    ] {
        let forward = session.run(&sql.replace('$', "patients")).unwrap();
        let backward = session.run(&sql.replace('$', "reversed")).unwrap();
        assert_eq!(cells(&forward), cells(&backward), "{sql}");
    }
}

#[test]
fn a_seed_repeats_the_draw_and_the_answer_says_so() {
    let sql = "SELECT * FROM randomize((SELECT sex, diagnosis FROM patients), columns => ((sex, 0.5)))";
    let drawn = |seed: &str| {
        let Place { mut session, folder: _folder } = place();
        session.run(&format!("SET paravent.seed = {seed}")).unwrap();
        let first = session.run(sql).unwrap();
        let second = session.run(sql).unwrap();
        assert_eq!(cells(&first), cells(&second));
        assert!(first.notes.iter().any(|note| note.contains(&format!("seed {seed}"))), "{:?}", first.notes);
        cells(&first)
    };
    assert_eq!(drawn("7"), drawn("7"));
    assert_ne!(drawn("7"), drawn("8"));
    let Place { mut session, folder: _folder } = place();
    let (first, second) = (session.run(sql).unwrap(), session.run(sql).unwrap());
    assert_ne!(cells(&first), cells(&second), "fresh draws");
    assert!(first.notes.iter().all(|note| !note.contains("seed")), "{:?}", first.notes);
}

#[test]
fn slices_keep_their_groups() {
    let Place { mut session, folder: _folder } = place();
    let pairs = |answer: &Answer| {
        let mut rows = cells(answer);
        rows.sort();
        rows
    };
    let sql = "SELECT age, zip FROM slice((SELECT age, sex, zip, diagnosis FROM patients), groups => ((age, zip), (sex, diagnosis)), bucket => 10)";
    // Seen through a projection to one group nothing is mixed, and people who are alone in it are looked for all the same.
    let told = session.run(sql).unwrap_err().to_string();
    assert!(told.contains("group 1 singles people out") && !told.contains("of the rows ("), "{told}");
    let sliced =
        session.run(&sql.replace("bucket => 10", "bucket => 10, allow_identifying => true")).unwrap();
    let plain = session.run("SELECT age, zip FROM patients").unwrap();
    assert_eq!(pairs(&sliced), pairs(&plain));
}

#[test]
fn failures_while_running_show_no_cell() {
    let Place { mut session, folder: _folder } = place();
    for (sql, kind) in [
        ("SELECT 1 / (age - age) FROM patients", "division by zero"),
        ("SELECT CAST(secret AS INT) FROM patients", "CAST"),
        ("SELECT regexp_like(zip, concat('(', secret)) FROM patients", ""),
        ("SELECT CAST(secret AS DATE) FROM patients", ""),
        ("SELECT to_timestamp(secret) FROM patients", ""),
        ("SELECT CAST(diagnosis AS INT) FROM randomize(patients, columns => ((sex, 0.1)))", "CAST"),
        ("SELECT CAST(age * 1000 AS TINYINT) FROM patients", ""),
    ] {
        let error = failure(&mut session, sql);
        let told = format!("{error} {error:?}");
        assert!(matches!(error, AlgebraError::Failed(_)), "{sql}: {told}");
        assert!(!told.contains("hidden") && told.contains(kind), "{sql}: {told}");
    }
}

#[test]
fn a_table_that_is_not_there_is_told_by_the_name_that_was_written() {
    let Place { folder: _folder, mut session } = place();
    let error = failure(&mut session, "SELECT * FROM patiens").to_string();
    assert_eq!(error, "there is no table \"patiens\"; did you mean patients? The tables are patients");
}

#[test]
fn mistakes_in_a_statement_are_told_in_words() {
    let Place { mut session, folder: _folder } = place();
    for (sql, parts) in [
        ("SELEC 1", &["SELEC"][..]),
        ("SELECT agee FROM patients", &["agee"]),
        ("SELECT * FROM patient", &["patient"]),
        ("SELECT sum(name) FROM patients", &["sum"]),
        ("SELECT * FROM generalize(patients, quasi => (age), k => 3, kk => 4)", &["generalize", "kk"]),
        ("SET paravent.rulez = 'none'", &["paravent.rulez", "did you mean paravent.rules?"]),
        ("SET paravent.partial = perhaps", &["perhaps"]),
        ("SET paravent.rules = 'Z99'", &["Z99"]),
        ("SET paravent.seed = 'x'", &["x"]),
        ("EXPLAIN ANALYZE SELECT * FROM patients", &["EXPLAIN ANALYZE"]),
        ("COPY patients TO 'x.csv'", &["COPY is not available"]),
    ] {
        let error = failure(&mut session, sql);
        assert!(matches!(error, AlgebraError::Statement(_)), "{sql}: {error:?}");
        for part in parts {
            assert!(error.to_string().contains(part), "{sql}: {error}");
        }
    }
    let infeasible = failure(
        &mut session,
        "SELECT * FROM generalize((SELECT age, diagnosis FROM patients), quasi => (age), l => 5)",
    );
    assert!(matches!(infeasible, AlgebraError::Infeasible(_)), "{infeasible:?}");
}

#[test]
fn explain_shows_plans_and_rules_and_no_count() {
    let Place { mut session, folder: _folder } = place();
    let sql = "SELECT sex FROM generalize((SELECT age, sex FROM patients), quasi => (age, sex), k => 3) WHERE sex = 'f'";
    let explained = session.explain(sql).unwrap().to_string();
    assert!(explained.contains("Generalize: [age, sex], k = 3"), "{explained}");
    assert!(explained.contains("Rules:") && explained.contains("Filter"), "{explained}");
    assert!(!explained.contains("60") && !explained.contains("cells"), "{explained}");
    let answer = session.run(&format!("EXPLAIN {sql}")).unwrap();
    assert_eq!(answer.schema.field(0).name(), "plan");
    assert_eq!(cells(&answer).len(), explained.lines().count());
}

#[test]
fn long_chains_run() {
    let mut session = Session::new(Catalog::empty()).unwrap();
    let sql = format!("SELECT {}1", "1 + ".repeat(600));
    assert_eq!(cells(&session.run(&sql).unwrap()), [["601"]]);
    let deep = format!("SELECT {}1{}", "(".repeat(1_000), ")".repeat(1_000));
    assert!(failure(&mut session, &deep).to_string().contains("nested too deeply"));
    let unions = "SELECT 1 AS a UNION ALL ".repeat(100) + "SELECT 1";
    assert_eq!(cells(&session.run(&format!("SELECT sum(a) FROM ({unions}) AS u")).unwrap()), [["101"]]);
}

#[test]
fn a_session_works_inside_another_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let rows =
        runtime.block_on(async { Session::new(Catalog::empty()).unwrap().run("SELECT 1").unwrap().rows() });
    assert_eq!(rows, 1);
}

#[test]
fn facts_are_counted_from_outside_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("r.csv"), "id,a\n1,x\n2,x\n3,\n").unwrap();
    fs::write(folder.path().join("s.csv"), "id,a\n1,x\n2,y\n").unwrap();
    let mut session = Session::new(Catalog::empty()).unwrap();
    for name in ["r", "s"] {
        session.register_file(None, &folder.path().join(format!("{name}.csv"))).unwrap();
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let facts = MeasuredFacts::new(session.context().clone(), Default::default(), runtime.handle().clone());
    let plan = |session: &mut Session, name: &str| session.plan(&format!("SELECT * FROM {name}")).unwrap();
    let (r, s) = (plan(&mut session, "r"), plan(&mut session, "s"));
    let column = |table: &str, name: &str| vec![Column::new(Some(table), name)];
    assert_eq!(facts.rows(&r), Some(3));
    assert_eq!(facts.is_key(&r, &column("r", "id")), Some(true));
    assert_eq!(facts.is_key(&r, &column("r", "a")), Some(false));
    assert_eq!(facts.is_key(&r, &[]), Some(false));
    assert_eq!(facts.contained((&s, &column("s", "id")), (&r, &column("r", "id"))), Some(true));
    assert_eq!(facts.contained((&r, &column("r", "id")), (&s, &column("s", "id"))), Some(false));
    assert_eq!(facts.contained((&r, &column("r", "id")), (&r, &column("r", "id"))), Some(true));
    assert_eq!(
        facts.contained((&r, &column("r", "a")), (&r, &column("r", "a"))),
        Some(false),
        "a null finds no partner"
    );
    let random = session.plan("SELECT * FROM randomize(r, columns => (a), p => 0.1)").unwrap();
    assert_eq!(facts.rows(&random), None);
}

#[test]
fn private_aggregates_spend_a_budget_that_a_seed_does_not_renew() {
    let Place { mut session, folder: _folder } = place();
    session.lower_budget("1", None).unwrap();
    let sql =
        "SELECT * FROM private(patients, by => (sex), keys => ('f', 'm'), count => true, epsilon => 0.75)";
    let answer = session.run(sql).unwrap();
    assert_eq!((answer.rows(), answer.columns()), (2, vec!["sex", "count"]));
    session.run("SET paravent.seed = 1").unwrap();
    assert!(matches!(failure(&mut session, sql), AlgebraError::Ledger(_)));
    let more = session.lower_budget("1500", None).unwrap_err().to_string();
    assert!(more.contains("can only be lowered"), "{more}");
    session.explain(sql).unwrap();
}
