//! Several institutions anonymize one table together, without showing each other a row.
//!
//! *n* primary parties hold parts of one table: rows of the same columns (horizontal), or columns of the same rows (vertical). The
//! release they make together equals, row for row up to order, what a trusted third party would have made with the same
//! criteria, metric and search. Three protocols after Kohlmayer, Prasser, Eckert & Kuhn, "A flexible approach to distributed data
//! anonymization", J. Biomed. Inform. 50, 2014, and Kohlmayer's thesis, TU München 2015, chapter 4:
//!
//! - **A**, a ring: every cell carries a layer of encryption of each party; the layers commute. No helper.
//! - **B**, a helper without data and without keys: deterministic encryption under keys the helper does not know.
//! - **C**, the same helper, which does not even learn how often a value occurs: made-up rows, and counters only a primary party can read.
//!
//! A party is a [`Party`]: a state machine that takes in bytes and gives out bytes. It opens no socket, asks no clock and draws
//! randomness only from the source it is given. [`Simulation`] runs all parties in one process; over a network
//! [`transport`] does the same with sockets. What each party learns is a table of this crate, too: [`leaks::LeakTable`].
//!
//! The parties are semi-honest: they follow the protocol and try to learn from what they see. The channels between them are
//! encrypted and authenticated by the transport.
//!
//! ```
//! use paravent_federation::{JointTable, Protocol, Simulation, Split};
//! let example = JointTable::example();
//! let plan = example.plan(Protocol::B, Split::Horizontal, 3);
//! let run = Simulation::seeded(7).run(&plan, example.deal(&plan)).unwrap();
//! let release = run.release.unwrap();
//! assert_eq!(release.facts.node, [0, 1, 3]);
//! assert_eq!(release.facts.loss, 28.0);
//! ```

pub mod baselines;
pub mod cost;
pub mod crypto;
mod data;
mod engine;
mod error;
mod evidence;
mod frequencies;
mod joint;
mod label;
pub mod leaks;
mod matches;
mod outcome;
mod parties;
mod party;
mod plan;
mod protocols;
mod pseudo;
mod simulation;
mod table;
pub mod transport;
mod validate;
pub mod wire;

pub use data::{DataError, LONGEST_VALUE, PartyColumn, PartyTable};
pub use error::{ProtocolError, Refusal, Refusals};
pub use evidence::{Occurrence, Population, Reference};
pub use frequencies::{
    MOST_FLATTENING_PERCENT, Reading, flattening_percent, flattening_percents, frequency_attack,
    frequency_attack_on_average,
};
pub use joint::{JointColumn, JointTable};
pub use matches::Matches;
pub use outcome::{Facts, Outcome, Release, ReleasedColumn, United};
pub use parties::{Holds, Member, PartyId};
pub use party::{Limits, Outgoing, Party, Progress, Watch};
pub use plan::{
    Closeness, ColumnKeys, Criterion, Gaps, Guarantee, Participants, Plan, PlanColumn, Protocol, PseudoRows,
    PseudoShape, Role, RunId, SamePerson, Shares, Split,
};
pub use protocols::Phase;
pub use simulation::{Computed, PhaseCost, Recorded, Run, Simulation, SimulationError};
pub use wire::Packing;

#[cfg(test)]
mod tests;
