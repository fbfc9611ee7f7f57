//! Who made the release: Ed25519 signatures of manifests.
//!
//! A key is a file of one line, `paravent-secret-key-1 <64 hexadecimal digits>`, that only its owner can read; its public half is a file of
//! the same form beside it. What is signed is `paravent manifest 1`, a line feed, and the bytes of `manifest.json` as they are. The
//! manifest holds the digests of all other files of the release.

use crate::files::put;
use ed25519_dalek::Signer;
use paravent_job::Job;
use paravent_tables::write::{Staging, WriteError};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Name of a key that is used without being asked for, in the job's folder.
pub const KEY_NAME: &str = "paravent.key";
const SECRET_WORD: &str = "paravent-secret-key-1";
const PUBLIC_WORD: &str = "paravent-public-key-1";
const SIGNATURE_WORD: &str = "paravent-signature-1";
const CONTEXT: &[u8] = b"paravent manifest 1\n";
const ANSWER_CONTEXT: &[u8] = b"paravent answer 1\n";

/// Why a key cannot be used or made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It is not a secret key of ours.
    #[error("{}: not a secret key; `paravent keygen` makes one", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// Others can read it.
    #[error("{}: others can read this secret key; make it yours alone (chmod 600), or a new one if they have", path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The system has no randomness to give.
    #[error("no randomness for a key: {0}")]
    Random(String),
}

/// A secret key in memory; wiped when it is dropped, and never shown.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SigningKey of {}", self.public())
    }
}

impl SigningKey {
    /// Reads a key that only its owner can read.
    ///
    /// # Errors
    /// If it cannot be read, is no key, or others can read it.
    pub fn load(path: &Path) -> Result<SigningKey, KeyError> {
        let at = |source| KeyError::Io { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(at)?;
        if metadata.is_file() && metadata.mode() & 0o077 != 0 {
            return Err(KeyError::Open { path: path.to_owned() });
        }
        let text = Zeroizing::new(fs::read(path).map_err(at)?);
        let secret = secret(&text).ok_or_else(|| KeyError::NoKey { path: path.to_owned() })?;
        Ok(SigningKey(ed25519_dalek::SigningKey::from_bytes(&secret)))
    }

    /// Its public half, 64 hexadecimal digits.
    pub fn public(&self) -> String {
        hex::encode(self.0.verifying_key().as_bytes())
    }

    /// The content of `manifest.sig` for a manifest.
    pub fn sign(&self, manifest: &[u8]) -> String {
        self.signed(CONTEXT, manifest)
    }

    /// The content of `answer.sig` for the annotation of an answer under a policy.
    pub fn sign_answer(&self, answer: &[u8]) -> String {
        self.signed(ANSWER_CONTEXT, answer)
    }

    fn signed(&self, context: &[u8], bytes: &[u8]) -> String {
        let signature = self.0.sign(&[context, bytes].concat());
        format!("{SIGNATURE_WORD} {} {}\n", self.public(), hex::encode(signature.to_bytes()))
    }
}

fn secret(text: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let digits = text.strip_prefix(SECRET_WORD.as_bytes())?.trim_ascii();
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    if digits.len() != 64 {
        return None;
    }
    let mut secret = Zeroizing::new([0; 32]);
    for (byte, pair) in secret.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = 16 * value(pair[0])? + value(pair[1])?;
    }
    Some(secret)
}

/// The key that a job's release is signed with: the one that was asked for, or the one that lies beside the job. None is fine.
///
/// # Errors
/// If the key cannot be used.
pub fn key_for(asked: Option<&Path>, job_folder: &Path) -> Result<Option<SigningKey>, KeyError> {
    let beside = job_folder.join(KEY_NAME);
    match asked {
        Some(path) => SigningKey::load(path).map(Some),
        None if beside.exists() => SigningKey::load(&beside).map(Some),
        None => Ok(None),
    }
}

/// The same for a command that may have no job: there only a key that was asked for is used.
///
/// # Errors
/// If the key cannot be used.
pub fn key_of(asked: Option<&Path>, job: Option<&Job>) -> Result<Option<SigningKey>, KeyError> {
    match job {
        Some(job) => key_for(asked, job.source.folder()),
        None => asked.map(SigningKey::load).transpose(),
    }
}

/// `manifest.sig`, where there is a key.
pub(crate) fn put_signature(
    staging: &Staging,
    key: Option<&SigningKey>,
    manifest: &[u8],
) -> Result<(), WriteError> {
    match key {
        Some(key) => put(staging, "manifest.sig", key.sign(manifest).as_bytes()),
        None => Ok(()),
    }
}

/// A new key pair on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPair {
    /// The secret key, readable by its owner alone.
    pub secret: PathBuf,
    /// The public key, to be given to those who verify.
    pub public: PathBuf,
    /// The public key itself, 64 hexadecimal digits.
    pub key: String,
}

/// Makes a key pair: `file`, and `file.pub` beside it. Nothing is overwritten.
///
/// # Errors
/// If a file is there already or cannot be written.
pub fn generate(file: &Path) -> Result<KeyPair, KeyError> {
    let mut name = file.as_os_str().to_owned();
    name.push(".pub");
    let public = PathBuf::from(name);
    let mut secret = Zeroizing::new([0; 32]);
    getrandom::fill(secret.as_mut_slice()).map_err(|error| KeyError::Random(error.to_string()))?;
    let key = SigningKey(ed25519_dalek::SigningKey::from_bytes(&secret)).public();
    let text = Zeroizing::new(format!("{SECRET_WORD} {}\n", *Zeroizing::new(hex::encode(secret.as_slice()))));
    write_new(&public, 0o644, format!("{PUBLIC_WORD} {key}\n").as_bytes())?;
    if let Err(error) = write_new(file, 0o600, text.as_bytes()) {
        let _ = fs::remove_file(&public);
        return Err(error);
    }
    Ok(KeyPair { secret: file.to_owned(), public, key })
}

fn write_new(path: &Path, mode: u32, bytes: &[u8]) -> Result<(), KeyError> {
    let at = |source| KeyError::Io { path: path.to_owned(), source };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path).map_err(at)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|source| {
        let _ = fs::remove_file(path);
        at(source)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_pair_is_made_once_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("k.key");
        let pair = generate(&file).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        let key = SigningKey::load(&file).unwrap();
        assert_eq!(key.public(), pair.key);
        assert!(
            !format!("{key:?}")
                .contains(fs::read_to_string(&file).unwrap().split(' ').nth(1).unwrap().trim())
        );
        assert!(fs::read_to_string(&pair.public).unwrap().contains(&pair.key));
        assert!(matches!(generate(&file), Err(KeyError::Io { .. })));
        assert_eq!(SigningKey::load(&file).unwrap().public(), pair.key, "nothing was overwritten");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(SigningKey::load(&file), Err(KeyError::Open { .. })));
        assert!(matches!(
            SigningKey::load(&pair.public),
            Err(KeyError::Open { .. } | KeyError::NoKey { .. })
        ));
    }

    #[test]
    fn the_same_manifest_gets_the_same_signature() {
        let folder = tempfile::tempdir().unwrap();
        generate(&folder.path().join(KEY_NAME)).unwrap();
        let key = key_for(None, folder.path()).unwrap().unwrap();
        assert_eq!(key.sign(b"{}"), key.sign(b"{}"));
        assert_ne!(key.sign(b"{}"), key.sign(b"{ }"));
        assert!(key_for(None, &folder.path().join("elsewhere")).unwrap().is_none());
    }
}
