//! Privacy models, a file each: what can be written in the job, what it means, and all that anybody has to know about it.
//!
//! A new model is a file here, its predicate in `core/src/criteria` and the verifier's twin in `verify/src/criteria`, with a line in the list
//! of each. Nobody else matches on models: readers ask the [`Card`] or the [`PrivacyModel`].

mod card;
mod diversity;
mod facts;
mod parameter;
mod population;
pub(crate) mod reading;
mod told;

pub use card::{Card, Kept, Key, Tokens, Unions, page};
pub use facts::{Sensitive, TableFacts};
pub use parameter::{Exactness, Parameter};
pub use told::{Attack, Coverage, Measure, Side, Telling, Wording, Words};

use crate::problem::Problems;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{Achieved, ClassCriterion};
pub use population::Population;
use reading::Reading;
use serde_json::{Map, Value, json};
use std::fmt;

/// What a model with its parameters can tell. Everything that is the same for all parameters is on the [`Card`].
pub trait PrivacyModel: fmt::Debug {
    /// The sensitive columns whose values it reads.
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::None
    }
    /// The population it counts in, if it does.
    fn population(&self) -> Option<&Population> {
        None
    }
    /// Its keys and what they say, in the order in which they are written.
    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)>;
    /// The predicate, for a table of which `table` knows what is needed.
    ///
    /// # Errors
    /// If a number cannot be compared exactly, or the distance asks for something that the table does not have.
    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems>;
    /// How far a class with these figures is from the promise; larger is worse. `None` where that is not known.
    fn badness(&self, achieved: &Achieved) -> Option<f64>;
    /// The key to change and the same model with it at what was achieved. `None` where nothing weaker would hold.
    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)>;
    /// Whether a figure counts something, so that it is a whole number.
    fn counts(&self, _figure: &str) -> bool {
        false
    }
    /// The column whose distribution in the whole table the verifier needs, and how distances are measured in it.
    fn reference(&self) -> Option<(&str, Distance)> {
        None
    }
    /// Whether classes without a row, known from the population alone, are evidence, too.
    fn judges_absent_classes(&self) -> bool {
        false
    }
    /// Whether it asks for different values, however many people have each.
    fn counts_values_only(&self) -> bool {
        false
    }
}

/// Makes the enums from the list of models. The files are found by their names.
macro_rules! models {
    ($($module:ident::$name:ident),+ $(,)?) => {
        $(mod $module; pub use $module::$name;)+

        /// One privacy model with its parameters. An attribute that it names is always a sensitive one of the job.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Model {
            $(
                #[doc = concat!("See [`", stringify!($name), "`](struct@", stringify!($name), ").")]
                $name($name)
            ),+
        }

        /// The models by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ModelName {
            $(
                #[doc = concat!("See [`", stringify!($name), "`](struct@", stringify!($name), ").")]
                $name
            ),+
        }

        impl ModelName {
            /// All models, in the order in which they are listed to users.
            pub const ALL: &'static [ModelName] = &[$(ModelName::$name),+];

            /// What is known about it.
            pub fn card(self) -> &'static Card {
                match self {
                    $(ModelName::$name => &$module::CARD),+
                }
            }

            fn read(self, reading: &mut Reading<'_>, walk: &mut Walk, section: &Section<'_>) -> Option<Model> {
                match self {
                    $(ModelName::$name => $module::read(reading, walk, section).map(Model::$name)),+
                }
            }
        }

        impl Model {
            /// Which model it is.
            pub fn name(&self) -> ModelName {
                match self {
                    $(Model::$name(_) => ModelName::$name),+
                }
            }

            fn unit(&self) -> &dyn PrivacyModel {
                match self {
                    $(Model::$name(model) => model),+
                }
            }
        }

        $(
            impl From<$name> for Model {
                fn from(model: $name) -> Model {
                    Model::$name(model)
                }
            }
        )+
    };
}

models! {
    k_anonymity::KAnonymity,
    distinct_l_diversity::DistinctLDiversity,
    entropy_l_diversity::EntropyLDiversity,
    recursive_l_diversity::RecursiveLDiversity,
    pd_recursive_l_diversity::PdRecursiveLDiversity,
    npd_recursive_l_diversity::NpdRecursiveLDiversity,
    multi_attribute_l_diversity::MultiAttributeLDiversity,
    t_closeness::TCloseness,
    beta_likeness::BetaLikeness,
    delta_presence::DeltaPresence,
    k_map::KMap,
}

