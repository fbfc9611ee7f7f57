//! Requests and answers: gRPC on a thread of its own, waited for from here.

use super::messages::ExecutePlanResponse;
use http::uri::PathAndQuery;
use paravent_tables::engine::{EngineError, Traffic, is_stopped};
use prost::Message;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tonic::client::Grpc;
use tonic::metadata::{Ascii, MetadataKey, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};
use tonic_prost::ProstCodec;

/// The largest message that is taken. Servers send batches of a few megabytes.
const LARGEST: usize = 256 << 20;
/// How often somebody is asked whether to stop.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) type Header = (MetadataKey<Ascii>, MetadataValue<Ascii>);

/// Why there is no answer.
pub(super) enum Failed {
    Stopped,
    Status(Box<Status>),
}

impl From<Status> for Failed {
    fn from(status: Status) -> Failed {
        Failed::Status(Box::new(status))
    }
}

/// A connection.
pub(super) struct Wire {
    runtime: Runtime,
    channel: Channel,
    headers: Vec<Header>,
    received: AtomicU64,
    sent: AtomicU64,
}

impl Wire {
    pub(super) fn connect(endpoint: Endpoint, headers: Vec<Header>) -> Result<Wire, EngineError> {
        let failed = |what: &str| EngineError::Unreachable(what.to_owned());
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("paravent-spark").enable_all().build();
        let runtime = runtime.map_err(|_| failed("no thread for the connection"))?;
        let channel = runtime.block_on(endpoint.connect()).map_err(|error| failed(kind(&error)))?;
        Ok(Wire { runtime, channel, headers, received: AtomicU64::new(0), sent: AtomicU64::new(0) })
    }

    pub(super) fn traffic(&self) -> Traffic {
        Traffic {
            received: self.received.load(Ordering::Relaxed),
            sent: self.sent.load(Ordering::Relaxed),
        }
    }

    fn request<M: Message>(&self, message: M) -> Request<M> {
        self.sent.fetch_add(message.encoded_len() as u64, Ordering::Relaxed);
        let mut request = Request::new(message);
        for (name, value) in &self.headers {
            request.metadata_mut().insert(name.clone(), value.clone());
        }
        request
    }

    fn client(&self) -> Grpc<Channel> {
        Grpc::new(self.channel.clone()).max_decoding_message_size(LARGEST).max_encoding_message_size(LARGEST)
    }

    /// One request, one answer.
    pub(super) fn unary<Q, A>(&self, method: &'static str, message: Q) -> Result<A, Failed>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let (request, mut client) = (self.request(message), self.client());
        let answer = self.wait(async {
            client.ready().await.map_err(|_| Status::unavailable(""))?;
            client.unary(request, PathAndQuery::from_static(method), ProstCodec::<Q, A>::default()).await
        })?;
        let answer = answer.into_inner();
        self.received.fetch_add(answer.encoded_len() as u64, Ordering::Relaxed);
        Ok(answer)
    }

    /// One request, many answers.
    pub(super) fn streaming<Q>(
        &self,
        method: &'static str,
        message: Q,
    ) -> Result<Streaming<ExecutePlanResponse>, Failed>
    where
        Q: Message + 'static,
    {
        let (request, mut client) = (self.request(message), self.client());
        let answers = self.wait(async {
            client.ready().await.map_err(|_| Status::unavailable(""))?;
            let codec = ProstCodec::<Q, ExecutePlanResponse>::default();
            client.server_streaming(request, PathAndQuery::from_static(method), codec).await
        })?;
        Ok(answers.into_inner())
    }

    /// The next of many answers.
    pub(super) fn next(
        &self,
        answers: &mut Streaming<ExecutePlanResponse>,
    ) -> Result<Option<ExecutePlanResponse>, Failed> {
        let answer = self.wait(answers.message())?;
        if let Some(answer) = &answer {
            self.received.fetch_add(answer.encoded_len() as u64, Ordering::Relaxed);
        }
        Ok(answer)
    }

    /// Waits, unless somebody wants to stop.
    fn wait<T>(&self, work: impl Future<Output = Result<T, Status>>) -> Result<T, Failed> {
        self.runtime.block_on(async {
            let mut work = pin!(work);
            loop {
                tokio::select! {
                    done = &mut work => return done.map_err(Failed::from),
                    () = tokio::time::sleep(PATIENCE) => {
                        if is_stopped() {
                            return Err(Failed::Stopped);
                        }
                    }
                }
            }
        })
    }
}

/// Why nobody answers, in our words.
fn kind(error: &tonic::transport::Error) -> &'static str {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return match error.kind() {
                std::io::ErrorKind::ConnectionRefused => "connection refused",
                std::io::ErrorKind::TimedOut => "timed out",
                std::io::ErrorKind::InvalidData => "no encrypted connection with a certificate that is trusted",
                _ => "no connection",
            };
        }
        cause = error.source();
    }
    "no connection"
}
