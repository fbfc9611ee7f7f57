//! `paravent party invite`, `join` and `approve`: how a federation file comes about.

use super::agreement::{Agreement, Part, PartyEntry, protocol_of, receiver_of};
use super::{models, part};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{Session, run_error};
use crate::failure::Failure;
use paravent_federation::transport::Fingerprint;
use paravent_federation::{
    ColumnKeys, Gaps, Participants, PartyId, Protocol, PseudoRows, PseudoShape, Split, flattening_percent,
};
use paravent_pipeline::job::{Job, Problem, Problems, Source, Terms};
use paravent_pipeline::study::Study;
use rand::TryRng;
use serde_json::json;
use std::path::{Path, PathBuf};

const INVITE: &str = "\
Example:
  paravent party invite paravent.toml --run 'registry 2026' --protocol b --party clinic-a --party clinic-b --party clinic-c --helper trustee --me clinic-a

Promises, metric and columns are those of the job. The file then goes round: every party runs `paravent party join`, then
everybody approves the finished file. Protocols B and C: the release arrives at the first party (with private keys at the last); A: at the last but one.";

/// Begin a federation file from a job and a list of parties
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{INVITE}\n\n{EXIT_CODES}"))]
pub struct InviteArgs {
    /// The job file of the inviting party
    job: PathBuf,
    /// What the run is called
    #[arg(long)]
    run: String,
    /// a: a ring without helper; b: a helper; c: a helper, made-up rows and counters
    #[arg(long, short, value_parser = ["a", "b", "c"])]
    protocol: String,
    /// Who holds what: rows or columns
    #[arg(long, short, value_parser = ["horizontal", "vertical"], default_value = "horizontal")]
    split: String,
    /// A party with data, in order; the inviting one among them
    #[arg(long = "party", value_name = "NAME", required = true)]
    parties: Vec<String>,
    /// A first party without data (protocol A with two others)
    #[arg(long, value_name = "NAME")]
    without_data: Option<String>,
    /// The helper (protocols B and C)
    #[arg(long, value_name = "NAME")]
    helper: Option<String>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
    /// Vertical: the identifying column by which rows are matched
    #[arg(long, value_name = "COLUMN")]
    identifier: Option<String>,
    /// Made-up rows per hundred rows (protocol C); flat: as many as make this party's columns flat, at most 1000; else 25
    #[arg(long, value_parser = clap::value_parser!(u16).range(0..=5000))]
    pseudo_percent: Option<u16>,
    /// Kind of the made-up rows (protocol C)
    #[arg(long, value_parser = ["flat", "copies", "blocks"], default_value = "flat")]
    pseudo_shape: String,
    /// Ask for k rows per class even without those of any one party
    #[arg(long)]
    m_privacy: bool,
    /// Give every party keys of its own for its columns (vertical, protocols B and C)
    #[arg(long)]
    private_keys: bool,
    /// Take persons that a party does not know for rows with missing values there, instead of ending the run (vertical, protocol B)
    #[arg(long)]
    fill_gaps: bool,
    /// The file to write
    #[arg(long, short, default_value = "federation.toml", value_name = "FILE")]
    output: PathBuf,
}

/// Made-up rows per hundred where nobody says.
pub const USUAL_PERCENT: u16 = 25;

