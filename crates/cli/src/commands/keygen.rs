//! `paravent keygen`

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_pipeline::release::{KEY_NAME, KeyPair, generate};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent keygen                            paravent.key and paravent.key.pub
  paravent anonymize paravent.toml           signs with the key beside the job
  paravent anonymize paravent.toml --sign ~/keys/office.key
  paravent verify release --key paravent.key.pub

Keep the secret key; give the public one to those who verify, on another way than the release.";

/// Make a key pair to sign releases with
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// File of the secret key; the public one gets `.pub` behind it
    #[arg(value_name = "FILE", default_value = KEY_NAME)]
    file: PathBuf,
}

/// Prints where the keys are.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let KeyPair { secret, public, key } =
        generate(&args.file).map_err(|error| Failure::input_output(error.to_string()))?;
    let (secret, public) = (secret.display().to_string(), public.display().to_string());
    let text = format!(
        "Secret key  {secret} (yours alone; releases of jobs beside it are signed if it is called {KEY_NAME})\n\
         Public key  {public}\n            {key}\n"
    );
    Ok(Answer::done(text, json!({ "secret": secret, "public": public, "key": key })))
}
