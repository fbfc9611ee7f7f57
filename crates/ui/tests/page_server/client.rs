//! A server in a folder of its own, and a client that writes its requests by hand.

use paravent_ui::{Opened, Project, Server, ServerOptions};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// Largest table that can be dropped on a test's page.
pub const DATA_LIMIT: u64 = 3 << 20;

pub struct Running {
    pub folder: TempDir,
    pub address: SocketAddr,
    pub token: String,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

pub struct Response {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{}: {}", self.status, self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

impl Running {
    pub fn start() -> Running {
        Running::start_in(tempfile::tempdir().unwrap())
    }

    pub fn start_in(folder: TempDir) -> Running {
        let opened = Opened { folder: Some(folder.path().to_owned()), file: None };
        let options = ServerOptions { port: 0, data_limit: DATA_LIMIT };
        let server = Server::bind(Project::open(&opened).unwrap(), options).unwrap();
        let (address, page) = (server.address(), server.page());
        let token = page.split_once("#t=").unwrap().1.to_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let thread = std::thread::spawn(move || server.run(|| asked.load(Ordering::SeqCst)).unwrap());
        Running { folder, address, token, stop, thread: Some(thread) }
    }

    /// Ends the server and gives back its folder.
    pub fn end(mut self) -> TempDir {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    /// Sends bytes as they are, and reads to the end.
    pub fn raw(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(self.address).unwrap();
        // A server that has heard enough may close before all is written.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer");
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut body = answer[end + 4..].to_vec();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            body = dechunked(&body);
        }
        Response { status, head, body }
    }

    /// A request with the given headers and nothing else.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Response {
        let mut request = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !body.is_empty() || method != "GET" {
            request.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        request.push_str("\r\n");
        self.raw(&[request.as_bytes(), body].concat())
    }

    /// A request as the page makes it.
    pub fn call(&self, method: &str, path: &str, body: Value) -> Response {
        let body = if body.is_null() { Vec::new() } else { serde_json::to_vec(&body).unwrap() };
        let (host, bearer) = (self.address.to_string(), format!("Bearer {}", self.token));
        let origin = format!("http://{host}");
        let headers = [
            ("host", host.as_str()),
            ("authorization", bearer.as_str()),
            ("origin", origin.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
        ];
        self.send(method, path, &headers, &body)
    }

    pub fn drop_table(&self, name: &str, content: &[u8]) -> Response {
        let (host, bearer) = (self.address.to_string(), format!("Bearer {}", self.token));
        let headers = [("host", host.as_str()), ("authorization", bearer.as_str()), ("x-file-name", name)];
        self.send("PUT", "/api/v1/data", &headers, content)
    }

    /// Runs to the end; the last line of the progress stream.
    pub fn run(&self, request: Value) -> Value {
        let started = self.call("POST", "/api/v1/runs", request);
        assert_eq!(started.status, 202, "{}", started.text());
        let id = started.json()["id"].as_u64().unwrap();
        let events = self.call("GET", &format!("/api/v1/runs/{id}/events"), Value::Null);
        let lines = events.text();
        serde_json::from_str::<Value>(lines.lines().last().unwrap()).unwrap()["run"].clone()
    }

    pub fn result(&self, request: Value) -> Value {
        let run = self.run(request);
        assert_eq!(run["state"], "done", "{}", run["fault"]);
        run["result"].clone()
    }

    pub fn fault(&self, request: Value) -> Value {
        let run = self.run(request);
        assert_eq!(run["state"], "failed");
        run["fault"].clone()
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn dechunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap().trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 4 + size..];
    }
    body
}
