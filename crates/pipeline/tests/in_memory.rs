//! A run in memory gives what a run from files gives, byte for byte, on random small tables.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod cases;
#[path = "../examples/in_memory.rs"]
mod example;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use cases::{Case, case};
use paravent_job::Job;
use paravent_pipeline::run::{
    Held, Registering, Release, RunError, RunOptions, SaveOptions, anonymize, anonymize_table, dry_run,
    dry_run_table,
};
use paravent_tables::read::{Batch, Input, ReadOptions, Table};
use paravent_tables::watch::{Unwatched, Watch};
use paravent_verify::verify_held;
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The cells of a table, row by row.
fn cells(input: &Input) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    let mut source = input.open().unwrap();
    let names = source.columns().to_vec();
    let (mut rows, mut batch) = (Vec::new(), Batch::default());
    while source.next_batch(&mut batch).unwrap() {
        for row in 0..batch.rows {
            rows.push(batch.columns.iter().map(|column| column.get(row).map(str::to_owned)).collect());
        }
    }
    (names, rows)
}

/// The rows of a file in memory, with types, split after every `split` rows.
fn table(path: &Path, split: usize) -> Table {
    let (names, rows) = cells(&Input::new(ReadOptions::new(path)).unwrap());
    let columns = names.iter().enumerate().map(|(at, name)| {
        let text: ArrayRef = Arc::new(rows.iter().map(|row| row[at].clone()).collect::<StringArray>());
        let wanted = match name.as_str() {
            "age" => DataType::Int16,
            "visits" => DataType::Float64,
            "sex" => DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8)),
            "illness" => DataType::Utf8View,
            "inside" => DataType::Boolean,
            _ => DataType::LargeUtf8,
        };
        (name.clone(), cast(&text, &wanted).unwrap())
    });
    let whole =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap();
    let starts = (0..whole.num_rows()).step_by(split);
    let parts = starts.map(|start| whole.slice(start, split.min(whole.num_rows() - start))).collect();
    Table::new(whole.schema(), parts).unwrap()
}

/// A job whose delimiter does not come from the table.
fn prepared(case: &Case, folder: &Path) -> Job {
    case.write(folder, false, 2, r#"algorithm = "auto""#);
    let file = folder.join("paravent.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}delimiter = \";\"\n")).unwrap();
    Job::load(&file).unwrap()
}

/// What stays, without times and the digest of the input, which a table in memory has of its own.
fn without_times(mut report: Value) -> Value {
    report["input"]["sha256"] = Value::Null;
    for section in ["input", "output"] {
        report[section]["seconds"] = Value::Null;
    }
    // How the threads met on the way.
    report["search"] = Value::Null;
    // One of them gets a line in a register, the other is held against it.
    for told in ["register", "held_against", "unregistered", "verdict", "warnings"] {
        report[told] = Value::Null;
    }
    report
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The batches of a release are the rows of its data file.
fn batches_are_the_file(release: &Release, folder: &Path, case: &Case) {
    let mut options = ReadOptions::new(folder.join(format!("release/data.{}", case.format)));
    let manifest = release.manifest();
    options.null = manifest["output"]["null"].as_str().map(|null| vec![null.to_owned()]);
    let released = Input::from_table(release.table().unwrap());
    assert_eq!(cells(&released), cells(&Input::new(options).unwrap()));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 60, ..ProptestConfig::default() })]

    #[test]
    fn the_same_bytes_come_from_memory_and_from_files(case in case(), split in 1usize..50) {
        let folder = tempfile::tempdir().unwrap();
        let job = prepared(&case, folder.path());
        let held = Held { job_sha256: Some(paravent_tables::digest::sha256(&fs::read(folder.path().join("paravent.toml")).unwrap())), ..Held::default() };
        let table = table(&folder.path().join("table.csv"), split);
        let from_files = anonymize(&folder.path().join("paravent.toml"), &RunOptions::default(), &Unwatched);
        let in_memory = anonymize_table(&job, table, &held, &Unwatched);
        match (from_files, in_memory) {
            (Ok(finished), Ok(mut release)) => {
                batches_are_the_file(&release, folder.path(), &case);
                let other = tempfile::tempdir().unwrap();
                let saved = release.save(&other.path().join("release"), &SaveOptions { register: Registering::Never, ..SaveOptions::default() }).unwrap();
                for name in [&format!("data.{}", case.format), "manifest.json", "report.html", "report.json"] {
                    let read = |place: &Path| fs::read(place.join("release").join(name)).unwrap();
                    prop_assert!(read(folder.path()) == read(other.path()), "{} differs", name);
                }
                let private = |place: &Path| read_json(&place.join("release.private/transform.json"));
                prop_assert_eq!(private(folder.path()), private(other.path()));
                let kept = |place: &Path| {
                    let mut report = without_times(read_json(&place.join("release.private/report.json")));
                    report["output"]["path"] = Value::Null;
                    report
                };
                prop_assert_eq!(kept(folder.path()), kept(other.path()));
                prop_assert_eq!(finished.document.solution.loss, saved.solution.loss);
                prop_assert!(paravent_verify::verify(&other.path().join("release")).unwrap().holds());
            }
            (Err(RunError::Infeasible { relaxations: a, .. }), Err(RunError::Infeasible { relaxations: b, .. })) => {
                prop_assert_eq!(format!("{a:?}"), format!("{b:?}"));
            }
            (Err(a), Err(b)) => prop_assert_eq!(a.to_string().lines().count(), b.to_string().lines().count()),
            (a, b) => prop_assert!(false, "{:?} but {:?}", a.err(), b.err()),
        }
    }
}

