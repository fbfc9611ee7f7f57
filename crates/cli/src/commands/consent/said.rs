//! Consent that is given, withdrawn and listed.

use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{ask, policy};
use crate::failure::Failure;
use crate::layout::{Columns, counted};
use clap::Subcommand;
use paravent_policy::Policy;
use paravent_processor::consent::{self, ConsentError, Given, Listed, Standing, Told};
use serde_json::{Value, json};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent consent give policy.toml --purpose gait-study --person p17 --until 2027-12-31
  paravent consent import policy.toml signed.csv           person,purpose,from,until
  paravent consent withdraw policy.toml --person p17       from every purpose
  paravent consent withdraw policy.toml --purpose gait-study --people left.txt
  paravent consent list policy.toml
  paravent consent list policy.toml --person p17

What is said here is kept in the state of the policy, without names, and counts from the next answer on; the file of [consent] speaks for everybody else.
The guide is docs/guide/policy.md.";

/// Say who agrees to a purpose of a policy, and who does not any more
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write down that people agree to a purpose
    Give {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        #[command(flatten)]
        people: People,
        /// What they agree to
        #[arg(long, value_name = "PURPOSE")]
        purpose: String,
        /// First day, as 2026-11-17
        #[arg(long, value_name = "DAY")]
        from: Option<String>,
        /// Last day
        #[arg(long, value_name = "DAY")]
        until: Option<String>,
    },
    /// Take everybody of a file with the columns person, purpose, from, until: all rows, or none
    Import {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// The consents
        #[arg(value_name = "CONSENTS")]
        consents: PathBuf,
    },
    /// Write down that people do not agree any more: to one purpose, or to none
    Withdraw {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        #[command(flatten)]
        people: People,
        /// What they withdraw from; left out: everything
        #[arg(long, value_name = "PURPOSE")]
        purpose: Option<String>,
    },
    /// Show how many people agree to each purpose, or where one person stands
    List {
        /// The policy file
        #[arg(value_name = "FILE")]
        policy: PathBuf,
        /// One person, as the table has it
        #[arg(long, value_name = "PERSON")]
        person: Option<String>,
    },
}

/// Whom it is about.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct People {
    /// The person, as the table has it; several times for several
    #[arg(long, value_name = "PERSON")]
    person: Vec<String>,
    /// A file with a person in each line; - for standard input
    #[arg(long, value_name = "FILE")]
    people: Option<PathBuf>,
}

impl People {
    fn read(&self) -> Result<Vec<String>, Failure> {
        let Some(file) = &self.people else { return Ok(self.person.clone()) };
        let text = match file == Path::new("-") {
            true => {
                let mut text = String::new();
                io::stdin().read_to_string(&mut text).map(|_| text)
            }
            false => std::fs::read_to_string(file),
        };
        let text =
            text.map_err(|error| Failure::input_output(format!("{}: {}", file.display(), error.kind())))?;
        let people: Vec<String> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        match people.is_empty() {
            true => Err(Failure::Usage { message: format!("{}: nobody is in it", file.display()) }),
            false => Ok(people),
        }
    }
}

