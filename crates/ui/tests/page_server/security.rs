//! Each rule of the guard, by a request that breaks it and one that does not.

use crate::client::{DATA_LIMIT, Running};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;

const SESSION: &str = "/api/v1/session";

#[test]
fn the_page_is_served_and_says_what_may_be_loaded() {
    let server = Running::start();
    let host = server.address.to_string();
    let page = server.send("GET", "/", &[("host", &host)], b"");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    let answer = server.call("GET", SESSION, Value::Null);
    for response in [&page, &answer] {
        assert!(response.header("set-cookie").is_none());
        assert!(!response.head.to_ascii_lowercase().contains("access-control"));
    }
    // The page's own files name no other server.
    for path in ["/", "/app.js", "/app.css"] {
        let file = server.send("GET", path, &[("host", &host)], b"");
        assert_eq!(file.status, 200, "{path}");
        assert!(!file.text().contains("src=\"http") && !file.text().contains("@import"), "{path}");
    }
    assert_eq!(server.send("GET", "/../Cargo.toml", &[("host", &host)], b"").status, 404);
    assert_eq!(server.send("GET", "/%2e%2e/etc/passwd", &[("host", &host)], b"").status, 404);
}

#[test]
fn the_host_is_checked_before_anything_else() {
    let server = Running::start();
    let bearer = format!("Bearer {}", server.token);
    let port = server.address.port();
    let with_host = |host: &str, path: &str| {
        server.send("GET", path, &[("host", host), ("authorization", &bearer)], b"").status
    };
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        assert_eq!(with_host(&host, SESSION), 200);
    }
    let foreign = [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1",
        "localhost",
        &format!("127.0.0.1:{}", port ^ 1),
        &format!("127.0.0.1.evil.example:{port}"),
        &format!("LOCALHOST.:{port}"),
        "",
    ];
    for host in foreign {
        for path in ["/", "/app.js", SESSION, "/api/v1/nothing", "/nothing"] {
            // Known and unknown addresses look the same from outside.
            assert_eq!(with_host(host, path), 403, "{host} {path}");
        }
    }
    let none = server.raw(format!("GET {SESSION} HTTP/1.0\r\nauthorization: {bearer}\r\n\r\n").as_bytes());
    assert_eq!(none.status, 403);
    let two = server.raw(format!("GET {SESSION} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nhost: evil.example\r\nauthorization: {bearer}\r\nconnection: close\r\n\r\n").as_bytes());
    assert!(matches!(two.status, 400 | 403), "{}", two.status);
}

#[test]
fn every_address_of_the_interface_wants_the_token() {
    let server = Running::start();
    let host = server.address.to_string();
    let calls = [
        ("GET", SESSION),
        ("GET", "/api/v1/models"),
        ("PUT", "/api/v1/data"),
        ("DELETE", "/api/v1/data"),
        ("POST", "/api/v1/demo"),
        ("GET", "/api/v1/job"),
        ("PUT", "/api/v1/job"),
        ("PATCH", "/api/v1/job"),
        ("POST", "/api/v1/job/undo"),
        ("POST", "/api/v1/key"),
        ("PUT", "/api/v1/hierarchies/a.csv"),
        ("POST", "/api/v1/runs"),
        ("GET", "/api/v1/runs/1"),
        ("GET", "/api/v1/runs/1/events"),
        ("DELETE", "/api/v1/runs/1"),
        ("GET", "/api/v1/release/data.csv"),
        ("POST", "/api/v1/register/withdraw"),
        ("GET", "/api/v1/nothing"),
        ("GET", "/api"),
    ];
    let (wrong, cookie) = (format!("Bearer {}x", &server.token[1..]), format!("t={}", server.token));
    for (method, path) in calls {
        let shown: [&[(&str, &str)]; 4] = [
            &[("host", &host)],
            &[("host", &host), ("authorization", &wrong)],
            &[("host", &host), ("cookie", &cookie)],
            &[("host", &host), ("authorization", &server.token)],
        ];
        for headers in shown {
            assert_eq!(server.send(method, path, headers, b"").status, 401, "{method} {path}");
        }
    }
    let asked = format!("{SESSION}?t={}", server.token);
    assert_eq!(server.send("GET", &asked, &[("host", &host)], b"").status, 401);
    assert!(
        std::fs::read_dir(server.path())
            .unwrap()
            .flatten()
            .all(|entry| entry.file_name().to_string_lossy().starts_with('.'))
    );
}

