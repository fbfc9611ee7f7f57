use super::compare::read_sketch;
use super::sketch::{Sketching, row};
use super::*;
use crate::run::{RunError, RunOptions, anonymize};
use paravent_job::Job;
use paravent_ledger::log::now;
use paravent_prepare::study::Study;
use paravent_tables::watch::Unwatched;
use paravent_tables::write::{Replace, WriteError, faults, private_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn release(number: u64) -> Record {
    Record::Release(Box::new(ReleaseRecord {
        release: format!("release-{number}"),
        input: InputRecord {
            sha256: "ab".repeat(32),
            rows: 100 + number,
            sketch: Sketch { columns: vec!["age".into()], bins: "0123-f".into() },
            people: Vec::new(),
        },
        quasi_identifiers: vec!["age".into()],
        job: JobRecord { file: "paravent.toml".into(), sha256: "cd".repeat(32) },
        criteria: vec![Criterion { model: "k-anonymity".into(), required: serde_json::json!({ "k": 5 }) }],
        rows: 90,
        files: BTreeMap::from([("manifest.json".to_owned(), "ef".repeat(32))]),
        private: BTreeMap::new(),
        appeared: None,
    }))
}

/// The bytes of a register with so many releases.
fn register(releases: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let mut register = Register::lock(folder.path()).unwrap();
    (1..=releases).for_each(|number| assert_eq!(register.append(release(number)).unwrap(), number));
    fs::read(Register::path(folder.path())).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

#[test]
fn what_was_appended_is_read_back() {
    let chain = Chain::read(&register(3));
    assert_eq!((chain.lines.len(), &chain.broken), (4, &None));
    let names: Vec<&str> = chain.releases().iter().map(|(_, release)| release.release.as_str()).collect();
    assert_eq!(names, ["release-1", "release-2", "release-3"]);
    assert!(chain.lines[1].time.ends_with('Z') && chain.lines[1].time.len() == 20);
}

#[test]
fn lines_that_are_removed_moved_or_doubled_are_named() {
    let whole = lines(&register(3));
    let broken_at = |lines: &[&Vec<u8>]| {
        let bytes: Vec<u8> = lines.iter().flat_map(|line| line.iter().copied()).collect();
        Chain::read(&bytes).broken.map(|broken| broken.line)
    };
    let [start, one, two, three] = [&whole[0], &whole[1], &whole[2], &whole[3]];
    assert_eq!(broken_at(&[start, one, two, three]), None);
    assert_eq!(broken_at(&[start, two, three]), Some(2));
    assert_eq!(broken_at(&[start, one, three]), Some(3));
    assert_eq!(broken_at(&[start, two, one, three]), Some(2));
    assert_eq!(broken_at(&[start, one, one, two]), Some(3));
    assert_eq!(broken_at(&[one, two]), Some(1));
    assert_eq!(broken_at(&[start, one, start]), Some(3));
    assert_eq!(broken_at(&[]), Some(1));
    // A line of another register does not fit, even with the right number.
    let other = lines(&register(3));
    assert_eq!(broken_at(&[start, one, &other[2]]), Some(3));
}

#[test]
fn a_broken_register_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    Register::lock(folder.path()).unwrap().append(release(1)).unwrap();
    let path = Register::path(folder.path());
    let changed = fs::read_to_string(&path).unwrap().replace("\"rows\":90", "\"rows\":91");
    fs::write(&path, changed).unwrap();
    for error in [
        Register::check(folder.path(), &folder.path().join("release")).unwrap_err(),
        Register::lock(folder.path()).unwrap_err(),
    ] {
        assert!(error.to_string().contains("paravent-register.jsonl:2: "), "{error}");
    }
}

#[test]
fn withdrawn_releases_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut register = Register::lock(folder.path()).unwrap();
    register.append(release(1)).unwrap();
    register.append(Record::Withdrawal { of: 1, reason: None }).unwrap();
    drop(register);
    let chain = Register::read(folder.path()).unwrap();
    assert_eq!((chain.lines.len(), chain.releases().len(), chain.broken), (3, 0, None));
}

#[test]
fn threads_that_append_at_once_keep_the_chain() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                for number in 0..5 {
                    Register::lock(folder).unwrap().append(release(thread * 10 + number)).unwrap();
                }
            });
        }
    });
    let chain = Register::read(folder.path()).unwrap();
    assert_eq!((chain.broken.clone(), chain.releases().len()), (None, 20));
    let mut names: Vec<&str> = chain.releases().iter().map(|(_, release)| release.release.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 20, "no line is lost");
}

