//! `paravent party simulate`

use super::failure;
use crate::answer::Answer;
use crate::commands::Session;
use crate::commands::args::EXIT_CODES;
use crate::failure::Failure;
use crate::layout::{Columns, count, counted, short};
use crate::progress::Progress;
use clap::ValueEnum;
use paravent_federation::leaks::LeakTable;
use paravent_federation::{
    ColumnKeys, Computed, Packing, Participants, Phase, Protocol, PseudoRows, PseudoShape, Split,
};
use paravent_joint::agreement::Holders;
use paravent_joint::comparison::{Ablated, Compared, Deal, Modelled, Network, Options, Shares, compare};
use paravent_joint::setup::USUAL_PERCENT;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  paravent party simulate paravent.toml --protocol b --split horizontal --parties 3
  paravent party simulate paravent.toml --protocol c --split vertical --parties 2 --pseudo 0.5 --metric nuem
  paravent party simulate paravent.toml --protocol b --parties 3 --m-privacy

Writes nothing. Quasi-identifiers and the sensitive columns that a promise is about take part; other columns would be
carried along like these. Compares with what one place could do that holds the whole table, and with parties
that anonymize without each other.";

/// Split a job's table, let several parties in one process anonymize it together, and see what it costs
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Args {
    /// The job file
    job: PathBuf,
    /// a: a ring without helper; b: a helper; c: a helper, made-up rows and counters
    #[arg(long, short, value_enum)]
    protocol: Letter,
    /// Who holds what: rows, columns, or both (hybrid: say who holds which with --columns)
    #[arg(long, short, value_enum, default_value = "horizontal")]
    split: SplitName,
    /// Parties that hold data; with two of them and rows, protocol A gets a third without
    #[arg(long, short = 'n', default_value_t = 3, value_parser = clap::value_parser!(u16).range(2..=64))]
    parties: u16,
    /// Made-up rows per real row (protocol C); flat: as many as make all columns flat, at most 10; else 0.25
    #[arg(long, value_parser = share)]
    pseudo: Option<f64>,
    /// Kind of the made-up rows (protocol C): equal frequencies, copies of rows, or recombined cells in blocks
    #[arg(long, value_enum, default_value = "flat")]
    pseudo_shape: ShapeName,
    /// Ask for k rows per class even without those of any one party
    #[arg(long)]
    m_privacy: bool,
    /// Give every party keys of its own for its columns (vertical, protocols B and C)
    #[arg(long)]
    private_keys: bool,
    /// Minimise this instead of the job's metric
    #[arg(long)]
    metric: Option<String>,
    /// Who gets which rows: in turn, or in blocks as the table has them (horizontal)
    #[arg(long, value_enum, default_value = "in-turn", conflicts_with = "sites")]
    rows: RowsName,
    /// A party for every value of this column, instead of --parties (horizontal)
    #[arg(long, value_name = "COLUMN")]
    sites: Option<String>,
    /// Columns of a party, separated by commas; once for each party in order (vertical)
    #[arg(long, value_name = "COLUMNS", value_delimiter = ';')]
    columns: Vec<String>,
    /// Also show the cost model of the study, with rates of this machine, for a network of so many Mbit/s
    #[arg(long, value_name = "MBIT")]
    bandwidth: Option<f64>,
    /// Milliseconds that a message is under way in that network
    #[arg(long, value_name = "MS", default_value_t = 0.0, requires = "bandwidth")]
    latency: f64,
    /// Also run with one thread, and without compression, to see what these bring
    #[arg(long)]
    ablation: bool,
    /// Random numbers from this seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also print who learns what, and what a frequency attack reads
    #[arg(long)]
    leaks: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Letter {
    A,
    B,
    C,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RowsName {
    InTurn,
    Blocks,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SplitName {
    Horizontal,
    Vertical,
    Hybrid,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShapeName {
    Flat,
    Copies,
    Blocks,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=50.0).contains(&share) { Ok(share) } else { Err("from 0 to 50".to_owned()) }
}

/// Prints what the run took and whether its release is the central one.
pub fn run(args: &Args, session: &Session) -> Result<Answer, Failure> {
    let usage = |message: &str| Err(Failure::Usage { message: message.to_owned() });
    let is_vertical = matches!(args.split, SplitName::Vertical | SplitName::Hybrid);
    if is_vertical && (args.sites.is_some() || matches!(args.rows, RowsName::Blocks)) {
        return usage("--sites and --rows deal rows; they go with --split horizontal");
    }
    if !args.columns.is_empty() && (!is_vertical || args.columns.len() != usize::from(args.parties)) {
        return usage("--columns goes with --split vertical or hybrid, once for each party");
    }
    if matches!(args.split, SplitName::Hybrid) && args.columns.is_empty() {
        return usage(
            "--split hybrid: say with --columns, once for each party, who holds what; parties with the same columns have them of other people",
        );
    }
    let has_made_up_rows = matches!(args.protocol, Letter::C);
    if !has_made_up_rows && (args.pseudo.is_some() || !matches!(args.pseudo_shape, ShapeName::Flat)) {
        return usage("--pseudo, --pseudo-shape: only protocol C has made-up rows");
    }
    if args.bandwidth.is_some_and(|bandwidth| bandwidth.is_nan() || bandwidth <= 0.0) || args.latency < 0.0 {
        return usage("--bandwidth must be more than 0, --latency no less");
    }
    let watch = Progress::without_signals(session.quiet);
    let compared = compare(&options(args), &watch).map_err(failure::of)?;
    Ok(Answer::judged(compared.equal, text(&compared, args, session), compared.to_json()))
}

fn options(args: &Args) -> Options {
    let pseudo = PseudoRows {
        percent: args.pseudo.map_or(USUAL_PERCENT, |share| (share * 100.0).ceil() as u16),
        shape: match args.pseudo_shape {
            ShapeName::Flat => PseudoShape::Flat,
            ShapeName::Copies => PseudoShape::Copies,
            ShapeName::Blocks => PseudoShape::Blocks,
        },
    };
    Options {
        job: args.job.clone(),
        protocol: match args.protocol {
            Letter::A => Protocol::A,
            Letter::B => Protocol::B,
            Letter::C => Protocol::C(pseudo),
        },
        pseudo_is_given: args.pseudo.is_some(),
        split: match args.split {
            SplitName::Horizontal => Split::Horizontal,
            SplitName::Vertical | SplitName::Hybrid => Split::Vertical,
        },
        holders: if matches!(args.split, SplitName::Hybrid) { Holders::Several } else { Holders::One },
        parties: args.parties,
        participants: if args.m_privacy { Participants::Curious } else { Participants::Trusted },
        column_keys: if args.private_keys { ColumnKeys::Private } else { ColumnKeys::Common },
        metric: args.metric.clone(),
        deal: match (&args.sites, args.rows) {
            (Some(column), _) => Deal::Sites(column.clone()),
            (None, RowsName::Blocks) => Deal::Blocks,
            (None, RowsName::InTurn) => Deal::InTurn,
        },
        columns: (args.columns.iter())
            .map(|columns| columns.split(',').map(|name| name.trim().to_owned()).collect())
            .collect(),
        network: args
            .bandwidth
            .map(|megabits| Network { bandwidth: megabits * 1e6, latency: args.latency / 1e3 }),
        seed: args.seed,
        attack: args.leaks,
        ablation: args.ablation,
    }
}

fn text(compared: &Compared, args: &Args, session: &Session) -> String {
    let paint = session.paint;
    let facts = &compared.central.release.facts;
    let split = match compared.split_name() {
        "hybrid" => "rows and columns split",
        "vertical" => "columns split",
        _ => "rows split",
    };
    let mut text = format!(
        "{}\n\n",
        paint.strong(format!(
            "Protocol {}, {split} over {} parties",
            compared.plan.protocol.letter(),
            compared.plan.members.len()
        ))
    );
    let mut phases = Columns::default();
    phases.row(["phase", "messages", "bytes", "seconds"]);
    for phase in Phase::ALL {
        let seconds = format!("{:.3}", compared.seconds(phase));
        phases.row([phase.name(), &count(compared.messages(phase)), &count(compared.bytes(phase)), &seconds]);
    }
    let seconds: f64 = Phase::ALL.into_iter().map(|phase| compared.seconds(phase)).sum();
    let (messages, bytes) =
        (compared.total(|phase| compared.messages(phase)), compared.total(|phase| compared.bytes(phase)));
    phases.row(["together", &count(messages), &count(bytes), &format!("{seconds:.3}")]);
    text.push_str(&phases.render());
    let mut found = Columns::default();
    found.row([
        "Rows",
        &format!("{}, {} suppressed", count(compared.rows as u64), count(facts.suppressed_rows)),
    ]);
    found.row(["Loss", &format!("{} ({})", short(facts.loss), compared.plan.metric.name())]);
    let names = compared.plan.quasi_identifiers().into_iter().zip(&facts.node);
    let levels: Vec<String> = names
        .map(|(column, level)| format!("{} {level}", compared.plan.columns[usize::from(column)].name))
        .collect();
    found.row(["Levels", &levels.join(", ")]);
    if let Protocol::C(pseudo) = compared.plan.protocol {
        found.row(["Round trips", &counted(compared.run.round_trips, "check")]);
        found.row(["Made-up rows", &format!("{} per 100 rows", count(u64::from(pseudo.percent)))]);
        compared.not_flat.iter().for_each(|column| found.row(["Not flat", &column.words()]));
    }
    let seconds = |part: fn(&Computed) -> Duration| {
        let times = compared.run.party_times.values().map(|time| format!("{:.3}", part(time).as_secs_f64()));
        times.collect::<Vec<_>>().join(", ")
    };
    found.row(["Seconds of each party", &seconds(|time| time.wall)]);
    found.row(["Of the processor", &seconds(|time| time.processor)]);
    let without = match (compared.naive.hidden_bits, compared.share_of_naive()) {
        (Some(bits), Some(share)) => {
            format!(
                "{} bits hidden; together {}, {} % of it",
                short(bits),
                short(compared.central.hidden_bits),
                short(share * 100.0)
            )
        }
        (Some(bits), None) => format!("{} bits hidden", short(bits)),
        (None, _) => "not possible for every party".to_owned(),
    };
    if !compared.plan.is_hybrid() {
        found.row(["Without each other", &without]);
    }
    if let Some(share) = compared.share_of_keeping() {
        let what = format!("together {} % of what is hidden", short(share * 100.0));
        found.row(["Classes of the first kept", &what]);
    }
    if let Some(modelled) = &compared.modelled {
        network_lines(modelled, &mut found);
    }
    text.push_str(&format!("\n{}", found.render()));
    if !compared.ablated.is_empty() {
        text.push_str(&format!(
            "\n{}\n{}",
            paint.strong("Without threads, without compression"),
            ablation(&compared.ablated)
        ));
    }
    if args.leaks {
        text.push_str(&format!(
            "\n{}\n{}",
            paint.strong("Who learns what"),
            leak_lines(&LeakTable::of(&compared.plan))
        ));
        let read = attack(compared);
        text.push_str(&format!("\n{}\n{read}", paint.strong("Frequency attack")));
    }
    let whole = match compared.is_lifted() {
        true => "the whole table, generalized to the lowest levels",
        false => "the whole table",
    };
    let verdict = match compared.equal {
        true => paint.good(format!("The release equals the one of a single place that holds {whole}.")),
        false => paint.bad(format!("The release differs from the one of a single place that holds {whole}.")),
    };
    text.push_str(&format!("\n{verdict}\n"));
    text
}

/// The study's cost model, and what a network would add.
fn network_lines(modelled: &Modelled, found: &mut Columns) {
    let predicted = modelled.predicted;
    let told = format!(
        "{} operations, {} bytes, {} s (study, rates of this machine)",
        count(predicted.operations as u64),
        count((predicted.bits / 8.0) as u64),
        short(predicted.seconds)
    );
    found.row(["Cost model", &told]);
    let told = format!(
        "{} s for the bytes sent, {} s for the messages one after the other",
        short(modelled.transfer_seconds),
        short(modelled.latency_seconds)
    );
    found.row(["This network adds", &told]);
}

/// A line for every way to run.
fn ablation(ways: &[Ablated]) -> String {
    let mut lines = Columns::default();
    lines.row(["threads", "messages", "bytes", "seconds", "of the processor", "transfer"]);
    for way in ways {
        let threads = way.threads.map_or("all cores".to_owned(), |threads| threads.to_string());
        let packing = if way.packing == Packing::Compressed { "compressed" } else { "plain" };
        let transfer = way.transfer_seconds.map_or(String::new(), |seconds| format!("{seconds:.3}"));
        let (wall, processor) = (format!("{:.3}", way.seconds), format!("{:.3}", way.processor_seconds));
        lines.row([&threads, packing, &count(way.bytes), &wall, &processor, &transfer]);
    }
    lines.render()
}

/// What a frequency attack reads: a line per column, and one for all cells.
fn attack(compared: &Compared) -> String {
    let who = if compared.plan.protocol == Protocol::A { "the master" } else { "the helper" };
    let mut lines = Columns::default();
    lines.row(["column", "values", "numbers", "a tenth", "different rows", "blind guess"]);
    let mut line = |name: &str, values: &str, shares: Shares| {
        let [knowing, estimating, different, blind] = shares.map(|share| format!("{:.1} %", share * 100.0));
        lines.row([name, values, &knowing, &estimating, &different, &blind]);
    };
    for reading in &compared.readings {
        let name = &compared.plan.columns[usize::from(reading.column)].name;
        let shares = [reading.knowing, reading.estimating, reading.different_rows, reading.blind];
        line(name, &count(reading.values as u64), shares);
    }
    if let Some(mean) = compared.read_on_average() {
        line("all cells", "", mean);
    }
    let what = "knowing how often values occur, knowing it of every tenth row, counting different rows, and guessing";
    format!("Cells that {who} reads by matching ranks: {what}\n{}", lines.render())
}

fn leak_lines(table: &LeakTable) -> String {
    let sends = table.sends.iter().map(|s| format!("  {} → {}: {}\n", s.from, s.to, s.what));
    let learns = table.learns.iter().map(|l| format!("  {} learns: {}\n", l.who, l.what));
    let leaks = table
        .leaks
        .iter()
        .map(|l| format!("  {} could conclude: {}\n    against it: {}\n", l.who, l.what, l.against));
    sends.chain(learns).chain(leaks).collect()
}
