//! What the parties but the helper do together beside a run: after all have joined and before anybody approves.

use crate::JointError;
use crate::agreement::{Agreement, Part};
use crate::setup::load;
use crate::take_part::{failed, identity};
use paravent_federation::transport::{Concluded, Keeper, Observer, Patience, Peer, Session};
use paravent_federation::{Limits, Outcome, Party, PartyId, Plan, Progress, ProtocolError, Watch};
use rand::SeedableRng;
use rand::rngs::{ChaCha20Rng, SysRng};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// How to take part.
#[derive(Debug, Clone)]
pub struct Options {
    /// The federation file.
    pub federation: PathBuf,
    /// The job file of this party, where it holds data.
    pub job: Option<PathBuf>,
    /// Which party this is.
    pub me: String,
    /// Its private key.
    pub key: PathBuf,
    /// Its certificate.
    pub certificate: PathBuf,
    /// Where to listen, if not at the address of the federation file.
    pub listen: Option<String>,
    /// How long to wait.
    pub patience: Patience,
    /// The longest message.
    pub message_bytes: u64,
}

/// The agreement as far as it goes, and the position of this party: one that is not the helper, in a file that all have joined.
pub(crate) fn joined(options: &Options, helper: &str) -> Result<(Agreement, usize), JointError> {
    let agreement = load(&options.federation)?;
    let me = agreement.party(&options.me)?;
    agreement.plan()?;
    agreement.missing().into_result(())?;
    if agreement.parties[me].part == Part::Helper {
        return Err(JointError::Usage(helper.to_owned()));
    }
    Ok((agreement, me))
}

/// A source of random numbers for a party.
pub(crate) type Random = Box<ChaCha20Rng>;

/// How a party of a plan begins.
pub(crate) type Begin<'a> =
    &'a mut dyn FnMut(&Plan, Random, &mut dyn Watch) -> Result<(Party, Progress), ProtocolError>;

/// Talks to the other parties but the helper. Only those who came for the same purpose talk to each other.
pub(crate) fn together(
    (agreement, me): (&Agreement, usize),
    options: &Options,
    purpose: &str,
    begin: Begin<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, JointError> {
    let identity = identity(&options.key, &options.certificate, (agreement, me))?;
    let plan = agreement.plan()?;
    let parties = agreement.parties.iter().enumerate();
    let others = parties.filter(|(position, party)| *position != me && party.part != Part::Helper);
    let peers = others.filter_map(|(position, party)| {
        let id = PartyId(position as u16);
        Some(Peer { id, address: party.address.clone()?, fingerprint: party.fingerprint? })
    });
    let own = agreement.parties[me].address.clone().unwrap_or_default();
    let session = Session {
        me: PartyId(me as u16),
        agreement: Sha256::new().chain_update(purpose).chain_update(agreement.digest()).finalize().into(),
        identity: &identity,
        listen: options.listen.clone().unwrap_or(own),
        peers: peers.collect(),
        receiver: PartyId(0),
        patience: options.patience,
        limits: Limits { message_bytes: options.message_bytes, ..Limits::default() },
    };
    let mut begin = |watch: &mut dyn Watch| {
        let rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| ProtocolError::Stopped)?;
        begin(&plan, Box::new(rng), watch)
    };
    let concluded = session.run(&mut begin, &mut NothingKept, observer);
    Ok(concluded.map_err(|error| failed(agreement, &error))?.outcome)
}

/// There is nothing to put anywhere.
struct NothingKept;

impl Keeper for NothingKept {
    fn accept(&mut self, outcome: &Outcome) -> bool {
        matches!(outcome, Outcome::Matched(_) | Outcome::United(_))
    }

    fn publish(&mut self, _: &Concluded) -> bool {
        false
    }
}
