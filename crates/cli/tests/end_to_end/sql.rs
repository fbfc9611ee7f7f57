//! `sql`.

use super::support::Place;
use std::collections::BTreeMap;

const GENERALIZED: &str =
    "SELECT age, sex, zip FROM generalize((SELECT age, sex, zip FROM patients), k => 3)";

#[test]
fn a_statement_comes_from_the_command_line_a_file_or_standard_input() {
    let place = Place::new();
    let counted = "SELECT sex, count(*) AS n FROM patients GROUP BY sex ORDER BY sex";
    let table = place.read("patients.csv");
    let rows = |sex: &str| table.lines().filter(|line| line.split(',').nth(2) == Some(sex)).count();
    let expected = format!("sex,n\nf,{}\nm,{}\n", rows("f"), rows("m"));
    let csv = ["--file", "patients.csv", "--format", "csv"];
    let run = |more: &[&str], input: &str| {
        let args: Vec<&str> = ["sql"].into_iter().chain(csv).chain(more.iter().copied()).collect();
        place.run_with(&args, input.as_bytes()).expect(0).out
    };
    assert_eq!(run(&[counted], ""), expected);
    assert_eq!(run(&[], &format!("{counted};\n")), expected);
    place.write("query.sql", counted);
    assert_eq!(run(&["-f", "query.sql"], ""), expected);
    let piped = place.run_with(
        &["sql", "SELECT count(*) AS n FROM p", "--file", "p=-", "--format", "json"],
        place.read("patients.csv").as_bytes(),
    );
    assert_eq!(piped.expect(0).json(), serde_json::json!([{ "n": 60 }]));
    place.run(&["sql", "SELECT 1", "--file", "-"]).expect(2).says(&["--file patients=-"]);
    place
        .run_with(&["sql", "--file", "p=-"], b"a\n1\n")
        .expect(2)
        .says(&["standard input is a table already"]);
}

#[test]
fn the_job_brings_its_table_and_its_promises() {
    let place = Place::new();
    let outcome = place.run(&["sql", GENERALIZED, "--job", "paravent.toml", "--format", "csv"]).expect(0);
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    outcome.out.lines().skip(1).for_each(|line| *classes.entry(line).or_default() += 1);
    assert_eq!(classes.values().sum::<usize>(), 60);
    assert!(classes.values().all(|&rows| rows >= 3), "{classes:?}");
    let lines: Vec<&str> = outcome.out.lines().skip(1).collect();
    let mut sorted = lines.clone();
    sorted.sort_unstable();
    assert_eq!(lines, sorted, "rows do not follow the source");
    assert!(outcome.err.contains("generalize (k = 3)"), "{}", outcome.err);
    let document = place.run(&["--json", "sql", GENERALIZED, "--job", "paravent.toml"]).expect(0).json();
    assert_eq!(document["columns"][0]["name"], "age");
    assert_eq!(document["rows"].as_array().unwrap().len(), 60);
    assert_eq!(document["operators"][0]["operator"], "generalize");
}

#[test]
fn people_get_aligned_columns_and_what_was_done() {
    let place = Place::new();
    let text = place.run(&["sql", "SELECT 1 AS a, 'x' AS long_name, NULL AS n"]).expect(0).out;
    assert_eq!(text, "a  long_name  n\n─  ─────────  ────\n1  x          NULL\n");
    let text = place.run(&["sql", GENERALIZED, "--job", "paravent.toml"]).expect(0).out;
    assert!(text.contains("\n· generalize (k = 3): levels "), "{text}");
}

#[test]
fn explain_runs_nothing_and_shows_no_count() {
    let place = Place::new();
    for args in [
        &["sql", GENERALIZED, "--job", "paravent.toml", "--explain"][..],
        &["sql", &format!("EXPLAIN {GENERALIZED}"), "--job", "paravent.toml"],
    ] {
        let text = place.run(args).expect(0).out;
        assert!(text.contains("Generalize: [age, sex, zip], k = 3") && !text.contains("60"), "{text}");
    }
}

