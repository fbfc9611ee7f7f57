//! The program under test.

use std::path::Path;
use std::process::{Command, Output};

/// The program under test, with nothing of the caller's environment that names a server.
pub fn paravent(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_paravent"));
    command.current_dir(folder).env("NO_COLOR", "1").env("HOME", folder);
    for name in [
        "PGPASSWORD",
        "PGPASSFILE",
        "PGUSER",
        "PGHOST",
        "SPARK_CONNECT_AUTHENTICATE_TOKEN",
        "SPARK_CONNECT_TOKEN_FILE",
    ] {
        command.env_remove(name);
    }
    command
}

pub fn run(folder: &Path, arguments: &[&str]) -> Output {
    paravent(folder).args(arguments).output().unwrap()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts success and gives what was printed.
pub fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", stdout(output), stderr(output));
    stdout(output)
}

/// Asserts that commands say the same of a table that lives elsewhere and of its file; the job is `job.toml`.
pub fn same_figures(folder: &Path, address: &str, file: &str) {
    let figures = |arguments: &[&str], table: &str| {
        let mut arguments = arguments.to_vec();
        arguments[1] = table;
        let output = run(folder, &arguments);
        assert!(output.status.code() < Some(2), "{}", stderr(&output));
        let mut told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        told["path"] = serde_json::Value::Null;
        told["input"] = serde_json::Value::Null;
        told
    };
    for arguments in [
        &["check", "", "--job", "job.toml", "--json"][..],
        &["risk", "", "--job", "job.toml", "--json"],
        &["risk", "", "--quasi-identifiers", "age,illness", "--json"],
    ] {
        assert_eq!(figures(arguments, address), figures(arguments, file), "{arguments:?}");
    }
}

/// A failed run: the exit code, a message with these words, no cell, no release.
pub fn failed(folder: &Path, output: &Output, code: i32, words: &str) {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{said}{}", stdout(output));
    assert!(said.contains(words), "{said}");
    for cell in ["-end", "illness-", "secret"] {
        assert!(!said.contains(cell), "{said}");
    }
    let left: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("release"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
