//! `t-closeness`

use super::reading::Reading;
use super::{
    Attack, Card, Coverage, Kept, Key, Measure, Model, Parameter, PrivacyModel, Sensitive, Side, TableFacts,
    Telling, Tokens, Unions, Words, Wording, figure, two_digits,
};
use crate::decimal::DecimalText;
use crate::names::names;
use crate::problem::Problems;
use crate::suggest::shortened;
use crate::walk::{Section, Walk};
use paravent_core::criteria::{self, Achieved, ClassCriterion};

/// Every class is distributed like the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TCloseness {
    /// The sensitive attribute; it has a hierarchy if the distance is hierarchical.
    pub attribute: String,
    /// Largest distance of a class from the table: 0 ≤ t, and t ≤ 1 but for `kullback-leibler`.
    pub t: DecimalText,
    /// How the distance is measured.
    pub distance: Distance,
}

/// How the distance of two distributions is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distance {
    /// Earth mover's distance, all values equally far apart.
    #[default]
    Equal,
    /// Earth mover's distance along the order of the values.
    Ordered,
    /// Earth mover's distance in the tree of the hierarchy.
    Hierarchical,
    /// Variation distance; the same number as `equal`.
    Variation,
    /// Kullback-Leibler divergence of the class from the table.
    KullbackLeibler,
}
names!(Distance {
    Equal: "equal",
    Ordered: "ordered",
    Hierarchical: "hierarchical",
    Variation: "variation",
    KullbackLeibler: "kullback-leibler",
});

pub(super) static CARD: Card = Card {
    name: "t-closeness",
    title: "t-closeness",
    statement: "The distance of the sensitive attribute's distribution in every class from that in the whole table is at most t.",
    meaning: "Knowing somebody's class tells little more than the table as a whole. \
              The whole table is the original one, rows that are left out included.",
    source: "Li, Li & Venkatasubramanian, \"t-Closeness: privacy beyond k-anonymity and ℓ-diversity\", ICDE 2007.",
    keys: &[
        Key { name: "attribute", says: "the sensitive attribute", example: "\"diagnosis\"" },
        Key { name: "t", says: "largest distance, between 0 and 1; any with `kullback-leibler`", example: "0.2" },
        Key {
            name: "distance",
            says: "`equal`, `ordered`, `hierarchical`, `variation` or `kullback-leibler`",
            example: "\"equal\"",
        },
    ],
    more_people_never_hurt: false,
    asks_for_values: false,
    unions: Unions::OfOneTable,
    result: Kept::WithoutSuppression("compares with the whole table, which is another one once rows are left out"),
    tokens: Tokens::Suffice,
    telling: &Told,
};

pub(super) fn read(reading: &mut Reading<'_>, walk: &mut Walk, section: &Section<'_>) -> Option<TCloseness> {
    let attribute = reading.attribute(walk, section);
    let distance_item = section.get(walk, "distance", "\"equal\"");
    let distance = match &distance_item {
        Some(item) => item.choice(walk, "a distance"),
        None => Some(Distance::default()),
    };
    if let (Some(Distance::Hierarchical), Some(name), Some(item)) = (distance, &attribute, distance_item)
        && reading.declared.lacks_hierarchy(name)
    {
        let message = format!("the hierarchical distance needs a hierarchy of {}", shortened(name));
        let advice = "Write e.g. hierarchy = { file = \"diagnosis.csv\" } in its [[attributes]] block";
        walk.report(item.line, &item.key, message, advice);
    }
    // The divergence has no upper limit; the other distances are at most 1.
    let unlimited = distance == Some(Distance::KullbackLeibler);
    let range = if unlimited { "at least 0" } else { "between 0 and 1" };
    let t = section.require(walk, "t", "0.2").and_then(|item| {
        item.decimal_in(walk, range, |t| 0 <= t.scaled() && (unlimited || *t <= DecimalText::from(1)))
    });
    Some(TCloseness { attribute: attribute?, t: t?, distance: distance? })
}

