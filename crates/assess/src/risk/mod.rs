//! The risk of a table or a release: everything [`paravent_evidence::risk`] can say about it, in one document.

mod align;
mod assess;
mod before_after;
mod beliefs;
mod document;
mod order;
#[cfg(test)]
mod tests;

pub use assess::{DEFAULT_THRESHOLD, RiskError, RiskRequest, SamplingSpec, assess_risk};
pub use before_after::{before_after, released};
pub use beliefs::{BeliefsError, ColumnBeliefs, Prior, assess_beliefs};
pub use document::{
    ClassFacts, ColumnFacts, CombinationFacts, Combinations, JournalistFacts, JournalistSource, Kind,
    PeopleInTable, ReleaseSummary, RiskBeforeAfter, RiskDocument, RiskSummary, SafeHarborFacts,
    SensitiveFacts, SensitiveSummary, ThresholdFacts, UniquesFacts,
};
