//! How a federation file comes about: one party invites, every party joins, everybody approves.

use crate::agreement::{Agreement, Amount, Holders, Part, PartyEntry, Spelling, protocol_of, receiver_of};
use crate::bundle::Bundle;
use crate::flatness::{self, NotFlat};
use crate::{JointError, part, promises};
use paravent_federation::transport::Fingerprint;
use paravent_federation::{
    ColumnKeys, Gaps, Participants, PartyId, PartyTable, Protocol, PseudoRows, PseudoShape, SamePerson, Split,
};
use paravent_job::{Job, Problem, Problems, Source, Terms};
use paravent_prepare::study::Study;
use paravent_tables::watch::Watch;
use rand::TryRng;
use std::path::{Path, PathBuf};

/// Default number of made-up rows per hundred.
pub const USUAL_PERCENT: u16 = 25;

/// What a federation file begins with.
#[derive(Debug, Clone)]
pub struct Invitation {
    /// The job file of the inviting party: promises, metric and columns are its.
    pub job: PathBuf,
    /// What the run is called.
    pub run: String,
    /// `a`, `b` or `c`.
    pub protocol: String,
    /// Rows or columns.
    pub split: Split,
    /// Vertical: whether several parties may hold a column.
    pub holders: Holders,
    /// Parties with data, in order.
    pub parties: Vec<String>,
    /// A first party without data.
    pub without_data: Option<String>,
    /// The helper.
    pub helper: Option<String>,
    /// The inviting party.
    pub me: String,
    /// The column by which rows are matched, or horizontally the same person at two parties is noticed.
    pub identifier: Option<String>,
    /// Made-up rows per hundred; else what flattens this party's columns, or the usual number.
    pub pseudo_percent: Option<u16>,
    /// Their kind.
    pub pseudo_shape: PseudoShape,
    /// Whether classes must stand up to a participant.
    pub participants: Participants,
    /// Who can decrypt which column.
    pub column_keys: ColumnKeys,
    /// What becomes of persons that a party does not know.
    pub gaps: Gaps,
    /// What becomes of a person at two parties, where they are noticed.
    pub same_person: SamePerson,
    /// How identifiers are compared.
    pub spelling: Spelling,
    /// The file to write.
    pub output: PathBuf,
    /// The whole invitation as one file, where it is wanted.
    pub bundle: Option<PathBuf>,
}

impl Invitation {
    /// To a run of protocol B over rows: a helper searches, each person is at one party, and classes need not stand up to a participant.
    pub fn with_helper(
        job: PathBuf,
        run: &str,
        parties: &[&str],
        helper: &str,
        output: PathBuf,
    ) -> Invitation {
        let parties: Vec<String> = parties.iter().map(|&party| party.to_owned()).collect();
        Invitation {
            job,
            run: run.to_owned(),
            protocol: "b".to_owned(),
            split: Split::Horizontal,
            holders: Holders::One,
            me: parties.first().cloned().unwrap_or_default(),
            parties,
            without_data: None,
            helper: Some(helper.to_owned()),
            identifier: None,
            pseudo_percent: None,
            pseudo_shape: PseudoShape::Flat,
            participants: Participants::Trusted,
            column_keys: ColumnKeys::Common,
            gaps: Gaps::Refused,
            same_person: SamePerson::CountedTwice,
            spelling: Spelling::AsWritten,
            output,
            bundle: None,
        }
    }
}

/// A federation file after a step of a party.
#[derive(Debug, Clone)]
pub struct Stepped {
    /// What it says now.
    pub agreement: Agreement,
    /// Columns of the party that the made-up rows agreed on so far do not make flat.
    pub not_flat: Vec<NotFlat>,
}

