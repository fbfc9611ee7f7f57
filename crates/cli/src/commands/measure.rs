//! `paravent measure`

mod beliefs;
mod consent;
mod distance;

use super::{Session, run_error, summary};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, counted, short};
use crate::progress::Progress;
use paravent_evidence::information::anonymity::degree_of_anonymity;
use paravent_evidence::information::one_symbol::l_of_t;
use paravent_evidence::information::trips::location_privacy;
use paravent_evidence::information::unlinkability::{Unlinkability, between_sets, of_pair, of_partitions};
use paravent_pipeline::evidence::measure::{number, observations, read_assignments, read_groupings};
use paravent_pipeline::evidence::risk::{RiskRequest, assess_risk};
use serde_json::{Value, json};
use std::path::PathBuf;

const ANONYMITY: &str = "\
Examples:
  paravent measure anonymity 1/2 1/4 1/8 1/8          degree 0.875
  paravent measure anonymity 0.7 0.1 0.1 0.1          degree 0.6784

Users with probability 0 still count.";

const UNLINKABILITY: &str = "\
Examples:
  paravent measure unlinkability 0.25                 two items, together with probability 0.25
  paravent measure unlinkability 0.25 --before 0.5    and what was known before
  paravent measure unlinkability --groupings ways.csv
  paravent measure unlinkability --groupings who.csv --users ann,bob   who did what?

ways.csv:
  grouping,probability
  a b|c,0.5          a and b belong together, c does not
  a|b|c,0.5";

const TRIPS: &str = "\
Example:
  paravent measure trips starts.csv trips.csv arrivals.csv

starts.csv    a line per individual, a column per origin; the rest to 1 is staying at home
trips.csv     a line per origin, a column per destination; lines sum to 1
arrivals.csv  a line per destination, a column per individual";

/// Measure anonymity in bits
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// What the classes of a table or a release tell: k, ℓ and t on one scale
    Information(InformationArgs),
    /// Degree of anonymity: who did it?
    Anonymity(AnonymityArgs),
    /// Degree of unlinkability: do they belong together?
    Unlinkability(UnlinkabilityArgs),
    /// Location privacy: where did somebody go?
    Trips(TripsArgs),
    /// What somebody believes before and after: prior, whole column, class
    Beliefs(beliefs::Args),
    /// The earth mover's distance of two distributions, in the units of the ground distance
    Distance(distance::Args),
    /// How much of what is used do people agree to?
    Consent(consent::Args),
}

/// What the classes of a table or a release tell: k, ℓ and t on one scale
#[derive(Debug, clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct InformationArgs {
    /// A table, or the directory of a release
    #[arg(value_name = "DATA|RELEASE_DIR")]
    data: PathBuf,
    /// A job file that says what the columns of a table are
    #[arg(long, short, value_name = "JOB")]
    job: Option<PathBuf>,
    /// Columns that others may know of a person
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    quasi_identifiers: Vec<String>,
    /// Columns that nobody should learn
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// A t in bits: what ℓ it would promise on the average
    #[arg(long, value_name = "BITS", value_parser = bits_of)]
    t: Option<f64>,
}

/// Degree of anonymity: who did it?
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{ANONYMITY}\n\n{EXIT_CODES}"))]
pub struct AnonymityArgs {
    /// The probability of each user, as 0.25 or 1/4; together 1
    #[arg(required = true, value_name = "PROBABILITY", value_parser = probability)]
    probabilities: Vec<f64>,
}

/// Degree of unlinkability: do they belong together?
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{UNLINKABILITY}\n\n{EXIT_CODES}"))]
pub struct UnlinkabilityArgs {
    /// Probability that two items belong together
    #[arg(required_unless_present = "groupings", value_name = "PROBABILITY", value_parser = probability)]
    probability: Option<f64>,
    /// The probability before the observation
    #[arg(long, value_name = "PROBABILITY", requires = "probability", value_parser = probability)]
    before: Option<f64>,
    /// Ways to put several items into groups, with their probabilities
    #[arg(long, value_name = "FILE", conflicts_with = "probability")]
    groupings: Option<PathBuf>,
    /// Which of the items are users; the others are actions, each of one user
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "groupings")]
    users: Vec<String>,
}

/// Location privacy: where did somebody go?
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{TRIPS}\n\n{EXIT_CODES}"))]
pub struct TripsArgs {
    /// Where individuals start
    starts: PathBuf,
    /// Where trips lead
    trips: PathBuf,
    /// Who arrives
    arrivals: PathBuf,
}

/// Runs one measure.
pub fn run(command: &Command, session: &Session) -> Result<Answer, Failure> {
    match command {
        Command::Information(args) => information(args, session),
        Command::Anonymity(args) => anonymity(args),
        Command::Unlinkability(args) => unlinkability(args),
        Command::Trips(args) => trips(args),
        Command::Beliefs(args) => beliefs::run(args, session),
        Command::Distance(args) => distance::run(args),
        Command::Consent(args) => consent::run(args, session),
    }
}

fn bits_of(text: &str) -> Result<f64, String> {
    number(text).filter(|t| *t >= 0.0).ok_or_else(|| "write bits as 0.2, from 0 on".to_owned())
}

fn probability(text: &str) -> Result<f64, String> {
    number(text)
        .filter(|p| (0.0..=1.0).contains(p))
        .ok_or_else(|| "a probability is 0.25 or 1/4, from 0 to 1".to_owned())
}

fn usage(error: impl ToString) -> Failure {
    Failure::Usage { message: error.to_string() }
}

fn bits(number: f64) -> String {
    format!("{} bits", short(number))
}

