//! What noisy answers cost, over sessions, recipients, copies and crashes.
#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use paravent_algebra::catalog::Catalog;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::ledger::{Book, Spending};
use paravent_algebra::lower::Account;
use paravent_algebra::session::Session;
use paravent_ledger::{LedgerFile, Limit};
use paravent_noise::budget::Cost;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn table() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    let mut text = String::from("id,sex,genre\n");
    (0..60).for_each(|i| {
        text.push_str(&format!("{i},{},{}\n", ["f", "m"][i % 2], ["law", "crime", "art"][i % 3]))
    });
    fs::write(&path, text).unwrap();
    (folder, path)
}

fn session(table: &Path, book: Book) -> Session {
    let mut session = Session::new(Catalog::empty()).unwrap();
    session.keep_book(book);
    session.register_file(None, table).unwrap();
    session
}

fn ask(epsilon: &str) -> String {
    format!("SELECT * FROM private(people, count => true, epsilon => {epsilon})")
}

fn spent(ledger: &Path, recipient: &str) -> String {
    let log = LedgerFile::read(ledger).unwrap();
    assert_eq!(log.broken, None);
    let all = Spending::of(&log, ledger).unwrap();
    all.iter()
        .find(|one| one.recipient == recipient)
        .map_or_else(|| "nothing".to_owned(), |one| one.spent().to_string())
}

#[test]
fn sessions_spend_one_budget_and_recipients_their_own() {
    let (_folder, table) = table();
    let ledger = LedgerFile::beside(&table.canonicalize().unwrap());
    for _ in 0..2 {
        session(&table, Book::on_disk(None, None)).run(&ask("0.4")).unwrap();
    }
    let error = session(&table, Book::on_disk(None, None)).run(&ask("0.4")).unwrap_err();
    assert!(
        matches!(error, AlgebraError::Ledger(_)) && error.to_string().contains("left ε = 0.2"),
        "{error}"
    );
    assert_eq!(spent(&ledger, "anyone"), "ε = 0.8");
    session(&table, Book::on_disk(None, None).towards("press")).run(&ask("0.9")).unwrap();
    assert_eq!(spent(&ledger, "press"), "ε = 0.9");
    // A row more is no new data set.
    let longer = fs::read_to_string(&table).unwrap() + "60,f,law\n";
    fs::write(&table, longer).unwrap();
    session(&table, Book::on_disk(None, None)).run(&ask("0.4")).unwrap_err();
    // The same table by another name neither.
    std::os::unix::fs::symlink(&table, table.with_file_name("link.csv")).unwrap();
    let link = table.with_file_name("link.csv");
    let asked = ask("0.4").replace("people", "link");
    session(&link, Book::on_disk(None, None)).run(&asked).unwrap_err();
}

#[test]
fn the_owner_sets_the_limit_and_whoever_asks_lowers_it() {
    let (folder, table) = table();
    let job = folder.path().join("study.toml");
    let text = "version = 1\ninput.path = \"people.csv\"\nattributes = [{ name = \"sex\", role = \"quasi-identifier\" }]\n\
                privacy = { models = [{ model = \"k-anonymity\", k = 2 }], budget = { epsilon = \"2.5\", delta = \"1e-6\" } }\n";
    fs::write(&job, text).unwrap();
    let catalog = || Catalog::load(&job).unwrap();
    let open = || {
        let mut session = Session::new(catalog()).unwrap();
        session.keep_book(Book::on_disk(None, catalog().job()));
        session.register_file(None, &table).unwrap();
        session
    };
    let mut more = open();
    let error = more.lower_budget("1000", None).unwrap_err().to_string();
    assert!(
        error.contains("can only be lowered") && error.contains("2.5") && error.contains("[privacy] budget"),
        "{error}"
    );
    assert!(more.lower_budget("1", Some("0.001")).is_err(), "δ neither");
    let mut less = open();
    less.lower_budget("1", None).unwrap();
    less.run(&ask("1.5")).unwrap_err();
    less.run(&ask("1")).unwrap();
    open().run(&ask("1.5")).unwrap();
    open().run(&ask("0.000001")).unwrap_err();
    assert_eq!(spent(&folder.path().join("study.ledger.jsonl").canonicalize().unwrap(), "anyone"), "ε = 2.5");
    assert!(!folder.path().join("people.ledger.jsonl").exists(), "the job's ledger is the one");
}

