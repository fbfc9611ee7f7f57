//! A question under a policy, answered or refused.

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{policy, proceed, run_error};
use crate::failure::Failure;
use crate::layout::Columns;
use paravent_algebra::error::AlgebraError;
use paravent_pipeline::release::SigningKey;
use paravent_policy::Policy;
use paravent_processor::fragment::Fragment;
use paravent_processor::nodes::At;
use paravent_processor::{Answered, AskError, Refusal};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent ask policy.toml --as research --purpose statistics \"SELECT sex, count(*) FROM patients GROUP BY sex\"
  paravent ask policy.toml --as research --purpose statistics \"SELECT avg(age) FROM patients WHERE sex = 'f'\" --json
  paravent ask policy.toml --as research --purpose statistics --at ward --part --output ward-a \"SELECT avg(age) FROM patients\"

Counts, sums and means of groups, of one table or of tables joined along their links: with noise, or exact about one table for recipients that are trusted.
Rows where the policy shows them. The same question has the same answer, and costs once.
What the policy does not allow is refused with exit code 7. The guide is docs/guide/policy.md.";

/// Ask a question under a policy: an annotated answer, or a refusal
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The policy file
    #[arg(value_name = "FILE")]
    policy: PathBuf,
    /// The question
    #[arg(value_name = "SQL")]
    statement: String,
    /// Who asks
    #[arg(long = "as", value_name = "ROLE")]
    role: String,
    /// What for
    #[arg(long, value_name = "PURPOSE")]
    purpose: String,
    /// The node of the policy that works it out
    #[arg(long, value_name = "NODE")]
    at: Option<String>,
    /// Leave means as sums and numbers of values, to be put together with other parts
    #[arg(long)]
    part: bool,
    /// Folder for a part of an answer, for `paravent continue`
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Sign the part with a key of `paravent keygen`
    #[arg(long, value_name = "FILE", requires = "output")]
    sign: Option<PathBuf>,
}

/// Answers it.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    let policy = policy::load(&args.policy)?;
    let is_here = !args.part && args.at.is_none();
    // Before anything is paid: whoever asks for a folder that cannot be made, or to be signed with a key that is none, has asked for nothing.
    if let Some(folder) = &args.output {
        if is_here {
            let message = "a whole answer leaves nothing to finish: print it with --json, or ask for a part with --part or --at";
            return Err(Failure::Usage { message: message.to_owned() });
        }
        if folder.symlink_metadata().is_ok() {
            return Err(proceed::taken(folder));
        }
    }
    let key = args.sign.as_deref().map(SigningKey::load).transpose();
    let key = key.map_err(|error| Failure::input_output(error.to_string()))?;
    let answered = match is_here {
        true => paravent_processor::ask(&policy, &args.role, &args.purpose, &args.statement),
        false => {
            let at = At { node: args.at.as_deref(), is_part: args.part };
            paravent_processor::fragment(&policy, &args.role, &args.purpose, &args.statement, at)
        }
    };
    let answered = answered.map_err(failure)?;
    let mut text = printed(&answered);
    let is_part = answered.annotation["analysis"]["done"] == json!("partial");
    match (&args.output, is_part) {
        (Some(folder), true) => {
            written(&answered, folder, key.as_ref())?;
            text.push_str(&format!(
                "· a part of the answer is in {0}; it is finished by: paravent continue {0}\n",
                folder.display()
            ));
        }
        (Some(_), false) => text
            .push_str("· the node has done all of it: nothing is left to finish, and nothing was written\n"),
        (None, true) => text.push_str("· a part of the answer; with --output it can be finished elsewhere\n"),
        (None, false) => {}
    }
    let annotation = &answered.annotation;
    let document = json!({ "columns": answered.columns, "rows": answered.rows, "annotation": annotation });
    Ok(Answer::of_text(text, document))
}

/// Puts a part into a folder.
fn written(answered: &Answered, folder: &Path, key: Option<&SigningKey>) -> Result<(), Failure> {
    let sign = key.map(|key| move |answer: &[u8]| key.sign_answer(answer));
    let fragment = Fragment::of(answered, sign.as_ref().map(|sign| sign as &dyn Fn(&[u8]) -> String));
    fragment.write(folder).map_err(proceed::failure)
}

