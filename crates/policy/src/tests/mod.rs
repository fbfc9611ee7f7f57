//! Policies as people write them.

mod meaning;
mod meet;
mod problems;
mod schema;

use crate::Policy;

/// A policy with every section. Lines matter to tests that name them.
pub(crate) const WARD: &str = r#"version = 1
name = "ward-7"

[[tables]]
name = "patients"
job = "patients.toml"
person = ["id"]
contribution = 1
[tables.domain]
salary = { min = 0, max = 20000, step = 1 }
diagnosis = { values = "diagnosis.csv" }

[[tables]]
name = "vitals"
path = "vitals.parquet"
links = { patient = "patients.id" }
contribution = 50

[[tables]]
name = "calendar"
path = "calendar.csv"
public = true

[[recipients]]
role = "research"
purposes = ["gait-study", "statistics"]
trust = "untrusted"
group = "university"
budget = { epsilon = "2", delta = "1e-6", renew = "never" }
answers = { per_day = 500 }

[[rules]]
id = "age"
for = { role = "research" }
table = "patients"
columns = ["age"]
show = 1
filter = 1
group = 1
aggregate = ["count", "avg"]
why = "DPIA 2026-04, section 3"

[[rules]]
id = "diagnosis"
for = { role = "research", purpose = "statistics" }
table = "patients"
columns = ["diagnosis"]
show = false
filter = false
group = true
aggregate = ["count"]
noise = { epsilon = "0.1" }

[[rules]]
id = "rows"
table = "patients"
where = "admitted >= DATE '2020-01-01' AND ward <> 'psychiatry'"
times = { column = "admitted", grain = "month" }

[[rules]]
id = "no-names"
table = "patients"
columns = ["name", "id", "insurance_number"]
deny = true

[[demands]]
table = "patients"
min_people = 10
dominance = 0.5
models = [ { model = "k-anonymity", k = 10 }, { model = "distinct-l-diversity", attribute = "diagnosis", l = 3 } ]
suppression_limit = 0.05
metric = "loss"
operators = ["generalize", "slice", "noise"]

[[analyses]]
for = { purpose = "gait-study" }
regression = [["age", "gait_speed"], ["age", "step_length"]]

[consent]
table = "consents.csv"
without = "out"
batch = 10

[[subjects]]
person = "p17"
rules = [ { columns = ["weight"], deny = true }, { columns = ["age"], show = 3 } ]
conflict = "leave-out"

[state]
path = "state"
"#;

pub(crate) fn read(text: &str) -> Policy {
    Policy::parse(text, "policy.toml".as_ref()).unwrap()
}

pub(crate) fn complaints(text: &str) -> String {
    Policy::parse(text, "policy.toml".as_ref()).unwrap_err().to_string()
}
