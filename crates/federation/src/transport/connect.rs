//! Everybody finds everybody: of two parties the one with the lower number dials, the other listens.

use super::channel::{Broken, Secured, turn_away};
use super::error::{Reason, TransportError};
use super::frame::{Frame, Hello};
use super::identity::Fingerprint;
use super::session::Session;
use crate::parties::PartyId;
use crate::wire;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// What became of an attempt.
pub(super) enum Attempt {
    /// Both have introduced themselves.
    Connected(PartyId, Box<Secured>),
    /// It may work next time.
    Failed(PartyId, String),
    /// It will not.
    Fatal(TransportError),
}

/// What all attempts share. Dropping it ends them.
pub(super) struct Attempts {
    stop: Arc<AtomicBool>,
}

impl Drop for Attempts {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// What a thread needs to know of the session.
#[derive(Clone)]
struct Desk {
    me: PartyId,
    agreement: [u8; 32],
    peers: Arc<Vec<(PartyId, Fingerprint)>>,
    stop: Arc<AtomicBool>,
    tell: Sender<Attempt>,
}

/// Somebody else may be at the address: what later attempts find must not hide it.
pub(super) const OTHER_CERTIFICATE: &str = "its certificate is not the one of the federation file";
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(100);
/// For one TLS handshake and greeting.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes at the same time: strangers may knock as well.
const MOST_HANDSHAKES: usize = 32;

/// Starts to dial and to listen.
pub(super) fn start(session: &Session<'_>, tell: Sender<Attempt>) -> Result<Attempts, TransportError> {
    let stop = Arc::new(AtomicBool::new(false));
    let peers = Arc::new(session.peers.iter().map(|peer| (peer.id, peer.fingerprint)).collect());
    let desk = Desk { me: session.me, agreement: session.agreement, peers, stop: stop.clone(), tell };
    let attempts = Attempts { stop };
    let dialling = session.peers.iter().filter(|peer| peer.id < session.me).map(|peer| peer.fingerprint);
    if session.peers.iter().any(|peer| peer.id < session.me) {
        let config = session.identity.server_config(dialling)?;
        let listen = |source| TransportError::Listen { address: session.listen.clone(), source };
        let listener = TcpListener::bind(&session.listen).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let desk = desk.clone();
        std::thread::spawn(move || accept(&desk, &listener, &config));
    }
    for peer in session.peers.iter().filter(|peer| peer.id > session.me) {
        let config = session.identity.client_config(std::iter::once(peer.fingerprint))?;
        let (desk, id, address) = (desk.clone(), peer.id, peer.address.clone());
        std::thread::spawn(move || dial(&desk, id, &address, &config));
    }
    Ok(attempts)
}

fn dial(desk: &Desk, to: PartyId, address: &str, config: &Arc<ClientConfig>) {
    while !desk.stop.load(Ordering::SeqCst) {
        match connect(address).and_then(|socket| secure_client(socket, config.clone())) {
            Ok(secured) => match greet(desk, &secured, to) {
                Ok(()) => {
                    let _ = desk.tell.send(Attempt::Connected(to, Box::new(secured)));
                    return;
                }
                Err(Refused::Fatal(error)) => {
                    turn_away(&secured, error.reason());
                    let _ = desk.tell.send(Attempt::Fatal(error));
                    return;
                }
                Err(Refused::Passing(why)) => {
                    let _ = desk.tell.send(Attempt::Failed(to, why));
                }
            },
            Err(error) => {
                let _ = desk.tell.send(Attempt::Failed(to, in_words(&error)));
            }
        }
        std::thread::sleep(PAUSE);
    }
}

fn accept(desk: &Desk, listener: &TcpListener, config: &Arc<ServerConfig>) {
    let busy = Arc::new(AtomicUsize::new(0));
    while !desk.stop.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((socket, _)) if busy.load(Ordering::SeqCst) < MOST_HANDSHAKES => {
                busy.fetch_add(1, Ordering::SeqCst);
                let (desk, config, busy) = (desk.clone(), config.clone(), busy.clone());
                std::thread::spawn(move || {
                    welcome(&desk, socket, config);
                    busy.fetch_sub(1, Ordering::SeqCst);
                });
            }
            Ok(_) => {}
            Err(_) => std::thread::sleep(PAUSE / 5),
        }
    }
}

