//! What is at a release's place already?

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// What is at a release's place, or at that of its private folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Occupant {
    Nothing,
    EmptyDirectory,
    /// A release, or a private folder: ours to replace.
    Release,
    OtherDirectory,
    File,
}

/// The files of a release. Replacing one removes what is in it: files of somebody else's are not ours to remove.
const OF_RELEASE: [&str; 9] = [
    "data.csv",
    "data.parquet",
    "data.arrow",
    "data.xlsx",
    "report.html",
    "report.json",
    "manifest.json",
    "manifest.sig",
    // Of releases before there were private folders.
    "transform.json",
];

/// The files of a private folder.
const PRIVATE: [&str; 5] = ["federation.toml", "people.txt", "report.html", "report.json", "transform.json"];

impl Occupant {
    pub(super) fn of(path: &Path) -> io::Result<Occupant> {
        Occupant::holding(path, "manifest.json", &OF_RELEASE)
    }

    pub(super) fn of_private(path: &Path) -> io::Result<Occupant> {
        Occupant::holding(path, "transform.json", &PRIVATE)
    }

    fn holding(path: &Path, document: &str, ours: &[&str]) -> io::Result<Occupant> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Occupant::Nothing),
            Err(error) => Err(error),
            Ok(metadata) if !metadata.is_dir() => Ok(Occupant::File),
            Ok(_) if fs::read_dir(path)?.next().is_none() => Ok(Occupant::EmptyDirectory),
            Ok(_) if is_ours(&path.join(document)) && holds_nothing_else(path, ours)? => {
                Ok(Occupant::Release)
            }
            Ok(_) => Ok(Occupant::OtherDirectory),
        }
    }
}

fn holds_nothing_else(path: &Path, ours: &[&str]) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if !ours.iter().any(|name| entry.file_name() == *name) || entry.file_type()?.is_dir() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Other programs have a manifest.json, too: ours says so.
fn is_ours(path: &Path) -> bool {
    #[derive(serde::Deserialize)]
    struct Document {
        #[serde(rename = "paravent")]
        _version: String,
    }
    File::open(path)
        .is_ok_and(|file| serde_json::from_reader::<_, Document>(io::BufReader::new(file)).is_ok())
}
