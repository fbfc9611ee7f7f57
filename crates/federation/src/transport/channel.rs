//! One TLS connection with a thread for each direction.

use super::ending::Ending;
use super::error::{Cause, TransportError};
use super::frame::{Frame, HEADER, NoFrame};
use super::transcript::{ChannelDigests, Direction};
use super::waiting::Waiting;
use crate::parties::PartyId;
use rustls::Connection;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a channel tells the party.
#[derive(Debug)]
pub(super) enum Event {
    Message(Vec<u8>),
    Finished(Ending, Vec<ChannelDigests>),
    Confirmed([u8; 32]),
    Settled([u8; 32]),
    Ended(TransportError),
}

/// TLS over a socket; one thread may read while another writes.
pub(super) struct Secured {
    connection: Mutex<Connection>,
    socket: TcpStream,
    /// Decrypted bytes that no frame was made of yet.
    plain: Mutex<Vec<u8>>,
}

/// Who has nothing else to send says at least this often that it is there, and for whom it waits.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
/// Plaintext per TLS record.
const CHUNK: usize = 16 << 10;

impl Secured {
    /// Finishes the TLS handshake. The socket has its time limits.
    pub(super) fn establish(
        mut connection: Connection,
        mut socket: TcpStream,
        until: Instant,
    ) -> io::Result<Secured> {
        // A deadline for the whole message: a peer that sends a byte now and then must not hold the connection.
        while connection.is_handshaking() {
            while connection.wants_write() {
                connection.write_tls(&mut socket)?;
            }
            if Instant::now() > until {
                return Err(ErrorKind::TimedOut.into());
            }
            if connection.is_handshaking() && connection.read_tls(&mut socket)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            if let Err(error) = connection.process_new_packets() {
                // The peer should hear why; whether it does is not important.
                let _ = connection.write_tls(&mut socket);
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        }
        while connection.wants_write() {
            connection.write_tls(&mut socket)?;
        }
        let secured = Secured { connection: Mutex::new(connection), socket, plain: Mutex::new(Vec::new()) };
        secured.take_in(&[])?;
        Ok(secured)
    }

    pub(super) fn with_connection<T>(&self, look: impl FnOnce(&Connection) -> T) -> T {
        look(&self.connection.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn time_limits(&self, read: Duration, write: Duration) -> io::Result<()> {
        self.socket.set_read_timeout(Some(read))?;
        self.socket.set_write_timeout(Some(write))
    }

    pub(super) fn send(&self, frame: &[u8]) -> io::Result<()> {
        for chunk in frame.chunks(CHUNK) {
            let mut records = Vec::with_capacity(CHUNK + 64);
            {
                let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
                connection.writer().write_all(chunk)?;
                while connection.wants_write() {
                    connection.write_tls(&mut records)?;
                }
            }
            (&self.socket).write_all(&records)?;
        }
        Ok(())
    }

    fn take_in(&self, mut bytes: &[u8]) -> io::Result<()> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let mut plain = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if !bytes.is_empty() {
                connection.read_tls(&mut bytes)?;
            }
            let state = connection
                .process_new_packets()
                .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            let before = plain.len();
            plain.resize(before + state.plaintext_bytes_to_read(), 0);
            connection.reader().read_exact(&mut plain[before..])?;
            if bytes.is_empty() {
                return Ok(());
            }
        }
    }

    /// Reads exactly this number of bytes into `to`. Memory grows with what arrives, not with what was announced.
    fn read(&self, length: usize, to: &mut Vec<u8>) -> io::Result<()> {
        let mut buffer = [0u8; CHUNK];
        loop {
            {
                let mut plain = self.plain.lock().unwrap_or_else(PoisonError::into_inner);
                let take = plain.len().min(length - to.len());
                to.extend(plain.drain(..take));
            }
            if to.len() == length {
                return Ok(());
            }
            match (&self.socket).read(&mut buffer) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.take_in(&buffer[..read])?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The next frame.
    pub(super) fn receive(&self, most_message: u64) -> Result<Frame, Broken> {
        let mut header = Vec::with_capacity(HEADER);
        self.read(HEADER, &mut header)?;
        let mut fixed = [0u8; HEADER];
        fixed.copy_from_slice(&header);
        let length = Frame::body_length(&fixed, most_message)?;
        let mut body = Vec::new();
        self.read(length, &mut body)?;
        Ok(Frame::decode(fixed[0], body)?)
    }

    fn close(&self) {
        let mut records = Vec::new();
        {
            let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.send_close_notify();
            while connection.wants_write() && connection.write_tls(&mut records).is_ok() {}
        }
        // The peer may be gone already.
        let _ = (&self.socket).write_all(&records);
        let _ = self.socket.shutdown(Shutdown::Write);
    }
}

/// Why there is no next frame.
#[derive(Debug)]
pub(super) enum Broken {
    Io(io::Error),
    NoFrame(NoFrame),
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::Io(error)
    }
}

impl From<NoFrame> for Broken {
    fn from(error: NoFrame) -> Broken {
        Broken::NoFrame(error)
    }
}

impl Broken {
    fn at(self, party: PartyId, idle: Duration) -> TransportError {
        let lost = |why| TransportError::Lost { party, why };
        match self {
            Broken::Io(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => TransportError::Waited {
                    parties: vec![party],
                    seconds: idle.as_secs(),
                    behind: Vec::new(),
                },
                ErrorKind::UnexpectedEof => lost("it was closed at the other end"),
                ErrorKind::InvalidData => lost("TLS refused what came"),
                _ => lost("the network broke it"),
            },
            Broken::NoFrame(NoFrame::Kind) => {
                TransportError::Garbage { party, what: "a frame of an unknown kind" }
            }
            Broken::NoFrame(NoFrame::TooLong) => {
                TransportError::Garbage { party, what: "a frame that says it is longer than allowed" }
            }
            Broken::NoFrame(NoFrame::Body) => {
                TransportError::Garbage { party, what: "a frame that cannot be read" }
            }
        }
    }
}

/// What a channel keeps to.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChannelLimits {
    pub(super) idle: Duration,
    pub(super) message_bytes: u64,
}

/// A channel to one party, at work.
pub(super) struct Channel {
    outgoing: Option<Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    reader: Option<JoinHandle<()>>,
    waiting: Arc<AtomicU64>,
    sent: Direction,
    received: Direction,
    socket: TcpStream,
}

impl Channel {
    pub(super) fn start(
        (me, party): (PartyId, PartyId),
        secured: Secured,
        limits: ChannelLimits,
        events: Sender<(PartyId, Event)>,
        who_waits: &Waiting,
    ) -> io::Result<Channel> {
        secured.time_limits(limits.idle, limits.idle)?;
        let socket = secured.socket.try_clone()?;
        let secured = Arc::new(secured);
        let waiting = Arc::new(AtomicU64::new(0));
        let (outgoing, frames) = channel();
        let writer = {
            let (secured, events, who_waits) = (secured.clone(), events.clone(), who_waits.clone());
            let alive = move || Frame::Alive(who_waits.of(me)).encode();
            std::thread::Builder::new()
                .spawn(move || write_all(party, &secured, (&frames, &alive), limits.idle, &events))?
        };
        let reader = {
            let (waiting, who_waits) = (waiting.clone(), who_waits.clone());
            let read = move || read_all(party, &secured, limits, (&waiting, &who_waits), &events);
            std::thread::Builder::new().spawn(read)?
        };
        Ok(Channel {
            outgoing: Some(outgoing),
            writer: Some(writer),
            reader: Some(reader),
            waiting,
            sent: Direction::default(),
            received: Direction::default(),
            socket,
        })
    }

