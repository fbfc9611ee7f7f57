//! The oldest Rust that builds Paravent. Cargo.toml states it, and these tests hold it against what can be known without that Rust:
//! what every crate says it needs, and, by clippy's `incompatible_msrv`, since when the standard library has what our code calls.
//! Syntax that is newer is only seen by a build (docs/guide/installing.md).

use anyhow::Context;
use std::path::Path;

/// `1.88` of the workspace.
pub fn stated(root: &Path) -> anyhow::Result<String> {
    let manifest = manifest(&root.join("Cargo.toml"))?;
    let package = manifest.get("workspace").and_then(|workspace| workspace.get("package"));
    let version = package.and_then(|package| package.get("rust-version")).and_then(toml::Value::as_str);
    Ok(version.context("Cargo.toml: no rust-version")?.to_owned())
}

fn manifest(path: &Path) -> anyhow::Result<toml::Table> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.parse().with_context(|| path.display().to_string())
}

/// Whether a version of Rust is older than another. 1.88 and 1.88.0 are the same.
pub fn is_older(one: &str, other: &str) -> bool {
    let parts = |version: &str| {
        let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
        [0; 3].map(|_| parts.next().unwrap_or(0))
    };
    parts(one) < parts(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::crates::{linked, too_new};
    use crate::files::rust_files;

    const GNU: &str = "x86_64-unknown-linux-gnu";
    /// Crates of the workspace that only builds with the SQL engine contain, and the SQL engine.
    const WITH_SQL: &str = "crates/algebra/Cargo.toml";

    fn of_crate(path: &Path) -> Option<String> {
        let manifest = manifest(path).unwrap();
        match manifest["package"].get("rust-version") {
            Some(toml::Value::String(version)) => Some(version.clone()),
            Some(inherited) if inherited["workspace"].as_bool() == Some(true) => None,
            _ => panic!("{}: no rust-version", path.display()),
        }
    }

    #[test]
    fn every_crate_of_others_says_that_the_stated_rust_is_enough() {
        let root = crate::root();
        let oldest = stated(&root).unwrap();
        let nothing: [String; 0] = [];
        let builds: [&[&str]; 3] = [
            &["--features", "paravent-verify/xlsx"],
            &["--no-default-features"],
            &["--features", "paravent-cli/postgres,paravent-cli/spark"],
        ];
        for features in builds {
            assert_eq!(too_new(&linked(&root, GNU, features).unwrap(), &oldest), nothing, "{features:?}");
        }
        let with_sql = of_crate(&root.join(WITH_SQL)).unwrap();
        let all = linked(&root, GNU, &["--all-features"]).unwrap();
        assert_eq!(too_new(&all, &with_sql), nothing);
        // Older ones are not enough for somebody: the comparison sees something.
        assert!(!too_new(&all, &oldest).is_empty() && !too_new(&all, "1.60").is_empty());
        assert!(is_older("1.88", "1.88.1") && !is_older("1.88.0", "1.88") && is_older("1.9", "1.10"));
    }

    #[test]
    fn our_crates_are_held_to_the_rust_that_is_stated() {
        let root = crate::root();
        let with_sql = of_crate(&root.join(WITH_SQL));
        let workspace = manifest(&root.join("Cargo.toml")).unwrap();
        for member in workspace["workspace"]["members"].as_array().unwrap() {
            let path = root.join(member.as_str().unwrap()).join("Cargo.toml");
            let version = of_crate(&path);
            assert!(version.is_none() || version == with_sql, "{}: {version:?}", path.display());
            let lints = &manifest(&path).unwrap()["lints"]["workspace"];
            assert_eq!(lints.as_bool(), Some(true), "{}", path.display());
        }
        // The lint is one of `all`, and nobody turns it off or tells clippy of another version.
        let lints = &workspace["workspace"]["lints"]["clippy"];
        assert_eq!(lints["all"]["level"].as_str(), Some("warn"));
        assert!(lints.get("incompatible_msrv").is_none() && lints.get("suspicious").is_none());
        assert!(manifest(&root.join("clippy.toml")).unwrap().get("msrv").is_none());
        for path in rust_files(&root.join("crates")).unwrap() {
            let text = std::fs::read_to_string(&path).unwrap();
            let allows = ["incompatible_msrv", "suspicious", "all"]
                .iter()
                .any(|lint| text.contains(&format!("allow(clippy::{lint}")));
            assert!(!allows, "{}", path.display());
        }
    }

    #[test]
    fn people_are_told_the_same() {
        let root = crate::root();
        let oldest = stated(&root).unwrap();
        let with_sql = of_crate(&root.join(WITH_SQL)).unwrap();
        let page = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
        let (readme, guide) = (page("README.md"), page("docs/guide/installing.md"));
        assert!(readme.contains(&format!("With Rust installed ({oldest} or newer)")));
        assert!(readme.contains(&format!("with the SQL engine: Rust {with_sql} or newer")));
        for line in [
            format!("| `cargo install --path crates/cli` | {oldest} |"),
            format!("| the same with `--features sql` | {with_sql} |"),
            format!("| the same with `--features postgres,spark` | {oldest} |"),
        ] {
            assert!(guide.contains(&line), "{line}");
        }
    }
}
