//! Reads `[privacy]` and its models.

use super::attribute::Role;
use super::attribute_walk::Declarations;
use super::decimal::DecimalText;
use super::names::names;
use super::privacy::{BudgetLimit, Distance, Diversity, Model, ModelName, PersonRows, Population, Privacy};
use super::suggest::shortened;
use super::walk::{Item, Section, Walk};

const MODELS: &str = "[{ model = \"k-anonymity\", k = 5 }]";

/// Reads `[privacy]` of a job.
pub(super) fn privacy(walk: &mut Walk, section: &Section<'_>, declared: &Declarations) -> Option<Privacy> {
    section.allow(walk, &["suppression_limit", "models", "person", "person_rows", "budget"]);
    let person = match section.get(walk, "person", "\"patient_id\"") {
        Some(item) => person(walk, &item, declared),
        None => Some(Vec::new()),
    };
    let budget = match section.get(walk, "budget", "{ epsilon = \"1\", delta = \"1e-6\" }") {
        Some(item) => item.section(walk).and_then(|section| budget(walk, &section)).map(Some),
        None => Some(None),
    };
    let rows = section.get(walk, "person_rows", "\"together\"");
    let promised = promised(walk, section, declared);
    let person_rows = match &rows {
        Some(item) => item.choice(walk, "a rule about a person's rows"),
        None => Some(PersonRows::default()),
    };
    let read = Privacy { person: person?, budget: budget?, person_rows: person_rows?, ..promised? };
    if let Some(item) = &rows {
        rows_of_a_person(walk, item, &read);
    }
    Some(read)
}

/// A rule about the rows of a person goes with a key, and with models for which it says whose rows are left out.
fn rows_of_a_person(walk: &mut Walk, item: &Item<'_>, read: &Privacy) {
    if read.person.is_empty() {
        let advice = "Name the columns that say whose row it is: person = \"patient_id\"";
        walk.report(item.line, &item.key, "nobody knows whose rows belong together", advice);
    }
    let (refused, why): (fn(&Model) -> bool, _) = match read.person_rows {
        PersonRows::Apart => return,
        PersonRows::Together => (
            |model| !model.more_people_never_hurt(),
            "may be kept by two sets of people and not by both together, so nobody knows whose rows to remove",
        ),
        PersonRows::Set => {
            (|model| model.population().is_some(), "counts people whose other rows nobody knows")
        }
    };
    for model in read.models.iter().filter(|&model| refused(model)) {
        let name = model.name().name();
        let message = format!("{name} {why}");
        let advice = format!("Leave out {name}, or write person_rows = \"apart\"");
        walk.report(item.line, &item.key, message, &advice);
    }
}

/// Reads `[privacy]` of what several parties agree on: limit and models only.
pub(super) fn terms(walk: &mut Walk, section: &Section<'_>) -> Option<Privacy> {
    section.allow(walk, &["suppression_limit", "models"]);
    promised(walk, section, &Declarations::unknown())
}

fn promised(walk: &mut Walk, section: &Section<'_>, declared: &Declarations) -> Option<Privacy> {
    let limit = section.get(walk, "suppression_limit", "0.05");
    let limit = limit.and_then(|item| {
        item.decimal_in(walk, "at least 0 and below 1", |s| 0 <= s.scaled() && *s < DecimalText::from(1))
    });
    let mut models = Models { declared, population: None };
    let list = section.require(walk, "models", MODELS);
    let list = list.and_then(|item| item.list(walk, 1, |walk, entry| models.model(walk, entry)));
    let suppression_limit = limit.unwrap_or_else(|| DecimalText::from(0));
    Some(Privacy {
        suppression_limit,
        models: list?,
        person: Vec::new(),
        person_rows: PersonRows::default(),
        budget: None,
    })
}

/// One column, or a list that is one composite key.
fn person(walk: &mut Walk, item: &Item<'_>, declared: &Declarations) -> Option<Vec<String>> {
    if item.value.get_ref().is_str() {
        return Some(vec![declared.known(walk, item)?]);
    }
    let mut seen: Vec<String> = Vec::new();
    item.list(walk, 1, |walk, entry| {
        let name = declared.known(walk, entry)?;
        if seen.contains(&name) {
            let message = format!("{} is listed twice", shortened(&name));
            walk.report(entry.line, &entry.key, message, "List each column once");
        }
        seen.push(name.clone());
        Some(name)
    })
}

fn budget(walk: &mut Walk, section: &Section<'_>) -> Option<BudgetLimit> {
    section.allow(walk, &["epsilon", "delta"]);
    let epsilon = section
        .require(walk, "epsilon", "\"1\"")
        .and_then(|item| item.decimal_in(walk, "above 0", |epsilon| epsilon.scaled() > 0));
    let delta = match section.get(walk, "delta", "\"1e-6\"") {
        Some(item) => item.decimal_in(walk, "at least 0 and below 1", |delta| {
            0 <= delta.scaled() && *delta < DecimalText::from(1)
        }),
        None => Some(DecimalText::from(0)),
    };
    Some(BudgetLimit { epsilon: epsilon?, delta: delta? })
}

