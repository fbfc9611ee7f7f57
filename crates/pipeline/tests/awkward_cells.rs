//! Cells that are easy to get wrong: several spellings of a value, empty and missing, quotes in front, bytes of two encodings.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use paravent_pipeline::run::{Finished, RunError, RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use paravent_tables::write::Replace;
use std::fs;
use std::path::Path;

/// A job over columns q (quasi-identifier) and s (sensitive), with a type for s, models and output keys.
fn job(input: &str, ty: &str, models: &str, output: &str) -> String {
    format!(
        "version = 1\n[input]\npath = {input:?}\n[[attributes]]\nname = \"q\"\nrole = \"quasi-identifier\"\n\
         [[attributes]]\nname = \"s\"\nrole = \"sensitive\"\ntype = {ty:?}\n[privacy]\nmodels = [{models}]\n[output]\n{output}\n"
    )
}

fn run(folder: &Path, job: &str) -> Result<Finished, RunError> {
    fs::write(folder.join("paravent.toml"), job).unwrap();
    anonymize(&folder.join("paravent.toml"), &RunOptions::default(), &Unwatched)
}

const DIVERSE: &str = "{ model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }";
const PAIRS: &str = "{ model = \"k-anonymity\", k = 2 }";

#[test]
fn two_spellings_are_not_two_values() {
    for (ty, one, other) in [
        ("boolean", "true", "1"),
        ("integer", "7", "07"),
        ("decimal", "1.50", "1.5"),
        ("date", "2024-03-09", "09.03.2024"),
        ("datetime", "2024-03-09T10:00", "2024-03-09 10:00"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), format!("q,s\na,{one}\na,{other}\na,{one}\na,{other}\n"))
            .unwrap();
        let result = run(folder.path(), &job("t.csv", ty, DIVERSE, ""));
        assert!(matches!(result, Err(RunError::Infeasible { .. })), "{ty}: {result:?}");
        run(folder.path(), &job("t.csv", "string", DIVERSE, "")).unwrap();
    }
}

#[test]
fn what_only_looks_like_another_type_keeps_its_spelling() {
    let hierarchy = |a: &str, b: &str| {
        format!("role = \"quasi-identifier\"\nhierarchy = {{ order = [[{a:?}, {b:?}]] }}\n")
    };
    // The first value is a truth value, a number, a date; the second, which is not there, may be none.
    for (present, absent) in [("f", "m"), ("007", "x"), ("1.50", "-"), ("09.03.2024", "never")] {
        for format in ["csv", "parquet", "arrow"] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("t.csv"), format!("q,s\n{}", format!("{present},x\n").repeat(3)))
                .unwrap();
            let job = job("t.csv", "string", PAIRS, &format!("format = {format:?}")).replacen(
                "role = \"quasi-identifier\"\n",
                &hierarchy(present, absent),
                1,
            );
            let finished =
                run(folder.path(), &job).unwrap_or_else(|error| panic!("{present} as {format}: {error}"));
            assert_eq!(finished.document.solution.classes, 1);
            if format == "csv" {
                let released = fs::read_to_string(folder.path().join("release/data.csv")).unwrap();
                assert_eq!(released.matches(present).count(), 3, "{present}");
            }
        }
    }
}

#[test]
fn empty_and_missing_stay_two_values_in_every_format() {
    let line = |q: &str| format!("{{\"q\":{q},\"s\":\"x\"}}\n").repeat(3);
    for format in ["csv", "parquet", "arrow"] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.jsonl"), line("\"flu\"") + &line("\"\"") + &line("null")).unwrap();
        let output = format!("format = {format:?}");
        let finished = run(folder.path(), &job("t.jsonl", "string", PAIRS, &output)).unwrap();
        assert_eq!(finished.document.solution.classes, 3);
    }
}

#[test]
fn a_quote_in_front_is_told_from_one_that_was_added() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "q,s\na,=x\na,'=x\n=b,'\n=b,-\n").unwrap();
    run(folder.path(), &job("t.csv", "string", DIVERSE, "spreadsheet_safe = true")).unwrap();
    let data = fs::read_to_string(folder.path().join("release/data.csv")).unwrap();
    assert_eq!(data, "q,s\n'=b,''\n'=b,'-\na,''=x\na,'=x\n");
}

#[test]
fn bytes_of_two_encodings_are_an_error_wherever_they_stand() {
    let good = "a,Köln\n".repeat(3);
    for bytes in
        [[b"q,s\nb,\xff\n", good.as_bytes()].concat(), [b"q,s\n", good.as_bytes(), b"b,\xff\n"].concat()]
    {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("t.csv"), bytes).unwrap();
        let error = run(folder.path(), &job("t.csv", "string", DIVERSE, "")).unwrap_err();
        assert!(error.to_string().contains("line"), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), b"q,s\na,K\xf6ln\na,Ulm\n").unwrap();
    let finished = run(folder.path(), &job("t.csv", "string", DIVERSE, "")).unwrap();
    assert!(finished.document.warnings.iter().any(|warning| warning.contains("Latin-1")));
}

