//! Parts of an answer, put together.

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::ask::printed;
use crate::commands::verify::public_key;
use crate::failure::Failure;
use paravent_processor::fragment::{ANSWER, Fragment, FragmentError, SIGNATURE, finish};
use paravent_verify::{PublicKey, signer_of_answer};
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent ask policy.toml --as research --purpose statistics --part --output ward-a \"SELECT sex, avg(salary) FROM patients GROUP BY sex\"
  paravent continue ward-a                         on any machine, with nothing but that folder
  paravent continue ward-a ward-b --key ward.pub   the figures of two wards, added up

The guide is docs/guide/policy.md.";

/// Finish an answer that was worked out in part elsewhere, with nothing but its parts
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Folders that `ask --part --output` wrote, or `part receive`
    #[arg(value_name = "PART", required = true)]
    parts: Vec<PathBuf>,
    /// Public key that every part must be signed with: a file that `keygen` made, or the key itself
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
}

/// Prints the answer.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let key = args.key.as_deref().map(public_key).transpose()?;
    let mut opened = Vec::new();
    let mut unsigned = Vec::new();
    for folder in &args.parts {
        let fragment = Fragment::read(folder).map_err(failure)?;
        if !is_vouched_for(&fragment, folder, key.as_ref())? {
            unsigned.push(folder.display().to_string());
        }
        opened.push(fragment.open(folder).map_err(failure)?);
    }
    let answered = finish(&opened).map_err(failure)?;
    let mut text = printed(&answered);
    if !unsigned.is_empty() {
        text.push_str(&format!("· who made it was not checked: {}\n", unsigned.join(", ")));
    }
    let annotation = &answered.annotation;
    let document = json!({ "columns": answered.columns, "rows": answered.rows, "annotation": annotation });
    Ok(Answer::of_text(text, document))
}

/// Whether the signature is that of the key. Without a key a signature must still be sound.
fn is_vouched_for(fragment: &Fragment, folder: &Path, key: Option<&PublicKey>) -> Result<bool, Failure> {
    let refused = |what: &str| Failure::input_output(format!("{}: {what}", folder.join(SIGNATURE).display()));
    if fragment.signature.is_empty() {
        return match key {
            None => Ok(false),
            Some(_) => Err(refused("is missing, so nobody vouches for the part")),
        };
    }
    match (signer_of_answer(&fragment.answer, &fragment.signature), key) {
        (None, _) => Err(refused(&format!("is no signature of {ANSWER}"))),
        (Some(_), None) => Ok(false),
        (Some(signer), Some(key)) if signer == *key => Ok(true),
        (Some(_), Some(_)) => Err(refused("is made with another key")),
    }
}

pub(in crate::commands) fn failure(error: FragmentError) -> Failure {
    match error {
        FragmentError::Apart(_) => Failure::Usage { message: error.to_string() },
        _ => Failure::input_output(error.to_string()),
    }
}

/// A folder is never written over another one.
pub(in crate::commands) fn taken(folder: &Path) -> Failure {
    let message = format!("{}: is there already", folder.display());
    Failure::InputOutput { message, advice: Some("Name another folder".to_owned()) }
}
