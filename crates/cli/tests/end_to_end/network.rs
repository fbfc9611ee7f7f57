//! Parties as processes of their own, over mutual TLS on this machine.

mod afternoon;
mod demo;
mod ending;
mod faults;
mod federation;
mod flatness;
mod hybrid;
mod lobby;
mod matrix;
mod persons;
mod promises;
mod proxy;
mod union;
mod verdict;
mod wishes;

use federation::{Federation, Split};
use proxy::{Fate, Proxy};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Rows of a table, sorted, and its columns sorted by name.
fn rows(csv: &str) -> Vec<Vec<(String, String)>> {
    let mut lines = csv.lines();
    let header = cells(lines.next().unwrap());
    let row = |line: &str| {
        let mut row: Vec<_> = header.iter().cloned().zip(cells(line)).collect();
        row.sort();
        row
    };
    let mut rows: Vec<Vec<(String, String)>> = lines.map(row).collect();
    rows.sort();
    rows
}

/// Cells of a line; a comma between quotes, as in the label of a group, parts none.
fn cells(line: &str) -> Vec<String> {
    let mut is_quoted = false;
    let parts = line.split(|letter: char| {
        is_quoted ^= letter == '"';
        letter == ',' && !is_quoted
    });
    parts.map(str::to_owned).collect()
}

fn full_run(protocol: &str, split: Split) {
    makes_the_central_release(&Federation::agreed(protocol, split), split);
}

fn makes_the_central_release(federation: &Federation, split: Split) {
    let outcomes = federation.run_all(&["--json"]);
    let mut transcripts = Vec::new();
    for (name, outcome) in outcomes {
        let document = outcome.expect(0).json();
        transcripts.push(document["federation"]["transcript"].as_str().unwrap().to_owned());
        let holds = federation.path(&name).join("release").exists();
        assert_eq!(holds, name == federation.receiver(), "{name}");
    }
    transcripts.dedup();
    assert_eq!(transcripts.len(), 1);
    let central = federation.read("release/data.csv");
    let joint = federation.read(&format!("{}/release/data.csv", federation.receiver()));
    assert_eq!(rows(&central), rows(&joint));
    if split == Split::Horizontal {
        assert_eq!(central, joint, "byte for byte where the columns come in one order");
    }
    let release = format!("{}/release", federation.receiver());
    federation.place.run(&["verify", &release]).expect(0);
    let report = federation.place.json(&format!("{release}.private/report.json"));
    assert_eq!(report["federation"]["transcript"], transcripts[0].as_str());
    assert!(!report["federation"]["what_each_party_learned"].as_array().unwrap().is_empty());
    // What is handed out does not say how it was found.
    assert!(report["solution"]["search"]["checks"].as_u64().unwrap() > 0, "{}", report["solution"]);
    if federation.read("federation.toml").contains("algorithm = \"flash\"") {
        assert_eq!(report["solution"]["search"]["algorithm"], "flash");
    }
    let handed_out = federation.place.json(&format!("{release}/report.json"));
    assert!(handed_out["solution"].get("search").is_none());
    assert!(federation.read(&format!("{release}.private/report.html")).contains("What each party learned"));
    let names: Vec<String> = federation.names().iter().map(ToString::to_string).collect();
    crate::schemas::joint(&federation.place, federation.receiver(), &names);
}

#[test]
fn a_ring_of_rows_makes_the_release_of_a_single_place() {
    full_run("a", Split::Horizontal);
}

#[test]
fn a_ring_of_columns_makes_the_release_of_a_single_place() {
    full_run("a", Split::Vertical);
}

#[test]
fn a_helper_and_rows_make_the_release_of_a_single_place() {
    full_run("b", Split::Horizontal);
}

#[test]
fn a_helper_and_columns_make_the_release_of_a_single_place() {
    full_run("b", Split::Vertical);
}

#[test]
fn a_counting_helper_and_rows_make_the_release_of_a_single_place() {
    full_run("c", Split::Horizontal);
}

#[test]
fn a_counting_helper_and_columns_make_the_release_of_a_single_place() {
    full_run("c", Split::Vertical);
}

#[test]
fn parties_may_keep_the_keys_of_their_columns() {
    for protocol in ["b", "c"] {
        let federation = Federation::agreed_on(protocol, Split::Vertical, &["--private-keys"]);
        makes_the_central_release(&federation, Split::Vertical);
    }
}

