//! What `paravent slice` understands.

use super::check;
use super::statement::Database;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use paravent_pipeline::slice::{Buckets, Request};
use paravent_slicing::{Limits, Share};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  paravent slice patients.csv --groups \"age,sex;diagnosis\" --bucket 50 --release sliced
  paravent slice patients.csv --groups \"age,sex;diagnosis\" --by ward --diversity 3 --sensitive diagnosis --merge --release sliced
  paravent slice patients.csv --groups \"age,sex;diagnosis\" --within 5 --quasi age,sex --output sliced.csv
  paravent slice patients.csv --plan --pairs \"age,diagnosis;sex,zip\" --identifying \"age,sex,zip\"
  paravent slice clinic.patients --sql postgres --groups \"age,sex;diagnosis\" --bucket 50
  paravent slice postgres://db.example/registry#patients --groups \"age,sex;diagnosis\" --bucket 50 --row-key id --into sliced --job paravent.toml
  paravent slice check patients.csv sliced.csv --groups \"age,sex;diagnosis\"

Columns that are in no group are left out. Values inside a group stay together exactly; values of
different groups are mixed inside hidden buckets of rows. A folder is a release with manifest, report
and register line; a file is a bare table.";

/// Permute column groups of a table inside hidden buckets of rows
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"), args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
    #[command(flatten)]
    pub(super) slicing: Slicing,
}

/// Something else than slicing.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Judge a slicing that somebody else made, from the tables before and after
    Check(check::Args),
}

#[derive(Debug, clap::Args)]
pub(super) struct Slicing {
    /// The table; with --sql its name in the database
    table: Option<PathBuf>,
    /// A folder for a release, or a file (.csv or .tsv) for a bare table; `-` prints it as CSV
    #[arg(long, short, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
    /// A folder for a release: data, manifest, report and a line in the register
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub(super) release: Option<PathBuf>,
    /// Say what a release would promise and tell together with earlier ones; write nothing
    #[arg(long, short = 'n', conflicts_with_all = ["plan", "sql", "timing", "into"])]
    pub(super) dry_run: bool,
    /// Replace what is there
    #[arg(long)]
    pub(super) force: bool,
    /// Write no line into the register
    #[arg(long)]
    pub(super) no_register: bool,
    /// Sign the manifest of a release with this secret key [default: paravent.key beside the job, if it is there]
    #[arg(long, value_name = "KEY")]
    pub(super) sign: Option<PathBuf>,
    /// The job file with roles, hierarchies and the person
    #[arg(long, short, value_name = "JOB")]
    pub(super) job: Option<PathBuf>,
    /// Draw from this seed: repeatable, and whoever knows the seed can undo the draw
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The column groups: names separated by commas, groups by semicolons
    #[arg(long, value_name = "GROUPS")]
    groups: Option<String>,
    /// Rows of a bucket, at least
    #[arg(long, value_name = "ROWS", conflicts_with_all = ["buckets", "by", "within"])]
    pub(super) bucket: Option<u32>,
    /// How many buckets
    #[arg(long, value_name = "N", conflicts_with_all = ["by", "within"])]
    pub(super) buckets: Option<u32>,
    /// With --bucket or --buckets: rows in random order, not in that of the table
    #[arg(long, conflicts_with_all = ["by", "within"])]
    shuffle: bool,
    /// A bucket for every value of this column
    #[arg(long, value_name = "COLUMN", conflicts_with = "within")]
    pub(super) by: Option<String>,
    /// The classes of a K-anonymous generalization as buckets
    #[arg(long, value_name = "K")]
    within: Option<u32>,
    /// With --within: the quasi-identifiers [default: those of the job]
    #[arg(long, value_name = "COLUMNS", requires = "within")]
    quasi: Option<String>,
    /// Fewest rows of a bucket; people, where the job names the person [default: 2]
    #[arg(long, value_name = "ROWS")]
    minimum: Option<u32>,
    /// Fewest different values of every sensitive column in a bucket
    #[arg(long, value_name = "L")]
    diversity: Option<u32>,
    /// The sensitive columns [default: those of the job]
    #[arg(long, value_name = "COLUMNS")]
    sensitive: Option<String>,
    /// Take neighbouring buckets together until each has enough rows and values
    #[arg(long)]
    merge: bool,
    /// Let columns be in several groups; every shared value must occur so often in a bucket
    #[arg(long, value_name = "N")]
    overlap: Option<u32>,
    /// Sets of columns that no group may hold completely: names separated by commas, sets by semicolons
    #[arg(long, value_name = "SETS")]
    identifying: Option<String>,
    /// Let a group hold all quasi-identifiers, columns that name people, and any number of rows that are alone inside it
    #[arg(long)]
    allow_identifying: bool,
    /// Most rows that may be alone with their values inside a group, as a share [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    most_unique: Option<String>,
    /// Most rows in buckets where a column is constant, beyond chance, as a share [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    most_constant: Option<String>,
    /// Most rows that a dependency between groups may link again, as a share [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    most_linked: Option<String>,
    /// Say what every two columns tell about each other before and after; figures for the house
    #[arg(long)]
    pub(super) compare: bool,
    /// Propose groups: the largest that keep the pairs of --pairs and hold no identifying set
    #[arg(long, conflicts_with_all = ["groups", "output", "release"])]
    pub(super) plan: bool,
    /// With --plan: pairs that an analysis needs, the most important first
    #[arg(long, value_name = "PAIRS", requires = "plan")]
    pub(super) pairs: Option<String>,
    /// Print the slicing as SQL for a database, instead of slicing a file
    #[arg(long, value_name = "DATABASE", conflicts_with_all = ["output", "release", "plan"])]
    pub(super) sql: Option<Database>,
    /// With --sql or --into: columns by which the database numbers the rows
    #[arg(long, value_name = "COLUMNS")]
    pub(super) row_key: Option<String>,
    /// Slice where the table lives: the table that is made there
    #[arg(long, value_name = "TABLE", requires = "row_key", conflicts_with_all = ["output", "release", "plan", "sql", "timing", "compare"])]
    pub(super) into: Option<String>,
    /// Draw as a database does with --into, by SHA-256: the same rows for the same seed and order
    #[arg(long, conflicts_with_all = ["plan", "sql", "timing"])]
    keyed: bool,
    /// Measure the phases of slicing for 1 to 500 buckets
    #[arg(long, conflicts_with_all = ["output", "release", "plan", "sql"])]
    pub(super) timing: bool,
}

