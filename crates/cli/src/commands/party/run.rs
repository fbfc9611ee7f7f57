//! `paravent party run`

use super::agreement::{Agreement, Part, receiver_of};
use super::keep::Kept;
use super::{invite, part, preview};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{Session, run_error};
use crate::failure::Failure;
use crate::layout::{count, counted, short};
use crate::signals;
use paravent_federation::transport::{
    Concluded, Ending, Identity, Keeper, Observer, Patience, Peer, Reason, Session as Network, TransportError,
};
use paravent_federation::{Limits, Outcome, Party, PartyId, PartyTable, Phase, Plan, Watch};
use paravent_pipeline::job::Problem;
use paravent_pipeline::register::Register;
use paravent_pipeline::study::Study;
use paravent_pipeline::write::{Replace, Staging};
use rand::SeedableRng;
use rand::rngs::{ChaCha20Rng, SysRng};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  paravent party run federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem --preview
  paravent party run federation.toml paravent.toml --me clinic-b --key clinic-b.key.pem --certificate clinic-b.cert.pem
  paravent party run federation.toml --me trustee --key trustee.key.pem --certificate trustee.cert.pem --yes

Shows what this party will send and who learns what, and asks. All parties run it at about the same time, in any order.
If anything goes wrong anywhere, all of them end, and there is no release. Who does not hear how the very last step ended says
so (exit code 5): then the party where the release arrives knows.";

/// Take part in a run: over mutual TLS, with the parties of a federation file
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The federation file
    federation: PathBuf,
    /// The job file of this party
    job: Option<PathBuf>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
    /// Its private key
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// Its certificate
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
    /// Listen here instead of at the address of the federation file
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,
    /// Consent without being asked
    #[arg(long, short)]
    yes: bool,
    /// Show what would be sent and learnt; connect to nobody
    #[arg(long)]
    preview: bool,
    /// Write to this directory instead of the job's
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace a release that is there already
    #[arg(long, short)]
    force: bool,
    /// Wait so long for all parties to come
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    connect_timeout: u64,
    /// End if a party gives no sign of life for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..))]
    idle_timeout: u64,
    /// End if the next message takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..))]
    phase_timeout: u64,
    /// Accept no longer message
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 30)]
    max_message: u64,
}

/// Shows, asks, runs, and writes the release where this party is the one to have it.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let configuration = |problems| Failure::Configuration { problems };
    let agreement = invite::load(&args.federation)?;
    let me = agreement.party(&args.me).map_err(Failure::configuration)?;
    let plan = agreement.plan().map_err(configuration)?;
    agreement.missing().into_result(()).map_err(configuration)?;
    approved(&agreement, me)?;
    let identity = identity(args, &agreement, me)?;
    let study = invite::own_study(&agreement, me, args.job.as_deref(), session)?;
    let mut table = PartyTable::default();
    if let (Some(study), Some(job)) = (&study, &args.job) {
        part::fits(&agreement, study, &args.me).map_err(configuration)?;
        table = part::table(&agreement, study, &args.me, job)?;
    }
    let rows = study.is_some().then_some(table.rows);
    let shown = preview::text(&agreement, &plan, me, rows);
    if args.preview {
        let mut document = preview::json(&agreement, &plan);
        document["digest"] = json!(agreement.digest_text());
        return Ok(Answer::of_text(shown, document));
    }
    let target =
        (agreement.parties[me].name == agreement.receiver).then(|| target(args, study.as_ref())).flatten();
    let replace = if args.force { Replace::Force } else { Replace::Refuse };
    let job_path = args.job.as_deref().unwrap_or(&args.federation);
    if let Some(target) = &target {
        Staging::check(target, replace).map_err(|error| run_error::failure(error.into(), job_path))?;
        if let Some(register) = study.as_ref().and_then(|study| study.job.register()) {
            Register::check(&register, target).map_err(|error| run_error::of_register(&error))?;
        }
    }
    consent(args, &shown)?;
    signals::install();
    let taking_part = TakingPart { agreement: &agreement, plan: &plan, me, identity: &identity, args };
    let mut kept = Kept::new(&taking_part, study.as_ref().zip(target.as_deref()), replace);
    let concluded = taking_part.run(table, &mut kept, session);
    if let Some(error) = kept.refused {
        return Err(run_error::failure(error, job_path));
    }
    let concluded = concluded.map_err(|error| failed(&agreement, &error))?;
    let nothing = concluded.endings.values().any(|ending| *ending == Ending::Infeasible);
    if nothing || concluded.outcome == Outcome::Infeasible {
        return Err(Failure::Infeasible { relaxations: Vec::new(), complete: true });
    }
    let Some((path, document)) = kept.published else {
        let federation = facts(&agreement, &plan, me, &concluded);
        let text = format!(
            "{}The release is at {}.\n{}",
            done(&agreement, &federation),
            agreement.receiver,
            learned(&federation)
        );
        return Ok(Answer::done(text, json!({ "federation": federation })));
    };
    let federation = &document["federation"];
    let solution = &document["solution"];
    let text = format!(
        "{}Released      {}, {} suppressed, verified\n  levels {}\n  {} {}\n  in {}\n{}",
        done(&agreement, federation),
        counted(document["output"]["rows"].as_u64().unwrap_or_default(), "row"),
        count(solution["suppressed_rows"].as_u64().unwrap_or_default()),
        levels(&agreement, solution),
        solution["metric"].as_str().unwrap_or_default(),
        short(solution["loss"].as_f64().unwrap_or_default()),
        path.display(),
        learned(federation),
    );
    Ok(Answer::done(text, document))
}

