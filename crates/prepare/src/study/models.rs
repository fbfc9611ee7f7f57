//! The job's models as criteria of the engine.

use super::levels::{Climbed, climb};
use super::loose::{Loose, Worth};
use paravent_core::criteria::{Achieved, ClassCriterion, Distance, ValueTree, ValuesOnly};
use paravent_core::exact::Fraction;
use paravent_core::table::People;
pub use paravent_job::Exactness;
use paravent_job::models::{Sensitive, TableFacts};
use paravent_job::{DecimalText, Distance as DistanceName, Job, MissingCells, Model, Problems};
use paravent_tables::encode::{CodedColumn, Combinations, Frequencies, SensitiveView};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// The sensitive columns that models constrain, and the views of them that criteria read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Constrained {
    /// Names, in the order of first mention.
    pub(super) names: Vec<String>,
    /// One view per histogram of the frequency table.
    pub(super) views: Vec<SensitiveView>,
}

impl Constrained {
    pub(super) fn of(models: &[Model]) -> Constrained {
        let mut constrained = Constrained::default();
        for model in models {
            let view = match model.sensitive() {
                Sensitive::None => continue,
                Sensitive::One(name) => SensitiveView::Single(constrained.position(name)),
                Sensitive::Joint(names) => {
                    SensitiveView::Joint(names.iter().map(|name| constrained.position(name)).collect())
                }
            };
            constrained.view(view);
        }
        constrained
    }

    fn position(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    fn view(&mut self, view: SensitiveView) -> usize {
        self.views.iter().position(|known| *known == view).unwrap_or_else(|| {
            self.views.push(view);
            self.views.len() - 1
        })
    }

    pub(super) fn column_of(&self, attribute: &str) -> Option<usize> {
        self.names.iter().position(|known| known == attribute)
    }

    fn single(&self, attribute: &str) -> usize {
        let view = self.column_of(attribute).map(SensitiveView::Single);
        self.views.iter().position(|known| Some(known) == view.as_ref()).unwrap_or_default()
    }

    fn joint(&self, attributes: &[String]) -> usize {
        let positions: Option<Vec<usize>> = attributes.iter().map(|name| self.column_of(name)).collect();
        let view = positions.map(SensitiveView::Joint);
        self.views.iter().position(|known| Some(known) == view.as_ref()).unwrap_or_default()
    }
}

/// What translating a model needs.
pub(super) struct Translation<'a> {
    pub(super) job: &'a Job,
    pub(super) constrained: &'a Constrained,
    pub(super) columns: &'a [CodedColumn],
    pub(super) table: &'a Frequencies,
    pub(super) combinations: &'a [Combinations],
    /// Where people are counted: the values they show.
    pub(super) people: Option<&'a People>,
    pub(super) input: &'a Path,
}

impl Translation<'_> {
    /// The criterion of a model. `key` is its key in the job file, for messages.
    pub(super) fn criterion(&self, model: &Model, key: &str) -> Result<Box<dyn ClassCriterion>, Problems> {
        let criterion = model.criterion(&Asked { translation: self, key })?;
        Ok(match self.empty_cells(model) {
            Some((missing, MissingCells::NoValue, attribute)) => {
                Box::new(ValuesOnly { criterion, sensitive: self.constrained.single(attribute), missing })
            }
            Some((_, MissingCells::Value, _)) | None => criterion,
        })
    }

    /// For a model that asks for different values of one column: the code of its empty cells, what they are, and the column.
    /// `None` where the column has no empty cell, and for models that read distributions or combinations.
    pub(super) fn empty_cells<'m>(&self, model: &'m Model) -> Option<(u32, MissingCells, &'m str)> {
        let Sensitive::One(attribute) = model.sensitive() else { return None };
        if !model.card().asks_for_values {
            return None;
        }
        let missing = self.column(attribute).dictionary.code(None)?;
        let said = self.job.attribute(attribute).and_then(|(_, attribute)| attribute.missing);
        Some((missing, said.unwrap_or(MissingCells::NoValue), attribute))
    }

    /// The code of a value that the job mentions, however it spells it.
    fn code(&self, column: &CodedColumn, value: &str) -> Option<u32> {
        let written = self.job.attribute(&column.name).and_then(|(_, attribute)| attribute.spelling.as_ref());
        column.dictionary.code(Some(&super::settle::canonical(value, column.spelling, written)))
    }

    fn column(&self, attribute: &str) -> &CodedColumn {
        &self.columns[self.constrained.column_of(attribute).unwrap_or_default()]
    }

    pub(super) fn distance(&self, attribute: &str, name: DistanceName) -> Result<Distance, Problems> {
        Ok(match name {
            DistanceName::Equal | DistanceName::Variation => Distance::Equal,
            DistanceName::KullbackLeibler => Distance::KullbackLeibler,
            DistanceName::Ordered => {
                // Values that only the population shows are no places on the line.
                let totals = self.table.totals(self.constrained.single(attribute));
                let mut order = self.order(attribute)?;
                order.retain(|&code| totals[code as usize] > 0);
                Distance::Ordered { order }
            }
            DistanceName::Hierarchical => Distance::Hierarchical(self.tree(attribute)?),
        })
    }

    /// The codes of a sensitive column in the order of its values: the job's own, or that of the type. The missing value is first.
    fn order(&self, attribute: &str) -> Result<Vec<u32>, Problems> {
        let column = self.column(attribute);
        let dictionary = &column.dictionary;
        let missing = dictionary.code(None);
        let declared = self.job.attribute(attribute);
        let Some((index, order)) =
            declared.and_then(|(index, a)| a.order.as_ref().map(|order| (index, order)))
        else {
            let mut texts: Vec<&str> = dictionary.cells().into_iter().flatten().collect();
            column.value_type.sort(&mut texts);
            let sorted = texts.into_iter().filter_map(|text| dictionary.code(Some(text)));
            return Ok(missing.into_iter().chain(sorted).collect());
        };
        let listed: Vec<u32> = order.iter().filter_map(|value| self.code(column, value)).collect();
        let all: Vec<u32> = missing.into_iter().chain(listed).collect();
        let left_out = dictionary.len() - all.len();
        if left_out > 0 {
            let message = format!("{left_out} values of column {attribute} are not in the list");
            let problem = self.job.problem(&format!("attributes[{index}].order"), message);
            return Err(problem.advise("List every value that occurs").into());
        }
        Ok(all)
    }

    fn tree(&self, attribute: &str) -> Result<ValueTree, Problems> {
        let Climbed { ladder, .. } = self.climbed(attribute)?;
        Ok(ValueTree::new((0..ladder.max_level()).map(|level| ladder.step(level, level + 1)).collect()))
    }

    /// The hierarchy of a sensitive column, which must end in one value.
    pub(super) fn climbed(&self, attribute: &str) -> Result<Climbed, Problems> {
        let index = self.job.attribute(attribute).map_or(0, |(index, _)| index);
        let climbed = climb(self.job, index, None, (self.column(attribute), &[]), self.input, false)?;
        if climbed.ladder.cardinality(climbed.ladder.max_level()) > 1 {
            let key = format!("attributes[{index}].hierarchy");
            let problem =
                self.job.problem(&key, "the hierarchical distance needs a hierarchy that ends in one value");
            return Err(problem.advise("Let the last level of every value be *").into());
        }
        Ok(climbed)
    }
}

