//! All parties of a job's table in one process, compared with a single place that holds the whole table, and with parties that anonymize
//! without each other.

mod ablation;
mod dealt;
mod frequencies;
mod modelled;

use crate::agreement::{Agreement, Amount, Holders, Part, PartyEntry, Spelling, receiver_of, split_name};
use crate::flatness::{NotFlat, not_flat};
use crate::setup::USUAL_PERCENT;
use crate::{JointError, part};
use paravent_federation::baselines::{
    Central, Naive, anonymize_and_integrate, integrate_and_anonymize, keeping_the_first_classes,
};
use paravent_federation::leaks::LeakTable;
use paravent_federation::{
    ColumnKeys, Gaps, JointTable, Participants, PartyId, Phase, Plan, Protocol, PseudoRows, PseudoShape,
    Reading, Role, Run, SamePerson, Simulation, SimulationError, Split, flattening_percent,
    frequency_attack_on_average,
};
use paravent_job::{self as job, Job, Problem, Problems, Terms};
use paravent_pipeline::run::RunError;
use paravent_prepare::study::{Found, Study, refuse_treatments, relaxations};
use paravent_tables::watch::Watch;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

pub use ablation::Ablated;
pub use dealt::Deal;
pub use frequencies::Shares;
pub use modelled::{Modelled, Network};

use modelled::model;

/// What to simulate.
#[derive(Debug, Clone)]
pub struct Options {
    /// The job file.
    pub job: PathBuf,
    /// The protocol; its number of made-up rows counts where `pseudo_is_given`.
    pub protocol: Protocol,
    /// Whether the number of made-up rows is wanted as it is; else flat ones are as many as flatten all columns.
    pub pseudo_is_given: bool,
    /// Rows or columns.
    pub split: Split,
    /// Columns: whether several parties may hold one, each of other people.
    pub holders: Holders,
    /// Parties that hold data.
    pub parties: u16,
    /// Whether classes must stand up to a participant.
    pub participants: Participants,
    /// Who can decrypt which column.
    pub column_keys: ColumnKeys,
    /// Minimise this instead of the job's metric.
    pub metric: Option<String>,
    /// Who gets which rows, where rows are split.
    pub deal: Deal,
    /// The columns of each party, where columns are split; else in turn.
    pub columns: Vec<Vec<String>>,
    /// What a network would add.
    pub network: Option<Network>,
    /// Random numbers come from it.
    pub seed: u64,
    /// Whether to attack frequencies.
    pub attack: bool,
    /// Whether to run again without threads and without compression.
    pub ablation: bool,
}

/// A simulated run beside what one place could do, and what parties do without each other.
#[derive(Debug)]
pub struct Compared {
    /// What the parties agreed on.
    pub plan: Plan,
    /// Columns that the made-up rows do not make flat.
    pub not_flat: Vec<NotFlat>,
    /// Of the frequency attack, where it was asked for.
    pub readings: Vec<Reading>,
    /// The run.
    pub run: Run,
    /// The release of a single place.
    pub central: Central,
    /// Releases without each other.
    pub naive: Naive,
    /// Columns split: later parties keep the classes of the first.
    pub keeping: Option<Naive>,
    /// Where a network was given.
    pub modelled: Option<Modelled>,
    /// The same run without threads and without compression, where it was asked for.
    pub ablated: Vec<Ablated>,
    /// Rows of all parties.
    pub rows: usize,
    /// Whether the release equals that of a single place.
    pub equal: bool,
}

