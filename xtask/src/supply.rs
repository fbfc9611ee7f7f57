//! What the project is built on: only licences, crates and sources that `deny.toml` allows.
//!
//! A check of our own, because `cargo deny` takes longer to build than everything else that is checked before a change lands, and because this one
//! needs no network. It reads the same file and does not know advisories.

use anyhow::Context;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Crates that name their licence in a file only: what it says.
const IN_A_FILE: [(&str, &str); 2] = [("opendp", "MIT"), ("opendp_derive", "MIT")];

/// What is wrong, a line each.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let rules = std::fs::read_to_string(root.join("deny.toml")).context("deny.toml")?;
    let rules = Rules::parse(&rules)?;
    let packages = packages(root)?;
    let mut findings: Vec<String> = packages.iter().flat_map(|package| rules.against(package)).collect();
    findings.extend(rules.doubled(&packages));
    Ok(findings)
}

struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// `None` for our own.
    source: Option<String>,
}

/// All that is linked on this machine, with all features.
fn packages(root: &Path) -> anyhow::Result<Vec<Package>> {
    let told = Command::new("rustc").arg("-vV").output().context("rustc -vV")?;
    let told = String::from_utf8(told.stdout)?;
    let host = told.lines().find_map(|line| line.strip_prefix("host: ")).context("no host in rustc -vV")?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let metadata = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--all-features"])
        .args(["--filter-platform", host])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    anyhow::ensure!(
        metadata.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&metadata.stderr)
    );
    let metadata: Value = serde_json::from_slice(&metadata.stdout)?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let package = |package: &Value| {
        Some(Package {
            name: text(&package["name"])?,
            version: text(&package["version"])?,
            license: text(&package["license"]),
            source: text(&package["source"]),
        })
    };
    packages.iter().map(|value| package(value).context("a package without a name")).collect()
}

struct Rules {
    licenses: Vec<String>,
    registries: Vec<String>,
    /// By name: whether one version is allowed.
    banned: BTreeMap<String, bool>,
}

impl Rules {
    fn parse(text: &str) -> anyhow::Result<Rules> {
        let table: toml::Table = text.parse()?;
        let list = |section: &str, key: &str| {
            let list =
                table.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
            list.cloned().with_context(|| format!("deny.toml: no {section}.{key}"))
        };
        let texts = |list: Vec<toml::Value>| -> Vec<String> {
            list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let mut banned = BTreeMap::new();
        for ban in list("bans", "deny")? {
            let name =
                ban.get("crate").and_then(toml::Value::as_str).context("deny.toml: a ban without a crate")?;
            let once = ban.get("deny-multiple-versions").and_then(toml::Value::as_bool).unwrap_or(false);
            banned.insert(name.to_owned(), once);
        }
        Ok(Rules {
            licenses: texts(list("licenses", "allow")?),
            registries: texts(list("sources", "allow-registry")?),
            banned,
        })
    }

    fn against(&self, package: &Package) -> Vec<String> {
        let Package { name, version, license, source } = package;
        let mut found = Vec::new();
        let known = |(known, says): &(&str, &str)| (known == name).then(|| (*says).to_owned());
        match license.clone().or_else(|| IN_A_FILE.iter().find_map(known)) {
            None => found.push(format!("{name} {version}: no licence is named")),
            Some(license) if !self.allows(&license) => {
                found.push(format!("{name} {version}: the licence {license} is not allowed"));
            }
            Some(_) => {}
        }
        let from =
            |source: &String| self.registries.iter().any(|known| source == &format!("registry+{known}"));
        if let Some(source) = source.as_ref().filter(|source| !from(source)) {
            found.push(format!("{name} {version}: comes from {source}"));
        }
        if self.banned.get(name) == Some(&false) {
            found.push(format!("{name} {version}: is banned"));
        }
        found
    }

    fn doubled(&self, packages: &[Package]) -> Vec<String> {
        let once = self.banned.iter().filter(|(_, once)| **once).map(|(name, _)| name);
        let versions =
            once.map(|name| (name, packages.iter().filter(|package| package.name == *name).count()));
        versions
            .filter(|(_, count)| *count > 1)
            .map(|(name, count)| format!("{name}: {count} versions"))
            .collect()
    }

    /// Whether an SPDX expression can be satisfied. `A/B` is the old spelling of `A OR B`.
    fn allows(&self, expression: &str) -> bool {
        let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = &words[..];
        self.either(&mut rest) && rest.is_empty()
    }

    fn either(&self, words: &mut &[&str]) -> bool {
        let mut allowed = self.both(words);
        while words.first() == Some(&"OR") {
            *words = &words[1..];
            allowed |= self.both(words);
        }
        allowed
    }

    fn both(&self, words: &mut &[&str]) -> bool {
        let mut allowed = self.one(words);
        while words.first() == Some(&"AND") {
            *words = &words[1..];
            allowed &= self.one(words);
        }
        allowed
    }

    fn one(&self, words: &mut &[&str]) -> bool {
        match **words {
            ["(", ..] => {
                *words = &words[1..];
                let allowed = self.either(words);
                let closed = words.first() == Some(&")");
                *words = words.get(1..).unwrap_or_default();
                allowed && closed
            }
            [name, "WITH", exception, ..] => {
                *words = &words[3..];
                self.licenses.contains(&format!("{name} WITH {exception}"))
            }
            [name, ..] => {
                *words = &words[1..];
                self.licenses.iter().any(|known| known == name)
            }
            [] => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_build_on_is_allowed() {
        assert_eq!(findings(&crate::root()).unwrap(), [""; 0]);
    }

    #[test]
    fn what_is_not_allowed_is_found() {
        let rules = "[licenses]\nallow = [\"MIT\", \"Apache-2.0\"]\n[sources]\nallow-registry = [\"https://good\"]\n\
                     [bans]\ndeny = [{ crate = \"bad\" }, { crate = \"twice\", deny-multiple-versions = true }]\n";
        let rules = Rules::parse(rules).unwrap();
        let package = |name: &str, license: Option<&str>, source: &str| Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: license.map(str::to_owned),
            source: Some(source.to_owned()),
        };
        let good = "registry+https://good";
        for license in ["MIT", "GPL-3.0 OR MIT", "MIT/GPL-2.0", "(MIT OR GPL-3.0) AND Apache-2.0"] {
            assert!(rules.against(&package("fine", Some(license), good)).is_empty(), "{license}");
        }
        for license in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT", "", "MIT WITH exception"] {
            assert_eq!(rules.against(&package("fine", Some(license), good)).len(), 1, "{license}");
        }
        assert_eq!(rules.against(&package("fine", None, good)).len(), 1);
        assert_eq!(rules.against(&package("fine", Some("MIT"), "git+https://elsewhere")).len(), 1);
        assert_eq!(rules.against(&package("bad", Some("MIT"), good)).len(), 1);
        let twice = [package("twice", Some("MIT"), good), package("twice", Some("MIT"), good)];
        assert_eq!(rules.doubled(&twice), ["twice: 2 versions"]);
    }
}
