//! What crosses the wire: counts of the columns that the search needs, and rows that are released. Nothing else.

use super::server::server;
use super::{done, run};
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Stands between program and server, and listens.
pub struct Proxy {
    pub port: u16,
    /// What the server has said.
    pub heard: Arc<Mutex<Vec<u8>>>,
}

impl Proxy {
    /// Ends every connection after so many bytes from the server.
    pub fn start(server: u16, cut_after: usize) -> Proxy {
        let door = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = door.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listening = heard.clone();
        std::thread::spawn(move || {
            for client in door.incoming().flatten() {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (mut from_client, mut to_server) =
                    (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from_client, &mut to_server);
                    let _ = to_server.shutdown(Shutdown::Both);
                });
                let heard = listening.clone();
                std::thread::spawn(move || overhear(server, client, &heard, cut_after));
            }
        });
        Proxy { port, heard }
    }

    /// Whether the server has said this.
    pub fn has_heard(&self, text: &str) -> bool {
        let heard = self.heard.lock().unwrap();
        heard.windows(text.len()).any(|window| window == text.as_bytes())
    }
}

fn overhear(mut server: TcpStream, mut client: TcpStream, heard: &Mutex<Vec<u8>>, cut_after: usize) {
    let mut buffer = [0; 4096];
    let mut passed = 0;
    while let Ok(count) = server.read(&mut buffer) {
        heard.lock().unwrap().extend_from_slice(&buffer[..count]);
        passed += count;
        if count == 0 || passed > cut_after || client.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = (server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both));
}

/// Fifty people in two large classes, and one that must be left out. Every cell of a row can be recognised.
pub fn write_table(folder: &Path) -> String {
    let mut text = String::from("name,age,illness,note\n");
    for row in 0..50 {
        let age = if row % 2 == 0 { 31 } else { 42 };
        text += &format!("name-{row}-end,{age},illness-{},note-{row}-end\n", row % 3);
    }
    text += "name-alone-end,77,illness-9,note-alone-end\n";
    fs::write(folder.join("table.csv"), &text).unwrap();
    format!(
        "CREATE TABLE people (name text, age int, illness text, note text);\n\\copy people FROM '{}' (FORMAT csv, HEADER)\n",
        folder.join("table.csv").display()
    )
}

/// A job about that table. Notes are released as they are, so they are read for the rows that stay.
pub fn job(url: &str, note: &str) -> String {
    format!(
        r#"version = 1
[input]
url = "{url}"
table = "people"
[[attributes]]
name = "name"
role = "identifying"
[[attributes]]
name = "age"
role = "quasi-identifier"
max_level = 0
[[attributes]]
name = "illness"
role = "sensitive"
[[attributes]]
name = "note"
role = "{note}"
release = "as it is"
[privacy]
suppression_limit = 0.1
models = [ {{ model = "k-anonymity", k = 5 }} ]
[output]
path = "release"
"#
    )
}

#[test]
fn only_counts_and_released_rows_cross_the_wire() {
    let Some(server) = server() else { return };
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    server.sql(&database, &write_table(folder.path()));
    for (note, notes_cross) in [("identifying", false), ("insensitive", true)] {
        let proxy = Proxy::start(server.port, usize::MAX);
        let url = format!("postgres://trusted@127.0.0.1:{}/{database}", proxy.port);
        let job = job(&url, note);
        let job = if notes_cross { job } else { job.replace("release = \"as it is\"\n", "") };
        fs::write(folder.path().join("job.toml"), job).unwrap();
        let told = done(&run(folder.path(), &["anonymize", "job.toml", "--force", "--json"]));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["solution"]["suppressed_rows"], 1);
        let received = told["input"]["received_bytes"].as_u64().unwrap();
        assert!(received > 0 && received <= proxy.heard.lock().unwrap().len() as u64);
        for row in 0..50 {
            assert!(!proxy.has_heard(&format!("name-{row}-end")), "an identifier crossed");
            assert_eq!(proxy.has_heard(&format!("note-{row}-end")), notes_cross, "note {row}");
        }
        // Whoever is left out stays there with all that no promise needs.
        assert!(!proxy.has_heard("note-alone-end") && !proxy.has_heard("name-alone-end"));
    }
    // The server writes down every statement; no cell is in one.
    let log = fs::read_to_string(server.log()).unwrap();
    let ours: Vec<&str> =
        log.lines().filter(|line| line.contains("paravent_") && !line.contains("registry")).collect();
    assert!(ours.iter().any(|line| line.contains("DECLARE")), "no statement was logged");
    assert!(
        ours.iter().all(|line| !line.contains("-end") && !line.contains("illness-")),
        "a cell is in a statement"
    );
}
