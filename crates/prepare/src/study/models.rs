//! The job's models as criteria of the engine.

use super::levels::{Climbed, climb};
use paravent_core::criteria::{
    Achieved, ClassCriterion, DeltaPresence, Distance, DistinctLDiversity, Diversity, EntropyLDiversity,
    KAnonymity, KMap, MultiAttributeLDiversity, NpdRecursiveLDiversity, PdRecursiveLDiversity,
    RecursiveLDiversity, TCloseness, ValueTree, ValuesOnly,
};
use paravent_core::exact::Fraction;
use paravent_core::table::People;
use paravent_job::{
    Distance as DistanceName, Diversity as DiversityName, Job, MissingCells, Model, Problems,
};
use paravent_tables::encode::{CodedColumn, Combinations, Frequencies, SensitiveView};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The sensitive columns that models constrain, and the views of them that criteria read.
#[derive(Debug, Clone, Default)]
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
            match model {
                Model::KAnonymity { .. } | Model::DeltaPresence { .. } | Model::KMap { .. } => {}
                Model::DistinctLDiversity { attribute, .. }
                | Model::EntropyLDiversity { attribute, .. }
                | Model::RecursiveLDiversity { attribute, .. }
                | Model::PdRecursiveLDiversity { attribute, .. }
                | Model::NpdRecursiveLDiversity { attribute, .. }
                | Model::TCloseness { attribute, .. } => {
                    let view = SensitiveView::Single(constrained.position(attribute));
                    constrained.view(view);
                }
                Model::MultiAttributeLDiversity { attributes, .. } => {
                    let positions = attributes.iter().map(|name| constrained.position(name)).collect();
                    constrained.view(SensitiveView::Joint(positions));
                }
            }
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
        let number = |text: &paravent_job::DecimalText, name: &str| {
            Fraction::parse(text.as_str()).map_err(|error| {
                Problems::from(self.job.problem(&format!("{key}.{name}"), error.to_string()))
            })
        };
        let criterion: Box<dyn ClassCriterion> = match model {
            Model::KAnonymity { k } => Box::new(KAnonymity { k: u64::from(*k) }),
            Model::KMap { k, .. } => Box::new(KMap { k: u64::from(*k) }),
            Model::DistinctLDiversity { attribute, l } => Box::new(DistinctLDiversity {
                sensitive: self.constrained.single(attribute),
                l: u64::from(*l),
            }),
            Model::EntropyLDiversity { attribute, l } => Box::new(EntropyLDiversity {
                sensitive: self.constrained.single(attribute),
                l: number(l, "l")?,
            }),
            Model::RecursiveLDiversity { attribute, c, l } => {
                let sensitive = self.constrained.single(attribute);
                Box::new(RecursiveLDiversity { sensitive, c: number(c, "c")?, l: u64::from(*l) })
            }
            Model::PdRecursiveLDiversity { attribute, c, l, allowed } => {
                Box::new(self.positive(attribute, number(c, "c")?, *l, allowed))
            }
            Model::NpdRecursiveLDiversity { attribute, c, c2, l, allowed, protected } => {
                let column = self.column(attribute);
                let code = |value: &String| self.code(column, value).unwrap_or(u32::MAX);
                Box::new(NpdRecursiveLDiversity {
                    positive: self.positive(attribute, number(c, "c")?, *l, allowed),
                    c2: number(c2, "c2")?,
                    protected: protected.iter().map(code).collect(),
                })
            }
            Model::MultiAttributeLDiversity { attributes, base } => {
                let joint = self.constrained.joint(attributes);
                let diversity = match base {
                    DiversityName::Distinct { l } => Diversity::Distinct { l: u64::from(*l) },
                    DiversityName::Entropy { l } => Diversity::Entropy { l: number(l, "l")? },
                    DiversityName::Recursive { c, l } => {
                        Diversity::Recursive { c: number(c, "c")?, l: u64::from(*l) }
                    }
                };
                let combinations = self.combinations[joint].clone();
                Box::new(MultiAttributeLDiversity { joint, combinations, diversity })
            }
            Model::TCloseness { attribute, t, distance } => {
                let sensitive = self.constrained.single(attribute);
                let totals = match self.people {
                    Some(people) => people.totals(sensitive),
                    None => self.table.totals(sensitive),
                };
                let distance = self.distance(attribute, *distance)?;
                Box::new(TCloseness::new(sensitive, number(t, "t")?, distance, totals))
            }
            Model::DeltaPresence { min, max, .. } => {
                Box::new(DeltaPresence { min: number(min, "min")?, max: number(max, "max")? })
            }
        };
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
        let attribute = match model {
            Model::DistinctLDiversity { attribute, .. }
            | Model::EntropyLDiversity { attribute, .. }
            | Model::RecursiveLDiversity { attribute, .. }
            | Model::PdRecursiveLDiversity { attribute, .. }
            | Model::NpdRecursiveLDiversity { attribute, .. } => attribute,
            Model::KAnonymity { .. }
            | Model::KMap { .. }
            | Model::MultiAttributeLDiversity { .. }
            | Model::TCloseness { .. }
            | Model::DeltaPresence { .. } => return None,
        };
        let missing = self.column(attribute).dictionary.code(None)?;
        let said = self.job.attribute(attribute).and_then(|(_, attribute)| attribute.missing);
        Some((missing, said.unwrap_or(MissingCells::NoValue), attribute))
    }

    fn positive(&self, attribute: &str, c: Fraction, l: u32, allowed: &[String]) -> PdRecursiveLDiversity {
        let column = self.column(attribute);
        let mut may_be_disclosed = vec![false; column.dictionary.len()];
        for code in allowed.iter().filter_map(|value| self.code(column, value)) {
            may_be_disclosed[code as usize] = true;
        }
        let sensitive = self.constrained.single(attribute);
        PdRecursiveLDiversity { sensitive, c, l: u64::from(l), allowed: may_be_disclosed }
    }

    /// The code of a value that the job mentions, however it spells it.
    fn code(&self, column: &CodedColumn, value: &str) -> Option<u32> {
        column.dictionary.code(Some(&column.spelling.canonical(value)))
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
#[derive(Debug, Clone, Serialize)]
pub struct PromiseFacts {
    /// Name of the model.
    pub model: &'static str,
    /// Its parameters.
    pub required: Value,
    /// The figures of the worst released class.
    pub achieved: Value,
    /// Whether it is kept.
    pub holds: bool,
}

/// How thresholds are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// As decimal text: what the verifier compares with.
    Text,
    /// As a number: what people and programs like to read.
    Number,
}

