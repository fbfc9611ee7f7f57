//! The requests of Spark Connect.

use super::failure::is_lost;
use super::messages::{
    Analyze, AnalyzePlan, Analyzed, AnalyzedKind, Config, ConfigOperation, Configured, Empty, ExecutePlan,
    Executed, Interrupt, KeyValue, ONE_OPERATION, Plan, ReattachExecute, ReattachOptions, Release,
    ReleaseExecute, ReleaseSession, RequestOption, SetConfig, UserContext,
};
use http::uri::PathAndQuery;
use prost::Message;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tonic::client::Grpc;
use tonic::metadata::MetadataMap;
use tonic::transport::Channel;
use tonic::{Extensions, Request, Status, Streaming};
use tonic_prost::ProstCodec;

/// Largest message that is taken: a part of an answer has a few megabytes.
const LARGEST: usize = 1 << 30;

/// A session of the server.
pub(super) struct Client {
    grpc: Grpc<Channel>,
    session: String,
    user: UserContext,
    headers: MetadataMap,
    /// The server's own name of the session. Another one means that the server has forgotten this one.
    observed: Mutex<Option<String>>,
}

impl Client {
    pub(super) fn new(channel: Channel, session: String, user: &str, headers: MetadataMap) -> Client {
        let user = UserContext { user_id: user.to_owned(), user_name: user.to_owned() };
        let grpc = Grpc::new(channel).max_decoding_message_size(LARGEST);
        Client { grpc, session, user, headers, observed: Mutex::default() }
    }

    /// Sets what holds for the session.
    pub(super) async fn configure(&self, settings: &[(&str, &str)]) -> Result<(), Status> {
        let pair = |(key, value): &(&str, &str)| KeyValue {
            key: (*key).to_owned(),
            value: Some((*value).to_owned()),
        };
        let set = SetConfig { pairs: settings.iter().map(pair).collect(), silent: Some(true) };
        let request = Config {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            operation: Some(ConfigOperation { set: Some(set) }),
            client_type: client_type(),
        };
        let told: Configured = self.patiently("/spark.connect.SparkConnectService/Config", request).await?;
        self.observe(&told.server_session_id)
    }

    /// Asks about a plan.
    pub(super) async fn analyze(&self, analyze: Analyze) -> Result<Option<AnalyzedKind>, Status> {
        let request = AnalyzePlan {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            client_type: client_type(),
            analyze: Some(analyze),
            observed_session_id: self.observed(),
        };
        let told: Analyzed =
            self.patiently("/spark.connect.SparkConnectService/AnalyzePlan", request).await?;
        self.observe(&told.server_session_id)?;
        Ok(told.kind)
    }

    /// Begins a plan. Its answer can be asked for again.
    pub(super) async fn execute(&self, operation: &str, plan: Plan) -> Result<Streaming<Executed>, Status> {
        let request = ExecutePlan {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            plan: Some(plan),
            client_type: client_type(),
            options: vec![RequestOption { reattach: Some(ReattachOptions { reattachable: true }) }],
            operation_id: Some(operation.to_owned()),
            observed_session_id: self.observed(),
        };
        self.stream("/spark.connect.SparkConnectService/ExecutePlan", request).await
    }

    /// Asks for what follows the last part that arrived.
    pub(super) async fn reattach(
        &self,
        operation: &str,
        last: Option<String>,
    ) -> Result<Streaming<Executed>, Status> {
        let request = ReattachExecute {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            operation_id: operation.to_owned(),
            client_type: client_type(),
            last_response_id: last,
            observed_session_id: self.observed(),
        };
        self.stream("/spark.connect.SparkConnectService/ReattachExecute", request).await
    }

    /// Says what need not be kept any longer. Whether that arrives does not matter.
    pub(super) async fn release(&self, operation: String, release: Release) {
        let request = ReleaseExecute {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            operation_id: operation,
            client_type: client_type(),
            release: Some(release),
        };
        let _: Result<Empty, _> =
            self.unary("/spark.connect.SparkConnectService/ReleaseExecute", request).await;
    }

    /// Ends an operation. Whether that arrives does not matter.
    pub(super) async fn interrupt(&self, operation: String) {
        let request = Interrupt {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            client_type: client_type(),
            kind: ONE_OPERATION,
            operation_id: Some(operation.clone()),
        };
        let _: Result<Empty, _> = self.unary("/spark.connect.SparkConnectService/Interrupt", request).await;
        self.release(operation, Release::All(Empty {})).await;
    }

    /// Ends the session with its views.
    pub(super) async fn end(&self) {
        let request = ReleaseSession {
            session_id: self.session.clone(),
            user_context: Some(self.user.clone()),
            client_type: client_type(),
        };
        let _: Result<Empty, _> =
            self.unary("/spark.connect.SparkConnectService/ReleaseSession", request).await;
    }

    /// Holds the server's name of the session against the one it had at first.
    pub(super) fn observe(&self, name: &str) -> Result<(), Status> {
        let mut observed = self.observed.lock().unwrap_or_else(PoisonError::into_inner);
        match observed.as_deref() {
            _ if name.is_empty() => Ok(()),
            Some(known) if known == name => Ok(()),
            Some(_) => Err(Status::failed_precondition("[SESSION_CHANGED]")),
            None => {
                *observed = Some(name.to_owned());
                Ok(())
            }
        }
    }

    fn observed(&self) -> Option<String> {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn request<Q>(&self, message: Q) -> Request<Q> {
        Request::from_parts(self.headers.clone(), Extensions::default(), message)
    }

    async fn unary<Q, A>(&self, path: &'static str, message: Q) -> Result<A, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc.clone();
        grpc.ready().await.map_err(gone)?;
        let path = PathAndQuery::from_static(path);
        let codec = ProstCodec::<Q, A>::default();
        Ok(grpc.unary(self.request(message), path, codec).await?.into_inner())
    }

    /// For requests that change nothing when they are sent twice.
    async fn patiently<Q, A>(&self, path: &'static str, message: Q) -> Result<A, Status>
    where
        Q: Message + Clone + 'static,
        A: Message + Default + 'static,
    {
        let mut patience = Patience::default();
        loop {
            match self.unary(path, message.clone()).await {
                Err(status) if is_lost(&status) && patience.wait().await => {}
                told => return told,
            }
        }
    }

    async fn stream<Q, A>(&self, path: &'static str, message: Q) -> Result<Streaming<A>, Status>
    where
        Q: Message + 'static,
        A: Message + Default + 'static,
    {
        let mut grpc = self.grpc.clone();
        grpc.ready().await.map_err(gone)?;
        let path = PathAndQuery::from_static(path);
        let codec = ProstCodec::<Q, A>::default();
        Ok(grpc.server_streaming(self.request(message), path, codec).await?.into_inner())
    }
}

fn gone(_: tonic::transport::Error) -> Status {
    Status::unavailable("the connection cannot be opened again")
}

fn client_type() -> Option<String> {
    Some(concat!("paravent/", env!("CARGO_PKG_VERSION")).to_owned())
}

/// How often a lost connection is tried again, and after which pauses.
#[derive(Default)]
pub(super) struct Patience {
    tries: u32,
}

impl Patience {
    const TRIES: u32 = 6;

    /// Waits a little longer each time; `false` when it is enough.
    pub(super) async fn wait(&mut self) -> bool {
        if self.tries >= Self::TRIES {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(100 << self.tries)).await;
        self.tries += 1;
        true
    }
}
