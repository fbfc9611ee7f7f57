//! `paravent schema`

use crate::answer::{Answer, document};
use crate::commands::args::EXIT_CODES;

const EXAMPLES: &str = "\
Examples:
  paravent schema > paravent-job.schema.json          what the first line of a proposed job refers to
  paravent schema report > paravent-report.schema.json
  paravent schema policy > paravent-policy.schema.json
  paravent schema annotation > paravent-annotation.schema.json

Editors check a job while it is written, and pipelines check what they read.";

/// Print the JSON Schema of job files, of reports, of policies or of annotations
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Of what
    #[arg(value_enum, default_value = "job")]
    of: Of,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Of {
    /// The job file
    Job,
    /// What `anonymize --json` prints, and report.json of the private folder
    Report,
    /// The policy file
    Policy,
    /// What an answer under a policy says about itself
    Annotation,
}

/// Prints it.
pub fn run(args: &Args) -> Answer {
    let schema = match args.of {
        Of::Job => paravent_pipeline::job::schema(),
        Of::Report => paravent_pipeline::report::schema(),
        Of::Policy => paravent_policy::schema(),
        Of::Annotation => paravent_policy::annotation_schema(),
    };
    Answer::of_text(document(&schema), schema)
}