/// Runs all parties and both comparisons.
pub fn compare(options: &Options, watch: &dyn Watch) -> Result<Compared, JointError> {
    let failed = |error: RunError| JointError::of_job(&options.job, error);
    let mut job = Job::load(&options.job).map_err(|problems| failed(problems.into()))?;
    refuse_treatments(&job, "a joint run").map_err(|problems| failed(problems.into()))?;
    part::refuse_hierarchies_of_rows(&job).map_err(|problems| failed(problems.into()))?;
    // Every row is dealt, so all are held.
    job.search.memory = None;
    if let Some(metric) = &options.metric {
        job.search.metric = job::Metric::by_name(metric)
            .ok_or_else(|| refused(&options.job, &format!("{metric} is not a metric")))?;
    }
    let study = Study::prepare(job, None, false, watch).map_err(|error| failed(RunError::Study(error)))?;
    let mut options = options.clone();
    if let Deal::Sites(column) = &options.deal {
        options.parties = dealt::sites(&study, column, watch)? as u16;
    }
    let options = &options;
    let table = dealt::table(&study, (&options.deal, usize::from(options.parties)), watch)?;
    // Real parties agree on the same file and make the same plan of it.
    let mut plan = agreement(options, &study, &table)?.plan()?;
    let parts = table.deal(&plan);
    let numbered = || (0u16..).map(PartyId).zip(&parts);
    if let (Protocol::C(PseudoRows { shape: PseudoShape::Flat, .. }), false) =
        (plan.protocol, options.pseudo_is_given)
    {
        let needed = numbered().map(|(party, part)| flattening_percent(&plan, party, part));
        let percent = needed.max().unwrap_or(USUAL_PERCENT);
        plan.protocol = Protocol::C(PseudoRows { percent, shape: PseudoShape::Flat });
    }
    let not_flat = at_the_worst(numbered().flat_map(|(party, part)| not_flat(&plan, party, part)));
    dealt::hierarchies_agree(&study, &plan, &parts)?;
    let simulated = |error: SimulationError| refused(&options.job, &error.to_string());
    let ablated = match options.ablation {
        true => ablation::ablate(&plan, &parts, options.seed, options.network).map_err(simulated)?,
        false => Vec::new(),
    };
    let run = Simulation::seeded(options.seed).run(&plan, parts).map_err(simulated)?;
    let stopped = |error: paravent_federation::ProtocolError| refused(&options.job, &error.to_string());
    let central = integrate_and_anonymize(&table, &plan).map_err(stopped)?;
    let naive = anonymize_and_integrate(&table, &plan).map_err(stopped)?;
    let keeping = keeping_the_first_classes(&table, &plan).map_err(stopped)?;
    // The pipeline's own search is a witness where it asks for the same.
    let found = match options.participants {
        Participants::Trusted => Some(study.search(watch).map_err(|error| failed(RunError::Study(error)))?),
        Participants::Curious => None,
    };
    let Some(central) = central else {
        return Err(JointError::Infeasible { relaxations: relaxations(&study, watch) });
    };
    let readings = match options.attack {
        true => frequency_attack_on_average(&plan, &table, options.seed).map_err(simulated)?,
        false => Vec::new(),
    };
    let equal = equals(&run, &central, found.as_ref(), &plan);
    let modelled = options.network.map(|network| model(&plan, &table, &run, &central, network));
    let rows = table.rows;
    Ok(Compared { equal, not_flat, readings, plan, run, central, naive, keeping, modelled, ablated, rows })
}

/// Of columns that several parties hold, what the one takes that takes most.
fn at_the_worst(all: impl Iterator<Item = NotFlat>) -> Vec<NotFlat> {
    let mut worst: Vec<NotFlat> = Vec::new();
    for found in all {
        match worst.iter_mut().find(|known| known.column == found.column) {
            Some(known) => known.needed = known.needed.max(found.needed),
            None => worst.push(found),
        }
    }
    worst
}

/// What the parties would have agreed on.
fn agreement(options: &Options, study: &Study, table: &JointTable) -> Result<Agreement, Problems> {
    let Options { protocol, split, column_keys, .. } = *options;
    let entry = |name: String, part| PartyEntry {
        name,
        part,
        address: None,
        fingerprint: None,
        matched: None,
        approved: None,
    };
    let party = |number: usize| format!("party {}", number + 1);
    let mut parties: Vec<PartyEntry> =
        (0..usize::from(options.parties)).map(|number| entry(party(number), Part::Primary)).collect();
    if (protocol, split, options.parties) == (Protocol::A, Split::Horizontal, 2) {
        parties.insert(0, entry("without data".to_owned(), Part::WithoutData));
    }
    let receiver = parties[receiver_of(protocol, column_keys, parties.len())].name.clone();
    if protocol != Protocol::A {
        parties.push(entry("helper".to_owned(), Part::Helper));
    }
    let holders = |position: usize, name: &str| -> Vec<String> {
        let chosen = options.columns.iter().enumerate();
        let chosen = chosen.filter(|(_, columns)| columns.iter().any(|known| known == name));
        let mut chosen: Vec<usize> = chosen.map(|(number, _)| number).collect();
        if options.holders == Holders::One {
            chosen.truncate(1);
        }
        if chosen.is_empty() {
            chosen.push(position % usize::from(options.parties));
        }
        chosen.into_iter().filter(|_| split == Split::Vertical).map(party).collect()
    };
    if let Some(stranger) =
        options.columns.iter().flatten().find(|name| !table.columns.iter().any(|c| c.name == **name))
    {
        let message =
            format!("--columns: {stranger:?} takes no part: neither a quasi-identifier nor promised about");
        return Err(Problem::new(&options.job, message).into());
    }
    everybody_holds_something(options, table)?;
    let mut agreement = Agreement {
        run: "simulation".to_owned(),
        nonce: options.seed.to_string(),
        protocol,
        pseudo_amount: Amount::Given,
        split,
        holders: options.holders,
        receiver,
        identifier: None,
        marked_by: None,
        gaps: Gaps::Refused,
        same_person: SamePerson::CountedTwice,
        spelling: Spelling::AsWritten,
        participants: options.participants,
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
        agreement.columns.extend(known.map(|entry| entry.clone().held_by(holders(position, &column.name))));
        if column.role == Role::Membership {
            agreement.marked_by = holders(position, &column.name).into_iter().next();
        }
    }
    Ok(agreement)
}

