//! What lies in a party's folder, and what this party does next: for whoever shows it.
//!
//! Looks at files only. No connection is opened, no key is read, nothing is written.

use crate::agreement::{Agreement, Part};
use crate::bundle::{Bundle, FEDERATION};
use crate::merge::brings;
use crate::status::{Stage, Status, status};
use crate::{JointError, setup};
use paravent_federation::transport::Fingerprint;
use std::fs;
use std::path::Path;

/// The usual name of an invitation.
pub const INVITATION: &str = "invitation.toml";
const ANSWER: &str = ".answer.toml";
const CERTIFICATE: &str = ".cert.pem";

/// A folder with a joint run in it.
#[derive(Debug, Clone)]
pub struct Folder {
    /// What is agreed on so far.
    pub agreement: Agreement,
    /// Where that stands: the federation file, or an invitation that nobody has unpacked yet.
    pub file: String,
    /// Whether it is an invitation that nobody has unpacked yet.
    pub packed: bool,
    /// How far it has come.
    pub status: Status,
    /// Which party this is, where somebody says so or a certificate in the folder does.
    pub me: Option<String>,
    /// The party's certificate, where it is in the folder.
    pub certificate: Option<String>,
    /// Answers that came back.
    pub answers: Vec<Answer>,
}

/// A file that a party sent back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its name.
    pub file: String,
    /// Parties that join in it.
    pub parties: Vec<String>,
    /// Whether the federation file has all of it.
    pub merged: bool,
    /// Why it is of no use.
    pub problem: Option<String>,
}

/// A thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub kind: StepKind,
    /// Whether it is done, due, or has to wait.
    pub state: StepState,
    /// The command line, part by part.
    pub command: Vec<String>,
}

/// The things a party does, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// Lay out the files of the invitation.
    Unpack,
    /// Make a certificate and a key.
    Keygen,
    /// Add address, certificate and columns.
    Join,
    /// Put the answers together; whoever invited does.
    Merge,
    /// Count the people in common.
    Match,
    /// Approve the finished file.
    Approve,
    /// See what would be sent and learnt.
    Preview,
    /// Take part.
    Run,
}

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It is done.
    Done,
    /// It is due.
    Next,
    /// Something else comes first.
    Later,
}

impl StepKind {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            StepKind::Unpack => "unpack",
            StepKind::Keygen => "keygen",
            StepKind::Join => "join",
            StepKind::Merge => "merge",
            StepKind::Match => "match",
            StepKind::Approve => "approve",
            StepKind::Preview => "preview",
            StepKind::Run => "run",
        }
    }
}

impl StepState {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            StepState::Done => "done",
            StepState::Next => "next",
            StepState::Later => "later",
        }
    }
}

impl Folder {
    /// Looks at a folder; none where no joint run is in it. `me` is the party that looks, where it says so.
    ///
    /// # Errors
    /// If the federation file or the invitation cannot be used, or has no such party.
    pub fn look(folder: &Path, me: Option<&str>) -> Result<Option<Folder>, JointError> {
        let (federation, invitation) = (folder.join(FEDERATION), folder.join(INVITATION));
        let (agreement, file, packed) = if federation.exists() {
            (setup::load(&federation)?, FEDERATION, false)
        } else if invitation.exists() {
            let bundle = Bundle::load(&invitation)?;
            (Agreement::parse(&bundle.federation, &invitation)?, INVITATION, true)
        } else {
            return Ok(None);
        };
        let names = names(folder)?;
        let certificates = certificates(folder, &names);
        let me = match me {
            Some(me) => Some(agreement.parties[agreement.party(me)?].name.clone()),
            None => whose(&agreement, &certificates),
        };
        let certificate = me.as_deref().and_then(|me| own_certificate(&agreement, me, &certificates));
        let answers = names.iter().filter(|name| name.ends_with(ANSWER));
        let answers = answers.map(|name| answer(&agreement, &folder.join(name), name)).collect();
        let status = status(&agreement, me.as_deref(), false);
        Ok(Some(Folder { agreement, file: file.to_owned(), packed, status, me, certificate, answers }))
    }

    /// What the party does, in order; nothing where nobody says which party it is. `job` is the name of its job file.
    pub fn steps(&self, job: &str) -> Vec<Step> {
        let Some(position) = self.me.as_deref().and_then(|me| self.agreement.party(me).ok()) else {
            return Vec::new();
        };
        let own = &self.agreement.parties[position];
        let stage = self.status.parties[position].1;
        let answered = self.answers.iter().any(|answer| answer.parties.contains(&own.name));
        let mut steps = vec![
            (StepKind::Keygen, self.certificate.is_some() || stage != Stage::Invited),
            (StepKind::Join, answered || stage != Stage::Invited),
            (StepKind::Merge, self.status.complete && self.answers.iter().all(|answer| answer.merged)),
        ];
        if self.packed {
            steps.insert(0, (StepKind::Unpack, false));
        }
        if self.agreement.identifier.is_some() && own.part != Part::Helper {
            steps.push((StepKind::Match, own.matched.is_some()));
        }
        let approved = stage == Stage::Approved;
        steps.extend([(StepKind::Approve, approved), (StepKind::Preview, false), (StepKind::Run, false)]);
        let mut waits = !self.status.problems.is_empty();
        let step = |(kind, done): (StepKind, bool)| {
            let state = match (done, waits) {
                (true, _) => StepState::Done,
                (false, true) => StepState::Later,
                (false, false) => StepState::Next,
            };
            // Looking keeps nobody waiting.
            waits |= !done && kind != StepKind::Preview;
            Step { kind, state, command: self.command(kind, position, job) }
        };
        steps.into_iter().map(step).collect()
    }