#[test]
fn made_up_rows_may_come_in_blocks() {
    for split in [Split::Horizontal, Split::Vertical] {
        let wishes = ["--pseudo-shape", "blocks", "--pseudo-percent", "60"];
        makes_the_central_release(&Federation::agreed_on("c", split, &wishes), split);
    }
}

#[test]
fn classes_stand_up_to_a_party_that_takes_its_rows_away() {
    let run = |protocol| {
        let federation = Federation::agreed_on(protocol, Split::Horizontal, &["--m-privacy"]);
        for (_, outcome) in federation.run_all(&[]) {
            outcome.expect(0);
        }
        federation.place.run(&["verify", "ann/release"]).expect(0);
        let joint = federation.place.json("ann/release.private/report.json")["solution"].clone();
        let central =
            federation.place.json("release.private/report.json")["solution"]["loss"].as_f64().unwrap();
        assert!(joint["loss"].as_f64().unwrap() > central, "{protocol}: more is promised");
        (joint["transformation"].clone(), joint["suppressed_rows"].clone())
    };
    assert_eq!(run("b"), run("c"));
}

#[test]
fn consent_comes_first() {
    let federation = Federation::agreed("b", Split::Horizontal);
    federation.party("ann", &[]).expect(2).says(&["--preview", "--yes"]);
    let shown = federation.party("ann", &["--preview"]).expect(0).out;
    for told in [
        "This party sends",
        "the helper (hal)",
        "its encrypted part",
        "Who learns what",
        "20 rows",
        "against it",
    ] {
        assert!(shown.contains(told), "{told:?} is not in {shown}");
    }
    let key = federation.path("ann").join("ann.key.pem");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    federation
        .place
        .run(&["party", "keygen", "--name", "ann", "--output", "ann"])
        .expect(4)
        .says(&["is there already"]);
}

#[test]
fn a_file_changed_after_its_approval_is_refused() {
    let federation = Federation::agreed("b", Split::Horizontal);
    federation.edit("ann", "k = 3", "k = 2");
    federation.party("ann", &["--yes"]).expect(2).says(&["changed after this party approved"]);
}

#[test]
fn all_mistakes_of_the_file_are_told_together() {
    let federation = Federation::agreed("b", Split::Horizontal);
    federation.edit("ann", "protocol = \"b\"", "protocol = \"z\"");
    federation.edit("ann", "role = \"helper\"", "role = \"boss\"");
    federation.edit("ann", "weight = 1.0", "wait = 1.0");
    federation.party("ann", &["--yes"]).expect(2).says(&[
        "federation.toml:5: protocol",
        "parties[3].role",
        "columns[0].wait: unknown key",
        "columns[0].weight",
    ]);
}

#[test]
fn data_that_do_not_fit_are_refused_before_anybody_connects() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let job = federation.read("ben/paravent.toml");
    federation.place.write("ben/paravent.toml", job.replace("widths = [5, 10, 20]", "widths = [5, 10, 50]"));
    federation.party("ben", &["--yes"]).expect(2).says(&["hierarchy", "is another one"]);
    federation.place.write(
        "ben/paravent.toml",
        job.replace("name = \"sex\"\nrole = \"quasi-identifier\"", "name = \"sex\"\nrole = \"insensitive\""),
    );
    federation.party("ben", &["--yes"]).expect(2).says(&["columns[1].role"]);
    federation.place.write(
        "ben/paravent.toml",
        job.replace(
            "type = \"integer\"\nhierarchy = { intervals = { widths = [5, 10, 20], min = 0, max = 100 } }",
            "type = \"string\"",
        ),
    );
    federation.party("ben", &["--yes"]).expect(2).says(&["columns[0].type"]);
}

