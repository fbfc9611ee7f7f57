//! `federation.toml`: what the parties agree on, and who they are.

mod parse;
mod plan;
mod spelling;
mod write;

use paravent_federation::transport::Fingerprint;
use paravent_federation::{
    ColumnKeys, Gaps, Participants, Protocol, PseudoRows, PseudoShape, SamePerson, Shares, Split,
};
use paravent_job::{self as job, Distance, Model, Population, Problem, Problems, Role, Source, Terms};
use sha2::{Digest, Sha256};
use std::path::Path;

pub use plan::receiver_of;
pub use spelling::Spelling;

/// The whole file.
#[derive(Debug, Clone)]
pub struct Agreement {
    /// What people call the run.
    pub run: String,
    /// Makes two runs with the same terms differ.
    pub nonce: String,
    /// `a`, `b` or `c`.
    pub protocol: Protocol,
    /// Who says how many made-up rows there are.
    pub pseudo_amount: Amount,
    /// Rows or columns.
    pub split: Split,
    /// Vertical: whether several parties may hold a column, each of other people.
    pub holders: Holders,
    /// The party the release arrives at.
    pub receiver: String,
    /// The column that tells whose rows they are: vertically rows are matched by it, horizontally the same person at two parties is noticed.
    pub identifier: Option<String>,
    /// Vertical: the party that marks the rows to release, where others are only population.
    pub marked_by: Option<String>,
    /// Whether classes must stand up to a participant.
    pub participants: Participants,
    /// Who can decrypt which column.
    pub column_keys: ColumnKeys,
    /// What becomes of persons that a party does not know.
    pub gaps: Gaps,
    /// Horizontal, with an identifier: what becomes of a person at two parties.
    pub same_person: SamePerson,
    /// How identifiers are compared.
    pub spelling: Spelling,
    /// In ring order, the helper last.
    pub parties: Vec<PartyEntry>,
    /// The columns of the release.
    pub columns: Vec<ColumnEntry>,
    /// What is promised, and what is best.
    pub terms: Terms,
    /// Where everything stands.
    pub source: Source,
}

/// One party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartyEntry {
    /// Its name.
    pub name: String,
    /// What it does.
    pub part: Part,
    /// Where it listens.
    pub address: Option<String>,
    /// Its certificate.
    pub fingerprint: Option<Fingerprint>,
    /// What it counted of the people that parties have in common. Not part of the digest.
    pub matched: Option<String>,
    /// The digest it has approved. Not part of the digest.
    pub approved: Option<String>,
}

/// What a party does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Holds data.
    Primary,
    /// A primary party that holds none.
    WithoutData,
    /// The helper.
    Helper,
}

impl Part {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Part::Primary => "primary",
            Part::WithoutData => "without-data",
            Part::Helper => "helper",
        }
    }
}

/// Who says how many made-up rows there are (protocol C).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Whoever invited.
    Given,
    /// The columns of all parties: each that joins raises the number to what makes its own flat.
    Counted,
}

/// How many parties hold a column of a vertical split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holders {
    /// One.
    One,
    /// One or more, each of other people: a hybrid split.
    Several,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnEntry {
    /// Its name.
    pub name: String,
    /// Its role; never identifying.
    pub role: Role,
    /// Name of its type.
    pub data_type: job::DataType,
    /// Vertical: who holds it.
    pub owner: Option<String>,
    /// Hybrid: who else does, of other people; in the order of the parties.
    pub sharers: Vec<String>,
    /// Of a quasi-identifier.
    pub levels: Option<Levels>,
    /// Of a sensitive column whose values a hierarchy sets apart (hierarchical t-closeness).
    pub tree: Option<Tree>,
}

/// The hierarchy of a sensitive column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    /// Its highest level.
    pub height: u8,
    /// SHA-256 of the hierarchy.
    pub hierarchy: String,
}

/// Levels of a quasi-identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Highest of the hierarchy.
    pub height: u8,
    /// Lowest allowed.
    pub lowest: u8,
    /// Highest allowed.
    pub highest: u8,
    /// Weight in metrics.
    pub weight: f64,
    /// SHA-256 of the hierarchy.
    pub hierarchy: String,
    /// What decides which share of its domain a label covers.
    pub shares: Shares,
}

/// Why a population that one party holds is no use to the others.
pub const NO_POPULATION_FILE: &str = "parties cannot count in a population that is a file of its own";
/// What to do instead.
pub const MARK_ROWS: &str = "Let every party bring the rows of the population, and mark those to release with a column: subset = \"…\"";

