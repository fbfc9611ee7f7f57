//! Everything that can be said before anything is drawn: what may leave, which noise, what it costs.

use super::account::Charge;
use super::build;
use super::mechanism::{Counted, Drawn, Mechanism};
use super::noisy::NoisyTable;
use super::people::People;
use super::{NamedNoise, NoiseError};
use crate::release::{Leaving as LeavingColumn, because, refuse_naming};
use crate::slice::CodedTable;
use paravent_job::{Job, Release, Role};
use paravent_ledger::Book;
use paravent_noise::budget::Cost;
use paravent_noise::draw::Secret;

/// What is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// Columns and their noise; those of the job have theirs unless it is given here.
    pub columns: Vec<NamedNoise>,
    /// Draws from a seed, which whoever knows it can undo.
    pub seed: Option<u64>,
}

/// Noise that is understood and fits the table.
#[derive(Debug)]
pub struct Prepared {
    /// The noise, sorted by column.
    pub mechanisms: Vec<Mechanism>,
    /// The released columns of the table, by place.
    pub(super) released: Vec<usize>,
    /// Identifying columns, which are left out.
    pub dropped: Vec<String>,
    /// Columns that the job does not mention, which are left out.
    pub unmentioned: Vec<String>,
    /// Without a job: columns that look as if they named people, with the reason. They are left out.
    pub suspected: Vec<(String, String)>,
    /// The largest number of rows of one person, where the job says whose row it is.
    pub rows_per_person: Option<u64>,
    pub(super) seed: Option<u64>,
}

/// Noise that is paid for.
#[derive(Debug)]
pub struct Paid {
    pub(super) prepared: Prepared,
    /// What was paid.
    pub charge: Charge,
}

const WORD: &str = "(the owner may lift this with release = \"as it is\" in the job file)";

impl Prepared {
    /// Understands the noise, asks whether every cell is one of its values, and refuses what must not leave.
    ///
    /// # Errors
    /// With the column, and what to write instead.
    pub fn new(table: &CodedTable, job: Option<&Job>, request: &Request) -> Result<Prepared, NoiseError> {
        let mut noise: Vec<NamedNoise> = Vec::new();
        for (name, spec) in &request.columns {
            if noise.iter().any(|(other, _)| other == name) {
                return Err(NoiseError::Request(format!("column {name:?} is given twice")));
            }
            noise.push((name.clone(), spec.clone()));
        }
        let own = job.iter().flat_map(|job| &job.attributes);
        for attribute in own.filter(|attribute| !noise_has(&request.columns, &attribute.name)) {
            if let Some(spec) = &attribute.noise {
                noise.push((attribute.name.clone(), spec.clone()));
            }
        }
        if noise.is_empty() {
            let message =
                "which columns get noise? Write --column sex=0.2, or noise = { … } for attributes of the job";
            return Err(NoiseError::Request(message.to_owned()));
        }
        noise.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut mechanisms = Vec::new();
        for (name, spec) in &noise {
            let column = &table.columns[table.place(name)?];
            let wrong = |problem: String| match (noise_has(&request.columns, name), job) {
                (false, Some(job)) => {
                    let at = job.attribute(name).map_or(0, |(at, _)| at);
                    NoiseError::Problems(job.problem(&format!("attributes[{at}].noise"), problem).into())
                }
                _ => NoiseError::Request(format!("column {name:?}: {problem}")),
            };
            mechanisms.push(build::mechanism(table, job, column, spec).map_err(wrong)?);
        }
        let people = People::of(table, job)?;
        let Leaving { released, dropped, unmentioned, suspected } =
            leaving(table, job, people.as_ref(), &mechanisms)?;
        let rows_per_person = people.map(|people| people.most_rows);
        let seed = request.seed;
        let prepared =
            Prepared { mechanisms, released, dropped, unmentioned, suspected, rows_per_person, seed };
        prepared.mechanisms.iter().try_for_each(|mechanism| fits(table, mechanism))?;
        Ok(prepared)
    }

    /// What all columns cost together: they are about the same people. Every row of a person is drawn for by itself, so somebody with m rows has m times the cost.
    pub fn cost(&self) -> Cost {
        let of_a_row =
            Cost::sequential(self.mechanisms.iter().filter_map(|mechanism| mechanism.cost.as_ref()));
        of_a_row.times(self.rows_per_person.unwrap_or(1))
    }

    /// Whether it can be a release, which says which values its noise has: to be asked before it is paid for.
    ///
    /// # Errors
    /// If values or weights were read off a column.
    pub fn may_be_released(&self) -> Result<(), NoiseError> {
        may_be_released(&self.mechanisms)
    }