    pub(super) fn send(&mut self, message: Vec<u8>) {
        self.sent.add(&message);
        self.put(&Frame::Message(message));
    }

    pub(super) fn put(&self, frame: &Frame) {
        // A writer that is gone has said why.
        let _ = self.outgoing.as_ref().map(|outgoing| outgoing.send(frame.encode()));
    }

    /// A message was taken off the queue.
    pub(super) fn took(&mut self, message: &[u8]) {
        self.waiting.fetch_sub(message.len() as u64, Ordering::SeqCst);
        self.received.add(message);
    }

    pub(super) fn digests(&self, with: PartyId) -> ChannelDigests {
        ChannelDigests { with, sent: self.sent.digest(), received: self.received.digest() }
    }

    pub(super) fn volume(&self) -> (u64, u64, u64, u64) {
        (self.sent.messages, self.sent.bytes, self.received.messages, self.received.bytes)
    }

    /// Ends a channel whose party is gone, and waits until nothing more can come out of it.
    pub(super) fn discard(mut self) {
        self.outgoing = None;
        let _ = self.socket.shutdown(Shutdown::Both);
        for thread in [self.writer.take(), self.reader.take()].into_iter().flatten() {
            let _ = thread.join();
        }
    }

    /// Sends what is still to be sent and says goodbye.
    pub(super) fn finish(&mut self) {
        self.outgoing = None;
    }

