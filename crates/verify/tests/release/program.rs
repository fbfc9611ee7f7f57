//! The checker as a program of its own: the same words, the same exit codes.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::builder::put;
use crate::handed_out::{HandedOut, hexadecimal, key};

fn run(made: &HandedOut, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_paravent-verify"));
    command.args(args).current_dir(made.parent.path()).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn it_says_what_the_library_says() {
    let made = HandedOut::example();
    let told = run(&made, &["release"]);
    assert_eq!((told.status.code(), text(&told)), (Some(0), made.verify().text("release")));
    let json: Value = serde_json::from_slice(&run(&made, &["release", "--json"]).stdout).unwrap();
    assert_eq!(json, serde_json::to_value(made.verify()).unwrap());
    assert!(run(&made, &["--quiet", "release"]).stdout.is_empty());
    put(&made.dir(), "report.html", b"another page");
    let told = run(&made, &["release"]);
    assert_eq!(told.status.code(), Some(1));
    assert!(text(&told).contains("VIOLATED  digest (report.html)"), "{}", text(&told));
    fs::remove_file(made.dir().join("manifest.json")).unwrap();
    assert_eq!(run(&made, &["release"]).status.code(), Some(4));
    assert_eq!(run(&made, &["nowhere"]).status.code(), Some(4));
}

#[test]
fn keys_are_files_or_words() {
    let made = HandedOut::example();
    let (secret, public) = key(3);
    made.sign(&secret);
    put(made.parent.path(), "key.pub", format!("paravent-public-key-1 {public}\n").as_bytes());
    for given in ["key.pub", &public.to_string()] {
        assert_eq!(run(&made, &["release", "--key", given]).status.code(), Some(0));
    }
    let other = hexadecimal(key(4).0.verifying_key().as_bytes());
    assert_eq!(run(&made, &["release", "--key", &other]).status.code(), Some(1));
    put(made.parent.path(), "no.pub", b"hello");
    assert_eq!(run(&made, &["release", "--key", "no.pub"]).status.code(), Some(2));
    assert_eq!(run(&made, &["release", "--key", "nowhere.pub"]).status.code(), Some(4));
}

#[test]
fn a_command_line_it_does_not_understand_is_told() {
    let made = HandedOut::example();
    for args in [&[][..], &["release", "more"], &["--magic", "release"], &["release", "--key"]] {
        let told = run(&made, args);
        assert_eq!(told.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8(told.stderr).unwrap().contains("Usage"));
    }
    for args in [&["--help"][..], &["--version"], &["--", "release"]] {
        assert_eq!(run(&made, args).status.code(), Some(0), "{args:?}");
    }
}
