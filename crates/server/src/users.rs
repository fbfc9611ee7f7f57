//! The file of users beside the policy: names, the recipients they ask as, and what checks their passwords.
//!
//! Readable by its owner alone. No password is in it, nor anything that could be sent instead of one.

use crate::scram::{ITERATIONS, Verifier};
use paravent_policy::Policy;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Fewest characters of a password.
const SHORTEST: usize = 12;

/// Why the file of users cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UsersError {
    /// The operating system says so.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others can read or write it.
    #[error("{}: others than its owner can read or write it. Set its mode: chmod 600", .0.display())]
    Open(PathBuf),
    /// It is not as it was written.
    #[error("{}: {what}", path.display())]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A name that is taken, or that nobody has.
    #[error("{0}")]
    Name(String),
    /// A password that is too easy.
    #[error("a password has at least {SHORTEST} characters, and no control characters")]
    Password,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: u32,
    #[serde(default)]
    users: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    role: String,
    verifier: String,
}

/// A user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Name to log in with.
    pub name: String,
    /// The recipient of the policy.
    pub role: String,
}

/// A user with what checks the password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Who.
    pub user: User,
    pub(crate) verifier: Verifier,
}

/// The file of users of a policy.
#[derive(Clone, Debug)]
pub struct Users {
    path: PathBuf,
}

impl Users {
    /// Beside the policy: `policy.users.toml`.
    pub fn of(policy: &Path) -> Users {
        Users { path: policy.with_extension("users.toml") }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a user. The password is not kept.
    ///
    /// # Errors
    /// If the policy has no such recipient, the name is taken or none, the password is too easy, or the file cannot be changed.
    pub fn add(&self, policy: &Policy, name: &str, role: &str, password: &str) -> Result<(), UsersError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || name.len() > 63 || !name.chars().all(is_plain) {
            let message = "a name has 1 to 63 letters, digits, dots, _ and -";
            return Err(UsersError::Name(message.to_owned()));
        }
        let roles: Vec<&str> = policy.recipients.iter().map(|recipient| recipient.role.as_str()).collect();
        if !roles.contains(&role) {
            let message =
                format!("the policy knows no recipient of that name. Recipients: {}", roles.join(", "));
            return Err(UsersError::Name(message));
        }
        if password.chars().count() < SHORTEST || password.chars().any(char::is_control) {
            return Err(UsersError::Password);
        }
        let mut salt = [0; 16];
        getrandom::fill(&mut salt)
            .map_err(|_| self.failed(io::Error::other("the system gives no random numbers")))?;
        let verifier = Verifier::of(password, &salt, ITERATIONS).to_string();
        self.change(|users| {
            if users.iter().any(|known| known.name == name) {
                return Err(UsersError::Name(format!("there is a user {name}; remove it first")));
            }
            users.push(Entry { name: name.to_owned(), role: role.to_owned(), verifier });
            users.sort_by(|one, other| one.name.cmp(&other.name));
            Ok(())
        })
    }

    /// Removes a user.
    ///
    /// # Errors
    /// If there is none of that name, or the file cannot be changed.
    pub fn remove(&self, name: &str) -> Result<(), UsersError> {
        self.change(|users| {
            let before = users.len();
            users.retain(|known| known.name != name);
            match users.len() < before {
                true => Ok(()),
                false => Err(UsersError::Name(format!("there is no user {name}"))),
            }
        })
    }

