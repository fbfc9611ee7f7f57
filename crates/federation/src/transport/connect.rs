//! Everybody finds everybody: of two parties the one with the lower number dials, the other listens.

use super::channel::{Broken, Secured, turn_away};
use super::door::Door;
use super::error::{Cause, TransportError};
use super::frame::{Frame, Hello};
use super::identity::Fingerprint;
use super::session::{Peer, Session};
use crate::parties::PartyId;
use crate::wire;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, Connection, ServerConfig, ServerConnection};
use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender};
use std::sync::{Arc, OnceLock};
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
    desk: Desk,
}

impl Drop for Attempts {
    fn drop(&mut self) {
        self.desk.stop.store(true, Ordering::SeqCst);
    }
}

impl Attempts {
    /// The run ends before all are there. Who has just come hears why, instead of finding the door shut.
    pub(super) fn end(&self, waiting: Receiver<Attempt>, cause: Cause) {
        let _ = self.desk.ended.set(cause);
        for attempt in waiting.try_iter() {
            if let Attempt::Connected(_, secured) = attempt {
                turn_away(&secured, cause);
            }
        }
    }

    /// Dials a party that has left, if it is ours to dial; else it will call.
    pub(super) fn dial_again(&self, session: &Session<'_>, party: PartyId) -> Result<(), TransportError> {
        match session.peers.iter().find(|peer| peer.id == party && peer.id > session.me) {
            Some(peer) => start_dialling(&self.desk, session, peer),
            None => Ok(()),
        }
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
    /// Why the run has ended before all were there.
    ended: Arc<OnceLock<Cause>>,
}

/// Somebody else may be at the address: what later attempts find must not hide it.
pub(super) const OTHER_CERTIFICATE: &str = "its certificate is not the one of the federation file";
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(100);
/// For one TLS handshake and greeting.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// Starts to dial and to listen.
pub(super) fn start(session: &Session<'_>, tell: Sender<Attempt>) -> Result<Attempts, TransportError> {
    let stop = Arc::new(AtomicBool::new(false));
    let peers = Arc::new(session.peers.iter().map(|peer| (peer.id, peer.fingerprint)).collect());
    let desk =
        Desk { me: session.me, agreement: session.agreement, peers, stop, tell, ended: Arc::default() };
    let attempts = Attempts { desk: desk.clone() };
    let dialling = session.peers.iter().filter(|peer| peer.id < session.me).map(|peer| peer.fingerprint);
    if session.peers.iter().any(|peer| peer.id < session.me) {
        let config = session.identity.server_config(dialling)?;
        let listen = |source| TransportError::Listen { address: session.listen.clone(), source };
        let listener = TcpListener::bind(&session.listen).map_err(listen)?;
        listener.set_nonblocking(true).map_err(listen)?;
        let desk = desk.clone();
        thread(move || accept(&desk, &listener, &config))?;
    }
    for peer in session.peers.iter().filter(|peer| peer.id > session.me) {
        start_dialling(&desk, session, peer)?;
    }
    Ok(attempts)
}

fn start_dialling(desk: &Desk, session: &Session<'_>, peer: &Peer) -> Result<(), TransportError> {
    let config = session.identity.client_config(std::iter::once(peer.fingerprint))?;
    let (desk, id, address) = (desk.clone(), peer.id, peer.address.clone());
    thread(move || dial(&desk, id, &address, &config))
}

/// A thread of its own for what waits for others.
fn thread(work: impl FnOnce() + Send + 'static) -> Result<(), TransportError> {
    std::thread::Builder::new().spawn(work).map(drop).map_err(TransportError::Threads)
}

fn dial(desk: &Desk, to: PartyId, address: &str, config: &Arc<ClientConfig>) {
    while !desk.stop.load(Ordering::SeqCst) {
        match connect(address).and_then(|socket| secure_client(socket, config.clone())) {
            Ok(secured) => match greet(desk, &secured, to) {
                Ok(()) => {
                    desk.connected(to, secured);
                    return;
                }
                Err(Refused::Fatal(error)) => {
                    turn_away(&secured, error.cause(desk.me));
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
    let door = Arc::new(Door::default());
    while !desk.stop.load(Ordering::SeqCst) {
        match listener.accept() {
            Ok((socket, from)) => {
                let Some(visit) = door.enter(from.ip(), &socket) else { continue };
                let (desk, config, door) = (desk.clone(), config.clone(), door.clone());
                let entrance = door.clone();
                let welcomed = thread(move || {
                    welcome(&desk, socket, config, || door.leave(visit));
                    door.leave(visit);
                });
                // Whoever cannot be welcomed now is free to come again.
                if welcomed.is_err() {
                    entrance.leave(visit);
                }
            }
            Err(_) => std::thread::sleep(PAUSE / 5),
        }
    }
}

/// Strangers are sent away without a word to the party. `settled` says whether the visit has not been ended in between.
fn welcome(desk: &Desk, socket: TcpStream, config: Arc<ServerConfig>, settled: impl FnOnce() -> bool) {
    let Ok(secured) = secure_server(socket, config) else { return };
    let Some(party) = desk.owner_of(&secured) else { return };
    match greet(desk, &secured, party) {
        Ok(()) if settled() => {
            desk.connected(party, secured);
        }
        Ok(()) => {}
        Err(Refused::Fatal(error)) => {
            turn_away(&secured, error.cause(desk.me));
            let _ = desk.tell.send(Attempt::Fatal(error));
        }
        Err(Refused::Passing(why)) => {
            let _ = desk.tell.send(Attempt::Failed(party, why));
        }
    }
}

impl Desk {
    /// Hands a channel over; if nobody waits for it any more, who has come hears why.
    fn connected(&self, party: PartyId, secured: Secured) {
        let refused = self.tell.send(Attempt::Connected(party, Box::new(secured)));
        if let (Err(SendError(Attempt::Connected(_, secured))), Some(cause)) = (refused, self.ended.get()) {
            turn_away(&secured, *cause);
        }
    }

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
        Ok(Frame::Stop(cause)) => return Err(Refused::Fatal(TransportError::Stopped(cause))),
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

/// How long to wait for the next event.
pub(super) fn slice(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50))
}
