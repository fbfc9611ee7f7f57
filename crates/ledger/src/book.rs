//! Permissions to draw, within the owner's limit.

use super::{BookError, LedgerFile, Paid, Record, spent_by};
use crate::log::Log;
use paravent_job::Job;
use paravent_noise::budget::{BudgetError, Cost, Grant, Ledger};
use std::path::{Path, PathBuf};

/// What is allowed where no owner has said anything.
const EPSILON: &str = "1";
const DELTA: &str = "0.000001";

/// The account of one recipient, in all ledgers that the tables of a session belong to. Cannot be copied.
#[derive(Debug)]
pub struct Book {
    keeping: Keeping,
    /// Who gets the answers.
    recipient: String,
    /// The limit of the owner, as the job says it.
    owner: Option<Cost>,
    /// What whoever asks wants to spend at most.
    lowered: Option<(Cost, LowersDelta)>,
    allow_unbounded: bool,
    /// After the last grant: spent and left.
    last: Option<(Cost, Cost)>,
    /// The lines of the last grant.
    receipts: Vec<Receipt>,
}

/// The line of a ledger that something was paid with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The ledger.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// Its hash, which the next line repeats.
    pub hash: String,
    /// The line as it is written.
    pub text: String,
}

/// Whether δ was lowered as well.
type LowersDelta = bool;

/// Where costs are written down.
#[derive(Debug)]
enum Keeping {
    /// Nowhere but here: for the length of a session.
    Memory(Ledger),
    /// In these files, all of them.
    Files {
        /// Sorted, so that two sessions lock them in the same order.
        files: Vec<PathBuf>,
        /// Whether a table that is added brings its own.
        beside_tables: bool,
        /// Whether there is a table that has no place for one.
        homeless: bool,
    },
}

impl Book {
    /// Kept for the length of a session only: for tests, and for programs that keep their own account.
    pub fn in_memory(limit: Cost) -> Book {
        let keeping = Keeping::Memory(Ledger::new(limit.clone()));
        Book { owner: Some(limit), ..Book::of(keeping, None) }
    }

    /// Kept for the length of a session, with the limit of a job, else ε = 1 and δ = 10⁻⁶.
    pub fn of_job_in_memory(job: Option<&Job>) -> Book {
        let limit = limit_of(job).unwrap_or_else(default_limit);
        let keeping = Keeping::Memory(Ledger::new(limit));
        Book::of(keeping, job)
    }

    /// Kept in a file: one that is named, else the one beside the job file. Without both, every table that is added brings the one beside it.
    pub fn on_disk(named: Option<&Path>, job: Option<&Job>) -> Book {
        let file = named
            .map(Path::to_owned)
            .or_else(|| job.map(|job| LedgerFile::beside(&canonical(job.source.file()))));
        let beside_tables = file.is_none();
        let files = file.into_iter().collect();
        Book::of(Keeping::Files { files, beside_tables, homeless: false }, job)
    }

    fn of(keeping: Keeping, job: Option<&Job>) -> Book {
        let recipient = Book::ANYONE.to_owned();
        let owner = limit_of(job);
        Book {
            keeping,
            recipient,
            owner,
            lowered: None,
            allow_unbounded: false,
            last: None,
            receipts: Vec::new(),
        }
    }

    /// The recipient if none is named.
    pub const ANYONE: &'static str = "anyone";

    /// Who gets the answers. Recipients have separate limits.
    #[must_use]
    pub fn towards(self, recipient: &str) -> Book {
        Book { recipient: recipient.to_owned(), ..self }
    }

    /// Lets noise pass that no ε bounds: the owner's word. It is written down as such.
    #[must_use]
    pub fn allowing_unbounded(self) -> Book {
        Book { allow_unbounded: true, ..self }
    }

    /// A table was added that was read from this file; none if it came from standard input.
    pub fn add_table(&mut self, table: Option<&Path>) {
        let Keeping::Files { files, beside_tables: true, homeless } = &mut self.keeping else { return };
        let Some(table) = table else {
            *homeless = true;
            return;
        };
        // The same table under two names is one data set.
        let ledger = LedgerFile::beside(&canonical(table));
        if let Err(place) = files.binary_search(&ledger) {
            files.insert(place, ledger);
        }
    }

    /// Spends at most so much, all answers to this recipient together; without δ, the owner's stays.
    ///
    /// # Errors
    /// If it is more than the owner allows.
    pub fn lower(&mut self, epsilon: &str, delta: Option<&str>) -> Result<(), BookError> {
        let wrong = |error| BookError::Budget(BudgetError::NotANumber(error));
        let zero = delta.is_some_and(|delta| {
            delta.trim_start_matches('0').trim_start_matches('.').bytes().all(|b| b == b'0')
        });
        let asked = Cost::parse(epsilon, delta.filter(|_| !zero)).map_err(wrong)?;
        self.refuse_above(&asked, &self.known_limit())?;
        self.lowered = Some((asked, delta.is_some()));
        let limit = self.known_limit();
        if let Keeping::Memory(ledger) = &mut self.keeping {
            let entries = ledger.entries().to_vec();
            *ledger = Ledger::resume(lowered(&limit, self.lowered.as_ref()), entries);
        }
        Ok(())
    }

