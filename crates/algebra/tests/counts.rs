//! No number of the data in EXPLAIN, in rewritten plans, in refusals, accounts and notes. The answer's own rows are the only place for numbers.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::ledger::Book;
use paravent_algebra::rules::{Choice, Switches, catalogue};
use paravent_algebra::session::{Session, Wish, Written};
use paravent_noise::budget::Cost;
use std::fs;
use tempfile::TempDir;

const ALL: usize = 7919;
const RARE: usize = 137;

const JOB: &str = r#"
version = 1
input.path = "people.csv"
attributes = [
  { name = "id", role = "identifying" },
  { name = "age", role = "quasi-identifier", type = "integer", hierarchy = { intervals = { widths = [10, 20, 40], min = 0, max = 80 } } },
  { name = "sex", role = "quasi-identifier", hierarchy = { order = [["f", "m"]] } },
  { name = "town", role = "insensitive" },
  { name = "illness", role = "sensitive" },
]
privacy.models = [{ model = "k-anonymity", k = 3 }]
"#;

/// 7919 people, of whom 137 have a rare illness.
fn session() -> (TempDir, Session) {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,age,sex,town,illness\n");
    for i in 0..ALL {
        let illness = if i < RARE { "rare" } else { ["flu", "gout"][i % 2] };
        text.push_str(&format!(
            "{i},{},{},{},{illness}\n",
            20 + i % 40,
            ["f", "m"][i % 2],
            ["north", "south"][i / 2 % 2]
        ));
    }
    fs::write(folder.path().join("people.csv"), text).unwrap();
    fs::write(folder.path().join("paravent.toml"), JOB).unwrap();
    let mut session = Session::new(Catalog::load(&folder.path().join("paravent.toml")).unwrap()).unwrap();
    session.keep_book(Book::in_memory(Cost::parse("1000000", Some("0.1")).unwrap()).allowing_unbounded());
    session.register_file(None, &folder.path().join("people.csv")).unwrap();
    (folder, session)
}

/// Every number that follows from the counts.
fn telling() -> Vec<String> {
    let rest = ALL - RARE;
    let numbers = [ALL, RARE, rest, ALL / 10, rest / 10, ALL / 5, ALL + RARE, ALL / 2];
    let mut texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.extend(["7,919", "7 919", "0.0173", "1.73"].map(str::to_owned));
    texts
}

/// A number as a whole: `1379` holds no 137.
#[track_caller]
fn tells_nothing(what: &str, sql: &str, text: &str) {
    for number in telling() {
        for (place, _) in text.match_indices(&number) {
            let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
            let (before, after) =
                (text[..place].chars().next_back(), text[place + number.len()..].chars().next());
            assert!(digit(before) || digit(after), "{what} of {sql} tells {number}:\n{text}");
        }
    }
}

const RARE_ONES: &str = "(SELECT age, sex, illness FROM people WHERE illness = 'rare')";
const OTHERS: &str = "(SELECT age, sex, illness FROM people WHERE illness <> 'rare')";

fn statements() -> Vec<String> {
    let both = format!("(SELECT * FROM {RARE_ONES} AS a UNION ALL SELECT * FROM {OTHERS} AS b)");
    let mut all = vec![
        format!("SELECT 1 FROM generalize({RARE_ONES}, quasi => (age, sex), k => 3) LIMIT 1"),
        format!("SELECT 1 FROM generalize({RARE_ONES}, quasi => (age, sex), k => 3, suppression => 0.5) LIMIT 1"),
        // One row too many for the promise, and one less.
        format!("SELECT 1 FROM generalize({RARE_ONES}, quasi => (age), k => {}) LIMIT 1", RARE + 1),
        format!("SELECT 1 FROM generalize({RARE_ONES}, quasi => (age), k => {}) LIMIT 1", 100_000),
        format!("SELECT 1 FROM generalize((SELECT illness FROM people WHERE illness = 'rare'), quasi => (), k => {}) LIMIT 1", 100_000),
        format!("SELECT 1 FROM slice({RARE_ONES}, groups => ((age, sex), (illness)), bucket => 10) LIMIT 1"),
        format!("SELECT 1 FROM slice({RARE_ONES}, groups => ((age, sex), (illness)), buckets => 100000) LIMIT 1"),
        format!("SELECT 1 FROM slice({RARE_ONES}, groups => ((age, sex), (illness)), bucket => 100000) LIMIT 1"),
        format!("SELECT 1 FROM slice({RARE_ONES}, groups => ((age, sex), (illness)), buckets => 2, minimum => 100000) LIMIT 1"),
        format!("SELECT 1 FROM slice({both}, groups => ((age, sex), (illness)), buckets => 10) LIMIT 1"),
        format!("SELECT 1 FROM slice({both}, groups => ((age, sex), (illness)), bucket => 200) LIMIT 1"),
        format!("SELECT 1 FROM slice({both}, groups => ((age, sex), (illness)), bucket => 137) LIMIT 1").replace("137", "150"),
        format!("SELECT 1 FROM slice({both}, groups => ((age), (illness)), by => sex) LIMIT 1").replace("age, sex, illness", "age, illness, sex"),
        format!("SELECT 1 FROM randomize({RARE_ONES}, columns => ((sex, 0.5))) LIMIT 1"),
        format!("SELECT 1 FROM randomize({RARE_ONES}, columns => ((sex, 0.5, learnt))) LIMIT 1"),
        "SELECT max(illness) FROM randomize((SELECT illness FROM people), columns => ((illness, 0.5, learnt)))".to_owned(),
        "SELECT sex FROM (SELECT sex, count(*) AS n FROM randomize((SELECT sex FROM people), columns => ((sex, 0.5))) GROUP BY sex)".to_owned(),
        format!("SELECT 1 FROM randomize({RARE_ONES}, columns => ((sex, 0.5, uniform('x', 'y')))) LIMIT 1"),
        format!("SELECT 1 FROM (SELECT * FROM generalize({both}, quasi => (age, sex), k => 150) WHERE illness = 'rare') LIMIT 1"),
        "SELECT 1 FROM generalize((SELECT a.age, a.sex, b.illness FROM people a JOIN people b USING (id)), quasi => (age, sex), k => 3) LIMIT 1".to_owned(),
        "SELECT 1 FROM private(people, count => true, epsilon => 1) LIMIT 1".to_owned(),
    ];
    all.push(all[9].replace("LIMIT 1", "WHERE sex = 'f' LIMIT 1"));
    all
}

