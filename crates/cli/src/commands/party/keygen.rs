//! `paravent party keygen`

use super::failure;
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_joint::keys;
use serde_json::json;
use std::path::PathBuf;

/// Make this party's certificate and key
#[derive(Debug, clap::Args)]
#[command(after_help = format!("Example:\n  paravent party keygen --name clinic-a\n\nWrites NAME.key.pem, which only its owner can read and which never leaves the house, and NAME.cert.pem.\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Name of the party, for the file names
    #[arg(long)]
    name: String,
    /// Where to write
    #[arg(long, short, default_value = ".", value_name = "DIR")]
    output: PathBuf,
}

/// Writes both files; never over others.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let made = keys::generate(&args.name, &args.output).map_err(failure::of)?;
    let (key, certificate) = (made.key.display().to_string(), made.certificate.display().to_string());
    let fingerprint = made.fingerprint;
    let text = format!(
        "{key}\n  the private key; keep it here\n{certificate}\n  the certificate\nfingerprint {fingerprint}\n"
    );
    let json = json!({ "key": key, "certificate": certificate, "fingerprint": fingerprint.to_string() });
    Ok(Answer::of_text(text, json))
}
