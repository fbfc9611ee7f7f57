//! What connections share.

use crate::limits::Limits;
use crate::users::Users;
use paravent_job::Job;
use paravent_policy::Policy;
use pgwire::messages::startup::SecretKey;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{Notify, Semaphore, watch};
use tokio_rustls::TlsAcceptor;

/// A line for the owner.
pub(crate) type Log = Box<dyn Fn(&str) + Send + Sync>;

/// What connections share.
pub(crate) struct Shared {
    pub(crate) policy: Policy,
    pub(crate) jobs: BTreeMap<String, Job>,
    pub(crate) users: Users,
    pub(crate) limits: Limits,
    pub(crate) tls: Option<TlsAcceptor>,
    /// For unknown names.
    pub(crate) secret: [u8; 32],
    /// A permit for each question that is worked on.
    pub(crate) working: Arc<Semaphore>,
    pub(crate) stopping: watch::Sender<bool>,
    pub(crate) log: Log,
    pub(crate) connected: Mutex<HashMap<i32, (i32, Arc<Notify>)>>,
    pub(crate) next: AtomicI32,
}

/// A connection that can be asked to stop its question; forgotten when it is dropped.
pub(crate) struct Registered {
    pub(crate) pid: i32,
    pub(crate) secret: i32,
    shared: Arc<Shared>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.shared.connections().remove(&self.pid);
    }
}

impl Shared {
    fn connections(&self) -> std::sync::MutexGuard<'_, HashMap<i32, (i32, Arc<Notify>)>> {
        self.connected.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number and a secret for a connection; none where the system gives no random numbers.
    pub(crate) fn register(self: &Arc<Shared>, cancelled: Arc<Notify>) -> Option<Registered> {
        let mut bytes = [0; 4];
        getrandom::fill(&mut bytes).ok()?;
        let (pid, secret) = (self.next.fetch_add(1, Ordering::Relaxed) & i32::MAX, i32::from_be_bytes(bytes));
        self.connections().insert(pid, (secret, cancelled));
        Some(Registered { pid, secret, shared: Arc::clone(self) })
    }

    /// Stops waiting for a question, for whoever knows the secret of its connection.
    pub(crate) fn cancel(&self, pid: i32, secret: &SecretKey) {
        if let Some((own, cancelled)) = self.connections().get(&pid)
            && SecretKey::I32(*own).eq_value(secret)
        {
            cancelled.notify_waiters();
        }
    }
}
