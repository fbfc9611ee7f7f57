//! Taking part in a run: prepared, looked at, then run over the network.

mod keep;
mod record;

use crate::agreement::{Agreement, Part, receiver_of, split_name};
use crate::release::Published;
use crate::{JointError, part, preview, setup};
use keep::Kept;
use paravent_federation::transport::{
    Cause, Concluded, Ending, Identity, Observer, Patience, Peer, Reason, Session, TransportError,
};
use paravent_federation::{Limits, Outcome, Party, PartyId, PartyTable, Plan, ProtocolError, Watch};
use paravent_job::Problem;
use paravent_pipeline::register::Register;
use paravent_prepare::study::Study;
use paravent_report::{ChannelFacts, FederationFacts, RegisterFacts};
use paravent_tables::watch::Watch as Reading;
use paravent_tables::write::{Replace, Staging};
use rand::SeedableRng;
use rand::rngs::{ChaCha20Rng, SysRng};
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    /// Where to write, if not where the job says.
    pub output: Option<PathBuf>,
    /// Whether a release may be replaced.
    pub replace: Replace,
    /// How long to wait.
    pub patience: Patience,
    /// The longest message.
    pub message_bytes: u64,
}

/// A party that is ready: everything that can be checked alone is.
pub struct Prepared {
    /// What was agreed on.
    pub agreement: Agreement,
    /// The same, as the protocol sees it.
    pub plan: Plan,
    /// Position of this party.
    pub me: usize,
    options: Options,
    identity: Identity,
    study: Option<Study>,
    table: PartyTable,
    rows: usize,
    /// Where the release arrives, if here.
    target: Option<PathBuf>,
    /// What the folder of a record is named after.
    beside: PathBuf,
}

/// How a run ended well.
#[derive(Debug, Clone)]
pub struct Finished {
    /// Where the release is, if here.
    pub released: Option<PathBuf>,
    /// Where this party's record of the run is, if the release is elsewhere.
    pub record: Option<PathBuf>,
    /// The report; at other parties than the receiver what the record says.
    pub document: Value,
    /// Where the release is here: what it tells together with earlier ones of this party's register. The others have no rows to try it on.
    pub register: Option<RegisterFacts>,
}

impl Prepared {
    /// Reads the agreement, the key and the party's table.
    pub fn load(options: Options, watch: &dyn Reading) -> Result<Prepared, JointError> {
        let agreement = setup::load(&options.federation)?;
        let me = agreement.party(&options.me)?;
        let plan = agreement.plan()?;
        agreement.missing().into_result(())?;
        approved(&agreement, me)?;
        let identity = identity(&options.key, &options.certificate, (&agreement, me))?;
        let study = setup::own_study(&agreement, me, options.job.as_deref(), watch)?;
        let mut table = PartyTable::default();
        if let Some(study) = &study {
            part::fits(&agreement, study, &options.me)?;
            table = part::table(&agreement, study, &options.me, watch)?;
        }
        if !plan.identifies_rows() {
            table.identifiers.clear();
        }
        let receives = agreement.parties[me].name == agreement.receiver;
        let beside = beside(&options, study.as_ref());
        let target = Some(beside.clone()).filter(|_| receives && study.is_some());
        let rows = table.rows;
        Ok(Prepared { agreement, plan, me, options, identity, study, table, rows, target, beside })
    }

    /// Rows that this party brings, where it holds data.
    pub fn rows(&self) -> Option<usize> {
        self.study.is_some().then_some(self.rows)
    }

    /// The rows themselves, where it holds data.
    pub fn part(&self) -> Option<&PartyTable> {
        self.study.is_some().then_some(&self.table)
    }

    /// The party's own table and job, where it holds data.
    pub(crate) fn study(&self) -> Option<&Study> {
        self.study.as_ref()
    }

    /// Names of the parties, by position.
    pub fn names(&self) -> Vec<String> {
        self.agreement.parties.iter().map(|party| party.name.clone()).collect()
    }

    /// Whether the release could be put in its place, if it arrives here. To be asked before anybody else waits.
    pub fn can_write(&self) -> Result<(), JointError> {
        let (Some(target), Some(study)) = (&self.target, &self.study) else { return Ok(()) };
        Staging::check(target, self.options.replace).map_err(|error| self.of_job(error.into()))?;
        Ok(Register::admit(study.job.register().as_deref(), target)?)
    }

    fn of_job(&self, error: paravent_pipeline::run::RunError) -> JointError {
        JointError::of_job(self.options.job.as_deref().unwrap_or(&self.options.federation), error)
    }