impl Agreement {
    /// Reads the file; all problems together.
    pub fn load(path: &Path) -> Result<Agreement, Problems> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Problem::new(path, format!("the federation file cannot be read: {error}")))?;
        parse::parse(&text, path)
    }

    /// Reads its text.
    pub fn parse(text: &str, path: &Path) -> Result<Agreement, Problems> {
        parse::parse(text, path)
    }

    /// The position of a party.
    pub fn party(&self, name: &str) -> Result<usize, Problem> {
        self.parties.iter().position(|party| party.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.parties.iter().map(|party| party.name.as_str()).collect();
            self.source
                .problem("parties", format!("there is no party {name:?}"))
                .advise(format!("The parties are {}", names.join(", ")))
        })
    }

    /// SHA-256 over the canonical form: what everybody must approve alike.
    pub fn digest(&self) -> [u8; 32] {
        let mut unsigned = self.clone();
        unsigned.parties.iter_mut().for_each(|party| (party.approved, party.matched) = (None, None));
        Sha256::digest(unsigned.to_toml().as_bytes()).into()
    }

    /// The digest in hexadecimal.
    pub fn digest_text(&self) -> String {
        hex::encode(self.digest())
    }

    /// What still has to be filled in before a run.
    pub fn missing(&self) -> Problems {
        let mut problems = Problems::new();
        for (index, party) in self.parties.iter().enumerate() {
            let mut absent = |key: &str, what: &str| {
                let problem = self.source.problem(&format!("parties[{index}].{key}"), what);
                problems.push(problem.advise(format!("{} runs: paravent party join", party.name)));
            };
            if party.address.is_none() {
                absent("address", "is missing");
            }
            if party.fingerprint.is_none() {
                absent("fingerprint", "is missing");
            }
            let holds = |column: &ColumnEntry| column.is_held_by(&party.name);
            if self.split == Split::Vertical && party.part == Part::Primary && !self.columns.iter().any(holds)
            {
                absent("name", "holds no column yet");
            }
        }
        if let (Split::Vertical, Some(column), None) = (self.split, self.marks(), &self.marked_by) {
            let problem = self
                .source
                .problem("marked_by", format!("nobody marks the rows to release with a column {column:?}"));
            problems.push(problem.advise("The party whose table has the column runs: paravent party join"));
        }
        problems
    }

    /// The column that marks the rows to release, where a promise counts in a population.
    pub fn marks(&self) -> Option<&str> {
        match self.terms.privacy.population() {
            Some(Population::Subset(column)) => Some(column),
            Some(Population::Table(_)) | None => None,
        }
    }

    /// Whether a party marks rows: all do horizontally, vertically the one that has the column.
    pub fn is_marked_by(&self, party: &str) -> bool {
        let by = self.marked_by.as_deref();
        self.marks().is_some() && (self.split == Split::Horizontal || by == Some(party))
    }
}

impl ColumnEntry {
    /// Vertical: whether a party holds it.
    pub fn is_held_by(&self, party: &str) -> bool {
        self.owner.as_deref() == Some(party) || self.sharers.iter().any(|sharer| sharer == party)
    }

    /// Vertical: who holds it.
    pub fn holders(&self) -> impl Iterator<Item = &String> {
        self.owner.iter().chain(&self.sharers)
    }

    /// The same held by these parties; the first is the owner.
    pub fn held_by(self, holders: impl IntoIterator<Item = String>) -> ColumnEntry {
        let mut holders = holders.into_iter();
        ColumnEntry { owner: holders.next(), sharers: holders.collect(), ..self }
    }
}

/// The sensitive columns whose hierarchy a promise needs.
pub fn needs_tree(models: &[Model]) -> impl Iterator<Item = &str> {
    models.iter().filter_map(|model| match model {
        Model::TCloseness(paravent_job::models::TCloseness {
            attribute,
            distance: Distance::Hierarchical,
            ..
        }) => Some(attribute.as_str()),
        _ => None,
    })
}

/// What may become of a person at two parties, with the names in federation files.
pub const SAME_PERSON: [(&str, SamePerson); 2] =
    [("refused", SamePerson::Refused), ("accepted", SamePerson::CountedTwice)];

/// The splits, with their names in federation files.
pub const SPLITS: [(&str, (Split, Holders)); 3] = [
    ("horizontal", (Split::Horizontal, Holders::One)),
    ("vertical", (Split::Vertical, Holders::One)),
    ("hybrid", (Split::Vertical, Holders::Several)),
];

/// As it is written.
pub fn split_name(split: Split, holders: Holders) -> &'static str {
    let known = SPLITS.iter().find(|(_, known)| *known == (split, holders));
    known.map_or("horizontal", |(name, _)| *name)
}

/// A protocol by its letter.
pub fn protocol_of(letter: &str, percent: u16, shape: PseudoShape) -> Option<Protocol> {
    match letter {
        "a" => Some(Protocol::A),
        "b" => Some(Protocol::B),
        "c" => Some(Protocol::C(PseudoRows { percent, shape })),
        _ => None,
    }
}
