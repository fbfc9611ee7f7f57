//! `paravent bench`

use super::{Session, run_error};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::file;
use crate::progress::BenchProgress;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use paravent_bench::dataset::{Shape, write_lake};
use paravent_bench::engines::{self, Place};
use paravent_bench::promise::Threshold;
use paravent_bench::workload::{Overrides, Workload};
use paravent_bench::{BenchError, Plan, Results, Settings, results, run as measure, svg};
use paravent_core::quality::Metric;
use paravent_core::search::Algorithm;
use paravent_pipeline::engine::EngineError;
use paravent_pipeline::job::{Memory, Problem};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  paravent bench                                     three cases on a made-up table like ADULT
  paravent bench data/adult --workload k-anonymity
  paravent bench data --baseline arx-times.jsonl     the cases of a file of reference times
  paravent bench --generate rows=100000,qi=6,seed=1 --workload criteria,cases
  paravent bench --generate ihis --algorithms best-first --repeat 5
  paravent bench --workload scaling --max-rows 10000000 --out bench-results
  paravent bench data/adult --workload end-to-end
  paravent bench --generate adult,rows=100000000 --write large   then: paravent anonymize large/paravent.toml
  paravent bench --engine embedded,postgres --url postgres://127.0.0.1/try

A data folder holds a table and hierarchies/COLUMN.csv, or a paravent.toml, or such folders. Times
are medians after a warm-up, without loading; ×aggregation is the time divided by that of one plain
hash aggregation of the table. If algorithms disagree about an optimum, the exit code is 1.";

/// Measure the search: workloads of the literature, several algorithms, reference times
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// Data folders
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,
    /// Make up a table: rows=N,qi=N,distinct=N,levels=N,seed=N, or one like adult, cup, fars, atus or ihis
    #[arg(long, value_name = "SHAPE")]
    generate: Vec<Shape>,
    /// Write the made-up table as a folder of Parquet files, with hierarchies and a job beside it, and measure nothing
    #[arg(long, value_name = "FOLDER", requires = "generate", conflicts_with_all = ["folders", "workload", "baseline", "out"])]
    write: Option<PathBuf>,
    /// Run one job where the table lives, and compare the releases: embedded, postgres or spark
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = ["embedded", "postgres", "spark"], conflicts_with_all = ["folders", "workload", "baseline", "out", "write"])]
    engine: Vec<String>,
    /// Address of a server for --engine: postgres://host/database, or sc://host:port if it sees this machine's files
    #[arg(long, value_name = "URL", requires = "engine")]
    url: Vec<String>,
    /// What to run [default: quick, or baseline if there is one]
    #[arg(long, short, value_name = "NAME", value_delimiter = ',', value_parser = workload_parser())]
    workload: Vec<Choice>,
    /// Which algorithms, the one to be compared with a baseline first
    #[arg(long, short, value_name = "NAME", value_delimiter = ',', default_value = "best-first,flash", value_parser = algorithm_parser())]
    algorithms: Vec<Algorithm>,
    /// Threads of the search; 0: all cores
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Memory for snapshots of classes during a search, e.g. 64MiB; 0: none [default: 512MiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    snapshots: Option<usize>,
    /// Measured runs of each case; their median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Runs before the measured ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    warm_up: u16,
    /// Stop a run after so many seconds; it then claims nothing
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
    /// Metric of all cases, instead of the workload's
    #[arg(long, value_name = "NAME", value_parser = metric_parser())]
    metric: Option<Metric>,
    /// Shares of rows that may be suppressed, instead of the workload's, such as 0,0.05
    #[arg(long, value_name = "SHARE", value_delimiter = ',', value_parser = share)]
    suppression: Vec<Threshold>,
    /// The sensitive column [default: the well-known one, else the last]
    #[arg(long, value_name = "COLUMN")]
    sensitive: Option<String>,
    /// Reference times: a JSON object per line
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Rows of the largest table of the scaling workload
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(10..=100_000_000))]
    max_rows: u32,
    /// Write results.json and charts into this directory
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace results that are there already
    #[arg(long, short)]
    force: bool,
}

/// A workload, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    One(Workload),
    All,
}

const ALL: &str = "all";