    /// Pays, and refuses where the owner's limit does not allow it. What is paid is paid, also where the draw then fails.
    ///
    /// # Errors
    /// If it is more than is left, if no ε bounds the noise, or if the ledger cannot be used.
    pub fn pay(self, book: &mut Book) -> Result<Paid, NoiseError> {
        let label = self.label();
        let cost = self.cost();
        let mut receipts = Vec::new();
        if let Some(why) = self.unbounded() {
            book.unbounded(&label, &why)?;
            receipts.extend_from_slice(book.receipts());
        }
        if !cost.is_nothing() {
            match cost.epsilon().is_zero() {
                // δ alone is no cost that a ledger grants for.
                true => drop(book.grant(label.as_str(), least(&cost))?),
                false => drop(book.grant(label.as_str(), cost.clone())?),
            }
            receipts.extend_from_slice(book.receipts());
        }
        let charge = Charge { receipts, ..self.charge(&cost, (&book.spent(), &book.left()), book) };
        Ok(Paid { prepared: self, charge })
    }

    /// What [`Prepared::pay`] would pay now. Nothing is paid, and nothing can be drawn with it.
    ///
    /// # Errors
    /// If it would be refused.
    pub fn look(&self, book: &Book) -> Result<Charge, NoiseError> {
        let cost = self.cost();
        if let Some(why) = self.unbounded() {
            book.would_let_pass(&self.label(), &why)?;
        }
        let (spent, left) = match (cost.is_nothing(), cost.epsilon().is_zero()) {
            (true, _) => (Cost::nothing(), Cost::nothing()),
            (false, true) => book.would_grant(&least(&cost))?,
            (false, false) => book.would_grant(&cost)?,
        };
        Ok(self.charge(&cost, (&spent, &left), book))
    }

    /// Without the lines of the ledgers.
    fn charge(&self, cost: &Cost, (spent, left): (&Cost, &Cost), book: &Book) -> Charge {
        Charge {
            rows_per_person: self.rows_per_person,
            epsilon: cost.epsilon().to_string(),
            delta: cost.delta().to_string(),
            bounded: self.unbounded().is_none(),
            spent: spent.to_string(),
            left: left.to_string(),
            recipient: book.recipient().to_owned(),
            receipts: Vec::new(),
        }
    }

