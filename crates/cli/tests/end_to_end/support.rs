//! A folder with a job and a table, and the binary run in it.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A job that the table of [`patients`] fulfils. Lines matter to tests that name them.
pub const JOB: &str = r#"version = 1

[input]
path = "patients.csv"

[[attributes]]
name = "name"
role = "identifying"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }

[[attributes]]
name = "sex"
role = "quasi-identifier"

[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
hierarchy = { redact = { from = "right" } }

[[attributes]]
name = "diagnosis"
role = "sensitive"

[privacy]
suppression_limit = 0.1
models = [
  { model = "k-anonymity", k = 3 },
  { model = "distinct-l-diversity", attribute = "diagnosis", l = 2 },
]

[output]
path = "release"
"#;

/// 60 people.
pub fn patients() -> String {
    table(60)
}

/// So many people, in an order that is not the canonical one.
pub fn table(rows: usize) -> String {
    let mut text = String::from("name,age,sex,zip,diagnosis\n");
    for i in 0..rows {
        let mixed = i * 7919 % 10_007;
        let (age, zip) = (20 + mixed % 40, 81_660 + mixed / 3 % 7);
        let sex = ["f", "m"][mixed / 2 % 2];
        let diagnosis = ["flu", "gout", "asthma", "angina"][mixed % 4];
        text.push_str(&format!("person {i},{age},{sex},{zip},{diagnosis}\n"));
    }
    text
}

/// What a run left on its streams.
pub struct Outcome {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Outcome {
    /// The document on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|_| panic!("one document, but: {} {}", self.out, self.err))
    }

    /// Fails unless it ended like this.
    #[track_caller]
    pub fn expect(self, code: i32) -> Outcome {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Fails unless the errors hold all these texts.
    #[track_caller]
    pub fn says(self, texts: &[&str]) -> Outcome {
        for text in texts {
            assert!(self.err.contains(text), "{text:?} is not in: {}", self.err);
        }
        self
    }
}

/// A folder of its own.
pub struct Place(TempDir);

impl Place {
    /// With the usual job and table.
    pub fn new() -> Place {
        Place::with(JOB, patients())
    }

    pub fn with(job: &str, table: impl AsRef<[u8]>) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        place.write("paravent.toml", job);
        place.write("patients.csv", table);
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Names in the folder, hidden ones as well.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_paravent"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).env_remove("NO_COLOR");
        command
    }

    /// Runs the binary to its end.
    pub fn run(&self, args: &[&str]) -> Outcome {
        self.run_with(args, b"")
    }

    /// With something on standard input.
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Outcome {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // A program that fails early does not read to the end.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        Outcome {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// `anonymize paravent.toml` and more arguments.
    pub fn anonymize(&self, more: &[&str]) -> Outcome {
        let args: Vec<&str> =
            ["anonymize", "paravent.toml"].into_iter().chain(more.iter().copied()).collect();
        self.run(&args)
    }
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}
