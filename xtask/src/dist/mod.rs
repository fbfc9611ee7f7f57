//! `cargo xtask dist`: what is handed to people who have no Rust.
//!
//! In `target/dist`: the binaries, linked so that they need nothing of the system, a Debian package with manual pages and completions, a list
//! of all crates (CycloneDX), their licences, and the digests of it all. Times in archives are fixed: the same binaries give the same bytes.

mod archive;
pub mod crates;
mod runtime;

use anyhow::Context;
use archive::{Entry, debian, tarball};
use paravent_pipeline::read::digest;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is built, from which package, with which features beyond the default ones.
const BINARIES: [(&str, &str, &[&str]); 2] =
    [("paravent", "paravent-cli", &[]), ("paravent-verify", "paravent-verify", &["--features", "xlsx"])];
/// The same features for both packages at once.
const FEATURES: [&str; 2] = ["--features", "paravent-verify/xlsx"];
const MUSL: &str = "x86_64-unknown-linux-musl";
const GNU: &str = "x86_64-unknown-linux-gnu";

/// Builds everything and says what was made. Packages that are handed out have the profile `release`; another one is built sooner.
pub fn make(root: &Path, profile: &str) -> anyhow::Result<Vec<PathBuf>> {
    let out = root.join("target").join("dist");
    if out.exists() {
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let target = target()?;
    let built = build(root, target, profile)?;
    let version = env!("CARGO_PKG_VERSION");
    let packages = crates::linked(root, target, &FEATURES)?;
    let too_new = crates::too_new(&packages, &crate::oldest::stated(root)?);
    anyhow::ensure!(too_new.is_empty(), "{}", too_new.join("\n"));
    let mut made = Vec::new();
    let mut put = |name: String, bytes: &[u8]| -> anyhow::Result<()> {
        let path = out.join(name);
        fs::write(&path, bytes).with_context(|| path.display().to_string())?;
        made.push(path);
        Ok(())
    };
    let libraries = runtime::linked(target)?;
    let notices = crates::notices(&packages, &libraries)?;
    put("NOTICES.txt".to_owned(), notices.as_bytes())?;
    let bill = crates::bill_of_materials(&packages, &libraries, version)?;
    put("paravent.cdx.json".to_owned(), bill.as_bytes())?;

    let manual = out.join("manual");
    run(Command::new(built.join("paravent")).arg("manual").arg(&manual))?;
    let entries = installed(&built, &manual, root, &notices)?;
    fs::remove_dir_all(&manual)?;
    put(format!("paravent-{version}-linux-x86_64.tar.gz"), &tarball(&entries)?)?;
    put(format!("paravent_{version}_amd64.deb"), &debian(&entries, version)?)?;

    let sums: Vec<String> = made
        .iter()
        .map(|path| {
            Ok(format!("{}  {}\n", digest(path)?, path.file_name().unwrap_or_default().to_string_lossy()))
        })
        .collect::<anyhow::Result<_>>()?;
    let path = out.join("SHA256SUMS");
    fs::write(&path, sums.concat())?;
    made.push(path);
    Ok(made)
}

/// musl where its target is installed: then nothing of the C library is left to chance. Else the C library of this system, linked statically.
fn target() -> anyhow::Result<&'static str> {
    let sysroot =
        Command::new("rustc").args(["--print", "sysroot"]).output().context("rustc --print sysroot")?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout)?.trim());
    let has_musl = sysroot.join("lib/rustlib").join(MUSL).join("lib").exists();
    Ok(if has_musl { MUSL } else { GNU })
}

/// Builds the binaries and gives their folder. With the C library of this system only the last step, the link, differs from a usual build:
/// what that has compiled is taken.
fn build(root: &Path, target: &str, profile: &str) -> anyhow::Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    for (binary, package, features) in BINARIES {
        let mut command = Command::new(&cargo);
        command.args(["rustc", "--profile", profile, "--locked", "--package", package, "--bin", binary]);
        command.args(features).args((target == MUSL).then_some(["--target", MUSL]).into_iter().flatten());
        command.args(["--", "-C", "target-feature=+crt-static"]).current_dir(root);
        run(&mut command)?;
    }
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = if target == MUSL { folder.join(MUSL) } else { folder };
    // The folder of the profile `dev` is called after what it is for.
    let folder = folder.join(if profile == "dev" { "debug" } else { profile });
    for (binary, ..) in BINARIES {
        let path = folder.join(binary);
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        anyhow::ensure!(
            is_static(&bytes),
            "{binary} needs libraries of the system: the C library has no static form here"
        );
    }
    Ok(folder)
}

/// Whether a program asks for no interpreter: then no library is loaded when it starts.
fn is_static(program: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    let number = |at: usize, width: usize| -> Option<usize> {
        let bytes = program.get(at..at.checked_add(width)?)?;
        Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
    };
    // ELF, 64 bits, least byte first: where its segments are told, how long each entry is, how many.
    let entries = || Some((number(32, 8)?, number(54, 2)?, number(56, 2)?));
    let (true, Some((start, size, count))) = (program.starts_with(b"\x7fELF\x02\x01"), entries()) else {
        return false;
    };
    (0..count).all(|entry| number(start + entry * size, 4).is_some_and(|kind| kind as u32 != INTERPRETER))
}

/// The files of the package, at their places below `/usr`.
fn installed(built: &Path, manual: &Path, root: &Path, notices: &str) -> anyhow::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (binary, ..) in BINARIES {
        entries.push(Entry::program(format!("usr/bin/{binary}"), fs::read(built.join(binary))?));
    }
    let mut pages: Vec<PathBuf> =
        fs::read_dir(manual)?.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    pages.sort();
    for page in pages {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        entries.push(Entry::file(
            format!("usr/share/man/man1/{name}.gz"),
            archive::compressed(&fs::read(&page)?)?,
        ));
    }
    let shells = [
        ("bash", "usr/share/bash-completion/completions/paravent"),
        ("zsh", "usr/share/zsh/vendor-completions/_paravent"),
        ("fish", "usr/share/fish/vendor_completions.d/paravent.fish"),
    ];
    for (shell, place) in shells {
        let told = Command::new(built.join("paravent")).args(["completions", shell]).output()?;
        anyhow::ensure!(told.status.success(), "paravent completions {shell}");
        entries.push(Entry::file(place, told.stdout));
    }
    let license = fs::read_to_string(root.join("LICENSE"))?;
    entries.push(Entry::file("usr/share/doc/paravent/copyright", copyright(&license).into_bytes()));
    entries
        .push(Entry::file("usr/share/doc/paravent/NOTICES.txt.gz", archive::compressed(notices.as_bytes())?));
    entries.push(Entry::file(
        "usr/share/doc/paravent/changelog.gz",
        archive::compressed(&fs::read(root.join("CHANGELOG.md"))?)?,
    ));
    Ok(entries)
}

/// Whose it is, and under which licences.
fn copyright(license: &str) -> String {
    format!(
        "Paravent is copyright of its authors and licensed under the Apache License, Version 2.0, which stands below and on\n\
         Debian systems in /usr/share/common-licenses/Apache-2.0. The crates of others that the programs contain, with their\n\
         copyrights and licences, are listed in /usr/share/doc/paravent/NOTICES.txt.gz.\n\n{license}"
    )
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("{command:?}"))?;
    anyhow::ensure!(status.success(), "{command:?} failed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_an_interpreter_is_not_static() {
        // The test itself is linked dynamically.
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(!is_static(&own));
        assert!(!is_static(b"\x7fELF\x02\x01") && !is_static(b"#!/bin/sh"));
    }
}