/// Writes the file.
pub fn invite(args: &InviteArgs, session: &Session) -> Result<Answer, Failure> {
    if args.output.exists() {
        return Err(Failure::exists(&args.output));
    }
    let job = Job::load(&args.job).map_err(|problems| run_error::failure(problems.into(), &args.job))?;
    let study = part::study(&args.job, &job.privacy.models, session.quiet)?;
    let shape = match args.pseudo_shape.as_str() {
        "blocks" => PseudoShape::Blocks,
        "copies" => PseudoShape::Copies,
        _ => PseudoShape::Flat,
    };
    let usage = |message: &str| Failure::Usage { message: message.to_owned() };
    let protocol = protocol_of(&args.protocol, args.pseudo_percent.unwrap_or(USUAL_PERCENT), shape)
        .ok_or_else(|| usage("--protocol: a, b or c"))?;
    let split = if args.split == "vertical" { Split::Vertical } else { Split::Horizontal };
    let entry = |name: &String, part| PartyEntry {
        name: name.clone(),
        part,
        address: None,
        fingerprint: None,
        approved: None,
    };
    let parties: Vec<PartyEntry> = (args.without_data.iter().map(|name| entry(name, Part::WithoutData)))
        .chain(args.parties.iter().map(|name| entry(name, Part::Primary)))
        .chain(args.helper.iter().map(|name| entry(name, Part::Helper)))
        .collect();
    if !args.parties.contains(&args.me) {
        return Err(usage("--me: must be one of the parties with data"));
    }
    let primaries = parties.iter().filter(|party| party.part != Part::Helper).count();
    let mut nonce = [0u8; 16];
    rand::rngs::SysRng
        .try_fill_bytes(&mut nonce)
        .map_err(|_| Failure::input_output("no random numbers to be had"))?;
    let column_keys = if args.private_keys { ColumnKeys::Private } else { ColumnKeys::Common };
    let mut agreement = Agreement {
        run: args.run.clone(),
        nonce: nonce.iter().map(|byte| format!("{byte:02x}")).collect(),
        protocol,
        split,
        receiver: parties[receiver_of(protocol, column_keys, primaries)].name.clone(),
        identifier: args.identifier.clone(),
        marked_by: None,
        gaps: if args.fill_gaps { Gaps::Placeholders } else { Gaps::Refused },
        participants: if args.m_privacy { Participants::Curious } else { Participants::Trusted },
        column_keys,
        parties,
        columns: Vec::new(),
        terms: Terms { privacy: job.privacy.clone(), search: job.search.clone() },
        source: Source::of_file(&args.output),
    };
    let refused = |problems| Failure::Configuration { problems: in_the_job(problems, &job, &args.job) };
    part::bring(&mut agreement, &study, &args.me).map_err(refused)?;
    if let (Protocol::C(PseudoRows { shape: PseudoShape::Flat, .. }), None) = (protocol, args.pseudo_percent)
    {
        let me = agreement.party(&args.me).map_err(Failure::configuration)?;
        let plan = agreement.plan().map_err(refused)?;
        let own = part::table(&agreement, &study, &args.me, &args.job)?;
        let percent = flattening_percent(&plan, PartyId(me as u16), &own);
        agreement.protocol = Protocol::C(PseudoRows { percent, shape });
    }
    // What it would refuse to read is not written.
    let text = agreement.to_toml();
    let agreement = super::agreement_walk::parse(&text, &args.output).map_err(refused)?;
    agreement.plan().map_err(refused)?;
    save(&args.output, &text)?;
    let text =
        format!("{}: every party now runs `paravent party join`, this one as well\n", args.output.display());
    Ok(Answer::done(
        text,
        json!({ "file": args.output.display().to_string(), "parties": agreement.parties.len() }),
    ))
}

/// Problems of a file that was not written, where they can be mended: promises in the job, the rest on the command line.
fn in_the_job(problems: Problems, job: &Job, path: &Path) -> Problems {
    let moved = problems.0.into_iter().map(|problem| {
        let key = problem.key.clone().unwrap_or_default();
        let mended = match key.starts_with("privacy.") || key.starts_with("search.") {
            true => job.problem(&key, problem.message),
            false => Problem::new(path, problem.message),
        };
        Problem { advice: problem.advice, ..mended }
    });
    Problems(moved.collect())
}

/// Check a federation file against this party's data, and add its address and certificate
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party join federation.toml paravent.toml --me clinic-b --address clinic-b.example:7001 --certificate clinic-b.cert.pem\n\nVertical: adds the columns of this party. Who holds no data gives no job.\n\n{EXIT_CODES}"))]
pub struct JoinArgs {
    /// The federation file
    federation: PathBuf,
    /// The job file of this party
    job: Option<PathBuf>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
    /// Where the others reach it
    #[arg(long, value_name = "HOST:PORT")]
    address: String,
    /// Its certificate
    #[arg(long, value_name = "FILE")]
    certificate: PathBuf,
}

/// Changes the file in place.
pub fn join(args: &JoinArgs, session: &Session) -> Result<Answer, Failure> {
    let mut agreement = load(&args.federation)?;
    let me = agreement.party(&args.me).map_err(Failure::configuration)?;
    agreement.plan().map_err(|problems| Failure::Configuration { problems })?;
    if args
        .address
        .rsplit_once(':')
        .is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err())
    {
        return Err(Failure::Usage {
            message: "--address: write HOST:PORT, e.g. clinic-b.example:7001".to_owned(),
        });
    }
    let pem = std::fs::read(&args.certificate)
        .map_err(|error| Failure::input_output(format!("{}: {error}", args.certificate.display())))?;
    let fingerprint = Fingerprint::of_pem(&pem)
        .map_err(|error| Failure::configuration(Problem::new(&args.certificate, error.to_string())))?;
    if let (Split::Vertical, Some(job)) = (agreement.split, &args.job) {
        promise_of_own_columns(&mut agreement, job)?;
    }
    if let Some(study) = own_study(&agreement, me, args.job.as_deref(), session)? {
        if agreement.split == Split::Vertical {
            part::bring(&mut agreement, &study, &args.me)
                .map_err(|problems| Failure::Configuration { problems })?;
        }
        part::fits(&agreement, &study, &args.me).map_err(|problems| Failure::Configuration { problems })?;
        rows_can_be_matched(&agreement, &study, &args.me, args.job.as_deref())?;
    }
    let entry = &mut agreement.parties[me];
    entry.address = Some(args.address.clone());
    entry.fingerprint = Some(fingerprint);
    let text = agreement.to_toml();
    let agreement = super::agreement_walk::parse(&text, &args.federation)
        .map_err(|problems| Failure::Configuration { problems })?;
    agreement.plan().map_err(|problems| Failure::Configuration { problems })?;
    save(&args.federation, &text)?;
    let waiting: Vec<&str> =
        agreement.parties.iter().filter(|p| p.fingerprint.is_none()).map(|p| p.name.as_str()).collect();
    let text = match waiting.is_empty() {
        true => format!(
            "{} is complete; everybody now gets this file and runs `paravent party approve`\n",
            args.federation.display()
        ),
        false => format!("{} has joined; still to come: {}\n", args.me, waiting.join(", ")),
    };
    Ok(Answer::done(
        text,
        json!({ "joined": args.me, "waiting_for": waiting, "digest": agreement.digest_text() }),
    ))
}

