//! From a table to a verified release, through the interface alone.

use crate::client::Running;
use paravent_pipeline::run::{RunOptions, anonymize};
use paravent_tables::watch::Unwatched;
use serde_json::{Value, json};
use std::path::Path;

fn with_demo() -> Running {
    let server = Running::start();
    assert_eq!(server.call("POST", "/api/v1/demo", Value::Null).status, 200);
    server
}

/// A table in which every row has a cell that can be recognised.
fn marked_table() -> String {
    let mut text = String::from("name,sex,age,city,illness\n");
    for row in 0..400 {
        let sex = ["f", "m"][row % 2];
        text.push_str(&format!(
            "Mark{row}xq,{sex},{},Town{},{}\n",
            20 + row % 50,
            row % 7,
            ["flu", "gout", "mumps"][row % 3]
        ));
    }
    text.push_str("Mark400xq,f,99,Lonelyzq,rareillzq\n");
    text
}

#[test]
fn a_dropped_table_gets_a_job_and_the_job_its_release() {
    let server = Running::start();
    assert_eq!(server.drop_table("people.csv", marked_table().as_bytes()).status, 200);
    server.result(json!({ "kind": "propose", "k": 5 }));
    let job = server.call("GET", "/api/v1/job", Value::Null).json();
    assert_eq!((&job["keys"]["input"]["path"], &job["problems"]), (&json!("people.csv"), &json!([])));
    let found = server.result(json!({ "kind": "solve" }));
    assert_eq!((&found["node"]["holds"], &found["optimal"]), (&json!(true), &json!(true)));
    let release = server.result(json!({ "kind": "release", "levels": null, "replace": false }));
    assert_eq!(release["verification"]["holds"], true);
    assert_eq!(release["command"], "paravent anonymize paravent.toml --input people.csv");
    let again = server.fault(json!({ "kind": "release", "levels": null, "replace": false }));
    assert_eq!(again["kind"], "input-output");
    server.result(json!({ "kind": "release", "levels": null, "replace": true }));
    let name = release["files"].as_array().unwrap().iter().find(|file| file["name"] == "data.csv").unwrap();
    let data = server.call("GET", "/api/v1/release/data.csv", Value::Null);
    assert_eq!(name["bytes"].as_u64().unwrap(), data.body.len() as u64);
    assert_eq!(data.body, std::fs::read(server.path().join("release/data.csv")).unwrap());
}

#[test]
fn a_fault_names_files_as_the_project_sees_them() {
    let server = Running::start();
    server.drop_table("people.csv", b"a,b\n1,2,3\n4,5\n");
    let fault = server.fault(json!({ "kind": "propose", "k": 5 }));
    assert_eq!(fault["message"], "people.csv, line 2: 3 cells, but the header has 2");
}

#[test]
fn nothing_but_a_preview_shows_rare_cells() {
    let server = Running::start();
    server.drop_table("people.csv", marked_table().as_bytes());
    server.result(json!({ "kind": "propose", "k": 5 }));
    let mut told = String::new();
    for request in [
        json!({ "kind": "columns" }),
        json!({ "kind": "solve" }),
        json!({ "kind": "explore" }),
        json!({ "kind": "risk-of-table" }),
        json!({ "kind": "hierarchy", "column": "city", "values": false }),
        json!({ "kind": "compare", "levels": null, "column": "sex", "other": null }),
    ] {
        told.push_str(&server.run(request).to_string());
    }
    told.push_str(&server.call("GET", "/api/v1/session", Value::Null).text());
    told.push_str(&server.call("GET", "/api/v1/job", Value::Null).text());
    for cell in ["Mark", "Lonelyzq", "rareillzq"] {
        assert!(!told.contains(cell), "{cell}");
    }
    let preview = server.run(json!({ "kind": "preview" })).to_string();
    assert!(preview.contains("Mark0xq"));
}