/// The parameters of a model.
pub fn required(model: &Model, exactness: Exactness) -> Value {
    let decimal = |text: &paravent_job::DecimalText| match exactness {
        Exactness::Text => json!(text.as_str()),
        Exactness::Number => text.as_str().parse::<f64>().map_or(Value::Null, |number| json!(number)),
    };
    match model {
        Model::KAnonymity { k } | Model::KMap { k, .. } => json!({ "k": k }),
        Model::DistinctLDiversity { attribute, l } => json!({ "attribute": attribute, "l": l }),
        Model::EntropyLDiversity { attribute, l } => json!({ "attribute": attribute, "l": decimal(l) }),
        Model::RecursiveLDiversity { attribute, c, l } => {
            json!({ "attribute": attribute, "c": decimal(c), "l": l })
        }
        Model::PdRecursiveLDiversity { attribute, c, l, allowed } => {
            json!({ "attribute": attribute, "c": decimal(c), "l": l, "allowed": allowed })
        }
        Model::NpdRecursiveLDiversity { attribute, c, c2, l, allowed, protected } => json!({
            "attribute": attribute, "c": decimal(c), "c2": decimal(c2), "l": l, "allowed": allowed, "protected": protected,
        }),
        Model::MultiAttributeLDiversity { attributes, base } => match base {
            DiversityName::Distinct { l } => json!({ "attributes": attributes, "l": l, "base": "distinct" }),
            DiversityName::Entropy { l } => {
                json!({ "attributes": attributes, "l": decimal(l), "base": "entropy" })
            }
            DiversityName::Recursive { c, l } => {
                json!({ "attributes": attributes, "c": decimal(c), "l": l, "base": "recursive" })
            }
        },
        Model::TCloseness { attribute, t, distance } => {
            json!({ "attribute": attribute, "t": decimal(t), "distance": distance.name() })
        }
        Model::DeltaPresence { min, max, .. } => json!({ "min": decimal(min), "max": decimal(max) }),
    }
}

/// The figures of the worst class; whole numbers where the figure counts something.
pub fn achieved(model: &Model, achieved: &Achieved) -> Value {
    let whole = |name: &str| match model {
        Model::KAnonymity { .. } | Model::KMap { .. } | Model::DistinctLDiversity { .. } => true,
        Model::MultiAttributeLDiversity { base: DiversityName::Distinct { .. }, .. } => name == "l",
        _ => false,
    };
    let figure = |&(name, value): &(&str, f64)| {
        let number = if !value.is_finite() {
            Value::Null
        } else if whole(name) {
            json!(value as u64)
        } else {
            json!(value)
        };
        (name.to_owned(), number)
    };
    Value::Object(achieved.figures().iter().map(figure).collect::<Map<_, _>>())
}
