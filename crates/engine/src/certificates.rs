//! Which certificates are trusted, and which connections need none.

use paravent_tables::engine::{Address, EngineError};
use std::path::{Path, PathBuf};

/// Where systems keep the certificates that they trust.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Whether bytes stay on this machine.
pub(crate) fn is_local(address: &Address) -> bool {
    let number = address.host.parse::<std::net::IpAddr>();
    address.host.starts_with('/')
        || address.host == "localhost"
        || number.is_ok_and(|number| number.is_loopback())
}

/// The file of trusted certificates: the one that the address names with this parameter, else the system's.
pub(crate) fn file(named: Option<&str>, parameter: &str) -> Result<PathBuf, EngineError> {
    if let Some(file) = named.filter(|file| *file != "system") {
        return Ok(PathBuf::from(file));
    }
    let known = SYSTEM.iter().map(Path::new).find(|path| path.exists());
    let missing = || {
        let message = format!("this system has no list of trusted certificates; name one with {parameter}");
        EngineError::Tls(message)
    };
    known.map(Path::to_owned).ok_or_else(missing)
}
