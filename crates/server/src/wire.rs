//! Messages on a stream: read one at a time, within a limit, and written together.
//!
//! pgwire's decoders take their lengths on trust and panic on a message that is shorter than it says, so each message is cut out and its lengths
//! are looked at before it is decoded.

use crate::fault::Fault;
use bytes::{Buf, BytesMut};
use pgwire::messages::{DecodeContext, PgWireBackendMessage, PgWireFrontendMessage};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// A stream of bytes in both directions, encrypted or not.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// What is waiting to be sent is sent when there is so much of it.
const FULL: usize = 64 << 10;
/// How long a connection that is closed waits for the client to hang up as well.
const LINGER: Duration = Duration::from_secs(1);

/// A connection as messages.
pub(crate) struct Wire {
    stream: Box<dyn Duplex>,
    inbox: BytesMut,
    outbox: BytesMut,
}

impl Wire {
    pub(crate) fn new(stream: Box<dyn Duplex>) -> Wire {
        Wire { stream, inbox: BytesMut::new(), outbox: BytesMut::new() }
    }

    /// The next message; none where the client has hung up. May be dropped while it waits: nothing that was read is lost.
    pub(crate) async fn next(&mut self, most: usize) -> Result<Option<PgWireFrontendMessage>, Fault> {
        loop {
            if let Some(message) = self.decoded(most)? {
                return Ok(Some(message));
            }
            self.inbox.reserve(4096);
            match self.stream.read_buf(&mut self.inbox).await {
                Ok(0) | Err(_) => return Ok(None),
                Ok(_) => {}
            }
        }
    }

    fn decoded(&mut self, most: usize) -> Result<Option<PgWireFrontendMessage>, Fault> {
        let wrong = || Fault::fatal("08P01", "this is no message of the protocol");
        if self.inbox.len() < 5 {
            return Ok(None);
        }
        let length =
            u32::from_be_bytes([self.inbox[1], self.inbox[2], self.inbox[3], self.inbox[4]]) as usize;
        if length < 4 {
            return Err(wrong());
        }
        if length > most {
            return Err(Fault::fatal("54000", format!("a message has at most {most} bytes")));
        }
        if self.inbox.len() < length + 1 {
            return Ok(None);
        }
        let mut message = self.inbox.split_to(length + 1);
        if !is_whole(message[0], &message[5..]) {
            return Err(wrong());
        }
        let mut context = DecodeContext::default();
        (context.awaiting_frontend_ssl, context.awaiting_frontend_startup) = (false, false);
        PgWireFrontendMessage::decode(&mut message, &context).map_err(|_| wrong())
    }

    /// To be sent with the next flush, or when there is enough.
    pub(crate) async fn put(&mut self, message: PgWireBackendMessage) -> io::Result<()> {
        message.encode(&mut self.outbox).map_err(|_| io::Error::other("a message cannot be written"))?;
        match self.outbox.len() >= FULL {
            true => self.flush().await,
            false => Ok(()),
        }
    }

    /// Sends what waits.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        self.stream.write_all(&self.outbox).await?;
        self.outbox.clear();
        self.stream.flush().await
    }

    /// Sends what waits and hangs up. What the client still sends is read and thrown away for a moment: a connection that is torn down with
    /// unread bytes would take the last message with it.
    pub(crate) async fn close(mut self) {
        let _ = self.flush().await;
        let _ = self.stream.shutdown().await;
        let drained = async {
            let mut scrap = [0; 4096];
            for _ in 0..256 {
                match self.stream.read(&mut scrap).await {
                    Ok(0) | Err(_) => break,
                    Ok(_) => {}
                }
            }
        };
        let _ = tokio::time::timeout(LINGER, drained).await;
    }
}

