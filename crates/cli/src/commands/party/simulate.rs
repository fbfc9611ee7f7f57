//! `paravent party simulate`

use super::agreement::{Agreement, ColumnEntry, Part, PartyEntry, receiver_of};
use super::invite::USUAL_PERCENT;
use super::{frequencies, joint, part};
use crate::answer::Answer;
use crate::commands::args::EXIT_CODES;
use crate::commands::{Session, run_error};
use crate::failure::Failure;
use crate::layout::{Columns, count, counted, short};
use crate::progress::Progress;
use clap::ValueEnum;
use paravent_federation::baselines::{Central, Naive, anonymize_and_integrate, integrate_and_anonymize};
use paravent_federation::leaks::LeakTable;
use paravent_federation::{
    ColumnKeys, Gaps, JointTable, Participants, PartyId, Phase, Plan, Protocol, PseudoRows, PseudoShape,
    Reading, Role, Run, Simulation, SimulationError, Split, flattening_percent, frequency_attack_on_average,
};
use paravent_pipeline::job::{self, Job, Problem, Problems, Terms};
use paravent_pipeline::run::RunError;
use paravent_pipeline::study::{Found, Study, relaxations};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

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
    /// Who holds what: rows or columns
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
enum SplitName {
    Horizontal,
    Vertical,
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
    let failed = |error: RunError| run_error::failure(error, &args.job);
    let mut job = Job::load(&args.job).map_err(|problems| failed(problems.into()))?;
    // Every row is dealt, so all are held.
    job.search.memory = None;
    if let Some(metric) = &args.metric {
        let known = job::Metric::ALL.iter().find(|known| known.name() == metric);
        job.search.metric = *known.ok_or_else(|| refused(&args.job, &format!("{metric} is not a metric")))?;
    }
    let progress = Progress::start(session.quiet);
    let study =
        Study::prepare(job, None, false, &progress).map_err(|error| failed(RunError::Study(error)))?;
    let table = joint::table(&study, usize::from(args.parties)).map_err(Failure::configuration)?;
    let configuration = |problems| Failure::Configuration { problems };
    // Real parties agree on the same file and make the same plan of it.
    let plan = agreement(args, &study, &table).and_then(|agreement| agreement.plan());
    let mut plan = plan.map_err(configuration)?;
    let parts = table.deal(&plan);
    if let (Protocol::C(PseudoRows { shape: PseudoShape::Flat, .. }), None) = (plan.protocol, args.pseudo) {
        let needed =
            (0u16..).zip(&parts).map(|(number, part)| flattening_percent(&plan, PartyId(number), part));
        let percent = needed.max().unwrap_or(USUAL_PERCENT);
        plan.protocol = Protocol::C(PseudoRows { percent, shape: PseudoShape::Flat });
    }
    joint::hierarchies_agree(&study, &plan, &parts).map_err(configuration)?;
    let run =
        Simulation::seeded(args.seed).run(&plan, parts).map_err(|error| of_simulation(&args.job, &error))?;
    let stopped = |error: paravent_federation::ProtocolError| refused(&args.job, &error.to_string());
    let central = integrate_and_anonymize(&table, &plan).map_err(stopped)?;
    let naive = anonymize_and_integrate(&table, &plan).map_err(stopped)?;
    // The pipeline's own search is a witness where it asks for the same.
    let found = match !args.m_privacy {
        true => Some(study.search(&progress).map_err(|error| failed(RunError::Study(error)))?),
        false => None,
    };
    let Some(central) = central else {
        let relaxations = relaxations(&study, &progress);
        return Err(Failure::Infeasible { relaxations, complete: true });
    };
    let readings = match args.leaks {
        true => frequency_attack_on_average(&plan, &table, args.seed)
            .map_err(|error| of_simulation(&args.job, &error))?,
        false => Vec::new(),
    };
    drop(progress);
    let outcome = Compared {
        equal: equals(&run, &central, found.as_ref(), &plan),
        readings,
        plan,
        run,
        central,
        naive,
        rows: table.rows,
    };
    Ok(Answer::judged(outcome.equal, outcome.text(args, session), outcome.json()))
}

