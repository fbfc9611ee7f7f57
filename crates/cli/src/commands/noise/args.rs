//! What `paravent noise` understands.

use super::statement::Database;
use crate::commands::args::EXIT_CODES;
use crate::commands::spending::Spending;
use paravent_pipeline::noise::{NamedNoise, Request, column};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  paravent noise patients.csv --column sex=0.2 --output noisy.csv
  paravent noise patients.csv --column \"sex=0.2:uniform('f', 'm')\" --column zip=0.1:learnt --output noisy.csv
  paravent noise patients.csv --column \"grade=0.3:steps((-1, 0.5), (1, 0.5), domain => ('low', 'middle', 'high'))\" --output noisy.csv
  paravent noise patients.csv --column \"sex=epsilon(1):uniform('f', 'm', NULL)\" --release noisy
  paravent noise patients.csv --column \"age=epsilon(0.5):laplace(min => 0, max => 100, outside => clamp)\" --release noisy
  paravent noise patients.csv --column \"sex=1:kernel('kernel.csv')\" --release noisy
  paravent noise patients.csv --job paravent.toml --release noisy            noise = { … } of the job's attributes
  paravent noise clinic.patients --sql postgres --column \"sex=0.2:uniform('f', 'm')\" --row-key id --keep diagnosis
  paravent noise postgres://db.example/registry#clinic.patients --column \"sex=0.2:uniform('f', 'm')\" --row-key id --keep diagnosis --into clinic.noisy

With probability P a cell is redrawn, else it stays; how much that protects is printed as ε, and charged to the ledger.
With --job, identifying columns are left out, and a quasi-identifier that would stay as it is ends
the command unless the job says release = \"as it is\" for it. A folder is a release with manifest, report
and register line; a file is a bare table. The guide is docs/guide/noise.md.";

/// Redraw cells of a table with a known probability, or add noise to its numbers
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The table; with --sql its name in the database
    pub(super) table: PathBuf,
    /// A folder for a release, or a file (.csv or .tsv) for a bare table; `-` prints it as CSV
    #[arg(long, short, value_name = "PATH")]
    pub(super) output: Option<PathBuf>,
    /// A folder for a release: data, manifest, report and a line in the register
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub(super) release: Option<PathBuf>,
    /// Say what it would cost, promise and tell together with earlier releases; draw, pay and write nothing
    #[arg(long, short = 'n', conflicts_with = "there")]
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
    /// A column, how likely its cells are redrawn, and from which distribution; may be given several times [default: the noise of the job]
    #[arg(long, value_name = "NAME=P[:DISTRIBUTION]", value_parser = column)]
    column: Vec<NamedNoise>,
    /// The job file with roles, noise and promises
    #[arg(long, short, value_name = "JOB")]
    pub(super) job: Option<PathBuf>,
    /// Draw from this seed: repeatable, and whoever knows the seed can undo the draw
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What noisy answers are paid from.
    #[command(flatten)]
    pub(super) spending: Spending,
    /// Seconds that it may take
    #[arg(long, value_name = "N")]
    pub(super) seconds: Option<u64>,
    /// Memory that the table may take, e.g. 4GiB
    #[arg(long, value_name = "SIZE")]
    pub(super) memory: Option<String>,
    /// Print the draws as SQL for a database, instead of drawing for a file
    #[arg(long, value_name = "DATABASE", conflicts_with_all = ["output", "release"], group = "there")]
    pub(super) sql: Option<Database>,
    /// Let the database draw, and make this table in it: the rows stay there
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["output", "release"], group = "there")]
    pub(super) into: Option<String>,
    /// With --sql and --into: columns by which the database numbers the rows
    #[arg(long, value_name = "COLUMNS", requires = "there")]
    pub(super) row_key: Option<String>,
    /// With --sql and --into: columns that are shown without noise
    #[arg(long, value_name = "COLUMNS", requires = "there")]
    pub(super) keep: Option<String>,
}

impl Args {
    pub(super) fn request(&self) -> Request {
        Request { columns: self.column.clone(), seed: self.seed }
    }

    /// The columns that the command line names.
    pub(super) fn named(&self) -> Vec<String> {
        self.column.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The statement of `paravent sql` that draws the same, where the command line is all there is to it. Told in JSON since before the two were apart.
    pub(super) fn as_statement(&self) -> Option<String> {
        super::statement::of_sql(&self.table, &self.column)
    }
}