    /// Runs, and writes the release where this party is the one to have it.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Finished, JointError> {
        let table = std::mem::take(&mut self.table);
        let mut kept =
            Kept::new(&self, self.study.as_ref().zip(self.target.as_deref()), self.options.replace);
        let concluded = self.over_the_network(table, &mut kept, observer);
        let Kept { published, refused, .. } = kept;
        if let Some(error) = refused {
            return Err(self.of_job(error));
        }
        let concluded = concluded.map_err(|error| failed(&self.agreement, &error))?;
        let nothing = concluded.endings.values().any(|ending| *ending == Ending::Infeasible);
        if nothing || concluded.outcome == Outcome::Infeasible {
            return Err(JointError::Infeasible { relaxations: Vec::new() });
        }
        Ok(match published {
            Some(Published { path, document, register }) => {
                Finished { released: Some(path), record: None, document, register }
            }
            None => {
                let (place, document) = record::record(&self, &self.beside, self.facts(&concluded))?;
                Finished { released: None, record: Some(place), document, register: None }
            }
        })
    }

    fn over_the_network(
        &self,
        table: PartyTable,
        keeper: &mut Kept<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Concluded, TransportError> {
        let parties = self.agreement.parties.iter().enumerate().filter(|(position, _)| *position != self.me);
        let peers = parties.filter_map(|(position, party)| {
            Some(Peer {
                id: PartyId(position as u16),
                address: party.address.clone()?,
                fingerprint: party.fingerprint?,
            })
        });
        let own = self.agreement.parties[self.me].address.clone().unwrap_or_default();
        let receiver = receiver_of(self.plan.protocol, self.plan.column_keys, self.plan.members.len());
        let session = Session {
            me: PartyId(self.me as u16),
            agreement: self.agreement.digest(),
            identity: &self.identity,
            listen: self.options.listen.clone().unwrap_or(own),
            peers: peers.collect(),
            receiver: PartyId(receiver as u16),
            patience: self.options.patience,
            limits: Limits { message_bytes: self.options.message_bytes, ..Limits::default() },
        };
        let helper = self.agreement.parties[self.me].part == Part::Helper;
        let me = PartyId(self.me as u16);
        let mut table = Some(table);
        let mut begin = |watch: &mut dyn Watch| {
            let rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| ProtocolError::Stopped)?;
            let rng = Box::new(rng);
            match helper {
                true => Party::helper(&self.plan, rng, watch),
                false => Party::primary(&self.plan, me, table.take().unwrap_or_default(), rng, watch),
            }
        };
        session.run(&mut begin, keeper, observer)
    }

    /// What a report tells of the run.
    pub(crate) fn facts(&self, concluded: &Concluded) -> FederationFacts {
        let agreement = &self.agreement;
        let name = |party: PartyId| agreement.parties[usize::from(party.0)].name.clone();
        let channels = concluded.channels.iter().map(|channel| {
            let (messages_sent, bytes_sent, messages_received, bytes_received) =
                concluded.volumes.get(&channel.with).copied().unwrap_or_default();
            ChannelFacts {
                with: name(channel.with),
                messages_sent,
                bytes_sent,
                messages_received,
                bytes_received,
                sent_sha256: hex::encode(channel.sent),
                received_sha256: hex::encode(channel.received),
            }
        });
        FederationFacts {
            run: agreement.run.clone(),
            agreement: agreement.digest_text(),
            protocol: agreement.protocol.letter().to_ascii_lowercase().to_string(),
            split: split_name(agreement.split, agreement.holders),
            party: agreement.parties[self.me].name.clone(),
            receiver: agreement.receiver.clone(),
            transcript: concluded.transcript.to_string(),
            channels: channels.collect(),
            told: preview::told_facts(agreement, &self.plan),
            released_by: None,
        }
    }
}

fn approved(agreement: &Agreement, me: usize) -> Result<(), Problem> {
    let message = match &agreement.parties[me].approved {
        Some(digest) if *digest == agreement.digest_text() => return Ok(()),
        Some(_) => "the file was changed after this party approved it",
        None => "this party has not approved the file",
    };
    let problem = agreement.source.problem(&format!("parties[{me}].approved"), message);
    Err(problem.advise("Read it again, then run: paravent party approve"))
}

pub(crate) fn identity(
    key: &Path,
    certificate: &Path,
    (agreement, me): (&Agreement, usize),
) -> Result<Identity, JointError> {
    let read = |path: &Path| std::fs::read(path).map_err(|error| JointError::io(path, error));
    private(key)?;
    let identity = Identity::from_pem(&read(certificate)?, &read(key)?)
        .map_err(|error| Problem::new(certificate, error.to_string()))?;
    if Some(identity.fingerprint()) != agreement.parties[me].fingerprint {
        let key = format!("parties[{me}].fingerprint");
        let message = format!("is not that of {}", certificate.display());
        let problem = agreement.source.problem(&key, message);
        return Err(problem.advise("Use the certificate this party joined with, or join again").into());
    }
    Ok(identity)
}

/// A key that others can read is no longer one.
#[cfg(unix)]
fn private(key: &Path) -> Result<(), Problem> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(key) {
        Ok(found) if found.permissions().mode() & 0o077 != 0 => {
            Err(Problem::new(key, "others can read this key")
                .advise("Run chmod 600 on it; make a new key if others may have read it"))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn private(_: &Path) -> Result<(), Problem> {
    Ok(())
}

/// Where the release would be: as asked, as the job says, or, without a job, beside the federation file.
fn beside(options: &Options, study: Option<&Study>) -> PathBuf {
    let here = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (&options.output, study) {
        (Some(output), _) => here(output),
        (None, Some(study)) => study.job.resolve(&study.job.output.path),
        (None, None) => here(&options.federation.with_extension("")),
    }
}

/// Names the parties by name.
pub(crate) fn failed(agreement: &Agreement, error: &TransportError) -> JointError {
    if matches!(error, TransportError::Interrupted) {
        return JointError::Stopped;
    }
    let (receiver, message) = (&agreement.receiver, with_names(agreement, error.to_string()));
    let advice = match error {
        TransportError::OutcomeUnknown { transcript, .. } => {
            let advice = format!(
                "Ask {receiver}, which knows for certain: a release with the transcript {transcript} is the one of this run. Do not start again before"
            );
            return JointError::Unknown { message, advice };
        }
        TransportError::Stopped(Cause { reason: Reason::Unpublished, .. }) => {
            format!("{receiver} says what stood in the way; start again everywhere when it is mended")
        }
        _ => "The run has ended at all parties; there is no release. Start it again everywhere".to_owned(),
    };
    JointError::Ended { message, advice }
}

fn with_names(agreement: &Agreement, mut message: String) -> String {
    for (position, party) in agreement.parties.iter().enumerate().rev() {
        message = message.replace(
            &format!("party {}", position + 1),
            &format!("party \u{1}{} ({})", position + 1, party.name),
        );
    }
    message.replace('\u{1}', "")
}