#[test]
fn different_agreements_end_the_run_at_everybody() {
    let federation = Federation::agreed("b", Split::Horizontal);
    federation.edit("ben", "suppression_limit = 0.1", "suppression_limit = 0.2");
    federation.approve("ben");
    let outcomes = federation.run_all(&["--connect-timeout", "8"]);
    let all: String = outcomes.iter().map(|(_, outcome)| outcome.err.as_str()).collect();
    assert!(all.contains("another federation file"), "{all}");
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn a_promise_that_cannot_be_kept_is_told_to_everybody() {
    let federation = Federation::agreed("b", Split::Horizontal);
    for name in ["ann", "ben", "cat", "hal"] {
        federation.edit(name, "k = 3", "k = 61");
        federation.approve(name);
    }
    for (name, outcome) in federation.run_all(&[]) {
        assert_eq!(outcome.code, Some(3), "{name}: {}", outcome.err);
    }
    assert!(!federation.path("ann/release").exists());
}

#[cfg(unix)]
#[test]
fn a_key_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let federation = Federation::agreed("b", Split::Horizontal);
    let key = federation.path("ann/ann.key.pem");
    std::fs::set_permissions(key, std::fs::Permissions::from_mode(0o644)).unwrap();
    federation.party("ann", &["--yes"]).expect(2).says(&["others can read this key"]);
}

#[test]
fn nobody_at_the_other_end_is_told_as_such() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let alone = federation.party("ann", &["--yes", "--connect-timeout", "1"]).expect(4);
    alone.says(&["no connection within 1 seconds", "nobody answers", "(hal)"]);
    federation.party("hal", &["--yes", "--connect-timeout", "1"]).expect(4).says(&["it has not called"]);
}

#[test]
fn a_wrong_certificate_gets_nowhere() {
    let federation = Federation::agreed("b", Split::Horizontal);
    // A stranger's key with the name of a party is refused at home; at the others, the real one is missing.
    federation.place.run(&["party", "keygen", "--name", "eve", "--output", "ben"]).expect(0);
    let eve = ["--yes", "--key", "eve.key.pem", "--certificate", "eve.cert.pem"];
    federation.with_keys("ben", &eve).expect(2).says(&["parties[1].fingerprint"]);
    // Eve changes her copy of the file, so that at least her program is content.
    let print = |name: &str| {
        let out = federation.place.run(&[
            "party",
            "join",
            "ben/federation.toml",
            "ben/paravent.toml",
            "--me",
            "ben",
            "--address",
            &federation.address("ben"),
            "--certificate",
            name,
        ]);
        out.expect(0);
    };
    print("ben/eve.cert.pem");
    federation.approve("ben");
    let mut running: Vec<_> = ["ann", "cat", "hal"]
        .map(|name| (name.to_owned(), federation.spawn(name, &["--yes", "--connect-timeout", "3"])))
        .into();
    running.push((
        "ben".to_owned(),
        federation.spawn_with_keys("ben", &[&eve[..], &["--connect-timeout", "3"]].concat()),
    ));
    let outcomes = federation.finish(running);
    let ann = &outcomes.iter().find(|(name, _)| name == "ann").unwrap().1.err;
    assert!(ann.contains("certificate is not the one") || ann.contains("has stopped"), "{ann}");
    federation.nobody_has_a_release(outcomes);
}

#[test]
fn a_killed_party_ends_the_run_at_everybody() {
    let federation = Federation::agreed("b", Split::Horizontal);
    // Everything from ann to the helper is held back, so that the others wait when ben is killed.
    let proxy = Proxy::between(&federation, "ann", "hal", |_, frame| match frame[0] {
        1 => Fate::Drop,
        _ => Fate::Pass,
    });
    let mut running = federation.spawn_all(&["--phase-timeout", "60"], std::slice::from_ref(&proxy));
    proxy.wait_for_messages(1);
    let ben = running.iter_mut().find(|(name, _)| name == "ben").unwrap();
    ben.1.kill().unwrap();
    let outcomes = federation.finish(running);
    for (name, outcome) in outcomes.iter().filter(|(name, _)| name != "ben") {
        // Whoever heard it from another party names ben all the same.
        let told = ["connection to party 2 (ben) was lost", "it lost the connection to party 2 (ben)"];
        assert!(told.iter().any(|text| outcome.err.contains(text)), "{name}: {}", outcome.err);
    }
    federation.nobody_has_a_release(outcomes);
}

/// Runs with a proxy that has the keys of both ends and does something to the frames from ann to the helper.
fn tampered(what: impl Fn(u64, &[u8]) -> Fate + Send + Sync + 'static, said: &[&str]) {
    tampered_before("hal", what, said);
}