fn small() -> (tempfile::TempDir, Job, Table) {
    let case = Case {
        rows: (0..30u8).map(|n| [n * 2, n % 3, n % 4, n % 4, n % 3, 1]).collect(),
        models: vec!["model = \"k-anonymity\", k = 3".to_owned()],
        limit: "0.1",
        metric: "loss",
        format: "csv",
        persons: Vec::new(),
        person_rows: "apart",
    };
    let folder = tempfile::tempdir().unwrap();
    let job = prepared(&case, folder.path());
    let table = table(&folder.path().join("table.csv"), 7);
    (folder, job, table)
}

#[test]
fn columns_that_are_released_as_they_came_keep_their_type() {
    let (_folder, job, table) = small();
    let release = paravent_pipeline::anonymize(&job, table.clone()).unwrap();
    let (before, after) = (table.schema().clone(), release.schema());
    for name in ["visits", "illness", "drug"] {
        let of =
            |schema: &arrow::datatypes::Schema| schema.field_with_name(name).unwrap().data_type().clone();
        assert_eq!(of(&before), of(&after), "{name}");
    }
    assert!(after.field_with_name("name").is_err(), "identifying columns are gone");
    let order: Vec<&str> = after.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(order, ["age", "sex", "zip", "illness", "drug", "visits"]);
}

#[test]
fn a_changed_release_is_refused_in_memory_too() {
    let (_folder, job, table) = small();
    let release = paravent_pipeline::anonymize(&job, table).unwrap();
    assert!(release.verify(None).unwrap().holds());
    let seen = |files: &paravent_tables::write::HeldFiles| {
        let held = paravent_verify::Held {
            data: (&files.data_name, &files.data),
            documents: &files.documents,
            private: Some(&files.private),
        };
        verify_held(&held, None).map(|verification| verification.holds())
    };
    assert!(seen(release.files()).unwrap());
    // A manifest that promises more, a report with other words, a file too many, data with another row.
    let mut promised = release.files().clone();
    let manifest = String::from_utf8(promised.documents["manifest.json"].clone()).unwrap();
    promised.documents.insert("manifest.json".into(), manifest.replace("\"k\": 3", "\"k\": 30").into_bytes());
    assert!(!seen(&promised).unwrap());
    let mut reworded = release.files().clone();
    reworded.documents.get_mut("report.html").unwrap().push(b' ');
    assert!(!seen(&reworded).unwrap());
    let mut more = release.files().clone();
    more.documents.insert("names.csv".into(), b"Anna\n".to_vec());
    assert!(!seen(&more).unwrap());
    let mut other = release.files().clone();
    let mut text =
        fs::read(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&*other.data))).unwrap();
    let line = text.iter().position(|&byte| byte == b'\n').unwrap();
    let again = text[line + 1..].to_vec();
    text.extend(again);
    std::io::Write::write_all(&mut other.create_data("data.csv", 0).unwrap(), &text).unwrap();
    assert!(!seen(&other).unwrap());
}

