//! Consent that is given and withdrawn by command: whoever withdrew is in no scan, no answer and no figure.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

mod ward;

use datafusion::arrow::util::display::array_value_to_string;
use paravent_algebra::session::Session;
use paravent_policy::check_columns;
use paravent_processor::adapt::adapt;
use paravent_processor::ask::catalog;
use paravent_processor::consent::{self, ConsentError, Cover, Given, Told};
use paravent_processor::plan::Relation;
use paravent_processor::question::Question;
use paravent_processor::state::State;
use paravent_processor::{plan, view};
use paravent_tables::watch::Unwatched;
use serde_json::Value;
use std::fs;
use std::sync::Arc;
use ward::{POLICY, Ward, rows};

const COUNT: &str = "SELECT count(*) FROM patients";

/// Little noise, and people who have to agree.
fn noisy() -> String {
    let precise = POLICY
        .replace("epsilon = \"0.5\"", "epsilon = \"40\"")
        .replace("epsilon = \"0.25\"", "epsilon = \"20\"")
        .replace("epsilon = \"2\"", "epsilon = \"4000\"");
    format!("{precise}\n[consent]\n")
}

/// Exact figures about at least ten people.
fn exact(batch: u32) -> String {
    let trusting = POLICY
        .replace("noise = { epsilon = \"0.5\", delta = \"1e-7\" }\n", "")
        .replace("noise = { epsilon = \"0.25\" }\n", "")
        .replace("trust = \"untrusted\"\n", "trust = \"trusted\"\n");
    format!("{trusting}\n[consent]\nbatch = {batch}\n")
}

fn given(person: impl Into<String>) -> Given {
    Given { person: person.into(), purpose: "statistics".to_owned(), from: None, until: None }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| value.as_str().unwrap().parse().unwrap())
}

/// Every cell that an answer is worked out of. `with_everybody` is a processor that forgets to ask who agreed.
fn scanned(ward: &Ward, sql: &str, with_everybody: bool) -> Vec<String> {
    let jobs = check_columns(&ward.policy).unwrap();
    let asker = ward.policy.asker("research", "statistics").unwrap();
    let adapted = adapt(&ward.policy, asker, Question::read(sql).unwrap(), &jobs).unwrap();
    let session = Session::new(catalog(&adapted)).unwrap();
    let part = adapted.first();
    let selections = plan::selections(part, &ward.policy, &session.context().state()).unwrap();
    let raw = plan::read_by(&selections);
    let state = State::open(&ward.policy.state_folder()).unwrap();
    let agreed = consent::in_effect(&ward.policy, "statistics", Cover::Noise, &state).unwrap().unwrap();
    let exists = |person: Option<&str>| {
        with_everybody || person.is_some_and(|person| agreed.contains(&consent::number(&state, person)))
    };
    let table = view::read(&adapted, part, &raw, &exists, &Unwatched).unwrap();
    let table = Arc::new(view::table(table).unwrap());
    let plan = plan::existing(&adapted, &[Relation { table, selections }]).unwrap();
    let mut cells = Vec::new();
    for batch in session.read_plan(plan).unwrap() {
        for column in batch.columns() {
            cells.extend((0..batch.num_rows()).map(|row| array_value_to_string(column, row).unwrap()));
        }
    }
    cells
}

#[test]
fn whoever_withdrew_is_in_no_scan_no_answer_and_no_figure() {
    let ward = Ward::with(&noisy(), &rows(200));
    assert!(number(&ward.answer(COUNT).rows[0][0]).abs() < 5.0, "nobody has agreed");
    let everybody: Vec<Given> = (0..200).map(|i| given(format!("p{i}"))).collect();
    assert_eq!(consent::give(&ward.policy, &everybody).unwrap(), 200);
    assert!((number(&ward.answer(COUNT).rows[0][0]) - 180.0).abs() < 5.0, "the next answer knows it");
    assert!(scanned(&ward, COUNT, false).contains(&"p17".to_owned()));
    // Half of them go.
    let gone: Vec<String> = (0..100).map(|i| format!("p{i}")).collect();
    consent::withdraw(&ward.policy, Some("statistics"), &gone).unwrap();
    let paid = ward.paid();
    assert!((number(&ward.answer(COUNT).rows[0][0]) - 90.0).abs() < 5.0, "the next answer knows it");
    assert_eq!(ward.paid(), paid + 1, "the answer with them is not given again");
    let by_sex = ward.answer("SELECT sex, count(*), sum(salary) FROM patients GROUP BY sex");
    let counted: f64 = by_sex.rows.iter().map(|row| number(&row[1])).sum();
    assert!((counted - 90.0).abs() < 5.0);
    for sql in [COUNT, "SELECT sex, sum(salary) FROM patients WHERE zip = '10***' GROUP BY sex"] {
        let cells = scanned(&ward, sql, false);
        assert!(cells.contains(&"p101".to_owned()), "{sql}");
        assert!(!gone.iter().any(|person| cells.contains(person)), "{sql}");
        // A processor that forgets to ask is seen by the same look.
        let careless = scanned(&ward, sql, true);
        assert!(careless.contains(&"p17".to_owned()), "{sql}");
    }
    // Whoever comes back is there again.
    consent::give(&ward.policy, &everybody).unwrap();
    assert!((number(&ward.answer(COUNT).rows[0][0]) - 180.0).abs() < 5.0);
    assert!(scanned(&ward, COUNT, false).contains(&"p17".to_owned()));
}

