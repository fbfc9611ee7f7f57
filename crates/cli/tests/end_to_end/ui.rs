//! The page's server, started and stopped as people do it. What it serves is tested in `crates/ui`.

use crate::support::{JOB, Place, patients};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

fn start(place: &Place, args: &[&str]) -> (Child, String) {
    let mut command = place.command(&[&["ui", "--no-open"], args].concat());
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let page = line.split_whitespace().find(|word| word.starts_with("http://127.0.0.1:"));
    let page = page.unwrap_or_else(|| panic!("no address: {line}")).to_owned();
    (child, page)
}

/// Ends it as Ctrl-C does: what it printed, and how it ended.
fn end(mut child: Child) -> (String, Option<i32>) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut printed = String::new();
    child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
    (printed, child.wait().unwrap().code())
}

fn session(page: &str) -> String {
    let (address, token) = page.strip_prefix("http://").unwrap().split_once("/#t=").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "GET /api/v1/session HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_page_opens_a_job_or_a_table_and_leaves_nothing_behind() {
    let place = Place::with(JOB, patients());
    let before = place.names();
    for (args, expected) in [
        (&["paravent.toml"][..], r#""has_job":true"#),
        (&["patients.csv"][..], r#""name":"patients.csv""#),
        (&[][..], r#""job_file":"paravent.toml""#),
        (&["--json"][..], r#""has_job":true"#),
    ] {
        let (child, page) = start(&place, args);
        let answer = session(&page);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(expected), "{args:?}: {answer}");
        let (printed, code) = end(child);
        assert_eq!(code, Some(0), "{args:?}");
        assert_eq!(printed.contains("\"ended\": true"), args.contains(&"--json"), "{printed}");
        assert_eq!(place.names(), before, "{args:?}");
    }
}

#[test]
fn what_cannot_be_opened_is_told() {
    let place = Place::with(JOB, patients());
    place.run(&["ui", "--no-open", "nobody.csv"]).expect(4).says(&["nobody.csv"]);
    let (child, _) = start(&place, &[]);
    place.run(&["ui", "--no-open"]).expect(4).says(&["another `paravent ui`"]);
    end(child);
}