/// Names separated by commas.
pub(super) fn names(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Lists of names separated by semicolons.
pub(super) fn lists(text: &str) -> Vec<Vec<String>> {
    text.split(';').map(names).filter(|list| !list.is_empty()).collect()
}

pub(super) fn share(text: Option<&str>, usual: Share) -> Result<Share, Failure> {
    text.map_or(Ok(usual), Share::parse).map_err(|error| Failure::Usage { message: error.to_string() })
}

impl Slicing {
    pub(super) fn table(&self) -> Result<&Path, Failure> {
        let missing =
            || Failure::Usage { message: "which table? paravent slice TABLE --groups …".to_owned() };
        self.table.as_deref().ok_or_else(missing)
    }

    pub(super) fn groups(&self) -> Result<Vec<Vec<String>>, Failure> {
        let groups = self.groups.as_deref().map(lists).unwrap_or_default();
        match groups.is_empty() {
            true => Err(Failure::Usage {
                message:
                    "which columns stay together? --groups \"age,sex;diagnosis\", or --plan for a proposal"
                        .to_owned(),
            }),
            false => Ok(groups),
        }
    }

    pub(super) fn identifying(&self) -> Vec<Vec<String>> {
        self.identifying.as_deref().map(lists).unwrap_or_default()
    }

    pub(super) fn most_unique(&self) -> Result<Share, Failure> {
        share(self.most_unique.as_deref(), Limits::STANDARD.unique)
    }

    pub(super) fn request(&self) -> Result<Request, Failure> {
        let buckets = match (self.bucket, self.buckets, &self.by, self.within) {
            (Some(rows), ..) => Buckets::Size(rows),
            (_, Some(number), ..) => Buckets::Count(number),
            (_, _, Some(column), _) => Buckets::By(column.trim().to_owned()),
            (.., Some(k)) => Buckets::Within { k, quasi: self.quasi.as_deref().map(names) },
            (None, None, None, None) => {
                let message = "where are rows mixed? --bucket ROWS, --buckets N, --by COLUMN or --within K";
                return Err(Failure::Usage { message: message.to_owned() });
            }
        };
        let standard = Limits::STANDARD;
        let limits = Limits {
            unique: self.most_unique()?,
            constant: share(self.most_constant.as_deref(), standard.constant)?,
            linked: share(self.most_linked.as_deref(), standard.linked)?,
            diversity: self.diversity.unwrap_or(1).max(1),
        };
        Ok(Request {
            shuffle: self.shuffle,
            minimum: self.minimum.unwrap_or(2),
            merge: self.merge,
            overlap: self.overlap,
            sensitive: self.sensitive.as_deref().map(names),
            identifying: self.identifying(),
            allow_identifying: self.allow_identifying,
            limits,
            seed: self.seed,
            keyed: self.keyed,
            ..Request::new(self.groups()?, buckets)
        })
    }
}