fn workload_parser() -> impl TypedValueParser<Value = Choice> {
    let names = Workload::ALL.map(Workload::name).into_iter().chain([ALL]);
    PossibleValuesParser::new(names).map(|name| Workload::by_name(&name).map_or(Choice::All, Choice::One))
}

fn algorithm_parser() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::ALL.into_iter().map(Algorithm::name))
        .try_map(|name| Algorithm::by_name(&name).ok_or("no such algorithm"))
}

fn metric_parser() -> impl TypedValueParser<Value = Metric> {
    PossibleValuesParser::new(Metric::ALL.into_iter().map(Metric::name))
        .try_map(|name| Metric::by_name(&name).ok_or("no such metric"))
}

fn share(text: &str) -> Result<Threshold, String> {
    let wrong = || "must be a share from 0 to below 1, such as 0.05".to_owned();
    text.parse::<Threshold>().ok().filter(|share| share.value().to_f64() < 1.0).ok_or_else(wrong)
}

fn size(text: &str) -> Result<usize, String> {
    let bytes = if text == "0" { Some(0) } else { Memory::parse_bytes(text) };
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.ok_or_else(|| "must be an amount of memory, such as 64MiB, or 0".to_owned())
}

/// Prints the figures, and writes them where asked to.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    if let Some(folder) = &args.write {
        return write_table(folder, &args.generate, session);
    }
    if !args.engine.is_empty() {
        return compare_engines(args, session);
    }
    let plan = plan(args);
    let made = args.out.as_deref().map(|dir| room(dir, args.force)).transpose()?;
    let progress = BenchProgress::start(session.quiet);
    let measured = measure(&plan, &progress);
    drop(progress);
    let results = measured.map_err(|error| {
        if let (Some(dir), Some(Made::Now)) = (&args.out, made) {
            // Only an empty directory goes away.
            let _ = std::fs::remove_dir(dir);
        }
        failure(error)
    })?;
    let mut text = results::text(&results);
    if let Some(dir) = &args.out {
        let written = write(dir, &results, args.force)?;
        let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
        text.push_str(&format!("Wrote {}\n", names.join(", ")));
    }
    Ok(Answer::judged(results.agree(), text, json!(results)))
}

/// Writes a made-up table that may be larger than memory.
fn write_table(folder: &Path, shapes: &[Shape], session: &Session) -> Result<Answer, Failure> {
    let [shape] = shapes else {
        return Err(Failure::Usage { message: "--write takes one --generate".to_owned() });
    };
    if folder.exists() {
        return Err(Failure::exists(folder));
    }
    let progress = BenchProgress::start(session.quiet);
    let lake = write_lake(shape, folder, &progress);
    drop(progress);
    let lake = lake.map_err(failure)?;
    let text = format!(
        "Wrote {} rows in {} files, {} bytes: {}\nNext: paravent anonymize {}\n",
        lake.rows,
        lake.files,
        lake.bytes,
        lake.table.display(),
        lake.job.display()
    );
    let document = json!({
        "table": lake.table,
        "job": lake.job,
        "files": lake.files,
        "rows": lake.rows,
        "bytes": lake.bytes,
    });
    Ok(Answer::judged(true, text, document))
}

/// Runs one job wherever its table lives.
fn compare_engines(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let usual: Shape = "adult".parse().map_err(|_| Failure::Usage { message: "no table".to_owned() })?;
    let shape = match args.generate.as_slice() {
        [] => &usual,
        [shape] => shape,
        _ => return Err(Failure::Usage { message: "--engine takes one --generate".to_owned() }),
    };
    let places: Result<Vec<Place>, Failure> = args.engine.iter().map(|name| place(name, &args.url)).collect();
    let progress = BenchProgress::start(session.quiet);
    let compared = engines::compare(shape, &places?, usize::from(args.repeat), &progress);
    drop(progress);
    let compared = compared.map_err(failure)?;
    Ok(Answer::judged(compared.same_release, engines::text(&compared), json!(compared)))
}