/// What the models refer to.
struct Models<'d> {
    declared: &'d Declarations,
    /// The first population named, and the model that named it.
    population: Option<(Population, String)>,
}

impl Models<'_> {
    fn model(&mut self, walk: &mut Walk, item: &Item<'_>) -> Option<Model> {
        let section = &item.section(walk)?;
        let name = section.require(walk, "model", "\"k-anonymity\"")?.choice(walk, "a model")?;
        section.allow(walk, keys_of(name));
        // Every parameter is read before the first `?`, so that all of them are looked at.
        match name {
            ModelName::KAnonymity => Some(Model::KAnonymity { k: count(walk, section, "k", "5")? }),
            ModelName::DistinctLDiversity => {
                let (attribute, l) = (self.attribute(walk, section), count(walk, section, "l", "3"));
                Some(Model::DistinctLDiversity { attribute: attribute?, l: l? })
            }
            ModelName::EntropyLDiversity => {
                let (attribute, l) = (self.attribute(walk, section), effective_l(walk, section));
                Some(Model::EntropyLDiversity { attribute: attribute?, l: l? })
            }
            ModelName::RecursiveLDiversity => {
                let attribute = self.attribute(walk, section);
                let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
                Some(Model::RecursiveLDiversity { attribute: attribute?, c: c?, l: l? })
            }
            ModelName::PdRecursiveLDiversity => {
                let attribute = self.attribute(walk, section);
                let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
                let allowed = allowed(walk, section);
                Some(Model::PdRecursiveLDiversity { attribute: attribute?, c: c?, l: l?, allowed: allowed? })
            }
            ModelName::NpdRecursiveLDiversity => self.npd_recursive(walk, section),
            ModelName::MultiAttributeLDiversity => self.multi_attribute(walk, section),
            ModelName::TCloseness => self.t_closeness(walk, section),
            ModelName::DeltaPresence => self.delta_presence(walk, section),
            ModelName::KMap => {
                let (k, population) = (count(walk, section, "k", "5"), self.population(walk, section));
                Some(Model::KMap { k: k?, population: population? })
            }
        }
    }

    fn npd_recursive(&self, walk: &mut Walk, section: &Section<'_>) -> Option<Model> {
        let attribute = self.attribute(walk, section);
        let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
        let c2 = section.require(walk, "c2", "10").and_then(|item| {
            let percent = |c2: &DecimalText| 0 <= c2.scaled() && *c2 <= DecimalText::from(100);
            item.decimal_in(walk, "a percentage from 0 to 100", percent)
        });
        let allowed = allowed(walk, section);
        let protected = section.require(walk, "protected", "[\"HIV\"]").and_then(|item| item.cells(walk, 1));
        Some(Model::NpdRecursiveLDiversity {
            attribute: attribute?,
            c: c?,
            c2: c2?,
            l: l?,
            allowed: allowed?,
            protected: protected?,
        })
    }

    fn multi_attribute(&self, walk: &mut Walk, section: &Section<'_>) -> Option<Model> {
        let attributes =
            section.require(walk, "attributes", "[\"diagnosis\", \"treatment\"]").and_then(|item| {
                let mut seen: Vec<String> = Vec::new();
                item.list(walk, 2, |walk, entry| {
                    let name = self.declared.sensitive(walk, entry)?;
                    if seen.contains(&name) {
                        let message = format!("{} is listed twice", shortened(&name));
                        walk.report(entry.line, &entry.key, message, "List each attribute once");
                    }
                    seen.push(name.clone());
                    Some(name)
                })
            });
        let base = match section.get(walk, "base", "\"distinct\"") {
            Some(item) => item.choice(walk, "a kind of l-diversity"),
            None => Some(Base::Distinct),
        };
        if let (Some(Base::Distinct | Base::Entropy), Some(c)) = (base, section.get(walk, "c", "3")) {
            let advice = "Write base = \"recursive\", or leave it out";
            walk.report(c.line, &c.key, "goes with base = \"recursive\" only", advice);
        }
        let base = match base? {
            Base::Distinct => count(walk, section, "l", "3").map(|l| Diversity::Distinct { l }),
            Base::Entropy => effective_l(walk, section).map(|l| Diversity::Entropy { l }),
            Base::Recursive => {
                let (c, l) = (factor(walk, section), count(walk, section, "l", "3"));
                c.zip(l).map(|(c, l)| Diversity::Recursive { c, l })
            }
        };
        Some(Model::MultiAttributeLDiversity { attributes: attributes?, base: base? })
    }

    fn t_closeness(&self, walk: &mut Walk, section: &Section<'_>) -> Option<Model> {
        let attribute = self.attribute(walk, section);
        let distance_item = section.get(walk, "distance", "\"equal\"");
        let distance = match &distance_item {
            Some(item) => item.choice(walk, "a distance"),
            None => Some(Distance::default()),
        };
        if let (Some(Distance::Hierarchical), Some(name), Some(item)) = (distance, &attribute, distance_item)
            && self.declared.lacks_hierarchy(name)
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
        Some(Model::TCloseness { attribute: attribute?, t: t?, distance: distance? })
    }

    fn delta_presence(&mut self, walk: &mut Walk, section: &Section<'_>) -> Option<Model> {
        let share = |share: &DecimalText| 0 <= share.scaled() && *share <= DecimalText::from(1);
        let min = section.require(walk, "min", "0.0");
        let min = min.and_then(|item| item.decimal_in(walk, "between 0 and 1", share));
        let max_item = section.require(walk, "max", "0.2");
        let max = max_item.as_ref().and_then(|item| item.decimal_in(walk, "between 0 and 1", share));
        if let (Some(min), Some(max), Some(item)) = (&min, &max, max_item)
            && min > max
        {
            let advice = format!("Write e.g. max = {min}");
            walk.report(item.line, &item.key, format!("must not be below min, which is {min}"), &advice);
        }
        let population = self.population(walk, section);
        Some(Model::DeltaPresence { min: min?, max: max?, population: population? })
    }

    fn attribute(&self, walk: &mut Walk, section: &Section<'_>) -> Option<String> {
        let item = section.require(walk, "attribute", "\"diagnosis\"")?;
        self.declared.sensitive(walk, &item)
    }

    fn population(&mut self, walk: &mut Walk, section: &Section<'_>) -> Option<Population> {
        section.exclusive(walk, "population", "subset");
        let table = section.get(walk, "population", "\"population.csv\"");
        let (item, population) = match (table, section.get(walk, "subset", "\"in_study\"")) {
            (Some(item), _) => {
                let path = item.path(walk)?;
                (item, Population::Table(path))
            }
            (None, Some(item)) => {
                let column = item.name(walk)?;
                if let Some(role @ (Role::QuasiIdentifier | Role::Sensitive)) = self.declared.role(column) {
                    let message = format!(
                        "{} has the role {role}, but the subset column is dropped",
                        shortened(column)
                    );
                    let advice = "Name a column that only says who is in the table";
                    walk.report(item.line, &item.key, message, advice);
                }
                let column = column.to_owned();
                (item, Population::Subset(column))
            }
            (None, None) => {
                section.require(walk, "population", "\"population.csv\" or subset = \"in_study\"");
                return None;
            }
        };
        match &self.population {
            Some((first, model)) if *first != population => {
                let message = format!("differs from that of {model}");
                walk.report(
                    item.line,
                    &item.key,
                    message,
                    "A job has one population: name the same in each model",
                );
            }
            Some(_) => {}
            None => self.population = Some((population.clone(), section.path.clone())),
        }
        Some(population)
    }
}

