//! The ward with two tables that are linked to its patients, and one about other people.

use super::{JOB, POLICY, Ward, rows};
use paravent_policy::Policy;
use std::fs;

const VISITS_JOB: &str = r#"version = 1
input.path = "visits.csv"

[[attributes]]
name = "patient"
role = "identifying"
type = "string"

[[attributes]]
name = "unit"
role = "quasi-identifier"
type = "string"

[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [20], min = 0, max = 100 } }

[[attributes]]
name = "gait"
role = "insensitive"
type = "integer"

[[attributes]]
name = "note"
role = "insensitive"
type = "string"

[privacy]
person = "patient"
models = [{ model = "k-anonymity", k = 5 }]
"#;

/// What the policy of the ward says about visits; `meals` are linked to the same people, `staff` are others.
pub const LINKED: &str = r#"
[[tables]]
name = "visits"
job = "visits.toml"
links = { patient = "patients.id" }
contribution = 3
[tables.domain]
gait = { min = 0, max = 200 }
unit = { values = ["a", "b"] }

[[tables]]
name = "meals"
job = "meals.toml"
links = { patient = "patients.id" }
contribution = 2

[[tables]]
name = "staff"
job = "staff.toml"
person = "patient"

[[tables]]
name = "calendar"
path = "calendar.csv"
public = true

[[rules]]
id = "visit-rows"
table = "visits"
where = "note <> 'secret'"
aggregate = ["count"]

[[rules]]
id = "unit"
table = "visits"
columns = ["unit"]
filter = true
group = true
aggregate = ["count"]

[[rules]]
id = "visit-age"
table = "visits"
columns = ["age"]
group = 1
aggregate = ["count"]

[[rules]]
id = "gait"
table = "visits"
columns = ["gait"]
aggregate = ["sum", "avg"]

[[rules]]
id = "meal-unit"
table = "meals"
columns = ["unit"]
filter = true
group = true
aggregate = ["count"]

[[rules]]
id = "staff-rows"
table = "staff"
aggregate = ["count"]

[[demands]]
table = "visits"
min_people = 5
"#;

/// Two visits of each patient but every seventh, who has none; every fifth patient has one that is secret; a visit of somebody who is no patient.
pub fn visits(people: usize) -> String {
    let mut text = String::from("patient,unit,age,gait,note\n");
    for i in (0..people).filter(|i| i % 7 != 0) {
        for visit in 0..2 {
            let note = if i % 5 == 0 && visit == 0 { "secret" } else { "plain" };
            text.push_str(&format!(
                "p{i},{},{},{},{note}\n",
                ["a", "b"][(i + visit) % 2],
                20 + i % 60,
                100 + i % 3
            ));
        }
    }
    text.push_str("stranger,a,50,100,plain\n");
    text
}

pub fn policy_text() -> String {
    format!("{POLICY}{LINKED}")
}

/// The ward with its linked tables.
pub fn ward(policy: &str, visits: &str) -> Ward {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("patients.toml", JOB);
    write("patients.csv", &rows(1_000));
    write("visits.csv", visits);
    for (table, job) in [("visits", "visits.csv"), ("meals", "visits.csv"), ("staff", "visits.csv")] {
        write(&format!("{table}.toml"), &VISITS_JOB.replace("visits.csv", job));
    }
    let policy = Policy::parse(policy, &folder.path().join("policy.toml")).unwrap();
    Ward { folder, policy }
}
