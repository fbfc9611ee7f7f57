//! `paravent attack` on a sliced release.

use super::check;
use super::failed::failure;
use super::{job, read};
use crate::answer::Answer;
use crate::commands::Session;
use crate::failure::Failure;
use paravent_pipeline::slice::{check as judge, read_sliced_release, sliced_groups};
use paravent_slicing::Limits;
use serde_json::json;
use std::path::Path;

/// Whether a directory holds a sliced release.
pub fn is_release(directory: &Path) -> bool {
    sliced_groups(directory).is_some()
}

/// What somebody who knows one group reads off, judged by the original.
pub fn run(
    release: &Path,
    original: Option<&Path>,
    job_file: Option<&Path>,
    session: &Session,
) -> Result<Answer, Failure> {
    let (Some(groups), Some(original)) = (sliced_groups(release), original) else {
        let message = format!(
            "{} is a sliced release: its attack is judged by the original; say --against ORIGINAL",
            release.display()
        );
        return Err(Failure::Usage { message });
    };
    let job = job(job_file)?;
    let before = read(original, job.as_ref().map(|(job, _)| job))?;
    let after = read_sliced_release(release).map_err(failure)?;
    let limits = (Limits::STANDARD.unique, Limits::STANDARD.linked);
    let judgement = judge(&before, &after, &groups, &[], limits).map_err(failure)?;
    let mut document = json!(judgement);
    document["holds"] = json!(judgement.holds());
    document["attack"] = json!("sliced-read-off");
    Ok(Answer::judged(judgement.holds(), check::text(&judgement, &groups, session), document))
}