    /// The owner's limit, as far as it is known before anything is asked.
    fn known_limit(&self) -> Cost {
        if let Some(limit) = &self.owner {
            return limit.clone();
        }
        let Keeping::Files { files, .. } = &self.keeping else { return default_limit() };
        let logs = files.iter().filter_map(|file| LedgerFile::read(file).ok());
        let limits = logs.filter_map(|log| started_with(log.lines.first().map(|line| &line.record)));
        limits.reduce(least).unwrap_or_else(default_limit)
    }

    fn refuse_above(&self, asked: &Cost, limit: &Cost) -> Result<(), BookError> {
        match asked.within(limit) {
            true => Ok(()),
            false => Err(BookError::AboveLimit {
                asked: asked.to_string(),
                limit: limit.to_string(),
                place: self.place(),
            }),
        }
    }

    /// Where the owner sets the limit.
    fn place(&self) -> &'static str {
        match self.owner.is_some() {
            true => {
                "The owner sets the limit in the job: [privacy] budget = { epsilon = \"…\", delta = \"…\" }"
            }
            false => {
                "Nobody has set a limit of their own: the owner does, with [privacy] budget in a job or with paravent ledger start"
            }
        }
    }

    fn refused(&self, refused: BudgetError) -> BookError {
        match refused {
            BudgetError::Overspent(_) => BookError::Overspent { refused, place: self.place() },
            other => BookError::Budget(other),
        }
    }

    /// Pays for `label`, or refuses and changes nothing. What is paid is paid, also where the answer then fails.
    ///
    /// With files: all of them are locked, looked at and written, and the permission is given when the cost is on disk in each.
    ///
    /// # Errors
    /// If it is more than is left, or a file cannot be used.
    pub fn grant(&mut self, label: impl Into<String>, cost: Cost) -> Result<Grant, BookError> {
        let label = label.into();
        let Keeping::Files { files, homeless, .. } = &self.keeping else {
            return self.grant_from_memory(label, cost);
        };
        if *homeless {
            return Err(BookError::Nowhere);
        }
        let mut locked = files.iter().map(|file| LedgerFile::lock(file)).collect::<Result<Vec<_>, _>>()?;
        let mut granted = None;
        let mut state: Option<(Cost, Cost)> = None;
        for file in &locked {
            let mut ledger = self.resumed(file.path(), Some(file.log()))?;
            granted = Some(ledger.grant(label.as_str(), cost.clone()).map_err(|error| self.refused(error))?);
            let left = ledger.left();
            if state.as_ref().is_none_or(|(_, least)| left.epsilon() < least.epsilon()) {
                state = Some((ledger.spent(), left));
            }
        }
        let paid = Paid {
            recipient: self.recipient.clone(),
            epsilon: cost.epsilon().to_string(),
            delta: cost.delta().to_string(),
            label: label.clone(),
        };
        self.receipts.clear();
        for file in &mut locked {
            self.receipts.push(paid_with(file, Record::Grant(paid.clone()))?);
        }
        match granted {
            Some(grant) => {
                self.last = state;
                Ok(grant)
            }
            // Tables that no file holds: nothing but constants is below.
            None => self.grant_without_tables(label, cost),
        }
    }

    fn grant_from_memory(&mut self, label: String, cost: Cost) -> Result<Grant, BookError> {
        let Keeping::Memory(ledger) = &mut self.keeping else { return Err(BookError::Nowhere) };
        let granted = ledger.grant(label, cost);
        let state = (ledger.spent(), ledger.left());
        let grant = granted.map_err(|error| self.refused(error))?;
        self.last = Some(state);
        Ok(grant)
    }

    fn grant_without_tables(&mut self, label: String, cost: Cost) -> Result<Grant, BookError> {
        let mut ledger = self.without_tables();
        let grant = ledger.grant(label, cost).map_err(|error| self.refused(error))?;
        self.last = Some((ledger.spent(), ledger.left()));
        Ok(grant)
    }

    /// The account of tables that no file holds.
    fn without_tables(&self) -> Ledger {
        Ledger::new(lowered(&self.owner.clone().unwrap_or_else(default_limit), self.lowered.as_ref()))
    }

    /// What would be spent and what would be left if [`Book::grant`] were asked for this now. Writes nothing, and lets nobody draw.
    ///
    /// # Errors
    /// Where there would be no grant.
    pub fn would_grant(&self, cost: &Cost) -> Result<(Cost, Cost), BookError> {
        let ledgers = match &self.keeping {
            Keeping::Memory(ledger) => {
                vec![Ledger::resume(ledger.limit().clone(), ledger.entries().to_vec())]
            }
            Keeping::Files { homeless: true, .. } => return Err(BookError::Nowhere),
            Keeping::Files { files, .. } if files.is_empty() => vec![self.without_tables()],
            Keeping::Files { files, .. } => {
                let looked = files.iter().map(|file| self.resumed(file, LedgerFile::look(file)?.as_ref()));
                looked.collect::<Result<_, _>>()?
            }
        };
        let mut state: Option<(Cost, Cost)> = None;
        for mut ledger in ledgers {
            // The permission is dropped at once.
            drop(ledger.grant("", cost.clone()).map_err(|error| self.refused(error))?);
            let left = ledger.left();
            if state.as_ref().is_none_or(|(_, least)| left.epsilon() < least.epsilon()) {
                state = Some((ledger.spent(), left));
            }
        }
        Ok(state.unwrap_or_else(|| (Cost::nothing(), Cost::nothing())))
    }

    /// Whether [`Book::unbounded`] would let it pass.
    ///
    /// # Errors
    /// If it would not.
    pub fn would_let_pass(&self, label: &str, why: &str) -> Result<(), BookError> {
        match self.allow_unbounded {
            true => Ok(()),
            false => Err(BookError::Unbounded { label: label.to_owned(), why: why.to_owned() }),
        }
    }

    /// Lets something pass that no ε bounds, where the owner allows it, and writes it down.
    ///
    /// # Errors
    /// If the owner does not, or a file cannot be used.
    pub fn unbounded(&mut self, label: &str, why: &str) -> Result<(), BookError> {
        self.would_let_pass(label, why)?;
        let Keeping::Files { files, homeless, .. } = &self.keeping else { return Ok(()) };
        if *homeless {
            return Err(BookError::Nowhere);
        }
        let mut locked = files.iter().map(|file| LedgerFile::lock(file)).collect::<Result<Vec<_>, _>>()?;
        self.receipts.clear();
        for file in &mut locked {
            let record = Record::Unbounded { recipient: self.recipient.clone(), label: label.to_owned() };
            self.receipts.push(paid_with(file, record)?);
        }
        Ok(())
    }

    /// The account of the recipient in one file.
    fn resumed(&self, path: &Path, log: Option<&Log<Record>>) -> Result<Ledger, BookError> {
        let own = started_with(log.and_then(|log| log.lines.first()).map(|line| &line.record));
        let limit = self.owner.clone().or(own).unwrap_or_else(default_limit);
        if let Some((asked, with_delta)) = &self.lowered {
            let asked = if *with_delta { asked.clone() } else { asked.with_delta_of(&limit) };
            self.refuse_above(&asked, &limit)?;
        }
        let entries = log.map_or_else(|| Ok(Vec::new()), |log| spent_by(&self.recipient, log, path))?;
        Ok(Ledger::resume(lowered(&limit, self.lowered.as_ref()), entries))
    }

    /// The lines that the last grant, or what was let pass without a bound, is written down with; none where it is kept in memory.
    pub fn receipts(&self) -> &[Receipt] {
        &self.receipts
    }

    /// Who gets the answers.
    pub fn recipient(&self) -> &str {
        &self.recipient
    }

    /// What the recipient had spent after the last grant.
    pub fn spent(&self) -> Cost {
        self.last.as_ref().map_or_else(Cost::nothing, |(spent, _)| spent.clone())
    }

    /// What was left after the last grant.
    pub fn left(&self) -> Cost {
        self.last.as_ref().map_or_else(Cost::nothing, |(_, left)| left.clone())
    }
}

