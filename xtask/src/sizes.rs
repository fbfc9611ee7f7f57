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
    const BEFORE: [&str; 4] = ["pub ", "const ", "async ", "unsafe "];
    // `pub(in crate::x)`, `extern "C"`
    const AROUND: [(&str, &str); 2] = [("pub(", ") "), ("extern \"", "\" ")];
    let mut rest = line;
    let next = |rest: &'_ str| -> Option<usize> {
        let word = BEFORE.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        word.or_else(|| {
            let (open, close) = AROUND.iter().find(|(open, _)| rest.starts_with(open))?;
            Some(open.len() + rest[open.len()..].find(close)? + close.len())
        })
    };
    while let Some(length) = next(rest) {
        rest = &rest[length..];
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
    fn functions_are_known_however_they_are_shown() {
        for before in ["", "pub(in crate::x) ", "pub(crate) const ", "pub async unsafe ", "extern \"C\" "] {
            assert_eq!(functions(&format!("{before}fn f() {{\n}}\n")), [(1, "f", 2)], "{before}");
        }
        assert_eq!(functions("pub(in crate::x) struct S {\n}\n"), []);
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