    /// Waits until both sides have said goodbye. Closing with unread bytes would take away from the peer what it has not read.
    pub(super) fn linger(&mut self, until: Instant) {
        for thread in [self.writer.take(), self.reader.take()].into_iter().flatten() {
            while !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

fn write_all(
    party: PartyId,
    secured: &Secured,
    (frames, alive): (&Receiver<Vec<u8>>, &dyn Fn() -> Vec<u8>),
    idle: Duration,
    events: &Sender<(PartyId, Event)>,
) {
    loop {
        let frame = match frames.recv_timeout((idle / 3).min(SIGN_OF_LIFE)) {
            Ok(frame) => frame,
            Err(RecvTimeoutError::Timeout) => alive(),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Err(error) = secured.send(&frame) {
            let _ = events.send((party, Event::Ended(Broken::Io(error).at(party, idle))));
            break;
        }
    }
    secured.close();
}

fn read_all(
    party: PartyId,
    secured: &Secured,
    limits: ChannelLimits,
    (waiting, who_waits): (&AtomicU64, &Waiting),
    events: &Sender<(PartyId, Event)>,
) {
    let flooded = limits.message_bytes.saturating_mul(2);
    loop {
        let event = match secured.receive(limits.message_bytes) {
            Ok(Frame::Alive(for_whom)) => {
                who_waits.note(party, for_whom);
                continue;
            }
            Ok(Frame::Message(message)) => {
                let bytes = message.len() as u64;
                match waiting.fetch_add(bytes, Ordering::SeqCst) + bytes > flooded {
                    true => {
                        Event::Ended(TransportError::Garbage { party, what: "more than can be used now" })
                    }
                    false => Event::Message(message),
                }
            }
            Ok(Frame::Finished(ending, digests)) => Event::Finished(ending, digests),
            Ok(Frame::Confirmed(digest)) => Event::Confirmed(digest),
            Ok(Frame::Settled(digest)) => Event::Settled(digest),
            Ok(Frame::Stop(cause)) => Event::Ended(TransportError::Stopped(cause)),
            Ok(Frame::Hello(_)) => Event::Ended(TransportError::Garbage { party, what: "a second greeting" }),
            Err(broken) => Event::Ended(broken.at(party, limits.idle)),
        };
        let ended = matches!(event, Event::Ended(_));
        if events.send((party, event)).is_err() || ended {
            break;
        }
    }
}

/// Tells a peer that it is not wanted, on a connection that no channel was made of.
pub(super) fn turn_away(secured: &Secured, cause: Cause) {
    // Nothing can be done if this does not reach it.
    let _ = secured.send(&Frame::Stop(cause).encode());
    secured.close();
    // Bytes left unread would take the word away from the peer.
    let _ = secured.time_limits(Duration::from_secs(1), Duration::from_secs(1));
    for _ in 0..8 {
        if secured.receive(0).is_err() {
            break;
        }
    }
}
