//! A party's certificate and key.

use crate::JointError;
use paravent_federation::transport::{Fingerprint, Identity};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The files of a new key.
#[derive(Debug, Clone)]
pub struct KeyFiles {
    /// The private key, which only its owner can read.
    pub key: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
    /// What the others will insist on.
    pub fingerprint: Fingerprint,
}

/// Writes `NAME.key.pem` and `NAME.cert.pem` into a folder; never over others.
pub fn generate(name: &str, folder: &Path) -> Result<KeyFiles, JointError> {
    let plain = name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if name.is_empty() || !plain || name.starts_with('.') {
        return Err(JointError::Usage("--name: use letters, digits, - and _ only".to_owned()));
    }
    let failed =
        |error: &dyn std::fmt::Display| JointError::File { message: error.to_string(), advice: None };
    let (certificate, key) = Identity::generate().map_err(|error| failed(&error))?;
    let fingerprint = Fingerprint::of_pem(certificate.as_bytes()).map_err(|error| failed(&error))?;
    let key_path = folder.join(format!("{name}.key.pem"));
    let certificate_path = folder.join(format!("{name}.cert.pem"));
    create(&key_path, &key, 0o600)?;
    create(&certificate_path, &certificate, 0o644)?;
    Ok(KeyFiles { key: key_path, certificate: certificate_path, fingerprint })
}

fn create(path: &Path, text: &str, mode: u32) -> Result<(), JointError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => JointError::File {
            message: format!("{}: is there already", path.display()),
            advice: Some("A key is never replaced; use another name or directory".to_owned()),
        },
        _ => JointError::io(path, error),
    })
}
