//! The first bytes of a connection: encrypted or not.
//!
//! Exactly one message is read before TLS begins, so nothing that was sent in the clear is taken for something that was sent encrypted
//! (CVE-2021-23214 of PostgreSQL).

use crate::fault::Fault;
use crate::limits::STRANGER;
use crate::wire::Duplex;
use bytes::BytesMut;
use pgwire::messages::cancel::CancelRequest;
use pgwire::messages::startup::Startup;
use pgwire::messages::{DecodeContext, PgWireFrontendMessage};
use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

const TLS: u32 = 80_877_103;
const KERBEROS: u32 = 80_877_104;
const CANCEL: u32 = 80_877_102;

/// What a connecting client asks for.
pub(crate) enum Wish {
    /// To log in.
    Start(Startup),
    /// To stop the question of another connection.
    Cancel(CancelRequest),
}

/// Why the client cannot be served.
pub(crate) enum Unopened {
    /// To be told.
    Told(Box<dyn Duplex>, Fault),
    /// The client is gone, or talks something else.
    Gone,
}

impl From<io::Error> for Unopened {
    fn from(_: io::Error) -> Unopened {
        Unopened::Gone
    }
}

/// Finds out what a client wants. Where there is a certificate, only encrypted connections are served.
pub(crate) async fn open(
    mut stream: TcpStream,
    tls: Option<&TlsAcceptor>,
) -> Result<(Box<dyn Duplex>, Wish), Unopened> {
    stream.set_nodelay(true)?;
    // An old client may ask for one kind of encryption after the other.
    for _ in 0..3 {
        let message = message(&mut stream).await?;
        match (code(&message), tls) {
            (TLS, Some(acceptor)) => {
                stream.write_all(b"S").await?;
                let mut stream = acceptor.accept(stream).await?;
                let message = self::message(&mut stream).await?;
                return Ok((Box::new(stream), wish(message)?));
            }
            (TLS | KERBEROS, _) => stream.write_all(b"N").await?,
            // Clients before PostgreSQL 17 send this one in the clear, whatever their connection is. It stops waiting, and nothing else.
            (CANCEL, _) => return Ok((Box::new(stream), wish(message)?)),
            (_, Some(_)) => {
                let fault = Fault::fatal("28000", "this server answers over TLS only")
                    .hint("Connect with sslmode=verify-full");
                return Err(Unopened::Told(Box::new(stream), fault));
            }
            (_, None) => return Ok((Box::new(stream), wish(message)?)),
        }
    }
    Err(Unopened::Gone)
}

/// One message with its length and without a type.
async fn message(stream: &mut (impl AsyncReadExt + Unpin)) -> Result<BytesMut, Unopened> {
    let length = stream.read_u32().await? as usize;
    if !(8..=STRANGER).contains(&length) {
        return Err(Unopened::Gone);
    }
    let mut message = BytesMut::zeroed(length);
    message[..4].copy_from_slice(&(length as u32).to_be_bytes());
    stream.read_exact(&mut message[4..]).await?;
    Ok(message)
}

fn code(message: &[u8]) -> u32 {
    u32::from_be_bytes([message[4], message[5], message[6], message[7]])
}

fn wish(mut message: BytesMut) -> Result<Wish, Unopened> {
    let is_cancel = code(&message) == CANCEL;
    // A list of names and values, each with an end: nothing here can be shorter than it says.
    if is_cancel && message.len() < 12 || !is_cancel && message.last() != Some(&0) {
        return Err(Unopened::Gone);
    }
    let mut context = DecodeContext::default();
    (context.awaiting_frontend_ssl, context.awaiting_frontend_startup) = (false, true);
    match PgWireFrontendMessage::decode(&mut message, &context) {
        Ok(Some(PgWireFrontendMessage::Startup(startup))) => Ok(Wish::Start(startup)),
        Ok(Some(PgWireFrontendMessage::CancelRequest(cancel))) => Ok(Wish::Cancel(cancel)),
        _ => Err(Unopened::Gone),
    }
}
