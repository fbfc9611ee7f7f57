use super::compare::read_sketch;
use super::sketch::{Sketching, row};
use super::*;
use crate::job::Job;
use crate::study::Study;
use crate::watch::Unwatched;
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
        },
        quasi_identifiers: vec!["age".into()],
        job: JobRecord { file: "paravent.toml".into(), sha256: "cd".repeat(32) },
        criteria: vec![Criterion { model: "k-anonymity".into(), required: serde_json::json!({ "k": 5 }) }],
        rows: 90,
        files: BTreeMap::from([("manifest.json".to_owned(), "ef".repeat(32))]),
        private: BTreeMap::new(),
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
    for error in [Register::check(folder.path()).unwrap_err(), Register::lock(folder.path()).unwrap_err()] {
        assert!(error.to_string().contains("paravent-register.jsonl:2: "), "{error}");
    }
}

#[test]
fn withdrawn_releases_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut register = Register::lock(folder.path()).unwrap();
    register.append(release(1)).unwrap();
    register.append(Record::Withdrawal { of: 1 }).unwrap();
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
