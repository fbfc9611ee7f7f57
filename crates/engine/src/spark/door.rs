//! What the address and the environment say about the connection.

use crate::certificates;
use crate::secret_file::{self, Advice};
use paravent_tables::engine::{Address, AddressError, EngineError};
use rustls::pki_types::ServerName;
use std::path::PathBuf;
use std::sync::Arc;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue, MetadataMap};
use zeroize::Zeroizing;

/// Where Spark Connect listens unless told otherwise.
const PORT: u16 = 15002;
/// Where Spark's own clients look for a token, too.
const TOKEN: &str = "SPARK_CONNECT_AUTHENTICATE_TOKEN";
const TOKEN_FILE: &str = "SPARK_CONNECT_TOKEN_FILE";
const ADVICE: Advice = Advice {
    unreadable: "the file of the token (SPARK_CONNECT_TOKEN_FILE) cannot be read, or is not UTF-8",
    open: "the file of the token can be read by others, so it is not used; run chmod 0600 on it",
};
/// Parameters that Spark Connect gives a meaning. All others are sent as headers.
const NO_HEADERS: [&str; 5] =
    ["use_ssl", "user_agent", "user_name", "grpc_max_message_size", certificates::PARAMETER];

/// Where to, how, and as whom.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) host: String,
    pub(super) port: u16,
    /// Who is expected to answer, where the connection is encrypted.
    pub(super) encryption: Option<(Arc<rustls::ClientConfig>, ServerName<'static>)>,
    pub(super) user: String,
    /// What every request carries. The token is one of these.
    pub(super) headers: MetadataMap,
}

impl Door {
    pub(super) fn of(address: &Address) -> Result<Door, EngineError> {
        if address.parameter("session_id").is_some() {
            return Err(EngineError::Credentials(
                "leave session_id out of the address: a session of its own is used",
            ));
        }
        let encryption = match is_encrypted(address)? {
            true => Some(encryption(address)?),
            false => None,
        };
        let mut headers = MetadataMap::new();
        for (key, value) in &address.parameters {
            if !NO_HEADERS.contains(&key.as_str()) {
                let unusable = || EngineError::Address(AddressError::Parameters);
                let key = AsciiMetadataKey::from_bytes(key.to_ascii_lowercase().as_bytes());
                let value = AsciiMetadataValue::try_from(value.as_str());
                headers.insert(key.map_err(|_| unusable())?, value.map_err(|_| unusable())?);
            }
        }
        if let Some(token) = token()? {
            if encryption.is_none() && !certificates::is_local(address) {
                return Err(EngineError::Credentials(
                    "a token goes over encrypted connections only; leave use_ssl=false out of the address",
                ));
            }
            let bearer = Zeroizing::new(format!("Bearer {}", token.as_str()));
            let mut value = AsciiMetadataValue::try_from(bearer.as_str())
                .map_err(|_| EngineError::Credentials("the token has a character that cannot be sent"))?;
            value.set_sensitive(true);
            headers.insert("authorization", value);
        }
        let from_environment = || std::env::var("USER").ok().filter(|user| !user.is_empty());
        let user = address.user.clone().or_else(from_environment).unwrap_or_else(|| "paravent".to_owned());
        let port = address.port.unwrap_or(PORT);
        Ok(Door { host: address.host.clone(), port, encryption, user, headers })
    }

    /// Host and port as a URI has them.
    pub(super) fn authority(&self) -> String {
        let Door { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

/// As the address says; without a word, connections on this machine are plain and all others are encrypted.
fn is_encrypted(address: &Address) -> Result<bool, EngineError> {
    match address.parameter("use_ssl").map(str::to_ascii_lowercase).as_deref() {
        Some("true") => Ok(true),
        Some("false") => Ok(false),
        None => Ok(!certificates::is_local(address)),
        Some(_) => Err(EngineError::Tls(
            "use_ssl must be true (the default, except on this machine) or false".to_owned(),
        )),
    }
}

fn encryption(address: &Address) -> Result<(Arc<rustls::ClientConfig>, ServerName<'static>), EngineError> {
    let mut config = certificates::checked(address)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from(address.host.clone())
        .map_err(|_| EngineError::Tls("the host's name cannot be checked".to_owned()))?;
    Ok((Arc::new(config), name))
}

/// From the environment or a file, never from a job or a command line.
fn token() -> Result<Option<Zeroizing<String>>, EngineError> {
    if let Some(token) = std::env::var(TOKEN).ok().filter(|token| !token.is_empty()) {
        return Ok(Some(Zeroizing::new(token)));
    }
    let Some(file) = std::env::var_os(TOKEN_FILE).filter(|file| !file.is_empty()) else { return Ok(None) };
    let text = secret_file::read(&PathBuf::from(file), &ADVICE)?;
    let token = Zeroizing::new(text.trim().to_owned());
    match token.is_empty() {
        true => Err(EngineError::Credentials("the file of the token is empty")),
        false => Ok(Some(token)),
    }
}
