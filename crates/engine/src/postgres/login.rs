//! Connecting and logging in.

use super::failure;
use super::password::Credentials;
use super::tls::{self, Encryption};
use super::wire::{Stream, Wire};
use fallible_iterator::FallibleIterator;
use paravent_tables::engine::{Address, EngineError};
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::{backend::Message, frontend};
use rustls::StreamOwned;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Where PostgreSQL listens unless told otherwise.
pub(super) const PORT: u16 = 5432;
/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(15);
/// What the session asks for itself: the plan of a cursor is one for all rows, locks are not waited for for ever, and the search may take its time.
/// Settings in the address come after these and win.
const SETTINGS: &str = "-c cursor_tuple_fraction=1 -c lock_timeout=60s -c idle_in_transaction_session_timeout=0 -c client_min_messages=error";
/// What every statement is written for, so it comes last: a backslash is a letter like any other, it does not keep a quote open, and numbers become
/// text with all their digits. Roles and databases may have it otherwise.
const PINNED: &str = "-c standard_conforming_strings=on -c extra_float_digits=1";

/// A connection that is ready for statements.
pub(super) fn connect(address: &Address) -> Result<Wire, EngineError> {
    let credentials = Credentials::of(address)?;
    let encryption = tls::wanted(address)?;
    let stream = match address.host.starts_with('/') {
        true => Stream::Unix(socket(address)?),
        false => encrypted(tcp(address)?, address, encryption)?,
    };
    let private = encryption == Encryption::Checked || crate::certificates::is_local(address);
    let mut wire = Wire::new(stream);
    log_in(&mut wire, address, &credentials, private)?;
    wire.stay_attentive()?;
    Ok(wire)
}

fn socket(address: &Address) -> Result<UnixStream, EngineError> {
    let path = format!("{}/.s.PGSQL.{}", address.host.trim_end_matches('/'), address.port.unwrap_or(PORT));
    UnixStream::connect(path).map_err(|error| EngineError::Unreachable(error.kind().to_string()))
}

fn tcp(address: &Address) -> Result<TcpStream, EngineError> {
    let unreachable = |error: std::io::Error| EngineError::Unreachable(error.kind().to_string());
    let places =
        (address.host.as_str(), address.port.unwrap_or(PORT)).to_socket_addrs().map_err(unreachable)?;
    let mut last = EngineError::Unreachable("the name is not known".to_owned());
    for place in places {
        match TcpStream::connect_timeout(&place, PATIENCE) {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(unreachable)?;
                return Ok(stream);
            }
            Err(error) => last = unreachable(error),
        }
    }
    Err(last)
}

fn encrypted(
    mut stream: TcpStream,
    address: &Address,
    encryption: Encryption,
) -> Result<Stream, EngineError> {
    if encryption == Encryption::None {
        return Ok(Stream::Tcp(stream));
    }
    let mut request = bytes::BytesMut::new();
    frontend::ssl_request(&mut request);
    let mut answer = [0];
    let asked = stream
        .set_read_timeout(Some(PATIENCE))
        .and_then(|()| stream.write_all(&request))
        .and_then(|()| stream.read_exact(&mut answer));
    asked.map_err(|_| EngineError::Lost)?;
    if answer != *b"S" {
        return Err(EngineError::Tls(
            "the server does not encrypt; only on this machine, or in a network that you trust with these people, add sslmode=disable"
                .to_owned(),
        ));
    }
    let mut session = tls::session(address)?;
    while session.is_handshaking() {
        session.complete_io(&mut stream).map_err(|error| {
            let why = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(rustls::Error::InvalidCertificate(_)) => crate::certificates::UNTRUSTED,
                _ => "the server and this program do not agree on an encryption",
            };
            EngineError::Tls(why.to_owned())
        })?;
    }
    stream.set_read_timeout(None).map_err(|_| EngineError::Lost)?;
    Ok(Stream::Tls(Box::new(StreamOwned::new(session, stream))))
}