/// Writes a federation file; never over another.
pub fn invite(invitation: &Invitation, watch: &dyn Watch) -> Result<Stepped, JointError> {
    let Invitation { job: path, output, me, .. } = invitation;
    if let Some(path) =
        [Some(output), invitation.bundle.as_ref()].into_iter().flatten().find(|path| path.exists())
    {
        return Err(JointError::Exists(path.clone()));
    }
    let job = Job::load(path).map_err(|problems| JointError::of_job(path, problems))?;
    every_wish_is_heard(invitation)?;
    let study = part::study(path, &job.privacy.models, watch)?;
    let mut agreement = begin(invitation, &job)?;
    let refused = |problems| JointError::Problems(in_the_job(problems, &job, path));
    part::bring(&mut agreement, &study, me).map_err(refused)?;
    agreement.plan().map_err(refused)?;
    part::fits(&agreement, &study, me).map_err(refused)?;
    let own = own_rows(&agreement, &study, me, watch)?;
    let not_flat = flattened(&mut agreement, me, own.as_ref())?;
    // What it would refuse to read is not written.
    let text = agreement.to_toml();
    let agreement = Agreement::parse(&text, output).map_err(refused)?;
    agreement.plan().map_err(refused)?;
    if let Some(bundle) = &invitation.bundle {
        save(bundle, &Bundle::of(&agreement, &job)?.to_toml())?;
    }
    save(output, &text)?;
    Ok(Stepped { agreement, not_flat })
}

/// What would mean nothing in such a run was meant to.
fn every_wish_is_heard(invitation: &Invitation) -> Result<(), JointError> {
    let Invitation { protocol, pseudo_percent, pseudo_shape, spelling, identifier, .. } = invitation;
    let refused = |message: &str| Err(JointError::Usage(message.to_owned()));
    if protocol != "c" && (pseudo_percent.is_some() || *pseudo_shape != PseudoShape::Flat) {
        return refused("--pseudo-percent, --pseudo-shape: only protocol C has made-up rows");
    }
    if *spelling == Spelling::Loose && identifier.is_none() {
        return refused("--loose-identifiers: nothing is compared; name the column with --identifier");
    }
    if invitation.bundle.as_ref() == Some(&invitation.output) {
        return refused("--bundle and --output: two files, and both have the same name");
    }
    Ok(())
}

/// The agreement without columns.
fn begin(invitation: &Invitation, job: &Job) -> Result<Agreement, JointError> {
    let usage = |message: &str| JointError::Usage(message.to_owned());
    let percent = invitation.pseudo_percent.unwrap_or(USUAL_PERCENT);
    let protocol = protocol_of(&invitation.protocol, percent, invitation.pseudo_shape)
        .ok_or_else(|| usage("--protocol: a, b or c"))?;
    let entry = |name: &String, part| PartyEntry {
        name: name.clone(),
        part,
        address: None,
        fingerprint: None,
        matched: None,
        approved: None,
    };
    let parties: Vec<PartyEntry> =
        (invitation.without_data.iter().map(|name| entry(name, Part::WithoutData)))
            .chain(invitation.parties.iter().map(|name| entry(name, Part::Primary)))
            .chain(invitation.helper.iter().map(|name| entry(name, Part::Helper)))
            .collect();
    if !invitation.parties.contains(&invitation.me) {
        return Err(usage("--me: must be one of the parties with data"));
    }
    let primaries = parties.iter().filter(|party| party.part != Part::Helper).count();
    let mut nonce = [0u8; 16];
    let no_chance = |_| JointError::File { message: "no random numbers to be had".to_owned(), advice: None };
    rand::rngs::SysRng.try_fill_bytes(&mut nonce).map_err(no_chance)?;
    Ok(Agreement {
        run: invitation.run.clone(),
        nonce: hex::encode(nonce),
        protocol,
        pseudo_amount: match (protocol, invitation.pseudo_percent) {
            (Protocol::C(PseudoRows { shape: PseudoShape::Flat, .. }), None) => Amount::Counted,
            _ => Amount::Given,
        },
        split: invitation.split,
        holders: invitation.holders,
        receiver: parties[receiver_of(protocol, invitation.column_keys, primaries)].name.clone(),
        identifier: invitation.identifier.clone(),
        marked_by: None,
        gaps: invitation.gaps,
        same_person: match (invitation.split, &invitation.identifier) {
            (Split::Horizontal, Some(_)) => invitation.same_person,
            _ => SamePerson::CountedTwice,
        },
        spelling: invitation.spelling,
        participants: invitation.participants,
        column_keys: invitation.column_keys,
        parties,
        columns: Vec::new(),
        terms: Terms { privacy: job.privacy.clone(), search: job.search.clone() },
        source: Source::of_file(&invitation.output),
    })
}