fn information(args: &InformationArgs, session: &Session) -> Result<Answer, Failure> {
    let request = RiskRequest {
        job: args.job.clone(),
        quasi_identifiers: args.quasi_identifiers.clone(),
        sensitive: args.sensitive.clone(),
        largest_combination: 0,
        ..RiskRequest::default()
    };
    let progress = Progress::start(session.quiet);
    let found = assess_risk(&args.data, &request, &progress)
        .map_err(|error| run_error::of_risk(error, args.job.as_deref()))?;
    drop(progress);
    if found.sensitive.is_empty() {
        return Err(usage("no column is sensitive; say --sensitive COLUMN"));
    }
    let mut text = String::new();
    for column in &found.sensitive {
        let info = &column.information;
        let mut table = Columns::default();
        table.row([
            "who it is",
            &format!("{} told on average", bits(info.identity_told)),
            &format!("at most {} with k = {}", bits(info.identity_bound), count(info.k)),
        ]);
        table.row([
            "the value",
            &format!("{} told on average", bits(info.value_told)),
            &format!("of {}", bits(info.value_entropy)),
        ]);
        table.row([
            "ℓ",
            &format!("{} in the worst class", short(info.l)),
            &format!("at most {} with these values", short(info.l_max)),
        ]);
        let l_t = if info.l_t < 1.0 {
            "no guarantee for ℓ".to_owned()
        } else {
            format!("ℓ of {} on average", short(info.l_t))
        };
        table.row(["t", &format!("{} in the worst class", bits(info.t)), &l_t]);
        if let Some(t) = args.t {
            let l = l_of_t(info.value_entropy, t);
            let told = if l < 1.0 {
                "no guarantee for ℓ".to_owned()
            } else {
                format!("ℓ of {} on average", short(l))
            };
            table.row([&format!("t = {}", short(t)), "if it held for all classes", &told]);
        }
        text += &format!("{}\n{}", session.paint.strong(&column.column), table.render());
    }
    let columns: Vec<Value> = found
        .sensitive
        .iter()
        .map(|column| {
            let given = args.t.map(|t| json!({ "t": t, "l_t": l_of_t(column.information.value_entropy, t) }));
            json!({ "column": column.column, "information": column.information, "classes": column.information.classes, "given": given })
        })
        .collect();
    text += &summary::warnings(&found.warnings, session.paint);
    Ok(Answer::done(text, json!({ "rows": found.rows, "sensitive": columns, "warnings": found.warnings })))
}

fn anonymity(args: &AnonymityArgs) -> Result<Answer, Failure> {
    let found = degree_of_anonymity(&args.probabilities).map_err(usage)?;
    let mut table = Columns::default();
    table.row([
        "degree of anonymity",
        &short(found.degree),
        "0: somebody is certain, 1: all are equally likely",
    ]);
    table.row(["entropy", &bits(found.entropy)]);
    table.row([
        "as anonymous as among",
        &format!("{} equally likely users of {}", short(found.effective_users), count(found.users as u64)),
    ]);
    Ok(Answer::done(table.render(), json!(found)))
}

fn unlinkability(args: &UnlinkabilityArgs) -> Result<Answer, Failure> {
    let found = match (&args.groupings, args.probability) {
        (Some(path), _) if !args.users.is_empty() => {
            let ways =
                read_assignments(path, &args.users).map_err(|error| run_error::of_load(error, None))?;
            between_sets(&ways, args.users.len())
                .map_err(|error| usage(format!("{}: {error}", path.display())))?
        }
        (Some(path), _) => {
            let ways = read_groupings(path).map_err(|error| run_error::of_load(error, None))?;
            of_partitions(&ways).map_err(|error| usage(format!("{}: {error}", path.display())))?
        }
        (None, probability) => of_pair(probability.unwrap_or_default()).map_err(usage)?,
    };
    let before = args.before.map(of_pair).transpose().map_err(usage)?;
    let mut table = Columns::default();
    let row = |table: &mut Columns, name: &str, found: &Unlinkability| {
        let relations = format!(
            "{} among {} ways to relate {}",
            bits(found.entropy),
            count(found.relations),
            counted(found.items as u64, "item")
        );
        table.row([name, &short(found.degree), &relations]);
    };
    row(&mut table, "degree of unlinkability", &found);
    let mut json = json!(found);
    if let (Some(before), Some(was), Some(is)) = (&before, args.before, args.probability) {
        row(&mut table, "before the observation", before);
        let broken = was != is;
        let verdict =
            if broken { "yes: the observation changed what is known" } else { "no: nothing was learnt" };
        table.row(["existential break", verdict]);
        json["before"] = json!(before);
        json["existential_break"] = json!(broken);
    }
    Ok(Answer::done(table.render(), json))
}

fn trips(args: &TripsArgs) -> Result<Answer, Failure> {
    let people = observations(&args.starts, &args.trips, &args.arrivals)
        .map_err(|error| run_error::of_load(error, None))?;
    let mut table = Columns::default();
    table.row(["", "entropy", "at most", "of that", "stayed at home"]);
    let mut documents = Vec::new();
    for (name, observation) in &people {
        let found = location_privacy(observation).map_err(|error| usage(format!("{name}: {error}")))?;
        table.row([
            name.clone(),
            bits(found.entropy),
            bits(found.most),
            format!("{} %", short(found.percent)),
            format!("{} %", short(100.0 * found.at_home)),
        ]);
        let mut document = json!({ "individual": name });
        if let (Some(document), Value::Object(figures)) = (document.as_object_mut(), json!(found)) {
            document.extend(figures);
        }
        documents.push(document);
    }
    Ok(Answer::done(table.render(), json!({ "individuals": documents })))
}
