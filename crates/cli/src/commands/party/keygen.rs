//! `paravent party keygen`

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_federation::transport::{Fingerprint, Identity};
use serde_json::json;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

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
    let plain = args.name.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c));
    if args.name.is_empty() || !plain || args.name.starts_with('.') {
        return Err(Failure::Usage { message: "--name: use letters, digits, - and _ only".to_owned() });
    }
    let made = Identity::generate().map_err(|error| Failure::input_output(error.to_string()))?;
    let (certificate, key) = made;
    let fingerprint = Fingerprint::of_pem(certificate.as_bytes())
        .map_err(|error| Failure::input_output(error.to_string()))?;
    let key_path = args.output.join(format!("{}.key.pem", args.name));
    let certificate_path = args.output.join(format!("{}.cert.pem", args.name));
    create(&key_path, &key, 0o600)?;
    create(&certificate_path, &certificate, 0o644)?;
    let text = format!(
        "{}\n  the private key; keep it here\n{}\n  the certificate\nfingerprint {fingerprint}\n",
        key_path.display(),
        certificate_path.display()
    );
    let (key, certificate) = (key_path.display().to_string(), certificate_path.display().to_string());
    Ok(Answer::of_text(
        text,
        json!({ "key": key, "certificate": certificate, "fingerprint": fingerprint.to_string() }),
    ))
}

fn create(path: &Path, text: &str, mode: u32) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::InputOutput {
            message: format!("{}: is there already", path.display()),
            advice: Some("A key is never replaced; use another name or directory".to_owned()),
        },
        _ => Failure::input_output(format!("{}: {error}", path.display())),
    })
}