/// What `multi-attribute-l-diversity` is made from.
#[derive(Clone, Copy)]
pub(super) enum Base {
    Distinct,
    Entropy,
    Recursive,
}
names!(Base { Distinct: "distinct", Entropy: "entropy", Recursive: "recursive" });

fn keys_of(model: ModelName) -> &'static [&'static str] {
    match model {
        ModelName::KAnonymity => &["model", "k"],
        ModelName::DistinctLDiversity | ModelName::EntropyLDiversity => &["model", "attribute", "l"],
        ModelName::RecursiveLDiversity => &["model", "attribute", "c", "l"],
        ModelName::PdRecursiveLDiversity => &["model", "attribute", "c", "l", "allowed"],
        ModelName::NpdRecursiveLDiversity => &["model", "attribute", "c", "c2", "l", "allowed", "protected"],
        ModelName::MultiAttributeLDiversity => &["model", "attributes", "base", "c", "l"],
        ModelName::TCloseness => &["model", "attribute", "t", "distance"],
        ModelName::DeltaPresence => &["model", "min", "max", "population", "subset"],
        ModelName::KMap => &["model", "k", "population", "subset"],
    }
}

/// `k` and `l` where they count something.
fn count(walk: &mut Walk, section: &Section<'_>, key: &'static str, example: &str) -> Option<u32> {
    section.require(walk, key, example)?.u32(walk, 1)
}

/// `l` of the entropy variants.
fn effective_l(walk: &mut Walk, section: &Section<'_>) -> Option<DecimalText> {
    section.require(walk, "l", "2.5")?.decimal_in(walk, "at least 1", |l| *l >= DecimalText::from(1))
}

/// `c` of the recursive variants.
fn factor(walk: &mut Walk, section: &Section<'_>) -> Option<DecimalText> {
    section.require(walk, "c", "3.0")?.decimal_in(walk, "above 0", |c| c.scaled() > 0)
}

fn allowed(walk: &mut Walk, section: &Section<'_>) -> Option<Vec<String>> {
    section.require(walk, "allowed", "[\"healthy\"]")?.cells(walk, 0)
}
