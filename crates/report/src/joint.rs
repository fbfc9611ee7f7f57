//! The documents of a joint release, as `report.json` holds them: of the party that has the release, and of the others.

use super::{PromiseFacts, RegisterFacts, UnchangedFacts, VerdictFacts, told_loss};
use schemars::JsonSchema;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;

/// What several parties released together. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JointDocument {
    /// Version of the program.
    pub paravent: &'static str,
    /// Digest of the agreement; absent in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement_sha256: Option<String>,
    /// What was chosen.
    pub solution: JointSolution,
    /// What is promised, criterion by criterion.
    pub privacy: Vec<PromiseFacts>,
    /// What the reader should know; absent in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
    /// The verdict as a whole.
    pub verdict: VerdictFacts,
    /// Whom columns that are released as they are single out; `null` where there are none.
    pub unchanged: Option<UnchangedFacts>,
    /// What was written.
    pub output: JointOutput,
    /// How the parties worked together; absent in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub federation: Option<FederationFacts>,
    /// The release's place in this party's register; absent in what is handed out and where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisterFacts>,
}

impl JointDocument {
    /// What may be handed out: neither how the parties worked together nor anything that only they know.
    pub fn external(&self) -> JointDocument {
        let name = Path::new(&self.output.path).file_name().unwrap_or_default();
        let loss =
            self.solution.loss.and_then(|loss| told_loss(self.solution.metric, loss, self.output.rows));
        JointDocument {
            agreement_sha256: None,
            warnings: None,
            federation: None,
            register: None,
            solution: JointSolution { highest: None, search: None, loss, ..self.solution.clone() },
            // What a promise is worth is told in the house only.
            privacy: self.privacy.iter().map(|facts| PromiseFacts { loose: None, ..facts.clone() }).collect(),
            output: JointOutput { path: name.to_string_lossy().into_owned(), ..self.output.clone() },
            ..self.clone()
        }
    }
}

/// What was chosen.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JointSolution {
    /// Level of every quasi-identifier.
    pub transformation: Levels,
    /// Its highest level; absent in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highest: Option<Levels>,
    /// Name of the metric.
    pub metric: &'static str,
    /// The loss, as far as it is told.
    pub loss: Option<f64>,
    /// Whether it is proven to be the least.
    pub optimal: bool,
    /// How it was searched; absent in what is handed out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<JointSearch>,
    /// Rows left out, of all parties together.
    pub suppressed_rows: u64,
    /// Classes of rows that look alike.
    pub classes: u64,
    /// Rows of the smallest one.
    pub smallest_class: Option<u64>,
}

/// How the parties searched.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JointSearch {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Nodes checked; in protocol C each is a question to the parties.
    pub checks: u64,
    /// Tests of few columns, which are cheap and not counted as checks.
    pub subset_tests: u64,
}

/// A level for every quasi-identifier, in the order of the columns.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
#[schemars(with = "BTreeMap<String, u8>")]
pub struct Levels(pub Vec<(String, u8)>);

impl Serialize for Levels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(column, level)| map.serialize_entry(column, level))?;
        map.end()
    }
}

/// What was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct JointOutput {
    /// The data file; its name alone in what is handed out.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// Its digest.
    pub sha256: String,
    /// Whether the independent verifier accepted the files.
    pub verified: bool,
}

/// How the parties worked together.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FederationFacts {
    /// Name of the run.
    pub run: String,
    /// Digest of the agreement.
    pub agreement: String,
    /// Letter of the protocol.
    pub protocol: String,
    /// What the parties hold of the table: different rows, or different columns.
    pub split: &'static str,
    /// Whose report this is.
    pub party: String,
    /// Who has the release.
    pub receiver: String,
    /// Digest of all messages; the same at all parties.
    pub transcript: String,
    /// What went over the network.
    pub channels: Vec<ChannelFacts>,
    /// Who was told what.
    #[serde(flatten)]
    pub told: ToldFacts,
    /// The party that put the release in its place; absent at the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released_by: Option<String>,
}

/// What went between two parties.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ChannelFacts {
    /// The other party.
    pub with: String,
    /// Messages sent to it.
    pub messages_sent: u64,
    /// Their bytes.
    pub bytes_sent: u64,
    /// Messages received from it.
    pub messages_received: u64,
    /// Their bytes.
    pub bytes_received: u64,
    /// Digest of what was sent.
    pub sent_sha256: String,
    /// Digest of what was received.
    pub received_sha256: String,
}

/// What a run tells whom.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ToldFacts {
    /// Everything that left a party.
    pub what_was_sent: Vec<SentFacts>,
    /// What each party learned by design of the protocol.
    pub what_each_party_learned: Vec<LearnedFacts>,
    /// What somebody who wants to could find out beyond that.
    pub what_could_be_concluded: Vec<ConclusionFacts>,
}

/// Something that left a party.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SentFacts {
    /// From whom.
    pub from: String,
    /// To whom.
    pub to: String,
    /// What.
    pub what: &'static str,
}

/// What a party learned.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LearnedFacts {
    /// The party.
    pub party: String,
    /// What it learned.
    pub learned: &'static str,
}

/// What could be concluded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ConclusionFacts {
    /// By whom.
    pub who: String,
    /// What.
    pub what: &'static str,
    /// What stands against it.
    pub against: &'static str,
}

/// What a party keeps that took part and does not hold the release. Field names and order are a contract.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ParticipationDocument {
    /// Version of the program.
    pub paravent: &'static str,
    /// Digest of the agreement.
    pub agreement_sha256: String,
    /// Rows that this party brought; `null` where it holds no data.
    pub rows: Option<u64>,
    /// What is promised.
    pub privacy: Vec<PromisedModel>,
    /// How the parties worked together.
    pub federation: FederationFacts,
    /// The record's place in this party's register; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub register: Option<RegisterFacts>,
    /// What the reader should know; absent where there is no register.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warnings: Option<Vec<String>>,
}

/// A model that is promised.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PromisedModel {
    /// Its name.
    pub model: &'static str,
}
