//! The joint run in the project folder: its terms, its parties, who learns what, and the commands to go on.
//!
//! Files are looked at, and nothing else: the page opens no connection and reads no key.

use super::command;
use crate::fault::Fault;
use crate::project::Project;
use crate::wire::{
    JointAnswer, JointColumn, JointConcluded, JointLearned, JointParty, JointSent, JointStep, JointView,
};
use paravent_joint::agreement::split_name;
use paravent_joint::folder::Folder;
use paravent_joint::preview::{promises, told};

/// The run as it is, seen by a party; none where there is none.
pub(super) fn view(project: &Project, me: Option<&str>) -> Result<Option<JointView>, Fault> {
    let Some(folder) = Folder::look(project.folder(), me)? else { return Ok(None) };
    let job = project.job_file().file_name().map(|name| name.to_string_lossy().into_owned());
    let steps = folder.steps(&job.unwrap_or_default());
    let agreement = &folder.agreement;
    // A file that cannot be used says so in its problems.
    let leaks = agreement.plan().ok().map(|plan| told(agreement, &plan));
    let (sent, learned, concluded) =
        leaks.map_or_else(Default::default, |told| (told.sent, told.learned, told.concluded));
    let parties = folder.status.parties.iter().map(|(party, stage, _)| JointParty {
        name: party.name.clone(),
        part: party.part.name().to_owned(),
        stage: stage.words().to_owned(),
        address: party.address.clone(),
        fingerprint: party.fingerprint.map(|print| print.to_string()),
        matched: party.matched.clone(),
    });
    let columns = agreement.columns.iter().map(|column| JointColumn {
        name: column.name.clone(),
        role: column.role.name().to_owned(),
        held_by: column.holders().cloned().collect(),
    });
    Ok(Some(JointView {
        run: agreement.run.clone(),
        protocol: agreement.protocol.letter(),
        split: split_name(agreement.split, agreement.holders).to_owned(),
        receiver: agreement.receiver.clone(),
        identifier: agreement.identifier.clone(),
        promises: promises(agreement),
        columns: columns.collect(),
        parties: parties.collect(),
        digest: folder.status.digest.clone(),
        complete: folder.status.complete,
        problems: folder.status.problems.clone(),
        next: folder.status.next.clone(),
        answers: folder.answers.iter().map(answer).collect(),
        sent: sent
            .into_iter()
            .map(|(from, to, what)| JointSent { from, to, what: what.to_owned() })
            .collect(),
        learned: learned
            .into_iter()
            .map(|(party, what)| JointLearned { party, what: what.to_owned() })
            .collect(),
        concluded: concluded
            .into_iter()
            .map(|(who, what, against)| JointConcluded {
                who,
                what: what.to_owned(),
                against: against.to_owned(),
            })
            .collect(),
        steps: steps
            .iter()
            .map(|step| JointStep {
                kind: step.kind.word().to_owned(),
                state: step.state.word().to_owned(),
                command: command::line(step.command.iter().map(String::as_str)),
            })
            .collect(),
        file: folder.file,
        packed: folder.packed,
        me: folder.me,
    }))
}

fn answer(answer: &paravent_joint::folder::Answer) -> JointAnswer {
    JointAnswer {
        file: answer.file.clone(),
        parties: answer.parties.clone(),
        merged: answer.merged,
        problem: answer.problem.clone(),
    }
}
