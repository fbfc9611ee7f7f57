//! `paravent slice`

use super::one_line::{self, Files, quoted, quoted_list};
use crate::answer::Answer;
use crate::args::EXIT_CODES;
use crate::commands::Session;
use crate::failure::Failure;
use clap::ArgGroup;

const EXAMPLES: &str = "\
Examples:
  paravent slice patients.csv --groups \"age,workclass;race,sex\" --bucket 50 --output sliced.csv
  paravent slice patients.csv --groups \"age,sex;diagnosis\" --by ward --output sliced.csv
  paravent slice patients.csv --groups \"age,sex;diagnosis\" --within 5 --quasi age,sex --output sliced.csv

Columns that are in no group are left out. Values inside a group stay together exactly; values of
different groups are mixed inside hidden buckets of rows.";

/// Permute column groups of a table inside hidden buckets of rows
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
#[command(group(ArgGroup::new("mixed").required(true).args(["bucket", "buckets", "by", "within"])))]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// The column groups: names separated by commas, groups by semicolons
    #[arg(long, value_name = "GROUPS")]
    groups: String,
    /// Rows of a bucket, at least
    #[arg(long, value_name = "ROWS")]
    bucket: Option<u64>,
    /// How many buckets
    #[arg(long, value_name = "N")]
    buckets: Option<u64>,
    /// A bucket for every value of this column
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// The classes of a K-anonymous generalization as buckets
    #[arg(long, value_name = "K")]
    within: Option<u32>,
    /// With --within: the quasi-identifiers [default: those of the job]
    #[arg(long, value_name = "COLUMNS", requires = "within")]
    quasi: Option<String>,
    /// Fewest rows of a bucket [default: 2]
    #[arg(long, value_name = "ROWS")]
    minimum: Option<u64>,
    /// Let columns be in several groups; every shared value must occur so often in a bucket
    #[arg(long, value_name = "N")]
    overlap: Option<u32>,
    /// Let a group hold all quasi-identifiers
    #[arg(long)]
    allow_identifying: bool,
    /// Say what every two columns tell about each other before and after; figures for the house
    #[arg(long)]
    compare: bool,
}

/// Writes the sliced table.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    one_line::run(&args.files, session, |sql, table| {
        if args.compare {
            sql.compare_slicings();
        }
        statement(args, table)
    })
}

fn statement(args: &Args, table: &str) -> String {
    let groups: Vec<&str> = args.groups.split(';').filter(|group| !group.trim().is_empty()).collect();
    let mut names: Vec<&str> = Vec::new();
    for name in groups.iter().flat_map(|group| group.split(',')).map(str::trim) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let groups: Vec<String> = groups.iter().map(|group| format!("({})", quoted_list(group))).collect();
    let mut arguments = vec![format!("groups => ({})", groups.join(", "))];
    let mut add =
        |name: &str, value: Option<String>| arguments.extend(value.map(|value| format!("{name} => {value}")));
    add("bucket", args.bucket.map(|rows| rows.to_string()));
    add("buckets", args.buckets.map(|number| number.to_string()));
    add("by", args.by.as_deref().map(quoted));
    add("within", args.within.map(|k| k.to_string()));
    add("quasi", args.quasi.as_deref().map(|names| format!("({})", quoted_list(names))));
    add("minimum", args.minimum.map(|rows| rows.to_string()));
    add("overlap", args.overlap.map(|number| number.to_string()));
    add("allow_identifying", args.allow_identifying.then(|| "true".to_owned()));
    let names: Vec<String> = names.into_iter().map(quoted).collect();
    format!("SELECT * FROM slice((SELECT {} FROM {table}), {})", names.join(", "), arguments.join(", "))
}
