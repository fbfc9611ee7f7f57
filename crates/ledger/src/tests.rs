use super::*;
use crate::log::Log;
use paravent_noise::budget::Cost;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};

fn paid(number: u32) -> Paid {
    Paid {
        recipient: "anyone".into(),
        epsilon: format!("0.{number}"),
        delta: "0".into(),
        label: format!("private {number}"),
    }
}

/// A ledger with so many grants in a folder of its own.
fn ledger(grants: u32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.ledger.jsonl");
    let mut ledger = LedgerFile::lock(&path).unwrap();
    (1..=grants).for_each(|number| drop(ledger.append(Record::Grant(paid(number))).unwrap()));
    (folder, path)
}

fn grants(log: &Log<Record>) -> Vec<&Paid> {
    log.lines.iter().filter_map(|line| line.record.paid()).collect()
}

#[test]
fn what_was_granted_is_read_back_by_the_next_one() {
    let (_folder, path) = ledger(3);
    let log = LedgerFile::read(&path).unwrap();
    assert_eq!((log.lines.len(), &log.broken), (4, &None));
    assert_eq!(grants(&log), [&paid(1), &paid(2), &paid(3)]);
    LedgerFile::lock(&path).unwrap().append(Record::Grant(paid(4))).unwrap();
    assert_eq!(LedgerFile::read(&path).unwrap().lines.len(), 5);
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o077, 0, "nobody else reads it");
}

#[test]
fn it_lies_beside_the_job_or_the_table() {
    let beside = |text: &str| LedgerFile::beside(Path::new(text)).display().to_string();
    assert_eq!(beside("study/paravent.toml"), "study/paravent.ledger.jsonl");
    assert_eq!(beside("p.2024.csv"), "p.2024.ledger.jsonl");
}

#[test]
fn a_last_line_without_an_end_grants_nothing_until_the_owner_counts_it() {
    let (_folder, path) = ledger(2);
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for cut in [last + 1, last + 40, whole.len() - 1] {
        fs::write(&path, &whole[..cut]).unwrap();
        assert!(matches!(LedgerFile::lock(&path), Err(LedgerError::Torn { line: 3, .. })), "cut at {cut}");
        assert_eq!(fs::read(&path).unwrap(), &whole[..cut], "looking changes nothing");
        let torn = LedgerFile::torn(&path).unwrap();
        assert_eq!(torn.found().as_bytes(), &whole[last..cut]);
        torn.mend(paid(9)).unwrap();
        let mut again = LedgerFile::lock(&path).unwrap();
        assert_eq!(grants(again.log()), [&paid(1), &paid(9)]);
        again.append(Record::Grant(paid(3))).unwrap();
        drop(again);
        assert_eq!(LedgerFile::read(&path).unwrap().broken, None);
        assert!(matches!(LedgerFile::torn(&path), Err(LedgerError::NotTorn { .. })));
    }
    // Cut at the end of a line: that no chain can show, unless its head was kept.
    let head = Log::<Record>::read(&whole).head;
    fs::write(&path, &whole[..last]).unwrap();
    let log = LedgerFile::read(&path).unwrap();
    assert_eq!(log.broken, None);
    assert!(!log.has(&head) && log.has(&log.head));
}

#[test]
fn an_emptied_file_a_folder_and_a_device_are_no_ledgers() {
    let (folder, path) = ledger(1);
    fs::write(&path, "").unwrap();
    assert!(matches!(LedgerFile::lock(&path), Err(LedgerError::Broken { .. })));
    assert!(matches!(LedgerFile::lock(Path::new("/dev/null")), Err(LedgerError::NotAFile { .. })));
    assert!(LedgerFile::lock(folder.path()).is_err());
    assert!(matches!(LedgerFile::read(&folder.path().join("none")), Err(LedgerError::Missing { .. })));
    assert!(!folder.path().join("none").exists(), "reading starts nothing");
}

#[test]
fn a_ledger_is_started_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.ledger.jsonl");
    let limit = Limit { epsilon: "5".into(), delta: "0".into() };
    LedgerFile::start(&path, limit.clone()).unwrap();
    assert!(matches!(LedgerFile::start(&path, limit), Err(LedgerError::Exists { .. })));
    let log = LedgerFile::read(&path).unwrap();
    assert!(
        matches!(&log.lines[0].record, Record::Ledger { limit: Some(limit), .. } if limit.epsilon == "5")
    );
}

#[test]
fn one_at_a_time_and_no_line_is_lost() {
    let (_folder, path) = ledger(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for number in 0..10 {
                    LedgerFile::lock(&path).unwrap().append(Record::Grant(paid(number))).unwrap();
                }
            });
        }
    });
    let log = LedgerFile::read(&path).unwrap();
    assert_eq!((grants(&log).len(), log.broken), (80, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// One byte changed anywhere: nothing more is granted.
    #[test]
    fn an_edit_is_seen(place in 0usize..2000, byte: u8) {
        let (_folder, path) = ledger(3);
        let mut bytes = fs::read(&path).unwrap();
        let place = place % bytes.len();
        prop_assume!(bytes[place] != byte);
        bytes[place] = byte;
        fs::write(&path, &bytes).unwrap();
        prop_assert!(LedgerFile::lock(&path).is_err());
    }

    /// A line less anywhere but at the end: nothing more is granted.
    #[test]
    fn a_missing_line_is_seen(line in 0usize..3) {
        let (_folder, path) = ledger(3);
        let text = fs::read_to_string(&path).unwrap();
        let left: Vec<&str> = text.split_inclusive('\n').enumerate().filter(|(i, _)| *i != line).map(|(_, l)| l).collect();
        fs::write(&path, left.concat()).unwrap();
        prop_assert!(LedgerFile::lock(&path).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn looking_says_what_a_grant_does_and_writes_nothing(
        costs in prop::collection::vec(1u32..9, 1..12),
        on_disk: bool,
        lowered: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.ledger.jsonl");
        let mut book = match on_disk {
            true => Book::on_disk(Some(&path), None),
            false => Book::in_memory(Cost::parse("1", Some("0.000001")).unwrap()),
        };
        if lowered {
            book.lower("0.9", None).unwrap();
        }
        for tenths in costs {
            let cost = Cost::parse(&format!("0.{tenths}"), None).unwrap();
            let before = fs::read(&path).ok();
            let looked = book.would_grant(&cost);
            prop_assert_eq!(fs::read(&path).ok(), before);
            match (looked, book.grant("a draw", cost)) {
                (Ok(looked), Ok(_)) => prop_assert_eq!(looked, (book.spent(), book.left())),
                (Err(looked), Err(refused)) => prop_assert_eq!(looked.to_string(), refused.to_string()),
                (looked, granted) => prop_assert!(false, "{:?}, but {:?}", looked.is_ok(), granted.is_ok()),
            }
        }
    }
}
