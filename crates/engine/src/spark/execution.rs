//! A plan that is carried out, and its answer. Where the connection breaks, the rest of the answer is asked for again.

use super::client::{Client, Patience};
use super::failure::{is_lost, is_unknown_operation};
use super::messages::{ArrowBatch, Empty, Executed, ExecutedKind, Plan, Release, ReleaseUntil};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tonic::{Status, Streaming};

/// Parts of an answer after which the server is told that it need not keep them.
const KEPT: u32 = 8;
/// A stream that lasted so long was no failed attempt: servers end streams every few minutes, and want to be asked again.
const LASTED: Duration = Duration::from_secs(1);

/// A plan on its way.
pub(super) struct Execution {
    client: Arc<Client>,
    plan: Plan,
    operation: String,
    stream: Option<(Streaming<Executed>, Instant)>,
    /// The last part that arrived.
    last: Option<String>,
    is_begun: bool,
    is_complete: bool,
    /// Parts that the server still keeps.
    kept: u32,
}

impl Execution {
    pub(super) fn new(client: Arc<Client>, operation: String, plan: Plan) -> Execution {
        let (stream, last) = (None, None);
        Execution { client, plan, operation, stream, last, is_begun: false, is_complete: false, kept: 0 }
    }

    /// The next rows; `None` after the last.
    pub(super) async fn next(&mut self) -> Result<Option<ArrowBatch>, Status> {
        let mut patience = Patience::default();
        while !self.is_complete {
            let since = self.stream.as_ref().map(|(_, since)| *since);
            let has_lasted = since.is_some_and(|since| since.elapsed() > LASTED);
            if has_lasted {
                patience = Patience::default();
            }
            match self.receive().await {
                Ok(Some(executed)) => {
                    self.client.observe(&executed.server_session_id)?;
                    patience = Patience::default();
                    if let Some(batch) = self.take(executed) {
                        return Ok(Some(batch));
                    }
                }
                Ok(None) => {
                    self.stream = None;
                    let is_patient = has_lasted || patience.wait().await;
                    if !is_patient {
                        return Err(Status::unavailable("no end"));
                    }
                }
                Err(status) => {
                    self.stream = None;
                    let begin_again = is_unknown_operation(&status) && self.last.is_none();
                    if !(is_lost(&status) || begin_again) || !patience.wait().await {
                        return Err(status);
                    }
                    self.is_begun &= !begin_again;
                }
            }
        }
        Ok(None)
    }

    async fn receive(&mut self) -> Result<Option<Executed>, Status> {
        let (stream, _) = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let begun = std::mem::replace(&mut self.is_begun, true);
                let stream = match begun {
                    true => self.client.reattach(&self.operation, self.last.clone()).await?,
                    false => self.client.execute(&self.operation, self.plan.clone()).await?,
                };
                self.stream.insert((stream, Instant::now()))
            }
        };
        stream.message().await
    }

    fn take(&mut self, executed: Executed) -> Option<ArrowBatch> {
        if !executed.response_id.is_empty() {
            self.last = Some(executed.response_id);
        }
        match executed.kind {
            Some(ExecutedKind::Batch(batch)) => {
                self.kept += 1;
                if let Some(response_id) = self.last.clone().filter(|_| self.kept >= KEPT) {
                    self.kept = 0;
                    self.release(Release::Until(ReleaseUntil { response_id }));
                }
                Some(batch)
            }
            Some(ExecutedKind::Complete(_)) => {
                self.is_complete = true;
                self.stream = None;
                self.release(Release::All(Empty {}));
                None
            }
            None => None,
        }
    }

    fn release(&self, release: Release) {
        let (client, operation) = (self.client.clone(), self.operation.clone());
        tokio::spawn(async move { client.release(operation, release).await });
    }
}
