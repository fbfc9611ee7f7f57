//! An invitation as one file: the agreement as it begins, a job to fill in, and the files that all parties must have alike.

use crate::JointError;
use crate::agreement::Agreement;
use paravent_job::{Job, Problem, Problems};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use toml::{Table, Value};

/// The name of the agreement in an unpacked invitation.
pub const FEDERATION: &str = "federation.toml";
/// The name of the job.
pub const JOB: &str = "paravent.toml";
/// What stands for the table in the job.
pub const YOUR_TABLE: &str = "your-table.csv";

/// The contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// `federation.toml`.
    pub federation: String,
    /// A job that fits it, but for the table.
    pub job: String,
    /// Other files by their path beside the job.
    pub files: BTreeMap<String, String>,
}

impl Bundle {
    /// Of an agreement and the inviting party's job. Files of hierarchies are taken in; the rest of the job's folder is not.
    pub fn of(agreement: &Agreement, job: &Job) -> Result<Bundle, JointError> {
        let path = job.source.file();
        let text = std::fs::read_to_string(path).map_err(|error| JointError::io(path, error))?;
        let mut document: Table = text.parse().map_err(|_| Problem::new(path, "is not TOML"))?;
        let mut files = BTreeMap::new();
        let attributes = document.get_mut("attributes").and_then(Value::as_array_mut);
        for (index, attribute) in attributes.into_iter().flatten().enumerate() {
            let name = attribute.get("name").and_then(Value::as_str).unwrap_or_default();
            let place = format!("hierarchies/{}", plain(name, index));
            if let Some(hierarchy) = attribute.as_table_mut().and_then(|known| known.get_mut("hierarchy")) {
                take_in(hierarchy, &place, job, &mut files)?;
            }
        }
        // Nothing of the inviting house but what all must have alike.
        document.retain(|key, _| matches!(key, "version" | "input" | "attributes" | "privacy" | "search"));
        let mut input = document.get("input").and_then(Value::as_table).cloned().unwrap_or_default();
        input.retain(|key, _| !matches!(key, "path" | "url" | "table" | "file"));
        input.insert("path".to_owned(), Value::String(YOUR_TABLE.to_owned()));
        document.insert("input".to_owned(), Value::Table(input));
        let output = Table::from_iter([("path".to_owned(), Value::String("release".to_owned()))]);
        document.insert("output".to_owned(), Value::Table(output));
        let job = toml::to_string(&document)
            .map_err(|_| Problem::new(path, "cannot be written down for the others"))?;
        let hint = format!(
            "# Of the invitation to {:?}. Write your table's name for {YOUR_TABLE}.\n",
            agreement.run
        );
        Ok(Bundle { federation: agreement.to_toml(), job: hint + &job, files })
    }

    /// As it is written.
    pub fn to_toml(&self) -> String {
        let mut document = Table::new();
        document.insert("version".to_owned(), Value::Integer(1));
        document.insert("federation".to_owned(), Value::String(self.federation.clone()));
        document.insert("job".to_owned(), Value::String(self.job.clone()));
        let files = self.files.iter().map(|(path, text)| {
            let entry = [("path", path), ("sha256", &digest(text)), ("text", text)];
            let entry = entry.map(|(key, value)| (key.to_owned(), Value::String(value.clone())));
            Value::Table(Table::from_iter(entry))
        });
        document.insert("files".to_owned(), Value::Array(files.collect()));
        let text = toml::to_string(&document).unwrap_or_default();
        format!("# An invitation to a joint release. `paravent party unpack` lays out its files.\n{text}")
    }

    /// Reads an invitation; a file that was damaged on its way is told.
    pub fn load(path: &Path) -> Result<Bundle, JointError> {
        let text = std::fs::read_to_string(path).map_err(|error| JointError::io(path, error))?;
        Ok(Bundle::parse(&text, path)?)
    }

