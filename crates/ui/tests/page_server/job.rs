//! The job: changed here, changed there, and back.

use crate::client::Running;
use serde_json::{Value, json};

fn patch(server: &Running, path: Value, value: Value) -> Value {
    let answer = server.call(
        "PATCH",
        "/api/v1/job",
        json!({ "changes": [{ "path": path, "value": value }], "digest": null }),
    );
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn with_demo() -> Running {
    let server = Running::start();
    assert_eq!(server.call("POST", "/api/v1/demo", Value::Null).status, 200);
    server
}

#[test]
fn a_change_of_the_page_is_a_change_of_the_file_and_can_be_undone() {
    let server = with_demo();
    let file = || std::fs::read_to_string(server.path().join("paravent.toml")).unwrap();
    let before = file();
    let job = patch(&server, json!(["privacy", "models", 0, "k"]), json!(7));
    assert_eq!(file(), before.replace("k = 5", "k = 7"));
    assert_eq!(
        (job["keys"]["privacy"]["models"][0]["k"].clone(), job["can_undo"].clone()),
        (json!(7), json!(true))
    );
    let undone = server.call("POST", "/api/v1/job/undo", Value::Null).json();
    assert_eq!((file(), undone["can_redo"].clone()), (before.clone(), json!(true)));
    server.call("POST", "/api/v1/job/redo", Value::Null);
    assert_eq!(file(), before.replace("k = 5", "k = 7"));
    assert_eq!(server.call("POST", "/api/v1/job/redo", Value::Null).status, 409);
}

#[test]
fn a_change_by_somebody_else_is_seen_and_not_overwritten() {
    let server = with_demo();
    let seen = server.call("GET", "/api/v1/job", Value::Null).json();
    let path = server.path().join("paravent.toml");
    let text = std::fs::read_to_string(&path).unwrap().replace("k = 5", "k = 9");
    std::fs::write(&path, &text).unwrap();
    let late =
        json!({ "changes": [{ "path": ["search", "metric"], "value": "aecs" }], "digest": seen["digest"] });
    assert_eq!(server.call("PATCH", "/api/v1/job", late).status, 409);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let now = server.call("GET", "/api/v1/job", Value::Null).json();
    assert_eq!((now["text"].as_str(), now["can_undo"].clone()), (Some(text.as_str()), json!(true)));
}

#[test]
fn problems_come_with_line_key_and_advice() {
    let server = with_demo();
    let job = patch(&server, json!(["privacy", "models", 0, "k"]), json!(0));
    let problem = &job["problems"][0];
    assert_eq!(problem["key"], "privacy.models[0].k");
    assert!(problem["line"].is_u64() && problem["advice"].is_string(), "{problem}");
    let fault = server.fault(json!({ "kind": "solve" }));
    assert_eq!(
        (&fault["kind"], &fault["problems"][0]["key"]),
        (&json!("configuration"), &json!("privacy.models[0].k"))
    );
    let text = server.call("PUT", "/api/v1/job", json!({ "text": "version = [", "digest": null })).json();
    assert_eq!((text["keys"].is_null(), text["problems"].as_array().unwrap().is_empty()), (true, false));
    let odd = server.call("PATCH", "/api/v1/job", json!({ "changes": [], "other": 1 }));
    assert_eq!(odd.status, 400);
}

#[test]
fn no_solution_comes_with_what_would_help() {
    let server = with_demo();
    patch(&server, json!(["attributes", 3, "max_level"]), json!(0));
    patch(&server, json!(["privacy", "models", 0, "k"]), json!(100));
    let fault = server.fault(json!({ "kind": "solve" }));
    assert_eq!(fault["kind"], "infeasible");
    assert!(!fault["relaxations"].as_array().unwrap().is_empty());
    assert_eq!(server.fault(json!({ "kind": "node", "levels": [99] }))["kind"], "request");
}

#[test]
fn all_models_of_the_catalogue_can_be_promised() {
    let models = Running::start().call("GET", "/api/v1/models", Value::Null).json();
    let models = models.as_array().unwrap();
    assert_eq!(models.len(), paravent_job::models::ModelName::ALL.len());
    assert!(models.iter().all(|model| !model["statement"].as_str().unwrap().is_empty()));
}
