//! `paravent schema`

use crate::answer::{Answer, document};
use crate::commands::args::EXIT_CODES;
use paravent_pipeline::report::{DocumentKind, schema};

const EXAMPLES: &str = "\
Examples:
  paravent schema > paravent-job.schema.json    what the first line of a proposed job refers to
  paravent schema report > paravent-report.schema.json
  paravent schema policy > paravent-policy.schema.json
  paravent schema manifest > paravent-manifest.schema.json

Editors check a job while it is written, and pipelines check what they read.";

/// Print the JSON Schema of job files, policies, and of every document that is written
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
    /// report.json of the release, which is handed out
    External,
    /// report.json of a sliced release
    Slice,
    /// report.json of a release with noise
    Noise,
    /// report.json of a released answer (`sql --release`)
    Sql,
    /// report.json of a joint release
    Joint,
    /// report.json of a party that did not get the joint release
    Participation,
    /// manifest.json of every kind of release
    Manifest,
    /// transform.json of every kind of release
    Transform,
    /// A line of the register of releases
    Register,
    /// The policy file
    Policy,
    /// What an answer under a policy says about itself
    Annotation,
}

/// Prints it.
pub fn run(args: &Args) -> Answer {
    let schema = match args.of {
        Of::Job => paravent_pipeline::job::schema(),
        Of::Report => schema(DocumentKind::Report),
        Of::External => schema(DocumentKind::External),
        Of::Slice => schema(DocumentKind::Slice),
        Of::Noise => schema(DocumentKind::Noise),
        Of::Sql => schema(DocumentKind::Answer),
        Of::Joint => schema(DocumentKind::Joint),
        Of::Participation => schema(DocumentKind::Participation),
        Of::Manifest => schema(DocumentKind::Manifest),
        Of::Transform => schema(DocumentKind::Transform),
        Of::Register => schema(DocumentKind::Register),
        Of::Policy => paravent_policy::schema(),
        Of::Annotation => paravent_policy::annotation_schema(),
    };
    Answer::of_text(document(&schema), schema)
}