#[test]
fn other_pages_are_turned_away_even_with_the_token() {
    let server = Running::start();
    let (host, bearer) = (server.address.to_string(), format!("Bearer {}", server.token));
    let ours = format!("http://{host}");
    let from = |name: &str, value: &str| {
        server.send("GET", SESSION, &[("host", &host), ("authorization", &bearer), (name, value)], b"").status
    };
    assert_eq!(from("origin", &ours), 200);
    assert_eq!(from("sec-fetch-site", "same-origin"), 200);
    for (name, value) in [
        ("origin", "http://evil.example"),
        ("origin", "null"),
        ("origin", "http://localhost:1"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
    ] {
        assert_eq!(from(name, value), 403, "{name} {value}");
    }
    let preflight = server.send(
        "OPTIONS",
        SESSION,
        &[("host", &host), ("origin", "http://evil.example"), ("access-control-request-method", "GET")],
        b"",
    );
    assert!(preflight.status >= 400 && !preflight.head.to_ascii_lowercase().contains("access-control"));
    // A link may lead to the page, which is empty without the token; nothing else may be loaded from elsewhere.
    let visit = [
        ("host", host.as_str()),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(server.send("GET", "/", &visit, b"").status, 200);
    let script = [
        ("host", host.as_str()),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "no-cors"),
        ("sec-fetch-dest", "script"),
    ];
    assert_eq!(server.send("GET", "/app.js", &script, b"").status, 403);
}

#[test]
fn bodies_have_limits() {
    let server = Running::start();
    let large = json!({ "text": "#".repeat(1 << 20) });
    assert_eq!(server.call("PUT", "/api/v1/job", large).status, 413);
    // Without a length, what arrives is counted.
    let chunk = vec![b'x'; 1 << 19];
    let mut request = format!("PUT /api/v1/job HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n", server.address, server.token).into_bytes();
    for _ in 0..3 {
        request.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        request.extend_from_slice(&chunk);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(server.raw(&request).status, 413);
    let fits = vec![b'x'; DATA_LIMIT as usize];
    assert_eq!(server.drop_table("a.csv", &fits).status, 200);
    let more = vec![b'x'; DATA_LIMIT as usize + 1];
    let refused = server.drop_table("b.csv", &more);
    assert_eq!(refused.status, 413);
    assert!(refused.json()["advice"].as_str().unwrap().contains("command line"));
    // The one that was there is still there.
    assert_eq!(server.call("GET", SESSION, Value::Null).json()["data"]["name"], "a.csv");
}

#[test]
fn a_dropped_table_is_private_and_goes_with_the_server() {
    let server = Running::start();
    assert_eq!(server.drop_table("p%C3%A4tient.csv", b"age,sex\n1,f\n2,m\n").status, 200);
    let hidden = |folder: &std::path::Path| -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
        entries
            .filter(|path| {
                path.is_dir() && path.file_name().unwrap().to_string_lossy().starts_with(".paravent-ui-")
            })
            .collect()
    };
    let [folder] = &hidden(server.path())[..] else { panic!("one folder") };
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700);
    assert_eq!(mode(&folder.join("pätient.csv")), 0o600);
    for name in
        ["..%2Fx.csv", "%2Fetc%2Fpasswd.csv", "..", ".csv", "a.exe", "a%00.csv", "a%0a.csv", "", "%ff.csv"]
    {
        let refused = server.drop_table(name, b"a,b\n1,2\n");
        // A folder in the name is cut off, everything else is refused.
        assert!(
            refused.status == 400
                || refused.json()["data"]["name"].as_str().is_some_and(|name| !name.contains('/')),
            "{name}"
        );
    }
    // Somebody who still listens does not keep it.
    server.result(serde_json::json!({ "kind": "propose", "k": 2 }));
    let mut listening = std::net::TcpStream::connect(server.address).unwrap();
    let events = format!(
        "GET /api/v1/runs/1/events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        server.address, server.token
    );
    std::io::Write::write_all(&mut listening, events.as_bytes()).unwrap();
    let folder = server.end();
    drop(listening);
    assert!(hidden(folder.path()).is_empty());
    // What a killed program left behind goes with the next one.
    std::fs::create_dir(folder.path().join(".paravent-ui-old")).unwrap();
    let again = Running::start_in(folder);
    assert!(!again.path().join(".paravent-ui-old").exists());
}

