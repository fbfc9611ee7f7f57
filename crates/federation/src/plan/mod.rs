//! What the parties agree on before any data moves.

mod criterion;
mod digest;

pub use criterion::{Closeness, Criterion};

use crate::parties::{Holds, Member, PartyId};
use paravent_core::exact::Fraction;
use paravent_core::hierarchy::{Hierarchy, ShareBasis};
use paravent_core::quality::{Metric, Reads};
use paravent_core::search::Algorithm;

/// Everything that all parties must see alike. Its digest goes with every message.
#[derive(Debug, Clone)]
pub struct Plan {
    /// A number no other run has.
    pub run: RunId,
    /// How.
    pub protocol: Protocol,
    /// Who holds what.
    pub split: Split,
    /// The primary parties in ring order; the first is master (A), receiver (B, C) and reader of the counters (C).
    pub members: Vec<Member>,
    /// All columns of the release.
    pub columns: Vec<PlanColumn>,
    /// What every released class must keep.
    pub criteria: Vec<Criterion>,
    /// What to minimise.
    pub metric: Metric,
    /// How to search; changes no result where the optimum is guaranteed.
    pub algorithm: Algorithm,
    /// Whether the algorithm must be one that finds the optimum for certain.
    pub guarantee: Guarantee,
    /// Most rows that may be suppressed, as a share of all.
    pub suppression_limit: Fraction,
    /// Whether classes must also stand up to a participant who takes away its own rows.
    pub participants: Participants,
    /// Who can decrypt which column (B, C).
    pub column_keys: ColumnKeys,
    /// What becomes of persons that a party does not know (vertical).
    pub gaps: Gaps,
    /// What becomes of a person at two parties (horizontal).
    pub same_person: SamePerson,
}

/// Identifies a run; part of every key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunId(pub [u8; 16]);

/// The protocols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// A ring of commutative encryption, no helper.
    A,
    /// A helper, deterministic encryption.
    B,
    /// A helper, deterministic encryption, pseudo tuples and counters.
    C(PseudoRows),
}

impl Protocol {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Protocol::A => 'A',
            Protocol::B => 'B',
            Protocol::C(_) => 'C',
        }
    }
}

/// How many made-up rows each party adds, and of which kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PseudoRows {
    /// Per hundred real rows, rounded up.
    pub percent: u16,
    /// Their kind.
    pub shape: PseudoShape,
}

/// What made-up rows look like. All kinds use cells that occur, so that no hierarchy grows and ties are decided as centrally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PseudoShape {
    /// Copies of real rows: every class the helper sees, under every node, has a real row in it, so none can be told to be made up.
    /// The helper still sees which combinations occur.
    Copies,
    /// Cells in such numbers that every value of a column looks about equally frequent: hides how often values occur. Combinations of
    /// quasi-identifiers come in blocks as below.
    Flat,
    /// Recombined cells, each combination at least as often as the smallest class asked for: hides which combinations occur; a
    /// combination that occurs often may be suspected.
    Blocks,
}

/// How the table is spread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Same columns, different persons.
    Horizontal,
    /// Same persons, different columns, matched by tuple identifiers. Where several parties hold a column, each has it of other persons.
    Vertical,
}

/// Who can decrypt which column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKeys {
    /// All primary parties share the keys: one message brings the release home.
    Common,
    /// Each party has keys of its own for its columns (vertical only): the release goes round.
    Private,
}

/// What becomes of a person whom not all parties know (vertical).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gaps {
    /// The run is aborted.
    Refused,
    /// The cells are missing values (B only).
    Placeholders,
}

/// What becomes of a person who is at two parties (horizontal).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SamePerson {
    /// Nobody looks: each row counts as a person.
    CountedTwice,
    /// The parties count the people they have in common before anything else moves, and the run is aborted if there is one.
    Refused,
}

/// Whether a search must find the optimum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarantee {
    /// An algorithm that may miss it is refused.
    Needed,
    /// What the algorithm finds is taken, best or not.
    Waived,
}

/// Whether participants count as attackers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Participants {
    /// Only the public counts.
    Trusted,
    /// A class must have k rows even without those of any one party: 1-privacy of Goryczka, Xiong & Fung, "m-Privacy for collaborative
    /// data publishing", TKDE 26(10), 2014.
    Curious,
}

