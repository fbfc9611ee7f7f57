//! What went wrong, as text and as JSON.

use crate::answer::{Exit, document};
use crate::paint::Paint;
use crate::plain::plain;
use paravent_pipeline::job::{Problem, Problems};
use paravent_pipeline::study::Relaxation;
use serde_json::{Value, json};
use std::path::Path;

/// Why a command gave no answer.
#[derive(Debug)]
pub enum Failure {
    /// The command line.
    Usage {
        /// What clap says of it.
        message: String,
    },
    /// A job file, a hierarchy, or a table that does not go with them.
    Configuration {
        /// Each with its place.
        problems: Problems,
    },
    /// A file cannot be read or written.
    InputOutput {
        /// What and why.
        message: String,
        /// What to do.
        advice: Option<String>,
    },
    /// No transformation keeps the promises.
    Infeasible {
        /// Single changes to the job that would each work.
        relaxations: Vec<Relaxation>,
        /// Whether the whole lattice was looked at.
        complete: bool,
    },
    /// A query or a slicing has no result that keeps what it promises.
    Unkept {
        /// Why, and what to do.
        message: String,
        /// Whether nothing can keep it, or what was made does not.
        exit: Exit,
    },
    /// The verifier refused what was made: a bug, but nothing was released.
    Refuted {
        /// What it found.
        verification: Value,
        /// The same in words.
        violations: Vec<String>,
    },
    /// How it ended is not known: another party did not say, or the disk failed at the last moment.
    Unknown {
        /// What was not heard, and why.
        message: String,
        /// Whom to ask.
        advice: String,
    },
    /// Files that vouch for each other do not fit any more.
    Changed {
        /// Which, and how that shows.
        message: String,
        /// What to do.
        advice: String,
    },
    /// A policy does not allow it.
    Refused {
        /// What is not allowed; names rules and columns, and no cell.
        message: String,
        /// What to ask instead.
        advice: String,
        /// The rules that say so.
        rules: Vec<String>,
    },
    /// Ctrl-C.
    Stopped,
    /// A panic; the hook has said where.
    Internal,
}

impl Failure {
    /// What clap found.
    pub fn usage(error: &clap::Error) -> Failure {
        let text = error.to_string();
        Failure::Usage { message: text.trim().trim_start_matches("error: ").to_owned() }
    }

    /// A file that cannot be read or written.
    pub fn input_output(message: impl Into<String>) -> Failure {
        Failure::InputOutput { message: message.into(), advice: None }
    }

    /// A file that is in the way.
    pub fn exists(path: &Path) -> Failure {
        let message = format!("{}: is there already", path.display());
        Failure::InputOutput {
            message,
            advice: Some("Name another file, or use --force to replace it".into()),
        }
    }

    /// One mistake of a file.
    pub fn configuration(problem: Problem) -> Failure {
        Failure::Configuration { problems: problem.into() }
    }

    /// A recipient or a purpose that the policy does not know.
    pub fn denied(denied: paravent_policy::Denied) -> Failure {
        Failure::Refused { message: denied.message, advice: denied.advice, rules: Vec::new() }
    }

    /// A bug.
    pub fn internal() -> Failure {
        Failure::Internal
    }