#[test]
fn a_transformation_is_applied_to_rows_that_come_later() {
    let (_folder, job, table) = small();
    let release = paravent_pipeline::anonymize(&job, table.clone()).unwrap();
    let again = Held { apply: Some(release.transformation().unwrap()), ..Held::default() };
    let later = anonymize_table(&job, table, &again, &Unwatched).unwrap();
    assert_eq!(later.document().solution.transformation, release.document().solution.transformation);
    assert_eq!(later.batches().unwrap(), release.batches().unwrap());
}

#[test]
fn risk_and_attacks_in_memory_are_those_of_the_files() {
    use paravent_pipeline::evidence::InMemory;
    use paravent_pipeline::evidence::attack::{AttackOptions, attack, document};
    use paravent_pipeline::evidence::risk::{RiskRequest, assess_risk};
    let (folder, job, table) = small();
    let mut release = paravent_pipeline::anonymize(&job, table.clone()).unwrap();
    release.save(&folder.path().join("release"), &SaveOptions::default()).unwrap();
    let mut in_memory = InMemory { job: Some(job), ..InMemory::default() };
    let (held, original) =
        (in_memory.release("release", release.files().clone()), in_memory.table("original", table));
    let (saved, file) = (folder.path().join("release"), folder.path().join("table.csv"));
    let job_file = Some(folder.path().join("paravent.toml"));

    let given = RiskRequest { in_memory: in_memory.clone(), ..RiskRequest::default() };
    let by_file = RiskRequest { job: job_file.clone(), ..RiskRequest::default() };
    let shown = |path: &Path, request: &RiskRequest| {
        let mut told = serde_json::to_value(assess_risk(path, request, &Unwatched).unwrap()).unwrap();
        told["warnings"] = Value::Null;
        told
    };
    assert_eq!(shown(&original, &given), shown(&file, &by_file));
    assert_eq!(shown(&held, &given), shown(&saved, &RiskRequest::default()));

    let options = AttackOptions { threshold: 0.8, attempts: 50, seed: 1, ..AttackOptions::default() };
    let in_files =
        AttackOptions { release: Some(saved), original: Some(file), job: job_file, ..options.clone() };
    let in_memory = AttackOptions { release: Some(held), original: Some(original), in_memory, ..options };
    let attacks = |options: &AttackOptions| {
        let mut told = document(&attack(options, &Unwatched).unwrap());
        // A file is recognised by its digest.
        told["given"] = Value::Null;
        told
    };
    assert_eq!(attacks(&in_files), attacks(&in_memory));
}

#[test]
fn a_dry_run_in_memory_tells_what_one_from_files_tells() {
    let (folder, job, table) = small();
    let files = dry_run(&folder.path().join("paravent.toml"), &RunOptions::default(), &Unwatched).unwrap();
    let memory = dry_run_table(&job, table.clone(), &Held::default(), &Unwatched).unwrap();
    let shown =
        |finished: &paravent_pipeline::run::Finished| serde_json::to_string(&finished.alternatives).unwrap();
    assert_eq!(shown(&files), shown(&memory));
    let release = paravent_pipeline::anonymize(&job, table).unwrap();
    assert_eq!(serde_json::to_string(&release.alternatives()).unwrap(), shown(&memory));
}

