use std::fs;
use std::thread;
use std::time::Duration;

use super::*;

#[test]
fn what_is_no_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("none.csv");
    let error = Input::new(ReadOptions::new(&missing)).unwrap_err();
    assert_eq!(error.to_string(), format!("{}: no such file", missing.display()));
    assert!(matches!(Input::new(ReadOptions::new(directory.path())), Err(ReadError::Directory { .. })));
    assert!(matches!(digest(directory.path()), Err(ReadError::Directory { .. })));
    assert!(matches!(digest(&missing), Err(ReadError::NotFound { .. })));
}

#[test]
fn digests_are_of_the_bytes_as_stored() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "abc").unwrap();
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest(file.path()).unwrap(), expected);
    assert_eq!(Input::new(ReadOptions::new(file.path())).unwrap().digest().unwrap(), expected);
    assert_eq!(input("x.csv", "abc").digest().unwrap(), expected);
}

#[test]
fn a_changed_file_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv");
    fs::write(&path, "a\n1\n").unwrap();
    let input = Input::new(ReadOptions::new(&path)).unwrap();
    let before = input.fingerprint().unwrap();
    assert_eq!(shown(&input), "a/1");
    assert_eq!(shown(&input), "a/1");
    input.unchanged_since(&before).unwrap();

    // Same length, other content; the clock of file systems is coarse.
    thread::sleep(Duration::from_millis(30));
    fs::write(&path, "a\n2\n").unwrap();
    assert!(matches!(input.unchanged_since(&before), Err(ReadError::Changed { .. })));
}

#[test]
fn a_replaced_file_is_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv");
    fs::write(&path, "a\n1\n").unwrap();
    let input = Input::new(ReadOptions::new(&path)).unwrap();
    let before = input.fingerprint().unwrap();
    let other = directory.path().join("u.csv");
    fs::write(&other, "a\n2\n").unwrap();
    fs::rename(&other, &path).unwrap();
    assert!(matches!(input.unchanged_since(&before), Err(ReadError::Changed { .. })));
}

#[test]
fn a_pipe_can_be_opened_twice() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe.csv");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let writer = thread::spawn({
        let path = path.clone();
        move || fs::write(path, "a;b\n1;2\n").unwrap()
    });
    let input = Input::new(ReadOptions::new(&path)).unwrap();
    writer.join().unwrap();
    assert_eq!(shown(&input), "a|b/1|2");
    assert_eq!(shown(&input), "a|b/1|2");
    input.unchanged_since(&input.fingerprint().unwrap()).unwrap();
}

#[test]
fn an_endless_pipe_is_refused() {
    let mut options = ReadOptions::new("/dev/zero");
    options.held_limit = 1 << 20;
    assert!(matches!(Input::new(options), Err(ReadError::TooLargeToHold { limit: 1_048_576, .. })));
}

fn long_table() -> Input {
    let text: String = (0..100_000).map(|row| format!("{row},x{}\n", row % 7)).collect();
    input("t.csv", format!("a,b\n{text}"))
}

#[test]
fn reading_ahead_gives_the_same_rows() {
    let table = long_table();
    let mut ahead = ReadAhead::start(table.open().unwrap());
    assert_eq!(ahead.columns(), ["a", "b"]);
    let (mut batch, mut cells) = (Batch::default(), Cells::new());
    while ahead.next_batch(&mut batch).unwrap() {
        assert_eq!(batch.first_row, cells.len() as u64 + 1);
        cells.extend(
            (0..batch.rows).map(|row| batch.columns.iter().map(|c| c.get(row).map(str::to_owned)).collect()),
        );
    }
    assert!(!ahead.next_batch(&mut batch).unwrap());
    assert_eq!((batch.rows, batch.columns[0].len()), (0, 0));
    let expected: Cells = read(&table).unwrap().1;
    assert_eq!(cells, expected);
}

#[test]
fn reading_ahead_can_be_given_up() {
    for batches in 0..3 {
        let mut ahead = ReadAhead::start(long_table().open().unwrap());
        for _ in 0..batches {
            assert!(ahead.next_batch(&mut Batch::default()).unwrap());
        }
        drop(ahead);
    }
}

#[test]
fn reading_ahead_passes_errors_on() {
    let text = format!("a,b\n{}1\n", "1,2\n".repeat(20_000));
    let mut ahead = ReadAhead::start(input("t.csv", text).open().unwrap());
    let mut batch = Batch::default();
    let error = loop {
        match ahead.next_batch(&mut batch) {
            Ok(more) => assert!(more),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().starts_with("t.csv, line 20002: 1 cells, but the header has 2; "), "{error}");
    assert!(ahead.next_batch(&mut batch).is_err());
}