/// Vertical: what the party's own job promises of the party's own columns becomes part of what all promise. Everybody sees it before approving.
fn promise_of_own_columns(agreement: &mut Agreement, job: &Path) -> Result<(), Failure> {
    let job = Job::load(job).map_err(|problems| run_error::failure(problems.into(), job))?;
    for model in job.privacy.models.iter().filter(|model| !models::columns(model).is_empty()) {
        // A job names its own columns only.
        if !agreement.terms.privacy.models.contains(model) {
            agreement.terms.privacy.models.push(model.clone());
        }
    }
    Ok(())
}

/// Vertical: every row has an identifier, and no two the same. Better told now than when all others wait.
fn rows_can_be_matched(
    agreement: &Agreement,
    study: &Study,
    me: &str,
    job: Option<&Path>,
) -> Result<(), Failure> {
    match job {
        Some(job) if agreement.split == Split::Vertical => part::table(agreement, study, me, job).map(|_| ()),
        _ => Ok(()),
    }
}

/// Approve a finished federation file: its digest is what all parties must have in common
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party approve federation.toml paravent.toml --me clinic-b\n\nPrints the digest; compare it with the others'. A run refuses a file that was changed after its approval.\n\n{EXIT_CODES}"))]
pub struct ApproveArgs {
    /// The federation file
    federation: PathBuf,
    /// The job file of this party
    job: Option<PathBuf>,
    /// Which party this is
    #[arg(long, value_name = "NAME")]
    me: String,
}

/// Checks everything a run would check, then notes the digest.
pub fn approve(args: &ApproveArgs, session: &Session) -> Result<Answer, Failure> {
    let mut agreement = load(&args.federation)?;
    let me = agreement.party(&args.me).map_err(Failure::configuration)?;
    agreement.plan().map_err(|problems| Failure::Configuration { problems })?;
    agreement.missing().into_result(()).map_err(|problems| Failure::Configuration { problems })?;
    if let Some(study) = own_study(&agreement, me, args.job.as_deref(), session)? {
        part::fits(&agreement, &study, &args.me).map_err(|problems| Failure::Configuration { problems })?;
        rows_can_be_matched(&agreement, &study, &args.me, args.job.as_deref())?;
    }
    let digest = agreement.digest_text();
    agreement.parties[me].approved = Some(digest.clone());
    save(&args.federation, &agreement.to_toml())?;
    let text = format!("{} approves {}\ndigest {digest}\n", args.me, agreement.run);
    Ok(Answer::of_text(text, json!({ "approved_by": args.me, "digest": digest })))
}

/// Reads a federation file.
pub fn load(path: &Path) -> Result<Agreement, Failure> {
    match std::fs::File::open(path) {
        Ok(_) => Agreement::load(path).map_err(|problems| Failure::Configuration { problems }),
        Err(error) => Err(Failure::input_output(format!("{}: {error}", path.display()))),
    }
}

/// The part of a party that holds data.
pub fn own_study(
    agreement: &Agreement,
    me: usize,
    job: Option<&Path>,
    session: &Session,
) -> Result<Option<paravent_pipeline::study::Study>, Failure> {
    match (agreement.parties[me].part, job) {
        (Part::Primary, Some(job)) => {
            part::study(job, &agreement.terms.privacy.models, session.quiet).map(Some)
        }
        (Part::Primary, None) => Err(Failure::Usage {
            message: "a party with data needs its job file as the second argument".to_owned(),
        }),
        (Part::WithoutData | Part::Helper, None) => Ok(None),
        (Part::WithoutData | Part::Helper, Some(_)) => {
            Err(Failure::Usage { message: "a party without data has no job file; leave it out".to_owned() })
        }
    }
}

/// In one step, so that a half-written file is never read.
fn save(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::input_output(format!("{}: {error}", path.display()));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::fs::write(file.path(), text).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