#[test]
fn exit_codes_tell_what_went_wrong() {
    let place = Place::new();
    let sql = |statement: &str| place.run(&["sql", statement, "--job", "paravent.toml"]);
    sql("SELECT agee FROM patients").expect(2).says(&["agee"]);
    sql("SELECT * FROM generalise(patients, k => 5)")
        .expect(2)
        .says(&["generalise", "did you mean generalize?"]);
    sql("SELECT * FROM generalize(patients, kk => 5)").expect(2).says(&["no argument \"kk\""]);
    sql("DROP TABLE patients").expect(2).says(&["DROP is not available"]);
    sql("SELECT * FROM generalize((SELECT age, diagnosis FROM patients), l => 9)")
        .expect(3)
        .says(&["keeps the promise"]);
    let cell = sql("SELECT CAST(diagnosis AS INT) FROM patients").expect(2).says(&["TRY_CAST"]);
    assert!(!cell.err.contains("person"), "{}", cell.err);
    place.run(&["sql", "SELECT 1", "--file", "absent.csv"]).expect(4).says(&["absent.csv", "no such file"]);
    place.run(&["sql", "SELECT 1", "--job", "absent.toml"]).expect(4).says(&["absent.toml"]);
    place.run(&["sql", "SELECT 1", "--rules", "Q7"]).expect(2).says(&["Q7"]);
    let document = place.run(&["--json", "sql", "SELEC 1"]).expect(2).json();
    assert_eq!(document["error"]["kind"], "usage");
}

#[test]
fn a_seed_repeats_and_says_so() {
    let place = Place::new();
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "100"]).expect(0);
    let statement =
        "SELECT * FROM randomize((SELECT sex FROM patients), columns => ((sex, 0.5, uniform('f', 'm'))))";
    let run = |seed: &str| {
        place.run(&["sql", statement, "--file", "patients.csv", "--seed", seed, "--format", "csv"]).expect(0)
    };
    assert_eq!(run("1").out, run("1").out);
    assert!(run("1").err.contains("seed 1"));
}

/// A seed, an operator and a column are enough: the command and the statement show the same cells.
#[test]
fn noise_and_randomize_draw_the_same_cells() {
    let place = Place::new();
    // Without a job the command leaves out what names people, and the statement reads what is there.
    let nameless: String = place
        .read("patients.csv")
        .lines()
        .map(|line| line.split_once(',').unwrap().1.to_owned() + "\n")
        .collect();
    place.write("patients.csv", nameless);
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "100"]).expect(0);
    let columns = [
        "sex=0.5:uniform('f', 'm')",
        "diagnosis=0.3:given(('angina', 0.4), ('asthma', 0.2), ('flu', 0.2), ('gout', 0.2))",
    ];
    let args = ["--json", "noise", "patients.csv", "--seed", "7", "--output", "noisy.csv"];
    let noise =
        place.run(&[&args[..], &["--column", columns[0], "--column", columns[1]]].concat()).expect(0).json();
    let statement = noise["statement"].as_str().unwrap().to_owned();
    let sql = place
        .run(&["sql", &statement, "--file", "patients.csv", "--seed", "7", "--format", "csv"])
        .expect(0)
        .out;
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&place.read("noisy.csv")), sorted(&sql));
    assert_ne!(sorted(&place.read("noisy.csv")), sorted(&place.read("patients.csv")));
}

#[test]
fn a_job_keeps_its_identifying_columns() {
    let place = Place::new();
    let job = ["--job", "paravent.toml", "--format", "csv"];
    let sql = |statement: &str| place.run(&[&["sql", statement], &job[..]].concat());
    let all = sql("SELECT * FROM patients").expect(0);
    assert_eq!(all.out.lines().next(), Some("age,sex,zip,diagnosis"));
    assert!(all.err.contains("Left out of *: name (identifying)"), "{}", all.err);
    sql("SELECT upper(name) AS n FROM patients").expect(2).says(&["\"name\"", "identifying"]);
    sql("SELECT sex FROM generalize(patients, quasi => (sex), k => 3) WHERE zip = '81667'")
        .expect(2)
        .says(&["\"zip\"", "quasi => (…)"]);
}

