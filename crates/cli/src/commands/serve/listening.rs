//! The server of a policy, from here until Ctrl-C.

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{Session, policy};
use crate::failure::Failure;
use crate::signals;
use paravent_server::{Limits, Options, Server, ServerError, Tls, Users};
use serde_json::json;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  paravent user add policy.toml ada --role research
  paravent serve policy.toml
  psql \"host=127.0.0.1 port=5433 user=ada dbname=ward-7 options='-c paravent.purpose=statistics'\"
  paravent serve policy.toml --listen 0.0.0.0:5433 --tls cert.pem key.pem

Clients of PostgreSQL connect as users of `paravent user`. Every statement goes the way of `paravent ask`. What the policy does not allow is refused with SQLSTATE 42501.
Other machines can connect only over TLS. The guide is docs/guide/serve.md. Ctrl-C ends it.";

/// Answer questions under a policy to clients of PostgreSQL: psql, psycopg, pandas
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The policy file
    #[arg(value_name = "FILE")]
    policy: PathBuf,
    /// Address and port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:5433")]
    listen: SocketAddr,
    /// Certificate (with its chain) and private key, PEM; then only encrypted connections are served
    #[arg(long, num_args = 2, value_names = ["CERT", "KEY"])]
    tls: Option<Vec<PathBuf>>,
    /// Connections at a time
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    connections: u32,
    /// Questions that are worked on at a time; others wait
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=256))]
    at_once: u32,
    /// Seconds that a client waits for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
    /// Memory of the SQL engine for one question beside the table, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    memory: u64,
    /// Largest statement with its parameters, in KiB
    #[arg(long, value_name = "KIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    statement: u32,
    /// Minutes that a connection may be silent; 45s are seconds
    #[arg(long, value_name = "MINUTES", default_value = "30", value_parser = silence)]
    idle: Duration,
    /// Answers and refusals leave on multiples of so many milliseconds; 0: at once, and the time of an answer shows its work
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = clap::value_parser!(u64).range(0..=10_000))]
    grid: u64,
}

/// Minutes, or seconds with an `s`; at most a week.
fn silence(text: &str) -> Result<Duration, String> {
    let (number, seconds) = match text.strip_suffix('s') {
        Some(number) => (number, 1),
        None => (text, 60),
    };
    let seconds = number.parse::<u64>().ok().and_then(|number| number.checked_mul(seconds));
    match seconds.filter(|seconds| (1..=7 * 24 * 3600).contains(seconds)) {
        Some(seconds) => Ok(Duration::from_secs(seconds)),
        None => Err("between 1s and 10080 minutes".to_owned()),
    }
}

/// Serves until somebody stops it.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    signals::install();
    let policy = policy::load(&args.policy)?;
    let limits = Limits {
        connections: args.connections as usize,
        at_once: args.at_once as usize,
        statement: (args.statement as usize) << 10,
        time: Duration::from_secs(args.seconds),
        idle: args.idle,
        grid: Duration::from_millis(args.grid),
        memory: args.memory << 20,
    };
    let tls = args.tls.as_ref().and_then(|files| match files.as_slice() {
        [certificates, key] => Some(Tls { certificates: certificates.clone(), key: key.clone() }),
        _ => None,
    });
    let name = policy.name.clone();
    let users = Users::of(&args.policy);
    let nobody = users.list().map_err(|error| Failure::input_output(error.to_string()))?.is_empty();
    let options = Options { address: args.listen, tls, limits };
    let log = |line: &str| {
        let _ = writeln!(std::io::stderr(), "{line}");
    };
    let server = Server::bind(policy, users, &options, log).map_err(failure)?;
    if !session.quiet {
        let address = server.address();
        let hint = if nobody { "; nobody can log in yet: paravent user add" } else { "" };
        let _ = writeln!(std::io::stderr(), "{name} is served on {address}{hint}\n  Ctrl-C ends it");
    }
    let address = server.address();
    server
        .run(signals::stop)
        .map_err(|error| Failure::input_output(format!("the server has ended: {error}")))?;
    Ok(Answer::done(String::new(), json!({ "address": address.to_string(), "ended": true })))
}

fn failure(error: ServerError) -> Failure {
    match error {
        ServerError::Problems(problems) => Failure::Configuration { problems },
        error @ ServerError::Plain(_) => Failure::Usage { message: error.to_string() },
        error => Failure::input_output(error.to_string()),
    }
}
