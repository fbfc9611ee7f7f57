//! Questions under the project's policy, through the interface alone.

use crate::client::Running;
use paravent_policy::Policy;
use serde_json::{Value, json};

const POLICY: &str = r#"
version = 1
name = "ward"
tables = [{ name = "patients", job = "paravent.toml", person = "patient_id" }]

[[recipients]]
role = "research"
purposes = ["statistics"]
budget = { epsilon = "1", delta = "1e-6" }

[[recipients]]
role = "board"
purposes = ["planning"]
trust = "trusted"

[[rules]]
id = "rows"
table = "patients"
aggregate = ["count"]

[[rules]]
id = "sex"
table = "patients"
columns = ["sex"]
filter = true
group = true
aggregate = ["count"]

[[rules]]
id = "noise"
for = { role = "research" }
table = "patients"
aggregate = ["count"]
noise = { epsilon = "0.5", delta = "1e-8" }

[[demands]]
table = "patients"
min_people = 5
"#;

/// The demo with a policy.
fn with_policy() -> Running {
    let server = Running::start();
    assert_eq!(server.call("POST", "/api/v1/demo", Value::Null).status, 200);
    std::fs::write(server.path().join("policy.toml"), POLICY).unwrap();
    server
}

fn ask(role: &str, purpose: &str, statement: &str) -> Value {
    json!({ "kind": "ask", "role": role, "purpose": purpose, "statement": statement })
}

#[test]
fn without_a_policy_there_is_nothing_to_show() {
    let server = Running::start();
    assert_eq!(server.call("GET", "/api/v1/session", Value::Null).json()["sql"], true);
    assert_eq!(server.result(json!({ "kind": "policy" })), Value::Null);
    assert_eq!(server.fault(ask("research", "statistics", "SELECT 1"))["kind"], "conflict");
    std::fs::write(server.path().join("policy.toml"), "version = 1\nname = \"x\"\nnonsense = 2\n").unwrap();
    let fault = server.fault(json!({ "kind": "policy" }));
    assert_eq!(
        (&fault["kind"], &fault["problems"][0]["file"]),
        (&json!("configuration"), &json!("policy.toml"))
    );
}

#[test]
fn rights_are_those_of_the_policy() {
    let server = with_policy();
    let view = server.result(json!({ "kind": "policy" }));
    let policy = Policy::load(&server.path().join("policy.toml")).unwrap();
    assert_eq!(view["version"], policy.version());
    assert_eq!(view["state"]["answers"], Value::Null, "looking makes no state");
    assert!(!policy.state_folder().exists());
    let research = &view["recipients"][0]["purposes"][0]["tables"][0];
    let of = |name: &str| {
        research["columns"].as_array().unwrap().iter().find(|one| one["column"] == name).unwrap().clone()
    };
    assert_eq!((&of("sex")["group"], &of("sex")["noise"]["epsilon"]), (&json!(0), &json!("0.5")));
    assert_eq!((&of("age")["group"], of("age")["rules"].as_array().unwrap().len()), (&Value::Null, 0));
    assert_eq!(research["count"], true);
}

#[test]
fn an_answer_is_what_ask_gives_and_is_paid_once() {
    let server = with_policy();
    let question = "SELECT sex, count(*) FROM patients GROUP BY sex";
    let first = server.result(ask("research", "statistics", question));
    let policy = Policy::load(&server.path().join("policy.toml")).unwrap();
    let same = paravent_processor::ask(&policy, "research", "statistics", question).unwrap();
    assert_eq!((&first["columns"], &first["rows"]), (&json!(same.columns), &json!(same.rows)));
    assert_eq!((&first["annotation"]["cached"], &same.annotation["cached"]), (&json!(false), &json!(true)));
    let view = server.result(json!({ "kind": "policy" }));
    assert_eq!((&view["state"]["answers"], &view["state"]["lines"]), (&json!(1), &json!(1)));
    assert_eq!(view["state"]["spent"][0]["cost"]["epsilon"], "0.5");
    let exact = server.result(ask("board", "planning", question));
    assert_eq!(exact["annotation"]["truthful"], true);
    let view = server.result(json!({ "kind": "policy" }));
    assert_eq!(view["state"]["exact"][0]["answers"], 1);
}

#[test]
fn a_refusal_says_why_and_what_to_do_and_nothing_is_paid() {
    let server = with_policy();
    for (role, purpose, statement) in [
        ("research", "statistics", "SELECT age, count(*) FROM patients GROUP BY age"),
        ("research", "statistics", "SELECT * FROM patients"),
        ("research", "planning", "SELECT count(*) FROM patients"),
        ("nobody", "statistics", "SELECT count(*) FROM patients"),
    ] {
        let fault = server.fault(ask(role, purpose, statement));
        assert_eq!(fault["kind"], "refused", "{statement}: {fault}");
        assert!(!fault["advice"].as_str().unwrap().is_empty());
        let mut explain = ask(role, purpose, statement);
        explain["kind"] = json!("explain");
        assert_eq!(server.fault(explain)["message"], fault["message"]);
    }
    assert_eq!(server.result(json!({ "kind": "policy" }))["state"]["lines"], 0);
}

#[test]
fn explaining_reads_no_table() {
    let server = with_policy();
    std::fs::remove_file(server.path().join("patients.csv")).unwrap();
    let mut explain = ask("research", "statistics", "SELECT sex, count(*) FROM patients GROUP BY sex");
    explain["kind"] = json!("explain");
    let told = server.result(explain.clone());
    assert_eq!(told["cost"]["epsilon"], "0.5");
    assert!(!told["plan"].as_str().unwrap().is_empty());
    explain["kind"] = json!("ask");
    assert_eq!(server.fault(explain)["kind"], "input-output");
}
