//! Every command that README and guides show is one that the program understands.

#![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]

use super::args::Cli;
use clap::Parser;
use std::fs;
use std::path::{Path, PathBuf};

/// README and all guides.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> = fs::read_dir(root.join("docs/guide"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// The lines of a page's code blocks; a backslash at the end joins two.
fn shown(page: &str) -> Vec<String> {
    let (mut inside, mut lines) = (false, Vec::new());
    let mut joined = String::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            continue;
        }
        if inside {
            match line.trim_end().strip_suffix('\\') {
                Some(more) => joined.push_str(more),
                None => lines.push(std::mem::take(&mut joined) + line),
            }
        }
    }
    lines
}

/// The words of a call of the program, as a shell makes them: up to a remark, a pipe or a file that the output goes to.
fn words(line: &str) -> Option<Vec<String>> {
    let line = line.trim();
    // The prompt of one of several machines.
    let line =
        line.split_once("$ ").filter(|(machine, _)| !machine.contains(' ')).map_or(line, |(_, call)| call);
    let line = line.trim_start();
    line.strip_prefix("paravent ").filter(|rest| !rest.starts_with(['-', ':', '+']))?;
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | '<' | '&') => break,
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[test]
fn words_are_those_of_a_shell() {
    let call = r#"clinic-a$ paravent sql "SELECT 'x' > 1" --file p.csv > out.txt # a remark"#;
    assert_eq!(words(call).unwrap(), ["paravent", "sql", "SELECT 'x' > 1", "--file", "p.csv"]);
    assert_eq!(words("paravent init t.csv#a   # remark").unwrap(), ["paravent", "init", "t.csv#a"]);
    assert_eq!(words("cargo run -- paravent demo"), None);
    assert_eq!(shown("text\n```sh\na \\\n b\n```\nmore"), ["a  b"]);
}

#[test]
fn every_command_that_is_shown_is_understood() {
    let (mut calls, mut wrong) = (0, Vec::new());
    for path in pages() {
        for call in shown(&fs::read_to_string(&path).unwrap()).iter().filter_map(|line| words(line)) {
            calls += 1;
            if let Err(error) = Cli::try_parse_from(&call) {
                let first = error.to_string().lines().next().unwrap_or_default().to_owned();
                wrong.push(format!("{}: {}: {first}", path.display(), call.join(" ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(calls > 60, "only {calls} commands were found");
}
