//! Somebody in the middle who has everybody's keys, and does what he likes to the frames from one party to another.

use super::federation::{Federation, free_port};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    ClientConfig, ClientConnection, Connection, DigitallySignedStruct, DistinguishedName, Error,
    ServerConfig, ServerConnection, SignatureScheme,
};
use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What becomes of a frame.
pub enum Fate {
    Pass,
    Drop,
    Replace(Vec<Vec<u8>>),
    /// These bytes, and the end of the connection.
    Last(Vec<u8>),
    Delay(Duration),
}

type What = dyn Fn(u64, &[u8]) -> Fate + Send + Sync;

/// A frame on its way: by kind of frame, and for messages of the protocol by kind of message.
pub type Kind = (u8, u8);

pub fn kind_of(frame: &[u8]) -> Kind {
    // Behind the header of the frame: magic, version, digest of the plan, sender, receiver, number, kind.
    (frame[0], if frame[0] == 1 { frame[9 + 30] } else { 0 })
}

pub struct Proxy {
    /// The party behind it.
    pub before: String,
    /// The port where that party really listens.
    pub behind: u16,
    watched: Arc<Watched>,
    stop: Arc<AtomicBool>,
}

/// What came by.
#[derive(Default)]
struct Watched {
    /// Messages from the one party to the other.
    messages: AtomicU64,
    /// Kinds of all frames of all parties that call, there and back.
    kinds: Mutex<BTreeSet<Kind>>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

#[derive(Clone)]
struct Keys {
    name: String,
    certificate: CertificateDer<'static>,
    key: Arc<PrivateKeyDer<'static>>,
}

impl Proxy {
    /// Between two parties: frames from `from` to `to` are given to `what` with the number of messages before them. It stands in front of the
    /// one that is called, which is the later one of the list.
    pub fn between(
        federation: &Federation,
        from: &str,
        to: &str,
        what: impl Fn(u64, &[u8]) -> Fate + Send + Sync + 'static,
    ) -> Proxy {
        let keys: Vec<Keys> = federation
            .names()
            .into_iter()
            .map(|name| Keys {
                name: name.to_owned(),
                certificate: CertificateDer::from_pem_file(
                    federation.path(&format!("{name}/{name}.cert.pem")),
                )
                .unwrap(),
                key: Arc::new(
                    PrivateKeyDer::from_pem_file(federation.path(&format!("{name}/{name}.key.pem"))).unwrap(),
                ),
            })
            .collect();
        let place = |name: &str| keys.iter().position(|keys| keys.name == name).unwrap();
        let (caller, called) = if place(from) < place(to) { (from, to) } else { (to, from) };
        let listener = bound(&federation.address(called));
        listener.set_nonblocking(true).unwrap();
        let proxy = Proxy {
            before: called.to_owned(),
            behind: free_port(),
            watched: Arc::default(),
            stop: Arc::default(),
        };
        let what: Arc<What> = Arc::new(what);
        let (stop, watched, behind) = (proxy.stop.clone(), proxy.watched.clone(), proxy.behind);
        let backwards = called == from;
        let (expected, called) = (caller.to_owned(), called.to_owned());
        std::thread::spawn(move || {
            while !stop.load(Ordering::SeqCst) {
                let Ok((socket, _)) = listener.accept() else {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                };
                let (keys, what, stop, watched) = (keys.clone(), what.clone(), stop.clone(), watched.clone());
                let (expected, called) = (expected.clone(), called.clone());
                std::thread::spawn(move || {
                    let own = keys.iter().find(|keys| keys.name == called).unwrap();
                    let Some((caller, near)) = accept(socket, own, &keys) else { return };
                    let Some(far) = dial(behind, caller, &stop) else { return };
                    let what = (caller.name == expected).then_some(&*what);
                    match backwards {
                        false => relay(near, far, what, &watched, &stop),
                        true => relay(far, near, what, &watched, &stop),
                    }
                });
            }
        });
        proxy
    }