/// Strangers are sent away without a word to the party.
fn welcome(desk: &Desk, socket: TcpStream, config: Arc<ServerConfig>) {
    let Ok(secured) = secure_server(socket, config) else { return };
    let Some(party) = desk.owner_of(&secured) else { return };
    match greet(desk, &secured, party) {
        Ok(()) => {
            let _ = desk.tell.send(Attempt::Connected(party, Box::new(secured)));
        }
        Err(Refused::Fatal(error)) => {
            turn_away(&secured, error.reason());
            let _ = desk.tell.send(Attempt::Fatal(error));
        }
        Err(Refused::Passing(why)) => {
            let _ = desk.tell.send(Attempt::Failed(party, why));
        }
    }
}

impl Desk {
    fn owner_of(&self, secured: &Secured) -> Option<PartyId> {
        let shown = secured.with_connection(|connection| {
            connection.peer_certificates().and_then(|chain| chain.first().map(Fingerprint::of))
        })?;
        self.peers.iter().find(|(_, known)| *known == shown).map(|(party, _)| *party)
    }
}

enum Refused {
    Passing(String),
    Fatal(TransportError),
}

/// Both say who they are and what they agreed to.
fn greet(desk: &Desk, secured: &Secured, party: PartyId) -> Result<(), Refused> {
    let ours = Hello::ours(desk.agreement, desk.me, party);
    secured.send(&Frame::Hello(ours).encode()).map_err(|error| Refused::Passing(in_words(&error)))?;
    let theirs = match secured.receive(0) {
        Ok(Frame::Hello(hello)) => hello,
        Ok(Frame::Stop(reason)) => return Err(Refused::Fatal(TransportError::Stopped { party, reason })),
        Ok(_) | Err(Broken::NoFrame(_)) => return Err(Refused::Fatal(TransportError::Greeting { party })),
        Err(Broken::Io(error)) => return Err(Refused::Passing(in_words(&error))),
    };
    if theirs.version != wire::VERSION {
        return Err(Refused::Fatal(TransportError::Version { party, theirs: theirs.version }));
    }
    if theirs.agreement != desk.agreement {
        return Err(Refused::Fatal(TransportError::Agreement { party }));
    }
    if (theirs.from, theirs.to) != (party, desk.me) {
        return Err(Refused::Fatal(TransportError::Greeting { party }));
    }
    Ok(())
}

fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, HANDSHAKE) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn prepare(socket: &TcpStream) -> io::Result<()> {
    // An accepted socket may inherit this from its listener.
    socket.set_nonblocking(false)?;
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(HANDSHAKE))?;
    socket.set_write_timeout(Some(HANDSHAKE))
}

fn secure_client(socket: TcpStream, config: Arc<ClientConfig>) -> io::Result<Secured> {
    prepare(&socket)?;
    // Certificates are pinned; the name is not looked at.
    let name = ServerName::try_from("paravent.invalid").map_err(io::Error::other)?;
    let client = ClientConnection::new(config, name).map_err(io::Error::other)?;
    Secured::establish(Connection::Client(client), socket, Instant::now() + HANDSHAKE)
}

fn secure_server(socket: TcpStream, config: Arc<ServerConfig>) -> io::Result<Secured> {
    prepare(&socket)?;
    let server = ServerConnection::new(config).map_err(io::Error::other)?;
    Secured::establish(Connection::Server(server), socket, Instant::now() + HANDSHAKE)
}

fn in_words(error: &io::Error) -> String {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (tls, error.kind()) {
        (Some(rustls::Error::InvalidCertificate(_)), _) => OTHER_CERTIFICATE.to_owned(),
        (Some(rustls::Error::AlertReceived(_)), _) => "it refused our certificate".to_owned(),
        (Some(_), _) => "the TLS handshake failed".to_owned(),
        (None, io::ErrorKind::ConnectionRefused) => "nobody answers at its address".to_owned(),
        (None, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe) => {
            "it closed the connection".to_owned()
        }
        (None, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => "it does not answer".to_owned(),
        (None, _) => "its address cannot be reached".to_owned(),
    }
}

/// A second connection of the same party.
pub(super) fn send_away(secured: &Secured) {
    turn_away(secured, Reason::Protocol);
}

/// How long to wait for the next event.
pub(super) fn slice(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50))
}