    /// How the program ends.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Usage { .. } | Failure::Configuration { .. } => Exit::Configuration,
            Failure::InputOutput { .. } => Exit::InputOutput,
            Failure::Infeasible { .. } => Exit::Infeasible,
            Failure::Refuted { .. } | Failure::Changed { .. } => Exit::NotMet,
            Failure::Unkept { exit, .. } => *exit,
            Failure::Unknown { .. } => Exit::Unknown,
            Failure::Refused { .. } => Exit::Refused,
            Failure::Stopped => Exit::Stopped,
            Failure::Internal => Exit::Internal,
        }
    }

    /// The document of `--json`.
    pub fn document(&self) -> String {
        document(&match self {
            Failure::Infeasible { relaxations, complete } => {
                json!({ "error": "infeasible", "relaxations": relaxations, "complete": complete })
            }
            Failure::Refuted { verification, .. } => {
                let (kind, message) = (self.kind(), self.message());
                json!({ "error": { "kind": kind, "message": message, "verification": verification } })
            }
            Failure::Configuration { problems } => {
                let (shown, more) = problems.shown();
                let told: Vec<Value> = shown.iter().map(problem_json).collect();
                let mut error = json!({ "kind": self.kind(), "message": self.message(), "problems": told });
                if more > 0 {
                    error["more_problems"] = json!(more);
                }
                json!({ "error": error })
            }
            Failure::Refused { message, advice, rules } => {
                json!({ "error": { "kind": self.kind(), "message": message, "advice": advice, "rules": rules } })
            }
            _ => json!({ "error": { "kind": self.kind(), "message": self.message() } }),
        })
    }

    /// The failure in one word.
    pub fn kind(&self) -> &'static str {
        match self {
            Failure::Usage { .. } => "usage",
            Failure::Configuration { .. } => "configuration",
            Failure::InputOutput { .. } => "input-output",
            Failure::Infeasible { .. } => "infeasible",
            Failure::Refuted { .. } => "refuted",
            Failure::Unkept { exit, .. } => {
                if *exit == Exit::Infeasible {
                    "infeasible"
                } else {
                    "not-kept"
                }
            }
            Failure::Unknown { .. } => "outcome-unknown",
            Failure::Changed { .. } => "changed",
            Failure::Refused { .. } => "refused",
            Failure::Stopped => "stopped",
            Failure::Internal => "internal",
        }
    }

    /// The failure in words.
    pub fn message(&self) -> String {
        plain(&self.words())
    }

    fn words(&self) -> String {
        match self {
            Failure::Usage { message } => message.clone(),
            Failure::Configuration { problems } => problems.to_string(),
            Failure::InputOutput { message, advice } => match advice {
                Some(advice) => format!("{message}. {advice}"),
                None => message.clone(),
            },
            Failure::Infeasible { .. } => {
                "no transformation that the job allows keeps the promises".to_owned()
            }
            Failure::Refuted { .. } => {
                "the finished files fail the verifier; nothing was released".to_owned()
            }
            Failure::Unkept { message, .. } => message.clone(),
            Failure::Unknown { message, advice }
            | Failure::Changed { message, advice }
            | Failure::Refused { message, advice, .. } => {
                format!("{message}. {advice}")
            }
            Failure::Stopped => "stopped on request; nothing was written".to_owned(),
            Failure::Internal => "internal error; please report this".to_owned(),
        }
    }

    /// For stderr: `error: file:line: key: message`, advice below it.
    pub fn text(&self, paint: Paint) -> String {
        plain(&self.painted(paint))
    }

    fn painted(&self, paint: Paint) -> String {
        let error = paint.bad("error:");
        match self {
            Failure::Configuration { problems } => {
                let (shown, more) = problems.shown();
                let mut text: String = shown.iter().map(|problem| problem_text(&error, problem)).collect();
                if more > 0 {
                    text.push_str(&format!("{error} and {more} more problems\n"));
                }
                text
            }
            Failure::InputOutput { message, advice: Some(advice) }
            | Failure::Unknown { message, advice }
            | Failure::Changed { message, advice } => {
                format!("{error} {message}\n  {advice}\n")
            }
            Failure::Refused { message, advice, .. } => {
                format!("{} {message}\n  {advice}\n", paint.bad("refused:"))
            }
            Failure::Infeasible { relaxations, complete } => infeasible(&error, relaxations, *complete),
            Failure::Refuted { violations, .. } => {
                let list: String = violations.iter().map(|violation| format!("  {violation}\n")).collect();
                format!("{error} {}\n{list}  This is a bug of Paravent; please report it.\n", self.message())
            }
            Failure::Stopped => format!("{}\n", self.message()),
            Failure::Unkept { message, .. } => format!("{error} {message}\n"),
            // The panic hook has said it.
            Failure::Internal => String::new(),
            Failure::Usage { message } | Failure::InputOutput { message, advice: None } => {
                format!("{error} {message}\n")
            }
        }
    }
}

fn problem_text(error: &str, problem: &Problem) -> String {
    let place = Problem { advice: None, ..problem.clone() };
    match &problem.advice {
        Some(advice) => format!("{error} {place}\n  {}\n", advice.replace('\n', "\n  ")),
        None => format!("{error} {place}\n"),
    }
}

/// A problem of a file, for programs.
pub fn problem_json(problem: &Problem) -> Value {
    let Problem { file, line, key, message, advice } = problem;
    json!({ "file": file.display().to_string(), "line": line, "key": key, "message": message, "advice": advice })
}

fn infeasible(error: &str, relaxations: &[Relaxation], complete: bool) -> String {
    let looked = if complete { "" } else { " that was looked at before the time limit" };
    let mut text = format!("{error} no transformation that the job allows{looked} keeps the promises\n");
    if relaxations.is_empty() {
        text.push_str("  No single change of the job makes it possible. Weaken several promises, or allow more suppression.\n");
        return text;
    }
    text.push_str("  Each of these changes alone makes it possible:\n");
    for Relaxation { key, from, to, advice } in relaxations {
        let from = if from.is_empty() { String::new() } else { format!(" (now {from})") };
        text.push_str(&format!("  - {advice}\n      {key} = {to}{from}\n"));
    }
    text
}
