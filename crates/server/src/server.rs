//! The server: its address, what connections share, and the loop around them.

use crate::connection;
use crate::fault::Fault;
use crate::limits::Limits;
use crate::shared::Shared;
use crate::users::{Users, UsersError};
use paravent_job::Problems;
use paravent_policy::{Policy, check_columns};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::AtomicI32;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

/// Trees of statements are walked by recursion: the largest that is read must not exhaust the stack.
const STACK: usize = 64 << 20;
/// Statements on the catalog that are worked on at a time, beside questions.
const CATALOGS: usize = 16;
/// How long connections may take to hear that the server stops.
const PATIENCE: Duration = Duration::from_secs(3);

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The policy or a job is wrong.
    #[error(transparent)]
    Problems(#[from] Problems),
    /// The file of users.
    #[error(transparent)]
    Users(#[from] UsersError),
    /// Certificate or key.
    #[error("{}: {what}", path.display())]
    Tls {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// An address that others can reach, without encryption.
    #[error("{0} can be reached from other machines. Give a certificate and its key: --tls cert.pem key.pem")]
    Plain(SocketAddr),
    /// The address is taken, or the system gives no threads.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// The files of certificate (with its chain) and private key, PEM.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate, and those that vouch for it.
    pub certificates: PathBuf,
    /// Its key.
    pub key: PathBuf,
}

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen.
    pub address: SocketAddr,
    /// Encryption; needed where others than this machine can connect.
    pub tls: Option<Tls>,
    /// How much clients may take.
    pub limits: Limits,
}

/// A server that listens, and answers once [`run`](Server::run) is called.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Reads what it needs and listens. `log` gets a line for the owner where something is wrong on this side; no cell is in it.
    ///
    /// # Errors
    /// If the policy, a job, the users, certificate or key are wrong, or the address is taken or open to others without TLS.
    pub fn bind(
        policy: Policy,
        users: Users,
        options: &Options,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Server, ServerError> {
        let jobs = check_columns(&policy)?;
        users.list()?;
        let tls = options.tls.as_ref().map(acceptor).transpose()?;
        if tls.is_none() && !options.address.ip().is_loopback() {
            return Err(ServerError::Plain(options.address));
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|_| io::Error::other("the system gives no random numbers"))?;
        let listener = TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared = Shared {
            policy,
            jobs,
            users,
            limits: options.limits,
            tls,
            secret,
            working: Arc::new(Semaphore::new(options.limits.at_once.max(1))),
            stopping: watch::channel(false).0,
            log: Box::new(log),
            connected: Mutex::default(),
            next: AtomicI32::new(1),
        };
        Ok(Server { listener, address, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` says so. Questions that are worked on are finished and kept, so that what was paid is not lost.
    ///
    /// # Errors
    /// If the system takes the socket away or makes no threads.
    pub fn run(self, stop: impl Fn() -> bool) -> io::Result<()> {
        let Server { listener, shared, .. } = self;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(shared.limits.at_once.max(1) + CATALOGS)
            .thread_stack_size(STACK)
            .enable_all()
            .build()?;
        let served = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let places = Arc::new(Semaphore::new(shared.limits.connections.max(1)));
            let stopped = async {
                while !stop() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::select! {
                () = accept(&listener, &shared, &places) => {}
                () = stopped => {}
            }
            drop(listener);
            shared.stopping.send_replace(true);
            // All permits are back when nothing is worked on any more.
            let all = u32::try_from(shared.limits.at_once.max(1)).unwrap_or(u32::MAX);
            let _ = tokio::time::timeout(shared.limits.time, shared.working.acquire_many(all)).await;
            shared.working.close();
            let all = u32::try_from(shared.limits.connections.max(1)).unwrap_or(u32::MAX);
            let _ = tokio::time::timeout(PATIENCE, places.acquire_many(all)).await;
            Ok(())
        });
        runtime.shutdown_timeout(PATIENCE);
        served
    }
}

async fn accept(listener: &tokio::net::TcpListener, shared: &Arc<Shared>, places: &Arc<Semaphore>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // No more files, say: it may pass.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        match Arc::clone(places).try_acquire_owned() {
            Ok(place) => {
                let shared = Arc::clone(shared);
                tokio::spawn(async move {
                    connection::serve(stream, shared).await;
                    drop(place);
                });
            }
            Err(_) => full(stream, Arc::clone(shared)),
        }
    }
}

fn full(stream: TcpStream, shared: Arc<Shared>) {
    tokio::spawn(async move {
        let fault = Fault::fatal("53300", "there are too many connections");
        let _ = tokio::time::timeout(PATIENCE, connection::refuse(stream, &shared, &fault)).await;
    });
}

/// TLS 1.3 with this certificate.
fn acceptor(tls: &Tls) -> Result<TlsAcceptor, ServerError> {
    let wrong = |path: &PathBuf, what: &str| ServerError::Tls { path: path.clone(), what: what.to_owned() };
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| wrong(path, &error.to_string()));
    let certificates = read(&tls.certificates)?;
    let certificates: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_slice_iter(&certificates).collect();
    let certificates = certificates.map_err(|_| wrong(&tls.certificates, "is no certificate in PEM"))?;
    if certificates.is_empty() {
        return Err(wrong(&tls.certificates, "has no certificate"));
    }
    let key = PrivateKeyDer::from_pem_slice(&read(&tls.key)?)
        .map_err(|_| wrong(&tls.key, "is no private key in PEM"))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|_| wrong(&tls.key, "this build has no TLS 1.3"))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|_| wrong(&tls.key, "is not the key of the certificate"))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
