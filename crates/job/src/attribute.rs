//! `[[attributes]]`: what the columns are.

use super::data_type::DataType;
use super::hierarchies::HierarchySpec;
use super::names::names;
use super::noise::NoiseSpec;
use super::treatment::Treatments;
use paravent_core::values::Spelling;

/// One column of the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name of the column; no two attributes share one.
    pub name: String,
    /// What the column can give away.
    pub role: Role,
    /// `type`; `None`: not declared, so told by the input.
    pub data_type: Option<DataType>,
    /// `format`, `decimal` and `grouping`: how the cells are written; `None`: as the engine writes them.
    pub spelling: Option<Spelling>,
    /// How values are generalized (quasi-identifier) or how far apart they are (sensitive).
    pub hierarchy: Option<HierarchySpec>,
    /// Lowest level allowed; `None`: 0. Never above `max_level`.
    pub min_level: Option<u8>,
    /// Highest level allowed; `None`: that of the hierarchy.
    pub max_level: Option<u8>,
    /// With local recoding: from how many different levels the labels of the column may come; 1 keeps one level for all rows,
    /// `None`: from all.
    pub most_levels: Option<u8>,
    /// How much a loss in this column counts; 0 to 10⁹, so that sums stay finite.
    pub weight: f64,
    /// The values in order, for the ordered distance; `None`: numeric, date or lexicographic order.
    pub order: Option<Vec<String>>,
    /// The owner's word that the column may leave as it is, whatever its role and its cells look like; `None`: nothing said.
    pub release: Option<Release>,
    /// What an empty cell of a sensitive column is to diversity; `None`: no value.
    pub missing: Option<MissingCells>,
    /// What becomes of values that the hierarchy does not know.
    pub unknown: UnknownValues,
    /// How its cells are drawn for by `paravent noise`.
    pub noise: Option<NoiseSpec>,
    /// Rounding, top and bottom coding, microaggregation, pseudonyms.
    pub treatments: Treatments,
}

impl Attribute {
    /// A column with a role and nothing else said.
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self {
            name: name.into(),
            role,
            data_type: None,
            spelling: None,
            hierarchy: None,
            min_level: None,
            max_level: None,
            most_levels: None,
            weight: 1.0,
            order: None,
            release: None,
            missing: None,
            unknown: UnknownValues::default(),
            noise: None,
            treatments: Treatments::default(),
        }
    }
}

/// What a column can give away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Names a person outright; dropped.
    Identifying,
    /// Names a person together with others; generalized.
    QuasiIdentifier,
    /// What must not be learnt about a person; kept, guarded by the models.
    Sensitive,
    /// Harmless; kept as it is.
    Insensitive,
}
names!(Role {
    Identifying: "identifying",
    QuasiIdentifier: "quasi-identifier",
    Sensitive: "sensitive",
    Insensitive: "insensitive",
});

/// The owner's word on how a column leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Release {
    /// With its cells as they are, although others would refuse it.
    AsItIs,
}
names!(Release { AsItIs: "as it is" });

/// How freely the labels of one column are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnRecoding {
    /// One level for all rows.
    Uniform,
}
names!(ColumnRecoding { Uniform: "uniform" });

/// What an empty cell of a sensitive column is to a model that asks for different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MissingCells {
    /// No value: it makes no class more diverse.
    NoValue,
    /// A value like any other, as where "no finding" is itself a finding.
    Value,
}
names!(MissingCells { NoValue: "no value", Value: "value" });

/// What becomes of values that a hierarchy written down value by value does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownValues {
    /// The run ends, and says how many there are and where the first is.
    #[default]
    Refuse,
    /// They have no label but the most general one.
    Top,
}
names!(UnknownValues { Refuse: "refuse", Top: "top" });