/// What the parties would have agreed on.
fn agreement(args: &Args, study: &Study, table: &JointTable) -> Result<Agreement, Problems> {
    let protocol = match args.protocol {
        Letter::A => Protocol::A,
        Letter::B => Protocol::B,
        Letter::C => Protocol::C(PseudoRows {
            percent: args.pseudo.map_or(USUAL_PERCENT, |share| (share * 100.0).ceil() as u16),
            shape: match args.pseudo_shape {
                ShapeName::Flat => PseudoShape::Flat,
                ShapeName::Copies => PseudoShape::Copies,
                ShapeName::Blocks => PseudoShape::Blocks,
            },
        }),
    };
    let split = match args.split {
        SplitName::Horizontal => Split::Horizontal,
        SplitName::Vertical => Split::Vertical,
    };
    let entry =
        |name: String, part| PartyEntry { name, part, address: None, fingerprint: None, approved: None };
    let party = |number: usize| format!("party {}", number + 1);
    let mut parties: Vec<PartyEntry> =
        (0..usize::from(args.parties)).map(|number| entry(party(number), Part::Primary)).collect();
    if (protocol, split, args.parties) == (Protocol::A, Split::Horizontal, 2) {
        parties.insert(0, entry("without data".to_owned(), Part::WithoutData));
    }
    let column_keys = if args.private_keys { ColumnKeys::Private } else { ColumnKeys::Common };
    let receiver = parties[receiver_of(protocol, column_keys, parties.len())].name.clone();
    if protocol != Protocol::A {
        parties.push(entry("helper".to_owned(), Part::Helper));
    }
    let owner =
        |position: usize| (split == Split::Vertical).then(|| party(position % usize::from(args.parties)));
    let mut agreement = Agreement {
        run: "simulation".to_owned(),
        nonce: args.seed.to_string(),
        protocol,
        split,
        receiver,
        identifier: None,
        marked_by: None,
        gaps: Gaps::Refused,
        participants: if args.m_privacy { Participants::Curious } else { Participants::Trusted },
        column_keys,
        parties,
        columns: Vec::new(),
        terms: Terms { privacy: study.job.privacy.clone(), search: study.job.search.clone() },
        source: study.job.source.clone(),
    };
    // Columns go to the parties in turn.
    let entries = part::columns(&agreement, study, "")?;
    for (position, column) in table.columns.iter().enumerate() {
        let known = entries.iter().find(|entry| entry.name == column.name);
        agreement.columns.extend(known.map(|entry| ColumnEntry { owner: owner(position), ..entry.clone() }));
        if column.role == Role::Membership {
            agreement.marked_by = owner(position);
        }
    }
    Ok(agreement)
}

fn refused(job: &Path, why: &str) -> Failure {
    Failure::configuration(Problem::new(job, why))
}

fn of_simulation(job: &Path, error: &SimulationError) -> Failure {
    refused(job, &error.to_string())
}

/// Whether the release is the trusted third party's, and its node and loss those of the pipeline's own search. That counts from the cells; parties
/// with lowest levels count from these, which for some metrics is another loss.
fn equals(run: &Run, central: &Central, found: Option<&Found>, plan: &Plan) -> bool {
    let Some(release) = &run.release else { return false };
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0);
    let witness = found.filter(|_| !is_lifted(plan)).is_none_or(|found| {
        let best = found.report.best.as_ref();
        best.is_some_and(|best| {
            best.node.levels() == release.facts.node && close(best.loss, release.facts.loss)
        })
    });
    witness
        && release.facts.node == central.release.facts.node
        && close(release.facts.loss, central.release.facts.loss)
        && release.multiset() == central.release.multiset()
}

/// Whether cells are generalized before they leave a party.
fn is_lifted(plan: &Plan) -> bool {
    plan.columns.iter().any(|column| matches!(column.role, Role::QuasiIdentifier { lowest: 1.., .. }))
}

struct Compared {
    plan: Plan,
    /// Of the frequency attack, where it was asked for.
    readings: Vec<Reading>,
    run: Run,
    central: Central,
    naive: Naive,
    rows: usize,
    equal: bool,
}

impl Compared {
    fn total(&self, part: impl Fn(Phase) -> u64) -> u64 {
        Phase::ALL.into_iter().map(part).sum()
    }

    fn messages(&self, phase: Phase) -> u64 {
        self.run.phases.get(&phase).map_or(0, |cost| cost.messages)
    }

    fn bytes(&self, phase: Phase) -> u64 {
        self.run.phases.get(&phase).map_or(0, |cost| cost.bytes)
    }

    fn seconds(&self, phase: Phase) -> f64 {
        self.run.phases.get(&phase).map_or(0.0, |cost| cost.time.as_secs_f64())
    }

    /// Bits of the joint release as a share of what parties without each other lose.
    fn share_of_naive(&self) -> Option<f64> {
        self.naive.hidden_bits.filter(|&bits| bits > 0.0).map(|bits| self.central.hidden_bits / bits)
    }

