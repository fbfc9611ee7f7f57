//! `paravent rewrite`

use super::failed::failure;
use super::rewritten::{self, Asked};
use super::rule_names::RuleNames;
use super::tables::{Settings, register, register_job_table};
use super::{plan_file, rules};
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::file;
use paravent_algebra::error::AlgebraError;
use paravent_algebra::rules::{Choice, Switch, Switches};
use paravent_algebra::session::{Session as Sql, Wish, Written};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent rewrite plan.xml                            what pays, without changing the result
  paravent rewrite plan.xml --rule DP04 -o new.xml     this rule, wherever it fits
  paravent rewrite plan.xml --file donors.csv          rules may count the rows of donors.csv
  paravent rewrite plan.xml --at north=hospital --at south=clinic   operators go where the rows are
  paravent rewrite query.sql --job paravent.toml --allow-partial
  paravent rewrite - --xml < plan.xml                  the new plan alone on standard output
  paravent rewrite query.sql --job paravent.toml --sql the new plan as a statement that runs again
  paravent rewrite --rules                             the catalogue; --rules G14 for one rule

Nothing is run but counts that rules ask for. The guide is docs/guide/rewrite.md.";

/// Rewrite a plan or a query with the rules of the algebra, and say what was done and what was refused
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// A plan in XML, or a query in SQL; `-` is standard input
    #[arg(value_name = "PLAN", required_unless_present = "rules")]
    plan: Option<PathBuf>,
    /// How the plan is written [default: by the file's ending, else by its first character]
    #[arg(long, value_enum)]
    format: Option<plan_file::Format>,
    /// A table: a file, or NAME=FILE; may be given several times
    #[arg(long, value_name = "[NAME=]FILE")]
    file: Vec<String>,
    /// The job file with roles, hierarchies and promises; its table is there under its file's name
    #[arg(long, short, value_name = "JOB")]
    job: Option<PathBuf>,
    /// A relation that lives in another place, which its raw rows must not leave: NAME=PLACE; may be given several times
    #[arg(long, value_name = "NAME=PLACE")]
    at: Vec<String>,
    /// Apply this rule wherever it fits, whatever it costs: G9, DP04, G15:right-to-left, or DP04@root.0 in that part of the plan only; several are applied in the order given
    #[arg(long, value_name = "RULE", value_delimiter = ',', conflicts_with_all = ["only", "without"], value_parser = RuleNames, hide_possible_values = true)]
    rule: Vec<String>,
    /// Look for a cheaper plan with these rules or families (G, S, D) only
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = RuleNames, hide_possible_values = true)]
    only: Vec<String>,
    /// Look for a cheaper plan without these rules or families
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = RuleNames, hide_possible_values = true)]
    without: Vec<String>,
    /// Consent to rewrites after which other labels or another mixture may come out, while everything else stays
    #[arg(long, visible_alias = "partial")]
    allow_partial: bool,
    /// Write the new plan to a file, as SQL where its name ends in .sql, else as XML; `-` is standard output
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["xml", "sql"])]
    output: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "output")]
    force: bool,
    /// Print the new plan as XML; what was done goes to standard error
    #[arg(long)]
    xml: bool,
    /// Print the new plan as a statement that `paravent sql` runs; what was done goes to standard error
    #[arg(long, conflicts_with = "xml")]
    sql: bool,
    /// List the rules, or show those that are named
    #[arg(long, value_name = "RULE", num_args = 0.., conflicts_with = "plan", value_parser = RuleNames, hide_possible_values = true)]
    rules: Option<Vec<String>>,
    /// With --rules: as the page docs/rules.md
    #[arg(long, requires = "rules")]
    markdown: bool,
}

