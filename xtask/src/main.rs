//! Chores of the house. `cargo xtask tidy` checks the directions between modules and crates (also a test);
//! `cargo xtask supply` the licences, crates and sources that the project is built on (also a test);
//! `cargo xtask dist` makes what is handed to people without Rust;
//! `cargo xtask office RELEASE` what LibreOffice makes of a release;
//! `cargo xtask reference DIR [--algorithm NAME]` compares with reference results on data that is not part of the project.

mod dist;
mod files;
mod modules;
mod office;
mod oldest;
mod pages;
mod recipes;
mod reference;
mod repeated;
mod sizes;
mod supply;
mod tidy;
mod tokens;

use paravent_pipeline::job::Algorithm;
use std::path::{Path, PathBuf};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["dist"] => show(&dist::make(&root(), "release")?),
        ["dist", "--profile", profile] => show(&dist::make(&root(), profile)?),
        ["office", release] => report(&office::findings(Path::new(release))?),
        ["supply"] => report(&supply::findings(&root())?),
        ["tidy"] => report(&tidy::findings(&root())?),
        ["reference", dir] => report(&reference::compare(Path::new(dir), Algorithm::Auto)?),
        ["reference", dir, "--algorithm", name] => match Algorithm::ALL.iter().find(|a| a.name() == name) {
            Some(algorithm) => report(&reference::compare(Path::new(dir), *algorithm)?),
            None => anyhow::bail!("{name} is not an algorithm"),
        },
        _ => anyhow::bail!(
            "usage: cargo xtask dist [--profile NAME] | office RELEASE | tidy | supply | reference DIR [--algorithm NAME]"
        ),
    }
}

fn show(made: &[PathBuf]) -> anyhow::Result<()> {
    made.iter().for_each(|path| println!("{}", path.display()));
    Ok(())
}

fn report(findings: &[String]) -> anyhow::Result<()> {
    for finding in findings {
        println!("{finding}");
    }
    anyhow::ensure!(findings.is_empty(), "{} findings", findings.len());
    println!("nothing to complain about");
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