/// The place of an engine: the first address of its kind.
fn place(name: &str, urls: &[String]) -> Result<Place, Failure> {
    let (engine, schemes, example): (_, &[&str], _) = match name {
        "postgres" => ("postgres", &["postgres://", "postgresql://"], "postgres://host/database"),
        "spark" => ("spark", &["sc://"], "sc://host:port"),
        _ => return Ok(Place::Embedded),
    };
    let own = |url: &&String| schemes.iter().any(|scheme| url.starts_with(scheme));
    match urls.iter().find(own) {
        Some(url) => Ok(Place::Elsewhere { engine, url: url.clone() }),
        None => Err(Failure::Usage { message: format!("--engine {engine} needs --url {example}") }),
    }
}

fn plan(args: &Args) -> Plan {
    let mut workloads: Vec<Workload> = Vec::new();
    for choice in &args.workload {
        let chosen = match choice {
            Choice::One(workload) => vec![*workload],
            Choice::All => {
                let runnable =
                    |workload: &Workload| *workload != Workload::Baseline || args.baseline.is_some();
                Workload::ALL.into_iter().filter(runnable).collect()
            }
        };
        workloads
            .extend(chosen.into_iter().filter(|workload| !workloads.contains(workload)).collect::<Vec<_>>());
    }
    if workloads.is_empty() {
        workloads.push(if args.baseline.is_some() { Workload::Baseline } else { Workload::Quick });
    }
    Plan {
        folders: args.folders.clone(),
        shapes: args.generate.clone(),
        sensitive: args.sensitive.clone(),
        overrides: Overrides {
            metric: args.metric,
            suppression: (!args.suppression.is_empty()).then(|| args.suppression.clone()),
        },
        baseline: args.baseline.clone(),
        most_rows: args.max_rows as usize,
        settings: Settings {
            algorithms: args.algorithms.clone(),
            threads: args.threads,
            snapshot_bytes: args.snapshots,
            repeat: usize::from(args.repeat),
            warm_up: usize::from(args.warm_up),
            time_limit: args.time_limit.map(Duration::from_secs),
        },
        ..Plan::new(workloads)
    }
}

const RESULTS: &str = "results.json";
const COMPARISON: &str = "comparison.svg";
const SCALING: &str = "scaling.svg";

/// Whether the directory of the results was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Now,
    Before,
}

/// Hours of measuring must not end at a file that is in the way.
fn room(dir: &Path, force: bool) -> Result<Made, Failure> {
    let made = if dir.exists() { Made::Before } else { Made::Now };
    std::fs::create_dir_all(dir)
        .map_err(|error| Failure::input_output(format!("{}: {error}", dir.display())))?;
    let mut paths = [RESULTS, COMPARISON, SCALING].map(|name| dir.join(name)).into_iter();
    match paths.find(|path| path.exists()) {
        Some(path) if !force => Err(Failure::exists(&path)),
        _ => Ok(made),
    }
}

fn write(dir: &Path, results: &Results, force: bool) -> Result<Vec<PathBuf>, Failure> {
    let document = crate::answer::document(&json!(results));
    let charts = [(COMPARISON, svg::comparison(results)), (SCALING, svg::scaling(results))];
    let charts = charts.into_iter().filter_map(|(name, chart)| Some((name, chart?)));
    let mut written = Vec::new();
    for (name, text) in std::iter::once((RESULTS, document)).chain(charts) {
        let path = dir.join(name);
        file::write(&path, &text, force)?;
        written.push(path);
    }
    Ok(written)
}

fn failure(error: BenchError) -> Failure {
    let message = error.to_string();
    match error {
        BenchError::Problems(problems) => Failure::Configuration { problems },
        BenchError::Scan(scan) => run_error::of_scan(scan),
        BenchError::Run { source, dataset } => run_error::failure(*source, Path::new(&dataset)),
        BenchError::Stopped | BenchError::Engine { source: EngineError::Stopped, .. } => Failure::Stopped,
        BenchError::Io { .. } | BenchError::Engine { .. } => Failure::input_output(message),
        BenchError::NoTable { path }
        | BenchError::SeveralTables { path, .. }
        | BenchError::NoHierarchies { path, .. } => {
            let place = format!("{}: ", path.display());
            let said = message.strip_prefix(&place).unwrap_or(&message).to_owned();
            Failure::configuration(Problem::new(path, said))
        }
        _ => Failure::Usage { message },
    }
}
