//! `paravent-verify`: the independent checker as a program of its own.
//!
//! An auditor who does not want to trust the program that made a release builds this one: it has nothing of the engine behind it. Same
//! verdict, same exit codes as `paravent verify`: 0 every promise holds, 1 one does not, 2 usage, 4 the release cannot be examined.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use paravent_verify::{PublicKey, verify_signed};

const HELP: &str = "\
Check a finished release from its files alone

Usage: paravent-verify [--key PUBLIC] [--json] [--quiet] RELEASE_DIR

  --key PUBLIC  public key that the manifest must be signed with: a file, or the key itself
  --json        print one JSON document and nothing else
  --quiet       print nothing but errors
  --help, --version

Exit codes: 0 every promise holds · 1 a promise is not met · 2 usage · 4 input or output
";

/// What the command line asks for.
#[derive(Default)]
struct Asked {
    release: Option<PathBuf>,
    key: Option<OsString>,
    json: bool,
    quiet: bool,
}

/// Why there is no verdict: exit code and message.
struct Failure(u8, String);

fn main() -> ExitCode {
    let asked = match parse(std::env::args_os().skip(1)) {
        Ok(Some(asked)) => asked,
        Ok(None) => return ExitCode::SUCCESS,
        Err(Failure(code, message)) => return fail(code, &message),
    };
    match run(&asked) {
        Ok(holds) => ExitCode::from(u8::from(!holds)),
        Err(Failure(code, message)) => fail(code, &message),
    }
}

fn fail(code: u8, message: &str) -> ExitCode {
    // Nobody is left to be told if this fails.
    let _ = writeln!(std::io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// `None` where help or the version was asked for, and printed.
fn parse(args: impl Iterator<Item = OsString>) -> Result<Option<Asked>, Failure> {
    let usage = |message: String| Failure(2, format!("{message}\n\n{HELP}"));
    let mut asked = Asked::default();
    let (mut args, mut only_names) = (args, false);
    while let Some(arg) = args.next() {
        match arg.to_str().filter(|_| !only_names) {
            Some("--help" | "-h") => {
                print(HELP)?;
                return Ok(None);
            }
            Some("--version" | "-V") => {
                print(concat!("paravent-verify ", env!("CARGO_PKG_VERSION"), "\n"))?;
                return Ok(None);
            }
            Some("--json") => asked.json = true,
            Some("--quiet" | "-q") => asked.quiet = true,
            Some("--key") => {
                asked.key = Some(args.next().ok_or_else(|| usage("--key needs a key".to_owned()))?)
            }
            Some("--") => only_names = true,
            Some(option) if option.starts_with('-') && option != "-" => {
                return Err(usage(format!("there is no option {option}")));
            }
            _ if asked.release.is_some() => return Err(usage("more than one release was named".to_owned())),
            _ => asked.release = Some(arg.into()),
        }
    }
    match asked.release {
        Some(_) => Ok(Some(asked)),
        None => Err(usage("no release was named".to_owned())),
    }
}

fn run(asked: &Asked) -> Result<bool, Failure> {
    let key = asked.key.as_ref().map(public_key).transpose()?;
    let release = asked.release.as_deref().unwrap_or(Path::new(""));
    let title = release.display().to_string();
    let verification = verify_signed(release, key.as_ref()).map_err(|error| {
        let message = match (release.is_dir(), release.exists()) {
            (true, _) => format!("{title}: the release cannot be examined: {error}"),
            (false, true) => format!("{title}: a file, not the directory of a release"),
            (false, false) => format!("{title}: no such release directory"),
        };
        Failure(4, message)
    })?;
    let text = match (asked.json, asked.quiet) {
        (true, _) => format!("{:#}\n", serde_json::json!(verification)),
        (false, true) => String::new(),
        (false, false) => verification.text(&title),
    };
    print(&text)?;
    Ok(verification.holds())
}

/// A key, or the file that has it.
fn public_key(given: &OsString) -> Result<PublicKey, Failure> {
    if let Some(key) = given.to_str().and_then(PublicKey::parse) {
        return Ok(key);
    }
    let shown = Path::new(given).display();
    let text = std::fs::read_to_string(given).map_err(|error| Failure(4, format!("{shown}: {error}")))?;
    PublicKey::parse(&text).ok_or_else(|| Failure(2, format!("{shown}: not a public key")))
}

/// A reader that has seen enough and closed the pipe is no error.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure(4, format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}