pub use beta_likeness::LikenessForm;
pub use multi_attribute_l_diversity::Diversity;
pub use t_closeness::Distance;

impl ModelName {
    /// How the model is written in the job file.
    pub fn name(self) -> &'static str {
        self.card().name
    }
}

impl crate::names::Named for ModelName {
    const ALL: &'static [Self] = Self::ALL;
    fn name(self) -> &'static str {
        self.name()
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Model {
    /// What is known about the model, whatever its parameters.
    pub fn card(&self) -> &'static Card {
        self.name().card()
    }

    /// Whether a class that keeps it still does when more people join it.
    pub fn more_people_never_hurt(&self) -> bool {
        self.card().more_people_never_hurt
    }

    /// The population the model counts in, if it does.
    pub fn population(&self) -> Option<&Population> {
        self.unit().population()
    }

    /// The sensitive columns whose values it reads.
    pub fn sensitive(&self) -> Sensitive<'_> {
        self.unit().sensitive()
    }

    /// Names of the sensitive columns whose values it reads.
    pub fn attributes(&self) -> Vec<&str> {
        self.sensitive().names()
    }

    /// Its keys and what they say.
    pub fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        self.unit().parameters()
    }

    /// The number under a key, where it counts something.
    pub fn count(&self, key: &str) -> Option<u32> {
        self.parameters().into_iter().find_map(|(name, value)| match value {
            Parameter::Count(count) if name == key => Some(count),
            _ => None,
        })
    }

    /// The predicate; see [`PrivacyModel::criterion`].
    ///
    /// # Errors
    /// If a number cannot be compared exactly, or the distance asks for something that the table does not have.
    pub fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        self.unit().criterion(table)
    }

    /// How far a class with these figures is from the promise; larger is worse.
    pub fn badness(&self, achieved: &Achieved) -> f64 {
        self.unit().badness(achieved).unwrap_or(f64::INFINITY)
    }

    /// The key to change and the same model with it at what was achieved.
    pub fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        self.unit().weakened(achieved).filter(|(_, weaker)| weaker != self)
    }

    /// The column whose distribution in the whole table the verifier needs.
    pub fn reference(&self) -> Option<(&str, Distance)> {
        self.unit().reference()
    }

    /// Whether classes without a row, known from the population alone, are evidence, too.
    pub fn judges_absent_classes(&self) -> bool {
        self.unit().judges_absent_classes()
    }

    /// Whether it asks for different values, however many people have each.
    pub fn counts_values_only(&self) -> bool {
        self.unit().counts_values_only()
    }

    /// The parameters as the manifest has them; populations are not among them.
    pub fn required(&self, exactness: Exactness) -> Value {
        let parameters = self.parameters().into_iter();
        let entries = parameters
            .filter_map(|(key, value)| value.to_json(exactness).map(|value| (key.to_owned(), value)));
        Value::Object(entries.collect::<Map<_, _>>())
    }

    /// The figures of the worst class; whole numbers where the figure counts something.
    pub fn achieved(&self, achieved: &Achieved) -> Value {
        let figure = |&(name, value): &(&str, f64)| {
            let number = if !value.is_finite() {
                Value::Null
            } else if self.unit().counts(name) {
                json!(value as u64)
            } else {
                json!(value)
            };
            (name.to_owned(), number)
        };
        Value::Object(achieved.figures().iter().map(figure).collect::<Map<_, _>>())
    }
}

/// A figure that is finite, of a class.
fn figure(achieved: &Achieved, name: &str) -> Option<f64> {
    achieved.get(name).filter(|value| value.is_finite())
}

/// A figure that counts something, at least 1.
fn whole(achieved: &Achieved, name: &str) -> Option<u32> {
    figure(achieved, name).map(|value| value as u32).filter(|&value| value >= 1)
}

/// A number with two digits after the point.
fn two_digits(value: f64) -> Option<crate::DecimalText> {
    crate::DecimalText::new(&format!("{value:.2}")).ok()
}
