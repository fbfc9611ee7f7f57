//! Which certificates are trusted, and which connections need none.

use paravent_tables::engine::{Address, EngineError};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where systems keep the certificates that they trust.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The parameter of an address that names certificates to trust.
pub(crate) const PARAMETER: &str = "sslrootcert";

/// What to say when the server's certificate does not hold.
pub(crate) const UNTRUSTED: &str =
    "the server's certificate is not for this host, or nobody trusted has signed it; see sslrootcert=";

/// Whether bytes stay on this machine.
pub(crate) fn is_local(address: &Address) -> bool {
    let number = address.host.parse::<std::net::IpAddr>();
    address.host.starts_with('/')
        || address.host == "localhost"
        || number.is_ok_and(|number| number.is_loopback())
}

/// Connections that check who answers, by the certificates that the address names, else by the system's.
pub(crate) fn checked(address: &Address) -> Result<ClientConfig, EngineError> {
    let failed = |what: &str| EngineError::Tls(what.to_owned());
    let file = file(address.parameter(PARAMETER))?;
    let mut roots = RootCertStore::empty();
    let unreadable = || failed("the trusted certificates (sslrootcert) cannot be read");
    for certificate in CertificateDer::pem_file_iter(&file).map_err(|_| unreadable())? {
        // A system's list may have certificates that nobody can use any more.
        let _ = roots.add(certificate.map_err(|_| unreadable())?);
    }
    if roots.is_empty() {
        return Err(unreadable());
    }
    Ok(ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| failed("encryption cannot be set up"))?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn file(named: Option<&str>) -> Result<PathBuf, EngineError> {
    if let Some(file) = named.filter(|file| *file != "system") {
        return Ok(PathBuf::from(file));
    }
    let known = SYSTEM.iter().map(Path::new).find(|path| path.exists());
    let missing = || {
        let message = format!("this system has no list of trusted certificates; name one with {PARAMETER}=");
        EngineError::Tls(message)
    };
    known.map(Path::to_owned).ok_or_else(missing)
}
