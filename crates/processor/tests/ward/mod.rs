//! A hospital ward with made-up patients, its policy, and a scratch folder for both.
#![allow(dead_code, reason = "each test file takes what it needs")]

pub mod dice;
pub mod joined;
pub mod random;
pub mod refused;

use paravent_policy::Policy;
use paravent_processor::{Answered, AskError, Refusal, ask};
use std::fs;
use tempfile::TempDir;

pub const JOB: &str = r#"version = 1
input.path = "patients.csv"

[[attributes]]
name = "id"
role = "identifying"
type = "string"

[[attributes]]
name = "name"
role = "identifying"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [10, 20], min = 0, max = 100 } }

[[attributes]]
name = "sex"
role = "quasi-identifier"
type = "string"

[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
hierarchy = { redact = { from = "right", length = 5, alphabet = 10 } }

[[attributes]]
name = "diagnosis"
role = "sensitive"
type = "string"

[[attributes]]
name = "salary"
role = "insensitive"
type = "integer"

[[attributes]]
name = "ward"
role = "insensitive"
type = "string"

[[attributes]]
name = "admitted"
role = "insensitive"
type = "date"

[privacy]
person = "id"
models = [{ model = "k-anonymity", k = 5 }]
"#;

pub const POLICY: &str = r#"version = 1
name = "ward-7"

[[tables]]
name = "patients"
job = "patients.toml"
person = ["id"]
contribution = 1
[tables.domain]
salary = { min = 0, max = 20000 }
diagnosis = { values = ["flu", "gout", "hiv"] }
sex = { values = ["f", "m"] }

[[recipients]]
role = "research"
purposes = ["statistics", "gait-study"]
trust = "untrusted"
group = "university"
budget = { epsilon = "2", delta = "1e-6" }

[[recipients]]
role = "students"
purposes = ["statistics"]
group = "university"
budget = { epsilon = "2", delta = "1e-6" }

[[rules]]
id = "rows"
table = "patients"
where = "ward <> 'psychiatry'"
aggregate = ["count"]
noise = { epsilon = "0.5", delta = "1e-7" }

[[rules]]
id = "age"
table = "patients"
columns = ["age"]
filter = 1
group = 1
aggregate = ["count"]
why = "DPIA, section 3"

[[rules]]
id = "zip"
table = "patients"
columns = ["zip"]
filter = 3
group = 3
aggregate = ["count"]

[[rules]]
id = "sex"
table = "patients"
columns = ["sex"]
filter = true
group = true
aggregate = ["count"]

[[rules]]
id = "diagnosis"
for = { purpose = "statistics" }
table = "patients"
columns = ["diagnosis"]
filter = false
group = true
aggregate = ["count"]
noise = { epsilon = "0.25" }

[[rules]]
id = "salary"
table = "patients"
columns = ["salary"]
aggregate = ["sum", "avg"]

[[rules]]
id = "no-names"
table = "patients"
columns = ["name", "id"]
deny = true

[[demands]]
table = "patients"
min_people = 10
"#;

/// A thousand people, one row each; every tenth is on a ward that the policy hides.
pub fn rows(people: usize) -> String {
    let mut text = String::from("id,name,age,sex,zip,diagnosis,salary,ward,admitted\n");
    for i in 0..people {
        let ward = if i % 10 == 0 { "psychiatry" } else { "medicine" };
        text.push_str(&format!(
            "p{i},CANARY{i},{},{},{:05},{},{},{ward},2026-{:02}-01\n",
            20 + i % 60,
            ["f", "m"][i / 2 % 2],
            10_000 + i % 7 * 100,
            ["flu", "gout", "hiv"][i % 3],
            1_000 + i % 50 * 10,
            1 + i % 12
        ));
    }
    text
}

pub struct Ward {
    pub folder: TempDir,
    pub policy: Policy,
}

impl Ward {
    pub fn new() -> Ward {
        Ward::with(POLICY, &rows(1_000))
    }

    pub fn with(policy: &str, table: &str) -> Ward {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("patients.toml"), JOB).unwrap();
        fs::write(folder.path().join("patients.csv"), table).unwrap();
        let policy = Policy::parse(policy, &folder.path().join("policy.toml")).unwrap();
        Ward { folder, policy }
    }

    pub fn ask(&self, sql: &str) -> Result<Answered, AskError> {
        ask(&self.policy, "research", "statistics", sql)
    }

    #[track_caller]
    pub fn answer(&self, sql: &str) -> Answered {
        self.ask(sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    #[track_caller]
    pub fn refused(&self, sql: &str) -> Refusal {
        match self.ask(sql) {
            Err(AskError::Refused(refusal)) => refusal,
            Err(other) => panic!("{sql}: {other}"),
            Ok(answer) => panic!("{sql}: answered with {} rows", answer.rows.len()),
        }
    }

    /// Lines of the ledger beyond its first.
    pub fn paid(&self) -> usize {
        let ledger = fs::read_to_string(self.folder.path().join("state/ledger.jsonl"));
        ledger.map_or(0, |text| text.lines().count().saturating_sub(1))
    }
}