const ROWS: &[(u8, u8, u8)] = &[(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 3), (2, 1, 1), (2, 1, 2)];

/// Runs the job in a folder.
fn run(folder: &Path, replace: Replace) -> Result<(), RunError> {
    let options = RunOptions { replace, ..RunOptions::default() };
    anonymize(&folder.join("paravent.toml"), &options, &Unwatched).map(drop)
}

fn job_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("paravent.toml"), JOB).unwrap();
    drop(study(folder.path(), ROWS));
    folder
}

fn states(folder: &Path) -> Vec<ReleaseState> {
    verify(folder).unwrap().releases.iter().map(|finding| finding.state).collect()
}

#[test]
fn a_disk_that_fails_behind_the_rename_leaves_the_line_open_and_the_next_run_settles_it() {
    let folder = job_folder();
    let target = folder.path().join("release");
    let failing = faults::fail(&target);
    let error = run(folder.path(), Replace::Refuse).unwrap_err();
    assert!(matches!(error, RunError::Write(WriteError::Unsettled { .. })), "{error}");
    drop(failing);
    let appeared = |folder: &Path| {
        let chain = Register::read(folder).unwrap();
        chain.releases().iter().map(|(_, release)| release.appeared).collect::<Vec<_>>()
    };
    assert_eq!(appeared(folder.path()), [Some(false)], "neither withdrawn nor confirmed");
    assert!(verify(folder.path()).unwrap().holds);
    run(folder.path(), Replace::Force).unwrap();
    assert_eq!(appeared(folder.path()), [Some(true), Some(true)]);
    assert_eq!(states(folder.path()), [ReleaseState::Replaced, ReleaseState::InPlace]);

    // Where the release is not there after all, the next run takes its line back.
    let failing = faults::fail(&target);
    run(folder.path(), Replace::Force).unwrap_err();
    drop(failing);
    fs::remove_dir_all(&target).unwrap();
    fs::remove_dir_all(private_of(&target)).unwrap();
    run(folder.path(), Replace::Refuse).unwrap();
    let chain = Register::read(folder.path()).unwrap();
    assert_eq!(chain.lines[4].record, Record::Withdrawal { of: 3, reason: None });
    assert!(verify(folder.path()).unwrap().holds);
}

#[test]
fn lines_that_were_removed_stop_the_next_run() {
    let folder = job_folder();
    run(folder.path(), Replace::Refuse).unwrap();
    let path = Register::path(folder.path());
    let whole = fs::read(&path).unwrap();
    // The last line.
    fs::write(&path, &lines(&whole)[0]).unwrap();
    let error = run(folder.path(), Replace::Force).unwrap_err().to_string();
    assert!(error.contains(":2:") && error.contains("release is missing at the end"), "{error}");
    // All of them.
    fs::remove_file(&path).unwrap();
    let error = run(folder.path(), Replace::Force).unwrap_err();
    assert!(matches!(error, RunError::Register(RegisterError::Lost { .. })), "{error}");
    assert!(matches!(verify(folder.path()), Err(RegisterError::Lost { .. })));
    // Another register in its place, made while the release was elsewhere.
    let aside = tempfile::tempdir_in(folder.path()).unwrap();
    let place = |folder: &Path, name: &str| folder.join(name);
    for name in ["release", "release.private"] {
        fs::rename(place(folder.path(), name), place(aside.path(), name)).unwrap();
    }
    let hidden = aside.path().with_file_name(".aside");
    fs::rename(aside.path(), &hidden).unwrap();
    run(folder.path(), Replace::Refuse).unwrap();
    fs::rename(place(folder.path(), "release"), place(folder.path(), "second")).unwrap();
    fs::rename(place(folder.path(), "release.private"), place(folder.path(), "second.private")).unwrap();
    for name in ["release", "release.private"] {
        fs::rename(hidden.join(name), place(folder.path(), name)).unwrap();
    }
    let found = verify(folder.path()).unwrap();
    assert!(!found.holds && found.unregistered[0].what.contains("exchanged"), "{found:?}");
    assert!(run(folder.path(), Replace::Force).is_err());
    // As it was.
    fs::remove_dir_all(place(folder.path(), "second")).unwrap();
    fs::remove_dir_all(place(folder.path(), "second.private")).unwrap();
    fs::write(&path, &whole).unwrap();
    run(folder.path(), Replace::Force).unwrap();
}