/// One criterion.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PromiseFacts {
    /// Name of the model.
    pub model: &'static str,
    /// Its parameters.
    pub required: Value,
    /// The figures of the worst released class.
    pub achieved: Value,
    /// Whether it is kept.
    pub holds: bool,
    /// Whether, and why, it says little or nothing about this table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loose: Option<Loose>,
}

impl PromiseFacts {
    /// That it says little or nothing about its table, in words.
    pub fn looseness(&self) -> Option<String> {
        let loose = self.loose.as_ref()?;
        let of = match self.required.get("attribute").and_then(Value::as_str) {
            Some(attribute) => format!(" of {attribute}"),
            None => String::new(),
        };
        let worth = match loose.promises {
            Worth::Nothing => "nothing",
            Worth::Little => "little",
        };
        Some(format!("{}{of} promises {worth} on this table: {}", self.model, loose.because))
    }
}

/// A model's questions about the table. `key` is the model's key in the job file, for messages.
struct Asked<'a> {
    translation: &'a Translation<'a>,
    key: &'a str,
}

impl TableFacts for Asked<'_> {
    fn number(&self, key: &str, text: &DecimalText) -> Result<Fraction, Problems> {
        Fraction::parse(text.as_str()).map_err(|error| {
            Problems::from(self.translation.job.problem(&format!("{}.{key}", self.key), error.to_string()))
        })
    }

    fn histogram(&self, of: Sensitive<'_>) -> usize {
        match of {
            Sensitive::None => 0,
            Sensitive::One(attribute) => self.translation.constrained.single(attribute),
            Sensitive::Joint(attributes) => self.translation.constrained.joint(attributes),
        }
    }

    fn totals(&self, attribute: &str) -> Vec<u64> {
        let view = self.translation.constrained.single(attribute);
        match self.translation.people {
            Some(people) => people.totals(view),
            None => self.translation.table.totals(view),
        }
    }

    fn values(&self, attribute: &str) -> usize {
        self.translation.column(attribute).dictionary.len()
    }

    fn code(&self, attribute: &str, value: &str) -> Option<u32> {
        self.translation.code(self.translation.column(attribute), value)
    }

    fn combinations(&self, attributes: &[String]) -> Vec<Box<[u32]>> {
        self.translation.combinations[self.translation.constrained.joint(attributes)].clone()
    }

    fn distance(&self, attribute: &str, distance: DistanceName) -> Result<Distance, Problems> {
        self.translation.distance(attribute, distance)
    }
}

/// The parameters of a model.
pub fn required(model: &Model, exactness: Exactness) -> Value {
    model.required(exactness)
}

/// The figures of the worst class; whole numbers where the figure counts something.
pub fn achieved(model: &Model, achieved: &Achieved) -> Value {
    model.achieved(achieved)
}
