//! Encrypted connections: who answers is checked.

use super::server::{Server, programs};
use super::wire::{job, write_table};
use super::{done, run, stderr};
use std::fs;

#[test]
fn certificates_are_checked() {
    let Some(programs) = programs() else { return };
    let made = |name: &str| rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let (ours, other) = (made("localhost"), made("localhost"));
    let files = [("server.crt", ours.cert.pem()), ("server.key", ours.signing_key.serialize_pem())];
    let server = Server::start(programs, &[("ssl", "on")], &files);
    let database = server.database();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    server.sql(&database, &write_table(folder));
    fs::write(folder.join("trusted.pem"), ours.cert.pem()).unwrap();
    fs::write(folder.join("other.pem"), other.cert.pem()).unwrap();
    let with = |host: &str, file: &str| {
        let url = format!(
            "postgres://trusted@{host}:{}/{database}?sslmode=verify-full&sslrootcert={file}",
            server.port
        );
        fs::write(folder.join("job.toml"), job(&url, "insensitive")).unwrap();
        run(folder, &["anonymize", "job.toml", "--force"])
    };
    done(&with("localhost", "trusted.pem"));
    for (host, file, words) in [
        // Somebody else's certificate, another name, and no certificate at all.
        ("localhost", "other.pem", "certificate"),
        ("127.0.0.1", "trusted.pem", "certificate"),
        ("localhost", "absent.pem", "cannot be read"),
    ] {
        let output = with(host, file);
        assert!(output.status.code() == Some(4) && stderr(&output).contains(words), "{}", stderr(&output));
    }
}