/// Columns split: real parties that bring no column cannot join, and only in a hybrid split two have the same.
fn everybody_holds_something(options: &Options, table: &JointTable) -> Result<(), Problem> {
    if options.split == Split::Horizontal || options.holders == Holders::Several {
        return Ok(());
    }
    let refused = |message: String| Err(Problem::new(&options.job, message));
    let marks = |column: &&paravent_federation::JointColumn| column.role == Role::Membership;
    let columns = table.columns.len() - table.columns.iter().filter(marks).count();
    if usize::from(options.parties) > columns {
        return refused(format!(
            "{} parties, and {columns} columns take part: with columns split every party needs one",
            options.parties
        ));
    }
    let named = || options.columns.iter().flatten();
    let twice = |name: &&String| named().filter(|other| other == name).count() > 1;
    match named().find(twice) {
        Some(name) => refused(format!("--columns: two parties have {name:?}; that is --split hybrid")),
        None => Ok(()),
    }
}

fn refused(job: &Path, why: &str) -> JointError {
    Problem::new(job, why).into()
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

impl Compared {
    /// As federation files name it.
    pub fn split_name(&self) -> &'static str {
        let holders = if self.plan.is_hybrid() { Holders::Several } else { Holders::One };
        split_name(self.plan.split, holders)
    }

    /// Whether cells are generalized before they leave a party.
    pub fn is_lifted(&self) -> bool {
        is_lifted(&self.plan)
    }

    /// What the frequency attack reads over all cells.
    pub fn read_on_average(&self) -> Option<Shares> {
        frequencies::on_average(&self.readings)
    }

    /// Over all phases.
    pub fn total(&self, part: impl Fn(Phase) -> u64) -> u64 {
        Phase::ALL.into_iter().map(part).sum()
    }

    /// Messages of a phase.
    pub fn messages(&self, phase: Phase) -> u64 {
        self.run.phases.get(&phase).map_or(0, |cost| cost.messages)
    }

    /// Bytes of a phase.
    pub fn bytes(&self, phase: Phase) -> u64 {
        self.run.phases.get(&phase).map_or(0, |cost| cost.bytes)
    }

    /// Seconds of a phase, of all parties one after the other.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.run.phases.get(&phase).map_or(0.0, |cost| cost.time.as_secs_f64())
    }

    /// Bits of the joint release as a share of what parties without each other lose.
    pub fn share_of_naive(&self) -> Option<f64> {
        self.naive.hidden_bits.filter(|&bits| bits > 0.0).map(|bits| self.central.hidden_bits / bits)
    }

    /// The same beside parties that keep the classes of the first.
    pub fn share_of_keeping(&self) -> Option<f64> {
        let bits = self.keeping.as_ref()?.hidden_bits.filter(|&bits| bits > 0.0)?;
        Some(self.central.hidden_bits / bits)
    }

    /// The document of `--json`.
    pub fn to_json(&self) -> Value {
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
            "split": self.split_name(),
            "parties": self.plan.members.len(),
            "rows": self.rows,
            "phases": phases,
            "messages": self.total(|phase| self.messages(phase)),
            "bytes": self.total(|phase| self.bytes(phase)),
            "party_seconds": self.run.party_times.values().map(|time| time.wall.as_secs_f64()).collect::<Vec<_>>(),
            "party_processor_seconds": self.run.party_times.values().map(|time| time.processor.as_secs_f64()).collect::<Vec<_>>(),
            "round_trips": self.run.round_trips,
            "solution": { "transformation": levels, "metric": self.plan.metric.name(), "loss": facts.loss,
                          "suppressed_rows": facts.suppressed_rows, "checks": self.run.release.as_ref().map(|r| r.facts.checks),
                          "subset_tests": self.run.release.as_ref().map(|r| r.facts.subset_tests) },
            "pseudo_percent": match self.plan.protocol { Protocol::C(pseudo) => json!(pseudo.percent), _ => Value::Null },
            "not_flat": self.not_flat.iter().map(NotFlat::to_json).collect::<Value>(),
            "frequency_attack": frequencies::json(&self.plan, &self.readings),
            "equals_central": self.equal,
            "baselines": { "together_bits": self.central.hidden_bits, "without_each_other_bits": self.naive.hidden_bits,
                           "share": self.share_of_naive(),
                           "keeping_classes_bits": self.keeping.as_ref().and_then(|kept| kept.hidden_bits), "keeping_classes_share": self.share_of_keeping() },
            "ablation": ablation::to_json(&self.ablated),
            "model": self.modelled.map(|modelled| modelled.to_json()),
            "leaks": {
                "sends": leaks.sends.iter().map(|s| json!({ "from": s.from, "to": s.to, "what": s.what })).collect::<Vec<_>>(),
                "learns": leaks.learns.iter().map(|l| json!({ "who": l.who, "what": l.what })).collect::<Vec<_>>(),
                "leaks": leaks.leaks.iter().map(|l| json!({ "who": l.who, "what": l.what, "against": l.against })).collect::<Vec<_>>(),
            },
        })
    }
}
