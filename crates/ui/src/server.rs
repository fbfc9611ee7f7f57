//! The server: the addresses, and the loop around them.

use crate::guard::{Guard, guard};
use crate::project::Project;
use crate::runs::Runs;
use crate::shared::Shared;
use crate::token::Token;
use crate::{api, page};
use axum::Router;
use axum::ServiceExt;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::from_fn_with_state;
use paravent_prepare::threads::can_be_made;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::Layer;

/// Largest table that can be dropped, unless somebody says otherwise.
pub const DATA_LIMIT: u64 = 2 << 30;
/// How long runs may take to see that they are to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// How to serve.
#[derive(Debug, Clone, Copy)]
pub struct ServerOptions {
    /// The port; 0 is any that is free.
    pub port: u16,
    /// Largest table that can be dropped, in bytes.
    pub data_limit: u64,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions { port: 0, data_limit: DATA_LIMIT }
    }
}

/// A server that listens, and answers once [`run`](Server::run) is called. It can be reached from this machine alone.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens on 127.0.0.1 for whoever has the token.
    ///
    /// # Errors
    /// If the port is taken, or the system gives no random numbers.
    pub fn bind(project: Project, options: ServerOptions) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let shared =
            Shared { project: Arc::new(project), runs: Runs::default(), data_limit: options.data_limit };
        Ok(Server { listener, address, token: Token::draw()?, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The page's address with the token in its fragment: for the user, and for nobody else.
    pub fn page(&self) -> String {
        format!("http://{}/#t={}", self.address, self.token.expose())
    }

    /// A file that leads a browser to the page.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn doorway(&self) -> io::Result<PathBuf> {
        self.shared.project.doorway(&self.page())
    }

    /// Answers until `stop` says so. Runs are stopped then, and what was dropped is removed.
    ///
    /// # Errors
    /// If the system takes the socket away or makes no threads.
    pub fn run(self, stop: impl Fn() -> bool) -> io::Result<()> {
        // The runtime would panic. One more thread does what may block.
        can_be_made(3, None)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let shared = self.shared.clone();
        let answered = runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let routes = Router::new()
                .nest("/api/v1", api::routes())
                .fallback(|request: Request| async move { page::file(request.uri().path()) })
                .layer(DefaultBodyLimit::max(crate::guard::MOST_BODY as usize))
                .with_state(self.shared);
            // Around the routes, not inside: a foreign request does not even learn which addresses there are.
            let guarded = from_fn_with_state(Guard::new(self.address, self.token), guard).layer(routes);
            let stopped = async {
                while !stop() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            };
            tokio::select! {
                served = axum::serve(listener, ServiceExt::<Request>::into_make_service(guarded)) => served,
                () = stopped => Ok(()),
            }
        });
        shared.runs.stop_all();
        let since = Instant::now();
        while shared.runs.any_running() && since.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        // An answer that is still being read must not keep the table.
        runtime.shutdown_timeout(Duration::from_secs(1));
        shared.project.close();
        answered
    }
}
