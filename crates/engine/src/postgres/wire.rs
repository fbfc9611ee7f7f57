//! Messages to and from the server, and how many bytes they are.

use bytes::BytesMut;
use paravent_tables::engine::{EngineError, Traffic, is_stopped};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use rustls::{ClientConnection, StreamOwned};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Largest message that is taken: a cell of a gigabyte is no cell.
const LARGEST: usize = 1 << 30;

/// Interval between looks at whether a stop was requested.
const ATTENTION: Duration = Duration::from_millis(200);

/// What carries the bytes.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(buffer),
            Stream::Unix(stream) => stream.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Unix(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Stream::Tcp(stream) => stream.flush(),
            Stream::Unix(stream) => stream.flush(),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}

/// A connection, message by message.
pub(super) struct Wire {
    stream: Stream,
    incoming: BytesMut,
    chunk: Vec<u8>,
    pub(super) outgoing: BytesMut,
    traffic: Traffic,
    /// Process and secret by which a statement can be cancelled.
    pub(super) cancel_key: Option<(i32, i32)>,
    /// How long an answer is still waited for after a stop was requested.
    pub(super) grace: Duration,
    /// After an error of the connection nothing more is sent or read.
    lost: bool,
}

impl Wire {
    pub(super) fn new(stream: Stream) -> Wire {
        Wire {
            stream,
            incoming: BytesMut::new(),
            chunk: vec![0; 1 << 16],
            outgoing: BytesMut::new(),
            traffic: Traffic::default(),
            cancel_key: None,
            grace: Duration::ZERO,
            lost: false,
        }
    }

    pub(super) fn traffic(&self) -> Traffic {
        self.traffic
    }

    /// Sends what was put into `outgoing`.
    pub(super) fn send(&mut self) -> Result<(), EngineError> {
        if self.lost {
            return Err(EngineError::Lost);
        }
        let sent = self.stream.write_all(&self.outgoing).and_then(|()| self.stream.flush());
        self.traffic.sent += self.outgoing.len() as u64;
        self.outgoing.clear();
        sent.map_err(|_| self.lose())
    }

    /// The next message that is not just news. The server's notices stay unread.
    pub(super) fn next(&mut self) -> Result<Message, EngineError> {
        loop {
            if self.lost {
                return Err(EngineError::Lost);
            }
            match Message::parse(&mut self.incoming) {
                Ok(Some(
                    Message::NoticeResponse(_)
                    | Message::ParameterStatus(_)
                    | Message::NotificationResponse(_),
                )) => continue,
                Ok(Some(message)) => return Ok(message),
                Ok(None) if self.incoming.len() < LARGEST => self.read()?,
                Ok(None) | Err(_) => {
                    self.lost = true;
                    return Err(EngineError::Garbled("(not a message of PostgreSQL)"));
                }
            }
        }
    }

    fn read(&mut self) -> Result<(), EngineError> {
        let mut stopped: Option<Instant> = None;
        loop {
            match self.stream.read(&mut self.chunk) {
                Ok(0) => return Err(self.lose()),
                Ok(count) => {
                    self.traffic.received += count as u64;
                    self.incoming.extend_from_slice(&self.chunk[..count]);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if is_stopped() && stopped.get_or_insert_with(Instant::now).elapsed() >= self.grace {
                        self.lost = true;
                        self.cancel();
                        return Err(EngineError::Stopped);
                    }
                }
                Err(_) => return Err(self.lose()),
            }
        }
    }

    /// Looks regularly whether a stop was requested.
    pub(super) fn stay_attentive(&mut self) -> Result<(), EngineError> {
        let pause = Some(ATTENTION);
        let set = match &self.stream {
            Stream::Tcp(stream) => stream.set_read_timeout(pause),
            Stream::Unix(stream) => stream.set_read_timeout(pause),
            Stream::Tls(stream) => stream.sock.set_read_timeout(pause),
        };
        set.map_err(|_| self.lose())
    }

    /// Asks the server to end the statement. Where that would have to be sent in clear to another machine, closing the connection must do.
    fn cancel(&self) {
        let (Some((process, secret)), Stream::Tcp(stream)) = (self.cancel_key, &self.stream) else { return };
        let mut request = BytesMut::new();
        frontend::cancel_request(process, secret, &mut request);
        let told =
            stream.peer_addr().and_then(|server| TcpStream::connect_timeout(&server, Duration::from_secs(2)));
        if let Ok(mut told) = told {
            let _ = told.write_all(&request);
        }
    }

    fn lose(&mut self) -> EngineError {
        self.lost = true;
        EngineError::Lost
    }
}