/// Problems of a file that was not written, where they can be mended: promises in the job, the rest on the command line.
fn in_the_job(problems: Problems, job: &Job, path: &Path) -> Problems {
    let moved = problems.0.into_iter().map(|problem| {
        let key = problem.key.clone().unwrap_or_default();
        let mended = match key.starts_with("privacy.") || key.starts_with("search.") {
            true => job.problem(&key, problem.message),
            // The file that the key stands in is not written; its name still says what is meant. What a protocol refuses says so itself.
            false if key.is_empty() || key == "protocol" => Problem::new(path, problem.message),
            false => Problem::new(path, format!("{key}: {}", problem.message)),
        };
        Problem { advice: problem.advice, ..mended }
    });
    Problems(moved.collect())
}

/// What a party adds to a federation file.
#[derive(Debug, Clone)]
pub struct Joining {
    /// The federation file.
    pub federation: PathBuf,
    /// The party's job file; parties without data have none.
    pub job: Option<PathBuf>,
    /// Which party this is.
    pub me: String,
    /// Where the others reach it.
    pub address: String,
    /// Its certificate.
    pub certificate: PathBuf,
    /// Where to write; else the file is changed in place.
    pub answer: Option<PathBuf>,
}

/// Checks the file against the party's data and adds what the party brings, in place or in an answer of its own.
pub fn join(joining: &Joining, watch: &dyn Watch) -> Result<Stepped, JointError> {
    let Joining { federation, me, address, certificate, .. } = joining;
    let mut agreement = load(federation)?;
    let position = agreement.party(me)?;
    agreement.plan()?;
    let is_port = |(host, port): (&str, &str)| !host.is_empty() && port.parse::<u16>().is_ok();
    if !address.rsplit_once(':').is_some_and(is_port) {
        let message = "--address: write HOST:PORT, e.g. clinic-b.example:7001";
        return Err(JointError::Usage(message.to_owned()));
    }
    let pem = std::fs::read(certificate).map_err(|error| JointError::io(certificate, error))?;
    let fingerprint =
        Fingerprint::of_pem(&pem).map_err(|error| Problem::new(certificate, error.to_string()))?;
    if let (Split::Vertical, Some(job)) = (agreement.split, &joining.job) {
        promise_of_own_columns(&mut agreement, job)?;
    }
    let mut not_flat = Vec::new();
    if let Some(study) = own_study(&agreement, position, joining.job.as_deref(), watch)? {
        if agreement.split == Split::Vertical {
            part::bring(&mut agreement, &study, me)?;
        }
        part::fits(&agreement, &study, me)?;
        let own = own_rows(&agreement, &study, me, watch)?;
        not_flat = flattened(&mut agreement, me, own.as_ref())?;
    }
    let entry = &mut agreement.parties[position];
    entry.address = Some(address.clone());
    entry.fingerprint = Some(fingerprint);
    // Counted with what was known before.
    entry.matched = None;
    let text = agreement.to_toml();
    let place = joining.answer.as_ref().unwrap_or(federation);
    let agreement = Agreement::parse(&text, place)?;
    agreement.plan()?;
    save(place, &text)?;
    Ok(Stepped { agreement, not_flat })
}