/// The rows, and what is to be known about them.
pub fn printed(answered: &Answered) -> String {
    let mut rows = Columns::default();
    rows.row(answered.columns.iter().cloned());
    for row in &answered.rows {
        rows.row(row.iter().map(cell));
    }
    let mut text = rows.render();
    let annotation = &answered.annotation;
    for operator in annotation["operators"].as_array().into_iter().flatten() {
        let figure = |figure: &Value| {
            let width = figure["half_width"].as_str()?;
            Some(format!("· {} ± {width} (95 %)\n", figure["name"].as_str()?))
        };
        operator["figures"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(figure)
            .for_each(|line| text.push_str(&line));
        if let (Some(epsilon), Some(left)) = (operator["epsilon"].as_str(), operator["left"].as_str()) {
            text.push_str(&format!("· cost ε = {epsilon}; left when it was given: {left}\n"));
        }
    }
    if let Some(compared) = annotation["differences"]["compared_with"].as_u64() {
        text.push_str(&format!("· exact; held against {compared} earlier sets of the recipient's group\n"));
        if answered.rows.is_empty() {
            text.push_str("· withheld: too few people, alone or together with earlier answers\n");
        }
    }
    if let Some(kind) = annotation["operators"][0]["type"].as_str() {
        match (kind, annotation["criteria"][0]["without_change"] == json!(true)) {
            ("generalize", true) => text.push_str("· rows, anonymous without a change\n"),
            ("generalize", false) => text.push_str("· rows on coarser labels\n"),
            ("slice", _) => text.push_str(&format!(
                "· rows whose column groups were mixed: {}\n",
                groups(&annotation["operators"][0]["groups"])
            )),
            ("withheld", _) => text.push_str("· withheld: nothing makes these rows anonymous\n"),
            _ => {}
        }
    }
    if annotation["cached"] == json!(true) {
        text.push_str("· this question was answered before: the same answer, at no cost\n");
    }
    let rules: Vec<&str> = annotation["policy"]["rules_used"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    text.push_str(&format!("· rules: {}\n", rules.join(", ")));
    text
}

/// Says what would become of a question.
pub fn explain(policy: &Policy, role: &str, purpose: &str, statement: &str) -> Result<Answer, Failure> {
    let explained = paravent_processor::explain(policy, role, purpose, statement).map_err(failure)?;
    let rules: Vec<&str> = explained.rules.iter().map(String::as_str).collect();
    let mut text = String::from("Changed\n");
    explained.adaptations.iter().for_each(|adaptation| text.push_str(&format!("  {adaptation}\n")));
    text.push_str(&format!("Read\n  {}\nPlan\n", explained.reads.join("\n  ")));
    explained.plan.lines().for_each(|line| text.push_str(&format!("  {line}\n")));
    match explained.is_exact {
        true => text.push_str("Figures\n  exact, held against earlier answers\n"),
        false => {
            text.push_str(&format!("Cost\n  ε = {}, δ = {}\n", explained.epsilon, explained.delta));
        }
    }
    text.push_str(&format!("Rules\n  {}\n", rules.join(", ")));
    let document = json!({
        "adaptations": explained.adaptations,
        "reads": explained.reads,
        "plan": explained.plan,
        "epsilon": explained.epsilon,
        "delta": explained.delta,
        "exact": explained.is_exact,
        "rules": explained.rules,
    });
    Ok(Answer::done(text, document))
}

/// `age + salary | sex`
fn groups(groups: &Value) -> String {
    let names = |group: &Value| {
        let names: Vec<&str> = group.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        names.join(" + ")
    };
    groups.as_array().into_iter().flatten().map(names).collect::<Vec<_>>().join(" | ")
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

pub fn failure(error: AskError) -> Failure {
    match error {
        AskError::Refused(Refusal { message, advice, rules }) => Failure::Refused { message, advice, rules },
        AskError::Problems(problems) => Failure::Configuration { problems },
        AskError::Engine(AlgebraError::Read(error)) => run_error::of_read(&error),
        AskError::Engine(AlgebraError::Problems(problems)) => Failure::Configuration { problems },
        AskError::Engine(AlgebraError::Ledger(error)) => run_error::of_book(&error),
        AskError::Engine(AlgebraError::Internal) => Failure::internal(),
        AskError::Engine(other) => Failure::Usage { message: other.to_string() },
        AskError::Stopped => Failure::Stopped,
        other => Failure::input_output(other.to_string()),
    }
}
