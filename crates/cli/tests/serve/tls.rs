//! Encrypted connections.

use crate::place::{PASSWORD, Place, has_clients};
use crate::ward::POLICY;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub fn encrypted() -> Place {
    let mut place = Place::without_server(POLICY);
    let made =
        rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
    fs::write(place.path("cert.pem"), made.cert.pem()).unwrap();
    fs::write(place.path("key.pem"), made.signing_key.serialize_pem()).unwrap();
    place.serve(&["--grid", "0", "--tls", "cert.pem", "key.pem"]);
    place
}

#[test]
fn with_a_certificate_only_encrypted_connections_are_served() {
    if !has_clients() {
        return;
    }
    let place = encrypted();
    let root = place.path("cert.pem").display().to_string();
    let verified = place.connection("bob", &format!("sslmode=verify-full sslrootcert={root}"));
    let told = place.psql_as(&verified, PASSWORD, "SELECT sex, count(*) FROM patients GROUP BY sex;\n");
    assert_eq!(told.out.lines().count(), 2, "{}", told.err);
    let plain = place.psql_as(&place.connection("bob", "sslmode=disable"), PASSWORD, "SELECT 1;\n");
    assert!(plain.code != 0 && plain.err.contains("TLS only"), "{}", plain.err);
}

#[test]
fn what_is_sent_in_the_clear_before_tls_is_not_taken_for_encrypted() {
    let place = encrypted();
    let mut stream = TcpStream::connect(("127.0.0.1", place.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // The wish for TLS, and behind it, in the same packet, a beginning that somebody in between has put there.
    let mut bytes = vec![0, 0, 0, 8, 4, 210, 22, 47];
    bytes.extend_from_slice(b"\0\0\0\x13\0\x03\0\0user\0ada\0\0\0\0");
    stream.write_all(&bytes).unwrap();
    let mut told = Vec::new();
    let _ = stream.read_to_end(&mut told);
    // Yes to TLS, and then no answer that anybody could read: at most an alert.
    assert_eq!(told.first(), Some(&b'S'));
    assert!(told.get(1).is_none_or(|byte| *byte == 0x15), "{told:?}");
}

#[test]
fn a_certificate_that_cannot_be_loaded_is_no_server() {
    let place = Place::without_server(POLICY);
    fs::write(place.path("cert.pem"), "no certificate").unwrap();
    let told = place
        .command(&["serve", "policy.toml", "--listen", "127.0.0.1:0", "--tls", "cert.pem", "cert.pem"], "");
    assert!(told.code == 4 && told.err.contains("cert.pem"), "{} {}", told.code, told.err);
}