#[test]
fn an_older_release_that_was_put_back_is_told() {
    let folder = job_folder();
    run(folder.path(), Replace::Refuse).unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["release", "release.private"] {
        fs::create_dir(at(&format!(".{name}.kept"))).unwrap();
        for entry in fs::read_dir(at(name)).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), at(&format!(".{name}.kept")).join(entry.file_name())).unwrap();
        }
    }
    for _ in 0..2 {
        run(folder.path(), Replace::Force).unwrap();
    }
    for name in ["release", "release.private"] {
        fs::remove_dir_all(at(name)).unwrap();
        fs::rename(at(&format!(".{name}.kept")), at(name)).unwrap();
    }
    let expected = [ReleaseState::InPlace, ReleaseState::Replaced, ReleaseState::PutBack];
    assert_eq!(states(folder.path()), expected);
    assert!(!verify(folder.path()).unwrap().holds);
    Register::withdraw(folder.path(), 3, Some("by mistake".into())).unwrap();
    assert_eq!(states(folder.path()), [ReleaseState::InPlace, ReleaseState::PutBack]);
    assert!(matches!(Register::withdraw(folder.path(), 3, None), Err(RegisterError::NoRelease { .. })));
}

#[test]
fn a_register_may_be_elsewhere() {
    let folder = job_folder();
    fs::create_dir(folder.path().join("books")).unwrap();
    let job = format!("{JOB}[output]\npath = \"release\"\nregister = \"books/study.jsonl\"\n");
    fs::write(folder.path().join("paravent.toml"), job).unwrap();
    run(folder.path(), Replace::Refuse).unwrap();
    let file = folder.path().join("books/study.jsonl");
    assert!(!Register::path(folder.path()).exists());
    assert_eq!(states(&file), [ReleaseState::InPlace]);
    fs::remove_file(&file).unwrap();
    let error = run(folder.path(), Replace::Force).unwrap_err();
    assert!(matches!(error, RunError::Register(RegisterError::Lost { .. })), "{error}");
}

#[test]
fn a_long_register_is_verified_in_a_moment() {
    let folder = job_folder();
    run(folder.path(), Replace::Refuse).unwrap();
    let chain = Register::read(folder.path()).unwrap();
    let record = chain.lines[1].record.clone();
    // All in one place: each line is held against the files that are there. Appended in one step, as the file is replaced as a whole.
    let mut bytes = fs::read(Register::path(folder.path())).unwrap();
    let mut previous = chain.head;
    for sequence in 2..5_000 {
        let (text, hash) = Line { sequence, time: now(), record: record.clone(), previous }.sealed();
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(b'\n');
        previous = hash;
    }
    fs::write(Register::path(folder.path()), bytes).unwrap();
    assert_eq!(verify(folder.path()).unwrap().releases.len(), 4_999);
}

#[test]
fn people_are_recognized_a_year_later_and_among_others() {
    let job = format!("{JOB}\n").replace(
        "[privacy]",
        "[[attributes]]\nname = \"id\"\nrole = \"identifying\"\n[[attributes]]\nname = \"title\"\nrole = \"identifying\"\n[privacy]",
    );
    // (first person, years later) → people of the first table among 1,000.
    let released = |folder: &Path, first: usize, years: usize| {
        let mut text = "id,title,a,b,s\n".to_owned();
        for person in first..first + 1_000 {
            let (age, sick) = (person % 40 + years, person % 3);
            text.push_str(&format!("P{person},Dr,x{years}.{age},{},y{sick}\n", person % 7 + years));
        }
        fs::write(folder.join("t.csv"), text).unwrap();
        let options = RunOptions { replace: Replace::Force, ..RunOptions::default() };
        let finished = anonymize(&folder.join("paravent.toml"), &options, &Unwatched).unwrap();
        let register = finished.document.register.unwrap();
        register
            .earlier
            .first()
            .map(|earlier| (earlier.relation, earlier.shared.map_or(0, |shared| shared.rows)))
    };
    for (first, least, most) in [(0, 800, 1_000), (500, 350, 650), (960, 1, 120), (1_000, 0, 0)] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("paravent.toml"), &job).unwrap();
        assert_eq!(released(folder.path(), 0, 0), None);
        match released(folder.path(), first, 1) {
            None => assert_eq!(most, 0, "{first}"),
            Some((relation, people)) => {
                assert_eq!(relation, Relation::SamePeople, "{first}");
                assert!((least..=most).contains(&people) && people > 0, "{first}: {people}");
            }
        }
        // A title that all have names nobody, and no name is in the register.
        let text = fs::read_to_string(Register::path(folder.path())).unwrap();
        assert!(!text.contains("title") && !text.contains("P500"));
    }
}

fn salt(text: &str) -> Salt {
    serde_json::from_value(serde_json::json!(text)).unwrap()
}

