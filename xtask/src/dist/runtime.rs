//! What a binary contains besides crates: the standard library of Rust, and the C library that it is linked with.

use anyhow::Context;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A library that no crate names.
pub struct Library {
    /// As the bill of materials names it.
    pub name: &'static str,
    pub version: String,
    pub license: &'static str,
    /// Its notice: where its terms stand, and their text where this machine has it.
    pub notice: String,
}

/// Why the terms of the GNU C Library are kept: whoever has the program can link it again.
const LINKED_AGAIN: &str = "The programs are linked statically with the GNU C Library, which is licensed under the GNU Lesser General Public License, \
    version 2.1 or later, and with the unwinder of GCC (GPL with the GCC Runtime Library Exception). Whoever wants to use another version of \
    the library builds the programs again from their source, which is public and names every crate in Cargo.lock: `cargo xtask dist`.";
const MUSL: &str = "The programs are linked statically with musl, which is licensed under the MIT license. \
    Copyright © 2005-2020 Rich Felker, et al. Its notices: https://git.musl-libc.org/cgit/musl/tree/COPYRIGHT";

/// What every binary for a target contains.
pub fn linked(target: &str) -> anyhow::Result<[Library; 2]> {
    Ok([standard_library()?, if target.ends_with("-musl") { musl()? } else { glibc()? }])
}

impl Library {
    /// Its component in the bill of materials.
    pub fn component(&self) -> Value {
        let purl = format!("pkg:generic/{}@{}", self.name, self.version);
        json!({
            "type": "library", "name": self.name, "version": self.version, "purl": purl, "bom-ref": purl,
            "licenses": [{ "expression": self.license }],
        })
    }
}

fn standard_library() -> anyhow::Result<Library> {
    let version = told("rustc", &["-vV"])?;
    let version =
        version.lines().find_map(|line| line.strip_prefix("release: ")).context("rustc -vV: no release")?;
    let sysroot = PathBuf::from(told("rustc", &["--print", "sysroot"])?.trim());
    // Rust of a distribution keeps its notices elsewhere.
    let page = std::fs::read_to_string(sysroot.join("share/doc/rust/COPYRIGHT-library.html"));
    let terms =
        "The standard library of Rust is licensed under the MIT license or the Apache License, Version 2.0.";
    Ok(Library {
        name: "rust-std",
        version: version.to_owned(),
        license: "MIT OR Apache-2.0",
        notice: page.map_or_else(|_| terms.to_owned(), |page| format!("{terms}\n\n{}", without_tags(&page))),
    })
}

fn glibc() -> anyhow::Result<Library> {
    let version = told("getconf", &["GNU_LIBC_VERSION"])?;
    let version = version.split_whitespace().last().context("getconf says no version")?;
    // Where Debian and its relatives keep them.
    let texts = ["/usr/share/doc/libc6/copyright", "/usr/share/common-licenses/LGPL-2.1"]
        .map(|path| std::fs::read(Path::new(path)).unwrap_or_default());
    let texts = texts.iter().map(|text| format!("\n\n{}", String::from_utf8_lossy(text).trim()));
    Ok(Library {
        name: "glibc",
        version: version.to_owned(),
        license: "LGPL-2.1-or-later",
        notice: LINKED_AGAIN.to_owned() + &texts.collect::<String>(),
    })
}

/// The version that comes with this Rust is not told by any of its files.
fn musl() -> anyhow::Result<Library> {
    let rust = standard_library()?.version;
    Ok(Library {
        name: "musl",
        version: format!("as in Rust {rust}"),
        license: "MIT",
        notice: MUSL.to_owned(),
    })
}

fn told(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).output().with_context(|| program.to_owned())?;
    anyhow::ensure!(output.status.success(), "{program} failed");
    Ok(String::from_utf8(output.stdout)?)
}

/// The text of a page, without empty lines in a row.
fn without_tags(page: &str) -> String {
    let mut text = String::new();
    for (at, part) in page.split('<').enumerate() {
        text.push_str(if at == 0 { part } else { part.split_once('>').map_or("", |(_, after)| after) });
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    let text = text.replace("&amp;", "&");
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|line, before| line.trim().is_empty() && before.trim().is_empty());
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_are_named_with_their_terms() {
        for (target, name) in [("x86_64-unknown-linux-gnu", "glibc"), ("x86_64-unknown-linux-musl", "musl")] {
            let [rust, c] = linked(target).unwrap();
            assert_eq!((rust.name, c.name), ("rust-std", name));
            assert!(rust.notice.contains("Apache") && rust.version.starts_with("1."), "{}", rust.version);
            assert!(c.notice.contains("linked statically") && !c.version.is_empty());
            assert_eq!(c.component()["licenses"][0]["expression"], c.license);
        }
    }

    #[test]
    fn a_page_becomes_its_text() {
        assert_eq!(
            without_tags("<h1>A &amp; B</h1>\n\n \n\n<p class=\"x\">C &lt;d&gt;</p>\n"),
            "A & B\n\nC <d>"
        );
    }
}
