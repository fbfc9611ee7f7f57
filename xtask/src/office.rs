//! `cargo xtask office RELEASE`: what LibreOffice makes of a release.
//!
//! Converts the data file of a release to CSV and back, headless, and compares: cells of columns that were released unchanged must be equal, as
//! numbers or as text, and labels of generalized columns must still be the same text. Needs `soffice` on the path (Debian: libreoffice-calc-nogui).

use anyhow::Context;
use paravent_pipeline::read::{Batch, Input, ReadOptions};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What became different, a line each.
pub fn findings(release: &Path) -> anyhow::Result<Vec<String>> {
    let manifest: Value = serde_json::from_slice(&std::fs::read(release.join("manifest.json"))?)?;
    let output = &manifest["output"];
    let options = ReadOptions::of_release(release, output).map_err(anyhow::Error::msg)?;
    let folder = tempfile::tempdir()?;
    let comes_back = through_office(&options.path, output, folder.path())?;
    let mut back = ReadOptions::of_release(release, output).map_err(anyhow::Error::msg)?;
    (back.path, back.format) = (comes_back, None);
    (back.delimiter, back.encoding) = (Some(b','), None);
    let (before, after) = (columns(options)?, columns(back)?);
    let mut findings = Vec::new();
    for (name, cells) in &before {
        let Some((_, others)) = after.iter().find(|(other, _)| other == name) else {
            findings.push(format!("column `{name}` is gone"));
            continue;
        };
        let different = cells.iter().zip(others).filter(|(one, other)| !is_same(one, other)).count();
        if different > 0 || cells.len() != others.len() {
            findings.push(format!(
                "column `{name}`: {different} of {} cells are different, {} came back",
                cells.len(),
                others.len()
            ));
        }
    }
    Ok(findings)
}

/// Converts to .xlsx and then to CSV, so that everything passes through cells of a spreadsheet.
fn through_office(path: &Path, output: &Value, folder: &Path) -> anyhow::Result<PathBuf> {
    let convert = |path: &Path, filter: Option<String>, to: &str| -> anyhow::Result<PathBuf> {
        let mut command = Command::new("soffice");
        command
            .arg("--headless")
            .arg(format!("-env:UserInstallation=file://{}", folder.join("profile").display()));
        command.args(filter.map(|filter| format!("--infilter={filter}")));
        command.arg("--convert-to").arg(to).arg("--outdir").arg(folder).arg(path);
        let told = command.output().context("soffice")?;
        let made = folder
            .join(path.file_stem().unwrap_or_default())
            .with_extension(to.split(':').next().unwrap_or(to));
        anyhow::ensure!(
            told.status.success() && made.exists(),
            "soffice: {}",
            String::from_utf8_lossy(&told.stderr)
        );
        Ok(made)
    };
    let is_text = output["format"] == "csv";
    // Token 1 the delimiter, 2 the quote, 3 the encoding (76 UTF-8, 1 windows-1252), 6 the language (1031 German, 1033 English).
    let delimiter = output["delimiter"].as_str().and_then(|text| text.bytes().next()).unwrap_or(b',');
    let encoding = if output["encoding"] == "windows-1252" { 1 } else { 76 };
    let german =
        output["spellings"].as_object().into_iter().flatten().any(|(_, said)| said["decimal"] == ",");
    let language = if german { 1031 } else { 1033 };
    let filter = is_text.then(|| format!("CSV:{delimiter},34,{encoding},1,,{language},false,true"));
    let book = match is_text {
        true => convert(path, filter, "xlsx")?,
        false => convert(path, None, "ods")?,
    };
    // Written as shown, in UTF-8 with commas.
    convert(&book, None, "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false")
}

type Cells = Vec<Option<String>>;

fn columns(options: ReadOptions) -> anyhow::Result<Vec<(String, Cells)>> {
    let mut source = Input::new(options)?.open()?;
    let mut columns: Vec<(String, Cells)> =
        source.columns().iter().map(|name| (name.clone(), Vec::new())).collect();
    let mut batch = Batch::default();
    while source.next_batch(&mut batch)? {
        for ((_, cells), column) in columns.iter_mut().zip(&batch.columns) {
            cells.extend(column.iter().map(|cell| cell.map(str::to_owned)));
        }
    }
    Ok(columns)
}

/// A date as LibreOffice exports it, `03/09/2024 14:05:00`, in the engine's spelling.
fn date(cell: &str) -> Option<String> {
    let (month, day, year) = (cell.get(..2)?, cell.get(3..5)?, cell.get(6..10)?);
    let is_date = cell.get(2..3) == Some("/") && cell.get(5..6) == Some("/");
    let clock = cell.get(10..)?.trim_start();
    let clock = clock.strip_suffix(":00").unwrap_or(clock);
    let time = if clock.is_empty() { String::new() } else { format!("T{clock}") };
    is_date.then(|| format!("{year}-{month}-{day}{time}"))
}

/// Equal as text, as numbers, or as dates.
fn is_same(one: &Option<String>, other: &Option<String>) -> bool {
    let number =
        |cell: &Option<String>| cell.as_deref().and_then(|text| text.replace(',', ".").parse::<f64>().ok());
    let date = other.as_deref().and_then(date);
    one == other
        || (date.is_some() && *one == date)
        || matches!((number(one), number(other)), (Some(one), Some(other)) if one == other)
}
