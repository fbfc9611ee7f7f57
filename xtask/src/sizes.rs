//! Files and functions that are too long to have one idea.

/// A file beyond this has two ideas. Tests count.
const MOST_LINES: usize = 500;
/// A function beyond this has two steps, signature included.
const MOST_OF_A_FUNCTION: usize = 100;

/// What is too long in a file.
pub(crate) fn findings(name: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        findings.push(format!("{name}: {lines} lines; look for the two files inside"));
    }
    for (line, function, length) in functions(text) {
        if length > MOST_OF_A_FUNCTION {
            findings
                .push(format!("{name}:{line}: {function} has {length} lines; look for the two steps inside"));
        }
    }
    findings
}

/// Line, name and length of every function. A formatted one ends with a brace in the column where it begins; one without a body ends with
/// a semicolon.
fn functions(text: &str) -> Vec<(usize, &str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some(name) = name_of(line.trim_start()) else { continue };
        let ends = |&(place, line): &(usize, &&str)| match place {
            0 => line.ends_with('}') || line.ends_with(';'),
            _ => {
                let own = line.len() - line.trim_start().len() == indent;
                own && (line.trim_start().starts_with('}') || line.ends_with(';'))
            }
        };
        let end = lines[at..].iter().enumerate().find(ends);
        if let Some((length, _)) = end {
            found.push((at + 1, name, length + 1));
        }
    }
    found
}

/// The name, if a function begins on the line.
fn name_of(line: &str) -> Option<&str> {
    const BEFORE: [&str; 6] = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async ", "unsafe "];
    let mut rest = line;
    while let Some(next) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = next;
    }
    let rest = rest.strip_prefix("fn ")?;
    rest.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::{findings, functions};

    #[test]
    fn functions_have_their_lengths() {
        let text = "trait T {\n    fn told(\n        &self,\n    ) -> u8;\n\n    fn short(&self) -> u8 { 1 }\n\n    \
                    pub(crate) async fn long<T>(&self) {\n        if x {\n        }\n    }\n}\n";
        assert_eq!(functions(text), [(2, "told", 3), (6, "short", 1), (8, "long", 4)]);
    }

    #[test]
    fn long_files_and_functions_are_told() {
        let body = "    let x = 1;\n";
        assert!(findings("f.rs", &format!("fn f() {{\n{}}}\n", body.repeat(98))).is_empty());
        assert_eq!(findings("f.rs", &format!("fn f() {{\n{}}}\n", body.repeat(99))).len(), 1);
        assert!(findings("f.rs", &"// a line\n".repeat(500)).is_empty());
        assert_eq!(findings("f.rs", &"// a line\n".repeat(501)).len(), 1);
    }
}
