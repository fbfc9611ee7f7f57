//! Cells stay where they are: no core file, no first person's cells for names, no foreign escapes on a terminal, no open temporary files.

use crate::support::{JOB, Place, patients, table};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[cfg(target_os = "linux")]
#[test]
fn no_core_file_whatever_was_inherited() {
    let place = Place::with(JOB, table(300));
    let script = "ulimit -c unlimited; exec \"$0\" anonymize paravent.toml -q --input -";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_paravent")])
        .current_dir(place.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let none = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("Max core file size")).unwrap_or_default();
        line.split_whitespace().filter(|word| *word == "0").count() == 2
    };
    let started = Instant::now();
    while !none(&fs::read_to_string(&limits).unwrap_or_default()) {
        assert!(started.elapsed() < Duration::from_secs(60), "{}", fs::read_to_string(&limits).unwrap());
        std::thread::sleep(Duration::from_millis(10));
    }
    child.stdin.take().unwrap().write_all(&place.bytes("patients.csv")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_table_without_a_header_is_not_quoted() {
    let rows = ["Quirin,34,f,81660", "Bertha,45,m,81661", "Dora,29,f,81660"].join("\n") + "\n";
    let place = Place::with(JOB, &rows);
    place.write("bare.csv", &rows);
    for args in [
        &["init", "bare.csv", "--output", "-"][..],
        &["init", "bare.csv", "--output", "job.toml", "--json"],
        &["hierarchy", "build", "--data", "bare.csv", "--column", "age"],
        &["anonymize", "paravent.toml"],
    ] {
        let run = place.run(args).expect(2);
        for cell in ["Quirin", "34", "81660"] {
            assert!(!run.out.contains(cell) && !run.err.contains(cell), "{args:?}: {} {}", run.out, run.err);
        }
    }
    assert!(!place.path("job.toml").exists());
}

#[test]
fn names_of_columns_do_nothing_to_a_terminal() {
    let place = Place::new();
    let evil = "se\u{1b}]0;title\u{7}\u{1b}[2Jx\u{202e}";
    place.write("evil.csv", patients().replacen("sex", evil, 1));
    let job = JOB.replace("patients.csv", "evil.csv");
    place.write("missing.toml", &job);
    place.write(
        "evil.toml",
        job.replace("name = \"sex\"", "name = \"se\\u001b]0;title\\u0007\\u001b[2Jx\\u202e\""),
    );
    for args in [
        &["init", "evil.csv", "--output", "new.toml"][..],
        &["anonymize", "missing.toml"],
        &["anonymize", "evil.toml", "--output", "evil"],
        &["risk", "evil"],
        &["hierarchy", "build", "--data", "evil.csv", "--column", "nobody"],
    ] {
        let run = place.run(args);
        for said in [run.out, run.err] {
            assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{args:?}: {said:?}");
        }
    }
    assert!(place.path("evil/data.csv").exists());
}

#[test]
fn json_lines_obey_the_jobs_null_texts() {
    let job = "version = 1\n[input]\npath = \"t.jsonl\"\nnull = [\"\", \"NA\"]\n[[attributes]]\nname = \"age\"\nrole = \"quasi-identifier\"\n\
               type = \"integer\"\n[privacy]\nmodels = [ { model = \"k-anonymity\", k = 2 } ]\n[output]\npath = \"release\"\n";
    let place = Place::with(job, "");
    let rows = ["34", "34", "\"NA\"", "\"NA\"", "\"\"", "\"\""];
    place.write("t.jsonl", rows.map(|age| format!("{{\"age\": {age}}}\n")).concat());
    place.anonymize(&[]).expect(0);
    let data = place.read("release/data.csv");
    assert!(!data.contains("NA") && data.contains("34"), "{data}");
}

#[test]
fn files_grow_for_their_owner_and_end_as_usual() {
    let place = Place::new();
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    fs::write(place.path("usual"), "").unwrap();
    place.run(&["init", "patients.csv", "--output", "new.toml"]).expect(0);
    place
        .run(&["hierarchy", "build", "--data", "patients.csv", "--column", "age", "--output", "age.csv"])
        .expect(0);
    assert_eq!((mode("new.toml"), mode("age.csv")), (mode("usual"), mode("usual")));
}
