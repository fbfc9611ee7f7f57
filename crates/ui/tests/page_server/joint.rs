//! The joint run in the project folder, through the interface alone.

use crate::client::Running;
use paravent_joint::keys;
use paravent_joint::setup::{Invitation, invite};
use paravent_tables::watch::Unwatched;
use serde_json::{Value, json};
use std::path::Path;

fn invited(folder: &Path) {
    let at = |name: &str| folder.join(name);
    let parties = ["clinic-a", "clinic b"];
    let invitation = Invitation::with_helper(
        at("paravent.toml"),
        "registry 2026",
        &parties,
        "trustee",
        at("federation.toml"),
    );
    invite(&invitation, &Unwatched).unwrap();
}

#[test]
fn the_run_is_shown_with_who_learns_what_and_the_commands() {
    let server = Running::start();
    assert_eq!(server.result(json!({ "kind": "joint", "me": null })), Value::Null);
    server.call("POST", "/api/v1/demo", Value::Null);
    invited(server.path());
    let view = server.result(json!({ "kind": "joint", "me": null }));
    assert_eq!(
        (&view["run"], &view["protocol"], &view["complete"]),
        (&json!("registry 2026"), &json!("B"), &json!(false))
    );
    assert_eq!((&view["me"], &view["steps"]), (&Value::Null, &json!([])));
    assert_eq!(view["parties"][1]["stage"], "invited");
    // By design the second clinic learns nothing in protocol B.
    for party in ["clinic-a", "trustee"] {
        assert!(view["learned"].as_array().unwrap().iter().any(|one| one["party"] == party), "{party}");
    }
    keys::generate("clinic-a", server.path()).unwrap();
    let view = server.result(json!({ "kind": "joint", "me": null }));
    assert_eq!(view["me"], "clinic-a");
    let other = server.result(json!({ "kind": "joint", "me": "clinic b" }));
    let join = other["steps"][1]["command"].as_str().unwrap();
    assert!(join.contains("--me 'clinic b' --address HOST:PORT"), "{join}");
    assert_eq!(server.fault(json!({ "kind": "joint", "me": "nobody" }))["kind"], "configuration");
    // No key is read, so none can be sent.
    let key = std::fs::read_to_string(server.path().join("clinic-a.key.pem")).unwrap();
    assert!(!view.to_string().contains(key.lines().nth(1).unwrap()));
}