#[test]
fn a_ledger_can_bring_the_limit_of_its_owner() {
    let (_folder, table) = table();
    let ledger = LedgerFile::beside(&table.canonicalize().unwrap());
    LedgerFile::start(&ledger, Limit { epsilon: "3".into(), delta: "0".into() }).unwrap();
    session(&table, Book::on_disk(None, None)).run(&ask("2.9")).unwrap();
    session(&table, Book::on_disk(None, None)).run(&ask("0.2")).unwrap_err();
    assert!(session(&table, Book::on_disk(None, None)).lower_budget("4", None).is_err());
}

#[test]
fn every_copy_of_a_cell_is_charged() {
    let (_folder, table) = table();
    let noisy = "randomize((SELECT sex FROM people), columns => ((sex, 0.5, uniform('f', 'm'))))";
    let once = format!("SELECT * FROM {noisy}");
    // ln 3, rounded up to a millionth.
    let price = Cost::parse("1.098613", None).unwrap();
    let limit = || Book::in_memory(Cost::parse("1000", None).unwrap());
    let charged = |sql: &str| {
        let mut session = session(&table, limit());
        // Sixty operators take their time on a machine with other work.
        session.run("SET paravent.seconds = 600").unwrap();
        let answer = session.run(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        let last = answer.accounts.last().unwrap();
        let Account::Randomize(account) = last else { panic!("{sql}: {last}") };
        assert!(last.to_string().contains(&account.charge.spent), "the answer says the sum: {last}");
        account.charge.spent.clone()
    };
    let times = |copies: u64| price.times(copies).to_string();
    assert_eq!(charged(&once), times(1));
    assert_eq!(charged(&vec![once.clone(); 60].join(" UNION ALL ")), times(60));
    let below = |relation: &str| {
        format!("SELECT * FROM randomize(({relation}), columns => ((sex, 0.5, uniform('f', 'm'))))")
    };
    let copies = vec!["SELECT sex FROM people"; 60].join(" UNION ALL ");
    assert_eq!(charged(&below(&copies)), times(60), "copies below the operator");
    assert_eq!(
        charged(&below("SELECT a.sex FROM people a JOIN people b ON a.id = b.id")),
        times(1),
        "one partner each"
    );
    assert_eq!(charged(&below("SELECT a.sex FROM people a, people b WHERE a.id = b.id")), times(1));
    assert_eq!(charged(&below("SELECT sex, count(*) AS n FROM people GROUP BY sex, genre")), times(1));
    let generalized = "SELECT * FROM randomize(generalize((SELECT sex, genre FROM people), quasi => (genre), k => 2), columns => ((sex, 0.5, uniform('f', 'm'))))";
    assert_eq!(charged(generalized), times(1), "labels do not multiply rows");
    let sliced = "SELECT * FROM randomize(slice((SELECT sex, genre FROM people), groups => (sex, genre), bucket => 5), columns => ((sex, 0.5, uniform('f', 'm'))))";
    assert_eq!(charged(sliced), times(1));
    let two = "SELECT * FROM randomize((SELECT sex, sex AS again FROM people), columns => ((sex, 0.5, uniform('f', 'm')), (again, 0.5, uniform('f', 'm'))))";
    assert_eq!(charged(two), times(2), "columns add up");
    // Everything is redrawn: nothing is told, and nothing is charged.
    let all = "SELECT * FROM randomize((SELECT sex FROM people), columns => ((sex, 1, uniform('f', 'm'))))";
    assert_eq!(charged(all), Cost::nothing().to_string());
    for unbounded in [
        below("SELECT a.sex FROM people a CROSS JOIN generate_series(1, 60)"),
        below("SELECT a.sex FROM people a JOIN people b ON a.sex = b.sex"),
        below("SELECT max(sex) OVER () AS sex FROM people"),
        below("SELECT (SELECT sex FROM people WHERE id = 7 LIMIT 1) AS sex FROM people"),
        below(
            "WITH RECURSIVE r AS (SELECT sex, 1 AS i FROM people UNION ALL SELECT sex, i + 1 FROM r WHERE i < 60) SELECT sex FROM r",
        ),
        once.replace("0.5", "0"),
        once.replace("uniform('f', 'm')", "given(('f', 1), ('m', 0))"),
    ] {
        let Err(error) = session(&table, limit()).run(&unbounded) else {
            panic!("{unbounded} has an answer")
        };
        assert!(error.to_string().contains("no ε bounds"), "{unbounded}: {error}");
        session(&table, limit().allowing_unbounded()).run(&unbounded).unwrap();
    }
    // Sixty copies against a limit of one: refused, and nothing of it is paid but what was granted.
    let error = session(&table, Book::on_disk(None, None)).run(&below(&copies)).unwrap_err().to_string();
    assert!(error.contains("65.91678") && error.contains("left ε = 1"), "{error}");
}

#[test]
fn a_ledger_that_cannot_be_kept_is_an_error_before_anything_is_drawn() {
    let (folder, table) = table();
    let nowhere = Path::new("/proc/no.ledger.jsonl");
    let error = session(&table, Book::on_disk(Some(nowhere), None)).run(&ask("0.1")).unwrap_err().to_string();
    assert!(error.contains("/proc/no.ledger.jsonl") && error.contains("nothing was drawn"), "{error}");
    let error = session(&table, Book::on_disk(Some(folder.path()), None)).run(&ask("0.1")).unwrap_err();
    assert!(error.to_string().contains("ledger"), "{error}");
    // What costs nothing needs no ledger.
    session(&table, Book::on_disk(Some(nowhere), None)).run("SELECT count(*) FROM people").unwrap();
    assert!(!LedgerFile::beside(&table).exists());
}

#[test]
fn a_torn_line_refuses_and_two_tables_are_both_charged() {
    let (folder, table) = table();
    fs::copy(&table, folder.path().join("others.csv")).unwrap();
    let mut both = session(&table, Book::on_disk(None, None));
    both.register_file(None, &folder.path().join("others.csv")).unwrap();
    both.run(&ask("0.75")).unwrap();
    let ledgers = ["people", "others"]
        .map(|name| folder.path().canonicalize().unwrap().join(format!("{name}.ledger.jsonl")));
    assert_eq!(ledgers.clone().map(|ledger| spent(&ledger, "anyone")), ["ε = 0.75", "ε = 0.75"]);
    let bytes = fs::read(&ledgers[0]).unwrap();
    fs::write(&ledgers[0], &bytes[..bytes.len() - 5]).unwrap();
    let error = session(&table, Book::on_disk(None, None)).run(&ask("0.1")).unwrap_err().to_string();
    assert!(error.contains("has no end"), "{error}");
    fs::write(&ledgers[0], [&bytes[..40], b"x", &bytes[41..]].concat()).unwrap();
    let error = session(&table, Book::on_disk(None, None)).run(&ask("0.1")).unwrap_err().to_string();
    assert!(error.contains("not as it was written"), "{error}");
}

/// What a child process does: grants, each followed by a mark that stands for a draw. The faulty one draws first.
const CHILD: &str = "PARAVENT_TEST_LEDGER";

#[test]
fn child() {
    let Ok(work) = std::env::var(CHILD) else { return };
    let (mode, path) = work.split_once(' ').unwrap();
    let path = Path::new(path);
    let mark = || {
        let mut marks =
            OpenOptions::new().append(true).create(true).open(path.with_extension("marks")).unwrap();
        marks.write_all(b".").unwrap();
    };
    let mut book = Book::on_disk(Some(path), None);
    loop {
        if mode == "faulty" {
            mark();
            std::thread::sleep(Duration::from_millis(3));
        }
        let Ok(_grant) = book.grant("draw", Cost::parse("0.000001", None).unwrap()) else { return };
        if mode == "sound" {
            mark();
        }
    }
}

/// Draws and paid grants after processes were killed at some moment, many times.
fn after_kills(mode: &str, times: u64) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    for kill in 0..times {
        let mut children: Vec<_> = (0..2)
            .map(|_| {
                let mut child = Command::new(std::env::current_exe().unwrap());
                child.args(["child", "--exact"]).env(CHILD, format!("{mode} {}", path.display()));
                child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
            })
            .collect();
        std::thread::sleep(Duration::from_millis(20 + kill * 37 % 60));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // A line that a kill has cut off is the owner's to count.
        if let Ok(torn) = LedgerFile::torn(&path) {
            let counted = paravent_ledger::Paid {
                recipient: "anyone".into(),
                epsilon: "0.000001".into(),
                delta: "0".into(),
                label: "torn".into(),
            };
            torn.mend(counted).unwrap();
        }
    }
    let log = LedgerFile::read(&path).unwrap();
    assert_eq!(log.broken, None);
    let paid = log.lines.iter().filter(|line| line.record.paid().is_some()).count() as u64;
    let drawn = fs::metadata(path.with_extension("marks")).map_or(0, |marks| marks.len());
    (drawn, paid)
}