#[test]
fn a_release_is_registered_when_it_is_saved() {
    let (folder, job, table) = small();
    let mut release = paravent_pipeline::anonymize(&job, table).unwrap();
    let saved = release.save(&folder.path().join("release"), &SaveOptions::default()).unwrap();
    assert_eq!(saved.register.unwrap().sequence, 1);
    assert!(
        release.save(&folder.path().join("release"), &SaveOptions::default()).is_err(),
        "nothing is replaced"
    );
    let second = release.save(&folder.path().join("again"), &SaveOptions::default()).unwrap();
    assert_eq!(second.register.unwrap().sequence, 2);
    assert!(paravent_verify::verify(&folder.path().join("again")).unwrap().holds());
}

#[test]
fn digests_do_not_depend_on_batches() {
    let (folder, _, table) = small();
    let path = folder.path().join("table.csv");
    let other = self::table(&path, 30);
    assert_eq!(
        Input::from_table(table.clone()).digest().unwrap(),
        Input::from_table(other).digest().unwrap()
    );
    let changed = Table::new(table.schema().clone(), table.batches()[1..].to_vec()).unwrap();
    assert_ne!(Input::from_table(table).digest().unwrap(), Input::from_table(changed).digest().unwrap());
}

/// Stops after so many questions.
struct Impatient(AtomicU64);

impl Watch for Impatient {
    fn stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) > 0
    }
}

#[test]
fn a_run_in_memory_can_be_stopped() {
    let (_folder, job, table) = small();
    let stopped = anonymize_table(&job, table, &Held::default(), &Impatient(AtomicU64::new(0)));
    assert!(matches!(stopped, Err(RunError::Stopped)));
}

#[test]
fn empty_and_odd_tables_are_errors_with_words() {
    let (_folder, job, table) = small();
    let empty = Table::new(table.schema().clone(), Vec::new()).unwrap();
    let error = paravent_pipeline::anonymize(&job, empty).unwrap_err().to_string();
    assert!(error.contains("no rows"), "{error}");
    let twice = [("a", vec![None]), ("a", vec![None])];
    assert!(Table::from_text(twice).is_err());
    assert!(Table::from_text([("a", vec![None]), ("b", Vec::new())]).is_err());
    assert!(Table::from_text(Vec::<(String, Vec<Option<String>>)>::new()).is_err());
}

#[test]
fn the_example_runs() {
    // Compiled into this test, so that no run of it is without the example.
    example::main().unwrap();
}

/// Rows in memory can be used at once: they are held against the register beside the job like those of a run from files.
#[test]
fn a_dry_run_and_a_release_in_memory_are_held_against_the_register() {
    let (folder, job, table) = small();
    let held = |document: &paravent_report::Document| -> Vec<usize> {
        document.held_against.iter().map(|held| held.earlier.len()).collect()
    };
    let dry = |job: &Job| dry_run_table(job, table.clone(), &Held::default(), &Unwatched).unwrap().document;
    assert!(held(&dry(&job)).is_empty(), "there is no register");
    let file = folder.path().join("paravent.toml");
    anonymize(&file, &RunOptions::default(), &Unwatched).unwrap();
    let register = fs::read(folder.path().join("paravent-register.jsonl")).unwrap();
    let coarser = fs::read_to_string(&file).unwrap().replace("k = 3", "k = 6");
    fs::write(&file, coarser).unwrap();
    let job = Job::load(&file).unwrap();
    let from_files = dry_run(&file, &RunOptions::default(), &Unwatched).unwrap().document;
    let dry = dry(&job);
    let release = anonymize_table(&job, table.clone(), &Held::default(), &Unwatched).unwrap();
    assert_eq!(held(&from_files), [1]);
    for document in [&dry, release.document()] {
        assert_eq!(held(document), [1]);
        let light = |document: &paravent_report::Document| document.verdict.as_ref().unwrap().light;
        assert_eq!(light(document), light(&from_files));
        assert!(!document.held_against[0].earlier[0].attacks.is_empty(), "what both tell was tried");
    }
    assert_eq!(fs::read(folder.path().join("paravent-register.jsonl")).unwrap(), register);
}
