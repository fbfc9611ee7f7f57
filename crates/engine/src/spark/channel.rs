//! The connection: plain or encrypted, and every byte counted.

use super::door::Door;
use crate::certificates::UNTRUSTED;
use hyper_util::rt::TokioIo;
use paravent_tables::engine::{EngineError, Traffic};
use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel, Endpoint, Uri};

/// How long the server may take to open the door.
const PATIENCE: Duration = Duration::from_secs(15);
/// A peer that is silent for so long is asked whether it is still there.
const SILENCE: Duration = Duration::from_secs(60);
/// Bytes that may be on their way before they are read.
const WINDOW: u32 = 8 << 20;

/// Bytes that crossed the wire.
#[derive(Default)]
pub(super) struct Meter {
    received: AtomicU64,
    sent: AtomicU64,
}

impl Meter {
    pub(super) fn traffic(&self) -> Traffic {
        Traffic { received: self.received.load(Ordering::Relaxed), sent: self.sent.load(Ordering::Relaxed) }
    }
}

/// Opens the connection. It opens itself again where it is lost.
pub(super) async fn connect(door: Door, meter: Arc<Meter>) -> Result<Channel, EngineError> {
    let unusable = |_| EngineError::Unreachable("the host's name cannot be used".to_owned());
    let scheme = if door.encryption.is_some() { "https" } else { "http" };
    let origin: Uri = format!("{scheme}://{}", door.authority())
        .parse()
        .map_err(|_| EngineError::Unreachable("the host's name cannot be used".to_owned()))?;
    let endpoint = Endpoint::from_shared(format!("http://{}", door.authority()))
        .and_then(|endpoint| endpoint.user_agent(concat!("paravent/", env!("CARGO_PKG_VERSION"))))
        .map_err(unusable)?
        .origin(origin)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW);
    // The layers between here and the socket tell no more than that it failed.
    let why: Arc<Mutex<Option<EngineError>>> = Arc::default();
    let told = why.clone();
    let connector = tower::service_fn(move |_: Uri| {
        let (door, meter, told) = (door.clone(), meter.clone(), told.clone());
        async move {
            dial(&door, meter).await.map(TokioIo::new).map_err(|error| {
                *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                io::Error::from(io::ErrorKind::ConnectionRefused)
            })
        }
    });
    endpoint.connect_with_connector(connector).await.map_err(|_| {
        let why = why.lock().unwrap_or_else(PoisonError::into_inner).take();
        why.unwrap_or(EngineError::Garbled("(it does not speak HTTP/2, so it is not Spark Connect)"))
    })
}

/// What bytes go through.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

async fn dial(door: &Door, meter: Arc<Meter>) -> Result<Box<dyn Stream>, EngineError> {
    let unreachable = |error: io::Error| EngineError::Unreachable(error.kind().to_string());
    let slow = |_| EngineError::Unreachable("no answer in time".to_owned());
    let connecting = TcpStream::connect((door.host.as_str(), door.port));
    let stream = tokio::time::timeout(PATIENCE, connecting).await.map_err(slow)?.map_err(unreachable)?;
    stream.set_nodelay(true).map_err(unreachable)?;
    let keepalive = TcpKeepalive::new().with_time(SILENCE);
    SockRef::from(&stream).set_tcp_keepalive(&keepalive).map_err(unreachable)?;
    let stream = Counted { stream, meter };
    let Some((config, name)) = &door.encryption else { return Ok(Box::new(stream)) };
    let shaking = TlsConnector::from(config.clone()).connect(name.clone(), stream);
    let stream = tokio::time::timeout(PATIENCE, shaking).await.map_err(slow)?.map_err(|error| {
        let why = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(rustls::Error::InvalidCertificate(_)) => UNTRUSTED,
            _ => "the server does not encrypt, or not in a way that this program knows; only on this machine, or in a network that you trust with these people, write use_ssl=false",
        };
        EngineError::Tls(why.to_owned())
    })?;
    Ok(Box::new(stream))
}

/// Counts what goes through.
struct Counted {
    stream: TcpStream,
    meter: Arc<Meter>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.meter.received.fetch_add((buffer.filled().len() - before) as u64, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        self.meter.sent.fetch_add(count as u64, Ordering::Relaxed);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