/// Whether a message is as long as its own lengths say.
fn is_whole(kind: u8, body: &[u8]) -> bool {
    let mut rest = body;
    let whole = (|| match kind {
        b'Q' => text(&mut rest),
        b'P' => {
            text(&mut rest)?;
            text(&mut rest)?;
            let types = number(&mut rest)?;
            skip(&mut rest, types * 4)
        }
        b'B' => {
            text(&mut rest)?;
            text(&mut rest)?;
            let formats = number(&mut rest)?;
            skip(&mut rest, formats * 2)?;
            for _ in 0..number(&mut rest)? {
                sized(&mut rest)?;
            }
            let formats = number(&mut rest)?;
            skip(&mut rest, formats * 2)
        }
        b'D' | b'C' => {
            skip(&mut rest, 1)?;
            text(&mut rest)
        }
        b'E' => {
            text(&mut rest)?;
            skip(&mut rest, 4)
        }
        b'S' | b'H' | b'X' => Some(()),
        // Of a login: looked at again where it is known which it is.
        b'p' => skip(&mut rest, body.len()),
        _ => None,
    })();
    whole.is_some() && rest.is_empty()
}

/// Whether the body of a login's first message is whole.
pub(crate) fn is_whole_login(body: &[u8]) -> bool {
    let mut rest = body;
    text(&mut rest).and_then(|()| sized(&mut rest)).is_some() && rest.is_empty()
}

fn text(rest: &mut &[u8]) -> Option<()> {
    let end = rest.iter().position(|byte| *byte == 0)?;
    // What is no UTF-8 would be replaced silently.
    std::str::from_utf8(&rest[..end]).ok()?;
    skip(rest, end + 1)
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    (rest.len() >= 2).then(|| usize::from(rest.get_u16()))
}

fn sized(rest: &mut &[u8]) -> Option<()> {
    if rest.len() < 4 {
        return None;
    }
    match rest.get_i32() {
        -1 => Some(()),
        length => skip(rest, usize::try_from(length).ok()?),
    }
}

fn skip(rest: &mut &[u8], bytes: usize) -> Option<()> {
    *rest = rest.get(bytes..)?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pgwire::messages::extendedquery::{Bind, Parse};

    #[test]
    fn messages_that_are_shorter_than_they_say_are_refused_and_never_decoded() {
        let parse =
            PgWireFrontendMessage::Parse(Parse::new(Some("s".to_owned()), "SELECT $1".to_owned(), vec![25]));
        let bind = PgWireFrontendMessage::Bind(Bind::new(
            None,
            Some("s".to_owned()),
            vec![0],
            vec![Some(bytes::Bytes::from_static(b"f")), None],
            vec![1, 0],
        ));
        for message in [parse, bind] {
            let mut bytes = BytesMut::new();
            message.encode(&mut bytes).unwrap_or_else(|_| unreachable!());
            assert!(is_whole(bytes[0], &bytes[5..]));
            for cut in 5..bytes.len() {
                assert!(!is_whole(bytes[0], &bytes[5..cut]), "{cut}");
            }
            bytes.extend_from_slice(b"more");
            assert!(!is_whole(bytes[0], &bytes[5..]));
        }
        assert!(!is_whole(b'Q', b"SELECT \xff\0") && !is_whole(b'F', b"") && !is_whole(b'd', b""));
    }

    #[test]
    fn every_damaged_message_is_refused_or_decoded_without_a_panic() {
        let bind = PgWireFrontendMessage::Bind(Bind::new(
            None,
            None,
            vec![1, 0],
            vec![Some(bytes::Bytes::from_static(b"abcd")), None],
            vec![1],
        ));
        let mut whole = BytesMut::new();
        bind.encode(&mut whole).unwrap_or_else(|_| unreachable!());
        for place in 5..whole.len() {
            for byte in [0, 1, 2, 4, 0x7f, 0x80, 0xff] {
                let mut wire = Wire::new(Box::new(tokio::io::empty()));
                wire.inbox = whole.clone();
                wire.inbox[place] = byte;
                let _ = wire.decoded(1 << 20);
            }
        }
    }
}