    /// Until so many messages have come.
    pub fn wait_for_messages(&self, count: u64) {
        let until = Instant::now() + Duration::from_secs(30);
        while self.watched.messages.load(Ordering::SeqCst) < count {
            assert!(Instant::now() < until, "no message came");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The kinds of frames that came by, of everybody who called.
    pub fn kinds(&self) -> BTreeSet<Kind> {
        self.watched.kinds.lock().unwrap().clone()
    }
}

/// Whoever listened there before may need a moment to go.
fn bound(address: &str) -> TcpListener {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        match TcpListener::bind(address) {
            Ok(listener) => return listener,
            Err(error) => assert!(Instant::now() < until, "{address}: {error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

struct End {
    connection: Connection,
    socket: TcpStream,
    plain: Vec<u8>,
}

fn accept<'k>(socket: TcpStream, own: &Keys, keys: &'k [Keys]) -> Option<(&'k Keys, End)> {
    let trusting = Arc::new(Trusting(Arc::new(ring::default_provider())));
    let config = ServerConfig::builder_with_provider(trusting.0.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_client_cert_verifier(trusting)
        .with_single_cert(vec![own.certificate.clone()], own.key.clone_key())
        .unwrap();
    let end = End::new(Connection::Server(ServerConnection::new(Arc::new(config)).unwrap()), socket)?;
    let shown = end.connection.peer_certificates()?.first()?;
    let caller = keys.iter().find(|keys| keys.certificate == *shown)?;
    Some((caller, end))
}

fn dial(port: u16, caller: &Keys, stop: &AtomicBool) -> Option<End> {
    let trusting = Arc::new(Trusting(Arc::new(ring::default_provider())));
    let config = ClientConfig::builder_with_provider(trusting.0.clone())
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(trusting)
        .with_client_auth_cert(vec![caller.certificate.clone()], caller.key.clone_key())
        .unwrap();
    let config = Arc::new(config);
    while !stop.load(Ordering::SeqCst) {
        if let Ok(socket) = TcpStream::connect(("127.0.0.1", port)) {
            let client =
                ClientConnection::new(config.clone(), ServerName::try_from("paravent.invalid").unwrap())
                    .unwrap();
            return End::new(Connection::Client(client), socket);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

impl End {
    fn new(mut connection: Connection, mut socket: TcpStream) -> Option<End> {
        socket.set_nonblocking(false).ok()?;
        socket.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).ok()?;
        }
        while connection.wants_write() {
            connection.write_tls(&mut socket).ok()?;
        }
        socket.set_nonblocking(true).ok()?;
        let mut end = End { connection, socket, plain: Vec::new() };
        end.process()?;
        Some(end)
    }

    /// Decrypts what has come. `None` at the end.
    fn process(&mut self) -> Option<()> {
        let state = self.connection.process_new_packets().ok()?;
        let before = self.plain.len();
        self.plain.resize(before + state.plaintext_bytes_to_read(), 0);
        self.connection.reader().read_exact(&mut self.plain[before..]).ok()
    }

    fn read(&mut self) -> Option<()> {
        match self.connection.read_tls(&mut self.socket) {
            Ok(0) => None,
            Ok(_) => self.process(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Some(()),
            Err(_) => None,
        }
    }

    fn flush(&mut self) -> Option<()> {
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut self.socket) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return None,
            }
        }
        Some(())
    }

    fn send(&mut self, bytes: &[u8]) -> Option<()> {
        self.connection.set_buffer_limit(None);
        self.connection.writer().write_all(bytes).ok()?;
        self.flush()
    }

    /// The next whole frame.
    fn frame(&mut self) -> Option<Vec<u8>> {
        let length = self.plain.get(1..9)?.try_into().map(u64::from_le_bytes).ok()? as usize;
        (self.plain.len() >= 9 + length).then(|| self.plain.drain(..9 + length).collect())
    }
}

/// Carries frames between the two ends; those from the near one meet their fate.
fn relay(mut near: End, mut far: End, what: Option<&What>, watched: &Watched, stop: &AtomicBool) {
    let mut number = 0;
    while !stop.load(Ordering::SeqCst) {
        let alive = near.read().is_some() & far.read().is_some();
        let saw = |frame: &[u8]| watched.kinds.lock().unwrap().insert(kind_of(frame));
        while let Some(frame) = near.frame() {
            saw(&frame);
            let fate = what.map_or(Fate::Pass, |what| what(number, &frame));
            if frame[0] == 1 && what.is_some() {
                number += 1;
                watched.messages.fetch_add(1, Ordering::SeqCst);
            }
            match fate {
                Fate::Pass => far.send(&frame),
                Fate::Drop => Some(()),
                Fate::Replace(frames) => frames.iter().try_for_each(|frame| far.send(frame)),
                Fate::Last(bytes) => {
                    let _ = far.send(&bytes);
                    return;
                }
                Fate::Delay(time) => {
                    std::thread::sleep(time);
                    far.send(&frame)
                }
            };
        }
        while let Some(frame) = far.frame() {
            saw(&frame);
            let _ = near.send(&frame);
        }
        let _ = (near.flush(), far.flush());
        if !alive {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Believes everybody.
#[derive(Debug)]
struct Trusting(Arc<CryptoProvider>);

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }
    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

impl ClientCertVerifier for Trusting {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }
    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }
    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }
    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }
    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
