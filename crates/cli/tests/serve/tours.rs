//! The pages of docs/tours, run as they stand: every file, every command, every line that they say is printed.
//!
//! Blocks `toml NAME` are files, `sh` are commands, and the `text` behind them is what they print. Of `text noise` figures are drawn
//! anew, so numbers, digests and the width of columns are not compared.

use crate::place::has_clients;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

/// A block of a page: what is behind its fence, and its lines.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut parts = page.split("\n```");
    parts.next();
    let mut blocks = Vec::new();
    // Every second part is text between blocks.
    while let Some(part) = parts.next() {
        let (head, body) = part.split_once('\n').unwrap();
        blocks.push((head.to_owned(), format!("{body}\n")));
        parts.next();
    }
    blocks
}

/// Lines without what differs from run to run.
fn plain(text: &str, is_noisy: bool) -> Vec<String> {
    let is_digest = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = |word: &str| match is_digest(word) {
        true => "…".to_owned(),
        false => word.chars().filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | '-')).collect(),
    };
    let line = |line: &str| match is_noisy {
        true => {
            let words = line.split_whitespace().map(word).filter(|word| !word.is_empty());
            words.collect::<Vec<String>>().join(" ")
        }
        false => line.trim_end().to_owned(),
    };
    text.trim_end().lines().map(line).collect()
}

fn run(page: &str) {
    if !has_clients() {
        return;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tours").join(page);
    let text = fs::read_to_string(path).unwrap();
    let place = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_paravent")).parent().unwrap();
    let search = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    // The port of the page may be somebody's.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let (mut told, mut compared) = (String::new(), 0);
    for (head, body) in blocks(&text) {
        match head.split_once(' ').unwrap_or((head.as_str(), "")) {
            ("toml", name) if !name.is_empty() => fs::write(place.path().join(name), body).unwrap(),
            ("sh", "") => {
                let script = format!("exec 2>&1\n{}", body.replace("5433", &port));
                let done = Command::new("sh")
                    .args(["-c", &script])
                    .current_dir(place.path())
                    .env("PATH", &search)
                    .env("HOME", place.path())
                    .env("NO_COLOR", "1")
                    .output()
                    .unwrap();
                told = String::from_utf8(done.stdout).unwrap().replace(&port, "5433");
            }
            ("text", kind) => {
                let is_noisy = kind == "noise";
                assert_eq!(
                    plain(&told, is_noisy),
                    plain(&body, is_noisy),
                    "{page}: printed, and said to be printed"
                );
                compared += 1;
            }
            other => panic!("{page}: a block of an unknown kind: {other:?}"),
        }
    }
    assert!(compared >= 7, "{page}: {compared} outputs");
}

#[test]
fn the_assistive_home_is_as_its_page_says() {
    run("assistive-home.md");
}

#[test]
fn the_hospital_ward_is_as_its_page_says() {
    run("ward.md");
}

#[test]
fn what_a_page_says_wrongly_is_found() {
    assert_ne!(plain("count\n 17\n", false), plain("count\n 18\n", false));
    assert_eq!(plain("· count ± 6\n  f   |  -48\n", true), plain("· count ± 12\n f | 1\n", true));
    assert_ne!(plain("refused: age", true), plain("refused: zip", true));
    let page = "text\n\n```sh\necho 1\n```\n\n```text\n1\n```\nend\n";
    let found = blocks(page);
    assert_eq!(found, [("sh".to_owned(), "echo 1\n".to_owned()), ("text".to_owned(), "1\n".to_owned())]);
}