/// A column as all parties see it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanColumn {
    /// Its name; decides ties as in a central run.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Vertical: position of the party that holds it.
    pub owner: PartyId,
    /// Hybrid: further parties that hold it, each of other people.
    pub sharers: Vec<PartyId>,
}

/// What a column is.
#[derive(Debug, Clone, PartialEq)]
pub enum Role {
    /// Generalized.
    QuasiIdentifier {
        /// The highest level of its hierarchy.
        height: u8,
        /// Lowest level the search may use.
        lowest: u8,
        /// Highest level the search may use.
        highest: u8,
        /// Weight in metrics.
        weight: f64,
        /// Where the shares of the loss metric come from.
        shares: Shares,
    },
    /// Released as it is; criteria may speak of it.
    Sensitive {
        /// Height of its hierarchy, for the hierarchical distance; 0 where there is none.
        height: u8,
    },
    /// Whether a row is in the table to release (1) or only in the population (0). Not encrypted, not released.
    Membership,
}

/// Where the shares of the domain that labels cover come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shares {
    /// Leaves below the label among all values present in the joint table: counted where the tables are put together, since no
    /// party knows the values of the others.
    FromLeaves,
    /// They travel with the hierarchies, which alone decide them: widths of intervals, texts that a mask may stand for.
    Travel,
    /// How many lines of the hierarchy each label covers travels. A missing value without a line is one more leaf as soon as any party has one.
    Lines,
}

impl Shares {
    /// Where the shares of a hierarchy come from when several parties hold the values.
    pub fn of(hierarchy: &Hierarchy) -> Shares {
        match hierarchy.share_basis() {
            ShareBasis::ValuesPresent => Shares::FromLeaves,
            ShareBasis::Lines => Shares::Lines,
            ShareBasis::Hierarchy => Shares::Travel,
        }
    }

    /// The name in federation files.
    pub fn name(self) -> &'static str {
        match self {
            Shares::FromLeaves => "values",
            Shares::Travel => "hierarchy",
            Shares::Lines => "lines",
        }
    }
}

impl Plan {
    /// Number of primary parties.
    pub fn primaries(&self) -> u16 {
        u16::try_from(self.members.len()).unwrap_or(u16::MAX)
    }

    /// The helper, where the protocol has one.
    pub fn helper(&self) -> Option<PartyId> {
        match self.protocol {
            Protocol::A => None,
            Protocol::B | Protocol::C(_) => Some(PartyId(self.primaries())),
        }
    }

    /// All parties, the helper last.
    pub fn parties(&self) -> Vec<PartyId> {
        (0..self.primaries()).map(PartyId).chain(self.helper()).collect()
    }

    /// The primary parties except one.
    pub(crate) fn others(&self, me: PartyId) -> Vec<PartyId> {
        (0..self.primaries()).map(PartyId).filter(|&party| party != me).collect()
    }

    /// The columns with t-closeness, ascending.
    pub(crate) fn close_columns(&self) -> Vec<u16> {
        (0..self.columns.len() as u16).filter(|&column| self.reference_height(column).is_some()).collect()
    }

    /// Whether every row comes with an identifier of its person.
    pub fn identifies_rows(&self) -> bool {
        self.split == Split::Vertical || self.same_person == SamePerson::Refused
    }

    /// The columns a party holds, as positions in the plan.
    pub fn columns_of(&self, party: PartyId) -> Vec<u16> {
        let holds = self.members.get(usize::from(party.0)).map(|member| member.holds);
        let mine = |column: &PlanColumn| match (self.split, holds) {
            (_, None) => false,
            (Split::Horizontal, Some(_)) => true,
            (Split::Vertical, Some(Holds::Nothing)) => false,
            (Split::Vertical, Some(Holds::Data)) => column.is_held_by(party),
        };
        (0u16..).zip(&self.columns).filter(|(_, column)| mine(column)).map(|(position, _)| position).collect()
    }

    /// Whether some parties hold rows and others columns: a vertical split in which several parties hold a column, each of other people.
    pub fn is_hybrid(&self) -> bool {
        self.columns.iter().any(|column| !column.sharers.is_empty())
    }

    /// Positions of the quasi-identifiers.
    pub fn quasi_identifiers(&self) -> Vec<u16> {
        let is_one = |column: &PlanColumn| matches!(column.role, Role::QuasiIdentifier { .. });
        (0u16..)
            .zip(&self.columns)
            .filter(|(_, column)| is_one(column))
            .map(|(position, _)| position)
            .collect()
    }