    fn command(&self, kind: StepKind, position: usize, job: &str) -> Vec<String> {
        let own = &self.agreement.parties[position];
        let me = own.name.as_str();
        let certificate = self.certificate.clone().unwrap_or_else(|| format!("{me}{CERTIFICATE}"));
        let key = format!("{}.key.pem", certificate.strip_suffix(CERTIFICATE).unwrap_or(me));
        let data = if own.part == Part::Primary { vec![job] } else { Vec::new() };
        let word = if kind == StepKind::Preview { StepKind::Run.word() } else { kind.word() };
        let mut parts = vec!["paravent", "party", word];
        let answer = format!("{me}{ANSWER}");
        let address = own.address.as_deref().unwrap_or("HOST:PORT");
        let secrets = ["--me", me, "--key", &key, "--certificate", &certificate];
        match kind {
            StepKind::Unpack => parts.push(INVITATION),
            StepKind::Keygen => parts.extend(["--name", me]),
            StepKind::Merge => {
                parts.push(FEDERATION);
                let open = self.answers.iter().filter(|answer| !answer.merged && answer.problem.is_none());
                parts.extend(open.map(|answer| answer.file.as_str()));
                if parts.len() == 4 {
                    parts.push("ANSWER");
                }
            }
            StepKind::Join => {
                parts.push(FEDERATION);
                parts.extend(data);
                parts.extend(["--me", me, "--address", address, "--certificate", &certificate]);
                parts.extend(["--answer", &answer]);
            }
            StepKind::Approve => {
                parts.push(FEDERATION);
                parts.extend(data);
                parts.extend(["--me", me]);
            }
            StepKind::Match | StepKind::Preview | StepKind::Run => {
                parts.push(FEDERATION);
                parts.extend(data);
                parts.extend(secrets);
                if kind == StepKind::Preview {
                    parts.push("--preview");
                }
            }
        }
        parts.into_iter().map(str::to_owned).collect()
    }
}

/// Names of files, in order.
fn names(folder: &Path) -> Result<Vec<String>, JointError> {
    let entries = fs::read_dir(folder).map_err(|error| JointError::io(folder, error))?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}

/// Certificates by their files. What is none says nothing.
fn certificates(folder: &Path, names: &[String]) -> Vec<(String, Fingerprint)> {
    let read = |name: &String| {
        let pem = fs::read(folder.join(name)).ok()?;
        Some((name.clone(), Fingerprint::of_pem(&pem).ok()?))
    };
    names.iter().filter(|name| name.ends_with(CERTIFICATE)).filter_map(read).collect()
}

/// The party whose certificate is here, if it is one party's only: by its fingerprint, or before it joins by the file's name.
fn whose(agreement: &Agreement, certificates: &[(String, Fingerprint)]) -> Option<String> {
    let parties = agreement.parties.iter().map(|party| party.name.as_str());
    let here: Vec<&str> =
        parties.filter(|party| own_certificate(agreement, party, certificates).is_some()).collect();
    match here[..] {
        [one] => Some(one.to_owned()),
        _ => None,
    }
}

fn own_certificate(
    agreement: &Agreement,
    me: &str,
    certificates: &[(String, Fingerprint)],
) -> Option<String> {
    let known = agreement.parties.iter().find(|party| party.name == me)?.fingerprint;
    let named = format!("{me}{CERTIFICATE}");
    let is_own = |(file, print): &&(String, Fingerprint)| match &known {
        Some(known) => known == print,
        None => *file == named,
    };
    certificates.iter().find(is_own).map(|(file, _)| file.clone())
}

/// What an answer brings.
fn answer(agreement: &Agreement, path: &Path, name: &str) -> Answer {
    let file = name.to_owned();
    let useless = |problem: String| Answer {
        file: file.clone(),
        parties: Vec::new(),
        merged: false,
        problem: Some(problem),
    };
    let theirs = match setup::load(path) {
        Ok(theirs) => theirs,
        Err(JointError::Problems(problems)) => {
            return useless(
                problems.0.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; "),
            );
        }
        Err(_) => return useless("cannot be read".to_owned()),
    };
    let Some(parties) = brings(agreement, &theirs) else {
        return useless("answers another invitation".to_owned());
    };
    let has = |name: &String| {
        let entry = |of: &Agreement| {
            of.parties
                .iter()
                .find(|party| party.name == *name)
                .map(|party| (party.address.clone(), party.fingerprint))
        };
        entry(agreement) == entry(&theirs)
    };
    Answer { file, merged: parties.iter().all(has), parties, problem: None }
}

#[cfg(test)]
mod tests;