#[test]
fn a_rule_of_ones_choice_is_run() {
    let place = Place::new();
    let statement = "SELECT sex FROM (SELECT age, sex FROM randomize((SELECT age, sex FROM patients), columns => ((sex, 0.5, uniform('f', 'm')))))";
    let sql =
        |more: &[&str]| place.run(&[&["--json", "sql", statement, "--file", "patients.csv"], more].concat());
    let rules = |document: &serde_json::Value| document["rules"].to_string();
    place.run(&["ledger", "start", "patients.csv", "--epsilon", "100"]).expect(0);
    let done = sql(&["--rule", "DP04,S8"]).expect(0).json();
    assert!(rules(&done).contains("\"D9\""), "{done}");
    assert!(done["notes"].to_string().contains("Rule S8 was not applied"), "{done}");
    assert_eq!(done["rows"].as_array().unwrap().len(), 60);
    let wrong =
        |rule: &str| place.run(&["sql", statement, "--file", "patients.csv", "--rule", rule]).expect(2);
    wrong("DP04@nowhere").says(&["nowhere", "root.0.1"]);
    wrong("Q7").says(&["Q7"]);
    place.write("query.sql", "SELECT age, sex FROM patients WHERE sex = 'f'");
    let xml = place.run(&["rewrite", "query.sql", "--file", "patients.csv", "--xml", "-q"]).expect(0).out;
    place.write("plan.xml", xml);
    let ran =
        place.run(&["sql", "-f", "plan.xml", "--file", "patients.csv", "--format", "csv"]).expect(0).out;
    assert_eq!(ran.lines().next(), Some("age,sex"));
    assert!(ran.lines().skip(1).all(|line| line.ends_with(",f")), "{ran}");
}

#[test]
fn every_class_may_have_labels_of_its_own() {
    let place = Place::new();
    let local = GENERALIZED.replace("k => 3", "k => 3, metric => 'loss', recoding => 'local'");
    let run = |sql: &str| place.run(&["sql", sql, "--job", "paravent.toml", "--format", "csv"]).expect(0);
    let outcome = run(&local);
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    outcome.out.lines().skip(1).for_each(|line| *classes.entry(line).or_default() += 1);
    assert_eq!(classes.values().sum::<usize>(), 60, "no row is left out");
    assert!(classes.values().all(|&rows| rows >= 3), "{classes:?}");
    assert!(outcome.err.contains("recoding = local"), "{}", outcome.err);
    // More is kept than with one level per column, and the same every time.
    let global = run(&GENERALIZED.replace("k => 3", "k => 3, metric => 'loss'")).out;
    let labels = |text: &str| text.lines().skip(1).collect::<std::collections::BTreeSet<_>>().len();
    assert!(labels(&outcome.out) > labels(&global));
    assert_eq!(run(&local).out, outcome.out);
}

#[test]
fn a_release_of_boxes_is_counted_by_the_verifier() {
    let place = Place::new();
    let sql =
        "SELECT age, sex, zip, diagnosis FROM generalize(patients, metric => 'loss', recoding => 'local')";
    place.run(&["sql", sql, "--job", "paravent.toml", "--release", "answer"]).expect(0);
    place.run(&["verify", "answer"]).expect(0);
    // A row that changes its labels breaks a class.
    let data = place.read("answer/data.csv");
    let line = data.lines().nth(1).unwrap();
    let (_, rest) = line.split_once(',').unwrap();
    place.write("answer/data.csv", data.replacen(line, &format!("99,{rest}"), 1));
    place.run(&["verify", "answer"]).expect(1);
}

/// Nobody says who is who: copies of the job's own rows are refused, and of rows of any other table they are told.
#[test]
fn a_join_that_copies_rows_is_told_or_refused() {
    let place = Place::new();
    let visits: String = (0..60).map(|n| format!("person {n},1\nperson {n},2\n")).collect();
    place.write("visits.csv", format!("name,day\n{visits}"));
    let joined = "SELECT * FROM generalize((SELECT p.age, p.sex, v.day FROM patients p JOIN visits v ON p.name = v.name), \
                  quasi => (age, sex), k => 3)";
    let run = |table: [&str; 2]| {
        place.run(&["sql", joined, table[0], table[1], "--file", "visits.csv", "--format", "csv"])
    };
    let told = run(["--file", "patients.csv"]).expect(0);
    let told = format!("{}{}", told.out, told.err);
    assert!(told.contains("A join below generalize copies rows of one of its tables"), "{told}");
    let refused = run(["--job", "paravent.toml"]).expect(3).err;
    assert!(refused.contains("it counts rows") && !refused.contains("60"), "{refused}");
}
