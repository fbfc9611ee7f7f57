//! Places of production code that say the same in the same lines.

use crate::files::is_test;
use std::collections::HashMap;

/// As many equal lines may stand in two places. More are one piece of code that was written twice.
const MOST_EQUAL: usize = 12;

/// A file, and the lines of it that count.
struct Source<'a> {
    name: &'a str,
    /// The number of each line, and its text without the white space around it.
    lines: Vec<(usize, &'a str)>,
}

/// Two places that share more lines than they may, the longest run of each pair once.
pub(crate) fn findings(files: &[(String, String)]) -> Vec<String> {
    let production = files.iter().filter(|(name, _)| !is_test(name) && !name.contains("/benches/"));
    let sources: Vec<Source<'_>> =
        production.map(|(name, text)| Source { name, lines: counted(text) }).collect();
    let mut windows: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
    let mut findings = Vec::new();
    for (file, source) in sources.iter().enumerate() {
        // Inside a run that was told already, every further window is the same finding.
        let mut told = 0;
        for (at, window) in source.lines.windows(MOST_EQUAL + 1).enumerate() {
            let texts: Vec<&str> = window.iter().map(|(_, text)| *text).collect();
            match windows.get(&texts) {
                None => drop(windows.insert(texts, (file, at))),
                Some(_) if at < told => told = at + MOST_EQUAL,
                Some(&(first, place)) => {
                    told = at + MOST_EQUAL;
                    let first = &sources[first];
                    findings.push(format!(
                        "{}:{}: more than {MOST_EQUAL} lines are those of {}:{}; let one piece serve both",
                        source.name, window[0].0, first.name, first.lines[place].0
                    ));
                }
            }
        }
    }
    findings
}

/// The lines before the tests, without comments, imports, blank lines and lone signs.
fn counted(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut importing = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line == "mod tests {" {
            break;
        }
        importing |=
            line.starts_with("use ") || line.starts_with("pub use ") || line.starts_with("pub(crate) use ");
        let says_something = line.contains(|sign: char| sign.is_alphanumeric()) && !line.starts_with("//");
        if says_something && !importing {
            lines.push((number, line));
        }
        importing &= !line.ends_with(';');
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, lines: impl IntoIterator<Item = String>) -> (String, String) {
        (name.to_owned(), lines.into_iter().collect())
    }

    #[test]
    fn more_than_twelve_equal_lines_are_found_once() {
        let lines = |from: usize, to: usize| (from..to).map(|n| format!("    call({n});\n"));
        let longer = |shared: usize| {
            let other = lines(100, 103).chain(lines(0, shared)).chain(lines(200, 203));
            findings(&[file("a.rs", lines(0, 40)), file("b.rs", other)])
        };
        assert_eq!(longer(12), Vec::<String>::new());
        assert_eq!(longer(13).len(), 1);
        assert!(
            longer(30)[0].starts_with("b.rs:4: ") && longer(30)[0].contains("a.rs:1"),
            "{:?}",
            longer(30)
        );
        assert_eq!([longer(20).len(), longer(30).len()], [1, 1]);
    }

    #[test]
    fn comments_imports_and_tests_do_not_count() {
        let shared = || {
            let code = (0..12).map(|n| format!("call({n});\n"));
            let rest =
                ["use a::{\n", "    b,\n", "};\n", "}\n", "// words\n", "\n", "mod tests {\n", "more();\n"];
            code.chain(rest.map(str::to_owned))
        };
        assert_eq!(findings(&[file("a.rs", shared()), file("b.rs", shared())]), Vec::<String>::new());
        let tested = (0..30).map(|n| format!("call({n});\n"));
        assert_eq!(
            findings(&[file("a/tests/a.rs", tested.clone()), file("b.rs", tested.clone())]),
            Vec::<String>::new()
        );
        assert_eq!(findings(&[file("a/src/self_test.rs", tested.clone()), file("b.rs", tested)]).len(), 1);
    }
}