/// Runs a command.
pub fn run(args: &Args) -> Result<Answer, Failure> {
    match &args.command {
        Command::Give { policy, people, purpose, from, until } => {
            let policy = policy::load(policy)?;
            let given = |person: String| Given {
                person,
                purpose: purpose.clone(),
                from: from.clone(),
                until: until.clone(),
            };
            let given: Vec<Given> = people.read()?.into_iter().map(given).collect();
            let people = consent::give(&policy, &given).map_err(failure)?;
            Ok(written(people, "agreed", json!(purpose)))
        }
        Command::Import { policy, consents } => {
            let policy = policy::load(policy)?;
            let people = consent::import(&policy, consents).map_err(failure)?;
            Ok(written(people, "agreed", Value::Null))
        }
        Command::Withdraw { policy, people, purpose } => {
            let policy = policy::load(policy)?;
            let people = consent::withdraw(&policy, purpose.as_deref(), &people.read()?).map_err(failure)?;
            let mut answer = written(people, "withdrew", json!(purpose));
            if let Some(batch) = policy.consent.as_ref().map(|one| one.batch).filter(|batch| *batch > 1) {
                answer.text.push_str(&format!(
                    "In answers without noise withdrawals take effect {batch} at a time, as the policy says.\n"
                ));
            }
            Ok(answer)
        }
        Command::List { policy, person: None } => {
            let policy = policy::load(policy)?;
            let listed = consent::list(&policy).map_err(failure)?;
            Ok(numbers(&policy, &listed))
        }
        Command::List { policy, person: Some(person) } => {
            let policy = policy::load(policy)?;
            let standings = consent::of_person(&policy, person).map_err(failure)?;
            let claims = policy.subjects.iter().filter(|subject| subject.person == *person);
            let claims: Vec<&String> =
                claims.flat_map(|subject| &subject.claims).flat_map(|(columns, _)| columns).collect();
            Ok(standing(&standings, &claims))
        }
    }
}

fn written(people: usize, what: &str, purpose: Value) -> Answer {
    let text = format!("{} {what}; the next answer knows it.\n", count_of_people(people));
    Answer::done(text, json!({ what: people, "purpose": purpose }))
}

fn count_of_people(people: usize) -> String {
    match people {
        1 => "1 person".to_owned(),
        people => format!("{people} people"),
    }
}

fn numbers(policy: &Policy, listed: &[Listed]) -> Answer {
    let mut rows = Columns::default();
    rows.row(["purpose", "agree", "withdrew", "wait"]);
    for one in listed {
        let numbers = [one.agreed, one.withdrawn, one.waiting].map(|number| number.to_string());
        rows.row([one.purpose.clone()].into_iter().chain(numbers));
    }
    let mut text = rows.render();
    if !policy.subjects.is_empty() {
        let people = count_of_people(policy.subjects.len());
        text.push_str(&format!("\n{people} with claims of their own in the policy\n"));
    }
    let purposes: Vec<Value> = listed
        .iter()
        .map(|one| {
            json!({ "purpose": one.purpose, "agreed": one.agreed, "withdrawn": one.withdrawn, "waiting": one.waiting })
        })
        .collect();
    Answer::of_text(text, json!({ "purposes": purposes, "claims": policy.subjects.len() }))
}

fn standing(standings: &[Standing], claims: &[&String]) -> Answer {
    let mut rows = Columns::default();
    rows.row(["purpose", "agrees", "by"]);
    let mut documents: Vec<Value> = Vec::new();
    for one in standings {
        let (by, told) = match &one.told {
            Told::Nothing => ("nothing was said".to_owned(), json!({ "by": "nothing" })),
            Told::File => ("the file".to_owned(), json!({ "by": "file" })),
            Told::Given { from, until, time } => (
                format!("given {time}"),
                json!({ "by": "command", "given": time, "from": from, "until": until }),
            ),
            Told::Withdrawn { time } => {
                (format!("withdrawn {time}"), json!({ "by": "command", "withdrawn": time }))
            }
        };
        let waits = if one.waits { "; still in answers without noise" } else { "" };
        let agrees = if one.agrees { "yes" } else { "no" };
        rows.row([one.purpose.clone(), agrees.to_owned(), format!("{by}{waits}")]);
        documents
            .push(json!({ "purpose": one.purpose, "agrees": one.agrees, "waits": one.waits, "told": told }));
    }
    let mut text = rows.render();
    if !claims.is_empty() {
        text.push_str(&format!("\n{} of the policy on columns\n", counted(claims.len() as u64, "claim")));
    }
    Answer::of_text(text, json!({ "purposes": documents, "claims": claims }))
}

fn failure(error: ConsentError) -> Failure {
    match error {
        ConsentError::Ask(error) => ask::failure(error),
        other => Failure::Usage { message: other.to_string() },
    }
}