    /// Reads the text of an invitation.
    pub fn parse(text: &str, path: &Path) -> Result<Bundle, Problems> {
        let problem = |message: &str| {
            Problem::new(path, message)
                .advise("Ask for the invitation again: `paravent party invite --bundle` writes it")
        };
        let document: Table = text.parse().map_err(|_| problem("is not an invitation"))?;
        if document.get("version") != Some(&Value::Integer(1)) {
            return Err(problem("is not an invitation that this version knows").into());
        }
        let text = |table: &Table, key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
        let (Some(federation), Some(job)) = (text(&document, "federation"), text(&document, "job")) else {
            return Err(problem("has no federation file, or no job").into());
        };
        let mut files = BTreeMap::new();
        for entry in document.get("files").and_then(Value::as_array).into_iter().flatten() {
            let entry = entry.as_table().cloned().unwrap_or_default();
            let (Some(place), Some(lines), Some(known)) =
                (text(&entry, "path"), text(&entry, "text"), text(&entry, "sha256"))
            else {
                return Err(problem("has a file without path, text or digest").into());
            };
            if !stays_below(&place) {
                return Err(problem("has a file that would be written elsewhere").into());
            }
            if digest(&lines) != known {
                return Err(problem(&format!("{place} was damaged on its way")).into());
            }
            files.insert(place, lines);
        }
        Ok(Bundle { federation, job, files })
    }

    /// Lays the files out in a folder; never over others.
    pub fn unpack(&self, folder: &Path) -> Result<Vec<PathBuf>, JointError> {
        let own = [(FEDERATION, &self.federation), (JOB, &self.job)];
        let files = self.files.iter().map(|(place, text)| (place.as_str(), text));
        let all: Vec<(PathBuf, &String)> =
            own.into_iter().chain(files).map(|(place, text)| (folder.join(place), text)).collect();
        if let Some((path, _)) = all.iter().find(|(path, _)| path.exists()) {
            return Err(JointError::Exists(path.clone()));
        }
        for (path, text) in &all {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|error| JointError::io(parent, error))?;
            }
            std::fs::write(path, text).map_err(|error| JointError::io(path, error))?;
        }
        Ok(all.into_iter().map(|(path, _)| path).collect())
    }
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

/// A path inside the folder, whatever the sender wrote.
fn stays_below(place: &str) -> bool {
    let path = Path::new(place);
    !place.is_empty()
        && !place.contains('\\')
        && path.components().all(|part| matches!(part, Component::Normal(_)))
        && path.file_name().is_some_and(|name| name != FEDERATION && name != JOB)
}

/// A file name of a column's name.
fn plain(name: &str, index: usize) -> String {
    let letters: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    format!("{}-{letters}", index + 1).trim_end_matches('-').to_owned()
}

/// Files that a hierarchy is read from come along, and are named by where they will be.
fn take_in(
    hierarchy: &mut Value,
    place: &str,
    job: &Job,
    files: &mut BTreeMap<String, String>,
) -> Result<(), JointError> {
    match hierarchy {
        Value::String(path) => {
            let source = job.resolve(Path::new(path));
            let lines = std::fs::read_to_string(&source).map_err(|error| JointError::io(&source, error))?;
            *path = format!("{place}.csv");
            files.insert(path.clone(), lines);
            Ok(())
        }
        Value::Table(known) => {
            for (key, value) in known.iter_mut().filter(|(key, _)| matches!(key.as_str(), "file" | "chain")) {
                match (key.as_str(), value) {
                    ("file", file) => take_in(file, place, job, files)?,
                    (_, Value::Array(parts)) => {
                        for (number, part) in parts.iter_mut().enumerate() {
                            take_in(part, &format!("{place}-{}", number + 1), job, files)?;
                        }
                    }
                    _ => {}
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        let files = BTreeMap::from([("hierarchies/1-age.csv".to_owned(), "34,30-39,*\n".to_owned())]);
        Bundle { federation: "run = \"x\"\n".to_owned(), job: "# \"\"\" '''\n".to_owned(), files }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = bundle().to_toml();
        assert_eq!(Bundle::parse(&text, Path::new("invitation.toml")).unwrap(), bundle());
    }

    #[test]
    fn damage_is_told() {
        let text = bundle().to_toml().replace("30-39", "30-49");
        let told = Bundle::parse(&text, Path::new("invitation.toml")).unwrap_err().to_string();
        assert!(told.contains("1-age.csv was damaged"), "{told}");
    }

    #[test]
    fn nothing_is_written_elsewhere() {
        for place in ["../job", "/etc/passwd", "a/../../b", "", "x\\..\\y", "federation.toml"] {
            let mut bundle = bundle();
            bundle.files = BTreeMap::from([(place.to_owned(), String::new())]);
            let told = Bundle::parse(&bundle.to_toml(), Path::new("i.toml")).unwrap_err().to_string();
            assert!(told.contains("written elsewhere"), "{place}: {told}");
        }
        assert!(stays_below("hierarchies/1-age.csv"));
    }

    #[test]
    fn files_are_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(bundle().unpack(folder.path()).unwrap().len(), 3);
        assert!(matches!(bundle().unpack(folder.path()), Err(JointError::Exists(_))));
    }
}
