//! What `paravent risk --json` prints, and the part of it that every report carries.

use paravent_evidence::information::one_symbol::TableInformation;
use paravent_evidence::risk::disclosure::AttributeDisclosure;
use paravent_evidence::risk::identity::{Attacker, PopulationRisk};
use paravent_evidence::risk::population::PopulationUniques;
use paravent_evidence::risk::safe_harbor::{Because, Looks};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// All figures of one table.
#[derive(Debug, Clone, Serialize)]
pub struct RiskDocument {
    /// Version of the program.
    pub paravent: &'static str,
    /// A raw table or a release.
    pub kind: Kind,
    /// Members of all classes: rows; where people are counted, people as often as they are in a class.
    pub rows: u64,
    /// Where the table says whose row it is. Class sizes and all figures made of them then count people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub people: Option<PeopleInTable>,
    /// The columns an attacker is taken to know.
    pub quasi_identifiers: Vec<String>,
    /// Risks above this count as high.
    pub threshold: f64,
    /// Its classes.
    pub classes: ClassFacts,
    /// Somebody who knows that the victim is in the table; the mean is also the share of rows that a marketer finds.
    pub prosecutor: Attacker,
    /// Somebody who does not know it; absent where nothing is known about the population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub journalist: Option<JournalistFacts>,
    /// People who are unique in the population; absent where nothing is known about its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population_uniques: Option<UniquesFacts>,
    /// The quasi-identifiers one by one.
    pub columns: Vec<ColumnFacts>,
    /// And together.
    pub combinations: Combinations,
    /// The sensitive columns.
    pub sensitive: Vec<SensitiveFacts>,
    /// Class sizes that practice asks for.
    pub thresholds: Vec<ThresholdFacts>,
    /// Columns that look like what the HIPAA safe-harbour rule wants removed.
    pub safe_harbor: Vec<SafeHarborFacts>,
    /// What a release says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<ReleaseSummary>,
    /// What the user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The people of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PeopleInTable {
    /// How many.
    pub people: u64,
    /// Their rows.
    pub rows: u64,
}

/// What was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A table as it is.
    Table,
    /// A release of Paravent.
    Release,
}

/// Rows that share all quasi-identifiers.
#[derive(Debug, Clone, Serialize)]
pub struct ClassFacts {
    /// How many classes.
    pub count: u64,
    /// Rows of the smallest.
    pub smallest: u64,
    /// Rows of the largest.
    pub largest: u64,
    /// Mean rows.
    pub average: f64,
    /// Rows that are alone.
    pub unique_rows: u64,
    /// Pairs of a size and the number of classes that have it, ascending.
    pub sizes: Vec<(u64, u64)>,
}

/// The journalist.
#[derive(Debug, Clone, Serialize)]
pub struct JournalistFacts {
    /// Where the sizes of the population's classes come from.
    pub source: JournalistSource,
    /// People of the population.
    pub population: f64,
    /// Rows of the table by people.
    pub sampling_fraction: f64,
    /// What is achieved.
    #[serde(flatten)]
    pub attacker: Attacker,
    /// What only a table of the population tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<PopulationRisk>,
}

/// Where the sizes of the population's classes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum JournalistSource {
    /// Counted in a table of the population.
    PopulationTable,
    /// Expected, given the sampling fraction (Benedetti & Franconi).
    Estimate,
}

/// Population uniqueness.
#[derive(Debug, Clone, Serialize)]
pub struct UniquesFacts {
    /// By each model.
    #[serde(flatten)]
    pub uniques: PopulationUniques,
    /// The estimate as a share of the population.
    pub share: f64,
    /// People of the population.
    pub population: f64,
    /// Rows of the table by people.
    pub sampling_fraction: f64,
}

/// One quasi-identifier by itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ColumnFacts {
    /// The column.
    pub column: String,
    /// Different values by rows.
    pub distinction: f64,
    /// Share of the pairs of rows it tells apart.
    pub separation: f64,
    /// Rows with a value of their own.
    pub unique_rows: u64,
    /// Share of the minimal unique combinations it is part of; absent where these were not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contribution: Option<f64>,
}

/// Sets of quasi-identifiers.
#[derive(Debug, Clone, Serialize)]
pub struct Combinations {
    /// Columns of the largest sets looked at.
    pub largest: usize,
    /// Rows that some of these sets make unique.
    pub rows_singled_out: u64,
    /// All sets, by size and then in the order of the columns.
    pub subsets: Vec<CombinationFacts>,
}

/// One set of columns.
#[derive(Debug, Clone, Serialize)]
pub struct CombinationFacts {
    /// The columns.
    pub columns: Vec<String>,
    /// Different combinations by rows.
    pub distinction: f64,
    /// Share of the pairs of rows they tell apart.
    pub separation: f64,
    /// Rows that are alone with their combination.
    pub unique_rows: u64,
    /// Those that no smaller set of these columns singles out.
    pub minimal_unique_rows: u64,
}

/// One sensitive column.
#[derive(Debug, Clone, Serialize)]
pub struct SensitiveFacts {
    /// The column.
    pub column: String,
    /// What its classes disclose.
    #[serde(flatten)]
    pub disclosure: AttributeDisclosure,
    /// The same in bits.
    pub information: TableInformation,
}

/// One class size of practice.
#[derive(Debug, Clone, Serialize)]
pub struct ThresholdFacts {
    /// Rows of the smallest class that is asked for.
    pub k: u64,
    /// Rows in smaller classes.
    pub rows_below: u64,
    /// Whether there are none.
    pub holds: bool,
    /// Who asks for it.
    pub source: &'static str,
}

/// One column that looks like an identifier.
#[derive(Debug, Clone, Serialize)]
pub struct SafeHarborFacts {
    /// The column.
    pub column: String,
    /// What it looks like.
    pub looks: Looks,
    /// How that was found.
    pub because: Because,
    /// What the rule asks for.
    pub advice: &'static str,
}

/// What a release says of itself.
#[derive(Debug, Clone, Serialize)]
pub struct ReleaseSummary {
    /// Rows it was made from.
    pub input_rows: u64,
    /// Rows that were left out.
    pub suppressed_rows: u64,
    /// Models with what they ask for.
    pub promises: Vec<Value>,
}

/// What every report carries: the table as it was read, and the release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RiskBeforeAfter {
    /// Risks above this count as high.
    pub threshold: f64,
    /// The table as it was read.
    pub before: RiskSummary,
    /// The released rows.
    pub after: RiskSummary,
}

/// The figures that are cheap for a table of any size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RiskSummary {
    /// Rows.
    pub rows: u64,
    /// Classes.
    pub classes: u64,
    /// Rows of the smallest class.
    pub smallest_class: u64,
    /// Rows that are alone.
    pub unique_rows: u64,
    /// Somebody who knows that the victim is in the table.
    pub prosecutor: Attacker,
    /// Quasi-identifiers one by one.
    pub columns: Vec<ColumnFacts>,
    /// Sensitive columns that a model guards.
    pub sensitive: Vec<SensitiveSummary>,
}

/// One sensitive column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SensitiveSummary {
    /// The column.
    pub column: String,
    /// What its classes disclose.
    #[serde(flatten)]
    pub disclosure: AttributeDisclosure,
}