#[test]
fn explain_and_rewrite_tell_no_number_of_the_data() {
    let (_folder, mut session) = session();
    for sql in statements() {
        match session.explain(&sql) {
            Ok(explained) => {
                tells_nothing("EXPLAIN", &sql, &explained.to_string());
                tells_nothing("EXPLAIN as JSON", &sql, &serde_json::to_string(&explained.trace).unwrap());
            }
            Err(error) => tells_nothing("the error", &sql, &error.to_string()),
        }
    }
}

#[test]
fn every_rule_by_name_tells_no_number_of_the_data() {
    let (_folder, mut session) = session();
    session.set("partial", "true").unwrap();
    let rules: Vec<Choice> = catalogue().into_iter().filter_map(|rule| rule.card().id.parse().ok()).collect();
    for sql in statements() {
        for wish in [Wish::Cheaper(Switches::default()), Wish::InTurn(rules.clone())] {
            match session.rewrite(Written::Sql(sql.clone()), wish) {
                Ok(done) => {
                    tells_nothing("the tree", &sql, &format!("{}\n{}", done.before, done.after));
                    tells_nothing("the log", &sql, &serde_json::to_string(&done.trace).unwrap());
                    tells_nothing("the document", &sql, &done.xml.unwrap_or_default());
                    assert_eq!(done.cost, None, "{sql}");
                }
                Err(error) => tells_nothing("the error", &sql, &error.to_string()),
            }
        }
    }
}

#[test]
fn accounts_notes_and_errors_tell_no_number_of_the_data() {
    let (_folder, mut session) = session();
    let (mut answers, mut errors) = (0, 0);
    for sql in statements() {
        match session.run(&sql) {
            Ok(answer) => {
                answers += 1;
                for account in &answer.accounts {
                    tells_nothing("the account", &sql, &account.to_string());
                    let document = serde_json::to_string(account).unwrap();
                    tells_nothing("the account as JSON", &sql, &document);
                    assert!(!document.contains("draws"), "{document}");
                }
                tells_nothing("the rules", &sql, &serde_json::to_string(&answer.trace).unwrap());
                tells_nothing("the notes", &sql, &answer.notes.join("\n"));
            }
            Err(error) => {
                errors += 1;
                tells_nothing("the error", &sql, &format!("{error} {error:?}"));
            }
        }
    }
    assert!(answers > 7 && errors > 4, "{answers} answers, {errors} errors");
}

/// The rows of the answer are the answer: what can be counted there may be said.
#[test]
fn estimates_are_told_where_the_answer_shows_all_rows() {
    let (_folder, mut session) = session();
    let randomized = "randomize((SELECT sex FROM people), columns => ((sex, 0.5, uniform('f', 'm'))))";
    let beside =
        "randomize((SELECT sex, 1 AS other FROM people), columns => ((sex, 0.5, uniform('f', 'm'))))";
    for (sql, told) in [
        (format!("SELECT * FROM {randomized}"), true),
        (format!("SELECT other, sex AS noisy FROM {beside}"), true),
        // The estimates would name values of a column that the answer does not have.
        (format!("SELECT other AS a, other AS b FROM {beside}"), false),
        (format!("SELECT sex, count(*) AS n FROM {randomized} GROUP BY sex ORDER BY n"), true),
        (format!("SELECT * FROM {randomized} LIMIT 5"), false),
        (format!("SELECT * FROM {randomized} WHERE sex = 'f'"), false),
        (format!("SELECT max(sex) FROM {randomized}"), false),
        (format!("SELECT sex FROM (SELECT sex, count(*) AS n FROM {randomized} GROUP BY sex)"), false),
        (format!("SELECT sex, count(*) AS n FROM {randomized} GROUP BY sex HAVING count(*) > 9"), false),
    ] {
        let answer = session.run(&sql).unwrap();
        let text = answer.accounts[0].to_string();
        assert_eq!(text.contains("rows estimated"), told, "{sql}: {text}");
    }
}
