//! Before all parties are there: strangers, restarts, and files that cannot work.

use super::federation::{Federation, Split};
use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Connections that say nothing, or a few bytes.
fn silent(port: u16, how_many: usize) -> Vec<TcpStream> {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut open = Vec::new();
    while open.len() < how_many {
        assert!(Instant::now() < deadline, "nobody listens");
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(mut socket) => {
                if open.len() % 2 == 0 {
                    let _ = socket.write_all(&[22, 3, 1]);
                }
                open.push(socket);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    open
}

#[test]
fn silent_connections_keep_nobody_out() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let args = ["--yes", "--connect-timeout", "8"];
    // Everybody calls the helper: it gets far more strangers than it talks to at a time, before and while the others come.
    let hal = ("hal".to_owned(), federation.spawn("hal", &args));
    let strangers = silent(federation.port("hal"), 80);
    let mut running = vec![hal];
    for name in ["ann", "ben", "cat"] {
        running.push((name.to_owned(), federation.spawn(name, &args)));
    }
    let more = silent(federation.port("hal"), 20);
    for (name, outcome) in federation.finish(running) {
        assert_eq!(outcome.code, Some(0), "{name}: {}", outcome.err);
    }
    drop((strangers, more));
    federation.is_the_central_release();
}

/// Waits until a party has written so much of its progress; what it writes later is lost.
fn heard(child: &mut std::process::Child, text: &str) {
    use std::io::{BufRead, BufReader};
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains(text)), "never said {text:?}");
    // Nobody reads on; the pipe must stay open.
    std::thread::spawn(move || lines.for_each(drop));
}

#[test]
fn a_party_that_is_started_again_while_others_wait_is_welcome() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let args = ["--yes", "--connect-timeout", "40"];
    let spawn = |name: &str| (name.to_owned(), federation.spawn(name, &args));
    let mut running = vec![spawn("ann"), spawn("hal")];
    // Ben dials the helper and is dialled by ann: both have to take him back. Cat is still missing.
    let mut ben = federation.spawn("ben", &args);
    heard(&mut ben, "connected: hal");
    ben.kill().unwrap();
    ben.wait().unwrap();
    running.extend([spawn("ben"), spawn("cat")]);
    for (name, outcome) in federation.finish(running) {
        assert_eq!(outcome.code, Some(0), "{name}: {}", outcome.err);
    }
    federation.is_the_central_release();
}

#[test]
fn a_foreign_certificate_is_told_to_everybody() {
    let federation = Federation::agreed("b", Split::Horizontal);
    // Eve sits at the address of the helper, with a key of her own.
    federation.place.run(&["party", "keygen", "--name", "eve", "--output", "hal"]).expect(0);
    let address = federation.address("hal");
    let join = ["party", "join", "hal/federation.toml", "--me", "hal", "--address", &address];
    federation.place.run(&[&join[..], &["--certificate", "hal/eve.cert.pem"]].concat()).expect(0);
    federation.approve("hal");
    let eve = ["--yes", "--key", "eve.key.pem", "--certificate", "eve.cert.pem", "--connect-timeout", "9"];
    let mut running = vec![("hal".to_owned(), federation.spawn_with_keys("hal", &eve))];
    // Ann loses patience first; ben and cat hear why.
    for (name, seconds) in [("ann", "3"), ("ben", "9"), ("cat", "9")] {
        running.push((name.to_owned(), federation.spawn(name, &["--yes", "--connect-timeout", seconds])));
    }
    let outcomes = federation.finish(running);
    for (name, outcome) in outcomes.iter().filter(|(name, _)| name != "hal") {
        assert!(outcome.err.contains("party 4 (hal)"), "{name}: {}", outcome.err);
        assert!(outcome.err.contains("certificate"), "{name}: {}", outcome.err);
    }
    let said = |who: &str| &outcomes.iter().find(|(name, _)| name == who).unwrap().1.err;
    assert!(said("ben").contains("party 1 (ann) has stopped"), "{}", said("ben"));
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn two_parties_at_one_address_are_refused() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let (ann, ben) = (federation.address("ann"), federation.address("ben"));
    federation.edit("ann", &ben, &ann);
    federation.party("ann", &["--yes"]).expect(2).says(&["parties[1].address", "another party"]);
    let join = ["party", "join", "federation.toml", "ben/paravent.toml", "--me", "ben", "--address", &ann];
    let join = [&join[..], &["--certificate", "ben/ben.cert.pem"]].concat();
    federation.place.run(&join).expect(2).says(&["parties[1].address"]);
}