#[test]
fn a_rare_value_does_not_live_on_in_a_label() {
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("q,s\n");
    for value in ["ant", "bee", "cat", "dog"] {
        table += &format!("{value},x\n{value},y\n").repeat(5);
    }
    table += "zebra,x\n";
    fs::write(folder.path().join("t.csv"), table).unwrap();
    let grouped = job("t.csv", "string", "{ model = \"k-anonymity\", k = 5 }", "").replacen(
        "role = \"quasi-identifier\"",
        "role = \"quasi-identifier\"\nmin_level = 1\nhierarchy = { ordering = { sizes = [3] } }",
        1,
    );
    let finished = run(folder.path(), &grouped).unwrap();
    assert_eq!(finished.document.solution.transformation["q"], 1);
    for file in ["data.csv", "report.html", "report.json", "manifest.json"] {
        assert!(
            !fs::read_to_string(folder.path().join("release").join(file)).unwrap().contains("zebra"),
            "{file}"
        );
    }
}

#[test]
fn files_of_others_in_a_release_are_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "q,s\na,x\na,y\n").unwrap();
    run(folder.path(), &job("t.csv", "string", PAIRS, "")).unwrap();
    fs::write(folder.path().join("release/notes.txt"), "mine").unwrap();
    let force = RunOptions { replace: Replace::Force, ..RunOptions::default() };
    let result = anonymize(&folder.path().join("paravent.toml"), &force, &Unwatched);
    assert!(matches!(result, Err(RunError::Write(_))), "{result:?}");
    assert_eq!(fs::read_to_string(folder.path().join("release/notes.txt")).unwrap(), "mine");
}

#[test]
fn a_transformation_is_applied_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "q,z,s\na,1,x\nb,1,y\n").unwrap();
    let with_z = job("t.csv", "string", PAIRS, "").replacen(
        "[privacy]",
        "[[attributes]]\nname = \"z\"\nrole = \"quasi-identifier\"\n[privacy]",
        1,
    );
    run(folder.path(), &with_z).unwrap();
    let as_it_is = with_z.replacen(
        "name = \"z\"\nrole = \"quasi-identifier\"",
        "name = \"z\"\nrole = \"insensitive\"",
        1,
    );
    fs::write(folder.path().join("other.toml"), as_it_is).unwrap();
    let options = RunOptions {
        apply: Some(folder.path().join("release")),
        output: Some(folder.path().join("applied")),
        ..RunOptions::default()
    };
    let Err(RunError::Problems(problems)) =
        anonymize(&folder.path().join("other.toml"), &options, &Unwatched)
    else {
        panic!("a column that was generalized must not be released as it is")
    };
    assert!(problems.to_string().contains("\"z\""), "{problems}");
}

#[test]
fn an_empty_cell_is_no_sensitive_value_unless_the_job_says_so() {
    let folder = tempfile::tempdir().unwrap();
    // Two cells per class, one of them empty.
    fs::write(folder.path().join("t.csv"), "q,s\na,flu\na,\nb,hiv\nb,\n").unwrap();
    let model = "{ model = \"distinct-l-diversity\", attribute = \"s\", l = 2 }";
    let plain = job("t.csv", "string", model, "");
    let finished = run(folder.path(), &plain).unwrap();
    assert_eq!(finished.document.solution.transformation["q"], 1, "one class with two illnesses");
    assert_eq!(finished.document.privacy[0].achieved["l"], 2);
    let said = plain.replace("type = \"string\"", "type = \"string\"\nmissing = \"value\"");
    let options = RunOptions { replace: Replace::Force, ..RunOptions::default() };
    fs::write(folder.path().join("paravent.toml"), said).unwrap();
    let finished = anonymize(&folder.path().join("paravent.toml"), &options, &Unwatched).unwrap();
    assert_eq!(finished.document.solution.transformation["q"], 0);
    // The verifier reads the promise as it was made: held to values only, the same file breaks it.
    let release = folder.path().join("release");
    assert!(paravent_verify::verify(&release).unwrap().holds());
    let manifest = fs::read_to_string(release.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"missing\": \"value\""), "{manifest}");
    fs::write(
        release.join("manifest.json"),
        manifest.replace("\"missing\": \"value\"", "\"missing\": \"no value\""),
    )
    .unwrap();
    assert!(!paravent_verify::verify(&release).unwrap().holds());
}

#[test]
fn entropy_is_that_of_the_rows_with_a_value() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "q,s\na,flu\na,\na,\na,hiv\nb,flu\nb,\nb,flu\nb,hiv\n").unwrap();
    let model = "{ model = \"entropy-l-diversity\", attribute = \"s\", l = 1.8 }";
    let finished = run(folder.path(), &job("t.csv", "string", model, "")).unwrap();
    assert_eq!(finished.document.solution.transformation["q"], 0, "(1, 1) and (2, 1) have 2 and 1.89");
    let model = "{ model = \"entropy-l-diversity\", attribute = \"s\", l = 1.9 }";
    fs::remove_dir_all(folder.path().join("release")).unwrap();
    fs::remove_dir_all(folder.path().join("release.private")).unwrap();
    let finished = run(folder.path(), &job("t.csv", "string", model, "")).unwrap();
    assert_eq!(finished.document.solution.transformation["q"], 1, "(3, 2) has 1.96");
}

#[test]
fn words_for_a_missing_value_are_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("t.csv"), "q,s\na,flu\na,n.a.\na,hiv\n").unwrap();
    let finished = run(folder.path(), &job("t.csv", "string", DIVERSE, "")).unwrap();
    let warnings = &finished.document.warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("\"n.a.\" reads like a missing value")),
        "{warnings:?}"
    );
    assert!(
        !warnings.iter().any(|warning| warning.contains("flu") || warning.contains("hiv")),
        "{warnings:?}"
    );
}