fn log_in(
    wire: &mut Wire,
    address: &Address,
    credentials: &Credentials,
    private: bool,
) -> Result<(), EngineError> {
    let options = options(address);
    let database = if address.database.is_empty() { &credentials.user } else { &address.database };
    let parameters = [
        ("user", credentials.user.as_str()),
        ("database", database),
        ("application_name", "paravent"),
        ("client_encoding", "UTF8"),
        ("options", &options),
    ];
    let unsendable =
        |_| EngineError::Credentials("the role, database or password has a character that cannot be sent");
    frontend::startup_message(parameters, &mut wire.outgoing).map_err(unsendable)?;
    wire.send()?;
    let password = || {
        let missing = "the server wants a password; set PGPASSWORD or write a pass file";
        credentials.password.as_deref().ok_or(EngineError::Credentials(missing))
    };
    let mut scram: Option<sasl::ScramSha256> = None;
    loop {
        match wire.next()? {
            Message::AuthenticationOk => {}
            Message::BackendKeyData(body) => wire.cancel_key = Some((body.process_id(), body.secret_key())),
            Message::ReadyForQuery(_) => return Ok(()),
            Message::ErrorResponse(body) => return Err(failure::refusal(failure::code(&body))),
            Message::AuthenticationSasl(body) => {
                let mut mechanisms = body.mechanisms();
                let mut known = false;
                while let Ok(Some(mechanism)) = mechanisms.next() {
                    known |= mechanism == sasl::SCRAM_SHA_256;
                }
                if !known {
                    return Err(unknown_way());
                }
                let exchange =
                    sasl::ScramSha256::new(password()?.as_bytes(), sasl::ChannelBinding::unsupported());
                frontend::sasl_initial_response(sasl::SCRAM_SHA_256, exchange.message(), &mut wire.outgoing)
                    .map_err(unsendable)?;
                wire.send()?;
                scram = Some(exchange);
            }
            Message::AuthenticationSaslContinue(body) => {
                let exchange = scram.as_mut().ok_or_else(unknown_way)?;
                exchange.update(body.data()).map_err(|_| unknown_way())?;
                frontend::sasl_response(exchange.message(), &mut wire.outgoing).map_err(unsendable)?;
                wire.send()?;
            }
            Message::AuthenticationSaslFinal(body) => {
                let exchange = scram.as_mut().ok_or_else(unknown_way)?;
                // The server proves here that it knows the password, too.
                exchange.finish(body.data()).map_err(|_| unknown_way())?;
            }
            Message::AuthenticationMd5Password(body) if private => {
                let hash = md5_hash(credentials.user.as_bytes(), password()?.as_bytes(), body.salt());
                frontend::password_message(hash.as_bytes(), &mut wire.outgoing).map_err(unsendable)?;
                wire.send()?;
            }
            Message::AuthenticationCleartextPassword if private => {
                frontend::password_message(password()?.as_bytes(), &mut wire.outgoing).map_err(unsendable)?;
                wire.send()?;
            }
            _ => return Err(unknown_way()),
        }
    }
}

/// The settings of the session: ours, those of the address, and what is not open to choice.
fn options(address: &Address) -> String {
    match address.parameter("options") {
        Some(more) => format!("{SETTINGS} {more} {PINNED}"),
        None => format!("{SETTINGS} {PINNED}"),
    }
}

fn unknown_way() -> EngineError {
    EngineError::Credentials(
        "the server wants another way of logging in; SCRAM is supported, and plain or MD5 passwords over an encrypted connection",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_address_win_over_ours_but_not_over_the_meaning_of_quotes() {
        let told = |more: &str| options(&Address::parse(&format!("postgres://me@h/d{more}#t")).unwrap());
        let of_user = told("?options=-c%20standard_conforming_strings%3Doff%20-c%20lock_timeout%3D5s");
        let place = |setting: &str| of_user.rfind(setting).unwrap();
        assert!(
            place("strings=on") > place("strings=off")
                && place("lock_timeout=5s") > place("lock_timeout=60s")
        );
        assert!(told("").ends_with(PINNED));
    }
}