/// Rewrites a plan, or shows the catalogue.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    if let Some(names) = &args.rules {
        return rules::show(names, args.markdown, session.paint);
    }
    let Some(path) = &args.plan else { return Err(Failure::internal()) };
    let (wish, asked) = wish(args)?;
    let printed =
        args.xml || args.sql || args.output.as_ref().is_some_and(|output| output.as_os_str() == "-");
    let output = args.output.as_ref().filter(|_| !printed);
    if let Some(output) = output
        && !args.force
        && output.exists()
    {
        return Err(Failure::exists(output));
    }
    let written = plan_file::read(path, args.format)?;
    let mut sql = open(args)?;
    let place = plan_file::shown(path);
    let here = |problem: String| Failure::Usage { message: format!("{place}: {problem}") };
    let done = match sql.rewrite(written.clone(), wish) {
        Ok(done) => done,
        Err(AlgebraError::Xml(problem)) => return Err(here(problem.to_string())),
        Err(AlgebraError::Statement(problem)) => return Err(here(hinted(problem, &sql, &written))),
        Err(other) => return Err(failure(other)),
    };
    let json = rewritten::document(&done, &asked);
    let text = rewritten::text(&done, &asked, session.paint);
    if !printed && output.is_none() {
        return Ok(Answer::done(text, json));
    }
    let as_sql =
        args.sql || output.is_some_and(|output| output.extension().is_some_and(|ending| ending == "sql"));
    let plan = match as_sql {
        true => {
            done.sql.as_ref().map(|sql| format!("{sql};\n")).map_err(|problem| here(problem.to_string()))?
        }
        false => done.xml.clone().map_err(|problem| here(problem.to_string()))?,
    };
    match output {
        Some(output) => {
            file::write(output, &plan, args.force)?;
            Ok(Answer::done(format!("{text}\nThe plan is in {}.\n", output.display()), json))
        }
        None => {
            if !session.quiet {
                eprint!("{text}");
            }
            Ok(Answer::of_text(plan, json))
        }
    }
}

fn open(args: &Args) -> Result<Sql, Failure> {
    let settings = Settings { job: args.job.clone(), ..Settings::default() };
    let mut sql = settings.open()?;
    if args.plan.as_ref().is_some_and(|plan| plan.as_os_str() == "-")
        && args.file.iter().any(|file| file == "-" || file.ends_with("=-"))
    {
        let message = "standard input is the plan already; give the table as a file".to_owned();
        return Err(Failure::Usage { message });
    }
    args.file.iter().try_for_each(|file| register(&mut sql, file))?;
    register_job_table(&mut sql)?;
    for site in &args.at {
        match site.split_once('=') {
            Some((name, place)) if !name.is_empty() && !place.is_empty() => sql.live_at(name, place),
            _ => {
                let message = format!("--at: {site:?} is no relation and its place; write north=hospital");
                return Err(Failure::Usage { message });
            }
        }
    }
    if args.allow_partial {
        sql.set("partial", "true").map_err(failure)?;
    }
    Ok(sql)
}

/// A query without its tables has a mistake that is easy to mend.
fn hinted(problem: String, sql: &Sql, written: &Written) -> String {
    match (written, sql.tables().is_empty() && problem.contains("there is no table")) {
        (Written::Sql(_), true) => format!("{problem}. No table was given; name them with --file or --job"),
        _ => problem,
    }
}

/// What the rules are to do, and which of them were named one by one.
fn wish(args: &Args) -> Result<(Wish, Asked), Failure> {
    let usage = |option: &str, error: &dyn std::fmt::Display| Failure::Usage {
        message: format!("--{option}: {error}"),
    };
    let named = |option: &str, names: &[String]| -> Result<Vec<Choice>, Failure> {
        names.iter().map(|name| name.parse().map_err(|error| usage(option, &error))).collect()
    };
    if !args.rule.is_empty() {
        let steps = named("rule", &args.rule)?;
        let rules = steps.clone();
        return Ok((Wish::InTurn(steps), Asked { rules, exactly: true }));
    }
    let mut switches = match args.only.is_empty() {
        true => Switches::default(),
        false => args.only.join(",").parse().map_err(|error| usage("only", &error))?,
    };
    for name in &args.without {
        let left: Switches = format!("none,{name}").parse().map_err(|error| usage("without", &error))?;
        for rule in left.rules() {
            switches = switches.with(rule, Switch::Off);
        }
    }
    // Families and words such as `all` name nothing in particular.
    let single = args.only.iter().filter_map(|name| name.parse::<Choice>().ok());
    let rules = single.filter(|choice| switches.of(choice.rule) != Switch::Off).collect();
    Ok((Wish::Cheaper(switches), Asked { rules, exactly: false }))
}
