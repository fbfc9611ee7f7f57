//! `paravent policy check`

use super::{effective, load};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_policy::{check_columns, remarks};
use serde_json::{Value, json};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent policy check policy.toml
  paravent policy check policy.toml --json

The jobs that the policy names are read, their tables are not.
The guide is docs/guide/policy.md.";

/// Which policy.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The policy file
    #[arg(value_name = "FILE", default_value = "policy.toml")]
    policy: PathBuf,
}

/// Tells every problem, or what everybody may do.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let policy = load(&args.policy)?;
    let jobs = check_columns(&policy).map_err(|problems| Failure::Configuration { problems })?;
    let mut text = format!("The policy {} is sound. Its version is {}.\n", policy.name, policy.version());
    let mut askers: Vec<Value> = Vec::new();
    for recipient in &policy.recipients {
        for purpose in &recipient.purposes {
            // Both are of the policy, so they are known to it.
            let Ok(asker) = policy.asker(&recipient.role, purpose) else { continue };
            text.push_str(&format!("\n{}\n", effective::title(&asker)));
            text.push_str(&effective::text(&policy, &asker, &jobs));
            askers.push(effective::json(&policy, &asker, &jobs));
        }
    }
    let remarks = remarks(&policy);
    if !remarks.is_empty() {
        text.push_str("\nRemarks\n");
    }
    for remark in &remarks {
        text.push_str(&format!("  {}: {}\n", remark.rules.join(", "), remark.message));
    }
    let told: Vec<Value> =
        remarks.iter().map(|remark| json!({ "rules": remark.rules, "message": remark.message })).collect();
    let json =
        json!({ "policy": policy.name, "version": policy.version(), "recipients": askers, "remarks": told });
    Ok(Answer::done(text, json))
}
