//! The crates that are linked: a bill of materials, and their licences.

use super::runtime::Library;
use crate::oldest::is_older;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate that is part of the binaries.
pub struct Linked {
    name: String,
    version: String,
    license: Option<String>,
    /// The oldest Rust that it says it needs.
    rust: Option<String>,
    /// Whether it came from a registry.
    foreign: bool,
    folder: PathBuf,
}

/// What the two binaries are built from with these features, on a target: normal dependencies only.
pub fn linked(root: &Path, target: &str, features: &[&str]) -> anyhow::Result<Vec<Linked>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let tree = Command::new(&cargo)
        .args([
            "tree",
            "--locked",
            "--offline",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}",
            "--target",
            target,
        ])
        .args(["--package", "paravent-cli", "--package", "paravent-verify"])
        .args(features)
        .current_dir(root)
        .output()
        .context("cargo tree")?;
    anyhow::ensure!(tree.status.success(), "cargo tree: {}", String::from_utf8_lossy(&tree.stderr));
    let wanted: BTreeSet<(String, String)> = String::from_utf8(tree.stdout)?
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?.to_owned(), words.next()?.trim_start_matches('v').to_owned()))
        })
        .collect();
    let metadata = Command::new(cargo)
        // Crates of other systems are not on every machine.
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", target])
        .arg("--all-features")
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    anyhow::ensure!(
        metadata.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&metadata.stderr)
    );
    let metadata: Value = serde_json::from_slice(&metadata.stdout).context("cargo metadata")?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut linked = Vec::new();
    for package in metadata["packages"].as_array().context("no packages")? {
        let (Some(name), Some(version)) = (text(&package["name"]), text(&package["version"])) else {
            continue;
        };
        if !wanted.contains(&(name.clone(), version.clone())) {
            continue;
        }
        let manifest = PathBuf::from(text(&package["manifest_path"]).context("no manifest_path")?);
        linked.push(Linked {
            name,
            version,
            license: text(&package["license"]),
            rust: text(&package["rust_version"]),
            foreign: package["source"].is_string(),
            folder: manifest.parent().map(Path::to_owned).unwrap_or_default(),
        });
    }
    linked.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(linked)
}

/// Crates that need a newer Rust than this one.
pub fn too_new(crates: &[Linked], oldest: &str) -> Vec<String> {
    let needs = |linked: &Linked| {
        let needed = linked.rust.as_ref().filter(|needed| is_older(oldest, needed))?;
        Some(format!("{} {} needs Rust {needed}", linked.name, linked.version))
    };
    crates.iter().filter_map(needs).collect()
}

/// CycloneDX 1.5, without a time and a serial number, so that the same crates give the same file.
pub fn bill_of_materials(crates: &[Linked], libraries: &[Library], version: &str) -> anyhow::Result<String> {
    let component = |linked: &Linked| {
        let purl = format!("pkg:cargo/{}@{}", linked.name, linked.version);
        let mut component = json!({
            "type": "library", "name": linked.name, "version": linked.version, "purl": purl, "bom-ref": purl,
        });
        if let Some(license) = &linked.license {
            component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
        }
        component
    };
    let components = crates.iter().filter(|linked| linked.foreign).map(component);
    let components: Vec<Value> = components.chain(libraries.iter().map(Library::component)).collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": { "type": "application", "name": "paravent", "version": version } },
        "components": components,
    });
    Ok(serde_json::to_string_pretty(&bill)? + "\n")
}

/// The licence texts of all crates of others, each text once with the crates it belongs to, and the notices of the libraries.
pub fn notices(crates: &[Linked], libraries: &[Library]) -> anyhow::Result<String> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for linked in crates.iter().filter(|linked| linked.foreign) {
        let name = format!("{} {}", linked.name, linked.version);
        let mut files: Vec<PathBuf> = std::fs::read_dir(&linked.folder)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_licence(path))
            .collect();
        files.sort();
        if files.is_empty() {
            without.push(format!("{name}: {}", linked.license.as_deref().unwrap_or("see its repository")));
        }
        for file in files {
            let text = String::from_utf8_lossy(&std::fs::read(&file)?).trim().replace('\r', "");
            texts.entry(text).or_default().push(name.clone());
        }
    }
    let mut notices = String::from(
        "Paravent contains the following crates and libraries of others, under these licences.\n",
    );
    for (text, names) in &texts {
        let _ = write!(notices, "\n{}\n{}\n\n{text}\n", "=".repeat(79), names.join(", "));
    }
    if !without.is_empty() {
        let _ = write!(
            notices,
            "\n{}\nCrates that name their licence and bring no text\n\n{}\n",
            "=".repeat(79),
            without.join("\n")
        );
    }
    for Library { name, version, notice, .. } in libraries {
        let _ = write!(notices, "\n{}\n{name} {version}\n\n{notice}\n", "=".repeat(79));
    }
    Ok(notices)
}

fn is_licence(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_uppercase();
    path.is_file()
        && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"]
            .iter()
            .any(|word| name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crate_is_in_the_bill_and_in_the_notices() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let crates = linked(root, "x86_64-unknown-linux-gnu", &[]).unwrap();
        let libraries = super::super::runtime::linked("x86_64-unknown-linux-gnu").unwrap();
        let bill = bill_of_materials(&crates, &libraries, "1").unwrap();
        let bill: Value = serde_json::from_str(&bill).unwrap();
        let names: Vec<&str> =
            bill["components"].as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
        assert!(
            ["arrow", "clap", "rust-std", "glibc"].iter().all(|name| names.contains(name))
                && !names.iter().any(|name| name.starts_with("paravent"))
        );
        let notices = notices(&crates, &libraries).unwrap();
        assert!(names.iter().all(|name| notices.contains(&format!("{name} "))));
    }
}
