//! Encryption. Who answers is always checked: a table of people goes to nobody who merely says that he is the server.

use crate::certificates;
use paravent_tables::engine::{Address, EngineError};
use rustls::ClientConnection;
use rustls::pki_types::ServerName;
use std::sync::Arc;

/// Whether a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encryption {
    None,
    Checked,
}

/// As the address says; without a word, connections on this machine are plain and all others are encrypted.
pub(super) fn wanted(address: &Address) -> Result<Encryption, EngineError> {
    match address.parameter("sslmode") {
        Some("verify-full") => Ok(Encryption::Checked),
        Some("disable") => Ok(Encryption::None),
        None if certificates::is_local(address) => Ok(Encryption::None),
        None => Ok(Encryption::Checked),
        Some(_) => Err(EngineError::Tls(
            "sslmode must be verify-full (the default, except on this machine) or disable: the others do not check who answers"
                .to_owned(),
        )),
    }
}

/// A session with the server that the address names.
pub(super) fn session(address: &Address) -> Result<ClientConnection, EngineError> {
    let failed = |what: &str| EngineError::Tls(what.to_owned());
    let config = certificates::checked(address)?;
    let name = ServerName::try_from(address.host.clone())
        .map_err(|_| failed("the host's name cannot be checked"))?;
    ClientConnection::new(Arc::new(config), name).map_err(|_| failed("encryption cannot be set up"))
}