    fn text(&self, args: &Args, session: &Session) -> String {
        let paint = session.paint;
        let facts = &self.central.release.facts;
        let split = match self.plan.split {
            Split::Horizontal => "rows split",
            Split::Vertical => "columns split",
        };
        let mut text = format!(
            "{}\n\n",
            paint.strong(format!(
                "Protocol {}, {split} over {} parties",
                self.plan.protocol.letter(),
                self.plan.members.len()
            ))
        );
        let mut phases = Columns::default();
        phases.row(["phase", "messages", "bytes", "seconds"]);
        for phase in Phase::ALL {
            let seconds = format!("{:.3}", self.seconds(phase));
            phases.row([phase.name(), &count(self.messages(phase)), &count(self.bytes(phase)), &seconds]);
        }
        let seconds: f64 = Phase::ALL.into_iter().map(|phase| self.seconds(phase)).sum();
        let (messages, bytes) =
            (self.total(|phase| self.messages(phase)), self.total(|phase| self.bytes(phase)));
        phases.row(["together", &count(messages), &count(bytes), &format!("{seconds:.3}")]);
        text.push_str(&phases.render());
        let mut found = Columns::default();
        found.row([
            "Rows",
            &format!("{}, {} suppressed", count(self.rows as u64), count(facts.suppressed_rows)),
        ]);
        found.row(["Loss", &format!("{} ({})", short(facts.loss), self.plan.metric.name())]);
        let names = self.plan.quasi_identifiers().into_iter().zip(&facts.node);
        let levels: Vec<String> = names
            .map(|(column, level)| format!("{} {level}", self.plan.columns[usize::from(column)].name))
            .collect();
        found.row(["Levels", &levels.join(", ")]);
        if let Protocol::C(pseudo) = self.plan.protocol {
            found.row(["Round trips", &counted(self.run.round_trips, "check")]);
            found.row(["Made-up rows", &format!("{} per 100 rows", count(u64::from(pseudo.percent)))]);
        }
        let without = match (self.naive.hidden_bits, self.share_of_naive()) {
            (Some(bits), Some(share)) => {
                format!(
                    "{} bits hidden; together {}, {} % of it",
                    short(bits),
                    short(self.central.hidden_bits),
                    short(share * 100.0)
                )
            }
            (Some(bits), None) => format!("{} bits hidden", short(bits)),
            (None, _) => "not possible for every party".to_owned(),
        };
        found.row(["Without each other", &without]);
        text.push_str(&format!("\n{}", found.render()));
        if args.leaks {
            text.push_str(&format!(
                "\n{}\n{}",
                paint.strong("Who learns what"),
                leak_lines(&LeakTable::of(&self.plan))
            ));
            let read = frequencies::text(&self.plan, &self.readings);
            text.push_str(&format!("\n{}\n{read}", paint.strong("Frequency attack")));
        }
        let whole = match is_lifted(&self.plan) {
            true => "the whole table, generalized to the lowest levels",
            false => "the whole table",
        };
        let verdict = match self.equal {
            true => paint.good(format!("The release equals the one of a single place that holds {whole}.")),
            false => {
                paint.bad(format!("The release differs from the one of a single place that holds {whole}."))
            }
        };
        text.push_str(&format!("\n{verdict}\n"));
        text
    }

    fn json(&self) -> Value {
        let facts = &self.central.release.facts;
        let phases: Map<String, Value> = Phase::ALL
            .into_iter()
            .map(|phase| {
                let cost = json!({ "messages": self.messages(phase), "bytes": self.bytes(phase), "seconds": self.seconds(phase) });
                (phase.name().to_owned(), cost)
            })
            .collect();
        let names = self.plan.quasi_identifiers().into_iter().zip(&facts.node);
        let levels: Map<String, Value> = names
            .map(|(column, level)| (self.plan.columns[usize::from(column)].name.clone(), json!(level)))
            .collect();
        let leaks = LeakTable::of(&self.plan);
        json!({
            "paravent": env!("CARGO_PKG_VERSION"),
            "protocol": self.plan.protocol.letter().to_ascii_lowercase().to_string(),
            "split": match self.plan.split { Split::Horizontal => "horizontal", Split::Vertical => "vertical" },
            "parties": self.plan.members.len(),
            "rows": self.rows,
            "phases": phases,
            "messages": self.total(|phase| self.messages(phase)),
            "bytes": self.total(|phase| self.bytes(phase)),
            "round_trips": self.run.round_trips,
            "solution": { "transformation": levels, "metric": self.plan.metric.name(), "loss": facts.loss,
                          "suppressed_rows": facts.suppressed_rows, "checks": self.run.release.as_ref().map(|r| r.facts.checks),
                          "subset_tests": self.run.release.as_ref().map(|r| r.facts.subset_tests) },
            "pseudo_percent": match self.plan.protocol { Protocol::C(pseudo) => json!(pseudo.percent), _ => Value::Null },
            "frequency_attack": frequencies::json(&self.plan, &self.readings),
            "equals_central": self.equal,
            "baselines": { "together_bits": self.central.hidden_bits, "without_each_other_bits": self.naive.hidden_bits,
                           "share": self.share_of_naive() },
            "leaks": {
                "sends": leaks.sends.iter().map(|s| json!({ "from": s.from, "to": s.to, "what": s.what })).collect::<Vec<_>>(),
                "learns": leaks.learns.iter().map(|l| json!({ "who": l.who, "what": l.what })).collect::<Vec<_>>(),
                "leaks": leaks.leaks.iter().map(|l| json!({ "who": l.who, "what": l.what, "against": l.against })).collect::<Vec<_>>(),
            },
        })
    }
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
