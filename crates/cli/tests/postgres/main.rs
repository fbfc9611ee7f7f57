//! Jobs whose table stays in PostgreSQL. The tests start a server of their own; see `server.rs`.
#![allow(clippy::unwrap_used, reason = "these are tests, helpers included")]

mod commands;
mod draws;
mod faults;
mod server;
mod tables;
mod tls;
mod twins;
mod wire;

use std::path::Path;
use std::process::{Command, Output};

/// The program under test, with nothing of the caller's environment that names a server.
fn paravent(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_paravent"));
    command.current_dir(folder).env("NO_COLOR", "1").env("HOME", folder);
    for name in ["PGPASSWORD", "PGPASSFILE", "PGUSER", "PGHOST"] {
        command.env_remove(name);
    }
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    paravent(folder).args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts success and gives what was printed.
fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", stdout(output), stderr(output));
    stdout(output)
}