    /// Why no ε bounds it, if none does.
    fn unbounded(&self) -> Option<String> {
        let unbounded = self.mechanisms.iter().filter(|mechanism| mechanism.cost.is_none());
        let told: Vec<String> = unbounded
            .map(|mechanism| format!("some value of {} can never be shown as some other", mechanism.column))
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    /// The seed, if one was asked for.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// What a ledger says of it: no cell.
    fn label(&self) -> String {
        let names: Vec<String> = self
            .mechanisms
            .iter()
            .map(|mechanism| match &mechanism.probability {
                Some(probability) => format!("{} {probability}", mechanism.column),
                None => format!("{} {}", mechanism.column, mechanism.law),
            })
            .collect();
        let rows = match self.rows_per_person {
            Some(rows) if rows > 1 => format!(", up to {rows} rows of one person"),
            _ => String::new(),
        };
        format!("randomize: {}{rows}", names.join(", "))
    }
}

impl Paid {
    /// Draws.
    ///
    /// # Errors
    /// If the operating system gives no random numbers.
    pub fn draw(self, table: &CodedTable) -> Result<NoisyTable, NoiseError> {
        let secret = match self.prepared.seed {
            Some(seed) => Secret::from_seed(seed),
            None => Secret::random()?,
        };
        NoisyTable::draw(table, self, &secret)
    }
}

/// Whether all values are named.
pub(super) fn may_be_released(mechanisms: &[Mechanism]) -> Result<(), NoiseError> {
    match mechanisms.iter().find(|mechanism| mechanism.read_off) {
        Some(Mechanism { column, .. }) => Err(NoiseError::Request(format!(
            "column {column:?}: a release says which values its noise has; name them, such as {column}=0.2:uniform('…', '…')",
        ))),
        None => Ok(()),
    }
}

fn noise_has(columns: &[NamedNoise], name: &str) -> bool {
    columns.iter().any(|(own, _)| own == name)
}

/// A millionth of ε beside the δ.
fn least(cost: &Cost) -> Cost {
    Cost::parse("0.000001", None).map_or_else(|_| cost.clone(), |least| least.with_delta_of(cost))
}

/// Which columns leave, and which do not.
#[derive(Default)]
struct Leaving {
    released: Vec<usize>,
    /// Identifying by the job.
    dropped: Vec<String>,
    /// Not in the job.
    unmentioned: Vec<String>,
    /// Identifying by their looks, where no job says anything.
    suspected: Vec<(String, String)>,
}

/// Identifying columns never leave, and a quasi-identifier leaves with noise or not at all.
fn leaving(
    table: &CodedTable,
    job: Option<&Job>,
    people: Option<&People>,
    mechanisms: &[Mechanism],
) -> Result<Leaving, NoiseError> {
    let (mut leaving, mut as_they_are) = (Leaving::default(), Vec::new());
    let people = people.map(|people| people.of_rows.as_slice());
    for (place, column) in table.columns.iter().enumerate() {
        let name = &column.name;
        let noise = mechanisms.iter().find(|mechanism| mechanism.column == *name);
        let Some(job) = job else {
            // Values that were named tell nothing of the column.
            let looked_at = noise.is_none_or(|mechanism| mechanism.read_off);
            match column.leaving().looks(people).filter(|_| looked_at) {
                Some(told) if noise.is_some() => {
                    return Err(NoiseError::Request(format!(
                        "column {name:?}: {}, and such a column never leaves, noise or not; a job file may say otherwise: release = \"as it is\"",
                        because(told)
                    )));
                }
                Some(told) => leaving.suspected.push((name.clone(), because(told))),
                None => leaving.released.push(place),
            }
            continue;
        };
        let Some((_, attribute)) = job.attribute(name) else {
            match noise {
                Some(_) => leaving.released.push(place),
                None => leaving.unmentioned.push(name.clone()),
            }
            continue;
        };
        let as_it_is = attribute.release == Some(Release::AsItIs);
        match attribute.role {
            Role::Identifying if noise.is_some() && !as_it_is => {
                return Err(NoiseError::Request(format!(
                    "column {name:?} is identifying by the job and never leaves, noise or not {WORD}"
                )));
            }
            Role::Identifying if !as_it_is => leaving.dropped.push(name.clone()),
            Role::QuasiIdentifier if noise.is_none() && !as_it_is => {
                return Err(NoiseError::Request(format!(
                    "column {name:?} is a quasi-identifier of the job and stays exact; give it noise as well {WORD}"
                )));
            }
            Role::Identifying | Role::QuasiIdentifier | Role::Sensitive | Role::Insensitive => {
                leaving.released.push(place);
                if !as_it_is && noise.is_none_or(|mechanism| mechanism.read_off) {
                    as_they_are.push(place);
                }
            }
        }
    }
    if let Some(job) = job {
        let exact: Vec<LeavingColumn<'_>> =
            as_they_are.iter().map(|&place| table.columns[place].leaving()).collect();
        refuse_naming(job, &exact, people)?;
    }
    match leaving.released.is_empty() {
        true => Err(NoiseError::Request("all columns are identifying, and nothing is left".to_owned())),
        false => Ok(leaving),
    }
}

/// Whether every cell is one of the values, and every row has a case.
fn fits(table: &CodedTable, mechanism: &Mechanism) -> Result<(), NoiseError> {
    let column = &table.columns[table.place(&mechanism.column)?];
    let outside = |column: &str, row: usize, advice| NoiseError::Outside {
        row: row + 1,
        column: column.to_owned(),
        values: mechanism.values.len(),
        advice,
    };
    let wrong: Vec<bool> =
        column.cells.iter().map(|cell| mechanism.counted(cell.as_deref()) == Counted::Outside).collect();
    if let Some(row) = column.codes.iter().position(|code| wrong[*code as usize]) {
        let missing = column.cells[column.codes[row] as usize].is_none();
        let advice = match (missing, &mechanism.drawn) {
            (true, Drawn::Added(_)) => "a missing number needs missing = \"draw\"",
            (true, _) => "list NULL among the values, or write missing = \"value\" or \"draw\"",
            (false, Drawn::Added(_)) => "widen min and max, or write outside = \"clamp\"",
            (false, _) => "list it, or write outside = \"other\" and other = \"…\"",
        };
        return Err(outside(&mechanism.column, row, advice));
    }
    if let Drawn::Cases { by, known, otherwise: false, .. } = &mechanism.drawn {
        let other = &table.columns[table.place(by)?];
        let row = other.codes.iter().position(|code| !known.contains(&other.cells[*code as usize]));
        if let Some(row) = row {
            return Err(outside(by, row, "give it a case, or a probability for all others"));
        }
    }
    Ok(())
}