    /// All users, by name. None where there is no file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn list(&self) -> Result<Vec<User>, UsersError> {
        let entries = self.read()?.users;
        Ok(entries.into_iter().map(|entry| User { name: entry.name, role: entry.role }).collect())
    }

    /// A user by name.
    ///
    /// # Errors
    /// If the file cannot be read: then nobody gets in.
    pub fn find(&self, name: &str) -> Result<Option<Found>, UsersError> {
        let Some(entry) = self.read()?.users.into_iter().find(|entry| entry.name == name) else {
            return Ok(None);
        };
        let verifier =
            entry.verifier.parse().map_err(|()| self.wrong("a verifier is not as it was written"))?;
        Ok(Some(Found { user: User { name: entry.name, role: entry.role }, verifier }))
    }

    fn read(&self) -> Result<Content, UsersError> {
        let text = match fs::metadata(&self.path) {
            Ok(about) if about.permissions().mode() & 0o077 != 0 => {
                return Err(UsersError::Open(self.path.clone()));
            }
            Ok(_) => fs::read_to_string(&self.path).map_err(|error| self.failed(error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Content { version: 1, users: Vec::new() });
            }
            Err(error) => return Err(self.failed(error)),
        };
        let content: Content = toml::from_str(&text).map_err(|_| self.wrong("is no file of users"))?;
        match content.version {
            1 => Ok(content),
            _ => Err(self.wrong("is of another version of this program")),
        }
    }

    /// One change at a time; at every moment there is the old file or the new one.
    fn change(
        &self,
        change: impl FnOnce(&mut Vec<Entry>) -> Result<(), UsersError>,
    ) -> Result<(), UsersError> {
        let folder = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let failed = |error: io::Error| self.failed(error);
        let lock = File::open(folder).map_err(failed)?;
        rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|error| failed(error.into()))?;
        let mut content = self.read()?;
        change(&mut content.users)?;
        let text = toml::to_string(&content).map_err(|_| self.wrong("cannot be written"))?;
        // Temporary files are readable by their owner alone, and stay so.
        let mut file = tempfile::Builder::new().prefix(".users-").tempfile_in(folder).map_err(failed)?;
        let head =
            "# Who may log in to `paravent serve`. Changed by `paravent user`; no password is in it.\n";
        file.write_all(head.as_bytes()).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        lock.sync_all().map_err(failed)
    }

    fn failed(&self, source: io::Error) -> UsersError {
        UsersError::File { path: self.path.clone(), source }
    }

    fn wrong(&self, what: &str) -> UsersError {
        UsersError::Content { path: self.path.clone(), what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop where something is missing")]
    use super::*;

    fn policy(folder: &Path) -> Policy {
        let text = "version = 1\nname = \"w\"\ntables = [{ name = \"t\", job = \"t.toml\", person = \"id\" }]\nrecipients = [{ role = \"research\", purposes = [\"statistics\"] }]\n";
        Policy::parse(text, &folder.join("policy.toml")).unwrap()
    }

    #[test]
    fn users_are_kept_without_their_passwords_in_a_file_of_the_owner() {
        let folder = tempfile::tempdir().unwrap();
        let (policy, users) = (policy(folder.path()), Users::of(&folder.path().join("policy.toml")));
        assert!(users.list().unwrap().is_empty());
        users.add(&policy, "ada", "research", "a password of ada").unwrap();
        users.add(&policy, "bob", "research", "a password of ada").unwrap();
        let text = fs::read_to_string(users.path()).unwrap();
        assert!(!text.contains("password of"), "{text}");
        assert_eq!(fs::metadata(users.path()).unwrap().permissions().mode() & 0o777, 0o600);
        let (ada, bob) = (users.find("ada").unwrap().unwrap(), users.find("bob").unwrap().unwrap());
        assert_ne!(ada.verifier, bob.verifier, "salted");
        assert!(users.find("eve").unwrap().is_none());
        users.remove("ada").unwrap();
        assert!(users.remove("ada").is_err() && users.find("ada").unwrap().is_none());
    }

    #[test]
    fn easy_passwords_strange_names_and_unknown_recipients_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (policy, users) = (policy(folder.path()), Users::of(&folder.path().join("policy.toml")));
        for (name, role, password) in [
            ("ada", "research", "short"),
            ("ada", "nobody", "a password of ada"),
            ("", "research", "a password of ada"),
            ("a\nb", "research", "a password of ada"),
        ] {
            assert!(users.add(&policy, name, role, password).is_err(), "{name:?} {role}");
        }
        assert!(!users.path().exists());
        users.add(&policy, "ada", "research", "a password of ada").unwrap();
        assert!(users.add(&policy, "ada", "research", "a password of eve").is_err(), "taken");
    }

    #[test]
    fn a_file_that_others_can_read_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let (policy, users) = (policy(folder.path()), Users::of(&folder.path().join("policy.toml")));
        users.add(&policy, "ada", "research", "a password of ada").unwrap();
        fs::set_permissions(users.path(), fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(users.find("ada"), Err(UsersError::Open(_))));
    }
}