fn approved(agreement: &Agreement, me: usize) -> Result<(), Failure> {
    let message = match &agreement.parties[me].approved {
        Some(digest) if *digest == agreement.digest_text() => return Ok(()),
        Some(_) => "the file was changed after this party approved it",
        None => "this party has not approved the file",
    };
    let problem = agreement.source.problem(&format!("parties[{me}].approved"), message);
    Err(Failure::configuration(problem.advise("Read it again, then run: paravent party approve")))
}

fn identity(args: &Args, agreement: &Agreement, me: usize) -> Result<Identity, Failure> {
    let read = |path: &Path| {
        std::fs::read(path).map_err(|error| Failure::input_output(format!("{}: {error}", path.display())))
    };
    private(&args.key)?;
    let identity = Identity::from_pem(&read(&args.certificate)?, &read(&args.key)?)
        .map_err(|error| Failure::configuration(Problem::new(&args.certificate, error.to_string())))?;
    if Some(identity.fingerprint()) != agreement.parties[me].fingerprint {
        let key = format!("parties[{me}].fingerprint");
        let problem =
            agreement.source.problem(&key, format!("is not that of {}", args.certificate.display()));
        return Err(Failure::configuration(
            problem.advise("Use the certificate this party joined with, or join again"),
        ));
    }
    Ok(identity)
}