impl PrivacyModel for TCloseness {
    fn sensitive(&self) -> Sensitive<'_> {
        Sensitive::One(&self.attribute)
    }

    fn parameters(&self) -> Vec<(&'static str, Parameter<'_>)> {
        vec![
            ("attribute", Parameter::Text(&self.attribute)),
            ("t", Parameter::Decimal(&self.t)),
            ("distance", Parameter::Text(self.distance.name())),
        ]
    }

    fn criterion(&self, table: &dyn TableFacts) -> Result<Box<dyn ClassCriterion>, Problems> {
        let sensitive = table.histogram(self.sensitive());
        let totals = table.totals(&self.attribute);
        let distance = table.distance(&self.attribute, self.distance)?;
        Ok(Box::new(criteria::TCloseness::new(sensitive, table.number("t", &self.t)?, distance, totals)))
    }

    fn badness(&self, achieved: &Achieved) -> Option<f64> {
        achieved.get("t")
    }

    fn weakened(&self, achieved: &Achieved) -> Option<(&'static str, Model)> {
        let t = two_digits((figure(achieved, "t")? * 100.0).ceil() / 100.0)?;
        Some(("t", TCloseness { t, ..self.clone() }.into()))
    }

    fn reference(&self) -> Option<(&str, Distance)> {
        Some((&self.attribute, self.distance))
    }
}

#[derive(Debug)]
struct Told;

impl Telling for Told {
    fn wording(&self, promise: &dyn Words) -> Wording {
        let (column, t) = (promise.columns(), promise.figure(promise.number("t")));
        let distance = match promise.text("distance") {
            "kullback-leibler" => "Kullback-Leibler",
            "ordered" => "ordered",
            "hierarchical" => "hierarchical",
            "variation" => "variation",
            _ => "equal",
        };
        let measured = match promise.text("distance") {
            "ordered" => {
                "Values that lie close together in their order count as similar, so a class of neighbouring \
                 values counts as far from the table."
            }
            "hierarchical" => {
                "Values of the same branch of their hierarchy count as similar, so a class of closely \
                 related values counts as far from the table."
            }
            "kullback-leibler" => {
                "The distance is the Kullback-Leibler divergence of the class from the table, in nats; all values \
                 count as equally different."
            }
            "variation" => {
                "The distance is the share of rows that would have to change their value; all values count as \
                 equally different."
            }
            _ => {
                "The distance is the share of rows that would have to change their value (earth mover’s distance); \
                 all values count as equally different."
            }
        };
        Wording {
            title: format!("t-closeness of {column}, t = {t}, {distance} distance"),
            short: format!(
                "Every class shows {column} much as the whole table does, at a distance of {t} at most"
            ),
            meaning: format!(
                "In every class {column} is distributed much like in the whole original table: the distance is at \
                 most {t}. Knowing somebody’s class tells little more than the table as a whole. {measured}"
            ),
        }
    }

    fn measures(&self, promise: &dyn Words) -> Vec<Measure> {
        let largest = (promise.text("distance") != "kullback-leibler").then_some(1.0);
        vec![Measure { largest, ..Measure::of(promise, "t", "t", Side::AtMost) }]
    }

    fn is_empty(&self, promise: &dyn Words) -> bool {
        promise.text("distance") != "kullback-leibler" && promise.number("t") >= 1.0
    }

    fn covers(&self, promise: &dyn Words, attack: Attack) -> Coverage {
        let knows_similarity = matches!(promise.text("distance"), "ordered" | "hierarchical");
        match attack {
            Attack::Disclosure | Attack::Skewness => Coverage::Full,
            Attack::Similarity if knows_similarity => Coverage::Full,
            Attack::Similarity | Attack::Homogeneity | Attack::BackgroundKnowledge => Coverage::Partly,
        }
    }

    fn remains(&self, promise: &dyn Words, attack: Attack) -> Option<String> {
        let reached = promise.reached("t").unwrap_or(promise.number("t"));
        match attack {
            Attack::Disclosure => Some(one_value(promise, reached)),
            Attack::Homogeneity => Some(match promise.text("distance") {
                "equal" | "variation" => format!(
                    "a class with a single value passes only if that value makes up at least {} of the table.",
                    promise.percent(1.0 - promise.number("t"))
                ),
                _ => "a class with a single value passes only if it is close enough to the table.".to_owned(),
            }),
            Attack::Skewness | Attack::Similarity => {
                Some(format!("largest distance of a class from the table {}.", promise.figure(reached)))
            }
            Attack::BackgroundKnowledge => None,
        }
    }
}

/// What a distance means for a single value.
fn one_value(promise: &dyn Words, reached: f64) -> String {
    let points = match promise.text("distance") {
        "ordered" | "hierarchical" => {
            return format!(
                "a class differs from the table by at most {} as a whole; a single value may differ more.",
                promise.figure(reached)
            );
        }
        // Pinsker's inequality.
        "kullback-leibler" => (reached / 2.0).sqrt(),
        _ => reached,
    };
    format!(
        "in no class is a value’s share more than {} percentage points above its share of the table.",
        promise.figure((points.min(1.0) * 1000.0).ceil() / 10.0)
    )
}