#[test]
fn the_release_has_the_bytes_of_the_command_line() {
    let server = with_demo();
    server.call("POST", "/api/v1/key", Value::Null);
    let made = server.result(json!({ "kind": "release", "levels": null, "replace": false }));
    assert!(made["verification"]["signer"].is_string());
    let here = tempfile::tempdir().unwrap();
    for name in [
        "paravent.toml",
        "patients.csv",
        "paravent.key",
        "hierarchies/insurance.csv",
        "hierarchies/diagnosis.csv",
    ] {
        let to = here.path().join(name);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(server.path().join(name), to).unwrap();
    }
    anonymize(&here.path().join("paravent.toml"), &RunOptions::default(), &Unwatched).unwrap();
    let files = |folder: &Path| {
        let mut names: Vec<_> = std::fs::read_dir(folder.join("release"))
            .unwrap()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        names.sort();
        names
    };
    assert_eq!(files(server.path()), files(here.path()));
    for name in files(here.path()) {
        let read = |folder: &Path| std::fs::read(folder.join("release").join(&name)).unwrap();
        assert!(read(server.path()) == read(here.path()), "{name:?} differs");
    }
}

#[test]
fn a_chosen_transformation_is_released_with_the_command_for_it() {
    let server = with_demo();
    let found = server.result(json!({ "kind": "solve" }));
    let mut levels: Vec<u64> = found["node"]["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["level"].as_u64().unwrap())
        .collect();
    levels[3] += 1;
    let made = server.result(json!({ "kind": "release", "levels": levels, "replace": false }));
    assert_eq!(made["verification"]["holds"], true);
    assert_eq!(made["document"]["solution"]["transformation"]["admission_date"].as_u64(), Some(levels[3]));
    let node = format!(
        "--node sex={},age={},zip={},admission_date={},insurance={}",
        levels[0], levels[1], levels[2], levels[3], levels[4]
    );
    assert_eq!(made["command"], format!("paravent anonymize paravent.toml {node}"));
    let fault = server.fault(json!({ "kind": "release", "levels": [0, 0, 0, 0, 0], "replace": true }));
    assert_eq!(fault["kind"], "infeasible");
    assert_eq!(server.fault(json!({ "kind": "release", "levels": [0], "replace": true }))["kind"], "request");
}

#[test]
fn every_view_of_the_demo_has_its_figures() {
    let server = with_demo();
    let columns = server.result(json!({ "kind": "columns" }));
    assert_eq!(columns["columns"].as_array().unwrap().len(), 9);
    let rows = columns["rows"].as_u64().unwrap();
    let age = &columns["columns"][3];
    assert_eq!((age["name"].as_str(), age["numeric"].as_bool()), (Some("age"), Some(true)));
    let shown: u64 = age["bars"].as_array().unwrap().iter().map(|bar| bar["rows"].as_u64().unwrap()).sum();
    assert_eq!(shown + age["missing"].as_u64().unwrap(), rows);
    let hierarchy = server.result(json!({ "kind": "hierarchy", "column": "zip", "values": false }));
    assert_eq!(hierarchy["levels"][5]["groups"], 1);
    assert_eq!(hierarchy["tree"][0]["rows"].as_u64(), Some(rows));
    let found = server.result(json!({ "kind": "solve" }));
    let levels: Vec<u64> = found["node"]["levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["level"].as_u64().unwrap())
        .collect();
    let node = server.result(json!({ "kind": "node", "levels": levels }));
    for figure in ["loss", "suppressed_rows", "classes", "smallest_class", "holds"] {
        assert_eq!(node[figure], found["node"][figure], "{figure}");
    }
    let bottom = server.result(json!({ "kind": "node", "levels": vec![0; levels.len()] }));
    assert_eq!(bottom["holds"], false);
    assert!(bottom["promises"][0]["failing_rows"].as_u64().unwrap() > 0);
    let compared =
        server.result(json!({ "kind": "compare", "levels": levels, "column": "age", "other": "diagnosis" }));
    let sum = |key: &str| -> u64 {
        compared[key].as_array().unwrap().iter().map(|bar| bar["rows"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum("relabelled"), rows);
    assert_eq!(sum("output") + sum("suppressed"), rows);
    assert_eq!(sum("suppressed"), found["node"]["suppressed_rows"].as_u64().unwrap());
    let cells = |key: &str| -> u64 {
        let table = compared["contingency"][key].as_array().unwrap();
        table.iter().flat_map(|row| row.as_array().unwrap()).map(|cell| cell.as_u64().unwrap()).sum()
    };
    assert_eq!((cells("input"), cells("output")), (rows, sum("output")));
    assert!(server.result(json!({ "kind": "risk-of-table" }))["prosecutor"].is_object());
    assert_eq!(server.fault(json!({ "kind": "attack" }))["kind"], "conflict");
    server.result(json!({ "kind": "release", "levels": null, "replace": false }));
    assert!(server.result(json!({ "kind": "risk-of-release" }))["prosecutor"].is_object());
    assert!(!server.result(json!({ "kind": "attack" }))["attacks"].as_array().unwrap().is_empty());
    let useful = server.result(json!({ "kind": "utility", "target": "diagnosis" }));
    assert_eq!((&useful["rows"], &useful["learned"][0]["target"]), (&json!(rows), &json!("diagnosis")));
    let register = server.result(json!({ "kind": "register" }));
    assert_eq!((&register["holds"], &register["releases"][0]["state"]), (&json!(true), &json!("in place")));
    let data = server.path().join("release/data.csv");
    let whole = std::fs::read(&data).unwrap();
    std::fs::write(&data, "tampered").unwrap();
    assert_eq!(server.result(json!({ "kind": "register" }))["holds"], false);
    assert_eq!(server.result(json!({ "kind": "verify" }))["verification"]["holds"], false);
    std::fs::write(&data, whole).unwrap();
    let number = register["releases"][0]["sequence"].clone();
    let withdrawal = json!({ "sequence": number, "reason": "a draft" });
    assert_eq!(server.call("POST", "/api/v1/register/withdraw", withdrawal).status, 204);
    assert_eq!(server.result(json!({ "kind": "register" }))["holds"], true);
}

#[test]
fn another_threshold_needs_no_other_reading() {
    let server = with_demo();
    assert!(server.result(json!({ "kind": "solve" }))["reading_seconds"].as_f64().unwrap() > 0.0);
    let set = |path: Value, value: Value| {
        let change = json!({ "changes": [{ "path": path, "value": value }], "digest": null });
        assert_eq!(server.call("PATCH", "/api/v1/job", change).status, 200);
        server.result(json!({ "kind": "solve" }))
    };
    let found = set(json!(["privacy", "models", 0, "k"]), json!(12));
    assert_eq!(found["reading_seconds"], 0.0);
    assert!(found["node"]["smallest_class"].as_u64().unwrap() >= 12);
    // The same as if it had been read anew.
    let table = server.path().join("patients.csv");
    let cells = std::fs::read(&table).unwrap();
    std::fs::write(&table, &cells).unwrap();
    let anew = server.result(json!({ "kind": "solve" }));
    assert!(anew["reading_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(anew["node"], found["node"]);
}

#[test]
fn exploring_looks_at_every_transformation_and_can_be_stopped() {
    let server = with_demo();
    let started =
        server.call("POST", "/api/v1/runs", json!({ "kind": "explore" })).json()["id"].as_u64().unwrap();
    let lines = server.call("GET", &format!("/api/v1/runs/{started}/events"), Value::Null).text();
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = events.last().unwrap();
    assert_eq!(last["run"]["state"], "done", "{}", last["run"]["fault"]);
    let points: Vec<&Value> = events.iter().flat_map(|event| event["points"].as_array().unwrap()).collect();
    assert_eq!(points.len() as u64, last["run"]["result"]["looked_at"].as_u64().unwrap());
    let found = server.result(json!({ "kind": "solve" }));
    let least = points
        .iter()
        .filter(|point| point["holds"] == true)
        .map(|point| point["loss"].as_f64().unwrap())
        .fold(f64::INFINITY, f64::min);
    assert!(
        (least - found["node"]["loss"].as_f64().unwrap()).abs() < 1e-9,
        "{least} {}",
        found["node"]["loss"]
    );
    let again =
        server.call("POST", "/api/v1/runs", json!({ "kind": "explore" })).json()["id"].as_u64().unwrap();
    assert_eq!(server.call("DELETE", &format!("/api/v1/runs/{again}"), Value::Null).status, 200);
    let lines = server.call("GET", &format!("/api/v1/runs/{again}/events"), Value::Null).text();
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert!(last["run"]["state"] == "done" || last["run"]["fault"]["kind"] == "stopped", "{last}");
    assert_eq!(server.call("GET", "/api/v1/runs/9999", Value::Null).status, 404);
}
