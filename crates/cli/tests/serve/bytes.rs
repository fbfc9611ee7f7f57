//! Clients that do not keep to the protocol.

use crate::place::Place;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

fn connected(place: &Place) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", place.port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn startup() -> Vec<u8> {
    let body = b"\0\x03\0\0user\0ada\0database\0ward-7\0options\0-c paravent.purpose=statistics\0\0";
    [&u32::try_from(body.len() + 4).unwrap().to_be_bytes()[..], body].concat()
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &u32::try_from(body.len() + 4).unwrap().to_be_bytes(), body].concat()
}

fn query() -> Vec<u8> {
    message(b'Q', b"SELECT count(*) FROM patients\0")
}

/// Everything until the server hangs up.
fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn nobody_is_served_without_a_proof_whatever_is_sent_in_its_place() {
    let place = Place::new();
    let login = |data: &[u8]| {
        let body =
            [b"SCRAM-SHA-256\0".as_slice(), &u32::try_from(data.len()).unwrap().to_be_bytes(), data].concat();
        message(b'p', &body)
    };
    let first = login(b"n,,n=,r=a_nonce_of_a_client");
    let attempts: Vec<Vec<Vec<u8>>> = vec![
        vec![query()],
        vec![message(b'S', b"")],
        vec![message(b'p', b"")],
        vec![message(b'p', b"SCRAM-SHA-256\0\x7f\xff\xff\xff")],
        vec![login(b"")],
        vec![login(b"p=tls-server-end-point,,n=,r=clientnonce")],
        vec![first.clone(), message(b'p', b"c=biws,r=other,p=AAAA")],
        vec![first.clone(), query()],
        vec![first, message(b'p', b"")],
        vec![message(b'Z', b"nothing of the protocol")],
    ];
    for attempt in attempts {
        let mut stream = connected(&place);
        stream.write_all(&startup()).unwrap();
        for bytes in &attempt {
            let _ = stream.write_all(bytes);
        }
        // A server that goes on behind its own error would run these.
        let _ = stream.write_all(&query());
        let _ = stream.write_all(&query());
        let told = rest(&mut stream);
        assert!(told.contains("FATAL") && !told.contains("SELECT 1"), "{attempt:?}: {told}");
    }
    assert!(!place.path("state").exists(), "nothing was asked");
}

#[test]
fn messages_that_are_too_long_or_broken_end_the_connection_and_not_the_server() {
    let place = Place::new();
    let attempts: [Vec<u8>; 6] = [
        b"\0\0\0\x04".to_vec(),
        b"\x7f\xff\xff\xff".to_vec(),
        vec![0; 64],
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        [startup(), b"Q\x7f\xff\xff\xff".to_vec()].concat(),
        [startup(), b"p\0\0\0\0".to_vec()].concat(),
    ];
    for attempt in attempts {
        let mut stream = connected(&place);
        let _ = stream.write_all(&attempt);
        let told = rest(&mut stream);
        assert!(!told.contains("SELECT"), "{told}");
    }
    let mut stream = connected(&place);
    stream.write_all(&startup()).unwrap();
    let mut kind = [0; 1];
    stream.read_exact(&mut kind).unwrap();
    assert_eq!(kind, *b"R", "the server is still there");
}