/// Vertical: what the party's own job promises of the party's own columns becomes part of what all promise. Everybody sees it before approving.
fn promise_of_own_columns(agreement: &mut Agreement, job: &Path) -> Result<(), JointError> {
    let job = Job::load(job).map_err(|problems| JointError::of_job(job, problems))?;
    for model in job.privacy.models.iter().filter(|model| !promises::columns(model).is_empty()) {
        // A job names its own columns only.
        if !agreement.terms.privacy.models.contains(model) {
            agreement.terms.privacy.models.push(model.clone());
        }
    }
    Ok(())
}

/// The rows, where more than the columns has to be looked at. Every row has an identifier, and no two the same: better told now than when all others wait.
fn own_rows(
    agreement: &Agreement,
    study: &Study,
    me: &str,
    watch: &dyn Watch,
) -> Result<Option<PartyTable>, JointError> {
    let are_wanted = agreement.identifier.is_some() || flatness::is_wanted(agreement);
    are_wanted.then(|| part::table(agreement, study, me, watch)).transpose()
}

/// Raises the number of made-up rows to what a party's columns take, where nobody said how many there are; what is not flat then.
fn flattened(
    agreement: &mut Agreement,
    me: &str,
    own: Option<&PartyTable>,
) -> Result<Vec<NotFlat>, JointError> {
    let Some(own) = own else { return Ok(Vec::new()) };
    let position = PartyId(agreement.party(me)? as u16);
    let plan = agreement.plan()?;
    flatness::raise(agreement, &plan, position, own);
    Ok(flatness::not_flat(&agreement.plan()?, position, own))
}

/// Checks everything a run would check, then notes the digest.
pub fn approve(
    federation: &Path,
    job: Option<&Path>,
    me: &str,
    watch: &dyn Watch,
) -> Result<Stepped, JointError> {
    let mut agreement = load(federation)?;
    let position = agreement.party(me)?;
    agreement.plan()?;
    agreement.missing().into_result(())?;
    let mut not_flat = Vec::new();
    if let Some(study) = own_study(&agreement, position, job, watch)? {
        part::fits(&agreement, &study, me)?;
        // The number of made-up rows stays: everybody approves the same file.
        let (plan, own) = (agreement.plan()?, own_rows(&agreement, &study, me, watch)?);
        let id = PartyId(position as u16);
        not_flat = own.map(|own| flatness::not_flat(&plan, id, &own)).unwrap_or_default();
    }
    agreement.parties[position].approved = Some(agreement.digest_text());
    save(federation, &agreement.to_toml())?;
    Ok(Stepped { agreement, not_flat })
}

/// Reads a federation file.
pub fn load(path: &Path) -> Result<Agreement, JointError> {
    match std::fs::File::open(path) {
        Ok(_) => Ok(Agreement::load(path)?),
        Err(error) => Err(JointError::io(path, error)),
    }
}

/// The part of a party that holds data.
pub(crate) fn own_study(
    agreement: &Agreement,
    me: usize,
    job: Option<&Path>,
    watch: &dyn Watch,
) -> Result<Option<Study>, JointError> {
    let usage = |message: &str| JointError::Usage(message.to_owned());
    match (agreement.parties[me].part, job) {
        (Part::Primary, Some(job)) => part::study(job, &agreement.terms.privacy.models, watch).map(Some),
        (Part::Primary, None) => Err(usage("a party with data needs its job file as the second argument")),
        (Part::WithoutData | Part::Helper, None) => Ok(None),
        (Part::WithoutData | Part::Helper, Some(_)) => {
            Err(usage("a party without data has no job file; leave it out"))
        }
    }
}

/// In one step, so that a half-written file is never read.
pub(crate) fn save(path: &Path, text: &str) -> Result<(), JointError> {
    let failed = |error: std::io::Error| JointError::io(path, error);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::fs::write(file.path(), text).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}