fn paid_with(file: &mut LedgerFile, record: Record) -> Result<Receipt, BookError> {
    let text = file.append(record)?;
    let log = file.log();
    Ok(Receipt { file: file.path().to_owned(), line: log.lines.len() as u64, hash: log.head.clone(), text })
}

/// The file itself, whatever link was followed to it.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The owner's limit, or what was asked for, which is not more.
fn lowered(limit: &Cost, asked: Option<&(Cost, LowersDelta)>) -> Cost {
    match asked {
        None => limit.clone(),
        Some((asked, true)) => asked.clone(),
        Some((asked, false)) => asked.with_delta_of(limit),
    }
}

fn default_limit() -> Cost {
    Cost::parse(EPSILON, Some(DELTA)).unwrap_or_else(|_| Cost::nothing())
}

/// What a job allows.
fn limit_of(job: Option<&Job>) -> Option<Cost> {
    let budget = job?.privacy.budget.as_ref()?;
    // The job file has checked both; what cannot be read allows nothing.
    Some(Cost::read_back(budget.epsilon.as_str(), budget.delta.as_str()).unwrap_or_else(|_| Cost::nothing()))
}

/// What the owner allowed when the ledger was started.
fn started_with(first: Option<&Record>) -> Option<Cost> {
    match first {
        Some(Record::Ledger { limit: Some(limit), .. }) => {
            Some(Cost::read_back(&limit.epsilon, &limit.delta).unwrap_or_else(|_| Cost::nothing()))
        }
        _ => None,
    }
}

/// The smaller limit, figure by figure.
fn least(one: Cost, other: Cost) -> Cost {
    let epsilon = if one.epsilon() <= other.epsilon() { one.clone() } else { other.clone() };
    let delta = if one.delta() <= other.delta() { one } else { other };
    epsilon.with_delta_of(&delta)
}