#[test]
fn one_program_at_a_time_has_a_project() {
    let server = Running::start();
    let opened = paravent_ui::Opened { folder: Some(server.path().to_owned()), file: None };
    let refused = paravent_ui::Project::open(&opened).unwrap_err().to_string();
    assert!(refused.contains("another"), "{refused}");
    let folder = server.end();
    assert!(
        paravent_ui::Project::open(&paravent_ui::Opened {
            folder: Some(folder.path().to_owned()),
            file: None
        })
        .is_ok()
    );
}

#[test]
fn the_browser_names_no_file_outside_the_project() {
    let server = Running::start();
    assert_eq!(server.call("POST", "/api/v1/demo", Value::Null).status, 200);
    let secret = tempfile::tempdir().unwrap();
    std::fs::write(secret.path().join("h.csv"), "a;*\n").unwrap();
    std::os::unix::fs::symlink(secret.path(), server.path().join("link")).unwrap();
    let outside = secret.path().join("h.csv").display().to_string();
    let places = [
        (json!(["input", "path"]), json!(outside)),
        (json!(["input", "path"]), json!("../x.csv")),
        (json!(["input", "path"]), json!("/etc/passwd")),
        (json!(["output", "path"]), json!("../release")),
        (json!(["output", "register"]), json!("/tmp/r.jsonl")),
        (json!(["input", "url"]), json!("postgres://x/y")),
        (json!(["attributes", 2, "hierarchy"]), json!({ "file": "link/h.csv" })),
        (json!(["attributes", 2, "hierarchy"]), json!({ "file": "hierarchies/../../x.csv" })),
    ];
    for (path, value) in places {
        let refused = server.call(
            "PATCH",
            "/api/v1/job",
            json!({ "changes": [{ "path": path, "value": value }], "digest": null }),
        );
        assert_eq!(refused.status, 400, "{path} {value}: {}", refused.text());
    }
    let inside = server.call(
        "PATCH",
        "/api/v1/job",
        json!({ "changes": [{ "path": ["output", "path"], "value": "second" }], "digest": null }),
    );
    assert_eq!(inside.status, 200, "{}", inside.text());
    // Who can write the file may name what he likes, and the page may then go on with it.
    let text = std::fs::read_to_string(server.path().join("paravent.toml"))
        .unwrap()
        .replace("patients.csv", &outside);
    std::fs::write(server.path().join("paravent.toml"), text).unwrap();
    assert_eq!(
        server
            .call(
                "PATCH",
                "/api/v1/job",
                json!({ "changes": [{ "path": ["output", "path"], "value": "third" }], "digest": null })
            )
            .status,
        200
    );
    for name in ["..%2f..%2fx.csv", ".x.csv", "x.toml", "a%2fb.csv"] {
        assert_eq!(
            server.call("PUT", &format!("/api/v1/hierarchies/{name}"), json!("a;*")).status,
            400,
            "{name}"
        );
    }
    for name in ["..%2fparavent.toml", "..%2fpatients.csv", "manifest.json"] {
        assert_eq!(server.call("GET", &format!("/api/v1/release/{name}"), Value::Null).status, 404, "{name}");
    }
}
