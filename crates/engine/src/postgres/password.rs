//! Who asks, and the password: from the environment or a pass file, never from a job or a command line.

use crate::secret_file::{self, Advice};
use paravent_tables::engine::{Address, EngineError};
use std::path::PathBuf;

const ADVICE: Advice = Advice {
    unreadable: "the pass file (PGPASSFILE, else ~/.pgpass) cannot be read, or is not UTF-8",
    open: "the pass file can be read by others, so it is not used; run chmod 0600 on it",
};

/// Role and password. The password is not shown.
pub(super) struct Credentials {
    pub(super) user: String,
    pub(super) password: Option<String>,
}

impl Credentials {
    /// As the address, the environment and the pass file say, in this order.
    pub(super) fn of(address: &Address) -> Result<Credentials, EngineError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let user = address.user.clone().or_else(|| variable("PGUSER")).or_else(|| variable("USER"));
        let user = user.ok_or(EngineError::Credentials(
            "nobody says which role to use; write postgres://role@host/… or set PGUSER",
        ))?;
        let password = match variable("PGPASSWORD") {
            Some(password) => Some(password),
            None => from_file(address, &user)?,
        };
        Ok(Credentials { user, password })
    }
}

/// `PGPASSFILE`, else `~/.pgpass`.
fn from_file(address: &Address, user: &str) -> Result<Option<String>, EngineError> {
    let named = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    let usual = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".pgpass"));
    let Some(path) = named.clone().or_else(usual) else { return Ok(None) };
    if named.is_none() && !path.exists() {
        return Ok(None);
    }
    let text = secret_file::read(&path, &ADVICE)?;
    let port = address.port.unwrap_or(super::login::PORT).to_string();
    let host = if address.host.starts_with('/') { "localhost" } else { &address.host };
    let wanted = [host, &port, &address.database, user];
    Ok(text.lines().find_map(|line| matching(line, &wanted)))
}

/// The password of a line `host:port:database:role:password` where `*` stands for anything and `\` escapes.
fn matching(line: &str, wanted: &[&str; 4]) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        let last = fields.last_mut()?;
        match letter {
            '\\' => last.extend(letters.next()),
            ':' => fields.push(String::new()),
            other => last.push(other),
        }
    }
    let [host, port, database, user, password] = fields.as_slice() else { return None };
    let fits = |(field, wanted): (&String, &&str)| field == "*" || field == wanted;
    [host, port, database, user].into_iter().zip(wanted).all(fits).then(|| password.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_pass_file_are_read() {
        let wanted = ["db", "5432", "registry", "ana"];
        for (line, expected) in [
            ("db:5432:registry:ana:se\\:cret", Some("se:cret")),
            ("*:*:*:ana:x", Some("x")),
            ("db:5432:registry:bob:x", None),
            ("#db:5432:registry:ana:x", None),
            ("db:5432:registry:ana", None),
            ("db:5432:registry:ana:x:y", None),
        ] {
            assert_eq!(matching(line, &wanted).as_deref(), expected, "{line}");
        }
    }
}