#[test]
fn the_last_word_by_command_counts_and_the_file_speaks_for_the_others() {
    let policy = noisy().replace("[consent]\n", "[consent]\ntable = \"consents.csv\"\n");
    let ward = Ward::with(&policy, &rows(50));
    let mut file = String::from("person,purpose,from,until\n");
    (0..20).for_each(|i| file.push_str(&format!("p{i},statistics,2020-01-01,\n")));
    fs::write(ward.folder.path().join("consents.csv"), file).unwrap();
    let agreed = || consent::list(&ward.policy).unwrap();
    let statistics = |listed: &[consent::Listed]| {
        let one = listed.iter().find(|one| one.purpose == "statistics").unwrap().clone();
        (one.agreed, one.withdrawn)
    };
    assert_eq!(statistics(&agreed()), (20, 0));
    consent::withdraw(&ward.policy, None, &["p1".to_owned(), "p2".to_owned(), "nobody".to_owned()]).unwrap();
    assert_eq!(statistics(&agreed()), (18, 3), "a withdrawal beats the file");
    let over = Given { until: Some("2020-12-31".to_owned()), ..given("p3") };
    let later = Given { from: Some("2999-01-01".to_owned()), ..given("p40") };
    let other = Given { purpose: "gait-study".to_owned(), ..given("p41") };
    consent::give(&ward.policy, &[given("p2"), over, later, other]).unwrap();
    assert_eq!(
        statistics(&agreed()),
        (18, 2),
        "p2 came back; the days of p3 are over, those of p40 not begun"
    );
    let of = |person: &str| {
        let all = consent::of_person(&ward.policy, person).unwrap();
        let one = all.into_iter().find(|one| one.purpose == "statistics").unwrap();
        (one.agrees, one.told)
    };
    assert_eq!(of("p5"), (true, Told::File));
    assert_eq!(of("p45"), (false, Told::Nothing));
    assert!(matches!(of("p1"), (false, Told::Withdrawn { .. })));
    assert!(matches!(of("p2"), (true, Told::Given { .. })));
    assert!(matches!(of("p3"), (false, Told::Given { .. })));
    // No name is in the state.
    let text = fs::read_to_string(ward.folder.path().join("state/consents.jsonl")).unwrap();
    assert!(!text.contains("p40") && !text.contains("nobody"), "{text}");
}

#[test]
fn a_file_is_taken_as_a_whole_or_not_at_all() {
    let ward = Ward::with(&noisy(), &rows(50));
    let path = ward.folder.path().join("signed.csv");
    let import = |rows: &str| {
        fs::write(&path, format!("person,purpose,from,until\n{rows}")).unwrap();
        consent::import(&ward.policy, &path)
    };
    let wrong = [
        (
            "p1,statistics,,\np2,statistic,,\n",
            "row 2 of the file: no recipient of the policy has this purpose",
        ),
        ("p1,statistics,,\n,statistics,,\n", "row 2 of the file: a person has no name"),
        ("p1,statistics,soon,\n", "row 1 of the file: a day is written as 2026-11-17"),
        ("p1,statistics,2026-02-01,2026-01-01\n", "row 1 of the file: a day is written as 2026-11-17"),
    ];
    for (rows, message) in wrong {
        let error = import(rows).unwrap_err();
        assert!(error.to_string().starts_with(message), "{error}");
        assert!(!ward.folder.path().join("state").exists(), "nothing was written: {message}");
    }
    assert_eq!(import("p1,statistics,,\np1,gait-study,,\np2,statistics,2020-01-01,2999-12-31\n").unwrap(), 2);
    let listed = consent::list(&ward.policy).unwrap();
    assert_eq!(listed.iter().map(|one| one.agreed).collect::<Vec<_>>(), [1, 2]);
    fs::write(&path, "who,what\np1,statistics\n").unwrap();
    let error = consent::import(&ward.policy, &path).unwrap_err().to_string();
    assert!(error.contains("has not the columns person, purpose, from and until"), "{error}");
    // A policy without [consent] has no use for it.
    let other = Ward::new();
    assert!(matches!(consent::give(&other.policy, &[given("p1")]), Err(ConsentError::NotAsked)));
    assert!(matches!(consent::list(&other.policy), Err(ConsentError::NotAsked)));
}