#[test]
fn killed_at_any_moment_nothing_was_drawn_that_was_not_paid() {
    let (drawn, paid) = after_kills("sound", 12);
    assert!(drawn > 0 && drawn <= paid, "{drawn} drawn, {paid} paid");
}

/// The test above sees a ledger that is written after the draw.
#[test]
fn a_ledger_that_is_written_too_late_is_found_out() {
    let (drawn, paid) = after_kills("faulty", 12);
    assert!(drawn > paid, "{drawn} drawn, {paid} paid");
}

/// Every row of a person is drawn for by itself: who has three has three times the ε, whatever the question picks.
#[test]
fn randomize_costs_as_many_times_as_one_person_has_rows() {
    let (folder, _) = table();
    let visits = folder.path().join("visits.csv");
    fs::write(&visits, "id,sex,cost\n1,f,3\n1,f,4\n1,f,5\n2,m,3\n3,f,9\n3,f,1\n").unwrap();
    let job = folder.path().join("study.toml");
    let text = "version = 1\ninput.path = \"visits.csv\"\nattributes = [{ name = \"id\", role = \"identifying\" }, { name = \"sex\", role = \"quasi-identifier\" }]\n\
                privacy = { models = [{ model = \"k-anonymity\", k = 2 }], person = \"id\" }\n";
    fs::write(&job, text).unwrap();
    let charged = |relation: &str| {
        let mut session = Session::new(Catalog::load(&job).unwrap()).unwrap();
        session.keep_book(Book::in_memory(Cost::parse("100", None).unwrap()));
        session.register_file(None, &visits).unwrap();
        let statement = format!(
            "SELECT sex, count(*) AS n FROM randomize(({relation}), columns => ((sex, 0.5, uniform('f', 'm')))) GROUP BY sex"
        );
        let answer = session.run(&statement).unwrap_or_else(|error| panic!("{relation}: {error}"));
        let [Account::Randomize(account)] = answer.accounts.as_slice() else { panic!("one account") };
        account.charge.epsilon.clone()
    };
    // ln 3, rounded up to a millionth, for each of three rows.
    assert_eq!(charged("SELECT sex FROM visits"), "3.295839");
    // A selection does not change it: the charge would count the rows of whoever was picked.
    assert_eq!(charged("SELECT sex FROM visits WHERE id = 2"), "3.295839");
    assert_eq!(charged("SELECT sex FROM visits UNION ALL SELECT sex FROM visits"), "6.591678");
}