fn tampered_before(to: &str, what: impl Fn(u64, &[u8]) -> Fate + Send + Sync + 'static, said: &[&str]) {
    let federation = Federation::agreed("b", Split::Horizontal);
    let proxy = Proxy::between(&federation, "ann", to, what);
    let started = Instant::now();
    let running = federation.spawn_all(&["--phase-timeout", "4"], std::slice::from_ref(&proxy));
    let outcomes = federation.finish(running);
    assert!(started.elapsed() < Duration::from_secs(60), "somebody hung");
    let all: String = outcomes.iter().map(|(_, outcome)| outcome.err.as_str()).collect();
    for text in said {
        assert!(all.contains(text), "{text:?} is not in {all}");
    }
    federation.nobody_has_a_release(outcomes);
}

/// The number of a protocol message among those from ann; frames of other kinds pass.
fn at_message(number: u64, fate: fn(&[u8]) -> Fate) -> impl Fn(u64, &[u8]) -> Fate + Send + Sync {
    move |at, frame| if frame[0] == 1 && at == number { fate(frame) } else { Fate::Pass }
}

#[test]
fn a_lost_message_ends_the_run() {
    // The helper waits for ann, and everybody for the helper; whoever is the first to lose patience says so, and others may have lost it, too.
    tampered(at_message(0, |_| Fate::Drop), &["nothing came from party", "for 4 seconds"]);
}

#[test]
fn a_repeated_message_ends_the_run() {
    tampered(at_message(0, |frame| Fate::Replace(vec![frame.to_vec(), frame.to_vec()])), &["has stopped"]);
}

#[test]
fn a_replayed_message_ends_the_run() {
    let first = Mutex::new(Vec::new());
    let replay = move |at: u64, frame: &[u8]| match (frame[0], at) {
        (1, 0) => {
            *first.lock().unwrap() = frame.to_vec();
            Fate::Pass
        }
        (1, 1) => Fate::Replace(vec![first.lock().unwrap().clone()]),
        _ => Fate::Pass,
    };
    tampered_before("ben", replay, &["lost, repeated or replayed"]);
}

#[test]
fn a_cut_message_ends_the_run() {
    let cut = |frame: &[u8]| {
        let mut frame = frame[..frame.len() - 5].to_vec();
        let length = (frame.len() - 9) as u64;
        frame[1..9].copy_from_slice(&length.to_le_bytes());
        Fate::Replace(vec![frame])
    };
    tampered(at_message(0, cut), &["a message from party 1 (ann)"]);
}

#[test]
fn a_frame_that_breaks_off_ends_the_run() {
    tampered(at_message(0, |frame| Fate::Last(frame[..frame.len() / 2].to_vec())), &["was lost"]);
}

#[test]
fn a_damaged_message_ends_the_run() {
    let damage = |frame: &[u8]| {
        let mut frame = frame.to_vec();
        let last = frame.len() - 1;
        frame[last] ^= 1;
        Fate::Replace(vec![frame])
    };
    tampered(at_message(0, damage), &["a message from party 1 (ann)"]);
}

#[test]
fn an_absurd_length_is_refused_before_it_is_believed() {
    let absurd = |_: &[u8]| {
        let mut frame = vec![1u8];
        frame.extend(u64::MAX.to_le_bytes());
        Fate::Replace(vec![frame])
    };
    tampered(at_message(0, absurd), &["longer than allowed"]);
}

#[test]
fn bytes_that_are_no_frame_end_the_run() {
    tampered(at_message(0, |_| Fate::Replace(vec![vec![0xee; 64]])), &["a frame of an unknown kind"]);
}

#[test]
fn another_version_is_refused_at_the_greeting() {
    let version = |_: u64, frame: &[u8]| match frame[0] {
        0 => {
            let mut frame = frame.to_vec();
            frame[13] = 99;
            Fate::Replace(vec![frame])
        }
        _ => Fate::Pass,
    };
    tampered(version, &["speaks version 99"]);
}

#[test]
fn a_delayed_message_does_no_harm() {
    let federation = Federation::agreed("b", Split::Horizontal);
    let late = at_message(0, |_| Fate::Delay(Duration::from_millis(1500)));
    let proxy = Proxy::between(&federation, "ann", "hal", late);
    let running = federation.spawn_all(&["--idle-timeout", "10"], std::slice::from_ref(&proxy));
    for (_, outcome) in federation.finish(running) {
        outcome.expect(0);
    }
    federation.place.run(&["verify", "ann/release"]).expect(0);
}