/// A crash while a line is written leaves the state before it or after it, whatever byte it got to.
#[test]
fn a_crash_leaves_the_consents_before_it_or_after_it() {
    let ward = Ward::with(&noisy(), &rows(20));
    let agreed = || consent::list(&ward.policy).map(|listed| listed[1].agreed);
    consent::give(&ward.policy, &[given("p1"), given("p2"), given("p3")]).unwrap();
    let path = ward.folder.path().join("state/consents.jsonl");
    let before = fs::read(&path).unwrap();
    consent::withdraw(&ward.policy, None, &["p2".to_owned()]).unwrap();
    let after = fs::read(&path).unwrap();
    for length in before.len()..after.len() {
        fs::write(&path, &after[..length]).unwrap();
        assert_eq!(agreed().unwrap(), 3, "cut at {length}");
        assert_eq!(fs::read(&path).unwrap(), before, "what was never told is taken away");
    }
    fs::write(&path, &after).unwrap();
    assert_eq!(agreed().unwrap(), 2);
    // A line that was changed, a line that is missing in the middle, another key: nobody knows who agreed, so nothing is answered.
    let text = String::from_utf8(after.clone()).unwrap();
    let without: String = text
        .lines()
        .enumerate()
        .filter(|(line, _)| *line != 1)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    for wrong in [text.replacen("\"withdrawn\"", "\"given\"", 1), without] {
        fs::write(&path, wrong).unwrap();
        assert!(agreed().is_err() && ward.ask(COUNT).is_err());
    }
    fs::write(&path, &after).unwrap();
    fs::remove_file(ward.folder.path().join("state/key")).unwrap();
    assert!(agreed().unwrap_err().to_string().contains("another key"));
    assert!(ward.ask(COUNT).is_err(), "people who withdrew do not come back");
}

/// Two exact answers around one withdrawal would tell of one person: the second is withheld, or the withdrawal waits.
#[test]
fn exact_answers_around_a_withdrawal_do_not_differ_by_one_person() {
    let everybody: Vec<Given> = (0..200).map(|i| given(format!("p{i}"))).collect();
    let at_once = Ward::with(&exact(1), &rows(200));
    consent::give(&at_once.policy, &everybody).unwrap();
    assert_eq!(at_once.answer(COUNT).rows[0][0], 180);
    consent::withdraw(&at_once.policy, None, &["p17".to_owned()]).unwrap();
    assert!(at_once.answer(COUNT).rows.is_empty(), "179 beside 180 would tell of one person");
    let in_batches = Ward::with(&exact(10), &rows(200));
    consent::give(&in_batches.policy, &everybody).unwrap();
    assert_eq!(in_batches.answer(COUNT).rows[0][0], 180);
    let gone: Vec<String> = (0..20).filter(|i| i % 10 != 0).map(|i| format!("p{i}")).collect();
    consent::withdraw(&in_batches.policy, None, &gone[..9]).unwrap();
    assert_eq!(in_batches.answer(COUNT).rows[0][0], 180, "nine wait");
    let listed = consent::list(&in_batches.policy).unwrap();
    let waiting: Vec<usize> = listed.iter().map(|one| one.waiting).collect();
    assert_eq!(waiting, [0, 9]);
    consent::withdraw(&in_batches.policy, None, &gone[9..]).unwrap();
    assert_eq!(in_batches.answer(COUNT).rows[0][0], 162, "eighteen are enough");
    assert_eq!(consent::list(&in_batches.policy).unwrap()[1].waiting, 0);
}