/// A sketch of rows that are numbers.
fn sketch(salt: &Salt, bins: usize, rows: impl Iterator<Item = u64>) -> Sketch {
    let hash = |number: u64| (row([salt.cell("n", Some(&number.to_string()))].into_iter()), 1);
    let mut sketch = Sketching::new(bins);
    rows.map(hash).for_each(|(hash, count)| sketch.add(hash, count));
    sketch.finish(vec!["n".into()])
}

#[test]
fn overlaps_are_estimated() {
    let salt = salt("one");
    let rows = 20_000;
    let bins = Sketch::bins_for(rows);
    assert_eq!(bins, 1024);
    let first = sketch(&salt, bins, 0..rows);
    for shared in [0, 4_000, 10_000, 18_000, 20_000] {
        let second = sketch(&salt, bins, rows - shared..2 * rows - shared);
        let overlap = second.overlap(rows, &first, rows).unwrap();
        // Six standard errors of the similarity, in rows.
        assert!(overlap.rows.abs_diff(shared) < 2_500, "{shared}: {overlap:?}");
        assert_eq!(overlap.is_certain, shared > 0, "{shared}: {overlap:?}");
    }
    let other_salt = sketch(&self::salt("another"), bins, 0..rows);
    assert!(!other_salt.overlap(rows, &first, rows).unwrap().is_certain);
}

#[test]
fn sketches_of_other_columns_or_sizes_are_not_compared() {
    let salt = Salt::random().unwrap();
    let (small, large) = (sketch(&salt, 64, 0..50), sketch(&salt, 128, 0..50));
    assert_eq!(small.overlap(50, &large, 50), None);
    let renamed = Sketch { columns: vec!["m".into()], ..small.clone() };
    assert_eq!(small.overlap(50, &renamed, 50), None);
    assert_eq!([0, 1_000, 5_000, 1 << 40].map(Sketch::bins_for), [64, 64, 256, 1024]);
}

const JOB: &str = r#"version = 1
[input]
path = "t.csv"
[[attributes]]
name = "a"
role = "quasi-identifier"
[[attributes]]
name = "b"
role = "quasi-identifier"
type = "integer"
[[attributes]]
name = "s"
role = "sensitive"
[privacy]
suppression_limit = 0.9
models = [{ model = "k-anonymity", k = 2 }, { model = "distinct-l-diversity", attribute = "s", l = 1 }]
"#;

fn study(folder: &Path, rows: &[(u8, u8, u8)]) -> Study {
    let mut text = "a,b,s\n".to_owned();
    rows.iter().for_each(|(a, b, s)| text.push_str(&format!("x{a},0{b},y{s}\n")));
    fs::write(folder.join("t.csv"), text).unwrap();
    let job = Job::parse(JOB, &folder.join("paravent.toml")).unwrap();
    Study::prepare(job, None, false, &Unwatched).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_byte_that_is_changed_is_found(place in any::<prop::sample::Index>(), change in 1..=255u8) {
        let mut bytes = register(2);
        let place = place.index(bytes.len());
        bytes[place] ^= change;
        let line = 1 + bytes[..place].iter().filter(|&&byte| byte == b'\n').count();
        let broken = Chain::read(&bytes).broken;
        prop_assert_eq!(broken.map(|broken| broken.line), Some(line));
    }

    #[test]
    fn any_byte_that_is_lost_is_found(place in any::<prop::sample::Index>()) {
        let mut bytes = register(2);
        bytes.remove(place.index(bytes.len()));
        prop_assert!(Chain::read(&bytes).broken.is_some());
    }

    #[test]
    fn hostile_bytes_are_broken(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Chain::read(&bytes).broken.is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn counted_tuples_and_the_file_give_the_same_sketch(
        rows in prop::collection::vec((0..4u8, 0..4u8, 0..3u8), 2..60),
        columns in prop::sample::subsequence(vec!["a", "b", "s"], 1..=3),
        turn in any::<prop::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let salt = Salt::random().unwrap();
        let columns: Vec<String> = columns.into_iter().map(str::to_owned).collect();
        let counted = compare::counted_sketch(&study(folder.path(), &rows), &salt, columns.clone(), 64).unwrap();
        let mut turned = rows;
        let middle = turn.index(turned.len());
        turned.rotate_left(middle);
        let study = study(folder.path(), &turned);
        let read = read_sketch(&study, &salt, &columns, 64, &Unwatched).unwrap();
        prop_assert_eq!(Some(counted), read, "whatever the order of the rows");
    }
}