    /// The smallest class size asked for: the largest k, at least 2.
    pub(crate) fn least_class(&self) -> u64 {
        let k = |criterion: &Criterion| match criterion {
            Criterion::KAnonymity { k } => *k,
            _ => 2,
        };
        self.criteria.iter().map(k).max().unwrap_or(2).max(2)
    }

    /// The class size that every release must have: the largest k, 1 where none is promised.
    pub(crate) fn promised_class(&self) -> u64 {
        let k = |criterion: &Criterion| match criterion {
            Criterion::KAnonymity { k } => Some(*k),
            _ => None,
        };
        self.criteria.iter().filter_map(k).max().unwrap_or(1)
    }

    /// Protocol C: whether the loss of a node is a sum over the columns, so that asking about one column at a time tells the losses of all nodes.
    pub fn losses_add_up(&self) -> bool {
        // As far as they go with suppression, none of these counts it.
        self.metric.adds_up_over_columns()
    }

    /// Protocol C: whether the helper asks about one column at a time first: where that tells losses, and the search can use them.
    pub(crate) fn asks_about_columns(&self) -> bool {
        self.losses_add_up() && self.algorithm == Algorithm::BestFirst
    }

    /// Whether the metric reads how often each value occurs.
    pub(crate) fn metric_reads_values(&self) -> bool {
        self.metric.reads() == Reads::Values
    }

    /// Whether the release must come with the distribution of a column, because t-closeness is promised of it; and how many levels of its
    /// hierarchy the distance climbs, 0 where it climbs none.
    pub(crate) fn reference_height(&self, column: u16) -> Option<u8> {
        let height = |criterion: &Criterion| match criterion {
            Criterion::TCloseness { column: of, distance, .. } if *of == column => Some(match distance {
                Closeness::Hierarchical => {
                    self.columns.get(usize::from(column)).map_or(0, PlanColumn::height)
                }
                Closeness::Equal | Closeness::KullbackLeibler | Closeness::Ordered => 0,
            }),
            _ => None,
        };
        self.criteria.iter().filter_map(height).max()
    }

    /// Whether rows are marked: some are in the table to release, the others only in the population.
    pub(crate) fn marks_rows(&self) -> bool {
        self.marks().is_some()
    }

    /// Position of the column with the marks.
    pub(crate) fn marks(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.role == Role::Membership)
    }

    /// Whether shares of a column go with its hierarchy.
    pub(crate) fn sends_shares(&self, column: u16) -> bool {
        let role = self.columns.get(usize::from(column)).map(|column| &column.role);
        self.metric.reads_shares()
            && matches!(role, Some(Role::QuasiIdentifier { shares: Shares::Travel | Shares::Lines, .. }))
    }

    /// The lowest level of a column that leaves a party.
    pub(crate) fn lowest_level(&self, column: u16) -> u8 {
        match self.columns.get(usize::from(column)).map(|column| &column.role) {
            Some(Role::QuasiIdentifier { lowest, .. }) => *lowest,
            _ => 0,
        }
    }

    /// The level that a column of the release has under a node.
    pub(crate) fn released_level(&self, column: u16, node: &[u8]) -> u8 {
        let at = self.quasi_identifiers().iter().position(|&quasi| quasi == column);
        at.and_then(|at| node.get(at)).copied().unwrap_or(0)
    }

    /// Whether what goes with the hierarchy of a column are numbers of lines.
    pub(crate) fn sends_lines(&self, column: u16) -> bool {
        let role = self.columns.get(usize::from(column)).map(|column| &column.role);
        self.sends_shares(column) && matches!(role, Some(Role::QuasiIdentifier { shares: Shares::Lines, .. }))
    }
}

impl Role {
    /// The weight of a quasi-identifier.
    pub(crate) fn weight(&self) -> Option<f64> {
        match self {
            Role::QuasiIdentifier { weight, .. } => Some(*weight),
            Role::Sensitive { .. } | Role::Membership => None,
        }
    }
}

impl PlanColumn {
    /// Vertical: whether a party holds it.
    pub(crate) fn is_held_by(&self, party: PartyId) -> bool {
        self.owner == party || self.sharers.contains(&party)
    }

    /// The height of its hierarchy.
    pub(crate) fn height(&self) -> u8 {
        match self.role {
            Role::QuasiIdentifier { height, .. } | Role::Sensitive { height } => height,
            Role::Membership => 0,
        }
    }
}
