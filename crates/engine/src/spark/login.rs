//! The address: who asks, with which token, over which connection.

use super::wire::Wire;
use crate::certificates;
use paravent_tables::engine::{Address, EngineError};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;
use tonic::metadata::{Ascii, MetadataKey, MetadataValue};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

/// Where Spark's own clients look for a token.
const TOKEN: &str = "SPARK_CONNECT_AUTHENTICATE_TOKEN";
/// The usual port.
const PORT: u16 = 15002;

/// Whose session it is, and the version of the table that is looked at, where the address names one.
pub(super) struct Login {
    pub(super) wire: Wire,
    pub(super) user: String,
    pub(super) version: Option<u64>,
}

/// Connects as the address says.
pub(super) fn connect(address: &Address) -> Result<Login, EngineError> {
    let is_encrypted = match address.parameter("use_ssl") {
        Some("true") => true,
        Some("false") => false,
        None => !certificates::is_local(address),
        Some(_) => return Err(EngineError::Tls("use_ssl must be true or false".to_owned())),
    };
    let token = token(address)?;
    if token.is_some() && !is_encrypted && !certificates::is_local(address) {
        return Err(EngineError::Credentials("a token is not sent without encryption; leave out use_ssl=false"));
    }
    let host = if address.host.contains(':') { format!("[{}]", address.host) } else { address.host.clone() };
    let scheme = if is_encrypted { "https" } else { "http" };
    let place = format!("{scheme}://{host}:{}", address.port.unwrap_or(PORT));
    let mut endpoint = Endpoint::from_shared(place)
        .map_err(|_| EngineError::Unreachable("the host's name cannot be used".to_owned()))?
        .connect_timeout(Duration::from_secs(20))
        .http2_keep_alive_interval(Duration::from_secs(30))
        .keep_alive_while_idle(true);
    if is_encrypted {
        let file = certificates::file(address.parameter("ssl_root_cert"), "ssl_root_cert=")?;
        let pem = std::fs::read(file)
            .map_err(|_| EngineError::Tls("the trusted certificates (ssl_root_cert) cannot be read".to_owned()))?;
        let config = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)).domain_name(&address.host);
        endpoint = endpoint
            .tls_config(config)
            .map_err(|_| EngineError::Tls("the trusted certificates (ssl_root_cert) cannot be used".to_owned()))?;
    }
    let version = match address.parameter("version").map(str::parse) {
        None => None,
        Some(Ok(version)) => Some(version),
        Some(Err(_)) => return Err(EngineError::Credentials("version must be a whole number")),
    };
    let user = address.parameter("user_id").map(str::to_owned).or_else(|| address.user.clone());
    let user = user.or_else(|| std::env::var("USER").ok()).unwrap_or_default();
    let mut headers = headers(address)?;
    if let Some(token) = token {
        let mut bearer: MetadataValue<Ascii> = format!("Bearer {token}")
            .parse()
            .map_err(|_| EngineError::Credentials("the token has characters that cannot be sent"))?;
        bearer.set_sensitive(true);
        headers.push((MetadataKey::from_static("authorization"), bearer));
    }
    Ok(Login { wire: Wire::connect(endpoint, headers)?, user, version })
}

/// From the file that the address names, else from the environment.
fn token(address: &Address) -> Result<Option<String>, EngineError> {
    let Some(file) = address.parameter("token_file") else {
        return Ok(std::env::var(TOKEN).ok().filter(|token| !token.is_empty()));
    };
    let unreadable = |_| EngineError::Credentials("the file with the token (token_file) cannot be read");
    let mode = std::fs::metadata(file).map_err(unreadable)?.mode();
    if mode & 0o077 != 0 {
        return Err(EngineError::Credentials("the file with the token must be readable by its owner only (0600)"));
    }
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    Ok(Some(text.trim().to_owned()))
}

/// What else stands in the address goes along with every request, as Spark's own clients do: some services want the name of a cluster.
fn headers(address: &Address) -> Result<Vec<(MetadataKey<Ascii>, MetadataValue<Ascii>)>, EngineError> {
    const OWN: [&str; 6] = ["use_ssl", "user_id", "user_agent", "token_file", "ssl_root_cert", "version"];
    let mut headers = Vec::new();
    for (name, value) in address.parameters.iter().filter(|(name, _)| !OWN.contains(&name.as_str())) {
        let name = name.to_ascii_lowercase().parse();
        let (Ok(name), Ok(value)) = (name, value.parse()) else {
            return Err(EngineError::Credentials("a parameter of the address cannot be sent"));
        };
        headers.push((name, value));
    }
    Ok(headers)
}
