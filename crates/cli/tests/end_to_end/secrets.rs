//! Messages outlive the permission to see the data: no cell is in any of them.

use crate::support::{JOB, Place, patients};

const MARK: &str = "SECRET7";

/// Runs a job in all forms and looks for the mark.
#[track_caller]
fn fails_without_a_word(job: &str, table: impl AsRef<[u8]>, files: &[(&str, &str)]) {
    let place = Place::with(job, table);
    for (name, text) in files {
        place.write(name, text);
    }
    for args in [
        &["anonymize", "paravent.toml"][..],
        &["anonymize", "paravent.toml", "--json"],
        &["anonymize", "paravent.toml", "--dry-run"],
        &["check", "patients.csv", "--job", "paravent.toml"],
    ] {
        let run = place.run(args);
        assert_ne!(run.code, Some(0));
        assert!(!run.out.contains(MARK) && !run.err.contains(MARK), "{args:?}: {}{}", run.out, run.err);
        assert!(!run.err.contains("internal error"), "{}", run.err);
    }
}

fn zip_file() -> String {
    JOB.replace("hierarchy = { redact = { from = \"right\" } }", "hierarchy = { file = \"zip.csv\" }")
}

#[test]
fn of_a_table_that_cannot_be_read() {
    let row = |row: &str| patients() + row;
    fails_without_a_word(JOB, row("SECRET7,SECRET7,f,SECRET7,flu\n"), &[]);
    fails_without_a_word(JOB, row("SECRET7,30,f\n"), &[]);
    fails_without_a_word(JOB, row("SECRET7,30,f,SECRET7,SECRET7,SECRET7\n"), &[]);
    fails_without_a_word(JOB, row("SECRET7\0,30,f,81660,SECRET7\n"), &[]);
    fails_without_a_word(JOB, row("\"SECRET7,30,f,81660,flu\n"), &[]);
    let job = JOB.replace("path = \"patients.csv\"", "path = \"patients.csv\"\nencoding = \"utf-8\"");
    let mut bytes = patients().into_bytes();
    bytes.extend(b"SECRET7,30,f,SECRET7\xfc,flu\n");
    fails_without_a_word(&job, bytes, &[]);
    let json = r#"[{"name": "SECRET7", "age": ["SECRET7"]}]"#;
    fails_without_a_word(
        &JOB.replace("path = \"patients.csv\"", "path = \"patients.csv\"\nformat = \"json\""),
        json,
        &[],
    );
    let json = r#"[{"name": "SECRET7", "age": SECRET7}]"#;
    fails_without_a_word(
        &JOB.replace("path = \"patients.csv\"", "path = \"patients.csv\"\nformat = \"json\""),
        json,
        &[],
    );
}

#[test]
fn of_values_that_do_not_go_with_the_job() {
    let table = patients() + "extra,30,f,SECRET7,SECRET7\n";
    let lines: String = (81_660..81_667).map(|zip| format!("{zip};here;*\n")).collect();
    fails_without_a_word(&zip_file(), &table, &[("zip.csv", &lines)]);
    let secret_lines = format!("{lines}SECRET7;SECRET7 area;+\n");
    fails_without_a_word(
        &zip_file(),
        &table,
        &[("zip.csv", &secret_lines.replace("81660;here", "81660;SECRET7 area"))],
    );
    fails_without_a_word(&zip_file(), &table, &[("zip.csv", &format!("{lines}SECRET7;here\n"))]);
    fails_without_a_word(
        &zip_file(),
        &table,
        &[("zip.csv", &format!("{lines}SECRET7;here;*\nSECRET7;there;*\n"))],
    );
    let order = "role = \"sensitive\"\norder = [\"flu\", \"gout\", \"asthma\", \"angina\"]";
    let ordered = JOB.replace("role = \"sensitive\"", order).replace(
        "{ model = \"distinct-l-diversity\", attribute = \"diagnosis\", l = 2 }",
        "{ model = \"t-closeness\", attribute = \"diagnosis\", t = 0.5, distance = \"ordered\" }",
    );
    fails_without_a_word(&ordered, &table, &[]);
    let grouped = "hierarchy = { order = [[\"81660\", \"81661\"], [\"81662\"]] }";
    fails_without_a_word(&JOB.replace("hierarchy = { redact = { from = \"right\" } }", grouped), &table, &[]);
    let dates = "type = \"date\"\nhierarchy = { dates = [\"year\"] }";
    let dated = JOB.replace("type = \"string\"\nhierarchy = { redact = { from = \"right\" } }", dates);
    fails_without_a_word(&dated, &table, &[]);
}

#[test]
fn of_a_job_that_has_no_solution() {
    let job = JOB.replace("l = 2", "l = 7");
    fails_without_a_word(&job, patients().replace("gout", MARK).replace(",m,", ",SECRET7,"), &[]);
}

#[test]
fn unless_the_user_asks_to_see_cells() {
    let lines: String = (81_660..81_667).map(|zip| format!("{zip};here;*\n")).collect();
    let place = Place::with(&zip_file(), patients() + "extra,30,f,SECRET7,flu\n");
    place.write("zip.csv", lines);
    place.anonymize(&["--show-values"]).expect(2).says(&[MARK]);
    place.run(&["check", "patients.csv", "--job", "paravent.toml", "--show-values"]).expect(2).says(&[MARK]);
}

#[test]
fn of_hierarchies_that_are_validated_and_built() {
    let place = Place::with(JOB, patients() + "extra,30,f,SECRET7,flu\n");
    place.write("bad.csv", "81660;here;*\nSECRET7;here;+\nSECRET7;there;*\n");
    for args in [
        &["hierarchy", "validate", "bad.csv"][..],
        &["hierarchy", "validate", "bad.csv", "--data", "patients.csv", "--column", "zip", "--json"],
        &["hierarchy", "repair", "bad.csv"],
        &["hierarchy", "show", "bad.csv"],
        &[
            "hierarchy",
            "build",
            "--data",
            "patients.csv",
            "--column",
            "zip",
            "--widths",
            "5",
            "--min",
            "0",
            "--max",
            "9",
        ],
        &["hierarchy", "build", "--data", "patients.csv", "--column", "zip", "--dates", "year"],
    ] {
        let run = place.run(args);
        assert_ne!(run.code, Some(0), "{args:?}");
        assert!(!run.out.contains(MARK) && !run.err.contains(MARK), "{args:?}: {}{}", run.out, run.err);
    }
}

#[test]
fn of_a_release_that_was_tampered_with() {
    let place = Place::new();
    place.anonymize(&[]).expect(0);
    let data =
        place.read("release/data.csv").replacen(",flu\n", ",SECRET7\n", 1) + "SECRET7,f,81660,SECRET7\n";
    place.write("release/data.csv", data);
    for args in [&["verify", "release"][..], &["verify", "release", "--json"]] {
        let run = place.run(args).expect(1);
        assert!(!run.out.contains(MARK) && !run.err.contains(MARK), "{}{}", run.out, run.err);
    }
}