/// A key that others can read is no longer one.
#[cfg(unix)]
fn private(key: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    match std::fs::metadata(key) {
        Ok(found) if found.permissions().mode() & 0o077 != 0 => Err(Failure::configuration(
            Problem::new(key, "others can read this key")
                .advise("Run chmod 600 on it; make a new key if others may have read it"),
        )),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn private(_: &Path) -> Result<(), Failure> {
    Ok(())
}

fn target(args: &Args, study: Option<&Study>) -> Option<PathBuf> {
    let study = study?;
    let here = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    Some(args.output.as_ref().map_or_else(|| study.job.resolve(&study.job.output.path), here))
}

fn consent(args: &Args, shown: &str) -> Result<(), Failure> {
    if args.yes {
        return Ok(());
    }
    if !std::io::stdin().is_terminal() {
        let message = "nobody is there to consent: look with --preview, then say --yes";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let mut screen = std::io::stderr();
    let _ = write!(screen, "{shown}\nTake part? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    match (read, answer.trim()) {
        (Ok(_), "y" | "Y" | "yes") => Ok(()),
        _ => Err(Failure::Stopped),
    }
}

pub(super) struct TakingPart<'a> {
    pub(super) agreement: &'a Agreement,
    pub(super) plan: &'a Plan,
    pub(super) me: usize,
    identity: &'a Identity,
    args: &'a Args,
}

impl TakingPart<'_> {
    fn run(
        &self,
        table: PartyTable,
        keeper: &mut dyn Keeper,
        session: &Session,
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
        let network = Network {
            me: PartyId(self.me as u16),
            agreement: self.agreement.digest(),
            identity: self.identity,
            listen: self.args.listen.clone().unwrap_or(own),
            peers: peers.collect(),
            receiver: PartyId(
                receiver_of(self.plan.protocol, self.plan.column_keys, self.plan.members.len()) as u16,
            ),
            patience: Patience {
                connect: Duration::from_secs(self.args.connect_timeout),
                idle: Duration::from_secs(self.args.idle_timeout),
                phase: Duration::from_secs(self.args.phase_timeout),
            },
            limits: Limits { message_bytes: self.args.max_message, ..Limits::default() },
        };
        let helper = self.agreement.parties[self.me].part == Part::Helper;
        let mut table = Some(table);
        let mut begin = |watch: &mut dyn Watch| {
            let rng = ChaCha20Rng::try_from_rng(&mut SysRng)
                .map_err(|_| paravent_federation::ProtocolError::Stopped)?;
            let rng = Box::new(rng);
            match helper {
                true => Party::helper(self.plan, rng, watch),
                false => Party::primary(
                    self.plan,
                    PartyId(self.me as u16),
                    table.take().unwrap_or_default(),
                    rng,
                    watch,
                ),
            }
        };
        let names = self.agreement.parties.iter().map(|party| party.name.clone()).collect();
        let mut told = Told { names, quiet: session.quiet, last: None, steps: 0, spoken: Instant::now() };
        network.run(&mut begin, keeper, &mut told)
    }
}

/// Progress on stderr, a line per phase, and from time to time one within it.
struct Told {
    names: Vec<String>,
    quiet: bool,
    last: Option<Phase>,
    /// Messages taken in within the phase.
    steps: u64,
    spoken: Instant,
}

/// Between two lines of the same phase.
const SILENCE: Duration = Duration::from_secs(10);

impl Told {
    fn say(&self, text: &str) {
        if !self.quiet {
            // Nobody has to listen.
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }
}

impl Watch for Told {
    fn begins(&mut self, phase: Phase) {
        if self.last.replace(phase) != Some(phase) {
            (self.steps, self.spoken) = (0, Instant::now());
            self.say(&format!("phase: {}", phase.name()));
            return;
        }
        self.steps += 1;
        if self.spoken.elapsed() >= SILENCE {
            self.spoken = Instant::now();
            self.say(&format!("phase: {}, {}", phase.name(), counted(self.steps, "message")));
        }
    }
}

impl Observer for Told {
    fn connected(&mut self, party: PartyId) {
        self.say(&format!("connected: {}", self.names.get(usize::from(party.0)).map_or("", String::as_str)));
    }

    fn left(&mut self, party: PartyId) {
        let name = self.names.get(usize::from(party.0)).map_or("", String::as_str);
        self.say(&format!("left: {name}; waiting for it to come back"));
    }

    fn waits(&mut self) {
        self.say("done here; waiting for the others");
    }

    fn stop(&self) -> bool {
        signals::stop()
    }
}

pub(super) fn facts(agreement: &Agreement, plan: &Plan, me: usize, concluded: &Concluded) -> Value {
    let hexadecimal = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let name = |party: PartyId| agreement.parties[usize::from(party.0)].name.clone();
    let channels = concluded.channels.iter().map(|channel| {
        let (sent, sent_bytes, received, received_bytes) =
            concluded.volumes.get(&channel.with).copied().unwrap_or_default();
        json!({
            "with": name(channel.with),
            "messages_sent": sent,
            "bytes_sent": sent_bytes,
            "messages_received": received,
            "bytes_received": received_bytes,
            "sent_sha256": hexadecimal(&channel.sent),
            "received_sha256": hexadecimal(&channel.received),
        })
    });
    let mut facts = json!({
        "run": agreement.run,
        "agreement": agreement.digest_text(),
        "protocol": agreement.protocol.letter().to_ascii_lowercase().to_string(),
        "split": super::agreement::split_name(agreement.split),
        "party": agreement.parties[me].name,
        "receiver": agreement.receiver,
        "transcript": concluded.transcript.to_string(),
        "channels": channels.collect::<Vec<_>>(),
    });
    if let (Some(facts), Value::Object(learned)) = (facts.as_object_mut(), preview::json(agreement, plan)) {
        facts.extend(learned);
    }
    facts
}

fn done(agreement: &Agreement, federation: &Value) -> String {
    let transcript = federation["transcript"].as_str().unwrap_or_default();
    format!("Done          {}\nTranscript    {transcript}\n  the same at all parties\n", agreement.run)
}

/// The level of each quasi-identifier, in the order of the columns.
fn levels(agreement: &Agreement, solution: &Value) -> String {
    let levels = agreement.columns.iter().filter_map(|column| {
        let level = solution["transformation"].get(&column.name)?;
        Some(format!("{} {level}", column.name))
    });
    levels.collect::<Vec<_>>().join(", ")
}

fn learned(federation: &Value) -> String {
    let mut text = String::from("What each party learned\n");
    for entry in federation["what_each_party_learned"].as_array().into_iter().flatten() {
        let field = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("  {}: {}\n", field("party"), field("learned")));
    }
    text
}

/// Names the parties by name.
fn failed(agreement: &Agreement, error: &TransportError) -> Failure {
    if matches!(error, TransportError::Interrupted) {
        return Failure::Stopped;
    }
    let (receiver, message) = (&agreement.receiver, with_names(agreement, error.to_string()));
    let advice = match error {
        TransportError::OutcomeUnknown { transcript, .. } => {
            let advice = format!(
                "Ask {receiver}, which knows for certain: a release with the transcript {transcript} is the one of this run. Do not start again before"
            );
            return Failure::Unknown { message, advice };
        }
        TransportError::Stopped { reason: Reason::Unpublished, .. } => {
            format!("{receiver} says what stood in the way; start again everywhere when it is mended")
        }
        _ => "The run has ended at all parties; there is no release. Start it again everywhere".to_owned(),
    };
    Failure::InputOutput { message, advice: Some(advice) }
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
