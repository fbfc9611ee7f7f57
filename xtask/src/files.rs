//! The sources of the house.

use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files below a folder, in order.
pub(crate) fn rust_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a source is a test from its first line to its last, by its path. `self_test.rs` is none.
pub(crate) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    format!("/{path}").contains("/tests/") || name == "tests.rs" || name.ends_with("_tests.rs")
}

#[cfg(test)]
mod tests {
    use super::is_test;

    #[test]
    fn tests_are_told_by_their_paths() {
        for path in ["crates/a/tests/b.rs", "tests/b.rs", "crates/a/src/tests.rs", "crates/a/src/b_tests.rs"]
        {
            assert!(is_test(path), "{path}");
        }
        for path in ["crates/a/src/self_test.rs", "crates/a/src/testing.rs", "crates/contests/src/b.rs"] {
            assert!(!is_test(path), "{path}");
        }
    }
}
